"""Templates: everything that is put in is escaped, and what a screen would hide or obey is spelled out.

- Markdown is made by CommonMark without HTML, then sanitised (`nh3`); links say where they lead and nothing is loaded.
- Times are shown in UTC; what they are relative to now stands beside them.

>>> str(environment().from_string("{{ x }}").render(x="<b>a\\u202eb</b>"))
'&lt;b&gt;a⟨U+202E⟩b&lt;/b&gt;'
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from muniment.core.text import visible
from muniment.reviewable.beside import elapsed

_TAGS = {
    "p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h3", "h4", "h5", "h6",
    "hr", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip

_POSTING = re.compile(r'<form method="post".*?</form>', re.DOTALL)


def _finalize(value: Any) -> Any:
    if isinstance(value, Markup):
        return value
    return visible(value) if isinstance(value, str) else value


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates' environment."""
    made = Environment(
        loader=PackageLoader("muniment.http.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(words=words, instant=instant, age=age, markdown=markdown, short=short)
    return made


def page(template: str, **given: Any) -> str:
    """A template's text."""
    return environment().get_template(template).render(**given)


def without_posts(text: str) -> str:
    """A page without the forms that change something; what others wrote is escaped, and is never taken for one.

    >>> without_posts('<p>a</p><form method="post" action="/x"><button>b</button></form><form method="get">c</form>')
    '<p>a</p><form method="get">c</form>'
    """
    return _POSTING.sub("", text)


def words(name: str) -> str:
    """A name of the vocabulary as words.

    >>> words("could_not_observe")
    'could not observe'
    """
    return str(name).replace("_", " ")


def short(name: str) -> str:
    """An identifier cut in the middle, for where the whole one stands nearby.

    >>> short("mem_01m8phah4ke49rxbeejwpqhv8f")
    'mem_01m8…hv8f'
    """
    text = str(name)
    return text if len(text) < 16 else f"{text[:8]}…{text[-4:]}"


def instant(value: datetime | str | None) -> str:
    """An instant in UTC, to the minute.

    >>> instant("2026-07-08T12:00:59.5Z"), instant(None)
    ('2026-07-08 12:00', 'never')
    """
    if not value:
        return "never"
    return str(value)[:16].replace("T", " ")


def age(then: datetime, now: datetime) -> str:
    """How long ago, in one unit.

    >>> from datetime import UTC
    >>> age(datetime(2026, 7, 8, 9, tzinfo=UTC), datetime(2026, 7, 8, 12, tzinfo=UTC))
    '3 hours ago'
    """
    told = elapsed(then, now)
    return f"{told} ago" if told else "just now"


def markdown(text: str) -> Markup:
    """Markdown as safe HTML: no HTML of the author's, no image, no link that is followed by a click.

    >>> str(markdown("**a** <script>x</script> [b](https://example.org)"))
    '<p><strong>a</strong> &lt;script&gt;x&lt;/script&gt; b (https://example.org)</p>\\n'
    """
    return Markup(_markdown().render(visible(text)))  # noqa: S704 - sanitised below


class _Renderer:
    def __init__(self) -> None:
        from markdown_it import MarkdownIt

        self._made = MarkdownIt("commonmark", {"html": False}).enable("table")
        self._made.disable(["image", "autolink"])

    def render(self, text: str) -> str:
        import nh3

        tokens = self._made.parse(text)
        for token in tokens:
            children = token.children or []
            ends: list[str] = []
            for child in children:
                if child.type == "link_open":
                    ends.append(str(child.attrGet("href") or ""))
                    child.type, child.tag, child.nesting, child.content = "text", "", 0, ""
                elif child.type == "link_close":
                    child.type, child.tag, child.nesting = "text", "", 0
                    child.content = f" ({ends.pop()})" if ends else ""
        html = self._made.renderer.render(tokens, self._made.options, {})
        return nh3.clean(html, tags=_TAGS, attributes={}, link_rel=None)


@lru_cache(maxsize=1)
def _markdown() -> _Renderer:
    return _Renderer()
