"""Files that want to do harm, or are broken: refused by name, in bounded time and memory."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib

import pytest

from muniment.core.errors import Finding
from muniment.ports.importing import Candidate
from tests.exchange.foreign import SAMPLES, files_of, one_file, written


def codes(path, format=""):
    return [
        finding.code
        for file, held in files_of(path, format=format)
        for finding in (*file.findings, *(one for one in held if isinstance(one, Finding)))
    ]


@pytest.mark.parametrize(
    "name", ["../evil.json", "/etc/evil.json", "a/../../evil", "C:\\evil.json", "..\\evil"]
)
def test_an_archive_whose_member_climbs_is_refused_whole(tmp_path, name):
    path = tmp_path / "slip.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.json", '[{"id": "1", "memory": "Good"}]')
        archive.writestr(zipfile.ZipInfo(name), "{}")
    assert codes(path) == ["zip_slip"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["slip.zip"]


def test_a_bomb_in_an_archive_is_refused_while_it_unpacks(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("zeros.json", b" " * 60_000_000)
    assert codes(path) == ["archive_bomb"]


def test_an_archive_that_lies_about_its_sizes_is_no_crash(tmp_path):
    path = tmp_path / "lie.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", b"[" * 50_000)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 5)
    path.write_bytes(data)
    assert codes(path)


def test_links_encrypted_members_and_inner_archives_are_left_out_by_name(tmp_path):
    path = tmp_path / "odd.zip"
    link = zipfile.ZipInfo("link.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", b"PK")
    assert codes(path) == ["member_left_out", "member_left_out"]


@pytest.mark.parametrize("cut", [10, 40, 80])
def test_a_damaged_archive_is_said_so(tmp_path, cut):
    path = tmp_path / "cut.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "[]")
    path.write_bytes(path.read_bytes()[:cut])
    assert codes(path) == ["damaged_archive"]


def test_an_archive_with_a_member_without_a_name_is_damaged(tmp_path):
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", "[]")
    path.write_bytes(path.read_bytes().replace(b"a.json", b"\0.json"))
    assert codes(path) == ["damaged_archive"]


@pytest.mark.parametrize(
    "name", ["chatgpt", "mem0", "letta", "graphiti", "mpf", "mcp-memory", "claude-ai"]
)
def test_deep_json_is_refused_before_anything_recurses(tmp_path, name):
    path = written(tmp_path, "deep.json", b'{"results": ' + b"[" * 200_000)
    assert set(codes(path, name)) <= {"too_deep", "json_syntax", "nothing_read"}
    assert codes(path, name)


def test_a_text_of_escapes_is_read_without_a_stack(tmp_path):
    text = '[{"id": "1", "memory": "' + '\\"' * 300_000 + '"}]'
    _, held = one_file(written(tmp_path, "a.json", text))
    assert [len(one.body) for one in held if isinstance(one, Candidate)] == [300_000]


def test_a_file_that_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert codes(tmp_path / "pipe") == ["unreadable_file"]


def test_links_in_a_folder_are_not_followed(tmp_path):
    written(tmp_path, "in/memory.jsonl", (SAMPLES / "memory.jsonl").read_bytes())
    (tmp_path / "in" / "link.json").symlink_to("/etc/passwd")
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    assert [file.name for file, _ in files_of(tmp_path / "in")] == ["in/memory.jsonl"]


def test_a_file_that_is_not_utf8_is_a_finding(tmp_path):
    assert codes(written(tmp_path, "a.json", b'[{"id": "1", "memory": "\xff"}]')) == ["not_utf8"]
    assert codes(written(tmp_path, "b.md", b"---\ntags: a\n---\n\xff"), "obsidian") == [
        "not_utf8",
        "unreadable_note",
    ]


def test_what_is_whole_before_a_cut_is_read(tmp_path):
    path = written(tmp_path, "a.json", '[{"id": "1", "memory": "Whole"}, {"id": "2", "mem')
    _, held = one_file(path)
    assert [one.claim for one in held if isinstance(one, Candidate)] == ["Whole"]
    assert codes(path) == ["json_syntax"]


def test_a_record_with_a_repeated_key_is_refused_alone(tmp_path):
    path = written(
        tmp_path,
        "a.json",
        '[{"id": "1", "memory": "A", "memory": "B"}, {"id": "2", "memory": "C"}]',
    )
    _, held = one_file(path)
    assert [one.claim for one in held if isinstance(one, Candidate)] == ["C"]
    assert codes(path) == ["duplicate_key"]


def test_a_large_file_is_not_held_in_memory(tmp_path, monkeypatch):
    from muniment.exchange import opened

    monkeypatch.setattr(opened, "IN_MEMORY", 1_000)
    rows = ",\n".join(f'{{"id": "m-{n}", "memory": "Fact number {n}"}}' for n in range(500))
    path = written(tmp_path, "a.json", f"[{rows}]")
    _, held = one_file(path)
    found = [one for one in held if isinstance(one, Candidate)]
    assert len(found) == 500
    assert found[-1].place.line == 500
    data = path.read_bytes()
    assert all(data[c.place.start : c.place.end].decode() == c.place.quote for c in found)


def test_the_digest_is_of_the_bytes(tmp_path):
    import hashlib

    path = written(tmp_path, "a.json", '[{"id": "1", "memory": "A"}]')
    assert one_file(path)[0].digest == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_gzip_bomb_in_an_archive_is_refused(tmp_path):
    path = tmp_path / "bomb.zip"
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jsonl.gz", packer.compress(b" " * 60_000_000) + packer.flush())
    assert codes(path) == ["archive_bomb"]


def test_half_a_surrogate_pair_in_a_key_is_replaced(tmp_path):
    text = r'[{"conversations_memory": "Mira bakes.", "project_memories": {"\ud800": "Grain is dear."}}]'
    path = written(tmp_path, "memories.json", text)
    assert [one.foreign_id for one in one_file(path)[1] if isinstance(one, Candidate)] == ["", "?"]
