"""A server of a memory on a real socket, in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time

import uvicorn

from muniment import Memory
from muniment.core.token import Token
from muniment.http.app import make_app
from muniment.http.settings import Settings

SCOPE = "project:shop"


def world(path=None, **options) -> Memory:
    """A memory that acts as nobody."""
    return Memory.open(path, **options)


def acting(memory: Memory, principal: str, *scopes: str) -> Memory:
    return memory.acting_as(
        principal,
        scopes=scopes or [SCOPE],
        visibility={"level": "team-private", "allowed_principals": [principal, "user:ada"]},
        uses=["answer_questions"],
    )


def make_token(memory: Memory, principal: str, role: str, *scopes: str, signer=None, by="user:ada"):
    session = acting(memory, principal, *scopes).session
    wanted = Token("", principal, role, session.scopes, "", session.visibility, session.uses)
    return acting(memory, by).create_token(wanted, signer).text


class Serving:
    """Runs a server until the context ends; the memory stays open, where nothing else is said."""

    def __init__(self, memory: Memory, **settings):
        self.app = make_app(Settings(lambda: memory, **{"lent": True, **settings}))
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        config = uvicorn.Config(self.app, log_config=None, access_log=False, server_header=False)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]})

    def __enter__(self):
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.005)
        return self

    def __exit__(self, *error):
        self.server.should_exit = True
        self.thread.join(20)
