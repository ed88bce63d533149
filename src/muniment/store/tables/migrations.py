"""Numbered SQL files: the steps by which every database comes to the newest schema."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step.

    Attributes:
        number: From 1, gapless.
        name: What it does.
        text: Its statements.
    """

    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the statements."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def numbered(package: str, folder: str) -> tuple[Migration, ...]:
    """The steps that lie in a folder of a package, in order.

    Args:
        package: The package's name.
        folder: The folder in it.
    """
    place = files(package) / folder
    found = sorted((f for f in place.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return tuple(
        Migration(int(file.name[:4]), file.name[5:-4], file.read_text("utf-8")) for file in found
    )
