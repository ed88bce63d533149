"""From what was found to a packet: contradictions, re-reading, packing, omissions, outcome.

- Every side of a contradiction comes along, and a conflict is packed whole or not at all.
- A claim that serves only if its source still says so is read again here, or left out.
- Claims are decoded only when they are tried for the packet.
- The text that is counted is the text that is handed over.

What is eligible was settled in `eligible`, what is relevant in `scoring`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from muniment.core.access import Scope
from muniment.core.bridge import Rewrite
from muniment.core.claim import Claim
from muniment.core.decide import Ask, decide, labels_of
from muniment.core.embedding import Coverage
from muniment.core.encode import time_text
from muniment.core.evidence import Item, Seen, item_of
from muniment.core.pack import Limits, Packed, Unit, pack, shortest_that_fits
from muniment.core.packet import Budget, Disagreement, Omission, Outcome, Packet, Step, reasons_of
from muniment.core.precedence import Ruling, judge
from muniment.core.ranking import LEXICAL, RankingPolicy
from muniment.core.record import claim_from
from muniment.core.render import Heading, block_of, laid_out, render_empty
from muniment.core.request import Request
from muniment.core.row import Row
from muniment.core.source import Reading, worst
from muniment.core.status import freshness_at, status_at
from muniment.core.vocabulary import risk_of
from muniment.ports.tokens import TokenCounter, in_pieces
from muniment.usecases.advice import advice_on, waiting_in
from muniment.usecases.disputes import disagreement, group_of, linked
from muniment.usecases.eligible import Gathered
from muniment.usecases.hits import Hit, Scored
from muniment.usecases.readings import read_place
from muniment.usecases.scoring import Scoring
from muniment.usecases.session import Session

REREADS_PER_CLAIM = 2
"""Sources are read again for at most so many times `k` claims."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with everything that was left open in it settled.

    Attributes:
        session: Who asks.
        request: What is asked.
        counter: Counts tokens.
        scopes: The scopes in force for it, sorted.
        at: The instant in valid time.
        ontology: Hash of the vocabulary, empty where it is not shown.
        policy: What ranks.
        coverage: How many claims the question was compared with by embedding; None where it was not.
        unembedded: Why it was not, where an embedder is declared.
    """

    session: Session
    request: Request
    counter: TokenCounter
    scopes: tuple[Scope, ...]
    at: datetime
    ontology: str
    policy: RankingPolicy = LEXICAL
    coverage: Coverage | None = None
    unembedded: str = ""

    def heading(self, revision: int) -> Heading:
        """What the text says of the request."""
        scopes = tuple(map(str, self.scopes))
        return Heading(
            self.request.use, time_text(self.at), revision, self.session.principal, scopes
        )

    def echo(self) -> dict[str, Any]:
        """What was asked, as it was understood, so that nothing is implied unseen (`E-NOSCOPE`)."""
        request, as_of = self.request, self.request.as_of
        filters = {
            "ids": list(request.ids),
            "memory_types": list(request.memory_types),
            "types": list(request.types),
            "origins": list(request.origins),
            "uri_prefix": request.uri_prefix,
            "statuses": list(request.statuses),
            "version": request.version,
        }
        return {
            "query": request.query,
            "principal": self.session.principal,
            "scopes": [{"kind": one.kind, "id": one.id} for one in self.scopes],
            "use": request.use or None,
            "risk": risk_of(request.use) if request.use else None,
            "at": time_text(self.at),
            "as_of": time_text(as_of) if isinstance(as_of, datetime) else as_of,
            "history": request.history,
            "method": request.method,
            "reread": request.reread,
            "include_passages": request.include_passages,
            "relevance_threshold": request.relevance_threshold,
            "grounded": request.grounded,
            "filters": {name: value for name, value in filters.items() if value},
            "declared": self.session.declared or None,
        }

    def packet(self, outcome: Outcome, revision: int, text: str, used: int) -> Packet:
        """A packet with everything that does not depend on what was found."""
        request, policy = self.request, self.policy
        named: tuple[tuple[str, str], ...] = (
            ("policy", f"{policy.name}/{policy.version}"),
            ("digest", policy.digest),
        )
        said = self.coverage.sentence if self.coverage is not None else self.unembedded
        if said:
            named = (*named, ("embedding", said))
        budget = Budget(request.budget, used, self.counter.name, request.k)
        return Packet(
            outcome,
            items=(),
            conflicts=(),
            omissions=(),
            revision=revision,
            budget=budget,
            request=self.echo(),
            trace=(),
            policy=named,
            text=text,
            ontology=self.ontology,
        )

    def no_scope(self) -> Packet:
        """The packet where no scope is in force: nothing was looked at."""
        advice = "no scope is in force: run `muniment init` in the project, or name one with `--scope kind:id`"
        texts = render_empty(self.heading(0), "no_scope", advice, ())
        text, used = shortest_that_fits(texts, self.request.budget, self.counter)
        return replace(self.packet("no_scope", 0, text, used), advice=advice)


class Answer:
    """From what was scored to a packet."""

    def __init__(self, asked: Asked, gathered: Gathered, scoring: Scoring, scored: Scored) -> None:
        self.rewrites: Mapping[str, tuple[Rewrite, ...]] = {}
        self.asked, self.gathered, self.scoring, self.scored = asked, gathered, scoring, scored
        self.hits: dict[str, Hit] = {hit.row.claim_id: hit for hit in scored.supported}
        self.found = set(self.hits)
        self.readings: dict[str, tuple[Reading, ...]] = {}
        self.unlifted: list[Omission] = []
        self._claims: dict[str, Claim] = {}
        self._items: dict[str, Item] = {}
        self._blocks: dict[str, str] = {}
        self._disputes: dict[tuple[str, ...], Disagreement | None] = {}
        self.groups = self._groups()

    # --- which claims stand together ---

    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Each supported claim with the claims that contradict it; sources are read again where asked."""
        for hit in self.scoring.read(self._contradicting()):
            self.hits[hit.row.claim_id] = hit
        links = linked([hit.row for hit in self.hits.values()])
        if self.asked.request.reread:
            self._reread()
            links = linked([hit.row for hit in self.hits.values()])
        self.found &= set(self.hits)
        return {one: group_of(one, links) for one in self.found}

    def _contradicting(self) -> list[Row]:
        """Eligible rows that contradict what was found, directly or through others."""
        frontier, found = [hit.row for hit in self.hits.values()], list[Row]()
        seen = {row.claim_id for row in frontier}
        while frontier:
            others = {other for row in frontier for other in row.conflicts} - seen
            places = self.gathered.find(others)
            serving = [places[one] for one in sorted(places) if self.gathered.serves(places[one])]
            frontier = self.scoring.rows(serving)
            seen |= others
            found += frontier
        return sorted(found, key=lambda row: row.claim_id)

    def _reread(self) -> None:
        limit = self.asked.request.k * REREADS_PER_CLAIM
        order = sorted(self.hits.values(), key=lambda h: (-h.relevance.fixed, h.row.claim_id))
        for hit in order[:limit]:
            self._reread_one(hit)
        for hit in order[limit:]:
            if self.gathered.is_lifted(hit.row.seq):
                self._refuse(
                    hit, self.gathered.ask, "its source was not read again: over the limit"
                )

    def _reread_one(self, hit: Hit) -> None:
        source = self._claim(hit.row.claim_id).source
        places = [(evidence.uri or source.uri, evidence) for evidence in source.evidence]
        readings = tuple(
            read_place(self.asked.session, uri, evidence) for uri, evidence in places if uri
        )
        found = worst(readings)
        matched = found is not None and found.state == "match" and len(readings) == len(places)
        row = hit.row
        if found is not None:
            verified = self.gathered.ask.at if matched else row.verified_at
            row = replace(row, reading=found.state, verified_at=verified)
        ask = replace(self.gathered.ask, reread_matched=matched)
        self.hits[row.claim_id] = replace(hit, row=row)
        self.readings[row.claim_id] = readings
        if not decide(row, ask).permitted:
            state = found.state if found else "nothing that can be read again"
            self._refuse(replace(hit, row=row), ask, f"its source, read again: {state}")

    def _refuse(self, hit: Hit, ask: Ask, detail: str) -> None:
        reasons = decide(hit.row, ask).reasons
        self.unlifted.append(Omission(hit.row.claim_id, reasons, detail))
        del self.hits[hit.row.claim_id]

    # --- values, made when they are needed ---

    def _claim(self, claim_id: str) -> Claim:
        if claim_id not in self._claims:
            self._claims[claim_id] = claim_from(self.hits[claim_id].content)
        return self._claims[claim_id]

    def _item(self, claim_id: str) -> Item:
        if claim_id not in self._items:
            hit, ask = self.hits[claim_id], self.gathered.ask
            sees, row = self.gathered.viewing.sees, hit.row
            risk = risk_of(ask.use) if ask.use else "low"
            successor = row.superseded_by if row.superseded_by and sees(row.superseded_by) else ""
            against = tuple(sorted(other for other in row.conflicts if sees(other)))
            fresh = freshness_at(row, ask.at, risk)
            readings = self.readings.get(claim_id, ())
            item = item_of(
                self._claim(claim_id),
                status_at(row, ask.at, sees),
                labels_of(row, ask, sees),
                hit.relevance,
                Seen(sees, fresh, readings, successor, against),
                claim_id not in self.found,
            )
            self._items[claim_id] = replace(item, rewrites=self.rewrites.get(claim_id, ()))
        return self._items[claim_id]

    def _block(self, item: Item) -> str:
        """What is written of a claim; the same whatever stands beside it."""
        name = item.claim.id
        if name not in self._blocks:
            self._blocks[name] = block_of(item)
        return self._blocks[name]

    def _dispute(self, group: tuple[str, ...]) -> Disagreement | None:
        if group not in self._disputes:
            rows = {one: self.hits[one].row for one in group}
            alone = Ruling("", "", group, ())
            sides = [self._as_read(one) for one in group]
            ruling = judge(sides, self.asked.at) if len(group) > 1 else alone
            self._disputes[group] = disagreement(group, rows, ruling, self.gathered)
        return self._disputes[group]

    def _as_read(self, claim_id: str) -> Claim:
        """A claim with what its source was found to say for this request, if it was read."""
        claim, now = self._claim(claim_id), worst(self.readings.get(claim_id, ()))
        return claim if now is None else replace(claim, reading=now)

    # --- packing ---

    def units(self) -> tuple[Unit, ...]:
        """What is packed whole: one claim, or all sides of a conflict."""
        groups = set(self.groups.values())
        best = {group: max(self.hits[one].relevance.fixed for one in group) for group in groups}
        return tuple(Unit(group, best[group]) for group in sorted(groups))

    def items(self, chosen: tuple[Unit, ...]) -> tuple[Item, ...]:
        """The evidence of some units, best first, with the sides of a conflict together."""
        ordered = (
            sorted(unit.ids, key=lambda one: (-self.hits[one].relevance.fixed, one))
            for unit in chosen
        )
        return tuple(self._item(one) for ids in ordered for one in ids)

    def disputes(self, chosen: tuple[Unit, ...]) -> tuple[Disagreement, ...]:
        """The contradictions of some units."""
        return tuple(found for unit in chosen if (found := self._dispute(unit.ids)) is not None)

    def outcome(self, chosen: tuple[Unit, ...], everything: tuple[Unit, ...]) -> Outcome:
        """What is to be said of a choice."""
        if not self.groups:
            return "no_support"
        if not chosen:
            return "budget_exceeded"
        if any(len(d.ids) > 1 and not d.ruling.decided for d in self.disputes(chosen)):
            return "conflict"
        return "partial" if len(chosen) < len(everything) or self.scored.over_pool else "complete"

    def packet(self) -> Packet:
        """The packet."""
        request, revision = self.asked.request, self.gathered.revision
        heading, units = self.asked.heading(revision), self.units()
        base, unlisted = self._omissions(), self._unlisted()
        counts = sorted((*reasons_of(base), *unlisted))
        supported = sum(len(unit.ids) for unit in units)

        def text_of(chosen: tuple[Unit, ...]) -> list[str]:
            kept = sum(len(unit.ids) for unit in chosen)
            return laid_out(
                heading,
                self.outcome(chosen, units),
                [self._block(item) for item in self.items(chosen)],
                self.disputes(chosen),
                (*counts, ("limits", supported - kept)),
            )

        count = in_pieces(self.asked.counter)
        packed = pack(units, Limits(request.k, request.budget), count, text_of)
        omissions = (*_limited(packed.left), *base)
        outcome = self.outcome(packed.chosen, units)
        advice, text, used = "", packed.text, packed.used
        if not packed.chosen:
            advice = advice_on(outcome, omissions, request.use, self._waiting(outcome))
            texts = render_empty(heading, outcome, advice, (*counts, ("limits", supported)))
            text, used = shortest_that_fits(texts, request.budget, self.asked.counter)
        return replace(
            self.asked.packet(outcome, revision, text, used),
            items=self.items(packed.chosen),
            conflicts=self.disputes(packed.chosen),
            omissions=omissions,
            unlisted=unlisted,
            trace=self._trace(packed, len(omissions) + sum(n for _, n in unlisted), used),
            advice=advice,
        )

    def _waiting(self, outcome: Outcome) -> int:
        """How many visible changes wait in scope, where that may be why nothing is found now."""
        now = outcome == "no_support" and self.asked.request.as_of is None
        return waiting_in(self.gathered.viewing, self.gathered.classes) if now else 0

    # --- what was left out ---

    def _omissions(self) -> tuple[Omission, ...]:
        """What would have served and was left out, for other reasons than the limits."""
        scored = self.scored
        return (
            *self.unlifted,
            *(Omission(h.row.claim_id, reasons, _detail(h.row)) for h, reasons in scored.refused),
            *(Omission(hit.row.claim_id, ("below_threshold",)) for hit in scored.below_threshold),
        )

    def _unlisted(self) -> tuple[tuple[str, int], ...]:
        counts = (("below_support", self.scored.near), ("over_pool", self.scored.over_pool))
        return tuple((reason, count) for reason, count in counts if count)

    def _compared(self) -> tuple[tuple[str, int], ...]:
        covered = self.asked.coverage
        if covered is None:
            return (("inspected", 0),)
        return (("inspected", covered.matching), ("pending", covered.pending))

    def _trace(self, packed: Packed, omitted: int, tokens: int) -> tuple[Step, ...]:
        gathered, scored = self.gathered, self.scored
        chosen = [self.hits[one].row for unit in packed.chosen for one in unit.ids]
        disputes = self.disputes(packed.chosen)
        return (
            Step(1, "identify", (("visible_classes", len(gathered.viewing.classes)),)),
            Step(2, "scope", (("classes", len(gathered.classes)), ("claims", gathered.rows))),
            Step(3, "validity_status_use", (
                ("eligible", gathered.eligible), ("refused", gathered.rows - gathered.eligible))),
            Step(4, "source", (
                ("sources_read_again", len(self.readings)), ("filtered_out", scored.filtered))),
            Step(5, "relevance", (
                ("words", len(scored.terms)), ("matched", scored.matched),
                ("below_support", scored.near), *scored.walked.counts())),
            Step(6, "embeddings", self._compared()),
            Step(7, "rank", (
                ("supported", len(scored.supported)), ("below_threshold", len(scored.below_threshold)),
                ("over_pool", scored.over_pool))),
            Step(8, "conflicts", (
                ("found", len(disputes)), ("decided", sum(d.ruling.decided for d in disputes)))),
            Step(9, "versions", (
                ("revised", sum(row.version > 1 for row in chosen)),
                ("successors", sum(bool(row.supersedes) for row in chosen)),
                ("derived", sum(bool(row.derived_from) for row in chosen)))),
            Step(10, "select", (
                ("selected", len(chosen)), ("omitted", omitted), ("untried", packed.untried),
                ("tokens", tokens))),
        )  # fmt: skip


def _limited(left: tuple[tuple[tuple[str, ...], str], ...]) -> tuple[Omission, ...]:
    """Supported claims that the limits left out, best first."""
    return tuple(Omission(one, (limit,)) for ids, limit in left for one in ids)


def _detail(row: Row) -> str:
    return f"superseded by {row.superseded_by}" if row.superseded_by else ""
