"""The model of a disk that loses power."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.disk import (
    SECTOR,
    VARIANTS,
    Create,
    Delete,
    Disk,
    Sync,
    SyncDirectory,
    Truncate,
    Write,
)

A, B = b"a" * SECTOR, b"b" * SECTOR


def after(*operations, baseline=None):
    disk = Disk(baseline)
    for operation in operations:
        disk.apply(operation)
    return disk


def images(disk, variant, seeds=200):
    return [disk.image(variant, Random(seed)) for seed in range(seeds)]


def durable_file(content):
    return {"f": (1, content)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_was_synced_is_kept_by_every_variant(variant):
    disk = after(Write(1, 0, A + B), Sync(1), baseline=durable_file(b""))
    assert all(image == {"f": A + B} for image in images(disk, variant, 20))


def test_a_sync_says_nothing_about_another_file():
    disk = after(Write(1, 0, A), Write(2, 0, B), Sync(2), baseline={"f": (1, b""), "g": (2, b"")})
    assert disk.image("lost", Random(0)) == {"f": b"", "g": B}


def test_each_sector_is_kept_or_lost_by_itself():
    disk = after(Write(1, 0, B + B), baseline=durable_file(A + A))
    seen = {image["f"] for image in images(disk, "sectors")}
    assert seen == {A + A, A + B, B + A, B + B}


def test_a_sector_may_stand_at_a_version_between():
    disk = after(Write(1, 0, b"1"), Write(1, 0, b"2"), baseline=durable_file(b"0"))
    assert {image["f"] for image in images(disk, "sectors")} == {b"0", b"1", b"2"}


def test_a_torn_sector_holds_parts_of_two_versions():
    disk = after(Write(1, 0, B), baseline=durable_file(A))
    assert any(set(image["f"]) == {*b"ab"} for image in images(disk, "torn"))
    assert not any(set(image["f"]) == {*b"ab"} for image in images(disk, "sectors"))


def test_a_lost_sector_in_grown_space_holds_zeros_or_noise():
    disk = after(Write(1, 0, B + B), baseline=durable_file(b""))
    zeros = {image["f"][:SECTOR] for image in images(disk, "sectors")}
    noise = {image["f"][:SECTOR] for image in images(disk, "garbage")}
    assert zeros == {b"", bytes(SECTOR), B}
    assert len(noise) > 10


def test_a_new_name_is_lost_until_its_directory_is_synced():
    written = (Create("d/f", 1), Write(1, 0, A), Sync(1))
    assert after(*written).image("lost", Random(0)) == {}
    assert after(*written, SyncDirectory(".")).image("lost", Random(0)) == {}
    assert after(*written, SyncDirectory("d")).image("lost", Random(0)) == {"d/f": A}


def test_a_removed_file_comes_back_until_its_directory_is_synced():
    assert after(Delete("f"), baseline=durable_file(A)).image("lost", Random(0)) == {"f": A}
    gone = after(Delete("f"), SyncDirectory("."), baseline=durable_file(A))
    assert gone.image("lost", Random(0)) == {}


def test_a_file_made_anew_under_an_old_name_is_the_old_or_none_or_the_new():
    disk = after(Delete("f"), Create("f", 2), Write(2, 0, B), Sync(2), baseline=durable_file(A))
    assert {image.get("f") for image in images(disk, "sectors")} == {A, None, B}


def test_a_truncation_that_took_effect_leaves_no_older_bytes():
    disk = after(Truncate(1, 0), Write(1, SECTOR, B), baseline=durable_file(A + A))
    seen = {image["f"] for image in images(disk, "sectors")}
    assert bytes(SECTOR) + B in seen
    assert {A + A, A + B, b"", bytes(SECTOR) + B, bytes(2 * SECTOR)} == seen


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="unknown variant"):
        after().image("half", Random(0))


STEPS = st.lists(
    st.one_of(
        st.builds(Write, st.just(1), st.integers(0, 1500), st.binary(min_size=1, max_size=1200)),
        st.builds(Truncate, st.just(1), st.integers(0, 4).map(lambda n: n * SECTOR)),
        st.just(Sync(1)),
    ),
    max_size=12,
)


@given(STEPS)
def test_everything_kept_is_what_an_ordinary_file_holds(steps):
    plain = bytearray()
    for step in steps:
        match step:
            case Write(_, offset, content):
                plain.extend(bytes(max(0, offset - len(plain))))
                plain[offset : offset + len(content)] = content
            case Truncate(_, size):
                plain.extend(bytes(max(0, size - len(plain))))
                del plain[size:]
    assert after(*steps, baseline=durable_file(b"")).image("kept", Random(0)) == {"f": bytes(plain)}


@given(STEPS, st.integers(), st.sampled_from(VARIANTS))
def test_after_a_sync_there_is_nothing_left_to_lose(steps, seed, variant):
    disk = after(*steps, Sync(1), baseline=durable_file(b""))
    assert disk.image(variant, Random(seed)) == disk.image("kept", Random(0))
