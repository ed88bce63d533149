r"""Rewrite the generated parts of the documentation, or tell which are out of date.

- A generated part stands in README.md or docs/**/*.md between two comments, each on its own line:
  `<!-- generated: NAME -->` and `<!-- end -->`. All else in the page is left byte for byte.
- NAME is a key of `GENERATORS` in some module of `tools/generators/`; modules are found by
  themselves. A generator takes the project's root and returns markdown.
- A name that no generator has, a generator that no page shows, a name that two modules have and a
  block without its end are errors: what is generated is shown, and what is shown is generated.

`--check` writes nothing and exits 1 where a page would change.

>>> fill("a\n<!-- generated: n -->\nold\n<!-- end -->\nb\n", {"n": "new\n"})
'a\n<!-- generated: n -->\n\nnew\n\n<!-- end -->\nb\n'
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import tools.generators

ROOT = Path(__file__).resolve().parents[1]
Generator = Callable[[Path], str]
_BLOCK = re.compile(
    r"^<!-- generated: (?P<name>[\w-]+) -->$(?P<body>.*?)^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)
_OPENING = re.compile(r"^<!-- generated: ([\w-]+) -->$", re.MULTILINE)


class GendocsError(Exception):
    """A page and the generators do not fit together."""


def fill(text: str, parts: Mapping[str, str]) -> str:
    """The page with every generated block's body replaced.

    Args:
        text: A page.
        parts: Markdown by block name.

    Raises:
        GendocsError: A block's name is in no generator, or a block has no end.
    """
    blocks = [match["name"] for match in _BLOCK.finditer(text)]
    if blocks != _OPENING.findall(text):
        raise GendocsError("a generated block has no `<!-- end -->` line of its own")
    for name in blocks:
        if name not in parts:
            raise GendocsError(f"no generator is called `{name}`: add one to tools/generators/")

    def block(match: re.Match[str]) -> str:
        body = parts[match["name"]].strip("\n")
        return f"<!-- generated: {match['name']} -->\n\n{body}\n\n<!-- end -->"

    return _BLOCK.sub(block, text)


def discover() -> dict[str, Generator]:
    """Every generator of every module in `tools/generators`, by block name.

    Raises:
        GendocsError: Two modules have one name.
    """
    found: dict[str, Generator] = {}
    for module in pkgutil.iter_modules(tools.generators.__path__, "tools.generators."):
        named: Mapping[str, Generator] = importlib.import_module(module.name).GENERATORS
        for name, generator in named.items():
            if name in found:
                raise GendocsError(f"two generators are called `{name}`: rename one")
            found[name] = generator
    return found


def pages(root: Path) -> tuple[Path, ...]:
    """The pages that may hold generated parts, in a fixed order."""
    return (root / "README.md", *sorted((root / "docs").rglob("*.md")))


def outdated(root: Path) -> dict[Path, str]:
    """The pages that differ from what the generators say, each with its new text.

    Raises:
        GendocsError: Pages and generators do not fit together.
    """
    texts = {page: page.read_text(encoding="utf-8") for page in pages(root) if page.is_file()}
    shown = {name for text in texts.values() for name in _OPENING.findall(text)}
    generators = discover()
    if unseen := sorted(set(generators) - shown):
        raise GendocsError(f"no page shows `{unseen[0]}`: give it a block, or remove it")
    parts = {name: generators[name](root) for name in shown if name in generators}
    changed: dict[Path, str] = {}
    for page, text in texts.items():
        try:
            new = fill(text, parts)
        except GendocsError as error:
            raise GendocsError(f"{page.relative_to(root)}: {error}") from error
        if new != text:
            changed[page] = new
    for name, generator in files().items():
        page, new = root / name, generator(root)
        if not page.is_file() or page.read_text(encoding="utf-8") != new:
            changed[page] = new
    return changed


def files() -> dict[str, Generator]:
    """Files that are generated whole, pictures for example, by their place below the root."""
    found: dict[str, Generator] = {}
    for module in pkgutil.iter_modules(tools.generators.__path__, "tools.generators."):
        found |= getattr(importlib.import_module(module.name), "WHOLE_FILES", {})
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write what is out of date, or with `--check` only tell; 0 where all is well."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.gendocs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if outdated")
    options = parser.parse_args(arguments)
    try:
        changed = outdated(ROOT)
    except GendocsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for page, text in changed.items():
        print(f"{'outdated' if options.check else 'written'}: {page.relative_to(ROOT)}")
        if not options.check:
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
    if changed and options.check:
        print("run `make docs`", file=sys.stderr)
    return 1 if changed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
