"""Cut text into words, and words into the pieces of a vocabulary (byte-pair encoding).

- Words are runs of letters, digits and marks, NFKC and case folded; `camelCase` and `snake_case` are taken apart.
- A word begins with `▁`. Its characters are merged pair by pair, the pair of lowest rank first, leftmost first.
- A character that the vocabulary lacks becomes its UTF-8 bytes.
- A run longer than `LONGEST` characters, as in a script without spaces, is cut: merging stays cheap.

What a piece means is the table's matter.

>>> split("Don't parseHTTPHeader_v2!")
['don', 't', 'parse', 'http', 'header', 'v2']
>>> pieces = Pieces({"▁": 0, "a": 1, "b": 2, "ab": 3, "<0xC3>": 4, "<0x9F>": 5}, {"a b": 0})
>>> pieces("abß")
(0, 3, 4, 5)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

LONGEST = 64
"""Characters of a word that are merged together."""

_NEVER = 1 << 62  # the rank of a pair that is not merged
_REMEMBERED = 1 << 16  # words whose pieces are kept; more start over
# Letters and digits, and the blocks whose vowels and accents `\w` leaves out.
_WORD = re.compile(
    "(?:[^\\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3])+"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split(text: str) -> list[str]:
    """The words of a text in their order."""
    normal = unicodedata.normalize("NFKC", text)
    return _WORD.findall(_HUMP.sub(" ", normal).casefold())


class Pieces:
    """Cuts words by one vocabulary. Safe from several threads.

    Args:
        vocabulary: Piece to its number; for every byte there is `<0x00>` to `<0xFF>`.
        merges: `left right` to its rank.
    """

    def __init__(self, vocabulary: Mapping[str, int], merges: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._merges = merges
        self._known: dict[str, tuple[int, ...]] = {}

    def __call__(self, word: str) -> tuple[int, ...]:
        """The numbers of a word's pieces, at least one."""
        found = self._known.get(word)
        if found is None:
            marked = "▁" + word
            runs = (marked[at : at + LONGEST] for at in range(0, len(marked), LONGEST))
            found = tuple(number for run in runs for number in self._run(run))
            if len(word) <= LONGEST:
                if len(self._known) >= _REMEMBERED:
                    self._known = {}
                self._known[word] = found
        return found

    def _run(self, run: str) -> list[int]:
        parts = [part for character in run for part in self._characters(character)]
        ranks = [self._rank(left, right) for left, right in pairwise(parts)]
        while ranks and (lowest := min(ranks)) < _NEVER:
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at < len(ranks):
                ranks[at] = self._rank(parts[at], parts[at + 1])
            if at:
                ranks[at - 1] = self._rank(parts[at - 1], parts[at])
        return [self._vocabulary[part] for part in parts]

    def _rank(self, left: str, right: str) -> int:
        return self._merges.get(f"{left} {right}", _NEVER)

    def _characters(self, character: str) -> list[str]:
        if character in self._vocabulary:
            return [character]
        return [f"<0x{byte:02X}>" for byte in character.encode("utf-8", "surrogatepass")]
