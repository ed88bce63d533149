"""CODEOWNERS: who owns which files, from each of its usual places.

- The last matching pattern wins, so a pattern given twice counts with its last line.
- A pattern without owners says that nobody owns those files.
- GitLab sections (`[Docs]`) are passed over; their default owners are not applied.
"""

from __future__ import annotations

import re

from muniment.learn.page import Page

_PLACES = ("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_RULE = re.compile(
    r"^[ \t]*(?P<pattern>(?:\\.|[^\s#\\\[^])(?:\\.|[^\s\\])*)(?P<owners>[^\n#]*)",
    re.MULTILINE,
)


def matches(path: str) -> bool:
    """The places in which hosts look for the file."""
    return path in _PLACES


def read(page: Page) -> None:
    """Read the rules; the last line of a pattern counts."""
    last = {rule.group("pattern"): rule for rule in _RULE.finditer(page.text)}
    for pattern, rule in last.items():
        owners = rule.group("owners").split()
        shown = pattern.replace("\\ ", " ")
        everything = "All files without a more specific rule" if shown == "*" else ""
        files = everything or f"Files matching `{shown}`"
        by = " and ".join(owners)
        folder = shown.strip("/*").rpartition("/")[2]
        page.add(
            pattern,
            f"{files} {f'are owned by {by}' if owners else 'have no owner'}.",
            predicate="owned_by" if owners else "unowned",
            value=" ".join(owners) or pattern,
            span=rule.span(),
            subject=shown if owners else "",
            topics=("owner", "owns", "code owner", "reviewer", *filter(None, (folder,))),
        )
