"""justfile: what each recipe runs, how it is described, and the default recipe.

- Private recipes (`_name`, `[private]`) and variables, settings and aliases are passed over.
- A recipe that starts with `#!` is a script; its lines are its steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from muniment.learn.commands import shell_steps, spoken, topics_of, uses_of
from muniment.learn.page import Page, Span
from muniment.learn.uses import INFORM_USES

_RECIPE = re.compile(
    r"^@?(?P<name>[A-Za-z_][\w-]*)(?P<params>(?:[ \t]+[^:\n]*?)?)[ \t]*:(?!=)(?P<needs>[^\n#]*)"
)
_LINE = re.compile(r"[^\n]+|\n(?=\n)")
_PREFIX = re.compile(r"^[@-]+[ \t]*")


@dataclass(slots=True)
class _Recipe:
    """One recipe with the characters of its text and its description."""

    name: str
    params: str
    needs: tuple[str, ...]
    span: Span
    private: bool
    body: list[str] = field(default_factory=list)
    doc_span: Span = (0, 0)


def matches(path: str) -> bool:
    """justfile in any case, and *.just."""
    name = path.rpartition("/")[2].lower()
    return name in ("justfile", ".justfile") or name.endswith(".just")


def read(page: Page) -> None:
    """Read one justfile."""
    recipes = _recipes(page)
    for recipe in recipes:
        if page.full:
            break
        if not recipe.private:
            _state(page, recipe)
    first = recipes[0] if recipes else None
    if first and not first.private:
        page.add(
            "default",
            f"{page.within}`just` without a recipe runs `{first.name}`.",
            predicate="default_target",
            value=first.name,
            span=page.line_at(first.span[0]),
            subject=page.thing("just"),
            claim_type="runbook_step",
            uses=INFORM_USES,
            topics=("just", "default"),
        )


def _recipes(page: Page) -> list[_Recipe]:
    found: list[_Recipe] = []
    current: _Recipe | None = None
    doc: Span = (0, 0)
    private = False
    for match in _LINE.finditer(page.text):
        line = match.group().rstrip("\r")
        if not line.strip():
            doc = (0, 0)
        elif line[0] in " \t":
            if current:
                current.body.append(line)
                current.span = (current.span[0], match.end())
        elif line.startswith("#"):
            doc, current = match.span(), None
        elif line.startswith("["):
            private = private or "private" in line
        else:
            head = _RECIPE.match(line)
            current = _recipe(head, match.span(), doc, private) if head else None
            found.extend([current] if current else [])
            doc, private = (0, 0), False
    return found


def _recipe(head: re.Match[str], span: Span, doc: Span, private: bool) -> _Recipe | None:
    if head.group("name") in ("set", "alias", "export", "import", "mod"):
        return None
    needs = tuple(w for w in re.findall(r"[A-Za-z_][\w-]*", head.group("needs")))
    name = head.group("name")
    private = private or name.startswith("_")
    return _Recipe(name, head.group("params").strip(), needs, span, private, doc_span=doc)


def _state(page: Page, recipe: _Recipe) -> None:
    called = f"{page.within}`just {recipe.name}`"
    subject = page.thing(f"just {recipe.name}")
    steps = tuple(_PREFIX.sub("", s) for s in shell_steps("\n".join(recipe.body)))
    command = " ".join(steps)
    topics = (*topics_of(recipe.name, command), "just")
    uses = uses_of(recipe.name, command)
    if steps:
        taking = f" (with {recipe.params})" if recipe.params else ""
        page.add(
            f"recipe/{recipe.name}",
            f"{called}{taking} runs {spoken(steps)}.",
            predicate="runs",
            value=command,
            span=recipe.span,
            subject=subject,
            claim_type="runbook_step",
            uses=uses,
            topics=topics,
            steps=steps,
        )
    if recipe.needs:
        page.add(
            f"recipe/{recipe.name}/needs",
            f"{called} first runs {', '.join(f'`{n}`' for n in recipe.needs)}.",
            predicate="needs",
            value=" ".join(recipe.needs),
            span=page.line_at(recipe.span[0]),
            subject=subject,
            claim_type="runbook_step",
            uses=uses,
            topics=topics,
        )
    doc = page.text[recipe.doc_span[0] : recipe.doc_span[1]].strip("# \t\r")
    if doc and (steps or recipe.needs):
        page.add(
            f"recipe/{recipe.name}/description",
            f"{called} is described as: {doc.rstrip('.')}.",
            predicate="described_as",
            value=doc,
            span=recipe.doc_span,
            subject=subject,
            structured=False,
            uses=INFORM_USES,
            topics=topics,
        )
