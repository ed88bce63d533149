"""Words of Markdown prose: cleaned text, sentences, and the key of a statement.

- Cleaning drops emphasis, links' targets and escapes; inline code keeps its backticks and its text.
- A sentence ends at `.`, `!` or `?` before a space and a new beginning, never inside inline code,
  and not after usual abbreviations.
- The key is made of the first three telling words, so a change at a sentence's end (a number, a
  command) keeps its key, and so does moving it.

>>> clean("**Use** [pnpm](https://pnpm.io), see `a*b*c` and [`d`](e).")
'Use pnpm, see `a*b*c` and `d`.'
>>> [text for text, _, _ in sentences("Run `a. B`. Use v1.2, e.g. Here. So it is")]
['Run `a. B`.', 'Use v1.2, e.g. Here.', 'So it is']
>>> [text for text, _, _ in sentences("Option 3. Log no cards. Ever. Not even once.")]
['Option 3. Log no cards. Ever.', 'Not even once.']
>>> key_of("Always run the tests with `make test`.")
'always-run-tests'
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from muniment.learn.page import collapse

_CODE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!(?P=ticks)(?!`)).){1,2000}?(?<!`)(?P=ticks)(?!`)", re.DOTALL
)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,300}\])")
_AUTO = re.compile(r"<((?:https?|mailto)[^>\s]{1,500})>")
_COMMENT = re.compile(r"<!--.{0,5000}?-->", re.DOTALL)
_MARKS = re.compile(r"\*{1,3}|~~|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_HIDDEN = re.compile("\0(\\d+)\0")  # NUL is in no text that is read
_TASK = re.compile(r"^\[[ xX]\][ \t]+")
_END = re.compile(r"(?P<end>[.!?][)\"'’”]?)(?P<gap>\s+)(?=[\"'“‘(\[*_`]*[^\W_a-z])")
_SHORT = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|approx|no|fig|[A-Za-z])\.$", re.IGNORECASE)
_TOO_SHORT = 2  # words
_WORD = re.compile(r"\w+")
_FILLER = frozenset(
    "a an and are as at be by for from in is it of on or the this to we with".split()
)


def clean(text: str) -> str:
    """Markdown prose as plain text on one line; inline code stays as written."""
    kept: list[str] = []

    def hide(code: re.Match[str]) -> str:
        kept.append(code.group())
        return f"\0{len(kept) - 1}\0"

    bare = _bare(_CODE.sub(hide, _COMMENT.sub(" ", text)))
    shown = _HIDDEN.sub(lambda m: kept[int(m.group(1))], bare)
    return collapse(_TASK.sub("", shown.lstrip()))


def _bare(text: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    return _ESCAPE.sub(r"\1", _MARKS.sub("", _AUTO.sub(r"\1", text)))


def only_links(text: str) -> bool:
    """Whether nothing is left of a statement without its links and images.

    >>> only_links("[a](b), [c](d)."), only_links("See [a](b).")
    (True, False)
    """
    rest = _AUTO.sub("", _LINK.sub("", _IMAGE.sub("", _COMMENT.sub("", text))))
    rest = re.sub(r"https?://\S+", "", rest)
    return not _WORD.search(rest)


def sentences(text: str) -> Iterator[tuple[str, int, int]]:
    """Each sentence with its start and end in the text.

    A lone word goes with what is before it, and what is too short to say anything ("Option 3.") with
    what is after it.
    """
    held: tuple[int, int] | None = None
    for begin, end in _cuts(text):
        if held and _count(text, *held) > _TOO_SHORT and _count(text, begin, end) > 1:
            yield text[held[0] : held[1]], *held
            held = None
        held = (held[0] if held else begin, end)
    if held:
        yield text[held[0] : held[1]], *held


def _count(text: str, start: int, end: int) -> int:
    return len(text[start:end].split())


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    hidden = _CODE.sub(lambda m: "x" * len(m.group()), text)
    start = 0
    for match in _END.finditer(hidden):
        end = match.end("end")
        if _SHORT.search(hidden[max(0, end - 12) : end]):
            continue
        yield start, end
        start = match.end("gap")
    rest = text[start:].rstrip()
    if rest:
        yield start, start + len(rest)


def codes(text: str) -> tuple[str, ...]:
    """The inline code of a text.

    >>> codes("use `a` or ``b`c``")
    ('a', 'b`c')
    """
    return tuple(m.group().strip("`").strip() for m in _CODE.finditer(text))


def key_of(text: str) -> str:
    """A short key that survives moving the statement and changing its end."""
    words = [w for w in _WORD.findall(text.lower()) if w not in _FILLER]
    if not words:
        return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
    return "-".join(word[:40] for word in words[:3])


def words_of(text: str) -> tuple[str, ...]:
    """The telling words of a heading, as search words."""
    return tuple(w for w in _WORD.findall(text.lower()) if w not in _FILLER and len(w) > 2)
