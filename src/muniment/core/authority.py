"""Who may do what: one table of every verb, from which doors, refusals, tests and documentation are made (`E-ONEGATE`).

- A *role* here is a ceiling: what a session, token or server may do at most. What a principal may really do also asks
  for its declared roles and, where something is decided or declared, for its credential.
- A verb has one meaning; the doors that it is reached by are named, and no other door has it.
- Nothing of what a model can reach decides on memory: no tool accepts.

>>> allows("reader", "recall"), allows("reader", "remember"), allows("operator", "review")
(True, False, True)
>>> [verb.name for verb in VERBS if verb.tool and verb.role not in ("reader", "proposer")]
[]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from muniment.core.errors import NotPermitted, quoted

LADDER = ("reader", "proposer", "reviewer", "operator")
"""The ceilings, each with everything before it."""

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb, whatever the door.

    Attributes:
        name: The method of `Memory`.
        role: The least ceiling under which it is done.
        writes: Whether the ledger, or a file of the machine, is another afterwards.
        command: The command that does it; empty for none.
        tool: The MCP tool that does it; empty for none.
        route: HTTP method and path; empty for none.
        page: Whether the review page does it.
        resource: The MCP resource that it is read by; empty for none.
    """

    name: str
    role: str
    writes: bool = False
    command: str = ""
    tool: str = ""
    route: str = ""
    page: bool = False
    resource: str = ""


VERBS: tuple[Verb, ...] = (
    # Reading.
    Verb("recall", "reader", command="recall", tool="recall", route="POST /v1/recall", page=True),
    Verb("certified_recall", "reader", command="recall", tool="recall", route="POST /v1/recall", page=True),
    Verb("query", "reader", command="query", tool="query", route="POST /v1/query", page=True),
    Verb("certified_query", "reader", command="query", tool="query", route="POST /v1/query", page=True),
    Verb("revalidate", "reader", command="revalidate", tool="revalidate", route="POST /v1/revalidate", page=True),
    Verb("show", "reader", command="show", route="GET /v1/claims/{id}", page=True, resource="muniment://claim/{id}"),
    Verb("show_source", "reader", command="show", route="GET /v1/sources/{id}", resource="muniment://source/{id}"),
    Verb("claims", "reader", route="GET /v1/claims", page=True),
    Verb("history", "reader", command="history", tool="history", route="GET /v1/claims/{id}/history", page=True),
    Verb("why", "reader", command="why", tool="why", route="GET /v1/why/{id}", page=True,
         resource="muniment://retrieval/{id}"),
    Verb("conflicts", "reader", command="conflicts", route="GET /v1/conflicts", page=True),
    Verb("survey", "reader", command="overview", route="GET /v1/survey", page=True),
    Verb("bridges", "reader", page=True),
    Verb("decisions", "reader", page=True),
    Verb("graph", "reader", command="graph", route="GET /v1/graph", page=True),
    Verb("inbox", "reader", command="inbox", route="GET /v1/diffs", page=True),
    Verb("diff", "reader", command="review", route="GET /v1/diffs/{id}", page=True),
    Verb("declared", "reader", command="principal", page=True),
    Verb("is_governed", "reader", page=True),
    Verb("may_review_own", "reader", page=True),
    Verb("export", "reader", command="export"),
    # Proposing.
    Verb("remember", "proposer", True, "remember", "remember", "POST /v1/claims"),
    Verb("propose", "proposer", True, "propose", "propose", "POST /v1/diffs"),
    Verb("report", "proposer", True, "report", "report", "POST /v1/reports"),
    Verb("bridge", "proposer", True, "bridge", route="POST /v1/bridges", page=True),
    Verb("consolidations", "reader", command="consolidate"),
    Verb("consolidate", "proposer", True, "consolidate"),
    Verb("narrow", "proposer", True, "narrow"),
    Verb("learn", "proposer", True, "learn"),
    Verb("reread", "proposer", True, "reread", page=True),
    Verb("import_", "proposer", True, "import"),
    Verb("sync", "proposer", True, "sync"),
    Verb("learn_conversation", "proposer", True, "learn"),
    Verb("keep_conversation", "proposer", True, route="POST /v1/conversations"),
    # Keeping notes of one's own; nothing of them is in the ledger until it is proposed.
    Verb("notes", "reader", command="note"),
    Verb("read_note", "reader", command="note"),
    Verb("note", "proposer", True, "note"),
    Verb("end_notes", "proposer", True, "note"),
    Verb("rename_notes", "proposer", True),
    Verb("renew_notes", "proposer", True),
    Verb("propose_note", "proposer", True, "note"),
    # Deciding.
    Verb("review", "reviewer", True, "review", page=True),
    Verb("review_signed", "reviewer", True, route="POST /v1/diffs/{id}/decisions"),
    Verb("edit", "reviewer", True, "review", page=True),
    Verb("lift", "reviewer", True),
    Verb("restore", "reviewer", True, "restore"),
    # Operating.
    Verb("declare", "operator", True, "principal"),
    Verb("declare_policy", "operator", True, "policy"),
    Verb("create_token", "operator", True, "token"),
    Verb("rotate_token", "operator", True, "token"),
    Verb("revoke_token", "operator", True, "token"),
    Verb("tokens", "operator", command="token"),
    Verb("to_erase", "operator", command="erase"),
    Verb("erase", "operator", True, "erase"),
    Verb("embed", "operator", True, "embed"),
    Verb("retain", "operator", True, "retain"),
    Verb("recall_as", "operator", page=True),
    Verb("verify", "operator", command="verify", route="GET /v1/verification", page=True),
    Verb("doctor", "operator", command="doctor", page=True),
    Verb("rebuild", "operator", True, "doctor"),
    Verb("reindex", "operator", True, "doctor"),
)  # fmt: skip

OUTSIDE = ("open", "acting_as", "with_token", "narrowed", "close")
"""Methods of `Memory` that are no verbs: they say who acts, and do nothing to memory."""


def role_of(name: str) -> str:
    """The least ceiling of a verb.

    Raises:
        KeyError: There is no such verb.
    """
    for verb in VERBS:
        if verb.name == name:
            return verb.role
    raise KeyError(f"`{name}` is in no row of core.authority.VERBS")


def allows(ceiling: str, verb: str) -> bool:
    """Whether a ceiling lets a verb be done; an unknown ceiling lets nothing, the empty one everything.

    >>> allows("", "erase"), allows("root", "recall")
    (True, False)
    """
    if not ceiling:
        return True
    return ceiling in LADDER and LADDER.index(ceiling) >= LADDER.index(role_of(verb))


def lower(one: str, other: str) -> str:
    """The lower of two ceilings; the empty one is none.

    >>> lower("reviewer", "reader"), lower("", "proposer"), lower("", "")
    ('reader', 'proposer', '')
    """
    return min((c for c in (one, other) if c), key=LADDER.index, default="")


def refuse_beyond(ceiling: str, verb: str) -> None:
    """Refuse what a ceiling does not allow.

    Raises:
        NotPermitted: The verb asks for a higher role.
    """
    if not allows(ceiling, verb):
        need = role_of(verb)
        message = f"{quoted(verb)} asks for the role {need}, and this session has {quoted(ceiling)}"
        fix = (
            f"use a token, or a `--role`, of {need}; an operator makes one: `muniment token create`"
        )
        raise NotPermitted(message, fix=fix)


def gated(method: Method) -> Method:
    """A verb of the front object: refused where the session's ceiling does not allow it, by whatever door it came.

    Raises:
        KeyError: The method is not in `VERBS`; raised when the class is made.
    """
    name = method.__name__
    role_of(name)

    @functools.wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_beyond(self.session.role, name)
        return method(self, *args, **kwargs)

    return checked  # type: ignore[return-value]
