"""Every statement's evidence is in the file, byte for byte."""

from __future__ import annotations

import re

import pytest

from muniment.core.relations import RELATIONS, relation
from muniment.learn.extract import Extract, read_file

DECLARED = {relation.name for relation in RELATIONS}
CLAIM_TYPES = {
    "project_fact", "team_preference", "decision", "runbook_step", "domain_rule",
    "integration_capability", "known_failure_mode",
}  # fmt: skip
USES = {
    "answer_questions", "prepare_context", "plan_changes", "draft_pr", "choose_local_commands",
    "choose_test_commands", "explain_decisions",
}  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a text without its Markdown marks and escapes."""
    return re.findall(r"\w+", re.sub(r"[*\\`]|\b_|_\b", "", text))


def in_order(wanted: list[str], found: list[str]) -> bool:
    """Whether `wanted` is left when words are taken out of `found`."""
    rest = iter(found)
    return all(word in rest for word in wanted)


def spells(quote: str, extract: Extract) -> bool:
    """Whether the quote spells the value; a lock file's name tells the manager."""
    if extract.predicate == "uses_package_manager" and extract.pointer == "":
        return True
    return extract.value in quote or in_order(words(extract.value), words(quote))


@pytest.mark.req("E-RECEIPT")
def test_every_span_is_whole_characters_and_spells_its_value(learned):
    wrong = [
        e.slot
        for data, e in learned.extracts
        if not spells(data[e.start : e.end].decode("utf-8", "strict"), e)
    ]
    assert wrong == []


@pytest.mark.req("E-RECEIPT")
def test_no_span_is_empty_or_begins_or_ends_in_white_space(learned):
    quotes = [data[e.start : e.end] for data, e in learned.extracts]
    assert all(q and q == q.strip() for q in quotes)


@pytest.mark.req("E-RECEIPT")
def test_the_line_is_the_line_of_the_first_byte(learned):
    assert all(e.line == data.count(b"\n", 0, e.start) + 1 for data, e in learned.extracts)


def test_reading_twice_gives_the_same(learned):
    assert {p: read_file(p, d) for p, d in learned.files.items()} == learned.results


def test_slots_are_unique_in_a_repository(learned):
    slots = [e.slot for _, e in learned.extracts]
    assert len(slots) == len(set(slots))


def test_a_slot_starts_with_the_path_of_its_file(learned):
    for path, result in learned.results.items():
        assert all(e.slot.startswith(f"{path}#") for e in result.extracts)


def test_only_declared_predicates_claim_types_and_uses_are_stated(learned):
    for _, e in learned.extracts:
        assert e.predicate in DECLARED
        assert e.claim_type in CLAIM_TYPES
        assert set(e.uses) <= USES
        assert "answer_questions" in e.uses


def test_a_procedure_has_its_steps_in_order_and_nothing_else_is_one(learned):
    for _, e in learned.extracts:
        assert (e.memory_type == "procedural") == (len(e.steps) > 1)


def test_every_claim_is_one_line_and_not_empty(learned):
    assert all(e.claim.strip() and "\n" not in e.claim for _, e in learned.extracts)


def test_prose_is_never_structured(learned):
    prose = {"instruction", "documented_command", "decided", "decision_status", "described_as"}
    assert not [e.slot for _, e in learned.extracts if e.predicate in prose and e.structured]
    assert not [e.slot for _, e in learned.extracts if ".md#" in e.slot and e.structured]


def test_a_single_valued_predicate_has_one_value_for_each_subject(learned):
    seen: dict[tuple[str, str], set[str]] = {}
    for _, e in learned.extracts:
        if relation(e.predicate).single:
            seen.setdefault((e.subject, e.predicate), set()).add(e.value)
    assert {key: values for key, values in seen.items() if len(values) > 1} == {}


def test_files_of_others_are_passed_over(shop, storefront, payments):
    assert not shop.results["vendor/leftpad/pyproject.toml"].extracts
    assert not storefront.results["node_modules/left-pad/package.json"].extracts
    assert not payments.results["third_party/thing/go.mod"].extracts


def test_the_repositories_give_only_the_expected_findings(shop, storefront, payments):
    found = [
        (f.path, f.code)
        for repo in (shop, storefront, payments)
        for r in repo.results.values()
        for f in r.findings
    ]
    assert found == [("package.json:10", "duplicate_key")]
