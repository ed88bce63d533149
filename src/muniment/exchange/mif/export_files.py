"""The files of an export: one concept a claim, an index, the configuration, and a manifest with every file's digest.

- `_local` and `_system` namespaces do not leave; a `_shared` one only where an agreement names it.
- The same claims give the same bytes, wherever and whenever they are written.
- What comes back is checked: the manifest's digest, every file's, every claim's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from muniment.core.canonical import canonical, digest_bytes
from muniment.core.claim import Claim
from muniment.exchange.mif import namespaces
from muniment.exchange.mif.bundle import RESERVED
from muniment.exchange.mif.entities import slug
from muniment.exchange.mif.from_claims import concept_of, foreign_of, label
from muniment.exchange.mif.ids import is_uuid
from muniment.exchange.mif.links import as_link
from muniment.exchange.mif.mirror import uuid_of
from muniment.exchange.mif.past_file import lines_of
from muniment.exchange.mif.tables import concept_type_of
from muniment.exchange.mif.to_claims import OWN
from muniment.exchange.mif.write import markdown
from muniment.exchange.mif.yaml_write import written
from muniment.ports.interchange import Export, Files, Outgoing

MANIFEST = ".mif/muniment.json"
HISTORY = ".mif/muniment-history.jsonl"
"""What was recorded before, where the export tells it (`past_file`)."""
MANIFEST_FORMAT = "muniment/1"
SYNC_STATE = ".mif/muniment-sync.jsonl"
"""What a synced folder remembers (`exchange.shared`)."""


def bundle_files(export: Export) -> Files:
    """The files of a bundle: one concept a claim, an index, the configuration, and the manifest of our own."""
    staying = [one for one in export.claims if not namespaces.may_leave(one.claim.namespace)]
    left = tuple((one.claim.id, "its namespace does not leave") for one in staying)
    export = export.without({one.claim.id for one in staying})
    leaving = export.claims
    names = _names(leaving)
    titles = {one.claim.id: label(one.claim) for one in leaving}
    ids = _ids(leaving)
    files = {
        names[one.claim.id]: markdown(*concept_of(one, names, titles, ids)).encode("utf-8")
        for one in leaving
    }
    files["index.md"] = _index(leaving, names, titles).encode("utf-8")
    files[".mif/config.yaml"] = written(_config(leaving)).encode("utf-8")
    if export.past is not None:
        files[HISTORY] = lines_of(export.past)
    files[MANIFEST] = _manifest(files, export)
    return Files(dict(sorted(files.items())), left)


def _config(leaving: Sequence[Outgoing]) -> dict[str, Any]:
    """The bundle's configuration; reserved prefixes of the claims' own are declared, as the format asks."""
    config: dict[str, Any] = {
        "mif_version": "1.0.0",
        "conformance_level": 2,
        "extensions": [OWN],
    }
    known = (*namespaces.VISIBILITY_PREFIXES, *namespaces.TYPE_PREFIXES)
    roots = sorted({namespaces.root(one.claim.namespace) for one in leaving})
    own = {
        name: {"description": "in use"} for name in roots if name[:1] == "_" and name not in known
    }
    return config | ({"reserved_prefixes": own} if own else {})


def _names(leaving: Sequence[Outgoing]) -> dict[str, str]:
    """Claim to its path: the folder of its type, words of it, and the end of its id (all of it where that is taken)."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for one in leaving:
        found[one.claim.id] = path_for(one.claim, uuid_of(one.claim.id), taken)
        taken.add(found[one.claim.id])
    return found


def path_for(claim: Claim, uuid: str, taken: Collection[str]) -> str:
    """A claim's path in a bundle.

    Args:
        claim: The claim.
        uuid: Its concept's identifier.
        taken: Paths that others have.
    """
    words = re.sub(r"[^a-z0-9]+", "-", slug(label(claim))).strip("-")
    short = words[:48].rstrip("-") or "claim"
    kind = concept_type_of(claim.concept_type, claim.memory_type)
    name = _path_it_had(claim) or f"{kind}/{short}-{uuid[-12:]}.md"
    return name if name not in taken else f"{kind}/{short}-{uuid}.md"


def _ids(leaving: Sequence[Outgoing]) -> dict[str, str]:
    """Claim to the id under which it came from another bundle, where no other claim of the export has it."""
    came = [(one.claim.id, one.claim.provenance.foreign_id.lower()) for one in leaving]
    own = {uuid_of(one.claim.id) for one in leaving}
    count = Counter(foreign for _, foreign in came)
    return {
        name: foreign
        for name, foreign in came
        if is_uuid(foreign) and count[foreign] == 1 and foreign not in own
    }


def _path_it_had(claim: Claim) -> str:
    """The path that a concept from another bundle had there; empty where it had none that can be used."""
    foreign = foreign_of(claim)
    path = foreign.file if foreign else ""
    parts = PurePosixPath(path).parts
    odd = path.startswith(("/", ".")) or "\\" in path or ".." in parts or len(parts) > 8
    reserved = not path.endswith(".md") or parts[-1] in RESERVED or ".mif" in parts
    return "" if not path or odd or reserved or path.isprintable() is False else path


def _index(leaving: Sequence[Outgoing], names: Mapping[str, str], titles: Mapping[str, str]) -> str:
    lines = ["---", "okf_version: '0.1'", "---", "", "# Memory", ""]
    for kind in ("semantic", "episodic", "procedural"):
        inside = sorted(
            (titles[one.claim.id], names[one.claim.id])
            for one in leaving
            if concept_type_of(one.claim.concept_type, one.claim.memory_type) == kind
        )
        if inside:
            lines += [
                f"## {kind}",
                "",
                *(f"- {as_link(title, '/' + path)}" for title, path in inside),
                "",
            ]
    return "\n".join(lines)


def _manifest(files: Mapping[str, bytes], export: Export) -> bytes:
    """What the export holds, with every file's digest, under one digest."""
    body = {
        "format": MANIFEST_FORMAT,
        "scopes": sorted(str(scope) for scope in export.scopes),
        "files": {name: digest_bytes(data) for name, data in sorted(files.items())},
        "conflicts": [dict(one) for one in export.conflicts],
    }
    whole = {**body, "digest": digest_bytes(canonical(body))}
    return (json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")
