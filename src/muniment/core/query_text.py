r"""The text form of a query: `select ?who where ?who maintains ?repo, ?repo uses "a b"` (`D-CONJ`).

- Patterns of three terms, separated by commas or line ends; `select … where` before them may be left out.
- A term in quotation marks is a text, whatever it begins with; `\"` and `\\` stand for themselves in it.
- Every finding names the column, counted from 1, and the line where there are several.

>>> query, _ = parse_query('?who maintains ?repo, ?repo described_as "?"')
>>> query.as_json()["where"][1]
['?repo', 'described_as', {'literal': '?'}]
>>> print(parse_query("?who maintains")[1][0])
column 1: a pattern has three terms, this has 2 (not_three_terms); write `subject predicate object`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.query import MOST_ATOMS, Given, Raw, Read, settle, too_many

LONGEST_QUERY = 20_000
_TOKEN = re.compile(
    r'(?P<space>[^\S\n]+)|(?P<end>\n)|(?P<comma>,)|"(?P<quoted>(?:[^"\\\n]|\\["\\])*)"|(?P<bare>[^\s",]+)'
)
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    given: Given


def parse_query(text: str) -> Read:
    """A query from its text form, and everything that is wrong with it; None where it cannot be asked."""
    if len(text) > LONGEST_QUERY:
        message = f"the query has {len(text)} characters, over {LONGEST_QUERY}"
        return None, (Finding("too_long", message, "", "ask in parts", req="D-CONJ"),)
    found: list[Finding] = []
    tokens = list(_tokens(text, found))
    if found:
        return None, tuple(found)
    select, tokens = _selected(tokens, found)
    atoms = []
    patterns = list(_patterns(tokens, found))
    for pattern in patterns[:MOST_ATOMS]:
        if len(pattern) == 3:
            atoms.append((pattern[0], pattern[1], pattern[2]))
        else:
            found.append(_not_three(pattern))
    if len(patterns) > MOST_ATOMS:
        found.append(too_many(len(patterns), patterns[MOST_ATOMS][0].place))
    if found and not atoms:
        return None, tuple(found)
    query, more = settle(Raw(tuple(atoms), select, ""))
    findings = (*found, *more)
    return (None if errors_in(findings) else query), findings


def _tokens(text: str, found: list[Finding]) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        place = _place(text, at)
        matched = _TOKEN.match(text, at)
        if matched is None:
            message = "the quotation mark is not closed in its line, or escapes something else"
            fix = r'close it with `"`; write `\"` and `\\` for themselves'
            found.append(Finding("open_quotation", message, place, fix, req="D-CONJ"))
            return
        kind = str(matched.lastgroup)
        at = matched.end()
        if kind == "quoted":
            yield _Token(kind, Given(_ESCAPED.sub(r"\1", matched["quoted"]), "literal", place))
        elif kind != "space":
            yield _Token(kind, Given(matched.group(), "plain", place))


def _place(text: str, at: int) -> str:
    """Where a character stands.

    >>> _place("ab", 1), _place("a\\nbc", 3)
    ('column 2', 'line 2, column 2')
    """
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {column}" if "\n" in text else f"column {column}"


def _selected(
    tokens: list[_Token], found: list[Finding]
) -> tuple[tuple[Given, ...] | None, list[_Token]]:
    """What `select … where` names, and the rest; a pattern whose subject is `select` has no variable next."""
    words = [token for token in tokens if token.kind != "end"]
    if len(words) < 2 or not _is(words[0], "select") or not words[1].given.is_variable:
        return None, tokens
    for number, token in enumerate(tokens):
        if _is(token, "where"):
            chosen = [t.given for t in tokens[:number] if t.kind in ("bare", "quoted")][1:]
            return tuple(chosen), tokens[number + 1 :]
    message, fix = (
        "`select` has no `where` after it",
        "write `select ?who where ?who maintains ?repo`",
    )
    found.append(Finding("select_without_where", message, words[0].given.place, fix, req="D-CONJ"))
    return None, tokens[1:]


def _is(token: _Token, word: str) -> bool:
    return token.kind == "bare" and token.given.text == word


def _patterns(tokens: list[_Token], found: list[Finding]) -> Iterator[list[Given]]:
    """Terms between commas and line ends."""
    pattern: list[Given] = []
    comma: Given | None = None
    for token in tokens:
        if token.kind in ("bare", "quoted"):
            pattern.append(token.given)
            comma = None
            continue
        if pattern:
            yield pattern
            pattern = []
        elif token.kind == "comma":
            found.append(_nothing(token.given))
        comma = token.given if token.kind == "comma" else comma
    if pattern:
        yield pattern
    elif comma is not None:
        found.append(_nothing(comma))


def _nothing(comma: Given) -> Finding:
    message, fix = "a pattern is missing beside the comma", "write one, or leave the comma out"
    return Finding("missing_pattern", message, comma.place, fix, req="D-CONJ")


def _not_three(pattern: list[Given]) -> Finding:
    message = f"a pattern has three terms, this has {len(pattern)}"
    fix = "write `subject predicate object`"
    if len(pattern) > 3:
        rest = " ".join(given.text for given in pattern[2:])
        shown = quoted(f'"{rest}"')
        fix = f"a text with spaces stands in quotation marks ({shown}); commas separate patterns"
    return Finding("not_three_terms", message, pattern[0].place, fix, req="D-CONJ")
