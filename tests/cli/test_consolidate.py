"""`consolidate` on a real store: what could be one is listed, and proposed as one."""

from __future__ import annotations

import pytest


@pytest.mark.req("A-INF-CONSOLIDATE")
def test_memories_about_one_thing_are_listed_and_proposed_as_one(learned):
    found = learned.run("consolidate", "--json").json["consolidations"]
    assert all(len(one["ids"]) > 1 for one in found)
    shown = learned.run("consolidate")
    assert shown.code == 0
    assert "next: muniment consolidate" in shown.err
    ids, text = found[0]["ids"][:2], "The two belong together."
    proposed = learned.run("consolidate", *ids, "--claim", text, "--json").json
    told = learned.run("why", proposed["diff"], "--json").json["why"]
    (change,) = told["diff"]["changes"]
    assert change["item"]["claim"] == text
    assert change["item"]["source"]["derived_from"] == sorted(ids)


def test_one_memory_alone_is_refused_with_what_to_do(learned):
    one = learned.run("consolidate", "--json").json["consolidations"][0]["ids"][0]
    told = learned.run("consolidate", one)
    assert told.code == 2
    assert "muniment consolidate` lists some" in told.err
