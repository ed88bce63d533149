"""The fault harness on plain SQLite: it finds what it must find, and nothing else."""

import contextlib
import itertools
import time
from pathlib import Path

import apsw
import pytest

from bench import control
from bench.faults import each_failure, powercut
from bench.vfs import CrashRecorder, FailingVFS, SyncCounter


def cut(journal: str, synchronous: str, points: int = 600, **options):
    workload = control.workload(journal, synchronous, writes=30)
    return powercut(workload, control.check, points, seed=3, **options)


def found(result):
    return {name: result[name] for name in ("lost", "partial", "damaged")}


NOTHING = {"lost": 0, "partial": 0, "damaged": 0}


class TestPowerCut:
    def test_finds_nothing_at_full_in_wal_mode(self):
        assert found(cut("WAL", "FULL")) == NOTHING

    def test_finds_nothing_at_full_when_power_fails_again_during_recovery(self):
        assert found(cut("WAL", "FULL", recover=control.recover)) == NOTHING

    def test_finds_loss_and_no_damage_at_normal_in_wal_mode(self):
        result = cut("WAL", "NORMAL")
        assert result["lost"] > 100
        assert (result["partial"], result["damaged"]) == (0, 0)

    def test_finds_damage_at_off(self):
        assert cut("WAL", "OFF")["damaged"] > 50

    def test_finds_half_transactions_at_off_with_a_rollback_journal(self):
        assert cut("DELETE", "OFF", points=1500)["partial"] > 0

    def test_finds_that_a_removed_rollback_journal_may_come_back_at_full_but_not_at_extra(self):
        assert cut("DELETE", "FULL")["lost"] > 0
        assert found(cut("DELETE", "EXTRA")) == NOTHING

    def test_makes_the_same_images_from_the_same_seed(self):
        first, second = cut("WAL", "OFF"), cut("WAL", "OFF")
        assert first["examples"] == second["examples"]
        assert found(first) == found(second)

    def test_finds_the_same_in_two_processes(self):
        one, two = cut("WAL", "NORMAL"), cut("WAL", "NORMAL", processes=2)
        assert found(one) == found(two)
        assert one["distinct_images"] == two["distinct_images"]

    def test_does_every_point_it_was_asked_for(self):
        assert cut("WAL", "FULL", points=7)["points"] == 7

    def test_counts_a_check_that_raises_as_damage_and_shows_it(self):
        def check(path, history):
            raise OSError("cannot look")

        result = powercut(control.workload("WAL", "FULL", 2), check, points=4, seed=1)
        assert result["damaged"] == 4
        assert "OSError" in result["examples"][0]["detail"]

    def test_keeps_the_images_of_its_examples(self, tmp_path):
        result = cut("WAL", "NORMAL", keep=tmp_path)
        kept = sorted(tmp_path.iterdir())
        assert len(kept) == len(result["examples"])
        assert any((image / "store.db").exists() for image in kept)

    def test_is_fast_enough_to_be_run_often(self):
        assert cut("WAL", "FULL", points=1000)["points_per_second"] >= 250


class TestRecorder:
    def test_an_acknowledgement_counts_from_its_own_operation_on(self, tmp_path):
        with CrashRecorder(tmp_path) as recorder:
            control.workload("WAL", "FULL", writes=1)(tmp_path / "store.db", recorder)
        [mark] = recorder.history()
        assert len(recorder.history(mark.index)) == 1
        assert len(recorder.history(mark.index - 1)) == 0
        assert [m.label for m in recorder.history(mark.index - 1).in_flight] == ["0"]

    def test_what_was_there_before_is_durable_from_the_start(self, tmp_path):
        control.connect(tmp_path / "store.db", "DELETE", "FULL").close()
        with CrashRecorder(tmp_path) as recorder:
            image = recorder.disk().image("lost", None)
        assert image == {"store.db": (tmp_path / "store.db").read_bytes()}

    def test_everything_kept_equals_the_real_files(self, tmp_path):
        with CrashRecorder(tmp_path) as recorder:
            control.workload("WAL", "NORMAL", writes=30)(tmp_path / "store.db", recorder)
        disk = recorder.disk()
        for operation in recorder.operations:
            disk.apply(operation)
        real = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert disk.image("kept", None) == real

    def test_a_database_outside_the_recorded_directory_is_refused(self, tmp_path):
        (tmp_path / "inside").mkdir()
        with CrashRecorder(tmp_path / "inside") as recorder, pytest.raises(apsw.CantOpenError):
            apsw.Connection(str(tmp_path / "a.db"), vfs=recorder.vfs_name)

    def test_two_connections_see_each_other_in_wal_mode(self, tmp_path):
        path = tmp_path / "store.db"
        with CrashRecorder(tmp_path) as recorder, contextlib.ExitStack() as stack:
            first, second = (
                stack.enter_context(
                    contextlib.closing(control.connect(path, "WAL", "FULL", recorder.vfs_name))
                )
                for _ in range(2)
            )
            control.write(first, 1)
            control.write(second, 2)
            assert [row[0] for row in first.execute("SELECT id FROM head")] == [1, 2]


class TestSyncCounter:
    def syncs_of_each_write(self, path: Path, synchronous: str, writes: int = 40):
        with (
            SyncCounter(real=False) as counter,
            contextlib.closing(
                control.connect(path, "WAL", synchronous, counter.vfs_name)
            ) as connection,
        ):
            for number in range(writes):
                counter.reset()
                control.write(connection, number)
                yield dict(counter.counts)

    def test_sees_one_sync_a_commit_at_full(self, tmp_path):
        """One more of the WAL and one of the database where the commit runs a checkpoint, and one
        more of the WAL in the first write after that, which writes the WAL's header anew."""
        seen = list(self.syncs_of_each_write(tmp_path / "a.db", "FULL"))
        commit, checkpoint, first_after = {"wal": 1}, {"wal": 2, "main": 1}, {"wal": 2}
        assert all(counts in (commit, checkpoint, first_after) for counts in seen)
        assert seen.count(commit) > 25
        followers = [b for a, b in itertools.pairwise(seen) if a == checkpoint]
        assert followers and all(counts == first_after for counts in followers)

    def test_sees_no_sync_of_an_ordinary_commit_at_normal(self, tmp_path):
        seen = list(self.syncs_of_each_write(tmp_path / "a.db", "NORMAL"))
        assert seen.count({}) > 25

    def test_adds_its_delay_to_each_sync(self, tmp_path):
        with (
            SyncCounter(delay=0.02) as counter,
            contextlib.closing(
                control.connect(tmp_path / "a.db", "WAL", "FULL", counter.vfs_name)
            ) as connection,
        ):
            counter.reset()
            started = time.perf_counter()
            for number in range(5):
                control.write(connection, number)
            assert time.perf_counter() - started >= 0.02 * counter.total
            assert counter.total >= 5


class TestFailing:
    @pytest.mark.parametrize("journal", ["WAL", "DELETE"])
    @pytest.mark.parametrize("how", ["ioerr", "full", "short"])
    @pytest.mark.parametrize("lasting", [False, True])
    def test_each_call_that_fails_reaches_the_caller_and_loses_nothing(self, journal, how, lasting):
        workload = control.workload(journal, "FULL", writes=8)
        result = each_failure(workload, control.check, 1, how=how, lasting=lasting, most=60)
        assert found(result) == NOTHING
        assert (result["raised"], result["untyped"]) == (60, 0)

    @pytest.mark.parametrize(("how", "error"), [("ioerr", apsw.IOError), ("full", apsw.FullError)])
    def test_the_error_says_what_failed(self, tmp_path, how, error):
        with FailingVFS(how=how, calls=("write",)) as layer:
            connection = control.connect(tmp_path / "a.db", "WAL", "FULL", layer.vfs_name)
            with contextlib.closing(connection):
                layer.arm(1)
                with pytest.raises(error):
                    control.write(connection, 1)
                assert layer.fired == ["write"]

    def test_the_next_write_succeeds_after_a_single_failure(self, tmp_path):
        with FailingVFS(calls=("sync",)) as layer:
            connection = control.connect(tmp_path / "a.db", "WAL", "FULL", layer.vfs_name)
            with contextlib.closing(connection):
                layer.arm(1)
                with pytest.raises(apsw.IOError):
                    control.write(connection, 1)
                control.write(connection, 2)
                assert [row[0] for row in connection.execute("SELECT id FROM head")] == [2]

    def test_a_short_write_leaves_half_of_the_bytes(self, tmp_path):
        with FailingVFS(how="short", calls=("write",)) as layer:
            connection = control.connect(tmp_path / "a.db", "WAL", "FULL", layer.vfs_name)
            with contextlib.closing(connection):
                wal = tmp_path / "a.db-wal"
                before = wal.stat().st_size
                layer.arm(2)  # a frame's page, after its header of 24 bytes
                with pytest.raises(apsw.FullError):
                    control.write(connection, 1)
                assert wal.stat().st_size - before == 24 + 4096 // 2

    def test_finds_a_store_that_acknowledges_before_it_has_written(self):
        def hasty(path, layer):
            connection = control.connect(path, "WAL", "FULL", layer.vfs_name)
            with contextlib.closing(connection):
                for number in range(8):
                    layer.acknowledge(str(number), number)
                    control.write(connection, number)

        assert each_failure(hasty, control.check, 1)["lost"] > 0

    def test_an_unknown_failure_is_refused(self):
        with pytest.raises(ValueError, match="unknown failure"):
            FailingVFS(how="slow")
