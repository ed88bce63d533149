"""Send JSON to one address and read the JSON that comes back, with patience and without trust.

- A redirect is never followed: it would carry key and texts to another host.
- Busy (408, 429) and broken (5xx) answers, lost connections and cut bodies are tried again, each time after twice the
  wait, or after what `Retry-After` asks for. Nothing else is.
- An answer larger than announced, slower than the deadline or no JSON is refused.
- No message holds the key, even where the other side repeats it.
- A proxy of the environment is used for `https` alone, where it sees neither key nor texts.

What is sent and what the answer means is the caller's matter.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from typing import IO, Any

from muniment.core.errors import EmbedderUnavailable, Finding, InvalidInput, MunimentError, quoted

TRIES = 5
"""How often a batch is tried."""

TRIES_OF_ONE = 2
"""How often one text alone is tried: it is a question, and somebody waits."""

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
_BLOCK = 1 << 16
_EXPLAINED = 2_000  # bytes of a refusal that are read


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect as the answer that it is."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None


class _Again(Exception):
    """Worth another try, after so many seconds at least."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True)
class Poster:
    """Posts to one address.

    Attributes:
        url: The address.
        timeout: Seconds for the connection and for each silence; an answer may take twice that in all.
        sleep: Waits some seconds.
        monotonic: Seconds of a clock that never goes back.
    """

    url: str
    timeout: float
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic

    def __call__(self, value: Any, key: str, largest: int, tries: int = TRIES) -> Any:
        """The answer to a value.

        Args:
            value: JSON.
            key: Sent as a bearer token where it is not empty.
            largest: Most bytes of an answer.
            tries: How often at most.

        Raises:
            EmbedderUnavailable: No usable answer came, after all tries.
            InvalidInput: The other side refuses the request as it is (400 to 499, or a redirect).
        """
        body = json.dumps(value).encode("ascii")
        wait, last = FIRST_WAIT, ""
        for attempt in range(tries):
            if attempt:
                self.sleep(wait)
            try:
                return self._once(body, key, largest)
            except _Again as again:
                last = str(again)
                wait = min(LONGEST_WAIT, max(FIRST_WAIT * 2**attempt, again.wait))
        message = (
            f"the embedding endpoint {quoted(self.url)} gave no answer in {tries} tries: {last}"
        )
        fix = "try again later; memory is searchable without it"
        raise EmbedderUnavailable(message, (Finding("embedder_unavailable", message, fix=fix),))

    def _once(self, body: bytes, key: str, largest: int) -> Any:
        request = urllib.request.Request(self.url, data=body, method="POST")  # noqa: S310 - checked by `endpoint`
        request.add_header("Content-Type", "application/json")
        request.add_header("User-Agent", "muniment")
        request.add_header("Accept", "application/json")
        if key:
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        proxies = {k: v for k, v in urllib.request.getproxies().items() if k == "https"}
        opener = urllib.request.build_opener(_NoRedirect(), urllib.request.ProxyHandler(proxies))
        try:
            with opener.open(request, timeout=self.timeout) as answer:
                content = self._read(answer, largest)
        except urllib.error.HTTPError as error:
            raise self._failure(error, key) from None  # the request that it holds has the key
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError):
                raise self._unusable("a certificate that is not trusted") from None
            raise _Again(_redacted(f"{type(error).__name__} {error}", key)) from None
        return self._decoded(content)

    def _read(self, answer: http.client.HTTPResponse, largest: int) -> bytes:
        """The whole body, and no more of it than is wanted."""
        until = self.monotonic() + 2 * self.timeout
        content = bytearray()
        while block := answer.read1(_BLOCK):
            content += block
            if len(content) > largest:
                raise self._unusable(f"an answer of more than {largest} bytes")
            if self.monotonic() > until:
                raise _Again("the answer did not end in time")
        if answer.length:  # bytes that were announced and never came
            raise _Again(f"the answer was cut {answer.length} bytes before its end")
        return bytes(content)

    def _decoded(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._unusable("an answer that is no JSON") from None

    def _failure(self, error: urllib.error.HTTPError, key: str) -> Exception:
        with error:
            try:
                said = error.read(_EXPLAINED).decode("utf-8", "replace")
            except (OSError, http.client.HTTPException):
                said = ""
        said = _redacted(said, key)
        if error.code in (408, 429) or error.code >= 500:
            return _Again(f"status {error.code} {quoted(said, 200)}", _seconds(error.headers))
        if error.code < 400:
            message = f"the embedding endpoint {quoted(self.url)} redirects ({error.code}), which is not followed"
            return _refusal("endpoint_redirects", message, "give the address that it moved to")
        message = (
            f"the embedding endpoint {quoted(self.url)} refuses ({error.code}): {quoted(said, 200)}"
        )
        fix = "check model, address and the key in its variable"
        return _refusal("endpoint_refuses", message, fix)

    def _unusable(self, what: str) -> EmbedderUnavailable:
        message = f"the embedding endpoint {quoted(self.url)} gave {what}"
        fix = "check that the address is one of embeddings (`…/v1`)"
        return EmbedderUnavailable(message, (Finding("embedder_unavailable", message, fix=fix),))


def _refusal(code: str, message: str, fix: str) -> MunimentError:
    return InvalidInput.of((Finding(code, message, fix=fix),))


def _redacted(text: str, key: str) -> str:
    """A text without the key, or any eight characters of it together."""
    for size in (len(key), 8):
        for at in range(max(0, len(key) - size) + 1 if key and size <= len(key) else 0):
            text = text.replace(key[at : at + size], "…")
    return text


def _seconds(headers: Message) -> float:
    """What `Retry-After` asks for in seconds; a date there is not read, and waits as long as usual."""
    given = str(headers.get("Retry-After", "")).strip()
    return float(given[:6]) if given.isascii() and given.isdecimal() else 0.0
