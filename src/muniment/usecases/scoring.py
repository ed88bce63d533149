"""Find and score what answers a request, among what was gathered.

- Postings are cut to what was gathered; statistics come from the eligible rows alone.
- The best by keyword are read and scored in full; how many is part of the ranking policy.
- What was refused is scored with the same statistics, only to tell what was left out; it moves nothing else.
- Ties go by claim id, never by the order in which a store holds things.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from muniment.core.decay import strength
from muniment.core.encode import encode
from muniment.core.ids import is_id
from muniment.core.rank import Keyword, fixed, may_support, relevance, supports
from muniment.core.ranking import FUSED, LEXICAL, ONE, RANKING_POLICY, policy_named
from muniment.core.request import Request
from muniment.core.row import FOREVER, Row
from muniment.core.signals import (
    named_phrase,
    named_words,
    names_of,
    names_whole,
    phrase_share,
    sentence_share,
    sure_names,
    temporal_share,
)
from muniment.core.status import freshness_at
from muniment.core.text import match_key
from muniment.core.vocabulary import risk_of
from muniment.core.words import query_words, words
from muniment.usecases.eligible import Gathered
from muniment.usecases.embedding import Meaning
from muniment.usecases.filtering import Filter, passes
from muniment.usecases.hits import Chosen, Hit, Scored
from muniment.usecases.judging import Ref
from muniment.usecases.nearby import NEAREST, Nearby, Nearest, worded
from muniment.usecases.searching import POOL, Search
from muniment.usecases.traverse import EligibleRows, Graph, Walked, back_among, walked
from muniment.usecases.viewing import Viewing

NAMING = ("exact_identifier", "graph_traversal", "hybrid_retrieval")
"""Methods for which a query can name a claim outright."""
NAMED_AT_MOST = 64
"""Words of a query that are looked up as identifiers or aliases."""


class Scoring:
    """One request's words, weighed by what is eligible; scores any row of what was gathered."""

    def __init__(self, gathered: Gathered, request: Request, meaning: Meaning | None) -> None:
        """Look the query's words up and weigh them; compare its vector where there is one."""
        self.gathered, self.request = gathered, request
        usual = FUSED if meaning is not None else LEXICAL
        self.policy = policy_named(request.ranking) or usual
        compares = meaning is not None and self.policy.compares(request.method)
        self.nearby = Nearby(gathered, meaning) if meaning is not None and compares else None
        self.filter = Filter(gathered, request)
        self.query = query_words(request.query)
        self.search = Search(gathered, self.query)
        self.statistics = self.search.statistics
        self.named = _named(gathered.viewing, request)
        self.found_named = gathered.find(self.named)
        self._read: dict[int, Mapping[str, Any]] = {}
        self.walked = self._walked() if request.method == "graph_traversal" else Walked()

    # --- walking ---

    def _walked(self) -> Walked:
        """Walk among all that is eligible; half of what may be read goes to finding where to begin."""
        graph = Graph(EligibleRows(self.gathered, self.rows), self._back, self._contents)
        most = RANKING_POLICY.graph_examined // 2
        matches = self.search.matches(None, eligible=True)
        likely = self.rows(self.search.best(matches, most))
        seeds = graph.seeds(self.named, likely, self.request.query)
        spent = len({row.claim_id for row in likely} - set(seeds))
        cut = sum(match.size for match in matches) > most
        return walked(seeds, graph.look, self._holding, spent, cut)

    def _back(self, claim_id: str) -> list[str]:
        """Eligible claims that replaced a claim or were made from it."""
        gathered = self.gathered
        found = gathered.viewing.snapshot.pointing_at(claim_id)
        wanted = {row.claim_id for row in found if row.cls in gathered.classes}
        refs = [ref for ref in gathered.find(wanted).values() if gathered.serves(ref)]
        rows = self.rows(refs)
        back = [r for r in rows if claim_id in r.supersedes or claim_id in r.derived_from]
        return [row.claim_id for row in sorted(back, key=lambda row: row.seq)]

    def _holding(self, name: str) -> list[str] | None:
        """The eligible claims that hold every word of a name; None where they are too many to follow."""
        terms = list(dict.fromkeys(words(name)))
        if not terms:
            return []
        refs = self.search.holding_all(terms, RANKING_POLICY.graph_general)
        return None if refs is None else [row.claim_id for row in self.rows(refs)]

    def walk_among(self, rows: list[Row]) -> None:
        """Walk among a few rows, where the method weighs closeness beside other signals."""
        if "graph" not in self.policy.beside(self.request.method):
            return
        self._contents(rows)
        known = {row.claim_id: row for row in rows}
        graph = Graph(known, back_among(rows), self._contents)
        seeds = graph.seeds(self.named, rows, self.request.query, sure_names)
        if seeds:
            self.walked = walked(seeds, *graph.among(known))

    # --- choosing ---

    def rows(self, refs: Collection[Ref]) -> list[Row]:
        """Rows by their places."""
        return self.gathered.read(list(refs))

    def chosen(self, *, eligible: bool) -> Chosen:
        """The rows that the request can have meant, best by what their columns tell first."""
        gathered, method = self.gathered, self.request.method
        named = [ref for ref in self.found_named.values() if gathered.serves(ref) == eligible]
        first = [r for r in self._by_id(named) if passes(gathered, self.request, r)]
        start = Chosen(first, len(named), len(named) - len(first))
        if method == "exact_identifier":
            return start
        if method == "graph_traversal":
            return self._by_walk(start, eligible=eligible)
        if method == "temporal_retrieval" and not self.query:
            return self._in_time(start, named, eligible=eligible)
        if method != "embedding_similarity":
            start = self._by_words(start, named, eligible=eligible)
        if self.nearby is None or not self.policy.compares(method):
            return start
        return self._by_meaning(self.nearby, start, named, eligible=eligible)

    def _by_id(self, refs: Collection[Ref]) -> list[Row]:
        return sorted(self.rows(refs), key=lambda row: row.claim_id)

    def _by_walk(self, start: Chosen, *, eligible: bool) -> Chosen:
        gathered = self.gathered
        reached = gathered.find(set(self.walked.closeness) - self.named)
        refs = [ref for ref in reached.values() if gathered.serves(ref) == eligible]
        rows = [r for r in self._by_id(refs) if passes(gathered, self.request, r)]
        near = sorted(rows, key=lambda r: (-self.walked.closeness[r.claim_id], r.claim_id))
        out = start.filtered + len(refs) - len(near)
        return Chosen([*start.rows, *near], start.matched + len(refs), out)

    def _by_words(self, start: Chosen, named: list[Ref], *, eligible: bool) -> Chosen:
        search = self.search
        everything = search.matches(None, eligible=eligible)
        matches = (
            search.matches(self.filter, eligible=eligible) if self.filter.narrows else everything
        )
        able = search.able(matches, self.request.method, self.policy)
        # An address is known only when a claim is read, so that filter comes before the pool is cut.
        size = sum(m.size for m in able)
        limit = size if self.request.uri_prefix else POOL
        best = search.best(able, limit + len(named))
        refs = [ref for ref in best if ref not in set(named)][:limit]
        worded = [ref for ref in named if search.keyword(ref).coverage]
        total = sum(m.size for m in everything) - len(worded)
        kept = sum(m.size for m in matches) - sum(search.is_among(r, matches) for r in named)
        return Chosen(
            [*start.rows, *self.rows(refs)],
            start.matched + total,
            start.filtered + total - kept,
            kept - len(refs),
            size - sum(search.is_among(ref, able) for ref in named) - len(refs),
            frozenset(refs),
        )

    def _by_meaning(
        self, nearby: Nearby, start: Chosen, named: list[Ref], *, eligible: bool
    ) -> Chosen:
        """Rows that are near by embedding, beside those that hold the words."""
        alone = self.request.method == "embedding_similarity"
        calibration = nearby.meaning.calibration
        masks = self._masks(eligible=eligible)
        for run, position in (*named, *start.refs):
            masks[run] = masks[run].copy()
            masks[run][position] = False
        allowed = (
            [m & self.filter.mask(n) for n, m in enumerate(masks)] if self.filter.narrows else masks
        )
        least = calibration.average + 1 if alone else calibration.noise + 1
        limit = POOL if alone else NEAREST
        everything = nearby.nearest(least, masks, limit)
        found = nearby.nearest(
            least, allowed, everything.size if self.request.uri_prefix else limit
        )
        known = 0 if alone else worded(self.search.scores, everything)
        kept = found.size - (0 if alone else worded(self.search.scores, found))
        fresh = [ref for ref in found.refs if alone or not self.search.keyword(ref).coverage]
        over = self._meant(nearby, found, alone=alone)
        return Chosen(
            [*start.rows, *self.rows(found.refs)],
            start.matched + everything.size - known,
            start.filtered + everything.size - known - kept,
            start.rest + kept - len(fresh) - (len(found.refs) - len(fresh)),
            start.over + over,
            start.refs | frozenset(found.refs),
        )

    def _meant(self, nearby: Nearby, found: Nearest, *, alone: bool) -> int:
        """How many near rows beyond those that are read are supported by that alone."""
        least = nearby.least_supported(self.policy) if alone else nearby.least_meant(self.policy)
        read, over = set(found.refs), 0
        for n, (places, cosines) in enumerate(zip(found.places, found.cosines, strict=True)):
            for place in places[cosines >= least].tolist():
                keyword = Keyword() if alone else self.search.keyword((n, place))
                worded = may_support(keyword, self.request.method, self.policy)
                over += (n, place) not in read and (alone or not worded)
        return over

    def _masks(self, *, eligible: bool) -> list[Any]:
        judged = self.gathered.judged
        return [one.eligible if eligible else one.run.live & ~one.eligible for one in judged]

    def _in_time(self, start: Chosen, named: list[Ref], *, eligible: bool) -> Chosen:
        masks = self._masks(eligible=eligible)
        for run, position in named:
            masks[run] = masks[run].copy()
            masks[run][position] = False
        matched = sum(int(mask.sum()) for mask in masks)
        if self.filter.narrows:
            masks = [m & self.filter.mask(n) for n, m in enumerate(masks)]
        kept = sum(int(mask.sum()) for mask in masks)
        limit = kept if self.request.uri_prefix else POOL
        refs = self.search.nearest_in_time(masks, self.gathered.ask.at, limit)
        rest = kept - len(refs)
        over = rest if may_support(Keyword(), self.request.method, self.policy) else 0
        rows = [*start.rows, *self.rows(refs)]
        out = start.filtered + matched - kept
        return Chosen(rows, start.matched + matched, out, rest, over)

    # --- reading ---

    def read(self, rows: Iterable[Row]) -> list[Hit]:
        """Read and score rows; one whose content was erased is not there."""
        wanted = list(rows)
        contents = self._contents(wanted)
        hits = [self._hit(row, contents[row.seq]) for row in wanted if row.seq in contents]
        prefix = self.request.uri_prefix
        kept = [h for h in hits if h.content.get("source", {}).get("uri", "").startswith(prefix)]
        return sorted(kept, key=lambda hit: (-hit.relevance.fixed, hit.row.claim_id))

    def _contents(self, rows: list[Row]) -> dict[int, Mapping[str, Any]]:
        """Contents by event; each is read once for a request."""
        own, missing = self.gathered.own, [r.seq for r in rows if r.seq not in self._read]
        stored = [seq for seq in missing if seq not in own]
        self._read.update(self.gathered.viewing.snapshot.contents(stored) if stored else {})
        self._read.update({seq: encode(own[seq].claim) for seq in missing if seq in own})
        return {r.seq: self._read[r.seq] for r in rows if r.seq in self._read}

    def _keyword(self, row: Row) -> Keyword:
        ref = self.gathered.places.get(row.seq)
        return self.search.keyword(ref) if ref else Keyword()

    def _temporal(self, row: Row) -> int:
        began = row.valid_from if row.valid_from != -FOREVER else row.created_at
        return temporal_share(began, self.gathered.ask.at)

    def _fresh(self, row: Row) -> int:
        ask = self.gathered.ask
        fresh = freshness_at(row, ask.at, risk_of(ask.use) if ask.use else "low")
        return {"current": ONE, "unknown": ONE // 2}.get(fresh, 0)

    def _decay(self, row: Row, content: Mapping[str, Any]) -> int:
        validity = content.get("validity", {})
        if not validity.get("decay"):
            return ONE
        ttl = validity.get("ttl_seconds", 0)
        return strength(validity["decay"], ttl, row.created_at, self.gathered.ask.at)

    def _hit(self, row: Row, content: Mapping[str, Any]) -> Hit:
        keyword = self._keyword(row)
        sentence = words(f"{content.get('title', '')}\n{content.get('claim', '')}")
        signals = {
            "exact_identifier": ONE if row.claim_id in self.named else 0,
            "coverage": keyword.coverage,
            "saturation": keyword.saturation,
            "sentence": sentence_share(self.statistics, sentence),
            "phrase": phrase_share(self.statistics, sentence),
            "subject": names_whole(self.query, _names(content)),
            "temporal": self._temporal(row),
            "graph": self.walked.closeness.get(row.claim_id, 0),
            "recency": temporal_share(row.created_at, self.gathered.ask.at),
            "importance": max(row.importance, 0) * ONE // 10_000,
            "freshness": self._fresh(row),
            "decay": self._decay(row, content),
            **self._by_name(content),
        }
        if self.nearby is not None:
            signals |= self.nearby.signals(self.gathered.places.get(row.seq))
        return Hit(row, content, relevance(signals, self.request.method, self.policy))

    def _by_name(self, content: Mapping[str, Any]) -> dict[str, int]:
        """What the claim's names say, where the method weighs it."""
        query, found = self.request.query, self.statistics
        if self.request.method == "hybrid_retrieval":
            return {"named": named_phrase(found, query, sure_names(content))}
        if self.request.method != "semantic_similarity":
            return {}
        names = names_of(content)
        words_held, phrases_held = named_words(found, names), named_phrase(found, query, names)
        return {"named_words": words_held, "named_phrase": phrases_held}


def _names(content: Mapping[str, Any]) -> list[tuple[str, ...]]:
    subjects = [fact.get("subject", "") for fact in content.get("facts", ())]
    entities = [entity.get("name", "") for entity in content.get("entities", ())]
    return [words(name) for name in (*subjects, *entities, *content.get("aliases", ()))]


def _named(viewing: Viewing, request: Request) -> frozenset[str]:
    """The claims that a request names by identifier or alias."""
    if request.method not in NAMING and request.query:
        return frozenset()
    tokens = [token.strip(".,;:!?()[]\"'`") for token in request.query.split()[:NAMED_AT_MOST]]
    found = {token for token in tokens if is_id(token, "mem")}
    phrases = {match_key(token) for token in (*tokens, request.query)} - {""}
    keys = [viewing.snapshot.key("alias", phrase) for phrase in sorted(phrases)]
    viewing.look_ahead(keys)
    for key in keys:
        found.update(row.claim_id for row in viewing.lookup(key))
    return frozenset(found) if request.query.strip() else frozenset(request.ids)


def score(
    gathered: Gathered, request: Request, meaning: Meaning | None = None
) -> tuple[Scoring, Scored]:
    """Everything that answers a request, and what was left out.

    Args:
        gathered: The rows, decided.
        request: What is asked.
        meaning: The question's vector; None where nothing embeds.
    """
    scoring = Scoring(gathered, request, meaning)
    policy = scoring.policy
    chosen = scoring.chosen(eligible=True)
    scoring.walk_among(chosen.rows)
    hits = scoring.read(chosen.rows)
    threshold = request.relevance_threshold
    least = [hit for hit in hits if supports(hit.relevance, 0.0, policy)]
    enough = [hit for hit in least if hit.relevance.fixed >= fixed(threshold)]
    below = [hit for hit in least if hit.relevance.fixed < fixed(threshold)]
    return scoring, Scored(
        supported=tuple(enough),
        below_threshold=tuple(below),
        near=len(hits) - len(least) + chosen.rest - chosen.over,
        over_pool=chosen.over,
        refused=_refused(scoring, gathered, request),
        matched=chosen.matched,
        filtered=chosen.filtered + len(chosen.rows) - len(hits),
        terms=tuple(dict.fromkeys(scoring.query)),
        walked=scoring.walked,
    )


def _refused(
    scoring: Scoring, gathered: Gathered, request: Request
) -> tuple[tuple[Hit, tuple[str, ...]], ...]:
    """Claims that would have answered, and why they may not."""
    rows = scoring.chosen(eligible=False).rows[: POOL + NEAREST]
    hits = scoring.read(rows)
    threshold, policy = request.relevance_threshold, scoring.policy
    enough = [hit for hit in hits if supports(hit.relevance, threshold, policy)]
    places = gathered.find([hit.row.claim_id for hit in enough])
    return tuple((hit, gathered.reasons(places[hit.row.claim_id])) for hit in enough)
