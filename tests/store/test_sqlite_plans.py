"""What is written or looked up costs what it touches, however much there is: SQLite's own plan says so."""

from __future__ import annotations

import re
from itertools import islice

import apsw
import pytest

from bench.world import add, diff, open_world, rounds
from muniment import Choice
from muniment.core.vocabulary import RETRIEVAL_METHODS
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


LARGE = ("event", "content", "subject", "version", "lookup_key", "link", "doc", "fact")
FACT = {"subject": "Ada", "predicate": "maintains", "object": "gate"}
WHAT_ERASING_READS = (
    "DELETE FROM",
    "SELECT max(seq) FROM event e",
    "UPDATE doc SET first_seq",
    "SELECT claim_id, seq FROM subject",
)
"""Erasing writes the whole file anew: what it looks through adds little."""
WHAT_COUNTS_VERSIONS = "SELECT e.revision FROM event e WHERE e.tenant = ?1 AND e.kind = 'claim'"
"""States are told by how many versions of visible claims they hold: once a state they are counted, a number each."""


def statements_of_a_day(path, monkeypatch) -> set[str]:
    """What a store is told by verbs that write and by every way to find."""
    seen: set[str] = set()

    def watch(connection):
        def trace(cursor, text, bindings):
            if cursor.connection.filename == str(path):
                seen.add(" ".join(text.split()))
            return True

        connection.exec_trace = trace

    open_world(path, None, "plans").memory.close()
    monkeypatch.setattr(apsw, "connection_hooks", [watch])
    world = open_world(path, None, "plans again")
    world.declare()
    for _ in islice(rounds(world, lambda *_: None), 4):
        pass
    change = add(1, "Ada maintains the gate.")
    proposed = world.agent.propose(diff({**change, "item": {**change["item"], "facts": [FACT]}}))
    world.reviewer.review(proposed.diff.id, {"change_01": Choice("accepted")}, world.signer)
    world.reviewer.inbox()
    for method in (one for one in RETRIEVAL_METHODS if one.name != "embedding_similarity"):
        world.agent.recall("sensor kelvin", use="answer_questions", method=method.name)
    world.agent.recall("sensor", use="answer_questions", history=True)
    world.agent.certified_query("?who maintains ?what", use="answer_questions")
    world.agent.history(proposed.diff.changes[0].item.id)
    world.agent.conflicts()
    world.memory.close()
    monkeypatch.undo()
    return seen


def looks_through(raw, statement: str) -> list[str]:
    """The steps of a plan that go by the tenant alone, or by nothing, through a table that grows."""
    numbered = [int(n) for n in re.findall(r"\?(\d+)", statement)]
    given = ("[]",) * (max(numbered) if numbered else statement.count("?"))
    plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", given)]
    aliases = dict(re.findall(r"(?:FROM|JOIN) ([a-z_]+) (?:AS )?([a-z])\b", statement))
    names = {*LARGE, *(short for table, short in aliases.items() if table in LARGE)}
    whole = re.compile(r"^(?:SCAN|SEARCH) (\w+)(?: EXISTS)?(?: USING .*\(tenant=\?\)(?: .*)?)?$")
    return [step for step in plan if (m := whole.match(step)) and m[1] in names]


def test_no_statement_looks_through_what_grows(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    seen = statements_of_a_day(path, monkeypatch)
    raw = apsw.Connection(str(path))
    read = [
        one
        for one in sorted(seen)
        if one.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")
        and not one.startswith((*WHAT_ERASING_READS, WHAT_COUNTS_VERSIONS))
        and not one.endswith("LIMIT 1")
    ]
    found = {one: steps for one in read if (steps := looks_through(raw, spoken(one)))}
    raw.close()
    assert len(read) > 40
    assert found == {}


@pytest.mark.parametrize("table", LARGE)
def test_each_index_of_a_table_that_grows_has_its_statistics(table, tmp_path):
    path = tmp_path / "m.db"
    SqliteStore.open(path, entropy=numbers(), create=True).close()
    raw = apsw.Connection(str(path))
    told = {name for (name,) in raw.execute("SELECT idx FROM sqlite_stat1 WHERE tbl = ?", (table,))}
    (whole,) = raw.execute("SELECT wr FROM pragma_table_list WHERE name = ?", (table,)).fetchall()
    indexes = raw.execute("SELECT name, origin FROM pragma_index_list(?)", (table,)).fetchall()
    raw.close()
    names = {table if origin == "pk" and whole[0] else name for name, origin in indexes}
    assert names == told
