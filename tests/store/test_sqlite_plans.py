"""Writing a claim looks at that claim's rows, however many there are: SQLite's own plan says so."""

from __future__ import annotations

import apsw
import pytest

from muniment.store.sqlite import SqliteStore
from muniment.store.sqlite.connection import spoken
from muniment.store.tables import facts
from tests.store.world import numbers

STATEMENTS = {
    name: getattr(facts, name) for name in ("_CLOSE", "_MARK", "_UNMARK", "_IS_REPLACED", "_ERASE")
}
SCANS = ("SCAN fact", "SCAN version", "(tenant=?)")


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_write_of_facts_looks_through_a_whole_table(name, tmp_path):
    path = tmp_path / "m.db"
    SqliteStore.open(path, entropy=numbers(), create=True).close()
    raw = apsw.Connection(str(path))
    statement = spoken(STATEMENTS[name])
    given = tuple("[]" if name != "_IS_REPLACED" else "1" for _ in range(statement.count("?")))
    wanted = max((int(c) for c in statement if c.isdigit() and f"?{c}" in statement), default=2)
    plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", given[:wanted])]
    raw.close()
    assert [step for step in plan if any(scan in step for scan in SCANS)] == []
