"""Comparing with those that are near finds what comparing with all of them finds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Fact, Validity
from muniment.core.conflict import Earlier, compare
from muniment.core.source import Source

TEXTS = (
    "Port 80 is open.",
    "Port 81 is open",
    "Port 80 is not open!",
    "port 80 is open",
    "Use pnpm!",
)
FACTS = (
    (),
    (Fact("shop", "uses_package_manager", "pnpm"),),
    (Fact("Shop", "package_manager", "npm"),),
    (Fact("shop", "depends_on", "a"),),
    (Fact("shop", "depends_on", "b"), Fact("shop", "depends_on", "a")),
)
SCOPES = (Scope("project", "x"), Scope("project", "y"))
CLAIMS = st.builds(
    lambda text, facts, scope, conditions: Claim(
        "mem_x",
        text,
        scope,
        Source("file"),
        Visibility("public"),
        facts=facts,
        validity=Validity(conditions=conditions),
    ),
    st.sampled_from(TEXTS),
    st.sampled_from(FACTS),
    st.sampled_from(SCOPES),
    st.sampled_from([(), ("on Linux",)]),
)


def numbered(claims):
    return [replace(claim, id=f"mem_{number}") for number, claim in enumerate(claims)]


@given(st.lists(CLAIMS, max_size=12))
def test_what_is_found_is_what_comparing_every_pair_finds(drawn):
    before, found, every, claims = Earlier(), [], [], numbered(drawn)
    for place, claim in enumerate(claims):
        found += [compare(claim, other) for other in before.near(claim)]
        every += [compare(claim, other) for other in claims[:place]]
        before.add(claim)
    assert [one for one in found if one] == [one for one in every if one]


def test_claims_that_get_along_are_not_compared():
    before = Earlier()
    claims = numbered(
        Claim("", f"The shop needs {a}{b}.", SCOPES[0], Source("file"), Visibility("public"),
              facts=(Fact("shop", "depends_on", f"{a}{b}"),))
        for a, b in product("abcdefghij", repeat=2)
    )  # fmt: skip
    near = 0
    for claim in claims:
        near += sum(1 for _ in before.near(claim))
        before.add(claim)
    assert near == 0
