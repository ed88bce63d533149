"""Sign and apply what was decided, diff by diff, and say what came of it.

- A diff is applied whole or not at all. What `all` or `safe` brought along and cannot be decided (the reviewer's own
  proposal, a source that says something else now) is set aside with its finding, and the rest is applied; in the
  dialogue only after a yes.
- What was named by itself is refused, and nothing of its diff is applied; the other diffs are.
- Findings name the change as `DIFF/CHANGE`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from muniment import wire
from muniment.cli import passphrase
from muniment.cli.call import Call, Waiting
from muniment.cli.dialogue import Decisions, ask
from muniment.cli.terminal import Styled, brief
from muniment.core.errors import Conflicted, Finding, InvalidInput, MunimentError, NotPermitted
from muniment.reviewable.standing import change_of
from muniment.usecases.pending import change_doc_id
from muniment.usecases.review import Choice

if TYPE_CHECKING:
    from muniment.core.diff import Diff
    from muniment.memory import Memory
    from muniment.ports.credential import Signer
    from muniment.usecases.apply import Outcome
    from muniment.usecases.propose import Proposed


class Applying:
    """One signing: the credential is opened once, after everything was decided."""

    def __init__(
        self, call: Call, memory: Memory, fd: int | None, file: Path | None, is_dialogue: bool
    ) -> None:
        self.call, self.memory, self.is_dialogue = call, memory, is_dialogue
        self._fd, self._file = fd, file
        self.outcomes: list[Outcome] = []
        self.aside: list[Finding] = []

    def apply(self, decisions: Decisions, unnamed: Collection[tuple[str, str]]) -> int | None:
        """Apply decisions.

        Args:
            decisions: What the reviewer wants.
            unnamed: Diff and change of what only `all` or `safe` brought along.

        Returns:
            The exit code: waiting where something was set aside, the refusal's where what was named was refused.

        Raises:
            MunimentError: Nothing at all could be applied.
        """
        screen = self.call.terminal
        if self.is_dialogue:
            screen.out()
            screen.out(Styled("to sign: ", "bold"), _summary(decisions))
        signer = self._opened(tries=3 if self.is_dialogue else 1)
        code = None
        refused: list[MunimentError] = []
        for diff_id, choices in decisions.choices.items():
            loose = {name for name in choices if (diff_id, name) in unnamed}
            try:
                self._review(diff_id, choices, loose, signer)
            except (Conflicted, InvalidInput) as error:
                if self.is_dialogue:
                    screen.findings(error.findings)
                else:
                    refused.append(error)
                    self.aside += error.findings
                if not loose >= set(choices):
                    code = code or error.exit_code
        edited = self._edit(decisions, signer)
        if refused and not self.outcomes:
            raise refused[0] if len(refused) == 1 else _together(refused)
        self._say(edited)
        return code or (Waiting.exit_code if self.aside else None)

    def _opened(self, tries: int) -> Signer:
        for left in range(tries, 1, -1):
            try:
                return passphrase.signer(self.call, "sign", self._fd, self._file)
            except NotPermitted as error:
                if not any(f.code == "wrong_passphrase" for f in error.findings):
                    raise
                more = f"wrong passphrase, {left - 1} more tries"
                self.call.terminal.err(Styled(more, "yellow"))
        return passphrase.signer(self.call, "sign", self._fd, self._file)

    def _review(
        self, diff_id: str, choices: Mapping[str, Choice], loose: Collection[str], signer: Signer
    ) -> None:
        """Review one diff, without what is set aside.

        Raises:
            MunimentError: Refused; its findings name the changes.
        """
        if not choices:
            return
        try:
            self.outcomes.append(self.memory.review(diff_id, choices, signer))
        except (Conflicted, InvalidInput) as error:
            diff = self.memory.diff(diff_id)[0].diff
            places = [_place(diff, found) for found in error.findings]
            named = tuple(
                replace(found, path=path)
                for found, (_, path) in zip(error.findings, places, strict=True)
            )
            out = {change for change, _ in places}
            rest = {name: choice for name, choice in choices.items() if name not in out}
            told = type(error)(str(named[0]), named)
            if not rest or not out <= set(choices):
                raise told from error
            if self.is_dialogue:
                self._ask(told, len(choices) - len(rest), len(rest))
            elif not out <= set(loose):
                raise told from error
            else:
                self.aside += named
            self._review(diff_id, rest, set(loose) - out, signer)

    def _ask(self, told: MunimentError, aside: int, rest: int) -> None:
        """Whether to go on without some changes.

        Raises:
            MunimentError: No.
        """
        screen = self.call.terminal
        screen.findings(told.findings)
        answer = ask(screen, f"set {aside} aside, apply {rest}? [y/N] ")
        if (answer or "").lower() not in ("y", "yes"):
            raise told

    def _edit(self, decisions: Decisions, signer: Signer) -> list[Proposed]:
        edited = []
        for one in decisions.edits:
            proposed, outcome = self.memory.edit(
                one.diff_id, one.change_id, one.parts, signer, one.reason
            )
            edited.append(proposed)
            self.outcomes.append(outcome)
        return edited

    def _say(self, edited: Sequence[Proposed]) -> None:
        if self.call.options.json:
            body = {
                "outcomes": [wire.outcome(one) for one in self.outcomes],
                "edited": [wire.proposed(one) for one in edited],
                "set_aside": [wire.finding(one) for one in self.aside],
            }
            self.call.result(body)
            return
        screen = self.call.terminal
        for outcome in self.outcomes:
            _say_outcome(self.call, outcome)
        for proposed in edited:
            screen.out(f"{proposed.diff.id} holds the edited claim, and waits for another reviewer")
            screen.findings(proposed.findings)
        if self.aside:
            screen.out(Styled(f"not applied, still waiting: {len(self.aside)}", "yellow"))
            screen.findings(self.aside)


def _summary(decisions: Decisions) -> str:
    counts = Counter(c.decision for many in decisions.choices.values() for c in many.values())
    said = [f"{n} {name.replace('_', ' ')}" for name, n in counts.items()]
    said += [f"{len(decisions.edits)} edited"] if decisions.edits else []
    return ", ".join(said)


def _place(diff: Diff, found: Finding) -> tuple[str, str]:
    """The change that a finding is about (empty where it is none), and a path that names it."""
    change = change_of(diff, found)
    if not change:
        return "", found.path
    inside = found.path.split("/")[3:] if found.path.startswith("/changes/") else []
    return change, "/".join((change_doc_id(diff.id, change), *inside))


def _together(refused: Sequence[MunimentError]) -> MunimentError:
    """Several refusals as one."""
    findings = tuple(found for error in refused for found in error.findings)
    return type(refused[0])(f"{refused[0].message} (and {len(findings) - 1} more)", findings)


def _say_outcome(call: Call, outcome: Outcome) -> None:
    screen = call.terminal
    counts = Counter(one.decision for one in outcome.decisions.values())
    said = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items()) or "nothing"
    screen.out(Styled(outcome.diff_id, "bold"), f"  {said}")
    for conflict in outcome.conflicts:
        screen.out(
            Styled("  conflict kept: ", "yellow"),
            f"{conflict.left}, {conflict.right}: {brief(conflict.note, 100)}",
        )
    if outcome.held:
        held = ", ".join(outcome.held)
        screen.out(Styled("  still pending: ", "yellow"), f"{held}; another reviewer is needed")
