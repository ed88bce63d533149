"""Assertions of the acceptance suite are shown in full, though it is imported; one PostgreSQL serves a session."""

import pytest

pytest.register_assert_rewrite("tests.store.acceptance", "tests.store.world")


@pytest.fixture(scope="session")
def postgres():
    """Empty stores' databases on one server; skips where the driver or the server is missing."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    from tests.store.postgres_server import Places, Server

    server = Server()
    yield Places(server)
    server.stop()
