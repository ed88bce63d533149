"""Makefile: what each target runs, what it needs, how it is described, and the default target.

- The commands of a target are stated as written, without `@`, `-` and `+`, variables included.
- Its description (a `##` comment, or the comment line above) is prose, and a statement of its own.
- Pattern rules, special targets (`.PHONY`), files with a slash or a dot, variables, `define` blocks
  and targets whose name is a variable are passed over.
- A target given twice counts with its last recipe, as in make, and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from muniment.core.errors import quoted
from muniment.learn.commands import shell_steps, spoken, topics_of, uses_of
from muniment.learn.page import Page, Span
from muniment.learn.uses import INFORM_USES

_NAMES = frozenset({"Makefile", "makefile", "GNUmakefile"})
_RULE = re.compile(
    r"^(?P<targets>[^\s#:=][^#:=\n]*?)[ \t]*(?:::?)(?![:=])(?P<needs>[^;#\n]*)"
    r"(?:;(?P<inline>[^\n]*))?(?P<note>#[^\n]*)?$"
)
_SIMPLE = re.compile(r"[A-Za-z0-9][\w-]*")
_VARIABLE = re.compile(r"^[^\s:#]+[ \t]*(?:[:+?!]|::)?=")
_DEFAULT = re.compile(r"^\.DEFAULT_GOAL[ \t]*:?=[ \t]*(?P<goal>\S+)")
_CONDITIONS = ("ifeq", "ifneq", "ifdef", "ifndef", "else", "endif")
_INCLUDE = re.compile(r"(?:-?|s)include[ \t]")
_PREFIX = re.compile(r"^[@+-]+[ \t]*")


@dataclass(slots=True)
class _Target:
    """One target with the characters of its rule, its commands and its description."""

    name: str
    span: Span
    needs: tuple[str, ...]
    recipe: list[str] = field(default_factory=list)
    doc: str = ""
    doc_span: Span = (0, 0)


def matches(path: str) -> bool:
    """Makefiles by the names that make looks for, and *.mk."""
    name = path.rpartition("/")[2]
    return name in _NAMES or name.endswith(".mk")


def read(page: Page) -> None:
    """Read one Makefile."""
    kept: dict[str, _Target] = {}
    for target in _targets(page):
        earlier = kept.get(target.name)
        if earlier and earlier.recipe and target.recipe:
            message = f"target {quoted(target.name)} has two recipes; the last one counts"
            page.warn("duplicate_target", message, target.span[0])
        if earlier is None or target.recipe or not earlier.recipe:
            kept[target.name] = target
    for target in kept.values():
        if page.full:
            break
        _state(page, target)
    if not page.path.endswith(".mk"):
        _default(page, kept)


def _lines(text: str) -> Iterator[Span]:
    """Logical lines: those that end in a backslash are joined with the next."""
    start = at = 0
    while start < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        at = end + 1
        tail = text[max(start, end - 2) : end].rstrip("\r")
        if not tail.endswith("\\") or end == len(text):
            yield start, end
            start = at


def _targets(page: Page) -> Iterator[_Target]:
    group: list[_Target] = []
    comment: Span = (0, 0)
    in_define = False
    for start, end in _lines(page.text):
        line = page.text[start:end].rstrip("\r")
        if in_define or line.startswith("define "):
            in_define = not line.startswith("endef")
        elif line.startswith("\t"):
            for target in group:
                target.recipe.append(line)
                target.span = (target.span[0], end)
        elif line.strip().startswith("#"):
            comment = (start, end)
            continue
        elif line.strip() and not line.startswith(_CONDITIONS):
            yield from group
            group = _rule(page, line, (start, end), comment)
        comment = (0, 0)
    yield from group


def _rule(page: Page, line: str, span: Span, comment: Span) -> list[_Target]:
    joined = re.sub(r"\\\r?\n", "  ", line)
    rule = None if _VARIABLE.match(joined) else _RULE.match(joined)
    if rule is None or "=" in rule.group("needs"):  # a target's own variable
        return []
    needs = tuple(w for w in rule.group("needs").partition("|")[0].split() if "$" not in w)
    found = []
    for name in rule.group("targets").split():
        if _SIMPLE.fullmatch(name):
            target = _Target(name, span, needs)
            if rule.group("inline"):
                target.recipe.append(rule.group("inline"))
            _describe(page, target, rule.group("note") or "", span, comment)
            found.append(target)
    return found


def _describe(page: Page, target: _Target, note: str, span: Span, comment: Span) -> None:
    if note.startswith("##"):
        target.doc, target.doc_span = note.strip("# \t\r"), span
    elif comment[1]:
        text = page.text[comment[0] : comment[1]].strip()
        doc = text.strip("#!- \t\r")
        named = re.match(rf"{re.escape(target.name)}[ \t]*:[ \t]*", doc)
        target.doc, target.doc_span = doc[named.end() :] if named else doc, comment


def _state(page: Page, target: _Target) -> None:
    called = f"make {target.name}" if not page.folder else f"make -C {page.folder} {target.name}"
    subject = page.thing(f"make {target.name}")
    steps = tuple(
        step for line in target.recipe for step in shell_steps(_PREFIX.sub("", line.strip()))
    )
    command = " ".join(steps)
    topics = topics_of(target.name, command)
    if steps:
        page.add(
            f"target/{target.name}",
            f"`{called}` runs {spoken(steps)}.",
            predicate="runs",
            value=command,
            span=target.span,
            subject=subject,
            claim_type="runbook_step",
            uses=uses_of(target.name, command),
            topics=(*topics, "make"),
            steps=steps,
        )
    if target.needs:
        page.add(
            f"target/{target.name}/needs",
            f"`{called}` first makes {', '.join(f'`{n}`' for n in target.needs)}.",
            predicate="needs",
            value=" ".join(target.needs),
            span=page.line_at(target.span[0]) if len(target.needs) < 2 else _head(page, target),
            subject=subject,
            claim_type="runbook_step",
            uses=uses_of(target.name, command),
            topics=(*topics, "make"),
        )
    if target.doc and any(c.isalpha() for c in target.doc) and (steps or target.needs):
        page.add(
            f"target/{target.name}/description",
            f"`{called}` is described as: {target.doc.rstrip('.')}.",
            predicate="described_as",
            value=target.doc,
            span=target.doc_span,
            subject=subject,
            structured=False,
            uses=INFORM_USES,
            topics=(*topics, "make"),
        )


def _head(page: Page, target: _Target) -> Span:
    """The rule's own line with its continuations."""
    start = page.text.rfind("\n", 0, target.span[0]) + 1
    return next(span for span in _lines_from(page.text, start))


def _lines_from(text: str, start: int) -> Iterator[Span]:
    for first, last in _lines(text[start : start + 20_000]):
        yield start + first, start + last


def _default(page: Page, targets: dict[str, _Target]) -> None:
    name, span = _goal(page.text)
    if name in targets:
        page.add(
            "default",
            f"{page.within}`make` without a target makes `{name}`.",
            predicate="default_target",
            value=name,
            span=span,
            subject=page.thing("make"),
            claim_type="runbook_step",
            uses=INFORM_USES,
            topics=("make", "default"),
        )


def _goal(text: str) -> tuple[str, Span]:
    """What make makes without a target: `.DEFAULT_GOAL`, else the first rule; `""` if unknown.

    An included file before the first rule may hold the first rule, so nothing is said then.
    """
    first: tuple[str, Span] | None = None
    stated: tuple[str, Span] | None = None
    in_define = False
    for start, end in _lines(text):
        line = text[start:end].rstrip("\r")
        if in_define or line.startswith("define "):
            in_define = not line.startswith("endef")
            continue
        goal = _DEFAULT.match(line)
        if goal:
            stated = goal.group("goal"), (start, end)
        if first is None and _INCLUDE.match(line):
            first = "", (start, end)
        rule = (
            None
            if first or line.startswith(("\t", "#")) or _VARIABLE.match(line)
            else _RULE.match(line)
        )
        if rule and "=" not in rule.group("needs"):
            name = rule.group("targets").split()[0]
            if "%" not in name and (not name.startswith(".") or "/" in name):
                first = name, (start, end)
    return stated or first or ("", (0, 0))
