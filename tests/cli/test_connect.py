"""`connect`: a host's settings, written, shown first, and taken out again; and the hooks that it offers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

FILES = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
}


@pytest.fixture
def home(machine, monkeypatch):
    place = machine.place / "home"
    place.mkdir()
    monkeypatch.setattr(Path, "home", lambda: place)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


def connect(machine, host, *options):
    ran = machine.signed("connect", host, "--yes", *options)
    assert ran.code == 0, ran.err
    return ran


def servers(path):
    text = path.read_text("utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)["mcp_servers"]
    return json.loads(text)["mcpServers"]


@pytest.mark.parametrize("host", FILES)
def test_a_host_gets_the_server_and_loses_it_again(machine, home, host):
    ran = connect(machine, host)
    path = machine.repository / FILES[host]
    entry = servers(path)["muniment"]
    assert f"agent:{host}" in entry["args"]
    assert "mcp" in entry["args"]
    assert entry["env"]["MUNIMENT_STORE"] == str(machine.store)  # hosts hand on few variables
    assert "+" in ran.err
    assert str(path) in ran.err
    again = machine.signed("connect", host, "--yes")
    assert "everything is there already" in again.out
    connect(machine, host, "--undo")
    assert not path.exists()
    assert "nothing is there" in machine.signed("connect", host, "--undo", "--yes").out


@pytest.mark.parametrize("host", FILES)
def test_settings_of_ones_own_are_kept_byte_for_byte(machine, home, host):
    path = (
        home
        / {
            "claude-code": ".claude.json",
            "codex": ".codex/config.toml",
            "cursor": ".cursor/mcp.json",
        }[host]
    )
    path.parent.mkdir(exist_ok=True)
    before = (
        b'# mine\nmodel = "x"\n'
        if host == "codex"
        else b'{\n  // mine\n  "mcpServers": {"other": {}},\n}\n'
    )
    path.write_bytes(before)
    path.chmod(0o640)
    connect(machine, host, "--everywhere")
    assert b"mine" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    connect(machine, host, "--everywhere", "--undo")
    assert path.read_bytes() == before
    assert list(path.parent.glob(".*muniment*")) == []


def test_nothing_is_done_without_a_yes(machine, home):
    ran = machine.run("connect", "claude-code")
    assert ran.code == 6
    assert "nobody could be asked" in ran.err
    assert not (machine.repository / ".mcp.json").exists()


def test_the_agent_is_declared_where_it_is_not_yet(machine, home):
    ran = connect(machine, "cursor", "--json")
    kinds = [one["kind"] for one in ran.json["declared"]]
    assert kinds == ["principal", "role", "group"]
    assert "agent:cursor" in machine.run("group", "--json").out
    assert connect(machine, "claude-code", "--as", "agent:cursor", "--json").json["declared"] == []


def test_a_wrong_passphrase_writes_nothing(machine, home):
    wrong = machine.place / "wrong"
    wrong.write_text("other words\n")
    wrong.chmod(0o600)
    ran = machine.run("connect", "cursor", "--yes", "--passphrase-file", str(wrong))
    assert ran.code == 4
    assert not (machine.repository / ".cursor").exists()


@pytest.mark.parametrize("text", ["{", '{"mcpServers": []}', "\xff"])
def test_settings_that_cannot_be_read_are_left_alone(machine, home, text):
    path = machine.repository / ".mcp.json"
    path.write_bytes(text.encode("latin-1"))
    ran = machine.signed("connect", "claude-code", "--yes", "--json")
    assert ran.error_codes == ["not_editable"]
    assert path.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["emacs"], "unknown_host"),
        (["codex", "--hooks"], "no_hooks"),
        (["codex", "--as", "user:ada"], "no_agent"),
    ],
)
def test_what_cannot_be_connected_is_said(machine, home, arguments, code):
    assert machine.signed("connect", *arguments, "--yes", "--json").error_codes == [code]


def test_without_a_profile_there_is_nothing_to_connect_to(fresh):
    assert fresh.run("connect", "codex", "--yes", "--json").error_codes == ["no_profile"]


# --- hooks ----------------------------------------------------------------------------------------


def hooks(machine):
    return json.loads((machine.repository / ".claude/settings.json").read_text())["hooks"]


def test_hooks_go_in_beside_others_and_out_again(machine, home):
    path = machine.repository / ".claude/settings.json"
    path.parent.mkdir()
    others = '{"hooks": [{"type": "command", "command": "make check"}]}'
    before = f'{{\n  "hooks": {{\n    "Stop": [\n      {others}\n    ]\n  }}\n}}\n'
    path.write_text(before)
    connect(machine, "claude-code", "--hooks")
    assert [len(hooks(machine)[event]) for event in ("SessionStart", "Stop")] == [1, 2]
    assert (
        "everything is there already"
        in machine.signed("connect", "claude-code", "--hooks", "--yes").out
    )
    connect(machine, "claude-code", "--undo")
    assert path.read_text() == before


def test_the_hook_of_a_sessions_start_prints_a_packet_that_a_shell_can_get(machine, home):
    assert machine.run("learn").code == 0
    assert machine.signed("review", "--accept", "safe").code == 0
    connect(machine, "claude-code", "--hooks")
    command = hooks(machine)["SessionStart"][0]["hooks"][0]["command"]
    assert " hook session-start --as agent:claude-code" in command
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=machine.repository,
        env={"PATH": path, "HOME": str(home)},
        input='{"session_id": "one", "source": "startup"}',
        capture_output=True,
        text=True,
        check=True,
    )
    assert "| `make test` runs `pytest -q`." in done.stdout
    assert "looking only, not for acting on" in done.stdout


def test_an_empty_memory_says_nothing_at_a_sessions_start(machine):
    assert machine.process("hook", "session-start").out == ""


def test_a_session_is_reminded_once_and_only_where_something_happened(machine, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(machine.place / "state"))
    record = machine.place / "record.jsonl"

    def stop(**told):
        said = {"session_id": "one", "transcript_path": str(record), **told}
        ran = machine.run("hook", "stop", stdin=json.dumps(said))
        assert ran.code == 0
        return json.loads(ran.out) if ran.out else None

    record.write_text("{}\n" * 5)
    assert stop() is None
    record.write_text("{}\n" * 50)
    assert stop(stop_hook_active=True) is None
    assert stop(session_id="") is None
    said = stop()
    assert said["decision"] == "block"
    assert "no proposal is owed" in said["reason"]
    assert stop() is None
    assert stop(session_id="two")["decision"] == "block"
    assert machine.run("hook", "stop", stdin="no json").out == ""


def test_a_hook_that_fails_never_holds_the_host_up(machine):
    ran = machine.run("hook", "session-start", "--store", str(machine.place / "nowhere.db"))
    assert (ran.code, ran.out) == (1, "")
    assert "there is no store" in ran.err
