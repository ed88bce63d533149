r"""The verdict of the format's JSON Schema, by compiling the published schema itself.

- The schema is shipped as data, without its prose, and its digest is pinned: what is interpreted is what was
  published. Writing the rules down a second time could only add differences.
- Every keyword that the schema uses is interpreted; an unknown one refuses to compile, so that none is passed over.
- Formats are asserted. `1.0` is an integer, `true` is no number, lengths count characters (code points).
- All problems are given, each with its JSON pointer; a document without any costs no path.

The reference is a Draft 2020-12 validator with formats asserted; `bench.mif_schema` compares the two.

>>> [str(p.pointer) for p in concept_problems({"@context": {}, "@type": "Concept", "@id": "urn:mif:x",
...     "conceptType": "semantic", "content": "x", "created": "2026-01-15T10:30:00Z", "tags": ["a", 1]})]
['/tags/1']
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib import resources
from types import MappingProxyType
from typing import Any

from muniment.core.canonical import digest
from muniment.core.errors import quoted
from muniment.exchange.mif.keywords import (
    FINE,
    TYPES,
    VALUE_KEYWORDS,
    Check,
    Problem,
    one_problem,
    under,
)

CONCEPT_DIGEST = "sha256:be8e9dd030929ee3bc408950e4068ef4e8d9c0f6f327706eeb53e4359b852019"
ONTOLOGY_DIGEST = "sha256:dfb5821b36cb7fa08900fc9a560b05bbc8195020616152590a580e467b0f8c70"


@cache
def shipped(name: str, expected: str) -> Mapping[str, Any]:
    """A schema of `data/`.

    Raises:
        ValueError: It is not the one that was pinned.
    """
    text = resources.files("muniment.exchange.mif").joinpath("data", name).read_text("utf-8")
    value: Mapping[str, Any] = json.loads(text)
    if digest(value) != expected:
        raise ValueError(f"{name} is not the pinned schema")
    return value


@cache
def _concept() -> Check:
    return compiled(shipped("concept.schema.json", CONCEPT_DIGEST))


@cache
def _ontology() -> Check:
    return compiled(shipped("ontology.schema.json", ONTOLOGY_DIGEST))


@cache
def _document_reference() -> Check:
    root = shipped("concept.schema.json", CONCEPT_DIGEST)
    return _Compiler(root).schema({"$ref": "#/$defs/DocumentReference"})


def concept_problems(document: Any) -> Sequence[Problem]:
    """What the concept schema refuses in a JSON-LD document; nothing for a valid one (`C-SCHEMA`)."""
    return _concept()(document)


def ontology_problems(document: Any) -> Sequence[Problem]:
    """What the schema of ontology packs refuses."""
    return _ontology()(document)


def document_reference_problems(document: Any) -> Sequence[Problem]:
    """What the schema of a document reference refuses (a container's `document` record)."""
    return _document_reference()(document)


def compiled(root: Mapping[str, Any]) -> Check:
    """A check that gives every problem of a document.

    Raises:
        ValueError: The schema uses a keyword that is not interpreted.
    """
    return _Compiler(root).schema(root)


class _Compiler:
    """Makes one function of each schema; a reference is made once, when it is first met."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.made: dict[str, Check] = {}

    def schema(self, schema: Mapping[str, Any]) -> Check:
        checks = [check for keyword in schema if (check := self._check(keyword, schema))]
        if len(checks) == 1:
            return checks[0]

        def run(value: Any) -> Sequence[Problem]:
            found: list[Problem] = []
            for check in checks:
                if more := check(value):
                    found.extend(more)
            return found

        return run

    def _check(self, keyword: str, schema: Mapping[str, Any]) -> Check | None:
        if keyword == "$defs":
            return None
        if keyword in VALUE_KEYWORDS:
            return VALUE_KEYWORDS[keyword](schema)
        if keyword not in _APPLICATORS:
            raise ValueError(f"the schema keyword `{keyword}` is not interpreted")
        made: Check | None = getattr(self, _APPLICATORS[keyword])(schema)
        return made

    def reference(self, schema: Mapping[str, Any]) -> Check:
        name = schema["$ref"]
        if name not in self.made:
            self.made[name] = partial(self._refer, name)  # what a schema inside itself refers to
            target: Any = self.root
            for step in name.removeprefix("#/").split("/"):
                target = target[step]
            self.made[name] = self.schema(target)
        return self.made[name]

    def _refer(self, name: str, value: Any) -> Sequence[Problem]:
        return self.made[name](value)

    def members(self, schema: Mapping[str, Any]) -> Check | None:
        """`properties` and `additionalProperties` together."""
        known = {name: self.schema(one) for name, one in schema.get("properties", {}).items()}
        rest = schema.get("additionalProperties", True)
        others = self.schema(rest) if isinstance(rest, Mapping) else None

        def check(value: Any) -> Sequence[Problem]:
            if not isinstance(value, Mapping):
                return FINE
            found: list[Problem] = []
            for name, item in value.items():
                inner = known.get(name, others)
                if inner is not None:
                    if more := inner(item):
                        found.extend(under(name, more))
                elif rest is False:
                    message = f"{quoted(name)} is not expected here"
                    fix = f"take it away, or use one of: {', '.join(known)}"
                    found.extend(one_problem("additionalProperties", message, fix, (name,)))
            return found

        return check

    def extras(self, schema: Mapping[str, Any]) -> Check | None:
        """`additionalProperties` where there are no `properties`; else it was taken along."""
        return None if "properties" in schema else self.members(schema)

    def items(self, schema: Mapping[str, Any]) -> Check:
        inner = self.schema(schema["items"])

        def check(value: Any) -> Sequence[Problem]:
            if not isinstance(value, list):
                return FINE
            return [
                p for n, item in enumerate(value) if (more := inner(item)) for p in under(n, more)
            ]

        return check

    def contains(self, schema: Mapping[str, Any]) -> Check:
        inner = self.schema(schema["contains"])
        words = _words(schema["contains"])

        def check(value: Any) -> Sequence[Problem]:
            if not isinstance(value, list) or any(not inner(item) for item in value):
                return FINE
            return one_problem("contains", f"the list does not hold {words}", f"add {words}")

        return check

    def exactly_one(self, schema: Mapping[str, Any]) -> Check:
        branches = [(self.schema(one), _words(one)) for one in schema["oneOf"]]

        def check(value: Any) -> Sequence[Problem]:
            results = [branch(value) for branch, _ in branches]
            fitting = sum(not found for found in results)
            if fitting == 1:
                return FINE
            return _no_branch("oneOf", results, [words for _, words in branches], fitting)

        return check

    def at_least_one(self, schema: Mapping[str, Any]) -> Check:
        branches = [(self.schema(one), _words(one)) for one in schema["anyOf"]]

        def check(value: Any) -> Sequence[Problem]:
            results = [branch(value) for branch, _ in branches]
            if not all(results):
                return FINE
            return _no_branch("anyOf", results, [words for _, words in branches], 0)

        return check


def _no_branch(
    keyword: str, results: list[Sequence[Problem]], words: list[str], fitting: int
) -> Sequence[Problem]:
    """Why no alternative fits: of the one that has the right type, if there is just one; else all named."""
    if fitting:
        return one_problem(
            keyword, "more than one of the alternatives fits", "make it one of them alone"
        )
    typed = [
        found for found in results if not any(p.keyword == "type" and not p.path for p in found)
    ]
    deeper = [found for found in typed if any(p.path for p in found)]
    if len(typed) == 1 and deeper:
        return typed[0]
    listed = "; or ".join(words)
    return one_problem(keyword, f"none of the alternatives fits: {listed}", f"give {listed}")


def _words(schema: Mapping[str, Any]) -> str:
    """A schema in words, for a message."""
    if "const" in schema:
        return str(quoted(schema["const"]))
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "pattern" in schema:
        return f"text of the form {quoted(schema['pattern'])}"
    if "contains" in schema:
        return f"a list with {_words(schema['contains'])}"
    if "required" in schema and "type" not in schema:
        return " and ".join(map(quoted, schema["required"]))
    if "$ref" in schema:
        return f"a {schema['$ref'].rpartition('/')[2]}"
    wanted = schema.get("type", "object")
    named = [words for name, words, _ in TYPES if name in wanted or name == wanted]
    form = f" ({schema['format']})" if "format" in schema else ""
    return " or ".join(named) + form


_APPLICATORS = MappingProxyType(
    {
        "$ref": "reference", "properties": "members", "additionalProperties": "extras",
        "items": "items", "contains": "contains", "oneOf": "exactly_one", "anyOf": "at_least_one",
    }
)  # fmt: skip
