"""A site a test."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="muniment[serve] is not installed")

import httpx

from tests.http.pages.site import fill, make_site, served


@pytest.fixture
def site(tmp_path):
    made = make_site(tmp_path)
    made.ids = fill(made)
    with served(made) as site:
        yield site
    made.store.close()


@pytest.fixture
def browser(site):
    """An HTTP client that keeps cookies and follows nothing by itself."""
    with httpx.Client(base_url=site.url, follow_redirects=False) as client:
        yield client


@pytest.fixture
def empty(tmp_path):
    """Its operator's browser at a store in which nothing is remembered."""
    made = make_site(tmp_path)
    with served(made), httpx.Client(base_url=made.url, follow_redirects=False) as client:
        client.post("/sign-in", data={"token": made.tokens["operator"]})
        yield client
    made.store.close()
