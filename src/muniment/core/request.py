"""What a recall is asked for, and everything that is wrong with it at once.

- Limits are hard and have declared ranges; a number outside is refused, never clipped (`E-LIMITS`, `A-RELEVANCE`).
- The nine inputs of the query model are fields: identifier, type, scope, source, query, time, threshold, status,
  version (`A-QUERY`).
- A scope can narrow those in force and never widen them (`A-BOUNDARY`).
- A method that this build does not have is refused by name; nothing else is done in its place.

>>> [f.code for f in request_findings(Request("run the tests", k=0, relevance_threshold=1.5))]
['out_of_range', 'out_of_range']
>>> request_findings(Request("run the tests", k=100, relevance_threshold=1.0))
()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from muniment.core.access import Scope
from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.quote import SERVES
from muniment.core.ranking import POLICIES, method_names, policy_named
from muniment.core.text import identifier_findings, text_findings
from muniment.core.vocabulary import RETRIEVAL_METHODS, names, unknown_name

LONGEST_QUERY = 10_000
LONGEST_FILTER = 2_000
LIMITS = (("budget", 1, 1_000_000), ("k", 1, 100), ("variants", 1, 32), ("steps", 1, 4))
HISTORICAL = ("expired", "superseded", "invalid", "archived")
LOGS = ("text", "digest", "off")


@dataclass(frozen=True, slots=True)
class Request:
    """One question to memory.

    Attributes:
        query: What is asked, in words; may be empty with `ids`, or with `temporal_retrieval`.
        use: What the answer is wanted for; empty for looking only, which serves no action.
        budget: Tokens of the text at most.
        k: Claims at most.
        scopes: Of the scopes in force, those asked for; empty for all of them.
        at: The instant in valid time; None for now.
        as_of: A packet's revision or an instant in system time; None for the latest.
        history: Whether expired, superseded and deprecated claims are wanted, marked as such.
        method: How to find.
        counter: Name of the token counter; empty for the default.
        ids: Only these claims.
        memory_types: Only these memory types.
        types: Only these claim types.
        origins: Only these source origins.
        uri_prefix: Only claims whose source's address begins so.
        statuses: Only these computed statuses.
        version: Only claims whose version is this one; 0 for any.
        relevance_threshold: In [0, 1]; inclusive, beside the policy's own.
        include_passages: Whether unreviewed passages of sources are wanted too, at most `k` of them.
        reread: Whether the sources of what is found are read again for this request.
        own_proposals: Whether the asker's own open proposals are wanted, labelled.
        grounded: Whether the query may be rewritten by bridges; a plain recall never is.
        variants: Texts that a grounded query may stand for, itself among them, at most.
        steps: Rewrites that may follow one another, at most.
        log: What is kept of the query: its text, its digest, or nothing of the retrieval at all.
        ranking: The ranking policy, by name; empty for the one that the session's embedder, or none, makes usual.
    """

    query: str = ""
    use: str = ""
    budget: int = 1_200
    k: int = 12
    scopes: tuple[Scope, ...] = ()
    at: datetime | None = None
    as_of: int | datetime | None = None
    history: bool = False
    method: str = "hybrid_retrieval"
    counter: str = ""
    ids: tuple[str, ...] = ()
    memory_types: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    uri_prefix: str = ""
    statuses: tuple[str, ...] = ()
    version: int = 0
    relevance_threshold: float = 0.0
    include_passages: bool = False
    reread: bool = False
    own_proposals: bool = False
    grounded: bool = False
    variants: int = 16
    steps: int = 3
    log: Literal["text", "digest", "off"] = "text"
    ranking: str = ""


_TEXTS = ("query", "use", "method", "counter", "uri_prefix", "log", "ranking")
_LISTS = ("ids", "memory_types", "types", "origins", "statuses")


def _shapes(request: Request) -> tuple[Finding, ...]:
    """Every field is of its kind: what comes from outside is looked at before it is read."""
    found = [("text", name) for name in _TEXTS if not isinstance(getattr(request, name), str)]
    found += [
        ("a list of texts", name) for name in _LISTS if not _is_list(getattr(request, name), str)
    ]
    if not _is_list(request.scopes, Scope):
        found.append(("a list of scopes", "scopes"))
    at: object = request.at
    as_of: object = request.as_of
    if not isinstance(at, datetime | None):
        found.append(("a time", "at"))
    if not isinstance(as_of, datetime | None) and not _is_whole(as_of):
        found.append(("a time or a revision", "as_of"))
    return tuple(
        Finding("wrong_type", f"`{name}` is not {kind}", f"/{name}", f"give {kind}", req="A-QUERY")
        for kind, name in found
    )


def _is_list(given: object, kind: type) -> bool:
    return isinstance(given, tuple | list) and all(isinstance(one, kind) for one in given)


def _query(request: Request) -> tuple[Finding, ...]:
    """A query is words, or names the claims it wants, or asks by time (`A-QUERY`)."""
    if request.query.strip():
        return errors_in(text_findings(request.query, "/query", limit=LONGEST_QUERY))
    if request.ids or request.method == "temporal_retrieval":
        return ()
    fix = "ask in words, name `ids`, or use the method `temporal_retrieval`"
    return (Finding("empty_query", "the query is empty", "/query", fix, req="A-QUERY"),)


def _use(request: Request) -> tuple[Finding, ...]:
    """A use is a name; one that nobody declared is high-risk, not refused (`B-USES`)."""
    return identifier_findings(request.use, "/use") if request.use else ()


def _ranges(request: Request) -> tuple[Finding, ...]:
    """Limits and threshold lie in their declared ranges (`E-LIMITS`)."""
    found = []
    for name, least, most in LIMITS:
        given = getattr(request, name)
        if not _is_whole(given) or not least <= given <= most:
            message = f"{quoted(given)} is outside {least} to {most}"
            fix = f"give a whole number from {least} to {most}"
            found.append(Finding("out_of_range", message, f"/{name}", fix, req="E-LIMITS"))
    threshold = request.relevance_threshold
    if not _is_number(threshold) or not 0.0 <= threshold <= 1.0:  # also refuses NaN
        message = f"the relevance threshold {quoted(threshold)} is outside 0 to 1"
        path, fix = "/relevance_threshold", "give a number from 0 to 1"
        found.append(Finding("out_of_range", message, path, fix, req="A-RELEVANCE"))
    if not _is_whole(request.version) or request.version < 0:
        message = f"{quoted(request.version)} is no version"
        found.append(Finding("out_of_range", message, "/version", "give 1 or more"))
    return tuple(found)


def _is_whole(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _texts(request: Request) -> tuple[Finding, ...]:
    """What is compared with recorded text can be text: no NUL, no half of a surrogate pair (`A-QUERY`)."""
    several = (("ids", request.ids), ("types", request.types))
    given = [("uri_prefix", request.uri_prefix), ("counter", request.counter)]
    given += [(f"{field}/{i}", text) for field, texts in several for i, text in enumerate(texts)]
    return tuple(
        finding
        for place, text in given
        for finding in errors_in(text_findings(text, f"/{place}", limit=LONGEST_FILTER))
    )


def _times(request: Request) -> tuple[Finding, ...]:
    """Times have an offset, and re-reading is of the present (`A-QUERY`)."""
    found = []
    for name, given in (("at", request.at), ("as_of", request.as_of)):
        if isinstance(given, datetime) and given.tzinfo is None:
            message = f"{quoted(given)} has no offset from UTC"
            fix = "add `Z` or an offset such as `+02:00`"
            found.append(Finding("naive_time", message, f"/{name}", fix))
    if isinstance(request.as_of, int) and request.as_of < 0:
        message = f"{quoted(request.as_of)} is no revision"
        found.append(Finding("out_of_range", message, "/as_of", "give 0 or more"))
    if request.reread and (request.at is not None or request.as_of is not None):
        message = "a source that is read again tells of the present, not of another instant"
        fix = "leave out `at` and `as_of`, or `reread`"
        found.append(Finding("reread_is_now", message, "/reread", fix, req="B-USES"))
    return tuple(found)


def _ranking(request: Request) -> tuple[Finding, ...]:
    """The ranking policy is one of the bank (`D-POLICIES`)."""
    policy = policy_named(request.ranking)
    if (
        policy is not None
        and request.method in method_names()
        and not policy.weights(request.method)
    ):
        message = f"the ranking policy {quoted(policy.name)} does not know the method {quoted(request.method)}"
        fix = "leave `ranking` out, or use another method"
        return (Finding("method_not_available", message, "/ranking", fix, req="D-POLICIES"),)
    if not request.ranking or policy is not None:
        return ()
    message = f"{quoted(request.ranking)} is no ranking policy"
    fix = f"use one of: {', '.join(policy.name for policy in POLICIES)}"
    return (Finding("unknown_value", message, "/ranking", fix, req="D-POLICIES"),)


def _method(request: Request) -> tuple[Finding, ...]:
    """The method is known, and this build has what it needs (`A-METHOD`)."""
    known = method_names()
    if request.method in known:
        return ()
    if request.method not in {term.name for term in RETRIEVAL_METHODS}:
        return (unknown_name("retrieval_method", request.method, "/method"),)
    message = f"the method {quoted(request.method)} needs an index that this store does not have"
    fix = f"use one of: {', '.join(known)}"
    return (Finding("method_not_available", message, "/method", fix, req="A-METHOD"),)


def _names(request: Request) -> tuple[Finding, ...]:
    """Names in filters are of their vocabularies, and history is asked for by name (`A-QUERY`)."""
    found = [
        unknown_name(vocabulary, given, f"/{field}/{i}")
        for field, vocabulary in (("memory_types", "memory_type"), ("statuses", "status"), ("origins", "origin"))
        for i, given in enumerate(getattr(request, field))
        if given not in names(vocabulary)
    ]  # fmt: skip
    if not request.history:
        found += [
            Finding(
                "history_needed",
                f"the status {quoted(status)} is history, and history was not asked for",
                f"/statuses/{i}",
                "set `history`",
                req="A-EXPIRED",
            )
            for i, status in enumerate(request.statuses)
            if status in HISTORICAL
        ]
    if request.log not in LOGS:
        message, fix = (
            f"{quoted(request.log)} is not expected here",
            f"use one of: {', '.join(LOGS)}",
        )
        found.append(Finding("unknown_value", message, "/log", fix))
    return tuple(found)


def _passages(request: Request) -> tuple[Finding, ...]:
    """What nobody reviewed serves no action: it is for looking and for answering alone (`B-USES`)."""
    if not request.include_passages:
        return ()
    if request.grounded:
        message = "a grounded recall answers from reviewed claims alone"
        fix = "leave `include_passages` or `grounded` out"
        return (Finding("grounded_in_claims", message, "/include_passages", fix, req="D-GROUNDED"),)
    if request.use in SERVES:
        return ()
    message = f"passages are unreviewed, and do not serve the use {quoted(request.use)}"
    fix = "leave `include_passages` out, or ask for `answer_questions`"
    return (Finding("passages_serve_no_action", message, "/include_passages", fix, req="B-USES"),)


REQUEST_RULES: tuple[tuple[str, Callable[[Request], tuple[Finding, ...]]], ...] = (
    ("A-QUERY", _query),
    ("B-USES", _use),
    ("E-LIMITS", _ranges),
    ("A-QUERY", _texts),
    ("A-QUERY", _times),
    ("A-METHOD", _method),
    ("D-POLICIES", _ranking),
    ("A-QUERY", _names),
    ("B-USES", _passages),
)


def request_findings(request: Request) -> tuple[Finding, ...]:
    """Everything that is wrong with a request; nothing, if it can be answered."""
    shapes = _shapes(request)
    return shapes or tuple(finding for _, rule in REQUEST_RULES for finding in rule(request))


def scope_findings(asked: tuple[Scope, ...], in_force: tuple[Scope, ...]) -> tuple[Finding, ...]:
    """Scopes that were asked for and are not in force: a request narrows, and never widens.

    >>> shop = Scope("repository", "x")
    >>> scope_findings((shop,), (shop,)), scope_findings((shop,), ())[0].code
    ((), 'scope_not_in_force')
    """
    known = ", ".join(map(str, in_force)) or "none"
    return tuple(
        Finding(
            "scope_not_in_force",
            f"the scope {quoted(scope)} is not in force",
            f"/scopes/{i}",
            f"ask within those that are ({known}), or open memory with that scope",
            req="A-BOUNDARY",
        )
        for i, scope in enumerate(asked)
        if scope not in in_force
    )
