"""Feed the parsers of MIF with inputs that nobody would write, and watch for exceptions, time and memory.

- Parsers: frontmatter and concept (markdown), JSON-LD, containers, settings and ontology packs, bodies (edges,
  citations, links), zip archives, migration, and a whole validation.
- Inputs are pieces put together at random, and good inputs changed at a few places; a seed gives the same ones.
- `crashes` counts exceptions that came out (0); `slowest_seconds` is the longest that one input took; `peak_mb` is the
  process's high-water mark. An input over one second, or a crash, is shown.

python -m bench.mif_fuzz --inputs 1000000 --json
"""

from __future__ import annotations

import io
import random
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.report import emit, parser, progress
from muniment.exchange.mif.bundle import of_files, read_path
from muniment.exchange.mif.concept import read_jsonld, read_markdown, schema_issues
from muniment.exchange.mif.container import read_container
from muniment.exchange.mif.links import citations, edges, links, wiki_edges
from muniment.exchange.mif.migrate import migrate
from muniment.exchange.mif.ontology import compose
from muniment.exchange.mif.settings import read_settings
from muniment.exchange.mif.to_claims import item_of, own_claim
from muniment.exchange.mif.validate import validate
from muniment.exchange.strict_yaml import load_yaml

YAML = (
    "---\n",
    "\n---\n",
    "...\n",
    "id: ",
    "type: semantic\n",
    "created: 2026-01-15T10:30:00Z\n",
    "relationships:\n",
    "  - type: ",
    "    target: ",
    "&a ",
    "*a",
    "!!x ",
    "<<: ",
    "|\n",
    ">-\n",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "  ",
    "\t",
    "'",
    '"',
    "\\",
    "# ",
    "\r\n",
    "\ufeff",
    "é",
    "\x00",
    "\x85",
    "? ",
    "%",
    "@id",
    "~",
    ".inf",
    "1e999",
    "9" * 30,
    "temporal: {ttl: P",
    "extensions: ",
    "muniment: {format: claim/1, claim: ",
    "namespace: _shared/",
)  # fmt: skip
JSON = (
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"',
    '"@id"',
    '"@type"',
    '"@context"',
    '"records"',
    '"kind"',
    '"memory"',
    '"payload"',
    '"content"',
    "null",
    "1e9",
    "-0",
    "NaN",
    '"\\u0000"',
    '"\\ud800"',
    "\\",
    "true",
    '"containerProfileVersion"',
    '"muniment:authored"',
    '"{}"',
    " ",
    "é",
    "9" * 30,
)  # fmt: skip
BODY = (
    "## Relationships\n",
    "## Citations\n",
    "- ",
    "* ",
    "uses ",
    "[",
    "](",
    ")",
    "(",
    "/a.md",
    "[[",
    "]]",
    "`",
    "```\n",
    "~~~\n",
    "<!--",
    "-->",
    "\\",
    "\n",
    " ",
    "<",
    ">",
    "#",
    "'x'",
    '"x"',
    "é",
    "\r\n",
    "    ",
)  # fmt: skip
GOOD = (
    b"---\nid: 550e8400-e29b-41d4-a716-446655440000\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n"
    b"namespace: _semantic/x\ntags: [a, b]\nrelationships:\n  - type: uses\n    target: /b.md\n"
    b"temporal:\n  ttl: P7D\n  decay: {model: linear}\n---\n"
    b"\nBody\n\n## Relationships\n\n- uses [B](/b.md)\n"
)


def drawn(chance: random.Random, pieces: tuple[str, ...], most: int = 30) -> bytes:
    """Pieces put together; sometimes one of them very often."""
    if chance.random() < 0.02:
        return (chance.choice(pieces) * chance.randrange(2_000)).encode()
    return "".join(chance.choice(pieces) for _ in range(chance.randrange(most))).encode()


def mutated(chance: random.Random, good: bytes) -> bytes:
    """A good input, changed at a few places."""
    data = bytearray(good)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        put = chance.choice((b"", bytes([chance.randrange(256)]), chance.choice(YAML).encode()))
        data[at : at + chance.choice((0, 1, 8))] = put
    return bytes(data)


def markdown(chance: random.Random) -> None:
    whole = chance.random() < 0.5
    data = (
        mutated(chance, GOOD)
        if whole
        else b"---\n" + drawn(chance, YAML) + b"\n---\n" + drawn(chance, BODY)
    )
    concept, _ = read_markdown(data, "x.md")
    if concept is not None:
        schema_issues(concept)
        item_of(concept)
        own_claim(concept)


def document(chance: random.Random) -> None:
    data = drawn(chance, JSON)
    concept, _ = read_jsonld(data, "x.jsonld")
    if concept is not None:
        schema_issues(concept)
        item_of(concept)


def container(chance: random.Random) -> None:
    read_container(
        b'{"containerProfileVersion": "0.1.0", "records": [' + drawn(chance, JSON) + b"]}",
        "x",
        100_000,
    )
    read_container(drawn(chance, JSON), "x", 100_000)


def configuration(chance: random.Random) -> None:
    names = (
        "config.yaml",
        "entities/person/a.yaml",
        "namespaces/a.yaml",
        "shared-agreements/a.yaml",
        "muniment.json",
    )
    read_settings({name: drawn(chance, YAML) for name in names})
    loaded = load_yaml(b"entity_types: [{name: a, base: semantic, " + drawn(chance, YAML) + b"}]")
    compose([("p", loaded.value)])


def body(chance: random.Random) -> None:
    text = drawn(chance, BODY, 80).decode()
    for read in (edges, citations, links, wiki_edges):
        read(text)


def archive(chance: random.Random) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name in {
            chance.choice(("a.md", "x/b.md", "../c.md", ".mif/config.yaml", "index.md"))
            for _ in range(2)
        }:
            opened.writestr(name, mutated(chance, GOOD))
    data = bytearray(buffer.getvalue())
    for _ in range(chance.randrange(4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path = FOLDER / "x.zip"
    path.write_bytes(data)
    read_path(path)


def whole(chance: random.Random) -> None:
    files = {f"{n}.md": mutated(chance, GOOD) for n in "ab"} | {
        ".mif/config.yaml": drawn(chance, YAML)
    }
    validate(of_files(files))
    migrate(files)


PARSERS: tuple[tuple[str, Callable[[random.Random], None], int], ...] = (
    ("markdown", markdown, 1),
    ("jsonld", document, 1),
    ("container", container, 1),
    ("configuration", configuration, 1),
    ("body", body, 1),
    ("archive", archive, 20),
    ("whole", whole, 4),
)  # fmt: skip
"""Name, what is run, and by how much fewer inputs it gets (it takes that much longer)."""
FOLDER = Path(tempfile.gettempdir())


def fuzz(
    run: Callable[[random.Random], None], inputs: int, seed: int, label: str
) -> dict[str, Any]:
    """Run one parser on as many inputs."""
    slowest, crashes, shown = 0.0, 0, []
    for number in range(inputs):
        chance = random.Random(f"{label}/{seed}/{number}")
        start = time.process_time()
        try:
            run(chance)
        except Exception as fault:  # noqa: BLE001 - whatever comes out is what is looked for
            crashes += 1
            shown.append({"input": number, "fault": repr(fault)[:300]})
        took = time.process_time() - start
        if took > 1:
            shown.append({"input": number, "seconds": round(took, 2)})
        slowest = max(slowest, took)
        if number % 1000 == 999:
            progress(label, number + 1, inputs)
    return {
        "inputs": inputs,
        "crashes": crashes,
        "slowest_seconds": round(slowest, 3),
        "shown": shown[:10],
    }


def main() -> int:
    """Run and print; the exit code is 1 where something came out or took long."""
    options = parser(__doc__)
    options.add_argument("--inputs", type=int, default=1_000_000, help="for each parser")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--parser", choices=[name for name, _, _ in PARSERS], help="only this one")
    given = options.parse_args()
    global FOLDER  # noqa: PLW0603 - where archives are put while they are read
    with tempfile.TemporaryDirectory() as name:
        FOLDER = Path(name)
        found = {
            label: fuzz(run, max(given.inputs // fewer, 1), given.seed, label)
            for label, run, fewer in PARSERS
            if given.parser in (None, label)
        }
        left = sorted(path.name for path in Path(name).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    crashes = sum(one["crashes"] for one in found.values())
    slowest = max(one["slowest_seconds"] for one in found.values())
    result = {
        "crashes": crashes,
        "slowest_seconds": slowest,
        "peak_mb": round(peak),
        "by_parser": found,
    }
    emit({**result, "files_left": [one for one in left if one != "x.zip"]}, given.json)
    return 1 if crashes or slowest > 1 or peak > 512 else 0


if __name__ == "__main__":
    sys.exit(main())
