"""Small files of every foreign format, in our own words, and a way to read them."""

from __future__ import annotations

from pathlib import Path

from muniment.exchange.gather import Gathered
from muniment.exchange.reading import Tools
from muniment.learn.extract import read_file
from muniment.learn.passages import passages
from muniment.ports.importing import Candidate, ForeignFile, Yielded
from muniment.ports.source import file_uri

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "imports"
TOOLS = Tools(read_file, passages)


def gathered(*paths: Path, format: str = "") -> Gathered:
    return Gathered(tuple(paths), TOOLS, lambda path: file_uri(str(path.resolve())), format)


def files_of(*paths: Path, format: str = "") -> list[tuple[ForeignFile, list[Yielded]]]:
    return [(file, list(held)) for file, held in gathered(*paths, format=format).files()]


def one_file(path: Path, format: str = "") -> tuple[ForeignFile, list[Yielded]]:
    (found,) = files_of(path, format=format)
    return found


def candidates(name: str | Path, format: str = "") -> list[Candidate]:
    return [one for one in one_file(SAMPLES / name, format)[1] if isinstance(one, Candidate)]


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path
