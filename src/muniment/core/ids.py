"""Identifiers: a type prefix and 26 characters of Crockford base 32 over the bits of a UUIDv7.

- An identifier is never the text that it names (A-IDENTITY); two claims with one text have two identifiers.
- Clock and entropy come in as arguments.
- The same 128 bits are exported as a plain UUID.

The form is TypeID's (https://github.com/jetify-com/typeid/tree/main/spec), UUIDv7 is RFC 9562 section 5.7.

>>> claim_id = new_id("mem", 1_783_512_000_000, bytes(10))
>>> claim_id
'mem_01kx0sjsg0e008000000000000'
>>> parse_id(claim_id).prefix
'mem'
"""

from __future__ import annotations

from dataclasses import dataclass

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PREFIXES = (
    ("mem", "claim"),
    ("mdiff", "diff"),
    ("ret", "retrieval"),
    ("src", "source"),
    ("psg", "passage"),
    ("orig", "original record"),
    ("wrk", "working memory"),
    ("tok", "token"),
)


@dataclass(frozen=True, slots=True)
class ParsedId:
    """An identifier's prefix and its 128 bits."""

    prefix: str
    bits: int

    @property
    def uuid(self) -> str:
        """The same bits as a UUID in its usual text form."""
        digits = f"{self.bits:032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def new_id(prefix: str, millis: int, entropy: bytes) -> str:
    """Make an identifier.

    Args:
        prefix: One of `PREFIXES`.
        millis: Unix time in milliseconds, 48 bits.
        entropy: Ten bytes, of which 74 bits are used.
    """
    if len(entropy) != 10:
        raise ValueError("an identifier takes ten bytes of entropy")
    random = int.from_bytes(entropy, "big")
    rand_a, rand_b = (random >> 62) & 0xFFF, random & ((1 << 62) - 1)
    bits = ((millis & ((1 << 48) - 1)) << 80) | (0x7 << 76) | (rand_a << 64) | (0b10 << 62) | rand_b
    return f"{prefix}_{_encode(bits)}"


def _encode(bits: int) -> str:
    return "".join(ALPHABET[(bits >> shift) & 31] for shift in range(125, -1, -5))


def keyed_id(prefix: str, digest: str) -> str:
    """The identifier that a keyed digest gives: the same thing kept twice has one identifier, which tells nothing.

    Args:
        prefix: One of `PREFIXES`.
        digest: Hexadecimal, of at least 128 bits.

    >>> keyed_id("psg", "00" * 15 + "2a")
    'psg_0000000000000000000000001a'
    """
    return f"{prefix}_{_encode(int(digest[:32], 16))}"


def parse_id(text: object) -> ParsedId | None:
    """Read an identifier; None where it is not one (a foreign id, for instance).

    >>> parse_id("mem_01JZ_example") is None
    True
    """
    if not isinstance(text, str):
        return None
    prefix, _, body = text.partition("_")
    if prefix not in {known for known, _ in PREFIXES} or len(body) != 26 or body[0] > "7":
        return None
    bits = 0
    for letter in body:
        value = ALPHABET.find(letter)
        if value < 0:
            return None
        bits = (bits << 5) | value
    return ParsedId(prefix, bits)


def is_id(text: object, prefix: str) -> bool:
    """Whether `text` is an identifier with this prefix."""
    parsed = parse_id(text)
    return parsed is not None and parsed.prefix == prefix
