"""A route for every call that has one: the token says who acts, the call does it, and the answer is its JSON.

- Routes are made from `calls.perform.CALLS`; no route is written by hand.
- An `Idempotency-Key` names a proposal: making it again gives the one that was made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from muniment.calls.perform import CALLS, Call, perform
from muniment.core.authority import lower
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.http.bearer import bearing, presented
from muniment.http.given import body_of, query_of, with_path
from muniment.http.problems import unauthenticated
from muniment.http.rates import Rates
from muniment.http.settings import Settings
from muniment.http.workers import Workers
from muniment.memory import Memory

ONCE = "idempotency-key"
LONGEST_KEY = 200
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Served:
    """What routes work with.

    Attributes:
        settings: How the server is to be.
        memory: Acting as nobody; as the reader of its cases in a showcase.
        workers: The threads that use it.
        rates: How often a token is served.
    """

    settings: Settings
    memory: Memory
    workers: Workers
    rates: Rates

    async def acting(self, request: Request, work: Callable[[Memory], Body]) -> Body:
        """Do something with memory as whoever asks may use it.

        Args:
            request: Presents the token.
            work: Done in a thread.

        Raises:
            Unauthenticated: No token that serves is presented.
            Refused: It asks too often, or too many wait.
        """
        if self.settings.showcase:
            return await self.workers.run(lambda: work(self.memory))
        text = presented(request.headers.getlist("authorization"))
        if not text:
            raise unauthenticated()

        def bound() -> Body:
            memory = self._bearing(text, self.settings.role)
            request.scope["muniment.tenant"] = memory.session.tenant
            return work(memory)

        return await self.workers.run(bound)

    async def bearer_of(self, text: str) -> Memory:
        """Memory as a model may use it that bears a token: it proposes at most, whatever the token says.

        Raises:
            Unauthenticated: It serves nothing.
            Refused: It asks too often, or too many wait.
        """
        ceiling = lower(self.settings.role, "proposer")
        return await self.workers.run(lambda: self._bearing(text, ceiling))

    def _bearing(self, text: str, ceiling: str) -> Memory:
        memory = bearing(self.memory, text, ceiling)
        self.rates.refuse_beyond(f"{memory.session.tenant} {memory.session.declared}")
        return memory


def served_calls(settings: Settings) -> Iterator[Call]:
    """The calls that a server has routes for; in a showcase those of readers, none of which writes."""
    return (
        call
        for call in CALLS
        if not settings.showcase or (call.role == "reader" and not call.writes)
    )


def endpoint(served: Served, call: Call) -> Callable[[Request], Any]:
    """What a call's route does."""

    async def respond(request: Request) -> Response:
        # Who asks is known before anything of what is given is looked at.
        if not served.settings.showcase and not presented(request.headers.getlist("authorization")):
            raise unauthenticated()
        once = _once(request, call)
        plain = (
            query_of(request.query_params, call.request)
            if request.method == "GET"
            else await body_of(request)
        )
        given = with_path(plain, request.path_params)
        if served.settings.showcase and "log" in call.request.model_fields:
            given["log"] = "off"  # nobody's questions are kept, and nothing grows
        answer = await served.acting(request, lambda memory: perform(call, memory, given, once))
        return json_response(answer)

    respond.__name__ = call.name
    return respond


def json_response(value: Body, status: int = 200) -> Response:
    """An answer; nothing of it may be kept by caches."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    return Response(data, status, {"Cache-Control": "no-store"}, "application/json")


def _once(request: Request, call: Call) -> str:
    """The name that a request gives to its proposal.

    Raises:
        InvalidInput: It is empty, too long, or no printable ASCII; or nothing is proposed.
    """
    key = request.headers.get(ONCE)
    if key is None or not call.writes:
        return ""
    if not key or len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
        message = f"{quoted(key)} names no proposal"
        fix = f"give 1 to {LONGEST_KEY} printable ASCII characters, such as a UUID"
        raise InvalidInput.of((Finding("bad_idempotency_key", message, "", fix),))
    return key
