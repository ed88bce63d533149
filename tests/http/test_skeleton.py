"""A server on a real socket answers, and refuses as problems."""

from __future__ import annotations

import httpx
import pytest

from tests.http.serving import Serving, make_token, world


@pytest.fixture
def served():
    memory = world()
    with Serving(memory) as serving:
        yield serving, make_token(memory, "user:ada", "operator")


def test_it_says_what_a_token_is_bound_to(served):
    serving, token = served
    found = httpx.get(f"{serving.url}/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert (found.status_code, found.json()["acting"]["principal"], found.json()["role"]) == (
        200,
        "user:ada",
        "operator",
    )


def test_nothing_is_served_without_a_token(served):
    serving, _ = served
    found = httpx.get(f"{serving.url}/v1/me")
    assert (found.status_code, found.headers["content-type"], found.json()["code"]) == (
        401,
        "application/problem+json",
        "unauthenticated",
    )
    assert found.headers["www-authenticate"].startswith("Bearer")


def test_the_page_is_there_and_sends_forms_of_its_own(served):
    serving, token = served
    with httpx.Client(base_url=serving.url) as browser:
        assert "/sign-in" in browser.get("/inbox").headers["location"]
        form = {"token": token, "next": "/inbox"}
        foreign = browser.post("/sign-in", data=form, headers={"Origin": "http://evil.example"})
        own = browser.post("/sign-in", data=form, headers={"Origin": serving.url})
        assert (foreign.status_code, own.status_code) == (403, 303)
        assert browser.get("/inbox").status_code == 200
