"""Embed with a sentence-transformers model in a local folder.

- The library is optional, large, and imported when such a model is opened; nothing is downloaded.
- Weights are data: safetensors only, and modules of the library only. A folder with pickled weights or with code
  is refused before anything of it is loaded (`D-MODELDATA`).
- The space's version is the digest of the folder's files, so that other weights are another space. `?sha256=…`
  pins it: a folder with another digest is refused.
- A text longer than the model's window is cut into windows of tokens; its vector is the mean of their unit
  vectors by their length. Each window is computed by itself, so that what stands beside it changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from muniment.core.embedding import Space
from muniment.core.errors import Finding, InvalidInput, quoted

METHOD = "1"
"""How windows become a vector; raised when a bit of it changes."""

INSTALL = "install it with `pip install 'muniment[sentence-transformers]'`"

_PICKLED = frozenset({".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".npy", ".npz"})
_CODE = frozenset({".py", ".pyc", ".so", ".pyd", ".dll", ".dylib"})
_BLOCK = 1 << 20


class SentenceEmbedder:
    """Embeds with a loaded model.

    Args:
        model: A `SentenceTransformer`.
        name: What the model is called.
        digest: Of its files.
    """

    def __init__(self, model: Any, name: str, digest: str) -> None:
        self._model = model
        dimension = int(model.get_embedding_dimension())
        self._space = Space(f"sentence-transformers/{name}", f"{digest[:16]}.{METHOD}", dimension)

    @property
    def space(self) -> Space:
        """Where the vectors lie."""
        return self._space

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in their order; `b""` for a text of white space."""
        from muniment.embed.quantise import mean_of

        found = []
        for text in texts:
            windows = self._windows(text)
            units = [self._unit(window) for window, _ in windows]
            weights = [tokens for _, tokens in windows]
            found.append(units[0] if len(units) == 1 else mean_of(units, weights))
        return found

    def _unit(self, text: str) -> bytes:
        import numpy as np

        from muniment.embed.quantise import unit_bytes, whole_numbers

        row = self._model.encode(
            [text], batch_size=1, convert_to_numpy=True, show_progress_bar=False
        )
        return unit_bytes(whole_numbers(np.asarray(row, dtype=np.float64)))[0]

    def _windows(self, text: str) -> list[tuple[str, int]]:
        """The pieces of a text that the model reads whole, each with its number of tokens."""
        whole = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).strip()
        if not whole:
            return []
        longest = self._model.max_seq_length
        tokenizer = self._model.tokenizer
        if not longest or not callable(tokenizer):  # a model of static vectors reads everything
            return [(whole, 1)]
        room = max(1, int(longest) - int(tokenizer.num_special_tokens_to_add()))
        coded = tokenizer(
            whole, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        places = [(first, last) for first, last in coded["offset_mapping"] if last > first]
        cuts = [places[at][0] for at in range(room, len(places), room)]
        edges = [0, *cuts, len(whole)]
        counts = [min(room, len(places) - at) for at in range(0, max(1, len(places)), room)]
        pieces = [whole[a:b] for a, b in pairwise(edges)]
        return [(p, max(1, n)) for p, n in zip(pieces, counts, strict=True) if p.strip()]


def open_folder(spec: str) -> SentenceEmbedder:
    """The embedder of a folder, `FOLDER` or `FOLDER?sha256=…`.

    Raises:
        InvalidInput: No such model there, it is not data alone, its digest differs, or the library is missing.
    """
    place, _, query = spec.partition("?")
    pinned = query.removeprefix("sha256=") if query.startswith("sha256=") else ""
    if query and not pinned:
        raise _refused(
            "model_wrong", f"{quoted(query)} is no option", "the one option is `sha256=…`"
        )
    folder = Path(place).expanduser()
    require_data(folder)
    digest = digest_of(folder)
    if pinned and digest != pinned.lower():
        message = f"the model in {quoted(folder)} has the digest {digest}, not the pinned one"
        raise _refused(
            "embedder_weights_differ",
            message,
            "check where it comes from; pin it anew if it is right",
        )
    return SentenceEmbedder(_loaded(folder), folder.resolve().name, digest)


def _loaded(folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        message = "the package `sentence-transformers` is not installed"
        raise _refused("embedder_missing", message, INSTALL) from error
    try:
        return SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        RuntimeError,
        AttributeError,
        ImportError,
    ) as error:
        message = f"the model in {quoted(folder)} cannot be loaded: {quoted(error, 200)}"
        raise _refused(
            "model_wrong", message, "give the folder of a whole sentence-transformers model"
        ) from error


def require_data(folder: Path) -> None:
    """Refuse a folder that is no model, or that holds more than data.

    Raises:
        InvalidInput: No `modules.json`, a module of somebody else, a pickled file or code.
    """
    try:
        modules = json.loads((folder / "modules.json").read_bytes())
        kinds = [str(module["type"]) for module in modules]
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{quoted(folder)} holds no sentence-transformers model (`modules.json`)"
        raise _refused("model_wrong", message, "give the folder of a downloaded model") from error
    foreign = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    files = [p.name for p in _files(folder) if p.suffix.lower() in _PICKLED | _CODE]
    if foreign or files:
        what = quoted((foreign or files)[0])
        message = (
            f"the model in {quoted(folder)} holds {what}, which would be run and not only read"
        )
        fix = "use a model of safetensors and of the library's own modules; remove other formats of the weights"
        raise InvalidInput.of((Finding("model_runs_code", message, fix=fix, req="D-MODELDATA"),))


def digest_of(folder: Path) -> str:
    """The SHA-256 of a folder's files by name and content; what the version of the space begins with."""
    whole = hashlib.sha256()
    for path in _files(folder):
        one = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                one.update(block)
        whole.update(f"{path.relative_to(folder).as_posix()}\0{one.hexdigest()}\n".encode())
    return whole.hexdigest()


def _files(folder: Path) -> list[Path]:
    """Every file but hidden ones and the model card, in one order."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    parts = {path: path.relative_to(folder).parts for path in found}
    return sorted(
        (
            p
            for p in found
            if p.name != "README.md" and not any(x.startswith(".") for x in parts[p])
        ),
        key=lambda path: parts[path],
    )


def _refused(code: str, message: str, fix: str) -> InvalidInput:
    return InvalidInput.of((Finding(code, message, fix=fix),))
