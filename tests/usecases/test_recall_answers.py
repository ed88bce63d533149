"""How well recall answers and abstains, on claims and questions as developers word them.

`recall_questions.yaml` has claims written for it; `recall_repositories.yaml` asks what readers learn from three
repositories. The support threshold and the general words of the ranking policy were set while looking at both, so the
figures show what holds on known questions, not what to expect on new ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from muniment.core.claim import Fact
from muniment.learn.extract import read_file
from tests.usecases.remembered import a_claim, a_world, claims_of

DATA = Path(__file__).parents[1] / "data"


@dataclass
class Figures:
    """Of the questions with an answer, how many have it first and among five; of the others, how many got one."""

    asked: int = 0
    first: int = 0
    among_five: int = 0
    unanswerable: int = 0
    false_answers: int = 0

    def take(self, right: list[bool], answerable: bool) -> None:
        if answerable:
            self.asked += 1
            self.first += right[:1] == [True]
            self.among_five += any(right)
        else:
            self.unanswerable += 1
            self.false_answers += bool(right)


def learned(folder: Path):
    """Claims as the readers word them, with their facts and topics."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        for n, found in enumerate(read_file(name, path.read_bytes()).extracts):
            claim = a_claim(f"{name}#{n:03d}", found.claim, tags=found.topics, steps=found.steps)
            fact = Fact(found.subject or "github:acme/shop", found.predicate, found.value)
            yield replace(claim, facts=(fact,))


def test_the_chosen_questions_are_answered_first_and_no_other_is():
    given = yaml.safe_load((DATA / "recall_questions.yaml").read_text(encoding="utf-8"))
    world, figures = a_world(*claims_of(given["claims"])), Figures()
    for question in given["questions"]:
        packet = world.recall(question["ask"], k=5).packet
        right = [item.claim.id.removeprefix("mem_") in question["answers"] for item in packet.items]
        figures.take(right, bool(question["answers"]))
    assert (figures.asked, figures.unanswerable, figures.false_answers) == (40, 14, 0)
    assert min(figures.first, figures.among_five) >= 37


@pytest.mark.req("E-ABSTAIN")
def test_questions_about_learned_repositories_are_answered_and_no_other_is():
    given = yaml.safe_load((DATA / "recall_repositories.yaml").read_text(encoding="utf-8"))
    figures = Figures()
    for repository, questions in given.items():
        world = a_world(*learned(DATA / "repos" / repository))
        for question in questions:
            packet = world.recall(question["ask"], k=5).packet
            right = [
                any(part in item.claim.claim for part in question["answers"])
                for item in packet.items
            ]
            figures.take(right, bool(question["answers"]))
    assert (figures.asked, figures.unanswerable, figures.false_answers) == (43, 14, 0)
    assert figures.first >= 41
    assert figures.among_five == 43
