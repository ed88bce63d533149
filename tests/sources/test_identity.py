"""A repository's id from its remote."""

from __future__ import annotations

import pytest

from muniment.sources.identity import identity


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("git@github.com:acme/shop.git", "github:acme/shop"),
        ("https://github.com/Acme/Shop", "github:acme/shop"),
        ("https://github.com/acme/shop.git/", "github:acme/shop"),
        ("ssh://git@github.com:22/acme/shop.git", "github:acme/shop"),
        ("ssh://git@ssh.github.com:443/acme/shop.git", "github:acme/shop"),
        ("https://user:s3cret@github.com/acme/shop.git", "github:acme/shop"),
        ("https://s3cret@github.com/acme/shop.git", "github:acme/shop"),
        ("https://u:p@ss@github.com/acme/shop.git", "github:acme/shop"),
        ("git@gitlab.com:acme/team/shop.git", "gitlab:acme/team/shop"),
        ("https://git.acme.io:8443/Team/Shop.git", "git:git.acme.io/Team/Shop"),
        ("git@git.acme.io:Team/Shop.git", "git:git.acme.io/Team/Shop"),
        ("/srv/git/shop.git", "local:folder"),
        ("../shop", "local:folder"),
        ("file:///srv/git/shop.git", "local:folder"),
        ("C:\\git\\shop", "local:folder"),
        ("", "local:folder"),
        (None, "local:folder"),
    ],
)
def test_the_id_names_host_and_path_and_nothing_else(remote, expected):
    assert identity(remote, "folder") == expected


@pytest.mark.req("E-SECRET")
@pytest.mark.parametrize("scheme", ["https", "http", "ssh", "git+https"])
def test_credentials_are_never_part_of_the_id(scheme):
    assert "s3cret" not in identity(f"{scheme}://u:s3cret@host.io:99/a/b.git?token=s3cret", "f")
