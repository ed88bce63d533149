"""The statements of a Markdown file: one for each list item, sentence, and introduced code block.

- A list item is one statement, however many sentences it has; a paragraph is one for each sentence.
- Words that a statement needs to stand by itself come before it: the lead ("Before a commit:"), the
  items it is nested in, and for fragments and numbered steps the heading.
- Code is kept with the sentence or item that introduces it; shell code becomes steps.
- Leads (what ends in a colon), link-only lines and code that nothing introduces (shell under a
  heading excepted) make no statement.

>>> text = "# T\\n## Tests\\nKeep them fast. Run so:\\n```sh\\nmake test\\n```\\n- Slow ones: no.\\n"
>>> for s in statements(text): print(s.key, "|", s.text, "|", s.steps)
Tests/keep-them-fast | Keep them fast. | ()
Tests/run-so | Run so: `make test`. | ('make test',)
Tests/slow-ones-no | Tests: Slow ones: no. | ()
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from muniment.learn.commands import shell_steps, spoken
from muniment.learn.markdown import Block, blocks
from muniment.learn.page import MAX_EXTRACTS, Span, collapse
from muniment.learn.prose import clean, key_of, only_links, sentences

_SHELLS = frozenset("sh bash shell console zsh shell-session sh-session terminal fish ksh".split())
_LOOKS_LIKE_SHELL = re.compile(r"[$\w./#@~-][^├│└]*[^{};,]$")
_SHORT_CODE = 12  # lines; longer examples are pointed at, not repeated in the claim
_FRAGMENT = 4  # words; fewer need their heading to be understood
_CONTEXT_WORDS = 14


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement.

    Attributes:
        key: Heading path and key of the statement's own words.
        text: Cleaned, with the words it needs to stand by itself.
        own: Cleaned, its own words only.
        span: Characters of the evidence.
        headings: The headings above it, a lone title left out.
        steps: Shell commands, where it introduces them.
    """

    key: str
    text: str
    own: str
    span: Span
    headings: tuple[str, ...]
    steps: tuple[str, ...] = ()


def statements(text: str) -> list[Statement]:
    """All statements of a file in order."""
    found = blocks(text)
    made: list[Statement] = []
    lead = ""
    under: tuple[str, ...] = ()
    for index, block in enumerate(found):
        if len(made) > MAX_EXTRACTS:  # the page keeps no more, and says so
            break
        after = found[index + 1] if index + 1 < len(found) else None
        if after and after.headings != block.headings:
            after = None
        if block.kind == "code":
            before = found[index - 1] if index else None
            introduced = before and before.kind == "paragraph" and before.headings == block.headings
            if not introduced:
                made += _bare_code(block)
            continue
        if not block.item or block.headings != under:
            lead, under = "", block.headings
        code = after if after and after.kind == "code" else None
        leads_on = bool(after and after.kind == "paragraph" and after.item)
        for raw, start, end in _parts(block):
            own = clean(raw)
            last = end >= len(block.text.rstrip())
            if last and leads_on and own.endswith(":"):
                lead = lead if block.item else own
            elif last and code:
                made.append(_with_code(block, own, (start, end), lead, code))
            elif own and not own.endswith(":") and not only_links(raw):
                made.append(_plain(block, own, block.place(start, end), lead))
    return made


def _parts(block: Block) -> Iterator[tuple[str, int, int]]:
    text = block.text
    if block.item:
        yield text, 0, len(text.rstrip())
    else:
        yield from sentences(text)


def _plain(block: Block, own: str, span: Span, lead: str) -> Statement:
    text = _placed(block, own, lead)
    return Statement(_key(block, own), text, own, span, block.headings)


def _key(block: Block, own: str) -> str:
    return "/".join((*(clean(h).replace("/", "-") for h in block.headings), key_of(own)))


def _placed(block: Block, own: str, lead: str) -> str:
    """The statement with the words before it that it cannot do without."""
    context = [_short(clean(parent)) for parent in block.parents]
    if block.item and lead:
        context.insert(0, _short(lead))
    heading = clean(block.headings[-1]) if block.headings else ""
    named = f"{heading}, step {block.number}" if block.number else heading
    fragment = bool(block.item) and len(own.split()) < _FRAGMENT
    if heading and (block.number or (fragment and not any(context))):
        context.insert(0, named)
    return ": ".join((*filter(None, context), own))


def _short(text: str) -> str:
    """A lead without its colon; empty if it is too long to be one."""
    introduces = text.endswith(":")
    return text.rstrip(":").rstrip() if introduces or len(text.split()) <= _CONTEXT_WORDS else ""


def _with_code(block: Block, own: str, part: Span, lead: str, code: Block) -> Statement:
    span = (block.place(*part)[0], code.end)
    placed = _placed(block, own, lead).rstrip(": ")
    steps = _steps(code)
    lines = code.text.strip().count("\n") + 1
    if steps:
        text = f"{placed.rstrip('.')}: {spoken(steps)}."
    elif lines <= _SHORT_CODE:
        text = f"{placed.rstrip('.')}: `{collapse(code.text)}`"
    else:
        ended = placed.endswith((".", "!", "?"))
        text = placed if ended else f"{placed} (the file shows an example)."
    return Statement(_key(block, own), text, own, span, block.headings, steps)


def _bare_code(code: Block) -> list[Statement]:
    steps = _steps(code)
    if not steps or not code.headings:
        return []
    own = clean(code.headings[-1])
    key = _key(code, "code " + steps[0])
    text = f"{own}: {spoken(steps)}."
    return [Statement(key, text, own, (code.start, code.end), code.headings, steps)]


def _steps(code: Block) -> tuple[str, ...]:
    steps = shell_steps(code.text)
    if code.language in _SHELLS:
        return steps
    plain = code.language in ("", "text", "txt")
    return steps if plain and all(_LOOKS_LIKE_SHELL.match(step) for step in steps) else ()
