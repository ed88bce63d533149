""".pre-commit-config.yaml: which hooks run before a commit, and from where."""

from __future__ import annotations

from muniment.learn.page import Page
from muniment.learn.uses import STYLE_USES
from muniment.learn.yaml_text import parse_yaml


def matches(path: str) -> bool:
    """The configuration of pre-commit at any level."""
    return path.rpartition("/")[2] in (".pre-commit-config.yaml", ".pre-commit-config.yml")


def read(page: Page) -> None:
    """One statement a hook."""
    for repo in parse_yaml(page.text).get("repos").nodes:
        origin, revision = repo.get("repo").text, repo.get("rev").text
        for hook in repo.get("hooks").nodes:
            name = hook.get("id")
            if name.kind == "scalar":
                source = "this repository" if origin == "local" else origin
                at = f" at {revision}" if revision else ""
                page.add(
                    f"/repos/{origin.rpartition('/')[2]}/{name.text}",
                    f"{page.within}pre-commit runs the hook `{name.text}` from {source}{at}.",
                    predicate="runs_hook",
                    value=name.text,
                    span=page.lines_of(name.span),
                    structured=False,
                    uses=STYLE_USES,
                    topics=("pre-commit", "hook", "before a commit"),
                )
