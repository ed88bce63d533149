"""The directory view: an agent's notes as files, and reviewed memory beside them. Needs no other library."""

from __future__ import annotations

import logging
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import Memory
from muniment.adapters.direct import Direct
from muniment.adapters.directory import DirectoryError, MemoryDirectory
from muniment.adapters.keys import joined, parted
from muniment.core.errors import InvalidInput
from tests.adapters.world import SECRET

A = "/memories/a.md"


@pytest.fixture
def files(world):
    return MemoryDirectory(Direct(world.agent))


def refused(act, *arguments):
    with pytest.raises(DirectoryError) as error:
        act(*arguments)
    return str(error.value)


@pytest.mark.req("A-WORKING")
def test_what_is_written_is_read_at_once_and_is_the_agent_s_own_note(world, files):
    assert files.create(A, "Run the tests.\nAsk Bob.") == f"File created successfully at: {A}"
    shown = files.view(A)
    assert shown.splitlines()[0].startswith(
        f"Content of {A}, your own note, not reviewed, kept until 2026-07-15T"
    )
    assert shown.splitlines()[1:] == ["     1\tRun the tests.", "     2\tAsk Bob."]
    assert [note.key for note in world.agent.notes()] == ["memories/a.md"]
    other = MemoryDirectory(Direct(world.acting("user:ada"), propose=False))
    assert "does not exist" in refused(other.view, A)
    assert "a.md" not in other.view("/memories")


@pytest.mark.req("A-SHORT")
def test_a_file_ends(world, files):
    files.create(A, "Run the tests.")
    world.clock.ahead(days=7)
    assert "does not exist" in refused(files.view, A)
    assert files.create(A, "anew") == f"File created successfully at: {A}"


@pytest.mark.req("A-WORKING")
def test_its_lines_are_proposed_and_last_once_accepted(world, files):
    files.create(A, "# Release\n\n- The shop is tagged before publishing.\n- TODO\n")
    assert world.open_claims() == ["The shop is tagged before publishing."]
    asked = "/memories/reviewed/when is the shop tagged?"
    assert "(outcome: no_support)" in files.view(asked)
    world.accept_all()
    world.clock.ahead(days=8)
    assert "does not exist" in refused(files.view, A)
    shown = files.view(asked)
    assert "(outcome: complete)" in shown
    assert "The shop is tagged before publishing." in shown


@pytest.mark.req("E-IDEMPOTENT")
def test_writing_the_same_again_and_again_does_not_fill_the_inbox(world, files):
    line = "The shop is tagged before publishing."
    files.create(A, line)
    for number in range(5):
        files.insert(A, 0, f"{number}")
        files.create(f"/memories/{number}.md", line)
    assert world.open_claims() == [line]
    assert len(world.ada.inbox()) == 1


def test_what_a_file_no_longer_says_is_withdrawn_and_what_was_accepted_stays(world, files):
    files.create(A, "The shop ships on Fridays.\nThe shop is signed by Ada.")
    world.accept_all()
    files.str_replace(A, "on Fridays", "on Mondays")
    assert world.open_claims() == ["The shop ships on Mondays."]
    files.str_replace(A, "on Mondays", "on Tuesdays")
    assert world.open_claims() == ["The shop ships on Tuesdays."]
    files.delete(A)
    assert world.open_claims() == []
    assert "Fridays" in files.view("/memories/reviewed/when does the shop ship?")


def test_a_renamed_file_stays_the_one_that_its_proposals_came_from(world, files):
    files.create(A, "The shop ships on Fridays.")
    assert files.rename(A, "/memories/b/c.md") == f"Successfully renamed {A} to /memories/b/c.md"
    files.str_replace("/memories/b/c.md", "Fridays", "Mondays")
    assert world.open_claims() == ["The shop ships on Mondays."]


@pytest.mark.req("E-TOMBSTONE")
def test_what_was_rejected_is_kept_as_a_note_and_told_in_the_log(world, files, caplog):
    files.create(A, "The shop ships on Mondays.")
    world.reject_all()
    with caplog.at_level(logging.WARNING, "muniment.adapters"):
        files.create("/memories/b.md", "The shop ships on Mondays.\nThe shop is signed by Ada.")
    assert world.open_claims() == ["The shop is signed by Ada."]
    assert "Mondays" in files.view("/memories/b.md")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "tombstoned" in caplog.text


@pytest.mark.req("E-SECRET")
def test_a_secret_is_refused_in_words_for_the_model_and_not_repeated(world, files):
    files.create(A, "fine")
    for act in (
        lambda: files.create("/memories/b.md", f"key {SECRET}"),
        lambda: files.str_replace(A, "fine", f"key {SECRET}"),
        lambda: files.insert(A, 1, f"key {SECRET}"),
        lambda: files.rename(A, f"/memories/{SECRET}"),
    ):
        said = refused(act)
        assert "looks like a secret" in said
        assert SECRET not in said
    assert files.view(A).endswith("     1\tfine")
    assert len(world.agent.notes()) == 1


# --- the protocol ---------------------------------------------------------------------------------


def test_a_folder_is_listed_two_levels_deep_with_sizes(files):
    assert files.view("/memories").splitlines()[1:] == [
        "0B\t/memories",
        "-\t/memories/reviewed/ (read only; view /memories/reviewed/<question> to ask it)",
    ]
    files.create("/memories/z.md", "x" * 2048)
    files.create("/memories/a/b/c.md", "é")
    files.create("/memories/a/d.md", "")
    assert files.view("/memories/").splitlines()[1:-1] == [
        "2K\t/memories",
        "2B\t/memories/a/",
        "2B\t/memories/a/b/",
        "0B\t/memories/a/d.md",
        "2K\t/memories/z.md",
    ]
    assert files.view("/memories/a").splitlines()[1:] == [
        "2B\t/memories/a",
        "2B\t/memories/a/b/",
        "2B\t/memories/a/b/c.md",
        "0B\t/memories/a/d.md",
    ]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [((2, 3), ["2", "3"]), ((2, -1), ["2", "3", "4"]), ((4, 9), ["4"]), ((1, 1), ["1"])],
)
def test_lines_are_shown_by_range(files, lines, shown):
    files.create(A, "a\nb\nc\n")
    assert [line.split("\t")[0].strip() for line in files.view(A, lines).splitlines()[1:]] == shown


@pytest.mark.parametrize("lines", [(0, 2), (5, 6), (3, 2), (-1, -1), (1,), (1, 2, 3)])
def test_lines_that_are_not_there_are_refused(files, lines):
    files.create(A, "a\nb\nc\n")
    assert "and there are the lines 1 to 4" in refused(files.view, A, lines)


def test_text_is_replaced_only_where_it_stands_once(files):
    files.create(A, "aXa\nb\nX")
    assert "does not stand" in refused(files.str_replace, A, "c", "d")
    assert "does not stand" in refused(files.str_replace, A, "", "d")
    assert "in lines 1, 3;" in refused(files.str_replace, A, "X", "d")
    assert files.str_replace(A, "b\nX", "c\nd\ne").splitlines()[1:] == [
        "     1\taXa", "     2\tc", "     3\td", "     4\te",
    ]  # fmt: skip
    assert "several times in /memories/b.md, in lines 1, 1;" in (
        files.create("/memories/b.md", "aaa")
        and refused(files.str_replace, "/memories/b.md", "aa", "b")
    )


def test_text_is_inserted_after_a_line(files):
    files.create(A, "a\nb\n")
    files.insert(A, 0, "top\n")
    files.insert(A, 3, "end")
    files.insert(A, 1, "second\nthird")
    assert [line[7:] for line in files.view(A).splitlines()[1:]] == [
        "top",
        "second",
        "third",
        "a",
        "b",
        "end",
        "",
    ]
    assert "has the lines 0 to 6" in refused(files.insert, A, 7, "x")
    assert "has the lines 0 to 6" in refused(files.insert, A, -1, "x")
    files.create("/memories/empty", "")
    files.insert("/memories/empty", 0, "x")
    assert files.view("/memories/empty").splitlines()[1:] == ["     1\tx", "     2\t"]


def test_what_is_there_is_not_made_again_and_what_is_not_is_not_changed(files):
    files.create(A, "a")
    files.create("/memories/f/b.md", "b")
    assert "already exists" in refused(files.create, A, "b")
    assert "is a directory" in refused(files.create, "/memories/f", "b")
    assert "is a file, so nothing can be in it" in refused(files.create, f"{A}/b", "b")
    assert "is a directory" in refused(files.str_replace, "/memories/f", "a", "b")
    assert "already exists" in refused(files.rename, A, "/memories/f")
    assert "already exists" in refused(files.rename, A, "/memories/f/b.md")
    assert "into itself" in refused(files.rename, "/memories/f", "/memories/f/g")
    for act in (
        files.delete,
        files.view,
        lambda p: files.rename(p, "/memories/x"),
        lambda p: files.insert(p, 0, "x"),
    ):
        assert "does not exist" in refused(act, "/memories/missing")


def test_folders_are_renamed_and_deleted_with_all_in_them(files):
    for name in ("f/a", "f/g/b", "fa"):
        files.create(f"/memories/{name}", name)
    files.rename("/memories/f", "/memories/h/i")
    assert files.view("/memories/h/i/g/b").endswith("\tf/g/b")
    files.delete("/memories/h")
    assert [note.key for note in files.direct.notes("")] == ["memories/fa"]
    assert files.clear() == "All memory cleared"
    assert files.clear() == "All memory cleared"
    assert files.direct.notes("") == ()


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/memoriesx/a", "memories/a", "/etc/passwd", "/memories/../a", "/memories/a/../../b", "/memories//a",
        "/memories/./a", "/memories/a\\..\\b", "/memories/a\nb", "/memories/\0", "/memories/\x7f", "/Memories/a",
    ],
)  # fmt: skip
def test_a_path_never_leaves_the_directory(world, files, path):
    for act in (
        files.view,
        lambda p: files.create(p, "x"),
        lambda p: files.str_replace(p, "a", "b"),
        lambda p: files.insert(p, 0, "x"),
        files.delete,
        lambda p: files.rename(p, "/memories/x"),
    ):
        assert "is no path under /memories" in refused(act, path)
    files.create(A, "x")
    assert "is no path under /memories" in refused(files.rename, A, path)
    assert len(world.agent.notes()) == 1


def test_the_directory_itself_and_reviewed_memory_are_not_written(files):
    files.create(A, "x")
    for path in ("/memories", "/memories/"):
        assert "itself stays" in refused(files.delete, path)
        assert "itself stays" in refused(files.create, path, "x")
        assert "itself stays" in refused(files.rename, path, "/memories/b")
    for path in ("/memories/reviewed", "/memories/reviewed/a.md"):
        assert "is read only" in refused(files.create, path, "x")
        assert "is read only" in refused(files.delete, path)
        assert "is read only" in refused(files.rename, A, path)


def test_reviewed_memory_is_asked_by_a_name(world):
    world.accepted("The shop ships on Fridays.")
    files = MemoryDirectory(Direct(world.agent), ["How is the shop released?"])
    assert files.view("/memories/reviewed").splitlines()[1:] == [
        "/memories/reviewed/How is the shop released?"
    ]
    for name in (
        "when does the shop ship?",
        "when_does_the_shop_ship.md",
        "when-does-the-shop-ship",
    ):
        shown = files.view(f"/memories/reviewed/{name}")
        assert "(outcome: complete)" in shown
        assert "| The shop ships on Fridays." in shown
        assert "https://example.org/handbook" in shown
    assert "no_support" in files.view("/memories/reviewed/who/sings")


@pytest.mark.req("B-FILTERFIRST")
def test_reviewed_memory_says_what_the_agent_may_see_and_no_more(world):
    world.accepted("The shop ships on Fridays.")
    stranger = world.opened.acting_as("agent:stranger", scopes=["task:x", "repository:shop"])
    files = MemoryDirectory(Direct(stranger, propose=False))
    assert "(outcome: no_support)" in files.view("/memories/reviewed/when does the shop ship?")


# --- where it is set up ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scopes", "parts", "code"),
    [
        (("repository:shop",), {}, "no_scope"),
        (("task:x",), {}, "no_scope"),
        (("task:x", "repository:shop", "repository:web"), {}, "no_scope"),
        (("task:x", "task:y", "repository:shop"), {"scope": "task:z"}, "scope_not_in_force"),
    ],
)
def test_what_could_never_work_is_refused_before_anything_is_written(world, scopes, parts, code):
    with pytest.raises(InvalidInput) as error:
        Direct(world.acting("agent:codex", scopes), **parts)
    assert [found.code for found in error.value.findings] == [code]


def test_without_a_visibility_nothing_can_be_proposed(world):
    bare = world.opened.acting_as("agent:codex", scopes=["task:x", "repository:shop"])
    with pytest.raises(InvalidInput) as error:
        Direct(bare)
    assert [found.code for found in error.value.findings] == ["no_visibility"]
    files = MemoryDirectory(Direct(bare, propose=False))
    files.create(A, "The shop ships on Fridays.")
    assert world.ada.inbox() == ()


def test_parts_and_origin_go_into_every_claim(world):
    parts = {"claim_scope": "repository:shop", "type": "decision", "tags": ["agent"]}
    MemoryDirectory(Direct(world.agent, origin="conversation", parts=parts)).create(
        A, "Ada said that the shop is blue."
    )
    (pending,) = world.ada.inbox()
    item = pending.diff.changes[0].item
    assert (item.type, item.tags, item.source.origin) == ("decision", ("agent",), "conversation")


# --- properties -----------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "f/a", "f/b", "f/g/a"])
TEXTS = st.text("ab\n", max_size=6)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), NAMES, TEXTS),
        st.tuples(st.just("delete"), st.sampled_from(["a", "f", "f/g", "f/a"]), st.just("")),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("replace"), NAMES, TEXTS),
    ),
    max_size=10,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_the_directory_is_what_a_dictionary_of_paths_says(steps):
    memory = Memory.open(None).acting_as("agent:codex", scopes=["task:release"])
    files, model = MemoryDirectory(Direct(memory, propose=False)), {}
    for act, name, more in steps:
        path = f"/memories/{name}"
        under = [one for one in model if one == name or one.startswith(f"{name}/")]
        try:
            if act == "create":
                files.create(path, more)
                assert not under
                model[name] = more
            elif act == "delete":
                files.delete(path)
                assert under
                model = {one: text for one, text in model.items() if one not in under}
            elif act == "rename":
                files.rename(path, f"/memories/{more}")
                assert under
                model = {
                    more + one[len(name) :] if one in under else one: t for one, t in model.items()
                }
            else:
                files.str_replace(path, "a", more)
                assert model[name].count("a") == 1
                model[name] = model[name].replace("a", more)
        except DirectoryError:
            pass
        kept = {note.key.removeprefix("memories/"): note.text for note in files.direct.notes("")}
        assert kept == model
    memory.close()


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4)
)
def test_steps_come_back_from_a_key(steps):
    key = joined(steps)
    assert parted(key) == tuple(steps)
    assert not any(ord(ch) < 32 for ch in key)


def test_edits_at_once_from_threads_are_whole(world):
    files = MemoryDirectory(Direct(world.agent, propose=False))
    errors = []

    def write(number):
        try:
            files.create(f"/memories/{number}", str(number) * 1000)
        except DirectoryError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(note.text for note in files.direct.notes("")) == [str(n) * 1000 for n in range(8)]
