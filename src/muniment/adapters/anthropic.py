"""The Anthropic SDK's memory tool on notes and reviewed memory (`muniment[anthropic]`).

- `/memories` is the agent's own directory (`adapters.directory`): what it writes is its own note, which ends, and is
  proposed; `/memories/reviewed/<question>` asks reviewed memory.
- What goes wrong is a `ToolError`, so that the model reads it and goes on.

    tool = MunimentMemoryTool(memory, scope="task:release")
    client.beta.messages.tool_runner(…, tools=[tool])
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from muniment.adapters.direct import Direct
from muniment.adapters.directory import DirectoryError, MemoryDirectory
from muniment.core.errors import MunimentError
from muniment.memory import Memory

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
except ImportError as error:
    raise ImportError(
        "the Anthropic memory tool needs the package `anthropic`: pip install 'muniment[anthropic]'"
    ) from error


def _range(command: Any) -> Sequence[int] | None:
    return getattr(command, "view_range", None)


class MunimentMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for a client that waits.

    Args:
        memory: Acts as the agent.
        questions: Questions that are listed under `/memories/reviewed`.
        cache_control: As the SDK takes it.
        **direct: Parts of `adapters.direct.Direct`: scope, lasts, propose, origin, parts, use, budget, refused.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        questions: Sequence[str] = (),
        cache_control: Any = None,
        **direct: Any,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.directory = MemoryDirectory(Direct(memory, **direct), questions)
        self._lock = (
            threading.Lock()
        )  # an edit reads and writes, and a model may call several at once

    def _told(self, act: Callable[..., str], *given: Any) -> str:
        """What an act says.

        Raises:
            ToolError: What went wrong, for the model to read.
        """
        try:
            with self._lock:
                return act(*given)
        except (DirectoryError, MunimentError) as error:
            raise ToolError(str(error)) from error

    def view(self, command: Any) -> str:
        """A file, a folder's list, or what reviewed memory says."""
        return self._told(self.directory.view, command.path, _range(command))

    def create(self, command: Any) -> str:
        """Make a file."""
        return self._told(self.directory.create, command.path, command.file_text)

    def str_replace(self, command: Any) -> str:
        """Replace text in a file."""
        return self._told(
            self.directory.str_replace, command.path, command.old_str, command.new_str
        )

    def insert(self, command: Any) -> str:
        """Insert text after a line."""
        return self._told(
            self.directory.insert, command.path, command.insert_line, command.insert_text
        )

    def delete(self, command: Any) -> str:
        """Delete a file or folder."""
        return self._told(self.directory.delete, command.path)

    def rename(self, command: Any) -> str:
        """Rename a file or folder."""
        return self._told(self.directory.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Delete all files of the agent's own."""
        return self._told(self.directory.clear)


class AsyncMunimentMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for an asynchronous client; the work is done in a thread.

    Args:
        memory: Acts as the agent.
        cache_control: As the SDK takes it.
        **options: As `MunimentMemoryTool` takes them.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None, **options: Any) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = MunimentMemoryTool(memory, **options)

    async def view(self, command: Any) -> str:
        """A file, a folder's list, or what reviewed memory says."""
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: Any) -> str:
        """Make a file."""
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: Any) -> str:
        """Replace text in a file."""
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: Any) -> str:
        """Insert text after a line."""
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: Any) -> str:
        """Delete a file or folder."""
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: Any) -> str:
        """Rename a file or folder."""
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Delete all files of the agent's own."""
        return await asyncio.to_thread(self._tool.clear_all_memory)
