"""What the guide shows can be done: its diff is proposed, its commands and options exist."""

from __future__ import annotations

import functools
import json
import re
import shlex

import pytest

from muniment.cli.catalog import COMMANDS, GROUPS
from tests.docs.pages import PAGES, ROOT, name_of
from tools.generators.cli import _help
from tools.walkthrough import Names, a_walk

GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
NAMES = {name for name, _, _ in COMMANDS}
VALUED = {"--as", "--store", "--profile", "--tenant", "--scope"}
# After the name of the program: options with their values, then a command.
CALL = re.compile(r"(?<![/\w.`-])(?:`|\$ |^ *)muniment((?: [^`\n#]+)?)", re.MULTILINE)


def calls(text):
    """Every command line of a page that begins with `muniment`, in code spans and blocks."""
    return [match[1].strip() for match in CALL.finditer(re.sub(r"\n *(?=--)", " ", text))]


def words(call):
    try:
        return shlex.split(call)
    except ValueError:  # cut in the middle of a quotation
        return call.split()


def unknown(call):
    """What of a command line does not exist."""
    given = words(call)
    while given and given[0] in VALUED | {"--json"}:
        given = given[1 if given[0] == "--json" else 2 :]
    command = given[0] if given else "--help"
    if command.startswith("-"):
        return [one for one in given if one.startswith("--") and one not in help_of("")]
    if not re.fullmatch(r"[a-z]+", command):
        return []
    if command not in NAMES:
        return [command]
    if command in GROUPS and given[1:] and given[1] in GROUPS[command]:
        command, given = f"{command} {given[1]}", given[1:]
    options = [one.partition("=")[0] for one in given[1:] if re.fullmatch(r"--[a-z-]+(=.*)?", one)]
    return [one for one in options if not re.search(rf"(?m)(^|\s){one}\b", help_of(command))]


@functools.cache
def help_of(command):
    return _help(*command.split())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_and_option_that_the_page_shows_exists(page):
    found = {call: wrong for call in calls(page.read_text("utf-8")) if (wrong := unknown(call))}
    assert found == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("run `muniment lern .`", ["lern"]),
        ("run `muniment learn . --forcefully`", ["--forcefully"]),
        ("```console\n$ muniment --as agent:x recal\n```", ["recal"]),
        ('run `muniment --json recall "how?" --use deploy -k 3`', []),
    ],
)
def test_a_command_or_option_that_does_not_exist_is_found(text, wrong):
    (call,) = calls(text)
    assert unknown(call) == wrong


def test_the_commands_of_the_guide_are_looked_at():
    seen = {
        word for page in GUIDE for call in calls(page.read_text("utf-8")) for word in words(call)
    }
    assert {"init", "learn", "review", "recall", "remember", "propose", "erase", "policy"} <= seen


def test_the_diff_of_the_guide_is_proposed_without_a_word_and_can_be_accepted():
    page = (ROOT / "docs/guide/2-claims-and-boundaries.md").read_text("utf-8")
    (diff,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    with a_walk() as walk:
        walk.run("init", "--user", "ada", "--review-own", "--yes")
        walk.write("diff.yaml", diff)
        walk.run("propose", "diff.yaml", "--json", quiet=True)
        assert [f["code"] for f in json.loads(walk.raw)["findings"]] == []
        accepted = walk.run("review", "--accept", "change_01,change_02", quiet=True)
        assert accepted.endswith("2 accepted")
        walk.run(
            "recall",
            "which refund needs a second signature?",
            "--use",
            "answer_questions",
            quiet=True,
        )
        assert "A refund of more than 100 EUR needs a second signature." in walk.raw


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_a_page_of_the_guide_ends_with_its_rule(page):
    *_, last = page.read_text("utf-8").strip().split("\n\n")
    assert last.startswith("**The rule: ")
    assert last.endswith("**")


def test_two_mentions_of_one_random_name_stay_recognisable():
    one, other = "mem_01m8nqey96fmkt5pampx3teg90", "mem_01m8nqey98efxa56gwhjmsxdqw"
    assert Names().plain(f"{one} {other} {one}") == "mem_01…a mem_01…b mem_01…a"
