"""The API's description (OpenAPI 3.1), made from the same tables as the routes.

- A request's shape is the call's own; what is in the address is left out of the body.
- Every answer that is no success is a problem body.

>>> document(Settings(lambda: None))["paths"]["/v1/recall"]["post"]["operationId"]
'recall'
>>> "/v1/claims" in document(Settings(lambda: None, showcase=True))["paths"]
True
>>> "post" in document(Settings(lambda: None, showcase=True))["paths"]["/v1/claims"]
False
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from muniment import __version__
from muniment.calls.answers import Acting, FindingShape
from muniment.calls.described import JsonOf
from muniment.calls.perform import Call
from muniment.core.access import Visibility
from muniment.http.problems import MEDIA_TYPE, problem_body
from muniment.http.routes import LONGEST_KEY, served_calls
from muniment.http.settings import Settings

Json = dict[str, Any]

DESCRIPTION = """Governed memory for agents: reviewed claims with evidence, handed over as cited packets.

A token is bound to one tenant, one principal, one set of scopes and one role at most. What is absent and what may not
be seen have one answer. Writing proposes; who decides signs with a credential that never comes here.

An answer that wrote holds a `token`, which names the state that holds it; every read is of the latest state.
"""
GROUPS = {
    "reader": "Reading",
    "proposer": "Proposing",
    "reviewer": "Deciding",
    "operator": "Operating",
}
PROBLEMS: tuple[tuple[int, str], ...] = (
    (400, "The request is no HTTP request that is understood."),
    (
        401,
        "No token that serves was presented; absent, wrong, revoked and expired have one answer.",
    ),
    (403, "The role, the scopes or the origin do not allow it."),
    (404, "Absent, or not visible: the two have one answer."),
    (408, "The body did not come in time."),
    (409, "The state moved on, or it contradicts what is recorded."),
    (413, "The body is too large."),
    (415, "The body is not declared as JSON."),
    (421, "The server does not answer to that host."),
    (422, "What was given breaks a rule; every finding is there."),
    (429, "The token asks more often than it is served; come again when it says."),
    (431, "The headers are too large."),
    (500, "A fault of the server's own."),
    (503, "The server or the store is busy, or the request took too long; come again."),
    (507, "The store is full; nothing was written."),
)
OF_BODIES = frozenset((408, 409, 413, 415, 507))
EXAMPLES: dict[str, Json] = {
    "recall": {"query": "how do I run the tests?", "use": "answer_questions", "budget": 600},
    "query": {"query": "?who maintains ?repo, ?repo uses pnpm", "use": "answer_questions"},
    "revalidate": {"certificate": {}},
    "remember": {
        "claim": "Orders ship on Fridays.",
        "source": {"kind": "document", "uri": "https://handbook.example/shipping"},
    },
    "propose": {
        "trigger": {"kind": "statement", "state": "observed"},
        "changes": [
            {
                "id": "change_01",
                "operation": "deprecate",
                "target_id": "mem_01kx0sjsg0e008000000000000",
                "reason": "The carrier changed.",
                "source": {"kind": "document", "uri": "https://handbook.example/shipping"},
            }
        ],
    },
    "report": {
        "id": "mem_01kx0sjsg0e008000000000000",
        "verdict": "outdated",
        "reason": "The target was renamed to `check`.",
    },
    "bridge": {"phrase": "checkout", "target": "payment service"},
    "conversation": {
        "name": "standup.jsonl",
        "messages": [{"speaker": "ada", "text": "We ship on Fridays now."}],
    },
    "decisions": {
        "decisions": {
            "change_01": {
                "decision": "accepted",
                "at": "2026-07-08T12:00:00Z",
                "change_digest": "sha256:…",
                "public_key": "ed25519:…",
                "signature": "…",
            }
        }
    },
}


class Problem(BaseModel):
    """What went wrong (RFC 9457), with every finding."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    findings: list[FindingShape]


class Word(BaseModel):
    """One word about the server."""

    status: str


class Me(BaseModel):
    """What a token is bound to."""

    acting: Acting
    role: str
    uses: list[str]
    visibility: Annotated[Json, JsonOf(Visibility)] | None


class Ontology(BaseModel):
    """The words and rules in force."""

    acting: Acting
    name: str
    hash: str
    vocabularies: Json
    inputs: dict[str, list[str]]


def document(settings: Settings) -> Json:
    """The whole description of what a server serves."""
    calls = list(served_calls(settings))
    paths: Json = {}
    for call in calls:
        method, path = call.route
        paths.setdefault(path, {})[method.lower()] = _operation(call, settings)
    paths |= _plain(settings)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Muniment", "version": __version__, "description": DESCRIPTION},
        "security": [] if settings.showcase else [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(calls),
            "responses": {str(status): _problem(status, text) for status, text in PROBLEMS},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token that `muniment token create` made: `mun_…`.",
                }
            },
        },
    }


def _schemas(calls: list[Call]) -> Json:
    bodies = [call.request for call in calls if call.route[0] == "POST"]
    shapes: list[type[BaseModel]] = [Problem, Word, Me, Ontology, *(call.answer for call in calls)]
    _, whole = models_json_schema(
        [(one, "validation") for one in bodies] + [(one, "serialization") for one in shapes],
        ref_template="#/components/schemas/{model}",
    )
    found: Json = whole["$defs"]
    for call in calls:
        for name in path_names(call):
            shape = found.get(call.request.__name__, {})
            shape.get("properties", {}).pop(name, None)
            if name in shape.get("required", ()):
                shape["required"].remove(name)
    return dict(sorted(found.items()))


def path_names(call: Call) -> list[str]:
    """What of a call is in its address."""
    return re.findall(r"{(\w+)}", call.route[1])


def _operation(call: Call, settings: Settings) -> Json:
    method = call.route[0]
    operation: Json = {
        "operationId": call.name,
        "summary": call.summary,
        "description": f"Asks for the role {call.role} at least.",
        "tags": [GROUPS[call.role]],
        "parameters": _parameters(call),
        "responses": _responses(call.answer, method == "POST"),
    }
    if method == "POST":
        media: Json = {"schema": _ref(call.request)}
        if call.name in EXAMPLES:
            media["examples"] = {call.name: {"value": EXAMPLES[call.name]}}
        operation["requestBody"] = {"required": True, "content": {"application/json": media}}
    return operation


def _parameters(call: Call) -> list[Json]:
    method, in_path = call.route[0], path_names(call)
    schema = call.request.model_json_schema()
    found = []
    for name, of in schema.get("properties", {}).items():
        if name in in_path or method == "GET":
            place = "path" if name in in_path else "query"
            required = place == "path" or name in schema.get("required", ())
            plain = {key: value for key, value in of.items() if key != "title"}
            found.append({"name": name, "in": place, "required": required, "schema": plain})
    if call.writes and call.role == "proposer":
        key = {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]+$"}
        text = "Names this proposal: making it again gives the one that was made."
        found.append({"name": "Idempotency-Key", "in": "header", "required": False,
                      "description": text, "schema": key})  # fmt: skip
    return found


def _responses(answer: type[BaseModel], has_body: bool) -> Json:
    content = {"application/json": {"schema": _ref(answer)}}
    found: Json = {"200": {"description": (answer.__doc__ or "").strip(), "content": content}}
    for status, _ in PROBLEMS:
        if has_body or status not in OF_BODIES:
            found[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return found


def _problem(status: int, text: str) -> Json:
    media: Json = {"schema": _ref(Problem)}
    if status == 404:
        detail = "no claim `mem_01kx0sjsg0e008000000000000` is known here"
        media["example"] = problem_body(404, "not_found", detail)
    found: Json = {"description": text, "content": {MEDIA_TYPE: media}}
    header = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}.get(status)
    if header:
        found["headers"] = {header: {"required": True, "schema": {"type": "string"}}}
    return found


def _plain(settings: Settings) -> Json:
    shown: Json = {
        "/health": _get("health", "Whether the process answers.", Word, open_to_all=True),
        "/ready": _get("ready", "Whether the store can be read.", Word, open_to_all=True),
        "/v1/me": _get("me", "What the token is bound to.", Me),
        "/v1/ontology": _get("ontology", "The words and rules in force, and their hash.", Ontology),
    }
    if not settings.showcase:
        shown["/metrics"] = _get("metrics", "Counters, for an operator's token.", None)
    return shown


def _get(
    name: str, summary: str, answer: type[BaseModel] | None, open_to_all: bool = False
) -> Json:
    responses = _responses(answer or Word, has_body=False)
    if answer is None:
        text = {"text/plain": {"schema": {"type": "string"}}}
        responses["200"] = {"description": "Counters by route and status.", "content": text}
    operation: Json = {"operationId": name, "summary": summary, "tags": ["Server"]}
    if open_to_all:
        operation["security"] = []
    return {"get": {**operation, "responses": responses}}


def _ref(model: type[BaseModel]) -> Json:
    return {"$ref": f"#/components/schemas/{model.__name__}"}
