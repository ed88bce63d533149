"""The two clients: one waits, the other is awaited; what they send, and what they make of answers, is the same."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Coroutine, Generator
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from muniment.client.address import checked_address, checked_token
from muniment.client.plans import Plan
from muniment.client.problems import lost
from muniment.client.sending import Asked, Body, Patience, answer_of, is_worth_repeating
from muniment.client.verbs import Verbs
from muniment.core.errors import MunimentError

Got = httpx.Response | httpx.TransportError | None
"""What came of a step: an answer, none, or, of waiting, nothing."""
Steps = Generator[dict[str, Any] | float, Got, Body]


class _Reaching:
    """What both clients know of their server."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        token_file: str | Path | None = None,
        patience: Patience | None = None,
        ca_file: str | Path | None = None,
    ) -> None:
        """Say where the server is, and by which token it is asked.

        Args:
            address: Such as `https://memory.example.org`; plain http on this machine alone.
            token: What `muniment token create` printed.
            token_file: A file that holds it; instead of `token`.
            patience: How long to wait, and how often to ask again.
            ca_file: Whom to trust for its certificate, PEM; the system's own by default.

        Raises:
            InvalidInput: A token would travel in the clear, or there is none.
        """
        self._address = checked_address(address)
        self._token = checked_token(token, token_file)
        self._patience = patience or Patience()
        self._ca_file = ca_file
        self._host = httpx.URL(self._address).host

    def __repr__(self) -> str:
        """The server's address; never the token."""
        return f"<{type(self).__name__} of {self._address}>"

    def _options(self) -> dict[str, Any]:
        wait = self._patience
        options: dict[str, Any] = {
            "base_url": self._address,
            "timeout": httpx.Timeout(wait.answer, connect=wait.connect),
            "follow_redirects": False,
            # In the clear it goes to this machine alone, never to a proxy that the environment names.
            "trust_env": self._address.startswith("https://"),
        }
        if self._ca_file is not None:
            import ssl

            options["verify"] = ssl.create_default_context(cafile=str(self._ca_file))
        return options

    def _steps(self, plan: Plan) -> Steps:
        """What a plan comes to: requests to send, and seconds to wait between them; it returns the answer."""
        asked = next(plan)
        try:
            while True:
                try:
                    answer = yield from self._attempts(asked)
                except MunimentError as error:
                    asked = plan.throw(error)
                else:
                    asked = plan.send(answer)
        except StopIteration as end:
            found: Body = end.value
            return found

    def _attempts(self, asked: Asked) -> Steps:
        request = {
            "method": asked.method,
            "url": asked.path,
            "headers": asked.headers(self._token),
            "content": asked.content(),
            "params": asked.query,
        }
        for attempt in itertools.count(1):
            got = yield request
            pause = self._pause(attempt, got)
            if isinstance(got, httpx.Response) and (pause is None or not is_worth_repeating(got)):
                return answer_of(got)
            if pause is None:
                raise self._lost(got)
            yield pause
        raise AssertionError("attempts are counted")

    def _pause(self, attempt: int, got: Got) -> float | None:
        """Seconds before the next attempt; None where there is none."""
        if attempt >= self._patience.attempts:
            return None
        asked_for = got.headers.get("retry-after", "") if isinstance(got, httpx.Response) else ""
        return self._patience.before(attempt + 1, asked_for)

    def _lost(self, got: Got) -> MunimentError:
        slow = isinstance(got, httpx.TimeoutException)
        return lost("did not answer in time" if slow else "cannot be reached", self._host)


class Client(_Reaching, Verbs[Body]):
    """A server's memory, asked and waited for; threads may share one."""

    def __init__(self, address: str, **options: Any) -> None:
        """As `_Reaching` says; nothing is sent yet."""
        super().__init__(address, **options)
        self._http = httpx.Client(**self._options())

    def __enter__(self) -> Client:
        """The client itself; it is closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def _run(self, plan: Plan) -> Body:
        steps, got = self._steps(plan), None
        try:
            while True:
                step = steps.send(got)
                got = self._do(step)
        except StopIteration as end:
            found: Body = end.value
            return found

    def _do(self, step: dict[str, Any] | float) -> Got:
        if not isinstance(step, dict):
            time.sleep(step)
            return None
        try:
            return self._http.request(**step)
        except httpx.TransportError as error:
            return error


class AsyncClient(_Reaching, Verbs[Coroutine[Any, Any, Body]]):
    """A server's memory, asked and awaited."""

    def __init__(self, address: str, **options: Any) -> None:
        """As `_Reaching` says; nothing is sent yet."""
        super().__init__(address, **options)
        self._http = httpx.AsyncClient(**self._options())

    async def __aenter__(self) -> AsyncClient:
        """The client itself; it is closed at the end."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def _run(self, plan: Plan) -> Body:
        steps, got = self._steps(plan), None
        try:
            while True:
                step = steps.send(got)
                got = await self._do(step)
        except StopIteration as end:
            found: Body = end.value
            return found

    async def _do(self, step: dict[str, Any] | float) -> Got:
        if not isinstance(step, dict):
            await asyncio.sleep(step)
            return None
        try:
            return await self._http.request(**step)
        except httpx.TransportError as error:
            return error
