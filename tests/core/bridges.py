"""A search over bridges that is too simple to be wrong: level by level, every phrase tried at every text."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from muniment.core.bridge import Mapping

WORDS = ("ui", "kit", "atlas", "lib")
CLAIMS = st.sampled_from(["m1", "m2", "m3", "m4"])
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join)
MAPPINGS = st.lists(
    st.builds(Mapping, PHRASES, PHRASES, CLAIMS, st.sampled_from([False] * 9 + [True])),
    max_size=5,
)  # fmt: skip
QUERIES = st.lists(st.sampled_from((*WORDS, "kits", "x")), min_size=1, max_size=5).map(" ".join)


def rewritten(text, phrase, target):
    return re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", target, text)


def level_by_level(query, mappings, most, far):
    """Outcome, and for every text its least number of steps."""
    targets = {}
    for one in mappings:
        targets.setdefault(one.phrase, set()).add(one.target)
    doubtful = {p for p, t in targets.items() if len(t) > 1}
    doubtful |= {one.phrase for one in mappings if one.disputed}
    steps = {query: 0}
    for level in range(far + 1):
        texts = [text for text, at in steps.items() if at == level]
        if any(rewritten(text, phrase, "\0") != text for text in texts for phrase in doubtful):
            return "conflict", {}
        new = {rewritten(text, p, t) for text in texts for p, (t, *_) in targets.items()} - set(
            steps
        )
        if new and level == far:
            return "budget_exceeded", {}
        if len(steps) + len(new) > most:
            return "budget_exceeded", {}
        steps |= dict.fromkeys(new, level + 1)
    return "expanded", steps
