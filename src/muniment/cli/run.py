"""Run a command line and turn whatever happens into an exit code and words.

- Only the module of the named command is imported; help for all of them imports all. A plain recall imports no Typer.
- A refusal prints its findings, one a line; with `--json` they are the result.
- A fault of our own prints one line; its traceback only with `--verbose`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, Any

from muniment.cli import codes
from muniment.cli.call import Options, PipeClosed, perform, terminal
from muniment.cli.catalog import COMMANDS, GROUPS, module_of
from muniment.cli.flags import COMMON, RECALL, moved, parse, split
from muniment.core.errors import Finding, MunimentError, Refusal

if TYPE_CHECKING:
    from types import ModuleType

    import typer

COMPLETE = "_MUNIMENT_COMPLETE"


def run(arguments: list[str]) -> int:
    """Run a command line; see `muniment.cli.main`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    wants_json = "--json" in arguments
    try:
        try:
            code = _run(arguments)
        finally:
            sys.stdout.flush()
    except (BrokenPipeError, PipeClosed):
        return _pipe_broke()
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return codes.INTERRUPTED
    except MunimentError as error:
        return _say(error.exit_code, error, wants_json, "--no-color" in arguments)
    except Exception as fault:  # noqa: BLE001 - the outermost place: whatever it is, it becomes a code and words
        return _fault(fault, "--verbose" in arguments, wants_json)
    return code


def _run(arguments: list[str]) -> int:
    _, rest = split(arguments)
    is_known = bool(rest) and module_of(rest[0]) is not None and COMPLETE not in os.environ
    given = moved(arguments, GROUPS) if is_known else arguments or ["--help"]
    if given[0] == "recall" and (values := parse(given[1:], RECALL)) is not None:
        return _recall(values)
    return _by_typer(given, rest[:1] if is_known else [name for name, _, _ in COMMANDS])


def _recall(values: dict[str, Any]) -> int:
    """A plain recall, without Typer."""
    from muniment.cli.asking import answer

    common = {option.name: values.pop(option.name) for option in COMMON}
    code = perform(Options(**common), lambda call: answer(call, **values))
    return code or codes.DONE


def _by_typer(arguments: list[str], names: list[str]) -> int:
    import typer

    app = application(names)
    try:
        code: Any = app(arguments, prog_name="muniment", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if _is_usage(error):
            raise _usage(error) from None
        raise
    return code if isinstance(code, int) else codes.DONE


def application(names: list[str]) -> typer.Typer:
    """The Typer application with these commands."""
    import typer

    rich = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    app = typer.Typer(
        add_completion=COMPLETE in os.environ,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown" if rich else None,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    from muniment.cli.root import root

    app.callback(invoke_without_command=True)(root())
    summaries = {name: summary for name, _, summary in COMMANDS}
    for name in names:
        module = importlib.import_module(f"muniment.cli.commands.{module_of(name)}")
        function = getattr(module, name, None) or getattr(module, f"{name}_")  # `import_`
        if name in GROUPS:
            _add_group(app, name, summaries[name], module)
        else:
            app.command(name, short_help=summaries[name])(function)
    return app


def _add_group(app: typer.Typer, name: str, summary: str, module: ModuleType) -> None:
    import typer

    group = typer.Typer(no_args_is_help=True, help=module.HELP, short_help=summary)
    for one in GROUPS[name]:
        function = getattr(module, name)[one]
        group.command(one, short_help=(function.__doc__ or "").partition(".")[0] + ".")(function)
    app.add_typer(group, name=name)


# --- what went wrong ------------------------------------------------------------------------------


class Usage(Refusal):
    """The command line itself is wrong."""

    code = "usage"
    exit_code = codes.USAGE


def _is_usage(error: Exception) -> bool:
    """Typer's own errors; its class for them is not public and has moved."""
    return "ClickException" in {kind.__name__ for kind in type(error).__mro__}


def _usage(error: Any) -> Usage:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "muniment"
    message = str(error.format_message()).rstrip(".")
    fix = f"see `{path} --help`"
    return Usage(message, (Finding("usage", message[:1].lower() + message[1:], "", fix),))


def _say(code: int, error: MunimentError, wants_json: bool, no_color: bool) -> int:
    screen = terminal(no_color)
    try:
        if wants_json:
            from muniment.wire import error_json

            screen.json(error_json(error))
        else:
            screen.findings(error.findings)
        screen.stdout.flush()
    except BrokenPipeError:
        return _pipe_broke()
    return code


def _fault(fault: Exception, verbose: bool, wants_json: bool) -> int:
    if verbose:
        import traceback

        traceback.print_exception(fault, file=sys.stderr)
    name = type(fault).__name__
    fix = "run it again with `--verbose`, and report what it prints to the project"
    finding = Finding("fault", f"a fault in Muniment itself: {name}", "", fix)
    return _say(codes.FAULT, MunimentError(finding.message, (finding,)), wants_json, True)


def _pipe_broke() -> int:
    # What is still buffered has nowhere to go; without this the interpreter would complain at its end.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return codes.BROKEN_PIPE
