"""The low-risk uses that statements of each kind may serve.

What is read from a file is never offered for more than these, whatever the file says.

>>> sorted(set(TEST_USES) - set(COMMAND_USES))
['choose_test_commands']
"""

from __future__ import annotations

INFORM_USES: tuple[str, ...] = ("answer_questions", "prepare_context")
FACT_USES: tuple[str, ...] = (*INFORM_USES, "plan_changes")
STYLE_USES: tuple[str, ...] = (*FACT_USES, "draft_pr")
DECISION_USES: tuple[str, ...] = (*FACT_USES, "explain_decisions")
COMMAND_USES: tuple[str, ...] = (*INFORM_USES, "choose_local_commands")
TEST_USES: tuple[str, ...] = (*COMMAND_USES, "choose_test_commands")
