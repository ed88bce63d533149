"""Ways to harm a SQLite store's file, as somebody with a database tool could."""

from __future__ import annotations

import apsw

_NUMBER = "(SELECT id FROM tenant WHERE name = 'acme')"


class Damage:
    """Harm one tenant's tables behind the store's back; digests are bytes, numbers are the ledger's."""

    def __init__(self, store, tenant):
        assert tenant == "acme"
        self.path = store._file.path

    def run(self, statement, *parameters):
        connection = apsw.Connection(self.path)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement.replace("ACME", _NUMBER), parameters)
        assert connection.changes() > 0
        connection.close()

    def alter_envelope(self, seq):
        self.run("UPDATE event SET id = 'other' WHERE tenant = ACME AND seq = ?", seq)

    def alter_content(self, seq):
        self.run(
            "UPDATE content SET body = CAST(replace(CAST(body AS TEXT), '{', '{ ') AS BLOB)"
            " WHERE tenant = ACME AND seq = ?",
            seq,
        )

    def break_content(self, seq):
        self.run("UPDATE content SET body = x'7b' WHERE tenant = ACME AND seq = ?", seq)

    def lose_content(self, seq):
        self.run("DELETE FROM content WHERE tenant = ACME AND seq = ?", seq)

    def remove_event(self, seq):
        self.run("DELETE FROM event WHERE tenant = ACME AND seq = ?", seq)

    def swap_events(self, one, other):
        move = "UPDATE event SET seq = ? WHERE tenant = ACME AND seq = ?"
        self.run(move, 99, one)
        self.run(move, one, other)
        self.run(move, other, 99)

    def truncate(self, last):
        self.run("DELETE FROM event WHERE tenant = ACME AND seq > ?", last)
        self.run("DELETE FROM content WHERE tenant = ACME AND seq > ?", last)
        self.run("DELETE FROM doc WHERE tenant = ACME AND seq > ?", last)

    def alter_row(self, seq):
        self.run("UPDATE version SET review = 'rejected' WHERE tenant = ACME AND seq = ?", seq)

    def remove_row(self, seq):
        self.run("DELETE FROM version WHERE tenant = ACME AND seq = ?", seq)

    def alter_doc(self, collection, id):
        self.run(
            "UPDATE doc SET parent = 'other' WHERE tenant = ACME AND collection = ? AND id = ?",
            collection,
            id,
        )

    def remove_keys(self, seq):
        self.run("DELETE FROM lookup_key WHERE tenant = ACME AND seq = ?", seq)

    def remove_links(self, seq):
        self.run("DELETE FROM link WHERE tenant = ACME AND seq = ?", seq)

    def alter_posting(self, seq):
        self.run(
            "UPDATE index_tail SET entry = CAST(substr(entry, 1, length(entry) - 2) || x'0700' AS BLOB)"
            " WHERE tenant = ACME AND seq = ?",
            seq,
        )

    def alter_fact(self, seq):
        self.run("UPDATE fact SET marks = marks | 1 WHERE tenant = ACME AND seq = ?", seq)

    def remove_fact(self, seq):
        self.run("DELETE FROM fact WHERE tenant = ACME AND seq = ?", seq)

    def alter_head(self):
        self.run("UPDATE class_head SET head = zeroblob(32) WHERE tenant = ACME AND class = 1")

    def alter_class(self):
        self.run("UPDATE class SET scope_id = 'elsewhere' WHERE tenant = ACME AND number = 1")
