"""Candidates from what the readers of a repository's own files find.

- A statement keeps its bytes; the places are the imported file's.
- Uses that a reader offers are not taken over: an import's uses are the profile's.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.core.claim import Fact
from muniment.core.extract import Extract
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, worded
from muniment.ports.importing import Candidate, Record, Yielded

LARGEST = 2_000_000


def extracts_of(
    file: OpenFile, tools: Tools, path: str
) -> tuple[tuple[Extract, ...], tuple[Yielded, ...]]:
    """What a file says under the path by which its reader knows it, and what is wrong with it."""
    found = tools.read_file(path, file.part(0, min(file.size, LARGEST)))
    return found.extracts, found.findings


def from_extracts(file: OpenFile, tools: Tools, path: str) -> Iterator[Yielded]:
    """One candidate a statement."""
    found, findings = extracts_of(file, tools, path)
    yield from findings
    for one in found:
        yield Record()
        yield candidate_of(file, one)


def candidate_of(file: OpenFile, one: Extract) -> Candidate:
    """An extract in the shared form; its fact is kept where it names a thing of its own."""
    words = worded(one.claim)
    subject = one.subject if one.subject and one.predicate not in ("instruction", "decided") else ""
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=file.place(one.start, one.end, one.pointer),
        type=one.claim_type,
        memory_type=one.memory_type,
        tags=one.topics,
        facts=(Fact(subject, one.predicate, one.value),) if subject else (),
        steps=one.steps,
        source_kind="file",
        origin="observation",
        derivation="direct",
        doubts=words.doubts,
    )
