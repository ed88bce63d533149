"""The rows of some classes, as if nothing else were in the index.

- A class is one run of rows in each segment, so what may be seen is cut out by binary search (`B-FILTERFIRST`).
- Positions count the rows that are in scope alone; whatever is weighed afterwards has no place for others.
- Rows that no rule can tell apart at an instant share a group; rules are asked once for each (`groups`).

>>> from muniment.index.entry import Entry
>>> from muniment.index.blocks import Segment, written
>>> from muniment.index.table import merged, of_entries
>>> entries = [Entry(n, n % 2, 1, f"mem_{n}", 3, 5, terms=((11, 1),)) for n in range(1, 6)]
>>> view = View((Part("a", Segment({}, written(merged([of_entries(entries)])).__getitem__)),))
>>> [run.size for run in view.runs({1})], [run.size for run in view.runs({7})]
([3], [])
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from muniment.core.row import FOREVER
from muniment.index.blocks import Segment
from muniment.index.table import Array, found, named

BITS = 7
"""Bits of a group that tell times apart: three for the age of a verification, four for the ends."""


@dataclass(frozen=True, slots=True)
class Part:
    """A segment with what later rows made of it.

    Attributes:
        name: Which segment, and which state of it.
        segment: Its blocks.
        ended: Rows whose version was replaced, ascending.
        ended_in: The revision of each one's end.
    """

    name: str
    segment: Segment
    ended: Array = field(default_factory=lambda: np.empty(0, np.int64))
    ended_in: Array = field(default_factory=lambda: np.empty(0, np.int64))


def assembled(parts: Sequence[tuple[str, Segment]]) -> tuple[Part, ...]:
    """Parts with the ends that they give each other."""
    closes = [segment.closes() for _, segment in parts]
    every = np.concatenate(closes) if closes else np.empty((0, 3), np.int64)
    return tuple(_ended(Part(name, segment), every) for name, segment in parts)


def extended(parts: Sequence[Part], more: Sequence[Part]) -> tuple[Part, ...]:
    """Parts with further ones, whose rows may end rows of the first; the further ones know their own ends."""
    closes = [part.segment.closes() for part in more]
    every = np.concatenate(closes) if closes else np.empty((0, 3), np.int64)
    return (*(_ended(part, every, known=True) for part in parts), *more)


def _ended(part: Part, closes: Array, known: bool = False) -> Part:
    segment = part.segment
    rows, ends = (part.ended, part.ended_in) if known else (_own(segment))
    if len(closes):
        cls = segment.array("class").astype(np.int64)
        mine = closes[np.isin(closes[:, 0], cls)]
        if len(mine):
            at = found(
                classes_of(segment), segment.array("seq").astype(np.int64), mine[:, 0], mine[:, 1]
            )
            rows = np.concatenate([rows, at[at >= 0]])
            ends = np.concatenate([ends, mine[at >= 0, 2]])
    order = np.lexsort((ends, rows))
    rows, ends = rows[order], ends[order]
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    return Part(part.name, segment, rows[first], ends[first])


def _own(segment: Segment) -> tuple[Array, Array]:
    return segment.array("ended").astype(np.int64), segment.array("ended_in").astype(np.int64)


def classes_of(segment: Segment) -> Array:
    """The class number of each row."""
    starts = segment.array("start").astype(np.int64)
    sizes = starts[1:] - starts[:-1]
    return np.repeat(segment.array("class").astype(np.int64), sizes)


class Run:
    """The rows of one part that are in scope, in a state; positions count them alone.

    Args:
        part: The part.
        begin: Where each class's rows begin, ascending.
        end: Where they end, exclusive.
        upto: The state's revision.
        left_out: Positions that are as if they were not there.
    """

    def __init__(
        self, part: Part, begin: Array, end: Array, upto: int, left_out: Array | None = None
    ) -> None:
        self.part = part
        self.segment = part.segment
        apart = np.flatnonzero(begin[1:] != end[:-1]) + 1  # neighbours are one run
        self.begin = begin[np.append(0, apart)]
        self.end = end[np.append(apart - 1, len(end) - 1)]
        self.upto = upto
        self.left_out = np.empty(0, np.int64) if left_out is None else left_out
        self.offset = np.cumsum(self.end - self.begin) - (self.end - self.begin)
        self.size = int((self.end - self.begin).sum())

    @cached_property
    def key(self) -> tuple[str, bytes]:
        """Which rows these are."""
        places = (self.begin, self.end, self.left_out)
        return self.part.name, b"/".join(one.tobytes() for one in places)

    @cached_property
    def rows(self) -> Array:
        """The part's rows by position."""
        if len(self.begin) == 1:
            return np.arange(int(self.begin[0]), int(self.end[0]))
        shift = np.repeat(self.begin - self.offset, self.end - self.begin)
        rows: Array = np.arange(self.size) + shift
        return rows

    @cached_property
    def _edges(self) -> tuple[Array, Array]:
        """Begin and end as postings are kept: looked up as anything else, whole lists would be copied."""
        return self.begin.astype(np.uint32), self.end.astype(np.uint32)

    def take(self, column: Array) -> Array:
        """A column's values by position."""
        whole: Array = (
            column[self.begin[0] : self.end[0]] if len(self.begin) == 1 else column[self.rows]
        )
        return whole

    def cut(self, rows: Array, values: Array) -> tuple[Array, Array]:
        """Of ascending rows with values those in scope, as positions."""
        begin, end = self._edges if rows.dtype == np.uint32 else (self.begin, self.end)
        low, high = rows.searchsorted(begin), rows.searchsorted(end)
        if len(low) == 1:
            return rows[low[0] : high[0]] - self.begin[0], values[low[0] : high[0]]
        sizes = high - low
        total = int(sizes.sum())
        at = np.arange(total) + np.repeat(low - (np.cumsum(sizes) - sizes), sizes)
        return rows[at] - np.repeat(self.begin - self.offset, sizes), values[at]

    def places(self, rows: Array) -> Array:
        """The positions of those of some ascending rows that are in scope."""
        positions: Array = self.cut(rows, rows)[0]
        return positions

    @cached_property
    def live(self) -> Array:
        """Which rows hold in the state."""
        mask = np.ones(self.size, np.bool_)
        if self.segment.revision > self.upto:
            mask &= self.take(self.segment.column("revision")) <= self.upto
        ended, ends = self.part.ended, self.part.ended_in
        mask[self.places(ended[ends <= self.upto])] = False
        mask[self.left_out] = False
        return mask

    def outlived(self) -> Array:
        """Positions of live rows that a later state ended."""
        places = self.places(self.part.ended[self.part.ended_in > self.upto])
        return places[self.live[places]]

    def without(self, positions: Array) -> Run:
        """The same rows, some of them as if they were not there."""
        return Run(self.part, self.begin, self.end, self.upto, positions)

    @cached_property
    def ends(self) -> int:
        """How many of the part's rows held no longer in the state; equal counts are the same rows."""
        return int(np.count_nonzero(self.part.ended_in <= self.upto))

    @cached_property
    def is_whole(self) -> bool:
        """Whether all its rows hold."""
        return bool(self.live.all())

    def id_at(self, position: int) -> str:
        """What the row at a position is of."""
        raw: bytes = self.segment.array("id")[self.row_at(position)]
        return raw.decode("utf-8", "surrogatepass")

    def row_at(self, position: int) -> int:
        """The part's row at a position."""
        place = int(np.searchsorted(self.offset, position, side="right")) - 1
        return int(self.begin[place] + position - self.offset[place])

    def seqs(self, positions: Array) -> Array:
        """The events of some positions."""
        chosen: Array = self.segment.array("seq")[self._rows_at(positions)]
        return chosen.astype(np.int64)

    def ids(self, positions: Array) -> Array:
        """What the rows at some positions are of, as bytes."""
        chosen: Array = self.segment.array("id")[self._rows_at(positions)]
        return chosen

    def _rows_at(self, positions: Array) -> Array:
        if len(self.begin) == 1:
            return positions.astype(np.int64) + int(self.begin[0])
        place = np.searchsorted(self.offset, positions, side="right") - 1
        rows: Array = self.begin[place] + positions - self.offset[place]
        return rows

    def of_ids(self, ids: Array) -> tuple[Array, Array]:
        """Positions of live rows of some names, and the number of each one's name."""
        rows, which = self.segment.rows_of_ids(ids)
        order = np.argsort(rows, kind="stable")
        places, numbers = self.cut(rows[order], which[order])
        holds = self.live[places]
        return places[holds], numbers[holds]

    def specials(self) -> Array:
        """Positions of live rows whose relations decide."""
        places = self.places(self.segment.array("special").astype(np.int64))
        return places[self.live[places]]

    def superseding(self) -> tuple[Array, Array]:
        """Names of claims that live rows replaced, and the names of these rows' claims."""
        successors = self.segment.array("successor").astype(np.int64)
        if not len(successors):
            return np.empty(0, "S1"), np.empty(0, "S1")
        order = np.argsort(successors, kind="stable")
        places, which = self.cut(successors[order], order)
        holds = self.live[places]
        names: Array = self.segment.array("superseded")[which[holds]]
        return names, self.ids(places[holds])


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows that no rule tells apart share a number.

    Attributes:
        of: Each position's group.
        since: The first instant at which the groups are these.
        before: The first instant at which they are not.
    """

    of: Array
    since: int
    before: int


def groups(run: Run, at: int, windows: Sequence[int]) -> Groups:
    """Group a run's rows by everything that decides at an instant.

    Args:
        run: The rows.
        at: Microseconds.
        windows: How long verifications last, ascending; at most seven.
    """
    segment = run.segment
    bits: Array | int = 0
    since, before = -FOREVER, FOREVER
    for n, name in enumerate(("valid_from", "valid_until", "expires_at")):
        one = segment.constant(name)
        values = np.array([one]) if one is not None else run.take(segment.column(name))
        over = values <= at
        bits = bits | (over.astype(np.int32) << n)
        since, before = _between(values, over, since, before)
    first, last = segment.constant("valid_from"), segment.constant("valid_until")
    if first is not None and last is not None:
        ends = np.array([first >= last])
    else:
        ends = run.take(segment.column("valid_from")) >= run.take(segment.column("valid_until"))
    bits = bits | (ends.astype(np.int32) << 3)
    one = segment.constant("verified_at")
    verified = np.array([one]) if one is not None else run.take(segment.column("verified_at"))
    known = verified != -FOREVER
    stage = np.where(known, 0, len(windows) + 1).astype(np.int32)
    for window in windows:
        over = verified < at - window  # the window's last microsecond still counts
        since, before = _between(verified[known] + window + 1, over[known], since, before)
        stage += (over & known).astype(np.int32)
    bits = bits | (stage << 4)
    codes = run.take(segment.array("code")).astype(np.int32) << (BITS + 1)
    return Groups(codes | bits, since, before)


def _between(values: Array, over: Array, since: int, before: int) -> tuple[int, int]:
    """Narrow the instants between which no comparison turns out otherwise."""
    past, coming = values[over], values[~over]
    since = max(since, int(past.max())) if len(past) else since
    before = min(before, int(coming.min())) if len(coming) else before
    return since, before


@dataclass(frozen=True, slots=True)
class View:
    """All parts of one state of the index."""

    parts: tuple[Part, ...]

    def runs(self, classes: Collection[int], upto: int = FOREVER) -> tuple[Run, ...]:
        """The rows of some classes, part by part.

        Args:
            classes: Their numbers.
            upto: The revision to look at.
        """
        wanted = np.array(sorted(classes), np.int64)
        runs = []
        for part in self.parts:
            at = _among(part.segment.array("class"), wanted)
            if len(at):
                starts = part.segment.array("start").astype(np.int64)
                runs.append(Run(part, starts[at], starts[at + 1], upto))
        return tuple(runs)

    def with_part(self, part: Part) -> View:
        """This and one further part."""
        return replace(self, parts=(*self.parts, part))


def _among(held: Array, wanted: Array) -> Array:
    """The places in some ascending numbers of those that are wanted; both have each number once."""
    fitting = wanted[wanted <= held[-1]] if len(held) else wanted[:0]
    fitting = fitting.astype(held.dtype, copy=False)
    at = held.searchsorted(fitting)
    places: Array = at[held[at] == fitting]
    return places


def superseded(
    runs: Sequence[Run], more: Mapping[str, str]
) -> tuple[tuple[Array, ...], dict[str, str]]:
    """Positions in each run of rows whose claim a live row of the runs replaced.

    Args:
        runs: What is looked at.
        more: Claims that were replaced by others, and these.

    Returns:
        The positions of each run, and all replaced claims with what replaced them.
    """
    pairs = [run.superseding() for run in runs]
    successors = {
        old.decode("utf-8", "surrogatepass"): new.decode("utf-8", "surrogatepass")
        for olds, news in pairs
        for old, new in zip(olds.tolist(), news.tolist(), strict=True)
    } | dict(more)
    if not successors:
        return tuple(np.empty(0, np.int64) for _ in runs), successors
    every = named(sorted(successors))
    return tuple(run.of_ids(every)[0] for run in runs), successors
