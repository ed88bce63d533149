r"""Find where two otherwise equal statements disagree: in a number, a date or a negation.

- Two texts that differ in nothing else are a *possible* conflict, for a reviewer to judge.
- Case, white space, punctuation, Unicode form and English inflection do not count as a difference.
- `1,000` is `1000`, `v1.2` is `1.2`, `two` is `2`; `3.1` is not `3.10`, for they may be versions.
- Texts that differ in any other word have no differences to tell: the answer is empty, as for equal
  texts.

Conflicts between structured facts are decided elsewhere; this is about prose.

>>> differences("Deploys need two reviews", "Deploys need 3 reviews")
(Difference(kind='number', left='two', right='3'),)
>>> differences("Tests need Docker", "Tests do not need Docker")
(Difference(kind='negation', left='', right='not'),)
>>> differences("Tests need Docker 20", "Builds need Docker 27")
()
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

from muniment.core.text import match_key
from muniment.core.words import stem

Kind = Literal["number", "date", "negation"]

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    r"\d{4}-\d{2}(?:-\d{2})?(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?(?!\d)"
    r"|\d{4}/\d{2}/\d{2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)"
    rf"|{_DAY} {_MONTH}\b\.?(?:,? \d{{4}})?|\b{_MONTH}\b\.? (?:{_DAY}\b(?:,? \d{{4}})?|\d{{4}}\b)"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|april|june|july|august|september|october|november|december)\b"
)
_TOKEN = re.compile(
    rf"(?P<date>(?<![\w.])(?:{_DATE}))"
    r"|(?P<number>(?:(?<![\w)\]-])-)?(?:\bv)?\d+(?:[.:,]\d+)*)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<sign>[<>=!^~+*/\\@#$%&])"
)
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = MappingProxyType({word: str(value) for value, word in enumerate(_COUNTS.split())})
_NEGATIONS = frozenset({"not", "no", "never", "without", "neither", "nor", "none", "nothing"})
_CONTRACTED = MappingProxyType({"can't": "can", "won't": "will", "shan't": "shall"})
_SUPPORT = frozenset({"do", "did"})  # `does not use` is `uses`, denied
_SLOT = "\x00"  # stands for a number or a date; no word contains it


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two otherwise equal texts disagree.

    Attributes:
        kind: What disagrees.
        left: What the first text says there; empty where it denies nothing.
        right: What the second says.
    """

    kind: Kind
    left: str
    right: str


@dataclass(slots=True)
class _Statement:
    """A text taken apart: its words, and beside them what may differ."""

    words: list[str]
    slots: list[tuple[Kind, str, str]]  # kind, as written, as compared
    denials: dict[int, str]  # number of words before a negation, to the negation


def differences(left: str, right: str) -> tuple[Difference, ...]:
    """What differs between texts that are equal but for numbers, dates and negations.

    Args:
        left: One statement.
        right: The other.

    Returns:
        The differences, numbers and dates in reading order, then negations; empty where the texts
        agree or differ in any other way.

    >>> differences("Freeze from 2026-07-10", "Freeze from 2026-07-12")
    (Difference(kind='date', left='2026-07-10', right='2026-07-12'),)
    >>> differences("Wait 1,000 ms", "wait  1000 ms.")
    ()
    """
    one, other = _taken_apart(left), _taken_apart(right)
    if one.words != other.words:
        return ()
    return (*_slots_apart(one, other), *_denials_apart(one, other))


def frame(text: str) -> str:
    """What is left of a statement without numbers, dates and negations: equal where `differences` can compare.

    >>> frame("Deploys are not allowed after 16:00.") == frame("deploys are allowed after 18:00")
    True
    """
    return " ".join(_taken_apart(text).words)


def _slots_apart(one: _Statement, other: _Statement) -> list[Difference]:
    found = []
    for (kind, left, key), (other_kind, right, other_key) in zip(
        one.slots, other.slots, strict=True
    ):
        if key != other_key:
            either: Kind = "date" if "date" in {kind, other_kind} else "number"
            found.append(Difference(either, left, right))
    return found


def _denials_apart(one: _Statement, other: _Statement) -> list[Difference]:
    places = sorted(one.denials.keys() ^ other.denials.keys())
    left = [one.denials[at] for at in places if at in one.denials]
    right = [other.denials[at] for at in places if at in other.denials]
    return [Difference("negation", *pair) for pair in zip_longest(left, right, fillvalue="")]


@lru_cache(maxsize=1_024)
def _taken_apart(text: str) -> _Statement:
    """A text's parts; nobody changes them, and a text is compared with many others in a row."""
    found = _Statement([], [], {})
    for token in _TOKEN.finditer(match_key(text)):
        written = token.group()
        if token.lastgroup in {"date", "number"}:
            _add_slot(found, "date" if token.lastgroup == "date" else "number", written)
        elif token.lastgroup == "word":
            _add_word(found, written)
        else:
            found.words.append(written)
    return found


def _add_slot(found: _Statement, kind: Kind, written: str) -> None:
    key = written.replace("t", " ") if kind == "date" else written.replace("v", "")
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+", key):
        key = key.replace(",", "")
    found.slots.append((kind, written, key))
    found.words.append(_SLOT)


def _add_word(found: _Statement, written: str) -> None:
    word = written.replace("’", "'")
    if word in _NUMBER_WORDS:
        found.slots.append(("number", written, _NUMBER_WORDS[word]))
        found.words.append(_SLOT)
    elif word in _NEGATIONS or word == "cannot":
        if word == "cannot":
            found.words.append("can")
        elif word == "without":
            found.words.append("with")
        _deny(found, written)
    elif word.endswith("n't"):
        found.words.append(stem(_CONTRACTED.get(word, word[:-3])))
        _deny(found, written)
    else:
        found.words.append(stem(word))


def _deny(found: _Statement, written: str) -> None:
    """Note a negation. An auxiliary that only carried it (`do not`) goes; denying twice is none."""
    if found.words and found.words[-1] in _SUPPORT:
        found.words.pop()
    at = len(found.words)
    if at in found.denials:
        del found.denials[at]
    else:
        found.denials[at] = written
