"""The recall playground: the packet as an agent gets it, what was left out and why, the steps, the certificate.

- An operator can look as another principal would be answered, as far as it sees that itself.
- A certificate is shown to be kept, and can be asked again here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from muniment import wiring
from muniment.core.codec import read_time
from muniment.core.errors import Finding, InvalidInput, MunimentError, quoted
from muniment.core.packet import OUTCOMES, Packet
from muniment.core.ranking import method_names
from muniment.core.vocabulary import USES
from muniment.http.pages.asked import Page
from muniment.http.pages.drawing import ten_steps

LARGEST_CERTIFICATE = 1_000_000
BUDGET = 1_200


@dataclass(frozen=True, slots=True)
class Form:
    """What the form says; kept as it was typed where it cannot be read."""

    q: str
    use: str
    budget: str
    k: str
    at: str
    scope: str
    method: str
    principal: str
    grounded: bool
    certify: bool


def recall(page: Page) -> Response:
    """Ask, and see what an agent would see."""
    given = page.query
    form = Form(
        given.get("q", ""),
        given.get("use", "answer_questions"),
        given.get("budget", str(BUDGET)),
        given.get("k", "12"),
        given.get("at", ""),
        given.get("scope", ""),
        given.get("method", "hybrid_retrieval"),
        given.get("principal", ""),
        given.get("grounded") == "yes",
        given.get("certify") == "yes" or "q" not in given,
    )
    answer: Mapping[str, Any] = {"packet": None}
    findings: tuple[Finding, ...] = ()
    if form.q or "q" in given:
        try:
            answer = _answer(page, form)
        except MunimentError as error:
            findings = error.findings
    return page.answer(
        "recall.html",
        422 if findings else 200,
        form=form,
        findings=findings,
        uses=[use.name for use in USES],
        methods=sorted(method_names()),
        scopes=[str(one) for one in page.memory.session.scopes],
        outcomes=dict(OUTCOMES),
        may_look_as=page.memory.session.role in ("", "operator"),
        **{"certificate": "", "steps": "", "retrieval": "", "others": {}, **answer},
    )


def _answer(page: Page, form: Form) -> dict[str, Any]:
    options: dict[str, Any] = {
        "use": form.use,
        "budget": _whole(form.budget, "/budget"),
        "k": _whole(form.k, "/k"),
        "at": _instant(form.at) if form.at else None,
        "method": form.method,
        "grounded": form.grounded,
    }
    if page.seat.visiting:
        options["log"] = "off"
    narrowed = page.memory.narrowed(scopes=[form.scope]) if form.scope else page.memory
    certificate, retrieval = "", ""
    if form.principal and form.principal != page.memory.session.principal:
        packet: Any = narrowed.recall_as(form.principal, form.q, **options)
    elif form.certify:
        certified = narrowed.certified_recall(form.q, **options)
        packet = certified.answered
        certificate = json.dumps(certified.certificate, ensure_ascii=True, indent=1)
    else:
        recalled = narrowed.recall(form.q, **options)
        packet, retrieval = recalled.packet, recalled.retrieval_id
    found: Packet = packet
    left = {name for one in found.omissions for name in [one.id]}
    return {
        "packet": found,
        "certificate": certificate,
        "retrieval": retrieval,
        "steps": ten_steps([(s.number, s.name, s.counts) for s in found.trace]),
        "others": page.memory.claims(left) if left else {},
    }


def _whole(text: str, path: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        fix = "give a whole number"
        raise InvalidInput.of((Finding("wrong_type", f"{quoted(text)} is no number", path, fix),))
    return int(text)


def _instant(text: str) -> Any:
    found: list[Finding] = []
    at = read_time(text, "/at", found)
    if at is None:
        raise InvalidInput.of(tuple(found))
    return at


# --- certificates ---------------------------------------------------------------------------------


def form(page: Page) -> Response:
    """A place to put a certificate."""
    return page.answer("revalidate.html", text="", verdict=None, findings=())


def revalidate(page: Page) -> Response:
    """Ask again what a certificate answers."""
    text = page.form.get("certificate", "")
    try:
        value, findings = wiring.read_document(
            text[:LARGEST_CERTIFICATE].encode(), "certificate.json"
        )
        if not isinstance(value, Mapping):
            raise InvalidInput.of(findings or (_no_certificate(),))
        verdict = page.memory.revalidate(value)
    except MunimentError as error:
        return page.answer("revalidate.html", 422, text=text, verdict=None, findings=error.findings)
    return page.answer("revalidate.html", text=text, verdict=verdict, findings=())


def _no_certificate() -> Finding:
    fix = "paste what a recall with a certificate gave, whole"
    return Finding("not_a_certificate", "this is no certificate", "/certificate", fix)


VIEWS = (
    ("GET", "/recall", recall),
    ("GET", "/revalidate", form),
    ("POST", "/revalidate", revalidate),
)
