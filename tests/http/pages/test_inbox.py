"""The inbox by plain HTTP: what a reviewer sees, decides and edits, without a script."""

from __future__ import annotations

import pytest

from tests.http.pages.test_seats import csrf, sign_in, unlock


@pytest.fixture
def ada(site, browser):
    sign_in(browser, site)
    unlock(browser)
    return browser


def decide(ada, site, decision, index=0, **more):
    diff = site.ada.inbox()[index].diff.id
    given = {"csrf": csrf(ada), "diff": diff, "change": "change_01", "decision": decision, **more}
    return ada.post("/inbox/decide", data=given)


@pytest.mark.req("B-DIFFREVIEW")
def test_a_change_is_shown_with_its_source_before_and_after(ada):
    text = ada.get("/inbox").text
    assert "<mark>ruff check .</mark>" in text
    assert "the source says so now" in text
    assert "<ins> -x</ins>" in text or "<ins>-x</ins>" in text or "<ins>" in text
    assert (
        "no place that can be checked" in text
        or "the source does not say so" in text
        or "pytest" in text
    )


@pytest.mark.req("B-DIFFREVIEW", "E-APPROVER")
def test_accepting_signs_and_serves(ada, site):
    answer = decide(ada, site, "accepted")
    assert answer.status_code == 303
    found = site.codex.recall("what does make lint run?", use="answer_questions").packet
    assert [item.claim.claim for item in found.items][:1] == ["`make lint` runs `ruff check .`."]
    assert found.items[0].claim.review.reviewed_by == "user:ada"


@pytest.mark.req("B-DIFFREVIEW")
def test_rejecting_without_a_reason_says_so_and_changes_nothing(ada, site):
    decide(ada, site, "rejected")
    assert "a rejection says why" in ada.get("/inbox").text
    assert len(site.ada.inbox()) == 2
    decide(ada, site, "rejected", reason="not worth keeping")
    assert len(site.ada.inbox()) == 1


@pytest.mark.req("B-DIFFREVIEW")
def test_a_part_is_answered_to_a_script(ada, site):
    diff = site.ada.inbox()[0].diff.id
    given = {"csrf": csrf(ada), "diff": diff, "change": "change_01", "decision": "rejected"}
    answer = ada.post("/inbox/decide", data=given, headers={"HX-Request": "true"})
    assert "<html" not in answer.text
    assert 'role="alert"' in answer.text
    answer = ada.post(
        "/inbox/decide", data={**given, "decision": "accepted"}, headers={"HX-Request": "true"}
    )
    assert "data-decided" in answer.text


@pytest.mark.req("B-DIFFREVIEW")
def test_what_is_safe_is_accepted_at_once_and_the_rest_waits(ada, site):
    (site.folder / "Makefile").write_bytes(b"test:\n\tpytest -q\n")
    ada.post("/inbox/accept-safe", data={"csrf": csrf(ada)})
    assert "1 accepted" in ada.get("/inbox").text
    waiting = site.ada.inbox()
    assert [one.diff.changes[0].operation for one in waiting] == ["add"]
    assert "source differs" in ada.get("/inbox").text


@pytest.mark.req("B-DIFFREVIEW", "E-APPROVER")
def test_an_edit_is_a_proposal_of_the_reviewers_own(ada, site):
    diff = site.ada.inbox()[0].diff.id
    page = f"/inbox/{diff}/change_01/edit"
    assert "ruff check" in ada.get(page).text
    unchanged = ada.post(
        page,
        data={"csrf": csrf(ada), "text": "claim: '`make lint` runs `ruff check .`.'", "reason": ""},
    )
    assert unchanged.status_code == 422
    broken = ada.post(page, data={"csrf": csrf(ada), "text": "claim: [", "reason": "x"})
    assert broken.status_code == 422
    assert "claim: [" in broken.text
    given = {"csrf": csrf(ada), "text": "claim: '`make lint` runs Ruff.'", "reason": "shorter"}
    whole = ada.get(page).text.split("<textarea")[1].split(">", 1)[1].split("</textarea>")[0]
    import html

    text = html.unescape(whole).replace("runs `ruff check .`", "runs Ruff, `ruff check .`")
    assert ada.post(page, data={**given, "text": text}).status_code == 303
    assert "waits for another reviewer" in ada.get("/inbox").text
    assert any(one.diff.proposed_by == "user:ada" for one in site.ada.inbox())


def test_what_does_not_exist_is_said_and_harms_nothing(ada, site):
    for diff, change in (("mdiff_x", "change_01"), (site.ada.inbox()[0].diff.id, "change_99")):
        given = {"csrf": csrf(ada), "diff": diff, "change": change, "decision": "accepted"}
        assert ada.post("/inbox/decide", data=given).status_code in (303, 404)
        assert ada.get(f"/inbox/{diff}/{change}/edit").status_code in (404, 422)
    assert (
        ada.post("/inbox/decide", data={"csrf": csrf(ada), "decision": "nonsense"}).status_code
        == 422
    )
    assert ada.get("/inbox?page=99999999999999").status_code == 200
    assert len(site.ada.inbox()) == 2
