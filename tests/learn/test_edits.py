"""After an edit exactly the statements that were edited differ."""

from __future__ import annotations

import pytest

from muniment.learn.extract import read_file

# the description stands on the rule's own line, so the evidence of all three is edited
DOCUMENTED_LINE = {"target/test/description", "target/test", "target/test/needs"}
# a change among the first words of a statement makes another statement
RENAMED = {"Style/keep-lines-96", "Style/keep-lines-100"}

EDITS = [
    # repository, file, old, new, slots that differ
    ("shop", "pyproject.toml", '>=3.11"', '>=3.12"', {"/project/requires-python"}),
    ("shop", "pyproject.toml", "fastapi>=0.110,<1", "fastapi>=0.111", {"/project/dependencies/fastapi"}),
    ("shop", "Makefile", "pytest -q", "pytest -q -x", {"target/test"}),
    ("shop", "Makefile", "## Run the unit tests", "## Run fast tests", DOCUMENTED_LINE),
    ("shop", "AGENTS.md", "at **96 characters**", "at **100 characters**", RENAMED),
    ("shop", "AGENTS.md", "when you fix a bug", "when you mend a bug", {"Testing/write-test-first"}),
    ("shop", "AGENTS.md", "make install", "make setup", {"Setup/install-everything-into"}),
    ("shop", ".github/CODEOWNERS", "@zoë", "@søren", {"/docs/"}),
    ("shop", ".github/workflows/ci.yml", "postgres:16", "postgres:17", {"/jobs/test/services/db"}),
    ("shop", "docs/adr/0004-use-postgresql.md", "PostgreSQL 16", "PostgreSQL 17", {"Decision/will-use-postgresql"}),
    ("storefront", "package.json", ">=20.11 <23", ">=22", {"/engines/node"}),
    ("storefront", "packages/web/package.json", "vite build", "vite build --mode x", {"/scripts/build"}),
    ("storefront", "pnpm-lock.yaml", "'9.0'", "'9.1'", {"version", "manager"}),
    ("payments", "go.mod", "v5.0.12", "v5.1.0", {"/require/github.com/go-chi/chi/v5"}),
    ("payments", "justfile", "-race ./... {{args}}", "./...", {"recipe/test"}),
    ("payments", ".gitlab-ci.yml", "go vet ./...", "go vet -x ./...", {"/unit/script"}),
]  # fmt: skip


def stated(path, data):
    """Statement and evidence by slot, without the positions."""
    return {
        e.slot.partition("#")[2]: (e.claim, e.value, data[e.start : e.end], e.steps)
        for e in read_file(path, data).extracts
    }


@pytest.mark.parametrize(("repo", "path", "old", "new", "slots"), EDITS)
def test_one_edit_changes_only_its_own_statements(request, repo, path, old, new, slots):
    data = request.getfixturevalue(repo).files[path]
    assert data.count(old.encode()) == 1
    edited = data.replace(old.encode(), new.encode())
    before, after = stated(path, data), stated(path, edited)
    differ = {slot for slot in before.keys() | after.keys() if before.get(slot) != after.get(slot)}
    assert differ == slots


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("AGENTS.md", b"* Money is", b"* A new rule for all.\r\n* Money is"),
        ("pyproject.toml", b"    # web\n", b'    "click",\n'),
        ("Makefile", b"check: lint", b"other:\r\n\ttrue\r\n\r\ncheck: lint"),
        (
            ".github/workflows/ci.yml",
            b"      - name: Install\n",
            b"      - run: new\n      - name: Install\n",
        ),
    ],
)
def test_what_is_inserted_leaves_every_other_slot_in_place(shop, path, old, new):
    data = shop.files[path]
    before, after = stated(path, data), stated(path, data.replace(old, new, 1))
    assert len(after.keys() - before.keys()) == 1
    assert before.items() <= after.items()


def test_a_statement_that_moves_keeps_its_slot():
    one = b"## A\n\n- First rule here.\n- Second rule there.\n"
    two = b"## A\n\n- Second rule there.\n- First rule here.\n"
    assert stated("AGENTS.md", one) == stated("AGENTS.md", two)


def test_a_new_title_changes_no_slot():
    one, two = b"# Old\n\n## A\n\n- Rule.\n", b"# New\n\n## A\n\n- Rule.\n"
    assert stated("AGENTS.md", one).keys() == stated("AGENTS.md", two).keys()


def test_a_comment_at_the_head_changes_nothing_but_positions(shop):
    for path in ("pyproject.toml", "Makefile", ".github/workflows/ci.yml", ".github/CODEOWNERS"):
        data = shop.files[path]
        assert stated(path, "# Grüße\n\n".encode() + data) == stated(path, data)
