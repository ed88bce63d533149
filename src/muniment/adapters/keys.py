"""Steps of a name as one key of a note, and back.

>>> joined(("users", "a/b")), parted(joined(("users", "a/b", "100%")))
('users/a%2Fb', ('users', 'a/b', '100%'))
>>> parted(joined(("a\\nb",)))
('a\\nb',)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

_APART = re.compile(r"[%/\x00-\x1f\x7f-\x9f]")


def joined(steps: Iterable[str]) -> str:
    """Steps with `/` between; what would be ambiguous or is a control character is written `%2F`."""
    return "/".join(_APART.sub(_escaped, step) for step in steps)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def parted(key: str) -> tuple[str, ...]:
    """The steps again."""
    return tuple(unquote(step) for step in key.split("/"))
