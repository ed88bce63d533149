"""A store with something of everything, its page on a real socket, and who may sign in there."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from muniment import Choice, Memory, wiring
from muniment.core.access import Scope
from muniment.core.codec import encode
from muniment.core.token import Token
from muniment.http.app import make_app
from muniment.http.pages import PageSettings
from muniment.http.pages.seats import Seats
from muniment.http.settings import Settings
from muniment.usecases.declare import credential, group, principal, roles

PASSPHRASE = "three plain words"
REPOSITORY = "local:shop"
SCOPE = f"repository:{REPOSITORY}"
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
MAKEFILE = b"# The shop.\ntest:\n\tpytest -q\n\nlint:\n\truff check .\n"


@dataclass
class Site:
    """A store and who works in it.

    Attributes:
        store: The store, acting as nobody.
        ada: Reviewer and operator.
        codex: An agent that proposes.
        signer: Ada's opened credential.
        folder: The repository's files.
        tokens: Text of a token by role, each Ada's but `agent`.
        settings: What the page works with.
    """

    store: Memory
    ada: Memory
    codex: Memory
    signer: object
    folder: Path
    tokens: dict[str, str]
    settings: PageSettings
    url: str = ""
    seats: Seats | None = None

    def accept(self, proposed) -> dict[str, str]:
        choices = {change.id: Choice("accepted") for change in proposed.diff.changes}
        return dict(self.ada.review(proposed.diff.id, choices, self.signer).resulting)

    def remember(self, text: str, **parts):
        given = {
            "source": f"repo:{REPOSITORY}!/Makefile",
            "allowed_uses": ["answer_questions"],
            **parts,
        }
        return self.codex.remember(text, **given)


def make_site(place: Path) -> Site:
    """A store in a folder: one claim accepted, others waiting."""
    folder = place / "shop"
    folder.mkdir()
    (folder / "Makefile").write_bytes(MAKEFILE)
    key = place / "ada.json"
    signer = wiring.create_credential(key, "user:ada", PASSPHRASE)
    store = Memory.open(place / "memory.db", roots={REPOSITORY: folder})
    ada, codex = (
        store.acting_as(who, scopes=[SCOPE], visibility=TEAM, uses=["answer_questions"])
        for who in ("user:ada", "agent:codex")
    )
    ada.declare(
        principal("user:ada"),
        group("group:shop", ("user:ada", "agent:codex")),
        roles("user:ada", ("operator", "reviewer", "proposer", "reader")),
        roles("agent:codex", ("proposer", "reader")),
        credential("user:ada", (signer.public_key,)),
    )
    tokens = {}
    for name, who, role in (
        ("reader", "user:ada", "reader"),
        ("reviewer", "user:ada", "reviewer"),
        ("operator", "user:ada", "operator"),
        ("agent", "agent:codex", "proposer"),
    ):
        wanted = Token(
            "", who, role, (Scope.parse(SCOPE),), "", ada.session.visibility, ("answer_questions",)
        )
        tokens[name] = ada.create_token(wanted, signer).text
    settings = PageSettings(store, lambda: ada, str(key))
    return Site(store, ada, codex, signer, folder, tokens, settings)


def fill(site: Site) -> dict[str, str]:
    """Something of everything; claims by a name."""
    one = site.accept(site.remember("`make test` runs `pytest -q`.", quote="pytest -q"))
    site.remember("`make lint` runs `ruff check .`.", quote="ruff check .")
    target = site.codex.claims([one["change_01"]])[one["change_01"]]
    item = {**encode(target), "claim": "`make test` runs `pytest -q -x`."}
    for part in ("id", "version", "created_at", "review", "provenance", "reading"):
        item.pop(part, None)
    supersede = {
        "id": "change_01", "operation": "supersede", "target_id": one["change_01"],
        "reason": "the flag was added", "item": {**item, "review": {"status": "proposed"}},
    }  # fmt: skip
    trigger = {"kind": "pull_request", "uri": "https://example.org/pull/7", "state": "merged"}
    site.codex.propose(
        {"scope": encode(Scope.parse(SCOPE)), "trigger": trigger, "changes": [supersede]}
    )
    return {"test": one["change_01"]}


@contextmanager
def served(site: Site, **more) -> Iterator[Site]:
    """The page on a real socket, in the whole application with its guard; the store stays open behind it."""
    settings = Settings(
        lambda: site.store,
        own=lambda: site.ada,
        credential=site.settings.credential,
        lent=True,
        **more,
    )
    app = make_app(settings)
    site.seats = app.state.seats
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        site.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield site
        finally:
            server.should_exit = True
            thread.join(10)
