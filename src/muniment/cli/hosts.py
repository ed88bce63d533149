"""The hosts that `connect` knows: where each keeps its settings, and what goes into them.

- A host's own form is data here; how a file is changed is `json_text`'s and `toml_text`'s matter.
- In a project's file the program is named as the path finds it, so that the file can be shared; in a user's file
  by its place, because a host that was not started from a shell has another path.

>>> [host.name for host in HOSTS]
['claude-code', 'codex', 'cursor']
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muniment.cli import json_text, toml_text

SERVER = "muniment"
TOLD = ("MUNIMENT_CONFIG", "MUNIMENT_PROFILE", "MUNIMENT_STORE")
"""Variables that hosts do not hand on to what they start, and without which another memory would answer."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host.

    Attributes:
        name: As it is given on the command line, and as its agent is called.
        title: For people.
        project: Its file in a project.
        user: Its file for all projects, below its folder.
        folder: Its folder, below the user's home.
        folder_variable: The variable that names another folder.
        servers: Where the servers stand in the file.
        typed: Whether a server says that it is `stdio`.
        folder_option: What it replaces by the project's folder, where it starts servers elsewhere.
        hooks: Its file for hooks, below its folder and the project's; empty where it has none.
        next_step: What is left to do there.
    """

    name: str
    title: str
    project: str
    user: str
    folder: str
    folder_variable: str
    servers: str
    typed: bool = False
    folder_option: str = ""
    hooks: str = ""
    next_step: str = ""

    @property
    def principal(self) -> str:
        """Who its agent is by default."""
        return f"agent:{self.name}"

    def file(self, root: Path | None, home: Path, environment: Mapping[str, str]) -> Path:
        """Its file: in a project, or the user's where there is no root."""
        if root is not None:
            return root / self.project
        named = environment.get(self.folder_variable, "") if self.folder_variable else ""
        return Path(named or home / self.folder) / self.user

    def hooks_file(self, root: Path | None, home: Path, environment: Mapping[str, str]) -> Path:
        """Its file for hooks."""
        if root is not None:
            return root / ".claude" / self.hooks
        named = environment.get(self.folder_variable, "")
        return Path(named or home / ".claude") / self.hooks


HOSTS = (
    Host("claude-code", "Claude Code", ".mcp.json", ".claude.json", "", "CLAUDE_CONFIG_DIR", "mcpServers",
         typed=True, hooks="settings.json", next_step="start `claude` there and approve the server once"),
    Host("codex", "Codex", ".codex/config.toml", "config.toml", ".codex", "CODEX_HOME", "mcp_servers",
         next_step="start `codex` there; it reads a project's file where you trust the project"),
    Host("cursor", "Cursor", ".cursor/mcp.json", "mcp.json", ".cursor", "", "mcpServers", typed=True,
         folder_option="${workspaceFolder}", next_step="switch the server on in Cursor's settings"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Start:
    """How a host starts Muniment.

    Attributes:
        program: The program and what stands before its command.
        options: Options of every command.
        environment: Variables that it needs.
    """

    program: tuple[str, ...]
    options: tuple[str, ...]
    environment: Mapping[str, str]

    def server(self, host: Host) -> dict[str, Any]:
        """The server's entry in a host's settings."""
        folder = ("--folder", host.folder_option) if host.folder_option else ()
        entry: dict[str, Any] = {"type": "stdio"} if host.typed else {}
        entry["command"] = self.program[0]
        entry["args"] = [*self.program[1:], "mcp", *self.options, *folder]
        if self.environment:
            entry["env"] = dict(self.environment)
        return entry

    def hook(self, moment: str) -> str:
        """A shell's command for a hook."""
        said = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        return " ".join([*said, shlex.join([*self.program, "hook", moment, *self.options])])


MOMENTS = (("SessionStart", "session-start"), ("Stop", "stop"))
"""A host's events and what `muniment hook` calls them."""


def with_server(host: Host, text: str, entry: dict[str, Any]) -> str:
    """A host's settings with the server.

    Raises:
        NotEditable: They cannot be changed without touching something else.
    """
    edit = toml_text.put if host.project.endswith(".toml") else json_text.put
    return edit(text, (host.servers, SERVER), entry)


def without_server(host: Host, text: str) -> str:
    """A host's settings without the server.

    Raises:
        NotEditable: They cannot be changed without touching something else.
    """
    edit = toml_text.drop if host.project.endswith(".toml") else json_text.drop
    return edit(text, (host.servers, SERVER))


def with_hooks(text: str, start: Start) -> str:
    """Settings with the hooks, each once.

    Raises:
        NotEditable: They cannot be changed without touching something else.
    """
    for event, moment in MOMENTS:
        said = {"hooks": [{"type": "command", "command": start.hook(moment), "timeout": 30}]}
        groups = json_text.parsed(text).get("hooks", {}).get(event, [])
        if said not in groups:
            text = json_text.drop_items(text, ("hooks", event), is_ours)
            text = json_text.add(text, ("hooks", event), said)
    return text


def without_hooks(text: str) -> str:
    """Settings without the hooks.

    Raises:
        NotEditable: They cannot be changed without touching something else.
    """
    for event, _ in MOMENTS:
        text = json_text.drop_items(text, ("hooks", event), is_ours)
    return text


def is_ours(group: Any) -> bool:
    """Whether a group of hooks is one that was written here.

    >>> is_ours({"hooks": [{"type": "command", "command": "muniment hook stop --as agent:codex"}]})
    True
    >>> is_ours({"hooks": [{"type": "command", "command": "make check"}]})
    False
    """
    hooks = group.get("hooks", []) if isinstance(group, dict) else []
    said = [str(one.get("command", "")) for one in hooks if isinstance(one, dict)]
    moments = [f" hook {moment}" for _, moment in MOMENTS]
    return bool(said) and all(SERVER in one and any(m in one for m in moments) for one in said)
