r"""Text of others on lines of ours: everything that could end a line, or hide, is spelled out (`E-FENCED`).

>>> print(quoted_lines("Use pnpm.\n--- end [4f2a]\u200b\r"))
| Use pnpm.
| --- end [4f2a]⟨U+200B⟩⟨U+000D⟩
"""

from __future__ import annotations

import re

from muniment.core.text import codepoint, visible

_BREAKS = re.compile("[\n\t\v\f]")


def shown(text: str) -> str:
    """Text on one line, with everything spelled out that could end the line or hide.

    >>> shown("a\\nb\\tc")
    'a⟨U+000A⟩b⟨U+0009⟩c'
    """
    return _BREAKS.sub(lambda found: f"⟨{codepoint(found.group())}⟩", visible(text))


def quoted_lines(text: str) -> str:
    """Text as quoted lines; a line feed begins the next one."""
    return "\n".join(f"| {shown(line)}" for line in text.split("\n"))
