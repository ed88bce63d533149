r"""Read a document from outside, JSON or YAML, strictly.

- The file's suffix decides the format; without a known one, a document that begins with `{` or `[` is JSON.
- Every loader takes bytes or text and answers with a value or with findings; none raises.

>>> load_document(b'{"a": [1, 2]}', "diff.json").value == load_document("a: [1, 2]", "diff.yaml").value
True
"""

from __future__ import annotations

from muniment.exchange.loaded import DEEPEST, LIMIT_BYTES, Loaded
from muniment.exchange.strict_json import load_json
from muniment.exchange.strict_yaml import load_yaml

__all__ = ["DEEPEST", "LIMIT_BYTES", "Loaded", "load_document", "load_json", "load_yaml"]


def load_document(data: bytes | str, name: str = "", *, limit_bytes: int = LIMIT_BYTES) -> Loaded:
    """Read one document in the format that its name or its beginning tells.

    Args:
        data: The document.
        name: The file's name; its suffix decides, and it is part of each finding's place.
        limit_bytes: Most bytes accepted.

    Returns:
        As `load_json` and `load_yaml`.

    >>> load_document("[no]").findings[0].code, load_document("- no").value
    ('json_syntax', ['no'])
    """
    suffix = name.rpartition(".")[2].lower()
    if suffix in {"json", "jsonld"}:
        return load_json(data, limit_bytes=limit_bytes, name=name)
    if suffix in {"yaml", "yml"}:
        return load_yaml(data, limit_bytes=limit_bytes, name=name)
    beginning = data[:1024] if isinstance(data, str) else data[:1024].decode("utf-8", "replace")
    looks_like_json = beginning.removeprefix("\ufeff").lstrip().startswith(("{", "["))
    load = load_json if looks_like_json else load_yaml
    return load(data, limit_bytes=limit_bytes, name=name)
