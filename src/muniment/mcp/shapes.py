r"""What a tool hands to a model: short, whole and spelled out; the schemas of it, and how it is made of an answer.

- Hosts hand a model the structured content, the text, or both. Each is enough alone: the packet's text is in both.
- Schemas go as deep as a model is helped by: a certificate is given back as it is, reasons as they come.
- A recall's packet is fenced text (`core.render`), not JSON, which would be nine times as long for one claim.
- Every string is spelled out (`core.text.visible`), but a certificate's, which is given back as it is.

>>> spelled_out({"a": ["x\u200by", 1, None]})
{'a': ['x⟨U+200B⟩y', 1, None]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from muniment.core.quoting import quoted_lines, shown
from muniment.core.text import visible
from muniment.usecases.advice import undeclared_use

Json = dict[str, Any]


class Found(BaseModel):
    """A packet."""

    outcome: str
    text: str = Field(description="Whole claims, cited, fenced as data; within the budget.")
    retrieval_id: str | None = Field(None, description="Give it to `why`.")
    note: str | None = None
    certificate: Json | None = Field(None, description="Give it to `revalidate` as it is.")


class Rows(BaseModel):
    """Answers with their proofs."""

    outcome: str
    text: str = Field(description="Rows and the claims that prove them, fenced as data.")
    rows: list[dict[str, str]]
    note: str | None = None
    certificate: Json | None = Field(None, description="Give it to `revalidate` as it is.")


class Acted(BaseModel):
    """An answer that says who acted."""

    acting: str = Field(description="Who acted, and in which scopes.")


class Record(BaseModel):
    """A record that differs, and how."""

    id: str
    how: str


class Verdict(Acted):
    """What asking again came to."""

    verdict: Literal["valid", "changed", "not_permitted", "unknown"]
    reasons: list[str]
    records: list[Record]
    evidence_equal: bool | None
    asked_at: str | None


class Version(BaseModel):
    """A version of a claim."""

    id: str
    version: int
    claim: str
    review: str
    source: str
    recorded_at: str
    revision: int
    until_revision: int | None


class History(Acted):
    """Versions, oldest first."""

    versions: list[Version]


class Why(Acted):
    """Reasons."""

    why: Json


class Change(BaseModel):
    """A proposed change."""

    id: str
    operation: str
    claim_id: str | None = None


class Noticed(BaseModel):
    """What the checks noticed."""

    code: str
    path: str
    message: str
    fix: str | None = None


class Waiting(Acted):
    """A proposal that waits for review."""

    diff: str = Field(description="Give it to `why` to see what became of it.")
    changes: list[Change]
    findings: list[Noticed]
    state: Literal["waits for review"]


def spelled_out(value: Any) -> Any:
    """A JSON value with every string spelled out."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(key)): spelled_out(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [spelled_out(item) for item in value]
    return value


def compact(value: Any) -> str:
    """A JSON value as text."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# --- reading --------------------------------------------------------------------------------------


def recalled(body: Json, given: Json) -> Json:
    """A packet: its text, and what can be asked about it."""
    note = undeclared_use(str(given.get("use", ""))) if body["evidence"] else ""
    short = {"outcome": body["outcome"], "text": body["text"]}
    if body.get("retrieval_id"):
        short["retrieval_id"] = body["retrieval_id"]
    return _whole(body, short, note)


def answered(body: Json, given: Json) -> Json:
    """Rows: the packet of them, or what stands in the way."""
    packing = body["packing"] or {}
    text = (
        packing.get("text") or "\n".join((f"outcome: {body['outcome']}", *_unpacked(body))) + "\n"
    )
    left = packing.get("left") or 0
    note = f"{left} more rows do not fit the budget" if left else body["advice"]
    short = {"outcome": body["outcome"], "text": text}
    short["rows"] = [row["values"] for row in body["rows"]]
    return _whole(body, short, note)


def _whole(body: Json, short: Json, note: str | None) -> Json:
    found: Json = spelled_out({**short, "note": note} if note else short)
    if body.get("certificate"):
        found["certificate"] = body["certificate"]
    return found


def _unpacked(body: Json) -> list[str]:
    """Rows without a packet, or the sides of a contradiction, fenced as a packet's claims are."""
    lines = [f"advice: {body['advice']}"] if body["advice"] else []
    for row in body["rows"]:
        values = "; ".join(f"{name} = {shown(value)}" for name, value in row["values"].items())
        lines.append(f"{values or 'it holds'}: {', '.join(row['proofs'][0])}")
    for one in body["conflicts"]:
        lines.append(f"conflict: {', '.join(map(shown, one['ids']))}")
        lines += [quoted_lines(note) for note in one["notes"] if note]
    if body["conflicts"]:
        for name, claim in body["claims"].items():
            lines += [f"id: {shown(name)} | {shown(claim['status'])}", quoted_lines(claim["claim"])]
    return lines


def history(body: Json, given: Json) -> Json:
    """Versions in a line or two each."""
    return _acted(body, {"versions": [_version(one) for one in body["versions"]]})


def _version(one: Json) -> Json:
    claim = one["claim"]
    return {
        "id": claim["id"],
        "version": claim.get("version", 0),
        "claim": claim["claim"],
        "review": claim.get("retired") or claim.get("review", {}).get("status", "pending"),
        "source": claim["source"].get("uri") or claim["source"]["kind"],
        "recorded_at": one["recorded_at"],
        "revision": one["revision"],
        "until_revision": one["until_revision"],
    }


def why(body: Json, given: Json) -> Json:
    """Reasons as they are, but for signatures, which say nothing to a model."""
    return _acted(body, {"why": _unsigned(body["why"])})


def _unsigned(value: Any) -> Any:
    if isinstance(value, Mapping):
        left = ("signature", "public_key")
        return {key: _unsigned(item) for key, item in value.items() if key not in left}
    return [_unsigned(item) for item in value] if isinstance(value, list | tuple) else value


def verdict(body: Json, given: Json) -> Json:
    """What asking again came to."""
    return _acted(body, {key: body[key] for key in body if key != "acting"})


# --- proposing ------------------------------------------------------------------------------------


def proposed(body: Json, given: Json) -> Json:
    """A proposal: what was made of what was given, and what the checks noticed; not what was given."""
    findings = [
        {key: one[key] for key in ("code", "path", "message", "fix") if one[key]}
        for one in body["findings"]
    ]
    short = {
        "diff": body["diff"],
        "changes": [_change(one) for one in body["changes"]],
        "findings": [{"path": "", **one} for one in findings],
        "state": "waits for review",
    }
    return _acted(body, short)


def _change(one: Json) -> Json:
    claim = (one.get("item") or {}).get("id") or one.get("target_id")
    return {
        "id": one["id"],
        "operation": one["operation"],
        **({"claim_id": claim} if claim else {}),
    }


def _acted(body: Json, short: Json) -> Json:
    acting = body["acting"]
    where = ", ".join(acting["scopes"]) or "no scope"
    found: Json = spelled_out({**short, "acting": f"{acting['principal']} in {where}"})
    return found


SHAPES: dict[str, tuple[type[BaseModel], Callable[[Json, Json], Json]]] = {
    "recall": (Found, recalled),
    "query": (Rows, answered),
    "remember": (Waiting, proposed),
    "propose": (Waiting, proposed),
    "report": (Waiting, proposed),
    "history": (History, history),
    "why": (Why, why),
    "revalidate": (Verdict, verdict),
}
"""By tool: the schema of what comes back, and how it is made."""
