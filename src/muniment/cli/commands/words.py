"""`ontology`, `completion`, `version`: what needs no store."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muniment import __version__
from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.cli.terminal import Styled
from muniment.core.errors import quoted
from muniment.core.ontology import flow_hash, tables

Part = Annotated[
    str,
    typer.Argument(metavar="PART", help="`hash`, or one table such as memory_type, use, relation."),
]
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


@command
def ontology(call: Call, part: Part = "") -> None:
    """Show the vocabulary: types, statuses, uses, relations, equivalents, distinctions.

    Example: `muniment ontology memory_type`; `muniment ontology hash`
    """
    if part == "hash":
        value = flow_hash()
        if call.options.json:
            call.result({"hash": value})
        else:
            call.terminal.out(value)
        return
    known_tables = tables()
    if part and part not in known_tables:
        known = ", ".join(("hash", *known_tables))
        raise refusal("unknown_table", f"{quoted(part)} is no table", "PART", f"one of: {known}")
    chosen = {part: known_tables[part]} if part else known_tables
    if call.options.json:
        call.result({"ontology": chosen, "hash": flow_hash()})
        return
    for name, rows in chosen.items():
        call.terminal.out(Styled(name, "bold"))
        cells = [[str(v) for v in _cells(row)] for row in rows]
        call.terminal.table(cells, "  ")


def _cells(row: dict[str, Any]) -> list[Any]:
    texts = [", ".join(map(str, v)) if isinstance(v, list) else v for v in row.values()]
    return [("yes" if v is True else "no" if v is False else v) for v in texts]


@command
def completion(
    call: Call,
    shell: Annotated[str, typer.Argument(metavar="SHELL", help=f"One of {', '.join(SHELLS)}.")],
) -> None:
    """Print the completion script of a shell, to be sourced by it.

    Example: `muniment completion bash >> ~/.bashrc`
    """
    if shell not in SHELLS:
        fix = f"one of: {', '.join(SHELLS)}"
        raise refusal("unknown_shell", f"{quoted(shell)} is no shell known here", "SHELL", fix)
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(
        prog_name="muniment", complete_var="_MUNIMENT_COMPLETE", shell=shell
    )
    if call.options.json:
        call.result({"shell": shell, "script": script})
    else:
        call.terminal.stdout.write(script + "\n")


@command
def version(call: Call) -> None:
    """Print the version.

    Example: `muniment version --json`
    """
    if call.options.json:
        call.result({"version": __version__})
    else:
        call.terminal.out(f"muniment {__version__}")
