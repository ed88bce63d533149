"""Whether a host is this machine by its very name, which no lookup is asked for.

>>> [is_loopback(host) for host in ("localhost", "127.9.9.9", "::1", "10.0.0.1", "127.0.0.1.evil.example", "0.0.0.0")]
[True, True, True, False, False, False]
"""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches a host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
