"""Values to columns and back, cheaply: ten thousand rows are decoded for one recall.

- A tuple of words is one text with spaces between; where that would be ambiguous it is a JSON array.
- A row is built by position; `COLUMNS` follows the fields of `core.row.Row`.
- What a class holds is decoded once for each text.

>>> [unpack(pack(value)) for value in ((), ("a", "b"), ("a b",), ("",), ("[",))]
[(), ('a', 'b'), ('a b',), ('',), ('[',)]
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from muniment.core.access import Scope
from muniment.core.event import Envelope
from muniment.core.row import Row
from muniment.store.sealing import Where

COLUMNS = (
    "seq revision claim_id version cls review until_revision retired valid_from valid_until expires_at verified_at"
    " recorded_at created_at type memory_type origin derivation reading derived_stale allowed prohibited supersedes"
    " superseded_by conflicts derived_from length confidence importance keys"
).split()


def pack(values: Sequence[str]) -> str:
    """A tuple as one text."""
    text = " ".join(values)
    if text.startswith("[") or len(text.split()) != len(values) or tuple(text.split(" ")) != values:
        return json.dumps(list(values)) if values else ""
    return text


def _unpack(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    if text.startswith("["):
        return tuple(json.loads(text))
    return tuple(text.split(" "))


unpack = lru_cache(maxsize=4096)(_unpack)
"""The tuple again; few different texts make up most columns."""


_SETTERS = tuple(getattr(Row, name).__set__ for name in COLUMNS)
_PACKED = tuple(
    COLUMNS.index(name)
    for name in ("allowed", "prohibited", "supersedes", "conflicts", "derived_from")
)
_KEYS = COLUMNS.index("keys")


def row_of(columns: tuple[Any, ...]) -> Row:
    """A row from the columns of a version, in the order of `COLUMNS`.

    Its slots are filled directly: a frozen dataclass's own `__init__` takes half as long again, ten thousand times.
    """
    values = list(columns)
    for place in _PACKED:
        values[place] = unpack(values[place])
    values[_KEYS] = _unpack(values[_KEYS])  # hardly ever the same twice
    row: Row = object.__new__(Row)
    for setter, value in zip(_SETTERS, values, strict=True):
        setter(row, value)
    return row


def columns_of(tenant: int, cls: int, row: Row) -> tuple[Any, ...]:
    """The columns of the table `version`, in the table's order."""
    return (
        tenant,
        cls,
        row.seq,
        row.revision,
        row.claim_id,
        row.version,
        row.review,
        row.until_revision,
        row.retired,
        row.valid_from,
        row.valid_until,
        row.expires_at,
        row.verified_at,
        row.recorded_at,
        row.created_at,
        row.type,
        row.memory_type,
        row.origin,
        row.derivation,
        row.reading,
        row.derived_stale,
        pack(row.allowed),
        pack(row.prohibited),
        pack(row.supersedes),
        row.superseded_by,
        pack(row.conflicts),
        pack(row.derived_from),
        row.length,
        row.confidence,
        row.importance,
        pack(row.keys),
    )


def envelope_of(t: tuple[Any, ...]) -> Envelope:
    """An envelope from its columns, digests as bytes."""
    seq, revision, at, kind, id, parent, subjects, cls, bound, previous, hash = t
    return Envelope(
        seq,
        revision,
        at,
        kind,
        id,
        parent,
        unpack(subjects),
        cls or "",
        bound.hex(),
        previous.hex(),
        hash.hex(),
    )


@lru_cache(maxsize=4096)
def where_of(kind: str, id: str, audience: str) -> Where:
    """What a class holds."""
    return Scope(kind, id), tuple(tuple(alternative) for alternative in json.loads(audience))
