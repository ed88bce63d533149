"""The PostgreSQL store keeps the port's promises."""

from __future__ import annotations

import pytest

from tests.store.acceptance import *  # noqa: F403
from tests.store.acceptance_facts import *  # noqa: F403
from tests.store.acceptance_notes import *  # noqa: F403
from tests.store.harm import Damage as FileDamage
from tests.store.world import numbers


@pytest.fixture
def make_store(postgres):
    made = []

    def make(**options):
        made.append(postgres.open(entropy=numbers(), **options))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def damage(postgres):
    return lambda store, tenant: Damage(postgres.server, store, tenant)


class Damage(FileDamage):
    """Harm one tenant's tables behind the store's back, as somebody with `psql` could."""

    def __init__(self, server, store, tenant):
        from muniment.store.postgres.transaction import number_of

        self.server, self.store, self.tenant = server, store, str(number_of(tenant))

    def run(self, statement, *parameters):
        own = statement.replace("ACME", self.tenant).replace("?", "%s")
        (changed,) = self.server.run(self.store._address, own, parameters)
        assert changed > 0

    def alter_content(self, seq):
        self.run(
            "UPDATE content SET body = convert_to(replace(convert_from(body, 'UTF8'), '{', '{ '), 'UTF8')"
            " WHERE tenant = ACME AND seq = ?",
            seq,
        )

    def break_content(self, seq):
        self.run(r"UPDATE content SET body = '\x7b' WHERE tenant = ACME AND seq = ?", seq)

    def alter_posting(self, seq):
        self.run(
            r"UPDATE index_tail SET entry = substring(entry FROM 1 FOR length(entry) - 2) || '\x0700'::bytea"
            " WHERE tenant = ACME AND seq = ?",
            seq,
        )

    def alter_head(self):
        zeros = "decode(repeat('00', 32), 'hex')"
        self.run(f"UPDATE class_head SET head = {zeros} WHERE tenant = ACME AND class = 1")
