"""Answer a conjunctive query from the claims that may serve: rows with their proofs, or why there is none (`D-CONJ`).

- Scopes, visibility, uses, both times and history mean what they mean in a recall, and are settled first.
- Claims that may not serve change nothing: no row, proof, count, bound or order (`B-FILTERFIRST`).
- A contradiction that an answer would rest on stops the inference and shows its sides (`D-BOUNDS`).
- Everything is read in one snapshot (`D-SNAPSHOT`).

>>> query_findings(Question("?a uses ?b", states=513))[0].message
'`513` is outside 1 to 512'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from muniment.core.access import Scope
from muniment.core.answered import Answered, AnswerRow, Support
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.decide import Ask, labels_of
from muniment.core.encode import encode, time_text
from muniment.core.errors import Finding, InvalidInput, NotPermitted, quoted
from muniment.core.evidence import citations_of
from muniment.core.join import MOST_EXAMINATIONS, MOST_PROOFS, MOST_STATES, Bounds, Joined, join
from muniment.core.packing import COMBINATIONS, MOST_COMBINATIONS
from muniment.core.query import Query, facts_in, read_query, term_text, unknown_predicates
from muniment.core.query_text import parse_query
from muniment.core.record import claim_from
from muniment.core.request import Request, request_findings, scope_findings
from muniment.core.row import FOREVER, Row
from muniment.core.status import freshness_at, status_at
from muniment.core.vocabulary import risk_of
from muniment.usecases.contradictions import Contradictions
from muniment.usecases.packing import packed, planned
from muniment.usecases.revisions import revisions
from muniment.usecases.serving import ServingFacts, State
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, last_erasure

LIMITS = (("examinations", MOST_EXAMINATIONS), ("states", MOST_STATES), ("proofs", MOST_PROOFS))


@dataclass(frozen=True, slots=True)
class Question:
    """One conjunctive question to memory.

    Attributes:
        query: The query, its JSON form, or its text form.
        use: What the answer is wanted for; empty for looking only, which serves no action.
        scopes: Of the scopes in force, those asked for; empty for all of them.
        at: The instant in valid time; None for now.
        as_of: A packet's revision or an instant in system time; None for the latest.
        history: Whether expired, superseded and deprecated claims are wanted.
        explain: Whether the claims of the proofs are wanted too, with their sources.
        examinations: Candidates looked at, at most.
        states: Ways to bind the variables that stand at once, at most.
        proofs: Proofs listed for a row, at most; the rest are counted.
        budget: Tokens of a packet of the rows, at most; 0 for no packet.
        counter: Name of the token counter; empty for the default.
        combinations: Choices of proofs that are tried for the packet, at most.
        as_many: Whether as many rows as fit are wanted where not all do.
    """

    query: Query | Mapping[str, Any] | str
    use: str = ""
    scopes: tuple[Scope, ...] = ()
    at: datetime | None = None
    as_of: int | datetime | None = None
    history: bool = False
    explain: bool = False
    examinations: int = MOST_EXAMINATIONS
    states: int = MOST_STATES
    proofs: int = MOST_PROOFS
    budget: int = 0
    counter: str = ""
    combinations: int = COMBINATIONS
    as_many: bool = False


def query_findings(question: Question) -> tuple[Finding, ...]:
    """Everything that is wrong with a question but for its query."""
    found = list(
        request_findings(
            Request("?", question.use, scopes=question.scopes, at=question.at, as_of=question.as_of)
        )
    )
    ranges = [(name, 1, most) for name, most in LIMITS]
    for name, least, most in (
        *ranges,
        ("budget", 0, 1_000_000),
        ("combinations", 1, MOST_COMBINATIONS),
    ):
        given = getattr(question, name)
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            message = f"{quoted(given)} is outside {least} to {most}"
            fix = f"give a whole number from {least} to {most}"
            found.append(Finding("out_of_range", message, f"/{name}", fix, req="D-BOUNDS"))
    return tuple(found)


def read(question: Question) -> Query:
    """The query of a question.

    Raises:
        InvalidInput: Something is wrong with the query or the question; all of it is said.
    """
    given, wrong = question.query, query_findings(question)
    if isinstance(given, Query):
        query, findings = given, tuple[Finding, ...]()
    else:
        found, findings = parse_query(given) if isinstance(given, str) else read_query(given)
        query = found or Query((), ())
    if wrong or query.where == ():
        raise InvalidInput.of((*findings, *wrong))
    return query


def query(session: Session, question: Question) -> Answered:
    """Answer a conjunctive query.

    Args:
        session: Who asks, and where.
        question: What is asked.

    Raises:
        InvalidInput: Something is wrong with the query or the question, or a predicate is unknown.
        NotPermitted: It asks for a scope that is not in force.
    """
    asked = read(question)
    widening = scope_findings(question.scopes, session.scopes)
    if widening:
        raise NotPermitted(str(widening[0]), widening)
    scopes = tuple(sorted(question.scopes or session.scopes))
    at = question.at or session.now()
    echo = echo_of(session, question, scopes, at)
    if not scopes:
        return Answered("no_scope", asked, request=echo)
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        packing = replace(question, explain=question.explain or question.budget > 0)
        found = replace(answer(viewing, asked, packing, scopes, at), request=echo)
    return found if not question.budget else in_budget(session, question, found)


def in_budget(session: Session, question: Question, found: Answered) -> Answered:
    """The answer with a packet of its rows."""
    counter = session.counter(question.counter)
    whole = packed(found, question.budget, counter, question.combinations)
    if whole.stage != "packing" or not question.as_many:
        return whole
    return planned(found, question.budget, counter)


def ask(
    session: Session, given: Mapping[str, Any] | str, use: str, options: Mapping[str, Any]
) -> Answered:
    """Answer a query in either form; the options are further fields of the question."""
    return query(session, Question(given, use, **options))


def answer(
    viewing: Viewing, asked: Query, question: Question, scopes: tuple[Scope, ...], at: datetime
) -> Answered:
    """Answer a query that was read, from what one principal sees of one snapshot.

    Raises:
        InvalidInput: A predicate is neither declared nor carried by a fact that may serve.
    """
    state = revisions(viewing, question.as_of)
    if question.as_of is not None:
        viewing.upto = state.stored
    revision = FOREVER if question.as_of is None else state.stored
    ask = Ask(question.use, micros(at), question.history)
    facts = ServingFacts(viewing, State(viewing.classes_of(scopes), ask, revision))
    unknown = unknown_predicates(asked, facts.occurs)
    if unknown:
        raise InvalidInput.of(unknown)
    joined = join(asked, facts, Bounds(question.examinations, question.states, question.proofs))
    plain = Answered("no_matches", asked, revision=state.shown)
    if joined.exceeded:
        return replace(plain, outcome="budget_exceeded", stage="join", bound=joined.exceeded)
    work = {
        "examinations": joined.examinations,
        "states": joined.states,
        "order": list(joined.order),
    }
    found = replace(plain, work=work)
    if not joined.answers:
        return found
    contradictions = Contradictions(facts, joined, at)
    telling = Telling(facts, contradictions.names)
    if contradictions.groups:
        told, claims = contradictions.told()
        supports = telling.supports(claims.values(), contradictions.row)
        return replace(found, outcome="conflict", conflicts=told, supports=supports)
    return _with_rows(replace(found, outcome="rows"), joined, telling, question.explain)


def _with_rows(found: Answered, joined: Joined, telling: Telling, explain: bool) -> Answered:
    texts = telling.texts(joined, found.query)
    rows = sorted(
        (
            AnswerRow(
                tuple(texts[value] for value in one.values),
                tuple(telling.named(proof) for proof in one.proofs),
                one.count,
            )
            for one in joined.answers
        ),
        key=lambda row: row.values,
    )
    supports: Mapping[str, Support] = {}
    if explain:
        events = {event for one in joined.answers for proof in one.proofs for event in proof}
        supports = telling.explained(events)
    return replace(found, rows=tuple(rows), supports=supports)


class Telling:
    """From numbers and events to texts and claims, for what is shown."""

    def __init__(self, facts: ServingFacts, names: Mapping[int, str]) -> None:
        self.facts, self.viewing, self._names = facts, facts.viewing, names

    def named(self, events: Iterable[int]) -> tuple[str, ...]:
        """The claims that some events recorded, sorted by id."""
        return tuple(sorted(self._names[event] for event in events))

    def texts(self, joined: Joined, asked: Query) -> dict[int, str]:
        """The texts of the answers' values: each is read from one claim whose fact has it."""
        literals = (term for atom in asked.where for term in atom.terms if isinstance(term, str))
        found = {self.facts.key(term_text(text)): term_text(text) for text in literals}
        known = texts_kept(self.viewing)
        missing = set[int]()
        for value in {value for one in joined.answers for value in one.values} - set(found):
            text = known.get(value)
            if text is None:
                missing.add(value)
            else:
                found[value] = text
        fresh = self._read(joined, missing)
        known.update(fresh)
        return found | fresh

    def _read(self, joined: Joined, missing: set[int]) -> dict[int, str]:
        """The texts of some values."""
        said: dict[int, set[int]] = {}
        left = set(missing)
        for (_, subject, object), events in joined.touched.items() if missing else ():
            for value in left.intersection((subject, object)):
                said.setdefault(events[0], set()).add(value)
                left.discard(value)
        contents = self.viewing.snapshot.contents(said)
        found: dict[int, str] = {}
        for event, values in said.items():
            found |= self._spelled(contents[event], values)
        return found

    def _spelled(self, content: Mapping[str, Any], values: set[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        for fact in content["facts"]:
            for text in (fact.get("subject", ""), fact.get("object", "")):
                number = self.facts.key(term_text(text))
                if number in values:
                    found[number] = term_text(text)
            if len(found) == len(values):
                break
        return found

    def explained(self, events: Iterable[int]) -> dict[str, Support]:
        """The claims that some events recorded, as the asker sees them."""
        wanted = list(events)
        stored = self.viewing.seen(self.viewing.snapshot.rows_at(wanted).values())
        rows = {row.claim_id: row for row in stored}
        contents = self.viewing.snapshot.contents(wanted)
        return self.supports(map(claim_from, contents.values()), rows.get)

    def supports(
        self, claims: Iterable[Claim], row_of: Callable[[str], Row | None]
    ) -> dict[str, Support]:
        """Claims as the asker sees them, by id."""
        found = {}
        for claim in claims:
            row = row_of(claim.id)
            if row is not None:
                (seen,) = self.viewing.seen((row,))
                found[claim.id] = self._support(claim, seen)
        return found

    def _support(self, claim: Claim, row: Row) -> Support:
        ask, sees = self.facts.state.ask, self.viewing.sees
        risk = risk_of(ask.use) if ask.use else "low"
        said = dict.fromkeys(
            one
            for fact in claim.facts
            for one in facts_in(fact.subject, fact.predicate, fact.object)
        )
        return Support(
            claim,
            tuple(said),
            status_at(row, ask.at, sees),
            labels_of(row, ask, sees),
            freshness_at(row, ask.at, risk),
            citations_of(claim),
        )


TEXTS_KEPT = 200_000
"""Texts of terms that are remembered; more start over."""


def texts_kept(viewing: Viewing) -> dict[int, str]:
    """Numbers of terms that were read before, and their texts, which are theirs alone; an erasure forgets all.

    Only who holds a fact with a number asks for its text.
    """
    kept, erasures = viewing.snapshot.kept, last_erasure(viewing.snapshot)
    found: tuple[int, dict[int, str]] = kept.get("terms", (-1, {}))
    if found[0] != erasures or len(found[1]) > TEXTS_KEPT:
        found = kept["terms"] = (erasures, {})
    return found[1]


def echo_of(
    session: Session, question: Question, scopes: tuple[Scope, ...], at: datetime
) -> dict[str, Any]:
    """What was asked, as it was understood, so that nothing is implied unseen (`E-NOSCOPE`)."""
    as_of = question.as_of
    return {
        "principal": session.principal,
        "scopes": [encode(scope) for scope in scopes],
        "use": question.use or None,
        "risk": risk_of(question.use) if question.use else None,
        "at": time_text(at),
        "as_of": time_text(as_of) if isinstance(as_of, datetime) else as_of,
        "history": question.history,
        "bounds": {name: getattr(question, name) for name, _ in LIMITS},
        "declared": session.declared or None,
    }
