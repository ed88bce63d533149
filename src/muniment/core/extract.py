"""What file readers hand over, before it becomes a claim.

- An `Extract` is one statement with the exact bytes that support it.
- `data[start:end]` of the original file is the quoted evidence, never empty, whole characters only.
- A slot is the stable address of a statement: after an edit the same slot is the same statement.

>>> Extract(slot="go.mod#go", claim="This repository requires Go 1.22.", claim_type="project_fact",
...         predicate="requires_go", value="1.22", subject="", start=30, end=37, line=3,
...         pointer="/go", structured=True, uses=("answer_questions",)).memory_type
'semantic'
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.core.errors import Finding


@dataclass(frozen=True, slots=True)
class Extract:
    """One statement found in a file (`E-RECEIPT`).

    Attributes:
        slot: Stable address of the statement inside the repository.
        claim: One sentence that stands by itself.
        claim_type: Seed B's claim type.
        predicate: A name from the relation map.
        value: The object of the fact, as the source spells it (white space collapsed).
        subject: `""` for the repository itself, else a folder or a thing in it.
        start: First byte of the evidence in the original file.
        end: Byte after the last one.
        line: 1-based line of `start`.
        pointer: JSON-pointer-like place or heading path; `""` if none.
        structured: True for manifests, lock files, CI, targets and CODEOWNERS; False for prose.
        uses: What the claim may serve; low-risk uses only.
        topics: Further words under which someone would look for it.
        steps: Ordered commands of a procedure.
        memory_type: `semantic` or `procedural`.
    """

    slot: str
    claim: str
    claim_type: str
    predicate: str
    value: str
    subject: str
    start: int
    end: int
    line: int
    pointer: str
    structured: bool
    uses: tuple[str, ...]
    topics: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    memory_type: str = "semantic"


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What one file gave: statements in the order of the file, and what was wrong with it."""

    extracts: tuple[Extract, ...] = ()
    findings: tuple[Finding, ...] = ()
