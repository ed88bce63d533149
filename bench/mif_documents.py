"""JSON-LD documents for comparing validators: valid ones by a schema, and the same changed at one place.

A seed gives the same documents on every machine. Strings, numbers and keys come from pools that hold the borders of
every pattern, format, length and range of the schema, besides plain values.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from typing import Any

TIMES = (
    "2026-01-15T10:30:00Z", "2026-01-15t10:30:00z", "2026-01-15T10:30:00.123456789+05:30", "0000-02-29T00:00:00Z",
    "2016-12-31T23:59:60Z", "2017-01-01T05:29:60+05:30", "2024-02-29T23:59:59-12:00", "9999-12-31T23:59:59Z",
)  # fmt: skip
NOT_TIMES = (
    "2026-01-15 10:30:00Z", "2026-01-15T10:30:00", "2026-01-15T10:30:00+0530", "2026-02-29T00:00:00Z", "2026-01-15",
    "2016-12-31T23:58:60Z", "2026-01-15T24:00:00Z", "2026-01-15T10:30:00.Z",
    "2026-01-15T10:30:00Z\n", "1900-02-29T00:00:00Z",
    "2026-01-15T10:30:61Z", "2026-01-15T10:30:00+24:00", "2026-13-01T00:00:00Z", "٢026-01-15T10:30:00Z",
    "2016-12-31T23:59:60+00:01",
)  # fmt: skip
DATES = ("2026-01-15", "2024-02-29", "0000-01-01", "2000-02-29")
NOT_DATES = (
    "2026-1-15",
    "2026-02-29",
    "20260115",
    "2026-01-15\n",
    "2026-04-31",
    "2026-01-15T00:00:00Z",
)
URIS = (
    "https://example.com", "urn:mif:x", "a:", "http://[::1]:80/x?y#z", "http://[v1.a:b]", "mailto:a@b", "http://u:p@h:8/%41",
    "http://[1:2:3:4:5:6:7::]", "http://[::ffff:1.2.3.4]", "file:///etc", "a:?#", "http://h//a", "x:/a/b", "a:@:b",
)  # fmt: skip
NOT_URIS = (
    "", "a", "//x", "1a:b", "http://h/a b", "https://é.com", "http://h/%zz", "http://[::1", "http://[1::2::3]", "http://u@v@h",
    "http://h:x", "http://h#a#b", "http://h/[x]", "http://[::1%25a]", "http://[::01.2.3.4]", "a:\n", "http://[1:2:3:4:5:6:7:8:9]",
    "http://h/|", "http://[12345::]", "http://999.1.1.1", "a:\x7f", "http://x[::1]", "http://[::1.2.3]",
)  # fmt: skip
FITTING: Mapping[str, tuple[str, ...]] = {
    "^urn:mif:": ("urn:mif:550e8400-e29b-41d4-a716-446655440000", "urn:mif:", "urn:mif:\n"),
    "^[a-zA-Z0-9_-]+(/[a-zA-Z0-9_-]+)*$": ("_semantic/x", "a", "-/_", "A9"),
    "^[a-zA-Z][a-zA-Z0-9]*:[a-zA-Z][a-zA-Z0-9-]*$": ("acme:memo", "a:b-", "Z9:q"),
    "^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?$": ("relates-to", "9:0-", "farm:breeds-with"),
    "^P": ("P7D", "P", "P\n"),
    r"^\d+\.\d+\.\d+.*$": ("1.0.0", "1.2.3-é", "0.0.0\x0b"),
    "^[a-z][a-z0-9-]*$": ("mif-base", "a", "a-"),
    "^urn:mif:entity:": ("urn:mif:entity:person:x", "urn:mif:entity:"),
}
NOT_FITTING = (
    "", "\n", " ", "urn:mif", "xurn:mif:y", "a/", "/a", "a//b", "a\n", "é", "a_b:c", "my-org:memo", "a:b:c", "A", "-a",
    "xP", "\nP",
    "1.2", "1.2.3\n", "1.2.3\r", "1.2.3\u2028x", "٢.2.3", "a:", ":a", "ſ", "urn:mif:Entity:", "v1.2.3",
)  # fmt: skip
WORDS = (
    "a",
    "Body text.",
    "é😀",
    "x" * 499,
    "x" * 500,
    "x" * 501,
    "y" * 1000,
    "y" * 1001,
    "no",
    "1",
)
NUMBERS = (
    0,
    1,
    0.5,
    -1,
    1.0,
    0.0,
    -0.0,
    2,
    1.5,
    1e300,
    10**30,
    -(10**30),
    1.0000000000000002,
    -5e-324,
    1e-300,
    7,
)
OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    [],
    {},
    [None],
    {"@id": "x"},
    {"id": "x"},
    ["Concept"],
    {"name": 1},
)
EXTRA_KEYS = (
    "extra",
    "@type",
    "id",
    "@id",
    "name",
    "type",
    "",
    "url",
    "hash",
    "model",
    "quantization",
    "strength",
)


def documents(schema: Mapping[str, Any], seed: int) -> Iterator[Any]:
    """Documents without end: one valid by construction, then two changed at one place each."""
    chance = random.Random(seed)
    maker = _Maker(schema, chance)
    while True:
        whole = maker.value(schema, 0)
        yield whole
        yield _changed(whole, chance)
        yield _changed(_changed(whole, chance), chance)


class _Maker:
    """Makes a value that a schema accepts."""

    def __init__(self, root: Mapping[str, Any], chance: random.Random) -> None:
        self.root, self.chance = root, chance

    def value(self, schema: Mapping[str, Any], depth: int) -> Any:
        if "$ref" in schema:
            return self.value(self.root["$defs"][schema["$ref"].rpartition("/")[2]], depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        if "oneOf" in schema and "properties" not in schema:
            chosen = self.chance.choice(schema["oneOf"])
            return self.value(
                {**chosen, "type": chosen.get("type", schema.get("type"))}
                if "$ref" not in chosen
                else chosen,
                depth,
            )
        kind = schema.get("type", "object")
        if isinstance(kind, list):
            kind = self.chance.choice(kind)
        return getattr(self, f"_{kind}")(schema, depth)

    def _string(self, schema: Mapping[str, Any], depth: int) -> str:
        pool = WORDS
        if "pattern" in schema:
            pool = FITTING[schema["pattern"]]
        elif "format" in schema:
            pool = {"date-time": TIMES, "date": DATES, "uri": URIS}[schema["format"]]
        most = schema.get("maxLength", 10_000)
        return self.chance.choice([text for text in pool if len(text) <= most])

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        low, high = schema.get("minimum", -(10**40)), schema.get("maximum", 10**40)
        return self.chance.choice([n for n in NUMBERS if low <= n <= high])

    def _integer(self, schema: Mapping[str, Any], depth: int) -> float:
        low = schema.get("minimum", -(10**40))
        return self.chance.choice([n for n in NUMBERS if n >= low and n == n // 1])

    def _boolean(self, schema: Mapping[str, Any], depth: int) -> bool:
        return self.chance.random() < 0.5

    def _null(self, schema: Mapping[str, Any], depth: int) -> None:
        return None

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        held = [self.value(schema["contains"], depth + 1)] if "contains" in schema else []
        count = self.chance.choice((0, 1, 1, 2, 3))
        inner = schema.get("items", {"type": "string"})
        return held + [self.value(inner, depth + 1) for _ in range(count)]

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        needed = set(schema.get("required", ()))
        if "anyOf" in schema:
            needed |= set(self.chance.choice(schema["anyOf"])["required"])
        share = 0.25 if depth == 0 else 0.5
        known = schema.get("properties", {})
        names = [n for n in known if n in needed or self.chance.random() < share]
        made = {name: self.value(known[name], depth + 1) for name in names}
        made |= {name: self.chance.choice(WORDS[:4]) for name in needed if name not in made}
        rest = schema.get("additionalProperties", "properties" not in schema)
        if rest is not False and self.chance.random() < 0.3:
            inner = rest if isinstance(rest, Mapping) else {"type": "string"}
            made["further"] = self.value(inner, depth + 1)
        return made


def _changed(whole: Any, chance: random.Random) -> Any:
    """A copy that is different at one place."""
    whole = copy.deepcopy(whole)
    places = list(_places(whole))
    if not places:
        return chance.choice(OTHERS)
    if chance.random() < 0.01:
        return chance.choice((*OTHERS, "text", 1))
    holder, key = chance.choice(places)
    what = chance.random()
    if what < 0.15:
        del holder[key]
    elif what < 0.3 and isinstance(holder, dict):
        holder[chance.choice(EXTRA_KEYS)] = _other(chance)
    else:
        holder[key] = _near(holder[key], chance)
    return whole


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in list(inside):
        yield value, key
        yield from _places(item)


def _near(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.3:
        return _other(chance)
    if isinstance(value, str):
        pools = (
            TIMES,
            NOT_TIMES,
            DATES,
            NOT_DATES,
            URIS,
            NOT_URIS,
            NOT_FITTING,
            WORDS,
            *FITTING.values(),
        )
        return (
            _edited(value, chance) if chance.random() < 0.4 else chance.choice(chance.choice(pools))
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return chance.choice(NUMBERS)
    return _other(chance)


def _edited(text: str, chance: random.Random) -> str:
    """The text with one character put in, taken out or replaced."""
    place = chance.randrange(len(text) + 1)
    character = chance.choice("\n :/-_.%[]@#?T60Z+9aé٣\u2028\x00")
    return text[:place] + chance.choice(("", character)) + text[place + chance.choice((0, 1)) :]


def _other(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice((*OTHERS, *NUMBERS, *WORDS[:3])))
