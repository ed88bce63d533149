"""The command line on a PostgreSQL database: the same words, another place."""

from __future__ import annotations

import pytest

QUESTION = ("recall", "how do I run the tests?", "--use", "choose_local_commands", "--json")


@pytest.mark.req("E-DISTRIBUTE")
def test_what_is_learned_into_a_database_is_recalled_from_it(fresh, postgres, monkeypatch):
    address = postgres.server.database()
    monkeypatch.setenv("MUNIMENT_STORE", address)
    made = fresh.signed("init", "--user", "ada", "--agent", "codex", "--yes")
    assert made.code == 0, made.err
    assert address in (fresh.place / "config" / "profile.toml").read_text("utf-8")
    assert fresh.run("learn", ".").code == 0
    assert fresh.signed("review", "--accept", "all").code == 0
    monkeypatch.delenv("MUNIMENT_STORE")
    told = fresh.run(*QUESTION)
    assert told.json["evidence"]
    assert fresh.run("doctor").code == 0
    again = fresh.run(*QUESTION, "--store", address)
    assert again.json["evidence"] == told.json["evidence"]
    assert fresh.run("why", told.json["retrieval_id"], "--store", address).code == 0


def test_a_database_without_a_store_and_one_that_is_not_there_are_refused(machine, postgres):
    address = postgres.server.database()
    for place, said in ((address, "there is no store"), (f"{address}&port=1", "cannot be reached")):
        refused = machine.run("recall", "x", "--as", "user:ada", "--store", place, "--json")
        assert (refused.code, refused.error_codes) == (10, ["store_unavailable"])
        assert said in refused.out


def test_a_password_is_kept_and_not_shown(fresh, postgres, monkeypatch):
    address = postgres.server.database().replace("postgres@", "postgres:hush@")
    made = fresh.signed("init", "--user", "ada", "--yes", "--store", address, "--json")
    assert made.code == 0
    assert "hush" not in made.out + made.err
    assert "hush" in (fresh.place / "config" / "profile.toml").read_text("utf-8")
