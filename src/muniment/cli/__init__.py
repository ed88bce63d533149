"""The command line: `muniment COMMAND`, the same verbs as the library.

- stdout holds the result and nothing else; what was noticed, and who acted, goes to stderr.
- Only the module of the command that was named is imported; colours and bars are loaded where a terminal shows them.
- Exit codes are stable: `muniment.core.errors` and `muniment.cli.codes`, listed in the reference.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name; by default the process's.

    Returns:
        The exit code.
    """
    import sys

    from muniment.cli.run import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
