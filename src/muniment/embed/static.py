"""The offline default: a table with a vector for every piece of a word, from the `wordllama` wheel.

- Two files of the wheel are read as data; nothing of it is imported or run, and no network is used. Each is
  pinned by its SHA-256: another file is refused (`D-MODELDATA`).
- A word's vector is the sum of its pieces' over the root of their number; a text's is the sum of its words',
  each times the root of how often it stands there. So a rare word of five pieces does not drown the rest, and
  a repeated word counts a little more.
- Sums are whole numbers: the same text has the same bytes in any batch, order, thread or process.
- There is no window: every word of a long text counts.

>>> embedder = open_wordllama()
>>> tests, trials, lunch = embedder.embed(["How do I run the tests?", "running the test suite", "a cheese sandwich"])
>>> def product(a: bytes, b: bytes) -> int:
...     return sum(int.from_bytes([x], signed=True) * int.from_bytes([y], signed=True) for x, y in zip(a, b))
>>> product(tests, trials) > 4 * product(tests, lunch)
True
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from muniment.core.embedding import Space
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.embed.pieces import Pieces, split
from muniment.embed.quantise import Sums, unit_bytes


@dataclass(frozen=True, slots=True)
class Pinned:
    """A file that is accepted with these bytes and no others.

    Attributes:
        folder: The folder in the package.
        name: Its name.
        size: Bytes.
        sha256: The digest of its content.
    """

    folder: str
    name: str
    size: int
    sha256: str


WEIGHTS = Pinned(
    "weights",
    "l2_supercat_256.safetensors",
    16_384_096,
    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
)
VOCABULARY = Pinned(
    "tokenizers",
    "l2_supercat_tokenizer_config.json",
    1_842_796,
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
)

METHOD = "words-1"
"""How words become a vector; raised with every change here or in `pieces` that changes a bit."""

INSTALL = "install it with `pip install 'muniment[embeddings]'`, or alone: `pip install --no-deps wordllama`"

_STEP = 256  # texts whose words are looked up together
_WORD_BITS = 12  # fraction of a word's numbers
_COUNT_BITS = 8  # fraction of the root of a count


class StaticEmbedder:
    """Embeds by a table. Safe from several threads.

    Args:
        space: What the vectors are called.
        table: float16 [pieces, dimension].
        pieces: Cuts words into rows of the table.
    """

    def __init__(self, space: Space, table: npt.NDArray[np.float16], pieces: Pieces) -> None:
        self._space = space
        self._table = table
        self._pieces = pieces

    @property
    def space(self) -> Space:
        """Where the vectors lie."""
        return self._space

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in their order; `b""` for a text without words."""
        found: list[bytes] = []
        for first in range(0, len(texts), _STEP):
            found += unit_bytes(
                self._sums([Counter(split(t)) for t in texts[first : first + _STEP]])
            )
        return found

    def _sums(self, texts: Sequence[Counter[str]]) -> Sums:
        words = list(dict.fromkeys(word for counts in texts for word in counts))
        place = {word: at for at, word in enumerate(words)}
        vectors = self._words(words)
        sums = np.zeros((len(texts), self._space.dimension), dtype=np.int64)
        for row, counts in zip(sums, texts, strict=True):
            if counts:
                weights = [math.isqrt(count << 2 * _COUNT_BITS) for count in counts.values()]
                row[:] = np.array(weights) @ vectors[[place[word] for word in counts]]
        return sums

    def _words(self, words: Iterable[str]) -> Sums:
        """The words' vectors as whole numbers. float64 adds multiples of 2⁻²⁴, float16's last place, exactly."""
        numbers = [self._pieces(word) for word in words]
        if not numbers:
            return np.zeros((0, self._space.dimension), dtype=np.int64)
        counts = np.array([len(each) for each in numbers])
        rows = self._table[[number for each in numbers for number in each]].astype(np.float64)
        sums = np.add.reduceat(rows, np.cumsum(counts) - counts, axis=0)
        factors = (1 << _WORD_BITS) / np.sqrt(counts.astype(np.float64))
        return np.rint(sums * factors[:, None]).astype(np.int64)


# --- files ----------------------------------------------------------------------------------------


def open_wordllama(folder: Path | None = None) -> StaticEmbedder:
    """The embedder with wordllama's 256-dimensional table.

    Args:
        folder: Where the two files are, as in the wheel (`weights/…`, `tokenizers/…`) or side by side; the
            installed package by default.

    Raises:
        InvalidInput: The files are not there, or are not the pinned ones.
    """
    root = folder or _installed()
    table = _table(_read(root, WEIGHTS))
    model = json.loads(_read(root, VOCABULARY))["model"]
    merges = {pair: rank for rank, pair in enumerate(model["merges"])}
    version = hashlib.sha256(f"{WEIGHTS.sha256} {VOCABULARY.sha256}".encode()).hexdigest()[:12]
    space = Space("wordllama/l2_supercat_256", f"{version}.{METHOD}", table.shape[1])
    return StaticEmbedder(space, table, Pieces(model["vocab"], merges))


def _installed() -> Path:
    """The folder of the installed package, which is looked up and not imported."""
    found = find_spec("wordllama")
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        message = "the package `wordllama`, which carries the default embedding's weights, is not installed"
        raise InvalidInput.of((Finding("embedder_missing", message, fix=INSTALL),))
    return Path(places[0])


def _read(root: Path, pinned: Pinned) -> bytes:
    """A pinned file's bytes.

    Raises:
        InvalidInput: It cannot be read, or has other bytes.
    """
    beside, inside = root / pinned.name, root / pinned.folder / pinned.name
    path = beside if beside.is_file() else inside
    try:
        content = path.read_bytes() if path.stat().st_size == pinned.size else b""
    except OSError as error:
        message = f"the embedding's file {quoted(pinned.name)} cannot be read in {quoted(root)}"
        raise InvalidInput.of((Finding("embedder_missing", message, fix=INSTALL),)) from error
    if hashlib.sha256(content).hexdigest() != pinned.sha256:
        message = (
            f"{quoted(path)} is not the file that this version was made for, so it is not read"
        )
        fix = f"the file has SHA-256 {pinned.sha256}; {INSTALL}"
        raise InvalidInput.of((Finding("embedder_weights_differ", message, fix=fix),))
    return content


def _table(content: bytes) -> npt.NDArray[np.float16]:
    """The one tensor of a safetensors file: eight bytes of length, a JSON header, numbers."""
    size = int.from_bytes(content[:8], "little")
    tensor = json.loads(content[8 : 8 + size])["embedding.weight"]
    numbers = np.frombuffer(content, dtype="<f2", offset=8 + size + tensor["data_offsets"][0])
    table: npt.NDArray[np.float16] = numbers.reshape(tensor["shape"])
    return table
