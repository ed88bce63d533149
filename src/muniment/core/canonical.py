"""One byte form for one value, and its digest.

- The form is RFC 8785 (JSON Canonicalization Scheme): sorted by UTF-16 code units, shortest numbers, no white space.
- Not representable and refused: NaN, infinities, lone surrogates, integers beyond 2**53, keys that are not text.
- Whoever signs, hashes or compares a value does so over these bytes.

>>> canonical({"b": 1.0, "a": "ü"})
b'{"a":"\\xc3\\xbc","b":1}'
>>> digest({}) == digest(dict())
True
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Mapping
from typing import Any

_LARGEST = 2**53 - 1
_text = json.JSONEncoder(ensure_ascii=False).encode  # made once: `dumps` makes an encoder a call
_simple = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value: Any) -> bytes:
    """The canonical bytes of a JSON value.

    Raises:
        ValueError: The value has no canonical form (NaN, a lone surrogate, a non-text key, a huge integer).
    """
    try:
        return (_simple(value) if _is_simple(value) else _render(value)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("a lone surrogate has no canonical form") from error


def _is_simple(value: Any) -> bool:
    """Whether the standard encoder writes the canonical form: ASCII keys, no number but small integers.

    >>> [_is_simple(x) for x in ({"a": [1, "ü", None]}, {"ü": 1}, {1: 1}, [1.0], [2**53], [True])]
    [True, False, False, False, False, True]
    """
    waiting = [value]
    for one in waiting:  # grows while it is gone through
        kind = type(one)
        if kind is dict:
            for key, item in one.items():
                if type(key) is not str or not key.isascii():
                    return False
                if type(item) is not str and item is not None:
                    waiting.append(item)
        elif kind is list or kind is tuple:
            waiting.extend(item for item in one if type(item) is not str)
        elif kind is int:
            if abs(one) > _LARGEST:
                return False
        elif kind is not str and kind is not bool and one is not None:
            return False
    return True


def _render(value: Any) -> str:
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        if abs(value) > _LARGEST:
            raise ValueError("an integer beyond 2**53 has no canonical form")
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_render, value)) + "]"
    raise ValueError(f"a {type(value).__name__} has no canonical form")


def _object(value: Mapping[str, Any]) -> str:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("a key that is not text has no canonical form")
    keys = sorted(value) if all(map(str.isascii, value)) else sorted(value, key=_utf_16)
    return "{" + ",".join(f"{_text(k)}:{_render(value[k])}" for k in keys) + "}"


def _utf_16(key: str) -> bytes:
    """Code units as RFC 8785 sorts them; of ASCII alone, characters sort the same."""
    return key.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    """A number as ECMAScript writes it.

    >>> [_number(x) for x in (0.98, 1e21, 1e-7, 5e-5, -0.0, 100.0, 1.5e300)]
    ['0.98', '1e+21', '1e-7', '0.00005', '0', '100', '1.5e+300']
    """
    if not math.isfinite(value):
        raise ValueError("NaN and infinities have no canonical form")
    if value == 0:
        return "0"
    digits_text = repr(abs(value))
    mantissa, _, power = digits_text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction if fraction != "0" else ""
    digits = (whole + fraction).lstrip("0")
    point = (
        len(whole) + int(power or 0)
        if whole != "0"
        else int(power or 0) - (len(fraction) - len(digits))
    )
    digits = digits.rstrip("0") or "0"
    sign = "-" if value < 0 else ""
    return sign + _place(digits, point)


def _place(digits: str, point: int) -> str:
    """Put the decimal point after `point` digits, with ECMAScript's choice of notation."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    mantissa = digits[0] + ("." + digits[1:] if count > 1 else "")
    return f"{mantissa}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def digest(value: Any) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical bytes."""
    return digest_bytes(canonical(value))


def digest_bytes(data: bytes) -> str:
    """`sha256:` and the hexadecimal SHA-256 of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def keyed(key: bytes, *parts: str) -> str:
    """A digest that nobody without the key can guess or reverse, as 32 hexadecimal digits.

    Parts are length-prefixed, so that no two lists of parts collide.

    >>> keyed(b"k", "a", "bc") == keyed(b"k", "ab", "c")
    False
    """
    raw = [part.encode("utf-8", "surrogatepass") for part in parts]
    message = b"".join(len(one).to_bytes(8, "big") + one for one in raw)
    return hmac.digest(key, message, "sha256").hex()[:32]


def commitment(salt: bytes, content: bytes) -> str:
    """Bind content without telling it: HMAC-SHA-256 under a salt that is erased with the content."""
    return hmac.new(salt, content, hashlib.sha256).hexdigest()
