"""Killed processes and rival writers, on plain SQLite and on children that misbehave."""

import contextlib
import sys

import apsw
import pytest

from bench import control
from bench.children import kill, writers

ANNOUNCE = "from bench.children import announce, await_start\nimport time, sys\n"


def script(text):
    return lambda path, number: [sys.executable, "-c", ANNOUNCE + text, str(path), str(number)]


def test_killing_writers_loses_nothing_from_sqlite():
    result = kill(control.spawn, control.check, kills=4, seed=5, children=2, kills_each=2)
    assert (result["kills"], result["lost"], result["partial"], result["damaged"]) == (4, 0, 0, 0)
    assert result["acknowledged"] > 0


def test_a_child_that_acknowledges_what_it_never_wrote_is_found():
    liar = script("for n in range(10**6):\n    announce(str(n), n)\n    time.sleep(0.001)")
    result = kill(liar, control.check, kills=2, seed=5, most=5)
    assert result["lost"] > 0


def test_a_child_that_ends_by_itself_is_an_error_with_its_reason():
    with pytest.raises(RuntimeError, match="disk of cheese"):
        kill(script("sys.exit('disk of cheese')"), control.check, kills=1, seed=1, most=3)


WRITER = """
from pathlib import Path
from bench import control
path, number = Path(sys.argv[1]), int(sys.argv[2])
connection = control.connect(path, "WAL", "FULL")
await_start()
for each in range(20):
    control.write(connection, number * 100 + each)
print('{"written": 20}')
"""


def test_rival_writers_all_report_and_all_is_there(tmp_path):
    path = tmp_path / "store.db"
    control.connect(path, "WAL", "FULL").close()
    result = writers(script(WRITER), processes=3, path=path)
    assert result["failed"] == []
    assert result["results"] == [{"written": 20}] * 3
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("SELECT count(*) FROM head").get == 60


def test_a_writer_that_fails_is_reported_with_its_reason(tmp_path):
    result = writers(script("sys.exit('no store')"), processes=2, path=tmp_path / "store.db")
    assert [failure["stderr"] for failure in result["failed"]] == ["no store", "no store"]


def test_a_writer_that_hangs_is_ended(tmp_path):
    hanging = script("await_start()\ntime.sleep(60)")
    result = writers(hanging, processes=1, path=tmp_path / "store.db", timeout=0.5)
    assert result["failed"][0]["exit"] == -9
