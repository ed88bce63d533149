"""`muniment serve`: where it listens, what it refuses, and how it stops."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("fastapi", reason="muniment[serve] is not installed")

import httpx


class Served:
    """A `muniment serve` of a machine, in a process of its own."""

    def __init__(self, machine, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "muniment", "serve", "--port", "0", "--json", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **machine.environment},
            cwd=machine.repository,
        )
        told = ""
        while not told.endswith("}\n"):
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            told += line
        self.told = json.loads(told)
        self.url = self.told["address"]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def start(machine):
    made = []

    def serve(*arguments):
        made.append(Served(machine, *arguments))
        return made[-1]

    yield serve
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def token(machine, *arguments):
    made = machine.signed("token", "create", *arguments, "--json")
    assert made.code == 0, made.err
    return made.json["text"]


@pytest.mark.req("D-API")
def test_a_token_made_by_command_serves_until_it_is_revoked(machine, start):
    text = token(machine, "agent:codex", "proposer")
    served = start()
    auth = {"Authorization": f"Bearer {text}"}
    me = httpx.get(f"{served.url}/v1/me", headers=auth).json()
    assert (me["acting"]["principal"], me["role"]) == ("agent:codex", "proposer")
    made = httpx.post(
        f"{served.url}/v1/claims",
        headers=auth,
        json={"claim": "Orders ship.", "source": "https://x.example/"},
    )
    assert made.status_code == 200
    assert made.json()["diff"] in machine.run("inbox", "--json").out
    machine.signed("token", "revoke", me["acting"]["declared"].split()[1])
    assert httpx.get(f"{served.url}/v1/me", headers=auth).status_code == 401
    code, out, err = served.stop()
    assert code == 0
    assert text not in out + err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(start, number):
    code, _, err = start("--showcase").stop(number)
    assert (code, err.strip().splitlines()[-1:]) == (0, ["stopped"])


@pytest.mark.req("D-SHOWCASE")
def test_a_showcase_needs_no_token_and_no_store(start):
    served = start("--showcase")
    assert served.told == {"address": served.url, "sign_in": None, "showcase": True}
    found = httpx.post(
        f"{served.url}/v1/recall", json={"query": "run the tests", "use": "answer_questions"}
    )
    assert found.json()["outcome"] == "complete"


@pytest.mark.req("E-ONEGATE")
def test_a_ceiling_holds_for_every_token(machine, start):
    auth = {"Authorization": f"Bearer {token(machine, 'user:ada', 'operator')}"}
    served = start("--role", "reader")
    assert httpx.get(f"{served.url}/v1/me", headers=auth).json()["role"] == "reader"
    assert (
        httpx.post(f"{served.url}/v1/claims", headers=auth, json={"claim": "x"}).status_code == 403
    )


def test_who_started_it_signs_in_by_the_code(start):
    served = start()
    with httpx.Client() as browser:
        assert browser.get(served.told["sign_in"]).status_code == 303
        assert browser.get(f"{served.url}/inbox").status_code == 200
        assert browser.get(served.told["sign_in"]).status_code == 401


def certificate(folder):
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False).sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)
    return folder / "cert.pem", folder / "key.pem"


@pytest.mark.req("D-API", "D-CLIENT")
def test_it_serves_over_tls_and_the_client_trusts_whom_it_is_told(machine, start, tmp_path):
    from muniment.client import Client

    cert, key = certificate(tmp_path)
    text = token(machine, "user:ada", "reader")
    served = start("--host", "localhost", "--tls-cert", str(cert), "--tls-key", str(key))
    assert served.url.startswith("https://localhost:")
    trust = ssl.create_default_context(cafile=str(cert))
    assert (
        "max-age"
        in httpx.get(f"{served.url}/health", verify=trust).headers["strict-transport-security"]
    )
    with Client(served.url, token=text, ca_file=cert) as client:
        assert client.me()["role"] == "reader"


@pytest.mark.req("D-API")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--host", "0.0.0.0"), "no_tls"),
        (("--host", "::"), "no_tls"),
        (("--host", "192.0.2.1"), "no_tls"),
        (("--tls-cert", "cert.pem"), "half_a_certificate"),
        (("--tls-cert", "no.pem", "--tls-key", "no.pem"), "bad_certificate"),
        (("--host", "192.0.2.1", "--behind-proxy"), "cannot_listen"),
    ],
)
def test_what_would_not_be_safe_is_refused_before_anything_listens(machine, arguments, code):
    ran = machine.run("serve", "--port", "0", *arguments, "--json")
    assert (ran.code, ran.error_codes) == (2, [code])


def test_a_taken_port_is_told(machine, start):
    port = start("--showcase").url.rpartition(":")[2]
    ran = machine.run("serve", "--showcase", "--port", port, "--json")
    assert ran.error_codes == ["cannot_listen"]


def test_without_its_libraries_it_says_what_to_install(machine, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    import muniment.http

    monkeypatch.delitem(sys.modules, "muniment.http.server", raising=False)
    monkeypatch.delattr(muniment.http, "server", raising=False)
    ran = machine.run("serve", "--json")
    assert ran.error_codes == ["not_installed"]
    assert "muniment[serve]" in ran.out


def test_a_name_is_answered_to_when_it_is_allowed(start):
    served = start("--showcase", "--allow-host", "memory.example.org")
    for host, status in (
        ("memory.example.org", 200),
        ("Memory.Example.Org:443", 200),
        ("example.org", 421),
    ):
        assert httpx.get(f"{served.url}/health", headers={"Host": host}).status_code == status
