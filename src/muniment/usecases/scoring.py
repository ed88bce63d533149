"""Find and score what answers a request, among what was gathered.

- Postings are cut to what was gathered; statistics come from the eligible rows alone.
- The best by keyword are read and scored in full; how many is part of the ranking policy.
- What was refused is scored with the same statistics, only to tell what was left out; it moves nothing else.
- Ties go by claim id, never by the order in which a store holds things.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.codec import encode
from muniment.core.ids import is_id
from muniment.core.rank import (
    ONE,
    RANKING_POLICY,
    Keyword,
    Postings,
    Relevance,
    Statistics,
    by_keyword,
    keyword_scores,
    may_support,
    relevance,
    statistics,
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
from muniment.usecases.eligible import Gathered, passes
from muniment.usecases.traverse import Graph, Walked, walked
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


class Scoring:
    """One request's words, weighed by what is eligible; scores any row of what was gathered."""

    def __init__(self, gathered: Gathered, request: Request) -> None:
        """Read postings and weigh the query."""
        self.gathered = gathered
        self.request = request
        self.query = query_words(request.query)
        self.named = _named(gathered.viewing, request)
        refused = {seq: row for seq, (row, _) in gathered.refused.items()}
        self.rows: dict[int, Row] = {**refused, **gathered.eligible}
        postings = self._postings(set(self.query))
        eligible = {seq: row.length for seq, row in gathered.eligible.items()}
        lengths = {seq: row.length for seq, row in self.rows.items()}
        self.statistics: Statistics = statistics(self.query, eligible, postings)
        self.keywords = keyword_scores(self.statistics, postings, lengths)
        self._read: dict[int, Mapping[str, Any]] = {}
        self.walked = self._walked() if request.method == "graph_traversal" else Walked()

    def _postings(self, terms: Collection[str]) -> Postings:
        stored = self.gathered.viewing.snapshot.postings(terms, self.gathered.classes)
        found = {term: list(stored.get(term, ())) for term in terms}
        for seq, own in self.gathered.own.items():
            for term, holders in found.items():
                if own.terms.get(term):
                    holders.append((seq, own.terms[term]))
        return found

    def _walked(self) -> Walked:
        """Walk among all that is eligible; half of what may be read goes to finding where to begin."""
        graph = Graph(self.gathered.eligible.values(), self._contents)
        by_words = [row for row in self.gathered.eligible.values() if row.seq in self.keywords]
        most = RANKING_POLICY.graph_examined // 2
        likely = sorted(by_words, key=self._by_keyword)[:most]
        seeds = graph.seeds(self.named, likely, self.request.query)
        spent = len({row.claim_id for row in likely} - set(seeds))
        holding = graph.indexed(self._postings)
        return walked(seeds, graph.look, holding, spent, len(by_words) > most)

    def walk_among(self, rows: list[Row]) -> None:
        """Walk among a few rows, where the method weighs closeness beside other signals."""
        if "graph" not in RANKING_POLICY.beside(self.request.method):
            return
        self._contents(rows)
        graph = Graph(rows, self._contents)
        seeds = graph.seeds(self.named, rows, self.request.query, sure_names)
        if seeds:
            self.walked = walked(seeds, *graph.among(graph.rows))

    def candidates(self, rows: Iterable[Row]) -> list[Row]:
        """Rows that the request can have meant, best by what their columns tell first."""
        wanted = [row for row in rows if self._is_candidate(row)]
        return sorted(wanted, key=lambda row: (-self._rough(row), row.claim_id))

    def _is_candidate(self, row: Row) -> bool:
        if row.claim_id in self.named:
            return True
        if self.request.method == "exact_identifier":
            return False
        if self.request.method == "graph_traversal":
            return row.claim_id in self.walked.closeness
        if self.request.method == "temporal_retrieval" and not self.query:
            return True
        return row.seq in self.keywords

    def _rough(self, row: Row) -> int:
        if row.claim_id in self.named:
            return ONE * 1_001
        if self.request.method == "graph_traversal":
            return self.walked.closeness.get(row.claim_id, 0) * 1_000
        keyword = by_keyword(self.keywords.get(row.seq, Keyword()))
        if self.request.method == "temporal_retrieval":
            return self._temporal(row) * 1_000 if not self.query else keyword
        return keyword

    def _by_keyword(self, row: Row) -> tuple[int, str]:
        return -by_keyword(self.keywords[row.seq]), row.claim_id

    def _temporal(self, row: Row) -> int:
        began = row.valid_from if row.valid_from != -FOREVER else row.created_at
        return temporal_share(began, self.gathered.ask.at)

    def could_support(self, rows: Iterable[Row]) -> int:
        """How many of some rows could be supported, for all that their columns tell."""
        method = self.request.method
        alike = Counter(self.keywords.get(row.seq, Keyword()) for row in rows)
        return sum(count for score, count in alike.items() if may_support(score, method))

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

    def _hit(self, row: Row, content: Mapping[str, Any]) -> Hit:
        keyword = self.keywords.get(row.seq, Keyword())
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
    matched = scoring.candidates(gathered.eligible.values())
    rows = [row for row in matched if passes(gathered, request, row)]
    # An address is known only when a claim is read, so that filter comes before the pool is cut.
    size = len(rows) if request.uri_prefix else RANKING_POLICY.pool
    scoring.walk_among(rows[:size])
    hits = scoring.read(rows[:size])
    least = [hit for hit in hits if supports(hit.relevance, 0.0)]
    enough = [hit for hit in least if supports(hit.relevance, request.relevance_threshold)]
    below = [hit for hit in least if not supports(hit.relevance, request.relevance_threshold)]
    over = scoring.could_support(rows[size:])
    return scoring, Scored(
        supported=tuple(enough),
        below_threshold=tuple(below),
        near=len(hits) - len(least) + len(rows[size:]) - over,
        over_pool=over,
        refused=_refused(scoring, gathered, request),
        matched=len(matched),
        filtered=len(matched) - len(hits) - len(rows[size:]),
        terms=tuple(dict.fromkeys(scoring.query)),
        walked=scoring.walked,
    )


def _refused(
    scoring: Scoring, gathered: Gathered, request: Request
) -> tuple[tuple[Hit, tuple[str, ...]], ...]:
    """Claims that would have answered, and why they may not."""
    rows = scoring.candidates(row for row, _ in gathered.refused.values())
    wanted = [row for row in rows if passes(gathered, request, row)][: RANKING_POLICY.pool]
    hits = scoring.read(wanted)
    enough = [hit for hit in hits if supports(hit.relevance, request.relevance_threshold)]
    return tuple((hit, gathered.refused[hit.row.seq][1]) for hit in enough)
