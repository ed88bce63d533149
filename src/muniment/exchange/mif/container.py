"""Read a container: one JSON file that carries many records (the format's Container Profile).

- The envelope is closed: type, profile version, records, provenance, edit chain, extensions, and the context.
- A record is a `memory`, whose payload is a concept's JSON-LD document, or a `document`, whose payload is a document
  reference. Each payload is checked by itself; another kind is refused, the others are read.
- Extensions are opaque.

>>> text = b'{"@type": "MemoryCorpus", "containerProfileVersion": "0.1.0", "records": [{"kind": "x"}]}'
>>> container = read_container(text, "a.json", 1_000)
>>> [issue.code for issue in container.issues]
['container_context', 'unknown_kind']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.concept import Concept, of_document
from muniment.exchange.mif.issue import Issue, of_finding
from muniment.exchange.mif.project import FOREIGN
from muniment.exchange.mif.schema import document_reference_problems
from muniment.exchange.places import json_places, nearest
from muniment.exchange.strict_json import load_json

CONTEXT_URL = "https://mif-spec.dev/schema/container-context.jsonld"
VERSION = "0.1.0"
_FIELDS = frozenset(
    "@context @type containerProfileVersion records provenance editChain extensions".split()
)
_SIGN = re.compile(rb'"containerProfileVersion"|"MemoryCorpus"')


@dataclass(frozen=True)
class Container:
    """What a container holds.

    Attributes:
        concepts: Of its `memory` records.
        documents: Payloads of its `document` records.
        envelope: Its own fields without the records.
        issues: What is wrong with it.
    """

    concepts: tuple[Concept, ...] = ()
    documents: tuple[Mapping[str, Any], ...] = ()
    envelope: Mapping[str, Any] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def is_container(name: str, data: bytes) -> bool:
    """Whether a JSON file is a container: by its name, or by what stands in its first and last kilobytes."""
    return name.endswith(".corpus.json") or bool(_SIGN.search(data[:4096] + data[-4096:]))


def read_container(data: bytes, file: str, limit_bytes: int) -> Container:
    """Read a container; never raises."""
    loaded = load_json(data, limit_bytes=limit_bytes, leniency=FOREIGN)
    if not loaded.ok:
        return Container(issues=tuple(of_finding(finding, file) for finding in loaded.findings))
    if not isinstance(loaded.value, dict):
        fix = "give one object with `records`"
        return Container(
            issues=(
                Issue(
                    "file", "not_an_object", "the container is no object", fix, "error", file, 1, 1
                ),
            )
        )
    text = data.decode("utf-8-sig")
    whole = loaded.value
    concepts: list[Concept] = []
    documents: list[Mapping[str, Any]] = []
    found = list(_envelope(whole))
    records = whole.get("records")
    for number, record in enumerate(records if isinstance(records, list) else ()):
        base = f"/records/{number}"
        payload = record.get("payload") if isinstance(record, dict) else None
        kind = record.get("kind") if isinstance(record, dict) else None
        if kind not in ("memory", "document"):
            message = (
                f"the record's kind is {quoted(kind)}, which is neither `memory` nor `document`"
            )
            found.append((f"{base}/kind", "unknown_kind", message, "take the record away"))
        elif not isinstance(payload, dict):
            found.append((base, "no_payload", "the record has no payload", "add `payload: {…}`"))
        elif kind == "memory":
            concepts.append(of_document(payload, f"{file}#{base}/payload", text, f"{base}/payload"))
        else:
            documents.append(payload)
            problems = document_reference_problems(payload)
            found += [(f"{base}/payload{p.pointer}", p.keyword, p.message, p.fix) for p in problems]
    envelope = {key: value for key, value in whole.items() if key != "records"}
    places = json_places(text) if found else {}
    issues = tuple(
        Issue("bundle", code, message, fix, "error", file, *nearest(places, pointer), pointer, "ADR-021")
        for pointer, code, message, fix in found
    )  # fmt: skip
    return Container(tuple(concepts), tuple(documents), envelope, issues)


Fault = tuple[str, str, str, str]


def _envelope(whole: Mapping[str, Any]) -> Iterator[Fault]:
    for key in whole:
        if key not in _FIELDS:
            fix = "move it under `extensions`"
            yield (
                f"/{key}",
                "additionalProperties",
                f"{quoted(key)} is not a container's field",
                fix,
            )
    if whole.get("@context") != CONTEXT_URL:
        message = f"the context is {quoted(whole.get('@context'))}"
        yield "/@context", "container_context", message, f"write {quoted(CONTEXT_URL)}"
    if whole.get("@type") != "MemoryCorpus":
        yield "/@type", "const", "the type is not `MemoryCorpus`", "write `MemoryCorpus`"
    version = whole.get("containerProfileVersion")
    if not isinstance(version, str) or not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+.*", version):
        message = f"the profile's version is {quoted(version)}"
        yield "/containerProfileVersion", "pattern", message, f"write {quoted(VERSION)}"
    if not isinstance(whole.get("records"), list):
        yield "/records", "required", "there is no list of records", "add `records: [...]`"
    chain = whole.get("editChain", [])
    if not isinstance(chain, list) or not all(isinstance(link, dict) for link in chain):
        yield (
            "/editChain",
            "type",
            "the edit chain is no list of objects",
            "give a list, or leave it out",
        )
    for name in ("provenance", "extensions"):
        if not isinstance(whole.get(name, {}), dict):
            yield (
                f"/{name}",
                "type",
                f"{quoted(name)} is no object",
                "give an object, or leave it out",
            )
