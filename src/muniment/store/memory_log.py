"""Retrievals in a process's memory, outside the ledger."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

from muniment.core.canonical import canonical
from muniment.ports.store import Access, Trimmed


@dataclass(slots=True)
class RetrievalLog:
    """Retrievals of one tenant, outside its ledger."""

    kept: dict[str, tuple[Access, bytes]] = field(default_factory=dict)
    handed: dict[tuple[str, str], tuple[int, datetime]] = field(default_factory=dict)

    def keep(self, access: Access) -> None:
        """Keep a retrieval, once."""
        if access.id in self.kept:
            return
        self.kept[access.id] = (replace(access, record={}), canonical(access.record))
        for claim_id in dict.fromkeys(access.selected):
            count, last = self.handed.get((claim_id, access.principal), (0, access.at))
            self.handed[claim_id, access.principal] = (count + 1, max(last, access.at))

    def forget(self, claim_ids: Collection[str]) -> None:
        """Remove the retrievals that found some claims."""
        gone = set(claim_ids)
        for id, (access, _) in list(self.kept.items()):
            if gone.intersection(access.claims) or gone.intersection(access.selected):
                del self.kept[id]
        for place in [place for place in self.handed if place[0] in gone]:
            del self.handed[place]

    def trim(self, before: datetime, *, dry: bool) -> Trimmed:
        """Remove what was made, or last handed over, up to an instant."""
        kept = [id for id, (access, _) in self.kept.items() if access.at <= before]
        handed = [place for place, (_, last) in self.handed.items() if last <= before]
        if not dry:
            for id in kept:
                del self.kept[id]
            for place in handed:
                del self.handed[place]
        return Trimmed(len(kept), len(handed), "complete")
