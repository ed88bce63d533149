r"""Notes and reviewed memory as a directory of files, for tools that edit files under `/memories`.

- Every file is a note of the agent's own; folders are what the paths imply. Their lines are proposed as claims.
- `/memories/reviewed/` is not written to: viewing a name in it asks reviewed memory that question.
- A path never leaves `/memories`: `..`, empty steps, backslashes and control characters are refused.
- What went wrong is a `DirectoryError` in words that a model can act on; nothing was changed then.

>>> from muniment import Memory
>>> memory = Memory.open(None).acting_as("agent:codex", scopes=["task:release"])
>>> files = MemoryDirectory(Direct(memory, propose=False))
>>> files.create("/memories/plan.md", "Tag it.\nSign it.")
'File created successfully at: /memories/plan.md'
>>> files.str_replace("/memories/plan.md", "Sign it.", "Push it.").splitlines()[-1].split()
['2', 'Push', 'it.']
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.adapters.direct import LEAST_WORDS, Direct
from muniment.core.encode import time_text
from muniment.core.errors import InvalidInput, NotFound
from muniment.core.note import Note, statements_of
from muniment.core.text import visible

ROOT = "/memories"
REVIEWED = f"{ROOT}/reviewed"
_ENDINGS = (".md", ".txt")
_SHOWN_DEPTH = 2


class DirectoryError(Exception):
    """What a model did wrong, in words for it."""


class MemoryDirectory:
    """A directory view.

    Args:
        direct: Where it writes and reads.
        questions: Questions that are listed under `/memories/reviewed`.
    """

    def __init__(self, direct: Direct, questions: Sequence[str] = ()) -> None:
        self.direct, self.questions = direct, tuple(questions)

    # --- looking ----------------------------------------------------------------------------------

    def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """A file with line numbers, a folder's list, or what reviewed memory says.

        Args:
            path: Under `/memories`.
            lines: The first and last line wanted, from 1; the last may be -1 for the end.

        Raises:
            DirectoryError: There is no such path, or no such lines.
        """
        place = _checked(path)
        if place == REVIEWED:
            return self._listed_questions()
        if place.startswith(f"{REVIEWED}/"):
            return self._asked(place, lines)
        note = self.direct.note(_key(place))
        if note is not None and place != ROOT:
            until = time_text(note.expires_at)
            head = f"Content of {place}, your own note, not reviewed, kept until {until}:"
            return f"{head}\n{_numbered(note.text, lines)}"
        found = self._files(place)
        if not found and place != ROOT:
            raise _missing(path)
        return self._listed(place, found)

    def _files(self, place: str) -> tuple[Note, ...]:
        return self.direct.notes(f"{_key(place)}/")

    def _listed(self, place: str, found: Sequence[Note]) -> str:
        sizes: dict[str, int] = {place: 0}
        for note in found:
            size = len(note.text.encode())
            steps = note.key.removeprefix(f"{_key(place)}/").split("/")
            sizes[place] += size
            for depth in range(1, min(len(steps), _SHOWN_DEPTH) + 1):
                name = "/".join((place, *steps[:depth])) + ("/" if depth < len(steps) else "")
                sizes[name] = sizes.get(name, 0) + size
        rows = [f"{_size(size)}\t{name}" for name, size in sorted(sizes.items())]
        if place == ROOT:
            rows.append(f"-\t{REVIEWED}/ (read only; view {REVIEWED}/<question> to ask it)")
        told = f"your own notes, which end; {_SHOWN_DEPTH} levels"
        return "\n".join((f"Files and directories in {place} ({told}):", *map(visible, rows)))

    def _listed_questions(self) -> str:
        rows = [f"{REVIEWED}/{question}" for question in self.questions]
        told = f"Reviewed memory. View {REVIEWED}/<question> to ask a question in words."
        return "\n".join((told, *map(visible, rows)))

    def _asked(self, place: str, lines: Sequence[int] | None) -> str:
        question = place.removeprefix(f"{REVIEWED}/").replace("/", " ")
        for ending in _ENDINGS:
            question = question.removesuffix(ending)
        if " " not in question:
            question = question.replace("_", " ").replace("-", " ")
        packet = self.direct.ask(question)
        head = f"Reviewed memory on `{visible(question)}` (outcome: {packet.outcome}):"
        return f"{head}\n{_numbered(packet.text, lines)}"

    # --- writing ----------------------------------------------------------------------------------

    def create(self, path: str, text: str) -> str:
        """Make a file.

        Raises:
            DirectoryError: There is one, it may not be written, or a rule refuses it.
        """
        place = _writable(path)
        if self._is_folder(place):
            raise DirectoryError(f"{place} is a directory.")
        if self.direct.note(_key(place)) is not None:
            raise DirectoryError(
                f"File {place} already exists; edit it with str_replace or insert."
            )
        for step in range(2, place.count("/")):
            above = "/".join(place.split("/")[: step + 1])
            if self.direct.note(_key(above)) is not None:
                raise DirectoryError(f"{above} is a file, so nothing can be in it.")
        self._write(place, text)
        return f"File created successfully at: {place}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace the only place where some text stands.

        Raises:
            DirectoryError: It stands nowhere, or several times, or a rule refuses it.
        """
        place = _writable(path)
        text = self._text(place)
        starts = _starts(text, old)
        if not starts:
            raise DirectoryError(f"Nothing was replaced: old_str does not stand in {place}.")
        if len(starts) > 1:
            at = ", ".join(str(text.count("\n", 0, start) + 1) for start in starts)
            told = "Nothing was replaced: old_str stands several times"
            raise DirectoryError(f"{told} in {place}, in lines {at}; give more of what is around.")
        start = starts[0]
        changed = text[:start] + new + text[start + len(old) :]
        self._write(place, changed)
        first = text.count("\n", 0, start) + 1
        last = first + new.count("\n")
        shown = _numbered(changed, (max(1, first - 2), min(changed.count("\n") + 1, last + 2)))
        return f"The file {place} has been edited:\n{shown}"

    def insert(self, path: str, line: int, text: str) -> str:
        """Insert text after a line; 0 is before the first.

        Raises:
            DirectoryError: There is no such line, or a rule refuses it.
        """
        place = _writable(path)
        kept = self._text(place).split("\n")
        if kept and kept[-1] == "":
            kept.pop()
        if not 0 <= line <= len(kept):
            raise DirectoryError(f"insert_line is {line}, and {place} has the lines 0 to {len(kept)}.")  # fmt: skip
        self._write(place, "\n".join([*kept[:line], text.rstrip("\n"), *kept[line:]]) + "\n")
        return f"The file {place} has been edited."

    def delete(self, path: str) -> str:
        """Delete a file, or a folder with all in it.

        Raises:
            DirectoryError: There is nothing, or it may not be deleted.
        """
        place = _writable(path)
        keys = self._keys(place)
        try:
            self.direct.delete(*keys)
        except NotFound:
            raise _missing(place) from None
        return f"Successfully deleted {place}"

    def rename(self, old: str, new: str) -> str:
        """Rename or move a file or folder.

        Raises:
            DirectoryError: There is nothing, or something at the new path.
        """
        place, target = _writable(old), _writable(new)
        keys = self._keys(place)
        if self._is_folder(target) or self.direct.note(_key(target)) is not None:
            raise DirectoryError(f"The destination {target} already exists.")
        if target.startswith(f"{place}/"):
            raise DirectoryError(f"{place} cannot be moved into itself.")
        names = {key: _key(target) + key.removeprefix(_key(place)) for key in keys}
        try:
            self.direct.memory.rename_notes(names, scope=self.direct.scope)
        except NotFound:
            raise _missing(place) from None
        except InvalidInput as error:
            raise DirectoryError(str(error)) from error
        return f"Successfully renamed {place} to {target}"

    def clear(self) -> str:
        """Delete everything."""
        self.direct.delete(*(note.key for note in self._files(ROOT)))
        return "All memory cleared"

    def _keys(self, place: str) -> tuple[str, ...]:
        """The keys of a file, or of all files in a folder.

        Raises:
            DirectoryError: There is neither.
        """
        if self.direct.note(_key(place)) is not None:
            return (_key(place),)
        keys = tuple(note.key for note in self._files(place))
        if not keys:
            raise _missing(place)
        return keys

    def _is_folder(self, place: str) -> bool:
        return bool(self._files(place))

    def _text(self, place: str) -> str:
        note = self.direct.note(_key(place))
        if note is not None:
            return note.text
        if self._is_folder(place):
            raise DirectoryError(f"{place} is a directory.")
        raise _missing(place)

    def _write(self, place: str, text: str) -> None:
        try:
            self.direct.write(_key(place), text, statements_of(text, least=LEAST_WORDS))
        except InvalidInput as error:
            raise DirectoryError("; ".join(map(str, error.findings))) from error


def _key(place: str) -> str:
    return place.removeprefix("/")


def _checked(path: str) -> str:
    """A path in its one form.

    Raises:
        DirectoryError: It leaves `/memories`, or is none.

    >>> _checked("/memories/a/"), _checked("/memories")
    ('/memories/a', '/memories')
    """
    steps = path.removesuffix("/").split("/")
    bad = any(step in ("", ".", "..") for step in steps[1:]) or "\\" in path
    if steps[:2] != ["", "memories"] or bad or any(ord(ch) < 32 or ord(ch) == 127 for ch in path):
        raise DirectoryError(
            f"`{visible(path)}` is no path under {ROOT}: write it as {ROOT}/name.md"
        )
    return "/".join(steps)


def _writable(path: str) -> str:
    place = _checked(path)
    if place == ROOT:
        raise DirectoryError(f"{ROOT} itself stays; name a file in it.")
    if place == REVIEWED or place.startswith(f"{REVIEWED}/"):
        told = "what you write elsewhere is proposed, and a person decides"
        raise DirectoryError(f"{REVIEWED} is read only: {told}.")
    return place


def _missing(path: str) -> DirectoryError:
    return DirectoryError(f"The path {visible(path)} does not exist. Please provide a valid path.")


def _starts(text: str, part: str) -> list[int]:
    """Where a part stands in a text, overlapping places too; an empty part stands nowhere."""
    found = []
    at = text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _numbered(text: str, lines: Sequence[int] | None) -> str:
    """Lines with their numbers.

    Raises:
        DirectoryError: There are no such lines.
    """
    kept = text.split("\n")
    first, last = 1, len(kept)
    if lines is not None:
        if len(lines) != 2 or lines[0] < 1 or lines[0] > len(kept) or (-1 != lines[1] < lines[0]):
            given = list(lines)
            raise DirectoryError(f"view_range is {given}, and there are the lines 1 to {len(kept)}.")  # fmt: skip
        first, last = lines[0], len(kept) if lines[1] == -1 else min(lines[1], len(kept))
    return "\n".join(f"{n:6}\t{kept[n - 1]}" for n in range(first, last + 1))


def _size(count: int) -> str:
    """A size as file listings show it.

    >>> [_size(count) for count in (0, 512, 1536, 2 * 1024 * 1024)]
    ['0B', '512B', '1.5K', '2M']
    """
    size, unit = float(count), "B"
    for larger in ("K", "M"):
        if size >= 1024:
            size, unit = size / 1024, larger
    return f"{size:.1f}".removesuffix(".0") + unit
