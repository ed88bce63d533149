"""Write an export into a folder: over an earlier export of our own, never over what somebody else wrote.

- A file of the earlier export that was changed since is a conflict: it is told, and nothing is written.
- A file of the earlier export whose claim is gone is removed; other files of the folder are left alone.
- A `_shared` namespace leaves only where an agreement in the folder names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from muniment.core.canonical import digest_bytes
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.exchange.mif.bundle import folder_files
from muniment.exchange.mif.coming import manifest_of
from muniment.exchange.mif.export_files import MANIFEST, SYNC_STATE, bundle_files
from muniment.exchange.mif.namespaces import agreement_for, root
from muniment.exchange.mif.settings import read_settings
from muniment.exchange.mif.write import write_files
from muniment.ports.interchange import Export, Wrote


def write_bundle(folder: Path, export: Export) -> Wrote:
    """Write an export.

    Args:
        folder: Made where there is none.
        export: What leaves.

    Raises:
        InvalidInput: A file in the way was not written by us, or was changed since; nothing was written.
    """
    there = folder_files(folder)[0] if folder.is_dir() else {}
    if SYNC_STATE in there:
        message = f"{quoted(folder.name)} is synced, and an export would not know its files again"
        fix = f"run `muniment sync {folder.name}`, or export into another folder"
        raise InvalidInput.of((Finding("folder_is_synced", message, "--out", fix),))
    settings_files = {n.removeprefix(".mif/"): d for n, d in there.items() if n.startswith(".mif/")}
    export, unagreed = _agreed(export, settings_files)
    made = bundle_files(export)
    manifest = manifest_of(settings_files)
    before: Mapping[str, str] = manifest["files"] if manifest else {}
    files = dict(made.files)
    if ".mif/config.yaml" in there and ".mif/config.yaml" not in before:
        del files[".mif/config.yaml"]  # the folder's own configuration stays
    faults = tuple(
        Finding(
            "file_in_the_way",
            _why(name, before),
            name,
            "bring it in first, or choose another folder",
        )
        for name, data in files.items()
        if name in there and there[name] != data and not _is_ours(name, there[name], before)
    )
    if faults:
        raise InvalidInput.of(faults)
    wrote = write_files(folder, files)
    gone = [n for n in before if n in there and n not in files and _is_ours(n, there[n], before)]
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    kept = len(export.claims) - len(made.left_out)
    left_out = made.left_out + unagreed + export.left_out
    return Wrote(kept, wrote.changed, wrote.unchanged, tuple(gone), left_out)


def _agreed(
    export: Export, settings_files: Mapping[str, bytes]
) -> tuple[Export, tuple[tuple[str, str], ...]]:
    """The export without claims of shared namespaces that no agreement names."""
    told = (one.claim for one in export.past or () if one.claim is not None)
    claims = [*(one.claim for one in export.claims), *told]
    shared = [claim for claim in claims if root(claim.namespace) == "_shared"]
    if not shared:
        return export, ()
    agreements = read_settings(settings_files)[0].agreements
    kept_back = {claim.id for claim in shared if not agreement_for(claim.namespace, agreements)}
    why = "no agreement in `.mif/shared-agreements` names its namespace"
    going = {one.claim.id for one in export.claims} & kept_back
    return export.without(kept_back), tuple((one, why) for one in sorted(going))


def _is_ours(name: str, data: bytes, before: Mapping[str, str]) -> bool:
    return name == MANIFEST or before.get(name) == digest_bytes(data)


def _why(name: str, before: Mapping[str, str]) -> str:
    if name in before:
        return f"{quoted(name)} was changed since it was exported"
    return f"{quoted(name)} is there, and is not of an export"
