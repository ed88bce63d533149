"""An independent reading of MIF files for comparison: as few lines as will do, and none of ours.

- Frontmatter is split by one regular expression and read by PyYAML with the scalars of YAML 1.2's core schema, so that
  dates, `no` and `012` stay text. A key that stands twice makes the file no YAML 1.2.
- The projection follows sections 15.1 and 6.1 of the specification; the body is taken as it is.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

import yaml

_FILE = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)(.*)\Z",
    re.DOTALL | re.MULTILINE,
)


class Core(yaml.SafeLoader):
    """PyYAML with the core schema of YAML 1.2."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys):
            raise yaml.YAMLError("a key stands twice")
        pairs = [
            (self.construct_object(k, True), self.construct_object(v, True)) for k, v in node.value
        ]
        return {
            k if isinstance(k, str) else node.value[n][0].value: v for n, (k, v) in enumerate(pairs)
        }


Core.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node))
for tag, pattern, first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", "~|null|Null|NULL|", "~nN\0"),
    ("int", "[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+0123456789.",
    ),
):
    starts = [*first, ""] if tag == "null" else list(first)
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), starts)


def document_of(data: bytes) -> Any:
    """The JSON-LD document of a markdown file; None where it is no readable concept."""
    found = _FILE.match(data)
    if found is None:
        return None
    try:
        meta = yaml.load(found[1].decode("utf-8"), Loader=Core)
        body = found[2].decode("utf-8")
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return None
    if not isinstance(meta, dict):
        return None
    document = {
        "@context": "https://mif-spec.dev/schema/context.jsonld",
        "@type": "Concept",
        **meta,
    }
    if "id" in meta:
        text = meta["id"] if isinstance(meta["id"], str) else str(meta["id"])
        document["@id"] = text if text.startswith("urn:mif:") else f"urn:mif:{text}"
        del document["id"]
    if "type" in meta:
        document["conceptType"] = document.pop("type")
    moment = meta.get("modified") if meta.get("modified") is not None else meta.get("created")
    if moment is not None:
        document.setdefault("timestamp", moment)
    if "summary" in meta:
        document.setdefault("description", meta["summary"])
    document["content"] = body
    return document


def pack_of(data: bytes) -> Any:
    """An ontology pack; None where it is no YAML."""
    try:
        return yaml.load(data.decode("utf-8"), Loader=Core)
    except (yaml.YAMLError, UnicodeDecodeError):
        return None


def schema_of(folder: Path, name: str) -> Any:
    """A published schema."""
    return json.loads((folder / name).read_text("utf-8"))
