"""What every reader of a foreign format needs: a record's value, its texts, and a candidate from a text.

- A value of another type than expected is no value; nothing is turned into text that was none.
- A statement that is too long for a claim is kept whole as its body, and waits for a closer look.

>>> text_of("  a "), text_of(7), texts_of("a, b"), texts_of(["a", None, 3])
('a', '', ('a', 'b'), ('a', '3'))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.spans import Node
from muniment.ports.importing import ProseReader, Skipped
from muniment.ports.learning import FileReader

LONGEST_CLAIM = 4_000
_BEGINNING = 1_000


@dataclass(frozen=True, slots=True)
class Tools:
    """Readers that live elsewhere: of a repository's own files, and of prose."""

    read_file: FileReader
    prose: ProseReader


@dataclass(frozen=True, slots=True)
class Worded:
    """A text as a claim: its beginning where it is long, and then the whole as its body."""

    claim: str
    body: str = ""
    doubts: tuple[Finding, ...] = ()


def text_of(value: Any) -> str:
    """A text without the white space around it; empty for anything else."""
    return value.strip() if isinstance(value, str) else ""


def texts_of(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text with commas, as a tuple; what is neither text nor number is left out."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    kept = (str(v).strip() for v in value if isinstance(v, str | int | float) and v is not True)
    return tuple(dict.fromkeys(one for one in kept if one))


def mapping_of(value: Any) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return dict(value) if isinstance(value, Mapping) else {}


def given(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The parts of a record under these keys that say something."""
    return {key: value[key] for key in keys if value.get(key) not in (None, "", [], {})}


def without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The parts of a record that are not under these keys."""
    return {key: part for key, part in value.items() if key not in keys}


def worded(text: str) -> Worded:
    """A text as a claim.

    >>> worded("a").claim, len(worded("a " * 4000).claim) <= 1_001
    ('a', True)
    """
    if len(text) <= LONGEST_CLAIM:
        return Worded(text)
    cut = max(text.rfind(end, 0, _BEGINNING) + 1 for end in (". ", "\n", " "))
    message = f"the statement has {len(text):,} characters; the claim is its beginning, the body the whole"
    doubt = Finding("long_statement", message, "/claim", "split it into single facts", "warning")
    return Worded(text[: cut or _BEGINNING].strip(), text, (doubt,))


def loaded(node: Node) -> tuple[Any, tuple[Finding, ...]]:
    """A node's value, and what is wrong with it."""
    found = node.load()
    return (found.value if found.ok else None), found.findings


def objects(nodes: Iterator[Node]) -> Iterator[tuple[Node, dict[str, Any]] | Finding | Skipped]:
    """Each node that is an object with its value; what is none, or cannot be read, as such."""
    for node in nodes:
        value, findings = loaded(node)
        yield from findings
        if isinstance(value, dict):
            yield node, value
        elif not findings:
            yield Skipped(node.place, "record", "it is no object")
        else:
            yield Skipped(node.place, "record", "it cannot be read")
