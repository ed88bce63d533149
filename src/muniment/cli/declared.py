"""What is declared, in a line each."""

from __future__ import annotations

from collections.abc import Mapping

from muniment.core.codec import trusted
from muniment.core.lifecycle import KIND, Lifecycle, lifecycle_text
from muniment.core.lifecycle import known_part as rule_part
from muniment.core.policy import Policy
from muniment.core.retention import Retention, known_part, retention_text


def declared_text(kind: str, content: Mapping[str, object]) -> str:
    """A declaration as a person reads it."""
    if kind == "retention":
        return retention_text(trusted(Retention, known_part(content)))
    if kind == KIND:
        return lifecycle_text(trusted(Lifecycle, rule_part(content)))
    name = str(content.get("name", ""))
    for key in ("members", "roles", "public_keys"):
        value = content.get(key)
        if isinstance(value, list):
            return f"{name}: {', '.join(map(str, value)) or 'none'}"
    note = content.get("note")
    return f"{name} ({note})" if note else name


def policy_text(policy: Policy) -> str:
    """What a policy lets through, as a person reads it."""
    said = []
    if policy.protected_ref:
        said.append(
            "accepts by itself facts of manifests, lock files, CI and Make targets that"
            f" `{policy.protected_ref}` holds byte for byte, for low-risk uses"
        )
    if policy.may_review_own:
        said.append(f"lets {', '.join(policy.may_review_own)} decide on own proposals")
    state = "withdrawn: " if policy.withdrawn else ""
    return f"{policy.name} in {policy.scope}: {state}{'; '.join(said) or 'nothing'}"
