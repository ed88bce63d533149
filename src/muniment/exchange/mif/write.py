r"""Write concepts as files: markdown and JSON-LD in one form for one value, and nothing that did not change.

- Frontmatter in canonical key order; the body as it is, to the byte.
- A file whose frontmatter still says the same keeps its very bytes, whatever its spelling (`C-ROUNDTRIP`).
- Files are replaced whole; a file with equal bytes is not touched. Nothing is written through a symbolic link, nor
  outside the folder.

>>> markdown({"type": "semantic", "id": "x"}, "\nBody\n")
'---\nid: x\ntype: semantic\n---\n\nBody\n'
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.exchange.mif.concept import read_markdown
from muniment.exchange.mif.frontmatter import Parts
from muniment.exchange.mif.project import ordered, same_value
from muniment.exchange.mif.yaml_write import written


def markdown(meta: Mapping[str, Any], body: str, before: Parts | None = None) -> str:
    """A concept's markdown file.

    Args:
        meta: The frontmatter.
        body: The body.
        before: The file as it was, whose spelling is kept as far as it still says the same.
    """
    if before is None:
        return f"---\n{written(ordered(meta))}---\n{body}"
    kept, _ = read_markdown(before.text.encode("utf-8"))
    if kept is not None and same_value(kept.meta, dict(meta)):
        return before.head + before.yaml + before.tail + body
    text = written(ordered(meta)).replace("\n", before.newline)
    return before.head + text + before.tail + body


def jsonld(document: Any) -> str:
    """A JSON-LD document's file, with a final line end."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


@dataclass(frozen=True, slots=True)
class Written:
    """What writing came to.

    Attributes:
        changed: Files that are new or different now.
        unchanged: Files that already held the same bytes.
    """

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]


def write_files(root: Path, files: Mapping[str, bytes]) -> Written:
    """Write files below a folder, which is made where there is none.

    Raises:
        InvalidInput: A path leads out of the folder or through a symbolic link; nothing was written.
        OSError: The disk refuses.
    """
    faults = tuple(
        Finding(
            "unsafe_path", f"{quoted(name)} leads out of the folder", name, "choose another name"
        )
        for name in files
        if not is_inside(root, name)
    )
    if faults:
        raise InvalidInput.of(faults)
    changed, unchanged = [], []
    for name, data in files.items():
        path = root / name
        if path.is_file() and path.read_bytes() == data:
            unchanged.append(name)
            continue
        replace_file(path, data)
        changed.append(name)
    return Written(tuple(changed), tuple(unchanged))


def is_inside(root: Path, name: str) -> bool:
    """Whether a path stays in the folder, and leads through no symbolic link."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or "\\" in name or "\x00" in name or ".." in parts:
        return False
    steps = [root.joinpath(*parts[: n + 1]) for n in range(len(parts))]
    return not any(step.is_symlink() for step in steps)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole: whoever looks finds the one before or this one. Its folder is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".muniment-")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
