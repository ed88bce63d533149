r"""Split text into the words that search matches.

- Words are NFKC and case folded, without characters that draw nothing.
- An identifier is kept whole *and* split: `camelCase`, `snake_case`, `kebab-case`, paths, `a.b.c`.
- Numbers, versions and times (`3.11`, `1,000`, `10:30`) stay whole and are not split.
- Plain English words lose their inflection (`tests`, `testing`, `tested`: `test`). The stems are
  made to agree with one another, not to be dictionary words (`cache`, `caching`: `cach`).
- Scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), and Korean, become
  pairs of characters; a character alone stays alone.
- The same text always gives the same words, in time linear in the text.

Which words count how much is the index's task.

>>> words("Running runTests in src/app.py on Python 3.11")[:5]
('run', 'runtests', 'run', 'test', 'in')
>>> query_words("How do I run the tests?")
('run', 'test')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from muniment.core.text import normalized, without_invisible

LONGEST_WORD = 128
"""Characters of a word; a longer run of letters is cut, a longer identifier is not kept whole."""

# Each character is translated to one class letter, and patterns run over the classes: Python's `\w`
# leaves combining vowels (Hindi, Thai) out, and `re` has no classes of Unicode properties.
_LOWER, _UPPER, _DIGIT, _MARK, _UNSPACED, _APART = "a", "A", "0", "m", "c", " "
_JOINERS = "._-/\\:@+#'"
_JOINER_CLASSES = MappingProxyType({"’": "'", "‐": "-", "‑": "-", "，": ","})
_CHUNK = re.compile(rf"[aAm0c][aAm0c{re.escape(_JOINERS)},]*")
_ASCII_CHUNK = re.compile(rf"[A-Za-z0-9][A-Za-z0-9{re.escape(_JOINERS)},]*")
"""The same over characters, where they are ASCII: most texts are, and their classes need not be written out."""
_NUMBER = re.compile(r"0+(?:[.:]0+)*|0{1,3}(?:,000)+(?:\.0+)?")
_VERSION = re.compile(r"a0+(?:\.0+)+")
_LANGUAGES = frozenset({"A++", "a++", "A#", "a#"})  # C++, C#, f#
_CONTRACTION = re.compile("(?i:n['’]t|['’](?:d|ll|m|re|ve))$")
_HUMP = re.compile(r"A+(?=A[am])|A?[am]+|A+|0+")
_UNSPACED_RUN = re.compile(r"c[cm]*")
_UNSPACED_SCRIPTS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # Han iteration mark, closing mark, zero
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),  # Hangul
    (0xF900, 0xFAFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)


def _class_of(character: str) -> str:
    """The class letter of one character."""
    if character in _JOINERS or character == ",":
        return character
    if character in _JOINER_CLASSES:
        return _JOINER_CLASSES[character]
    category = unicodedata.category(character)
    if category[0] == "M":
        return _MARK
    if category[0] == "N":
        return _DIGIT if category == "Nd" else _LOWER
    if category[0] != "L":
        return _APART
    number = ord(character)
    if number >= 0x0E00 and any(first <= number <= last for first, last in _UNSPACED_SCRIPTS):
        return _UNSPACED
    return _UPPER if category in {"Lu", "Lt"} else _LOWER


_ASCII_CLASSES = MappingProxyType({number: _class_of(chr(number)) for number in range(128)})


def _classes(text: str) -> str:
    table: Mapping[int, str] = _ASCII_CLASSES
    if not text.isascii():
        table = {**_ASCII_CLASSES} | {ord(ch): _class_of(ch) for ch in set(text) if ch > "\x7f"}
    return text.translate(table)


# --- words --------------------------------------------------------------------------------------


def words(text: str) -> tuple[str, ...]:
    """The words of a text in order, identifiers first whole and then in parts.

    >>> words("docs/how-to.md")
    ('docs/how-to.md', 'doc', 'how-to.md', 'how', 'to', 'md')
    >>> words("東京都 に")
    ('東京', '京都', 'に')
    """
    if text.isascii():
        runs = _ASCII_CHUNK.findall(text)
    else:
        plain = without_invisible(normalized("NFKC", text))
        chunks = _CHUNK.finditer(_classes(plain))
        runs = [plain[chunk.start() : chunk.end()] for chunk in chunks]
    return tuple(
        [
            word
            for run in runs
            for word in (_remembered(run) if len(run) <= _SHORT else _run_words(run))
        ]
    )


def _run_words(run: str) -> tuple[str, ...]:
    """The words of a run without spaces; whatever stands around it changes none of them."""
    classes = _classes(run)
    return tuple(
        word
        for start, end in _commas_apart(classes, 0, len(run))
        for word in _chunk_words(run[start:end], classes[start:end])
    )


_remembered = lru_cache(maxsize=65_536)(_run_words)
_SHORT = 32
"""Characters of a run that is remembered: most words come again."""


def _commas_apart(classes: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A comma joins only the thousands of a number; everywhere else it parts."""
    if "," not in classes[start:end] or _NUMBER.fullmatch(classes, start, end):
        yield start, end
        return
    while start <= end:
        comma = classes.find(",", start, end)
        stop = end if comma < 0 else comma
        if start < stop:
            yield start, stop
        start = stop + 1


def _chunk_words(text: str, classes: str) -> Iterable[str]:
    """The words of a run without spaces."""
    text, classes = _trimmed(text, classes)
    if not classes:
        return ()
    if classes.isalpha() and _HUMP.fullmatch(classes):
        return _plain_word(text)
    if _NUMBER.fullmatch(classes):
        return (_digits(text.replace(",", "")),)
    return _identifier_words(text, classes)


def _trimmed(text: str, classes: str) -> tuple[str, str]:
    """Without joiners at the ends, except in `C++` and `C#`; and without an English genitive."""
    if classes in _LANGUAGES:
        return text, classes
    start = len(classes) - len(classes.lstrip(_JOINERS))
    end = len(classes.rstrip(_JOINERS))
    if end - start > 2 and classes[end - 2 : end] == "'a" and text[end - 1] == "s":
        end -= 2
    return text[start:end], classes[start:end]


def _identifier_words(text: str, classes: str) -> Iterator[str]:
    if len(text) <= LONGEST_WORD and "c" not in classes and "'" not in classes:
        yield _folded(text)
    if classes in _LANGUAGES:
        return
    if _VERSION.fullmatch(classes):
        yield _digits(text[1:])
        return
    if _CONTRACTION.search(text) and classes.replace("'", "").isalpha():
        yield _folded(text).replace("'", "").replace("’", "")
        return
    for start, end in _spans(classes, "/\\@'"):
        name, shape = _trimmed(text[start:end], classes[start:end])
        if not shape:
            continue
        if len(name) < len(text) and not shape.isalnum() and len(name) <= LONGEST_WORD:
            yield _folded(name)
        for first, last in _spans(shape, "_-:+#" if _NUMBER.search(shape) else "_-:+#."):
            yield from _part_words(name[first:last], shape[first:last])


def _spans(classes: str, separators: str) -> Iterator[tuple[int, int]]:
    """The stretches between separators."""
    for found in re.finditer(f"[^{re.escape(separators)}]+", classes):
        yield found.span()


def _part_words(text: str, classes: str) -> Iterator[str]:
    """The words of one part of an identifier: numbers, humps, unspaced scripts."""
    at = 0
    while at < len(classes):
        number = _NUMBER.match(classes, at)
        run = number or _UNSPACED_RUN.match(classes, at) or _HUMP.match(classes, at)
        if not run:
            at += 1
            continue
        piece = text[run.start() : run.end()]
        if number:
            yield _digits(piece)
        elif classes[at] == _UNSPACED:
            yield from _pairs(piece)
        elif len(piece) > 1 or len(text) == 1:
            yield from _plain_word(piece)
        at = run.end()


def _pairs(text: str) -> Iterator[str]:
    folded = _folded(text)
    if len(folded) == 1:
        yield folded
    for one, other in pairwise(folded):
        yield one + other


def _plain_word(text: str) -> Iterator[str]:
    folded = _folded(text)
    for start in range(0, len(folded), LONGEST_WORD):
        yield stem(folded[start : start + LONGEST_WORD])


def _folded(text: str) -> str:
    folded = text.casefold()
    return folded if folded.isascii() else normalized("NFKC", folded)


def _digits(text: str) -> str:
    """A number with the digits of any script as ASCII digits, cut at the longest word."""
    text = text[:LONGEST_WORD]
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(ch)) if ch.isdecimal() else ch for ch in text)


# --- stems --------------------------------------------------------------------------------------

_NOT_INFLECTED = frozenset(
    {"anything", "embed", "evening", "everything", "https", "hundred", "morning", "nothing"}
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The form in which English inflections of a word agree; other words stay as they are.

    >>> [stem(w) for w in ("tests", "running", "runs", "uses", "used", "using", "policies")]
    ['test', 'run', 'run', 'use', 'use', 'use', 'policy']
    >>> [stem(w) for w in ("string", "class", "status", "need", "go", "größe")]
    ['string', 'class', 'status', 'need', 'go', 'größe']
    """
    if len(word) <= 3 or word in _NOT_INFLECTED or not (word.isascii() and word.isalpha()):
        return word
    return _without_final_e(_without_tense(_without_plural(word)))


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "oes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is", "ias")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("eed") or word in _NOT_INFLECTED:
        return word
    for suffix in ("ing", "ed"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) > 1 and any(_vowels(rest)):
            return _restored(rest)
    return word


def _restored(rest: str) -> str:
    """What a verb looked like before `ed` or `ing`: `runn` was `run`, `us` was `use`."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeioulsz":
        return rest[:-1]
    if _vowels(rest) == [True, False] or (_measure(rest) == 1 and _ends_short(rest)):
        return rest + "e"
    return rest


def _without_final_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        size = _measure(rest)
        if len(rest) > 2 and (size > 1 or (size == 1 and not _ends_short(rest))):
            return rest
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    return word


def _vowels(word: str) -> list[bool]:
    """Which letters are vowels; `y` is one after a consonant."""
    found: list[bool] = []
    for letter in word:
        after_consonant = bool(found) and not found[-1]
        found.append(letter in "aeiou" or (letter == "y" and after_consonant))
    return found


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant."""
    return sum(one and not other for one, other in pairwise(_vowels(word)))


def _ends_short(word: str) -> bool:
    """Whether a word ends consonant, vowel, consonant other than w, x, y: `nam(e)`, `run`."""
    return _vowels(word)[-3:] == [False, True, False] and word[-1] not in "wxy"


# --- queries ------------------------------------------------------------------------------------

_FUNCTION_WORDS = """
a about after again all also am an and any are aren't as at be because been before being between
both but by can can't could couldn't did didn't do does doesn't doing don't down during each else
for from further had hadn't has hasn't have haven't having he her here hers him his i i'd i'll i'm
i've if in into is isn't it it's its just let let's may me might mine more most must my myself no
nor not now of off on once only or other our ours out over per please same shall she should
shouldn't so some such than that that's the their theirs them then there these they this those
through to too under until up upon us very was wasn't we we'd we'll we're we've were weren't will
with within without won't would wouldn't you you'd you'll you're you've your yours how what what's
when where where's which who who's whom whose why tell show explain
"""

STOP_WORDS: frozenset[str] = frozenset(
    form for word in _FUNCTION_WORDS.split() for form in (word, *words(word))
)
"""English function and question words, as written and as `words` gives them."""


def query_words(text: str) -> tuple[str, ...]:
    """The words of a question without stop words; all of its words where nothing else remains.

    >>> query_words("what is it?")
    ('what', 'is', 'it')
    """
    every = words(text)
    return tuple(word for word in every if word not in STOP_WORDS) or every
