"""`recall`, as Typer reads it; plain command lines are read by `flags.parse` and never come here."""

from __future__ import annotations

from typing import Any

from muniment.cli.asking import answer
from muniment.cli.call import Call
from muniment.cli.flags import RECALL
from muniment.cli.options import parameter, with_parameters


def _recall(call: Call, **given: Any) -> None:
    """Answer a question from memory: permitted, current, whole and cited, inside a token budget.

    Without `--use` it is for looking only. An outcome such as `no_support` is an answer: the exit code is 0.

    Example: `muniment recall "how do I run the tests?" --use choose_local_commands --budget 400`
    """
    answer(call, **given)


recall = with_parameters(_recall, [parameter(option) for option in RECALL])
