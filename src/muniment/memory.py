"""Memory: the library's front object. One verb, one meaning, whatever the door.

- `Memory.open` opens a store; `acting_as` says who acts and where. Without a scope nothing is found.
- Reading verbs return what the acting principal may see; writing verbs propose; `review` decides, with a credential.
- Refusals carry their findings, and nothing has been written.

>>> from muniment import Memory
>>> memory = Memory.open(None).acting_as("user:ada", scopes=["project:shop"],
...     visibility={"level": "user-private", "allowed_principals": ["user:ada"]}, uses=["answer_questions"])
>>> proposed = memory.remember("The shop ships on Fridays.")
>>> len(memory.inbox())
1
>>> memory.recall("when does the shop ship?", use="answer_questions").packet.outcome
'no_support'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from muniment import wiring
from muniment.core.access import Scope, Visibility
from muniment.core.authority import gated
from muniment.exchanging import Exchanging
from muniment.grounded import GroundedVerbs
from muniment.keeping import Keeping
from muniment.noting import Noting
from muniment.operating import Operating
from muniment.ports.embedding import Embedder
from muniment.ports.learning import Progress
from muniment.reviewing import Reviewing
from muniment.usecases.session import Session, bound_session, narrowed_session
from muniment.wiring import Clock, Entropy

if TYPE_CHECKING:
    from muniment.core.claim import Claim
    from muniment.core.consolidation import Group
    from muniment.core.packet import Packet
    from muniment.core.survey import Survey
    from muniment.usecases.learn import Learned
    from muniment.usecases.policy import ByPolicy
    from muniment.usecases.propose import Proposed
    from muniment.usecases.recall import Recalled
    from muniment.usecases.reread import Reread
    from muniment.usecases.show import Shown, Version
    from muniment.usecases.show_source import ShownSource


class Memory(Exchanging, GroundedVerbs, Keeping, Noting, Operating, Reviewing):
    """Governed memory, as one principal of one tenant may use it. Make one with `Memory.open`."""

    def __init__(
        self, session: Session, roots: Mapping[str, Path], clock: Clock, entropy: Entropy
    ) -> None:
        """Wrap a session; `open` and `acting_as` are the usual ways."""
        super().__init__(session)
        self._roots, self._clock, self._entropy = dict(roots), clock, entropy

    @classmethod
    def open(
        cls,
        path: str | Path | None,
        *,
        tenant: str = "default",
        create: bool = True,
        roots: Mapping[str, Path] | None = None,
        clock: Clock = wiring.system_clock,
        entropy: Entropy = os.urandom,
        vfs: str | None = None,
    ) -> Memory:
        """Open a store, acting as nobody yet.

        Args:
            path: The store's file, or `postgresql://…`; None keeps everything in this process's memory.
            tenant: The wall.
            create: Whether to make the file, or the tables, where there are none.
            roots: Repository id to its local folder, for re-reading sources.
            clock: Gives the present, aware.
            entropy: Gives n random bytes.
            vfs: An SQLite VFS, for tests.

        Raises:
            StoreError: The store cannot be opened.
        """
        store = wiring.open_store(path, entropy, create, vfs)
        session = wiring.make_session(
            store, tenant=tenant, principal="", roots=roots, clock=clock, entropy=entropy
        )
        return cls(session, roots or {}, clock, entropy)

    def acting_as(
        self,
        principal: str,
        *,
        scopes: Sequence[str | Scope] = (),
        visibility: Mapping[str, Any] | Visibility | None = None,
        uses: Sequence[str] = (),
        roots: Mapping[str, Path] | None = None,
        declared: str = "",
        embedder: str | Callable[[], Embedder | None] = "none",
        role: str = "",
    ) -> Memory:
        """The same store, acting as a principal in scopes.

        Args:
            principal: `user:alice`, `agent:codex`, …
            scopes: `kind:id` each; none means that nothing is found.
            visibility: What new claims get where they do not say.
            uses: Allowed uses of new claims where they do not say.
            roots: Further repositories' local folders.
            declared: Where these values come from, shown in outputs.
            embedder: What embeds texts (`embed.opening`), such as `wordllama`; nothing by default.
            role: The ceiling of what is done: reader, proposer, reviewer or operator; none by default. What the
                principal may really do its declared roles say.

        Raises:
            InvalidInput: A visibility or role that is none.
        """
        known = {**self._roots, **(roots or {})}
        session = wiring.make_session(
            self.session.store,
            tenant=self.session.tenant,
            principal=principal,
            scopes=tuple(s if isinstance(s, Scope) else Scope.parse(s) for s in scopes),
            roots=known,
            visibility=wiring.visibility_from(visibility),
            uses=tuple(uses),
            clock=self._clock,
            entropy=self._entropy,
            declared=declared,
            embedder=embedder,
            role=role,
        )
        return Memory(session, known, self._clock, self._entropy)

    def with_token(self, text: str, *, role: str = "operator") -> Memory:
        """The same store, acting as the bearer of a token, within what it is bound to (`D-API`).

        Args:
            text: What was presented.
            role: A further ceiling, as of a server that serves readers alone.

        Raises:
            NotPermitted: It serves nothing: absent, wrong, revoked, expired, or no operator's.
        """
        from muniment.core.authority import lower
        from muniment.usecases.tokens import bearer

        session = self.session
        now = self._clock()
        tenant, token = bearer(session.store, text, now, session.verify)
        sources = wiring.sources_in(self._roots, token.scopes)
        bound = bound_session(session, tenant, token, lower(token.role, role), sources)
        return Memory(bound, self._roots, self._clock, self._entropy)

    def narrowed(
        self,
        *,
        scopes: Sequence[str | Scope] | None = None,
        role: str = "",
        once: str = "",
        asked: str = "",
    ) -> Memory:
        """The same memory with less: some of its scopes, a lower ceiling; and one proposal's name.

        Args:
            scopes: Of those in force; None for all of them.
            role: A further ceiling; none by default.
            once: Names a proposal, so that making it again gives the one that was made (`E-IDEMPOTENT`).
            asked: Digest of the request that makes it; another one under the same name is refused.

        Raises:
            NotPermitted: A scope is not in force.
            InvalidInput: A role that is none.
        """
        session = narrowed_session(self.session, scopes, role, once, asked)
        return Memory(session, self._roots, self._clock, self._entropy)

    def __enter__(self) -> Memory:
        """The memory itself; it is closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Release the store."""
        self.session.store.close()

    @gated
    def remember(self, claim: str, **parts: Any) -> Proposed:
        """Propose one claim; see `usecases.remember`.

        Args:
            claim: The statement.
            **parts: Parts of the claim in wire form; `source` may be an address, `quote` words that stand in it.

        Raises:
            InvalidInput: A rule refuses it; nothing was written.
        """
        from muniment.usecases.remember import remember

        return remember(self.session, claim, parts)

    @gated
    def propose(self, diff: Mapping[str, Any], *, is_import: bool = False) -> Proposed:
        """Propose a diff in its wire form.

        Raises:
            InvalidInput: Every finding at once; nothing was written.
        """
        from muniment.usecases.propose import propose

        return propose(self.session, diff, is_import)

    @gated
    def report(self, claim_id: str, verdict: str, reason: str, **parts: Any) -> Proposed:
        """Say that a memory was wrong, outdated or useful, as a proposal; see `usecases.report`.

        Raises:
            NotFound: Absent, or not visible.
            InvalidInput: No such verdict, or no reason.
        """
        from muniment.usecases.report import report

        return report(self.session, claim_id, verdict, reason, parts)

    @gated
    def narrow(
        self, claim: str, visibility: Visibility | Mapping[str, Any], reason: str
    ) -> Proposed:
        """Propose that fewer may see a claim, and with it what rests on it; see `usecases.narrow`."""
        from muniment.usecases.narrow import narrow

        return narrow(self.session, claim, visibility, reason)

    @gated
    def consolidations(self) -> tuple[Group, ...]:
        """The memories that could be one; see `usecases.consolidate`."""
        from muniment.usecases.consolidate import consolidations

        return consolidations(self.session)

    @gated
    def consolidate(self, *ids: str, claim: str = "", reason: str = "") -> Proposed:
        """Propose one memory that is made of several; see `usecases.consolidate`.

        Raises:
            NotFound: One of them is absent, or not visible.
            InvalidInput: They cannot be one memory.
        """
        from muniment.usecases.consolidate import consolidate

        return consolidate(self.session, ids, claim, reason)

    @gated
    def learn(
        self, folder: str | Path = ".", *, progress: Progress | None = None
    ) -> tuple[Learned, ByPolicy]:
        """Read a repository's own files and propose what changed; a declared policy decides what it may.

        Returns:
            What was learned, and what the policy did with it.
        """
        from muniment.usecases.learn import PRINCIPAL, learn, silent
        from muniment.usecases.policy import ByPolicy, decide_waiting, protected_ref

        repository = wiring.open_repository(Path(folder))
        session = self._with_root(repository.id, repository.root).session
        ref = protected_ref(session, repository, self._roots.get(repository.id))
        learned = learn(session, repository, wiring.read_file, ref, progress or silent)
        if ref is None:
            return learned, ByPolicy()
        return learned, decide_waiting(session, learned.scope, PRINCIPAL, wiring.read_file)

    @gated
    def reread(self, *claim_ids: str, everything: bool = False) -> tuple[Reread, ByPolicy]:
        """Go back to the sources of claims that are due (or named), and propose what follows; see `usecases.reread`.

        Returns:
            What was found, and what a declared policy did with the proposals.
        """
        from muniment.usecases.policy import ByPolicy, decide_waiting
        from muniment.usecases.reread import PRINCIPAL, reread

        found = reread(self.session, claim_ids, everything)
        decided = ByPolicy()
        for one in found.proposed:
            by = decide_waiting(self.session, one.diff.scope, PRINCIPAL, wiring.read_file)
            decided = by if by.policy else decided
        return found, decided

    def _with_root(self, repository_id: str, root: Path) -> Memory:
        session = self.session
        return self.acting_as(
            session.principal,
            scopes=session.scopes,
            visibility=session.visibility,
            uses=session.uses,
            roots={repository_id: root},
            declared=session.declared,
            embedder=session.embedder,
            role=session.role,
        )

    @gated
    def recall(self, query: str, *, use: str, **options: Any) -> Recalled:
        """Evidence for a query and a use, within a token budget; see `usecases.recall.Request` for the options."""
        from muniment.core.ontology import flow_hash
        from muniment.usecases.recall import Request, recall

        request = Request(query=query, use=use, **options)
        return recall(self.session, request, ontology=flow_hash())

    @gated
    def recall_as(self, principal: str, query: str, *, use: str, **options: Any) -> Packet:
        """What another principal would be handed, as far as the operator sees it; see `usecases.recall_as`."""
        from muniment.core.ontology import flow_hash
        from muniment.core.request import Request
        from muniment.usecases.recall_as import recall_as

        request = Request(query=query, use=use, **options)
        return recall_as(self.session, principal, request, flow_hash())

    @gated
    def show(self, claim_id: str) -> Shown:
        """A claim, with the six questions answered."""
        from muniment.usecases.show import show

        return show(self.session, claim_id)

    @gated
    def show_source(self, name: str) -> ShownSource:
        """A kept source with how it begins, or a passage with what stands around it."""
        from muniment.usecases.show_source import show_source

        return show_source(self.session, name)

    @gated
    def claims(self, ids: Collection[str]) -> Mapping[str, Claim]:
        """Claims by identifier, their latest versions; what is absent or not visible is left out."""
        with self.session.store.snapshot(self.session.tenant) as snapshot:
            viewing = self.session.viewing(snapshot)
            rows = [row for one in dict.fromkeys(ids) if (row := viewing.row(one))]
            found = viewing.claims(rows)
            return {row.claim_id: found[row.seq] for row in rows if row.seq in found}

    @gated
    def history(self, claim_id: str) -> tuple[Version, ...]:
        """Every version of a claim and of those it superseded, oldest first."""
        from muniment.usecases.show import history

        return history(self.session, claim_id)

    @gated
    def why(self, id: str) -> Mapping[str, Any]:
        """Why a claim is there, what became of a diff, or how a retrieval came to its answer."""
        from muniment.core.ids import is_id
        from muniment.usecases.show import why
        from muniment.usecases.traces import retrieval

        return retrieval(self.session, id) if is_id(id, "ret") else why(self.session, id)

    @gated
    def conflicts(self) -> tuple[Mapping[str, Any], ...]:
        """Recorded conflicts in scope of which every side is visible."""
        from muniment.usecases.show import conflicts

        return conflicts(self.session)

    @gated
    def survey(self, *, sources: int = 10_000) -> Survey:
        """Look over the scopes in force: counts, what ends, what is in doubt and why, growth, backlog, sources.

        Args:
            sources: Of how many claims the sources are looked up, at most; 0 for none.
        """
        from muniment.usecases.survey import survey

        return survey(self.session, sources)
