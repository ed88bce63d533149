"""A governed memory behind a server, and what its bearers send."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="muniment[serve] is not installed")

import httpx

from tests.http.pages.site import fill, make_site
from tests.http.serving import Serving


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A store with something of everything; its tests leave it usable."""
    site = make_site(tmp_path_factory.mktemp("served"))
    site.ids = fill(site)
    yield site
    site.store.close()


@pytest.fixture(scope="module")
def server(place):
    with Serving(place.store) as serving:
        yield serving


@pytest.fixture(scope="module")
def ask(place, server):
    """Send a request as a role's bearer; as nobody where there is no role."""
    with httpx.Client(base_url=server.url) as http:

        def send(role, method, path, **options):
            token = place.tokens.get(role, "")
            given = {"Authorization": f"Bearer {token}"} if token else {}
            headers = {**given, **options.pop("headers", {})}
            return http.request(method, path, headers=headers, **options)

        yield send
