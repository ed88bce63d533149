"""A repository's identity from the address of its remote.

- Credentials, ports, `.git` and trailing slashes are no part of it.
- GitHub and GitLab compare names without regard to case, so those are lower case.
- An address on this machine says nothing to others: the identity is then the folder's name.

>>> identity("git@github.com:Acme/Shop.git", "x"), identity("https://u:t@git.acme.io:8443/a/b/", "x")
('github:acme/shop', 'git:git.acme.io/a/b')
>>> identity(None, "shop"), identity("../mirror", "shop")
('local:shop', 'local:shop')
"""

from __future__ import annotations

import re

_ADDRESS = re.compile(
    r"(?:(?:ssh|https?|git|git\+ssh|git\+https)://(?:[^/@]*@)*(?P<host>[^/:@]+)(?::\d+)?/"
    r"|(?:[^/@:]+@)?(?P<scp>[^/@:]+):(?!//))(?P<path>[^?#]+)"
)
_HOSTS = {
    "github.com": "github",
    "www.github.com": "github",
    "ssh.github.com": "github",
    "gitlab.com": "gitlab",
    "www.gitlab.com": "gitlab",
    "altssh.gitlab.com": "gitlab",
}


def identity(remote: str | None, folder: str) -> str:
    """The id of the repository in `folder` whose origin is `remote` (None without one)."""
    found = _ADDRESS.fullmatch((remote or "").strip())
    if not found:
        return f"local:{folder or 'root'}"
    host = (found.group("host") or found.group("scp")).lower()
    path = found.group("path").strip("/").removesuffix(".git").strip("/")
    if not path or (found.group("scp") and len(host) == 1):  # `C:` is a drive, not a host
        return f"local:{folder or 'root'}"
    known = _HOSTS.get(host)
    return f"{known}:{path.lower()}" if known else f"git:{host}/{path}"
