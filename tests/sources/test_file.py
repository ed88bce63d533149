"""Reading one file beneath a root, whatever stands there."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from muniment.sources.file import MAX_BYTES, read_beneath


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "f.txt").write_bytes(b"inside\r\n")
    (tmp_path / "secret").write_bytes(b"outside")
    return folder


def detail(root, path):
    fetched = read_beneath(root, path)
    assert fetched.data is None
    return fetched.state, fetched.detail.partition(":")[0]


def test_the_bytes_come_back_as_they_are(root):
    assert read_beneath(root, "a/f.txt").data == b"inside\r\n"


def test_an_empty_file_is_read_and_not_missing(root):
    (root / "empty").touch()
    assert read_beneath(root, "empty").data == b""


@pytest.mark.parametrize("path", ["no", "a/no", "no/no", "a/f.txt/x"])
def test_what_is_not_there_is_missing(root, path):
    assert read_beneath(root, path).state == "missing"


@pytest.mark.parametrize(
    "path", ["../secret", "a/../../secret", "/etc/passwd", "", "./a", "a//f", "a\0"]
)
def test_a_path_that_could_climb_is_refused(root, path):
    assert detail(root, path) == ("unreadable", "path_escapes")


def test_a_link_out_of_the_tree_is_not_followed_and_says_so(root):
    (root / "out").symlink_to("../secret")
    (root / "a" / "up").symlink_to("../..")
    assert detail(root, "out") == ("unreadable", "symlink_outside")
    assert detail(root, "a/up/secret") == ("unreadable", "symlink_outside")


def test_a_link_inside_the_tree_says_where_it_leads(root):
    (root / "in").symlink_to("a/f.txt")
    (root / "dir").symlink_to("a")
    assert read_beneath(root, "in").detail == (
        "symlink: `in` is a symbolic link to `a/f.txt`, which is read on its own"
    )
    assert detail(root, "dir/f.txt") == ("unreadable", "symlink")


def test_a_link_to_itself_is_no_hang(root):
    (root / "loop").symlink_to("loop")
    assert detail(root, "loop")[0] == "unreadable"


def test_a_root_that_is_itself_a_link_is_resolved(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert read_beneath(tmp_path / "alias", "a/f.txt").state == "read"


def test_pipes_sockets_folders_and_devices_are_not_opened_as_files(root, monkeypatch):
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(root)  # a socket's path must be short
        server.bind("socket")
    begin = time.perf_counter()
    assert detail(root, "pipe") == ("unreadable", "not_a_file")
    assert detail(root, "a") == ("unreadable", "not_a_file")
    assert detail(root, "socket")[0] == "unreadable"
    assert time.perf_counter() - begin < 60


def test_the_size_limit_is_inclusive(root):
    (root / "big").write_bytes(b"12345")
    assert read_beneath(root, "big", limit=5).data == b"12345"
    assert read_beneath(root, "big", limit=4).detail.startswith("too_large:")


def test_a_sparse_file_of_a_terabyte_costs_nothing(root):
    with (root / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert read_beneath(root, "huge").detail == (
        f"too_large: `huge` has more than the {MAX_BYTES} bytes that are read"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_rights_is_unreadable(root):
    (root / "a" / "f.txt").chmod(0)
    assert detail(root, "a/f.txt") == ("unreadable", "no_permission")


def test_a_refused_permission_is_unreadable(root, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert detail(root, "a/f.txt") == ("unreadable", "no_permission")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are not listed here")
def test_no_descriptor_is_left_open(root):
    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    for path in ("a/f.txt", "no/no", "a", "a/f.txt/x"):
        read_beneath(root, path)
    assert count() == before


def test_a_name_that_is_not_utf8_is_read(root):
    name = os.fsdecode(b"caf\xe9")
    (root / name).write_bytes(b"x")
    assert read_beneath(root, name).data == b"x"


def test_a_name_that_cannot_exist_is_unreadable(root):
    assert detail(root, "\ud800")[0] == "unreadable"
    assert read_beneath(root, "x" * 5_000).state == "unreadable"
