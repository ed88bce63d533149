"""How much of a claim's strength is left by the decay model that it states (MIF section 9).

- `none`: all of it. `linear`: 1 - t/ttl. `exponential`: e^(-t/halfLife), by the published formula, which is 0.368
  after one half-life and not 0.5. `step`: all of it while t < ttl, then nothing.
- Time runs from when the claim was last reinforced, else from when it was first recorded; before that all is left.
- A model without the parameters that its formula needs says nothing, and takes nothing away.
- Decay orders what answers. It says neither whether a claim is true nor how much it is believed, and hides nothing:
  the end of a time to live is `status`' matter.

>>> month = {"model": "exponential", "halfLife": "P30D"}
>>> [share(strength(month, 0, 0, days * DAY)) for days in (0, 30, 60)]
[1.0, 0.3679, 0.1353]
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from muniment.core.codec import micros
from muniment.core.rank import share
from muniment.core.ranking import ONE

_ = share  # named by the doctest
DAY = 86_400_000_000
"""Microseconds."""
LONGEST = 100
"""Characters of a duration; none that is longer is read."""

_DURATION = re.compile(
    r"P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?"
    r"(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?"
)
_LENGTHS = (365 * 86_400, 30 * 86_400, 7 * 86_400, 86_400, 3_600, 60, 1)


def seconds(duration: Any) -> float | None:
    """The length of an ISO 8601 duration, with 365 days a year and 30 a month; None where it is none.

    >>> seconds("P7D"), seconds("P1.5D"), seconds("PT12H"), seconds("P3X"), seconds("P"), seconds(7)
    (604800.0, 129600.0, 43200.0, None, None, None)
    """
    if not isinstance(duration, str) or len(duration) > LONGEST or not duration.isascii():
        return None
    found = _DURATION.fullmatch(duration)
    if found is None or duration.endswith("T"):
        return None
    parts = zip(found.groups(), _LENGTHS, strict=True)
    return sum(float(one.replace(",", ".")) * length for one, length in parts if one)


def left(model: Any, life: float | None, elapsed: float) -> float | None:
    """What is left after some time, in [0, 1]; None where the model or its parameter gives nothing.

    Args:
        model: One of the four.
        life: Seconds: the half-life of an exponential model, the time to live of a linear one or a step.
        elapsed: Seconds; less than 0 counts as 0.

    >>> [left("linear", 10.0, at) for at in (-1, 0, 5, 10, 20)]
    [1.0, 1.0, 0.5, 0.0, 0.0]
    >>> [left("step", 10.0, at) for at in (9.99, 10)], left("none", None, 5), left("linear", None, 5), left("x", 1.0, 5)
    ([1.0, 0.0], 1.0, None, None)
    """
    elapsed = max(elapsed, 0.0)
    if model == "none":
        return 1.0
    if not life:
        return None
    if model == "exponential":
        return math.exp(-elapsed / life)
    if model == "linear":
        return max(0.0, 1.0 - elapsed / life)
    return (1.0 if elapsed < life else 0.0) if model == "step" else None


def strength(decay: Mapping[str, Any], ttl: int, recorded_at: int, at: int) -> int:
    """What is left of a claim's strength, fixed point; all of it where it states no model that says something.

    Args:
        decay: What the claim states: `model`, `halfLife`, `lastReinforced`.
        ttl: Its time to live, seconds; 0 for none.
        recorded_at: When it was first recorded, microseconds.
        at: The instant, microseconds.

    >>> [share(strength({"model": "linear"}, 100, 0, second * 1_000_000)) for second in (0, 50, 100)]
    [1.0, 0.5, 0.0]
    >>> reinforced = {"model": "step", "lastReinforced": "1970-01-02T00:00:00Z"}
    >>> [share(strength(reinforced, 60, 0, DAY + second * 1_000_000)) for second in (59, 60)]
    [1.0, 0.0]
    >>> share(strength({}, 60, 0, DAY)), share(strength({"model": "linear"}, 0, 0, DAY))
    (1.0, 1.0)
    """
    model = decay.get("model")
    life = seconds(decay.get("halfLife")) if model == "exponential" else float(ttl)
    since = _instant(decay.get("lastReinforced"), recorded_at)
    found = left(model, life, (at - since) / 1_000_000)
    return ONE if found is None else math.floor(found * ONE + 0.5)


def _instant(given: Any, otherwise: int) -> int:
    """A time with an offset, microseconds; what it is otherwise where none is given."""
    if not isinstance(given, str):
        return otherwise
    try:
        read = datetime.fromisoformat(given)
    except ValueError:
        return otherwise
    return otherwise if read.tzinfo is None else micros(read)
