"""What is wrong is said with code, place and way out, by a documented exit code; nothing is written."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from muniment.cli.codes import CODES
from tests.cli.conftest import add, item

INVALID, STORE, USAGE = 2, 10, 64


@pytest.fixture
def untouched(machine):
    """A machine whose ledger must be the same in the end."""
    before = machine.head()
    yield machine
    assert machine.head() == before


def refused(ran, code, exit_code=INVALID):
    """One finding of this code, with a way out, on stdout as JSON, and no traceback."""
    findings = {one["code"]: one for one in ran.json["error"]["findings"]}
    assert ran.code == exit_code, ran
    assert code in findings, findings
    assert "Traceback" not in ran.err
    return findings[code]


@pytest.mark.parametrize(
    ("part", "value", "code"),
    [
        ("scope", None, "no_scope"),
        ("visibility", None, "no_visibility"),
        ("source", None, "no_source"),
        ("review", None, "no_review_status"),
        ("scope", {"kind": "planet", "id": "x"}, "unknown_scope_kind"),
        ("memory_type", "semantc", "unknown_memory_type"),
        ("visibility", {"level": "secret"}, "unknown_visibility_level"),
        ("validity", {"valid_until": "tomorrow"}, "bad_time"),
        ("validity", {"valid_until": "2026-02-30T00:00:00Z"}, "bad_time"),
        ("validity", {"valid_until": "2026-07-08T12:00:00"}, "naive_time"),
        ("validity", {"valid_from": "2027-01-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z"}, None),
        ("claim", "a\x00b", "nul_character"),
        ("claim", "a" * 200_000, "too_long"),
        ("claim", "", None),
    ],
)  # fmt: skip
def test_a_claim_with_a_fault_is_refused_with_its_place(untouched, part, value, code):
    ran = untouched.propose(add(**{part: value}))
    assert ran.code == INVALID
    found = ran.json["error"]["findings"]
    one = next(f for f in found if code is None or f["code"] == code)
    assert one["path"].startswith(("/changes/0/item", str(untouched.place / "diff.json")))
    assert one["fix"] or one["message"]


def test_all_that_is_wrong_is_said_at_once(untouched):
    codes = untouched.propose(add(scope=None, visibility=None), add(memory_type="x")).error_codes
    assert {"no_scope", "no_visibility", "unknown_memory_type"} <= set(codes)


@pytest.mark.parametrize(
    ("name", "document", "code"),
    [
        ("a.json", b'{"a": 1, "a": 2}', "duplicate_key"),
        ("a.json", b'{"a": NaN}', None),
        ("a.json", b"[" * 100_000, None),
        ("a.json", b'{"a": "\\ud800"}', "lone_surrogate"),
        ("a.json", b"caf\xe9", "not_utf8"),
        ("a.yaml", b"a: caf\xe9", "not_utf8"),
        ("a.yaml", b"a: 1\na: 2\n", "duplicate_key"),
        ("a.yaml", b"[" * 5_000, None),
        ("a.json", b"", "empty_document"),
        ("a.json", b"[1]", "wrong_type"),
        ("a.json", b'"' + b"a" * 10_000_000 + b'"', "too_large"),
        ("a.json", b"{", "json_syntax"),
        ("a.json", b"{}", "no_changes"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused_with_its_place(untouched, name, document, code):
    file = untouched.place / name
    file.write_bytes(document)
    ran = untouched.run("propose", str(file), "--json")
    found = ran.json["error"]["findings"]
    assert ran.code == INVALID
    assert code is None or code in {one["code"] for one in found}
    assert all(one["message"] for one in found)


def test_yaml_keeps_words_as_words(machine):
    file = machine.place / "a.yaml"
    claim = item("The answer is no.", tags=["no", "on"])
    file.write_text(
        "trigger: {kind: x, state: observed}\nchanges:\n- {operation: add, reason: no, item: "
        + __import__("json").dumps(claim).replace('["no", "on"]', "[no, on]")
        + "}\n",
        "utf-8",
    )
    change = machine.run("propose", str(file), "--json").json["changes"][0]
    assert (change["reason"], change["item"]["tags"]) == ("no", ["no", "on"])


def test_a_file_that_is_not_there_is_named(untouched):
    assert refused(untouched.run("propose", "none.yaml", "--json"), "unreadable_file")["fix"]


def test_a_folder_that_is_not_there_is_named(untouched):
    assert refused(untouched.run("learn", "none", "--json"), "no_folder")["path"] == "FOLDER"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="rights do not bind root")
def test_a_folder_without_rights_is_named(untouched):
    locked = untouched.place / "locked"
    locked.mkdir(mode=0)
    refused(untouched.run("learn", str(locked), "--json"), "no_permission")
    locked.chmod(stat.S_IRWXU)


def test_a_source_outside_the_known_folders_is_not_read(untouched):
    secret = untouched.place / "outside.txt"
    secret.write_text("the token is here", "utf-8")
    ran = untouched.run(
        "remember", "It is here.", "--source", f"file://{secret}", "--quote", "the token", "--json"
    )
    assert refused(ran, "source_unreadable")["path"].endswith("/source/uri")


def test_a_quote_that_is_not_there_is_refused(untouched):
    ran = untouched.run(
        "remember", "It uses tox.", "--source", "repo:local:shop!/Makefile", "--quote", "tox", "--json"
    )  # fmt: skip
    refused(ran, "quote_not_found")


@pytest.mark.req("E-SECRET")
def test_a_secret_is_refused_and_not_repeated(untouched):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    ran = untouched.run("remember", f"The token is {secret}.", "--json")
    assert ran.code == INVALID
    assert secret not in ran.out + ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("recall", "q", "-k", "0"), "out_of_range"),
        (("recall", "q", "--budget", "0"), "out_of_range"),
        (("recall", "q", "--threshold", "nan"), "out_of_range"),
        (("recall", "q", "--at", "yesterday"), "bad_time"),
        (("recall", "q", "--at", "2026-07-08T12:00:00"), "naive_time"),
        (("recall", "q", "--method", "telepathy"), "unknown_retrieval_method"),
        (("recall", "q", "--counter", "abacus"), None),
        (("recall", "q", "--scope", "shop"), "bad_scope"),
        (("recall", "q", "--scope", "planet:x"), "unknown_scope_kind"),
        (("recall", "q", "--log", "maybe"), "unknown_value"),
        (("recall",), "empty_query"),
        (("remember", "x", "--fact", "a|b"), "bad_fact"),
        (("remember", "x", "--valid-until", "soon"), "bad_time"),
        (("remember", "x", "--visibility", "secret"), "unknown_visibility_level"),
        (("ontology", "nonsense"), "unknown_table"),
        (("completion", "cmd"), "unknown_shell"),
        (("group", "group:x"), "no_members"),
        (("role", "user:x"), "no_roles"),
        (("review", "--lift", "abc"), "no_reason"),
        (("review", "--accept", "change_99"), "no_change"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_a_wrong_value_is_refused_by_name(untouched, arguments, code):
    ran = untouched.run(*arguments, "--json")
    assert ran.code == INVALID, ran
    assert code is None or code in ran.error_codes


@pytest.mark.parametrize(
    "arguments",
    [("recal",), ("recall", "--budget", "many"), ("--as",), ("recall", "q", "--nonsense"), ("show",)],
)  # fmt: skip
def test_a_wrong_command_line_is_told_from_wrong_input(untouched, arguments):
    plain, as_json = untouched.run(*arguments), untouched.run("--json", *arguments)
    assert (plain.code, as_json.code, plain.out) == (USAGE, USAGE, "")
    assert as_json.error_codes == ["usage"]
    assert "--help" in plain.err


@pytest.mark.req("E-NOSCOPE")
def test_without_a_profile_nobody_acts(fresh):
    assert fresh.run("recall", "q", "--json").error_codes == ["no_principal"]


@pytest.mark.req("E-NOSCOPE")
def test_outside_every_repository_no_scope_is_in_force(learned, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = learned.run("recall", "how do I run the tests?", "--json").json
    assert (answer["outcome"], answer["evidence"], answer["acting"]["scopes"]) == (
        "no_scope",
        [],
        [],
    )


def test_a_named_profile_must_be_there(fresh):
    ran = fresh.run("--profile", "none.toml", "inbox", "--json")
    assert ran.error_codes == ["no_profile"]


def test_a_broken_profile_is_named(machine):
    file = machine.place / "config" / "profile.toml"
    file.write_text("principal = [", "utf-8")
    assert refused(machine.run("inbox", "--json"), "bad_profile")["path"] == str(file)


@pytest.mark.parametrize("command", ["inbox", "verify", "learn", "doctor"])
def test_a_store_that_is_not_there_is_not_made(machine, command):
    machine.store.unlink()
    ran = machine.run(command, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (STORE, "store_unavailable")
    assert not machine.store.exists()


def test_a_file_that_is_no_store_stays_as_it_is(machine):
    machine.store.write_bytes(b"something else entirely" * 100)
    ran = machine.run("inbox", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (STORE, "store_damaged")
    assert machine.store.read_bytes() == b"something else entirely" * 100


def test_a_newer_store_stays_as_it_is(machine):
    with sqlite3.connect(machine.store) as database:
        database.execute("pragma user_version = 9999")
    database.close()
    ran = machine.run("inbox", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (STORE, "store_newer")


def test_a_store_that_another_process_writes_to_is_busy(machine, monkeypatch):
    from muniment.store.sqlite import SqliteStore

    def impatient(path, entropy, create, vfs):
        return SqliteStore.open(path, entropy=entropy, create=create, vfs=vfs, busy_timeout_ms=50)

    monkeypatch.setattr("muniment.wiring.open_store", impatient)
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('begin immediate'); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(machine.store)]
    # A process of its own: locks of one process do not shut itself out.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        ran = machine.run("remember", "The shop ships on Fridays.", "--json")
        other.stdin.close()
    assert (ran.code, ran.json["error"]["code"]) == (STORE, "store_busy")
    assert machine.run("inbox", "--json").json["inbox"] == []


def test_a_folder_in_place_of_the_store_is_named(machine):
    machine.store.unlink()
    machine.store.mkdir()
    assert machine.run("inbox", "--json").code == STORE


def test_a_wrong_passphrase_is_refused_and_not_repeated(machine):
    machine.run("learn")
    before = machine.head()
    machine.words.write_text("not the right words", "utf-8")
    ran = machine.signed("review", "--accept", "all", "--json")
    assert (ran.code, ran.error_codes, machine.head()) == (4, ["wrong_passphrase"], before)
    assert "not the right words" not in ran.out + ran.err


def test_a_passphrase_file_that_others_may_read_is_refused(machine):
    machine.run("learn")
    machine.words.chmod(0o644)
    assert machine.signed("review", "--accept", "all", "--json").error_codes == [
        "passphrase_not_private"
    ]


def test_a_closed_descriptor_holds_no_passphrase(machine):
    machine.run("learn")
    ran = machine.run("review", "--accept", "all", "--passphrase-fd", "99", "--json")
    assert ran.error_codes == ["no_passphrase"]


def test_a_source_that_changed_since_is_not_applied(machine):
    machine.run("learn")
    (machine.repository / "Makefile").write_text("all:\n\ttrue\n", "utf-8")
    before = machine.head()
    diff = machine.run("inbox", "--json").json["inbox"][0]
    names = ",".join(change["id"] for change in diff["changes"])
    ran = machine.signed("review", "--accept", names, "--json")
    assert (ran.code, "source_changed" in ran.error_codes, machine.head()) == (5, True, before)
    assert machine.signed("review", "--accept", "safe").code == 0


def test_all_sets_aside_what_its_source_no_longer_says_and_applies_the_rest(machine):
    machine.run("learn")
    (machine.repository / "Makefile").write_text("all:\n\ttrue\n", "utf-8")
    ran = machine.signed("review", "--accept", "all", "--json")
    assert (ran.code, {one["code"] for one in ran.json["set_aside"]}) == (6, {"source_changed"})
    aside = {one["path"].split("/")[1] for one in ran.json["set_aside"]}
    waiting = machine.run("inbox", "--json").json["inbox"][0]
    assert aside == {c["id"] for c in waiting["changes"] if c["state"] == "pending"}
    assert len(ran.json["outcomes"][0]["resulting"]) == len(waiting["changes"]) - len(aside)


def test_a_fault_of_our_own_is_one_line_with_a_way_to_report_it(machine, monkeypatch):
    def broken(*given):
        raise ZeroDivisionError

    monkeypatch.setattr("muniment.cli.call.Call.memory", broken)
    ran = machine.run("inbox")
    assert (ran.code, ran.out, ran.err.count("\n")) == (70, "", 1)
    assert "--verbose" in ran.err
    assert "Traceback" in machine.run("inbox", "--verbose").err


def test_ctrl_c_ends_with_130(machine, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("muniment.cli.call.Call.memory", interrupted)
    assert machine.run("inbox").code == 130


def test_exit_codes_of_the_command_line_do_not_meet_those_of_errors():
    from muniment.core import errors

    of_errors = {kind.exit_code for kind in vars(errors).values() if hasattr(kind, "exit_code")}
    own = {code for code, name, _ in CODES if name not in ("done", "wrong")}
    assert not own & of_errors
