"""Feed the parsers of MIF with inputs that nobody would write, and watch for exceptions, time and memory.

- Parsers: frontmatter and concept (markdown), JSON-LD, containers, settings and ontology packs, bodies (edges,
  citations, links), zip archives, migration, and a whole validation.
- Inputs are pieces put together at random, and good inputs changed at a few places; a seed gives the same ones.
- `raised` counts exceptions that came out (0), `over_1s` inputs over a second (0); `slowest_s` is the longest that one
  took; `peak_mib` is the process's high-water mark. Where it raised or took long is shown.
- With `--record FILE --until N` it goes on, seed after seed, until every parser has had so many (`bench.fuzz_record`).

python -m bench.mif_fuzz --inputs 1000000 --json
python -m bench.mif_fuzz --inputs 10000 --until 1000000 --record bench/results/mif_fuzz.json
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.fuzz_record import keep_on, summed
from bench.report import emit, parser, peak_mb, progress
from muniment.exchange.archive import members
from muniment.exchange.mif.bundle import of_files, read_path
from muniment.exchange.mif.concept import read_jsonld, read_markdown, schema_issues
from muniment.exchange.mif.container import read_container
from muniment.exchange.mif.links import citations, edges, links, wiki_edges
from muniment.exchange.mif.migrate import migrate
from muniment.exchange.mif.ontology import compose
from muniment.exchange.mif.settings import read_settings
from muniment.exchange.mif.to_claims import item_of, own_claim
from muniment.exchange.mif.validate import validate
from muniment.exchange.opened import OpenFile, Unopened
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
GOOD_JSON = (
    b'{"@context": "https://mif-spec.dev/schema/context.jsonld", "@type": "Concept",\n'
    b'"@id": "urn:mif:550e8400-e29b-41d4-a716-446655440000", "conceptType": "episodic",\n'
    b'"created": "2026-01-15T10:30:00Z", "content": "Body\\n", "tags": ["a"], "title": "A",\n'
    b'"relationships": [{"type": "uses", "target": "/b.md"}], "entities": [{"name": "a", "type": "tool"}],\n'
    b'"temporal": {"validFrom": "2026-01-15", "ttl": "P7D", "decay": {"model": "linear", "halfLife": "P1D"}},\n'
    b'"provenance": {"confidence": 0.5, "sourceType": "user_explicit"}, "extensions": {"x": [1, null]}}'
)
GOOD_CONTAINER = (
    b'{"containerProfileVersion": "0.1.0", "records": [{"kind": "memory", "payload": '
    + GOOD_JSON
    + b'}, {"kind": "document", "payload": {"title": "A", "url": "https://example.org/a"}}]}'
)
GOOD_SETTINGS = {
    "config.yaml": b"mif_version: 1.0.0\ndefault_namespace: _semantic/x\nontologies:\n  - id: a\n    version: 1.0.0\n",
    "entities/person/a.yaml": b"id: a\ntype: person\nname: Ada\naliases: [A]\nproperties: {team: x}\n",
    "namespaces/a.yaml": b"namespace: _semantic/a\ninherits: [_semantic/b]\naccess: {read: [user:a]}\n",
    "shared-agreements/a.yaml": b"namespace: _shared/a\nmembers: [user:a, user:b]\n",
    "muniment.json": b'{"format": "bundle/1", "digest": "sha256:0"}',
}


def drawn(chance: random.Random, pieces: tuple[str, ...], most: int = 30) -> bytes:
    """Pieces put together; sometimes one of them very often."""
    if chance.random() < 0.02:
        return (chance.choice(pieces) * chance.randrange(2_000)).encode()
    return "".join(chance.choice(pieces) for _ in range(chance.randrange(most))).encode()


def mutated(chance: random.Random, good: bytes, pieces: tuple[str, ...] = YAML) -> bytes:
    """A good input, changed at a few places."""
    data = bytearray(good)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        put = chance.choice((b"", bytes([chance.randrange(256)]), chance.choice(pieces).encode()))
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
    good = chance.random() < 0.5
    data = mutated(chance, GOOD_JSON, JSON) if good else drawn(chance, JSON)
    concept, _ = read_jsonld(data, "x.jsonld")
    if concept is not None:
        schema_issues(concept)
        item_of(concept)


def container(chance: random.Random) -> None:
    kind = chance.randrange(4)
    data = drawn(chance, JSON)
    if kind == 0:
        data = b'{"containerProfileVersion": "0.1.0", "records": [' + data + b"]}"
    elif kind > 1:
        data = mutated(chance, GOOD_CONTAINER, JSON)
    for concept in read_container(data, "x", 100_000).concepts:
        schema_issues(concept)
        item_of(concept)


def configuration(chance: random.Random) -> None:
    if chance.random() < 0.5:
        read_settings({name: mutated(chance, data) for name, data in GOOD_SETTINGS.items()})
    else:
        read_settings({name: drawn(chance, YAML) for name in GOOD_SETTINGS})
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
    try:
        for one in members("x.zip", "file:///x.zip", path):
            if isinstance(one, OpenFile):
                one.close()
    except Unopened:
        return


def whole(chance: random.Random) -> None:
    files = {f"{n}.md": mutated(chance, GOOD) for n in "ab"} | {
        ".mif/config.yaml": drawn(chance, YAML)
    }
    validate(of_files(files))
    migrate(files)


PARSERS: dict[str, Callable[[random.Random], None]] = {
    "markdown": markdown,
    "jsonld": document,
    "container": container,
    "configuration": configuration,
    "body": body,
    "archive": archive,
    "whole": whole,
}
FOLDER = Path(tempfile.gettempdir())


def fuzz(label: str, inputs: int, seed: int) -> dict[str, Any]:
    """Run one parser on as many inputs."""
    run = PARSERS[label]
    slowest, over = 0.0, 0
    raised: Counter[str] = Counter()
    for number in range(inputs):
        chance = random.Random(f"{label}/{seed}/{number}")
        start = time.process_time()
        try:
            run(chance)
        except Exception as fault:  # noqa: BLE001 - whatever comes out is what is looked for
            last = traceback.extract_tb(fault.__traceback__)[-1]
            raised[f"{type(fault).__name__} at {Path(last.filename).name}:{last.lineno}"] += 1
        took = time.process_time() - start
        slowest, over = max(slowest, took), over + (took > 1)
        if number % 1000 == 999:
            progress(label, number + 1, inputs)
    return {
        "inputs": inputs, "raised": sum(raised.values()), "over_1s": over, "slowest_s": round(slowest, 4),
        **({"places": dict(raised.most_common(10))} if raised else {}),
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run and print; the exit code is 1 where something came out, took long or was left behind."""
    options = parser(__doc__)
    options.add_argument("--inputs", type=int, default=1_000_000, help="for each parser")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--parser", choices=list(PARSERS), help="only this one")
    options.add_argument("--record", type=Path, help="keep on, and add up in this file")
    options.add_argument("--until", type=int, default=1_000_000, help="inputs a parser there")
    given = options.parse_args(arguments)
    names = [given.parser] if given.parser else list(PARSERS)
    global FOLDER  # noqa: PLW0603 - where archives are put while they are read
    with tempfile.TemporaryDirectory() as name:
        FOLDER = Path(name)
        if given.record:
            result = keep_on(given.record, names, fuzz, given.inputs, given.until)
        else:
            runs = {one: fuzz(one, given.inputs, given.seed) for one in names}
            result = summed({one: {**run, "peak_mib": peak_mb()} for one, run in runs.items()})
        FOLDER = Path(tempfile.gettempdir())
        left = sorted(path.name for path in Path(name).iterdir() if path.name != "x.zip")
    emit({**result, "files_left": left}, given.json)
    return int(bool(result["raised"] or result["over_1s"] or result["peak_mib"] > 512 or left))


if __name__ == "__main__":
    sys.exit(main())
