"""Review on a terminal: one change after the other, a letter each, one signature at the end.

- Nothing is written before the passphrase; Ctrl-C leaves everything as it was.
- What was decided so far is applied at `q` and at the end of the input.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muniment.cli.page import show_change
from muniment.cli.terminal import Styled, Terminal
from muniment.core.errors import MunimentError
from muniment.reviewable.edited import changed_parts, editable_text
from muniment.reviewable.standing import Standing
from muniment.usecases.review import Choice

HEAD = "# Change what is wrong, save, and leave the editor. Source and scope stay.\n"
KEYS = (
    ("a", "accept"),
    ("r", "reject, and say why; the value is refused from now on"),
    ("o", "reject, but keep the value open for a better proposal"),
    ("e", "edit as successor in your editor"),
    ("n", "needs review: visible, and blocked for action"),
    ("s", "skip"),
    ("A", "accept this and all later ones that are safe: no warning, low risk, source agrees"),
    ("q", "quit, and apply what was decided"),
    ("?", "this help"),
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that is edited as successor.

    Attributes:
        diff_id: Its diff.
        change_id: The change.
        parts: The parts of the claim that are different.
        reason: Why.
    """

    diff_id: str
    change_id: str
    parts: Mapping[str, Any]
    reason: str


@dataclass(slots=True)
class Decisions:
    """What a reviewer wants so far.

    Attributes:
        choices: Diff id to change id to choice.
        edits: What is edited.
    """

    choices: dict[str, dict[str, Choice]] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)

    def put(self, standing: Standing, choice: Choice) -> None:
        """Note a choice."""
        of_diff = self.choices.setdefault(standing.pending.diff.id, {})
        of_diff[standing.change.id] = choice

    @property
    def count(self) -> int:
        """How many changes are decided."""
        return sum(map(len, self.choices.values())) + len(self.edits)


def decide(screen: Terminal, standings: Sequence[Standing]) -> Decisions:
    """Ask for every change in turn."""
    decisions = Decisions()
    screen.out(Styled(f"{len(standings)} to decide; ? for help", "dim"))
    for number, standing in enumerate(standings, 1):
        show_change(screen, standing, number, len(standings))
        key = _key(screen, standing, decisions)
        if key == "A":
            for later in standings[number - 1 :]:
                if later.is_safe:
                    decisions.put(later, Choice("accepted"))
            rest = [s for s in standings[number - 1 :] if not s.is_safe]
            return _rest(screen, rest, decisions)
        if key == "q":
            break
    return decisions


def _rest(screen: Terminal, rest: Sequence[Standing], decisions: Decisions) -> Decisions:
    """What is not safe is still asked for, one by one."""
    if rest:
        screen.out(Styled(f"{len(rest)} left that are not safe to accept unread", "yellow"))
        later = decide(screen, rest)
        for diff_id, chosen in later.choices.items():
            decisions.choices.setdefault(diff_id, {}).update(chosen)
        decisions.edits += later.edits
    return decisions


def _key(screen: Terminal, standing: Standing, decisions: Decisions) -> str:
    """Ask until something was decided; the key that did."""
    while True:
        key = ask(screen, "accept? [a,r,o,e,n,s,A,q,?] ")
        if key is None or key == "q":
            return "q"
        if key in ("a", "n"):
            decisions.put(standing, Choice("accepted" if key == "a" else "needs_review"))
            return key
        if key in ("r", "o"):
            reason = ask(screen, "why? ")
            if reason:
                decisions.put(standing, Choice("rejected", reason, keep_value_open=key == "o"))
                return key
            screen.out(Styled("a rejection says why", "yellow"))
        elif key == "e":
            if edit := _edit(screen, standing):
                decisions.edits.append(edit)
                return key
        elif key in ("s", "A"):
            return key
        else:
            screen.table([(Styled(name, "bold"), meaning) for name, meaning in KEYS], "  ")


def ask(screen: Terminal, prompt: str) -> str | None:
    """A line of answer, without its ends; None at the end of the input."""
    screen.out(Styled(prompt, "bold"), end="")
    screen.stdout.flush()
    line = screen.stdin.readline()
    return line.strip() if line else None


# --- editing --------------------------------------------------------------------------------------


def _edit(screen: Terminal, standing: Standing) -> Edit | None:
    item = standing.change.item
    if item is None:
        screen.out(Styled("there is no claim in this change to edit", "yellow"))
        return None
    try:
        parts = changed_parts(item, _in_editor(HEAD + editable_text(item)))
    except MunimentError as error:
        screen.findings(error.findings)
        return None
    except (OSError, subprocess.SubprocessError) as error:
        screen.out(Styled(f"the editor could not be run: {error}", "red"))
        return None
    if not parts:
        screen.out(Styled("nothing was changed", "yellow"))
        return None
    reason = ask(screen, "why? ") or ""
    if not reason:
        screen.out(Styled("an edit says why", "yellow"))
        return None
    return Edit(standing.pending.diff.id, standing.change.id, parts, reason)


def _in_editor(text: str) -> bytes:
    """What an editor makes of a text; the file is for its owner alone."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="muniment-") as folder:
        file = Path(folder) / "claim.yaml"
        file.touch(0o600)
        file.write_text(text, "utf-8")
        subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603 - the user's own editor
        return file.read_bytes()
