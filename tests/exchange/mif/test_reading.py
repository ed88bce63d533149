"""Reading: every spelling of frontmatter, values of YAML 1.2, every wrapping; nothing is written or followed."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.exchange.mif.bundle import of_files, read_path
from muniment.exchange.mif.concept import read_jsonld, read_markdown, schema_issues
from muniment.exchange.mif.container import read_container
from muniment.exchange.mif.frontmatter import split
from tests.exchange.mif.samples import CONCEPT, concept_text


def read(text):
    data = text if isinstance(text, bytes) else text.encode()
    return read_markdown(data, "c.md")


def codes(issues):
    return [issue.code for issue in issues]


@pytest.mark.parametrize(
    ("spelling", "body"),
    [
        ("---\n{}\n---\n\nBody\n", "\nBody\n"),
        ("\ufeff---\n{}\n---\nBody", "Body"),
        ("---  \n{}\n--- \t\nBody", "Body"),
        ("---\n{}\n...\nBody", "Body"),
        ("---\r\n{}\r\n---\r\n\r\nBody\r\n", "\r\nBody\r\n"),
        ("---\n{}\n---", ""),
        ("---\n{}\n---\n   indented\ntwo spaces  \n\n\n", "   indented\ntwo spaces  \n\n\n"),
        ("---\n{}\n---\nA\n---\nB", "A\n---\nB"),
        ("---\n{}\nsummary: |\n  line\n  ---\n  after\n---\nBody", "Body"),
    ],
)
def test_every_spelling_of_frontmatter_is_read_with_the_body_to_the_byte(spelling, body):
    text = spelling.replace("{}", "id: x\ntype: semantic")
    concept, issues = read(text)
    assert issues == ()
    assert (concept.meta["id"], concept.meta["type"], concept.body) == ("x", "semantic", body)


@given(st.text("-. \r\n\tax:", max_size=40))
def test_parts_put_together_are_the_file(text):
    data = ("---\n" + text).encode()
    parts, issues = split(data, "c.md")
    assert (parts is None) == any(issue.severity == "error" for issue in issues)
    if parts is not None:
        assert parts.text.encode() == data


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *[
            (text, text)
            for text in ("no", "on", "1:30", "12:30:45", "012", "2026-01-15", "1.2.3", "1_000")
        ],
        ("2026-01-15T10:30:00.123456789-08:00", "2026-01-15T10:30:00.123456789-08:00"),
        ("true", True),
        ("12", 12),
        ("1.5", 1.5),
        ("~", None),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_yaml_values_stay_what_their_author_wrote(written, value):
    concept, _ = read(f"---\nx: {written}\n---\nB")
    assert concept.meta["x"] == value and type(concept.meta["x"]) is type(value)


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"no frontmatter", "no_frontmatter", "c.md:1:1"),
        (b"", "empty_document", "c.md"),
        (b"---\nid: x\n", "open_frontmatter", "c.md:1:1"),
        (b"---\n\n---\nB", "empty_frontmatter", "c.md:1:1"),
        (b"---\n- a\n---\nB", "not_a_mapping", "c.md:2:1"),
        (b"---\nid: x\ntitle: a: b\n---\nB", "yaml_syntax", "c.md:3:9"),
        (b"---\nid: x\nid: y\n---\nB", "duplicate_key", "c.md:3:1"),
        (b"---\nid: caf\xe9\n---\nB", "not_utf8", "c.md:2:8"),
        (b"---\nid: .inf\n---\nB", "not_finite", "c.md:2:5"),
        (b"---\nid: !!python/object:x {}\n---\nB", "yaml_tag", "c.md:2:5"),
        (b"---\nid: " + b"[" * 70 + b"\n---\nB", "too_deep", None),
        (b"---\nid: x\n---\n" + b"B" * 2_000_001, "too_large", "c.md"),
    ],
)
def test_an_unreadable_file_says_where_and_why(data, code, place):
    concept, issues = read(data)
    assert concept is None
    assert code in codes(issues)
    if place:
        assert place in [issue.place for issue in issues]


def test_aliases_are_followed_and_a_bomb_of_them_is_refused():
    concept, _ = read("---\ntags: &t [a, b]\naliases: *t\n---\nB")
    assert concept.meta["aliases"] == ["a", "b"]
    lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    for before, name in zip("abcdefg", "bcdefgh", strict=True):
        lines.append(f"{name}: &{name} [{','.join(['*' + before] * 10)}]")
    refused, issues = read("---\n" + "\n".join(lines) + "\n---\nB")
    assert refused is None and codes(issues) == ["yaml_alias"]


def test_a_plain_key_that_is_no_text_is_read_as_it_is_written():
    concept, issues = read("---\nextensions:\n  1: a\n  true: b\n  1.10: c\n---\nB")
    assert concept.meta["extensions"] == {"1": "a", "true": "b", "1.10": "c"} and not issues


def test_a_second_block_is_noticed_and_stays_in_the_body():
    concept, issues = read("---\nid: x\n---\n---\ntitle: y\n---\nBody")
    assert codes(issues) == ["second_frontmatter"] and issues[0].line == 4
    assert concept.body == "---\ntitle: y\n---\nBody"


def test_metadata_in_the_spelling_of_json_ld_is_read():
    text = '---\n"@id": urn:mif:abc\nconceptType: semantic\ncreated: 2026-01-15T10:30:00Z\n---\nB'
    concept, _ = read(text)
    assert concept.id == "abc" and not schema_issues(concept)


@pytest.mark.req("C-SCHEMA")
def test_a_schema_issue_stands_at_its_line_in_the_markdown_file():
    concept, _ = read("---\nid: x\ntype: semantic\ncreated: yesterday\ntags:\n  - a\n  - 1\n---\nB")
    places = [(i.place, i.code) for i in schema_issues(concept)]
    assert places == [("c.md:4:1 /created", "format"), ("c.md:7:5 /tags/1", "type")]


def test_a_schema_issue_stands_at_its_line_in_the_json_ld_file():
    document = json.dumps({**CONCEPT, "tags": ["a", 1]}, indent=1)
    concept, _ = read_jsonld(document.encode(), "c.jsonld")
    (issue,) = schema_issues(concept)
    assert document.split("\n")[issue.line - 1].strip() == "1"


# --- bundles ------------------------------------------------------------------------------------


FILES = {
    "semantic/a.md": concept_text("a").encode(),
    "semantic/bad.md": b"---\nid: [\n---\nB",
    "episodic/b.jsonld": json.dumps(CONCEPT).encode(),
    "index.md": b"# Index\n",
    "semantic/log.md": b"# Log\n",
    "README.md": b"# Read me\n",
    ".mif/config.yaml": b"mif_version: '1.0.0'\n",
    ".mif/notes.md": b"not a concept",
    ".mif/context.jsonld": b"{}",
    "context.jsonld": b'{"@context": {}}',
    "picture.png": b"\x89PNG",
}


def folder(tmp_path):
    for name, data in FILES.items():
        path = tmp_path / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "bundle"


def archive(tmp_path):
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in FILES.items():
            opened.writestr(f"bundle/{name}", data)
    return path


@pytest.mark.parametrize("wrap", [folder, archive])
def test_one_bad_concept_stops_no_other_in_a_folder_or_an_archive(tmp_path, wrap):
    bundle = read_path(wrap(tmp_path))
    assert [c.file for c in bundle.concepts] == ["episodic/b.jsonld", "semantic/a.md"]
    assert {i.file for i in bundle.issues} == {"semantic/bad.md"}
    assert sorted(bundle.reserved) == ["index.md", "semantic/log.md"]
    assert sorted(bundle.settings) == ["config.yaml", "context.jsonld", "notes.md"]
    assert bundle.others == ("picture.png",)


def test_a_single_file_of_either_form_is_read(tmp_path):
    (tmp_path / "a.md").write_text(concept_text("a"))
    (tmp_path / "b.json").write_text(json.dumps(CONCEPT))
    assert [len(read_path(tmp_path / n).concepts) for n in ("a.md", "b.json")] == [1, 1]


def test_a_container_is_read_record_by_record(tmp_path):
    records = [
        {"kind": "memory", "payload": CONCEPT},
        {"kind": "vendor", "payload": {}},
        {
            "kind": "document",
            "payload": {"@type": "DocumentReference", "url": "https://example.org/x"},
        },
        {"kind": "document", "payload": {"@type": "DocumentReference"}},
        {"kind": "memory"},
        "text",
    ]
    path = tmp_path / "all.corpus.json"
    path.write_text(json.dumps({
        "@context": "https://mif-spec.dev/schema/container-context.jsonld", "@type": "MemoryCorpus",
        "containerProfileVersion": "0.1.0", "records": records, "editChain": [], "surprise": 1,
    }))  # fmt: skip
    bundle = read_path(path)
    assert bundle.form == "container"
    assert [c.file for c in bundle.concepts] == ["all.corpus.json#/records/0/payload"]
    assert len(bundle.documents) == 2
    assert sorted((i.pointer, i.code) for i in bundle.issues) == [
        ("/records/1/kind", "unknown_kind"), ("/records/3/payload", "anyOf"), ("/records/4", "no_payload"),
        ("/records/5/kind", "unknown_kind"), ("/surprise", "additionalProperties"),
    ]  # fmt: skip


def test_a_path_at_which_nothing_stands_is_an_issue(tmp_path):
    assert codes(read_path(tmp_path / "nothing").issues) == ["no_file"]


def test_symbolic_links_are_not_followed(tmp_path):
    outside = tmp_path / "secret.md"
    outside.write_text(concept_text("secret"))
    inside = tmp_path / "bundle"
    inside.mkdir()
    (inside / "a.md").symlink_to(outside)
    (inside / "sub").symlink_to(tmp_path)
    bundle = read_path(inside)
    assert bundle.concepts == () and codes(bundle.issues) == ["symbolic_link"]


def zipped(tmp_path, *members, link=False):
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if link:
                info.external_attr = 0o120777 << 16
            opened.writestr(info, data)
    return path


def test_an_archive_with_a_member_without_a_name_is_refused(tmp_path):
    path = zipped(tmp_path, ("a.md", "x"))
    path.write_bytes(path.read_bytes().replace(b"a.md", b"\0.md"))
    assert [one.code for one in read_path(path).issues] == ["bad_archive"]


@pytest.mark.parametrize(
    ("members", "link", "code"),
    [
        ([("../evil.md", "x")], False, "zip_slip"),
        ([("/etc/evil.md", "x")], False, "zip_slip"),
        ([("a/../../evil.md", "x")], False, "zip_slip"),
        ([("C:\\evil.md", "x")], False, "zip_slip"),
        ([("a.md", "/etc/passwd")], True, "symbolic_link"),
        ([("bomb.md", "\0" * 30_000_000)], False, "zip_bomb"),
    ],
)
def test_a_hostile_archive_is_refused_whole_and_writes_nothing(tmp_path, members, link, code):
    good = ("good.md", concept_text("good"))
    path = zipped(tmp_path, good, *members, link=link)
    before = sorted(tmp_path.rglob("*"))
    bundle = read_path(path)
    assert bundle.concepts == () and code in codes(bundle.issues)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_archive_that_lies_about_its_sizes_is_refused(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("a.md", "x" * 5_000_000)
    data = bytearray(buffer.getvalue())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = data.index(mark) + at
        data[start : start + 4] = (100).to_bytes(4, "little")
    path = tmp_path / "liar.zip"
    path.write_bytes(data)
    bundle = read_path(path)
    assert bundle.concepts == () and codes(bundle.issues)


@given(st.binary(max_size=200))
def test_no_bytes_make_a_reader_raise(data):
    for read_one in (read_markdown, read_jsonld):
        concept, issues = read_one(data, "x")
        assert (concept is None) == any(i.area == "file" for i in issues)
    assert read_container(data, "x", 1_000) is not None
    of_files({"a.md": data, "b.jsonld": data, "c.corpus.json": data, ".mif/config.yaml": data})


@given(st.text("-:#&*!|>'\"[]{},\n atid@x?=\\u0", max_size=80))
def test_no_frontmatter_makes_a_reader_raise(text):
    concept, _ = read_markdown(f"---\n{text}\n---\nBody".encode(), "x.md")
    if concept is not None:
        schema_issues(concept)
