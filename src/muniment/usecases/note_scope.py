"""Which notes a session reaches: its principal's own, in the turns, tasks and conversations that are in force.

- A scope that is not in force holds nothing for the session, as for claims (`E-NOSCOPE`); nothing is guessed.
"""

from __future__ import annotations

from muniment.core.access import Scope
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.note import LIVES
from muniment.usecases.session import Session

_NAMED = "name one with `--scope task:<id>`, or act in one"


def note_scopes(session: Session) -> tuple[Scope, ...]:
    """The turns, tasks and conversations in force, in their order.

    Raises:
        InvalidInput: Nobody acts, or none is in force.
    """
    _require_somebody(session)
    found = tuple(dict.fromkeys(scope for scope in session.scopes if scope.kind in LIVES))
    if not found:
        message = "no turn, task or conversation is in force, and notes are kept in one"
        raise InvalidInput.of((Finding("no_scope", message, "/scope", _NAMED, req="E-NOSCOPE"),))
    return found


def note_scope(session: Session, given: str | Scope) -> Scope:
    """The scope that is meant: the one that is named, or the only one in force that notes are kept in.

    Args:
        session: Who acts, and where.
        given: `task:release`; empty for the only one.

    Raises:
        InvalidInput: Nobody acts, none or several are in force, or the one that is named is not.
    """
    if not given:
        found = note_scopes(session)
        if len(found) > 1:
            message = f"several are in force: {', '.join(quoted(scope) for scope in found)}"
            finding = Finding("which_scope", message, "/scope", "name one", req="E-NOSCOPE")
            raise InvalidInput.of((finding,))
        return found[0]
    _require_somebody(session)
    scope = given if isinstance(given, Scope) else Scope.parse(given)
    if scope not in session.scopes:
        message = f"{quoted(scope)} is not in force"
        fix = f"act in it; in force: {', '.join(map(str, session.scopes)) or 'none'}"
        raise InvalidInput.of(
            (Finding("scope_not_in_force", message, "/scope", fix, req="E-NOSCOPE"),)
        )
    return scope


def _require_somebody(session: Session) -> None:
    if not session.principal:
        message = "nobody acts, and a note is its writer's alone"
        fix = "say who acts: `acting_as`, or `--as`"
        raise InvalidInput.of((Finding("no_principal", message, "", fix, req="E-NOSCOPE"),))
