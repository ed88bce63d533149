"""What a server says of itself: that it lives, that it can read, what a token is bound to, and the words in force.

- `/health` and `/ready` say one word to anybody; nothing more is told without a token.
- `/metrics` counts for an operator's token, and counts its own tenant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from muniment import wire
from muniment.core.authority import LADDER
from muniment.core.codec import encode
from muniment.core.errors import MunimentError
from muniment.core.ontology import NAME, flow_hash, inputs
from muniment.core.vocabulary import VOCABULARIES
from muniment.http.counters import Counters
from muniment.http.problems import Refused
from muniment.http.routes import Body, Served, json_response
from muniment.memory import Memory

Endpoint = Callable[[Request], Any]


async def health(request: Request) -> Response:
    """The process answers."""
    return json_response({"status": "ok"})


def ready(served: Served) -> Endpoint:
    """The store can be read."""

    def look() -> None:
        session = served.memory.session
        with session.store.snapshot(session.tenant) as snapshot:
            _ = snapshot.revision

    async def respond(request: Request) -> Response:
        try:
            await served.workers.run(look)
        except MunimentError:
            fix = "come again in a moment"
            raise Refused(503, "not_ready", "the store cannot be read now", fix) from None
        return json_response({"status": "ready"})

    return respond


def metrics(served: Served, counters: Counters) -> Endpoint:
    """Counters by route and status, for an operator's token."""

    def allowed(memory: Memory) -> Body:
        memory.tokens()
        return {"tenant": memory.session.tenant}

    async def respond(request: Request) -> Response:
        found = await served.acting(request, allowed)
        media = "text/plain; version=0.0.4; charset=utf-8"
        return PlainTextResponse(
            counters.text(found["tenant"]), headers={"Cache-Control": "no-store"}, media_type=media
        )

    return respond


def me(served: Served) -> Endpoint:
    """What the token is bound to."""

    async def respond(request: Request) -> Response:
        return json_response(await served.acting(request, bound_to))

    return respond


def bound_to(memory: Memory) -> Body:
    """Who acts, where, and what for at most."""
    session = memory.session
    return {
        "acting": wire.acting(memory),
        "role": session.role or LADDER[-1],
        "uses": list(session.uses),
        "visibility": encode(session.visibility) if session.visibility else None,
    }


def ontology(served: Served) -> Endpoint:
    """The words and rules in force, and their hash."""

    async def respond(request: Request) -> Response:
        return json_response(await served.acting(request, words))

    return respond


def words(memory: Memory) -> Body:
    """The ontology, as JSON."""
    return {
        "acting": wire.acting(memory),
        "name": NAME,
        "hash": flow_hash(),
        "vocabularies": {
            name: {"closed": closed, "terms": {term.name: term.meaning for term in terms}}
            for name, terms, closed in VOCABULARIES
        },
        "inputs": {one.name: list(one.values) for one in inputs()},
    }
