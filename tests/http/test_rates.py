"""A token is served so often a minute: the one beyond is told when to come again, and nobody else is touched."""

from __future__ import annotations

import logging
import time

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.http import rates
from muniment.http.rates import Rates
from muniment.http.settings import Limits
from tests.http.serving import Serving
from tests.http.test_refusals import problem

ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def limited(place):
    """Two requests a minute, and a clock that the test moves."""
    with Serving(place.store, limits=Limits(rate=2)) as serving:
        serving.now = [0.0]
        serving.app.state.served.rates._clock = lambda: serving.now[0]
        yield serving


def ask(serving, place, role, path="/v1/me", **options):
    headers = {"Authorization": f"Bearer {place.tokens[role]}", **options.pop("headers", {})}
    method = "POST" if options else "GET"
    return httpx.request(method, f"{serving.url}{path}", headers=headers, **options)


@pytest.mark.req("D-API")
def test_who_asks_too_often_is_told_when_to_come_again(place, limited):
    served = [ask(limited, place, "reader").status_code for _ in range(2)]
    refused = ask(limited, place, "reader")
    assert served == [200, 200]
    assert problem(refused) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "30"
    assert place.tokens["reader"] not in refused.text
    limited.now[0] = 30.0
    assert ask(limited, place, "reader").status_code == 200


@pytest.mark.req("D-API")
def test_one_tokens_share_is_nobody_elses(place, limited):
    for _ in range(5):
        ask(limited, place, "reader")
    assert ask(limited, place, "agent").status_code == 200


@pytest.mark.req("D-API")
def test_tools_and_routes_take_from_one_share(place, limited):
    tools = [ask(limited, place, "agent", "/mcp", json=ASKED, headers=ACCEPT) for _ in range(2)]
    assert [one.status_code for one in tools] == [200, 200]
    assert problem(ask(limited, place, "agent"))[0] == 429
    assert problem(ask(limited, place, "agent", "/mcp", json=ASKED, headers=ACCEPT))[0] == 429


def test_what_presents_no_token_that_serves_is_not_counted(place, limited):
    wrong = {"Authorization": "Bearer mun_nonsense"}
    codes = {httpx.get(f"{limited.url}/v1/me", headers=wrong).status_code for _ in range(5)}
    assert codes == {401}


def test_without_a_rate_nothing_is_counted(place, server):
    assert {ask(server, place, "reader").status_code for _ in range(20)} == {200}


def test_the_log_says_why_a_request_was_refused(place, limited, caplog):
    with caplog.at_level(logging.INFO, logger="muniment.http"):
        for _ in range(3):
            ask(limited, place, "reader")
        until = time.monotonic() + 10  # a line is written after its answer was sent
        while len(caplog.messages) < 3 and time.monotonic() < until:
            time.sleep(0.01)
    assert caplog.messages[-1].endswith("too_many_requests")


@given(
    rate=st.integers(1, 200),
    steps=st.lists(st.floats(0, 30, allow_nan=False), min_size=1, max_size=200),
)
def test_in_no_minute_more_is_served_than_a_whole_share_and_what_came_back(rate, steps):
    now, served = [0.0], []
    shares = Rates(rate, lambda: now[0])
    for step in steps:
        now[0] += step
        wait = shares.wait("tok")
        if not wait:
            served.append(now[0])
        assert 0 <= wait <= 60
    for first in served:
        within = sum(first <= one < first + 60 for one in served)
        assert within <= 2 * rate


@given(rate=st.integers(1, 200))
def test_who_comes_when_told_is_served(rate):
    now = [0.0]
    shares = Rates(rate, lambda: now[0])
    while not (wait := shares.wait("tok")):
        pass
    now[0] += wait
    assert shares.wait("tok") == 0


def test_no_more_tokens_are_remembered_than_the_most(monkeypatch):
    monkeypatch.setattr(rates, "MOST", 3)
    shares = Rates(1, lambda: 0.0)
    for number in range(10):
        shares.wait(f"tok_{number}")
    assert len(shares._left) == 3
    assert shares.wait("tok_9")
