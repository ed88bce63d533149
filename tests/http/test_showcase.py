"""A showcase serves fixed cases to anybody, and nothing that writes is mounted at all."""

from __future__ import annotations

import html
import itertools
import re
import subprocess
import sys

import httpx
import pytest
from starlette.routing import Route

from muniment.calls.perform import CALLS
from muniment.http.app import make_app
from muniment.http.settings import Settings
from muniment.http.showcase import showcase_memory
from tests.http.serving import Serving

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
READING = {("POST", f"/v1/{name}") for name in ("recall", "query", "revalidate")}
PAGES = ["/inbox", "/sign-in", "/mcp", "/metrics", "/static/page.js"]
LOOKED_AT = [
    "/inbox",
    "/memory",
    "/recall",
    "/conflicts",
    "/sources",
    "/bridges",
    "/overview",
]
NOT_THERE = ["/audit", "/sign-in", "/revalidate", "/mcp", "/metrics"]


@pytest.fixture(scope="module")
def showcase():
    with Serving(showcase_memory(), showcase=True) as serving:
        yield serving


def routes(app):
    assert all(isinstance(route, Route) for route in app.routes)
    return {(method, route.path) for route in app.routes for method in route.methods or ()}


@pytest.mark.req("D-SHOWCASE")
def test_no_route_that_writes_is_in_the_table(showcase):
    mounted = routes(showcase.app)
    writing = {call.route for call in CALLS if call.writes}
    assert writing
    assert mounted & writing == set()
    assert {(m, p) for m, p in mounted if m not in ("GET", "HEAD")} == READING
    assert writing <= routes(make_app(Settings(showcase_memory)))


@pytest.mark.req("D-SHOWCASE")
def test_every_method_on_every_address_writes_nothing(showcase):
    store = showcase.app.state.served.memory.session.store
    with store.snapshot("default") as snapshot:
        head = [one.hash for one in snapshot.envelopes()]
    paths = {path for _, path in (call.route for call in CALLS)} | set(PAGES)
    with httpx.Client(base_url=showcase.url) as http:
        for method, path in itertools.product(METHODS, sorted(paths)):
            body = {"claim": "x", "phrase": "a", "target": "b"}
            found = http.request(method, path.replace("{id}", "mdiff_x"), json=body)
            allowed = (method, path) in READING or method in ("GET", "HEAD")
            expected = (200, 404, 405, 422) if allowed else (404, 405)
            assert found.status_code in expected, (method, path, found.text)
    with store.snapshot("default") as snapshot:
        assert [one.hash for one in snapshot.envelopes()] == head


@pytest.mark.req("D-SHOWCASE")
def test_a_question_leaves_no_trace(showcase):
    ask = {"query": "how do I run the tests?", "use": "answer_questions", "log": "text"}
    found = httpx.post(f"{showcase.url}/v1/recall", json={**ask, "log": "off"}).json()
    assert found["retrieval_id"] is None
    assert httpx.post(f"{showcase.url}/v1/recall", json=ask).json()["retrieval_id"] is None
    shown = httpx.get(f"{showcase.url}/v1/claims/{found['evidence'][0]['id']}").json()
    assert shown["accesses"]["count"] == 0


@pytest.mark.req("D-SHOWCASE")
@pytest.mark.parametrize(
    ("query", "outcome", "claims"),
    [
        ("how do I run the tests?", "complete", ["The tests are run with `make test`."]),
        ("when do orders ship?", "complete", ["Orders ship on Fridays."]),
        ("which python do developers use?", "conflict", ["Developers use Python 3.11.", "Developers use Python 3.12."]),
        ("when do the keepers meet?", "no_support", []),
        ("winter sale", "no_support", []),
    ],
)  # fmt: skip
def test_its_cases_are_there(showcase, query, outcome, claims):
    given = {"query": query, "use": "answer_questions"}
    found = httpx.post(f"{showcase.url}/v1/recall", json=given).json()
    assert found["outcome"] == outcome
    assert sorted(one["claim"] for one in found["evidence"]) == claims


@pytest.mark.req("D-SHOWCASE")
def test_a_bridge_rewrites_and_what_is_hidden_is_absent(showcase):
    given = {"query": "who looks after the checkout?", "use": "answer_questions", "grounded": True}
    found = httpx.post(f"{showcase.url}/v1/recall", json=given).json()
    assert "Mira maintains the payment service." in [one["claim"] for one in found["evidence"]]
    assert "keepers meet" not in httpx.get(f"{showcase.url}/v1/graph").text


@pytest.mark.req("D-SHOWCASE")
def test_its_answers_are_the_same_in_another_process(showcase):
    given = {"query": "how do I run the tests?", "use": "answer_questions"}
    program = (
        "import json; from muniment import wire; from muniment.http.showcase import showcase_memory; "
        f"found = showcase_memory().recall({given['query']!r}, use='answer_questions', log='off'); "
        "print(json.dumps(wire.recalled(found)))"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    here = httpx.post(f"{showcase.url}/v1/recall", json=given).json()
    del here["acting"]
    assert httpx.Response(200, content=other.stdout).json() == here


@pytest.mark.req("D-SHOWCASE")
def test_anybody_looks_at_every_page_and_every_link_leads_somewhere(showcase):
    with httpx.Client(base_url=showcase.url, follow_redirects=True) as http:
        seen, left = set(), ["/", *LOOKED_AT]
        while left:
            address = left.pop()
            found = http.get(address)
            assert found.status_code == 200, (address, found.text)
            seen.add(address.partition("?")[0])
            if "text/html" in found.headers["content-type"]:
                assert 'method="post"' not in found.text
                assert "hx-post" not in found.text
                links = re.findall(r'href="(/[^"#]*)', found.text)
                left += [html.unescape(one) for one in links if one.partition("?")[0] not in seen]
                seen.update(one.partition("?")[0] for one in links)
    assert seen.issuperset(LOOKED_AT)
    assert any(one.startswith("/claims/mem_") for one in seen)


@pytest.mark.req("D-SHOWCASE")
@pytest.mark.parametrize("address", NOT_THERE)
def test_what_signs_in_or_works_is_not_there(showcase, address):
    assert httpx.get(f"{showcase.url}{address}").status_code == 404


@pytest.mark.req("D-SHOWCASE")
def test_a_recall_on_the_page_shows_the_packet_and_leaves_no_trace(showcase):
    asked = {"q": "when do orders ship?", "use": "answer_questions"}
    first, again = (httpx.get(f"{showcase.url}/recall", params=asked) for _ in range(2))
    assert "Orders ship on Fridays." in first.text
    assert "ret_" not in first.text
    assert first.text == again.text


@pytest.mark.req("D-SHOWCASE")
def test_what_the_visitor_may_not_see_is_on_no_page(showcase):
    for address in (*LOOKED_AT, "/memory?q=keepers", "/recall?q=keepers&use=answer_questions"):
        assert "meet on Tuesdays" not in httpx.get(f"{showcase.url}{address}").text
