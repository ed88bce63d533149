"""Tell what format a file has, from the file itself; `--format` says it instead.

- The heaviest of all formats is taken; what is merely possible is never chosen, and two equals are refused.
- A refusal names what was considered, and why not: the reader can then name the format.

>>> from muniment.exchange.opened import opened_bytes
>>> file = opened_bytes("a.json", "", b'[{"t": 1}]')
>>> detected(file).findings[0].code
'unknown_format'
>>> detected(opened_bytes("m.json", "", b'[{"id": "1", "memory": "Likes tea"}]')).format.name
'mem0'
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.core.errors import Finding, Severity, quoted
from muniment.exchange.formats import (
    agent_files,
    basic_memory,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    decisions,
    github,
    graphiti,
    langgraph,
    letta,
    mcp_memory,
    mcp_memory_service,
    mem0,
    mif,
    mpf,
    openmemory,
    own,
    runbook,
    shodh,
    vault,
)
from muniment.exchange.naming import by_name
from muniment.exchange.opened import OpenFile
from muniment.exchange.shape import Format, Shape, Weight, shape_of

FORMATS: tuple[Format, ...] = (
    mcp_memory.FORMAT,
    mem0.FORMAT,
    openmemory.FORMAT,
    basic_memory.FORMAT,
    letta.FORMAT,
    graphiti.FORMAT,
    langgraph.FORMAT,
    mcp_memory_service.FORMAT,
    chatgpt.FORMAT,
    claude_ai.FORMAT,
    claude_code.FORMAT,
    codex.FORMAT,
    agent_files.AGENTS,
    agent_files.CURSOR,
    agent_files.COPILOT,
    own.FORMAT,
    vault.OBSIDIAN,
    vault.OKF,
    mif.FORMAT,
    mpf.FORMAT,
    shodh.FORMAT,
    decisions.FORMAT,
    github.FORMAT,
    runbook.FORMAT,
)
LEAST = 60
"""Weight from which a format is chosen."""


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file was found to be.

    Attributes:
        format: The format; None where it is refused.
        why: What told it.
        findings: Why it is refused.
        considered: Each format that was weighed, with the reason why it was not taken.
    """

    format: Format | None
    why: str = ""
    findings: tuple[Finding, ...] = ()
    considered: tuple[tuple[str, str], ...] = ()


def named(name: str, formats: tuple[Format, ...] = FORMATS) -> Format:
    """The format of a name.

    Raises:
        InvalidInput: There is none.
    """
    return by_name(name, formats, "read")


def detected(
    file: OpenFile, formats: tuple[Format, ...] = FORMATS, *, among_others: bool = False
) -> Detected:
    """The one format that a file clearly has, or the refusal.

    Args:
        file: The file.
        formats: What is considered.
        among_others: Whether nobody named this very file: that it is of no format is then no error.
    """
    shape = shape_of(file)
    if shape.kind == "empty" and not any(one.weigh(shape)[0] for one in formats):
        message = f"{quoted(file.name)} is empty"
        severity: Severity = "notice" if among_others else "error"
        fix = "name a file that holds something"
        finding = Finding("empty_file", message, file.name, fix, severity, "E-MISSING")
        return Detected(None, "it is empty", (finding,))
    weighed = sorted(((one.weigh(shape), one) for one in formats), key=lambda pair: -pair[0][0])
    (best, why), first = weighed[0]
    rivals = [one.name for (weight, _), one in weighed if weight == best and best >= LEAST]
    considered = tuple((one.name, reason) for (_, reason), one in weighed)
    if len(rivals) > 1:
        message = f"{quoted(file.name)} may be {' or '.join(rivals)}"
        finding = Finding("ambiguous_format", message, file.name, "say which, with `--format`")
        return Detected(None, message, (finding,), considered)
    if best < LEAST:
        unknown = _unknown(file, shape, weighed, among_others)
        return Detected(None, "no format fits", (unknown,), considered)
    return Detected(first, why, (), considered)


def _unknown(
    file: OpenFile, shape: Shape, weighed: list[tuple[Weight, Format]], among_others: bool
) -> Finding:
    what = f"{quoted(file.name)} ({_words(shape)}) has no format that is known"
    fix = "name its format with `--format`, if you know it"
    if among_others:
        return Finding("unknown_format", what, file.name, fix, "notice")
    fits = [(one.name, why) for (_, why), one in weighed if why not in ("no note", "no Markdown")]
    listed = "; ".join(f"{name}: {why}" for name, why in fits)
    return Finding("unknown_format", f"{what}; considered: {listed}", file.name, fix)


def _words(shape: Shape) -> str:
    if shape.kind == "note":
        return "text"
    keys = ", ".join(sorted(shape.keys)[:8])
    return f"JSON {shape.kind}" + (f" with {keys}" if keys else "")
