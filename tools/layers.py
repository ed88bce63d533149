"""Print the order of a package's modules that their imports show, lowest at the bottom.

- The order that the build enforces stands in pyproject.toml (contract `core-order`) and changes only
  when someone changes it: an order that followed every import would forbid none.
- Each module is printed at the lowest place that it can have, in the form of that list. Modules on
  one line may not import one another; `(name)` may be missing.
- `--write` puts the order into the contract, so that a reviewer sees what a new import changes.
- A cycle has no order and is named instead.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_ORDER = re.compile(r'(^id = "core-order"$.*?^layers = \[\n).*?^\]\n', re.MULTILINE | re.DOTALL)


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


def placed(pyproject: str, order: str) -> str:
    """The text of pyproject.toml with another order in its contract `core-order`.

    >>> placed('id = "core-order"\\nlayers = [\\n    "old",\\n]\\n', '    "new",\\n')
    'id = "core-order"\\nlayers = [\\n    "new",\\n]\\n'
    """
    return _ORDER.sub(lambda found: found[1] + order + "]\n", pyproject, count=1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print or write the order; 1 where the modules have none."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.layers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("package", nargs="?", default="muniment.core")
    parser.add_argument("--write", action="store_true", help="put the core's order in its contract")
    options = parser.parse_args(arguments)
    try:
        rows = levels(imports_within("muniment.core" if options.write else options.package))
    except CycleError as error:
        print(f"there is a cycle: {' -> '.join(error.args[1])}", file=sys.stderr)
        return 1
    order = "".join(f'    "{" | ".join(f"({name})" for name in row)}",\n' for row in rows)
    if options.write:
        PYPROJECT.write_text(placed(PYPROJECT.read_text(encoding="utf-8"), order), encoding="utf-8")
    print(order, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
