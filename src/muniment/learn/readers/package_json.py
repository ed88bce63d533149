"""package.json: name, package manager, engines, scripts, dependencies, workspaces.

- A script is told as `pnpm run x` only where the file names its package manager.
- Lifecycle hooks (`pretest`, `postinstall`) are scripts like any other.
- A key given twice counts with its last value, and is reported.
"""

from __future__ import annotations

from muniment.core.errors import quoted
from muniment.learn.commands import topics_of, uses_of
from muniment.learn.document import Document, pointer
from muniment.learn.json_text import parse_json
from muniment.learn.page import Page

_FIELDS: tuple[tuple[str, str, str], ...] = (
    ("version", "package_version", "{owner} is at version {value}."),
    ("type", "package_kind", "{owner} is of module type `{value}`."),
    ("private", "is_private", "{owner} has `private` set to {value} in {path}."),
)
_DEPENDENCIES: tuple[tuple[str, str, str], ...] = (
    ("dependencies", "depends_on", "{owner} depends on `{name}` {value}."),
    ("devDependencies", "dev_depends_on", "{owner} needs `{name}` {value} for development."),
    ("peerDependencies", "optional_depends_on", "{owner} expects `{name}` {value} beside it."),
)


def matches(path: str) -> bool:
    """Any package.json."""
    return path.rpartition("/")[2] == "package.json"


def read(page: Page) -> None:
    """Read one package.json."""
    doc, duplicates = parse_json(page.text)
    for position in duplicates:
        line = page.text[slice(*page.line_at(position))]
        page.warn("duplicate_key", f"{quoted(line)} repeats a key; the last one counts", position)
    owner = page.owner(doc.text("name") or "")
    name = doc.text("name")
    if name:
        where = f"The folder {page.folder} holds" if page.folder else "This repository is"
        claim = f"{where} the JavaScript package `{name}`."
        span = doc.span("name")
        page.add("/name", claim, predicate="package_name", value=name, span=span, subject=page.path)
    for field, predicate, words in _FIELDS:
        value = doc.text(field)
        if value is not None:
            claim = words.format(owner=owner, value=value, path=page.path)
            page.add(
                f"/{field}",
                claim,
                predicate=predicate,
                value=value,
                span=doc.span(field),
                subject=page.path,
            )
    manager = _manager(page, doc, owner)
    _engines(page, doc, owner)
    _scripts(page, doc, manager)
    _dependencies(page, doc, owner)
    _workspaces(page, doc)


def _manager(page: Page, doc: Document, owner: str) -> str:
    value = doc.text("packageManager") or ""
    name, _, version = value.partition("+")[0].partition("@")
    if name:
        page.add(
            "/packageManager",
            f"{owner} uses the package manager {name}{' ' + version if version else ''}.",
            predicate="uses_package_manager",
            value=name,
            span=doc.span("packageManager"),
            subject=page.thing("JavaScript dependencies"),
            topics=("package manager", "install", "dependencies"),
        )
    return name


def _engines(page: Page, doc: Document, owner: str) -> None:
    for engine in doc.keys("engines"):
        value = doc.text("engines", engine)
        if value:
            node = engine == "node"
            page.add(
                pointer("engines", engine),
                f"{owner} requires {'Node.js' if node else engine} {value}.",
                predicate="requires_node" if node else "requires_engine",
                value=value if node else f"{engine} {value}",
                span=doc.span("engines", engine),
                topics=("version", engine),
            )


def _scripts(page: Page, doc: Document, manager: str) -> None:
    for name in doc.keys("scripts"):
        command = doc.text("scripts", name)
        if not command:
            continue
        called = f"`{manager} run {name}`" if manager else f"the package.json script `{name}`"
        page.add(
            pointer("scripts", name),
            f"{page.within}{called} runs `{command}`.",
            predicate="runs",
            value=command,
            subject=page.thing(f"script {name}"),
            span=doc.span("scripts", name),
            claim_type="runbook_step",
            uses=uses_of(name, command),
            topics=(*topics_of(name, command), "script", f"npm run {name}"),
        )


def _dependencies(page: Page, doc: Document, owner: str) -> None:
    for table, predicate, words in _DEPENDENCIES:
        for name in doc.keys(table):
            value = doc.text(table, name)
            if value is not None:
                page.add(
                    pointer(table, name),
                    words.format(owner=owner, name=name, value=value),
                    predicate=predicate,
                    value=f"{name} {value}",
                    span=doc.span(table, name),
                    topics=("dependency",),
                )


def _workspaces(page: Page, doc: Document) -> None:
    base: tuple[str, ...] = ("workspaces",)
    if doc.keys("workspaces"):
        base = ("workspaces", "packages")
    for index, pattern in doc.items(*base):
        page.add(
            pointer("workspaces", pattern),
            f"The workspace of {page.path} includes the packages in `{pattern}`.",
            predicate="workspace_member",
            value=pattern,
            span=doc.span(*base, index),
            pointer=pointer(*base, index),
            topics=("monorepo", "workspace", "packages"),
        )
