"""`muniment mcp` as a process: its stdout is protocol and nothing else, and it ends cleanly however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bench import stdio as noisy

MCP = [sys.executable, "-m", "muniment", "mcp"]
OPENING = "".join(json.dumps(one) + "\n" for one in noisy.opening()).encode()


@pytest.fixture
def environment(tmp_path):
    return {**os.environ, "MUNIMENT_PROFILE": str(noisy.set_up(tmp_path))}


def start(environment, *options, **more):
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*MCP, *options], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=environment, **more
    )


def recall(number, **given):
    params = {"name": "recall", "arguments": {"query": "what is loud?", **given}}
    asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(asked).encode() + b"\n"


def say(process, data):
    process.stdin.write(data)
    process.stdin.flush()


def hear(process):
    return json.loads(process.stdout.readline())


@pytest.mark.req("E-STDIO")
@pytest.mark.timeout(300)
def test_every_byte_on_stdout_is_protocol_whatever_writes_to_it(tmp_path):
    found = noisy.measure(300, tmp_path)
    assert (found["not_protocol"], found["missing"], found["twice"]) == (0, 0, 0)
    assert found["exit_code"] == 0
    assert found["answered"] == 301
    assert found["tool_errors"] > 27  # crashes happened
    assert found["noise_bytes"] > 5_000  # and so did noise


NO_MESSAGES = {
    "words": (b"no json", None),
    "brace": (b"{", None),
    "bare": (b'{"jsonrpc": "2.0"}', None),
    "batch": (b"[]", None),
    "bytes": (b"\xff\xfe\x00", None),
    "null": (b"null", None),
    "half a character": (
        b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"a": "\\ud800"}}',
        5,
    ),
    "odd id": (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', None),
    "deep": (b"[" * 100_000, None),
    "huge": (b"x" * 9_000_000, None),
}


@pytest.mark.req("E-STDIO")
def test_a_line_that_is_no_message_is_answered_as_such_and_survived(environment):
    with start(environment) as process:
        say(process, OPENING + b"\n  \n")
        assert hear(process)["id"] == "open"
        for line, number in NO_MESSAGES.values():
            say(process, line + b"\n")
            answer = hear(process)
            assert answer["id"] == number
            assert answer["error"]["code"] in (-32700, -32600)
        say(process, recall(7))
        assert hear(process)["result"]["structuredContent"]["outcome"] == "no_support"
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stdout.read() == b""
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.req("E-STDIO")
def test_it_ends_when_the_client_closes_stdin_after_answering_what_was_asked(environment):
    with start(environment) as process:
        out, err = process.communicate(OPENING + recall(1) + recall(2), timeout=60)
    assert process.returncode == 0
    heard = {message["id"] for message in map(json.loads, out.splitlines())}
    assert heard == {"open", 1, 2}
    assert b"Traceback" not in err


@pytest.mark.req("E-STDIO")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_it_ends_cleanly_when_told_to(environment, name):
    with start(environment) as process:
        say(process, OPENING + recall(1))
        hear(process), hear(process)
        process.send_signal(getattr(signal, name))
        assert process.wait(30) == 0
        assert process.stdout.read() == b""
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.req("E-STDIO")
def test_it_ends_cleanly_when_the_client_reads_no_more(environment):
    with start(environment) as process:
        say(process, OPENING)
        hear(process)
        process.stdout.close()
        say(process, recall(1))
        assert process.wait(30) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.req("E-STDIO")
def test_a_killed_client_leaves_no_server_behind(environment, tmp_path):
    told = tmp_path / "server.pid"
    client = (
        "import subprocess, sys, time, pathlib\n"
        f"p = subprocess.Popen({MCP!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"p.stdin.write({OPENING!r}); p.stdin.flush(); p.stdout.readline()\n"
        f"pathlib.Path({str(told)!r}).write_text(str(p.pid))\n"
        "print('ready', flush=True); time.sleep(600)\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", client], stdout=pipe, stderr=pipe, env=environment
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        process.kill()
    server = int(told.read_text())
    for _ in range(300):
        try:
            os.kill(server, 0)
        except ProcessLookupError:
            return
        if _state(server) == "Z":  # ended; nobody is left who asks how
            return
        time.sleep(0.1)
    pytest.fail("the server is still there")


def _state(process):
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.req("E-STDIO")
def test_a_store_that_breaks_while_it_serves_is_a_tool_error(environment, tmp_path):
    with start(environment) as process:
        say(process, OPENING + recall(1))
        hear(process), hear(process)
        for file in tmp_path.glob("memory.db*"):
            file.write_bytes(b"not a store at all" * 1_000)
        say(process, recall(2, query="again, and otherwise"))
        answer = hear(process)["result"]
        if answer["isError"]:
            assert json.loads(answer["content"][0]["text"])["error"]["findings"][0][
                "code"
            ].startswith("store")
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stdout.read() == b""


@pytest.mark.req("E-STDIO")
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--store", "{place}/nowhere.db"], 10, b"there is no store"),
        (["--as", "user:ada", "--scope", "nonsense"], 2, b"is no scope"),
        (["--folder", "{place}/nowhere"], 2, b"cannot be worked in"),
        (["--role", "root"], 2, b"is not a role"),
        (["--no-such-option"], 64, b"--no-such-option"),
    ],
)
def test_what_keeps_it_from_starting_is_said_on_stderr_alone(
    environment, tmp_path, options, code, said
):
    given = [option.format(place=tmp_path) for option in options]
    with start(environment, *given) as process:
        out, err = process.communicate(OPENING, timeout=60)
    assert (process.returncode, out) == (code, b"")
    assert said in err
    assert b"Traceback" not in err


def test_an_agent_does_not_act_as_the_profiles_person(environment, tmp_path):
    file = tmp_path / "profile.toml"
    file.write_text(file.read_text().replace(noisy.PRINCIPAL, "user:ada"))
    with start(environment) as process:
        out, err = process.communicate(OPENING, timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert b"no_agent" in err


@pytest.mark.req("E-APPROVER")
def test_no_option_lifts_a_models_ceiling(environment):
    with start(environment, "--role", "operator") as process:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        out, _ = process.communicate(OPENING + json.dumps(asked).encode() + b"\n", timeout=60)
    listed = json.loads(out.splitlines()[-1])["result"]["tools"]
    assert len(listed) == 8
    with start(environment, "--role", "reader") as process:
        out, _ = process.communicate(OPENING + json.dumps(asked).encode() + b"\n", timeout=60)
    assert len(json.loads(out.splitlines()[-1])["result"]["tools"]) == 5


def test_digest_prints_the_digest(environment):
    from muniment.mcp.tools import digest

    done = subprocess.run(
        [*MCP, "--digest"], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == digest()
