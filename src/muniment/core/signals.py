"""What only reading a claim tells of how well it answers: its sentence, its phrases, its names, its time.

- Every signal is a fixed-point share in [0, 1] of the query; none reads confidence or importance (`A-RELTRUTH`).
- The query's words weigh what they weigh among the eligible claims (`rank.statistics`).
- A name is an alias, an entity, or a fact's subject or object; a name that stands whole in the query says more than
  its words apart.

How signals are fused is `rank`'s matter.

>>> found = statistics(words("deploy billing api"), {}, {})
>>> names = names_of({"entities": [{"name": "Billing API"}], "aliases": ["invoices"]})
>>> named_phrase(found, "deploy the billing-api", names) == named_words(found, names) > ONE // 2
True
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from muniment.core.rank import Statistics, share, statistics
from muniment.core.ranking import ONE, RANKING_POLICY, RankingPolicy
from muniment.core.words import words

_ = (share, statistics)  # named by the doctests
_JOINTS = re.compile(r"[-_/.:]+")


def sentence_share(found: Statistics, sentence: Collection[str]) -> int:
    """Share of the query's weight that stands in the claim's own sentence, fixed point.

    >>> found = statistics(("run", "test"), {1: 2}, {"run": [(1, 1)], "test": [(1, 1)]})
    >>> sentence_share(found, ("run", "test")) == ONE, sentence_share(found, ())
    (True, 0)
    """
    present = set(sentence)
    held = sum(weight for term, weight in found.weights.items() if term in present)
    return held * ONE // (found.total or 1)


def phrase_share(
    found: Statistics, sentence: Sequence[str], policy: RankingPolicy = RANKING_POLICY
) -> int:
    """Share of the query's neighbouring words that stand within `near` words in the sentence, fixed point.

    >>> found = statistics(("run", "test", "fast"), {}, {})
    >>> phrase_share(found, ("run", "the", "unit", "test")) == ONE // 2
    True
    >>> phrase_share(found, ("run", "the", "many", "unit", "test"))
    0
    """
    terms = tuple(found.weights)
    if len(terms) < 2:
        return 0
    places: dict[str, list[int]] = {}
    for place, word in enumerate(sentence):
        if word in found.weights:
            places.setdefault(word, []).append(place)
    close = sum(
        any(abs(i - j) <= policy.near for i in places[one] for j in places[other])
        for one, other in pairwise(terms)
        if one in places and other in places
    )
    return close * ONE // (len(terms) - 1)


def names_whole(query: Collection[str], names: Sequence[Sequence[str]]) -> int:
    """Whether the query holds every word of one of the names, fixed point.

    >>> names_whole(("deploy", "billing", "api"), (("billing", "api"), ("shop",))) == ONE
    True
    >>> names_whole(("billing",), (("billing", "api"), ()))
    0
    """
    asked = set(query)
    return ONE if any(name and asked.issuperset(name) for name in names) else 0


def temporal_share(began: int, at: int, policy: RankingPolicy = RANKING_POLICY) -> int:
    """Closeness of two instants (microseconds), fixed point.

    >>> month = RANKING_POLICY.half_life_days * 86_400_000_000
    >>> [share(temporal_share(0, at)) for at in (0, month, -month, 3 * month)]
    [1.0, 0.5, 0.5, 0.25]
    """
    half = policy.half_life_days * 86_400_000_000
    return ONE * half // (half + abs(at - began))


# --- names ----------------------------------------------------------------------------------------


def names_of(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in a claim's JSON form: aliases, entities, and its facts' subjects and objects.

    >>> names_of({"aliases": ["ci"], "facts": [{"subject": "shop", "predicate": "uses", "object": "pnpm"}]})
    ('ci', 'shop', 'pnpm')
    """
    facts = content.get("facts", ())
    entities = [entity.get("name", "") for entity in content.get("entities", ())]
    ends = [fact.get(end, "") for fact in facts for end in ("subject", "object")]
    return tuple(name for name in (*content.get("aliases", ()), *entities, *ends) if name)


def sure_names(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that a question hardly holds by chance: not a fact's subject or object of one word.

    >>> sure_names({"aliases": ["ci"], "facts": [{"subject": "just test", "predicate": "needs", "object": "test"}]})
    ('ci', 'just test')
    """
    declared = {
        *content.get("aliases", ()),
        *(e.get("name", "") for e in content.get("entities", ())),
    }
    return tuple(n for n in names_of(content) if n in declared or len(_forms(n)[-1]) > 1)


@lru_cache(maxsize=4_096)
def _forms(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of a name as it is written, and with its joints as spaces."""
    return tuple(dict.fromkeys((words(text), words(_JOINTS.sub(" ", text)))))


def _stands(name: Sequence[str], text: Sequence[str]) -> bool:
    size = len(name)
    return bool(size) and any(
        tuple(text[at : at + size]) == tuple(name) for at in range(len(text) - size + 1)
    )


def whole_names(query: str, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The words of the names that stand whole in a query, whatever joins their parts.

    >>> whole_names("who owns billing-api?", ("Billing API", "api gateway"))
    (('bill', 'api'),)
    """
    asked = _forms(query)
    return tuple(
        form
        for name in names
        for form in _forms(name)[-1:] + _forms(name)[:-1]
        if any(_stands(form, text) for text in asked)
    )


def named_phrase(found: Statistics, query: str, names: Sequence[str]) -> int:
    """Share of the query's weight in names of the claim that stand whole in the query, fixed point."""
    if not names:
        return 0
    held = {word for name in whole_names(query, names) for word in name}
    return sentence_share(found, held)


def named_words(found: Statistics, names: Sequence[str]) -> int:
    """Share of the query's weight that stands in some name of the claim, fixed point."""
    return sentence_share(found, {word for name in names for form in _forms(name) for word in form})
