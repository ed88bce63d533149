"""The words of the record, from the module of data that the program itself reads."""

from __future__ import annotations

from pathlib import Path

from muniment.core.vocabulary import (
    DISTINCTIONS,
    EQUIVALENTS,
    GRADES,
    KIND_ORIGINS,
    USE_ALIASES,
    USES,
    VOCABULARIES,
)
from tools.generators.tables import code, table


def vocabularies(root: Path) -> str:
    """Every vocabulary with its terms, and whether other names are refused."""
    parts = []
    for name, terms, closed in VOCABULARIES:
        more = "any other name is refused" if closed else "further names may be declared"
        rows = [(code(term.name), term.meaning) for term in terms]
        heading = name.replace("_", " ").capitalize()
        parts.append(
            f"### {heading}\n\n{len(terms)} names; {more}.\n\n{table(('name', 'meaning'), rows)}"
        )
    return "\n\n".join(parts)


def uses(root: Path) -> str:
    """The declared uses with their risk, and their other names."""
    others = {name: alias for alias, name in USE_ALIASES}
    rows = [(code(u.name), u.risk, u.meaning, code(others.get(u.name, ""))) for u in USES]
    return table(("use", "risk", "meaning", "also"), rows)


def origins(root: Path) -> str:
    """Which origin a kind of source has where a draft names none."""
    return table(
        ("kind of source", "origin"), [(code(kind), code(origin)) for kind, origin in KIND_ORIGINS]
    )


def grades(root: Path) -> str:
    """The seven grades and the most that each lets a claim carry."""
    return table(
        ("grade", "at most", "when"), [(code(g.name), f"{g.cap:.2f}", g.meaning) for g in GRADES]
    )


def equivalents(root: Path) -> str:
    """The six pairs of equivalent names, and when they are understood."""
    rows = [(e.name, e.same_as, code(e.stands_for), e.condition or "always") for e in EQUIVALENTS]
    return table(("name", "means the same as", "read as", "when"), rows)


def distinctions(root: Path) -> str:
    """The eleven pairs that are never taken for one another."""
    rows = [(a.replace("_", " "), b.replace("_", " ")) for a, b in DISTINCTIONS]
    return table(("this", "is not"), rows)


GENERATORS = {
    "vocabularies": vocabularies,
    "use-risks": uses,
    "origins": origins,
    "grades": grades,
    "equivalents": equivalents,
    "distinctions": distinctions,
}
