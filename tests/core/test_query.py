"""A query can be written in two forms, says all that is wrong with it at its place, and can do nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.query import Atom, Query, Variable, oriented, read_query, unknown_predicates
from muniment.core.query_text import parse_query

WHO, REPO = Variable("who"), Variable("repo")
ASKED = Query((Atom(WHO, "maintains", REPO), Atom(REPO, "uses", "pnpm")), (WHO,))


def codes(read):
    return [(f.code, f.path) for f in read[1]]


def json_of(*where, **more):
    return read_query({"where": list(where), **more})


@pytest.mark.req("D-CONJ")
def test_both_forms_say_the_same():
    text, _ = parse_query("select ?who where ?who maintains ?repo, ?repo uses pnpm")
    json, _ = json_of(["?who", "maintains", "?repo"], ["?repo", "uses", "pnpm"], select=["?who"])
    assert text == json == ASKED


def test_lines_separate_patterns_as_commas_do():
    assert parse_query("?who maintains ?repo\n\n?repo uses pnpm")[0].where == ASKED.where


def test_without_a_selection_every_variable_is_asked_for():
    assert parse_query("?who maintains ?repo, ?repo uses pnpm")[0].select == (WHO, REPO)


def test_without_variables_a_query_asks_whether_it_holds():
    assert parse_query("shop uses pnpm")[0] == Query((Atom("shop", "uses", "pnpm"),), ())


@pytest.mark.req("D-CONJ")
@pytest.mark.parametrize(
    "read",
    [parse_query('?a uses "?x"'), json_of(["?a", "uses", {"literal": "?x"}])],
    ids=["text", "json"],
)
def test_a_literal_may_begin_with_a_question_mark(read):
    assert read[0].where[0].object == "?x"


def test_a_literal_with_spaces_and_quotation_marks_stands_in_quotation_marks():
    query, _ = parse_query(r'?a described_as "a \"b\" \\ c, d"')
    assert query.where[0].object == 'a "b" \\ c, d'


@pytest.mark.req("D-CONJ")
def test_terms_are_compared_in_nfkc_and_case_sensitively():
    wide, _ = parse_query("?a uses ｐｎｐｍ")
    assert wide.where[0].object == "pnpm"
    assert parse_query("?a uses PNPM")[0].where[0].object == "PNPM"


@pytest.mark.req("D-CONJ")
def test_an_alias_of_a_predicate_is_read_as_the_predicate():
    assert parse_query("?a package_manager pnpm")[0].where[0].predicate == "uses_package_manager"


def test_a_declared_inverse_is_the_same_pattern_from_the_other_side():
    assert oriented("shop", "maintained_by", WHO) == oriented(WHO, "maintains", "shop")
    assert oriented("a", "uses", "b") == ("a", "uses", "b")


@pytest.mark.req("D-CONJ")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("?a ?p ?b", [("variable_predicate", "column 4")]),
        ("?a uses", [("not_three_terms", "column 1")]),
        ("?a uses ?b, ?b uses pnpm with care", [("not_three_terms", "column 13")]),
        ("?a uses ?b\n?b uses", [("not_three_terms", "line 2, column 1")]),
        ('?a uses "open', [("open_quotation", "column 9")]),
        (r'?a uses "\n"', [("open_quotation", "column 9")]),
        ("", [("empty_query", "")]),
        ("?a uses ?b,", [("missing_pattern", "column 11")]),
        (", ?a uses ?b", [("missing_pattern", "column 1")]),
        ("? uses pnpm", [("bad_variable", "column 1")]),
        ("?1 uses pnpm", [("bad_variable", "column 1")]),
        ('"" uses pnpm', [("empty_term", "column 1")]),
        ("?repo uses pnpm, repo part_of acme", [("literal_or_variable", "column 18")]),
        ("select ?b where ?a uses pnpm", [("unbound_select", "column 8")]),
        ("select ?a a where ?a uses pnpm", [("not_a_variable", "column 11")]),
        ("select ?a ?a where ?a uses pnpm", [("selected_twice", "column 11")]),
        ("select ?a ?a uses pnpm", [("select_without_where", "column 1")]),
        (", ".join(["?a uses ?b"] * 7), [("too_many_patterns", "column 73")]),
        ("?a uses \x07", [("control_character", "column 9")]),
        ("?a uses ?b" + " " * 20_000, [("too_long", "")]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_text_is_said_at_its_place(given, expected):
    query, _ = read = parse_query(given)
    assert query is None
    assert [one for one in codes(read) if one in expected] == expected


@pytest.mark.req("D-CONJ")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [("not_a_query", "")]),
        ("?a uses ?b", [("not_a_query", "")]),
        ({}, [("wrong_type", "/where"), ("empty_query", "/where")]),
        ({"where": []}, [("empty_query", "/where")]),
        ({"where": [["?a", "uses"]]}, [("not_three_terms", "/where/0"), ("empty_query", "/where")]),
        ({"where": [["?a", "uses", 3]]}, [("bad_term", "/where/0/2"), ("empty_query", "/where")]),
        ({"where": [["?a", "uses", {"var": "b"}]]}, [("bad_term", "/where/0/2"), ("empty_query", "/where")]),
        ({"where": [["?a", "?p", "b"]]}, [("variable_predicate", "/where/0/1")]),
        ({"where": [["?a", "uses", "b"]] * 7}, [("too_many_patterns", "/where/6")]),
        ({"where": [["?a", "uses", "b"]], "select": ["?b"]}, [("unbound_select", "/select/0")]),
        ({"where": [["?a", "uses", "b"]], "select": ["a"]}, [("not_a_variable", "/select/0")]),
        ({"where": [["?a", "uses", "b"]], "select": "?a"}, [("wrong_type", "/select")]),
        ({"where": [["?a", "uses", "b"]], "selct": []}, [("unknown_key", "/selct")]),
        ({"where": [["?a", "uses", "b"]], "not": []}, [("unknown_key", "/not")]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_json_query_is_said_at_its_place(given, expected):
    query, _ = read = read_query(given)
    assert query is None
    assert codes(read) == expected


def test_all_findings_are_said_at_once():
    read = json_of(["?a", "?p", "b"], ["? x", "uses", ""], select=["?z"])
    assert [code for code, _ in codes(read)] == [
        "variable_predicate",
        "bad_variable",
        "empty_term",
        "unbound_select",
    ]


def test_a_slip_between_text_and_variable_names_both_ways_out():
    (finding,) = parse_query("?repo uses pnpm, repo part_of acme")[1]
    assert "`?repo` for the variable" in finding.fix
    assert parse_query('?repo uses pnpm, "repo" part_of acme')[0] is not None


@pytest.mark.req("D-CONJ")
def test_an_unknown_predicate_is_named_with_the_nearest_and_one_that_occurs_is_not():
    query, _ = parse_query("?a usess ?b, ?b deployed_to ?c")
    findings = unknown_predicates(query, lambda name: name == "deployed_to")
    assert [(f.code, f.path) for f in findings] == [("unknown_predicate", "column 4")]
    assert "did you mean uses" in findings[0].fix


TERMS = st.one_of(
    st.sampled_from([Variable("a"), Variable("b"), Variable("été")]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Cn"]), min_size=1, max_size=8),
)


@given(
    st.lists(st.tuples(TERMS, st.sampled_from(["uses", "part_of"]), TERMS), min_size=1, max_size=6)
)
def test_a_query_reads_back_from_either_form(atoms):
    from muniment.core.query import term_text

    def settled(term):
        return term if isinstance(term, Variable) else term_text(term)

    where = tuple(Atom(settled(s), p, settled(o)) for s, p, o in atoms)
    texts = [t for atom in where for t in atom.terms if isinstance(t, str)]
    variables = {v.name for atom in where for v in atom.terms if isinstance(v, Variable)}
    if variables & set(texts) or not all(text.strip() for text in texts):
        return
    query = Query(
        where, tuple(dict.fromkeys(v for a in where for v in a.terms if isinstance(v, Variable)))
    )
    assert read_query(query.as_json())[0] == query
    assert parse_query(query.text)[0] == query


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text):
    query, findings = parse_query(text)
    assert (query is None) == bool([f for f in findings if f.severity == "error"])


KEYS = st.sampled_from(["where", "select", "literal", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_no_json_breaks_the_reader(value):
    query, findings = read_query(value)
    assert (query is None) == bool([f for f in findings if f.severity == "error"])
