"""`hook`: what an agent's host runs at the beginning and at the end of a session."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli import codes
from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.core.errors import MunimentError, quoted

MOMENTS = ("session-start", "stop")
BUDGET = 800
LONGEST = 1_000_000
SHORTEST_SESSION = 20
"""Lines of a session's record, below which it has taught nothing that would be worth a reminder."""
KEPT_SECONDS = 30 * 86_400
REMINDER = (
    "Before you finish: did this session teach something that will matter again and that memory does not say yet? If"
    " so, propose it with muniment's `remember` (one fact, its source, the exact words that stand there), and `report`"
    " memories that you used and that held, or did not. If not, finish; no proposal is owed."
)


@command
def hook(
    call: Call,
    moment: Annotated[str, typer.Argument(metavar="MOMENT", help=f"One of {', '.join(MOMENTS)}.")],
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", help="Tokens of the packet at most.")
    ] = BUDGET,
) -> int:
    """What an agent's host runs: `session-start` prints a packet, `stop` reminds once a session what to propose.

    `muniment connect claude-code --hooks` sets both up. A hook that fails says so on stderr and stops nobody: its
    exit code is never 2, by which a host would hold the agent up.

    Example: `muniment hook session-start --as agent:claude-code`
    """
    if moment not in MOMENTS:
        fix = f"one of: {', '.join(MOMENTS)}"
        raise refusal(
            "unknown_moment", f"{quoted(moment)} is no moment that is known here", "MOMENT", fix
        )
    told = _told(call)
    try:
        if moment == "session-start":
            _packet(call, budget)
        else:
            _remind(call, told)
    except MunimentError as error:
        call.terminal.findings(error.findings)
        return codes.WRONG
    return codes.DONE


def _told(call: Call) -> dict[str, Any]:
    """What the host says of the session, on stdin; nothing where it says nothing."""
    if call.terminal.stdin.isatty():
        return {}
    try:
        value = json.loads(call.terminal.stdin.read(LONGEST))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _packet(call: Call, budget: int) -> None:
    """What is newest among what the agent may see, for looking only: it has not said yet what it wants to do."""
    recalled = call.memory().recall("", use="", method="temporal_retrieval", budget=budget)
    if recalled.packet.items:
        call.terminal.out(
            "What memory knows here, the newest first; recall again with a use before you rely on it."
        )
        call.terminal.out(recalled.packet.text, end="")


def _remind(call: Call, told: dict[str, Any]) -> None:
    session = str(told.get("session_id", ""))
    if not session or told.get("stop_hook_active") or _is_short(told) or not _first_time(session):
        return
    call.terminal.json({"decision": "block", "reason": REMINDER})


def _is_short(told: dict[str, Any]) -> bool:
    try:
        with Path(str(told.get("transcript_path", ""))).open("rb") as stream:
            return sum(1 for _ in stream) < SHORTEST_SESSION
    except (OSError, ValueError):
        return True


def _first_time(session: str) -> bool:
    """Whether a session was not reminded yet; it counts as reminded from now on."""
    import platformdirs

    folder = Path(platformdirs.user_state_path("muniment")) / "reminded"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.iterdir():
            if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                old.unlink(missing_ok=True)
        (folder / hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]).touch(
            exist_ok=False
        )
    except OSError:
        return False
    return True
