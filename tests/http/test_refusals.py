"""Whatever is wrong with a request, the answer is a problem body, and nothing was done."""

from __future__ import annotations

import socket
import threading
import time

import httpx
import pytest

from muniment.core.errors import StoreUnavailable
from muniment.http.settings import Limits
from tests.http.serving import Serving, make_token, world

JSON = {"Content-Type": "application/json"}
RECALL = {"query": "how do I run the tests?", "use": "answer_questions"}


def problem(response):
    body = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert set(body) == {"type", "title", "status", "detail", "code", "findings"}
    assert body["status"] == response.status_code
    assert body["findings"]
    return response.status_code, body["code"]


CASES = {
    "an unknown address": (("GET", "/v1/nothing"), {}, (404, "no_route")),
    "a slash too many": (("GET", "/v1/me/"), {}, (404, "no_route")),
    "another method": (("DELETE", "/v1/claims"), {}, (405, "wrong_method")),
    "no JSON": (("POST", "/v1/recall"), {"content": b"{", "headers": JSON}, (422, "invalid_input")),
    "no object": (("POST", "/v1/recall"), {"json": [1]}, (422, "invalid_input")),
    "a key twice": (("POST", "/v1/recall"), {"content": b'{"k":1,"k":2}', "headers": JSON}, (422, "invalid_input")),
    "no number": (("POST", "/v1/recall"), {"content": b'{"k":NaN}', "headers": JSON}, (422, "invalid_input")),
    "a lone surrogate": (("POST", "/v1/recall"), {"content": b'{"query":"\\ud800"}', "headers": JSON}, (422, "invalid_input")),  # noqa: E501
    "no UTF-8": (("POST", "/v1/recall"), {"content": b'{"query":"\xff"}', "headers": JSON}, (422, "invalid_input")),
    "very deep JSON": (("POST", "/v1/recall"), {"content": b"[" * 100_000, "headers": JSON}, (422, "invalid_input")),
    "an undeclared key": (("POST", "/v1/recall"), {"json": {"querry": "x"}}, (422, "invalid_input")),
    "a text for a number": (("POST", "/v1/recall"), {"json": {"k": "3"}}, (422, "invalid_input")),
    "a body of another kind": (("POST", "/v1/recall"), {"content": b"x", "headers": {"Content-Type": "text/plain"}}, (415, "wrong_media_type")),  # noqa: E501
    "no kind of body": (("POST", "/v1/recall"), {"content": b"{}"}, (415, "wrong_media_type")),
    "a parameter twice": (("GET", "/v1/diffs?limit=1&limit=2"), {}, (422, "invalid_input")),
    "an unknown parameter": (("GET", "/v1/conflicts?debug=1"), {}, (422, "invalid_input")),
    "the address's part again": (("GET", "/v1/why/x?id=y"), {}, (422, "invalid_input")),
    "a scope that is not in force": (("POST", "/v1/recall"), {"json": {**RECALL, "scopes": ["project:other"]}}, (403, "not_permitted")),  # noqa: E501
    "an unknown claim": (("GET", "/v1/claims/mem_01kx0sjsg0e008000000000000"), {}, (404, "not_found")),
    "a name that is none": (("GET", "/v1/claims/%00"), {}, (404, "not_found")),
    "another host": (("GET", "/health"), {"headers": {"Host": "evil.example"}}, (421, "foreign_host")),
    "a rebound name": (("GET", "/v1/me"), {"headers": {"Host": "127.0.0.1.evil.example"}}, (421, "foreign_host")),
    "another origin": (("POST", "/v1/recall"), {"json": RECALL, "headers": {"Origin": "http://evil.example"}}, (403, "foreign_origin")),  # noqa: E501
    "another port's origin": (("GET", "/v1/me"), {"headers": {"Origin": "http://127.0.0.1:1"}}, (403, "foreign_origin")),  # noqa: E501
    "no origin": (("POST", "/v1/recall"), {"json": RECALL, "headers": {"Origin": "null"}}, (403, "foreign_origin")),
    "a script of another site": (("GET", "/v1/me"), {"headers": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}}, (403, "foreign_origin")),  # noqa: E501
    "long headers": (("GET", "/health"), {"headers": {"X-Long": "x" * 20_000}}, (431, "headers_too_large")),
    "a large body": (("POST", "/v1/recall"), {"content": b"x" * 9_000_000, "headers": JSON}, (413, "body_too_large")),
    "an empty key": (("POST", "/v1/claims"), {"json": {"claim": "x"}, "headers": {"Idempotency-Key": ""}}, (422, "invalid_input")),  # noqa: E501
}  # fmt: skip


@pytest.mark.req("D-API")
@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_told_as_a_problem(case, ask, place):
    (method, path), options, expected = CASES[case]
    head = place.ada.verify().head
    assert problem(ask("agent", method, path, **options)) == expected
    assert place.ada.verify().head == head


def test_every_answer_carries_the_security_headers_and_no_leave_for_other_sites(ask):
    for path in ("/health", "/v1/me", "/v1/nothing", "/openapi.json"):
        headers = ask("", "GET", path, headers={}).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == (
            "nosniff",
            "DENY",
        )
        assert not [name for name in headers if name.startswith("access-control-")]
        assert "server" not in headers


def test_a_preflight_of_another_site_gets_no_leave(ask):
    wanted = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    found = ask("", "OPTIONS", "/v1/recall", headers=wanted)
    assert problem(found) == (403, "foreign_origin")
    assert not [name for name in found.headers if name.startswith("access-control-")]


def test_a_body_without_an_end_is_refused_when_it_is_too_large(ask):
    def parts():
        for _ in range(200):
            yield b"x" * 100_000

    assert problem(ask("agent", "POST", "/v1/recall", content=parts(), headers=JSON)) == (
        413,
        "body_too_large",
    )


class Slow:
    """A memory whose readiness waits for a bell."""

    def __init__(self):
        self.memory, self.bell = world(), threading.Event()
        store, bell = self.memory.session.store, self.bell
        snapshot = store.snapshot

        def wait(tenant):
            bell.wait(20)
            return snapshot(tenant)

        self.token = make_token(self.memory, "user:ada", "operator")
        store.snapshot = wait


@pytest.fixture
def slow():
    made = Slow()
    yield made
    made.bell.set()


def test_a_request_that_takes_too_long_is_told_so_and_to_come_again(slow):
    with Serving(slow.memory, limits=Limits(seconds=0.3)) as serving:
        found = httpx.get(f"{serving.url}/ready")
        slow.bell.set()
        assert problem(found) == (503, "deadline_passed")
        assert found.headers["retry-after"]
        assert httpx.get(f"{serving.url}/ready").status_code == 200


def test_a_bound_that_somebody_else_met_is_a_fault_and_no_deadline(place, monkeypatch, caplog):
    def fails(*_):
        raise TimeoutError("a bound of somebody else")

    with Serving(place.store) as serving:
        monkeypatch.setattr("muniment.http.routes.bearing", fails)
        headers = {"Authorization": f"Bearer {place.tokens['agent']}"}
        found = httpx.get(f"{serving.url}/v1/me", headers=headers)
    assert problem(found) == (500, "fault")


def test_whoever_comes_when_the_line_is_full_is_asked_to_come_again(slow):
    with Serving(slow.memory, limits=Limits(threads=1, waiting=2)) as serving:
        codes = []
        threads = [
            threading.Thread(
                target=lambda: codes.append(httpx.get(f"{serving.url}/ready").status_code)
            )
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 20
        while serving.app.state.served.workers.waiting < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert problem(httpx.get(f"{serving.url}/ready")) == (503, "server_busy")
        assert httpx.get(f"{serving.url}/health").status_code == 200
        slow.bell.set()
        for thread in threads:
            thread.join(20)
        assert codes == [200, 200]


def test_a_body_that_does_not_come_is_not_waited_for(place):
    with Serving(place.store, limits=Limits(seconds=0.3)) as serving:
        port = int(serving.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 20) as line:
            head = (
                "POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {place.tokens['agent']}\r\nContent-Length: 100\r\n\r\n{{"
            )
            line.sendall(head.encode())
            answer = b"".join(iter(lambda: line.recv(65_536), b""))
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"slow_body" in answer


def test_a_fault_is_a_problem_that_tells_its_kind_alone(place, caplog):
    with Serving(place.store) as serving:
        serving.app.state.served.workers.run = None
        found = httpx.get(f"{serving.url}/ready")
    assert problem(found) == (500, "fault")
    assert "TypeError" in found.text
    assert "NoneType" not in found.text


def test_stopping_lets_a_running_request_finish(slow):
    with Serving(slow.memory) as serving:
        found = []
        thread = threading.Thread(target=lambda: found.append(httpx.get(f"{serving.url}/ready")))
        thread.start()
        until = time.monotonic() + 20
        while serving.app.state.served.workers.waiting < 1 and time.monotonic() < until:
            time.sleep(0.01)
        serving.server.should_exit = True
        time.sleep(0.2)
        slow.bell.set()
        thread.join(20)
    assert found[0].json() == {"status": "ready"}


@pytest.mark.req("D-API")
def test_no_log_and_no_answer_holds_a_token_or_what_was_asked(place, caplog, monkeypatch):
    import logging

    for name in ("muniment", "muniment.http", "uvicorn", "uvicorn.error"):
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.set_level(logging.DEBUG)
    token, seen = place.tokens["agent"], []
    with Serving(place.store) as serving, httpx.Client(base_url=serving.url) as http:
        auth = {"Authorization": f"Bearer {token}"}
        for headers in (
            auth,
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": f"Basic {token}"},
        ):
            seen.append(http.get("/v1/me", headers=headers).text)
            seen.append(http.post("/v1/recall", json={"query": "cinnamon"}, headers=headers).text)
            seen.append(http.get(f"/v1/why/{token}", headers=headers).text)
    own = [r.getMessage() for r in caplog.records if r.name.startswith(("muniment", "uvicorn"))]
    assert own
    assert not [line for line in own if token[8:] in line or "cinnamon" in line]
    assert not [text for text in seen[:2] if token[8:] in text]


def test_memory_that_was_lent_stays_open_and_what_was_opened_is_closed(tmp_path):
    for lent in (True, False):
        memory = world(tmp_path / f"{lent}.db")
        token = make_token(memory, "user:ada", "reader")
        with Serving(memory, lent=lent) as serving:
            auth = {"Authorization": f"Bearer {token}"}
            assert httpx.get(f"{serving.url}/v1/me", headers=auth).status_code == 200
        if lent:
            assert memory.with_token(token).session.principal == "user:ada"
            memory.close()
        with pytest.raises(StoreUnavailable):
            memory.with_token(token)
