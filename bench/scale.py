"""Recall among a million memories, beside SQLite's FTS5 and tantivy on the same texts.

- `keyword` and `hybrid` are what an engine is asked: the ten best with their scores, through the product's own steps:
  snapshot, what the asker may see, eligibility, statistics of the eligible, scoring, order. Hybrid compares every
  eligible vector too.
- `recall` is the whole verb: evidence read, scored in full, packed in a budget of 1,000 tokens, rendered.
- Shares are of the memories that the scopes in force hold; a thousandth is one scope. Questions have five
  words of the thirty most frequent (`shares`) or of middle frequency (`shares_middle`); each differs.
- FTS5 is measured plain (joined to a scope filter) and at its best (contentless, no detail, rows clustered by scope).
- Processes run one after the other on a machine that others use; medians hold better than tails.

    python -m bench.scale --n 1000000 --json
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import emit, parser, peak_mb, progress
from bench.scale_world import (
    ASKER,
    AT,
    SCOPES,
    SPACE,
    TENANT,
    make,
    scope,
    texts,
    vectors,
    vocabulary,
)

SHARES = {"0.001": 1, "0.01": 10, "0.1": 100, "1.0": SCOPES}
BUDGET = 1_000


WORDS = {"frequent": (0, 30), "middle": (20, 2_000)}


def questions(count: int, kind: str, seed: int = 3) -> list[str]:
    """Five words each: of the thirty most frequent, or of middle frequency."""
    names = vocabulary()
    rng = np.random.default_rng(seed)
    return [
        " ".join(names[i] for i in rng.choice(np.arange(*WORDS[kind]), 5, replace=False))
        for _ in range(count)
    ]


def quantiles(times: Sequence[float]) -> tuple[float, float]:
    """p50 and p95, milliseconds."""
    ordered = sorted(times)
    return (
        round(statistics.median(ordered) * 1_000, 3),
        round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1_000, 3),
    )


def timed(work: Callable[[str], Any], asked: Sequence[str]) -> list[float]:
    """How long each question took; the first three are not counted."""
    found = []
    for n, question in enumerate(asked):
        begin = time.perf_counter()
        work(question)
        if n >= 3:
            found.append(time.perf_counter() - begin)
    return found


# --- the product ----------------------------------------------------------------------------------


class Product:
    """A session on the store, in some scopes."""

    def __init__(self, path: Path, scopes: int) -> None:
        from muniment import wiring
        from muniment.usecases.embedding import Meaning

        store = wiring.open_store(path, create=False)
        self.session = wiring.make_session(
            store, tenant=TENANT, principal=ASKER, scopes=tuple(scope(n) for n in range(scopes)),
            clock=lambda: AT,
        )  # fmt: skip
        self.meaning = Meaning
        self.vectors = vectors(64, seed=5)

    def search(self, question: str, *, hybrid: bool) -> list[tuple[str, int]]:
        """The ten best with their scores."""
        from muniment.core.codec import micros
        from muniment.core.request import Request
        from muniment.core.words import query_words
        from muniment.usecases.eligible import gather
        from muniment.usecases.searching import Search
        from muniment.usecases.viewing import Viewing

        request = Request(question, "answer_questions", method="keyword")
        with self.session.store.snapshot(TENANT) as snapshot:
            viewing = Viewing(snapshot, ASKER)
            gathered = gather(viewing, request, tuple(sorted(self.session.scopes)), AT)
            search = Search(gathered, query_words(question))
            refs = search.best(search.matches(None, eligible=True), 10)
            if hybrid:
                refs += self._near(gathered, question)
            assert micros(AT)
            return [(gathered.judged[n].run.id_at(place), place) for n, place in refs]

    def _near(self, gathered: Any, question: str) -> list[Any]:
        from muniment.core.similarity import CALIBRATIONS
        from muniment.usecases.nearby import Nearby

        vector = self.vectors[len(question) % 64].tobytes()
        nearby = Nearby(gathered, self.meaning(SPACE, vector, CALIBRATIONS[0]))
        masks = [one.eligible for one in gathered.judged]
        return nearby.nearest(CALIBRATIONS[0].average + 150_000, masks, 10).refs

    def recall(self, question: str) -> Any:
        """The whole verb."""
        from muniment.core.request import Request
        from muniment.usecases.recall import recall

        return recall(self.session, Request(question, "answer_questions", budget=BUDGET, log="off"))


def product(path: Path, scopes: int, asked: list[str]) -> dict[str, float]:
    """All that is measured of the product in one process."""
    made = Product(path, scopes)
    found: dict[str, float] = {}
    for name, work in (
        ("keyword", lambda q: made.search(q, hybrid=False)),
        ("hybrid", lambda q: made.search(q, hybrid=True)),
        ("recall", made.recall),
    ):
        times = timed(work, asked)
        found[f"{name}_p50_ms"], found[f"{name}_p95_ms"] = quantiles(times)
    found["rss_mb"] = peak_mb()
    return found


# --- what is beside it ----------------------------------------------------------------------------


def make_fts(path: Path, count: int) -> None:
    """Two FTS5 tables on the same texts: a plain one, and the leanest one with rows clustered by scope."""
    import apsw

    database = apsw.Connection(str(path))
    database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    database.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL)")
    database.execute("CREATE INDEX memory_scope ON memory (scope)")
    database.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize = 'porter')")
    database.execute(
        "CREATE VIRTUAL TABLE lean USING fts5(text, content = '', detail = none, tokenize = 'porter')"
    )
    per = max(count // SCOPES, 1)
    with database:
        rows = ((n, min(n // per, SCOPES - 1), text) for n, text in enumerate(texts(count)))
        for n, where, text in rows:
            database.execute("INSERT INTO memory VALUES (?, ?)", (n, where))
            database.execute("INSERT INTO plain (rowid, text) VALUES (?, ?)", (n, text))
            database.execute("INSERT INTO lean (rowid, text) VALUES (?, ?)", (n, text))
            if n % 50_000 == 0:
                progress("fts5", n, count)
    database.execute("INSERT INTO plain (plain) VALUES ('optimize')")
    database.execute("INSERT INTO lean (lean) VALUES ('optimize')")
    database.close()


_PLAIN = """
SELECT m.id, rank FROM plain JOIN memory m ON m.id = plain.rowid
WHERE plain MATCH ?1 AND m.scope < ?2 ORDER BY rank LIMIT 10
"""
_LEAN = "SELECT rowid, rank FROM lean WHERE lean MATCH ?1 AND rowid < ?2 ORDER BY rank LIMIT 10"


def fts(path: Path, count: int, scopes: int, asked: list[str]) -> dict[str, float]:
    """Both tables, the same questions as an OR of words."""
    import apsw

    database = apsw.Connection(str(path))
    database.execute("PRAGMA mmap_size = 4000000000")
    per = max(count // SCOPES, 1)

    def plain(question: str) -> None:
        database.execute(_PLAIN, (" OR ".join(question.split()), scopes)).fetchall()

    def lean(question: str) -> None:
        database.execute(_LEAN, (" OR ".join(question.split()), scopes * per)).fetchall()

    return {
        "fts5_p50_ms": quantiles(timed(plain, asked))[0],
        "fts5_best_p50_ms": quantiles(timed(lean, asked))[0],
    }


def make_tantivy(path: Path, count: int) -> bool:
    """An index of tantivy with the scope as a fast field; whether it is installed."""
    try:
        import tantivy
    except ImportError:
        return False
    path.mkdir()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", stored=False, tokenizer_name="en_stem")
    schema.add_integer_field("id", stored=True)
    schema.add_integer_field("scope", fast=True, indexed=True)
    index = tantivy.Index(schema.build(), path=str(path))
    writer = index.writer(heap_size=500_000_000, num_threads=1)
    per = max(count // SCOPES, 1)
    for n, text in enumerate(texts(count)):
        writer.add_document(tantivy.Document(text=text, id=n, scope=min(n // per, SCOPES - 1)))
    writer.commit()
    writer.wait_merging_threads()
    return True


def with_tantivy(path: Path, scopes: int, asked: list[str]) -> dict[str, float]:
    """The same questions, cut to the scopes by a range query."""
    import tantivy

    index = tantivy.Index.open(str(path))
    searcher = index.searcher()

    def work(question: str) -> None:
        text = " ".join(question.split())
        cut = f"({text}) AND scope:[0 TO {scopes - 1}]" if scopes < SCOPES else text
        found = searcher.search(index.parse_query(cut, ["text"]), 10)
        [searcher.doc(address) for _, address in found.hits]

    return {"tantivy_p50_ms": quantiles(timed(work, asked))[0]}


# --- cold -----------------------------------------------------------------------------------------

_COLD = """
import json, sys, time
begin = time.perf_counter()
from pathlib import Path
from bench.scale import Product
made = Product(Path(sys.argv[1]), int(sys.argv[2]))
made.search(sys.argv[3], hybrid=sys.argv[4] == "hybrid")
print(time.perf_counter() - begin)
"""


def cold(path: Path, scopes: int, asked: Sequence[str]) -> dict[str, float]:
    """The first answer of a process, milliseconds, from its first import on; least of three."""
    found = {}
    for kind in ("keyword", "hybrid"):
        times = []
        for question in asked[:3]:
            command = [sys.executable, "-c", _COLD, str(path), str(scopes), question, kind]
            ran = subprocess.run(
                command, check=True, capture_output=True, text=True, env=os.environ
            )
            times.append(float(ran.stdout))
        found[f"cold_{kind}_ms"] = round(min(times) * 1_000, 1)
    return found


def apart(*arguments: str) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [sys.executable, "-m", "bench.scale", *arguments]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    result: dict[str, float] = json.loads(ran.stdout)
    return result


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--n", type=int, default=100_000, help="memories")
    options.add_argument("--questions", type=int, default=60)
    options.add_argument("--words", choices=tuple(WORDS), default="frequent")
    options.add_argument("--folder", type=Path, help="where stores are kept for another run")
    options.add_argument(
        "--only", nargs=2, metavar=("WHAT", "SCOPES"), help="one measurement, for itself"
    )
    given = options.parse_args()
    asked = questions(given.questions, given.words)
    if given.only:
        what, scopes = given.only[0], int(given.only[1])
        folder = given.folder
        made = {
            "product": lambda: product(folder / "m.db", scopes, asked),
            "fts": lambda: fts(folder / "fts.db", given.n, scopes, asked),
            "tantivy": lambda: with_tantivy(folder / "tantivy", scopes, asked),
        }[what]()
        print(json.dumps(made))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        emit(measured(folder, given.n, given.questions), given.json)
    return 0


def measured(folder: Path, count: int, size: int) -> dict[str, Any]:
    """Make what is missing, and measure."""
    load_file = folder / "load.json"
    if not (folder / "m.db").exists():
        load = make(folder / "m.db", count)
        load_file.write_text(json.dumps(vars(load)))
    made = json.loads(load_file.read_text())
    if not (folder / "fts.db").exists():
        make_fts(folder / "fts.db", count)
    has_tantivy = (folder / "tantivy").exists() or make_tantivy(folder / "tantivy", count)
    common = ("--n", str(count), "--questions", str(size), "--folder", str(folder))
    by_words: dict[str, dict[str, dict[str, float]]] = {}
    rss = 0.0
    for words in WORDS:
        by_words[words] = {}
        for share, scopes in SHARES.items():
            asked = (*common, "--words", words, "--only")
            found = apart(*asked, "product", str(scopes)) | apart(*asked, "fts", str(scopes))
            if has_tantivy:
                found |= apart(*asked, "tantivy", str(scopes))
            rss = max(rss, found.pop("rss_mb"))
            by_words[words][share] = found
            progress(words, len(by_words[words]), len(SHARES))
    whole = 1 / (1 / made["analysed"] + 1 / made["built"])
    return {
        "n": count,
        "shares": by_words["frequent"],
        "shares_middle": by_words["middle"],
        "cold": cold(folder / "m.db", SCOPES, questions(3, "frequent")),
        "rss_mb": rss,
        "index_bytes_per_memory": round(made["index_bytes"], 1),
        "file_bytes_per_memory": round(made["file_bytes"], 1),
        "load_per_s": round(whole),
        "load_parts_per_s": {name: round(made[name]) for name in ("analysed", "built", "written")},
    }


if __name__ == "__main__":
    sys.exit(main())
