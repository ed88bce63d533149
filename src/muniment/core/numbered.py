"""A query's patterns by numbers, and the facts of one of them by what a state binds: what makes a join quick.

- Every term has a number. Literals come first, and their keys are a state's first ones: a literal is bound from the
  beginning.
- A pattern that is given twice, or from both sides, is one.

Which pattern comes next is the join's to choose.

>>> query, _ = read_query({"where": [["?who", "maintains", "shop"], ["shop", "maintained_by", "?who"]]})
>>> numbered = Numbered(query)
>>> numbered.literals, numbered.atoms
(('shop',), [Bound(predicate='maintained_by', subject=0, object=1, variables=(1,))])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from muniment.core.patterns import Key
from muniment.core.query import Query, Term, Variable, oriented, read_query

_ = read_query  # named by the doctest

State = tuple[Key, ...]
"""The keys of the literals, then of the variables that are bound, in the order in which they were."""
Counts = dict[tuple[Key, Key], int]
"""How many claims carry each fact, by subject and object."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A pattern by the numbers of its terms.

    Attributes:
        predicate: Its name.
        subject: The number of its subject.
        object: The number of its object.
        variables: The numbers of its variables, each once.
    """

    predicate: str
    subject: int
    object: int
    variables: tuple[int, ...]


class Numbered:
    """A query by numbers.

    Attributes:
        numbers: Each term's number.
        literals: The literals, in the order of their numbers.
        atoms: The patterns.
    """

    def __init__(self, query: Query) -> None:
        """Number the terms."""
        atoms = list(dict.fromkeys(oriented(a.subject, a.predicate, a.object) for a in query.where))
        terms = [term for subject, _, object in atoms for term in (subject, object)]
        self.literals = tuple(dict.fromkeys(term for term in terms if isinstance(term, str)))
        variables = dict.fromkeys(term for term in terms if isinstance(term, Variable))
        every: tuple[Term, ...] = (*self.literals, *variables)
        self.numbers: dict[Term, int] = {term: number for number, term in enumerate(every)}
        self.atoms = [self._bound(*one) for one in atoms]

    def _bound(self, subject: Term, predicate: str, object: Term) -> Bound:
        ends = self.numbers[subject], self.numbers[object]
        variables = tuple(n for n in dict.fromkeys(ends) if n >= len(self.literals))
        return Bound(predicate, *ends, variables)


@dataclass(slots=True)
class Group:
    """Facts that agree in their bound ends: what each adds to a state, and how many claims carry them."""

    more: list[State]
    count: int = 0


def grouped(held: Counts, atom: Bound, new: Sequence[int]) -> dict[Any, Group]:
    """Facts by those of their ends that are bound; of one variable at both ends, only facts with equal ends add.

    Args:
        held: The facts.
        atom: Their pattern.
        new: The variables that they bind.

    >>> grouped({("ana", "shop"): 1, ("bo", "shop"): 2}, Bound("maintains", 1, 0, (1,)), [1])
    {'shop': Group(more=[('ana',), ('bo',)], count=3)}
    """
    reflexive = atom.subject == atom.object
    free_subject, free_object = atom.subject in new, atom.object in new
    found: dict[Any, Group] = {}
    place: Any
    more: State
    for (subject, object), count in held.items():
        if free_subject:
            place = () if free_object else object
            more = (subject,) if reflexive or not free_object else (subject, object)
        elif free_object:
            place, more = subject, (object,)
        else:
            place, more = (subject, object), ()
        group = found.get(place)
        if group is None:
            group = found[place] = Group([])
        group.count += count
        if not reflexive or subject == object:
            group.more.append(more)
    return found


def nowhere(state: State) -> State:
    """The place of every state for a pattern of which no end is bound."""
    return ()
