"""Instruction files for coding agents: one claim a statement, told as what the file states.

- AGENTS.md, CLAUDE.md, GEMINI.md, .cursorrules, .cursor/rules, Copilot instructions.
- These are prose: never structured, so no policy accepts them by itself.
- What a file is limited to (its folder, `globs`, `applyTo`) is part of every claim.
- A line that is only `@path` includes another file; that is a statement of its own.
- The block that `muniment export` keeps in such a file repeats what is remembered, and states nothing.
"""

from __future__ import annotations

import re

from muniment.learn.commands import is_command, topics_of, uses_of
from muniment.learn.markdown import front_matter
from muniment.learn.page import Page, Unreadable
from muniment.learn.prose import codes, words_of
from muniment.learn.statements import Statement, statements
from muniment.learn.uses import FACT_USES, INFORM_USES, STYLE_USES
from muniment.learn.yaml_text import Node, parse_yaml

_NAMES = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules"})
_RULES = re.compile(
    r"(?:^|/)\.cursor/rules/.+\.(?:mdc|md)$|^\.github/instructions/.+\.instructions\.md$"
    r"|^\.github/copilot-instructions\.md$"
)
_IMPORT = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?P<all>@(?P<path>~?[\w./-]*[./][\w./-]*))[ \t\r]*$",
    re.MULTILINE,
)
_MANAGED = re.compile(
    r"<!--[ \t]*muniment:begin[ \t]*-->.*?<!--[ \t]*muniment:end[ \t]*-->", re.DOTALL
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "known_failure_mode",
        re.compile(r"gotcha|pitfall|known issue|trouble|caveat|flaky", re.IGNORECASE),
    ),
    (
        "domain_rule",
        re.compile(r"domain|glossary|business rule|terminolog|invariant", re.IGNORECASE),
    ),
    ("decision", re.compile(r"^decisions?$|we (?:have )?decided", re.IGNORECASE)),
)
_WISH = re.compile(
    r"\b(?:always|never|must|should|prefer|avoid|use|don'?t|do not|keep|write|ensure|make sure"
    r"|only|required?|name|add|put|follow)\b",
    re.IGNORECASE,
)


def matches(path: str) -> bool:
    """Instruction files at any level, and the rule folders of their tools."""
    return path.rpartition("/")[2] in _NAMES or bool(_RULES.search(path))


def read(page: Page) -> None:
    """One claim a statement."""
    limits, described = _front(page)
    ours = [block.span() for block in _MANAGED.finditer(page.text)]
    for line in _IMPORT.finditer(page.text):
        page.add(
            f"@{line.group('path')}",
            f"{page.path} includes the instructions of {line.group('path')}.",
            predicate="imports_instructions",
            value=line.group("path"),
            span=line.span("all"),
            subject=page.path,
            structured=False,
            uses=INFORM_USES,
            topics=("instructions",),
        )
    for statement in statements(page.text):
        start = statement.span[0]
        if any(begin <= start < end for begin, end in ours):
            continue
        if not _IMPORT.fullmatch(statement.own) and any(c.isalpha() for c in statement.own):
            _state(page, statement, limits, described)


def _front(page: Page) -> tuple[str, tuple[str, ...]]:
    """The words that limit every claim, and search words from the description."""
    start, end = front_matter(page.text)
    if start == end:
        return "", ()
    try:
        front = parse_yaml(_quoted_globs(page.text[start:end]))
    except Unreadable as error:  # bad front matter must not hide the statements below it
        page.warn("bad_front_matter", f"the front matter is not YAML: {error}", start)
        return "", ()
    globs = [g for key in ("globs", "applyTo") for g in _globs(front.get(key))]
    everywhere = front.get("alwaysApply").text == "true" or globs in (["**"], ["**/*"], ["*"])
    limits = "" if everywhere or not globs else f"For files matching {_listed(globs)}: "
    return limits, words_of(front.get("description").text)


def _quoted_globs(front: str) -> str:
    """Cursor writes globs bare (`globs: *.ts`), which YAML takes for an alias."""
    return re.sub(r"^(globs|applyTo):[ \t]*(\*[^\r\n]*)", r"\1: '\2'", front, flags=re.MULTILINE)


def _globs(node: Node) -> list[str]:
    return [part.strip() for n in node.scalars() for part in n.text.split(",") if part.strip()]


def _listed(globs: list[str]) -> str:
    return " or ".join(f"`{glob}`" for glob in globs)


def _state(page: Page, statement: Statement, limits: str, described: tuple[str, ...]) -> None:
    commands = statement.steps or tuple(filter(is_command, codes(statement.own)))
    place = "/".join(statement.headings)
    page.add(
        statement.key,
        f"{f'In {page.folder}: ' if _nested(page) else ''}{limits}{statement.text}",
        predicate="instruction",
        value=statement.own,
        span=statement.span,
        subject=page.folder if _nested(page) else "",
        pointer=place,
        claim_type=_kind(statement),
        structured=False,
        uses=_uses(statement, commands),
        topics=(
            *(word for heading in statement.headings for word in words_of(heading)),
            *topics_of(statement.headings[-1] if statement.headings else "", " ".join(commands)),
            *described,
        ),
        steps=statement.steps,
    )


def _nested(page: Page) -> bool:
    return bool(page.folder) and not _RULES.search(page.path)


def _kind(statement: Statement) -> str:
    for kind, pattern in _KINDS:
        if any(pattern.search(heading) for heading in statement.headings):
            return kind
    if statement.steps:
        return "runbook_step"
    return "team_preference" if _WISH.search(statement.own) else "project_fact"


def _uses(statement: Statement, commands: tuple[str, ...]) -> tuple[str, ...]:
    heading = statement.headings[-1] if statement.headings else ""
    base = STYLE_USES if _WISH.search(statement.own) else FACT_USES
    if not commands:
        return base
    offered = uses_of(f"{heading} {statement.own}", " ".join(commands))
    return tuple(dict.fromkeys((*base, *offered))) if offered != INFORM_USES else INFORM_USES
