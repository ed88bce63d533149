"""Durations, validity and decay as the format defines them (MIF section 9).

- A duration is ISO 8601, really read: `P3X` begins with `P` and is none. A month or year counts as 30 or 365 days here,
  because decay has no calendar.
- `none`: 1. `linear`: 1 - t/ttl. `exponential`: e^(-t/halfLife), by the published formula, which is 0.368 after one
  half-life and not 0.5. `step`: 1 while t < ttl, then 0.
- `validUntil` and the end of a time to live are exclusive. Decay says how fresh something is, never whether it is true.

Times come in; there is no clock here.

>>> seconds("P7D"), seconds("P1.5D"), seconds("P3X"), seconds("P1Y2M")
(604800.0, 129600.0, None, 36720000.0)
>>> [round(strength({"model": "exponential", "halfLife": "P7D"}, None, days * 86400.0), 3) for days in (0, 7, 14)]
[1.0, 0.368, 0.135]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from muniment.core.decay import left

DAY = 86_400.0
FORMULAS = (
    ("none", "1"),
    ("linear", "1 - t/ttl"),
    ("exponential", "e^(-t/halfLife)"),
    ("step", "1 if t < ttl else 0"),
)


def seconds(duration: Any) -> float | None:
    """The length of an ISO 8601 duration; None where it is none."""
    if not isinstance(duration, str) or len(duration) > 100 or not duration.startswith("P"):
        return None
    import isodate

    try:
        parsed = isodate.parse_duration(duration, as_timedelta_if_possible=False)
        years, months = float(parsed.years), float(parsed.months)
        total = parsed.tdelta.total_seconds() + (years * 365 + months * 30) * DAY
    except (isodate.ISO8601Error, OverflowError, ValueError, ArithmeticError):
        return None
    return total if math.isfinite(total) and total >= 0 else None


def strength(decay: Mapping[str, Any], ttl: Any, elapsed: float) -> float | None:
    """The strength after `elapsed` seconds, in [0, 1]; None where the parameters do not give one.

    Args:
        decay: The `temporal.decay` object.
        ttl: The `temporal.ttl` duration.
        elapsed: Seconds since it was recorded or last reinforced; before that the strength is 1.

    >>> [strength({"model": "linear"}, "P10D", d * DAY) for d in (0, 5, 10, 20)]
    [1.0, 0.5, 0.0, 0.0]
    >>> [strength({"model": "step"}, "P10D", d * DAY) for d in (9.99, 10)], strength({"model": "linear"}, None, 1)
    ([1.0, 0.0], None)
    """
    model = decay.get("model", "none")
    return left(
        model, seconds(decay.get("halfLife")) if model == "exponential" else seconds(ttl), elapsed
    )


def stated_strength(decay: Mapping[str, Any]) -> Any:
    """The strength that a concept states, by either of its two names.

    >>> stated_strength({"strength": 0.5}), stated_strength({"currentStrength": 0.4}), stated_strength({})
    (0.5, 0.4, None)
    """
    return decay.get("currentStrength", decay.get("strength"))


def may_compress(age_days: float, lines: int, current: float | None) -> bool:
    """Whether the criteria of section 5.6.2 allow a summary to stand for the content.

    >>> may_compress(31, 101, None), may_compress(30, 101, None), may_compress(1, 101, 0.29), may_compress(99, 100, 0.1)
    (True, False, True, False)
    """
    return lines > 100 and (age_days > 30 or (current is not None and current < 0.3))


def default_decay(concept_type: str) -> Mapping[str, str]:
    """What the AI memory profile assumes where a memory states no decay; never written into one.

    >>> default_decay("episodic")["halfLife"], default_decay("semantic")["halfLife"]
    ('P7D', 'P30D')
    """
    half_life = {"episodic": "P7D", "semantic": "P30D"}.get(concept_type, "P30D")
    return {"model": "exponential", "halfLife": half_life}


def recall_score(similarity: float, current: float) -> float:
    """The profile's ranking of a recall: similarity times strength.

    >>> recall_score(0.8, 0.5)
    0.4
    """
    return similarity * current
