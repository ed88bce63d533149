"""Listing and reading a repository, with git and without."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from muniment.learn.extract import read_file
from muniment.sources.repository import FolderRepository, GitRepository, open_repository
from tests.sources.conftest import REPOS, git


@pytest.fixture
def repo(shop):
    opened = open_repository(shop)
    yield opened
    opened.close()


def test_tracked_and_new_files_are_listed_and_ignored_ones_are_not(shop, repo):
    (shop / "new.md").write_text("x")
    (shop / "debug.log").write_text("x")
    (shop / ".venv").mkdir()
    (shop / ".venv" / "x.py").write_text("x")
    names = list(repo.files())
    assert "new.md" in names
    assert "Makefile" in names
    assert not [n for n in names if n.endswith(".log") or n.startswith((".venv", ".git/"))]
    assert names == sorted(names)


def test_a_tracked_file_that_was_deleted_is_not_listed(shop, repo):
    (shop / "Makefile").unlink()
    assert "Makefile" not in list(repo.files())
    assert repo.read("Makefile").state == "missing"
    assert repo.read_at("main", "Makefile").state == "read"


def test_folder_and_git_list_the_same_files(tmp_path):
    for name in ("python-shop", "node-monorepo", "go-service"):
        root = tmp_path / name
        shutil.copytree(REPOS / name, root)
        (root / "sub" / "deep").mkdir(parents=True)
        (root / "sub" / ".gitignore").write_text("*.tmp\n!keep.tmp\n/deep/only\n")
        for file in ("a.tmp", "keep.tmp", "deep/only", "deep/b.tmp", "only"):
            (root / "sub" / file).write_text("x")
        plain = FolderRepository(root)
        walked = set(plain.files())
        git(root, "init", "-q")
        repo = GitRepository(root)
        assert walked == {n for n in repo.files() if not n.startswith("node_modules/")}
        assert plain.findings() == repo.findings() == ()
        assert "sub/keep.tmp" in walked
        assert "sub/deep/only" not in walked
        repo.close()


def test_the_working_tree_and_a_ref_are_read_apart(shop, repo):
    (shop / ".python-version").write_bytes(b"3.14\n")
    commit = git(shop, "rev-parse", "HEAD")
    assert repo.read(".python-version").data == b"3.14\n"
    at_main = repo.read_at("main", ".python-version")
    assert (at_main.data, at_main.commit) == (b"3.12.4\n", commit)
    assert repo.read(".python-version").commit == ""


def test_a_ref_is_looked_up_anew_each_time(shop, repo):
    assert repo.read_at("main", ".python-version").data == b"3.12.4\n"
    (shop / ".python-version").write_bytes(b"3.14\n")
    git(shop, "commit", "-q", "-a", "-m", "Second")
    assert repo.read_at("main", ".python-version").data == b"3.14\n"
    assert repo.read_at("main~1", ".python-version").data == b"3.12.4\n"


@pytest.mark.parametrize(
    "ref",
    [
        "nowhere",
        "",
        "--help",
        "-x",
        "main:Makefile",
        "a b",
        "main\nHEAD",
        "main^{tree}",
        "\0",
        "x" * 300,
    ],
)
def test_a_ref_that_is_no_commit_is_unreadable(repo, ref):
    assert repo.read_at(ref, "Makefile").detail.startswith("unknown_ref:")
    assert list(repo.files_at(ref)) == []


@pytest.mark.parametrize(
    "path", ["--help", "-n", "a\nb", "a b", "ä/ö.txt", "HEAD", ":(top)x", "*.md"]
)
def test_odd_file_names_are_only_names(shop, repo, path):
    file = shop / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"odd")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Odd")
    assert path in list(repo.files())
    assert path in list(repo.files_at("main"))
    assert repo.read(path).data == repo.read_at("main", path).data == b"odd"


@pytest.mark.parametrize(
    "path", ["../shop/Makefile", "/etc/passwd", "src/../Makefile", "./Makefile"]
)
def test_a_path_that_climbs_is_refused_in_both(repo, path):
    assert repo.read(path).detail.startswith("path_escapes:")
    assert repo.read_at("main", path).detail.startswith("path_escapes:")


def test_what_is_not_at_a_ref_is_missing(repo):
    assert repo.read_at("main", "no.txt").state == "missing"
    assert repo.read_at("main", "src").state == "missing"


def test_links_are_not_listed_and_one_that_leaves_is_a_finding(shop, repo, tmp_path):
    (tmp_path / "secret").write_text("x")
    (shop / "out.md").symlink_to("../secret")
    (shop / "in.md").symlink_to("README.md")
    (shop / "away").symlink_to(tmp_path)
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Links")
    names = list(repo.files())
    assert not {"out.md", "in.md", "away"} & set(names)
    assert [(f.code, f.path) for f in repo.findings()] == [
        ("symlink_outside", "away"),
        ("symlink_outside", "out.md"),
    ]
    assert repo.read_at("main", "out.md").detail.startswith("not_a_file:")
    assert "out.md" not in list(repo.files_at("main"))
    plain = FolderRepository(shop)
    assert not {"out.md", "in.md"} & set(plain.files())
    assert {f.path for f in plain.findings()} == {"out.md", "away"}


def test_a_pipe_is_not_listed(shop, repo):
    os.mkfifo(shop / "Makefile.pipe")
    assert "Makefile.pipe" not in list(repo.files())
    assert "Makefile.pipe" not in list(FolderRepository(shop).files())


def test_a_folder_that_may_not_be_listed_is_a_finding(shop, monkeypatch):
    scan = os.scandir

    def refuse(folder):
        if Path(folder).name == "docs":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    plain = FolderRepository(shop)
    assert "Makefile" in list(plain.files())
    assert [(f.code, f.path) for f in plain.findings()] == [("no_permission", "docs")]


def test_a_name_that_is_not_utf8_is_a_finding(shop, repo):
    (shop / os.fsdecode(b"caf\xe9.md")).write_text("x")
    list(repo.files())
    assert [f.code for f in repo.findings()] == ["name_not_utf8"]
    plain = FolderRepository(shop)
    list(plain.files())
    assert [f.code for f in plain.findings()] == ["name_not_utf8"]


def test_branch_head_and_default_branch(shop, repo):
    assert (repo.branch(), repo.default_branch()) == ("main", "main")
    git(shop, "checkout", "-q", "-b", "feature/x")
    assert (repo.branch(), repo.default_branch()) == ("feature/x", "main")
    head = git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-q", "--detach")
    assert (repo.branch(), repo.head()) == (None, head)


def test_origins_default_branch_counts_first(shop, tmp_path):
    git(shop, "branch", "-m", "main", "trunk")
    git(shop, "branch", "main")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(shop), str(clone))
    assert open_repository(clone).default_branch() == "trunk"


def test_the_id_comes_from_origin(shop):
    git(shop, "remote", "add", "origin", "https://u:s3cret@github.com/Acme/Shop.git")
    assert open_repository(shop).id == "github:acme/shop"


def test_an_empty_repository_has_no_head(tmp_path):
    git(tmp_path, "init", "-q")
    repo = open_repository(tmp_path)
    assert (list(repo.files()), repo.head(), repo.default_branch()) == ([], None, None)


def test_an_inner_folder_lists_only_itself_under_the_same_paths(shop):
    repo = open_repository(shop / "docs")
    assert repo.root == shop.resolve()
    assert set(repo.files()) == {n for n in open_repository(shop).files() if n.startswith("docs/")}
    assert all(n.startswith("docs/") for n in repo.files_at("main"))


def test_a_linked_worktree_is_read(shop, tmp_path):
    git(shop, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    tree = open_repository(tmp_path / "tree")
    assert tree.branch() == "other"
    assert tree.read_at("main", ".python-version").data == b"3.12.4\n"
    tree.close()


def test_a_large_blob_is_not_read_and_the_next_one_is(shop, repo, monkeypatch):
    monkeypatch.setattr("muniment.sources.repository.MAX_BYTES", 10)
    assert repo.read_at("main", "Makefile").detail.startswith("too_large:")
    assert repo.read_at("main", ".python-version").data == b"3.12.4\n"


def test_nothing_that_the_clone_configures_is_run(shop):
    trap = shop.parent / "ran"
    script = shop.parent / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "core.editor"):
        git(shop, "config", key, str(script))
    git(shop, "config", "filter.x.smudge", str(script))
    git(shop, "config", "filter.x.clean", str(script))
    (shop / ".git" / "info" / "attributes").write_text("* filter=x\n")
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = shop / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        shutil.copy(script, path)
    repo = open_repository(shop)
    list(repo.files())
    list(repo.files_at("main"))
    repo.read_at("main", "Makefile")
    (repo.branch(), repo.head(), repo.default_branch())
    repo.close()
    assert not trap.exists()


def test_git_variables_of_the_caller_are_not_followed(shop, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    repo = open_repository(shop)
    assert isinstance(repo, GitRepository)
    assert "Makefile" in list(repo.files())
    assert repo.read_at("main", "Makefile").state == "read"
    repo.close()


def test_without_git_the_folder_is_walked(shop, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    repo = open_repository(shop)
    assert isinstance(repo, FolderRepository)
    assert "Makefile" in list(repo.files())
    assert repo.id == "local:shop"


def test_a_clone_that_git_cannot_read_is_walked(shop):
    (shop / ".git" / "HEAD").write_text("garbage")
    assert "Makefile" in list(open_repository(shop).files())


def test_the_object_reader_starts_again_after_it_was_ended(shop, repo):
    assert repo.read_at("main", "Makefile").state == "read"
    repo._git._batch.kill()
    repo._git._batch.wait()
    assert repo.read_at("main", "Makefile").state == "read"


def test_the_object_reader_ends_with_its_repository(shop):
    repo = open_repository(shop)
    repo.read_at("main", "Makefile")
    process = repo._git._batch
    repo.close()
    assert process.poll() == 0


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NotADirectoryError, match="is no folder"):
        open_repository(tmp_path / "no")


@pytest.mark.req("E-RECEIPT")
def test_the_blob_at_a_ref_and_a_clean_working_tree_give_the_same_statements(repo):
    for path in repo.files():
        here, there = repo.read(path).data, repo.read_at("main", path).data
        assert here == there
        assert read_file(path, here) == read_file(path, there)


def test_a_thousand_files_are_listed_read_and_learned_in_time(tmp_path):
    root = tmp_path / "many"
    for number in range(16):
        for name in ("python-shop", "node-monorepo", "go-service"):
            shutil.copytree(REPOS / name, root / f"part{number}" / name)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    begin = time.perf_counter()
    repo = open_repository(root)
    paths = list(repo.files())
    extracts = [e for path in paths for e in read_file(path, repo.read(path).data).extracts]
    repo.close()
    assert len(paths) > 900
    assert len(extracts) > 2_500
    assert time.perf_counter() - begin < 60
