"""A reviewer's credential: only the passphrase opens it, only its key signs, anyone can check."""

from __future__ import annotations

import base64
import errno
import itertools
import json
import os
import random
import stat
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

import muniment.credential
from muniment.core.errors import InvalidInput, NotPermitted, StoreFull, StoreUnavailable
from muniment.credential import (
    create,
    open_credential,
    passphrase_findings,
    read_credential,
    verify,
    write_credential,
)
from muniment.ports.credential import Signer, Verifier

pytestmark = pytest.mark.req("E-APPROVER")

PASSPHRASE = "correct horse battery"
posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")


def seeded(seed):
    """Entropy that is the same each time."""
    return random.Random(seed).randbytes


@pytest.fixture(scope="module")
def data():
    return create("user:ada", PASSPHRASE, entropy=seeded(1))


@pytest.fixture(scope="module")
def signer(data):
    return open_credential(data, PASSPHRASE)


def codes(caught):
    return [f.code for f in caught.value.findings]


# --- making and opening -------------------------------------------------------------------------


def test_the_file_names_its_format_and_holds_the_seed_only_sealed(data):
    value = json.loads(data)
    assert list(value) == ["format", "principal", "public_key", "kdf", "cipher", "nonce", "sealed"]
    assert (value["format"], value["principal"]) == ("muniment-reviewer/1", "user:ada")
    assert {k: value["kdf"][k] for k in "nrp"} == {"n": 2**15, "r": 8, "p": 1}
    seed = random.Random(1).randbytes(32)
    assert seed not in data
    assert base64.b64encode(seed) not in data
    assert seed.hex().encode() not in data


def test_the_public_key_is_the_seeds_by_the_library(data, signer):
    expected = Ed25519PrivateKey.from_private_bytes(random.Random(1).randbytes(32)).public_key()
    assert base64.b64decode(signer.public_key) == expected.public_bytes_raw()


def test_an_opened_credential_is_a_signer_of_its_principal(signer):
    assert isinstance(signer, Signer)
    assert signer.principal == "user:ada"


def test_two_credentials_of_one_reviewer_share_nothing():
    one, other = (json.loads(create("u", PASSPHRASE, entropy=seeded(s))) for s in (1, 2))
    assert all(one[name] != other[name] for name in ("public_key", "kdf", "nonce", "sealed"))


def test_the_same_entropy_gives_the_same_file(data):
    assert create("user:ada", PASSPHRASE, entropy=seeded(1)) == data


@pytest.mark.parametrize(
    "wrong", ["correct horse batterz", "Correct horse battery", "", "short", "x" * 2000]
)
def test_a_wrong_passphrase_is_not_permitted_and_not_repeated(data, wrong):
    with pytest.raises(NotPermitted) as caught:
        open_credential(data, wrong)
    assert codes(caught) == ["wrong_passphrase"]
    assert not wrong or wrong not in str(caught.value) + str(caught.value.findings)


def test_a_passphrase_typed_in_another_unicode_form_opens_the_credential():
    data = create("u", "größer als Café", entropy=seeded(3))
    assert open_credential(data, "gro\u0308ßer als Cafe\u0301").principal == "u"


@pytest.mark.parametrize(
    ("passphrase", "code"),
    [
        ("1234567", "passphrase_too_short"),
        (" " * 12, "passphrase_too_short"),
        ("x" * 1025, "passphrase_too_long"),
    ],
)
def test_an_unfit_passphrase_is_refused(passphrase, code):
    with pytest.raises(InvalidInput) as caught:
        create("user:ada", passphrase, entropy=seeded(1))
    assert codes(caught) == [code]


def test_the_bounds_of_a_passphrase_are_inclusive():
    assert passphrase_findings("12345678") == passphrase_findings("x" * 1024) == ()


@pytest.mark.parametrize("principal", ["", "a b", "user:\u200bada", "x" * 201, "a\x00", "e\u0301"])
def test_a_principal_that_is_no_identifier_is_refused(principal):
    with pytest.raises(InvalidInput):
        create(principal, PASSPHRASE, entropy=seeded(1))


def test_neither_seed_nor_passphrase_shows_in_a_repr(signer):
    assert "Ed25519PrivateKey" not in repr(signer)
    assert PASSPHRASE not in repr(signer)


# --- tampering ----------------------------------------------------------------------------------

TAMPERED = {
    "principal": "user:eve",
    "public_key": base64.b64encode(bytes(32)).decode(),
    "nonce": base64.b64encode(bytes(12)).decode(),
    "sealed": base64.b64encode(bytes(48)).decode(),
}


@pytest.mark.parametrize("name", sorted(TAMPERED))
def test_an_altered_field_does_not_open(data, name):
    altered = json.dumps({**json.loads(data), name: TAMPERED[name]}).encode()
    with pytest.raises(NotPermitted) as caught:
        open_credential(altered, PASSPHRASE)
    assert codes(caught) == ["wrong_passphrase"]


def test_weaker_scrypt_parameters_do_not_open(data):
    value = json.loads(data)
    value["kdf"]["n"] = 2**14
    with pytest.raises(NotPermitted):
        open_credential(json.dumps(value).encode(), PASSPHRASE)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "muniment-reviewer/2"},
        {"cipher": "none"},
        {"principal": "a b"},
        {"principal": None},
        {"public_key": "x"},
        {"public_key": base64.b64encode(bytes(31)).decode()},
        {"nonce": 5},
        {"sealed": "é"},
        {"more": 1},
        {"kdf": {}},
        {"kdf": []},
        {
            "kdf": {
                "name": "scrypt",
                "n": 2**30,
                "r": 8,
                "p": 1,
                "salt": base64.b64encode(bytes(16)).decode(),
            }
        },
        {
            "kdf": {
                "name": "scrypt",
                "n": 2**15 + 1,
                "r": 8,
                "p": 1,
                "salt": base64.b64encode(bytes(16)).decode(),
            }
        },
        {
            "kdf": {
                "name": "scrypt",
                "n": True,
                "r": 8,
                "p": 1,
                "salt": base64.b64encode(bytes(16)).decode(),
            }
        },
        {
            "kdf": {
                "name": "scrypt",
                "n": 2**15,
                "r": 2**20,
                "p": 1,
                "salt": base64.b64encode(bytes(16)).decode(),
            }
        },
        {
            "kdf": {
                "name": "pbkdf2",
                "n": 2**15,
                "r": 8,
                "p": 1,
                "salt": base64.b64encode(bytes(16)).decode(),
            }
        },
        {"kdf": {"name": "scrypt", "n": 2**15, "r": 8, "p": 1, "salt": ""}},
    ],
)
def test_a_file_of_another_shape_is_no_credential(data, change):
    with pytest.raises(InvalidInput) as caught:
        open_credential(json.dumps({**json.loads(data), **change}).encode(), PASSPHRASE)
    assert codes(caught) == ["bad_credential"]


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 10_000, b" " * 20_000, b'{"format": NaN}']
)
def test_what_is_no_credential_is_refused(broken):
    with pytest.raises(InvalidInput) as caught:
        open_credential(broken, PASSPHRASE)
    assert codes(caught) == ["bad_credential"]


def test_a_truncated_file_is_refused_at_every_length(data):
    for size in range(0, len(data.rstrip()), 7):
        with pytest.raises(InvalidInput):
            open_credential(data[:size], PASSPHRASE)


# --- signing and checking -----------------------------------------------------------------------


@given(message=st.binary(max_size=100))
def test_a_signature_is_the_keys_over_this_message_alone(signer, message):
    signature = signer.sign(message)
    assert verify(signer.public_key, message, signature)
    assert not verify(signer.public_key, message + b"x", signature)
    assert signer.sign(message) == signature


def test_no_changed_bit_of_a_signature_or_key_verifies(signer):
    signature = base64.b64decode(signer.sign(b"accept"))
    key = base64.b64decode(signer.public_key)
    for at, bit in itertools.product(range(64), (1, 128)):
        changed = bytearray(signature)
        changed[at] ^= bit
        assert not verify(signer.public_key, b"accept", base64.b64encode(changed).decode())
    for at in range(32):
        changed = bytearray(key)
        changed[at] ^= 1
        assert not verify(
            base64.b64encode(changed).decode(), b"accept", base64.b64encode(signature).decode()
        )


def test_a_signature_of_the_bare_message_is_not_one_of_a_review(signer):
    bare = Ed25519PrivateKey.from_private_bytes(random.Random(1).randbytes(32)).sign(b"accept")
    assert not verify(signer.public_key, b"accept", base64.b64encode(bare).decode())


def test_another_spelling_of_a_signature_is_refused(signer):
    signature = signer.sign(b"accept")
    assert not verify(signer.public_key, b"accept", signature + "\n")
    assert not verify(signer.public_key, b"accept", signature.rstrip("="))


@given(
    key=st.none() | st.text(max_size=50) | st.binary(max_size=40),
    message=st.none() | st.text(max_size=5) | st.binary(max_size=5),
    signature=st.none() | st.text(max_size=90) | st.integers(),
)
def test_checking_never_raises(key, message, signature):
    check: Verifier = verify
    assert check(key, message, signature) is False


def test_a_key_outside_the_curve_verifies_nothing(signer):
    for fill in (0, 255):
        assert not verify(
            base64.b64encode(bytes([fill]) * 32).decode(), b"accept", signer.sign(b"accept")
        )


# --- the file -----------------------------------------------------------------------------------


def test_a_written_credential_is_read_back_and_nothing_else_is_left(tmp_path, data):
    path = tmp_path / "new" / "reviewer.json"
    write_credential(path, data)
    assert read_credential(path) == data
    assert list(path.parent.iterdir()) == [path]


@posix
def test_file_and_new_folder_are_their_owners_alone_whatever_the_umask(tmp_path, data):
    before = os.umask(0)
    try:
        write_credential(tmp_path / "new" / "reviewer.json", data)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "reviewer.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_nothing_that_is_there_is_overwritten(tmp_path, data, kind):
    path = tmp_path / "reviewer.json"
    if kind == "file":
        path.write_bytes(b"mine")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput) as caught:
        write_credential(path, data)
    assert codes(caught) == ["credential_exists"]
    assert [p.name for p in tmp_path.iterdir()] == ["reviewer.json"]
    assert kind != "file" or path.read_bytes() == b"mine"


def test_without_hard_links_it_is_written_and_still_not_overwritten(tmp_path, data, monkeypatch):
    def no_links(*_args, **_kwargs):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_credential(tmp_path / "reviewer.json", data)
    with pytest.raises(InvalidInput):
        write_credential(tmp_path / "reviewer.json", b"other")
    assert (tmp_path / "reviewer.json").read_bytes() == data


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.ENOSPC, StoreFull), (errno.EIO, StoreUnavailable)]
)
def test_a_failing_disk_leaves_nothing_and_says_so(tmp_path, data, monkeypatch, number, raised):
    def failing(_descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(muniment.credential.os, "fsync", failing)
    with pytest.raises(raised):
        write_credential(tmp_path / "reviewer.json", data)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_told(tmp_path, data):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable):
        write_credential(tmp_path / "file" / "reviewer.json", data)


@posix
def test_a_folder_that_others_may_write_is_refused(tmp_path, data):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(InvalidInput) as caught:
        write_credential(tmp_path / "open" / "reviewer.json", data)
    assert codes(caught) == ["folder_not_private"]


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_credential_that_others_may_read_is_refused(tmp_path, data, mode):
    write_credential(tmp_path / "reviewer.json", data)
    (tmp_path / "reviewer.json").chmod(mode)
    with pytest.raises(InvalidInput) as caught:
        read_credential(tmp_path / "reviewer.json")
    assert codes(caught) == ["credential_not_private"]


def test_a_missing_credential_is_told_with_the_way_out(tmp_path):
    with pytest.raises(InvalidInput) as caught:
        read_credential(tmp_path / "none.json")
    assert codes(caught) == ["no_credential"]
    assert "muniment init" in caught.value.findings[0].fix


@posix
@pytest.mark.parametrize("kind", ["pipe", "folder", "large"])
def test_what_is_no_small_plain_file_is_refused_without_hanging(tmp_path, kind):
    path = tmp_path / "reviewer.json"
    if kind == "pipe":
        os.mkfifo(path, 0o600)
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch(0o600)
        path.write_bytes(b"x" * 20_000)
    with pytest.raises(InvalidInput) as caught:
        read_credential(path)
    assert codes(caught) == ["bad_credential"]


def test_importing_the_module_does_not_load_cryptography():
    program = "import sys, muniment.credential; print('cryptography' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert shown.stdout == "False\n"
