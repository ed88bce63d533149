"""More of everything in a site's store: contradictions, bridges, ends, doubt, and a source that changed."""

from __future__ import annotations

from datetime import timedelta

from muniment import Choice
from muniment.core.encode import encode
from tests.http.pages.site import REPOSITORY, Site

BOOK = {"kind": "document", "uri": "https://example.org/handbook"}


def uses_tool(tool: str, mark: str, **parts):
    fact = {"subject": "shop", "predicate": "uses_package_manager", "object": tool}
    return {
        "claim": f"The shop installs its packages with {tool}. {mark}",
        "facts": [fact],
        "source": {"kind": "document", "uri": f"https://example.org/{tool}"},
        **parts,
    }


def remembered(site: Site, claim: str, **parts) -> str:
    """A claim that was proposed by the agent and accepted by Ada."""
    given = {"allowed_uses": ["answer_questions"], "source": BOOK, **parts}
    proposed = site.codex.remember(claim, **given)
    return site.accept(proposed)["change_01"]


def fill_more(site: Site, mark: str = "") -> dict[str, str]:
    """Something for every page of governance; claims by a name.

    Args:
        site: Where.
        mark: Stands in every text that can be shown.
    """
    now = site.store.session.now()
    ids = {
        tool: remembered(site, **uses_tool(tool, mark, reason=f"as seen {mark}"))
        for tool in ("npm", "pnpm")
    }
    soon = encode(now + timedelta(days=5))
    ids["ends"] = remembered(site, f"The sale ends soon. {mark}", validity={"valid_until": soon})
    book = {"kind": "document", "uri": f"https://example.org/{mark}"}
    ids["said"] = remembered(site, f"Nobody checked this. {mark}", source=book)
    ids["lint"] = remembered(
        site,
        f"Lint with Ruff. {mark}",
        source=f"repo:{REPOSITORY}!/Makefile",
        quote="ruff check .",
    )
    unquoted = mark.replace('"', "")
    bridge = site.codex.bridge(
        f"UI kit {unquoted}", "design system", reason=f"a term {mark}", source=BOOK
    )
    ids["bridge"] = site.accept(bridge)["change_01"]
    site.codex.bridge("till", f"checkout {unquoted}", source=BOOK)
    refused = site.codex.remember(f"The shop sells cars. {mark}", source=BOOK)
    site.ada.review(refused.diff.id, {"change_01": Choice("rejected", f"no {mark}")}, site.signer)
    return ids
