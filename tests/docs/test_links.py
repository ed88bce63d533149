"""Every relative link leads to a file of the project, and every anchor to a heading."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import PAGES, ROOT, anchors_of, links_of, name_of


def broken_links(page):
    text = page.read_text(encoding="utf-8")
    return [link for link in links_of(text) if not resolves(link, page)]


def resolves(link, page):
    url = urlsplit(link)
    if url.scheme or url.netloc:
        return url.scheme in {"https", "mailto"}
    target = (page.parent / unquote(url.path)).resolve() if url.path else page
    if not target.is_relative_to(ROOT) and not target.is_relative_to(page.parent):
        return False
    if not url.fragment:
        return target.exists()
    return target.is_file() and unquote(url.fragment) in anchors_of(
        target.read_text(encoding="utf-8")
    )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_the_page_resolves(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found_and_a_sound_one_is_not(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One `two`, three!\n## Again\n## Again\n"
        "[a](#one-two-three) [b](#again-1) [c](page.md#again) [d](https://example.org) "
        "`[e](in-code.md)` [f](missing.md) [g](#nowhere) [h](page.md#nowhere) "
        "[i](http://example.org) ![j](missing.png)\n"
    )
    assert broken_links(page) == [
        "missing.md",
        "#nowhere",
        "page.md#nowhere",
        "http://example.org",
        "missing.png",
    ]
