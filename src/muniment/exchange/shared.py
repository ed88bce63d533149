r"""A bundle in a folder that stores share by git: read it with what it remembers, and write single files of it.

- Only markdown concepts are synced. One without an identifier, one whose identifier another file has too, and one that
  cannot be read (a merge that left its marks, for instance) are told and left alone.
- What is remembered stands in `.mif/muniment-sync.jsonl`, a concept a line in the order of identifiers: digests alone,
  no time, no machine's path. Lines that two branches changed are put together; a merge's own marks are passed over.
- A file is replaced whole, and only while it still is what was read. What is remembered is written last: whatever a
  kill leaves behind, the next sync goes on from it.

>>> sorted(entries_of(b'{"format": "muniment-sync/1"}\n<<<<<<< HEAD\n{"id": "x", "file": "x.md", "said": ["a"]}\n'))
['x']
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from muniment.core.canonical import canonical, digest_bytes
from muniment.core.claim import Claim
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.threeway import merged
from muniment.exchange.formats.mif import candidate_of
from muniment.exchange.mif.bundle import Bundle, folder_files, of_files
from muniment.exchange.mif.coming import manifest_of
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.edited import not_taken
from muniment.exchange.mif.edited_edges import URN, Known, edited_edges
from muniment.exchange.mif.export_files import MANIFEST, SYNC_STATE, path_for
from muniment.exchange.mif.from_claims import concept_of
from muniment.exchange.mif.ids import is_uuid
from muniment.exchange.mif.mirror import uuid_of
from muniment.exchange.mif.namespaces import agreement_for
from muniment.exchange.mif.settings import Settings, read_settings
from muniment.exchange.mif.spaces import InBundle
from muniment.exchange.mif.to_claims import own_claim, own_part, own_text
from muniment.exchange.mif.write import is_inside, markdown, replace_file
from muniment.exchange.opened import LONGEST_QUOTE
from muniment.exchange.strict_json import load_json
from muniment.ports.importing import Candidate, ForeignFile, Place
from muniment.ports.syncing import Changes, Entry, Left, Shared, SharedConcept

FORMAT = "muniment-sync/1"
_LONGEST_LINE = 20_000


class BundleFolder:
    """A folder that is synced; see `ports.syncing.SharedFolder`."""

    def __init__(self, root: Path, files: Mapping[str, bytes], faults: tuple[Finding, ...]) -> None:
        """What stands in the folder, as it was read."""
        self.root, self.files, self.faults = root, dict(files), faults

    def read(self) -> Shared:
        """The concepts of the folder, and what it remembers."""
        bundle = of_files(self.files)
        settings, _ = read_settings(bundle.settings)
        found = [one for one in bundle.concepts if one.form == "markdown" and not one.base]
        count = Counter(one.id.lower() for one in found)
        kept = [one for one in found if one.id and count[one.id.lower()] == 1]
        findings = [*self.faults, *_trouble(bundle), *_nameless(found, count)]
        unread = {f.file for f in bundle.issues if f.severity == "error"}
        unread |= {one.file for one in found if one not in kept}
        known = _known(kept)
        return Shared(
            tuple(self._concept(one, settings, known) for one in kept),
            entries_of(self.files.get(SYNC_STATE, b"")),
            frozenset(unread),
            tuple(findings),
            lambda namespace: agreement_for(namespace, settings.agreements) is not None,
        )

    def _concept(self, concept: Concept, settings: Settings, known: Known) -> SharedConcept:
        data = self.files[concept.file]
        digest = digest_bytes(data)
        source = ForeignFile(concept.file, f"import:mif:{digest}", digest, len(data), "mif")
        claim, exact, _ = own_claim(concept) if own_part(concept) else (None, True, ())
        candidate = candidate_of(concept, _place(concept), InBundle(settings))
        left = not_taken(concept)
        if claim is not None and isinstance(candidate, Candidate):
            edges, is_lost = edited_edges(concept, claim, known)
            exact = exact and edges == claim.relationships
            candidate = _from_us(replace(candidate, relationships=edges), exact)
            left = (*left, "relationships") if is_lost else left
        return SharedConcept(
            concept.id.lower(), concept.file, source, candidate,
            claim.id if claim else "", exact, left,
        )  # fmt: skip

    def concept_id(self, claim: Claim) -> str:
        """The identifier under which a claim goes out that no file holds yet."""
        came = claim.provenance.foreign_id.lower()
        return came if is_uuid(came) else uuid_of(claim.id)

    def path_for(self, claim: Claim, concept: str, taken: Collection[str]) -> str:
        """A path for a claim that no file holds yet."""
        return path_for(claim, concept, taken)

    def write(self, changes: Changes, dry_run: bool) -> Left:
        """Write and remove files, then what is remembered.

        Raises:
            InvalidInput: A path leads out of the folder; nothing was written.
        """
        files = self._rendered(changes)
        outside = [name for name in (*files, *changes.remove) if not is_inside(self.root, name)]
        if outside:
            raise InvalidInput.of(tuple(map(_unsafe, outside)))
        if dry_run:
            wanted = [name for name, data in files.items() if self.files.get(name) != data]
            return Left(tuple(sorted(wanted)), tuple(sorted(changes.remove)))
        meanwhile = tuple(n for n in (*files, *changes.remove) if self._has_moved(n))
        written = [n for n, data in files.items() if n not in meanwhile and self._put(n, data)]
        removed = [n for n in changes.remove if n not in meanwhile and self._drop(n)]
        self._remember(changes, meanwhile)
        return Left(tuple(sorted(written)), tuple(sorted(removed)), meanwhile)

    def _rendered(self, changes: Changes) -> dict[str, bytes]:
        """The files of the claims, with links to those that stay."""
        paths = {claim: path for claim, (path, _) in changes.named.items()}
        titles = {claim: title for claim, (_, title) in changes.named.items()}
        by_path = dict(changes.named.values())
        for concept, entry in changes.entries.items():
            if entry.file in by_path:
                paths[URN + concept], titles[URN + concept] = entry.file, by_path[entry.file]
        made = {}
        for one in changes.write:
            ids = {one.claim.claim.id: one.concept}
            text = markdown(*concept_of(one.claim, paths, titles, ids))
            made[one.file] = text.encode("utf-8")
        return made

    def _has_moved(self, name: str) -> bool:
        """Whether a file is not what was read any more."""
        path = self.root / name
        now = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        return now != self.files.get(name) or (now is None and path.exists())

    def _put(self, name: str, data: bytes) -> bool:
        if self.files.get(name) == data:
            return False
        replace_file(self.root / name, data)
        return True

    def _drop(self, name: str) -> bool:
        (self.root / name).unlink(missing_ok=True)
        return True

    def _remember(self, changes: Changes, meanwhile: tuple[str, ...]) -> None:
        """Write what is remembered, and the manifest of an earlier export where there is one."""
        before = entries_of(self.files.get(SYNC_STATE, b""))
        entries = dict(changes.entries)
        for name, entry in changes.entries.items():
            was = before.get(name, Entry("", ()))
            if entry.file in meanwhile or (was.file and was.file in meanwhile):
                entries.pop(name)  # it is as if this sync had not looked at it
                entries |= {name: was} if was.said else {}
        data = state_of(entries)
        if self.files.get(SYNC_STATE, b"") != data:
            replace_file(self.root / SYNC_STATE, data)
        manifest = self._manifest(changes, meanwhile)
        if manifest is not None and self.files.get(MANIFEST) != manifest:
            replace_file(self.root / MANIFEST, manifest)

    def _manifest(self, changes: Changes, meanwhile: tuple[str, ...]) -> bytes | None:
        """An earlier export's manifest with the files that were written and removed since; None where there is none."""
        held = manifest_of({MANIFEST.removeprefix(".mif/"): self.files.get(MANIFEST, b"")})
        if held is None:
            return None
        files = {n: d for n, d in held["files"].items() if n not in changes.remove}
        made = self._rendered(changes)
        files |= {n: digest_bytes(data) for n, data in made.items() if n not in meanwhile}
        body = {
            **{k: v for k, v in held.items() if k != "digest"},
            "files": dict(sorted(files.items())),
        }
        whole = {**body, "digest": digest_bytes(canonical(body))}
        return (json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _known(concepts: list[Concept]) -> Known:
    """The concepts of a folder, by path and by the claim that each says it is."""
    claims = ((own_claim(one)[0], one.id.lower()) for one in concepts if own_part(one))
    return Known(
        {f"/{one.file}": one.id.lower() for one in concepts},
        {claim.id: name for claim, name in claims if claim is not None},
    )


def _place(concept: Concept) -> Place:
    """Where a concept's text stands in its file: the text alone, for a file of ours quotes the one before it."""
    parts = concept.parts
    text = own_text(concept).strip()
    if parts is None or not text or len(text) > LONGEST_QUOTE:
        return Place(1)
    before = parts.head + parts.yaml + parts.tail + concept.body[: concept.body.index(text)]
    start = len(before.encode("utf-8"))
    return Place(before.count("\n") + 1, start, start + len(text.encode("utf-8")), "", text)


def _from_us(candidate: Candidate, is_whole: bool) -> Candidate:
    """What a file of ours states: an edit is no damage, and does not come from where the text before it came from."""
    cited = {one.target for one in candidate.relationships if one.type == "cites"}
    kept = replace(
        candidate,
        doubts=tuple(one for one in candidate.doubts if one.code != "hash_mismatch"),
        cites=tuple(c for c in candidate.cites if c not in cited and not c.startswith("import:")),
    )
    if is_whole:
        return kept
    dates = tuple(one for one in kept.dates if one.name != "created")
    return replace(kept, origin="external_data", derivation="imported", dates=dates)


def _trouble(bundle: Bundle) -> Iterator[Finding]:
    """What keeps files from being read; what a validation would only warn of is left to that."""
    return (issue.finding() for issue in bundle.issues if issue.severity == "error")


def _nameless(found: list[Concept], count: Counter[str]) -> Iterator[Finding]:
    for one in found:
        if not one.id:
            fix = "add `id:` with a new UUID to its frontmatter"
            yield Finding("sync_no_id", "the concept has no identifier", one.file, fix)
        elif count[one.id.lower()] > 1:
            message = f"another file has the identifier {quoted(one.id)} too"
            yield Finding("sync_same_id", message, one.file, "give one of them another `id`")


def _unsafe(name: str) -> Finding:
    message = f"{quoted(name)} leads out of the folder"
    return Finding("unsafe_path", message, name, "choose another name")


def entries_of(data: bytes) -> dict[str, Entry]:
    """What a folder remembers, by concept; lines that say nothing are passed over."""
    found: dict[str, Entry] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        value = (
            load_json(line).value if line.startswith("{") and len(line) <= _LONGEST_LINE else None
        )
        entry = _entry(value)
        if entry is None or not isinstance(value, dict):
            continue
        name = str(value["id"]).lower()
        before = found.get(name)
        if before is not None and before != entry:
            entry = Entry(entry.file, merged(before.said, entry.said))
        found[name] = entry
    return found


def _entry(value: Any) -> Entry | None:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return None
    file, said = value.get("file"), value.get("said")
    if not isinstance(file, str) or not isinstance(said, list):
        return None
    parts = PurePosixPath(file).parts
    odd = file.startswith("/") or "\\" in file or {"..", ".mif"} & set(parts)
    if file and (odd or not file.endswith(".md")):
        return None
    return Entry(file, tuple(one for one in said if isinstance(one, str)))


def state_of(entries: Mapping[str, Entry]) -> bytes:
    """The file of what is remembered."""
    rows: list[dict[str, Any]] = [{"format": FORMAT}]
    rows += [
        {"id": name, "file": entry.file, "said": list(entry.said)}
        for name, entry in sorted(entries.items())
        if entry.said
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")


def open_folder(root: Path) -> BundleFolder:
    """A folder to sync; one that is not there yet is an empty one.

    Raises:
        InvalidInput: Something else than a folder stands there.
    """
    if root.exists() and not root.is_dir():
        message = f"{quoted(root)} is no folder"
        raise InvalidInput.of((Finding("no_folder", message, "DIR", "name a folder"),))
    files, issues = folder_files(root) if root.is_dir() else ({}, ())
    faults = tuple(one.finding() for one in issues)
    return BundleFolder(root, files, faults)
