"""What is remembered: search by the recall engine, with facets; a claim, its history and where it comes from.

- Looking serves no use: what is found here is what the asker may see, whatever it may be used for.
- Facets count what was found, a hundred claims at most; what may not be seen is in no count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from muniment.core.claim import Claim
from muniment.core.evidence import Item
from muniment.core.source import Source
from muniment.http.pages.asked import Page
from muniment.http.pages.drawing import Node, Span, provenance, two_axes
from muniment.http.pages.views.inbox import evidence
from muniment.http.pages.views.seat import came_from
from muniment.reviewable.beside import audience_text, plain_text
from muniment.reviewable.standing import looked_at
from muniment.usecases.report import VERDICTS

MOST = 100
WHOLE = 1_000_000
FACETS = ("type", "memory_type", "status", "origin")
_OPTIONS = {
    "type": "types",
    "memory_type": "memory_types",
    "status": "statuses",
    "origin": "origins",
}


def memory(page: Page) -> Response:
    """Search what is remembered."""
    query = page.query
    asked = query.get("q", "").strip()
    chosen = {name: query[name] for name in FACETS if query.get(name)}
    options: dict[str, Any] = {_OPTIONS[name]: (value,) for name, value in chosen.items()}
    scope = query.get("scope", "")
    history = query.get("history") == "yes"
    narrowed = page.memory.narrowed(scopes=[scope]) if scope else page.memory
    packet = narrowed.recall(
        asked,
        use="",
        budget=WHOLE,
        k=MOST,
        history=history,
        uri_prefix=query.get("source", ""),
        method="hybrid_retrieval" if asked else "temporal_retrieval",
        log="off",
        **options,
    ).packet
    kept = {**chosen, **({"q": asked} if asked else {}), **({"scope": scope} if scope else {})}
    return page.answer(
        "memory.html",
        asked=asked,
        items=packet.items,
        outcome=packet.outcome,
        advice=packet.advice,
        left=packet.omissions,
        facets=_facets(packet.items, chosen, kept),
        scope=scope,
        scopes=[str(one) for one in page.memory.session.scopes],
        history=history,
        source=query.get("source", ""),
    )


def _facets(
    items: tuple[Item, ...], chosen: Mapping[str, str], kept: Mapping[str, str]
) -> list[tuple[str, list[tuple[str, int, str, bool]]]]:
    """Each facet with its values: how many, the address that chooses or leaves it, whether it is chosen."""
    found = []
    for name in FACETS:
        counts = Counter(_value(item, name) for item in items)
        rows = []
        for value, count in counts.most_common(8):
            is_chosen = chosen.get(name) == value
            rest = {k: v for k, v in kept.items() if k != name}
            to = f"/memory?{urlencode(rest if is_chosen else {**rest, name: value})}"
            rows.append((value, count, to, is_chosen))
        found.append((name, [row for row in rows if row[0]]))
    return found


def _value(item: Item, name: str) -> str:
    if name == "status":
        return item.status
    return item.claim.source.origin if name == "origin" else str(getattr(item.claim, name))


# --- one claim ------------------------------------------------------------------------------------


def claim(page: Page) -> Response:
    """A claim with everything about it."""
    name = str(page.request.path_params["id"])
    shown, why = page.memory.show(name), page.memory.why(name)
    versions = page.memory.history(shown.claim.id)
    related = page.memory.claims(_named(shown.claim, why))
    spans = [
        Span(
            f"v{one.claim.version} {one.claim.claim}",
            one.claim.validity.valid_from,
            one.claim.validity.valid_until,
            _time(one.recorded_at),
            _time(versions[n + 1].recorded_at) if n + 1 < len(versions) else None,
        )
        for n, one in enumerate(versions)
    ]
    before, after = _around(shown.claim, why, related)
    return page.answer(
        "claim.html",
        shown=shown,
        claim=shown.claim,
        why=why,
        versions=versions,
        axes=two_axes(spans, page.seats.now()) if spans else "",
        graph=provenance(shown.claim.claim, before, after),
        around=(*before, *after),
        evidence=[
            evidence(one)
            for one in looked_at(page.memory.session.sources.fetch, shown.claim.source)
        ],
        verdicts=VERDICTS,
        audience=audience_text,
        plain=plain_text,
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _named(claim: Claim, why: Mapping[str, Any]) -> set[str]:
    names = {*why["derived_from"], *why["derived"], *why["supersedes"], *why["conflicts"]}
    return names | ({why["superseded_by"]} if why["superseded_by"] else set())


def _around(
    claim: Claim, why: Mapping[str, Any], related: Mapping[str, Claim]
) -> tuple[list[Node], list[Node]]:
    def node(name: str, how: str) -> Node:
        words = related[name].claim if name in related else name
        return Node(words, how, f"/claims/{name}")

    source: Source = claim.source
    origin = [Node(source.uri or source.kind, source.kind.replace("_", " "))]
    before = [node(one, "derived from") for one in why["derived_from"]]
    before += [node(one, "replaces") for one in why["supersedes"]]
    after = [node(one, "derives") for one in why["derived"]]
    if why["superseded_by"]:
        after.append(node(why["superseded_by"], "replaced by"))
    after += [node(one, "contradicted by") for one in why["conflicts"]]
    return [*(origin if not why["derived_from"] else []), *before][:12], after[:12]


def report(page: Page) -> Response:
    """Say that a memory was wrong, outdated or useful."""
    name = str(page.request.path_params["id"])
    verdict, reason = page.form.get("verdict", ""), page.form.get("reason", "")
    proposed = page.memory.report(name, verdict, reason)
    to = came_from(page, f"/claims/{name}")
    return page.back(to, "good", f"{proposed.diff.id} says so, and waits for review")


VIEWS = (
    ("GET", "/memory", memory),
    ("GET", "/claims/{id}", claim),
    ("POST", "/claims/{id}/report", report),
)
