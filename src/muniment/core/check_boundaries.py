"""Rules about a claim's boundaries: statement, text, source, visibility, breadth, expiry, conflicts, uses.

- Every rule has one signature: a claim and what may be looked at besides; it yields findings.
- Paths point into the claim; whoever holds it puts its own place in front (`Finding.under`).

Which rules are in force, and in which order, is `core.check`'s.

>>> claim = Claim("mem_x", " ", Scope("repository", "local:shop"), Source("file"), Visibility("public"))
>>> [finding.path for finding in has_statement(claim, Known(now=0))]
['/claim']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from muniment.core.access import Audience, Scope, Visibility, within
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.fold import expiry_of
from muniment.core.instruction import looks_like_instruction
from muniment.core.row import Row
from muniment.core.secret_scan import may_hold_secret, scan, secret_findings
from muniment.core.source import Source
from muniment.core.status import window
from muniment.core.text import LONGEST_TEXT, identifier_findings, is_unmarked, text_findings
from muniment.core.vocabulary import BROAD_SCOPES, risk_of

_ = (Scope, Visibility, Source)  # named by the doctest
LONGEST_CLAIM = 4_000
LONGEST_BODY = 1_000_000
NARROW_KINDS = (
    "file",
    "conversation",
    "permalink",
    "user_statement",
    "user_correction",
    "tool_output",
)
_BROAD_WORDS = frozenset("everyone everybody always never everywhere all every".split())


Texts = tuple[tuple[str, str], ...]
"""Texts with their paths."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a rule may look at besides the claim.

    Attributes:
        now: Instant, microseconds.
        sources: Rows of the claims that it is derived from, as far as the proposer may see them.
        audiences: Their audiences.
        is_import: Whether it comes from another memory; some things may then be missing, and wait for review.
        texts: The claim's own texts (`texts_of`), where they were gathered already.
        are_fine: Whether nothing is wrong with its texts and none holds a secret (`are_fine`), but for their lengths.
    """

    now: int
    sources: Mapping[str, Row] = field(default_factory=dict)
    audiences: Mapping[str, Audience] = field(default_factory=dict)
    is_import: bool = False
    texts: Texts = ()
    are_fine: bool = False


Rule = Callable[[Claim, Known], Iterator[Finding]]


def strings_in(value: object, path: str) -> Texts:
    """Every text of a JSON value with its path, keys included.

    >>> strings_in({"tags": ["a"]}, "")
    (('/tags', 'tags'), ('/tags/0', 'a'))
    """
    found: list[tuple[str, str]] = []
    _gather(value, path, found)
    return tuple(found)


def _gather(value: object, path: str, found: list[tuple[str, str]]) -> None:
    if isinstance(value, str):
        found.append((path, value))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            below = f"{path}/{key}"
            found.append((below, str(key)))
            _gather(item, below, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _gather(item, f"{path}/{index}", found)


def texts_of(claim: Claim) -> Texts:
    """Every text of a claim with its path."""
    return strings_in(encode(claim), "")


def is_plain(texts: Texts) -> bool:
    r"""Whether nothing in these texts can be forbidden or invisible, looked at as one: ASCII that prints.

    >>> is_plain((("/claim", "a"), ("/body", "b\nc"))), is_plain((("/claim", "a\x00"),)), is_plain((("", "\xad"),))
    (True, False, False)
    """
    whole = "".join(text for _, text in texts)
    return whole.isascii() and whole.replace("\n", "").isprintable()


def are_fine(values: Iterable[object]) -> bool:
    r"""Whether looking closer at every text of some JSON values would find nothing, all looked at as one.

    What stands many times is looked at once. False says nothing: then each is looked at by itself.

    >>> are_fine(({"claim": "Tests need Docker"}, {"body": "über"})), are_fine(({"claim": "a\x00"},))
    (True, False)
    """
    found: dict[str, None] = {}
    for value in values:
        _lines(value, "", found)
    short = max(map(len, found), default=0) <= LONGEST_TEXT
    return short and is_unmarked("\n".join(found)) and not may_hold_secret(found)


def _lines(value: object, name: str, found: dict[str, None]) -> None:
    """Every text as `secrets_in` reads it: behind the last step of its path."""
    if isinstance(value, str):
        found[f"{name}: {value}"] = None
    elif isinstance(value, Mapping):
        for key, item in value.items():
            found[f"{key}: {key}"] = None
            if type(item) is str:
                found[f"{key}: {item}"] = None
            elif item is not None:
                _lines(item, key, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _lines(item, str(index), found)


def has_statement(claim: Claim, known: Known) -> Iterator[Finding]:
    """The claim states one fact, and only one (`B-CLAIM`)."""
    if not claim.claim.strip():
        yield Finding(
            "empty_claim", "the claim says nothing", "/claim", "state one fact", req="B-CLAIM"
        )
    if len(claim.facts) > 1 and len({(f.subject, f.predicate) for f in claim.facts}) > 1:
        message = f"the claim carries {len(claim.facts)} different facts"
        yield Finding(
            "several_facts",
            message,
            "/facts",
            "split it into one claim a fact",
            "warning",
            "B-CLAIM",
        )


def is_readable(claim: Claim, known: Known) -> Iterator[Finding]:
    """Every text is of bearable length and without forbidden characters; names hold no invisible ones."""
    texts = (("/claim", claim.claim),) if known.are_fine else known.texts or texts_of(claim)
    # Plain texts are the usual case, in which only lengths are left to look at.
    plain = known.are_fine or is_plain(texts)
    for path, text in texts:
        limit = LONGEST_CLAIM if path == "/claim" else LONGEST_BODY
        if not plain or len(text) > limit:
            yield from text_findings(text, path, limit=limit)
    for path, text in (("/scope/id", claim.scope.id), *_principals(claim)):
        yield from identifier_findings(text, path)


def _principals(claim: Claim) -> Iterator[tuple[str, str]]:
    for index, principal in enumerate(claim.visibility.allowed_principals):
        yield f"/visibility/allowed_principals/{index}", principal


def has_no_secret(claim: Claim, known: Known) -> Iterator[Finding]:
    """No secret stands in any text of the claim."""
    if not known.are_fine:
        yield from secrets_in(known.texts or texts_of(claim))


def secrets_in(texts: Texts) -> Iterator[Finding]:
    """Secrets in texts with their paths; a key's name counts with its value (`password: …`).

    >>> [f.path for f in secrets_in((("/properties/note", "no secret"), ("/properties/api_key", "x")))]
    []
    """
    if not scan("\n".join(f"{path.rpartition('/')[2]}: {text}" for path, text in texts)):
        return
    for path, text in texts:
        found = secret_findings(text, path)
        yield from found or secret_findings(f"{path.rpartition('/')[2]}: {text}", path)


def is_no_instruction(claim: Claim, known: Known) -> Iterator[Finding]:
    """Text that addresses an agent like an instruction is shown to the reviewer (`D-QUOTED`)."""
    if any(looks_like_instruction(text) for text in (claim.claim, claim.body, claim.summary)):
        message = "the text addresses an agent like an instruction"
        yield Finding(
            "instruction_like",
            message,
            "/claim",
            "state what is so, and review with care",
            "warning",
            "D-QUOTED",
        )


def has_source(claim: Claim, known: Known) -> Iterator[Finding]:
    """There is a source that can be looked at again (`B-V1`); a weak one is named as weak (`B-SOURCE`)."""
    if claim.source.kind == "unknown" and not claim.source.uri and not claim.source.derived_from:
        fix = "give `source: {kind, uri, observed_at, evidence}`"
        yield Finding(
            "no_source",
            "the claim has no source that can be looked at again",
            "/source",
            fix,
            req="B-V1",
        )
    elif claim.source.is_weak:
        without = "" if claim.source.uri else " without an address"
        message = f"a source of kind {quoted(claim.source.kind)}{without} is weak"
        yield Finding(
            "weak_source", message, "/source", "link what it rests on", "warning", "B-SOURCE"
        )


def evidence_is_a_span(claim: Claim, known: Known) -> Iterator[Finding]:
    """Evidence names bytes that can be: a start, an end after it, and a quote of that length (`E-RECEIPT`)."""
    for index, evidence in enumerate(claim.source.evidence):
        start, end, size = (
            evidence.start,
            evidence.end,
            len(evidence.quote.encode("utf-8", "replace")),
        )
        impossible = start < 0 or end < start or evidence.line < 0
        if impossible or (evidence.checkable and size != end - start):
            message = f"bytes {start} to {end} do not hold a quote of {size} bytes"
            fix = "give the half-open byte span of the quote in its source"
            place = f"/source/evidence/{index}"
            yield Finding("bad_span", message, place, fix, req="E-RECEIPT")


def names_its_audience(claim: Claim, known: Known) -> Iterator[Finding]:
    """Unless it is public, the claim names who may see it (`B-V3`)."""
    if claim.visibility.level != "public" and not claim.visibility.allowed_principals:
        message = f"the level {quoted(claim.visibility.level)} names nobody, so nobody could see the claim"
        fix = "add `allowed_principals`, for instance `[user:alice]` or `[group:shop]`"
        yield Finding("no_principals", message, "/visibility/allowed_principals", fix, req="B-V3")


def is_not_too_broad(claim: Claim, known: Known) -> Iterator[Finding]:
    """Broad truth from narrow evidence (`B-V5`)."""
    independent = len(
        {e.uri or claim.source.uri for e in claim.source.evidence} | set(claim.source.derived_from)
    )
    narrow = claim.source.kind in NARROW_KINDS and independent < 2
    if claim.scope.kind in BROAD_SCOPES and narrow:
        scope, source = claim.scope.kind.replace("_", " "), claim.source.kind.replace("_", " ")
        message = f"a claim for a whole {scope} rests on one {source}"
        fix = (
            "narrow the scope to where the source speaks from, or give evidence from elsewhere too"
        )
        yield Finding("broad_from_narrow", message, "/scope", fix, req="B-V5")
    elif claim.scope.kind == "global_system" and _BROAD_WORDS & set(claim.claim.casefold().split()):
        message = "the claim speaks of everything and everybody"
        yield Finding("sweeping_words", message, "/claim", "say where it holds", "warning", "B-V5")


def is_not_expired_for_action(claim: Claim, known: Known) -> Iterator[Finding]:
    """What is expired allows no use any more (`B-V6`)."""
    over = claim.freshness.status == "expired" or known.now >= expiry_of(claim)
    if over and claim.allowed_uses:
        fix = "verify it again, or take its allowed uses away"
        yield Finding(
            "expired_but_allowed",
            "the claim is expired and still allows uses",
            "/freshness",
            fix,
            req="B-V6",
        )


def has_conflict_notes(claim: Claim, known: Known) -> Iterator[Finding]:
    """Every known conflict has a note (`B-V7`)."""
    if (
        claim.conflicts
        and not claim.conflict_notes
        and not all(note.note for note in claim.conflicts)
    ):
        fix = "say what contradicts what, in `conflict_notes`"
        yield Finding(
            "conflict_without_note", "a known conflict has no note", "/conflicts", fix, req="B-V7"
        )


def risky_uses_are_verified(claim: Claim, known: Known) -> Iterator[Finding]:
    """A high-risk use needs a verification of the last day (`B-V8`)."""
    risky = [use for use in claim.allowed_uses if risk_of(use) == "high"]
    verified = claim.freshness.last_verified_at
    if risky and (verified is None or known.now - micros(verified) > window(claim.type, "high")):
        message = f"the high-risk use {quoted(risky[0])} is allowed without a verification of the last day"
        fix = "verify it now, or take the use away (a use that is not declared counts as high-risk)"
        yield Finding("risk_without_verification", message, "/allowed_uses", fix, req="B-V8")


def uses_do_not_clash(claim: Claim, known: Known) -> Iterator[Finding]:
    """No use is both allowed and prohibited (`B-USES`)."""
    for use in sorted(set(claim.allowed_uses) & set(claim.prohibited_uses)):
        message = f"the use {quoted(use)} is both allowed and prohibited"
        yield Finding("use_clash", message, "/prohibited_uses", "keep one of the two", req="B-USES")


def serves_something(claim: Claim, known: Known) -> Iterator[Finding]:
    """What is current allows a use, or it would serve nothing (`B-USES`)."""
    until = claim.validity.valid_until
    ended = known.now >= expiry_of(claim) or (until is not None and known.now >= micros(until))
    if not (claim.allowed_uses or ended or claim.freshness.status == "expired"):
        message = "the claim allows no use, so it would serve nothing"
        fix = "name one with `--use` or in `allowed_uses`, or declare `uses` in the profile"
        yield Finding("no_uses", message, "/allowed_uses", fix, "warning", "B-USES")


def audience_is_no_wider(claim: Claim, known: Known) -> Iterator[Finding]:
    """Derived memory is visible to no more than its sources (`B-TRAVEL`)."""
    for source_id in claim.source.derived_from:
        audience = known.audiences.get(source_id)
        if audience is None:
            message = f"the source {quoted(source_id)} is not known"
            yield Finding(
                "unknown_source_claim",
                message,
                "/source/derived_from",
                "name claims that you can see",
                req="B-TRAVEL",
            )
        elif not within(claim.visibility.audience, audience):
            message = f"the claim would be visible to more than its source {quoted(source_id)}"
            fix = "narrow the visibility, or declare a declassification for a reviewer"
            yield Finding("wider_than_source", message, "/visibility", fix, "warning", "B-TRAVEL")
