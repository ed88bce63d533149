"""The two clients: one waits, the other is awaited; what they send, and what they make of answers, is the same."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
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

    def _pause(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Seconds before the next attempt; None where there is none."""
        if attempt >= self._patience.attempts:
            return None
        asked_for = response.headers.get("retry-after", "") if response is not None else ""
        return self._patience.before(attempt + 1, asked_for)

    def _lost(self, error: httpx.TransportError) -> MunimentError:
        slow = isinstance(error, httpx.TimeoutException)
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
        request = next(plan)
        try:
            while True:
                try:
                    answer = self._send(request)
                except MunimentError as error:
                    request = plan.throw(error)
                else:
                    request = plan.send(answer)
        except StopIteration as end:
            found: Body = end.value
            return found

    def _send(self, asked: Asked) -> Body:
        headers, content, attempt = asked.headers(self._token), asked.content(), 0
        while True:
            attempt += 1
            response: httpx.Response | None = None
            failed: MunimentError | None = None
            try:
                response = self._http.request(
                    asked.method, asked.path, headers=headers, content=content, params=asked.query
                )
            except httpx.TransportError as error:
                failed = self._lost(error)
            if response is not None and not is_worth_repeating(response):
                return answer_of(response)
            pause = self._pause(attempt, response)
            if pause is None:
                raise failed or _refusal(response)
            time.sleep(pause)


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
        request = next(plan)
        try:
            while True:
                try:
                    answer = await self._send(request)
                except MunimentError as error:
                    request = plan.throw(error)
                else:
                    request = plan.send(answer)
        except StopIteration as end:
            found: Body = end.value
            return found

    async def _send(self, asked: Asked) -> Body:
        headers, content, attempt = asked.headers(self._token), asked.content(), 0
        while True:
            attempt += 1
            response: httpx.Response | None = None
            failed: MunimentError | None = None
            try:
                response = await self._http.request(
                    asked.method, asked.path, headers=headers, content=content, params=asked.query
                )
            except httpx.TransportError as error:
                failed = self._lost(error)
            if response is not None and not is_worth_repeating(response):
                return answer_of(response)
            pause = self._pause(attempt, response)
            if pause is None:
                raise failed or _refusal(response)
            await asyncio.sleep(pause)


def _refusal(response: httpx.Response | None) -> MunimentError:
    """The refusal in an answer that asks to come again, once nobody will."""
    assert response is not None
    try:
        answer_of(response)
    except MunimentError as error:
        return error
    raise AssertionError("a server that asks to come again refuses")
