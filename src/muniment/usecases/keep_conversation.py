"""Keep a conversation: its messages as passages in one scope, unreviewed, word for word.

- Passages lie in the class of the scope and visibility that the importer works with, which it can see itself.
- The same message kept again changes nothing, whatever file it comes in; a file that grew adds what is new.
- What was erased does not come back.
- A message that looks like holding a secret is left out, line and all; no other is kept out by it.
- Each message's line is kept as it stood (`original`), and the bytes of every part are checked against it.
- Nobody reviews a passage, so it supports no claim and serves no action.

Reading the file is the reader's matter, handing passages over `find_passages`'.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from muniment.core.access import Scope, Visibility, may_see
from muniment.core.canonical import digest_bytes
from muniment.core.conversation import Conversation, Message, holds
from muniment.core.encode import encode, time_text
from muniment.core.errors import Finding, InvalidInput, NotPermitted, errors_in, quoted
from muniment.core.event import Event
from muniment.core.ids import keyed_id
from muniment.core.passage import Kept, Said, said_from
from muniment.core.record import visibility_of
from muniment.core.secret_scan import secret_findings
from muniment.core.text import text_findings
from muniment.ports.store import Snapshot
from muniment.usecases.embedding import vectors_of
from muniment.usecases.session import Session
from muniment.usecases.viewing import token_of

MOST_TOLD = 10
"""Lines that are named of a file in which none is a message."""
LONGEST_NAME = 200
"""Characters of a source's name."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What keeping a conversation came to.

    Attributes:
        source_id: `src_…` of the source that was kept, or that held all of it already; empty where nothing is there.
        scope: Where it lies.
        messages: Messages of the file that could be read.
        kept: Messages that were kept now.
        passages: Passages that they made.
        known: Messages that were kept already.
        erased: Messages that were erased once, and stay so.
        findings: What was left out, and why, by line.
        token: Names the state that recorded it; empty where nothing was recorded.
    """

    source_id: str
    scope: Scope
    messages: int
    kept: int
    passages: int
    known: int
    erased: int
    findings: tuple[Finding, ...]
    token: str = ""


def keep_conversation(
    session: Session, name: str, data: bytes, reader: Callable[[bytes, str], Conversation]
) -> Heard:
    """Keep what a file says.

    Args:
        session: Who keeps it; its one scope and its visibility are the passages'.
        name: How the file is called.
        data: Its bytes.
        reader: Reads them.

    Raises:
        InvalidInput: No scope, several, or no visibility; or no line of the file is a message.
        NotPermitted: The importer could not see what it keeps.
    """
    scope, visibility = _where(session, name)
    conversation = reader(data, name)
    clean, findings = _without_secrets(conversation, name)
    if not conversation.messages:
        raise InvalidInput.of(_first(conversation.findings, name))
    space, vectors = _embedded(session, scope, visibility, clean, name, data)
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        if not may_see(visibility.audience, viewing.principal.everything):
            message = "who keeps a conversation must be able to see it"
            fix = "name yourself, or a group that you are in, in the visibility"
            raise NotPermitted(message, fix=fix)
        cls = transaction.declare_class(scope, visibility.audience)
        keeping = _Keeping(session, transaction, cls, name, data)
        sorted_out = keeping.sort_out(clean)
        events = list(keeping.events(sorted_out, scope, visibility))
        token = ""
        if events:
            placed = _placed(events, vectors)
            named = {space: placed} if placed else {}
            token = token_of(transaction, transaction.append(events, session.now(), named))
    return Heard(
        keeping.source_id if events else sorted_out.held_by,
        scope,
        len(conversation.messages),
        len(sorted_out.new),
        sum(len(message.pieces) for message, _, _ in sorted_out.new),
        sorted_out.known,
        sorted_out.erased,
        findings,
        token,
    )


def _first(findings: tuple[Finding, ...], name: str) -> tuple[Finding, ...]:
    """What is wrong with a file that holds no message at all; of many lines the first."""
    if len(findings) <= MOST_TOLD:
        return findings
    message = f"{len(findings) - MOST_TOLD} more lines are no messages either"
    fix = "give a file with one JSON message a line"
    return (*findings[:MOST_TOLD], Finding("no_conversation", message, name, fix))


def _embedded(
    session: Session,
    scope: Scope,
    visibility: Visibility,
    messages: tuple[Message, ...],
    name: str,
    data: bytes,
) -> tuple[str, dict[str, bytes]]:
    """The vectors of the texts that look new; made before the transaction, so that nobody waits for them."""
    with session.store.snapshot(session.tenant) as snapshot:
        where = (scope.kind, scope.id, visibility.audience)
        known = [
            c.id for c in snapshot.classes() if (c.scope_kind, c.scope_id, c.audience) == where
        ]
        if known:
            found = _Keeping(session, snapshot, known[0], name, data).sort_out(messages)
            messages = tuple(message for message, _, _ in found.new)
    return vectors_of(session, (piece.text for message in messages for piece in message.pieces))


def _placed(events: list[Event], vectors: dict[str, bytes]) -> dict[int, bytes]:
    """Vectors by the place of their passage among the events."""
    return {
        n: vectors[event.content["text"]]
        for n, event in enumerate(events)
        if event.kind == "passage" and event.content["text"] in vectors
    }


def _where(session: Session, name: str) -> tuple[Scope, Visibility]:
    found: list[Finding] = []
    if len(session.scopes) != 1:
        many = "several scopes are" if session.scopes else "no scope is"
        message = f"{many} in force, and a conversation is kept in one"
        found.append(Finding("which_scope", message, "/scope", "name it with `--scope kind:id`"))
    if session.visibility is None:
        fix = "run `muniment init`, or give `--visibility`"
        found.append(
            Finding("no_visibility", "the passages would have no visibility", "", fix, req="B-V3")
        )
    found += errors_in(text_findings(name, "/name", limit=LONGEST_NAME))
    if found or session.visibility is None:
        raise InvalidInput.of(tuple(found))
    return session.scopes[0], session.visibility


def _without_secrets(
    conversation: Conversation, name: str
) -> tuple[tuple[Message, ...], tuple[Finding, ...]]:
    """The messages that may be kept, and everything to say of the file; no secret is repeated."""
    clean, findings = [], list(conversation.findings)
    for message in conversation.messages:
        texts = (message.raw, message.text, message.id, message.session, message.speaker)
        secret = next((f for text in texts for f in secret_findings(text, "")), None)
        if secret is None:
            clean.append(message)
        else:
            findings.append(replace(secret, path=f"{name}:{message.line}"))
    return tuple(clean), tuple(findings)


@dataclass(slots=True)
class _Sorted:
    """The messages of a file, by what is to be done with them.

    Attributes:
        new: To be kept, with the number in its session and the identifiers of its passages.
        known: How many are kept already.
        erased: How many were erased.
        held_by: A source that holds some of them already.
        thread: The source that these continue.
    """

    new: list[tuple[Message, int, tuple[str, ...]]] = field(default_factory=list)
    known: int = 0
    erased: int = 0
    held_by: str = ""
    thread: str = ""


class _Keeping:
    """One run, over one state of the store."""

    def __init__(
        self, session: Session, snapshot: Snapshot, cls: str, name: str, data: bytes
    ) -> None:
        self.session, self.snapshot, self.cls = session, snapshot, cls
        self.name, self.data, self.digest = name, data, digest_bytes(data)
        self.now: datetime = session.now()
        self.source_id = session.fresh_id("src")
        self.ambiguous: set[str] = set()

    def sort_out(self, messages: tuple[Message, ...]) -> _Sorted:
        """Which messages are new, known or erased."""
        found = _Sorted()
        sessions: dict[str, set[str]] = {}
        for message in messages:
            sessions.setdefault(message.id, set()).add(message.session)
        self.ambiguous = {one for one, where in sessions.items() if one and len(where) > 1}
        places: Counter[str] = Counter()
        alike: Counter[tuple[str, ...]] = Counter()
        for message in messages:
            place = places[message.session]
            places[message.session] += 1
            said = self._identity(message)
            ids = tuple(self._passage_id(said, alike[said], n) for n in range(len(message.pieces)))
            alike[said] += 1
            docs = [doc for one in ids if (doc := self.snapshot.doc("passage", one))]
            if docs:
                found.known += 1
                found.held_by = found.held_by or docs[0].parent
            elif any(self.snapshot.doc("tombstone", one) for one in ids):
                found.erased += 1
            else:
                found.new.append((message, place, ids))
        found.thread = self._thread(found.held_by)
        return found

    def _identity(self, message: Message) -> tuple[str, ...]:
        """What makes a message the same one, wherever it is read."""
        at = time_text(message.at) if message.at else ""
        return (message.session, message.id, message.speaker, at, message.text)

    def _passage_id(self, said: tuple[str, ...], turn: int, part: int) -> str:
        digest = self.snapshot.key("passage", self.cls, *said, str(turn), str(part))
        return keyed_id("psg", digest)

    def _thread(self, source_id: str) -> str:
        """The source whose places these messages continue; empty where they begin their own."""
        docs = self.snapshot.docs("passage", source_id)[:1] if source_id else ()
        contents = self.snapshot.contents([doc.seq for doc in docs])
        return next((said_from(c).thread or source_id for c in contents.values()), source_id)

    def events(self, found: _Sorted, scope: Scope, visibility: Visibility) -> Iterator[Event]:
        """What is appended: the source, its passages in order, and the lines that they stand on."""
        if not found.new:
            return
        seen = visibility_of(visibility.level, visibility.audience)
        where = {"scope": encode(scope), "visibility": encode(seen)}
        passages = sum(len(ids) for _, _, ids in found.new)
        kept = Kept(
            self.source_id, "conversation", self.name, self.digest, len(self.data), len(found.new),
            passages, self.session.principal, self.now,
        )  # fmt: skip
        yield Event("source", kept.id, {**encode(kept), **where}, "", (kept.id,), self.cls)
        for message, place, ids in found.new:
            for said, one in zip(self._said(message, place, found.thread), ids, strict=True):
                content = {**encode(said), **where}
                yield Event("passage", one, content, kept.id, (kept.id, one), self.cls)
        for message, _, ids in found.new:
            line = {
                "source": kept.id,
                "line": message.line,
                "start": message.start,
                "bytes": message.raw,
            }
            name = keyed_id("orig", self.snapshot.key("original", *ids))
            yield Event("original", name, line, kept.id, (kept.id, *ids), self.cls)

    def _name(self, message: Message) -> str:
        """How a message is cited: by its identifier, and with its session where others have the same."""
        if message.id in self.ambiguous:
            return f"{message.session}/{message.id}"
        return message.id

    def _said(self, message: Message, place: int, thread: str) -> Iterator[Said]:
        for part, piece in enumerate(message.pieces):
            if not holds(
                message.raw, message.start, piece
            ):  # pragma: no cover - the reader's own promise
                raise ValueError(
                    f"line {message.line} does not hold what was read from it: {quoted(piece.text)}"
                )
            yield Said(
                self.source_id, self._name(message), place, piece.text, message.line, piece.start, piece.end,
                piece.digest, message.session, message.speaker, message.at, part, len(message.pieces), thread,
            )  # fmt: skip
