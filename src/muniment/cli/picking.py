"""Which changes a command line names: `all`, `safe`, a change's id, or `DIFF/CHANGE` where several diffs wait.

- What was named by itself is decided or refused; what `all` or `safe` brought along may be set aside.
- An edit says what is different, and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muniment import wiring
from muniment.cli.call import refusal
from muniment.cli.dialogue import Decisions, Edit
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, quoted
from muniment.reviewable.standing import Standing
from muniment.usecases.review import Choice

LISTED = 20


class Picker:
    """Turns identifiers on the command line into decisions."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        self.standings = standings
        self.decisions = Decisions()
        self.unnamed: set[tuple[str, str]] = set()

    def put(self, given: Sequence[str], choice: Choice) -> None:
        """Note a choice for identifiers, `all` or `safe`; what was named before stays."""
        for word in (one for text in given for one in text.split(",") if one):
            if word in ("all", "safe"):
                chosen = [s for s in self.standings if word == "all" or s.is_safe]
                self.unnamed |= {(s.pending.diff.id, s.change.id) for s in chosen}
            else:
                chosen = [self.find(word)]
                self.unnamed -= {(s.pending.diff.id, s.change.id) for s in chosen}
            for one in chosen:
                self.decisions.put(one, choice)

    def find(self, word: str) -> Standing:
        """The open change that an identifier names; `DIFF/CHANGE` where several diffs have it."""
        found = [
            s for s in self.standings if word in (s.change.id, f"{s.pending.diff.id}/{s.change.id}")
        ]
        if len(found) == 1:
            return found[0]
        if found:
            fix = f"name its diff too, as in `{found[0].name}`"
            raise refusal("ambiguous_change", f"{quoted(word)} stands in several diffs", "ID", fix)
        several = len({s.pending.diff.id for s in self.standings}) > 1
        open_ = [s.name if several else s.change.id for s in self.standings[:LISTED]]
        known = ", ".join(open_) or "none"
        message = f"no open change {quoted(word)} waits here"
        raise refusal("no_change", message, "ID", f"open ones: {known}", "B-DIFFREVIEW")

    def edit(self, word: str, settings: Sequence[str], reason: str) -> None:
        """Note an edit."""
        one = self.find(word)
        parts: dict[str, Any] = {}
        for text in settings:
            _set(parts, text, one)
        if not parts or not reason:
            fix = "give `--set KEY=TEXT` and `--reason TEXT`"
            raise refusal("nothing_to_edit", "an edit says what, and why", "--edit", fix)
        for chosen in self.decisions.choices.values():
            chosen.pop(one.change.id, None)
        self.decisions.edits.append(Edit(one.pending.diff.id, one.change.id, parts, reason))


def _set(parts: dict[str, Any], text: str, one: Standing) -> None:
    """Put one `KEY=TEXT` or `KEY:=JSON` into the parts; a dotted key reaches inside."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        fix = "write it as KEY=TEXT or KEY:=JSON"
        raise refusal("bad_setting", f"{quoted(text)} sets nothing", "--set", fix)
    new: Any = value
    if key.endswith(":"):
        key = key[:-1]
        new, findings = wiring.read_document(value.encode("utf-8", "surrogatepass"), "--set.json")
        if findings:
            raise InvalidInput.of(findings)
    steps = key.split(".")
    whole = encode(one.change.item) if one.change.item else {}
    holder = parts
    for step in steps[:-1]:
        whole = whole.get(step, {}) if isinstance(whole, Mapping) else {}
        holder = holder.setdefault(step, dict(whole) if isinstance(whole, Mapping) else {})
    holder[steps[-1]] = new
