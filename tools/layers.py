"""Print the order of a package's modules that their imports show, lowest at the bottom.

- The order that the build enforces stands in pyproject.toml (contract `core-order`); it is written
  by hand, since an order that follows every import forbids none. A new module needs a place in it.
- Each module is printed at the lowest place that it can have, in the form of that list. Modules on
  one line may not import one another; `(name)` may be missing.
- A cycle has no order and is named instead.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import grimp


def levels(imports: Mapping[str, frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The modules by the lowest level that each can have, highest first.

    Args:
        imports: What each module imports.

    Raises:
        graphlib.CycleError: Some modules import each other in a circle.

    >>> levels({"claim": frozenset({"ids", "text"}), "ids": frozenset(), "text": frozenset()})
    (('claim',), ('ids', 'text'))
    """
    sorter = TopologicalSorter(imports)
    sorter.prepare()
    rows: list[tuple[str, ...]] = []
    while ready := sorter.get_ready():
        rows.append(tuple(sorted(ready)))
        sorter.done(*ready)
    return tuple(reversed(rows))


def imports_within(package: str) -> dict[str, frozenset[str]]:
    """What each child of the package imports of its siblings, directly or by way of others."""
    graph = grimp.build_graph(package.partition(".")[0], cache_dir=None)
    children = sorted(graph.find_children(package))
    return {
        child.rpartition(".")[2]: frozenset(
            other.rpartition(".")[2]
            for other in children
            if other != child
            and graph.find_shortest_chain(importer=child, imported=other, as_packages=True)
        )
        for child in children
    }


def main(arguments: Sequence[str]) -> int:
    """Print the order of the named package, of the core if none is named; 1 where there is none."""
    package = arguments[0] if arguments else "muniment.core"
    try:
        rows = levels(imports_within(package))
    except CycleError as error:
        print(f"{package} has a cycle: {' -> '.join(error.args[1])}", file=sys.stderr)
        return 1
    for row in rows:
        print(f'    "{" | ".join(f"({name})" for name in row)}",')
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
