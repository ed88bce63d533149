"""The values underneath: one byte form, identifiers, audiences, JSON, the chain, the ontology's hash."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.access import audience_of, groups_of, intersect, may_see, normal, within
from muniment.core.canonical import canonical, commitment, digest, keyed
from muniment.core.claim import Claim, EmbeddingReference
from muniment.core.codec import micros, read, trusted
from muniment.core.confidence import capped
from muniment.core.draft import read_claim
from muniment.core.embedding import comparable, require_one_space
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.event import GENESIS, Envelope, chain, verify_chain
from muniment.core.ids import is_id, new_id, parse_id
from muniment.core.ontology import Input, flow_hash, inputs
from muniment.core.record import restore, strip
from muniment.core.source import Source, compare, evidence_of, renewed, worst
from muniment.core.vocabulary import GRADES
from tests.core.conformance import templates

# --- canonical form ------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.req("E-DETERMINISM")
@given(json_values)
def test_the_canonical_form_reads_back_as_the_same_value(value):
    again = json.loads(
        canonical(value),
        parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits),
    )
    assert again == value


@pytest.mark.req("E-DETERMINISM")
@given(
    st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers(0, 9), max_size=5),
    st.randoms(),
)
def test_the_order_of_keys_changes_no_digest(value, random):
    pairs = list(value.items())
    random.shuffle(pairs)
    assert digest(dict(pairs)) == digest(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800", 2**53, {1: "a"}, {"a": {2}}, b"x"])
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(ValueError, match="canonical form"):
        canonical(value)


def test_the_canonical_form_is_that_of_rfc_8785():
    # the example of the RFC's section 3.2.2
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "literals": [None, True],
    }
    assert (
        canonical(value)
        == b'{"literals":[null,true],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}'
    )


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_no_two_lists_of_parts_share_a_key(left, right):
    assert (keyed(b"k", *left) == keyed(b"k", *right)) == (left == right)


def test_a_commitment_binds_content_and_salt():
    assert len({commitment(s, c) for s, c in product((b"a", b"b"), (b"x", b"y"))}) == 4


# --- identifiers ---------------------------------------------------------------------------------


@pytest.mark.req("A-IDENTITY")
@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_an_identifier_is_a_uuid_of_version_7_and_reads_back(millis, entropy):
    text = new_id("mem", millis, entropy)
    uuid = parse_id(text).uuid
    assert is_id(text, "mem")
    assert (uuid[14], uuid[19] in "89ab", int(uuid[:8] + uuid[9:13], 16)) == ("7", True, millis)


@pytest.mark.req("A-IDENTITY")
@given(
    st.lists(
        st.tuples(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10)),
        min_size=2,
        max_size=5,
    )
)
def test_identifiers_sort_by_their_time(drawn):
    texts = [new_id("mem", *one) for one in drawn]
    assert [parse_id(t).bits >> 80 for t in sorted(texts)] == sorted(millis for millis, _ in drawn)


@pytest.mark.parametrize(
    "text", ["mem_01JZ_example", "mem_" + "8" * 26, "note_" + "0" * 26, "mem_" + "I" * 26, ""]
)
def test_what_is_no_identifier_is_not_read_as_one(text):
    assert parse_id(text) is None


# --- audiences -----------------------------------------------------------------------------------

PRINCIPALS = ("a", "b", "c")
audiences = st.lists(st.lists(st.sampled_from(PRINCIPALS), max_size=3).map(tuple), max_size=3).map(
    tuple
)
EVERY_ASKER = [
    {p for p, held in zip(PRINCIPALS, bits, strict=True) if held}
    for bits in product((0, 1), repeat=3)
]


@pytest.mark.req("B-VISIBILITY")
@given(audiences)
def test_the_normal_form_is_passed_by_the_same_askers(audience):
    assert [may_see(audience, who) for who in EVERY_ASKER] == [
        may_see(normal(audience), who) for who in EVERY_ASKER
    ]


@pytest.mark.req("B-VISIBILITY")
@given(audiences, audiences)
def test_two_audiences_with_the_same_askers_have_one_normal_form(left, right):
    same = all(may_see(left, who) == may_see(right, who) for who in EVERY_ASKER)
    assert (normal(left) == normal(right)) == same


@pytest.mark.req("B-TRAVEL")
@given(audiences, audiences)
def test_an_intersection_is_passed_by_who_passes_both(left, right):
    both = intersect(left, right)
    assert [may_see(both, w) for w in EVERY_ASKER] == [
        may_see(left, w) and may_see(right, w) for w in EVERY_ASKER
    ]
    assert within(both, left)
    assert within(both, right)


@pytest.mark.req("B-TRAVEL")
@given(audiences, audiences)
def test_within_means_that_nobody_passes_the_narrow_and_not_the_wide(narrow, wide):
    oracle = all(may_see(wide, who) for who in EVERY_ASKER if may_see(narrow, who))
    assert within(normal(narrow), normal(wide)) == oracle


@pytest.mark.req("B-VISIBILITY")
def test_groups_are_resolved_through_groups_and_circles_do_no_harm():
    members = {"group:a": ["user:x"], "group:b": ["group:a", "group:c"], "group:c": ["group:b"]}
    assert groups_of("user:x", members) == {"group:a", "group:b", "group:c"}
    assert groups_of("user:y", members) == frozenset()


def test_an_audience_of_nobody_is_passed_by_nobody():
    assert not any(may_see(audience_of(()), who) for who in EVERY_ASKER)


# --- JSON ----------------------------------------------------------------------------------------


def whole() -> Claim:
    claim, findings = read_claim(templates()["full_example"], "mem_x")
    assert findings == ()
    return claim


@pytest.mark.req("B-CLAIM")
def test_a_claim_reads_back_from_what_it_is_written_as():
    claim = whole()
    assert trusted(Claim, json.loads(json.dumps(encode(claim)))) == claim


@pytest.mark.req("B-CLAIM", "E-LEDGER")
def test_a_claims_scope_and_principals_rest_apart_from_its_body():
    record = encode(whole())
    body, where = strip(record)
    assert str(where[0]) == "repository:github:acme/handbook"
    assert "scope" not in body
    assert "repo:public" not in json.dumps(body)
    assert encode(trusted(Claim, restore(body, *where))) == {
        **record,
        "visibility": {"level": "public"},
    }


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"scope": 7}, "wrong_type"),
        ({"scope": {"kind": "repository"}}, "missing"),
        ({"claim": None}, "wrong_type"),
        ({"claim": ["a"]}, "wrong_type"),
        ({"confidence": {"score": "high"}}, "wrong_type"),
        ({"confidence": {"score": math.nan}}, "not_finite"),
        ({"confidence": {"score": True}}, "wrong_type"),
        ({"tags": "one"}, "wrong_type"),
        ({"validity": {"valid_from": "soon"}}, "bad_time"),
        ({"validity": {"valid_from": "2026-07-08 12:00"}}, "naive_time"),
        ({"validity": {"valid_from": "0001-01-01T00:00:00+14:00"}}, "bad_time"),
        ({"supersedes": {"a": 1}}, "wrong_type"),
        ({"extensions": []}, "wrong_type"),
    ],
)
@pytest.mark.req("B-CLAIM")
def test_a_wrong_value_is_a_finding_with_its_place(patch, code):
    raw = {**templates()["fact"], **patch}
    claim, findings = read_claim(raw, "mem_x", "/item")
    assert claim is None
    assert code in {f.code for f in findings}
    assert all(f.path.startswith("/item/") for f in findings)


@given(json_values)
def test_whatever_is_given_ends_in_a_claim_or_in_findings(value):
    for raw in (
        value,
        {**templates()["fact"], "scope": value, "source": value, "tags": value, "conflicts": value},
    ):
        claim, findings = read_claim(raw, "mem_x")
        assert claim is not None or any(f.severity == "error" for f in findings)


@given(st.datetimes(timezones=st.just(timezone(timedelta(hours=5, minutes=30)))))
def test_a_time_is_kept_to_the_microsecond(instant):
    findings: list[Finding] = []
    holder = read(Source, {"kind": "file", "observed_at": instant.isoformat()}, "", findings)
    if holder is not None:
        assert micros(holder.observed_at) == (
            instant - datetime(1970, 1, 1, tzinfo=UTC)
        ) // timedelta(microseconds=1)


def test_a_quoted_input_is_cut_and_its_control_characters_are_shown():
    assert quoted("a\nb" + "c" * 100) == "`a\\nb" + "c" * 77 + "…`"


# --- evidence ------------------------------------------------------------------------------------


@pytest.mark.req("E-RECEIPT")
@given(texts, st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), texts)
def test_evidence_matches_its_own_bytes_and_follows_a_move(before, quote, after):
    head, body, tail = (part.encode() for part in (before, quote, after))
    data = head + body + tail
    evidence = evidence_of(data, len(head), len(head) + len(body))
    assert compare(evidence, data).state == "match"
    moved = b"\x00" * 50 + b"\n" + data
    reading = compare(evidence, moved)
    assert reading.state in ("match", "moved")
    again = renewed(evidence, reading)
    assert moved[again.start : again.end] == body


@pytest.mark.req("E-RECEIPT")
def test_the_five_answers_of_a_reading():
    evidence = evidence_of(b"use pnpm", 4, 8)
    states = [
        compare(evidence, data).state for data in (b"use pnpm", b"do use pnpm", b"use npm", None)
    ]
    unspanned = compare(replace(evidence, end=0), b"use pnpm").state
    assert [*states, unspanned] == ["match", "moved", "changed", "missing", "could_not_observe"]
    readings = tuple(compare(evidence, data) for data in (b"use pnpm", b"use npm"))
    assert worst(readings).state == "changed"


# --- confidence, embeddings ----------------------------------------------------------------------


@pytest.mark.req("A-CONFIDENCE")
@given(
    st.floats(0, 1),
    st.sampled_from([grade.name for grade in GRADES]),
    st.lists(st.floats(0, 1), max_size=3),
)
def test_confidence_is_never_above_cap_declared_grade_or_sources(score, declared, among):
    source = Source("file", "inference", "file:///a", derivation="inferred")
    found = capped(score, source, declared, tuple(among))
    caps = {grade.name: grade.cap for grade in GRADES}
    assert found <= min(score, 0.8, *among) + 5e-5
    if caps[declared] < 0.8:
        assert found <= caps[declared]


@pytest.mark.req("A-REJECT-EMBEDDING", "A-EMBVERSION")
@pytest.mark.parametrize("other", [("maxi", "2", 384), ("mini", "3", 384), ("mini", "2", 768)])
def test_vectors_of_different_spaces_are_not_compared(other):
    mine = EmbeddingReference("mini", "2", 384)
    assert comparable(mine, EmbeddingReference("mini", "2", 384))
    with pytest.raises(InvalidInput, match="different spaces"):
        require_one_space(mine, EmbeddingReference(*other))


# --- the chain -----------------------------------------------------------------------------------


def ledger(count: int) -> list[Envelope]:
    made: list[Envelope] = []
    for seq in range(1, count + 1):
        previous = made[-1].hash if made else GENESIS
        made.append(
            chain(
                Envelope(
                    seq,
                    seq,
                    "2026-07-08T12:00:00Z",
                    "claim",
                    f"m{seq}",
                    "",
                    (),
                    "c",
                    "00",
                    previous,
                )
            )
        )
    return made


@pytest.mark.req("E-LEDGER")
@given(st.integers(1, 6), st.data())
def test_alteration_removal_and_reordering_are_found(count, data):
    events = ledger(count)
    assert verify_chain(events).ok
    at = data.draw(st.integers(0, count - 1))
    altered = [*events[:at], replace(events[at], id="other"), *events[at + 1 :]]
    assert not verify_chain(altered).ok
    if at < count - 1:
        assert not verify_chain(events[:at] + events[at + 1 :]).ok
        swapped = list(events)
        swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
        assert not verify_chain(swapped).ok


@pytest.mark.req("E-LEDGER")
def test_truncation_is_found_against_a_kept_head():
    events = ledger(4)
    assert verify_chain(events, events[-1].hash).ok
    assert verify_chain(events[:3]).ok
    assert not verify_chain(events[:3], events[-1].hash).ok


# --- the ontology's hash -------------------------------------------------------------------------


def changed(name: str, change) -> str:
    return flow_hash(
        tuple(replace(i, values=change(i.values)) if i.name == name else i for i in inputs())
    )


@pytest.mark.req("A-FLOWHASH")
def test_the_hash_covers_the_twelve_inputs():
    wanted = (
        "ontology memory_entities memory_types relationships scope_rules retrieval_rules validity_rules "
        "consolidation_rules validation semantic_equivalence confidence update_model"
    ).split()
    assert [i.name for i in inputs()] == wanted
    assert (
        len(
            {changed(name, lambda values: (*values, "one more")) for name in wanted} | {flow_hash()}
        )
        == 13
    )


@pytest.mark.req("A-FLOWHASH")
@pytest.mark.parametrize("one", inputs(), ids=lambda one: one.name)
def test_space_and_the_order_of_sets_do_not_count_and_case_and_the_order_of_rules_do(one: Input):
    assert (
        changed(one.name, lambda values: tuple(f"  {v.replace(' ', '   ')}\n" for v in values))
        == flow_hash()
    )
    backwards = changed(one.name, lambda values: tuple(reversed(values)))
    assert (backwards == flow_hash()) == (not one.ordered)
    assert changed(one.name, lambda values: tuple(v.upper() for v in values)) != flow_hash()
