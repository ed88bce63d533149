"""Options as data: the ones that every command takes, those of `recall`, and a reader that needs no library for them.

- Typer's declarations are made from the same tables (`options`), so there is one list of each.
- `parse` reads plain command lines only: whatever it is not certain of is None, and Typer reads it and words the
  error. A recall is what agents run most, and loading Typer costs more than answering.

>>> parse(["how?", "--use", "answer_questions", "-k", "3", "--json"], RECALL)["k"]
3
>>> parse(["--k", "many"], RECALL) is None, parse(["--help"], RECALL) is None
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["argument", "text", "path", "integer", "number", "flag", "list"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        name: The parameter.
        flags: How it is written; none for an argument.
        kind: What it takes.
        default: What holds where it is not given.
        metavar: What its value is called in the help.
        help: One line about it.
        shows_default: Whether the help names the default.
    """

    name: str
    flags: tuple[str, ...]
    kind: Kind
    default: Any
    metavar: str
    help: str
    shows_default: bool = False


COMMON: tuple[Option, ...] = (
    Option("store", ("--store",), "text", "", "FILE", "The store's file, or postgresql://…; also MUNIMENT_STORE."),
    Option("profile", ("--profile",), "path", None, "FILE", "The profile; MUNIMENT_PROFILE names one too."),
    Option("tenant", ("--tenant",), "text", "", "NAME", "The tenant."),
    Option("principal", ("--as",), "text", "", "PRINCIPAL", "Who acts, instead of the profile's principal."),
    Option("scopes", ("--scope",), "list", (), "KIND:ID", "A scope in force, not the profile's; may be repeated."),
    Option("role", ("--role",), "text", "", "ROLE", "Do no more than this role: reader, proposer, reviewer, operator."),
    Option("json", ("--json",), "flag", False, "", "Write the result as JSON."),
    Option("no_color", ("--no-color",), "flag", False, "", "No colours; NO_COLOR says so too."),
    Option("verbose", ("--verbose",), "flag", False, "", "Show the traceback of a fault."),
)  # fmt: skip
RECALL: tuple[Option, ...] = (
    Option("query", (), "argument", "", "QUERY", "What is asked, in words."),
    Option("use", ("--use",), "text", "", "USE", "What the answer is wanted for."),
    Option("budget", ("--budget",), "integer", 1_200, "N", "Tokens of the text at most.", True),
    Option("k", ("-k", "--k"), "integer", 12, "N", "Claims at most.", True),
    Option("within", ("--within",), "list", (), "KIND:ID", "Only this scope of those in force."),
    Option("at", ("--at",), "text", "", "TIME", "The instant in valid time; now by default."),
    Option("as_of", ("--as-of",), "text", "", "REV", "A revision, or an instant in system time."),
    Option("history", ("--history",), "flag", False, "", "Also what is expired, superseded or deprecated."),
    Option("method", ("--method",), "text", "hybrid_retrieval", "NAME", "How to find.", True),
    Option("ranking", ("--ranking",), "text", "", "NAME", "The ranking policy: lexical, fused or recent.", True),
    Option("counter", ("--counter",), "text", "", "NAME", "The token counter; o200k by default."),
    Option("ids", ("--id",), "list", (), "ID", "Only this claim."),
    Option("memory_types", ("--memory-type",), "list", (), "NAME", "Only this memory type."),
    Option("types", ("--type",), "list", (), "NAME", "Only this claim type."),
    Option("origins", ("--origin",), "list", (), "NAME", "Only this origin."),
    Option("source", ("--source",), "text", "", "URI", "Only sources that begin so."),
    Option("statuses", ("--status",), "list", (), "NAME", "Only this status."),
    Option("version", ("--claim-version",), "integer", 0, "N", "Only this version of a claim."),
    Option("threshold", ("--threshold",), "number", 0.0, "X", "Least relevance, 0 to 1."),
    Option("passages", ("--passages",), "flag", False, "", "Also unreviewed passages of sources, labelled."),
    Option("reread", ("--reread",), "flag", False, "", "Read the sources of what is found again."),
    Option("own", ("--own-proposals",), "flag", False, "", "Also your own open proposals, labelled."),
    Option("certify", ("--certify",), "text", "", "FILE", "Write a certificate of the answer; not logged."),
    Option("grounded", ("--grounded",), "flag", False, "", "Also what bridges let the query be rewritten to."),
    Option("log", ("--log",), "text", "text", "HOW", "Keep the query: text, digest or off.", True),
)  # fmt: skip
_VALUED = frozenset(flag for one in COMMON if one.kind != "flag" for flag in one.flags)
_COMMON = frozenset(flag for one in COMMON for flag in one.flags)
_INTEGER, _NUMBER = re.compile(r"[0-9]{1,9}"), re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the command's name, and the name with the rest.

    >>> split(["--as", "user:ada", "--json", "recall", "q"])
    (['--as', 'user:ada', '--json'], ['recall', 'q'])
    """
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if not word.startswith("-"):
            return arguments[:at], arguments[at:]
        at += 2 if word in _VALUED else 1
    return arguments, []


def moved(arguments: list[str], groups: Collection[str] = ()) -> list[str]:
    """The arguments with the common options behind the command's name, where all before it are such.

    Args:
        arguments: As they were given.
        groups: Commands whose name is followed by that of one of their own.

    >>> moved(["--json", "--as=user:ada", "recall", "q"])
    ['recall', '--json', '--as=user:ada', 'q']
    >>> moved(["--help", "recall"])
    ['--help', 'recall']
    >>> moved(["--json", "note", "--as=user:ada", "list"], {"note"})
    ['note', 'list', '--json', '--as=user:ada']
    """
    before, rest = split(arguments)
    names = rest[:1]
    if rest and rest[0] in groups:
        between, inner = split(rest[1:])
        before, names, rest = [*before, *between], [rest[0], *inner[:1]], [rest[0], *inner]
    at = 0
    while at < len(before):
        if before[at].partition("=")[0] not in _COMMON:
            return arguments
        at += 2 if before[at] in _VALUED else 1
    return [*names, *before, *rest[len(names) :]] if rest else arguments


# --- reading plain command lines ------------------------------------------------------------------


def parse(arguments: Sequence[str], own: tuple[Option, ...]) -> dict[str, Any] | None:
    """The values of a command's own and the common options, defaults among them; None where Typer should read it.

    Args:
        arguments: Without the command's name.
        own: The command's own options; the common ones are added.
    """
    options = (*own, *COMMON)
    by_flag = {flag: one for one in options for flag in one.flags}
    places = [one for one in options if one.kind == "argument"]
    values = {one.name: one.default for one in options}
    words = list(reversed(arguments))
    while words:
        word = words.pop()
        if not word.startswith("-"):
            if not places:
                return None
            values[places.pop(0).name] = word
            continue
        name, equals, given = word.partition("=")
        option = by_flag.get(name)
        if option is None or (equals and (option.kind == "flag" or not name.startswith("--"))):
            return None
        if option.kind == "flag":
            values[option.name] = True
            continue
        if not equals:
            given = words.pop() if words else "-"
        value = None if given.startswith("-") else _value(option, given)
        if value is None:
            return None
        values[option.name] = (*values[option.name], value) if option.kind == "list" else value
    return values


def _value(option: Option, given: str) -> Any:
    """What an option's text means; None where that is not certain."""
    if option.kind == "integer":
        return int(given) if _INTEGER.fullmatch(given) else None
    if option.kind == "number":
        return float(given) if _NUMBER.fullmatch(given) else None
    if option.kind == "path":
        from pathlib import Path

        return Path(given) if given else None
    return given
