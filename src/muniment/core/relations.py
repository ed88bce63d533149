"""The relation map: which predicates exist, what else they are called, and how many values they hold.

- A single-valued predicate with two values for one subject, in overlapping time and scope, is a conflict.
- An alias is read as its predicate; an inverse or symmetric relation is declared, never guessed.
- A predicate that is not declared holds many values: silence never makes a conflict.

>>> relation("python_version").single
True
>>> relation("runs_on_python").name
'requires_python'
>>> relation("invented").single
False
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """One predicate and how it behaves.

    Attributes:
        name: snake_case.
        single: Whether a subject has at most one value at a time.
        aliases: Other names that are read as this one.
        inverse: The predicate that says the same from the other side, if declared.
        symmetric: Whether subject and object may change places.
        meaning: One line.
    """

    name: str
    single: bool = False
    aliases: tuple[str, ...] = ()
    inverse: str = ""
    symmetric: bool = False
    meaning: str = ""


RELATIONS = (
    Relation(
        "requires_python", True, ("runs_on_python",), meaning="versions of Python that it runs on"
    ),
    Relation("python_version", True, meaning="the version of Python that developers use"),
    Relation("node_version", True, meaning="the version of Node that developers use"),
    Relation(
        "uses_package_manager", True, ("package_manager",), meaning="what installs its packages"
    ),
    Relation("build_backend", True, meaning="what builds it"),
    Relation("licensed_under", True, ("license",), meaning="its licence"),
    Relation("default_branch", True, meaning="the branch that others start from"),
    Relation("maintains", inverse="maintained_by", meaning="who looks after what"),
    Relation("maintained_by", inverse="maintains", meaning="what is looked after by whom"),
    Relation("owned_by", inverse="owns", meaning="who answers for a path"),
    Relation("owns", inverse="owned_by", meaning="the path that somebody answers for"),
    Relation("depends_on", inverse="required_by", meaning="what it needs"),
    Relation("required_by", inverse="depends_on", meaning="what needs it"),
    Relation("uses", aliases=("uses_tool",), meaning="what it is worked on with"),
    Relation("part_of", inverse="has_part", meaning="the whole that it belongs to"),
    Relation("has_part", inverse="part_of", meaning="what belongs to it"),
    Relation("related_to", symmetric=True, meaning="what it has to do with"),
)


def relation(name: str, declared: tuple[Relation, ...] = RELATIONS) -> Relation:
    """The declared relation of this name or alias; one with many values where none is declared."""
    for known in declared:
        if name == known.name or name in known.aliases:
            return known
    return Relation(name)
