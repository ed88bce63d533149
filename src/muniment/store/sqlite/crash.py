"""What is checked when a store was left by a process that died: its structure, and the ends of its ledgers.

- A power cut or a kill leaves a whole store; this finds what they should not leave, before anything is built on it.
- The rest of the ledger, contents and derived rows are `verify`'s task.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.core.errors import StoreDamaged, quoted
from muniment.core.event import GENESIS, chain
from muniment.store.sealing import UNREADABLE
from muniment.store.sqlite.connection import Connection
from muniment.store.tables.encoding import envelope_of

_TENANTS = "SELECT id, name FROM tenant ORDER BY name"
_TAIL = """
SELECT e.seq, e.revision, e.at, e.kind, e.id, e.parent, e.subjects, c.id, e.commitment, e.previous, e.hash
FROM event e LEFT JOIN class c ON c.tenant = e.tenant AND c.number = e.class
WHERE e.tenant = ? ORDER BY e.seq DESC LIMIT 100
"""


def problems_after_crash(connection: Connection) -> tuple[str, ...]:
    """What is wrong; empty where nothing is."""
    try:
        said = [str(row[0]) for row in connection.all("PRAGMA quick_check(5)")]
        problems = [] if said == ["ok"] else said
        for number, name in connection.all(_TENANTS):
            if not _has_whole_tail(connection, number):
                problems.append(f"the ledger of {quoted(name)} does not follow from itself")
    except StoreDamaged as error:
        return (error.message,)
    return tuple(problems)


def told_after_crash(problems: Sequence[str]) -> str:
    """The notice for whoever opened the store.

    >>> told_after_crash(())
    'the store was left by a process that ended without closing it; it was checked and nothing is wrong'
    """
    left = "the store was left by a process that ended without closing it"
    if not problems:
        return f"{left}; it was checked and nothing is wrong"
    return f"{left}; it is damaged and can only be read: {'; '.join(problems)}"


def _has_whole_tail(connection: Connection, tenant: int) -> bool:
    try:
        tail = [envelope_of(row) for row in connection.all(_TAIL, (tenant,))][::-1]
        previous = tail[0].previous if tail and tail[0].seq > 1 else GENESIS
        for envelope in tail:
            if envelope.previous != previous or chain(envelope).hash != envelope.hash:
                return False
            previous = envelope.hash
    except UNREADABLE:
        return False
    return True
