"""Run the MIF reference suite: verdicts, round trips, JSON-LD, OKF, and how much of the checklist has a test.

- `verdicts_equal`: files that we accept or reject as the published schema does (run by `jsonschema-rs`, Draft 2020-12,
  formats asserted) on an independent reading of the file (`bench.mif_reference`). A file that is unreadable to both
  counts as rejected by both. Ontology packs are compared by their own schema.
- `roundtrip_equal`: of the accepted concepts, those whose frontmatter and body are the same, type by type and byte by
  byte, after markdown -> JSON-LD text -> markdown without the original at hand; whose second pass is the same bytes;
  and whose file, with the original at hand, comes out as the very bytes that it was.
- `expand_ok`: of the accepted concepts, those that expand with the shipped contexts and no network, to the published
  terms. `okf_ok`: those that, imported as claims and exported again, stand in a bundle that conforms to OKF.
- `checklist_tested`: items of the checklist for which every test named in `tests/exchange/mif/checklist.tsv` is there.

The exit code is 1 where a count falls short.

python -m bench.mif --suite ../shared/mif --json
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

from bench.mif_reference import document_of, pack_of, schema_of
from bench.mif_schema import reference
from bench.report import emit, parser
from muniment.core.claim import Claim
from muniment.core.codec import read
from muniment.core.ids import new_id
from muniment.exchange.mif.bundle import RESERVED, of_files
from muniment.exchange.mif.concept import Concept, read_markdown, schema_issues
from muniment.exchange.mif.contexts import loaded
from muniment.exchange.mif.export_files import bundle_files
from muniment.exchange.mif.project import from_jsonld, same_value, to_jsonld
from muniment.exchange.mif.schema import ontology_problems
from muniment.exchange.mif.to_claims import item_of
from muniment.exchange.mif.validate import validate
from muniment.exchange.mif.write import jsonld, markdown
from muniment.exchange.strict_yaml import load_yaml
from muniment.ports.interchange import Export, Outgoing

ROOT = Path(__file__).parents[1]
ITEMS = 101
_TERM = "https://mif-spec.dev/ns/conceptType"


def verdicts(suite: Path) -> tuple[list[Concept], dict[str, Any]]:
    """The accepted concepts, and both verdicts on every file."""
    oracle, packs = reference(suite / "schema"), _packs(suite / "schema")
    accepted: list[Concept] = []
    differ, files, others = [], 0, _Second(suite / "schema")
    for path in sorted(suite.rglob("*")):
        name = path.relative_to(suite).as_posix()
        if path.name.endswith(".ontology.yaml"):
            loaded_pack = load_yaml(path.read_bytes())
            mine = loaded_pack.ok and not ontology_problems(loaded_pack.value)
            value = pack_of(path.read_bytes())
            theirs = value is not None and packs.is_valid(value)
        elif path.suffix == ".md" and path.name not in RESERVED:
            concept, _ = read_markdown(path.read_bytes(), name)
            mine = concept is not None and not schema_issues(concept)
            document = document_of(path.read_bytes())
            theirs = document is not None and oracle.is_valid(document)
            others.look(name, document, theirs)
            if mine and concept is not None:
                accepted.append(concept)
        else:
            continue
        files += 1
        if mine != theirs:
            differ.append({"file": name, "ours": mine, "reference": theirs})
    result = {"files": files, "verdicts_equal": files - len(differ), "differ": differ}
    return accepted, result | {"jsonschema_differs": others.differ}


def _packs(folder: Path) -> Any:
    import jsonschema_rs

    whole = schema_of(folder, "ontology/ontology.schema.json")
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


class _Second:
    """The `jsonschema` package with its format extra, where it is installed: a second opinion that is only listed."""

    def __init__(self, folder: Path) -> None:
        self.differ: list[str] | None = None
        self._check: Any = None
        try:
            import jsonschema
            from referencing import Registry, Resource
        except ImportError:
            return
        self.differ = []
        part = schema_of(folder, "definitions/entity-reference.schema.json")
        registry = Registry().with_resource(part["$id"], Resource.from_contents(part))
        kind = jsonschema.Draft202012Validator
        self._check = kind(
            schema_of(folder, "mif.schema.json"),
            registry=registry,
            format_checker=kind.FORMAT_CHECKER,
        )

    def look(self, name: str, document: Any, verdict: bool) -> None:
        if self._check is None or self.differ is None or document is None:
            return
        if self._check.is_valid(document) != verdict:
            self.differ.append(name)


def comes_back(concept: Concept) -> bool:
    """Whether a concept is the same after a round trip, in every sense of the module's description."""
    document = json.loads(jsonld(to_jsonld(concept.meta, concept.body)))
    meta, body = from_jsonld(document)
    if body.encode() != concept.body.encode() or not same_value(meta, dict(concept.meta)):
        return False
    once = markdown(meta, body)
    again, _ = read_markdown(once.encode(), concept.file)
    if again is None or markdown(*from_jsonld(to_jsonld(again.meta, again.body))) != once:
        return False
    return markdown(meta, body, concept.parts) == concept.text


def expands(concept: Concept) -> bool:
    """Whether the projection expands offline, to the published terms."""
    from pyld import jsonld as processor

    nodes = processor.expand(json.loads(jsonld(concept.projected())), {"documentLoader": loaded})
    return len(nodes) == 1 and _TERM in nodes[0] and nodes[0]["@id"].startswith("urn:mif:")


def exported(concepts: list[Concept]) -> tuple[int, list[str]]:
    """How many concepts stand in a conformant bundle once they were claims, and what is against it."""
    claims = []
    for number, concept in enumerate(concepts):
        record = {
            **item_of(concept),
            "id": new_id("mem", number, number.to_bytes(10, "big")),
            "scope": {"kind": "project", "id": "suite"},
            "visibility": {"level": "public"},
        }
        claim = read(Claim, record, "", [])
        if claim is not None:
            claims.append(Outgoing(claim))
    files = bundle_files(Export((), tuple(claims))).files
    report = validate(of_files(files))
    wrong = [
        str(i.finding())
        for i in report.issues
        if i.severity == "error" and i.area in ("okf", "schema", "file")
    ]
    wrong += [
        str(i.finding())
        for i in report.issues
        if i.code in ("edge_not_mirrored", "edge_not_declared")
    ]
    return (report.concepts if report.okf and not wrong else 0), wrong


def checklist(table: Path) -> int:
    """Items of which every named test is there."""
    known: dict[str, set[str]] = {}
    count = 0
    for line in table.read_text("utf-8").splitlines()[1:]:
        _, _, named = line.partition("\t")
        tests = [one.split("::") for one in named.split()]
        for file, _ in tests:
            if file not in known:
                tree = ast.parse((table.parent / file).read_text("utf-8"))
                known[file] = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        count += bool(tests) and all(name in known[file] for file, name in tests)
    return count


def main() -> int:
    """Run and print."""
    options = parser(__doc__)
    options.add_argument("--suite", type=Path, default=ROOT / ".." / "shared" / "mif")
    given = options.parse_args()
    if not (given.suite / "schema").is_dir():
        print(f"there is no suite at {given.suite}", file=sys.stderr)
        return 2
    accepted, result = verdicts(given.suite)
    okf, wrong = exported(accepted)
    result |= {
        "accepted": len(accepted),
        "roundtrip_equal": sum(map(comes_back, accepted)),
        "expand_ok": sum(map(expands, accepted)),
        "okf_ok": okf,
        "okf_against": wrong,
        "checklist_items": ITEMS,
        "checklist_tested": checklist(ROOT / "tests" / "exchange" / "mif" / "checklist.tsv"),
    }
    emit(result, given.json)
    whole = all(result[key] == len(accepted) for key in ("roundtrip_equal", "expand_ok", "okf_ok"))
    return 0 if whole and not result["differ"] else 1


if __name__ == "__main__":
    sys.exit(main())
