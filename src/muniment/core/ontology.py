"""The ontology in force, and its hash (`A-FLOWHASH`).

- Twelve inputs, as seed A names them, taken from the vocabulary, the relation map and the rules that really run.
- Unordered sets are sorted, white space is folded; the case of identifiers and the order of rules count.
- Certificates, exports and packets carry the hash: an answer under other rules is another answer.

>>> flow_hash() == flow_hash(inputs())
True
>>> spaced = tuple(Input(i.name, i.ordered, tuple("  " + value for value in i.values)) for i in inputs())
>>> flow_hash(spaced) == flow_hash()
True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from muniment.core.canonical import digest
from muniment.core.check import CLAIM_RULES
from muniment.core.check_diff import DIFF_RULES
from muniment.core.claim import Claim
from muniment.core.decide import USE_RULES
from muniment.core.encode import encode
from muniment.core.event import KINDS
from muniment.core.relations import RELATIONS
from muniment.core.review import TRANSITIONS
from muniment.core.status import RISK_WINDOW_DAYS, STATUS_RULES, WINDOW_DAYS
from muniment.core.vocabulary import (
    CONTENT_KINDS,
    DERIVATIONS,
    DISTINCTIONS,
    EQUIVALENTS,
    GRADES,
    MEMORY_TYPES,
    ORIGINS,
    RELATIONSHIPS,
    RETRIEVAL_METHODS,
    SCOPE_KINDS,
    STATUSES,
    USES,
    VISIBILITY_LEVELS,
    VOCABULARIES,
    Term,
)

NAME = "AIMemoryMetadataOntology/1.0"


@dataclass(frozen=True, slots=True)
class Input:
    """One of the twelve inputs.

    Attributes:
        name: As seed A names it.
        ordered: Whether the order of its values counts.
        values: Each as one line of text.
    """

    name: str
    ordered: bool
    values: tuple[str, ...]


def _terms(*vocabularies: tuple[Term, ...]) -> tuple[str, ...]:
    return tuple(f"{term.name}: {term.meaning}" for terms in vocabularies for term in terms)


def _rules(rows: Iterable[tuple[Any, ...]]) -> tuple[str, ...]:
    """One line a rule: its requirement or name, and the function that decides."""
    return tuple(" ".join(_word(part) for part in row) for row in rows)


def _word(part: Any) -> str:
    return str(part.__name__).lstrip("_") if callable(part) else str(part)


def inputs() -> tuple[Input, ...]:
    """The twelve inputs as they are in force."""
    relations = (
        f"{r.name} single={r.single} inverse={r.inverse} aliases={','.join(r.aliases)}"
        for r in RELATIONS
    )
    equivalents = (
        f"{e.name} ~ {e.same_as} = {e.stands_for} when {e.condition or 'always'}"
        for e in EQUIVALENTS
    )
    return (
        Input(
            "ontology",
            False,
            (NAME, *(f"{name} closed={closed}" for name, _, closed in VOCABULARIES)),
        ),
        Input(
            "memory_entities",
            False,
            tuple(f"claim.{f.name}" for f in fields(Claim)) + _terms(CONTENT_KINDS),
        ),
        Input("memory_types", False, _terms(MEMORY_TYPES)),
        Input("relationships", False, _terms(RELATIONSHIPS) + tuple(relations)),
        Input("scope_rules", False, _terms(SCOPE_KINDS, VISIBILITY_LEVELS)),
        Input("retrieval_rules", True, _terms(RETRIEVAL_METHODS) + _rules(USE_RULES)),
        Input(
            "validity_rules",
            True,
            _terms(STATUSES) + _rules(STATUS_RULES) + _rules(WINDOW_DAYS + RISK_WINDOW_DAYS),
        ),
        Input("consolidation_rules", False, _terms(DERIVATIONS, ORIGINS)),
        Input("validation", True, _rules(CLAIM_RULES) + _rules(DIFF_RULES)),
        Input(
            "semantic_equivalence", False, (*equivalents, *(f"{a} != {b}" for a, b in DISTINCTIONS))
        ),
        Input("confidence", True, tuple(f"{g.name} <= {g.cap}" for g in GRADES)),
        Input(
            "update_model",
            True,
            _rules(TRANSITIONS) + _rules(KINDS) + tuple(f"{use.name} {use.risk}" for use in USES),
        ),
    )


def flow_hash(given: tuple[Input, ...] | None = None) -> str:
    """The deterministic hash of the ontology in force, or of other inputs."""
    body = {}
    for one in inputs() if given is None else given:
        values = [" ".join(value.split()) for value in one.values]
        body[one.name] = values if one.ordered else sorted(values)
    return digest(body)


def tables() -> dict[str, list[dict[str, Any]]]:
    """The vocabulary in force as JSON: every table with its rows.

    >>> [row["name"] for row in tables()["memory_type"]][:2]
    ['working', 'short_term']
    """
    found = {
        name: [{"name": term.name, "meaning": term.meaning} for term in terms]
        for name, terms, _ in VOCABULARIES
    }
    return {
        **found,
        "use": [dict(encode(use)) for use in USES],
        "grade": [dict(encode(grade)) for grade in GRADES],
        "relation": [
            {"name": one.name, "values": "one" if one.single else "many", "meaning": one.meaning}
            for one in RELATIONS
        ],
        "equivalent": [
            {"name": one.name, "same_as": one.same_as, "when": one.condition or "always"}
            for one in EQUIVALENTS
        ],
        "distinction": [{"one": a, "other": b} for a, b in DISTINCTIONS],
    }
