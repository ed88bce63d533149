"""Who sits at the page: a session between signing in and signing out, held in this process alone.

- A seat is taken with a token, or with the one-time code that the server prints for whoever started it.
- A token is looked at again at every request, so that revoking it ends the seat at once.
- A reviewer's credential is opened by its passphrase for a while, and forgotten; neither leaves this process.
- Names of seats are 256 random bits; what forms carry against forgery is another 256.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from muniment import wiring
from muniment.core.errors import NotPermitted, Refusal
from muniment.memory import Memory
from muniment.ports.credential import Signer
from muniment.usecases.reread import Reread

COOKIE = "muniment_seat"
LONGEST_SEAT = timedelta(hours=12)
IDLE_SEAT = timedelta(hours=2)
OPEN_CREDENTIAL = timedelta(minutes=15)
CODE_SERVES = timedelta(minutes=10)
MOST_SEATS = 200
MOST_TRIES = 5
TRIES_PAUSE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What the page works with.

    Attributes:
        memory: The store, acting as nobody: tokens make seats of it.
        own: Gives the memory of whoever started the server, for the one-time code; None where there is none.
        credential: The credential's file of whoever started the server; empty for none.
        secure: Whether it is served over TLS, so that cookies say so.
        role: The ceiling of every bearer, whatever the token says.
        secret: Gives random text of 256 bits.
        showcase: Whether anybody looks, as `memory` acts, and nobody sits.
    """

    memory: Memory
    own: Callable[[], Memory] | None = None
    credential: str = ""
    secure: bool = False
    role: str = "operator"
    secret: Callable[[], str] = lambda: secrets.token_urlsafe(32)
    showcase: bool = False


@dataclass(slots=True)
class Seat:
    """Somebody at the page.

    Attributes:
        name: What the cookie says.
        memory: As whom.
        token: What was presented; empty for the one-time code.
        csrf: What forms carry.
        since: When it was taken.
        last: When it was last used.
        signer: The opened credential.
        signer_until: Until when it stays open unused.
        tries: Wrong passphrases in a row.
        tries_after: When the next may be tried.
        messages: What the next page says: how good it is, and the words.
        reread: When sources were last read again from here, and what that found.
        visiting: Whether it is a look at a showcase, which leaves no trace.
    """

    name: str
    memory: Memory
    token: str
    csrf: str
    since: datetime
    last: datetime
    signer: Signer | None = None
    signer_until: datetime | None = None
    tries: int = 0
    tries_after: datetime | None = None
    messages: list[tuple[str, str]] = field(default_factory=list)
    reread: tuple[datetime, Reread] | None = None
    visiting: bool = False

    def say(self, how: str, words: str) -> None:
        """Keep something for the next page: `good`, `bad` or `unsure`."""
        self.messages = [*self.messages[-9:], (how, words)]

    def heard(self) -> list[tuple[str, str]]:
        """What is to be said now; it is said once."""
        said, self.messages = self.messages, []
        return said


class Seats:
    """All who sit at this process's page."""

    def __init__(self, settings: PageSettings) -> None:
        """Nobody sits here yet."""
        self.settings = settings
        self._seats: dict[str, Seat] = {}
        self._code = ""
        self._code_until: datetime | None = None
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The present."""
        return self.settings.memory.session.now()

    def code(self) -> str:
        """A new one-time code; the one before serves no more.

        Raises:
            NotPermitted: The server was started for nobody in particular.
        """
        if self.settings.own is None:
            raise NotPermitted("this server has no one-time codes", fix="sign in with a token")
        with self._lock:
            self._code, self._code_until = self.settings.secret(), self.now() + CODE_SERVES
            return self._code

    def take_with_code(self, given: str) -> Seat:
        """A seat for the one-time code.

        Raises:
            NotPermitted: It is not the code, or serves no more.
        """
        with self._lock:
            until, known = self._code_until, self._code
            good = bool(known) and hmac.compare_digest(known.encode(), given.encode())
            if not good or until is None or self.now() >= until or self.settings.own is None:
                fix = "start `muniment serve` anew, or sign in with a token"
                raise NotPermitted("the code is not known, or was used", fix=fix)
            self._code, self._code_until = "", None
        return self._seat(self.settings.own(), "")

    def take_with_token(self, text: str) -> Seat:
        """A seat for a token's bearer.

        Raises:
            NotPermitted: The token serves nothing.
        """
        text = text.strip()
        return self._seat(self._borne(text), text)

    def _borne(self, text: str) -> Memory:
        return self.settings.memory.with_token(text, role=self.settings.role)

    def _seat(self, memory: Memory, token: str) -> Seat:
        now = self.now()
        seat = Seat(self.settings.secret(), memory, token, self.settings.secret(), now, now)
        with self._lock:
            if len(self._seats) >= MOST_SEATS:
                oldest = min(self._seats.values(), key=lambda one: one.last)
                del self._seats[oldest.name]
            self._seats[seat.name] = seat
        return seat

    def visitor(self) -> Seat:
        """A seat for one look at a showcase."""
        now = self.now()
        return Seat("", self.settings.memory, "", "", now, now, visiting=True)

    def find(self, name: str) -> Seat | None:
        """The seat of a cookie; None where there is none, or it ended."""
        if self.settings.showcase:
            return self.visitor()
        seat = self._seats.get(name)
        if seat is None:
            return None
        now = self.now()
        if now - seat.since > LONGEST_SEAT or now - seat.last > IDLE_SEAT:
            self.leave(seat)
            return None
        if seat.token:
            try:
                seat.memory = self._borne(seat.token)
            except Refusal:
                self.leave(seat)
                return None
        seat.last = now
        if seat.signer_until is not None and now >= seat.signer_until:
            self.lock(seat)
        return seat

    def leave(self, seat: Seat) -> None:
        """Sign out; the credential is forgotten."""
        self.lock(seat)
        with self._lock:
            self._seats.pop(seat.name, None)

    def lock(self, seat: Seat) -> None:
        """Forget the opened credential."""
        seat.signer, seat.signer_until = None, None

    def may_unlock(self, seat: Seat) -> bool:
        """Whether the credential that this server has may be the seat's: its owner's file is looked at on opening."""
        return bool(self.settings.credential) and seat.memory.session.principal.startswith("user:")

    def unlock(self, seat: Seat, passphrase: str) -> None:
        """Open the reviewer's credential for a while.

        Raises:
            NotPermitted: A wrong passphrase, another's credential, or too many tries.
            InvalidInput: There is no credential.
        """
        now = self.now()
        if seat.tries_after is not None and now < seat.tries_after:
            fix = f"wait until {seat.tries_after:%H:%M:%S} UTC"
            raise NotPermitted("too many wrong passphrases", fix=fix)
        if not self.may_unlock(seat):
            fix = "decide with `muniment review` on the machine that has your credential"
            raise NotPermitted("this server has no credential of yours", fix=fix)
        try:
            signer = wiring.open_credential(Path(self.settings.credential), passphrase)
        except NotPermitted:
            seat.tries += 1
            if seat.tries >= MOST_TRIES:
                seat.tries, seat.tries_after = 0, now + TRIES_PAUSE
            raise
        if signer.principal != seat.memory.session.principal:
            fix = "sign in as its owner, or use `muniment review` where your credential is"
            raise NotPermitted("the credential of this server is another person's", fix=fix)
        seat.tries, seat.signer = 0, signer
        self.used(seat)

    def used(self, seat: Seat) -> None:
        """The credential was used: it stays open for another while."""
        if seat.signer is not None:
            seat.signer_until = self.now() + OPEN_CREDENTIAL
