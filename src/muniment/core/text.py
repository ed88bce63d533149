r"""Look at text the way a reader, a matcher and an attacker do.

- Text is stored in NFC; NFKC and case folding live in match keys only.
- A match key is the same for look-alikes that differ in case, white space, Unicode form or
  characters that draw nothing. Look-alike *letters* (Latin `a`, Cyrillic `а`) stay apart.
- What draws nothing is never silently dropped from what is shown: `visible` spells it out.
- NUL, lone surrogates and control characters are errors; characters that draw nothing are a
  warning in prose, and an error in identifiers.
- Everything takes time linear in the text (sorting long runs of accents apart, which is n log n).

Splitting text into words, and comparing two statements, is `muniment.core.words`' task.

>>> match_key("  Use\u200b  ＰＹＴＥＳＴ ") == match_key("use pytest")
True
>>> visible("pay\u202eload")
'pay⟨U+202E⟩load'
>>> [f.code for f in text_findings("a\x00b\u200bc", "/claim")]
['nul_character', 'invisible_characters']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from muniment.core.errors import Finding, Severity

LONGEST_TEXT = 100_000
"""Characters that `text_findings` accepts unless told otherwise."""

LONGEST_IDENTIFIER = 200
"""Characters of an id, scope or principal."""

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# Unicode's Default_Ignorable_Code_Point and the interlinear marks, written out so that every Python
# version, whatever its Unicode tables, treats the same characters alike.
_NOTHING = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # take up room and draw nothing: they read as spaces
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 but tab, line feed, carriage return

_NOTHING_RE = re.compile(f"[{_NOTHING}]")
_BLANK_RE = re.compile(f"[{_BLANK}]")
_INVISIBLE_RE = re.compile(f"[{_NOTHING}{_BLANK}]")
_CONTROL_RE = re.compile(f"[{_CONTROL}]")
_SURROGATE_RE = re.compile("[\ud800-\udfff]")
_MARKED_RE = re.compile(f"[{_CONTROL}\ud800-\udfff{_NOTHING}{_BLANK}]")
_SPELLED_OUT_RE = re.compile(f"[{_CONTROL}\r\u2028\u2029\ud800-\udfff{_NOTHING}{_BLANK}]")
_WHITE_SPACE_RE = re.compile(r"\s")

_LONGEST_ACCENT_RUN = 30  # as in Unicode's stream-safe text format; longer ones are sorted apart


@dataclass(frozen=True, slots=True)
class Invisible:
    """One character that draws nothing.

    Attributes:
        offset: Its place, in characters from the start.
        codepoint: `U+200B`.
        name: Its Unicode name, or `unnamed`.
    """

    offset: int
    codepoint: str
    name: str


def codepoint(character: str) -> str:
    """The usual spelling of a character's number.

    >>> codepoint("\u200b"), codepoint("\U000e0041")
    ('U+200B', 'U+E0041')
    """
    return f"U+{ord(character):04X}"


def normalized(form: Form, text: str) -> str:
    """`unicodedata.normalize`, without its quadratic time on long runs of accents.

    >>> normalized("NFC", "e\u0301")
    'é'
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _accents_sorted(form, text))


def _accents_sorted(form: Form, text: str) -> str:
    """Put runs of more than 30 combining characters into canonical order.

    The normaliser sorts them by insertion, in quadratic time. Sorting by class keeps the order
    within a class, as the standard asks, so the result normalises to the same text.
    """
    decompose: Form = "NFKD" if form in {"NFKC", "NFKD"} else "NFD"
    accents = {
        ch for ch in set(text) if unicodedata.combining(unicodedata.normalize(decompose, ch)[0])
    }
    if not accents:
        return text
    run = re.compile(
        "[" + "".join(map(re.escape, sorted(accents))) + f"]{{{_LONGEST_ACCENT_RUN + 1},}}"
    )

    def in_order(found: re.Match[str]) -> str:
        parts = [unicodedata.normalize(decompose, ch) for ch in found.group()]
        return "".join(sorted("".join(parts), key=unicodedata.combining))

    return run.sub(in_order, text)


def nfc(text: str) -> str:
    """Text as it is stored: canonically composed, nothing else changed.

    >>> nfc("ﬁne\u00a0Ａ") == "ﬁne\u00a0Ａ"
    True
    """
    return normalized("NFC", text)


def without_invisible(text: str) -> str:
    """Text without the characters that draw nothing; blank ones become spaces.

    >>> without_invisible("to\u00adken\u3164s")
    'token s'
    """
    if text.isascii():
        return text
    return _BLANK_RE.sub(" ", _NOTHING_RE.sub("", text))


def match_key(text: str) -> str:
    r"""The form in which look-alikes are equal (E-TOMBSTONE).

    NFKC, case folding, invisible and control characters removed, white space runs to one space,
    stripped; repeated until nothing changes, so that it is idempotent. Confusable letters and
    paraphrases stay apart.

    >>> match_key("Straße\n") == match_key("STRASSE")
    True
    >>> match_key("раypal") == match_key("paypal")  # the first begins with Cyrillic letters
    False
    """
    plain = " ".join(text.casefold().split()) if text.isascii() else "\x00"
    if plain.isprintable():  # nothing is left that folding again would change
        return plain
    key = _folded(text)
    while (again := _folded(key)) != key:
        key = again
    return key


def _folded(text: str) -> str:
    shown = without_invisible(normalized("NFKC", text))
    spaced = " ".join(normalized("NFKC", shown.casefold()).split())
    return _CONTROL_RE.sub("", spaced)


def invisible_characters(text: str) -> tuple[Invisible, ...]:
    """Every character that draws nothing, in order.

    >>> invisible_characters("a\u200bb")
    (Invisible(offset=1, codepoint='U+200B', name='ZERO WIDTH SPACE'),)
    """
    if text.isascii():
        return ()
    return tuple(_invisible_at(found) for found in _INVISIBLE_RE.finditer(text))


def _invisible_at(found: re.Match[str]) -> Invisible:
    character = found.group()
    return Invisible(found.start(), codepoint(character), unicodedata.name(character, "unnamed"))


def visible(text: str) -> str:
    r"""Text with everything that a terminal would hide or obey spelled out; `\n` and `\t` stay.

    >>> visible("a\x1b[2Jb\n")
    'a⟨U+001B⟩[2Jb\n'
    """
    return _SPELLED_OUT_RE.sub(lambda found: f"⟨{codepoint(found.group())}⟩", text)


# --- what is wrong with a text ------------------------------------------------------------------


def is_unmarked(text: str) -> bool:
    r"""Whether no character of a text is forbidden or draws nothing: `text_findings` has its length to look at alone.

    >>> is_unmarked("a\tb\n"), is_unmarked("d\xfcrr"), is_unmarked("a\u200bb"), is_unmarked("\ud800")
    (True, True, False, False)
    """
    plain = text.isascii() and text.replace("\n", "").isprintable()
    return plain or not _MARKED_RE.search(text)


def text_findings(text: str, path: str, *, limit: int = LONGEST_TEXT) -> tuple[Finding, ...]:
    r"""Everything that is wrong with prose, one finding a kind, each naming the first place.

    Args:
        text: Prose: a claim, a title, a reason.
        path: Where it stands, for the findings.
        limit: Most characters allowed; exactly `limit` is allowed.

    Returns:
        Errors `nul_character`, `lone_surrogate`, `control_character`, `too_long`; warning
        `invisible_characters`, which spares emoji and the joiners of Arabic and Indic scripts.

    >>> (
    ...     [f.code for f in text_findings("abc", "", limit=3)],
    ...     [f.code for f in text_findings("abcd", "", limit=3)],
    ... )
    ([], ['too_long'])
    """
    unexpected = [f for f in _INVISIBLE_RE.finditer(text) if not _belongs(text, f.start())]
    return (
        *_forbidden(text, path),
        *_hidden(unexpected, path, "warning", "have a reviewer look at them, or remove them"),
        *_too_long(text, path, limit),
    )


def identifier_findings(text: str, path: str) -> tuple[Finding, ...]:
    """Everything that is wrong with an id, a scope or a principal; all are errors.

    >>> [f.code for f in identifier_findings("agent:co dex\u200b", "/id")]
    ['invisible_characters', 'white_space']
    >>> identifier_findings("a" * 200, ""), [f.code for f in identifier_findings("a" * 201, "")]
    ((), ['too_long'])
    """
    if not text:
        return (Finding("empty", "an identifier is empty", path, "give one"),)
    found = list(_forbidden(text, path))
    found += _hidden(list(_INVISIBLE_RE.finditer(text)), path, "error", "remove them")
    if space := _WHITE_SPACE_RE.search(text):
        place = f"white space at character {space.start()} of an identifier"
        found.append(Finding("white_space", place, path, "use `-` or `_` instead"))
    if nfc(text) != text:
        message = "an identifier is not in Unicode form NFC"
        found.append(Finding("not_nfc", message, path, "write it with composed characters"))
    return (*found, *_too_long(text, path, LONGEST_IDENTIFIER))


_FORBIDDEN = (
    ("nul_character", "NUL character", re.compile("\x00")),
    ("lone_surrogate", "half of a surrogate pair", _SURROGATE_RE),
    ("control_character", "control character", re.compile(f"[{_CONTROL}]".replace("\x00", "\x01"))),
)


def _forbidden(text: str, path: str) -> Iterable[Finding]:
    for code, what, pattern in _FORBIDDEN:
        first = pattern.search(text)
        if first:
            count = len(pattern.findall(text))
            message = (
                f"{what} {codepoint(first.group())} at character {first.start()}{_more(count)}"
            )
            yield Finding(code, message, path, "remove it")


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""


def _hidden(
    places: list[re.Match[str]], path: str, severity: Severity, fix: str
) -> Iterable[Finding]:
    if places:
        first = _invisible_at(places[0])
        message = (
            f"characters that draw nothing: {first.codepoint} {first.name} at character"
            f" {first.offset}{_more(len(places))}"
        )
        yield Finding("invisible_characters", message, path, fix, severity)


def _too_long(text: str, path: str, limit: int) -> Iterable[Finding]:
    if len(text) > limit:
        message = f"{len(text)} characters; at most {limit} are allowed"
        yield Finding("too_long", message, path, "shorten it, or split it")


_ARABIC_OR_INDIC = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\ufb50-\ufdff\ufe70-\ufefc]"
)
_KEYCAP = re.compile("[#*0-9]\ufe0f\u20e3")


def _belongs(text: str, at: int) -> bool:
    """Whether an invisible character is ordinary writing: an emoji's, or a script's own joiner."""
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    character = text[at]
    if not before:
        return False
    if character in "\ufe0e\ufe0f":
        return unicodedata.category(before) == "So" or bool(_KEYCAP.match(text, at - 1))
    if character == "\u200d" and after and unicodedata.category(after) == "So":
        return before == "\ufe0f" or unicodedata.category(before) in {"So", "Sk"}
    if character in "\u200c\u200d":
        return bool(_ARABIC_OR_INDIC.match(before))
    return False
