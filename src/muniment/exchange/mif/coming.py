"""Read an export of our own for a restore: what is proved comes back, everything else is an import.

- A past that was told and is not there as it went out makes the whole an import: what was accepted when, and by whom,
  is then not proved.
- The manifest's own digest, each file's digest, and each claim's digest must agree; a file that was changed is told,
  and what it says is not restored.
- Digests show that nothing was changed by accident; who may bring it back is settled by a reviewer's signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.canonical import canonical, digest_bytes
from muniment.core.errors import Finding, quoted
from muniment.exchange.mif.bundle import Bundle
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.export_files import HISTORY, MANIFEST, MANIFEST_FORMAT
from muniment.exchange.mif.past_file import past_from
from muniment.exchange.mif.to_claims import own_claim, own_part
from muniment.exchange.strict_json import load_json
from muniment.ports.interchange import Coming, Past


def manifest_of(settings: Mapping[str, bytes]) -> Mapping[str, Any] | None:
    """The manifest of an export of our own, where it is whole; None otherwise."""
    data = settings.get(MANIFEST.removeprefix(".mif/"))
    value = load_json(data, limit_bytes=200_000_000).value if data else None
    if not isinstance(value, dict) or value.get("format") != MANIFEST_FORMAT:
        return None
    body = {key: item for key, item in value.items() if key != "digest"}
    try:
        agrees = digest_bytes(canonical(body)) == value.get("digest")
    except ValueError:
        return None
    return value if agrees and isinstance(value.get("files"), dict) else None


def coming_from(bundle: Bundle, source: str) -> Coming:
    """What can be restored from a bundle.

    Args:
        bundle: The bundle as it was read.
        source: Where it was read.
    """
    manifest = manifest_of(bundle.settings)
    if manifest is None:
        message = f"{quoted(source)} is no export of our own, or its manifest was changed"
        fix = "bring it in with `muniment import`, as a proposal"
        return Coming((), (), (Finding("not_our_export", message, MANIFEST, fix),), source)
    files = manifest["files"]
    past = _past_in(bundle.settings, files)
    if past is None:
        message = f"what {quoted(source)} tells of the past was changed since it was exported"
        fix = "bring it in with `muniment import`, as a proposal"
        return Coming((), (), (Finding("history_changed", message, HISTORY, fix),), source)
    findings = [issue.finding() for issue in bundle.issues]
    claims = []
    for concept in bundle.concepts:
        claim, exact, found = own_claim(concept)
        proved = exact and files.get(concept.file) == _digest_of(concept)
        if claim is not None and proved:
            claims.append(claim)
        elif own_part(concept) is None:
            message = "the concept is not of our own export"
            findings.append(
                Finding("restore_foreign", message, concept.file, "import it", "warning")
            )
        else:
            message = "the file was changed since it was exported"
            fix = "import it, as a proposal"
            findings += [*found, Finding("restore_changed", message, concept.file, fix, "warning")]
    held = {concept.file for concept in bundle.concepts}
    for name in sorted(set(files) - held):
        if name.endswith(".md") and name not in bundle.reserved:
            message = "the file of the export is not there"
            findings.append(Finding("restore_missing", message, name, "", "warning"))
    conflicts = manifest.get("conflicts")
    return Coming(
        tuple(sorted(claims, key=lambda claim: claim.id)),
        tuple(one for one in conflicts if isinstance(one, dict))
        if isinstance(conflicts, list)
        else (),
        tuple(findings),
        source,
        str(manifest["digest"]),
        past,
    )


def _past_in(settings: Mapping[str, bytes], files: Mapping[str, Any]) -> tuple[Past, ...] | None:
    """The past that an export tells, none where it tells none; None where it is not as it went out."""
    data, stated = settings.get(HISTORY.removeprefix(".mif/")), files.get(HISTORY)
    if data is None or stated is None:
        return () if data is None and stated is None else None
    return past_from(data) if digest_bytes(data) == stated else None


def _digest_of(concept: Concept) -> str:
    return digest_bytes(concept.text.encode("utf-8"))
