r"""A reviewer's credential: an Ed25519 key that only a passphrase opens (E-APPROVER).

- The private seed is sealed with ChaCha20-Poly1305 under a key that scrypt makes from the passphrase.
  Format, principal, public key and scrypt's parameters are sealed with it: none can be changed unnoticed.
- What is signed is a message behind a prefix of its own, so that no signature made here means anything
  elsewhere, and none made elsewhere means a review.
- Checking a signature needs the public key alone, and answers False for anything malformed.
- A credential file belongs to its owner alone (0600 in a folder that others cannot write) and is never
  overwritten.
- Neither passphrase nor seed appears in a message or a `repr`, and neither is taken from an environment.

Which public keys count as a reviewer's is recorded in the ledger and decided by the use cases.

>>> public = "A" * 43 + "="
>>> verify(public, b"decision", "no signature")
False
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.core.errors import (
    Finding,
    InvalidInput,
    NotPermitted,
    StoreError,
    StoreFull,
    StoreUnavailable,
    quoted,
)
from muniment.core.text import identifier_findings, normalized
from muniment.ports.credential import Signer

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FORMAT = "muniment-reviewer/1"
DOMAIN = b"muniment review 1\n"
"""What every signed message begins with."""

SHORTEST_PASSPHRASE, LONGEST_PASSPHRASE = 8, 1024
"""Characters of a passphrase; both inclusive."""

_SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # about 32 MiB and a tenth of a second
_SCRYPT_BOUNDS = {"n": (2**14, 2**18), "r": (8, 16), "p": (1, 4)}  # what a file may ask for
_LONGEST_FILE = 16_384

Entropy = Callable[[int], bytes]


# --- making and opening -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenCredential:
    """An opened credential; signs reviews for its principal.

    Attributes:
        principal: Who reviews.
        public_key: Base64 of the 32 bytes of the public key.
    """

    principal: str
    public_key: str
    _key: Ed25519PrivateKey = field(repr=False, compare=False)

    def sign(self, message: bytes) -> str:
        """The signature over a review of `message`, base64 of 64 bytes; the same each time."""
        return _text(self._key.sign(DOMAIN + message))


def create(principal: str, passphrase: str, *, entropy: Entropy) -> bytes:
    """A new credential's file.

    Args:
        principal: Who reviews.
        passphrase: At least 8 characters.
        entropy: Gives n random bytes.

    Returns:
        The bytes of the file: JSON with format, principal, public key, scrypt parameters and the sealed seed.

    Raises:
        InvalidInput: The principal is no identifier, or the passphrase is too short or too long.
    """
    findings = identifier_findings(principal, "/principal") + passphrase_findings(passphrase)
    if findings:
        raise InvalidInput.of(findings)
    seed, salt, nonce = entropy(32), entropy(16), entropy(12)
    head: dict[str, Any] = {
        "format": FORMAT,
        "principal": principal,
        "public_key": _public_of(_private(seed)),
        "kdf": {"name": "scrypt", **_SCRYPT, "salt": _text(salt)},
        "cipher": "chacha20-poly1305",
        "nonce": _text(nonce),
    }
    sealed = _cipher(passphrase, head["kdf"]).encrypt(nonce, seed, _bound(head))
    return (json.dumps({**head, "sealed": _text(sealed)}, indent=2) + "\n").encode()


def open_credential(data: bytes, passphrase: str) -> Signer:
    """Open a credential's file.

    Args:
        data: The file's bytes.
        passphrase: Its passphrase.

    Returns:
        What signs for its principal.

    Raises:
        NotPermitted: The passphrase is wrong, or sealed fields were altered (code `wrong_passphrase`); the two
            cannot be told apart.
        InvalidInput: The file is no credential, or damaged (code `bad_credential`).
    """
    from cryptography.exceptions import InvalidTag

    head, sealed = _parsed(data)
    wrong = NotPermitted(
        "the passphrase does not open this credential",
        (
            Finding(
                "wrong_passphrase",
                "the passphrase does not open this credential, or the file was altered",
                fix="try again, or make a new credential",
            ),
        ),
    )
    if passphrase_findings(passphrase):
        raise wrong
    try:
        seed = _cipher(passphrase, head["kdf"]).decrypt(_bytes(head["nonce"]), sealed, _bound(head))
    except InvalidTag:
        raise wrong from None
    if len(seed) != 32 or _public_of(_private(seed)) != head["public_key"]:
        raise _bad("the sealed key is not the one of its public key")
    return OpenCredential(head["principal"], head["public_key"], _private(seed))


def verify(public_key: str, message: bytes, signature: str) -> bool:
    """Whether `signature` is the key's signature over a review of `message`.

    Args:
        public_key: Base64 of 32 bytes.
        message: What was reviewed, as it was signed.
        signature: Base64 of 64 bytes.

    Returns:
        False for a signature of another message or key and for anything malformed; never raises.
    """
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(_bytes(public_key))
        key.verify(_bytes(signature), DOMAIN + message)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError, AttributeError):
        return False
    return True


def passphrase_findings(passphrase: str) -> tuple[Finding, ...]:
    """What is wrong with a passphrase; never repeats any of it.

    >>> [f.code for f in passphrase_findings("1234567")], passphrase_findings("12345678")
    (['passphrase_too_short'], ())
    """
    size = len(passphrase.strip())
    if size < SHORTEST_PASSPHRASE:
        message = f"the passphrase has fewer than {SHORTEST_PASSPHRASE} characters"
        return (Finding("passphrase_too_short", message, "/passphrase", "use several words"),)
    if len(passphrase) > LONGEST_PASSPHRASE:
        message = f"the passphrase has more than {LONGEST_PASSPHRASE} characters"
        return (Finding("passphrase_too_long", message, "/passphrase", "shorten it"),)
    return ()


def _cipher(passphrase: str, kdf: dict[str, Any]) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    # NFKC, so that the same words open it from another keyboard or system.
    words = normalized("NFKC", passphrase).encode("utf-8", "surrogatepass")
    derive = Scrypt(salt=_bytes(kdf["salt"]), length=32, n=kdf["n"], r=kdf["r"], p=kdf["p"])
    return ChaCha20Poly1305(derive.derive(words))


def _private(seed: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed)


def _public_of(key: Ed25519PrivateKey) -> str:
    return _text(key.public_key().public_bytes_raw())


def _bound(head: dict[str, Any]) -> bytes:
    """The fields that are sealed with the seed, in one form."""
    return json.dumps(head, sort_keys=True, separators=(",", ":")).encode()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    """The bytes of base64 in its one canonical spelling.

    Raises:
        ValueError: Anything else.
    """
    data = base64.b64decode(text, validate=True)
    if _text(data) != text:
        raise ValueError("not canonical base64")
    return data


# --- reading a file's bytes ---------------------------------------------------------------------

_FIELDS = ("format", "principal", "public_key", "kdf", "cipher", "nonce")


def _bad(why: str) -> InvalidInput:
    fix = "restore the file from a copy, or make a new credential"
    return InvalidInput.of((Finding("bad_credential", f"no sound credential: {why}", fix=fix),))


def _parsed(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The head and the sealed seed of a file.

    Raises:
        InvalidInput: It is no credential.
    """
    if len(data) > _LONGEST_FILE:
        raise _bad(f"it has more than {_LONGEST_FILE} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _bad("it is not JSON") from None
    if not isinstance(value, dict) or set(value) != {*_FIELDS, "sealed"}:
        raise _bad(f"its fields are not {', '.join((*_FIELDS, 'sealed'))}")
    if value["format"] != FORMAT or value["cipher"] != "chacha20-poly1305":
        raise _bad(f"its format is not `{FORMAT}` with chacha20-poly1305")
    if not isinstance(value["principal"], str) or identifier_findings(value["principal"], ""):
        raise _bad("its principal is no identifier")
    _check_kdf(value["kdf"])
    for name, size in (("public_key", 32), ("nonce", 12), ("sealed", 48)):
        _check_size(value[name], name, size)
    sealed = _bytes(value.pop("sealed"))
    return {name: value[name] for name in _FIELDS}, sealed


def _check_kdf(kdf: object) -> None:
    if not isinstance(kdf, dict) or set(kdf) != {"name", "n", "r", "p", "salt"}:
        raise _bad("its `kdf` does not name n, r, p and salt of scrypt")
    if kdf["name"] != "scrypt":
        raise _bad("its `kdf` is not scrypt")
    for name, (lowest, highest) in _SCRYPT_BOUNDS.items():
        value = kdf[name]
        if type(value) is not int or not lowest <= value <= highest:
            raise _bad(f"scrypt's `{name}` is not between {lowest} and {highest}")
    if kdf["n"] & (kdf["n"] - 1):
        raise _bad("scrypt's `n` is no power of two")
    _check_size(kdf["salt"], "salt", 16)


def _check_size(value: object, name: str, size: int) -> None:
    try:
        right = isinstance(value, str) and len(_bytes(value)) == size
    except ValueError:
        right = False
    if not right:
        raise _bad(f"`{name}` is not base64 of {size} bytes")


# --- the file -----------------------------------------------------------------------------------


def read_credential(path: Path) -> bytes:
    """The bytes of a credential's file.

    Raises:
        InvalidInput: There is none (`no_credential`), it is no plain file or too large (`bad_credential`), or
            others may read it (`credential_not_private`).
        StoreUnavailable: It cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        message = f"there is no credential at {quoted(path)}"
        fix = "make one with `muniment init`, or name another file"
        raise InvalidInput.of((Finding("no_credential", message, fix=fix),)) from None
    except OSError as error:
        raise _broken("read", path, error) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _bad("it is not a plain file")
        if os.name == "posix" and status.st_mode & 0o077:
            message = f"others may read the credential {quoted(path)}"
            fix = "run `chmod 600` on it; if somebody may have read it, make a new one"
            raise InvalidInput.of((Finding("credential_not_private", message, fix=fix),))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise _broken("read", path, error) from error
    finally:
        os.close(descriptor)
    if len(data) > _LONGEST_FILE:
        raise _bad(f"it has more than {_LONGEST_FILE} bytes")
    return data


def write_credential(path: Path, data: bytes) -> None:
    """Write a credential's file whole, for its owner alone; an existing one is never overwritten.

    Args:
        path: Where; a missing folder is made with mode 0700.
        data: What `create` gave.

    Raises:
        InvalidInput: Something is there already (`credential_exists`), or others may write into the folder
            (`folder_not_private`).
        StoreError: It cannot be written; nothing is left behind.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = path.parent.stat().st_mode
    except OSError as error:
        raise _broken("write", path, error) from error
    if os.name == "posix" and mode & 0o022 and not mode & stat.S_ISVTX:
        message = f"others may write into {quoted(path.parent)}"
        fix = "run `chmod 700` on it, or name another folder"
        raise InvalidInput.of((Finding("folder_not_private", message, fix=fix),))
    try:
        _write_new(path, data)
    except FileExistsError:
        message = f"{quoted(path)} is there already and stays as it is"
        fix = "name another file, or move that one away"
        raise InvalidInput.of((Finding("credential_exists", message, fix=fix),)) from None
    except OSError as error:
        raise _broken("write", path, error) from error


def _write_new(path: Path, data: bytes) -> None:
    """Write a draft beside the file, sync it, and give it the name only if the name is free."""
    import tempfile

    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _name_if_free(Path(draft), path)
    finally:
        Path(draft).unlink(missing_ok=True)
    _sync_folder(path.parent)


def _name_if_free(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "exists", str(path)) from None
        draft.replace(path)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(
        OSError
    ):  # some systems cannot open or sync a folder; the file is synced
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _broken(verb: str, path: Path, error: OSError) -> StoreError:
    message = f"cannot {verb} the credential {quoted(path)}: {(error.strerror or 'failed').lower()}"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(message, fix="make room")
    return StoreUnavailable(message, fix="check the rights of the file and its folder")
