"""What holds for every test.

- No test reads or writes the user's own files: home and the XDG folders point to an empty folder,
  and no `MUNIMENT_*` variable of the caller is seen.
- One PostgreSQL serves a session, from its first test that asks for it; where there is none, such tests are skipped.
- hypothesis has three profiles, chosen by `HYPOTHESIS_PROFILE`: `quick` (the default; no deadline,
  since a busy machine is not a bug), `ci` (the same examples in each run; the default where `CI` is
  set) and `thorough` (many examples, for a night).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "quick"))

# Repositories made by tests have an author; a checkout that someone else owns can still be listed.
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_KEY_1": "init.defaultBranch",
    "GIT_CONFIG_VALUE_1": "main",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
}
_HOME = tempfile.TemporaryDirectory(prefix="muniment-tests-", ignore_cleanup_errors=True)


def pytest_configure(config: pytest.Config) -> None:
    """Point the process away from the user's files before anything is imported."""
    home = Path(_HOME.name)
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(home / variable.lower())
    os.environ |= _GIT


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder that stood in for the user's home."""
    _HOME.cleanup()


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's root folder."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def postgres():
    """Empty stores' databases on one server; skips where the driver or the server is missing."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    from tests.store.postgres_server import Places, Server

    places = Places(Server())
    yield places
    places.close()
