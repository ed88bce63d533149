"""Where a claim comes from, the exact place in it, and what a second look found.

- A source's kind (what it is) and origin (how it came to be known) stay explicit through every transformation.
- Evidence is a byte span of the source's bytes with the source's digest (`E-RECEIPT`).
- A reading is `match`, `moved`, `changed`, `missing` or `could_not_observe`; only a match renews freshness.

Reading itself is done by ports; here bytes come in.

>>> evidence = evidence_of(b"# Guide\\nUse pnpm here.\\n", 8, 22)
>>> compare(evidence, b"# Guide\\nUse pnpm here.\\n").state
'match'
>>> compare(evidence, b"# The guide\\nUse pnpm here.\\n").state
'moved'
>>> compare(evidence, b"# Guide\\nUse npm here.\\n").state
'changed'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from muniment.core.canonical import digest_bytes

ReadingState = Literal["match", "moved", "changed", "missing", "could_not_observe"]
WEAK_KINDS = ("model_summary", "note", "unknown")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The place in a source that says it.

    Attributes:
        digest: `sha256:…` of the whole source's bytes when it was read; empty where it was never read.
        start: First byte of the span; with `end`, half-open; both 0 where there is no span.
        end: Byte after the span.
        quote: The span's text.
        pointer: A place in the source's own terms (`/project/requires-python`, a heading path).
        line: 1-based first line, 0 where unknown.
        uri: The source's address where it differs from the claim's source.
        commit: The revision of the source that was read, where it has one.
    """

    digest: str = ""
    start: int = 0
    end: int = 0
    quote: str = ""
    pointer: str = ""
    line: int = 0
    uri: str = ""
    commit: str = ""

    @property
    def checkable(self) -> bool:
        """Whether a machine can check it again."""
        return bool(self.digest) and self.end > self.start


@dataclass(frozen=True, slots=True)
class Source:
    """What is behind a claim.

    Attributes:
        kind: What it is (`file`, `pull_request`, …; open vocabulary).
        origin: One of seed A's ten; empty where it is not known.
        uri: Where to find it again.
        observed_at: When it was read or said.
        evidence: The places in it.
        derivation: How the claim follows from it.
        derived_from: Claims that it was made from.
        candidate_origins: Where the origin is ambiguous, what it may be.
        note: What else is to be said of it.
    """

    kind: str
    origin: str = ""
    uri: str = ""
    observed_at: datetime | None = None
    evidence: tuple[Evidence, ...] = ()
    derivation: str = "direct"
    derived_from: tuple[str, ...] = ()
    candidate_origins: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_weak(self) -> bool:
        """Recognised as weak (`B-SOURCE`).

        Nothing to go back to, a model's summary, somebody's passing note, or an import without provenance.

        >>> Source("model_summary").is_weak, Source("file", uri="file:///a").is_weak
        (True, False)
        """
        if self.kind in WEAK_KINDS or not self.uri:
            return (
                self.kind not in ("user_statement", "user_correction", "memory")
                or self.kind in WEAK_KINDS
            )
        return False

    @property
    def is_ambiguous(self) -> bool:
        """Whether the origin is not certain."""
        return not self.origin or len(self.candidate_origins) > 1


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found on re-reading a source.

    Attributes:
        state: What became of the evidence.
        at: When it was read.
        digest: Digest of what was read, empty where nothing was.
        start: Where the quote stands now (`match`, `moved`).
        end: Byte after it.
        line: Its first line now.
        detail: Why it could not be observed, or what stands there now.
    """

    state: ReadingState
    at: datetime | None = None
    digest: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    detail: str = ""


def evidence_of(data: bytes, start: int, end: int, **where: str) -> Evidence:
    """Evidence for a span of bytes that were just read."""
    return Evidence(
        digest=digest_bytes(data),
        start=start,
        end=end,
        quote=data[start:end].decode("utf-8"),
        line=data.count(b"\n", 0, start) + 1,
        **where,
    )


def compare(evidence: Evidence, data: bytes | None, at: datetime | None = None) -> Reading:
    """Compare evidence with what its source says now.

    Args:
        evidence: What was kept.
        data: The source's bytes now; None where it is gone.
        at: When it was read.
    """
    if data is None:
        return Reading("missing", at)
    found = digest_bytes(data)
    if not evidence.checkable:
        detail = "no byte span was kept, so there is nothing to compare"
        return Reading("could_not_observe", at, found, detail=detail)
    quote = evidence.quote.encode("utf-8")
    if data[evidence.start : evidence.end] == quote:
        return Reading("match", at, found, evidence.start, evidence.end, evidence.line)
    place = data.find(quote)
    if place < 0:
        return Reading("changed", at, found)
    line = data.count(b"\n", 0, place) + 1
    return Reading("moved", at, found, place, place + len(quote), line)


def worst(readings: tuple[Reading, ...]) -> Reading | None:
    """The reading that decides where there are several: the least reassuring one."""
    order = ("match", "moved", "could_not_observe", "changed", "missing")
    return max(readings, key=lambda reading: order.index(reading.state), default=None)


def renewed(evidence: Evidence, reading: Reading) -> Evidence:
    """The evidence at the place where it stands now."""
    if reading.state not in ("match", "moved"):
        return evidence
    return replace(
        evidence, digest=reading.digest, start=reading.start, end=reading.end, line=reading.line
    )
