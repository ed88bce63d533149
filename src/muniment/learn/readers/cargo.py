"""Cargo.toml: package, Rust version, edition, dependencies and workspace members."""

from __future__ import annotations

from muniment.learn.document import Document, pointer
from muniment.learn.page import Page
from muniment.learn.toml_text import parse_toml

_FIELDS: tuple[tuple[str, str, str], ...] = (
    ("name", "package_name", "{owner} is the Rust package `{value}`."),
    ("version", "package_version", "{owner} is at version {value}."),
    ("rust-version", "requires_rust", "{owner} requires Rust {value} or newer."),
    ("edition", "rust_edition", "{owner} uses the Rust edition {value}."),
)
_TABLES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("dependencies",), "depends_on", "depends on the crate `{}`"),
    (("workspace", "dependencies"), "depends_on", "offers its members the crate `{}`"),
    (("dev-dependencies",), "dev_depends_on", "needs the crate `{}` for its tests"),
    (("build-dependencies",), "dev_depends_on", "needs the crate `{}` for its build script"),
)


def matches(path: str) -> bool:
    """Any Cargo.toml."""
    return path.rpartition("/")[2] == "Cargo.toml"


def read(page: Page) -> None:
    """Read one Cargo.toml."""
    doc = parse_toml(page.text)
    owner = page.owner(doc.text("package", "name") or "")
    for base in (("package",), ("workspace", "package")):
        for field, predicate, words in _FIELDS:
            value = doc.text(*base, field)
            if value is not None:
                subject = page.owner() if field == "name" else owner
                page.add(
                    pointer(*base, field),
                    words.format(owner=subject, value=value),
                    predicate=predicate,
                    value=value,
                    span=page.lines_of(doc.span(*base, field)),
                    subject=page.path if predicate.startswith("package_") else page.folder,
                )
    for index, member in doc.items("workspace", "members"):
        page.add(
            pointer("workspace", "members", member),
            f"The Cargo workspace of {page.path} includes `{member}`.",
            predicate="workspace_member",
            value=member,
            span=doc.span("workspace", "members", index),
            pointer=pointer("workspace", "members", index),
            topics=("monorepo", "workspace"),
        )
    for table, predicate, words in _TABLES:
        for name in doc.keys(*table):
            _dependency(page, doc, (*table, name), predicate, f"{owner} {words}.")


def _dependency(
    page: Page, doc: Document, path: tuple[str, ...], predicate: str, claim: str
) -> None:
    version = doc.text(*path) or doc.text(*path, "version") or ""
    value = f"{path[-1]} {version}".strip()
    if path in doc.places:
        page.add(
            pointer(*path),
            claim.format(value),
            predicate=predicate,
            value=value,
            span=page.lines_of(doc.span_with(path, "version")),
            topics=("dependency",),
        )
