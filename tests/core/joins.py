"""A join that is too simple to be wrong: every fact tried for every pattern, every set of claims kept or not."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from muniment.core.query import Atom, Query, Variable, oriented

NAMES = ("a", "b", "c")
VARIABLES = tuple(Variable(name) for name in "xyzw")
PREDICATES = ("uses", "part_of", "has_part", "related_to")
CLAIMS = ("m1", "m2", "m3", "m4")
FACTS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(PREDICATES), st.sampled_from(NAMES), st.sampled_from(CLAIMS)),
    max_size=7,
)  # fmt: skip
TERMS = st.sampled_from((*VARIABLES, *VARIABLES, *NAMES))
ATOMS = st.lists(st.builds(Atom, TERMS, st.sampled_from(PREDICATES), TERMS), min_size=1, max_size=4)


@st.composite
def queries(draw) -> Query:
    where = tuple(draw(ATOMS))
    bound = list(dict.fromkeys(t for a in where for t in a.terms if isinstance(t, Variable)))
    kept = draw(st.lists(st.sampled_from(bound), unique=True)) if bound else []
    return Query(where, tuple(kept))


def brute_force(query: Query, facts) -> dict[tuple[str, ...], set[frozenset[str]]]:
    """Each answer with its minimal proofs."""
    turned = [(*oriented(s, p, o), claim) for s, p, o, claim in facts]
    turned += [(o, p, s, claim) for s, p, o, claim in facts if p == "related_to"]
    found: dict[tuple[str, ...], set[frozenset[str]]] = {}
    for chosen in product(turned, repeat=len(query.where)):
        binding = bind(query, chosen)
        if binding is not None:
            values = tuple(binding[variable] for variable in query.select)
            found.setdefault(values, set()).add(frozenset(claim for *_, claim in chosen))
    return {
        values: {one for one in sets if not any(other < one for other in sets)}
        for values, sets in found.items()
    }


def bind(query: Query, chosen) -> dict[Variable, str] | None:
    """What the variables are where the facts are those of the patterns, in order; None where they are not."""
    binding: dict[Variable, str] = {}
    for atom, (subject, predicate, object, _) in zip(query.where, chosen, strict=True):
        s, p, o = oriented(atom.subject, atom.predicate, atom.object)
        if p != predicate:
            return None
        for term, value in ((s, subject), (o, object)):
            if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
                return None
    return binding
