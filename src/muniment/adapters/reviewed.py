"""What reviewed memory says, as plain values that other libraries pass on.

- A claim is whole: its statement with its body, and everything that `Packet.as_json` tells of it.
- What the packet warns of goes with every claim of it: the outcome, contradictions with both sides, what was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.packet import Packet

REVIEWED = "reviewed"


def evidence_of(packet: Packet) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each claim of a packet as its JSON value, and the text that it says."""
    for item in packet.as_json()["evidence"]:
        yield item, "\n\n".join(part for part in (item["claim"], item["body"]) if part)


def warnings_of(packet: Packet) -> dict[str, Any]:
    """What has to be said beside every claim of a packet."""
    told = packet.as_json()
    return {
        "outcome": told["outcome"],
        "contradictions": told["conflicts"],
        "omissions": told["omissions"],
        "advice": told["advice"],
    }
