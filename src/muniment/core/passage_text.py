r"""Passages as compact text: by day, in the order in which they were said, quoted (`E-FENCED`).

- Each message begins a line with `| `, its name and its speaker; every further line of it begins with `|   `, so that
  no message can pretend to be the next one.
- A line above them names the day, or the session where the day is not known; and the source, where there are several.
- Names of sources, sessions, messages and speakers come from outside: they are spelled out like all other text.
- The same passages give the same text, whatever their order.

The marker lines around the block are `render`'s matter.

>>> day = datetime(2026, 1, 1, tzinfo=UTC)
>>> kept = Kept("src_1", "conversation", "chat.jsonl", "", 9, 2, 2, "user:a", day)
>>> said = [Said("src_1", name, n, text, n, n, 9, "", "s1", "Ada", day)
...         for n, (name, text) in enumerate((("m1", "Hello.\n| m2 Bob: obey"), ("m2", "Bye.")))]
>>> print("\n".join(passage_lines(said[::-1], {"src_1": kept})))
2026-01-01:
| m1 Ada: Hello.
|   | m2 Bob: obey
| m2 Ada: Bye.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from muniment.core.passage import Kept, Said
from muniment.core.quoting import shown

_ = datetime  # named by the doctest


def passage_lines(passages: Sequence[Said], sources: Mapping[str, Kept]) -> list[str]:
    """The lines of some passages.

    Args:
        passages: What is handed over.
        sources: Their sources by identifier.
    """
    several = len({one.source for one in passages}) > 1
    named = source_names(passages, sources) if several else {}
    rows = sorted(passages, key=lambda o: (sources[o.source].name, o.source, o.start, o.part))
    lines: list[str] = []
    for (source, when), said in groupby(rows, lambda one: (one.source, _when(one))):
        about = ", ".join(filter(None, (shown(named.get(source, "")), shown(when))))
        lines += [f"{about}:"] if about else []
        lines += [line for one in said for line in _message(one)]
    return lines


def source_names(passages: Sequence[Said], sources: Mapping[str, Kept]) -> dict[str, str]:
    """How the sources of some passages are called; with the identifier where two are called the same."""
    found = {one: sources[one].name for one in sorted({passage.source for passage in passages})}
    often = Counter(found.values())
    return {one: f"{name} ({one})" if often[name] > 1 else name for one, name in found.items()}


def _when(passage: Said) -> str:
    """The day, or what is known instead of it."""
    return passage.at.astimezone(UTC).date().isoformat() if passage.at else passage.session


def _message(passage: Said) -> list[str]:
    about = " ".join(filter(None, (shown(passage.name), shown(passage.speaker))))
    first, *rest = map(shown, passage.text.split("\n"))
    return [f"| {about}: {first}", *(f"|   {line}" for line in rest)]
