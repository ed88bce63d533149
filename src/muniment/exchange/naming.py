"""Find a format by its name, among those that are read or those that are written."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Protocol, TypeVar

from muniment.core.errors import Finding, InvalidInput, quoted


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """The name."""


T = TypeVar("T", bound=Named)


def by_name(name: str, formats: Sequence[T], what_is_done: str) -> T:
    """The format of a name.

    Args:
        name: As it was given.
        formats: Those that there are.
        what_is_done: `read` or `written`.

    Raises:
        InvalidInput: There is none; the nearest are suggested.
    """
    for one in formats:
        if one.name == name.strip().lower():
            return one
    known = [one.name for one in formats]
    near = difflib.get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    fix = f"{hint}use one of: {', '.join(known)}"
    message = f"{quoted(name)} is no format that is {what_is_done}"
    raise InvalidInput.of((Finding("unknown_format", message, "--format", fix),))
