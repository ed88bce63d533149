"""The page in a real browser: keys alone, both themes without a violation, hostile text that stays text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.fitness.tree import ROOT
from tests.http.pages.hostile import STRINGS
from tests.http.pages.site import PASSPHRASE, fill, make_site, served

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
HANDLERS = """
[...document.querySelectorAll('main *')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length
"""
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def tab(chromium, site, role="operator", **options):
    """A new window, signed in, that fails on any script error or dialog."""
    context = chromium.new_context(**options)
    page = context.new_page()
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on(
        "dialog", lambda dialog: (page.wrong.append(f"dialog {dialog.message}"), dialog.dismiss())
    )
    page.goto(f"{site.url}/sign-in")
    page.fill("#token", site.tokens[role])
    page.press("#token", "Enter")
    page.wait_for_url(f"{site.url}/inbox")
    yield page
    context.close()
    assert page.wrong == []


@pytest.mark.req("B-DIFFREVIEW")
def test_a_mixed_inbox_is_reviewed_by_keys_alone(chromium, site):
    site.remember("`make deploy` ships the shop.", allowed_uses=["deploy"], quote="# The shop.")
    site.remember("`make paint` paints the shop.")
    with tab(chromium, site) as page:
        page.keyboard.press("Tab")
        page.focus("#passphrase")
        page.keyboard.type(PASSPHRASE)
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Your credential is open")
        assert page.locator("article[data-change]").count() == 4
        page.keyboard.press("?")
        assert page.locator("#help").get_attribute("open") is not None
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert "deploy" in page.locator("article.now .statement").first.inner_text()
        page.keyboard.press("r")
        page.keyboard.type("nobody deploys by hand")
        page.keyboard.press("Enter")
        page.wait_for_selector("article.decided >> text=rejected")
        for wanted in ("accepted", "accepted", "needs review"):
            page.wait_for_selector("article.now")
            page.keyboard.press("n" if wanted == "needs review" else "a")
            page.wait_for_selector(
                f"article.decided >> text={wanted} >> nth={int(wanted == 'accepted') and 0}"
            )
            page.wait_for_timeout(150)
        page.wait_for_function("document.querySelectorAll('article.decided').length === 4")
    states = [one.state_of("change_01") for one in site.ada.inbox()]
    assert states == ["needs_review"]


@pytest.mark.req("D-CERT")
def test_a_recall_its_certificate_and_a_claims_history(chromium, site):
    from muniment import Choice

    with tab(chromium, site) as page:
        page.click("nav >> text=Recall")
        page.fill("#q", "what does make test run?")
        page.press("#q", "Enter")
        page.wait_for_selector("pre.packet")
        assert "pytest -q" in page.inner_text("pre.packet")
        diff = next(
            one.diff for one in site.ada.inbox() if one.diff.changes[0].operation == "supersede"
        )
        site.ada.review(diff.id, {"change_01": Choice("accepted")}, site.signer)
        page.click("#revalidate")
        page.wait_for_selector("h2 >> text=changed")
        page.click(f"a[href='/claims/{site.ids['test']}'] >> nth=0")
        page.wait_for_selector("text=Replaced by")
        assert page.locator("svg.picture").count() == 2
        page.click("text=Replaced by >> a")
        assert page.locator("tbody tr").count() >= 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_an_accessibility_violation(chromium, site, theme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    runner = axe.Axe()
    from muniment.http.pages.asked import NAVIGATION
    from muniment.http.pages.views import VIEWS

    diff = site.ada.inbox()[0].diff.id
    there = {path for method, path, _ in VIEWS if method == "GET"}
    paths = [to for to, _ in NAVIGATION if to in there] + [
        "/recall?q=what+does+make+test+run&certify=yes", "/revalidate", f"/claims/{site.ids['test']}",
        f"/inbox/{diff}/change_01/edit", "/claims/absent",
    ]  # fmt: skip
    with tab(
        chromium,
        site,
        color_scheme=theme,
        reduced_motion="reduce",
        viewport={"width": 390, "height": 800},
    ) as page:
        page.fill("#passphrase", PASSPHRASE)
        page.press("#passphrase", "Enter")
        page.wait_for_selector("text=Your credential is open")
        for path in paths:
            page.goto(f"{site.url}{path}")
            found = [
                (one["id"], one["nodes"][0]["html"])
                for one in runner.run(page).response["violations"]
            ]
            assert (path, found) == (path, [])
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert (path, wide <= 0) == (path, True)
    context = chromium.new_context(color_scheme=theme)
    out = context.new_page()
    out.goto(f"{site.url}/sign-in")
    assert [one["id"] for one in runner.run(out).response["violations"]] == []
    context.close()


def test_hostile_text_stays_text_in_every_field_that_is_shown(chromium, tmp_path):
    site = make_site(tmp_path)
    site.ids = fill(site)
    for start in range(0, len(STRINGS), 20):
        text = " ".join(STRINGS[start : start + 20]).replace("\x1b", "").replace("\r", " ")
        parts = {
            "title": text[:300], "body": text, "reason": text, "tags": [f"t{start}"],
            "facts": [{"subject": "shop", "predicate": f"p{start}", "object": text[:400]}],
        }  # fmt: skip
        proposed = site.remember(
            f"{start}: {text}",
            source={"kind": "document", "uri": f"https://example.org/{start}"},
            **parts,
        )
        if start % 40 == 0:
            site.accept(proposed)
    with served(site), tab(chromium, site) as page:
        page.evaluate("window.executed = 0")
        pages = ["/inbox", "/inbox?page=2", "/memory", "/memory?q=shop"]
        pages += [
            f"/claims/{item.claim.id}"
            for item in site.ada.recall(
                "", use="", method="temporal_retrieval", k=5, budget=100_000
            ).packet.items
        ]
        for path in pages:
            page.goto(f"{site.url}{path}")
            assert page.evaluate("window.executed || 0") == 0
            assert (
                page.locator("main script, main iframe, main object, main embed, main img").count()
                == 0
            )
            assert page.evaluate(HANDLERS) == 0
        for text in STRINGS[:: max(1, len(STRINGS) // 40)]:
            page.goto(f"{site.url}/recall")
            page.fill("#q", text.replace("\n", " ").replace("\0", ""))
            page.press("#q", "Enter")
            page.wait_for_load_state()
            assert page.evaluate("window.executed || 0") == 0


def test_the_pictures_of_the_documentation_can_be_taken(tmp_path):
    from tools.screenshots import SIZE

    taken = (sys.executable, "-m", "tools.screenshots", str(tmp_path / "images"))
    subprocess.run(taken, cwd=ROOT, check=True, capture_output=True)
    pictures = sorted((tmp_path / "images").iterdir())
    assert [one.name for one in pictures] == [
        f"page-{n}.png" for n in ("claim", "inbox", "overview", "recall")
    ]
    for picture in pictures:
        data = picture.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == SIZE
        assert len(data) > 15_000
