"""pyproject.toml: what the package is, needs and installs, and which tools are set up for it.

- Standard tables, dependency groups, and Poetry's own layout.
- A dependency is addressed by its normalised name, so reordering the list changes nothing.
- `[tool.x]` says that tool x is used; a few settings that people ask for are facts of their own.
"""

from __future__ import annotations

import re

from muniment.learn.commands import spoken, topics_of, uses_of
from muniment.learn.document import Document, Path, pointer
from muniment.learn.page import Page
from muniment.learn.toml_text import parse_toml
from muniment.learn.uses import STYLE_USES

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TOOLS: dict[str, str] = {
    "pytest": "tests",
    "ruff": "linter and formatter",
    "mypy": "type checker",
    "pyright": "type checker",
    "black": "formatter",
    "isort": "import sorter",
    "coverage": "test coverage",
    "tox": "test environments",
    "nox": "test environments",
    "hatch": "project manager",
    "poetry": "package manager",
    "pdm": "package manager",
    "uv": "package manager",
    "pylint": "linter",
    "flake8": "linter",
    "towncrier": "changelog",
    "commitizen": "commits and releases",
    "importlinter": "import contracts",
    "setuptools": "packaging",
    "cibuildwheel": "wheels",
}
_SETTINGS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("tool", "ruff", "line-length"), "line_length", "ruff enforces a line length of {}"),
    (("tool", "black", "line-length"), "line_length", "black enforces a line length of {}"),
    (("tool", "ruff", "target-version"), "tool_target", "ruff checks against {}"),
    (("tool", "mypy", "python_version"), "tool_target", "mypy checks against Python {}"),
    (("tool", "mypy", "strict"), "tool_strict", "mypy strict mode is set to {}"),
    (("tool", "pytest", "ini_options", "addopts"), "test_options", "pytest always runs with `{}`"),
    (("tool", "ruff", "lint", "select"), "lint_rules", "ruff selects the rules {}"),
    (("tool", "ruff", "select"), "lint_rules", "ruff selects the rules {}"),
)
_LISTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("tool", "pytest", "ini_options", "testpaths"), "test_paths", "pytest finds tests in `{}`"),
    (("tool", "tox", "env_list"), "defines_environment", "tox defines the environment `{}`"),
    (("tool", "tox", "envlist"), "defines_environment", "tox defines the environment `{}`"),
    (("tool", "uv", "workspace", "members"), "workspace_member", "the uv workspace includes `{}`"),
)


def matches(path: str) -> bool:
    """Any pyproject.toml."""
    return path.rpartition("/")[2] == "pyproject.toml"


def read(page: Page) -> None:
    """Read one pyproject.toml."""
    doc = parse_toml(page.text)
    name = doc.text("project", "name") or doc.text("tool", "poetry", "name") or ""
    owner = page.owner(name)
    _identity(page, doc, owner)
    _dependencies(page, doc, owner)
    _poetry(page, doc, owner)
    _scripts(page, doc)
    _tools(page, doc)
    _environments(page, doc)


def _fact(page: Page, doc: Document, path: Path, predicate: str, claim: str) -> None:
    value = doc.text(*path)
    if value is not None and path in doc.places:
        page.add(
            pointer(*path),
            claim.format(value),
            predicate=predicate,
            value=value,
            span=page.lines_of(doc.span(*path)),
            subject=page.path if predicate.startswith("package_") else page.folder,
            topics=("Python version", "version") if predicate == "requires_python" else (),
        )


def _identity(page: Page, doc: Document, owner: str) -> None:
    for base in (("project",), ("tool", "poetry")):
        what = "This repository's" if not page.folder else f"The {page.folder} folder's"
        _fact(page, doc, (*base, "name"), "package_name", f"{what} Python package is named `{{}}`.")
        _fact(page, doc, (*base, "version"), "package_version", f"{owner} is at version {{}}.")
    path = ("project", "requires-python")
    _fact(page, doc, path, "requires_python", f"{owner} requires Python {{}}.")
    path = ("build-system", "build-backend")
    _fact(page, doc, path, "build_backend", f"{owner} is built with the backend `{{}}`.")


def _dependencies(page: Page, doc: Document, owner: str) -> None:
    claim = f"{owner} depends on `{{}}`."
    _requirements(page, doc, ("project", "dependencies"), "depends_on", claim)
    for table, word in (
        (("project", "optional-dependencies"), "extra"),
        (("dependency-groups",), "dependency group"),
    ):
        for group in doc.keys(*table):
            claim = f"{owner} needs `{{}}` for its {word} `{group}`."
            _requirements(page, doc, (*table, group), "optional_depends_on", claim)


def _requirements(
    page: Page, doc: Document, path: tuple[str, ...], predicate: str, claim: str
) -> None:
    for index, requirement in doc.items(*path):
        found = _NAME.match(requirement.strip())
        if found:
            page.add(
                pointer(*path, normal(found.group())),
                claim.format(requirement),
                predicate=predicate,
                value=requirement,
                span=doc.span(*path, index),
                pointer=pointer(*path, index),
                topics=("dependency",),
            )


def normal(name: str) -> str:
    """A package name as the index compares it.

    >>> normal("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _poetry(page: Page, doc: Document, owner: str) -> None:
    base = ("tool", "poetry")
    path = (*base, "dependencies", "python")
    if doc.text("project", "requires-python") is None:
        _fact(page, doc, path, "requires_python", f"{owner} requires Python {{}}.")
    tables: list[tuple[tuple[str, ...], str, str]] = [
        ((*base, "dependencies"), "depends_on", "depends on `{}`"),
        ((*base, "dev-dependencies"), "dev_depends_on", "needs `{}` for development"),
    ]
    for group in doc.keys(*base, "group"):
        of_group = (*base, "group", group, "dependencies")
        tables.append((of_group, "optional_depends_on", f"needs `{{}}` for its group `{group}`"))
    for table, predicate, words in tables:
        for name in doc.keys(*table):
            version = doc.text(*table, name) or doc.text(*table, name, "version") or ""
            wanted = f"{name} {version}".strip()
            if name != "python" and (*table, name) in doc.places:
                page.add(
                    pointer(*table, normal(name)),
                    f"{owner} {words.format(wanted)}.",
                    predicate=predicate,
                    value=wanted,
                    span=page.lines_of(doc.span_with((*table, name), "version")),
                    topics=("dependency",),
                )


def _scripts(page: Page, doc: Document) -> None:
    tables = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
    for table in tables:
        for name in doc.keys(*table):
            target = doc.text(*table, name)
            if target:
                page.add(
                    pointer(*table, name),
                    f"{page.within}the command `{name}` runs `{target}`.",
                    predicate="entry_point",
                    value=target,
                    subject=page.thing(f"command {name}"),
                    span=page.lines_of(doc.span(*table, name)),
                    topics=("command line", "entry point", name),
                )


def _tools(page: Page, doc: Document) -> None:
    for tool in doc.keys("tool"):
        table = next((p for p in doc.places if p[:2] == ("tool", tool)), None)
        purpose = _TOOLS.get(tool)
        if table and purpose:
            where = page.folder or "this repository"
            page.add(
                pointer("tool", tool),
                f"{tool} ({purpose}) is configured for {where} in {page.path}.",
                predicate="uses",
                value=tool,
                span=page.line_at(doc.places[table].key),
                topics=(purpose, "tool"),
            )
    for path, predicate, words in _SETTINGS:
        listed = (" " if predicate == "test_options" else ", ").join(t for _, t in doc.items(*path))
        value = doc.text(*path) or listed or None
        if value is not None and path in doc.places:
            page.add(
                pointer(*path),
                f"{page.within}{words.format(value)}.",
                predicate=predicate,
                value=value,
                subject=page.thing(path[1]),
                span=page.lines_of(doc.span(*path)),
                uses=STYLE_USES,
                topics=(_TOOLS.get(path[1], ""), "code style", path[1]),
            )
    _lists(page, doc)


def _lists(page: Page, doc: Document) -> None:
    for path, predicate, words in _LISTS:
        for index, value in doc.items(*path):
            page.add(
                pointer(*path, value),
                f"{page.within}{words.format(value)}.",
                predicate=predicate,
                value=value,
                span=doc.span(*path, index),
                pointer=pointer(*path, index),
                topics=("tests",) if predicate == "test_paths" else ("code style",),
            )


def _environments(page: Page, doc: Document) -> None:
    envs = ("tool", "hatch", "envs")
    for env in doc.keys(*envs):
        for name in doc.keys(*envs, env, "scripts"):
            path = (*envs, env, "scripts", name)
            listed = tuple(text for _, text in doc.items(*path))
            steps = listed or tuple(filter(None, (doc.text(*path),)))
            command = f"hatch run {name}" if env == "default" else f"hatch run {env}:{name}"
            if steps:
                page.add(
                    pointer(*path),
                    f"{page.within}`{command}` runs {spoken(steps)}.",
                    predicate="runs",
                    value=" ".join(steps),
                    subject=page.thing(command),
                    span=page.lines_of(doc.span(*path)),
                    claim_type="runbook_step",
                    uses=uses_of(name, steps[0]),
                    topics=topics_of(name, steps[0]),
                    steps=steps,
                )
