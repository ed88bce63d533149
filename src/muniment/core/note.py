"""Notes: working and short-term memory, which ends by itself (`A-WORKING`, `A-SHORT`).

- A note belongs to who wrote it, and to one turn, task or conversation. A turn's and a task's are working memory, a
  conversation's is short-term memory.
- Every note has an end, and it is not far: a note without one is refused. From that instant on it is not there
  (`at < expires_at` is there, `at == expires_at` is not).
- A note is no claim: it is not reviewed, not recalled, and becomes durable only where somebody proposes what it says.
- How many notes somebody keeps, and how long they are, is bounded; each bound refuses and says what it is.

>>> noon = datetime(2026, 7, 8, 12, tzinfo=UTC)
>>> note = Note("wrk_x", Scope("task", "release"), "plan", "Tag it.", noon, noon, noon + timedelta(hours=2))
>>> note.memory_type, note.is_there(noon), note.is_there(note.expires_at)
('working', True, False)
>>> [found.code for found in end_findings(note.scope, None, noon)]
['note_without_end']
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from muniment.core.access import Scope
from muniment.core.codec import read_time
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.secret_scan import secret_findings
from muniment.core.text import identifier_findings, match_key, text_findings
from muniment.core.vocabulary import names
from muniment.core.words import query_words, words

_ = UTC  # named by the doctest
LONGEST_KEY = 512
"""Characters of a note's key."""
LONGEST_NOTE = 100_000
"""Characters of a note's text."""
MOST_NOTES = 2_000
"""Notes that a principal keeps in a tenant at once."""
MOST_CHARACTERS = 2_000_000
"""Characters of all notes that a principal keeps in a tenant at once."""


@dataclass(frozen=True, slots=True)
class Life:
    """What the notes of a scope's kind are.

    Attributes:
        memory_type: The type of memory.
        longest: How far ahead a note may end.
        told: The same in words.
    """

    memory_type: str
    longest: timedelta
    told: str


LIVES: Mapping[str, Life] = MappingProxyType(
    {
        "current_turn": Life("working", timedelta(days=1), "1 day"),
        "task": Life("working", timedelta(days=90), "90 days"),
        "conversation": Life("short_term", timedelta(days=90), "90 days"),
    }
)
"""The kinds of scope in which notes are kept."""


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    Attributes:
        id: `wrk_…`; it stays while the note is rewritten.
        scope: The turn, task or conversation.
        key: Its name there; its writer's own choice.
        text: What it says.
        created_at: When it was first written.
        updated_at: When it was last written.
        expires_at: From when on it is not there.
    """

    id: str
    scope: Scope
    key: str
    text: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime

    @property
    def memory_type(self) -> str:
        """`working` or `short_term`."""
        return LIVES[self.scope.kind].memory_type

    @property
    def uri(self) -> str:
        """The address under which a proposal names it as its source; nobody else can read it."""
        return f"note:{self.id}"

    def is_there(self, at: datetime) -> bool:
        """Whether it has not ended yet."""
        return at < self.expires_at


# --- what is wrong with a note --------------------------------------------------------------------


def note_findings(scope: Scope, key: str, text: str) -> tuple[Finding, ...]:
    """Everything that is wrong with a note but its end.

    Args:
        scope: Where it is to be kept.
        key: Its name there.
        text: What it says; it may say nothing.

    >>> [f.code for f in note_findings(Scope("repository", "x"), "", "a\\0b")]
    ['no_passing_scope', 'no_note_key', 'nul_character']
    """
    return (
        *_scope_findings(scope),
        *_key_findings(key),
        *text_findings(text, "/text", limit=LONGEST_NOTE),
        *secret_findings(text, "/text"),
    )


def _scope_findings(scope: Scope) -> Iterator[Finding]:
    if scope.kind not in LIVES:
        known = "" if scope.kind in names("scope_kind") else ", which is no kind of scope"
        message = f"a note is kept in a turn, task or conversation, not in {quoted(scope)}{known}"
        fix = f"use one of: {', '.join(f'{kind}:<id>' for kind in LIVES)}; what should last is proposed as a claim"
        yield Finding("no_passing_scope", message, "/scope", fix, req="A-WORKING")
    yield from identifier_findings(scope.id, "/scope/id")


def _key_findings(key: str) -> Iterator[Finding]:
    if not key.strip():
        yield Finding("no_note_key", "the note has no key", "/key", "name it, such as `plan`")
        return
    yield from text_findings(key, "/key", limit=LONGEST_KEY)
    yield from secret_findings(key, "/key")
    if "\n" in key or "\r" in key:
        yield Finding("bad_note_key", "a key is one line", "/key", "take the line break out")


def end_findings(scope: Scope, expires_at: datetime | None, now: datetime) -> tuple[Finding, ...]:
    """What is wrong with a note's end: none, in the past, or too far.

    >>> noon, task = datetime(2026, 7, 8, 12, tzinfo=UTC), Scope("task", "release")
    >>> [f.code for days in (0, 90, 91) for f in end_findings(task, noon + timedelta(days=days), noon)]
    ['note_over', 'note_lasts_too_long']
    """
    if expires_at is None:
        fix = "say how long it is needed: `lasts` (such as `2h`), or `until` an instant"
        message = "the note has no end, and only what is reviewed lasts"
        return (Finding("note_without_end", message, "/expires_at", fix, req="A-SHORT"),)
    if expires_at <= now:
        message = f"the note would have ended at {quoted(encode(expires_at))}, before it is written"
        return (Finding("note_over", message, "/expires_at", "give a later end", req="A-SHORT"),)
    life = LIVES.get(scope.kind)
    if life is not None and expires_at - now > life.longest:
        message = (
            f"the note would last until {quoted(encode(expires_at))}, over {life.told} from now"
        )
        fix = "give an earlier end, and write it again while it is needed; propose what should last"
        return (Finding("note_lasts_too_long", message, "/expires_at", fix, req="A-SHORT"),)
    return ()


def room_findings(count: int, characters: int) -> tuple[Finding, ...]:
    """What is wrong with how much somebody would keep.

    Args:
        count: Notes, with the new one.
        characters: Characters of all their texts.

    >>> [f.code for f in room_findings(MOST_NOTES, MOST_CHARACTERS)]
    []
    """
    found = []
    if count > MOST_NOTES:
        message = f"that would be {count:,} notes, over {MOST_NOTES:,}"
        found.append(Finding("too_many_notes", message, "", "end some that are not needed"))
    if characters > MOST_CHARACTERS:
        message = f"the notes would have {characters:,} characters, over {MOST_CHARACTERS:,}"
        found.append(Finding("notes_too_large", message, "", "end or shorten some"))
    return tuple(found)


_DURATION = re.compile(r"(\d{1,9})\s*(s|m|min|h|d)")
_UNITS = MappingProxyType({"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400})
_FAR = timedelta(days=36_500)


def duration_of(text: str) -> timedelta | None:
    """How long a text such as `90s`, `30m`, `2h` or `7d` says; None where it says nothing of the kind.

    >>> duration_of("2h"), duration_of("1 day"), duration_of("forever")
    (datetime.timedelta(seconds=7200), None, None)
    """
    found = _DURATION.fullmatch(text.strip().lower())
    return timedelta(seconds=min(int(found[1]) * _UNITS[found[2]], 10**9)) if found else None


def end_of(
    lasts: timedelta | float | str | None, until: datetime | str | None, now: datetime
) -> tuple[datetime | None, tuple[Finding, ...]]:
    """When a note ends, from how long it lasts or until when; None where neither says it.

    Args:
        lasts: A duration, seconds, or a text such as `2h`.
        until: An instant with its offset.
        now: The present.

    >>> noon = datetime(2026, 7, 8, 12, tzinfo=UTC)
    >>> end_of("2h", None, noon)[0] == end_of(7200, None, noon)[0] == end_of(None, noon + timedelta(hours=2), noon)[0]
    True
    >>> end_of(float("inf"), None, noon)[0] is None, [found.code for found in end_of("2h", noon, noon)[1]]
    (True, ['two_ends'])
    """
    if lasts is not None and until is not None:
        message = "the note says twice when it ends"
        return None, (Finding("two_ends", message, "/expires_at", "give `lasts` or `until`"),)
    if until is not None:
        findings: list[Finding] = []
        return read_time(until, "/until", findings), tuple(findings)
    length = duration_of(lasts) if isinstance(lasts, str) else lasts
    if isinstance(lasts, str) and length is None:
        fix = "write it as a number and a unit: `90s`, `30m`, `2h`, `7d`"
        return None, (Finding("bad_duration", f"{quoted(lasts)} is no duration", "/lasts", fix),)
    if isinstance(length, int | float) and math.isfinite(length):
        length = timedelta(seconds=min(length, _FAR.total_seconds())) if length > 0 else timedelta()
    return (now + min(length, _FAR) if isinstance(length, timedelta) else None), ()


# --- finding among one's own ----------------------------------------------------------------------


def found_among(notes: Iterable[Note], query: str = "", prefix: str = "") -> tuple[Note, ...]:
    """Notes whose key begins with `prefix` and that hold a word of `query`, those with most of its words first.

    Nothing but the given notes decides on the order: more different words, then written later, then the key. Without
    a query they come by scope and key.

    >>> noon = datetime(2026, 7, 8, 12, tzinfo=UTC)
    >>> def note(key, text):
    ...     return Note("wrk_x", Scope("task", "t"), key, text, noon, noon, noon + timedelta(hours=2))
    >>> kept = (note("a", "Run the tests."), note("b", "Test the release."), note("c", "Ask Bob."))
    >>> [found.key for found in found_among(kept, "how to test a release?")]
    ['b', 'a']
    """
    begun = [note for note in notes if note.key.startswith(prefix)]
    if not query.strip():
        return tuple(sorted(begun, key=lambda note: (note.scope, note.key)))
    counted = [(share, note) for note in begun if (share := share_of(query, note.key, note.text))]
    counted.sort(key=lambda one: (one[1].scope, one[1].key))
    counted.sort(key=lambda one: (one[0], one[1].updated_at), reverse=True)
    return tuple(note for _, note in counted)


def share_of(query: str, *texts: str) -> float:
    """The share of a query's different words that some texts hold, 0 to 1.

    >>> share_of("how to test a release?", "Run the tests."), share_of("release", "Ask Bob.")
    (0.5, 0.0)
    """
    wanted = frozenset(query_words(query) or words(query))
    held = frozenset(word for text in texts for word in words(text))
    return len(wanted & held) / len(wanted) if wanted else 0.0


def statements_of(text: str, least: int = 1) -> tuple[str, ...]:
    """The lines of a text that state something, without the marks of lists, each once: what is proposed of a file.

    Headings and lines without a letter state nothing by themselves; neither does what stands in a fenced block.

    Args:
        text: Plain text or markdown.
        least: Words that a line must have.

    >>> statements_of("# Notes\\n\\n- Use pnpm.\\n* Ask Bob.\\n---\\n1. use PNPM.\\n```\\nrm -r x\\n```")
    ('Use pnpm.', 'Ask Bob.')
    >>> statements_of("preference\\nAda prefers dark mode.", least=3)
    ('Ada prefers dark mode.',)
    """
    found: dict[str, str] = {}
    fenced = False
    for line in text.splitlines():
        plain = line.strip()
        if plain.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not plain.startswith("#"):
            said = _MARK.sub("", plain)
            if any(character.isalpha() for character in said) and len(words(said)) >= least:
                found.setdefault(match_key(said), said)
    return tuple(found.values())


_MARK = re.compile(r"^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
