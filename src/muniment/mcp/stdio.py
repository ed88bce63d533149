"""MCP over stdin and stdout, which carry the protocol and nothing else (`E-STDIO`).

- The wire is a private copy of descriptor 1, taken before anything else is loaded; descriptor 1 itself becomes
  stderr, for good: prints, warnings, loggers, C libraries and child processes cannot reach the wire, nor can what a
  buffer still holds at the end.
- Descriptor 0 becomes the null device: nobody else reads what a client says.
- The server ends when its client closes the pipe, goes away, or sends SIGTERM or SIGINT. What was asked before the
  pipe was closed is answered; a call that began is finished; the store is closed by who opened it.

The protocol's library has a transport of its own; its reader cannot be stopped while it waits, and it gives
descriptor 1 back at the end, when buffers are written.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

READ_AT_ONCE = 65_536
LONGEST_LINE = 8_000_000
"""Bytes of a message; more than the largest proposal. What is longer is skipped and answered as no JSON."""

LONGEST_WAIT = 20.0
"""Seconds that answers are waited for after the client has closed its end."""

_ANSWERED = re.compile(r'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?[0-9]+)')


class Wire:
    """The private descriptors of the protocol."""

    def __init__(self, reading: int, writing: int) -> None:
        """Take the descriptors; `take_wire` is the usual way."""
        self.reading, self.writing = reading, writing


def take_wire() -> Wire:
    """Take descriptors 0 and 1 for the protocol, and leave the null device and stderr in their places."""
    sys.stdout.flush()
    reading = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    writing = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    with contextlib.suppress(OSError):  # no stderr: what is printed goes nowhere
        os.fstat(2)
        null, unused = os.dup(2), null
        os.close(unused)
    os.dup2(null, 1)
    os.close(null)
    sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.stdout = sys.stderr
    return Wire(reading, writing)


def serve(server: Any, wire: Wire) -> None:
    """Serve until the client goes away or the process is told to end.

    Args:
        server: What `server.make_server` made.
        wire: What `take_wire` gave.
    """
    import anyio

    anyio.run(_serve, server, wire)


async def _serve(server: Any, wire: Wire) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    unanswered = _Unanswered()
    out = _Out(wire.writing, unanswered)
    lines = _Lines(wire.reading, unanswered, out)
    async with anyio.create_task_group() as group:
        group.start_soon(_end_on_signal, group.cancel_scope)
        try:
            async with stdio_server(stdin=lines, stdout=out) as (read, write):  # type: ignore[arg-type]
                await server.run(read, write, server.create_initialization_options())
        except* _Gone:
            pass  # whoever read went away: there is nobody to tell
        group.cancel_scope.cancel()


async def _end_on_signal(scope: Any) -> None:
    import anyio

    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Gone(Exception):
    """The client reads no more."""


class _Unanswered:
    """The requests that wait for an answer; the protocol's library drops them at the end of what it reads."""

    def __init__(self) -> None:
        self._waiting: set[str | int] = set()
        self._changed: Any = None

    def asked(self, message: Any) -> None:
        """Note what a message asks, or takes back."""
        number, method = getattr(message, "id", None), getattr(message, "method", "")
        if method == "notifications/cancelled":
            self._gone((message.params or {}).get("requestId"))
        elif method and number is not None:
            self._waiting.add(number)

    def answered(self, text: str) -> None:
        """Note what a message answers."""
        if found := _ANSWERED.match(text):
            self._gone(json.loads(found[1]))

    def _gone(self, number: Any) -> None:
        self._waiting.discard(number)
        if self._changed is not None:
            self._changed.set()

    async def none_left(self) -> None:
        """Wait until every request is answered, or for so long that something is amiss."""
        import anyio

        with anyio.move_on_after(LONGEST_WAIT):
            while self._waiting:
                self._changed = anyio.Event()
                await self._changed.wait()


class _Lines:
    """The lines of a descriptor, read by a thread that nobody has to wait for."""

    def __init__(self, descriptor: int, unanswered: _Unanswered, out: _Out) -> None:
        self._descriptor, self._unanswered, self._out = descriptor, unanswered, out

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio
        import anyio.lowlevel

        loop = anyio.lowlevel.current_token()
        send, receive = anyio.create_memory_object_stream[str](16)

        def read() -> None:
            with contextlib.suppress(Exception):  # the loop has ended: nobody asks any more
                for line in _split(self._descriptor):
                    anyio.from_thread.run(send.send, line, token=loop)
            with contextlib.suppress(Exception):
                anyio.from_thread.run_sync(send.close, token=loop)

        threading.Thread(target=read, name="muniment-stdin", daemon=True).start()
        async with receive:
            async for line in receive:
                if await self._is_message(line):
                    yield line
        await self._unanswered.none_left()

    async def _is_message(self, line: str) -> bool:
        """Whether a line is one; what is none is answered here, where the protocol's library would say nothing."""
        from mcp_types import jsonrpc_message_adapter
        from pydantic import ValidationError

        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            message = None
        if message is None or (not hasattr(message, "id") and _has_id(line)):
            if line.strip():
                await self._out.message(_no_message(line))
            return False
        self._unanswered.asked(message)
        return True


def _has_id(line: str) -> bool:
    """Whether a line that was read as a notification names a request, by an id that is none."""
    return '"id"' in line and "id" in json.loads(line)


def _no_message(line: str) -> str:
    """The answer to a line that is no message, to whoever asked by it, where that can be told."""
    number, code, said = None, -32700, "this is no JSON"
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(line)
        given = value.get("id") if isinstance(value, dict) else None
        number = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        code, said = (
            -32600,
            "this is no JSON-RPC message, or its text has half a character (a lone surrogate)",
        )
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": said}})


def _split(descriptor: int) -> Any:
    """Lines of a descriptor as text; an overlong one as its beginning, which is no JSON."""
    held = bytearray()
    while data := os.read(descriptor, READ_AT_ONCE):
        *whole, rest = data.split(b"\n")
        for piece in whole:
            held += piece
            yield bytes(held[:LONGEST_LINE]).decode("utf-8", "replace")
            held.clear()
        if len(held) < LONGEST_LINE:
            held += rest
    if held.strip():
        yield bytes(held[:LONGEST_LINE]).decode("utf-8", "replace")


class _Out:
    """A descriptor as the transport writes to it: a message, then a flush. Messages never mix."""

    def __init__(self, descriptor: int, unanswered: _Unanswered) -> None:
        self._descriptor, self._unanswered = descriptor, unanswered
        self._held: list[str] = []
        self._lock: Any = None

    async def write(self, text: str) -> None:
        """Hold a text until the flush."""
        self._held.append(text)

    async def flush(self) -> None:
        """Write what is held."""
        held, self._held = self._held, []
        await self.message("".join(held).rstrip("\n"))

    async def message(self, text: str) -> None:
        """Write one message, whole."""
        import anyio
        import anyio.to_thread

        self._lock = self._lock or anyio.Lock()
        data = text.encode("utf-8", "backslashreplace") + b"\n"
        async with self._lock:
            await anyio.to_thread.run_sync(self._write, data, abandon_on_cancel=True)
        self._unanswered.answered(text)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError as error:
                raise _Gone from error
