"""Every command, where it lives, and one line about it; read without importing any of them.

>>> module_of("recall"), module_of("nonsense")
('recall', None)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("init", "init", "Make a profile, a store and a reviewer's credential; add a repository."),
    ("learn", "learn", "Read a repository's own files and propose what changed."),
    ("reread", "learn", "Go back to the sources of claims and propose what follows."),
    ("inbox", "review", "List what waits for review."),
    ("review", "review", "Decide changes one by one, in a dialogue or by options."),
    ("recall", "recall", "Answer a question from memory, within a token budget."),
    ("query", "query", "Join facts: every answer with its proofs, or why there is none."),
    ("graph", "graph", "Write claims as an RDF graph."),
    ("revalidate", "revalidate", "Ask again what a certificate answers, and say what changed."),
    ("remember", "propose", "Propose one claim."),
    ("propose", "propose", "Propose a diff from a file."),
    ("report", "propose", "Say that a memory was wrong, outdated or useful: a proposal."),
    ("narrow", "consolidate", "Propose that fewer may see a claim, and what rests on it."),
    ("consolidate", "consolidate", "Propose one memory made of several, or list which could be."),
    ("note", "note", "Keep notes that end by themselves; propose what should last."),
    ("bridge", "bridge", "Propose that a phrase of queries may be rewritten to another."),
    ("import", "bring", "Propose what files of other memories say."),
    (
        "export",
        "bring",
        "Write claims as a MIF bundle, in another format, or into a block of a file.",
    ),
    ("sync", "sync", "Keep a folder of concepts, in git for instance, and the store together."),
    ("show", "look", "Show a claim with its six questions answered."),
    ("history", "look", "Show every version of a claim."),
    ("why", "look", "Say why a claim is there, what became of a diff, how a recall answered."),
    ("conflicts", "look", "List contradictions and their sides."),
    (
        "mcp",
        "mcp",
        "Serve memory to an agent over the Model Context Protocol, on stdin and stdout.",
    ),
    ("connect", "connect", "Write an agent host's settings so that it has memory, or undo it."),
    ("hook", "hook", "What an agent's host runs at a session's beginning and end."),
    ("overview", "overview", "Look over memory: how much, how fresh, what ends and what waits."),
    ("principal", "declare", "List principals, or declare one."),
    ("group", "declare", "List groups, or declare one's members."),
    ("role", "declare", "List roles, or give them to a principal."),
    ("policy", "declare", "List policies, or declare or withdraw one."),
    ("retain", "retain", "Say how long claims and retrievals are kept, and do what is due."),
    ("serve", "serve", "Serve memory over HTTP, with the review page."),
    ("token", "token", "List tokens, or make, rotate or revoke one."),
    ("erase", "keep", "Erase a claim's content everywhere."),
    ("verify", "keep", "Check the ledger, against a kept head."),
    ("embed", "embed", "Declare what embeds texts, and embed what has no vector."),
    ("doctor", "keep", "Look the store over, and rebuild what is derived."),
    ("restore", "restore", "Bring back an export of your own, with its review states."),
    ("mif", "mif", "Validate a MIF or OKF bundle, migrate an old one, or make its JSON-LD."),
    ("ontology", "words", "Show the vocabulary, or its hash."),
    ("completion", "words", "Print the shell's completion script."),
    ("version", "words", "Print the version."),
)


GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"note": ("put", "list", "get", "end", "propose")}
)
"""Commands that are made of others, which are named after them."""


def module_of(name: str) -> str | None:
    """The module of a command, below `muniment.cli.commands`."""
    return next((module for command, module, _ in COMMANDS if command == name), None)
