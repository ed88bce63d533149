"""Find out what a power cut, or an I/O call that fails, does to a store.

- `powercut` runs a workload once under `CrashRecorder`, then writes the disk as it may be after a
  cut at each of many points and lets a check open it.
- `each_failure` runs a workload once for each I/O call that it makes, with that call failing.
- The check alone knows what the store promises; here is only counting. An exception out of a
  check counts as damage and is shown.
- All that is drawn comes from the seed: same workload, same seed, same images. A workload that
  draws ids or reads the clock itself repeats less exactly.

What an image may hold is decided in `bench.disk`; killed processes and rival writers are in
`bench.children`. `bench.control` shows on plain SQLite that the harness finds what it must, and
nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import multiprocessing.connection
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from bench.disk import DRAWN, VARIANTS
from bench.findings import Check, CheckResult, History, Tally, checked, scratch_directory
from bench.report import progress
from bench.vfs import CrashRecorder, Failing, FailingVFS, Layer

Workload: TypeAlias = Callable[[Path, Layer], None]


@dataclass(frozen=True, slots=True, order=True)
class CrashPoint:
    """One image to be made: after `index` operations, by `variant`, with its own `seed`."""

    index: int
    variant: str
    seed: str


# --- Power cuts -----------------------------------------------------------------------------------


def powercut(
    workload: Workload,
    check: Check,
    points: int,
    seed: int,
    *,
    recover: Workload | None = None,
    processes: int = 1,
    keep: Path | None = None,
    show_progress: bool = False,
) -> dict[str, Any]:
    """Cut the power at many points of one run of a workload and count what is found.

    Args:
        workload: called once with the path of the database to make (`store.db` in an empty
            directory) and the recorder. It opens SQLite with `vfs=recorder.vfs_name`, says
            `recorder.begin(label, payload)` before and `recorder.acknowledge(label, payload)`
            after each write, and closes what it opened.
        check: called for each image with the path of the database and what had been
            acknowledged; opens it without any special layer. There is no file at the path when
            the cut came before its name was durable.
        points: crash points, spread over all operations; more points than operations give each
            operation several variants.
        seed: of everything drawn here.
        recover: opens and closes the store of an image through another recorder. If given, the
            power is cut a second time, somewhere in what it does, at about every second point.
        processes: how many share the images (by fork; 1 where there is none).
        keep: directory into which the images of the examples are copied, or None.
        show_progress: whether to report on standard error.

    Returns:
        `points`, and of them those with anything `lost`, `partial` or `damaged`; `lost_writes`;
        `distinct_images`; `operations`, `acknowledged`; `seconds`, `points_per_second`;
        `examples`, each with `index`, `variant` and `seed` by which `image_of` makes it again
        (before a second cut, which is marked `twice`).
    """
    started = time.perf_counter()
    with scratch_directory() as directory, CrashRecorder(directory) as recorder:
        workload(directory / "store.db", recorder)
    recorded = time.perf_counter() - started
    plan = crash_points(len(recorder.operations), points, seed)
    sweep = _Sweep(recorder, check, recover, keep)
    started = time.perf_counter()
    if processes > 1 and "fork" in multiprocessing.get_all_start_methods():
        tally = _spread(sweep, plan, processes, show_progress)
    else:
        tally = Tally()
        for done in sweep.run(plan, tally):
            if show_progress:
                progress("power cuts", done, points)
    seconds = time.perf_counter() - started
    return {
        **tally.counts(),
        "distinct_images": len(tally.images),
        "operations": len(recorder.operations),
        "acknowledged": len(recorder.history()),
        "seed": seed,
        "seconds_recording": round(recorded, 3),
        "seconds": round(seconds, 3),
        "points_per_second": round(tally.points / seconds, 1) if seconds else 0.0,
        "examples": tally.examples,
    }


def crash_points(operations: int, points: int, seed: int) -> list[CrashPoint]:
    """Spread crash points over a log: each index gets the variants in turn, from a drawn start.

    The variants without choice, `lost` and `kept`, come at most once an index.

    >>> [(p.index, p.variant) for p in crash_points(1, 4, seed=7)]
    [(0, 'kept'), (0, 'sectors'), (1, 'kept'), (1, 'sectors')]
    """
    plan: list[CrashPoint] = []
    rng = random.Random(f"{seed} plan")
    turn, start, previous = 0, 0, -1
    for number in range(points):
        index = number * (operations + 1) // points
        if index != previous:
            turn, previous = 0, index
            start = rng.randrange(len(VARIANTS))
        if turn < len(VARIANTS):
            variant = VARIANTS[(start + turn) % len(VARIANTS)]
        else:
            variant = DRAWN[turn % len(DRAWN)]
        plan.append(CrashPoint(index, variant, f"{seed} {index} {turn}"))
        turn += 1
    return plan


def image_of(recorder: CrashRecorder, point: CrashPoint) -> dict[str, bytes]:
    """Return what one power cut leaves: file name to content."""
    disk = recorder.disk()
    for operation in recorder.operations[: point.index]:
        disk.apply(operation)
    return disk.image(point.variant, random.Random(point.seed))


@dataclass(frozen=True, slots=True)
class _Sweep:
    """Makes and checks the images of one recorded run."""

    recorder: CrashRecorder
    check: Check
    recover: Workload | None
    keep: Path | None

    def run(self, plan: Sequence[CrashPoint], tally: Tally) -> Iterator[int]:
        """Do a plan, which is in order of index; yields how many points are done."""
        disk = self.recorder.disk()
        applied = 0
        with scratch_directory() as directory:
            path = directory / "store.db"
            for done, point in enumerate(plan, start=1):
                for operation in self.recorder.operations[applied : point.index]:
                    disk.apply(operation)
                applied = point.index
                rng = random.Random(point.seed)
                image = disk.image(point.variant, rng)
                _write(image, directory)
                history = self.recorder.history(point.index)
                check = self.check
                twice = self.recover is not None and rng.random() < 0.5
                if twice:
                    check = functools.partial(self._cut_again, tally, rng)
                else:
                    tally.images.add(_digest(image))
                where = {"index": point.index, "variant": point.variant, "seed": point.seed}
                result = checked(check, path, history)
                if tally.add(result, {**where, "twice": twice}) and self.keep is not None:
                    _write(image, self.keep / f"{point.index}-{point.variant}-{done}")
                yield done

    def _cut_again(
        self, tally: Tally, rng: random.Random, path: Path, history: History
    ) -> CheckResult:
        """Recover the image, cut the power in the midst of that, and check what is left."""
        assert self.recover is not None
        with CrashRecorder(path.parent) as recorder:
            self.recover(path, recorder)
        index = rng.randint(0, len(recorder.operations))
        point = CrashPoint(index, rng.choice(VARIANTS), str(rng.random()))
        image = image_of(recorder, point)
        tally.images.add(_digest(image))
        _write(image, path.parent)
        return self.check(path, history)


def _spread(
    sweep: _Sweep, plan: Sequence[CrashPoint], processes: int, show_progress: bool
) -> Tally:
    """Do the plan in several processes, each its every n-th point."""
    context = multiprocessing.get_context("fork")
    tally = Tally()
    done: dict[Any, int] = {}  # by pipe
    children = []
    for number in range(processes):
        reader, writer = context.Pipe(duplex=False)
        share = plan[number::processes]
        child = context.Process(target=_work, args=(sweep, share, writer))
        child.start()
        writer.close()
        done[reader] = 0
        children.append(child)
    try:
        waiting = list(done)
        while waiting:
            for ready in multiprocessing.connection.wait(waiting):
                message = _receive(ready)
                if isinstance(message, int):
                    done[ready] = message
                    if show_progress:
                        progress("power cuts", sum(done.values()), len(plan))
                else:
                    tally.merge(message)
                    waiting.remove(ready)
    finally:
        for child in children:
            child.terminate()
            child.join()
        for pipe in done:
            pipe.close()
    return tally


def _work(sweep: _Sweep, share: Sequence[CrashPoint], writer: Any) -> None:
    """Run in a child: send how far it is, then the tally."""
    tally = Tally()
    every = max(1, len(share) // 50)
    for done in sweep.run(share, tally):
        if done % every == 0 or done == len(share):
            writer.send(done)
    writer.send(tally)
    writer.close()


def _receive(reader: Any) -> Any:
    try:
        return reader.recv()
    except EOFError as error:
        raise RuntimeError("a process of the sweep ended before it had reported") from error


def _digest(image: dict[str, bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=8)
    for name, content in image.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.digest()


def _write(image: dict[str, bytes], directory: Path) -> None:
    """Make the directory hold the image and nothing else."""
    if directory.exists():
        for entry in directory.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in image.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


# --- Failing calls --------------------------------------------------------------------------------


def each_failure(
    workload: Workload,
    check: Check,
    seed: int,
    *,
    how: str = "ioerr",
    lasting: bool = False,
    most: int | None = None,
    layer: type[Failing] = FailingVFS,
    typed: tuple[type[Exception], ...] = (apsw.Error,),
    show_progress: bool = False,
) -> dict[str, Any]:
    """Run a workload once for each I/O call that it makes, with that call failing.

    Args:
        workload: as for `powercut`, with the failing layer in the recorder's place. It lets the
            error that ends it through, and closes what it opened.
        check: as for `powercut`; opens the store, whose disk works again.
        seed: draws which calls are tried if there are more than `most`.
        how: one of `bench.vfs.FAILURES`.
        lasting: whether the disk stays broken until the workload has ended.
        most: at most so many calls are tried; None tries all.
        layer: where the call fails: `FailingVFS`, or `bench.syscalls.FailingSystem`.
        typed: what a caller may meet; anything else counts as `untyped`, and as an example.

    Returns:
        `points` (calls tried), `lost`, `partial`, `damaged`, `lost_writes`, `calls` (that the
        workload makes), `raised` (the error reached the caller), `silent` (it did not, as when a
        checkpoint fails and is tried again later), `untyped`, `examples`.
    """
    with scratch_directory() as directory, layer() as counting:
        workload(directory / "store.db", counting)
        calls = counting.count
    chosen = list(range(1, calls + 1))
    if most is not None and most < calls:
        chosen = sorted(random.Random(f"{seed} calls").sample(chosen, most))
    tally = Tally()
    outcomes = {"raised": 0, "silent": 0, "untyped": 0}
    started = time.perf_counter()
    for done, number in enumerate(chosen, start=1):
        with scratch_directory() as directory, layer(number, how, lasting=lasting) as failing:
            path = directory / "store.db"
            outcome, said = _run(workload, path, failing, typed)
            call = failing.fired[0] if failing.fired else "none"
            failing.arm(None)
            outcomes[outcome] += 1
            where = {"call": number, "kind": call, "error": said}
            tally.add(checked(check, path, failing.history()), where)
            if outcome == "untyped":
                tally.examples.append(where)
        if show_progress:
            progress("failing calls", done, len(chosen))
    return {
        **tally.counts(),
        "calls": calls,
        **outcomes,
        "how": how,
        "lasting": lasting,
        "seed": seed,
        "seconds": round(time.perf_counter() - started, 3),
        "examples": tally.examples,
    }


def _run(
    workload: Workload, path: Path, layer: Failing, typed: tuple[type[Exception], ...]
) -> tuple[str, str]:
    try:
        workload(path, layer)
    except typed as error:
        return "raised", f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - what a caller must never meet is what is looked for
        return "untyped", f"{type(error).__name__}: {error}"
    return "silent", ""
