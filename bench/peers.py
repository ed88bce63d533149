"""Beside what a user would pick instead, doing the same work on the same machine in the same run.

- Peers: mem0 (local, without a language model: texts as they are, its own vector store), LanceDB (its full text
  search, its vectors, and both fused by its reranker), SQLite's FTS5, the MCP reference memory server (by its own
  protocol, over stdio). All that embed use one embedder (wordllama), so that what differs is the memory.
- `quality`: recall@10 of evidence turns on LoCoMo, in the scope of one conversation, categories 1 to 4.
- `speed`: p50 of a search among `--n` memories where one in a hundred is the asker's (a filter by owner).
- `leak`: whether the scores or the order of somebody's results change when somebody else's memories are added, which
  it may not see. For each: one owner's results before and after 200 rows of another.
- What is not installed is named in `left_out`, with why.

    python -m bench.peers --data ../shared/bench/locomo --n 100000 --json
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.locomo import Case, cases, figures
from bench.locomo_data import load
from bench.report import emit, parser, progress
from muniment.core.words import STOP_WORDS

DEEP = 10
QUESTIONS = 40
MOST_SECONDS = 300.0
"""How long a peer may take to load; what it has reached by then is what is measured, and said."""
SERVER = "@modelcontextprotocol/server-memory"


@dataclass(frozen=True)
class Kept:
    """One memory of somebody."""

    id: str
    owner: str
    text: str


class Peer(Protocol):
    """Something that remembers texts of owners."""

    def add(self, kept: Sequence[Kept]) -> None:
        """Remember."""

    def search(self, query: str, owner: str, k: int) -> list[tuple[str, float]]:
        """What an owner has on a query, best first, with scores."""

    def close(self) -> None:
        """Let go."""


# --- one embedder for all -------------------------------------------------------------------------


class Embedder:
    """Texts to vectors of one length, by the embedder that Muniment ships with."""

    def __init__(self) -> None:
        from muniment.wiring import open_embedder

        found = open_embedder("wordllama")
        assert found is not None
        self._embedder = found
        self.dimension = len(self("one"))

    def __call__(self, text: str) -> list[float]:
        return self.many([text])[0]

    def many(self, texts: Sequence[str]) -> list[list[float]]:
        held = self._embedder.embed(list(texts))
        size = max(map(len, held))
        vectors = [np.frombuffer(one or bytes(size), np.int8).astype(np.float32) for one in held]
        return [(one / max(float(np.linalg.norm(one)), 1e-9)).tolist() for one in vectors]


# --- peers ----------------------------------------------------------------------------------------


class Fts5:
    """SQLite's FTS5 with its porter stemmer and an owner's column."""

    def __init__(self, place: Path, embed: Embedder) -> None:
        import apsw

        self._made = apsw.Connection(str(place / "fts5.db"))
        self._made.execute(
            "CREATE VIRTUAL TABLE kept USING fts5(text, id UNINDEXED, owner UNINDEXED, tokenize='porter unicode61')"
        )

    def add(self, kept: Sequence[Kept]) -> None:
        with self._made:
            self._made.executemany(
                "INSERT INTO kept(text, id, owner) VALUES (?, ?, ?)",
                [(one.text, one.id, one.owner) for one in kept],
            )

    def search(self, query: str, owner: str, k: int) -> list[tuple[str, float]]:
        terms = [w for w in re.findall(r"\w+", query) if w.lower() not in STOP_WORDS]
        match = " OR ".join(f'"{term}"' for term in terms)
        sql = (
            "SELECT id, bm25(kept) FROM kept WHERE kept MATCH ? AND owner = ? "
            "ORDER BY bm25(kept), rowid LIMIT ?"
        )
        return list(self._made.execute(sql, (match, owner, k))) if terms else []

    def close(self) -> None:
        self._made.close()


class Lance:
    """LanceDB: full text and vectors, fused by reciprocal ranks, with a filter on the owner before the search."""

    def __init__(self, place: Path, embed: Embedder) -> None:
        import lancedb

        self._embed = embed
        self._base = lancedb.connect(str(place / "lance"))
        self._table: Any = None

    def add(self, kept: Sequence[Kept]) -> None:
        vectors = self._embed.many([one.text for one in kept])
        rows = [
            {"id": one.id, "owner": one.owner, "text": one.text, "vector": vector}
            for one, vector in zip(kept, vectors, strict=True)
        ]
        if self._table is None:
            self._table = self._base.create_table("kept", rows)
        else:
            self._table.add(rows)
        self._table.create_fts_index("text", replace=True)
        with contextlib.suppress(Exception):
            self._table.create_scalar_index("owner", replace=True)

    def search(self, query: str, owner: str, k: int) -> list[tuple[str, float]]:
        words = " ".join(re.findall(r"\w+", query)) or "x"
        found = (
            self._table.search(query_type="hybrid")
            .vector(self._embed(query))
            .text(words)
            .where(f"owner = '{owner}'", prefilter=True)
            .limit(k)
            .to_list()
        )
        return [(one["id"], float(one.get("_relevance_score", 0.0))) for one in found]

    def close(self) -> None:
        self._table = None


class Mem0:
    """mem0 with its local vector store, and texts as they are given, as with `infer=False`."""

    part = 1_000

    def __init__(self, place: Path, embed: Embedder) -> None:
        os.environ.setdefault("OPENAI_API_KEY", "none")  # asked for at the start, never used
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(place / "mem0"))
        from mem0 import Memory

        store = {
            "collection_name": "kept",
            "path": str(place / "qdrant"),
            "embedding_model_dims": embed.dimension,
            "on_disk": True,
        }
        config = {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(place / "history.db"),
        }
        self._memory = Memory.from_config(config)
        self._memory.embedding_model = _ForMem0(embed)
        self._embed = embed

    def add(self, kept: Sequence[Kept]) -> None:
        for start in range(0, len(kept), 1_000):
            part = kept[start : start + 1_000]
            self._memory.vector_store.insert(
                vectors=self._embed.many([one.text for one in part]),
                payloads=[
                    {"data": one.text, "user_id": one.owner, "kept": one.id, "hash": one.id}
                    for one in part
                ],
                ids=[_uuid(one.id) for one in part],
            )

    def search(self, query: str, owner: str, k: int) -> list[tuple[str, float]]:
        try:
            found = self._memory.search(query, filters={"user_id": owner}, top_k=k, threshold=0.0)
        except TypeError:
            found = self._memory.search(query, user_id=owner, limit=k)
        rows = found["results"] if isinstance(found, dict) else found
        return [
            ((one.get("metadata") or {}).get("kept", one["id"]), float(one["score"]))
            for one in rows
        ]

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._memory.vector_store.client.close()


@dataclass
class _ForMem0:
    embedder: Embedder
    config: Any = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embedder(text)

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return self.embedder.many(texts)


def _uuid(text: str) -> str:
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_OID, text))


class McpServer:
    """The MCP reference memory server, spoken to as a host does; one graph for all, as it is made."""

    def __init__(self, place: Path, embed: Embedder) -> None:
        environment = {**os.environ, "MEMORY_FILE_PATH": str(place / "memory.jsonl")}
        self._process = subprocess.Popen(
            ["npx", "-y", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, text=True,
        )  # fmt: skip
        self._number = 0
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self._ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._number:
                return answer["result"]

    def add(self, kept: Sequence[Kept]) -> None:
        entities = [
            {"name": one.id, "entityType": one.owner, "observations": [one.text]} for one in kept
        ]
        for start in range(0, len(entities), 2_000):
            arguments = {"entities": entities[start : start + 2_000]}
            self._ask("tools/call", {"name": "create_entities", "arguments": arguments})

    def search(self, query: str, owner: str, k: int) -> list[tuple[str, float]]:
        answer = self._ask("tools/call", {"name": "search_nodes", "arguments": {"query": query}})
        nodes = json.loads(answer["content"][0]["text"])["entities"]
        return [(one["name"], 0.0) for one in nodes if one["entityType"] == owner][:k]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


PEERS: tuple[tuple[str, tuple[str, ...], str, type], ...] = (
    ("fts5", ("apsw",), "apsw", Fts5),
    ("lancedb", ("lancedb",), "lancedb", Lance),
    ("mem0", ("mem0", "qdrant_client"), "mem0ai", Mem0),
    ("mcp_memory", (), SERVER, McpServer),
)


# --- what is measured -----------------------------------------------------------------------------


def quality(kind: type, asked: Sequence[Case], embed: Embedder) -> dict[str, float]:
    """Evidence found, each conversation an owner of its own in one store."""
    with opened(kind, embed) as peer:
        scopes = {id(case.scope): case.scope for case in asked}
        for scope in scopes.values():
            name = scope.conversation.name
            peer.add(
                [
                    Kept(f"{name}/{t.id}", name, f"{t.speaker}: {t.text} {t.caption}")
                    for t in scope.conversation.turns
                ]
            )
        found = []
        for number, case in enumerate(asked, 1):
            owner = case.scope.conversation.name
            rows = peer.search(case.question.text, owner, DEEP)
            found.append([row.partition("/")[2] for row, _ in rows])
            progress("asked", number, len(asked))
    return figures(found, [case.question for case in asked])


def speed(kind: type, count: int, embed: Embedder) -> dict[str, float]:
    """The median of a search where one memory in a hundred is the asker's."""
    from bench.scale import questions
    from bench.scale_world import texts

    with opened(kind, embed) as peer:
        made = [Kept(f"m{n}", f"o{n % 100}", text) for n, text in enumerate(texts(count))]
        began, reached = time.perf_counter(), 0
        part = getattr(peer, "part", count)
        while reached < count and time.perf_counter() - began < MOST_SECONDS:
            peer.add(made[reached : reached + part])
            reached = min(count, reached + part)
        load_s = time.perf_counter() - began
        times = [timed(peer, question) for question in questions(QUESTIONS, "middle")]
    return {
        "memories": reached,
        "search_p50_ms": round(statistics.median(times) * 1_000, 2),
        "load_per_s": round(reached / load_s),
    }


def timed(peer: Peer, question: str) -> float:
    peer.search(question, "o7", DEEP)
    began = time.perf_counter()
    peer.search(question, "o7", DEEP)
    return time.perf_counter() - began


def leak(kind: type, embed: Embedder) -> dict[str, bool]:
    """Whether what another owner has changes what one gets."""
    drawn = random.Random(5)
    mine = [Kept(f"a{n}", "ada", text) for n, text in enumerate(_stories(drawn, 30))]
    theirs = [Kept(f"b{n}", "bob", text) for n, text in enumerate(_stories(drawn, 200))]
    asked = ["build tool of the shop", "release day", "who owns the parser", "colour of the door"]
    with opened(kind, embed) as peer:
        peer.add(mine)
        before = [peer.search(one, "ada", DEEP) for one in asked]
        peer.add(theirs)
        after = [peer.search(one, "ada", DEEP) for one in asked]
    order = [[name for name, _ in one] for one in before] != [
        [name for name, _ in one] for one in after
    ]
    scores = [[round(score, 6) for _, score in one] for one in before] != [
        [round(score, 6) for _, score in one] for one in after
    ]
    return {"hidden_rows_change_order": order, "hidden_rows_change_scores": scores}


def _stories(drawn: random.Random, count: int) -> Iterator[str]:
    who = ("the shop", "the parser", "the team", "the door", "the build", "the release")
    does = ("is owned by", "is painted", "runs on", "was moved to", "is tested with", "ships on")
    what = ("Ada", "blue", "Friday", "the new tool", "pytest", "the archive", "Gradle", "Tuesday")
    for n in range(count):
        yield f"{drawn.choice(who)} {drawn.choice(does)} {drawn.choice(what)} in week {n}"


@contextlib.contextmanager
def opened(kind: type, embed: Embedder) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as place:
        peer = kind(Path(place), embed)
        try:
            yield peer
        finally:
            peer.close()


# --- Muniment -------------------------------------------------------------------------------------


def own(asked: Sequence[Case], count: int) -> dict[str, Any]:
    """The same of Muniment; its quality with weights that have not seen the half they are tried on."""
    from bench.locomo import signals_of, two_fold
    from bench.scale import Product, questions
    from bench.scale_world import SCOPES, make

    signals = signals_of(asked, embedded=True)
    found, _ = two_fold(asked, signals, embedded=True)
    turns = [case.scope.turns(order) for order, case in zip(found, asked, strict=True)]
    result: dict[str, Any] = dict(figures(turns, [case.question for case in asked]))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "memory.db"
        began = time.perf_counter()
        make(path, count)
        result["load_per_s"] = round(count / (time.perf_counter() - began))
        product = Product(path, SCOPES // 100)
        times = {"search": [], "recall": []}
        for question in questions(QUESTIONS, "middle"):
            for name, work in (
                ("search", lambda q: product.search(q, hybrid=True)),
                ("recall", product.recall),
            ):
                work(question)
                started = time.perf_counter()
                work(question)
                times[name].append(time.perf_counter() - started)
        for name, taken in times.items():
            result[f"{name}_p50_ms"] = round(statistics.median(taken) * 1_000, 2)
    return {**result, **own_leak()}


def own_leak() -> dict[str, bool]:
    """Two owners of one scope, before and after the other has two hundred claims."""
    from muniment import Choice, Memory
    from muniment.credential import create, open_credential
    from muniment.usecases.declare import credential, principal, roles

    words = "only for this bench"
    signer = open_credential(create("user:rev", words, entropy=os.urandom), words)
    store = Memory.open(None)
    reviewer = store.acting_as("user:rev", scopes=["project:shop"])
    reviewer.declare(
        principal("user:rev"),
        roles("user:rev", ("operator", "reviewer")),
        credential("user:rev", (signer.public_key,)),
    )
    drawn = random.Random(5)

    def remember(owner: str, texts: Sequence[str]) -> None:
        seen = {"level": "user-private", "allowed_principals": [owner, "user:rev"]}
        memory = store.acting_as(
            owner, scopes=["project:shop"], visibility=seen, uses=["answer_questions"]
        )
        for text in texts:
            made = memory.remember(text)
            reviewer.review(made.diff.id, {"change_01": Choice("accepted")}, signer)

    def answers() -> list[Any]:
        ada = store.acting_as("user:ada", scopes=["project:shop"])
        asked = (
            "build tool of the shop",
            "release day",
            "who owns the parser",
            "colour of the door",
        )
        packets = [ada.recall(one, use="answer_questions", log="off").packet for one in asked]
        return [[(i.claim.id, i.relevance.fixed) for i in one.items] for one in packets]

    remember("user:ada", list(_stories(drawn, 30)))
    before = answers()
    remember("user:bob", list(_stories(drawn, 200)))
    after = answers()
    return {
        "hidden_rows_change_order": [[n for n, _ in one] for one in before]
        != [[n for n, _ in one] for one in after],
        "hidden_rows_change_scores": before != after,
    }


def measure(data: Path, count: int) -> dict[str, Any]:
    """Everything, as one JSON value."""
    asked = cases(load(data))
    embed = Embedder()
    result: dict[str, Any] = {"questions": len(asked), "n": count, "share": 0.01, "left_out": {}}
    result["muniment"] = {"version": version("muniment"), **own(asked, count)}
    for name, needs, package, kind in PEERS:
        missing = [one for one in needs if find_spec(one) is None]
        if missing or (kind is McpServer and shutil.which("npx") is None):
            result["left_out"][name] = f"not installed: {', '.join(missing) or 'npx'}"
            continue
        print(f"{name} …", file=sys.stderr)
        known = version(package) if kind is not McpServer else npm_version()
        result[name] = {
            "version": known,
            **quality(kind, asked, embed),
            **speed(kind, count, embed),
            **leak(kind, embed),
        }
    return result


def npm_version() -> str:
    found = subprocess.run(
        ["npm", "view", SERVER, "version"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 2 where the data are not there."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, default=Path("../shared/bench/locomo"))
    made.add_argument("--n", type=int, default=100_000)
    options = made.parse_args(argv)
    if not (options.data / "locomo10.json").is_file():
        print(f"no locomo10.json in {options.data}: name its folder with --data", file=sys.stderr)
        return 2
    emit({"measurement": "peers", **measure(options.data, options.n)}, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
