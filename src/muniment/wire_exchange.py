"""What goes between Muniment and files of other memories, as JSON; the rest is `wire`'s.

>>> suggested(Suggested("a.md", "x", "add", "Use pnpm."))["target"] is None
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment.core.encode import encode
from muniment.usecases.sync_report import Suggested
from muniment.wire import finding

if TYPE_CHECKING:
    from muniment.usecases.exporting import Exported
    from muniment.usecases.import_report import FileReport, Imported
    from muniment.usecases.restore import Restored
    from muniment.usecases.sync_report import Clash, Synced


def imported(value: Imported) -> dict[str, Any]:
    """What an import came to, or would come to."""
    return {
        "scope": encode(value.scope),
        "visibility": [encode(one) for one in value.visibility],
        "dry_run": value.dry_run,
        "proposed": value.proposed,
        "usable": 0,
        "diffs": [{"diff": part.diff_id or None, "changes": part.changes} for part in value.parts],
        "files": [_imported_file(one) for one in value.files],
        "left_out": [encode(one) for one in value.left_out],
        "findings": [finding(one) for one in value.findings],
    }


def exported(value: Exported) -> dict[str, Any]:
    """What an export came to."""
    return {
        "format": value.format,
        "claims": value.claims,
        "left_out": dict(value.left_out),
        "lost": list(value.lost),
        "changed": list(value.changed),
    }


def _imported_file(report: FileReport) -> dict[str, Any]:
    file = report.file
    counts = (
        "records",
        "statements",
        "proposed",
        "needs_review",
        "waiting",
        "known",
        "repeated",
        "messages",
    )
    return {
        "file": file.name,
        "format": file.format or None,
        "why": file.why,
        "considered": None if file.format else dict(file.considered),
        "bytes": file.size,
        "digest": file.digest or None,
        **{name: getattr(report, name) for name in counts},
        "refused": dict(report.refused),
        "findings": [finding(one) for one in report.findings],
    }


def restored(value: Restored, dry_run: bool = False) -> dict[str, Any]:
    """What a restore came to."""
    return {
        "dry_run": dry_run,
        "claims": list(value.claims),
        "unchanged": list(value.unchanged),
        "held": list(value.held),
        "findings": [finding(one) for one in value.findings],
        "diffs": list(value.diffs),
        "token": value.token or None,
    }


def synced(value: Synced) -> dict[str, Any]:
    """What a sync came to, or would come to."""
    return {
        "scope": encode(value.scope),
        "readers": encode(value.readers),
        "dry_run": value.dry_run,
        "agreed": value.agreed,
        "proposed": [suggested(one) for one in value.proposed],
        "waiting": [suggested(one) for one in value.waiting],
        "refused": [suggested(one) for one in value.refused],
        "conflicts": [_clash(one) for one in value.clashes],
        "written": list(value.written),
        "removed": list(value.removed),
        "changed_meanwhile": list(value.changed_meanwhile),
        "left_out": dict(value.left_out),
        "findings": [finding(one) for one in value.findings],
    }


def suggested(value: Suggested) -> dict[str, Any]:
    """A file's word as a proposal."""
    return {
        "file": value.file or None,
        "concept": value.concept,
        "operation": value.operation,
        "claim": value.claim,
        "target": value.target_id or None,
        "diff": value.diff_id or None,
        "reason": value.reason or None,
    }


def _clash(value: Clash) -> dict[str, Any]:
    sides = [{"part": name, "theirs": left, "ours": right} for name, left, right in value.differs]
    return {
        "file": value.file or None,
        "concept": value.concept,
        "claim": value.ours.id if value.ours else None,
        "theirs": encode(value.theirs) if value.theirs else None,
        "ours": encode(value.ours) if value.ours else None,
        "differs": sides,
    }
