"""Certificates: what a question was answered with, so that it can be asked again and compared (`D-CERT`, `D-DIGEST`).

- A certificate binds the question, who asked and where, the instant, the rules, the heads of the classes that were
  looked at, and every claim that was selected, by version and digest.
- Its seal is a digest under the store's own key, so that what others altered is found. It is no signature: whoever
  can read the store can make one. It protects against no authorised writer's false claim, and a consequential action
  authorises itself again.
- What it says is never believed: revalidating runs the plan again, and compares.
- `valid`: the same answer, and nothing in these classes was written since. `changed`: which record and by which rule,
  or only an unrelated write while the selected evidence is equal. `not_permitted`: not this asker's, or no longer
  within its scopes. `unknown`: another store's, or never issued by this one.

>>> made = sealed({"kind": "query"})
>>> is_whole(made), is_whole({**made, "kind": "recall"})
(True, False)
>>> compare_evidence({"mem_a": Selected("mem_a", 1, "x")}, {"mem_a": Selected("mem_a", 2, "y")})
(('mem_a', 'another_version'),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.core.errors import Finding

FORMAT = "muniment-certificate/1"
KEYS = (
    "format", "kind", "store", "principal", "scopes", "at", "revision", "request", "rules", "view", "heads",
    "outcome", "answer", "evidence", "seal",
)  # fmt: skip
VerdictName = Literal["valid", "changed", "not_permitted", "unknown"]
VERDICTS: tuple[tuple[VerdictName, str], ...] = (
    (
        "valid",
        "asked again now, the answer is the same, and nothing it could depend on was written",
    ),
    ("changed", "the answer is another, or something was written in what it was taken from"),
    ("not_permitted", "it is not yours, or its scopes are not in force"),
    ("unknown", "another store's, or this one never gave this answer"),
)


@dataclass(frozen=True, slots=True)
class Selected:
    """A claim that was selected: its version, and the digest of all that it says."""

    id: str
    version: int
    digest: str


class RulesJson(TypedDict):
    """Digests of the rules in force."""

    ontology: str
    ranking: str


class CertificateJson(TypedDict):
    """A certificate: given back as it is, it is asked again and compared."""

    format: str
    kind: str
    store: str
    principal: str
    scopes: list[str]
    at: str
    revision: int
    request: dict[str, Any]
    rules: RulesJson
    view: str
    heads: str
    outcome: str
    answer: dict[str, Any]
    evidence: list[Selected]
    seal: str
    digest: str


class RecordJson(TypedDict):
    """A record that differs, and how."""

    id: str
    how: str


class VerdictJson(TypedDict):
    """What revalidating came to."""

    verdict: VerdictName
    reasons: list[str]
    records: list[RecordJson]
    evidence_equal: bool
    asked_at: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What revalidating a certificate came to.

    Attributes:
        verdict: One of `VERDICTS`.
        reasons: Why, as stable names; none for a valid one.
        records: Each record that differs, with the rule or the way in which it does.
        evidence_equal: Whether the selected evidence and the answer are what they were.
        asked_at: The instant for which it was asked again; empty where it was not.
    """

    verdict: VerdictName
    reasons: tuple[str, ...] = ()
    records: tuple[tuple[str, str], ...] = ()
    evidence_equal: bool = False
    asked_at: str = ""

    def as_json(self) -> VerdictJson:
        """A JSON value, every key always there."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "records": [{"id": name, "how": how} for name, how in self.records],
            "evidence_equal": self.evidence_equal,
            "asked_at": self.asked_at or None,
        }


def selected(claim: Claim) -> Selected:
    """A claim as a certificate names it."""
    return Selected(claim.id, claim.version, digest(encode(claim)))


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate's content with the digest over all of it."""
    return {**content, "digest": digest(dict(content))}


def is_whole(certificate: Mapping[str, Any]) -> bool:
    """Whether the digest of a certificate is that of its content."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    try:
        return bool(certificate.get("digest") == digest(content))
    except ValueError:
        return False


def certificate_findings(given: Any) -> tuple[Finding, ...]:
    """What is wrong with something that should be a certificate, before the store is asked.

    >>> [finding.code for finding in certificate_findings({"format": "muniment-certificate/1"})]
    ['not_a_certificate']
    """
    what = "a certificate is what `--certify` wrote"
    if not isinstance(given, Mapping) or given.get("format") != FORMAT:
        return (
            Finding(
                "not_a_certificate",
                f"this is no certificate; {what}",
                "",
                "give its file",
                req="D-CERT",
            ),
        )
    missing = [key for key in (*KEYS, "digest") if key not in given]
    if missing or len(given) != len(KEYS) + 1:
        message = "a certificate's parts are missing, or others are added"
        fix = f"it has exactly: {', '.join((*KEYS, 'digest'))}"
        return (Finding("not_a_certificate", message, "", fix, req="D-CERT"),)
    if not is_whole(given):
        message = "the certificate was altered: its digest is not that of its content"
        return (Finding("certificate_altered", message, "/digest", "ask again", req="D-CERT"),)
    return ()


def evidence_of(certificate: Mapping[str, Any]) -> dict[str, Selected] | None:
    """The selected claims of a certificate by id; None where they are not in its form."""
    found = {}
    entries = certificate["evidence"]
    if not isinstance(entries, list):
        return None
    for one in entries:
        if not isinstance(one, Mapping) or set(one) != {"id", "version", "digest"}:
            return None
        name = one["id"]
        if not isinstance(name, str) or name in found:
            return None
        found[name] = Selected(name, one["version"], one["digest"])
    return found


def compare_evidence(
    then: Mapping[str, Selected], now: Mapping[str, Selected]
) -> tuple[tuple[str, str], ...]:
    """Records that differ, sorted: `added`, `gone` or `another_version`."""
    differing = []
    for name in sorted(set(then) | set(now)):
        if name not in now:
            differing.append((name, "gone"))
        elif name not in then:
            differing.append((name, "added"))
        elif then[name] != now[name]:
            differing.append((name, "another_version"))
    return tuple(differing)
