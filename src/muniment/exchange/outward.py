"""Formats to export to; whoever adds one adds a row.

>>> [one.name for one in EXPORTS][:3]
['jsonl', 'mcp-memory', 'mem0']
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.exchange import managed_block
from muniment.exchange.naming import by_name
from muniment.exchange.reading import mapping_of, text_of
from muniment.ports.exporting import ExportFormat, Files, Portable

_BOUNDARIES = (
    "scope",
    "visibility",
    "allowed and prohibited uses",
    "validity",
    "conflicts",
    "review",
)


def write_jsonl(items: Sequence[Portable]) -> Files:
    """One line a claim, whole, with its status and labels; a first line says what it is."""
    head = {"muniment": "export/1", "claims": len(items)}
    rows = [
        head,
        *(
            {"claim": encode(one.claim), "status": one.status, "labels": list(one.labels)}
            for one in items
        ),
    ]
    yield "", _lines(rows)


def write_mcp(items: Sequence[Portable]) -> Files:
    """Entities with observations and relations, as the MCP reference server keeps them."""
    entities: dict[str, dict[str, Any]] = {}
    relations: dict[tuple[str, str, str], dict[str, Any]] = {}
    for claim in (one.claim for one in items):
        if claim.content_kind == "relationship" and claim.facts:
            for fact in claim.facts:
                edge = {
                    "type": "relation",
                    "from": fact.subject,
                    "to": fact.object,
                    "relationType": fact.predicate,
                }
                relations.setdefault((fact.subject, fact.predicate, fact.object), edge)
                for name in (fact.subject, fact.object):
                    _entity(entities, name, claim)
            continue
        name = _about(claim)
        text = claim.claim.removeprefix(f"{name}: ")
        row = _entity(entities, name, claim)
        row["observations"] = list(dict.fromkeys([*row["observations"], text]))
    yield "", _lines([*entities.values(), *relations.values()])


def write_mem0(items: Sequence[Portable]) -> Files:
    """The object that `get_all` answers, one memory a claim."""
    text = json.dumps(
        {"results": [_memory(one.claim) for one in items]}, ensure_ascii=False, indent=2
    )
    yield "", (text + "\n").encode()


def _about(claim: Claim) -> str:
    """The one thing that a claim is about: its only entity, its fact's subject, else its scope."""
    if len(claim.entities) == 1:
        return claim.entities[0].name
    subjects = {fact.subject for fact in claim.facts if fact.subject}
    return subjects.pop() if len(subjects) == 1 else str(claim.scope)


def _entity(entities: dict[str, dict[str, Any]], name: str, claim: Claim) -> dict[str, Any]:
    kind = next((entity.type for entity in claim.entities if entity.name == name), "")
    row = entities.setdefault(
        name, {"type": "entity", "name": name, "entityType": kind, "observations": []}
    )
    row["entityType"] = row["entityType"] or kind
    return row


def _memory(claim: Claim) -> dict[str, Any]:
    brought = mapping_of(claim.extensions.get("import"))
    from_mem0 = brought.get("format") == "mem0"
    dates, foreign = mapping_of(brought.get("dates")), mapping_of(brought.get("foreign"))
    own = text_of(brought.get("foreign_id")) if from_mem0 else ""
    metadata = {
        "muniment_id": claim.id,
        "type": claim.type,
        "scope": str(claim.scope),
        "source": claim.source.uri,
    }
    return {
        "id": own or claim.id,
        "memory": claim.body or claim.claim,
        "metadata": {**metadata, **({"tags": list(claim.tags)} if claim.tags else {})},
        "created_at": dates.get("created") if from_mem0 else encode(claim.created_at),
        "updated_at": dates.get("updated") if from_mem0 else None,
        **({"expiration_date": encode(end)[:10]} if (end := claim.freshness.expires_at) else {}),
        **{
            key: foreign[key]
            for key in ("user_id", "agent_id", "app_id", "run_id")
            if from_mem0 and key in foreign
        },
    }


def _lines(rows: Iterable[Any]) -> bytes:
    return "".join(
        json.dumps(row, ensure_ascii=False, sort_keys=False) + "\n" for row in rows
    ).encode()


EXPORTS: tuple[ExportFormat, ...] = (
    ExportFormat("jsonl", "one whole claim a line", write_jsonl, keeps_boundaries=True),
    ExportFormat("mcp-memory", "memory of the MCP reference server (JSONL)", write_mcp,
                 lost=(*_BOUNDARIES, "sources", "dates", "confidence", "titles and tags")),
    ExportFormat("mem0", "mem0 memories (JSON)", write_mem0, lost=(*_BOUNDARIES, "evidence", "confidence", "facts")),
    ExportFormat("block", "a managed block in AGENTS.md, CLAUDE.md or a rules file", managed_block.write,
                 update=managed_block.updated, lost=(*_BOUNDARIES, "evidence", "dates", "confidence")),
)  # fmt: skip


def export_named(name: str, formats: tuple[ExportFormat, ...] = EXPORTS) -> ExportFormat:
    """The format of a name.

    Raises:
        InvalidInput: There is none.
    """
    return by_name(name, formats, "written")
