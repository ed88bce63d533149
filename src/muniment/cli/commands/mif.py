"""`mif`: validate a bundle of the Modeled Information Format, migrate an old one, or make its JSON-LD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment import wiring
from muniment.cli import codes
from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.cli.terminal import Styled
from muniment.core.errors import quoted

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
        message = f"{quoted(action)} is nothing that `mif` does"
        raise refusal("unknown_action", message, "ACTION", fix)
    if action == "validate":
        return _report(call, wiring.validate_bundle(path, strict_temporal))
    if to is None:
        raise refusal("no_target", f"`mif {action}` writes to another folder", "--to", "name it")
    if to.resolve() == path.resolve():
        message = "the bundle would be overwritten"
        raise refusal("same_folder", message, "--to", "name another folder")
    act = wiring.migrate_bundle if action == "migrate" else wiring.project_bundle
    return _wrote(call, act(path, to), to)


def _report(call: Call, report: Mapping[str, Any]) -> int:
    code = codes.DONE if report["ok"] else codes.WRONG
    if call.options.json:
        call.result({"report": report})
        return code
    screen = call.terminal
    _issues(call, report["issues"])
    counts = Counter(issue["severity"] for issue in report["issues"])
    told = ", ".join(f"{counts[s]} {s}s" for s in ("error", "warning", "notice") if counts[s])
    screen.out(f"concepts  {report['concepts']}, {report['accepted']} accepted by the schema")
    screen.out(f"found     {told or 'nothing'}")
    screen.out(f"OKF 0.1   {'conforms' if report['okf'] else 'does not conform'}")
    level = report["level"]
    screen.out("level     ", Styled(str(level), "green" if level else "red"))
    if report["next_needs"] and level < 3:
        screen.out(f"level {level + 1} needs {', '.join(report['next_needs'])}")
    return code


def _issues(call: Call, issues: list[Mapping[str, Any]]) -> None:
    for issue in issues:
        spot = (issue["file"], issue["line"], issue["column"])
        place = f"{':'.join(str(part) for part in spot if part)} {issue['path']}".strip()
        fix = f"; {issue['fix']}" if issue["fix"] else ""
        rule = f" [{issue['rule']}]" if issue["rule"] else ""
        label = Styled(issue["severity"], _COLOURS[issue["severity"]])
        call.terminal.err(label, f"  {place}: {issue['message']} ({issue['code']}){rule}{fix}")


def _wrote(call: Call, done: Mapping[str, Any], to: Path) -> int:
    code = codes.DONE if done["ok"] else codes.WRONG
    if call.options.json:
        call.result(done)
        return code
    _issues(call, done["issues"])
    call.terminal.out(f"{len(done['written'])} files written to {to}")
    return code
