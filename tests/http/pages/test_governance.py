"""Overview, sources, bridges, conflicts and audit by plain HTTP: what they show, to whom, and what their forms do."""

from __future__ import annotations

import html
import itertools
import re

import pytest

from tests.http.pages.governed import BOOK, fill_more
from tests.http.pages.test_seats import csrf, sign_in

PAGES = ("/overview", "/sources", "/bridges", "/conflicts", "/audit", "/audit?check=now")
FORMS = ("/sources/reread", "/bridges", "/conflicts/settle", "/conflicts/flag")
HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}"


@pytest.fixture
def more(site):
    return fill_more(site)


@pytest.fixture
def ada(site, browser):
    sign_in(browser, site, "operator")
    return browser


def plain(text):
    """What a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


# --- every page -----------------------------------------------------------------------------------


def test_a_page_has_one_heading_of_its_own_and_headings_in_order(ada, more):
    for path in PAGES:
        text = ada.get(path).text
        levels = [int(n) for n in re.findall(r"<h([1-6])", text)]
        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
        assert "style=" not in text
        assert not re.search(r"\son[a-z]+=", text)


def test_hostile_text_is_shown_and_never_obeyed(ada, site):
    fill_more(site, HOSTILE)
    for path in PAGES:
        text = ada.get(path).text
        assert "<img" not in text.replace('<img src="/static/mark.svg"', "")
        assert "<img src=x onerror=alert(1)>" in html.unescape(text), path
        assert "{{7*7}}" in html.unescape(text), path


@pytest.mark.parametrize("role", ["reader", "agent"])
def test_every_role_gets_an_answer(site, browser, more, role):
    sign_in(browser, site, role)
    for path in PAGES:
        assert browser.get(path).status_code == (403 if path.startswith("/audit") else 200)


def test_an_empty_store_is_told_so(empty):
    told = {
        "/overview": "Nothing is remembered here yet",
        "/sources": "0 addresses",
        "/bridges": "None in the scopes in force",
        "/conflicts": "No contradiction is recorded",
        "/audit": "Nothing was decided",
    }
    for path, words in told.items():
        answer = empty.get(path)
        assert answer.status_code == 200
        assert words in plain(answer.text)


@pytest.mark.req("E-ONEGATE")
def test_a_readers_forms_do_nothing_and_are_not_offered(site, browser, more):
    sign_in(browser, site, "reader")
    before = site.ada.inbox()
    given = {"csrf": csrf(browser), "phrase": "a", "target": "b", "reason": "x", "how": "deprecate"}
    given |= {"one": more["ends"], "other": more["said"], "goes": more["npm"]}
    given["conflict"] = ".".join(sorted((more["npm"], more["pnpm"])))
    for path in FORMS:
        answer = browser.post(path, data=given)
        assert answer.status_code == 403
        assert "asks for the role proposer" in answer.text
        page = "/" + path.split("/")[1]
        assert f'<form method="post" action="{path}"' not in browser.get(page).text
    assert site.ada.inbox() == before


# --- overview -------------------------------------------------------------------------------------


@pytest.mark.req("B-FRESHNESS")
def test_the_overview_tells_the_surveys_numbers_and_links_to_where_one_acts(ada, site, more):
    text = ada.get("/overview").text
    survey = site.ada.survey()
    assert f"<strong>{survey.holding}</strong> claims hold" in text
    assert f"<strong>{survey.waiting_count}</strong> changes wait" in text
    assert text.count('<svg class="picture"') == 3
    assert text.count("<title>") >= 4
    for name, count in survey.counts["freshness"].items():
        assert f"{name} {count}" in re.search(r"<title>Freshness: ([^<]+)", text).group(1)
    assert f'<a href="/claims/{more["ends"]}">' in text
    assert f'<a href="/claims/{more["said"]}">' in text
    for to in re.findall(r'href="(/memory\?[^"]+)"', text):
        assert ada.get(html.unescape(to)).status_code == 200


@pytest.mark.req("B-FILTERFIRST")
def test_the_overview_tells_an_agent_nothing_of_what_it_may_not_see(site, browser, more):
    def without_instant(text):
        return re.sub(r"As of [^<]+|name=\"csrf\" value=\"[^\"]+\"", "", text)

    sign_in(browser, site, "agent")
    before = [without_instant(browser.get(path).text) for path in PAGES[:4]]
    board = {"level": "user-private", "allowed_principals": ["user:ada"]}
    other = site.store.acting_as("agent:other", scopes=site.ada.session.scopes, visibility=board)
    for claim in ("The shop is for sale.", "Nobody is told."):
        hidden = other.remember(claim, source=BOOK, allowed_uses=["answer_questions"])
    site.accept(hidden)
    assert site.ada.survey().claims == site.codex.survey().claims + 1
    assert [without_instant(browser.get(path).text) for path in PAGES[:4]] == before


# --- sources --------------------------------------------------------------------------------------


@pytest.mark.req("B-REVERIFY")
def test_reading_again_shows_what_changed_and_proposes_what_follows(ada, site, more):
    (site.folder / "Makefile").write_bytes(b"test:\n\tpytest -q\n")
    waiting = len(site.ada.inbox())
    answer = ada.post("/sources/reread", data={"csrf": csrf(ada), "everything": "yes"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sources")
    text = plain(ada.get("/sources").text)
    assert "1 changed" in text
    assert "The last reading from here" in text
    assert f"{len(site.ada.inbox()) - waiting}" == "1"
    operations = {c.operation for one in site.ada.inbox() for c in one.diff.changes}
    assert {"revalidate", "deprecate"} <= operations


def test_what_could_not_be_read_is_told(ada, site, more):
    import shutil

    shutil.rmtree(site.folder)
    ada.post("/sources/reread", data={"csrf": csrf(ada), "everything": "yes"})
    text = plain(ada.get("/sources").text)
    assert "could not observe" in text or "missing" in text


def test_sources_are_narrowed_to_a_state(ada, more):
    text = ada.get("/sources?state=match").text
    assert "repo:local:shop!/Makefile" in text
    assert "https://example.org/npm" not in text
    text = ada.get("/sources?state=never").text
    assert "https://example.org/npm" in text
    assert "repo:local:shop!/Makefile" not in text
    assert "None of this state" in plain(ada.get("/sources?state=changed").text)
    assert ada.get("/sources?state=<b>").status_code == 200


# --- bridges --------------------------------------------------------------------------------------


@pytest.mark.req("D-BRIDGE")
def test_bridges_are_listed_with_target_source_and_reviewer(ada, more):
    text = plain(ada.get("/bridges").text)
    assert "UI kit design system active https://example.org/handbook accepted by user:ada" in text
    assert "till → checkout" in text


@pytest.mark.req("D-BRIDGE")
def test_a_bridge_is_proposed_and_a_wrong_one_is_told_what_is_wrong(ada, site, more):
    given = {"csrf": csrf(ada), "phrase": "basket", "target": "cart", "reason": "we say so"}
    wrong = ada.post("/bridges", data={**given, "target": "basket case"})
    assert wrong.status_code == 422
    assert "bridge_grows" in wrong.text
    assert 'value="basket case"' in wrong.text
    assert ada.post("/bridges", data=given).status_code == 303
    made = [c.item for one in site.ada.inbox() for c in one.diff.changes if c.item]
    assert any(f.subject == "basket" and f.object == "cart" for one in made for f in one.facts)


# --- conflicts ------------------------------------------------------------------------------------


@pytest.mark.req("B-CONFLICTS", "A-CONTRADICTION")
def test_both_sides_and_the_four_views_are_shown(ada, more):
    text = plain(ada.get("/conflicts").text)
    for words in ("with npm.", "with pnpm.", "conflict detection", "provenance comparison"):
        assert words in text
    for words in ("validity review", "confidence reassessment", "1 open, 0 settled"):
        assert words in text


@pytest.mark.req("B-CONFLICTS", "B-DIFFREJECT")
def test_a_conflict_is_settled_by_a_proposal_that_is_reviewed(ada, site, more):
    from muniment import Choice

    key = ".".join(sorted((more["npm"], more["pnpm"])))
    given = {"csrf": csrf(ada), "conflict": key, "goes": more["npm"], "how": "deprecate"}
    given |= {"reason": "the manifest names pnpm", "source": "https://example.org/package.json"}
    assert ada.post("/conflicts/settle", data={**given, "reason": " "}).status_code == 422
    assert ada.post("/conflicts/settle", data=given).status_code == 303
    assert site.ada.conflicts()[0]["resolved"] == ""
    (diff,) = [o.diff for o in site.ada.inbox() if o.diff.changes[0].resolves]
    assert (diff.changes[0].operation, diff.changes[0].target_id) == ("deprecate", more["npm"])
    other = site.store.acting_as("user:ada", scopes=site.ada.session.scopes)
    with pytest.raises(Exception, match="own"):
        other.review(diff.id, {"change_01": Choice("accepted")}, site.signer)


def test_a_side_is_replaced_by_a_corrected_statement(ada, site, more):
    key = ".".join(sorted((more["npm"], more["pnpm"])))
    given = {"csrf": csrf(ada), "conflict": key, "goes": more["npm"], "how": "supersede"}
    given |= {"reason": "npm is for the old part", "source": "https://example.org/package.json"}
    wrong = ada.post("/conflicts/settle", data=given)
    assert wrong.status_code == 422
    assert "the corrected statement is empty" in wrong.text
    assert "npm is for the old part" in wrong.text
    given["statement"] = "The old part of the shop was installed with npm until 2024."
    assert ada.post("/conflicts/settle", data=given).status_code == 303
    (change,) = [c for o in site.ada.inbox() for c in o.diff.changes if c.resolves]
    assert (change.operation, change.item.claim) == ("supersede", given["statement"])


def test_a_contradiction_that_nobody_recorded_is_proposed(ada, site, more):
    given = {"csrf": csrf(ada), "one": more["ends"], "other": more["said"], "reason": "not both"}
    assert ada.post("/conflicts/flag", data={**given, "other": "mem_x"}).status_code >= 400
    assert ada.post("/conflicts/flag", data=given).status_code == 303
    (change,) = [
        c for o in site.ada.inbox() for c in o.diff.changes if c.operation == "flag_conflict"
    ]
    assert set(change.target_ids) == {more["ends"], more["said"]}


@pytest.mark.parametrize("given", [{}, {"conflict": "mem_x.mem_y", "goes": "mem_x"}])
def test_a_form_of_nothing_known_is_refused_and_changes_nothing(ada, site, more, given):
    before = site.ada.inbox()
    answer = ada.post("/conflicts/settle", data={"csrf": csrf(ada), "reason": "x", **given})
    assert answer.status_code == 422
    assert site.ada.inbox() == before


# --- audit ----------------------------------------------------------------------------------------


@pytest.mark.req("E-RECEIPT")
def test_an_operator_checks_the_ledger_and_keeps_its_head(ada, site, more):
    assert "Sound" not in ada.get("/audit").text
    text = ada.get("/audit?check=now").text
    head = site.ada.verify().head
    assert head in text
    assert "Sound" in text
    assert "is in the chain" in plain(ada.get(f"/audit?check=now&head={head}").text)
    assert "Not sound" in plain(ada.get(f"/audit?check=now&head={'1' * 64}").text)


def test_an_operator_sees_who_governs_and_what_was_decided(ada, site, more):
    text = ada.get("/audit").text
    shown = plain(text)
    assert "user:ada operator, proposer, reader, reviewer registered" in shown
    assert "group:shop user:ada, agent:codex" in shown
    assert "rejected add: The shop sells cars" in shown
    for token in site.ada.tokens():
        assert token.digest not in text
    for text_of_token in site.tokens.values():
        assert text_of_token not in text


def test_others_are_told_who_may_and_nothing_else(site, browser, more):
    sign_in(browser, site, "reviewer")
    answer = browser.get("/audit?check=now")
    assert answer.status_code == 403
    assert "muniment role" in answer.text
    assert site.ada.verify().head not in answer.text
    assert "group:shop" not in answer.text
