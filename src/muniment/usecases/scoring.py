"""Find and score what answers a request, among what was gathered.

- Postings are cut to what was gathered; statistics come from the eligible rows alone.
- The best by keyword are read and scored in full; how many is part of the ranking policy.
- What was refused is scored with the same statistics, only to tell what was left out; it moves nothing else.
- Ties go by claim id, never by the order in which a store holds things.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.codec import encode
from muniment.core.ids import is_id
from muniment.core.rank import (
    ONE,
    RANKING_POLICY,
    Keyword,
    Relevance,
    may_support,
    relevance,
    supports,
)
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
from muniment.core.text import match_key
from muniment.core.words import query_words, words
from muniment.usecases.eligible import Gathered
from muniment.usecases.filtering import filter_of, passes
from muniment.usecases.judging import Ref, events_of
from muniment.usecases.searching import POOL, Match, Search
from muniment.usecases.traverse import EligibleRows, Graph, Walked, back_among, walked
from muniment.usecases.viewing import Viewing

NAMING = ("exact_identifier", "graph_traversal", "hybrid_retrieval")
"""Methods for which a query can name a claim outright."""
NAMED_AT_MOST = 64
"""Words of a query that are looked up as identifiers or aliases."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A claim that was read and scored."""

    row: Row
    content: Mapping[str, Any]
    relevance: Relevance


@dataclass(frozen=True, slots=True)
class Scored:
    """What was found, best first.

    Attributes:
        supported: Enough to answer with.
        below_threshold: Supported, and below the asker's own threshold.
        near: How many eligible claims hold some word of the query and are not supported.
        over_pool: How many could be supported, and are not among the best that were read.
        refused: Refused and supported: what is left out, with the rules.
        matched: How many eligible rows hold a word of the query or are named by it.
        filtered: How many of these the filters took out.
        terms: The words of the query.
        walked: What a walk along facts, entities and relationships came to.
    """

    supported: tuple[Hit, ...]
    below_threshold: tuple[Hit, ...]
    near: int
    over_pool: int
    refused: tuple[tuple[Hit, tuple[str, ...]], ...]
    matched: int
    filtered: int
    terms: tuple[str, ...]
    walked: Walked = field(default_factory=Walked)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rows that a request can have meant.

    Attributes:
        rows: The best, as many as are read.
        matches: All that hold a word, after filters.
        matched: How many rows were meant before filters.
        filtered: How many of these the filters took out.
        rest: How many passed and were not read.
        refs: Where those of `rows` are that were found by their words.
        named: Where those are that the query names.
    """

    rows: list[Row]
    matches: list[Match]
    matched: int
    filtered: int
    rest: int = 0
    refs: list[Ref] = field(default_factory=list)
    named: list[Ref] = field(default_factory=list)


class Scoring:
    """One request's words, weighed by what is eligible; scores any row of what was gathered."""

    def __init__(self, gathered: Gathered, request: Request) -> None:
        """Look the query's words up and weigh them."""
        self.gathered, self.request = gathered, request
        self.query = query_words(request.query)
        self.search = Search(gathered, self.query)
        self.statistics = self.search.statistics
        self.named = _named(gathered.viewing, request)
        self.found_named = gathered.find(self.named)
        self._refs: dict[int, Ref] = {}
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
        cut = sum(len(match.among) for match in matches) > most
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
        if "graph" not in RANKING_POLICY.beside(self.request.method):
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
        places = list(refs)
        found = self.gathered.read(places)
        by_seq = dict(zip(events_of(self.gathered.judged, places), places, strict=True))
        self._refs.update((row.seq, by_seq[row.seq]) for row in found)
        return found

    def chosen(self, *, eligible: bool) -> Chosen:
        """The rows that the request can have meant, best by what their columns tell first."""
        gathered, method = self.gathered, self.request.method
        named = [ref for ref in self.found_named.values() if gathered.serves(ref) == eligible]
        first = [r for r in self._by_id(named) if passes(gathered, self.request, r)]
        dropped = len(named) - len(first)
        if method == "exact_identifier":
            return Chosen(first, [], len(named), dropped)
        if method == "graph_traversal":
            reached = gathered.find(set(self.walked.closeness) - self.named)
            refs = [ref for ref in reached.values() if gathered.serves(ref) == eligible]
            rows = [r for r in self._by_id(refs) if passes(gathered, self.request, r)]
            near = sorted(rows, key=lambda r: (-self.walked.closeness[r.claim_id], r.claim_id))
            matched = len(named) + len(refs)
            return Chosen(first + near, [], matched, matched - len(first) - len(near))
        if method == "temporal_retrieval" and not self.query:
            return self._in_time(first, named, eligible=eligible)
        return self._by_words(first, named, eligible=eligible)

    def _by_id(self, refs: Collection[Ref]) -> list[Row]:
        return sorted(self.rows(refs), key=lambda row: row.claim_id)

    def _by_words(self, first: list[Row], named: list[Ref], *, eligible: bool) -> Chosen:
        search, filtering = self.search, filter_of(self.gathered, self.request)
        everything = search.matches(None, eligible=eligible)
        matches = everything if filtering is None else search.matches(filtering, eligible=eligible)
        limit = sum(len(m.among) for m in matches) if self._reads_all() else POOL
        twice = {ref for ref in named if search.keyword(ref).coverage}
        refs = [r for r in search.best(matches, limit + len(named)) if r not in set(named)]
        rows = [r for r in self.rows(refs[:limit]) if passes(self.gathered, self.request, r)]
        total = sum(len(m.among) for m in everything) + len(named) - len(twice)
        kept = sum(len(m.among) for m in matches) - sum(self._among(ref, matches) for ref in named)
        out = total - kept - len(first) - (len(refs[:limit]) - len(rows))
        return Chosen(
            [*first, *rows], matches, total, out, kept - len(refs[:limit]), refs[:limit], named
        )

    def _among(self, ref: Ref, matches: list[Match]) -> bool:
        match = matches[ref[0]]
        return bool((match.scores.places[match.among] == ref[1]).any())

    def _reads_all(self) -> bool:
        """Whether a filter asks for what only reading a claim tells."""
        return bool(self.request.uri_prefix)

    def _in_time(self, first: list[Row], named: list[Ref], *, eligible: bool) -> Chosen:
        gathered, filtering = self.gathered, filter_of(self.gathered, self.request)
        masks = [
            one.eligible if eligible else one.run.live & ~one.eligible for one in gathered.judged
        ]
        matched = sum(int(mask.sum()) for mask in masks)
        if filtering is not None:
            masks = [m & self.search.passing(n, filtering) for n, m in enumerate(masks)]
        for run, position in named:
            masks[run] = masks[run].copy()
            masks[run][position] = False
        kept = sum(int(mask.sum()) for mask in masks)
        limit = kept if self._reads_all() else POOL
        refs = self.search.nearest_in_time(masks, gathered.ask.at, limit)
        rows = [r for r in self.rows(refs) if passes(gathered, self.request, r)]
        out = matched - kept - len(first) - (len(refs) - len(rows))
        return Chosen([*first, *rows], [], matched, out, kept - len(refs))

    def over_pool(self, chosen: Chosen) -> int:
        """How many rows beyond those that were read could be supported, for all that their columns tell."""
        if not chosen.rest:
            return 0
        method = self.request.method
        if not chosen.matches:
            return chosen.rest if may_support(Keyword(), method) else 0
        read = [ref for ref in chosen.refs if may_support(self.search.keyword(ref), method)]
        named = [r for r in chosen.named if self._among(r, chosen.matches)]
        able = [ref for ref in named if may_support(self.search.keyword(ref), method)]
        return self.search.could_support(chosen.matches, method) - len(read) - len(able)

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
        ref = self._refs.get(row.seq)
        return self.search.keyword(ref) if ref else Keyword()

    def _temporal(self, row: Row) -> int:
        began = row.valid_from if row.valid_from != -FOREVER else row.created_at
        return temporal_share(began, self.gathered.ask.at)

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
            **self._by_name(content),
        }
        return Hit(row, content, relevance(signals, self.request.method))

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
    for phrase in phrases:
        found.update(row.claim_id for row in viewing.lookup(viewing.snapshot.key("alias", phrase)))
    return frozenset(found) if request.query.strip() else frozenset(request.ids)


def score(gathered: Gathered, request: Request) -> tuple[Scoring, Scored]:
    """Everything that answers a request, and what was left out."""
    scoring = Scoring(gathered, request)
    chosen = scoring.chosen(eligible=True)
    scoring.walk_among(chosen.rows)
    hits = scoring.read(chosen.rows)
    least = [hit for hit in hits if supports(hit.relevance, 0.0)]
    enough = [hit for hit in least if supports(hit.relevance, request.relevance_threshold)]
    below = [hit for hit in least if not supports(hit.relevance, request.relevance_threshold)]
    over = scoring.over_pool(chosen)
    return scoring, Scored(
        supported=tuple(enough),
        below_threshold=tuple(below),
        near=len(hits) - len(least) + chosen.rest - over,
        over_pool=over,
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
    rows = scoring.chosen(eligible=False).rows[:POOL]
    hits = scoring.read(rows)
    enough = [hit for hit in hits if supports(hit.relevance, request.relevance_threshold)]
    places = gathered.find([hit.row.claim_id for hit in enough])
    return tuple((hit, gathered.reasons(places[hit.row.claim_id])) for hit in enough)
