"""Where otherwise equal statements disagree."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.differences import Difference, differences

TEXT = st.text(alphabet="ab 12.,-'nt/", max_size=30) | st.text(max_size=30)


def kinds(left, right):
    return [d.kind for d in differences(left, right)]


@pytest.mark.req("A-CONTRADICTION")
@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        ("Python 3.11 is required", "Python 3.12 is required", "number"),
        ("node20 image", "node22 image", "number"),
        ("3.1", "3.10", "number"),
        ("It is -5 degrees", "It is 5 degrees", "number"),
        ("two reviewers", "three reviewers", "number"),
        ("Wait 1,000 ms", "Wait 2,000 ms", "number"),
        ("Freeze on 2026-07-10", "Freeze on 2026-07-12", "date"),
        ("Freeze on 10 July 2026", "Freeze on July 12, 2026", "date"),
        ("Since 2025", "Since 2025-03", "date"),
        ("Deploys run on Monday", "Deploys run on Tuesday", "date"),
        ("Tests need Docker", "Tests do not need Docker", "negation"),
        ("The service uses Redis", "The service doesn’t use Redis", "negation"),
        ("You can merge", "You cannot merge", "negation"),
        ("You can merge", "You can't merge", "negation"),
        ("It will run", "It won't run", "negation"),
        ("Runs with network", "Runs without network", "negation"),
        ("Deploy on Fridays", "Never deploy on Fridays", "negation"),
        ("Tests exist", "No tests exist", "negation"),
    ],
)
def test_texts_that_disagree_in_one_thing_name_it(left, right, kind):
    assert kinds(left, right) == [kind]
    assert kinds(right, left) == [kind]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Wait 1,000 ms", "wait  1000 ms."),
        ("v1.2", "1.2"),
        ("two reviewers", "2 reviewers"),
        ("You can't merge", "You cannot merge"),
        ("Don't deploy", "Never deploy"),
        ("The test runs", "The tests run"),
        ("Python 3.11 is required", "Ruby 3.12 is required"),
        (">= 3.11", "<= 3.11"),
        ("Deploys need 2 reviews", "Deploys need 3 approvals"),
        ("", ""),
    ],
)
def test_equal_texts_and_unlike_texts_have_nothing_to_tell(left, right):
    assert differences(left, right) == ()


def test_every_difference_is_told_numbers_first():
    assert differences("Retry 3 times with 5 s", "Never retry 4 times with 5 s") == (
        Difference("number", "3", "4"),
        Difference("negation", "", "never"),
    )


@given(TEXT)
def test_no_text_differs_from_itself(text):
    assert differences(text, text) == ()


@given(TEXT, TEXT)
def test_differences_are_the_same_seen_from_the_other_side(left, right):
    turned = tuple(Difference(d.kind, d.right, d.left) for d in differences(right, left))
    assert differences(left, right) == turned


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_numbers_in_one_place_differ_exactly_when_unequal(one, other):
    found = differences(f"limit is {one} rows", f"limit is {other} rows")
    assert bool(found) == (one != other)


@pytest.mark.parametrize(
    "shape",
    [
        "1." * 500_000,
        "a'" * 500_000,
        "1 may " * 150_000,
        "-" * 10**6,
        "not " * 250_000,
        "v1" * 400_000,
    ],
)
def test_a_megabyte_of_any_shape_is_compared_in_seconds(shape):
    start = time.process_time()
    differences(shape, shape + "1")
    assert time.process_time() - start < 10
