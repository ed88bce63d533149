r"""Read one concept: a markdown file or a JSON-LD document, as its author wrote it.

- YAML is read by the core rules of 1.2: dates, times, `no`, `1:30` and `012` stay text. Aliases are followed, bounded.
- A key that stands twice, a tag, a number that is not finite, or bytes that are not UTF-8 make a file unreadable:
  what it says is not certain. A plain key that is no text is read as written.
- The schema's verdict is on the JSON-LD document; its places are found in the file that was read.

>>> concept, issues = read_markdown(b"---\nid: x\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n---\nBody", "a/c.md")
>>> concept.meta["created"], concept.body, schema_issues(concept)
('2026-01-15T10:30:00Z', 'Body', ())
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from muniment.core.errors import Severity
from muniment.exchange.loaded import LIMIT_BYTES
from muniment.exchange.mif.frontmatter import Parts, split
from muniment.exchange.mif.issue import Area, Issue, of_finding
from muniment.exchange.mif.project import FOREIGN, from_jsonld, plain_jsonld, to_jsonld
from muniment.exchange.mif.schema import concept_problems
from muniment.exchange.places import Places, json_places, nearest, yaml_places
from muniment.exchange.plain_yaml import plain_yaml
from muniment.exchange.strict_json import load_json
from muniment.exchange.strict_yaml import load_yaml

Form = Literal["markdown", "jsonld"]


@dataclass(frozen=True)
class Concept:
    """One concept as it was read.

    Attributes:
        meta: The frontmatter; of a JSON-LD document what its markdown would hold.
        body: The markdown body.
        file: Bundle-relative path, POSIX; with `#/records/3/payload` for a container's record.
        form: What it was read from.
        document: The JSON-LD document, where that was read.
        text: The file's text, for places.
        parts: The markdown file in parts, where that was read.
        base: JSON pointer of the document in its file.
    """

    meta: Mapping[str, Any]
    body: str
    file: str = ""
    form: Form = "markdown"
    document: Mapping[str, Any] | None = field(default=None, repr=False)
    text: str = field(default="", repr=False)
    parts: Parts | None = field(default=None, repr=False)
    base: str = ""

    def projected(self, namespaces: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """The JSON-LD document: the one that was read, or made of the markdown."""
        if self.document is not None:
            return self.document
        return to_jsonld(self.meta, self.body, namespaces)

    @property
    def id(self) -> str:
        """The concept's id without `urn:mif:`; empty where there is none."""
        given = self.meta.get("id", self.meta.get("@id"))
        return "" if given is None else str(given).removeprefix("urn:mif:")

    @cached_property
    def _places(self) -> Places:
        if self.form == "jsonld":
            return json_places(self.text)
        return yaml_places(self.parts.yaml) if self.parts else {}

    @cached_property
    def refused(self) -> tuple[Issue, ...]:
        """What the JSON Schema refuses in it; looked at once."""
        return _schema_issues(self)

    def place(self, pointer: str) -> tuple[int, int]:
        """Line and column of a pointer into the document, in the file that was read."""
        if self.form == "jsonld" or self.parts is None:
            return nearest(self._places, self.base + pointer)
        first, _, rest = pointer.removeprefix("/").partition("/")
        if first == "content":
            return self.parts.body_line, 1
        names = [n for n in _WRITTEN_AS.get(first, (first,)) if n in self.meta]
        written = names[0] if names else first
        line, column = nearest(self._places, "/" + written + ("/" + rest if rest else ""))
        return line + 1, column

    def issue(
        self,
        area: Area,
        code: str,
        message: str,
        fix: str = "",
        severity: Severity = "error",
        pointer: str = "",
        rule: str = "",
    ) -> Issue:
        """An issue at a pointer of this concept."""
        line, column = self.place(pointer)
        return Issue(area, code, message, fix, severity, self.file, line, column, pointer, rule)


_MIRRORS = (("timestamp",), ("description",))
_WRITTEN_AS: Mapping[str, tuple[str, ...]] = {
    "@id": ("@id", "id"),
    "conceptType": ("conceptType", "type"),
    "timestamp": ("timestamp", "modified", "created"),
    "description": ("description", "summary"),
}


def read_markdown(
    data: bytes,
    file: str = "",
    limit_bytes: int = LIMIT_BYTES,
    front: tuple[str, dict[str, Any]] | None = None,
) -> tuple[Concept | None, tuple[Issue, ...]]:
    """Read a markdown concept.

    Args:
        data: The file's bytes.
        file: Its name.
        limit_bytes: Most bytes accepted.
        front: A text and what `plain_yaml` found in it, where that was done already.

    Returns:
        The concept, or None with at least one issue of area `file`. Never raises.
    """
    parts, issues = split(data, file, limit_bytes)
    if parts is None:
        return None, issues
    if not parts.yaml.strip():
        fix = "give at least `type`"
        empty = Issue(
            "file",
            "empty_frontmatter",
            "the frontmatter is empty",
            fix,
            "error",
            file,
            1,
            1,
            rule="K1.2",
        )
        return None, (*issues, empty)
    known = front is not None and front[0] == parts.yaml
    plain = front[1] if front and known else plain_yaml(parts.yaml, wide=True)
    if plain is not None:
        return Concept(plain, parts.body, file, parts=parts, text=parts.text), issues
    loaded = load_yaml(parts.yaml, limit_bytes=limit_bytes, leniency=FOREIGN)
    if not loaded.ok:
        return None, (*issues, *(of_finding(finding, file, 1) for finding in loaded.findings))
    if not isinstance(loaded.value, dict):
        fix = "write it as `key: value` lines"
        wrong = Issue(
            "file",
            "not_a_mapping",
            "the frontmatter is no mapping",
            fix,
            "error",
            file,
            2,
            1,
            rule="K1.2",
        )
        return None, (*issues, wrong)
    return Concept(loaded.value, parts.body, file, parts=parts, text=parts.text), issues


def read_jsonld(
    data: bytes, file: str = "", limit_bytes: int = LIMIT_BYTES
) -> tuple[Concept | None, tuple[Issue, ...]]:
    """Read a JSON-LD concept.

    Returns:
        The concept, or None with at least one issue of area `file`. Never raises.
    """
    loaded = load_json(data, limit_bytes=limit_bytes, leniency=FOREIGN)
    if not loaded.ok:
        return None, tuple(of_finding(finding, file) for finding in loaded.findings)
    if not isinstance(loaded.value, dict):
        fix = "give one JSON-LD object a file"
        return None, (
            Issue("file", "not_an_object", "the document is no object", fix, "error", file, 1, 1),
        )
    text = data.decode("utf-8-sig")
    return of_document(loaded.value, file, text), ()


def of_document(document: Mapping[str, Any], file: str, text: str = "", base: str = "") -> Concept:
    """The concept of a JSON-LD document that was read already, at a pointer of its file."""
    meta, body = from_jsonld(document)
    return Concept(meta, body, file, "jsonld", document, text, base=base)


def schema_issues(concept: Concept) -> tuple[Issue, ...]:
    """What the JSON Schema refuses in a concept, each with its place (`C-SCHEMA`)."""
    return concept.refused


def _schema_issues(concept: Concept) -> tuple[Issue, ...]:
    document = concept.document
    problems = concept_problems(
        plain_jsonld(concept.meta, concept.body) if document is None else document
    )
    if not problems:
        return ()
    mirrored = () if concept.form == "jsonld" else _MIRRORS
    first = [p for p in problems if not (p.path[0:1] in mirrored and p.path[0] not in concept.meta)]
    return tuple(
        concept.issue("schema", p.keyword, p.message, p.fix, pointer=p.pointer, rule="J")
        for p in first or problems
    )
