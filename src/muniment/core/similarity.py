"""What the closeness of two vectors says: how far from chance, and whether it supports an answer.

- A cosine by itself says nothing: in one space unrelated texts have 0.05, in another 0.7. Each space has a
  `Calibration`, measured on pairs that have nothing to do with one another.
- `closeness` orders: 0 where unrelated texts are on average, 1 for the same words.
- `support` is absolute (`E-ABSTAIN`): 0 up to what one in a thousand unrelated pairs reaches, whatever else was
  found; 1 from a third of the way between that and equality on.
- Everything is a whole number in fixed point, the same on every machine (`E-DETERMINISM`).

How vectors are compared in numbers is the index's matter, how signals are fused `rank`'s.

>>> near, far = cosine(bytes([100, 78]), bytes([90, 90])), cosine(bytes([127, 0]), bytes([0, 127]))
>>> near, far
(1040658, 0)
>>> wordllama = CALIBRATIONS[0]
>>> [round(closeness(round(c * ONE), wordllama) / ONE, 2) for c in (-0.2, 0.05, 0.4, 1.0)]
[0.0, 0.0, 0.37, 1.0]
>>> [round(support(round(c * ONE), wordllama) / ONE, 2) for c in (0.39, 0.4, 0.5, 0.6, 1.0)]
[0.0, 0.0, 0.5, 1.0, 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from muniment.core.embedding import Space

ONE = 1 << 20
"""The fixed-point form of 1, as in `rank`."""

CLOSENESS = "closeness of meaning by embedding: 0 where unrelated texts are on average, 1 for the same words"
"""What `closeness` means, for a reader."""

SUPPORT = (
    "support by embedding: 0 up to what one in a thousand unrelated texts reaches, 1 from a third of the way to "
    "equality on"
)
"""What `support` means, for a reader."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where chance ends in one space; fixed-point cosines.

    Attributes:
        space: Where it was measured.
        average: What unrelated pairs have on average.
        noise: What one in a thousand of them reaches.
        measured: On what, when.
    """

    space: Space
    average: int
    noise: int
    measured: str

    @property
    def sure(self) -> int:
        """From here on support is whole: a third of the way from noise to equality."""
        return self.noise + (ONE - self.noise) // 3


CALIBRATIONS = (
    Calibration(
        Space("wordllama/l2_supercat_256", "2df15569175d.words-1", 256),
        52_429,  # 0.05
        419_430,  # 0.40
        "python -m bench.similarity, 2026-11-30: 8,105,254 pairs of a question and a message of another "
        "conversation (LoCoMo): mean 0.049, 99.9 % below 0.390; 868 of a question and a claim of a repository "
        "that does not answer it (tests/data): 0.045 and 0.412",
    ),
)
"""What was measured once and for all."""


def calibration_of(space: Space) -> Calibration | None:
    """The calibration of a space that was measured; None where the space has to be probed (`calibrated`)."""
    return next((each for each in CALIBRATIONS if each.space == space), None)


def cosine(left: bytes, right: bytes) -> int:
    """The cosine of two vectors of signed bytes, fixed point in [-ONE, ONE]; 0 where one is empty or of zeros.

    The same bits as the index's: whole numbers, one root, one quotient, one rounding to the nearest even.

    Raises:
        ValueError: The vectors have different dimensions.
    """
    if not left or not right:
        return 0
    a, b = memoryview(left).cast("b").tolist(), memoryview(right).cast("b").tolist()
    product = sum(x * y for x, y in zip(a, b, strict=True))
    length = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return max(-ONE, min(ONE, round(product * ONE / max(length, 1.0))))


def closeness(similarity: int, calibration: Calibration) -> int:
    """A cosine as a signal that orders, fixed point in [0, ONE]; `CLOSENESS` says what it means."""
    return _between(similarity, calibration.average, ONE)


def support(similarity: int, calibration: Calibration) -> int:
    """A cosine as support for an answer, fixed point in [0, ONE]; `SUPPORT` says what it means."""
    return _between(similarity, calibration.noise, calibration.sure)


def _between(value: int, zero: int, one: int) -> int:
    return max(0, min(ONE, (value - zero) * ONE // max(1, one - zero)))


# --- spaces that nobody measured ------------------------------------------------------------------

_QUESTIONS = """
How do I run the unit tests?
Who is allowed to approve a refund?
What does my sister do for a living?
When does the train to Lyon leave?
Which database holds the customer orders?
Is the swimming pool open on Sunday?
Why did we leave the old message queue?
How much salt goes into the bread dough?
Where can I park near the office?
What is the deadline for the tax return?
Which side of the house gets the morning sun?
How long does the warranty last?
What was the name of her first dog?
Can the drone fly in heavy rain?
Who wrote the soundtrack of that film?
How often should the filter be replaced?
What is the default timeout of the gateway?
Does he take sugar in his coffee?
Which visa do I need for Japan?
How do we name release branches?
What colour did they paint the nursery?
Where are the backups stored?
Did the patient react to penicillin?
How high is the tallest volcano on Mars?
What size of shoe does my son wear?
Which font does the brand guide ask for?
When was the bridge closed to traffic?
How do I renew my library card?
What made the last rocket launch fail?
Who looks after the garden in winter?
Which chapter explains matrix inversion?
How many seats does the theatre have?
"""

_STATEMENTS = """
The sourdough starter lives in the left fridge.
Invoices above ten thousand euros need two signatures.
My brother moved to Oslo to teach the violin.
The nightly job compresses the logs and uploads them.
She is allergic to walnuts.
The choir rehearses on Thursdays in the old chapel.
Pull requests are merged by squash.
Our flight lands shortly after midnight.
The lease of the copier ends in March.
He prefers trains to planes.
Salmon return to the river in autumn.
The parser rejects duplicate keys.
Grandmother's ring is kept in the bank.
The marathon route passes the harbour twice.
Error messages are written in lower case.
We planted three apple trees behind the shed.
The museum shows Dutch paintings until June.
The battery lasts eleven hours on one charge.
The new manager starts after Easter.
Feature flags are removed within a month.
Their wedding was on a beach in Portugal.
The telescope needs a darker sky.
Employees may carry over five days of leave.
The recipe calls for fresh basil and lemon.
The elevator is inspected every spring.
Passwords are hashed with argon2.
The kitten sleeps on the piano.
The novel is set in a lighthouse.
Deliveries arrive at the rear entrance.
The goalkeeper broke his wrist in training.
The API returns amounts in cents.
The tent has room for four people.
"""

QUESTIONS = tuple(_QUESTIONS.strip().splitlines())
"""Questions none of which any of `STATEMENTS` answers."""

STATEMENTS = tuple(_STATEMENTS.strip().splitlines())
"""Statements about other things."""


def calibrated(
    space: Space, questions: Sequence[bytes], statements: Sequence[bytes]
) -> Calibration:
    """Measure a space on the vectors of `QUESTIONS` and `STATEMENTS`: 1,024 pairs that have nothing in common.

    Args:
        space: Where they lie.
        questions: The vectors of `QUESTIONS`.
        statements: The vectors of `STATEMENTS`.
    """
    pairs = sorted(
        cosine(question, statement) for question in questions for statement in statements
    )
    if not pairs:
        return Calibration(space, 0, 0, "on nothing")
    above = len(pairs) // 1_000  # how many pairs may lie above the noise
    average = max(0, sum(pairs) // len(pairs))
    noise = max(average, pairs[-1 - above])
    return Calibration(space, average, noise, f"on {len(pairs)} pairs of unrelated texts")
