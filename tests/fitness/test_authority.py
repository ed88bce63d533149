"""Every verb of the front object is in the table of authority and asks its ceiling first."""

from __future__ import annotations

import inspect

import pytest

from muniment import Memory
from muniment.cli.catalog import COMMANDS
from muniment.core.authority import LADDER, OUTSIDE, VERBS, allows
from muniment.core.errors import MunimentError, NotPermitted

METHODS = [
    name
    for name, _ in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name not in OUTSIDE
]
READS = [verb.name for verb in VERBS if verb.role == "reader"]


@pytest.mark.req("E-ONEGATE")
def test_the_table_and_the_front_object_name_the_same_verbs():
    assert sorted(verb.name for verb in VERBS) == sorted(METHODS)


@pytest.mark.req("E-ONEGATE")
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_is_refused_below_its_role_before_anything_else_is_looked_at(verb):
    memory = Memory.open(None)
    below = LADDER[: LADDER.index(verb.role)]
    for role in below:
        with pytest.raises(NotPermitted, match=f"asks for the role {verb.role}"):
            getattr(memory.acting_as("user:ada", role=role), verb.name)()
    for role in LADDER[LADDER.index(verb.role) :]:
        try:
            getattr(memory.acting_as("user:ada", role=role), verb.name)()
        except NotPermitted as refused:
            assert "asks for the role" not in str(refused)  # noqa: PT017 - what else is refused is not the ceiling
        except (TypeError, AttributeError, MunimentError):
            pass  # it was let in, and missed its arguments


@pytest.mark.req("E-ONEGATE")
def test_a_ceiling_only_ever_lets_more_do_more():
    for verb in VERBS:
        allowed = [allows(role, verb.name) for role in LADDER]
        assert allowed == sorted(allowed)
        assert allowed[-1]


@pytest.mark.req("E-ONEGATE", "E-APPROVER")
def test_no_tool_of_a_model_decides_or_operates():
    assert {verb.role for verb in VERBS if verb.tool} == {"reader", "proposer"}
    assert len({verb.tool for verb in VERBS if verb.tool}) <= 8


def test_the_commands_that_it_names_are_there():
    commands = {name for name, _, _ in COMMANDS}
    assert {verb.command for verb in VERBS if verb.command} - commands == set()


def test_a_reader_writes_nothing():
    assert [verb.name for verb in VERBS if verb.writes and verb.role == "reader"] == []
    assert READS
