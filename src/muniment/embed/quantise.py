"""Make int8 vectors of sums, the same bits on every machine.

- Sums are integers, so that the order in which they were added cannot matter.
- A vector is the sum as a unit vector times 127, rounded to the nearest, halves to even (DESIGN section 5).
- What is left after that is one row's matter: no other row, batch or thread changes it.

>>> import numpy as np
>>> [np.frombuffer(v, np.int8).tolist() for v in unit_bytes(np.array([[3, -4], [0, 0], [1 << 40, 0]]))]
[[76, -102], [], [127, 0]]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Sums = npt.NDArray[np.int64]

_BITS = 25  # numbers below 2 ** 25: the squares of 4,096 of them still fit an int64
_MOST = 1 << 12  # columns


def unit_bytes(sums: Sums) -> list[bytes]:
    """Each row as a unit vector of signed bytes; `b""` for a row of zeros.

    Args:
        sums: int64 [n, d], below 2⁵³ each.
    """
    rows, width = sums.shape
    if not rows or not width:
        return [b""] * rows
    bits = _BITS - max(0, (width - 1) // _MOST).bit_length()
    peaks = np.abs(sums).max(axis=1)
    excess = np.maximum(np.frexp(peaks.astype(np.float64))[1] - bits, 0).astype(np.int64)
    small = sums >> excess[:, None]  # what is shifted out is below 2 ** -20 of the largest number
    squares = (small * small).sum(axis=1)
    lengths = np.sqrt(np.maximum(squares, 1).astype(np.float64))
    bytewise = np.rint(small * 127.0 / lengths[:, None]).astype(np.int8)
    return [row.tobytes() if peak else b"" for row, peak in zip(bytewise, peaks, strict=True)]


def whole_numbers(rows: npt.NDArray[Any]) -> Sums:
    """Finite numbers as integers of 25 bits, each row by its own largest.

    Args:
        rows: [n, d] finite numbers.
    """
    floats = rows.astype(np.float64)
    peaks = np.abs(floats).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(floats, peaks, out=np.zeros_like(floats), where=peaks > 0)
    whole: Sums = np.rint(scaled * (1 << _BITS)).astype(np.int64)
    return whole


def mean_of(units: list[bytes], weights: list[int]) -> bytes:
    """The direction of several vectors together; vectors without one (`b""`) are left out.

    Args:
        units: Vectors of one space.
        weights: How much each counts, whole numbers.

    >>> list(mean_of([bytes([127, 0]), bytes([0, 127])], [1, 1]))
    [90, 90]
    """
    kept = [(unit, weight) for unit, weight in zip(units, weights, strict=True) if unit]
    if not kept:
        return b""
    rows = np.array([np.frombuffer(unit, np.int8) for unit, _ in kept]).astype(np.int64)
    shares = np.array([weight for _, weight in kept], dtype=np.int64)
    return unit_bytes((shares[:, None] * rows).sum(axis=0, keepdims=True))[0]
