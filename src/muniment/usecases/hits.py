"""What scoring hands on: rows that were chosen, read and scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.rank import Relevance
from muniment.core.row import Row
from muniment.usecases.judging import Ref
from muniment.usecases.traverse import Walked


@dataclass(frozen=True, slots=True)
class Hit:
    """A claim that was read and scored."""

    row: Row
    content: Mapping[str, Any]
    relevance: Relevance


@dataclass(frozen=True, slots=True)
class Scored:
    """What was found, best first.

    Attributes:
        supported: Enough to answer with.
        below_threshold: Supported, and below the asker's own threshold.
        near: How many eligible claims hold some word of the query and are not supported.
        over_pool: How many could be supported, and are not among the best that were read.
        refused: Refused and supported: what is left out, with the rules.
        matched: How many eligible rows hold a word of the query or are named by it.
        filtered: How many of these the filters took out.
        terms: The words of the query.
        walked: What a walk along facts, entities and relationships came to.
    """

    supported: tuple[Hit, ...]
    below_threshold: tuple[Hit, ...]
    near: int
    over_pool: int
    refused: tuple[tuple[Hit, tuple[str, ...]], ...]
    matched: int
    filtered: int
    terms: tuple[str, ...]
    walked: Walked = field(default_factory=Walked)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rows that a request can have meant.

    Attributes:
        rows: The best, as many as are read.
        matched: How many rows were meant before filters.
        filtered: How many of these the filters took out.
        rest: How many passed and are not read.
        over: How many of these could be supported, for all that their columns tell.
        refs: Where those of `rows` are that the query does not name.
    """

    rows: list[Row]
    matched: int
    filtered: int
    rest: int = 0
    over: int = 0
    refs: frozenset[Ref] = frozenset()
