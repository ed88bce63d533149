"""Signing in and out, and what a request without a seat or with a forged form comes to."""

from __future__ import annotations

import re

import httpx
import pytest

from muniment.http.pages import seats as seats_module
from muniment.http.pages.seats import COOKIE
from tests.http.pages.site import PASSPHRASE, fill, make_site, served


def sign_in(browser, site, role="reviewer"):
    answer = browser.post("/sign-in", data={"token": site.tokens[role], "next": "/inbox"})
    assert answer.status_code == 303, answer.text
    return answer


def csrf(browser, path="/inbox"):
    return re.search(r'name="csrf" value="([^"]+)"', browser.get(path).text).group(1)


def unlock(browser, passphrase=PASSPHRASE):
    return browser.post("/unlock", data={"csrf": csrf(browser), "passphrase": passphrase})


@pytest.mark.req("D-API")
def test_without_a_seat_every_page_asks_to_sign_in_and_nothing_is_done(site, browser):
    from muniment.http.pages.views import VIEWS

    before = site.ada.inbox()
    for method, path, _ in VIEWS:
        answer = browser.request(method, path.replace("{", "").replace("}", ""))
        assert (answer.status_code, answer.headers.get("location", "")[:9]) in (
            (303, "/sign-in?"),
            (401, ""),
        )
        assert "make test" not in answer.text
    assert site.ada.inbox() == before


@pytest.mark.req("D-API")
def test_a_token_makes_a_seat_that_ends_with_it(site, browser):
    cookie = sign_in(browser, site).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "make lint" in browser.get("/inbox").text
    name = next(one.name for one in site.ada.tokens() if one.role == "reviewer")
    site.ada.revoke_token(name, site.signer)
    assert browser.get("/inbox").status_code == 303


def test_a_wrong_token_says_so_and_keeps_nothing(site, browser):
    for text in ("", "mun_x", site.tokens["reader"][:-2] + "AA"):
        answer = browser.post("/sign-in", data={"token": text})
        assert answer.status_code == 401
        assert 'role="alert"' in answer.text
        assert COOKIE not in browser.cookies


def test_the_one_time_code_serves_once(site, browser):
    code = site.seats.code()
    assert browser.get("/sign-in", params={"code": code}).status_code == 303
    assert browser.get("/inbox").status_code == 200
    browser.cookies.clear()
    assert browser.get("/sign-in", params={"code": code}).status_code == 401


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb"],
)
def test_signing_in_leads_to_this_page_alone(site, browser, target):
    answer = browser.post("/sign-in", data={"token": site.tokens["reader"], "next": target})
    assert answer.headers["location"] == "/inbox"


@pytest.mark.req("E-ONEGATE")
def test_a_form_without_the_seats_own_secret_changes_nothing(site, browser):
    from muniment.http.pages.views import VIEWS

    sign_in(browser, site)
    unlock(browser)
    before = site.ada.inbox()
    diff = before[0].diff.id
    for method, path, _ in VIEWS:
        if method == "POST":
            where = path.replace("{diff}", diff).replace("{change}", "change_01")
            given = {"diff": diff, "change": "change_01", "decision": "accepted", "csrf": "x" * 43}
            assert browser.post(where, data=given).status_code == 403
            assert browser.post(where, json=given).status_code == 403
    assert site.ada.inbox() == before
    assert browser.get("/inbox").status_code == 200


@pytest.mark.req("E-APPROVER")
def test_deciding_needs_the_opened_credential(site, browser):
    sign_in(browser, site)
    token = csrf(browser)
    diff = site.ada.inbox()[0].diff.id
    given = {"csrf": token, "diff": diff, "change": "change_01", "decision": "accepted"}
    browser.post("/inbox/decide", data=given)
    assert "credential is not open" in browser.get("/inbox").text
    assert len(site.ada.inbox()) == 2
    unlock(browser, "wrong words here")
    assert "passphrase" in browser.get("/inbox").text
    unlock(browser)
    browser.post("/inbox/decide", data=given)
    assert len(site.ada.inbox()) == 1


@pytest.mark.req("E-APPROVER")
def test_wrong_passphrases_are_slowed_down(site, browser, monkeypatch):
    monkeypatch.setattr(seats_module, "MOST_TRIES", 2)
    sign_in(browser, site)
    for _ in range(2):
        unlock(browser, "wrong words here")
    unlock(browser)
    assert "too many wrong passphrases" in browser.get("/inbox").text
    assert next(iter(site.seats._seats.values())).signer is None


@pytest.mark.req("E-APPROVER")
def test_an_agents_token_cannot_open_the_credential_nor_decide(site, browser):
    sign_in(browser, site, "agent")
    assert "no credential of yours" in browser.get("/inbox").text
    browser.post("/unlock", data={"csrf": csrf(browser), "passphrase": PASSPHRASE})
    diff = site.ada.inbox()[0].diff.id
    given = {"csrf": csrf(browser), "diff": diff, "change": "change_01", "decision": "accepted"}
    browser.post("/inbox/decide", data=given)
    assert len(site.ada.inbox()) == 2


@pytest.mark.req("D-API")
def test_a_readers_seat_decides_nothing_even_with_its_credential(site, browser):
    sign_in(browser, site, "reader")
    unlock(browser)
    diff = site.ada.inbox()[0].diff.id
    given = {"csrf": csrf(browser), "diff": diff, "change": "change_01", "decision": "accepted"}
    browser.post("/inbox/decide", data=given)
    assert "asks for the role reviewer" in browser.get("/inbox").text
    assert len(site.ada.inbox()) == 2


@pytest.mark.req("E-ONEGATE")
def test_foreign_hosts_and_origins_get_nothing(site, browser):
    sign_in(browser, site)
    unlock(browser)
    before, token = site.ada.inbox(), csrf(browser)
    diff = before[0].diff.id
    given = {"csrf": token, "diff": diff, "change": "change_01", "decision": "accepted"}
    foreign = [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1.evil.example"},
        {"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:80"}, {"Sec-Fetch-Site": "cross-site"},
    ]  # fmt: skip
    for headers in foreign:
        answer = browser.post("/inbox/decide", data=given, headers=headers)
        assert answer.status_code in (403, 421), headers
        assert "make lint" not in answer.text
        if "Host" in headers:
            assert browser.get("/inbox", headers=headers).status_code == 421
        assert browser.post(
            "/sign-in", data={"token": site.tokens["reader"]}, headers=headers
        ).status_code in (403, 421)
    assert site.ada.inbox() == before


@pytest.mark.req("E-ONEGATE", "D-API")
def test_a_servers_ceiling_holds_on_the_page_too(tmp_path):
    site = make_site(tmp_path)
    fill(site)
    with served(site, role="reader"), httpx.Client(base_url=site.url) as browser:
        sign_in(browser, site, "operator")
        unlock(browser)
        diff = site.ada.inbox()[0].diff.id
        given = {"csrf": csrf(browser), "diff": diff, "change": "change_01", "decision": "accepted"}
        browser.post("/inbox/decide", data=given, follow_redirects=True)
        assert len(site.ada.inbox()) == 2
        assert browser.get("/audit").status_code == 403
    site.store.close()


def test_signing_out_ends_the_seat(site, browser):
    sign_in(browser, site)
    kept = browser.cookies[COOKIE]
    browser.post("/sign-out", data={"csrf": csrf(browser)})
    browser.cookies.set(COOKIE, kept)
    assert browser.get("/inbox").status_code == 303


def test_everything_says_that_it_may_not_be_framed_sniffed_or_kept(site, browser):
    sign_in(browser, site)
    for path in ("/inbox", "/sign-in", "/static/page.css", "/static/absent.js", "/inbox/x/y/edit"):
        headers = browser.get(path).headers
        assert "'unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_what_is_vendored_is_what_is_pinned():
    import hashlib
    import json
    from importlib.resources import files

    static = files("muniment.http.pages").joinpath("static")
    for one in json.loads(static.joinpath("vendored.json").read_text("utf-8")):
        assert (
            hashlib.sha256(static.joinpath(one["file"]).read_bytes()).hexdigest() == one["sha256"]
        )
