"""Threads that use memory: a fixed number, each with its own connection, and a bounded number of requests before them.

- Whoever comes when the line is full is asked to come again, and nothing was done.
- A request that is given up while it waits is not begun; one that runs is finished, and nobody is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from muniment.http.problems import Refused

Result = TypeVar("Result")


class Workers:
    """The line, and the threads that serve it."""

    def __init__(self, threads: int, waiting: int) -> None:
        """Make it; threads start when they are needed.

        Args:
            threads: How many work at once.
            waiting: How many requests may work or wait.
        """
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="muniment-http")
        self._most, self._count = waiting, 0

    @property
    def waiting(self) -> int:
        """How many requests work or wait."""
        return self._count

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do something in a thread.

        Raises:
            Refused: The line is full.
        """
        if self._count >= self._most:
            fix = "come again in a moment"
            raise Refused(503, "server_busy", "more requests wait than this server takes", fix)
        loop = asyncio.get_running_loop()
        future = self._pool.submit(work)
        self._count += 1
        future.add_done_callback(lambda done: self._leave(loop, done))
        return await asyncio.wrap_future(future)

    def _leave(self, loop: asyncio.AbstractEventLoop, done: Future[Result]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._left)

    def _left(self) -> None:
        self._count -= 1

    def close(self) -> None:
        """Wait for what runs, and end the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)
