"""The Open Knowledge Format: version 0.1 as MIF pins it, and the families of keys that 0.2 adds.

- A bundle conforms where every concept begins with frontmatter that has a `type`, and no concept bears a reserved name.
  Broken links and a missing index are no failure. Unknown keys and types pass.
- 0.2: `generated`, `verified`, `status`, `stale_after`, `sources`. None is required; one that is there has its shape. A
  bare `verified` is a list of one; a missing `status` means `stable`.
- A foreign `verified` or `stable` is evidence of somebody's review, never acceptance here.

>>> trust_tier({"verified": {"by": "human:ada", "at": "2026-01-15"}}), trust_tier({}), okf_status({})
('human-reviewed', 'unverified', 'stable')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.bundle import Bundle
from muniment.exchange.mif.concept import Concept, read_markdown
from muniment.exchange.mif.formats import is_date, is_date_time
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.rules import Around, Rule, base_type, mappings, text_of

STATUSES = ("draft", "stable", "deprecated")
_DAY = re.compile(r"##[ \t]+([0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]*")


def concept_id(file: str) -> str:
    """A concept's OKF identity: its path without `.md`; the infix of version 0.1 does not count.

    >>> concept_id("semantic/a.md"), concept_id("b.memory.md")
    ('semantic/a', 'b')
    """
    return file.removesuffix(".md").removesuffix(".memory")


def verified(meta: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Who verified it; a bare mapping is a list of one."""
    given = meta.get("verified")
    listed = [given] if isinstance(given, Mapping) else given
    return [one for _, one in mappings(listed)]


def trust_tier(meta: Mapping[str, Any]) -> str:
    """OKF's tier: `human-reviewed`, `machine-confirmed` or `unverified`."""
    by = [text_of(one.get("by")) for one in verified(meta)]
    if any(name.startswith("human:") for name in by):
        return "human-reviewed"
    return "machine-confirmed" if by else "unverified"


def okf_status(meta: Mapping[str, Any]) -> str:
    """The status that a concept states; `stable` where it states none."""
    return text_of(meta.get("status")) or "stable"


def type_is_there(concept: Concept, around: Around) -> Iterator[Issue]:
    """Frontmatter with a non-empty `type` (K1.2)."""
    if concept.form == "markdown" and not concept.meta.get("type") and not base_type(concept):
        yield concept.issue(
            "okf",
            "no_type",
            "the concept has no `type`",
            "add it",
            pointer="/conceptType",
            rule="K1.2",
        )


def name_has_no_infix(concept: Concept, around: Around) -> Iterator[Issue]:
    """Concept files end in `.md`, without `.memory` before it (K1.4)."""
    if concept.file.endswith(".memory.md"):
        fix = f"rename it to {quoted(PurePosixPath(concept.file).name.removesuffix('.memory.md') + '.md')}"
        yield concept.issue(
            "okf", "memory_infix", "the name is that of version 0.1", fix, "warning", rule="K1.4"
        )


def families_have_their_shape(concept: Concept, around: Around) -> Iterator[Issue]:
    """The keys that OKF 0.2 adds (O2)."""
    meta = concept.meta

    def odd(pointer: str, message: str, fix: str) -> Issue:
        return concept.issue("okf", "okf_shape", message, fix, "warning", pointer, "O2")

    generated = meta.get("generated")
    if generated is not None and not _has(generated, "by"):
        yield odd(
            "/generated", "`generated` does not say by whom", "write `generated: {by: …, at: …}`"
        )
    if "verified" in meta and (
        not verified(meta) or not all(_has(one, "by") for one in verified(meta))
    ):
        yield odd(
            "/verified",
            "`verified` does not say by whom",
            "write `verified: [{by: human:…, at: …}]`",
        )
    if "status" in meta and meta["status"] not in STATUSES:
        yield odd(
            "/status",
            f"the status {quoted(meta['status'])} is none of {', '.join(STATUSES)}",
            "use one of them",
        )
    after = meta.get("stale_after")
    if after is not None and not (
        isinstance(after, str) and (is_date(after) or is_date_time(after))
    ):
        yield odd("/stale_after", f"{quoted(after)} is no date or time", "write `2026-01-15`")
    for number, one in enumerate(meta["sources"] if isinstance(meta.get("sources"), list) else ()):
        if not _has(one, "id") and not _has(one, "resource"):
            yield odd(
                f"/sources/{number}", "the source has neither id nor resource", "add one of them"
            )


def _has(given: Any, key: str) -> bool:
    return isinstance(given, Mapping) and bool(text_of(given.get(key)))


RULES: tuple[Rule, ...] = (type_is_there, name_has_no_infix, families_have_their_shape)


def reserved_issues(bundle: Bundle) -> Iterator[Issue]:
    """What is odd about `index.md` and `log.md` files (K1.3, O2 8 and 9)."""
    for file, data in bundle.reserved.items():
        concept, _ = read_markdown(data, file)
        place = PurePosixPath(file)
        if concept is not None and {"id", "created"} & set(concept.meta):
            message = (
                f"{quoted(place.name)} is a reserved name and holds a concept, which is not read"
            )
            yield concept.issue(
                "okf", "reserved_name", message, "give it another name", "warning", rule="K1.3"
            )
        elif (
            concept is not None and place.name == "index.md" and set(concept.meta) - {"okf_version"}
        ):
            message = "an index holds no metadata but `okf_version`"
            yield concept.issue(
                "okf", "index_metadata", message, "take the rest away", "warning", rule="O2 8"
            )
        if place.name == "log.md":
            yield from _log_issues(file, data)


def _log_issues(file: str, data: bytes) -> Iterator[Issue]:
    previous = ""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        found = _DAY.fullmatch(line)
        if not found:
            continue
        if not is_date(found[1]):
            yield Issue(
                "okf",
                "log_date",
                f"{quoted(found[1])} is no date",
                "write `## 2026-01-15`",
                "warning",
                file,
                number,
                1,
                rule="O2 9",
            )
        elif previous and found[1] > previous:
            yield Issue(
                "okf",
                "log_order",
                "the newest day does not come first",
                "turn the order around",
                "warning",
                file,
                number,
                1,
                rule="O2 9",
            )
        previous = found[1]
