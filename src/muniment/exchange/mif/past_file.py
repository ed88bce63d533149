"""The past of an export, one JSON object a line, beside its manifest.

- A line's order is that of the ledger which it came from; the same past gives the same bytes.
- It is read whole or not at all: a line that is not what this program writes refuses the file.

What goes in is `usecases.past`'s, what comes of it `usecases.restore`'s.

>>> one = Past(1, "2026-07-08T12:00:00Z", "version", "mem_x", ("mem_x",))
>>> past_from(lines_of((one,))) == (one,)
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from muniment.core.access import Scope
from muniment.core.canonical import canonical
from muniment.core.codec import read, read_time
from muniment.core.diff import Application, Change, Decided, Diff
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.core.ids import is_id
from muniment.exchange.strict_json import load_json
from muniment.ports.interchange import TOLD, Past

NOT_SHOWN = ("trigger_uri", "asked")
"""What stands with a proposal's free text and is no part of its frame."""
T = TypeVar("T")


def lines_of(past: Iterable[Past]) -> bytes:
    """The file's bytes."""
    return b"".join(canonical(encode(one)) + b"\n" for one in past)


def past_from(data: bytes) -> tuple[Past, ...] | None:
    """What a file tells; None where it is not what `lines_of` writes."""
    found: list[Past] = []
    for line in data.split(b"\n")[:-1]:
        one = _past(load_json(line).value)
        if one is None or (found and one.step < found[-1].step):
            return None
        found.append(one)
    return tuple(found)


def _past(value: Any) -> Past | None:
    one = _read(Past, value)
    check = _CHECKS.get(one.kind) if one is not None else None
    whole = one is not None and check is not None and one.step > 0 and _is_time(one.at)
    return one if one is not None and whole and check is not None and check(one) else None


def _read(cls: type[T], value: Any) -> T | None:
    """The value, where nothing at all is to be said of it."""
    findings: list[Finding] = []
    found = read(cls, value, "", findings) if isinstance(value, Mapping) else None
    return None if findings else found


def _is_time(text: str) -> bool:
    return read_time(text, "", []) is not None


def _is_version(one: Past) -> bool:
    return one.about == (one.id,) and (one.claim is None or one.claim.id == one.id)


def _is_frame(one: Past) -> bool:
    frame = _read(Diff, {**one.content, **one.where})
    return frame is not None and frame.id == one.id and not frame.changes


def _is_change(one: Past) -> bool:
    told = one.content.get(TOLD)
    plain = {name: item for name, item in one.content.items() if name != TOLD}
    change = _read(Change, {**plain, **({"item": encode(one.claim)} if one.claim else {})})
    if change is None or not isinstance(told, Mapping) or not _is_placed(one):
        return False
    decided, record = _read(Decided, told.get("decision")), told.get("application")
    if decided is None or (record and _read(Application, record) is None):
        return False
    names = (decided.diff_id, "/", decided.change_id)
    return one.id.partition("/") == names and set(one.about) == set(change.subjects)


def _is_note(one: Past) -> bool:
    frame = {
        "id": one.id,
        "created_at": one.at,
        "proposed_by": "x",
        "scope": {"kind": "x", "id": "x"},
    }
    text = {name: item for name, item in one.content.items() if name not in NOT_SHOWN}
    return _read(Diff, {**frame, "trigger": {"kind": "x"}, **text}) is not None


def _is_conflict(one: Past) -> bool:
    texts = all(isinstance(v, str) for k, v in one.content.items() if k != "between")
    return len(one.about) > 1 and one.content.get("between") == list(one.about) and texts


def _is_erased(one: Past) -> bool:
    names = one.content.get("supersedes", ())
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return is_id(one.id, "mem") and texts and _is_placed(one)


def _is_placed(one: Past) -> bool:
    """Whether it says its class."""
    audience = one.where.get("audience")
    return _read(Scope, one.where.get("scope")) is not None and (
        isinstance(audience, list)
        and all(
            isinstance(some, list) and all(isinstance(x, str) for x in some) for some in audience
        )
    )


_CHECKS: Mapping[str, Callable[[Past], bool]] = {
    "version": _is_version,
    "frame": _is_frame,
    "change": _is_change,
    "note": _is_note,
    "conflict": _is_conflict,
    "erased": _is_erased,
}
