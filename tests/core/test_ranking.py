"""The bank of ranking policies: versioned, pinned, and each method known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.ranking import FUSED, LEXICAL, POLICIES, method_names
from muniment.core.vocabulary import RETRIEVAL_METHODS

PINNED = {
    "lexical/3": "sha256:1c9680ec2f42d9e5f07175eeebdbe5f7163aeb3196df0da12f4872bab8cd4050",
    "recent/2": "sha256:2e4ca49952d5580e5abeeb3f7b543e82d1b746999e5767e1aa6007dad6e2ab5e",
    "fused/1": "sha256:de8e4f6be1e391de911dea714a4938012d6af5634f04cd7f02bb4be2335c1424",
}


@pytest.mark.req("D-POLICIES", "A-RANKING")
def test_each_policy_of_the_bank_is_the_one_that_its_digest_pins():
    """A change of any number or general word needs a new version, and a new line here."""
    assert {f"{one.name}/{one.version}": one.digest for one in POLICIES} == PINNED


@pytest.mark.req("D-POLICIES")
@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: one.name)
def test_any_change_of_a_policy_changes_its_digest(policy):
    changed = [
        replace(policy, version=policy.version + 1),
        replace(policy, k1=policy.k1 + 1),
        replace(policy, methods=policy.methods[:-1]),
        replace(policy, meaning=policy.meaning + 1),
    ]
    assert policy.digest not in {one.digest for one in changed}


@pytest.mark.req("A-METHOD")
def test_every_declared_method_is_weighed_by_some_policy():
    assert set(method_names()) == {term.name for term in RETRIEVAL_METHODS}
    assert {name for name, _ in FUSED.methods} == set(method_names())


def test_without_an_embedder_the_words_weigh_the_same_among_themselves():
    lexical, fused = (dict(one.weights("hybrid_retrieval")) for one in (LEXICAL, FUSED))
    shares = {name: fused[name] / (1_000 - fused["meaning"]) for name in lexical}
    assert shares == pytest.approx({name: w / 1_000 for name, w in lexical.items()}, abs=0.002)
