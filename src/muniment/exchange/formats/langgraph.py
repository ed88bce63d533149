"""Items of a LangGraph store: a namespace, a key and any value.

- One claim an item: the value's `text`, `content`, `memory` or `fact`, else its one text; an object without a text is
  kept as the structured value that it is.
- A namespace is a list of names, and stays one: its steps may hold dots.
- An empty key is a key. A score belongs to a query and is left out.

>>> _said({"kind": "Note", "content": "Likes tea"}), _said({"content": {"name": "Robin"}})
('Likes tea', '')
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import (
    Tools,
    given,
    mapping_of,
    objects,
    text_of,
    texts_of,
    without,
    worded,
)
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_WORDS = ("text", "content", "memory", "fact", "data", "observation")
_LISTS = ("items", "results", "memories")


def weigh(shape: Shape) -> Weight:
    """By `namespace`, `key` and `value`."""
    if shape.kind in ("lines", "array", "object") and shape.has("namespace", "key", "value"):
        return 90, "`namespace`, `key` and `value`"
    for key in _LISTS:
        if {"namespace", "key", "value"} <= shape.inside(key):
            return 90, f"`{key}` with `namespace`, `key` and `value`"
    return 0, "no `namespace`, `key` and `value`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate an item."""
    for root in records_of(file):
        lists = [n for k, n in root.members() if k in _LISTS and n.kind == "array"]
        nodes = (item for one in lists for item in one.items()) if lists else iter((root,))
        for found in objects(nodes):
            if isinstance(found, Finding):
                yield found
                continue
            yield Record()
            yield found if isinstance(found, Skipped) else _item(*found)


def _item(node: Node, value: dict[str, Any]) -> Yielded:
    steps = value.get("namespace")
    names = [str(step) for step in steps] if isinstance(steps, list) else texts_of([steps])
    key = value.get("key") if isinstance(value.get("key"), str) else ""
    inner = value.get("value")
    text = _said(inner)
    kind = text_of(mapping_of(inner).get("kind"))
    if not text and inner in (None, "", {}, []):
        return Skipped(node.place, key or "item", "its value is empty")
    words = worded(text or f"{kind or key or 'item'}: {json.dumps(inner, ensure_ascii=False)}")
    preference = "preference" in kind.lower()
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=json.dumps([*names, key], ensure_ascii=False),
        is_record=True,
        account="",
        type="user_preference" if preference else "project_fact",
        content_kind="preference" if preference else "text" if text else "structured_data",
        tags=(kind,) if kind else (),
        dates=all_stated(
            stated("created", value.get("created_at")), stated("updated", value.get("updated_at"))
        ),
        foreign={"namespace": list(names), "key": key}
        | given(without(mapping_of(inner), *_WORDS), "importance", "confidence"),
        doubts=words.doubts,
    )


def _said(value: Any) -> str:
    if isinstance(value, str):
        return text_of(value)
    found = mapping_of(value)
    for key in _WORDS:
        if text_of(found.get(key)):
            return text_of(found[key])
    texts = [text for key, v in found.items() if key != "kind" and (text := text_of(v))]
    return texts[0] if len(texts) == 1 and len(found) == 1 else ""


FORMAT = Format("langgraph", "LangGraph store items", weigh, read)
