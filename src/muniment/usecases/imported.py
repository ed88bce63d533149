"""A claim from a candidate of another memory: every boundary set here, nothing raised, nothing invented.

- Scope, visibility and uses are the importer's; what the source says of them is kept and decides nothing.
- A date becomes an instant only where the source fixes one; when the import ran is no date of the claim.
- A foreign confidence, review or importance stays foreign, under `extensions.import` (`E-MISSING`).
- Dates in the future or out of order, an end that cannot be read, text that addresses an agent, and what a reader
  doubts make the claim `needs_review`: visible once accepted, and blocked for action until it is checked.
- What is over at its source is history: it allows no use.
- A team's file is cited where it stands, and can be read again. An export is cited by its digest: it is a copy of a
  moment, and that somebody moved or deleted it says nothing about what it holds.

>>> plain({"n": 2**60, "v": [0.5] * 100, "a": None})
{'n': '1152921504606846976', 'v': 'a list of 100 numbers', 'a': None}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.canonical import digest
from muniment.core.claim import Claim, Freshness, Provenance, Relationship, Review, Validity
from muniment.core.codec import read_over
from muniment.core.draft_rules import mapping
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.core.instruction import looks_like_instruction
from muniment.core.source import Evidence, Source
from muniment.core.vocabulary import risk_of
from muniment.ports.importing import Candidate, ForeignFile

PRINCIPAL = "process:import"
PARTS = (
    "summary", "namespace", "ontology", "properties", "concept_type", "facts", "event", "importance",
    "conflict_notes",
    "prohibited_uses", "created_at", "validity", "extensions",
)  # fmt: skip
"""What a format may state besides: descriptions and limits; never scope, visibility, allowed uses or review."""
_LARGEST_INTEGER = 2**53 - 1
_LONGEST_TEXT = 20_000
_MOST_NUMBERS = 64
_DEEPEST = 12
_ALLOWANCE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Importer:
    """What an import gives to every claim.

    Attributes:
        scope: Where they hold.
        visibility: Who may see them.
        uses: Low-risk uses that they may serve once they are accepted.
        now: The present.
    """

    scope: Scope
    visibility: Visibility
    uses: tuple[str, ...]
    now: datetime


def slot_of(candidate: Candidate, format_name: str) -> str:
    """The stable address of a foreign statement: format, whose it was, identifier there, content (`E-IDEMPOTENT`)."""
    dates = [
        [one.name, one.given]
        for one in candidate.dates
        if one.name in ("created", "observed", "valid_from", "valid_until")
    ]
    content = [candidate.claim, candidate.body, encode(candidate.facts), list(candidate.steps)]
    content += [candidate.parts] if candidate.parts else []
    whole = digest(
        [format_name, candidate.account, candidate.foreign_id, plain(content), plain(dates)]
    )
    return f"import:{format_name}#{whole.partition(':')[2][:32]}"


def claim_of(candidate: Candidate, file: ForeignFile, importer: Importer, new_id: str) -> Claim:
    """The claim to propose."""
    found = {one.name: one.instant for one in candidate.dates}
    doubts = tuple(doubts_about(candidate, importer.now))
    untrusted = {one.path for one in doubts}
    observed = found.get("observed") or found.get("created")
    start, end = found.get("valid_from"), found.get("valid_until")
    orderly = "/validity" not in untrusted
    expires = found.get("expires")
    over = any(one is not None and one <= importer.now for one in (end, expires))
    cited = tuple(Relationship("cites", one) for one in candidate.cites)
    made = Claim(
        id=new_id,
        claim=candidate.claim,
        scope=importer.scope,
        source=_source(candidate, file, None if "/source/observed_at" in untrusted else observed),
        visibility=importer.visibility,
        type=candidate.type,
        memory_type=candidate.memory_type,
        content_kind=candidate.content_kind,
        body=candidate.body,
        title=candidate.title,
        facts=candidate.facts,
        entities=candidate.entities,
        steps=candidate.steps,
        validity=Validity(start if orderly else None, end if orderly else None),
        freshness=Freshness("expired" if over else "unknown", None, expires),
        review=Review("needs_review" if doubts else "proposed"),
        allowed_uses=() if over else importer.uses,
        relationships=candidate.relationships + cited,
        provenance=Provenance(
            "import", PRINCIPAL, importer.now, (), _review_of(candidate), candidate.foreign_id
        ),
        slot=slot_of(candidate, file.format),
        tags=candidate.tags,
        aliases=(candidate.foreign_id,) if candidate.foreign_id and candidate.is_record else (),
        extensions={"import": _kept(candidate, file, doubts)},
    )
    return with_parts(made, candidate.parts) if candidate.parts else made


def with_parts(claim: Claim, parts: Mapping[str, Any]) -> Claim:
    """The claim with what its format states besides; one part that cannot be read leaves all of them out.

    Args:
        claim: As every import makes it.
        parts: Of `PARTS`, in wire form; validity and extensions are added to, the others replace.
    """
    stated: dict[str, Any] = {"extensions": claim.extensions}
    for key in PARTS:
        if key in parts:
            both = {**mapping(encode(getattr(claim, key))), **mapping(parts[key])}
            stated[key] = both if key in ("validity", "extensions") else parts[key]
    named = [*claim.aliases, *(parts.get("aliases") or ())]
    stated["aliases"] = list(dict.fromkeys(named))
    return read_over(claim, stated, "", []) or claim


def low_risk(uses: tuple[str, ...]) -> tuple[str, ...]:
    """The uses that an import may allow: nobody has verified what it brings."""
    return tuple(sorted(use for use in uses if risk_of(use) == "low"))


def _source(candidate: Candidate, file: ForeignFile, observed: datetime | None) -> Source:
    place = candidate.place
    evidence = Evidence(file.digest, place.start, place.end, place.quote, place.pointer, place.line)
    uri = file.uri if file.shared else f"import:{file.format}:{file.digest}"
    return Source(
        candidate.source_kind,
        candidate.origin,
        uri,
        observed,
        (evidence,),
        candidate.derivation,
    )


def _review_of(candidate: Candidate) -> str:
    """What the source says of somebody's review; evidence here, never acceptance."""
    told = (candidate.foreign.get(key) for key in ("review", "status", "verified"))
    said = [_words(one) for one in told if one]
    return "; ".join(said)[:300]


def _words(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def _kept(candidate: Candidate, file: ForeignFile, doubts: tuple[Finding, ...]) -> dict[str, Any]:
    """What the source says and what means nothing here, so that it can be given back."""
    parts = {
        "format": file.format,
        "file": file.uri,
        "foreign_id": candidate.foreign_id,
        "account": candidate.account,
        "dates": {one.name: one.given for one in candidate.dates},
        "foreign": candidate.foreign,
        "record": candidate.record,
        "cites": list(candidate.cites),
        "doubts": [one.code for one in doubts],
    }
    return {key: plain(value) for key, value in parts.items() if value not in ("", {}, [])}


def doubts_about(candidate: Candidate, now: datetime) -> Iterator[Finding]:
    """What makes a claim need a closer look."""
    yield from (one for one in candidate.doubts if one.severity != "notice")
    texts = (candidate.claim, candidate.body, candidate.title, *candidate.steps)
    if any(looks_like_instruction(text) for text in texts if text):
        message = "the text addresses an agent like an instruction"
        yield Finding(
            "instruction_like", message, "/claim", "review with care", "warning", "D-QUOTED"
        )
    found = {one.name: one.instant for one in candidate.dates}
    for name in ("created", "updated", "observed"):
        instant = found.get(name)
        if instant and instant > now + _ALLOWANCE:
            path = "/source/observed_at" if name != "updated" else "/source"
            yield _doubt("future_date", f"it was {name} in the future", path)
    yield from _disorder(candidate, found)


def _disorder(candidate: Candidate, found: Mapping[str, datetime | None]) -> Iterator[Finding]:
    created, updated = found.get("created"), found.get("updated")
    if created and updated and updated < created:
        yield _doubt("dates_disagree", "it was updated before it was created", "/source")
    start, end = found.get("valid_from"), found.get("valid_until")
    if start and end and end <= start:
        yield _doubt("dates_disagree", "it ends before it begins", "/validity")
    for one in candidate.dates:
        if one.name in ("valid_until", "expires") and one.instant is None:
            yield _doubt(
                "end_unreadable", "its end cannot be read as an instant", "/freshness/expires_at"
            )


def _doubt(code: str, message: str, path: str) -> Finding:
    return Finding(code, message, path, "find out what holds", "warning", "E-MISSING")


def plain(value: Any, depth: int = 0) -> Any:
    """A foreign value as it can be kept: bounded in depth and length, no vectors, no integer beyond 2**53."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_INTEGER else str(value)
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "…"
    if isinstance(value, Mapping):
        if depth >= _DEEPEST:
            return "an object, left out"
        return {str(key): plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > _MOST_NUMBERS and all(isinstance(v, int | float) for v in value[:100]):
            return f"a list of {len(value)} numbers"
        return ["a list, left out"] if depth >= _DEEPEST else [plain(v, depth + 1) for v in value]
    return value
