"""Memory, a claim, the playground and certificates, by plain HTTP."""

from __future__ import annotations

import html
import re

import pytest

from muniment import Choice
from tests.http.pages.test_seats import csrf, sign_in, unlock


@pytest.fixture
def ada(site, browser):
    sign_in(browser, site, "operator")
    return browser


def text_of(answer):
    return html.unescape(re.sub(r"<[^>]+>", "", answer.text))


def test_what_is_remembered_is_found_by_words_by_time_and_by_facets(ada, site):
    found = ada.get("/memory", params={"q": "what does make test run?"})
    assert "`make test` runs `pytest -q`." in text_of(found)
    assert "`make test` runs `pytest -q`." in text_of(ada.get("/memory"))
    none = ada.get("/memory", params={"q": "make test", "status": "expired"})
    assert "`make test`" not in text_of(none)
    facet = re.search(r'href="(/memory\?[^"]*type=[^"]*)"', ada.get("/memory").text).group(1)
    assert "`make test`" in text_of(ada.get(html.unescape(facet)))


@pytest.mark.req("B-SIX", "A-PROVENANCE")
def test_a_claims_page_answers_the_six_questions_and_shows_its_history(ada, site):
    name = site.ids["test"]
    page = ada.get(f"/claims/{name}")
    said = text_of(page)
    for question, answer in site.ada.show(name).questions():
        assert question in said
        assert " ".join(answer.split()) in " ".join(said.split())
    assert "<mark>pytest -q</mark>" in page.text
    assert page.text.count("<svg") == 2
    diff = site.ada.inbox()[1].diff
    site.ada.review(diff.id, {"change_01": Choice("accepted")}, site.signer)
    assert "Replaced by" in text_of(ada.get(f"/claims/{name}"))


@pytest.mark.req("B-FILTERFIRST", "E-BLINDWRITE")
def test_absent_and_hidden_claims_have_one_page(ada, site):
    private = {"level": "user-private", "allowed_principals": ["agent:codex"]}
    proposed = site.remember("`make secret` runs nothing.", visibility=private)
    hidden = proposed.diff.changes[0].item.id
    pages = []
    for name in (hidden, "mem_01kx0sjsg0e008000000000000"):
        answer = ada.get(f"/claims/{name}")
        pages.append((answer.status_code, answer.text.replace(name, "…")))
    assert pages[0] == pages[1]
    assert pages[0][0] == 404


@pytest.mark.req("B-DIFF")
def test_a_report_is_a_proposal(ada, site):
    name = site.ids["test"]
    given = {"csrf": csrf(ada), "verdict": "outdated", "reason": "it is `make check` now"}
    assert ada.post(f"/claims/{name}/report", data=given).status_code == 303
    assert any(one.diff.proposed_by == "user:ada" for one in site.ada.inbox())
    assert ada.post(f"/claims/{name}/report", data={**given, "verdict": "nice"}).status_code == 422


@pytest.mark.req("A-OUTPUT", "D-CERT")
def test_the_playground_shows_the_packet_and_its_certificate_turns_changed(ada, site):
    asked = {
        "q": "what does make test run?",
        "use": "answer_questions",
        "certify": "yes",
        "budget": "400",
    }
    page = ada.get("/recall", params=asked)
    packet = site.ada.certified_recall(asked["q"], use="answer_questions", budget=400).answered.text
    shown = html.unescape(
        page.text.split('<pre class="packet"')[1].split(">", 1)[1].split("</pre>")[0]
    )
    fenced = [line for line in packet.splitlines() if line.startswith("| ")]
    assert fenced
    assert [line for line in shown.splitlines() if line.startswith("| ")] == fenced
    certificate = html.unescape(
        page.text.split("<textarea")[1].split(">", 1)[1].split("</textarea>")[0]
    )
    again = {"csrf": csrf(ada), "certificate": certificate}
    assert "valid" in text_of(ada.post("/revalidate", data=again))
    diff = site.ada.inbox()[1].diff
    site.ada.review(diff.id, {"change_01": Choice("accepted")}, site.signer)
    changed = text_of(ada.post("/revalidate", data=again))
    assert "changed" in changed
    assert site.ids["test"] in changed


def test_what_is_wrong_in_the_playground_is_said_and_what_was_typed_stays(ada):
    for asked in (
        {"budget": "many"},
        {"k": "0"},
        {"at": "yesterday"},
        {"scope": "project:other"},
        {"method": "magic"},
    ):
        answer = ada.get("/recall", params={"q": "make <b>test</b>", **asked})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
        assert 'value="make &lt;b&gt;test&lt;/b&gt;"' in answer.text
    for text in ("", "{", "[]", '{"a": 1}', "\x00", "x" * 1_100_000):
        assert (
            ada.post("/revalidate", data={"csrf": csrf(ada), "certificate": text}).status_code
            == 422
        )


@pytest.mark.req("B-FILTERFIRST")
def test_an_operator_looks_as_an_agent_and_nobody_else_does(site, ada, browser):
    asked = {"q": "what does make test run?", "use": "answer_questions", "principal": "agent:codex"}
    assert "for: agent:codex" in html.unescape(ada.get("/recall", params=asked).text)
    browser.cookies.clear()
    sign_in(browser, site, "reviewer")
    unlock(browser)
    refused = browser.get("/recall", params=asked)
    assert refused.status_code == 422
    assert "asks for the role operator" in text_of(refused)
