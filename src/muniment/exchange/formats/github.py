r"""Issues, pull requests and their comments, as GitHub's API gives them (`gh api --paginate …`).

- What was written is a source: each text is a message of its issue's conversation, in the order of the file.
- A line that says of itself that it is a decision (`Decision: …`, `**Decided:** …`) is a candidate, in its own words.
- A decision in what is still open is undecided; in what was closed as not planned, or unmerged, it is rejected.
- One that was edited since, or written by a bot or by somebody outside the project, needs a closer look.

>>> [found[1] for found in decisions("Hi.\r\n\r\n> Decision: no.\r\n**Decision:** we drop Node 18.\r\n")]
['we drop Node 18.']
>>> conversation_of("https://github.com/acme/web/issues/5#issuecomment-11")
'acme/web#5'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Message, Place, Record, Skipped, Yielded

PAGES = (30, 100)
"""Rows at which the API cuts a page: by default, and at most."""

_ADDRESS = re.compile(r"https://[^/\s]+/([\w.-]+/[\w.-]+)/(issues|pull)/(\d+)")
_DECISION = re.compile(
    r"^[ \t]{0,3}(?:[-*+][ \t]+)?(?:#{1,6}[ \t]+)?[*_]{0,2}(?:decision|decided|resolution|resolved)"
    r"[*_]{0,2}:[*_]{0,2}[ \t]+(\S[^\r\n]*)",
    re.IGNORECASE,
)
_FENCES = ("```", "~~~")
_MENTION = re.compile(r"(?<![\w/@.])@([A-Za-z0-9][A-Za-z0-9-]{0,38})(?![\w/-])")
_INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})


def weigh(shape: Shape) -> Weight:
    """By `author_association` and `html_url`, which only GitHub's API gives together."""
    if shape.kind in ("object", "array", "lines") and shape.has("author_association", "html_url"):
        return 90, "`author_association` and `html_url`"
    return 0, "no `author_association`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """Messages, and the decisions in them."""
    for found in objects(_rows(file)):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        if isinstance(found, Skipped):
            yield found
        else:
            yield from _written(*found)


def _rows(file: OpenFile) -> Iterator[Node]:
    """Records, of pages that stand one after another in a file of lines too."""
    for node in records_of(file):
        if node.kind == "array":
            yield from node.items()
        else:
            yield node


def _written(node: Node, value: Mapping[str, Any]) -> Iterator[Yielded]:
    address, text = text_of(value.get("html_url")), value.get("body")
    if not isinstance(text, str) or not text.strip():
        yield Skipped(node.place, address or "comment", "it says nothing in words")
        return
    talk = conversation_of(address) or address
    user = mapping_of(value.get("user"))
    at = stated("observed", value.get("created_at"))
    yield Message(
        talk, address, text_of(user.get("login")), text, node.place, at, text_of(value.get("title"))
    )
    for number, said in decisions(text):
        yield _decision(node.place, value, f"{address}#{number}" if number else address, said)


def decisions(text: str) -> list[tuple[int, str]]:
    """The decisions that a text states, each with its number from 0; what is quoted or in code is none."""
    found: list[str] = []
    fence = ""
    for line in text.splitlines():
        start = line.strip()[:3]
        if start in _FENCES and fence in ("", start):
            fence = "" if fence else start
        elif not fence and (stated_so := _DECISION.match(line)):
            found.append(stated_so.group(1).strip())
    return list(enumerate(found))


def conversation_of(address: str) -> str:
    """The issue or pull request that an address leads to; empty where it leads to none."""
    found = _ADDRESS.match(address)
    return f"{found.group(1)}#{found.group(3)}" if found else ""


def _decision(place: Place, value: Mapping[str, Any], name: str, said: str) -> Candidate:
    address, user = text_of(value.get("html_url")), mapping_of(value.get("user"))
    found = _ADDRESS.match(address)
    words = worded(said)
    foreign = given(value, "author_association", "state", "state_reason", "merged_at", "draft")
    mentions = sorted({m.group(1) for m in _MENTION.finditer(str(value.get("body")))})
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=place,
        foreign_id=name,
        is_record=True,
        account=found.group(1) if found else "",
        type="decision",
        dates=all_stated(
            stated("created", value.get("created_at")), stated("updated", value.get("updated_at"))
        ),
        state=state_of(value),
        foreign=foreign
        | given({"author": user.get("login"), "mentions": mentions}, "author", "mentions"),
        source_kind="pull_request" if found and found.group(2) == "pull" else "issue",
        cites=(address,) if address else (),
        doubts=(*words.doubts, *_doubts(value, user)),
    )


def state_of(value: Mapping[str, Any]) -> str:
    """Why what an issue or pull request decides does not hold; a comment says nothing of that.

    >>> [state_of(v) for v in ({}, {"state": "open"}, {"state": "closed", "state_reason": "not_planned"})]
    ['', 'undecided', 'rejected']
    """
    state = text_of(value.get("state"))
    if state == "open":
        return "undecided"
    pull = "merged_at" in value or isinstance(value.get("pull_request"), Mapping)
    merged = value.get("merged_at") or mapping_of(value.get("pull_request")).get("merged_at")
    dropped = text_of(value.get("state_reason")) in ("not_planned", "duplicate")
    return "rejected" if state == "closed" and (dropped or (pull and not merged)) else ""


def _doubts(value: Mapping[str, Any], user: Mapping[str, Any]) -> Iterator[Finding]:
    is_comment = "state" not in value  # an issue is updated by whatever happens to it
    if is_comment and value.get("updated_at") != value.get("created_at"):
        yield _doubt("edited_since", "it was edited after it was written")
    if text_of(user.get("type")) == "Bot":
        yield _doubt("written_by_bot", "a bot wrote it")
    elif text_of(value.get("author_association")) not in _INSIDERS:
        yield _doubt("author_outside", "whoever wrote it does not belong to the project")


def _doubt(code: str, message: str) -> Finding:
    return Finding(
        code, message, "/source", "see whether it was decided so", "warning", "E-MISSING"
    )


FORMAT = Format("github", "issues, pull requests and comments of GitHub", weigh, read, pages=PAGES)
