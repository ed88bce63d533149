"""Kill writing processes, and let processes write against one another.

- `kill` starts children that acknowledge each write on a pipe, and kills them (SIGKILL) at a
  drawn moment.
- `writers` starts children at once on one store and gathers what each reports.
- A child is any command line. It finds this package on its path, and speaks by `announce` and
  `await_start`.
- A kill is not exactly repeatable: what is drawn from the seed is a number of acknowledgements to
  wait for and a pause, and the system's scheduler does the rest.

A killed process loses nothing that it had handed to the system. Loss of power is another thing,
see `bench.faults`.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bench.findings import (
    Check,
    CheckResult,
    History,
    Mark,
    Tally,
    checked,
    scratch_directory,
)
from bench.report import progress

Spawn: TypeAlias = Callable[[Path, int], Sequence[str]]

_ROOT = Path(__file__).resolve().parent.parent
_DONE = b'{"mark": "done"'  # as `announce` writes it


def announce(label: str, payload: Any = None, *, begun: bool = False) -> None:
    """In a child: tell the harness that a write is done (or, with `begun`, is about to be asked).

    One line in one system call, so that a kill leaves no half of it.
    """
    line = json.dumps({"mark": "begin" if begun else "done", "label": label, "payload": payload})
    os.write(1, line.encode() + b"\n")


def await_start() -> None:
    """In a child of `writers`: say that it is ready and wait until all are."""
    os.write(1, b'{"mark": "ready"}\n')
    sys.stdin.readline()


def kill(
    spawn: Spawn,
    check: Check,
    kills: int,
    seed: int,
    *,
    children: int = 1,
    kills_each: int = 10,
    most: int = 20,
    show_progress: bool = False,
) -> dict[str, Any]:
    """Kill children (SIGKILL) in the midst of writing and count what is found.

    Args:
        spawn: given the path of the store and a number unique to the child, returns the command
            line of a child that writes until it is killed, and says `announce(...)` of each write.
        check: as for `powercut`; gets all marks of all children on that store so far.
        kills: how often.
        seed: of the moments.
        children: how many write at once; all are killed.
        kills_each: kills after which a new store is begun.
        most: acknowledgements to wait for are drawn from 0 to this number.
        show_progress: whether to report on standard error.

    Raises:
        RuntimeError: a child ended by itself; its standard error is in the message.
    """
    rng = random.Random(f"{seed} kill")
    tally = Tally()
    marks: list[tuple[bool, Mark]] = []
    acknowledged = 0
    started = time.perf_counter()
    with contextlib.ExitStack() as stores:
        directory = Path()
        for number in range(kills):
            if number % kills_each == 0:
                stores.close()
                directory = stores.enter_context(scratch_directory())
                marks = []
            path = directory / "store.db"
            commands = [spawn(path, number * children + child) for child in range(children)]
            wait_for = rng.randint(0, most)
            # Without a mark to wait for, the moment falls into starting and opening.
            pause = rng.uniform(0, 0.01 if wait_for else 0.3)
            fresh = _killed(commands, wait_for, pause, len(marks))
            acknowledged += sum(done for done, _ in fresh)
            marks += fresh
            history = History.of(
                (mark for done, mark in marks if not done), (mark for done, mark in marks if done)
            )
            result = checked(check, path, history) if marks or path.exists() else CheckResult()
            tally.add(result, {"kill": number, "acknowledged": len(history)})
            if show_progress:
                progress("kills", number + 1, kills)
    counts = tally.counts()
    return {
        "kills": counts.pop("points"),
        **counts,
        "children": children,
        "acknowledged": acknowledged,
        "seed": seed,
        "seconds": round(time.perf_counter() - started, 3),
        "examples": tally.examples,
    }


def _killed(
    commands: Sequence[Sequence[str]], wait_for: int, pause: float, first: int
) -> list[tuple[bool, Mark]]:
    """Start the children, kill them after some acknowledgements, return their marks.

    A mark that had reached the pipe counts, whether or not it was read before the kill.
    """
    with contextlib.ExitStack() as running:
        errors = running.enter_context(tempfile.TemporaryFile())
        started = [running.enter_context(_child(command, errors)) for command in commands]
        output = dict.fromkeys(started, b"")
        with selectors.DefaultSelector() as selector:
            for child in started:
                selector.register(_pipe(child), selectors.EVENT_READ, child)
            while sum(text.count(_DONE) for text in output.values()) < wait_for:
                for key, _ in selector.select():
                    read = os.read(key.fd, 65536)
                    if not read:
                        raise RuntimeError(f"a child ended by itself: {_tail(errors)}")
                    output[key.data] += read
        time.sleep(pause)
        for child in started:
            if child.poll() is not None:
                raise RuntimeError(f"a child ended by itself: {_tail(errors)}")
            os.killpg(child.pid, signal.SIGKILL)
        for child in started:
            output[child] += _pipe(child).read()
            child.wait()
    return [mark for text in output.values() for mark in _marks(text, first)]


def _marks(output: bytes, first: int) -> Iterator[tuple[bool, Mark]]:
    lines = output.split(b"\n")[:-1]  # what follows the last line end is an unfinished line
    for number, line in enumerate(lines, start=first):
        entry = json.loads(line)
        if entry["mark"] != "ready":
            yield entry["mark"] == "done", Mark(entry["label"], entry["payload"], number)


@contextlib.contextmanager
def _child(
    command: Sequence[str], errors: Any, *, stdin: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a child in a process group of its own, and see that it is gone at the end."""
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    with subprocess.Popen(
        list(command),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    ) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)


def _pipe(child: subprocess.Popen[bytes]) -> Any:
    assert child.stdout is not None
    return child.stdout


def _tail(errors: Any) -> str:
    errors.seek(0)
    return errors.read().decode(errors="replace")[-2000:].strip() or "nothing on standard error"


# --- Rival writers --------------------------------------------------------------------------------


def writers(spawn: Spawn, processes: int, path: Path, *, timeout: float = 600) -> dict[str, Any]:
    """Start children at once on one store and gather what each reports.

    Args:
        spawn: given the path and the child's number from 0, returns the command line of a child
            that says `await_start()` once it has opened the store, writes, and prints one JSON
            object as its last line.
        processes: how many.
        path: of the store, which the caller has made and checks afterwards.
        timeout: seconds after which a child that has not ended is killed and counted as failed.

    Returns:
        `processes`; `results`, the children's objects in order of number; `failed`, for each
        child without one its number, exit code and the end of its standard error; `seconds` from
        the common start to the last end.
    """
    results: list[Any] = []
    failed: list[dict[str, Any]] = []
    with contextlib.ExitStack() as running:
        logs = [running.enter_context(tempfile.TemporaryFile()) for _ in range(processes)]
        children = [
            running.enter_context(_child(spawn(path, number), logs[number], stdin=subprocess.PIPE))
            for number in range(processes)
        ]
        heads = [_pipe(child).readline() for child in children]
        started = time.perf_counter()
        for child in children:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and is counted below
                assert child.stdin is not None
                child.stdin.write(b"go\n")
                child.stdin.flush()
        for number, child in enumerate(children):
            left = max(0.1, timeout - (time.perf_counter() - started))
            output = heads[number] + _output(child, left)
            try:
                result = json.loads(output.strip().splitlines()[-1])
            except (IndexError, ValueError):
                result = None
            if child.returncode or not isinstance(result, dict) or "mark" in result:
                code, tail = child.returncode, _tail(logs[number])
                failed.append({"child": number, "exit": code, "stderr": tail})
            else:
                results.append(result)
        seconds = time.perf_counter() - started
    return {
        "processes": processes,
        "results": results,
        "failed": failed,
        "seconds": round(seconds, 3),
    }


def _output(child: subprocess.Popen[bytes], timeout: float) -> bytes:
    try:
        return child.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0]
