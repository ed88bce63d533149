"""Where a claim holds and who may see it.

- A scope is a kind and an id; a claim is never applied outside it (`A-BOUNDARY`).
- Visibility is a level and principals. In normal form it is an *audience*: a conjunction of alternatives, each a
  set of principals or groups of which the asker must be one.
- Everybody of the tenant passes an empty conjunction; nobody passes an empty alternative. Unknown fails closed.
- What is derived is visible to the intersection of its sources' audiences (`B-TRAVEL`).

>>> alice, team = audience_of(("user:alice",)), audience_of(("group:shop", "user:eve"))
>>> both = intersect(alice, team)
>>> may_see(both, {"user:alice", "group:shop"}), may_see(both, {"user:alice"})
(True, False)
>>> may_see(PUBLIC, set()), may_see(NOBODY, {"user:alice"})
(True, False)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

Audience = tuple[tuple[str, ...], ...]
PUBLIC: Audience = ()
NOBODY: Audience = ((),)


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Where a claim holds, such as `repository:github:acme/shop`."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read `kind:id`; the id may hold further colons."""
        kind, _, rest = text.partition(":")
        return cls(kind, rest)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may see a claim, as declared.

    Attributes:
        level: One of the six levels.
        allowed_principals: Principals or groups of which the asker must be one.
        all_of: Further alternatives that must be met too (derived claims carry their sources').
    """

    level: str
    allowed_principals: tuple[str, ...] = ()
    all_of: tuple[tuple[str, ...], ...] = ()

    @property
    def audience(self) -> Audience:
        """The normal form: the level `public` asks for nothing itself, every other for a named principal."""
        own: Audience = PUBLIC if self.level == "public" else audience_of(self.allowed_principals)
        return normal(own + tuple(tuple(alternative) for alternative in self.all_of))


def audience_of(principals: Iterable[str]) -> Audience:
    """The audience in which any one of `principals` suffices; nobody where there are none."""
    return normal((tuple(principals),))


def normal(audience: Audience) -> Audience:
    """One form for one meaning: sorted, without repeats, without alternatives that another implies.

    >>> normal((("b", "a"), ("a",), ("a", "b", "c")))
    (('a',),)
    """
    return _normal(tuple(map(tuple, audience)))


@lru_cache(maxsize=4_096)
def _normal(audience: Audience) -> Audience:
    sets = sorted(
        {frozenset(alternative) for alternative in audience}, key=lambda s: (len(s), sorted(s))
    )
    kept: list[frozenset[str]] = []
    for candidate in sets:
        if not any(stronger <= candidate for stronger in kept):
            kept.append(candidate)
    return tuple(sorted(tuple(sorted(alternative)) for alternative in kept))


def intersect(*audiences: Audience) -> Audience:
    """Who passes all of them."""
    return normal(tuple(alternative for audience in audiences for alternative in audience))


def may_see(audience: Audience, principals: Collection[str]) -> bool:
    """Whether somebody who is all of `principals` (itself and its groups) passes."""
    mine = set(principals)
    return all(mine.intersection(alternative) for alternative in audience)


def within(narrow: Audience, wide: Audience) -> bool:
    """Whether everybody who passes `narrow` passes `wide` for certain.

    >>> within(audience_of(("a",)), audience_of(("a", "b"))), within(PUBLIC, audience_of(("a",)))
    (True, False)
    """
    return all(any(set(strong) <= set(weak) for strong in narrow) for weak in wide)


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who asks, with every group that it belongs to, directly or through groups.

    Attributes:
        name: `user:alice`, `agent:codex`, `process:learn`.
        groups: All groups, nested ones resolved.
        roles: Of reader, proposer, reviewer, operator.
    """

    name: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = field(default_factory=frozenset)

    @property
    def everything(self) -> frozenset[str]:
        """The principal and its groups."""
        return self.groups | {self.name}


ROLES = (
    ("reader", "recall, show and list what it may see"),
    ("proposer", "also propose and report"),
    ("reviewer", "also decide changes, with a credential"),
    ("operator", "also declare principals, groups, roles and policies, erase, rebuild"),
)


def groups_of(name: str, members: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Every group that `name` belongs to; groups may hold groups, and circles do no harm.

    Args:
        name: A principal.
        members: Group name to its direct members.

    >>> sorted(
    ...     groups_of(
    ...         "user:a", {"group:x": ["user:a"], "group:y": ["group:x"], "group:x2": ["group:y2"]}
    ...     )
    ... )
    ['group:x', 'group:y']
    """
    found: set[str] = set()
    frontier = {name}
    while frontier:
        above = {
            group for group, inside in members.items() if frontier.intersection(inside)
        } - found
        found |= above
        frontier = above
    return frozenset(found)
