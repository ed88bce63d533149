"""What a query with proofs costs at a million facts, beside hand-written SQL, DuckDB and an RDF store.

    python -m bench.joins --facts 1000000 --json

- One store with claims that carry the facts, ten each; `Memory.query` is called whole: snapshot, visibility,
  eligibility, join, contradictions, proofs, texts.
- Beside it the same facts as bare rows: SQLite with an index for either end, DuckDB and pyoxigraph (where they are
  installed), each with the same question by hand. They check nothing and prove nothing; all rows have to agree.
- Each question has many instances; every engine answers all of them twice, in rounds that take turns. Times are of the
  second answer; `first_p50_ms` is of the first, for which pages and the texts of values have to be read.
- Python's collector is kept from looking through the world of the measurement itself.
- `bounds_ms` is the time until a question that is too wide is refused.

Facts that several claims share a word for word are not here: each fact is carried once.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import report
from muniment import Memory
from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Fact, Freshness, Review
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.query import Query, Variable
from muniment.core.query_text import parse_query
from muniment.core.record import with_normal_visibility
from muniment.core.source import Source
from muniment.wiring import open_store

SCOPE = Scope("organization", "acme")
WHO = "user:ada"
NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
BATCH = 2_000
QUESTIONS = {
    "2": "?who maintains ?repo, ?repo uses {tool}",
    "3": "?who maintains ?repo, ?repo uses {tool}, ?repo part_of {org}",
    "6": "?who maintains ?a, ?a depends_on ?b, ?b uses {tool}, ?b part_of ?org, ?org owned_by ?owner, ?a part_of {org}",
    "cyclic": "{repo} depends_on ?b, ?b depends_on ?c, ?c depends_on {repo}",
}  # fmt: skip
TOO_WIDE = (
    "?a depends_on ?b, ?c depends_on ?d",
    "?a depends_on ?a",
    "?a depends_on ?b, ?b depends_on ?a",
    "?a depends_on ?b, ?b depends_on ?c, ?c depends_on ?a",
)


class World:
    """Facts of an organisation: who maintains what, what it uses, is part of and depends on."""

    def __init__(self, facts: int) -> None:
        draw = random.Random(7)
        self.repos = max(facts // 33, 300)  # fewer would all depend on one another
        self.tools, self.orgs = max(self.repos // 15, 4), max(self.repos // 60, 3)
        self.facts: list[tuple[str, str, tuple[str, ...]]] = []
        for n in range(self.repos):
            repo = f"repo{n}"
            self.facts.append((repo, "maintained_by", (f"user{draw.randrange(self.repos)}",)))
            self.facts.append((repo, "uses", (f"tool{draw.randrange(self.tools)}",)))
            self.facts.append((repo, "part_of", (f"org{draw.randrange(self.orgs)}",)))
            others = draw.sample(range(self.repos), 30)
            for at in range(0, 30, 10):
                wanted = tuple(f"repo{other}" for other in others[at : at + 10])
                self.facts.append((repo, "depends_on", wanted))
        self.facts += [
            (f"org{n}", "owned_by", (f"user{draw.randrange(50)}",)) for n in range(self.orgs)
        ]

    def triples(self) -> Iterator[tuple[str, str, str]]:
        """Every fact by itself."""
        return ((s, p, o) for s, p, objects in self.facts for o in objects)

    def instances(self, name: str, count: int) -> list[Query]:
        """A question about different things, the same in every run."""
        draw = random.Random(name)
        made = []
        for _ in range(count):
            given = {
                "tool": f"tool{draw.randrange(self.tools)}",
                "org": f"org{draw.randrange(self.orgs)}",
                "repo": f"repo{draw.randrange(self.repos)}",
            }
            query, findings = parse_query(QUESTIONS[name].format(**given))
            assert query is not None, findings
            made.append(query)
        return made


def fill(path: Path, world: World) -> int:
    """Write the claims; returns how many."""
    store = open_store(path, _numbers())
    audience = Visibility("public")
    for start in range(0, len(world.facts), BATCH):
        with store.transaction("default") as transaction:
            events = []
            for number, (s, p, objects) in enumerate(world.facts[start : start + BATCH], start):
                claim = with_normal_visibility(
                    Claim(
                        f"mem_{number:026}",
                        f"{s} {p.replace('_', ' ')} {', '.join(objects)}.",
                        SCOPE,
                        Source("file", "observation", "file:///facts.csv", NOON),
                        audience,
                        facts=tuple(Fact(s, p, o) for o in objects),
                        review=Review("accepted", "user:rita", NOON),
                        freshness=Freshness("current", NOON, None, "reread"),
                        allowed_uses=("answer_questions",),
                        created_at=NOON,
                        version=1,
                    )
                )
                cls = transaction.declare_class(SCOPE, claim.visibility.audience)
                events.append(Event("claim", claim.id, encode(claim), claim.id, (claim.id,), cls))
            transaction.append(events, NOON)
        report.progress("claims", min(start + BATCH, len(world.facts)), len(world.facts))
    store.close()
    return len(world.facts)


def _numbers() -> Callable[[int], bytes]:
    draw = random.Random(1)
    return draw.randbytes


# --- the same question by hand --------------------------------------------------------------------

Rows = set[tuple[str, ...]]
Ask = Callable[[Query], Rows]


def sql_of(query: Query) -> tuple[str, list[str]]:
    """A join over a table `fact (subject, predicate, object)`, literals as parameters."""
    bound: dict[Variable, str] = {}
    where, given = [], []
    for number, atom in enumerate(query.where):
        where.append(f"f{number}.predicate = ?")
        given.append(atom.predicate)
        for end, term in (("subject", atom.subject), ("object", atom.object)):
            column = f"f{number}.{end}"
            if isinstance(term, str):
                where.append(f"{column} = ?")
                given.append(term)
            elif term in bound:
                where.append(f"{column} = {bound[term]}")
            else:
                bound[term] = column
    tables = ", ".join(f"fact f{number}" for number in range(len(query.where)))
    columns = ", ".join(bound[variable] for variable in query.select)
    return f"SELECT DISTINCT {columns} FROM {tables} WHERE {' AND '.join(where)}", given


def sqlite(path: Path, world: World) -> Ask:
    """SQLite with a covering index for either end."""
    import apsw

    database = apsw.Connection(str(path))
    database.execute("CREATE TABLE fact (subject, predicate, object)")
    with database:
        database.executemany("INSERT INTO fact VALUES (?, ?, ?)", stated(world))
    database.execute("CREATE INDEX by_subject ON fact (predicate, subject, object)")
    database.execute("CREATE INDEX by_object ON fact (predicate, object, subject)")
    database.execute("ANALYZE")
    return lambda query: {tuple(row) for row in database.execute(*sql_of(query))}


def duckdb(path: Path, world: World) -> Ask | None:
    """DuckDB, where it is installed."""
    try:
        import duckdb as engine
    except ImportError:
        return None
    database = engine.connect()
    rows = path.with_suffix(".csv")
    rows.write_text("".join(f"{s},{p},{o}\n" for s, p, o in stated(world)), "utf-8")
    names = "columns={'subject': 'VARCHAR', 'predicate': 'VARCHAR', 'object': 'VARCHAR'}"
    database.execute(
        f"CREATE TABLE fact AS SELECT * FROM read_csv('{rows}', header=false, {names})"
    )
    database.execute("CREATE INDEX by_subject ON fact (subject)")
    database.execute("CREATE INDEX by_object ON fact (object)")
    return lambda query: set(database.execute(*sql_of(query)).fetchall())


def oxigraph(path: Path, world: World) -> Ask | None:
    """Pyoxigraph, where it is installed."""
    try:
        import pyoxigraph as engine
    except ImportError:
        return None
    store = engine.Store()
    store.bulk_extend(
        engine.Quad(*(engine.NamedNode(f"x:{term}") for term in triple)) for triple in stated(world)
    )

    def written(term: Any) -> str:
        return f"<x:{term}>" if isinstance(term, str) else str(term)

    def ask(query: Query) -> Rows:
        where = " . ".join(
            f"{written(a.subject)} <x:{a.predicate}> {written(a.object)}" for a in query.where
        )
        chosen = " ".join(map(str, query.select))
        found = store.query(f"SELECT DISTINCT {chosen} WHERE {{ {where} }}")
        return {tuple(node.value[2:] for node in row) for row in found}

    return ask


def stated(world: World) -> Iterator[tuple[str, str, str]]:
    """The facts by the predicates of the questions: who maintains what, said from that side."""
    for s, p, o in world.triples():
        yield (o, "maintains", s) if p == "maintained_by" else (s, p, o)


# --- measuring ------------------------------------------------------------------------------------


def measure(engines: dict[str, Ask], queries: Sequence[Query]) -> dict[str, list[float]]:
    """Milliseconds of each engine on each question; answers have to agree."""
    spent: dict[str, list[float]] = {name: [] for one in engines for name in (one, f"{one} first")}
    for query in queries:
        found = {}
        for name, ask in engines.items():
            for place in (f"{name} first", name):  # the first time reads pages
                begin = time.perf_counter()
                found[name] = ask(query)
                spent[place].append((time.perf_counter() - begin) * 1000)
        assert all(rows == found["muniment"] for rows in found.values()), query.text
    return spent


def measured(path: Path, folder: Path, world: World, count: int) -> dict[str, Any]:
    """All questions on all engines."""
    with Memory.open(path, create=False) as memory:
        ada = memory.acting_as(WHO, scopes=[SCOPE])

        def ours(query: Query) -> Rows:
            answered = ada.query(query, use="answer_questions")
            assert answered.outcome in {"rows", "no_matches"}, (answered.outcome, answered.bound)
            assert all(row.proofs and row.count >= 1 for row in answered.rows)
            return {row.values for row in answered.rows}

        others = {
            "sqlite": sqlite(folder / "bare.db", world),
            "duckdb": duckdb(folder / "bare", world),
            "oxigraph": oxigraph(folder / "bare", world),
        }
        engines = {"muniment": ours, **{name: ask for name, ask in others.items() if ask}}
        atoms = {}
        for name in QUESTIONS:
            spent = measure(engines, world.instances(name, count))
            atoms[name] = {
                "p50_ms": round(statistics.median(spent["muniment"]), 3),
                "p95_ms": round(statistics.quantiles(spent["muniment"], n=20)[18], 3),
                "first_p50_ms": round(statistics.median(spent["muniment first"]), 3),
                **{
                    f"{other}_p50_ms": round(statistics.median(spent[other]), 3)
                    if other in spent
                    else None
                    for other in others
                },
            }
        return {"atoms": atoms, "bounds_ms": bounds(ada)}


def bounds(ada: Memory) -> dict[str, dict[str, Any]]:
    """How long questions that are too wide take until that is said."""
    found = {}
    for text in TOO_WIDE:
        begin = time.perf_counter()
        answered = ada.query(text, use="answer_questions")
        spent = (time.perf_counter() - begin) * 1000
        found[text] = {
            "ms": round(spent, 1),
            "outcome": answered.outcome,
            "bound": answered.bound or None,
        }
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--instances", type=int, default=60)
    given = parser.parse_args(arguments)
    world = World(given.facts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = time.perf_counter()
        claims = fill(folder / "memory.db", world)
        filled = time.perf_counter() - begin
        gc.collect()
        gc.freeze()
        found = measured(folder / "memory.db", folder, world, given.instances)
        size = (folder / "memory.db").stat().st_size
    result = {
        "measurement": "joins",
        "facts": sum(1 for _ in world.triples()),
        "claims": claims,
        "store_mb": round(size / 1e6, 1),
        "fill_us_per_claim": round(filled / claims * 1e6, 1),
        **found,
    }
    report.emit(result, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
