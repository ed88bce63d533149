"""`mif`: validate a bundle of the Modeled Information Format, migrate an old one, or make its JSON-LD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.cli import codes
from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.cli.terminal import Styled
from muniment.core.errors import quoted

if TYPE_CHECKING:
    from muniment.exchange.mif.issue import Issue
    from muniment.exchange.mif.validate import Report

ACTIONS = ("validate", "migrate", "project")
_COLOURS: Mapping[str, str] = {"error": "red", "warning": "yellow", "notice": "cyan"}


@command
def mif(
    call: Call,
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(ACTIONS)}.")],
    path: Annotated[Path, typer.Argument(help="A folder, `.zip`, `.json`, `.jsonld` or `.md`.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="Where `migrate` and `project` write.")
    ] = None,
    strict_temporal: Annotated[
        bool, typer.Option("--strict-temporal", help="What derives from something later is wrong.")
    ] = False,
) -> int:
    """Check a MIF or OKF bundle: schema, specification, Open Knowledge Format, and the level it reaches.

    `migrate` writes a bundle of version 0.1 as 1.0, `project` the JSON-LD of every concept; both write to another
    folder, and leave the bundle as it is.

    Example: `muniment mif validate memory/`; `muniment mif migrate old/ --to new/`
    """
    if action not in ACTIONS:
        fix = f"one of: {', '.join(ACTIONS)}"
        raise refusal(
            "unknown_action", f"{quoted(action)} is nothing that `mif` does", "ACTION", fix
        )
    if action == "validate":
        return _validate(call, path, strict_temporal)
    if to is None:
        raise refusal("no_target", f"`mif {action}` writes to another folder", "--to", "name it")
    if to.resolve() == path.resolve():
        raise refusal(
            "same_folder", "the bundle would be overwritten", "--to", "name another folder"
        )
    return _migrate(call, path, to) if action == "migrate" else _project(call, path, to)


def _validate(call: Call, path: Path, strict_temporal: bool) -> int:
    from muniment.exchange.mif.bundle import read_path
    from muniment.exchange.mif.validate import validate

    report = validate(read_path(path), strict_temporal)
    code = codes.DONE if report.ok else codes.WRONG
    if call.options.json:
        call.result({"report": report_json(report)})
        return code
    screen = call.terminal
    _issues(call, report.issues)
    counts = Counter(issue.severity for issue in report.issues)
    told = ", ".join(f"{counts[s]} {s}s" for s in ("error", "warning", "notice") if counts[s])
    screen.out(f"concepts  {report.concepts}, {report.accepted} accepted by the schema")
    screen.out(f"found     {told or 'nothing'}")
    screen.out(f"OKF 0.1   {'conforms' if report.okf else 'does not conform'}")
    screen.out("level     ", Styled(str(report.level), "green" if report.level else "red"))
    if report.next_needs and report.level < 3:
        screen.out(f"level {report.level + 1} needs {', '.join(report.next_needs)}")
    return code


def _issues(call: Call, issues: tuple[Issue, ...]) -> None:
    for issue in issues:
        fix = f"; {issue.fix}" if issue.fix else ""
        rule = f" [{issue.rule}]" if issue.rule else ""
        label = Styled(issue.severity, _COLOURS[issue.severity])
        call.terminal.err(label, f"  {issue.place}: {issue.message} ({issue.code}){rule}{fix}")


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


def report_json(report: Report) -> dict[str, Any]:
    """A report as JSON."""
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


def _migrate(call: Call, path: Path, to: Path) -> int:
    from muniment.exchange.mif.bundle import folder_files
    from muniment.exchange.mif.migrate import migrate
    from muniment.exchange.mif.write import write_files

    files, before = folder_files(path)
    made, issues = migrate(files)
    return _wrote(call, write_files(to, made).changed, (*before, *issues), to)


def _project(call: Call, path: Path, to: Path) -> int:
    from muniment.exchange.mif.bundle import read_path
    from muniment.exchange.mif.validate import around_of
    from muniment.exchange.mif.write import jsonld, write_files

    bundle = read_path(path)
    around, _, found = around_of(bundle)
    spaces = around.settings.namespaces
    files = {
        one.file.removesuffix(".md") + ".jsonld": jsonld(one.projected(spaces)).encode("utf-8")
        for one in bundle.concepts
        if one.form == "markdown"
    }
    return _wrote(call, write_files(to, files).changed, (*bundle.issues, *found), to)


def _wrote(call: Call, changed: tuple[str, ...], issues: tuple[Issue, ...], to: Path) -> int:
    code = codes.WRONG if any(i.severity == "error" for i in issues) else codes.DONE
    if call.options.json:
        call.result({"written": list(changed), "issues": [issue_json(issue) for issue in issues]})
        return code
    _issues(call, issues)
    call.terminal.out(f"{len(changed)} files written to {to}")
    return code
