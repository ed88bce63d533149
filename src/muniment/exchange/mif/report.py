"""What `muniment mif` does with a path, told as JSON: validate, migrate, project.

- Validating reads alone. The other two write to another folder, and leave the bundle as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.exchange.mif.bundle import folder_files, read_path
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.migrate import migrate
from muniment.exchange.mif.validate import around_of, validate
from muniment.exchange.mif.write import jsonld, write_files


def validated(path: Path, strict_temporal: bool = False) -> dict[str, Any]:
    """The report of validating what stands at a path.

    Args:
        path: A folder, archive, container or single file.
        strict_temporal: Whether what derives from something later is an error.
    """
    report = validate(read_path(path), strict_temporal)
    return {
        "ok": report.ok,
        "concepts": report.concepts,
        "accepted": report.accepted,
        "level": report.level,
        "stated_level": report.stated_level,
        "next_needs": list(report.next_needs),
        "okf": report.okf,
        "levels": dict(report.levels),
        "issues": [issue_json(issue) for issue in report.issues],
    }


def migrated(path: Path, to: Path) -> dict[str, Any]:
    """Write a bundle of version 0.1 as 1.0 to another folder.

    Raises:
        InvalidInput: A path leads out of the folder; nothing was written.
    """
    files, before = folder_files(path)
    made, issues = migrate(files)
    return _wrote(to, made, (*before, *issues))


def projected(path: Path, to: Path) -> dict[str, Any]:
    """Write the JSON-LD of every markdown concept to another folder.

    Raises:
        InvalidInput: A path leads out of the folder; nothing was written.
    """
    bundle = read_path(path)
    around, _, found = around_of(bundle)
    spaces = around.settings.namespaces
    files = {
        one.file.removesuffix(".md") + ".jsonld": jsonld(one.projected(spaces)).encode("utf-8")
        for one in bundle.concepts
        if one.form == "markdown"
    }
    return _wrote(to, files, (*bundle.issues, *found))


def _wrote(to: Path, files: dict[str, bytes], issues: tuple[Issue, ...]) -> dict[str, Any]:
    wrote = write_files(to, files)
    return {
        "ok": not any(issue.severity == "error" for issue in issues),
        "written": list(wrote.changed),
        "unchanged": len(wrote.unchanged),
        "issues": [issue_json(issue) for issue in issues],
    }


def issue_json(issue: Issue) -> dict[str, Any]:
    """An issue as JSON."""
    return {
        "area": issue.area,
        "code": issue.code,
        "severity": issue.severity,
        "file": issue.file,
        "line": issue.line,
        "column": issue.column,
        "path": issue.pointer,
        "message": issue.message,
        "fix": issue.fix,
        "rule": issue.rule,
    }
