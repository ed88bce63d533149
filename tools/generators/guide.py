"""What the README and the guide show of the terminal: typed here, printed by the commands themselves.

- Each block is a walk of its own through a fresh repository, so that no block depends on another.
- Where only the answer matters, stderr is left out.
"""

from __future__ import annotations

from pathlib import Path

from tools.walkthrough import FILES, Walk, a_walk, console

_INIT = ("init", "--user", "ada", "--agent", "codex", "--yes")
_ASK = "accept? [a,r,o,e,n,s,A,q,?] "
_TESTS = (
    "recall",
    "how do I run the tests?",
    "--use",
    "choose_local_commands",
    "--budget",
    "400",
)
_BY_CODEX = (
    "remember",
    "Tests run with pytest.",
    "--as",
    "agent:codex",
    "--source",
    "repo:local:shop!/Makefile",
    "--quote",
    "pytest -q",
)


def _learned(walk: Walk) -> None:
    """Everything is set up, learned and accepted."""
    walk.run(*_INIT)
    walk.run("learn")
    walk.run("review", "--accept", "all")


def start(root: Path) -> str:
    """From nothing to an answer."""
    del root
    with a_walk() as walk:
        return console(
            walk.run(*_INIT, quiet=True),
            walk.run("learn", quiet=True),
            walk.run("review", "--accept", "safe", quiet=True),
            walk.run(*_TESTS, quiet=True),
        )


def init(root: Path) -> str:
    """What `init` shows before it does anything."""
    del root
    with a_walk() as walk:
        return console(walk.run(*_INIT))


def inbox(root: Path) -> str:
    """What waits after learning."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        return console(walk.run("learn"), walk.run("inbox"))


def dialogue(root: Path) -> str:
    """A review on a terminal."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        walk.run("learn")
        answers = [(_ASK, "a"), (_ASK, "r"), ("why? ", "money is Money now"), (_ASK, "A")]
        return console(walk.talk("review", answers=answers))


def tombstone(root: Path) -> str:
    """A rejected value, refused, and let in again."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        walk.run(*_BY_CODEX)
        reject = ("--reject", "change_01", "--reason", "we moved to tox")
        rejected = walk.run("review", *reject, quiet=True)
        refused = walk.run(*_BY_CODEX, code=2)
        key = walk.raw.partition("tombstone ")[2][:12]
        lift = ("review", "--lift", key, "--reason", "tox was dropped in June")
        return console(rejected, refused, walk.run(*lift, quiet=True))


def edit(root: Path) -> str:
    """A change that is edited as successor."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        walk.run(*_BY_CODEX)
        better = ("--set", "claim=The unit tests run with pytest.", "--reason", "which tests?")
        return console(walk.run("review", "--edit", "change_01", *better, quiet=True))


def own(root: Path) -> str:
    """What a person remembers waits for another reviewer, unless a policy says otherwise."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        return console(
            walk.run("remember", "Releases are cut on Tuesdays.", quiet=True),
            walk.run("review", "--accept", "change_01", code=2),
            walk.run("policy", "own", "--may-review-own", "user:ada", "--yes"),
            walk.run("review", "--accept", "change_01", quiet=True),
        )


def again(root: Path) -> str:
    """Learning again, before and after an edit."""
    del root
    with a_walk() as walk:
        _learned(walk)
        before = walk.run("learn", quiet=True)
        walk.write("pyproject.toml", FILES["pyproject.toml"].replace("3.11", "3.12"))
        walk.write("AGENTS.md", "# Rules\n\n- Money is `Decimal`, never `float`.\n")
        return console(
            before,
            "$ $EDITOR pyproject.toml AGENTS.md   # Python 3.12; one rule goes",
            walk.run("learn", quiet=True),
            walk.run("inbox", quiet=True),
        )


def protected(root: Path) -> str:
    """A policy that accepts manifest facts from a protected ref."""
    del root
    with a_walk() as walk:
        walk.git("init", "--quiet", "--initial-branch=main")
        walk.git("add", "--all")
        walk.git("commit", "--quiet", "--message=Begin")
        return console(
            walk.run(*_INIT, "--protected-ref", "main", quiet=True),
            walk.run("learn", quiet=True),
            walk.run("inbox", quiet=True),
            walk.run("doctor", quiet=True, head=2),
        )


def uses(root: Path) -> str:
    """One claim and two uses, and a question that nothing answers."""
    del root
    with a_walk() as walk:
        _learned(walk)
        ask = ("recall", "how do I run the tests?")
        return console(
            walk.run(*ask, "--use", "deploy", quiet=True),
            walk.run("recall", "what is the capital of France?", quiet=True),
            walk.run(*ask, "--use", "answer_questions", "--budget", "120", quiet=True),
        )


def conflict(root: Path) -> str:
    """A person and a file disagree."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT, "--review-own")
        walk.run("learn")
        walk.run("review", "--accept", "all")
        fact = ("--fact", "local:shop|requires_python|>=3.10")
        said = walk.run("remember", "The shop requires Python >=3.10.", *fact, quiet=True)
        accepted = walk.run("review", "--accept", "all", quiet=True)
        ask = ("recall", "which python is required?", "--use", "answer_questions", "-k", "2")
        return console(said, accepted, walk.run(*ask, quiet=True))


def history(root: Path) -> str:
    """What a claim was before, and what was known then."""
    del root
    with a_walk() as walk:
        _learned(walk)
        walk.write("pyproject.toml", FILES["pyproject.toml"].replace("3.11", "3.12"))
        walk.run("learn")
        walk.run("review", "--accept", "all")
        ask = ("recall", "which python is required?", "--use", "answer_questions", "-k", "1")
        now = walk.run(*ask, quiet=True)
        claim = walk.raw.partition("\nid: ")[2].split()[0]
        return console(
            now,
            walk.run("history", claim, quiet=True),
            walk.run(*ask, "--as-of", "8", quiet=True),
        )


def erased(root: Path) -> str:
    """Erasing, and what the ledger says before and after."""
    del root
    with a_walk() as walk:
        _learned(walk)
        before = walk.run("verify", quiet=True)
        head = walk.raw.split()[-1]
        walk.run(*_TESTS, quiet=True)
        claim = walk.raw.partition("\nid: ")[2].split()[0]
        return console(
            before,
            walk.run("erase", claim, "--yes", quiet=True),
            walk.run("show", claim, code=3),
            walk.run("verify", "--head", head, quiet=True),
            walk.run("doctor", quiet=True),
        )


def agent(root: Path) -> str:
    """What an agent can do, and what it cannot."""
    del root
    with a_walk() as walk:
        _learned(walk)
        return console(
            walk.run("--as", "agent:codex", *_TESTS, quiet=True),
            walk.run(*_BY_CODEX, quiet=True),
            walk.run("--as", "agent:codex", "review", "--accept", "all", code=4),
            walk.run("--as", "agent:codex", "verify", code=4),
        )


def bad_claim(root: Path) -> str:
    """A claim without boundaries, refused with everything that is wrong with it."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        text = (
            "trigger: {kind: pull_request, state: open}\nchanges:\n"
            "  - operation: add\n    reason: heard it\n    item: {claim: We always use uv here.}\n"
        )
        (walk.shop / "bad.yaml").write_text(text, "utf-8")
        return console("$ cat bad.yaml\n" + text.rstrip(), walk.run("propose", "bad.yaml", code=2))


def show(root: Path) -> str:
    """A claim with its six questions answered."""
    del root
    with a_walk() as walk:
        _learned(walk)
        walk.run(*_TESTS, quiet=True)
        claim = walk.raw.partition("\nid: ")[2].split()[0]
        return console(walk.run("show", claim, quiet=True))


GENERATORS = {
    "start": start,
    "init": init,
    "inbox": inbox,
    "dialogue": dialogue,
    "tombstone": tombstone,
    "edit": edit,
    "own": own,
    "again": again,
    "protected-ref": protected,
    "uses": uses,
    "conflict": conflict,
    "history": history,
    "erased": erased,
    "agent": agent,
    "bad-claim": bad_claim,
    "show": show,
}
