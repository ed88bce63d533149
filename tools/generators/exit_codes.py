"""The tables of exit codes, from the errors themselves and from the command line's own list."""

from __future__ import annotations

import inspect
from pathlib import Path

from muniment.cli.call import Waiting
from muniment.cli.codes import CODES
from muniment.cli.run import Usage
from muniment.core import errors
from muniment.core.errors import MunimentError
from muniment.wire import http_status


def exit_codes(root: Path) -> str:
    """All exit codes in order, with what they mean."""
    del root
    rows = [(code, f"`{name}`", meaning) for code, name, meaning in CODES]
    own = {code for code, _, _ in CODES}
    for code in sorted({kind.exit_code for kind in _kinds()} - own):
        kinds = [kind for kind in _kinds() if kind.exit_code == code]
        names = dict.fromkeys(f"`{kind.code}`" for kind in kinds)
        rows.append((code, ", ".join(names), _meaning(kinds[0])))
    lines = ["| exit code | names | meaning |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in sorted(rows))])


def errors_of(root: Path) -> str:
    """Every error with its code, its exit code and its HTTP status."""
    del root
    lines = ["| error | code | exit code | HTTP | when |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{kind.__name__}` | `{kind.code}` | {kind.exit_code} | {http_status(kind('x'))} | {_meaning(kind)} |"
        for kind in _kinds()
    ]
    return "\n".join(lines)


def _kinds() -> list[type[MunimentError]]:
    kinds = (one for one in vars(errors).values() if inspect.isclass(one))
    known = [one for one in kinds if issubclass(one, MunimentError) and one is not MunimentError]
    return [*known, Waiting, Usage]


def _meaning(kind: type[MunimentError]) -> str:
    first = (inspect.getdoc(kind) or "").split("\n")[0].rstrip(".")
    return first[:1].lower() + first[1:]


GENERATORS = {"exit-codes": exit_codes, "errors": errors_of}
