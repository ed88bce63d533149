"""pnpm-workspace.yaml: which folders hold the packages of the workspace."""

from __future__ import annotations

from muniment.learn.document import pointer
from muniment.learn.page import Page
from muniment.learn.yaml_text import parse_yaml


def matches(path: str) -> bool:
    """The workspace file, which stands at a workspace's root."""
    return path.rpartition("/")[2] == "pnpm-workspace.yaml"


def read(page: Page) -> None:
    """One statement a pattern."""
    for index, node in enumerate(parse_yaml(page.text).get("packages").scalars()):
        page.add(
            pointer("packages", node.text),
            f"{page.within}the pnpm workspace includes the packages in `{node.text}`.",
            predicate="workspace_member",
            value=node.text,
            span=node.span,
            pointer=pointer("packages", index),
            topics=("monorepo", "workspace", "packages"),
        )
