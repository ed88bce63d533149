"""Reading by URI, inside the allowed folders only."""

from __future__ import annotations

import pytest

from muniment.ports.source import file_uri, repo_uri
from muniment.sources.router import Router


@pytest.fixture
def router(shop):
    made = Router({"github:acme/shop": shop}, (shop,))
    yield made
    made.close()


def test_working_tree_ref_and_file_are_read(router, shop):
    (shop / ".python-version").write_bytes(b"3.14\n")
    assert router.fetch(repo_uri("github:acme/shop", ".python-version")).data == b"3.14\n"
    assert router.fetch(repo_uri("github:acme/shop", ".python-version", "main")).data == b"3.12.4\n"
    assert router.fetch(file_uri(str(shop / ".python-version"))).data == b"3.14\n"


def test_a_folder_without_git_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    router = Router({"local:x": tmp_path})
    assert router.fetch("repo:local:x!/a").data == b"x"
    assert router.fetch("repo:local:x@main!/a").detail.startswith("no_git:")


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("repo:github:evil/x!/Makefile", "unknown_repository"),
        ("repo:github:acme/shop!/../secret", "path_escapes"),
        ("repo:github:acme/shop@main!/%2e%2e/secret", "path_escapes"),
        ("repo:github:acme/shop@no!/Makefile", "unknown_ref"),
        ("file:///etc/passwd", "outside_roots"),
        ("https://example.org", "unknown_uri"),
        ("", "unknown_uri"),
    ],
)
def test_what_is_not_allowed_is_unreadable_with_a_code(router, uri, code):
    fetched = router.fetch(uri)
    assert (fetched.state, fetched.detail.partition(":")[0]) == ("unreadable", code)


def test_a_sibling_with_the_same_prefix_is_outside(router, shop):
    sibling = shop.parent / "shop-secret"
    sibling.write_text("x")
    assert router.fetch(file_uri(str(sibling))).detail.startswith("outside_roots:")
    assert router.fetch(file_uri(str(shop))).detail.startswith("outside_roots:")


def test_a_link_in_an_allowed_folder_does_not_lead_out(router, shop):
    (shop.parent / "secret").write_text("x")
    (shop / "link").symlink_to("../secret")
    assert router.fetch(file_uri(str(shop / "link"))).detail.startswith("symlink_outside:")
    assert router.fetch(repo_uri("github:acme/shop", "link")).detail.startswith("symlink_outside:")


def test_a_known_folder_that_is_gone_is_unreadable(tmp_path):
    router = Router({"local:x": tmp_path / "gone"})
    assert router.fetch("repo:local:x!/a").detail.startswith("folder_gone:")
