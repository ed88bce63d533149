"""A tenant's snapshots and transactions on PostgreSQL: `store.tables`, and what differs there.

- A tenant's number is a digest of its name, so that nothing is numbered across tenants.
- Text that PostgreSQL cannot hold is refused before the first row of a batch is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from muniment.core.access import Audience, Scope
from muniment.core.errors import quoted
from muniment.core.event import Envelope
from muniment.core.row import Derived
from muniment.store.tables.connection import Connection
from muniment.store.tables.encoding import columns_of
from muniment.store.tables.snapshot import TableSnapshot, tenant_of
from muniment.store.tables.transaction import TableTransaction

_TENANT = "SELECT id, key FROM tenant WHERE id = ? AND name = ?"
_NEW_TENANT = "INSERT INTO tenant VALUES (?, ?, ?)"


def number_of(tenant: str, purpose: str = "tenant") -> int:
    """The number that stands for a tenant, or for a lock of its: 63 bits of a digest.

    >>> number_of("acme") == number_of("acme"), number_of("acme") == number_of("acme", "log")
    (True, False)
    """
    said = f"muniment {purpose} {tenant}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(said).digest()[:8], "big") >> 1


class PostgresSnapshot(TableSnapshot):
    """One committed state of one tenant, on a connection in a transaction."""

    def _found_tenant(self, connection: Connection) -> tuple[int, bytes] | None:
        return found_tenant(connection, self._name)


class PostgresTransaction(TableTransaction):
    """A snapshot that can be appended to; it sees its own writes."""

    def _found_tenant(self, connection: Connection) -> tuple[int, bytes] | None:
        return found_tenant(connection, self._name)

    def _new_tenant(self, connection: Connection) -> int:
        number = number_of(self._name)
        connection.run(_NEW_TENANT, (number, self._name, self._key))
        return number

    def declare_class(self, scope: Scope, audience: Audience) -> str:
        """The id of the class with this scope and audience, made where there is none.

        Raises:
            ValueError: The scope cannot be kept as text.
        """
        _refuse("scope", (scope.kind, scope.id))
        return super().declare_class(scope, audience)

    def _must_hold(self, envelope: Envelope, derived: Derived) -> None:
        _refuse(envelope.kind, (envelope.id, envelope.parent, *envelope.subjects))
        if derived.row is not None:
            texts = [value for value in columns_of(0, 0, derived.row) if isinstance(value, str)]
            _refuse(envelope.kind, texts)


def found_tenant(connection: Connection, name: str) -> tuple[int, bytes] | None:
    """A tenant's number and key."""
    known = connection.decoded(_TENANT, (number_of(name), name), tenant_of)
    return known[0] if known else None


def _refuse(kind: str, texts: Iterable[str]) -> None:
    for text in texts:
        if "\0" in text:
            raise ValueError(f"the {kind} {quoted(text)} holds NUL, which PostgreSQL cannot keep")
