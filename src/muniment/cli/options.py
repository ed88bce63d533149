"""The tables of `flags` as Typer declares options, and commands that take the common ones."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

from muniment.cli.call import Options, perform
from muniment.cli.flags import COMMON, Option

PANEL = "Options of every command"
_TYPES: dict[str, Any] = {
    "argument": str,
    "text": str,
    "path": Path | None,
    "integer": int,
    "number": float,
    "flag": bool,
    "list": list[str],
}


def parameter(option: Option, panel: str | None = None) -> inspect.Parameter:
    """An option as the parameter of a Typer command."""
    shown: dict[str, Any] = {"help": option.help, "show_default": option.shows_default}
    if option.metavar:
        shown["metavar"] = option.metavar
    default = list(option.default) if option.kind == "list" else option.default
    declared = (
        typer.Option(default, *option.flags, rich_help_panel=panel, **shown)
        if option.flags
        else typer.Argument(default, **shown)
    )
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option.name, kind, default=declared, annotation=_TYPES[option.kind])


def command(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """The function as a command: its first parameter becomes the call, and the common options are added."""
    hints = typing.get_type_hints(function, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    own = [
        one.replace(annotation=hints[name], kind=kind)
        for name, one in inspect.signature(function).parameters.items()
        if name != "call"
    ]
    return with_parameters(function, own)


def with_parameters(
    function: Callable[..., int | None], own: Iterable[inspect.Parameter]
) -> Callable[..., int | None]:
    """A function of a call and keywords as a command with these parameters and the common options."""
    common = [parameter(option, PANEL) for option in COMMON]
    renamed = [one.replace(name=f"common_{one.name}") for one in common]
    parameters = [*own, *renamed]

    @functools.wraps(function)
    def run(**given: Any) -> int | None:
        values = {option.name: given.pop(f"common_{option.name}") for option in COMMON}
        return perform(options_from(values), functools.partial(function, **given))

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__  # Typer would look through it, at the parameters that it does not have
    return run


def options_from(values: dict[str, Any]) -> Options:
    """The common options from their values."""
    return Options(**{**values, "scopes": tuple(values["scopes"])})
