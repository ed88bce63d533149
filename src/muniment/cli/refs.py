"""Whether a ref that a policy would protect is there."""

from __future__ import annotations

from pathlib import Path

from muniment import wiring
from muniment.cli.call import refusal
from muniment.core.errors import quoted


def require_ref(folder: Path, ref: str) -> None:
    """Refuse a policy on a ref that the repository does not have: it would accept nothing, without a word.

    Raises:
        InvalidInput: No git repository, or no such ref.
    """
    repository = wiring.open_repository(folder)
    if repository.head() is None:
        message = (
            f"{quoted(folder)} is no git repository with a commit, so it has no ref to protect"
        )
        raise refusal("no_ref", message, "--protected-ref", "commit first, or leave the policy out")
    if next(repository.files_at(ref), None) is None:
        message = f"the repository in {quoted(folder)} has no ref {quoted(ref)}"
        fix = "name a branch that others protect, such as `origin/main`"
        raise refusal("no_ref", message, "--protected-ref", fix)
