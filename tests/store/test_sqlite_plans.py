"""What is written or looked up of facts costs what it touches, however many there are: SQLite's own plan says so."""

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


ENDS = {
    "any": "(tenant=? AND predicate=?)",
    "subject": "predicate=? AND subject=?",
    "object": "predicate=? AND object=?",
    "subjects": "predicate=? AND subject=?",
    "objects": "predicate=? AND object=?",
    "both": "predicate=? AND subject=? AND object=?",
    "both of subjects": "predicate=? AND subject=?",
    "both of objects": "predicate=? AND object=?",
    "pairs": "predicate=? AND subject=? AND object=?",
}


@pytest.mark.parametrize("source", facts._SOURCES)
def test_facts_are_looked_up_by_the_ends_that_are_bound(source, tmp_path):
    path = tmp_path / "m.db"
    SqliteStore.open(path, entropy=numbers(), create=True).close()
    raw = apsw.Connection(str(path))
    for statement in (
        facts._statement(source, ("classes", "latest", "at")),
        facts._counting(facts._ALIKE, source, ("classes", "latest", "at")),
    ):
        count = statement.count("?")
        given = tuple("[]" for _ in range(count))
        plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {spoken(statement)}", given)]
        (step,) = [step for step in plan if step.split()[1] == "f"]
        ends = ENDS[source]
        turned = ends.replace("subject=? AND object=?", "object=? AND subject=?")
        assert ends in step or turned in step
        assert not step.startswith("SCAN")
    raw.close()
