r"""Run the commands that the documentation shows, and give back what they printed.

- Every command runs for real, in a repository, profile and store of a temporary folder; nothing of the
  user's is read or written.
- A passphrase is given by file, which the shown command leaves out: on a terminal it is asked for.
- What differs from run to run is made equal: times, random names and the temporary folder. Random names
  keep a letter each, so that two mentions of one thing can be recognised.

What is shown where is the generators' matter.

>>> Names().plain("mem_01m8nqey96fmkt5pampx3teg90, mem_01m8nqey98efxa56gwhjmsxdqw, mem_01m8nqey96fmkt5pampx3teg90")
'mem_01…a, mem_01…b, mem_01…a'
>>> Names().plain("at: 2026-11-30T07:59:42.892219Z [113d171ec94b]")
'at: … […]'
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from muniment.cli import main

FILES: Mapping[str, str] = {
    "Makefile": "test: ## Run the unit tests.\n\tpytest -q\n\nlint:\n\truff check .\n",
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
    "AGENTS.md": "# Rules\n\n- Write a test first when you fix a bug.\n- Money is `Decimal`, never `float`.\n",
}
_WORDS = "only for the walkthrough"
_SIGNED = ("init", "review", "policy", "principal", "group", "role", "erase")
_PAGE = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_RANDOM = re.compile(r"\b(mem|mdiff|ret|src|psg)_[0-7][0-9a-z]{25}\b")
_HEX = re.compile(r"\b(?:[0-9a-f]{64}|(?<=tombstone )[0-9a-f]{12}|(?<=--lift )[0-9a-f]{12})\b")
_MARKER = re.compile(r"\[[0-9a-f]{12}\]")
_PATIENCE = 60.0


@dataclass(slots=True)
class Names:
    """What random names are called instead, in the order in which they are met."""

    known: dict[str, str] = field(default_factory=dict)

    def plain(self, text: str) -> str:
        """The text without what differs from run to run."""
        text = _MARKER.sub("[…]", _TIME.sub("…", text))
        text = _RANDOM.sub(lambda m: self._named(m[0], f"{m[1]}_01…"), text)
        return _HEX.sub(lambda m: self._named(m[0], "…"), text)

    def _named(self, name: str, start: str) -> str:
        if name not in self.known:
            letter = chr(ord("a") + sum(one.startswith(start) for one in self.known.values()))
            self.known[name] = start + letter
        return self.known[name]


class Walk:
    """Somebody at a machine of her own, in the folder of a small repository."""

    def __init__(self, home: Path, files: Mapping[str, str] = FILES) -> None:
        self.home, self.shop, self.names = home, home / "shop", Names()
        self.words = home / "words"
        self.words.touch(0o600)
        self.words.write_text(_WORDS + "\n", "utf-8")
        for name, text in files.items():
            self.write(name, text)
        self.raw = ""

    @property
    def environment(self) -> dict[str, str]:
        """What the command line sees."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MUNIMENT_", "GIT_"))}
        place = {
            "MUNIMENT_CONFIG": str(self.home / "config"),
            "MUNIMENT_STORE": str(self.home / "memory.db"),
        }
        return {**kept, **_PAGE, **_GIT, **place}

    def write(self, name: str, text: str) -> None:
        """Write a file of the repository."""
        (self.shop / name).parent.mkdir(parents=True, exist_ok=True)
        (self.shop / name).write_text(text, "utf-8")

    def git(self, *arguments: str) -> None:
        """Run git in the repository."""
        subprocess.run(
            ["git", *arguments],
            cwd=self.shop,
            env=self.environment,
            check=True,
            capture_output=True,
        )

    def run(self, *arguments: str, code: int = 0, head: int = 0, quiet: bool = False) -> str:
        """Run one command; what it printed, below its prompt.

        Args:
            *arguments: The command line.
            code: The exit code that is meant.
            head: Show only so many lines; 0 shows all.
            quiet: Leave stderr out.

        Raises:
            RuntimeError: It ended otherwise.
        """
        out = io.StringIO()
        err = io.StringIO() if quiet else out
        with (
            _in(self.shop, self.environment),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            ended = main([*arguments, *self._passphrase(arguments)])
        self.raw = out.getvalue()
        if ended != code:
            raise RuntimeError(f"`muniment {' '.join(arguments)}` ended with {ended}: {self.raw}")
        lines = self._plain(self.raw).splitlines()
        shown = [*lines[:head], "…"] if 0 < head < len(lines) else lines
        return "\n".join([f"$ muniment {self._plain(_shell(arguments))}", *shown])

    def talk(self, *arguments: str, answers: Sequence[tuple[str, str]]) -> str:
        """Run one command on a terminal, and answer what it asks; what the screen showed.

        Args:
            *arguments: The command line.
            answers: What is waited for, and what is typed then.
        """
        screen, terminal = pty.openpty()
        command = [sys.executable, "-m", "muniment", *arguments, *self._passphrase(arguments)]
        with subprocess.Popen(
            command, cwd=self.shop, env=self.environment, stdin=terminal, stdout=terminal,
            stderr=terminal, start_new_session=True,
        ) as child:  # fmt: skip
            os.close(terminal)
            seen, start = "", 0
            for words, answer in answers:
                while words not in seen[start:]:
                    piece = _piece(screen)
                    if not piece:
                        raise RuntimeError(f"it ended before it asked `{words}`: {seen}")
                    seen += piece
                start = seen.index(words, start) + len(words)
                os.write(screen, answer.encode() + b"\n")
            while piece := _piece(screen):
                seen += piece
            os.close(screen)
        if child.returncode != 0:
            raise RuntimeError(f"`muniment {' '.join(arguments)}` failed: {seen}")
        text = self._plain(seen.replace("\r\n", "\n")).strip("\n")
        return f"$ muniment {_shell(arguments)}\n{text}"

    def _passphrase(self, arguments: Sequence[str]) -> tuple[str, ...]:
        words = [one for one in arguments if not one.startswith("-")]
        signs = bool(words) and words[0] in _SIGNED and "agent:codex" not in words
        return ("--passphrase-file", str(self.words)) if signs else ()

    def _plain(self, text: str) -> str:
        """What is shown: no line ends in blanks, and the home is `~`."""
        text = self.names.plain(text.replace(str(self.home), "~"))
        return "\n".join(line.rstrip() for line in text.splitlines())


@contextlib.contextmanager
def a_walk(files: Mapping[str, str] = FILES) -> Iterator[Walk]:
    """A machine that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="muniment-docs-") as folder:
        yield Walk(Path(folder).resolve(), files)


def console(*parts: str) -> str:
    """A block of markdown that shows what was typed and printed."""
    return "```console\n" + "\n\n".join(parts) + "\n```"


@contextlib.contextmanager
def _in(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """In another folder, with another environment, and nobody at the keyboard."""
    before, where, keyboard = dict(os.environ), Path.cwd(), sys.stdin
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = io.StringIO()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(where)
        sys.stdin = keyboard


def _piece(screen: int) -> str:
    """The next that the terminal shows; nothing once it is closed.

    Raises:
        TimeoutError: Nothing came for a minute.
    """
    ready, _, _ = select.select([screen], [], [], _PATIENCE)
    if not ready:
        raise TimeoutError("the command waits for something else")
    try:
        return os.read(screen, 65_536).decode("utf-8", "replace")
    except OSError:  # the other end is closed
        return ""


def _shell(arguments: Sequence[str]) -> str:
    """A command line as it is typed.

    >>> _shell(("recall", "how do I?", "--use", "deploy"))
    'recall "how do I?" --use deploy'
    """
    return " ".join(f'"{one}"' if re.search(r"[\s?*|]", one) else one for one in arguments)
