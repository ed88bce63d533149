"""Do what was asked by a verb of `Memory`, and say it as JSON: one table for every door that speaks JSON.

- What is given is read strictly; everything that is wrong is said at once, as findings with JSON pointers.
- Who acts comes with the memory, never with what is given; scopes narrow.
- Every answer says who acted, and where.

>>> [call.name for call in CALLS if call.tool]
['recall', 'query', 'revalidate', 'history', 'why', 'remember', 'propose', 'report']
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from muniment import wire
from muniment.calls import answers, requests
from muniment.calls.misshapen import findings_of
from muniment.core.access import Scope
from muniment.core.authority import VERBS
from muniment.core.canonical import digest_bytes
from muniment.core.diff import Decided
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.rdf import json_ld
from muniment.memory import Memory

Body = dict[str, Any]
Performer = Callable[[Memory, Any], Body]


@dataclass(frozen=True, slots=True)
class Call:
    """A verb as doors that speak JSON have it.

    Attributes:
        name: Its name.
        verbs: The methods of `Memory` that it may come to.
        request: The shape of what is given.
        answer: The shape of what comes back.
        perform: Does it.
        summary: One line about it.
    """

    name: str
    verbs: tuple[str, ...]
    request: type[BaseModel]
    answer: type[BaseModel]
    perform: Performer
    summary: str

    @property
    def tool(self) -> str:
        """The MCP tool; empty for none."""
        return next((verb.tool for verb in VERBS if verb.name in self.verbs and verb.tool), "")

    @property
    def route(self) -> tuple[str, str]:
        """HTTP method and path."""
        method, _, path = next(v.route for v in VERBS if v.name in self.verbs).partition(" ")
        return method, path

    @property
    def writes(self) -> bool:
        """Whether memory is another afterwards."""
        return any(verb.writes for verb in VERBS if verb.name in self.verbs)

    @property
    def role(self) -> str:
        """The least ceiling under which it is done."""
        return next(verb.role for verb in VERBS if verb.name in self.verbs)


def perform(call: Call, memory: Memory, given: Mapping[str, Any], once: str = "") -> Body:
    """Do a call.

    Args:
        call: Which.
        memory: As who acts.
        given: What was given, as JSON.
        once: An idempotency key, for what proposes.

    Raises:
        MunimentError: Whatever the verb refuses; nothing was written.
    """
    asked = read(call, given)
    scopes = getattr(asked, "scopes", None)
    acting = memory.narrowed(scopes=scopes, once=once, asked=_digest(call, given) if once else "")
    return {"acting": wire.acting(acting), **call.perform(acting, asked)}


def _digest(call: Call, given: Mapping[str, Any]) -> str:
    """Of a request as it came, before anything is filled in."""
    text = json.dumps([call.name, given], sort_keys=True)
    return digest_bytes(text.encode("ascii"))


def read(call: Call, given: Mapping[str, Any]) -> BaseModel:
    """What was given, in its shape.

    Raises:
        InvalidInput: Every finding at once.
    """
    try:
        return call.request.model_validate(given)
    except ValidationError as error:
        raise InvalidInput.of(findings_of(error, call.request, given)) from error


# --- reading --------------------------------------------------------------------------------------


def _options(asked: BaseModel, *without: str) -> Body:
    plain = {name: getattr(asked, name) for name in type(asked).model_fields}
    left = {"scopes", "certify", *without}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items() if k not in left}


def _recall(memory: Memory, asked: requests.Recall) -> Body:
    options = _options(asked, "query", "use")
    if asked.certify:
        return wire.certified(memory.certified_recall(asked.query, use=asked.use, **options))
    return wire.recalled(memory.recall(asked.query, use=asked.use, **options))


def _query(memory: Memory, asked: requests.Query) -> Body:
    options = _options(asked, "query", "use")
    if asked.certify:
        return wire.certified(memory.certified_query(asked.query, use=asked.use, **options))
    return wire.answered(memory.query(asked.query, use=asked.use, **options))


def _revalidate(memory: Memory, asked: requests.Revalidate) -> Body:
    return wire.verdict(memory.revalidate(asked.certificate))


def _show(memory: Memory, asked: requests.Named) -> Body:
    return wire.shown(memory.show(asked.id))


def _show_source(memory: Memory, asked: requests.Named) -> Body:
    return wire.shown_source(memory.show_source(asked.id))


def _claims(memory: Memory, asked: requests.Claims) -> Body:
    found = memory.claims(asked.ids)
    return {"claims": {name: encode(claim) for name, claim in found.items()}}


def _history(memory: Memory, asked: requests.Named) -> Body:
    return {"versions": [wire.version(one) for one in memory.history(asked.id)]}


def _why(memory: Memory, asked: requests.Named) -> Body:
    return {"why": wire.tuple_free(memory.why(asked.id))}


def _conflicts(memory: Memory, asked: requests.Nothing) -> Body:
    return {"conflicts": [wire.tuple_free(one) for one in memory.conflicts()]}


def _graph(memory: Memory, asked: requests.Graph) -> Body:
    return {"graph": json_ld(memory.graph(*asked.ids))}


def _survey(memory: Memory, asked: requests.Survey) -> Body:
    return wire.survey(memory.survey(sources=asked.sources))


def _inbox(memory: Memory, asked: requests.Inbox) -> Body:
    found = memory.inbox()
    ids = [one.diff.id for one in found]
    if asked.after and asked.after not in ids:
        fix = "take the first page again: what waited was decided meanwhile"
        message = f"{quoted(asked.after)} waits no more"
        raise InvalidInput.of((Finding("stale_cursor", message, "/after", fix),))
    start = ids.index(asked.after) + 1 if asked.after else 0
    page = found[start : start + asked.limit]
    more = start + asked.limit < len(found)
    return {
        "diffs": [wire.pending(one) for one in page],
        "next": page[-1].diff.id if more else None,
    }


def _diff(memory: Memory, asked: requests.OfDiff) -> Body:
    return wire.pending(*memory.diff(asked.id))


def _verification(memory: Memory, asked: requests.Verification) -> Body:
    return wire.verification(memory.verify(asked.head))


# --- proposing ------------------------------------------------------------------------------------


def _given(asked: BaseModel, *without: str) -> Body:
    """What was given, as a verb takes it; scopes as objects."""
    whole = asked.model_dump(mode="json", exclude_unset=True, exclude=set(without))
    if isinstance(whole.get("scope"), str):
        whole["scope"] = encode(Scope.parse(whole["scope"]))
    return {key: value for key, value in whole.items() if value is not None}


def _remember(memory: Memory, asked: requests.Remember) -> Body:
    return wire.proposed(memory.remember(asked.claim, **_given(asked, "claim")))


def _propose(memory: Memory, asked: requests.Propose) -> Body:
    return wire.proposed(memory.propose(_given(asked)))


def _report(memory: Memory, asked: requests.Report) -> Body:
    parts = {"source": asked.source} if asked.source else {}
    return wire.proposed(memory.report(asked.id, asked.verdict, asked.reason, **parts))


def _bridge(memory: Memory, asked: requests.Bridge) -> Body:
    return wire.proposed(
        memory.bridge(asked.phrase, asked.target, **_given(asked, "phrase", "target"))
    )


def _conversation(memory: Memory, asked: requests.Conversation) -> Body:
    lines = (json.dumps(one, ensure_ascii=False) for one in asked.messages)
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return wire.heard(memory.keep_conversation(data, asked.name))


# --- deciding -------------------------------------------------------------------------------------


def _decide(memory: Memory, asked: requests.Decisions) -> Body:
    signed = {
        name: Decided(
            asked.id,
            name,
            one.decision,
            memory.session.principal,
            one.at,
            one.reason,
            one.change_digest,
            one.signature,
            one.public_key,
        )
        for name, one in asked.decisions.items()
    }
    keep_open = [name for name, one in asked.decisions.items() if one.keep_value_open]
    return wire.outcome(memory.review_signed(asked.id, signed, keep_open))


CALLS: tuple[Call, ...] = (
    Call("recall", ("recall", "certified_recall"), requests.Recall, answers.Recalled, _recall,
         "Evidence for a question and a use, whole, cited, within a token budget."),
    Call("query", ("query", "certified_query"), requests.Query, answers.Answered, _query,
         "Join facts: every answer with its proofs, or why there is none."),
    Call("revalidate", ("revalidate",), requests.Revalidate, answers.Verdict, _revalidate,
         "Ask again what a certificate answers, and say what changed."),
    Call("show", ("show",), requests.Named, answers.Shown, _show,
         "A claim, with its six questions answered."),
    Call("source", ("show_source",), requests.Named, answers.ShownSource, _show_source,
         "A source that was kept word for word, or a passage with what stands around it; unreviewed."),
    Call("claims", ("claims",), requests.Claims, answers.ManyClaims, _claims,
         "Claims by identifier; what is absent or not visible is left out."),
    Call("history", ("history",), requests.Named, answers.History, _history,
         "Every version of a claim and of those it superseded."),
    Call("why", ("why",), requests.Named, answers.Why, _why,
         "Why a claim is there, what became of a diff, or how a retrieval came to its answer."),
    Call("conflicts", ("conflicts",), requests.Nothing, answers.Conflicts, _conflicts,
         "Recorded contradictions and their sides."),
    Call("survey", ("survey",), requests.Survey, answers.Survey, _survey,
         "How much is remembered, how fresh it is, what ends, what waits, and what it rests on."),
    Call("graph", ("graph",), requests.Graph, answers.Graph, _graph,
         "Claims as an RDF graph, in JSON-LD."),
    Call("inbox", ("inbox",), requests.Inbox, answers.Waiting, _inbox,
         "What waits for review, oldest first."),
    Call("diff", ("diff",), requests.OfDiff, answers.OneDiff, _diff,
         "A diff with where its changes stand, and what the checks notice."),
    Call("remember", ("remember",), requests.Remember, answers.Proposed, _remember,
         "Propose one statement; it serves nobody before it is accepted."),
    Call("propose", ("propose",), requests.Propose, answers.Proposed, _propose,
         "Propose several changes that are reviewed one by one."),
    Call("report", ("report",), requests.Report, answers.Proposed, _report,
         "Say that a memory was wrong, outdated or useful: a proposal."),
    Call("bridge", ("bridge",), requests.Bridge, answers.Proposed, _bridge,
         "Propose that a phrase of queries may be rewritten to another."),
    Call("conversation", ("keep_conversation",), requests.Conversation, answers.Heard, _conversation,
         "Keep messages word for word, unreviewed."),
    Call("decisions", ("review_signed",), requests.Decisions, answers.Outcome, _decide,
         "Decide changes by decisions that their reviewer signed."),
    Call("verification", ("verify",), requests.Verification, answers.Verified, _verification,
         "Check the ledger, against a head that was kept."),
)  # fmt: skip
