"""How values rest in the ledger: a claim's scope and principals are kept apart from its body.

- A body names its eligibility class by id; scope and audience stand in the class alone. So a person's name in a
  scope or an audience can be erased without touching bodies or the chain.
- Visibility is kept in normal form, so that what was signed can be put together again exactly.
- `restore(strip(x), …) == x`.

>>> body, where = strip(
...     {
...         "id": "mem_x",
...         "scope": {"kind": "user", "id": "alice"},
...         "visibility": {"level": "user-private", "allowed_principals": ["user:alice"]},
...     }
... )
>>> body
{'id': 'mem_x', 'visibility': {'level': 'user-private'}}
>>> restore(body, *where)["scope"]
{'kind': 'user', 'id': 'alice'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muniment.core.access import Audience, Scope, Visibility
from muniment.core.claim import Claim
from muniment.core.codec import trusted
from muniment.core.encode import encode

WITH_ITEM = ("change", "recounted")
"""Events whose content may hold a whole claim as its item."""


def with_normal_visibility(claim: Claim, audience: Audience | None = None) -> Claim:
    """The claim with its visibility in normal form, at most as wide as `audience` where one is given."""
    visibility = claim.visibility
    normal_form = visibility.audience if audience is None else audience
    wanted = visibility_of(visibility.level, normal_form)
    return claim if wanted == visibility else replace(claim, visibility=wanted)


def visibility_of(level: str, audience: Audience) -> Visibility:
    """The one declaration that stands for an audience.

    >>> (
    ...     visibility_of("public", ()).audience,
    ...     visibility_of("team-private", (("group:x",),)).audience,
    ... )
    ((), (('group:x',),))
    """
    if level == "public":
        return Visibility(level, (), audience)
    return Visibility(level, audience[0] if audience else (), audience[1:])


def strip(record: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Scope, Audience]]:
    """Split a claim's JSON form into body and class."""
    body = dict(record)
    scope = Scope(**body.pop("scope"))
    given = body["visibility"]
    visibility = trusted(Visibility, given)
    body["visibility"] = {"level": visibility.level}
    return body, (scope, visibility.audience)


def restore(body: Mapping[str, Any], scope: Scope, audience: Audience) -> dict[str, Any]:
    """Put body and class together again."""
    visibility = visibility_of(body["visibility"]["level"], tuple(tuple(a) for a in audience))
    return {**body, "scope": encode(scope), "visibility": encode(visibility)}


def claim_from(record: Mapping[str, Any]) -> Claim:
    """A claim from its whole JSON form, as this program wrote it.

    Raises:
        ValueError: It is not what this program writes.
    """
    return trusted(Claim, record)


def is_frame(kind: str, content: Mapping[str, Any]) -> bool:
    """Whether an event recounts a proposal's frame, and not one of its changes or its free text."""
    return kind == "recounted" and "proposed_by" in content


def strip_content(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """An event's content as it rests: without the scope and principals that its class holds."""
    if kind in WITH_ITEM and content.get("item"):
        return {**content, "item": strip(content["item"])[0]}
    if kind == "diff" or is_frame(kind, content):
        return {name: value for name, value in content.items() if name != "scope"}
    if kind in ("claim", "source", "passage"):
        return strip(content)[0]
    return dict(content)


def restore_content(
    kind: str, content: Mapping[str, Any], scope: Scope, audience: Audience
) -> dict[str, Any]:
    """An event's content with what its class holds put back."""
    if kind in WITH_ITEM and content.get("item"):
        return {**content, "item": restore(content["item"], scope, audience)}
    if kind == "diff" or is_frame(kind, content):
        return {**content, "scope": encode(scope)}
    if kind in ("claim", "source", "passage"):
        return restore(content, scope, audience)
    return dict(content)
