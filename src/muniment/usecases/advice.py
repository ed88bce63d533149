"""What to do where a recall hands nothing over: by what was left out, by the use, and by what waits for review.

- A use that is not declared is allowed and counts as high-risk; whoever mistyped one is told the nearest name.
- What waits is counted from what the asker may see in the scopes asked, and only where nothing supports an answer:
  what waits elsewhere, or for others alone, is not told.

>>> undeclared_use("choose_test_command")
'`choose_test_command` is not a declared use and counts as high-risk: did you mean `choose_test_commands`?'
>>> undeclared_use("plan_changes"), undeclared_use("draft_pull_request"), undeclared_use("")
('', '', '')
>>> undeclared_use("launch_rocket")
'`launch_rocket` is not a declared use and counts as high-risk'
"""

from __future__ import annotations

import difflib

from muniment.core.codec import trusted
from muniment.core.diff import Change
from muniment.core.errors import quoted
from muniment.core.packet import Omission, Outcome
from muniment.core.vocabulary import USE_ALIASES, USES
from muniment.usecases.viewing import Viewing

_DECLARED = (*(use.name for use in USES), *(alias for alias, _ in USE_ALIASES))


def advice_on(outcome: Outcome, omissions: tuple[Omission, ...], use: str, waiting: int) -> str:
    """What to do, in one line.

    Args:
        outcome: Of a packet without evidence.
        omissions: What was left out of it.
        use: What was asked for.
        waiting: How many changes wait in scope, as far as the asker may see them.
    """
    further = [undeclared_use(use)]
    if waiting:
        many = "1 change waits" if waiting == 1 else f"{waiting} changes wait"
        further.append(f"{many} for review in these scopes: a reviewer runs `muniment review`")
    return "; ".join(filter(None, (_by_omissions(outcome, omissions), *further)))


def _by_omissions(outcome: Outcome, omissions: tuple[Omission, ...]) -> str:
    reasons = {reason for omission in omissions for reason in omission.reasons}
    if outcome == "budget_exceeded":
        return "raise the budget or the number of claims; nothing is ever cut to fit"
    if reasons - {"below_threshold"}:
        return "claims that match may not serve this request; the omissions say by which rule"
    if "below_threshold" in reasons:
        return "lower the relevance threshold to see what is less relevant"
    return "nothing that you may use answers this; ask in other words, or propose what is missing"


def undeclared_use(use: str) -> str:
    """What to say of a use that is not declared, with the nearest that is; empty where there is nothing to say."""
    if not use or use in _DECLARED:
        return ""
    near = difflib.get_close_matches(use, _DECLARED, n=1)
    meant = f": did you mean {quoted(near[0])}?" if near else ""
    return f"{quoted(use)} is not a declared use and counts as high-risk{meant}"


def waiting_in(viewing: Viewing, classes: tuple[str, ...]) -> int:
    """How many changes of some visible classes wait for a decision."""
    settled = {doc.id for doc in viewing.snapshot.docs("decision")}
    docs = viewing.snapshot.docs("change")
    found = [doc.seq for doc in docs if doc.cls in classes and doc.id not in settled]
    contents = viewing.snapshot.contents(found)  # an erased one is not there any more
    if not viewing.withdrawn():
        return len(contents)
    return sum(not viewing.loses(trusted(Change, content)) for content in contents.values())
