"""Overview, sources, bridges, conflicts and audit in a real browser: reachable by all, and by keys alone."""

from __future__ import annotations

import pytest

from tests.http.pages.governed import fill_more
from tests.http.pages.test_in_a_browser import chromium, pytestmark, tab

__all__ = ("chromium", "pytestmark")
PAGES = (
    "/overview",
    "/sources",
    "/sources?state=never",
    "/bridges",
    "/conflicts",
    "/audit?check=now",
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_of_governance_has_a_violation_or_runs_over(chromium, site, theme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    fill_more(site)
    runner = axe.Axe()
    small = {"width": 390, "height": 800}
    with tab(chromium, site, color_scheme=theme, reduced_motion="reduce", viewport=small) as page:
        page.goto(f"{site.url}/sources")
        page.check("text=every source")
        page.click("text=Read again now")
        page.wait_for_selector("text=The last reading from here")
        for path in PAGES:
            page.goto(f"{site.url}{path}")
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            found = [
                (one["id"], one["nodes"][0]["html"])
                for one in runner.run(page).response["violations"]
            ]
            assert (path, found) == (path, [])
            over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert (path, page.evaluate(over)) == (path, 0)


@pytest.mark.req("B-CONFLICTS")
def test_a_conflict_is_settled_by_keys_alone(chromium, site):
    ids = fill_more(site)
    with tab(chromium, site) as page:
        page.goto(f"{site.url}/conflicts")
        page.focus("details.settle > summary")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        for _ in range(3):
            page.keyboard.press("Tab")
        page.keyboard.type("https://example.org/package.json")
        page.keyboard.press("Tab")
        page.keyboard.type("the manifest names the other")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=proposes how to settle it")
    (change,) = [c for o in site.ada.inbox() for c in o.diff.changes if c.resolves]
    assert {change.target_id, *change.resolves} == {ids["npm"], ids["pnpm"]}
