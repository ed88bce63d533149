"""Look over what is remembered in the scopes in force: how much, how fresh, what ends, what waits, what it rests on.

- Everything is counted from what the asker may see alone; hidden rows change no number and no order (`B-FILTERFIRST`).
- Counts come from columns; contents are read of what is listed, and of as many claims as sources are wanted of.
- Claims whose sources are looked up are those in doubt first, then the latest; how many they were is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from muniment.core.codec import from_micros, micros, read_time
from muniment.core.diff import Change, Pending
from muniment.core.row import FOREVER
from muniment.core.survey import (
    AGES,
    CAUSES,
    EXPIRES_SOON,
    READING_ORDER,
    RISKS,
    Noted,
    Period,
    Place,
    Survey,
    Traits,
    Waiting,
    age_of,
    periods,
)
from muniment.core.vocabulary import Risk, risk_of
from muniment.index.table import Array
from muniment.usecases.counting import Counted, Counting, by_name
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

MOST_LISTED = 50
MOST_SOURCED = 10_000
"""Claims of which the sources are looked up, where nobody says how many."""
IDS_OF_A_PLACE = 20
_OF_HOLDING = ("freshness", "cause", "type", "memory_type", "origin", "reading")


def survey(session: Session, sources: int = MOST_SOURCED) -> Survey:
    """Look over the scopes in force.

    Args:
        session: Who asks, and where.
        sources: Of how many claims the sources are looked up, at most; 0 for none.
    """
    now = session.now()
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        counting = Counting(viewing, session.scopes, micros(now))
        every = list(counting.counts())
        expiring, soon = _expiring(counting)
        doubtful, doubts = _doubtful(counting)
        period, growth = _growth(counting, now)
        backlog = [
            (pending, change)
            for pending in waiting(viewing)
            if pending.diff.scope in session.scopes
            for change in open_changes(pending)
        ]
        listed, ages = _backlog(viewing, backlog, now)
        places, looked_up = _places(counting, max(0, sources))
    return Survey(
        at=now,
        claims=sum(count for *_, count in every),
        holding=sum(count for traits, _, count in every if traits.holds),
        counts=_counts(every),
        expiring=expiring,
        expiring_count=soon,
        doubtful=doubtful,
        doubtful_count=doubts,
        period=period,
        growth=growth,
        waiting=listed,
        waiting_count=len(backlog),
        backlog=ages,
        places=places,
        places_of=looked_up,
    )


def _counts(every: list[tuple[Traits, Any, int]]) -> dict[str, dict[str, int]]:
    found = {
        name: by_name((getattr(traits, name), count) for traits, _, count in every)
        for name in ("status", "review")
    }
    holding = [one for one in every if one[0].holds]
    for name in _OF_HOLDING:
        found[name] = by_name((getattr(traits, name), count) for traits, _, count in holding)
    found["scope"] = by_name((str(scope), count) for _, scope, count in holding)
    found["cause"].pop("", None)
    return found


# --- what asks for attention ----------------------------------------------------------------------


def _expiring(counting: Counting) -> tuple[tuple[Noted, ...], int]:
    at = counting.at

    def soon(one: Counted) -> Array:
        mask: Array = one.holds & (one.ends > at) & (one.ends <= at + EXPIRES_SOON)
        return mask

    seqs, total = counting.chosen(soon, lambda one: (one.ends,), MOST_LISTED)
    rows = counting.viewing.snapshot.rows_at(seqs)
    ends = {seq: min(row.expires_at, row.valid_until) for seq, row in rows.items()}
    return _noted(counting, seqs, {seq: from_micros(end) for seq, end in ends.items()}, {}), total


def _doubtful(counting: Counting) -> tuple[tuple[Noted, ...], int]:
    causes = [name for name, _ in CAUSES]
    grave = counting.every.table(
        lambda t: causes.index(t.cause) if t.holds and t.cause else len(causes)
    )

    def graveness(one: Counted) -> Array:
        ranks: Array = grave[one.kinds]
        return ranks

    seqs, total = counting.chosen(
        lambda one: one.holds & (graveness(one) < len(causes)),
        lambda one: (graveness(one), one.column("verified_at")),
        MOST_LISTED,
    )
    rows = counting.viewing.snapshot.rows_at(seqs)
    verified = {s: from_micros(r.verified_at) for s, r in rows.items() if r.verified_at != -FOREVER}
    why: dict[int, str] = {}
    for one in counting.runs:
        listed = np.isin(one.seqs, np.array(seqs, np.int64))
        ranks = graveness(one)[listed].tolist()
        why |= {s: causes[n] for s, n in zip(one.seqs[listed].tolist(), ranks, strict=True)}
    return _noted(counting, seqs, verified, why), total


def _noted(
    counting: Counting, seqs: list[int], at: Mapping[int, datetime], why: Mapping[int, str]
) -> tuple[Noted, ...]:
    viewing = counting.viewing
    claims = viewing.claims(viewing.snapshot.rows_at(seqs).values())
    return tuple(
        Noted(claims[s].id, claims[s].claim, str(claims[s].scope), at.get(s), why.get(s, ""))
        for s in seqs
        if s in claims
    )


# --- growth ---------------------------------------------------------------------------------------


def _growth(counting: Counting, now: datetime) -> tuple[str, tuple[Period, ...]]:
    revisions, seqs, until = counting.first_records()
    if not len(revisions):
        return "day", ()
    first = _recorded(counting, seqs[:1])[0]
    kind, begins = periods(from_micros(first), max(now, from_micros(first)))
    step = timedelta(days=1 if kind == "day" else 7)
    bounds = np.array([micros(one) for one in (*begins, begins[-1] + step)], np.int64)
    totals = np.append(0, until)[_places_before(counting, seqs, bounds)].tolist()
    return kind, tuple(
        Period(begin, after - before, after)
        for begin, before, after in zip(begins, totals, totals[1:], strict=False)
    )


def _recorded(counting: Counting, seqs: Array) -> list[int]:
    rows = counting.viewing.snapshot.rows_at(seqs.tolist())
    return [rows[seq].recorded_at for seq in seqs.tolist()]


def _places_before(counting: Counting, seqs: Array, bounds: Array) -> Array:
    """How many of some events, in the order of their revisions, were recorded before each instant.

    By halving, all instants together: few rows are read.
    """
    low, high = np.zeros(len(bounds), np.int64), np.full(len(bounds), len(seqs), np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        wanted = np.unique(middle[low < high])
        known = dict(zip(wanted.tolist(), _recorded(counting, seqs[wanted]), strict=True))
        at = np.array([known.get(one, 0) for one in middle.tolist()], np.int64)
        before = (at < bounds) & (low < high)
        high = np.where(before | (low >= high), high, middle)
        low = np.where(before, middle + 1, low)
    return low


# --- what waits -----------------------------------------------------------------------------------


def _backlog(
    viewing: Viewing, backlog: list[tuple[Pending, Change]], now: datetime
) -> tuple[tuple[Waiting, ...], dict[str, dict[str, int]]]:
    ages: dict[str, dict[str, int]] = {age: dict.fromkeys(RISKS, 0) for age, _ in AGES}
    risks = []
    for pending, change in backlog:
        risk = _risk(viewing, change)
        risks.append(risk)
        ages[age_of(micros(pending.diff.created_at), micros(now))][risk] += 1
    oldest = sorted(
        zip(backlog, risks, strict=True),
        key=lambda one: (one[0][0].diff.created_at, one[0][0].diff.id, one[0][1].id),
    )[:MOST_LISTED]
    listed = tuple(
        Waiting(
            pending.diff.id, change.id, change.operation, _said(viewing, change),
            pending.diff.proposed_by, pending.diff.created_at, risk,
        )
        for (pending, change), risk in oldest
    )  # fmt: skip
    return listed, ages


def _risk(viewing: Viewing, change: Change) -> Risk:
    if change.item is not None:
        uses: Iterable[str] = change.item.allowed_uses
    else:
        named = (one for one in (change.target_id, *change.target_ids) if one)
        uses = [use for one in named if (row := viewing.row(one)) for use in row.allowed]
    return max((risk_of(use) for use in uses), key=RISKS.index, default="low")


def _said(viewing: Viewing, change: Change) -> str:
    if change.item is not None:
        return change.item.claim
    named = [one for one in (change.target_id, *change.target_ids) if one]
    claims = viewing.claims([row for one in named if (row := viewing.row(one))])
    return " / ".join(claim.claim for claim in claims.values())


# --- sources --------------------------------------------------------------------------------------


def _places(counting: Counting, most: int) -> tuple[tuple[Place, ...], int]:
    """The sources of claims that hold, those in doubt first, then the latest."""
    if not most:
        return (), 0
    never = READING_ORDER.index("")
    rank = counting.every.table(lambda t: min(READING_ORDER.index(t.reading), never))
    doubt = counting.every.table(lambda t: int(not t.cause))
    seqs, _ = counting.chosen(
        lambda one: one.holds,
        lambda one: (rank[one.kinds], doubt[one.kinds], -one.seqs),
        most,
    )
    contents = counting.viewing.snapshot.contents(seqs)
    by_uri: dict[str, list[Mapping[str, Any]]] = {}
    for seq in seqs:
        if seq in contents:
            source = contents[seq].get("source") or {}
            by_uri.setdefault(str(source.get("uri", "")), []).append(contents[seq])
    places = [_place(uri, claims) for uri, claims in by_uri.items()]
    places.sort(key=lambda one: (READING_ORDER.index(one.state), -one.claims, one.uri))
    return tuple(places), len(seqs)


def _place(uri: str, claims: list[Mapping[str, Any]]) -> Place:
    readings = [claim.get("reading") or {} for claim in claims]
    verified = [_time(claim.get("freshness") or {}, "last_verified_at") for claim in claims]
    known = [one for one in verified if one is not None]
    return Place(
        uri=uri,
        kind=str((claims[0].get("source") or {}).get("kind", "")),
        claims=len(claims),
        state=min((str(one.get("state", "")) for one in readings), key=READING_ORDER.index),
        read_at=max((t for one in readings if (t := _time(one, "at"))), default=None),
        verified_at=max(known, default=None),
        oldest=min(known) if len(known) == len(verified) else None,
        ids=tuple(sorted(str(claim["id"]) for claim in claims)[:IDS_OF_A_PLACE]),
    )


def _time(part: Mapping[str, Any], name: str) -> datetime | None:
    text = part.get(name)
    return read_time(text, f"/{name}", []) if text else None
