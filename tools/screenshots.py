"""Take the pictures of the review page that the documentation shows: `python -m tools.screenshots [FOLDER]`.

A small repository of the tests' data is learned into a new store in a temporary folder, some of it is accepted, a file
changes, and the page is looked at in Debian's chromium. Nothing but the pictures is written.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
REPOSITORY = ROOT / "tests" / "data" / "repos" / "python-shop"
WORDS = "three plain words"
CHROMIUM = ("chromium", "chromium-browser")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
SIZE = (1180, 860)


def chromium() -> str | None:
    """The browser, where it is installed."""
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


def shoot(folder: Path) -> tuple[Path, ...]:
    """Take every picture into a folder.

    Raises:
        RuntimeError: There is no chromium.
    """
    from playwright.sync_api import sync_playwright

    found = chromium()
    if found is None:
        raise RuntimeError("chromium is not installed: on Debian, `apt-get install chromium`")
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with (
        tempfile.TemporaryDirectory() as place,
        _served(Path(place)) as (link, claim),
        sync_playwright() as started,
    ):
        browser = started.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        width, height = SIZE
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(link)
        base = page.url.rpartition("/inbox")[0]
        page.fill("#passphrase", WORDS)
        page.press("#passphrase", "Enter")
        page.wait_for_selector("text=Your credential is open")
        pages = {
            "inbox": "/inbox",
            "claim": f"/claims/{claim}",
            "recall": "/recall?q=what+does+ci+run%3F&use=answer_questions&budget=500&certify=yes",
            "overview": "/overview",
        }
        for name, path in pages.items():
            page.goto(f"{base}{path}")
            target = folder / f"page-{name}.png"
            page.screenshot(path=str(target))
            made.append(target)
        browser.close()
    return tuple(made)


@contextmanager
def _served(place: Path) -> Iterator[tuple[str, str]]:
    """A page with something on it: the link that signs in, and a claim with a history."""
    import uvicorn

    from muniment import Memory
    from muniment import profile as profiles
    from muniment.http.app import make_app
    from muniment.http.settings import Settings

    claim = _learned(place)
    profile = profiles.load(place / "config" / "profile.toml")
    roots = {name: Path(folder) for name, folder in profile.repositories.items()}
    store = Memory.open(profile.store, create=False, roots=roots)
    own = store.acting_as(
        profile.principal,
        scopes=[f"repository:{name}" for name in roots],
        visibility=profile.visibility,
        uses=profile.uses,
    )
    app = make_app(Settings(lambda: store, own=lambda: own, credential=profile.credential))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        port = listener.getsockname()[1]
        try:
            yield f"http://127.0.0.1:{port}/sign-in?code={app.state.seats.code()}", claim
        finally:
            server.should_exit = True
            thread.join(10)


def _learned(place: Path) -> str:
    """Learn the repository, accept most of it, change a file, accept that; the newer claim's id."""
    import json

    shop, words = place / "shop", place / "words"
    shutil.copytree(REPOSITORY, shop)
    words.write_text(WORDS + "\n", "utf-8")
    words.chmod(0o600)
    environment = {
        **os.environ,
        "MUNIMENT_CONFIG": str(place / "config"),
        "MUNIMENT_STORE": str(place / "memory.db"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }

    def run(*command: str) -> str:
        return subprocess.run(
            command, cwd=shop, env=environment, check=True, capture_output=True, text=True
        ).stdout

    def muniment(*arguments: str) -> str:
        return run(sys.executable, "-m", "muniment", *arguments)

    run("git", "init", "-q", "-b", "main")
    sign = ("--passphrase-file", str(words))
    muniment("init", "--user", "ada", "--agent", "codex", "--yes", *sign)
    muniment("learn")
    waiting = json.loads(muniment("inbox", "--json"))["inbox"][0]["changes"]
    ci = [c["id"] for c in waiting if "ci.yml" in c["item"]["claim"]]
    muniment("review", "--needs-review", waiting[0]["id"], "--accept", ",".join(ci[1:]), *sign)
    workflow = shop / ".github" / "workflows" / "ci.yml"
    workflow.write_text(workflow.read_text("utf-8").replace("--maxfail=1", "--maxfail=2"), "utf-8")
    muniment("learn")
    diffs = json.loads(muniment("inbox", "--json"))["inbox"]
    newer = next(d for d in diffs if any(c["operation"] == "supersede" for c in d["changes"]))
    muniment("review", newer["id"], "--accept", newer["changes"][0]["id"], *sign)
    asked = ("recall", "which tests does ci run with maxfail?", "--json", "--log", "off")
    return str(json.loads(muniment(*asked))["evidence"][0]["id"])


if __name__ == "__main__":
    for picture in shoot(Path(sys.argv[1]) if sys.argv[1:] else IMAGES):
        print(picture.name)
