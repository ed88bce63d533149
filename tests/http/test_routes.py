"""Every route answers in the shape that the description states, as the role that the table asks for."""

from __future__ import annotations

import json

import jsonschema
import pytest

from muniment.calls.perform import CALLS
from muniment.core.authority import LADDER
from muniment.http.openapi import document
from muniment.http.settings import Settings
from tests.http.pages.site import SCOPE


def closed(schema):
    """A schema under which what it does not name is wrong: nothing that is answered is left undescribed."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(one) for key, one in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        found.setdefault("additionalProperties", False)
    return found


PLAIN = document(Settings(lambda: None))
DOCUMENT = closed(PLAIN)
BEARERS = {"reader": "reader", "proposer": "agent", "reviewer": "reviewer", "operator": "operator"}
FREE = {
    "Answered.request", "Answered.work", "Recalled.request", "WhyRetrieval.request",
    "CertificateValue.request", "CertificateValue.answer", "ApplicationValue.readings",
    "WhyRetrieval.candidates", "WhyRetrieval.selected", "WhyRetrieval.passages",
    "ClaimValue.extensions", "ClaimValue.properties", "DiffValue.extensions", "OneDiff.extensions",
    "PendingDiff.extensions", "ValidityValue.decay", "Ontology.vocabularies",
}  # fmt: skip
"""What is described as an object of any keys: echoes of what was given, what others' formats bring along, and words."""

DIFF = {
    "trigger": {"kind": "statement", "state": "observed"},
    "changes": [],
    "ignored_candidates": [{"claim": "Shops close at night.", "reason": "too vague"}],
}


def conforms(response, status=200):
    """Whether an answer is as the description says."""
    route = response.request.url.path
    method = response.request.method.lower()
    operation = next(
        one[method]
        for path, one in DOCUMENT["paths"].items()
        if method in one and matches(path, route)
    )
    stated = operation["responses"][str(status)]
    if "$ref" in stated:
        stated = DOCUMENT["components"]["responses"][stated["$ref"].rpartition("/")[2]]
    kind = response.headers["content-type"].partition(";")[0]
    schema = {**stated["content"][kind]["schema"], "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(schema).validate(response.json())
    return True


def matches(path, route):
    parts, given = path.split("/"), route.split("/")
    return len(parts) == len(given) and all(
        a == b or a.startswith("{") for a, b in zip(parts, given, strict=True)
    )


def request_of(call, place, ask):
    """A request that succeeds."""
    test = place.ids["test"]
    waiting = ask("reviewer", "GET", "/v1/diffs").json()["diffs"]
    certificate = ask(
        "reader",
        "POST",
        "/v1/recall",
        json={"query": "test", "use": "answer_questions", "certify": True},
    ).json()["certificate"]
    if call.name == "source":
        message = {"speaker": "ada", "text": "We ship."}
        talk = {"name": "talk.jsonl", "messages": [message]}
        kept = ask("agent", "POST", "/v1/conversations", json=talk).json()
        return "GET", call.route[1].replace("{id}", kept["source"]), {}
    path = call.route[1].replace("{id}", waiting[0]["id"] if "diffs" in call.route[1] else test)
    bodies = {
        "recall": {"query": "how do I run the tests?", "use": "answer_questions"},
        "query": {"query": "?who maintains ?what", "use": "answer_questions"},
        "revalidate": {"certificate": certificate},
        "remember": {"claim": "The shop closes at six.", "source": f"repo:{SCOPE[11:]}!/Makefile"},
        "propose": DIFF,
        "report": {"id": test, "verdict": "useful", "reason": "It was right."},
        "bridge": {
            "phrase": "till",
            "target": "checkout",
            "source": f"repo:{SCOPE[11:]}!/Makefile",
        },
        "conversation": {
            "name": "talk.jsonl",
            "messages": [{"speaker": "ada", "text": "We ship."}],
        },
    }
    if call.name == "decisions":
        return call.route[0], path, {"json": {"decisions": signed(place, waiting[0])}}
    if call.route[0] == "POST":
        return "POST", path, {"json": bodies[call.name]}
    return "GET", path, {"params": {"ids": test} if call.name == "claims" else {}}


def signed(place, diff):
    from muniment import Choice
    from muniment.client import plans

    acting = {"principal": "user:ada", "tenant": "default"}
    plan = plans.review(
        {**diff, "acting": acting},
        {diff["changes"][0]["id"]: Choice("needs_review", "later")},
        place.signer,
        place.store.session.clock,
    )
    return next(plan).body["decisions"]


@pytest.mark.req("D-API")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_call_succeeds_at_its_role_and_conforms_and_is_refused_below(call, place, ask):
    method, path, options = request_of(call, place, ask)
    for role in LADDER[: LADDER.index(call.role)]:
        refused = ask(BEARERS[role], method, path, **options)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted")
        assert conforms(refused, 403)
    done = ask(BEARERS[call.role], method, path, **options)
    assert done.status_code == 200, done.text
    assert conforms(done)


@pytest.mark.req("D-API")
def test_what_is_asked_for_besides_conforms_too(place, ask):
    asked = {"query": "how do I run the tests?", "use": "answer_questions"}
    packet = ask("reader", "POST", "/v1/recall", json={**asked, "certify": True})
    kept = ask("reader", "POST", "/v1/recall", json={**asked, "include_passages": True})
    joined = {"query": "?what runs ?how", "use": "answer_questions", "budget": 2000}
    rows = ask("reader", "POST", "/v1/query", json={**joined, "explain": True})
    diff = ask("reviewer", "GET", "/v1/diffs").json()["diffs"][0]["id"]
    whys = [
        ask("reader", "GET", f"/v1/why/{name}")
        for name in (place.ids["test"], kept.json()["retrieval_id"])
    ]
    every = [packet, kept, rows, *whys, ask("reviewer", "GET", f"/v1/why/{diff}")]
    assert [one.status_code for one in every] == [200] * 6
    assert packet.json()["evidence"]
    assert all(map(conforms, every))


@pytest.mark.req("D-API")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
@pytest.mark.parametrize(
    "header", [{}, {"Authorization": "Bearer mun_x"}, {"Authorization": "Basic YTpi"}]
)
def test_no_route_is_open_without_a_token(call, header, place, ask):
    method, path, options = request_of(call, place, ask)
    refused = ask("", method, path, headers=header, **options)
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
    assert conforms(refused, 401)


@pytest.mark.req("D-API")
def test_a_token_in_the_address_or_the_body_is_none(place, ask):
    token = place.tokens["operator"]
    assert ask("", "GET", f"/v1/me?token={token}&access_token={token}").status_code == 401
    assert ask("", "POST", "/v1/recall", json={"token": token, "query": "x"}).status_code == 401


@pytest.mark.req("D-API")
def test_absent_and_forbidden_have_one_answer(place, ask):
    hidden = place.ada.remember(
        "Ada's own note.", visibility={"level": "user-private", "allowed_principals": ["user:ada"]}
    )
    found = [
        ask("agent", "GET", f"/v1/diffs/{name}").json()
        for name in (hidden.diff.id, "mdiff_01kx0sjsg0e008000000000000")
    ]
    for one, name in zip(found, (hidden.diff.id, "mdiff_01kx0sjsg0e008000000000000"), strict=True):
        one["detail"] = one["detail"].replace(name, "X")
        one["findings"][0]["message"] = one["findings"][0]["message"].replace(name, "X")
    assert found[0] == found[1]


@pytest.mark.req("E-IDEMPOTENT")
def test_a_proposal_with_a_key_is_one_however_often_it_is_made(ask):
    key = {"Idempotency-Key": "4711"}
    given = {"claim": "Parcels weigh at most 30 kg.", "source": "https://post.example/"}
    before = len(ask("agent", "GET", "/v1/diffs").json()["diffs"])
    made = [ask("agent", "POST", "/v1/claims", json=given, headers=key).json() for _ in range(3)]
    assert len({one["diff"] for one in made}) == 1
    assert len(ask("agent", "GET", "/v1/diffs").json()["diffs"]) == before + 1


REMEMBERED = {"claim": "Parcels weigh at most 30 kg.", "source": "https://post.example/"}
OTHERWISE = {
    "claim": "Or 20.",
    "source": {"kind": "document", "uri": "https://post.example/", "observed_at": "2026-01-01T00:00:00Z"},
    "allowed_uses": ["answer_questions"],
    "validity": {"valid_from": "2026-01-01T00:00:00Z"},
    "tags": ["post"],
    "reason": "another one",
}  # fmt: skip


@pytest.mark.req("E-IDEMPOTENT")
@pytest.mark.parametrize("part", OTHERWISE)
def test_a_key_that_was_used_refuses_another_statement_whatever_part_differs(ask, part):
    key = {"Idempotency-Key": "4712"}
    assert ask("agent", "POST", "/v1/claims", json=REMEMBERED, headers=key).status_code < 300
    changed = {**REMEMBERED, part: OTHERWISE[part]}
    assert code_of(ask("agent", "POST", "/v1/claims", json=changed, headers=key)) == "key_reused"


def code_of(answer):
    return answer.json()["findings"][0]["code"] if answer.status_code == 409 else answer.text


HERE = {"kind": "repository", "id": "local:shop"}
ITEM = {
    "claim": "Parcels weigh at most 30 kg.",
    "source": {"kind": "document", "uri": "https://post.example/"},
    "visibility": {"level": "team-private", "allowed_principals": ["group:shop", "user:ada"]},
    "review": {"status": "proposed"},
}
ITEMS_OTHERWISE = {
    "visibility": {"level": "team-private", "allowed_principals": ["group:shop"]},
    "created_at": "2026-01-01T00:00:00Z",
    "freshness": {"status": "unknown", "last_verified_at": "2026-01-01T00:00:00Z"},
    "source": {**ITEM["source"], "observed_at": "2026-01-01T00:00:00Z"},
    "summary": "Up to 30 kg.",
}


def proposing(item):
    trigger = {"kind": "document", "uri": "https://post.example/", "state": "observed"}
    change = {"id": "change_01", "operation": "add", "reason": "read", "item": item}
    return {"scope": HERE, "trigger": trigger, "changes": [change]}


@pytest.mark.req("E-IDEMPOTENT")
@pytest.mark.parametrize("part", ITEMS_OTHERWISE)
def test_a_key_that_was_used_refuses_another_claim_whatever_part_differs(ask, part):
    key = {"Idempotency-Key": "4713"}
    made = ask("agent", "POST", "/v1/diffs", json=proposing({**ITEM, "scope": HERE}), headers=key)
    assert made.status_code < 300, made.text
    changed = proposing({**ITEM, "scope": HERE, part: ITEMS_OTHERWISE[part]})
    assert code_of(ask("agent", "POST", "/v1/diffs", json=changed, headers=key)) == "key_reused"


@pytest.mark.req("E-IDEMPOTENT")
def test_a_key_is_good_for_one_verb(ask):
    key = {"Idempotency-Key": "4714"}
    assert ask("agent", "POST", "/v1/claims", json=REMEMBERED, headers=key).status_code < 300
    diff = proposing({**ITEM, "scope": HERE})
    assert code_of(ask("agent", "POST", "/v1/diffs", json=diff, headers=key)) == "key_reused"


@pytest.mark.req("E-IDEMPOTENT")
def test_signed_decisions_that_are_sent_twice_are_decided_once(place, ask):
    made = ask(
        "agent", "POST", "/v1/claims", json={"claim": "It rains.", "source": "https://w.example/"}
    )
    diff = ask("reviewer", "GET", f"/v1/diffs/{made.json()['diff']}").json()
    body = {"decisions": signed(place, diff)}
    path = f"/v1/diffs/{diff['id']}/decisions"
    first, second = (ask("reviewer", "POST", path, json=body) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["decisions"] == second.json()["decisions"]
    assert first.json()["token"] == second.json()["token"]


def test_the_inbox_comes_in_pages_and_a_page_says_where_the_next_begins(ask):
    whole = [one["id"] for one in ask("reviewer", "GET", "/v1/diffs?limit=200").json()["diffs"]]
    found, after = [], ""
    while True:
        page = ask("reviewer", "GET", "/v1/diffs", params={"limit": 1, "after": after}).json()
        found += [one["id"] for one in page["diffs"]]
        after = page["next"]
        if after is None:
            break
    assert found == whole
    assert len(whole) > 1


def test_what_a_server_says_of_itself_conforms(ask):
    for path in ("/health", "/ready", "/v1/me", "/v1/ontology"):
        assert conforms(ask("reader", "GET", path))


@pytest.mark.req("D-API")
def test_counters_are_for_operators_and_name_nobody(place, ask):
    assert ask("", "GET", "/metrics").status_code == 401
    assert ask("reviewer", "GET", "/metrics").status_code == 403
    text = ask("operator", "GET", "/metrics").text
    assert 'muniment_requests_total{route="POST /v1/recall",status="200"}' in text
    assert not [word for word in ("ada", "codex", "mem_", "mdiff_", "mun_", "shop") if word in text]


@pytest.mark.req("D-API")
def test_health_and_readiness_say_one_word_to_anybody(ask):
    assert ask("", "GET", "/health").json() == {"status": "ok"}
    assert ask("", "GET", "/ready").json() == {"status": "ready"}


def test_the_description_is_served_and_is_openapi(ask):
    found = ask("", "GET", "/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(PLAIN))


def test_whatever_an_answer_holds_is_described_as_well():
    schemas = PLAIN["components"]["schemas"]
    asked = {call.request.__name__ for call in CALLS}
    free = {
        f"{name}.{key}"
        for name, schema in schemas.items()
        for key, one in schema.get("properties", {}).items()
        if "additionalProperties': True" in str(one) and name not in asked
    }
    assert free == FREE
