"""`muniment query`: rows with proofs on stdout, a tree on demand, and every mistake at its place."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import add

FACTS = (
    ("Ana maintains shop.", "ana", "maintains", "shop"),
    ("Shop uses pnpm.", "shop", "uses", "pnpm"),
    ("The shop installs with pnpm.", "shop", "uses", "pnpm"),
)
BOB = {"subject": "bob", "predicate": "maintains", "object": "shop"}
ASKED = "select ?who where ?who maintains ?repo, ?repo uses pnpm"
USE = ("--use", "answer_questions")


@pytest.fixture
def known(machine):
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    changes = [
        {"id": f"c{n}", **add(text, facts=[{"subject": s, "predicate": p, "object": o}])}
        for n, (text, s, p, o) in enumerate(FACTS)
    ]
    diff = machine.propose(*changes).json["diff"]
    assert machine.signed("review", diff, "--accept", "c0,c1,c2", "--reason", "ok").code == 0
    return machine


@pytest.mark.req("D-CONJ")
def test_rows_are_shown_with_a_proof_and_the_number_of_others(known):
    ran = known.run("query", ASKED, *USE)
    assert ran.code == 0
    assert "?who = ana  proof: mem_" in ran.out
    assert ", and 1 more" in ran.out


@pytest.mark.req("D-CONJ")
def test_explain_shows_each_proof_as_a_tree_of_claims_and_sources(known):
    out = known.run("query", ASKED, *USE, "--explain").out
    assert [line.strip() for line in out.splitlines() if line.startswith("  proof")] == [
        "proof 1 of 2",
        "proof 2 of 2",
    ]
    assert out.count("Ana maintains shop.") == 2
    assert out.count("source: principal:user:ada") == 4


def test_the_json_of_a_query_file_and_of_text_are_one(known):
    file = known.place / "q.json"
    asked = {
        "where": [["?who", "maintains", "?repo"], ["?repo", "uses", "pnpm"]],
        "select": ["?who"],
    }
    file.write_text(json.dumps(asked), "utf-8")
    ways = [("--file", str(file)), (json.dumps(asked),), (ASKED,)]
    found = [known.run("query", *way, *USE, "--json").json for way in ways]
    assert [f["rows"] for f in found] == [found[0]["rows"]] * 3
    assert found[0]["rows"][0]["values"] == {"?who": "ana"}
    assert found[0]["acting"]["principal"] == "user:ada"


def test_without_a_match_the_exit_code_is_0_and_the_advice_on_stderr(known):
    ran = known.run("query", "?who maintains nothing", *USE)
    assert (ran.code, ran.out) == (0, "outcome: no_matches\n")
    assert "says nothing of the world" in ran.err


@pytest.mark.req("D-BOUNDS")
def test_a_bound_is_named_with_its_stage(known):
    ran = known.run("query", ASKED, "--examinations", "1", "--json")
    assert (ran.json["outcome"], ran.json["stage"], ran.json["rows"]) == (
        "budget_exceeded",
        "join",
        [],
    )


@pytest.mark.req("D-CONJ")
@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((), ["no_query"]),
        (("?a uses ?b", "--file", "x"), ["no_query"]),
        (("--file", "nowhere"), ["unreadable_file"]),
        (('{"where": [',), ["json_syntax"]),
        (('{"where": [["?a", "uses"]]}',), ["not_three_terms", "empty_query"]),
        (("?a usess ?b",), ["unknown_predicate"]),
        (("?a uses ?b", "--states", "513"), ["out_of_range"]),
        (("?a uses ?b", "--as-of", "yesterday"), ["bad_time"]),
    ],
)
def test_mistakes_are_findings(known, arguments, codes):
    ran = known.run("query", *arguments, "--json")
    assert (ran.code, ran.error_codes) == (2, codes)


def test_a_mistake_in_a_text_is_said_at_its_column(known):
    ran = known.run("query", "?a uses ?b, ?b usess pnpm")
    assert ran.code == 2
    assert "column 16" in ran.err
    assert "did you mean uses" in ran.err


# --- certificates ---------------------------------------------------------------------------------


@pytest.mark.req("D-CERT")
@pytest.mark.parametrize("verb", [("query", ASKED), ("recall", "who maintains the shop?")])
def test_a_certificate_is_written_and_revalidated_until_something_changes(known, verb):
    file = str(known.place / "cert.json")
    assert known.run(*verb, *USE, "--certify", file).code == 0
    ran = known.run("revalidate", file)
    assert (ran.code, ran.out) == (0, "valid\n")
    diff = known.propose({"id": "c9", **add("Bob maintains shop.", facts=[BOB])}).json["diff"]
    known.signed("review", diff, "--accept", "c9", "--reason", "ok")
    ran = known.run("revalidate", file)
    assert ran.code == 1
    assert ran.out.startswith("changed: ")


def test_a_certificate_that_was_altered_or_cannot_be_written_is_a_finding(known):
    file = known.place / "cert.json"
    known.run("query", ASKED, *USE, "--certify", str(file))
    file.write_text(file.read_text("utf-8").replace("ana", "eve"), "utf-8")
    ran = known.run("revalidate", str(file), "--json")
    assert (ran.code, ran.error_codes) == (2, ["certificate_altered"])
    ran = known.run("query", ASKED, *USE, "--certify", str(known.place / "no" / "x"), "--json")
    assert (ran.code, ran.error_codes) == (2, ["unwritable_file"])
    ran = known.run("--as", "user:eve", "revalidate", str(file))
    assert ran.code == 2


# --- graphs ---------------------------------------------------------------------------------------


@pytest.mark.req("A-RELATIONS")
def test_claims_are_written_as_rdf_in_either_form(known):
    lines = known.run("graph", "--format", "ntriples").out.splitlines()
    assert (
        "<urn:muniment:term:shop> <urn:muniment:predicate:uses> <urn:muniment:term:pnpm> ." in lines
    )
    nodes = json.loads(known.run("graph").out)
    assert {"@id", "@type"} <= set(nodes[0])
    assert known.run("graph", "--format", "owl", "--json").error_codes == ["unknown_value"]


# --- bridges --------------------------------------------------------------------------------------


@pytest.mark.req("D-BRIDGE", "D-GROUNDED")
def test_a_bridge_is_proposed_reviewed_and_used_by_grounded_recalls(known):
    ran = known.run("bridge", "the store front", "shop", *USE, "--json")
    assert ran.code == 0
    known.signed("review", ran.json["diff"], "--accept", "change_01", "--reason", "ok")
    asked = ("recall", "who maintains the store front?", *USE)
    assert "found by reading" not in known.run(*asked).out
    assert 'found by reading "the store front" as "shop"' in known.run(*asked, "--grounded").out
    ran = known.run("bridge", "kit", "ui kit", "--json")
    assert (ran.code, ran.error_codes) == (2, ["bridge_grows"])
