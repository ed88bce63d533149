"""Certify an answer, and ask again: what changed, in which record, by which rule (`D-CERT`, `D-DIGEST`, `D-TOPK`).

- Answer and certificate are made of one snapshot; revalidating runs the whole plan on another, with the clock of now
  unless the question named its instant.
- The heads cover every event of a claim in the classes that were looked at, and the contradictions that are seen: a
  new answer shows, though the old one's support still stands.
- A certificate holds the vector of a recall's question and the numbers of its space, so it is asked again exactly,
  where nothing embeds too. Vectors of claims that were added since are named (`embeddings`): no event of the ledger
  tells of them.
- Nothing of a certificate is believed: altered, foreign and forged ones are told apart before anything is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from muniment.core.access import Scope
from muniment.core.answered import Answered
from muniment.core.canonical import canonical, digest
from muniment.core.certificate import (
    FORMAT,
    Selected,
    Verdict,
    certificate_findings,
    compare_evidence,
    evidence_of,
    sealed,
    selected,
)
from muniment.core.codec import micros, read_time
from muniment.core.decide import Ask, decide, superseded_for
from muniment.core.embedding import Space
from muniment.core.encode import time_text
from muniment.core.errors import Finding, InvalidInput, NotPermitted
from muniment.core.ontology import flow_hash
from muniment.core.packet import Packet
from muniment.core.ranking import LEXICAL
from muniment.core.request import Request, request_findings, scope_findings
from muniment.core.similarity import Calibration
from muniment.usecases.answer import Asked
from muniment.usecases.embedding import Meaning
from muniment.usecases.query import LIMITS, Question, answer, echo_of, in_budget, read
from muniment.usecases.recall import meaning_for, packet_of
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Certified:
    """An answer with its certificate."""

    answered: Answered | Packet
    certificate: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of a plan: what was asked, when, and all that a certificate says of the outcome."""

    kind: str
    request: Mapping[str, Any]
    at: datetime
    scopes: tuple[Scope, ...]
    answered: Answered | Packet
    said: Mapping[str, Any]
    evidence: Mapping[str, Selected]


def certify(session: Session, asked: Question | Request) -> Certified:
    """Answer a query or a recall, and certify the answer.

    Raises:
        InvalidInput: Something is wrong with what is asked, or a certificate cannot be given of it.
        NotPermitted: It asks for a scope that is not in force, or none is.
    """
    scopes = _scopes(session, asked.scopes)
    meaning = _certified_meaning(session, asked)
    with session.store.snapshot(session.tenant) as snapshot:
        run = _run(session, session.viewing(snapshot), asked, scopes, meaning)
        content = _content(session.viewing(snapshot), session, run)
        seal = snapshot.key("certificate", canonical(content).decode())
    answered = run.answered
    if isinstance(asked, Question) and isinstance(answered, Answered):
        answered = replace(answered, request=echo_of(session, asked, scopes, run.at))
        answered = in_budget(session, asked, answered) if asked.budget else answered
    return Certified(answered, sealed({**content, "seal": seal}))


def _scopes(session: Session, asked: tuple[Scope, ...]) -> tuple[Scope, ...]:
    widening = scope_findings(asked, session.scopes)
    if widening:
        raise NotPermitted(str(widening[0]), widening)
    scopes = tuple(sorted(asked or session.scopes))
    if not scopes:
        fix = "name a scope with `--scope kind:id`"
        raise NotPermitted("no scope is in force, so there is nothing to certify", fix=fix)
    return scopes


# --- running a plan -------------------------------------------------------------------------------


def _certified_meaning(session: Session, asked: Question | Request) -> Meaning | None:
    """The vector of a recall's question, before anything is read.

    Raises:
        InvalidInput: Something is wrong with the request, or a certificate cannot be given of it.
    """
    if isinstance(asked, Question):
        return None
    findings = (*request_findings(asked), *_uncertifiable(asked))
    if findings:
        raise InvalidInput.of(findings)
    return None if asked.grounded else meaning_for(session, asked)[0]


def _run(
    session: Session,
    viewing: Viewing,
    asked: Question | Request,
    scopes: tuple[Scope, ...],
    meaning: Meaning | None,
) -> _Run:
    at = asked.at or session.now()
    if isinstance(asked, Question):
        found = answer(viewing, read(asked), replace(asked, explain=True), scopes, at)
        said = {
            "rows": [[list(r.values), [list(p) for p in r.proofs], r.count] for r in found.rows],
            "conflicts": [list(one.ids) for one in found.conflicts],
            "bound": found.bound,
        }
        claims = {name: selected(one.claim) for name, one in found.supports.items()}
        return _Run(
            "query",
            _of_question(asked),
            at,
            scopes,
            found,
            {**said, "outcome": found.outcome},
            claims,
        )
    packet, _ = packet_of(
        Asked(session, asked, session.counter(asked.counter), scopes, at, ""), viewing, meaning
    )
    said = {
        "selected": [item.claim.id for item in packet.items],
        "conflicts": [list(one.ids) for one in packet.conflicts],
        "rewrites": [
            [s.phrase, s.target, list(s.claims)] for v in packet.variants for s in v.steps
        ],
        "outcome": packet.outcome,
        "top": [[item.claim.id, item.relevance.value] for item in packet.items],
    }
    if meaning is not None:
        counts = next(step.counts for step in packet.trace if step.name == "embeddings")
        said["compared"] = [count for _, count in counts]
    claims = {item.claim.id: selected(item.claim) for item in packet.items}
    return _Run("recall", _of_request(asked, meaning), at, scopes, packet, said, claims)


def _uncertifiable(request: Request) -> tuple[Finding, ...]:
    """What reads sources or proposals cannot be asked again of the ledger alone."""
    wrong = [
        name for name in ("reread", "own_proposals", "include_passages") if getattr(request, name)
    ]
    return tuple(
        Finding(
            "not_certifiable",
            f"an answer with `{name}` rests on more than reviewed claims",
            f"/{name}",
            f"leave out `{name}`, or the certificate",
            req="D-CERT",
        )
        for name in wrong
    )


def _content(viewing: Viewing, session: Session, run: _Run) -> dict[str, Any]:
    """All of a certificate but its seal and digest."""
    said = dict(run.said)
    evidence = sorted(run.evidence.values(), key=lambda one: one.id)
    return {
        "format": FORMAT,
        "kind": run.kind,
        "store": viewing.snapshot.key("certificate-store"),
        "principal": session.principal,
        "scopes": [str(scope) for scope in run.scopes],
        "at": time_text(run.at),
        "revision": run.answered.revision,
        "request": dict(run.request),
        "rules": {"ontology": flow_hash(), "ranking": _ranking(run.answered)},
        "view": digest(sorted(viewing.classes_of(run.scopes))),
        "heads": _heads(viewing, run.scopes),
        "outcome": said.pop("outcome"),
        "answer": said,
        "evidence": [{"id": e.id, "version": e.version, "digest": e.digest} for e in evidence],
    }


def _ranking(answered: Answered | Packet) -> str:
    """The digest of the ranking policy; of a query, which ranks nothing, that of words."""
    named = dict(answered.policy) if isinstance(answered, Packet) else {}
    return named.get("digest") or LEXICAL.digest


def _heads(viewing: Viewing, scopes: tuple[Scope, ...]) -> str:
    """One digest over the heads of the visible classes in scope, and the contradictions and erasures that are seen."""
    heads = [[name, viewing.classes[name].head] for name in sorted(viewing.classes_of(scopes))]
    conflicts = [[*c["between"], str(c.get("resolved", ""))] for c in viewing.conflicts()]
    return digest([heads, conflicts, sorted(viewing.erased())])


# --- questions as JSON, and back ------------------------------------------------------------------


def _of_question(question: Question) -> dict[str, Any]:
    bounds = {name: getattr(question, name) for name, _ in LIMITS}
    return {
        "query": read(question).as_json(),
        "use": question.use,
        "at": time_text(question.at) if question.at else None,
        "as_of": _as_of(question.as_of),
        "history": question.history,
        **bounds,
    }


def _of_request(request: Request, meaning: Meaning | None) -> dict[str, Any]:
    plain = {
        field.name: getattr(request, field.name)
        for field in fields(Request)
        if field.name not in ("scopes", "at", "as_of", "log")
    }
    listed = {name: list(v) if isinstance(v, tuple) else v for name, v in plain.items()}
    at = time_text(request.at) if request.at else None
    embedded = {"embedded": _of_meaning(meaning)} if meaning else {}
    return {**listed, "at": at, "as_of": _as_of(request.as_of), **embedded}


def _of_meaning(meaning: Meaning) -> dict[str, Any]:
    space, scale = meaning.space, meaning.calibration
    return {
        "space": [space.model, space.version, space.dimension],
        "vector": meaning.vector.hex(),
        "average": scale.average,
        "noise": scale.noise,
    }


def _meaning_in(given: Mapping[str, Any] | None) -> Meaning | None:
    """A question's vector and its space, from a certificate that this store sealed."""
    if given is None:
        return None
    space = Space(*given["space"])
    scale = Calibration(space, given["average"], given["noise"], "as certified")
    return Meaning(space, bytes.fromhex(given["vector"]), scale)


def _as_of(given: int | datetime | None) -> int | str | None:
    return time_text(given) if isinstance(given, datetime) else given


def _asked(certificate: Mapping[str, Any]) -> tuple[Question | Request, Meaning | None]:
    """What was asked, from a certificate that this store sealed."""
    given = dict(certificate["request"])
    meaning = _meaning_in(given.pop("embedded", None))
    given["scopes"] = tuple(Scope.parse(scope) for scope in certificate["scopes"])
    for name in ("at", "as_of"):
        if isinstance(given[name], str):
            given[name] = read_time(given[name], f"/{name}", [])
    if certificate["kind"] == "query":
        return Question(**given, explain=True), None
    listed: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in given.items()
    }
    return Request(**{**listed, "log": "off"}), meaning


# --- asking again ---------------------------------------------------------------------------------


def revalidate(session: Session, certificate: Any) -> Verdict:
    """Ask what a certificate answers again, and say whether anything changed.

    Args:
        session: Who revalidates; a certificate is its principal's alone.
        certificate: As `certify` made it, read from JSON.

    Raises:
        InvalidInput: It is no certificate, or was altered.
    """
    findings = certificate_findings(certificate)
    if findings:
        raise InvalidInput.of(findings)
    if certificate["principal"] != session.principal:
        return Verdict("not_permitted", ("another_principal",))
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        if certificate["store"] != snapshot.key("certificate-store"):
            return Verdict("unknown", ("another_store",))
        content = {k: v for k, v in certificate.items() if k not in ("seal", "digest")}
        then = evidence_of(certificate)
        if (
            certificate["seal"] != snapshot.key("certificate", canonical(content).decode())
            or then is None
        ):
            return Verdict("unknown", ("not_issued_here",))
        asked, meaning = _asked(certificate)
        if scope_findings(asked.scopes, session.scopes):
            return Verdict("not_permitted", ("scope_not_in_force",))
        run = _run(session, viewing, asked, asked.scopes, meaning)
        fresh = session.viewing(snapshot)
        return _verdict(fresh, certificate, then, run, _content(fresh, session, run))


def _verdict(
    viewing: Viewing,
    certificate: Mapping[str, Any],
    then: Mapping[str, Selected],
    run: _Run,
    now: Mapping[str, Any],
) -> Verdict:
    records = tuple(
        (name, _why_gone(viewing, name, run) if how == "gone" else how)
        for name, how in compare_evidence(then, run.evidence)
    )
    was, answers = dict(certificate["answer"]), dict(now["answer"])
    ranked = was.pop("top", None) != answers.pop("top", None)
    embedded = was.pop("compared", None) != answers.pop("compared", None)
    rules = (
        ("outcome", certificate["outcome"] != now["outcome"]),
        ("evidence", bool(records)),
        ("answer", was != answers),
        ("relevance", ranked and was == answers),
        ("embeddings", embedded),
        ("rules", certificate["rules"] != now["rules"]),
        ("view", certificate["view"] != now["view"]),
        ("unrelated_write", certificate["heads"] != now["heads"]),
    )
    reasons = [name for name, applies in rules if applies]
    equal = not {"outcome", "evidence", "answer"}.intersection(reasons)
    if not equal and "unrelated_write" in reasons:
        reasons.remove("unrelated_write")
    asked_at = time_text(run.at)
    if not reasons:
        return Verdict("valid", (), (), True, asked_at)
    return Verdict("changed", tuple(reasons), records, equal, asked_at)


def _why_gone(viewing: Viewing, claim_id: str, run: _Run) -> str:
    """By which rule a certified claim is no longer selected; absent and not visible have one answer."""
    row = viewing.row(claim_id)
    if row is None:
        return "erased" if claim_id in viewing.erased() else "not_found"
    (seen,) = viewing.seen((row,))
    successor = viewing.successor_of(claim_id)
    ask = Ask(str(run.request["use"]), micros(run.at), bool(run.request["history"]))
    reasons = decide(seen, ask).reasons
    if successor and superseded_for(replace(seen, superseded_by=successor), viewing.sees):
        reasons = (*reasons, f"superseded by {successor}")
    return ", ".join(reasons) or "no_longer_selected"
