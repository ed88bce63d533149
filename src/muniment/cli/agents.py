"""What an agent needs to see a team's memory: a principal, roles, and its place in the group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muniment.memory import Memory
from muniment.usecases import declare

ROLES = ("reader", "proposer")


def agent_words(agents: Iterable[str]) -> tuple[declare.Declaration, ...]:
    """The declarations of agents: who they are, and that they may ask and propose."""
    return tuple(
        one for name in agents for one in (declare.principal(name), declare.roles(name, ROLES))
    )


def wider_group(
    memory: Memory, group: str, agents: Sequence[str], otherwise: Sequence[str]
) -> declare.Declaration:
    """A group with further members.

    Args:
        memory: As somebody who may see the group.
        group: The group.
        agents: Who comes in.
        otherwise: Its members, where it was never declared.
    """
    known = _members(memory, group) or list(otherwise)
    return declare.group(group, tuple(dict.fromkeys([*known, *agents])))


def missing(memory: Memory, group: str, agent: str) -> tuple[declare.Declaration, ...]:
    """What has yet to be declared for an agent to see what a group sees.

    Args:
        memory: As who declares.
        group: The group; empty where there is none.
        agent: The agent.
    """
    named = {one["name"] for one in memory.declared("principal")}
    roles = {one["name"]: one["roles"] for one in memory.declared("role")}
    found = (
        () if agent in named and set(ROLES) <= set(roles.get(agent, ())) else agent_words([agent])
    )
    if not group or agent in _members(memory, group):
        return found
    return (*found, wider_group(memory, group, [agent], [memory.session.principal]))


def _members(memory: Memory, group: str) -> list[str]:
    known = [one["members"] for one in memory.declared("group") if one["name"] == group]
    return list(known[-1]) if known else []
