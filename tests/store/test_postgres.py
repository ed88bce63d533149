"""The PostgreSQL store keeps the port's promises, but for those that are named here."""

from __future__ import annotations

import pytest

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

from muniment.store.postgres.transaction import number_of  # noqa: E402
from tests.store.acceptance import *  # noqa: E402, F403
from tests.store.acceptance_facts import *  # noqa: E402, F403
from tests.store.harm import Damage as FileDamage  # noqa: E402
from tests.store.world import numbers  # noqa: E402


@pytest.fixture
def make_store(postgres):
    made = []

    def make(**options):
        made.append(postgres.open(entropy=numbers(), **options))
        return made[-1]

    yield make
    for store in made:
        store.close()


class Damage(FileDamage):
    """Harm one tenant's tables behind the store's back, as somebody with `psql` could."""

    def __init__(self, store, tenant):
        self.store, self.tenant = store, str(number_of(tenant))

    def run(self, statement, *parameters):
        own = statement.replace("ACME", self.tenant).replace("?", "%s")
        with psycopg.connect(self.store._address, autocommit=True) as connection:
            connection.execute("SET search_path = muniment")
            connection.execute("SET session_replication_role = replica")  # without foreign keys
            assert connection.execute(own, parameters).rowcount > 0

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


@pytest.fixture
def damage():
    return Damage
