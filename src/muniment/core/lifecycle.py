"""How long claims stay in use, and what then, as an operator declares it (`A-RETENTION`).

- A rule names claims of one scope, and may narrow them by memory type, by how they stand and by who they are for.
- It states a period and from when it counts; at its end the claim is due (half-open).
- What then: the claim is archived (out of recall, kept, able to come back), deleted (erased, its value refused from
  then on), or put up to be one with others that are due. Of several rules that are due the most final is followed.
- A claim with a tag that a rule spares is none of that rule's.
- What an archived version says is what the one before said; nothing but its standing is another.

Who applies rules, and what derived memory makes of it, is the use case's matter.

>>> rule = Lifecycle("old notes", Scope("repository", "local:shop"), "P30D", "recorded", "archive")
>>> noon = datetime(2026, 7, 8, 12, tzinfo=UTC)
>>> row = Row(1, 1, "mem_x", 1, "c", "accepted", recorded_at=micros(noon))
>>> [is_due(rule, row, noon + timedelta(days=30, microseconds=n)) for n in (-1, 0)]
[False, True]
>>> lifecycle_text(rule)
'old notes: in repository:local:shop, archive 30 days after a claim was recorded'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from muniment.core.access import Scope
from muniment.core.claim import Claim, Transformation
from muniment.core.codec import from_micros, micros
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.period import ends, period_of
from muniment.core.row import FOREVER, Row
from muniment.core.vocabulary import is_closed, names, unknown_name

_ = (UTC, timedelta, micros)  # named by the doctest
KIND = "lifecycle"
SINCE = (
    ("recorded", "its latest version was recorded"),
    ("verified", "its source last agreed, or it was recorded where that never was"),
    ("ended", "its validity, expiry or time to live was over"),
)
"""From when a period counts."""
THEN = (
    ("consolidate", "one memory is proposed in place of several that are due"),
    ("archive", "out of recall, kept and shown by history; a revalidation brings it back"),
    ("delete", "erased, with its proof; the same value is refused from then on"),
)
"""What is done at a period's end, the most final last."""
REVIEWED = ("accepted", "needs_review", "deprecated")
FIELDS = (
    "name", "scope", "period", "since", "then", "memory_types", "states", "levels", "unless_tagged", "withdrawn",
)  # fmt: skip
_PLURALS = (
    ("Y", "year"), ("M", "month"), ("W", "week"), ("D", "day"), ("H", "hour"), ("m", "minute"), ("S", "second"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """One declared rule.

    Attributes:
        name: Its own; the latest word of a name counts.
        scope: Where it holds.
        period: How long, as ISO 8601 writes it: `P1Y`, `P90D`, `PT12H`.
        since: From when: one of `SINCE`.
        then: What is done: one of `THEN`.
        memory_types: Claims of these memory types; none for all.
        states: Claims that stand so, by status or review; none for all.
        levels: Claims of these levels of visibility; none for all.
        unless_tagged: Claims with one of these tags are spared.
        withdrawn: Whether it is out of force.
    """

    name: str
    scope: Scope
    period: str
    since: str = "recorded"
    then: str = "archive"
    memory_types: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    unless_tagged: tuple[str, ...] = ()
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Archived:
    """An operator's word that a claim was archived.

    Attributes:
        rule: By which rule.
        by: The operator.
        at: When.
        public_key: The credential that signed.
        signature: Over `archive_statement`.
    """

    rule: str
    by: str
    at: datetime
    public_key: str = ""
    signature: str = ""


def known_part(content: Mapping[str, Any]) -> dict[str, Any]:
    """What of a declaration's content is the rule."""
    return {name: content[name] for name in FIELDS if name in content}


def rule_findings(rule: Lifecycle) -> Iterator[Finding]:
    """What is wrong with a rule."""
    if period_of(rule.period) is None:
        message = f"{quoted(rule.period)} is no period"
        yield _finding("bad_period", message, "/period", "write it as `P1Y`, `P90D` or `PT12H`")
    if rule.since not in dict(SINCE):
        message = f"{quoted(rule.since)} does not say from when a period counts"
        yield _finding("unknown_since", message, "/since", f"use one of: {', '.join(dict(SINCE))}")
    if rule.then not in dict(THEN):
        message = f"{quoted(rule.then)} does not say what is done at its end"
        yield _finding("unknown_then", message, "/then", f"use one of: {', '.join(dict(THEN))}")
    standing = (*names("status"), *REVIEWED)
    for n, state in enumerate(rule.states):
        if state not in standing:
            message = f"{quoted(state)} is nothing as which a claim stands"
            fix = f"use one of: {', '.join(standing)}"
            yield _finding("unknown_state", message, f"/states/{n}", fix)
    for where, vocabulary, several in (
        ("memory_types", "memory_type", rule.memory_types),
        ("levels", "visibility_level", rule.levels),
    ):
        for n, one in enumerate(several):
            if is_closed(vocabulary) and one not in names(vocabulary):
                yield unknown_name(vocabulary, one, f"/{where}/{n}")


def _finding(code: str, message: str, path: str, fix: str) -> Finding:
    return Finding(code, message, path, fix, req="A-RETENTION")


def due_at(rule: Lifecycle, row: Row) -> datetime | None:
    """The instant from which on a claim is due; None where that never comes."""
    start = {
        "recorded": row.recorded_at,
        "verified": row.recorded_at if row.verified_at == -FOREVER else row.verified_at,
        "ended": min(row.valid_until, row.expires_at),
    }[rule.since]
    return ends(rule.period, from_micros(start)) if start < FOREVER else None


def is_due(rule: Lifecycle, row: Row, now: datetime) -> bool:
    """Whether a claim's period is over."""
    end = due_at(rule, row)
    return end is not None and end <= now


def covers(rule: Lifecycle, row: Row, status: str) -> bool:
    """Whether a rule is about a claim that stands so, as far as its row says."""
    return (
        row.review in REVIEWED
        and (not rule.memory_types or row.memory_type in rule.memory_types)
        and (not rule.states or status in rule.states or row.review in rule.states)
        and not (rule.then == "archive" and row.retired)
        and not (rule.then == "consolidate" and (row.review, status) != ("accepted", "active"))
    )


def covers_claim(rule: Lifecycle, claim: Claim) -> bool:
    """Whether a rule is about a claim, as far as its row does not say."""
    spared = set(rule.unless_tagged).intersection(claim.tags)
    return not spared and (not rule.levels or claim.visibility.level in rule.levels)


def finality(rule: Lifecycle) -> int:
    """How final what a rule does is."""
    return [name for name, _ in THEN].index(rule.then)


def archived(claim: Claim, rule: str, by: str, at: datetime) -> Claim:
    """The version by which a claim is archived."""
    step = Transformation("archive", by, at, f"by the rule {rule}")
    before = claim.provenance
    return replace(
        claim,
        version=claim.version + 1,
        retired="archived",
        provenance=replace(before, transformations=(*before.transformations, step)),
    )


def archive_statement(tenant: str, claim_id: str, said: Archived) -> Mapping[str, Any]:
    """What an operator signs who archives a claim; it binds tenant, claim, rule and instant."""
    bare = {"rule": said.rule, "by": said.by, "at": encode(said.at)}
    return {"muniment": "archive/1", "tenant": tenant, "claim": claim_id, **bare}


def period_text(period: str) -> str:
    """A period as a person reads it.

    >>> period_text("P1Y6M"), period_text("PT1H30M"), period_text("P2W")
    ('1 year 6 months', '1 hour 30 minutes', '2 weeks')
    """
    date, _, time = period.removeprefix("P").partition("T")
    parts = re.findall(r"([0-9]+)([A-Za-z])", date + time.replace("M", "m"))
    named = dict(_PLURALS)
    said = [f"{int(n)} {named[unit]}{'s' * (int(n) != 1)}" for n, unit in parts if int(n)]
    return " ".join(said)


def lifecycle_text(rule: Lifecycle) -> str:
    """A rule as a person reads it."""
    counted = {
        "recorded": "a claim was recorded",
        "verified": "a claim was last verified",
        "ended": "a claim ended",
    }[rule.since]
    parts = (
        ("of", rule.memory_types),
        ("that are", rule.states),
        ("for", rule.levels),
        ("unless tagged", rule.unless_tagged),
    )
    which = "".join(f", {word} {' or '.join(said)}" for word, said in parts if said)
    state = "withdrawn: " if rule.withdrawn else ""
    when = f"{period_text(rule.period)} after {counted}"
    return f"{rule.name}: {state}in {rule.scope}{which}, {rule.then} {when}"
