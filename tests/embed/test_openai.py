"""An endpoint is asked over real HTTP, in batches and with patience, and nothing it says is taken on trust."""

from __future__ import annotations

import json
import math
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.errors import EmbedderUnavailable, InvalidInput
from muniment.embed.endpoint import parse_endpoint
from muniment.embed.openai import BATCH, OpenAIEmbedder, batches, cut
from muniment.embed.post import FIRST_WAIT, LONGEST_WAIT, TRIES, TRIES_OF_ONE, Poster
from muniment.ports.embedding import Embedder

KEY = "sk-test-0123456789abcdef"


def vector_of(text):
    """What the server's model makes of a text: three numbers that tell texts apart."""
    return [len(text) + 0.5, float(text.count("a")), -1.0]


def good(request):
    vectors = [vector_of(text) for text in request["input"]]
    return {"data": [{"index": n, "embedding": v} for n, v in enumerate(vectors)]}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests = []
        self.headers = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append(body)
        server.headers.append({**self.headers, "path": self.path})
        answers = server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        status, headers, content = answer(body) if callable(answer) else answer
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True

    def do_GET(self):
        self.server.requests.append("GET " + self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def ok(request):
    return 200, {}, good(request)


@contextmanager
def serving(*answers):
    with Server(list(answers) or [ok]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def embedder_at(server, options="dim=3&key_env=TEST_KEY", waits=None, timeout=5.0):
    endpoint = parse_endpoint(f"mini@http://127.0.0.1:{server.server_port}/v1?{options}")
    sleep = (lambda seconds: None) if waits is None else waits.append
    post = Poster(endpoint.url, timeout, sleep)
    return OpenAIEmbedder(endpoint, post, {"TEST_KEY": KEY})


def unit(row):
    return [round(127 * n / math.hypot(*row)) for n in row]


def read(vectors):
    return [np.frombuffer(vector, np.int8).tolist() for vector in vectors]


# --- what is asked and what comes back -----------------------------------------------------------


def test_texts_become_unit_vectors_in_their_order():
    with serving() as server:
        embedder = embedder_at(server)
        texts = ["banana", "", "a cat", "  \n"]
        assert read(embedder.embed(texts)) == [
            unit(vector_of("banana")),
            [],
            unit(vector_of("a cat")),
            [],
        ]
        assert isinstance(embedder, Embedder)
    assert server.requests == [
        {"model": "mini", "input": ["banana", "a cat"], "encoding_format": "float"}
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["path"] == "/v1/embeddings"


def test_nothing_is_sent_for_texts_without_words():
    with serving() as server:
        assert embedder_at(server).embed(["", " "]) == [b"", b""]
    assert server.requests == []


def test_many_texts_go_in_batches():
    texts = [f"text {n}" for n in range(2 * BATCH + 1)]
    with serving() as server:
        assert read(embedder_at(server).embed(texts)) == [unit(vector_of(text)) for text in texts]
    assert [len(request["input"]) for request in server.requests] == [BATCH, BATCH, 1]


def test_vectors_are_sorted_by_their_index():
    def backwards(request):
        return 200, {}, {"data": good(request)["data"][::-1]}

    with serving(backwards) as server:
        assert read(embedder_at(server).embed(["a", "bcd"])) == [
            unit(vector_of("a")),
            unit(vector_of("bcd")),
        ]


def test_a_long_text_is_the_mean_of_its_pieces_by_their_length():
    with serving() as server:
        embedder = embedder_at(server, "dim=3&window=8")
        [found] = read(embedder.embed(["aaaaaaa bbb"]))
    assert server.requests[0]["input"] == ["aaaaaaa", "bbb"]
    pieces = [(7, unit(vector_of("aaaaaaa"))), (3, unit(vector_of("bbb")))]
    assert found == unit([sum(weight * row[d] for weight, row in pieces) for d in range(3)])


def test_a_shorter_vector_is_asked_for():
    sent = []
    endpoint = parse_endpoint("text-embedding-3-small?dim=3")
    embedder = OpenAIEmbedder(
        endpoint,
        lambda value, key, largest, tries: sent.append(value) or good(value),
        {"OPENAI_API_KEY": KEY},
    )
    embedder.embed(["a"])
    assert sent[0]["dimensions"] == 3


def test_half_a_surrogate_pair_does_not_break_the_request():
    with serving() as server:
        assert embedder_at(server).embed(["a\ud800b"])[0]
    assert server.requests[0]["input"] == ["a\ufffdb"]


# --- patience ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_or_broken_server_is_asked_again_after_longer_and_longer_waits(status):
    waits = []
    bad = (status, {}, b"busy")
    with serving(bad, bad, ok) as server:
        assert read(embedder_at(server, waits=waits).embed(["abc", ""])) == [
            unit(vector_of("abc")),
            [],
        ]
    assert waits == [FIRST_WAIT, 2 * FIRST_WAIT]


@pytest.mark.parametrize(
    ("asked", "waited"), [("7", 7.0), ("86400", LONGEST_WAIT), ("soon", FIRST_WAIT)]
)
def test_a_server_may_ask_for_a_longer_wait(asked, waited):
    waits = []
    with serving((429, {"Retry-After": asked}, b"{}"), ok) as server:
        embedder_at(server, waits=waits).embed(["abc"])
    assert waits == [waited]


def test_patience_ends():
    said = r"no answer in 5 tries: status 503 `down`"
    with serving((503, {}, b"down")) as server, pytest.raises(EmbedderUnavailable, match=said):
        embedder_at(server).embed(["abc", "d"])
    assert len(server.requests) == TRIES == 5


def test_a_question_is_not_kept_waiting_as_long_as_a_batch():
    said = r"no answer in 2 tries"
    with serving((503, {}, b"down")) as server, pytest.raises(EmbedderUnavailable, match=said):
        embedder_at(server).embed(["abc"])
    assert len(server.requests) == TRIES_OF_ONE == 2


def test_a_cut_body_is_asked_for_again():
    def cut_short(request):
        content = json.dumps(good(request)).encode()
        return 200, {"Content-Length": str(len(content) + 10)}, content

    with serving(cut_short, ok) as server:
        assert embedder_at(server).embed(["abc"])[0]
    assert len(server.requests) == 2


def test_a_body_cut_inside_a_chunk_is_asked_for_again():
    chunk = {"Transfer-Encoding": "chunked", "Content-Length": "0"}
    with serving((200, chunk, b'40\r\n{"data": ['), ok) as server:
        assert embedder_at(server).embed(["abc"])[0]


def test_a_closed_port_is_unavailable():
    with serving() as server:
        pass
    with pytest.raises(EmbedderUnavailable, match="no answer in 2 tries: URLError"):
        embedder_at(server).embed(["abc"])


def test_a_silent_server_is_given_up():
    released = threading.Event()

    def silent(request):
        released.wait(5)
        return ok(request)

    with serving(silent) as server:
        with pytest.raises(EmbedderUnavailable, match=r"timed out|TimeoutError"):
            embedder_at(server, timeout=0.2).embed(["abc"])
        released.set()


def test_an_answer_that_drips_does_not_outlast_the_deadline():
    now = iter(range(0, 10_000, 8))
    with serving() as server:
        endpoint = parse_endpoint(f"mini@http://127.0.0.1:{server.server_port}/v1?dim=3")
        post = Poster(endpoint.url, 3.0, lambda seconds: None, lambda: next(now))
        with pytest.raises(EmbedderUnavailable, match="did not end in time"):
            OpenAIEmbedder(endpoint, post).embed(["abc"])


# --- trust --------------------------------------------------------------------------------------


def answer_with(change):
    def answer(request):
        value = good(request)
        return 200, {}, change(value) or value

    return answer


def first(embedding):
    return answer_with(lambda value: value["data"][0].update(embedding=embedding))


@pytest.mark.req("A-REJECT-EMBEDDING")
def test_a_wrong_dimension_is_refused_and_says_what_came():
    with (
        serving(first([1.0, 2.0])) as server,
        pytest.raises(
            InvalidInput, match="answers with 2 dimensions, where 3 are declared"
        ) as refused,
    ):
        embedder_at(server).embed(["abc", "defg"])
    assert refused.value.findings[0].fix == "declare `dim=2` if that is the model that you mean"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(first([1.0, math.nan, 2.0]), id="nan"),
        pytest.param(first([1.0, math.inf, 2.0]), id="infinity"),
        pytest.param(first([1.0, 10**400, 2.0]), id="huge"),
        pytest.param(first([1.0, "2", 3.0]), id="text"),
        pytest.param(first([1.0, True, 3.0]), id="bool"),
        pytest.param(first("AAAA"), id="base64"),
        pytest.param(first(None), id="null"),
        pytest.param(answer_with(lambda v: {"data": v["data"][:1]}), id="too_few"),
        pytest.param(answer_with(lambda v: {"data": v["data"] * 2}), id="too_many"),
        pytest.param(answer_with(lambda v: v["data"][0].update(index=1)), id="same_index"),
        pytest.param(answer_with(lambda v: v["data"][0].update(index=-1)), id="negative_index"),
        pytest.param(answer_with(lambda v: v["data"][0].update(index=True)), id="bool_index"),
        pytest.param(answer_with(lambda v: {"data": [1, 2]}), id="no_objects"),
        pytest.param(answer_with(lambda v: {"data": {}}), id="no_list"),
        pytest.param(answer_with(lambda v: [v]), id="no_object"),
        pytest.param((200, {}, b"<html>"), id="html"),
        pytest.param((200, {}, b"\xff\xfe{"), id="no_utf8"),
        pytest.param((200, {}, b"[" * 50_000), id="deep"),
        pytest.param((200, {}, b" " * 200_000), id="large"),
    ],
)
def test_an_answer_that_is_none_is_refused_at_once(answer):
    with serving(answer) as server, pytest.raises(EmbedderUnavailable, match=r"gave|answered with"):
        embedder_at(server).embed(["abc", "defg"])
    assert len(server.requests) == 1


def test_a_vector_of_zeros_is_none():
    with serving(first([0, 0, 0])) as server:
        assert embedder_at(server).embed(["abc", "defg"])[0] == b""


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status):
    with serving() as elsewhere:
        place = {"Location": f"http://127.0.0.1:{elsewhere.server_port}/v1/embeddings"}
        not_followed = pytest.raises(InvalidInput, match="which is not followed")
        with serving((status, place, b"")) as server, not_followed as refused:
            embedder_at(server).embed(["abc"])
    assert refused.value.findings[0].code == "endpoint_redirects"
    assert elsewhere.requests == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 503])
def test_no_message_repeats_the_key(status, caplog):
    said = json.dumps({"error": f"Incorrect API key provided: {KEY}, or {KEY[:12]}***"}).encode()
    with (
        serving((status, {}, said)) as server,
        pytest.raises((InvalidInput, EmbedderUnavailable)) as refused,
    ):
        embedder_at(server).embed(["abc"])
    error = refused.value
    told = [str(error), repr(error), *map(str, error.findings), caplog.text, str(error.__cause__)]
    assert str(status) in str(error)
    assert "Incorrect API key" in str(error)
    assert not any(KEY[at : at + 8] in text for text in told for at in range(len(KEY) - 7))


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nbreak", "schlüssel"])
def test_a_missing_or_broken_key_is_named_by_its_variable_and_nothing_is_sent(value):
    with serving() as server:
        endpoint = parse_endpoint(
            f"mini@http://127.0.0.1:{server.server_port}/v1?dim=3&key_env=TEST_KEY"
        )
        with pytest.raises(InvalidInput, match="environment variable `TEST_KEY`") as refused:
            OpenAIEmbedder(endpoint, environment={"TEST_KEY": value}).embed(["abc"])
    assert server.requests == []
    assert not value.strip() or value not in str(refused.value)


def test_a_key_that_is_not_named_is_not_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as server:
        endpoint = parse_endpoint(f"mini@http://127.0.0.1:{server.server_port}/v1?dim=3")
        OpenAIEmbedder(endpoint).embed(["abc"])
    assert "Authorization" not in server.headers[0]


def test_a_proxy_sees_nothing_that_is_sent_in_clear(monkeypatch):
    with serving() as proxy, serving() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.delenv("no_proxy", raising=False)
        embedder_at(server).embed(["abc"])
    assert (len(server.requests), proxy.requests) == (1, [])


# --- pieces and batches ---------------------------------------------------------------------------


@given(text=st.text(st.sampled_from("ab \n日é")), window=st.integers(3, 12))
def test_pieces_fit_the_window_and_lose_only_white_space(text, window):
    pieces = cut(text, window)
    assert all(0 < len(piece.encode()) <= window and piece == piece.strip() for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(lengths=st.lists(st.integers(1, 90), max_size=200))
def test_batches_keep_every_piece_in_order_and_their_size(lengths):
    pieces = ["x" * length * 1_000 for length in lengths]
    made = list(batches(pieces))
    assert [piece for batch in made for piece in batch] == pieces
    assert all(len(b) <= BATCH and (len(b) == 1 or sum(map(len, b)) <= 128_000) for b in made)
