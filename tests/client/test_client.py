"""The clients: the library's verbs and errors over a real socket; a token never goes where it should not."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("fastapi", reason="muniment[serve] is not installed")

from muniment import Choice
from muniment.client import AsyncClient, Client, Patience
from muniment.core.authority import VERBS
from muniment.core.errors import (
    InvalidInput,
    NotFound,
    NotPermitted,
    StoreBusy,
    StoreUnavailable,
    Unauthenticated,
)
from muniment.core.token import token_text
from tests.http.pages.site import fill, make_site
from tests.http.serving import Serving

TOKEN = token_text("default", "tok_x", bytes(32))
QUICK = Patience(connect=2, answer=10, attempts=3, pause=0.01)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    site = make_site(tmp_path_factory.mktemp("client"))
    site.ids = fill(site)
    yield site
    site.store.close()


@pytest.fixture(scope="module")
def server(place):
    with Serving(place.store) as serving:
        yield serving


@pytest.fixture
def client(place, server):
    def make(role="reviewer", **options):
        return Client(server.url, token=place.tokens[role], patience=QUICK, **options)

    return make


class Stub(BaseHTTPRequestHandler):
    """A server that answers what it was told to, and keeps what it was asked."""

    def answer(self):
        length = int(self.headers.get("content-length") or 0)
        self.server.asked.append((self.path, dict(self.headers), self.rfile.read(length)))
        status, headers, body = self.server.answers.pop(0)
        if status is None:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def stub():
    made = []

    def serve(*answers):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
        server.asked, server.answers = [], list(answers)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made.append(server)
        return server, f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server in made:
        server.shutdown()
        server.server_close()


def good(value):
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


BUSY = (
    503,
    {"Content-Type": "application/problem+json", "Retry-After": "0"},
    b'{"code":"store_busy","detail":"busy","findings":[]}',
)
SPENT = (
    429,
    {"Content-Type": "application/problem+json", "Retry-After": "0"},
    b'{"code":"too_many_requests","detail":"this token asks too often","findings":[]}',
)
LOST = (None, {}, b"")


# --- where the token may go -----------------------------------------------------------------------


@pytest.mark.req("D-CLIENT")
@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    "address",
    [
        "http://memory.example.org", "http://10.0.0.5:8765", "http://127.0.0.1.example.org", "http://[2001:db8::1]",
        "http://0.0.0.0:80", "HTTP://memory.example.org", "http://localhost.example.org", "http://2130706433",
    ],
)  # fmt: skip
def test_no_token_goes_in_the_clear_to_another_machine(kind, address):
    with pytest.raises(InvalidInput) as refused:
        kind(address, token=TOKEN)
    assert [one.code for one in refused.value.findings] == ["cleartext_token"]
    assert TOKEN not in str(refused.value)


@pytest.mark.req("D-CLIENT")
@pytest.mark.parametrize(
    "address",
    ["ftp://x", "memory", "https://", "https://ada:pw@h", "https://h?token=1", "http://[", ""],
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(InvalidInput) as refused:
        Client(address, token=TOKEN)
    assert [one.code for one in refused.value.findings] == ["bad_address"]
    assert "pw" not in str(refused.value)


def test_this_machine_and_tls_are_fine():
    for address in (
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://localhost",
        "https://memory.example.org",
    ):
        Client(address, token=TOKEN).close()


@pytest.mark.req("D-CLIENT")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("to", ["elsewhere", "/v1/other", "https://evil.example/"])
def test_no_redirect_is_followed(stub, status, to):
    other, elsewhere = stub()
    there = elsewhere if to == "elsewhere" else to
    server, address = stub((status, {"Location": there}, b""))
    with (
        Client(address, token=TOKEN, patience=QUICK) as client,
        pytest.raises(NotPermitted) as refused,
    ):
        client.recall("x", use="")
    assert (len(server.asked), other.asked) == (1, [])
    assert TOKEN not in str(refused.value)


@pytest.mark.req("D-CLIENT")
def test_a_token_in_the_clear_goes_to_no_proxy_of_the_environment(stub, monkeypatch):
    proxy, proxied = stub()
    server, address = stub(good({"acting": {}}))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxied)
    with Client(address, token=TOKEN, patience=QUICK) as client:
        client.me()
    assert (len(server.asked), proxy.asked) == (1, [])


@pytest.mark.req("D-CLIENT")
def test_the_token_is_in_the_header_alone_and_in_nothing_that_is_printed(stub, caplog):
    caplog.set_level("DEBUG")
    server, address = stub(good({}), LOST, LOST, LOST)
    with Client(address, token=TOKEN, patience=QUICK) as client:
        client.recall("x", use="answer_questions")
        with pytest.raises(StoreUnavailable) as gone:
            client.conflicts()
        shown = (
            repr(client)
            + repr(vars(client))
            + str(gone.value)
            + repr(gone.value.__cause__)
            + caplog.text
        )
    path, headers, body = server.asked[0]
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in path
    assert TOKEN.encode() not in body
    assert TOKEN not in shown
    assert gone.value.__cause__ is None


def test_the_token_comes_from_a_file_or_an_argument(tmp_path, place, server):
    file = tmp_path / "token"
    file.write_text(place.tokens["reader"] + "\n")
    with Client(server.url, token_file=file) as client:
        assert client.me()["role"] == "reader"
    for options in (
        {},
        {"token": TOKEN, "token_file": file},
        {"token": "hunter2"},
        {"token_file": tmp_path / "no"},
    ):
        with pytest.raises(InvalidInput) as refused:
            Client(server.url, **options)
        assert "hunter2" not in str(refused.value)


# --- asking again ---------------------------------------------------------------------------------


@pytest.mark.req("E-IDEMPOTENT")
@pytest.mark.parametrize("trouble", [BUSY, LOST])
def test_what_was_lost_is_asked_again_under_the_same_key(stub, trouble):
    server, address = stub(trouble, trouble, good({"diff": "mdiff_x"}))
    with Client(address, token=TOKEN, patience=QUICK) as client:
        assert client.remember("It rains.") == {"diff": "mdiff_x"}
    keys = [headers["Idempotency-Key"] for _, headers, _ in server.asked]
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_two_proposals_have_two_keys_and_a_question_has_none(stub):
    server, address = stub(good({}), good({}), good({}))
    with Client(address, token=TOKEN, patience=QUICK) as client:
        client.remember("It rains.")
        client.remember("It rains.")
        client.recall("rain", use="")
    first, second, third = (headers.get("Idempotency-Key") for _, headers, _ in server.asked)
    assert first != second
    assert third is None


def test_asking_again_ends(stub):
    server, address = stub(*[BUSY] * 9)
    with Client(address, token=TOKEN, patience=QUICK) as client, pytest.raises(StoreBusy):
        client.recall("x", use="")
    assert len(server.asked) == QUICK.attempts


def test_what_is_refused_is_not_asked_again(stub):
    refusal = b'{"code":"not_found","detail":"no claim","findings":[]}'
    server, address = stub((404, {"Content-Type": "application/problem+json"}, refusal))
    with Client(address, token=TOKEN, patience=QUICK) as client, pytest.raises(NotFound):
        client.show("mem_x")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"Content-Type": "text/html"}, b"<html>"), (200, {"Content-Type": "application/json"}, b"[1]"),
        (200, {"Content-Type": "application/json"}, b"{"), (502, {"Content-Type": "text/html"}, b"bad gateway"),
        (404, {"Content-Type": "application/problem+json"}, b"[]"), (418, {}, b""),
        (422, {"Content-Type": "application/problem+json"}, b'{"detail":"x","code":5,"findings":[1,{}]}'),
    ],
)  # fmt: skip
def test_whatever_stands_between_answers_becomes_an_error_of_ours(stub, answer):
    from muniment.core.errors import MunimentError

    _, address = stub(answer)
    with Client(address, token=TOKEN, patience=QUICK) as client, pytest.raises(MunimentError):
        client.show("mem_x")


def test_a_server_that_is_not_there_is_told():
    with (
        Client("http://127.0.0.1:1", token=TOKEN, patience=QUICK) as client,
        pytest.raises(StoreUnavailable),
    ):
        client.me()


# --- the library's verbs and errors ---------------------------------------------------------------


@pytest.mark.req("A-OPERATIONS")
def test_it_has_every_verb_that_has_a_route():
    names = {verb.name for verb in VERBS if verb.route} - {"review_signed"}
    assert names - set(dir(Client)) == set()
    assert names - set(dir(AsyncClient)) == set()
    assert hasattr(Client, "review")


def test_errors_are_the_librarys_with_their_findings(client, place):
    with client() as reviewer, pytest.raises(NotFound, match="no claim"):
        reviewer.show("mem_01kx0sjsg0e008000000000000")
    with client("agent") as agent, pytest.raises(InvalidInput) as wrong:
        agent.propose({"changes": [{"operation": "burn"}, {"operation": "add"}]})
    assert wrong.value.findings
    with pytest.raises(InvalidInput) as own:
        place.codex.propose({"changes": [{"operation": "burn"}, {"operation": "add"}]})
    assert {(f.code, f.path) for f in wrong.value.findings} == {
        (f.code, f.path) for f in own.value.findings
    }
    with (
        client("reader") as reader,
        pytest.raises(NotPermitted, match="asks for the role proposer"),
    ):
        reader.remember("x")
    with Client(place_url(client), token=TOKEN) as nobody, pytest.raises(Unauthenticated):
        nobody.me()


def place_url(make):
    with make() as client:
        return client._address


@pytest.mark.req("E-APPROVER")
def test_a_review_is_signed_here_over_what_was_fetched(client, place):
    with client("agent") as agent, client() as reviewer:
        made = agent.remember("The shop opens at eight.", source="https://handbook.example/")
        seen = reviewer.diff(made["diff"])
        outcome = reviewer.review(seen, {"change_01": Choice("accepted", "it does")}, place.signer)
        claim = outcome["resulting"]["change_01"]
        assert reviewer.show(claim)["claim"]["claim"] == "The shop opens at eight."
        assert place.ada.doctor().ok


@pytest.mark.req("E-APPROVER")
def test_a_diff_that_was_changed_on_the_way_is_not_accepted(client, place):
    with client("agent") as agent, client() as reviewer:
        made = agent.remember("The shop opens at nine.", source="https://handbook.example/")
        seen = reviewer.diff(made["diff"])
        seen["changes"][0]["item"]["claim"] = "The shop never opens."
        with pytest.raises(InvalidInput) as refused:
            reviewer.review(seen, {"change_01": Choice("accepted")}, place.signer)
        assert [one.code for one in refused.value.findings] == ["other_bytes"]
        with pytest.raises(InvalidInput, match="no change"):
            reviewer.review(seen, {"change_77": Choice("accepted")}, place.signer)


def test_the_inbox_comes_whole(client, monkeypatch):
    from muniment.client import plans

    with client() as reviewer:
        whole = [one["id"] for one in reviewer.inbox()["diffs"]]
        monkeypatch.setattr(plans, "PAGE", 1)
        assert [one["id"] for one in reviewer.inbox()["diffs"]] == whole
    assert len(whole) > 1


def test_a_recall_with_options_and_its_certificate(client):
    from muniment.core.access import Scope

    with client("reader") as reader:
        scopes = [Scope("repository", "local:shop")]
        found = reader.certified_recall("run the tests", use="answer_questions", scopes=scopes, k=3)
        assert found["evidence"]
        assert reader.revalidate(found["certificate"])["verdict"] == "valid"


def test_both_clients_give_the_same(client, place, server):
    async def ask():
        async with AsyncClient(server.url, token=place.tokens["reader"], patience=QUICK) as client:
            me, shown, claims = await asyncio.gather(
                client.me(), client.show(place.ids["test"]), client.claims([place.ids["test"]])
            )
            with pytest.raises(NotFound):
                await client.history("mem_01kx0sjsg0e008000000000000")
            return me, shown["claim"], claims

    with client("reader") as reader:
        name = place.ids["test"]
        expected = (reader.me(), reader.show(name)["claim"], reader.claims([name]))
    assert asyncio.run(ask()) == expected


def test_the_other_client_asks_again_too(stub):
    async def ask(address):
        async with AsyncClient(address, token=TOKEN, patience=QUICK) as client:
            return await client.remember("It rains.")

    server, address = stub(BUSY, LOST, good({"diff": "mdiff_x"}))
    assert asyncio.run(ask(address)) == {"diff": "mdiff_x"}
    assert len({headers["Idempotency-Key"] for _, headers, _ in server.asked}) == 1


def test_threads_share_a_client(client):
    with client("reader") as reader:
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(reader.me()["role"])) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert found == ["reader"] * 8


@pytest.mark.req("D-CLIENT")
def test_a_spent_share_is_waited_for_and_asked_again(stub):
    server, address = stub(SPENT, SPENT, good({"acting": {}}))
    with Client(address, token=TOKEN, patience=Patience(pause=0.01)) as memory:
        assert memory.conflicts() == {"acting": {}}
    assert len(server.asked) == 3


@pytest.mark.req("D-CLIENT")
@pytest.mark.parametrize("answer", [SPENT, BUSY])
def test_who_is_told_to_come_back_much_later_does_not_come_sooner(stub, answer):
    status, headers, body = answer
    server, address = stub((status, {**headers, "Retry-After": "3600"}, body), good({}))
    with Client(address, token=TOKEN) as memory, pytest.raises(StoreBusy):
        memory.conflicts()
    assert len(server.asked) == 1
