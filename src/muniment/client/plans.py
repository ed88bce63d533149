"""What each verb asks of a server: the routes are those of the table that the server makes its own from.

- A plan yields requests and is sent their answers; who drives it waits, or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from muniment.calls.perform import CALLS
from muniment.client.sending import Asked, Body
from muniment.core.canonical import canonical, digest
from muniment.core.diff import Decided, signed_statement
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.credential import Signer
from muniment.usecases.review import Choice

Plan = Generator[Asked, Body, Body]
BY_NAME = {call.name: call for call in CALLS}
PAGE = 200
MOST_TURNS = 5


def asked(name: str, given: Mapping[str, Any], **path: str) -> Asked:
    """The request of a call.

    Args:
        name: The call's.
        given: Its fields.
        **path: What stands in its address.
    """
    call = BY_NAME[name]
    method, template = call.route
    place = template.format(**{key: quote(value, safe="") for key, value in path.items()})
    if method == "GET":
        return Asked(method, place, query=given)
    return Asked(method, place, given, once=call.writes and call.role == "proposer")


def one(request: Asked) -> Plan:
    """A plan of one request."""
    answer: Body = yield request
    return answer


def inbox() -> Plan:
    """Everything that waits, page by page; begun anew where a page's end was decided meanwhile."""
    found: list[Any] = []
    after, turns = "", 1
    while True:
        given = {"limit": PAGE, **({"after": after} if after else {})}
        try:
            page = yield asked("inbox", given)
        except InvalidInput as error:
            stale = any(finding.code == "stale_cursor" for finding in error.findings)
            if not stale or turns == MOST_TURNS:
                raise
            found, after, turns = [], "", turns + 1
            continue
        found += page["diffs"]
        after = page["next"] or ""
        if not after:
            return {**page, "diffs": found}


@dataclass(frozen=True, slots=True)
class Shown:
    """A diff as it was fetched, to be signed over.

    Attributes:
        body: The answer of the server.
    """

    body: Mapping[str, Any]

    def digest_of(self, change_id: str) -> str:
        """The digest of a change as it was shown.

        Raises:
            InvalidInput: The diff has no such change.
        """
        for change in self.body["changes"]:
            if change["id"] == change_id:
                return digest({key: value for key, value in change.items() if key != "state"})
        message = f"the diff has no change {quoted(change_id)} that you may see"
        place, fix = f"/decisions/{change_id}", "name one of its changes"
        raise InvalidInput.of((Finding("no_change", message, place, fix, req="B-DIFFREVIEW"),))


def review(
    diff: str | Mapping[str, Any],
    choices: Mapping[str, Choice],
    signer: Signer,
    clock: Callable[[], datetime],
) -> Plan:
    """Decide changes of a diff: fetch it where it is only named, sign what was shown, and send the decisions.

    Args:
        diff: Its name, or the diff as `diff` gave it.
        choices: Change id to choice.
        signer: The reviewer's opened credential.
        clock: Gives the present.

    Raises:
        InvalidInput: A choice names no change.
    """
    body: Mapping[str, Any] = (
        diff if not isinstance(diff, str) else (yield asked("diff", {}, id=diff))
    )
    shown, now = Shown(body), clock().astimezone(UTC)
    signed = {name: _signed(shown, name, choice, signer, now) for name, choice in choices.items()}
    request = asked("decisions", {"decisions": signed}, id=str(body["id"]))
    answer: Body = yield request
    return answer


def _signed(shown: Shown, name: str, choice: Choice, signer: Signer, now: datetime) -> Body:
    acting, body = shown.body["acting"], shown.body
    plain = Decided(
        diff_id=str(body["id"]),
        change_id=name,
        decision=choice.decision,
        by=str(acting["principal"]),
        at=now,
        reason=choice.reason,
        change_digest=shown.digest_of(name),
        public_key=signer.public_key,
    )
    statement = canonical(signed_statement(str(acting["tenant"]), plain))
    decided = replace(plain, signature=signer.sign(statement))
    return {
        "decision": decided.decision,
        "reason": decided.reason,
        "at": encode(decided.at),
        "change_digest": decided.change_digest,
        "public_key": decided.public_key,
        "signature": decided.signature,
        "keep_value_open": choice.keep_value_open,
    }
