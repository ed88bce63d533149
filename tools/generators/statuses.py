"""Status and freshness: the rules in their order, and how long a verification lasts."""

from __future__ import annotations

from pathlib import Path

from muniment.core.rules import RULES
from muniment.core.status import DEFAULT_WINDOW_DAYS, RISK_WINDOW_DAYS, WINDOW_DAYS
from muniment.core.vocabulary import FRESHNESS, STATUSES
from tools.generators.tables import code, table


def statuses(root: Path) -> str:
    """The rules in the order in which they are asked, and what is left where none applies."""
    meanings = {term.name: term.meaning for term in STATUSES}
    rules = [rule for rule in RULES if rule.kind == "status"]
    rows = [
        (str(n), code(name := rule.id.partition("/")[2]), rule.summary, meanings[name])
        for n, rule in enumerate(rules, 1)
    ]
    rows.append((str(len(rules) + 1), code("active"), "None of them applies.", meanings["active"]))
    return table(("asked", "status", "applies when", "meaning"), rows)


def freshness(root: Path) -> str:
    """The five words of freshness."""
    return table(("freshness", "meaning"), [(code(t.name), t.meaning) for t in FRESHNESS])


def windows(root: Path) -> str:
    """How long a verification lasts, by kind of claim and by risk of the use."""
    kinds = [(code(kind), f"{days} days") for kind, days in WINDOW_DAYS]
    kinds.append(("any other type", f"{DEFAULT_WINDOW_DAYS} days"))
    risks = [
        (risk, f"{days} days" if days else "as its type says") for risk, days in RISK_WINDOW_DAYS
    ]
    by_kind, by_risk = (
        table(("claim type", "lasts"), kinds),
        table(("risk of the use", "lasts"), risks),
    )
    return f"{by_kind}\n\n{by_risk}"


GENERATORS = {"statuses": statuses, "freshness": freshness, "windows": windows}
