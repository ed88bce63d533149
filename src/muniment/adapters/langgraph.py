"""LangGraph's store on notes and reviewed memory (`muniment[langgraph]`).

- An item that is put is a note of the agent's own: read again at once, and gone after its `ttl` (minutes), or after
  `lasts` where it has none. What it says in words is proposed too.
- A search with a query finds items by their words, and beside them what reviewed memory says, one of each in turn.
  A reviewed item's namespace ends with `reviewed` and its key is the claim's identifier; its value has the text, the
  claim with its citations, and what the packet warns of. A score is a share of words here and a relevance there.
- Every item says which it is: `item.label` is `own note` or `reviewed`.
- `index` names the fields that are searched and proposed; nothing is embedded. Reading renews an item that has a `ttl`.

    store = MunimentStore(memory, scope="task:support", ttl={"default_ttl": 60 * 24})
    graph = builder.compile(store=store)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from muniment.adapters.direct import LEAST_WORDS, Direct
from muniment.adapters.filters import has_path, meets
from muniment.adapters.keys import joined, parted
from muniment.adapters.reviewed import REVIEWED, evidence_of, warnings_of
from muniment.core.errors import Finding, InvalidInput
from muniment.core.ids import is_id
from muniment.core.note import Note, share_of, statements_of
from muniment.memory import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        PutOp,
        SearchItem,
        SearchOp,
        get_text_at_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ImportError(
        "LangGraph's store needs the package `langgraph-checkpoint`: pip install 'muniment[langgraph]'"
    ) from error

PREFIX = "langgraph/"
OWN = "own note"
Statements = Callable[[tuple[str, ...], str, Mapping[str, Any]], Sequence[str]]


class LabelledItem(Item):
    """An item that says whether it was reviewed.

    Attributes:
        label: `own note` or `reviewed`.
    """

    __slots__ = ("label",)

    def __init__(self, label: str, **parts: Any) -> None:
        super().__init__(**parts)
        self.label = label


class LabelledSearchItem(SearchItem):
    """An item that was found, and says whether it was reviewed.

    Attributes:
        label: `own note` or `reviewed`.
    """

    __slots__ = ("label",)

    def __init__(self, label: str, **parts: Any) -> None:
        super().__init__(**parts)
        self.label = label

    def dict(self) -> dict[str, Any]:
        """The item as plain values."""
        return {**super().dict(), "label": self.label}


@dataclass(frozen=True, slots=True)
class _Kept:
    """A note as the item that it keeps."""

    note: Note
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    index: Any
    ttl: float | None

    @property
    def parts(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "key": self.key,
            "value": self.value,
            "created_at": self.note.created_at,
            "updated_at": self.note.updated_at,
        }


class MunimentStore(BaseStore):
    """A store whose writes are the agent's own and end, and whose searches also ask reviewed memory.

    Args:
        memory: Acts as the agent.
        index: `{"fields": […]}`, the paths that are searched and proposed; all by default.
        ttl: As LangGraph's stores take it: `default_ttl` in minutes, `refresh_on_read`.
        statements: What of a value is proposed; by default the lines of its indexed texts that state something.
        **direct: Parts of `adapters.direct.Direct`: scope, lasts, propose, origin, parts, use, budget, refused.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        index: Mapping[str, Any] | None = None,
        ttl: Mapping[str, Any] | None = None,
        statements: Statements | None = None,
        **direct: Any,
    ) -> None:
        unknown = sorted(set(index or {}) - {"fields"})
        if unknown:
            raise ValueError(
                f"`index` takes `fields` alone, not {', '.join(unknown)}: notes are found by their words"
            )
        self.direct = Direct(memory, **direct)
        self.ttl_config = dict(ttl) if ttl else None
        self._fields = tuple((index or {}).get("fields") or ("$",))
        self._statements = statements

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Do several things: what reads sees the state before, then what writes follows, in order.

        Raises:
            InvalidNamespaceError: A namespace is none.
            InvalidInput: A value may not be kept; what was written before it in the batch stays.
        """
        given = list(ops)
        for op in given:
            validate_op_namespace(op)
            if isinstance(op, PutOp) and op.namespace[-1:] == (REVIEWED,):
                raise InvalidNamespaceError(
                    f"`{REVIEWED}` is what was reviewed: put it elsewhere, and it is proposed"
                )
        results = [None if isinstance(op, PutOp) else self._read(op) for op in given]
        last = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        for op in last.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """The same in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Any) -> Any:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"a store has no operation {type(op).__name__}")

    # --- writing ----------------------------------------------------------------------------------

    def _put(self, op: Any) -> None:
        name = _name(op.namespace, op.key)
        if op.value is None:
            if self.direct.note(name) is not None:
                self.direct.delete(name)
            return
        envelope: dict[str, Any] = {"value": op.value}
        if op.ttl is not None:
            envelope["ttl"] = op.ttl
        if op.index is not None:
            envelope["index"] = op.index
        said = [] if op.index is False else self._said(op.namespace, op.key, op.value, op.index)
        lasts = None if op.ttl is None else op.ttl * 60
        self.direct.write(name, _written(envelope), said, lasts)

    def _said(
        self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any], index: Any
    ) -> Sequence[str]:
        if self._statements is not None:
            return tuple(self._statements(namespace, key, value))
        texts = chain.from_iterable(_texts_in(value, path) for path in index or self._fields)
        return statements_of("\n".join(texts), least=LEAST_WORDS)

    # --- reading ----------------------------------------------------------------------------------

    def _get(self, op: Any) -> Item | None:
        if op.namespace[-1:] == (REVIEWED,) and is_id(op.key, "mem"):
            return next(self._reviewed("", op.namespace[:-1], LabelledItem, ids=(op.key,)), None)
        note = self.direct.note(_name(op.namespace, op.key))
        if note is None:
            return None
        kept = _kept(note)
        self._renew([kept] if op.refresh_ttl else [])
        return LabelledItem(OWN, **kept.parts)

    def _search(self, op: Any) -> list[SearchItem]:
        own = list(self._own(op))
        most = op.offset + op.limit
        reviewed: list[Any] = []
        if op.query and most > 0:
            found = self._reviewed(op.query, op.namespace_prefix, _scored, k=most)
            reviewed = [item for item in found if meets(item.value, op.filter)]
        pairs = zip_longest(
            ((item, kept) for item, kept in own), ((item, None) for item in reviewed)
        )
        page = [one for pair in pairs for one in pair if one][op.offset : most]
        self._renew([kept for _, kept in page if kept] if op.refresh_ttl else [])
        return [item for item, _ in page]

    def _own(self, op: Any) -> Iterator[tuple[SearchItem, _Kept]]:
        """One's own items under a prefix: those with most of the query's words first, then written last."""
        under = joined(op.namespace_prefix)
        found = [
            (kept, self._share(op.query, kept))
            for note in self.direct.notes(PREFIX + (f"{under}/" if under else ""))
            if meets((kept := _kept(note)).value, op.filter)
        ]
        found.sort(key=lambda one: one[0].note.updated_at, reverse=True)
        found.sort(key=lambda one: one[1] or 0.0, reverse=True)
        for kept, share in found:
            if share != 0:
                yield LabelledSearchItem(OWN, **kept.parts, score=share), kept

    def _share(self, query: str | None, kept: _Kept) -> float | None:
        """The share of the query's words in what of an item is searched; None where nothing is asked."""
        if not query:
            return None
        if kept.index is False:
            return 0.0
        paths = kept.index or self._fields
        return share_of(query, *chain.from_iterable(_texts_in(kept.value, path) for path in paths))

    def _reviewed(
        self, query: str, prefix: tuple[str, ...], make: Callable[..., Any], **options: Any
    ) -> Iterator[Any]:
        packet = self.direct.ask(query, **options)
        told = warnings_of(packet)
        for (item, text), of in zip(evidence_of(packet), packet.items, strict=True):
            at = of.claim.created_at or of.claim.source.observed_at
            yield make(
                REVIEWED,
                namespace=(*prefix, REVIEWED),
                key=item["id"],
                value={"text": text, "reviewed": item, **told},
                created_at=at,
                updated_at=of.claim.review.reviewed_at or at,
            )

    def _namespaces(self, op: Any) -> list[tuple[str, ...]]:
        every = {_kept(note).namespace for note in self.direct.notes(PREFIX)}
        wanted = op.match_conditions or ()
        found = {
            namespace[: op.max_depth] if op.max_depth is not None else namespace
            for namespace in every
            if all(has_path(namespace, one.path, one.match_type) for one in wanted)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _renew(self, read: Sequence[_Kept]) -> None:
        """Move the ends of what was read and has a time to live of its own."""
        lasts = {kept.note.key: kept.ttl * 60 for kept in read if kept.ttl}
        if lasts:
            self.direct.memory.renew_notes(lasts, scope=self.direct.scope)


def _scored(label: str, *, value: dict[str, Any], **parts: Any) -> SearchItem:
    share = value["reviewed"]["relevance"]["value"]
    return LabelledSearchItem(label, value=value, score=share, **parts)


def _name(namespace: tuple[str, ...], key: str) -> str:
    return PREFIX + joined((*namespace, key))


def _written(envelope: Mapping[str, Any]) -> str:
    """An item as the text of a note.

    Raises:
        InvalidInput: Its value is not JSON.
    """
    try:
        return json.dumps(envelope, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        fix = "put texts, finite numbers, true, false, null, lists and objects of them"
        found = Finding("not_json", f"the value is not JSON: {error}", "/value", fix)
        raise InvalidInput.of((found,)) from error


def _kept(note: Note) -> _Kept:
    *namespace, key = parted(note.key.removeprefix(PREFIX))
    read = json.loads(note.text)
    return _Kept(note, tuple(namespace), key, read["value"], read.get("index"), read.get("ttl"))


def _texts_in(value: Any, path: str) -> Iterator[str]:
    """The texts at a path of a value; all of its texts at `$`."""
    if path != "$":
        yield from get_text_at_path(value, path)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(one, "$")
