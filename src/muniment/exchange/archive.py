"""Open an archive that somebody else made without doing what it says.

- Members are read one after another, straight from the archive; nothing is written under a member's name.
- A member whose name climbs, is absolute or holds a NUL makes the whole archive refused (`zip_slip`).
- Bytes are counted while they are unpacked: what grows beyond the limits is refused (`archive_bomb`), whatever the
  archive says of its own size.
- Links, encrypted members and archives in archives are left out, and named.

>>> member_problem("../x"), member_problem("a/b.json")
('it climbs out of the archive', '')
"""

from __future__ import annotations

import gzip
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from muniment.core.errors import Finding, quoted
from muniment.exchange.opened import LARGEST, OpenFile, Unopened, opened_stream

MOST_MEMBERS = 20_000
LARGEST_GROWTH = 300
"""Unpacked bytes for one packed byte, beyond which a member of over `GROWTH_FROM` bytes is refused."""

GROWTH_FROM = 10_000_000
LARGEST_ARCHIVE = 8_000_000_000
BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
"""What the first bytes of an archive are."""

_INNER = (".zip", ".tar", ".tgz", ".7z", ".rar")
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, LookupError,
          NotImplementedError, RuntimeError)  # fmt: skip
"""What reading a damaged archive can raise; the standard library names only the first."""


def member_problem(name: str) -> str:
    """Why a member's name is refused; empty if it is fine."""
    steps = name.replace("\\", "/").split("/")
    if ".." in steps:
        return "it climbs out of the archive"
    if name.startswith(("/", "\\")) or name[1:2] == ":":
        return "it is an absolute path"
    return "it holds a control character" if not name.isprintable() else ""


def is_archive(path: Path) -> bool:
    """Whether a file begins as an archive does."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) in BEGINNINGS
    except (OSError, ValueError):
        return False


def _all(name: str) -> bool:
    """Every member."""
    return True


def names(path: Path) -> tuple[str, ...]:
    """The names of an archive's files, sorted; none of one that cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(sorted(i.filename for i in archive.infolist() if not i.is_dir()))
    except BROKEN:
        return ()


def members(
    name: str, uri: str, path: Path, wanted: Callable[[str], bool] = _all
) -> Iterator[OpenFile | Finding]:
    """The regular members of an archive, sorted by name, opened one at a time; or what keeps one out.

    Args:
        name: The archive, as it is shown.
        uri: Its address.
        path: Where it is.
        wanted: Whether a member of a name is meant.

    Raises:
        Unopened: The whole archive is refused.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in _checked(name, archive) if wanted(info.filename)]
            total = 0
            for info in infos:
                one = _opened(name, uri, archive, info, LARGEST_ARCHIVE - total)
                if isinstance(one, OpenFile):
                    total += one.size
                yield one
    except BROKEN as error:
        message = f"{quoted(name)} is a damaged archive"
        raise Unopened(Finding("damaged_archive", message, name, "download it again")) from error


def _checked(name: str, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    infos = sorted(archive.infolist(), key=lambda info: info.filename)
    if len(infos) > MOST_MEMBERS:
        message = f"{quoted(name)} has more than {MOST_MEMBERS:,} members"
        raise Unopened(
            Finding("archive_bomb", message, name, "unpack what you need, and import that")
        )
    for info in infos:
        problem = member_problem(info.filename)
        if problem:
            message = (
                f"the member {quoted(info.filename)} is refused, and its archive with it: {problem}"
            )
            raise Unopened(Finding("zip_slip", message, name, "do not unpack this archive"))
    return [info for info in infos if not info.is_dir()]


def _opened(
    name: str, uri: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int
) -> OpenFile | Finding:
    shown = f"{name}!/{info.filename}"
    problem = _left_out(info)
    if problem:
        return Finding(
            "member_left_out", f"{quoted(shown)} is left out: {problem}", shown, severity="notice"
        )
    most = min(left, LARGEST, max(GROWTH_FROM, info.compress_size * LARGEST_GROWTH))
    try:
        with archive.open(info) as packed:
            read: Callable[[int], bytes] = packed.read
            path = info.filename
            if path.endswith(".gz"):
                read, path = gzip.GzipFile(fileobj=packed).read, path.removesuffix(".gz")
            return opened_stream(shown, f"{uri}!/{info.filename}", read, path, most)
    except Unopened:
        message = f"{quoted(shown)} unpacks to more than {most:,} bytes"
        return Finding("archive_bomb", message, shown, "do not unpack this archive")
    except BROKEN:
        return Finding(
            "damaged_archive", f"{quoted(shown)} cannot be unpacked", shown, "download it again"
        )


def _left_out(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if info.filename.lower().endswith(_INNER):
        return "it is an archive itself; unpack it, and import what is in it"
    return ""
