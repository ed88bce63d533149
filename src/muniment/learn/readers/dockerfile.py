"""Dockerfile: the image that the last build stage starts from.

A stage built on an earlier stage (`FROM base`) is followed back to the image.
"""

from __future__ import annotations

import re

from muniment.learn.page import Page

_FROM = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(?P<image>\S+)(?:[ \t]+AS[ \t]+(?P<stage>\S+))?[ \t\r]*$",
    re.MULTILINE | re.IGNORECASE,
)
_NAME = re.compile(r"(?:^|/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.[Dd]ockerfile$")


def matches(path: str) -> bool:
    """Dockerfile, Containerfile and their named variants."""
    return bool(_NAME.search(path)) and not path.endswith((".md", ".dockerignore"))


def read(page: Page) -> None:
    """State the base image of the final stage."""
    stages: dict[str, re.Match[str]] = {}
    final: re.Match[str] | None = None
    for line in _FROM.finditer(page.text):
        final = stages.get(line.group("image").lower(), line)
        if line.group("stage"):
            stages[line.group("stage").lower()] = final
    if final:
        image = final.group("image")
        page.add(
            "from",
            f"The container image of {page.path} is built on `{image}`.",
            predicate="base_image",
            value=image,
            span=final.span(),
            subject=page.path,
            structured=False,
            topics=("docker", "container", "base image"),
        )
