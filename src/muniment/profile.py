"""The profile: who acts, where and with what defaults, declared once by `init` and shown wherever it is used.

- One file a user, in the configuration folder; `MUNIMENT_PROFILE` names another.
- A known repository's scope is in force while one works inside its folder; other scopes are named in the profile.
- What the profile does not declare is not guessed (`E-NOSCOPE`).
- The passphrase and the opened credential are never here.

Reading and writing files is all that happens here; what the values mean is the use cases'.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.canonical import canonical
from muniment.core.codec import read
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.store import is_address

_PASSWORD = re.compile(r"(://[^/@:]*:|[?&]password=)[^@&]*")


@dataclass(frozen=True, slots=True)
class Profile:
    """Declared defaults.

    Attributes:
        path: The file; it may not exist yet.
        store: The store's file, or the address of its database.
        tenant: The wall.
        principal: Who acts; empty where there is no profile.
        scopes: Scopes that are always in force.
        visibility: What new claims get.
        uses: Allowed uses of new claims.
        repositories: Repository id to its local folder.
        credential: The reviewer's credential file.
        embedder: What embeds texts (`muniment embed --help`); empty for nothing.
        exists: Whether the file was there.
    """

    path: Path
    store: Path | str
    tenant: str = "default"
    principal: str = ""
    scopes: tuple[Scope, ...] = ()
    visibility: Visibility | None = None
    uses: tuple[str, ...] = ()
    repositories: Mapping[str, str] = field(default_factory=dict)
    credential: str = ""
    embedder: str = ""
    exists: bool = False

    def scopes_at(self, folder: Path) -> tuple[Scope, ...]:
        """The scopes in force in a folder: the declared ones, and that of the repository around it."""
        inside = [
            Scope("repository", name)
            for name, root in self.repositories.items()
            if folder == Path(root) or Path(root) in folder.parents
        ]
        return tuple(dict.fromkeys((*self.scopes, *inside)))


def default_folder(environment: Mapping[str, str]) -> Path:
    """Where the profile and credentials are kept."""
    import platformdirs

    stated = environment.get("MUNIMENT_CONFIG")
    return Path(stated) if stated else Path(platformdirs.user_config_path("muniment"))


def place_of(stated: str) -> Path | str:
    """A store's place from its text: the address of a database, else a file.

    >>> place_of("postgresql://localhost/memory")
    'postgresql://localhost/memory'
    """
    return stated if is_address(stated) else Path(stated)


def absolute(place: Path | str) -> Path | str:
    """A place that means the same in any folder."""
    return place if isinstance(place, str) else place.absolute()


def shown(place: Path | str) -> str:
    """A place as it may be shown: without the password of an address.

    >>> shown("postgresql://ada:secret@db/memory?password=secret&sslmode=require")
    'postgresql://ada:…@db/memory?password=…&sslmode=require'
    """
    return _PASSWORD.sub(r"\1…", place) if isinstance(place, str) else str(place)


def default_store(environment: Mapping[str, str]) -> Path | str:
    """Where the store is kept: `MUNIMENT_STORE`, else the user's data folder."""
    import platformdirs

    stated = environment.get("MUNIMENT_STORE")
    if stated:
        return place_of(stated)
    return Path(platformdirs.user_data_path("muniment")) / "memory.db"


def load(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Profile:
    """Read the profile; one with nothing declared where there is no file.

    Args:
        path: The file; by default `MUNIMENT_PROFILE`, else `profile.toml` in the configuration folder.
        environment: By default the process's.

    Raises:
        InvalidInput: It cannot be read, or says something that is not expected.
    """
    env = os.environ if environment is None else environment
    stated = env.get("MUNIMENT_PROFILE")
    file = path or (Path(stated) if stated else default_folder(env) / "profile.toml")
    empty = Profile(file, default_store(env))
    try:
        raw = tomllib.loads(file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return empty
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(file, str(error)) from error
    return _read(replace(empty, exists=True), raw, env)


def _unreadable(file: Path, why: str) -> InvalidInput:
    fix = "mend it, or move it away and run `muniment init`"
    return InvalidInput.of(
        (Finding("bad_profile", f"the profile cannot be read: {why}", str(file), fix),)
    )


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a profile's file says."""

    store: str = ""
    tenant: str = "default"
    principal: str = ""
    scopes: tuple[str, ...] = ()
    visibility: Visibility | None = None
    uses: tuple[str, ...] = ()
    repositories: Mapping[str, Any] = field(default_factory=dict)
    credential: str = ""
    embedder: str = ""


def _read(profile: Profile, raw: Mapping[str, Any], environment: Mapping[str, str]) -> Profile:
    """What the file says, read strictly: a misread word would give claims to others, or to nobody."""
    found: list[Finding] = []
    stated = read(_Stated, raw, "", found)
    if stated is not None:
        found.extend(_problems(stated))
    if stated is None or found:
        raise _unreadable(profile.path, "; ".join(map(str, found)))
    roots = stated.repositories
    fixed = "MUNIMENT_STORE" in environment or not stated.store
    return replace(
        profile,
        store=profile.store if fixed else place_of(stated.store),
        tenant=stated.tenant,
        principal=stated.principal,
        scopes=tuple(Scope.parse(text) for text in stated.scopes),
        visibility=stated.visibility,
        uses=stated.uses,
        repositories={name: str(root) for name, root in roots.items()},
        credential=stated.credential,
        embedder=stated.embedder,
    )


def _problems(stated: _Stated) -> Iterator[Finding]:
    for scope in stated.scopes:
        if not all(scope.partition(":")):
            yield Finding("bad_scope", f"{quoted(scope)} is no scope", "/scopes", "write kind:id")
    texts = [stated.store, stated.tenant, stated.principal, stated.credential, stated.embedder]
    for text in (
        *texts,
        *stated.uses,
        *stated.scopes,
        *stated.repositories,
        *stated.repositories.values(),
    ):
        if not isinstance(text, str) or "\0" in text:
            yield Finding("wrong_type", f"{quoted(text)} is no text", "", "give text without NUL")


def save(profile: Profile) -> None:
    """Write the profile, readable by its owner alone; all of it or nothing."""
    profile.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    waiting = profile.path.with_name(profile.path.name + ".new")
    with os.fdopen(
        os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(render(profile))
    waiting.replace(profile.path)


def render(profile: Profile) -> str:
    """The profile's text. JSON strings and lists are TOML too."""
    lines = [
        "# Muniment: who acts, where, and what new claims get. Written by `muniment init`.",
        f"store = {_text(str(profile.store))}",
        f"tenant = {_text(profile.tenant)}",
        f"principal = {_text(profile.principal)}",
        f"scopes = {_text([str(scope) for scope in profile.scopes])}",
        f"uses = {_text(list(profile.uses))}",
        f"credential = {_text(profile.credential)}",
        f"embedder = {_text(profile.embedder)}",
    ]
    if profile.visibility:
        stated = encode(profile.visibility)
        lines += ["", "[visibility]", f"level = {_text(stated['level'])}"]
        lines += [f"allowed_principals = {_text(stated.get('allowed_principals', []))}"]
        if "all_of" in stated:
            lines += [f"all_of = {_text(stated['all_of'])}"]
    lines += ["", "[repositories]"]
    lines += [
        f"{_text(name)} = {_text(root)}" for name, root in sorted(profile.repositories.items())
    ]
    return "\n".join(lines) + "\n"


def _text(value: Any) -> str:
    return canonical(value).decode("utf-8")
