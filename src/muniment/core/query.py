"""A conjunctive query: up to six fact patterns that share variables, and nothing else (`D-CONJ`).

- `?name` is a variable; every other text is itself. `{"literal": "?x"}` is the text `?x`.
- Terms are compared in Unicode form NFKC, case-sensitively; a predicate's alias is read as the predicate.
- A declared inverse or symmetric relation is read from both sides; nothing else is concluded.
- No variable predicates, no negation, no transitivity, no arithmetic, no code: there is no way to write them.
- Everything that is wrong is said at once, each at its place.

The text form is read in `query_text`; which undeclared predicates occur is the store's to know.

>>> where = [["?who", "maintains", "?repo"], ["?repo", "uses", "pnpm"]]
>>> query, findings = read_query({"where": where, "select": ["?who"]})
>>> query.text
'select ?who where ?who maintains ?repo, ?repo uses pnpm'
>>> [f.code for f in read_query({"where": [["?a", "?b", "c"]], "select": ["?z"]})[1]]
['variable_predicate', 'unbound_select']
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.relations import RELATIONS, Relation, relation
from muniment.core.text import normalized, text_findings

MOST_ATOMS = 6
LONGEST_TERM = 2_000
KEYS = ("where", "select")
_NAME = re.compile(r"[^\W\d]\w*")
_BARE = re.compile(r'[^\s",?][^\s",]*')


@dataclass(frozen=True, slots=True)
class Variable:
    """What the facts have to agree on."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Term = Variable | str


@dataclass(frozen=True, slots=True)
class Atom:
    """One pattern of a fact.

    Attributes:
        subject: A variable or a text.
        predicate: The declared name, aliases resolved.
        object: A variable or a text.
        place: Where its predicate stands in what was given; it is no part of the atom.
    """

    subject: Term
    predicate: str
    object: Term
    place: str = field(default="", compare=False)

    @property
    def terms(self) -> tuple[Term, Term]:
        """Subject and object."""
        return self.subject, self.object


class QueryJson(TypedDict):
    """A query as it reads back: patterns, and the variables that are asked for."""

    where: list[list[Any]]
    select: list[str]


@dataclass(frozen=True, slots=True)
class Query:
    """Patterns that all have to hold, and the variables that are asked for; with none it asks whether they do."""

    where: tuple[Atom, ...]
    select: tuple[Variable, ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Every variable, in the order in which they first stand."""
        terms = (term for atom in self.where for term in atom.terms)
        return tuple(dict.fromkeys(term for term in terms if isinstance(term, Variable)))

    @property
    def text(self) -> str:
        """The text form, which reads back as the same query."""
        atoms = ", ".join(
            f"{_written(a.subject)} {_written(a.predicate)} {_written(a.object)}"
            for a in self.where
        )
        chosen = " ".join(map(str, self.select))
        return f"select {chosen} where {atoms}" if chosen else atoms

    def as_json(self) -> QueryJson:
        """The JSON form, which reads back as the same query."""
        where = [[_json(a.subject), a.predicate, _json(a.object)] for a in self.where]
        return {"where": where, "select": [str(one) for one in self.select]}


def _written(term: Term) -> str:
    r"""A term as text, in quotation marks where it could be read as something else.

    >>> print(_written("pnpm"), _written("?x"), _written('a "b"'))
    pnpm "?x" "a \"b\""
    """
    if isinstance(term, Variable) or (_BARE.fullmatch(term) and term not in ("select", "where")):
        return str(term)
    escaped = term.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _json(term: Term) -> Any:
    if isinstance(term, Variable):
        return str(term)
    return {"literal": term} if term.startswith("?") else term


def term_text(text: str) -> str:
    """The form in which terms are the same: NFKC, case kept.

    >>> term_text("ＰＮＰＭ") == "PNPM", term_text("pnpm") == "PNPM"
    (True, False)
    """
    return normalized("NFKC", text)


def oriented(
    subject: Term, predicate: str, object: Term, declared: tuple[Relation, ...] = RELATIONS
) -> tuple[Term, str, Term]:
    """A pattern from the side of which there is only one: a declared inverse turns round, an alias is resolved.

    >>> oriented("shop", "maintained_by", "ana") == oriented("ana", "maintains", "shop")
    True
    """
    known = relation(predicate, declared)
    if known.inverse and known.inverse < known.name:
        return object, known.inverse, subject
    return subject, known.name, object


def facts_in(
    subject: str, predicate: str, object: str, declared: tuple[Relation, ...] = RELATIONS
) -> tuple[tuple[str, str, str], ...]:
    """What a stated fact says in the form in which patterns are compared; a symmetric one says it twice.

    >>> facts_in("a", "related_to", "b")
    (('a', 'related_to', 'b'), ('b', 'related_to', 'a'))
    """
    ends = term_text(subject), term_text(object)
    known = relation(term_text(predicate), declared)
    turned = [ends, ends[::-1]] if known.symmetric else [ends]
    said = (oriented(one, known.name, other, declared) for one, other in turned)
    return tuple(dict.fromkeys((str(s), p, str(o)) for s, p, o in said))


# --- reading --------------------------------------------------------------------------------------

Form = Literal["plain", "literal"]


@dataclass(frozen=True, slots=True)
class Given:
    """A term as it was given.

    Attributes:
        text: What stands there, quotation marks resolved.
        form: `literal` where it was marked as one.
        place: Where it stands.
    """

    text: str
    form: Form
    place: str

    @property
    def is_variable(self) -> bool:
        """Whether it is written as a variable."""
        return self.form == "plain" and self.text.startswith("?")


@dataclass(frozen=True, slots=True)
class Raw:
    """A query as it was given: terms by threes, and what is selected (None: everything)."""

    atoms: tuple[tuple[Given, Given, Given], ...]
    select: tuple[Given, ...] | None
    whole: str


Read = tuple[Query | None, tuple[Finding, ...]]


def read_query(given: Any) -> Read:
    """A query from its JSON form, and everything that is wrong with it; None where it cannot be asked."""
    found: list[Finding] = []
    if not isinstance(given, Mapping):
        return None, (
            _bad("not_a_query", "a query is an object with `where` and `select`", "", _SHAPE),
        )
    for key in given:
        if key not in KEYS:
            near = difflib.get_close_matches(str(key), KEYS, n=1)
            fix = f"did you mean `{near[0]}`?" if near else "use `where` and `select`"
            found.append(
                _bad("unknown_key", f"{quoted(key)} is no part of a query", f"/{key}", fix)
            )
    atoms = _atoms(given.get("where"), found)
    select = _select(given["select"], found) if given.get("select") is not None else None
    query, more = settle(Raw(atoms, select, "/where"))
    findings = (*found, *more)
    return (None if errors_in(findings) else query), findings


_SHAPE = 'write it as `{"where": [["?who", "maintains", "?repo"]], "select": ["?who"]}`'
_THREE = 'write `["subject", "predicate", "object"]`'


def _atoms(given: Any, found: list[Finding]) -> tuple[tuple[Given, Given, Given], ...]:
    if not isinstance(given, list | tuple):
        found.append(_bad("wrong_type", "`where` is a list of patterns", "/where", _SHAPE))
        return ()
    atoms = []
    for number, one in enumerate(given[: MOST_ATOMS + 1]):
        path = f"/where/{number}"
        if not isinstance(one, list | tuple) or len(one) != 3:
            count = f"{len(one)} terms" if isinstance(one, list | tuple) else "no list"
            found.append(
                _bad("not_three_terms", f"a pattern has three terms, this is {count}", path, _THREE)
            )
            continue
        terms = [_term(term, f"{path}/{n}", found) for n, term in enumerate(one)]
        if all(terms):
            atoms.append((terms[0], terms[1], terms[2]))
    if len(given) > MOST_ATOMS:
        found.append(too_many(len(given), f"/where/{MOST_ATOMS}"))
    return tuple(atoms[:MOST_ATOMS])  # type: ignore[arg-type]


def _term(given: Any, path: str, found: list[Finding]) -> Given | None:
    if isinstance(given, str):
        return Given(given, "plain", path)
    if (
        isinstance(given, Mapping)
        and list(given) == ["literal"]
        and isinstance(given["literal"], str)
    ):
        return Given(given["literal"], "literal", path)
    fix = 'write `"?name"` for a variable, a text, or `{"literal": "text"}`'
    found.append(_bad("bad_term", f"{quoted(given)} is no term", path, fix))
    return None


def _select(given: Any, found: list[Finding]) -> tuple[Given, ...]:
    if not isinstance(given, list | tuple):
        found.append(_bad("wrong_type", "`select` is a list of variables", "/select", _SHAPE))
        return ()
    chosen = []
    for number, one in enumerate(given):
        if isinstance(one, str):
            chosen.append(Given(one, "plain", f"/select/{number}"))
        else:
            message = f"{quoted(one)} is no variable"
            found.append(_bad("not_a_variable", message, f"/select/{number}", "write `?name`"))
    return tuple(chosen)


# --- rules that both forms share ------------------------------------------------------------------


def settle(raw: Raw) -> Read:
    """The query that was given, and what is wrong with it."""
    found: list[Finding] = []
    if not raw.atoms:
        found.append(_bad("empty_query", "the query has no pattern", raw.whole, "give one to six"))
    atoms = tuple(_atom(one, found) for one in raw.atoms)
    bound = tuple(dict.fromkeys(t for a in atoms for t in a.terms if isinstance(t, Variable)))
    found.extend(_confused(raw.atoms, bound))
    select = bound if raw.select is None else _chosen(raw.select, bound, found)
    findings = tuple(found)
    return (None if errors_in(findings) else Query(atoms, select)), findings


def _atom(given: tuple[Given, Given, Given], found: list[Finding]) -> Atom:
    subject, predicate, object = given
    if predicate.is_variable:
        message = (
            f"{quoted(predicate.text)} stands for a predicate, and predicates are not asked for"
        )
        fix = "name the predicate; `muniment ontology relation` lists them"
        found.append(_bad("variable_predicate", message, predicate.place, fix))
    else:
        found.extend(_text(predicate, "predicate"))
    name = relation(term_text(predicate.text)).name
    return Atom(_read(subject, found), name, _read(object, found), predicate.place)


def _read(given: Given, found: list[Finding]) -> Term:
    if not given.is_variable:
        found.extend(_text(given, "term"))
        return term_text(given.text)
    name = term_text(given.text[1:])
    if not _NAME.fullmatch(name):
        message = f"{quoted(given.text)} is neither a variable nor marked as a text"
        fix = 'write `?name` with letters, digits and `_`; a text that begins with `?` as `{"literal": "?…"}` or in `"`'
        found.append(_bad("bad_variable", message, given.place, fix))
    return Variable(name)


def _text(given: Given, what: str) -> Iterable[Finding]:
    if not given.text.strip():
        yield _bad("empty_term", f"the {what} is empty", given.place, "give a text or a variable")
    yield from errors_in(text_findings(given.text, given.place, limit=LONGEST_TERM))


def _confused(
    atoms: Sequence[tuple[Given, Given, Given]], bound: tuple[Variable, ...]
) -> Iterable[Finding]:
    """A bare text that is the name of a variable of the same query: one of the two is a slip."""
    names = {variable.name for variable in bound}
    for subject, _, object in atoms:
        for given in (subject, object):
            if given.form == "plain" and term_text(given.text) in names:
                message = f"{quoted(given.text)} is a text here, and {quoted('?' + given.text)} a variable elsewhere"
                fix = (
                    f"write `?{given.text}` for the variable; "
                    f'`{{"literal": "{given.text}"}}` or quotation marks for the text'
                )
                yield _bad("literal_or_variable", message, given.place, fix)


def _chosen(
    given: Sequence[Given], bound: tuple[Variable, ...], found: list[Finding]
) -> tuple[Variable, ...]:
    names = [str(variable) for variable in bound]
    chosen: list[Variable] = []
    for one in given:
        variable = Variable(term_text(one.text.removeprefix("?")))
        near = difflib.get_close_matches(str(variable), names, n=2)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        known = f"{hint}bound are: {', '.join(names) or 'none'}"
        if not one.is_variable:
            found.append(
                _bad("not_a_variable", f"{quoted(one.text)} is no variable", one.place, known)
            )
        elif variable not in bound:
            message = f"{quoted(one.text)} is selected, and no pattern binds it"
            found.append(_bad("unbound_select", message, one.place, known))
        elif variable in chosen:
            message = f"{quoted(one.text)} is selected twice"
            found.append(_bad("selected_twice", message, one.place, "name it once"))
        chosen.append(variable)
    return tuple(chosen)


def too_many(count: int, place: str) -> Finding:
    """The finding for a seventh pattern."""
    message = f"the query has {count} patterns, over {MOST_ATOMS}"
    return _bad("too_many_patterns", message, place, "ask in parts")


def unknown_predicates(query: Query, occurs: Callable[[str], bool]) -> tuple[Finding, ...]:
    """Predicates that are neither declared nor carried by a fact, with the nearest declared ones.

    Args:
        query: What is asked.
        occurs: Whether an undeclared predicate is carried by a fact that may serve.

    >>> query, _ = read_query({"where": [["?who", "maintain", "shop"]]})
    >>> unknown_predicates(query, lambda name: False)[0].fix
    'did you mean maintains or maintained_by? `muniment ontology relation` lists the declared ones'
    """
    names = [name for known in RELATIONS for name in (known.name, *known.aliases)]
    found = []
    for atom in query.where:
        if atom.predicate not in names and not occurs(atom.predicate):
            near = difflib.get_close_matches(atom.predicate, names, n=2, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            message = f"the predicate {quoted(atom.predicate)} is not declared, and no fact here carries it"
            fix = f"{hint}`muniment ontology relation` lists the declared ones"
            found.append(_bad("unknown_predicate", message, atom.place, fix))
    return tuple(found)


def _bad(code: str, message: str, place: str, fix: str) -> Finding:
    return Finding(code, message, place, fix, req="D-CONJ")
