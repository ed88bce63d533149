r"""What a strict loader answers, and the checks that every format shares.

- Bytes are UTF-8, with or without a byte order mark, and within a size limit; nothing is guessed.
- NUL characters, lone surrogates and numbers that a double or 64 bits do not hold are refused.
- Nesting deeper than 64 is refused before anything recurses.
- A loader never raises for what it is given: it answers with findings, each with line and column.

>>> decoded(b"caf\xe9", "claim.json", 100)[1][0].path
'claim.json:1:4'
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import Finding, InvalidInput, errors_in

LIMIT_BYTES = 2_000_000
"""Bytes of a document, unless the caller says otherwise."""

DEEPEST = 64
"""Levels of nesting that are accepted."""

MOST_FINDINGS = 50
"""A broken document is read no further after as many findings."""

LOWEST_INTEGER, HIGHEST_INTEGER = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Leniency:
    """What a format that others write allows beyond the strict rules; the default allows nothing.

    Attributes:
        alias_nodes: Most values, in all, that YAML aliases may stand for; 0 refuses anchors and aliases.
        wide_integers: Whether integers beyond 64 bits are kept, up to `MOST_DIGITS` digits.
        keys_as_text: Whether a plain YAML key that is no text (`1:`, `true:`) is read as it is written.
    """

    alias_nodes: int = 0
    wide_integers: bool = False
    keys_as_text: bool = False


STRICT = Leniency()
MOST_DIGITS = 1_000
"""Digits of an integer that is kept beyond 64 bits."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The answer of a loader.

    Attributes:
        value: The document's value: dicts with text keys, lists, text, numbers, booleans and None. None where
            the document was refused.
        findings: Everything that was found; empty for a good document.
    """

    value: Any
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the value can be used."""
        return not errors_in(self.findings)

    def required(self) -> Any:
        """The value of a good document.

        Raises:
            InvalidInput: When there are findings; carries all of them.
        """
        if not self.ok:
            raise InvalidInput.of(self.findings)
        return self.value


def refused(*findings: Finding) -> Loaded:
    """An answer without a value."""
    return Loaded(None, findings)


def place(name: str, line: int, column: int) -> str:
    """Where something stands; lines and columns count from one.

    >>> place("a.yaml", 3, 1), place("", 3, 1)
    ('a.yaml:3:1', '3:1')
    """
    return f"{name}:{line}:{column}" if name else f"{line}:{column}"


def place_at(name: str, text: str, offset: int) -> str:
    r"""Where the character at an offset stands.

    >>> place_at("", "a\nbc", 3)
    '2:2'
    """
    return place(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def decoded(data: bytes | str, name: str, limit_bytes: int) -> tuple[str, tuple[Finding, ...]]:
    """The text of a document, and what is wrong with it before its format matters.

    Args:
        data: What was read.
        name: The file's name for places; may be empty.
        limit_bytes: Most bytes that are accepted; exactly as many are.

    Returns:
        The text without byte order mark (empty when unreadable), and findings `too_large`, `not_utf8`,
        `lone_surrogate`, `nul_character`, `empty_document`.
    """
    size = len(data) if isinstance(data, bytes) else _size(data, limit_bytes)
    if size > limit_bytes:
        message = f"the document has more than {limit_bytes} bytes"
        return "", (Finding("too_large", message, name, "split it"),)
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        return "", (_not_utf8(error, name),)
    text = text.removeprefix("\ufeff")
    found = tuple(_unusable(text, name))
    if not found and not text.strip():
        return "", (Finding("empty_document", "the document is empty", name, "give a value"),)
    return text, found


def _size(text: str, limit: int) -> int:
    return len(text) if len(text) > limit else len(text.encode("utf-8", "surrogatepass"))


def _not_utf8(error: UnicodeDecodeError, name: str) -> Finding:
    before = bytes(error.object[: error.start]).decode("utf-8", "replace")
    message = f"byte {error.start} (0x{error.object[error.start]:02x}) is not UTF-8"
    fix = "save the document as UTF-8"
    return Finding("not_utf8", message, place_at(name, before, len(before)), fix)


def _unusable(text: str, name: str) -> Iterator[Finding]:
    for code, what, found in (
        ("lone_surrogate", "half of a surrogate pair", re.search("[\ud800-\udfff]", text)),
        ("nul_character", "a NUL character", re.search("\x00", text)),
    ):
        if found:
            where = place_at(name, text, found.start())
            yield Finding(code, f"the document has {what}", where, "remove it")


def text_fault(text: str) -> tuple[str, str] | None:
    r"""What makes a string unusable: code and words, or None.

    >>> text_fault("a\x00"), text_fault("é")
    (('nul_character', 'a string has a NUL character'), None)
    """
    if "\x00" in text:
        return "nul_character", "a string has a NUL character"
    if re.search("[\ud800-\udfff]", text):
        return "lone_surrogate", "a string has half of a surrogate pair"
    return None


def whole_number(written: str, wide: bool = False) -> int | None:
    """The integer, or None where 64 bits (with `wide`, a thousand digits) do not hold it.

    >>> whole_number("9223372036854775807"), whole_number("9223372036854775808")
    (9223372036854775807, None)
    """
    if wide:
        return int(written) if len(written) <= MOST_DIGITS else None
    if len(written.lstrip("+-").lstrip("0")) > 19:
        return None
    value = int(written)
    return value if LOWEST_INTEGER <= value <= HIGHEST_INTEGER else None


def real_number(written: str) -> float | None:
    """The number, or None where it is not finite.

    >>> real_number("1e308"), real_number("1e309")
    (1e+308, None)
    """
    value = float(written)
    return value if math.isfinite(value) else None


def number_finding(code: str, written: str, where: str) -> Finding:
    """The finding `not_finite` or `integer_too_large` for a number as written."""
    shown = written if len(written) <= 30 else written[:30] + "…"
    if code == "not_finite":
        return Finding(code, f"`{shown}` is no finite number", where, "give a number, or null")
    message = f"`{shown}` does not fit into 64 bits"
    return Finding(code, message, where, "write it as a string")
