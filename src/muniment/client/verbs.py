"""The verbs of both clients: each is a plan, and what runs the plan gives its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from muniment.client import plans
from muniment.client.plans import Plan, asked, one
from muniment.client.sending import Asked
from muniment.ports.credential import Signer
from muniment.usecases.review import Choice

Result = TypeVar("Result")


def present() -> datetime:
    """The present."""
    return datetime.now(UTC)


class Verbs(ABC, Generic[Result]):
    """What can be asked of a server; `Result` is an answer, or what can be awaited for one."""

    clock: Callable[[], datetime] = staticmethod(present)

    @abstractmethod
    def _run(self, plan: Plan) -> Result:
        """Run a plan to its end."""

    def _call(self, name: str, given: Mapping[str, Any], **path: str) -> Result:
        return self._run(one(asked(name, given, **path)))

    # --- reading ----------------------------------------------------------------------------------

    def recall(self, query: str, *, use: str, **options: Any) -> Result:
        """Evidence for a question and a use, whole, cited, within a token budget."""
        return self._call("recall", {"query": query, "use": use, **options})

    def certified_recall(self, query: str, *, use: str, **options: Any) -> Result:
        """A recall with the certificate by which it can be asked again."""
        return self.recall(query, use=use, certify=True, **options)

    def query(self, query: str | Mapping[str, Any], *, use: str, **options: Any) -> Result:
        """Join facts: every answer with its proofs, or why there is none."""
        return self._call("query", {"query": query, "use": use, **options})

    def certified_query(
        self, query: str | Mapping[str, Any], *, use: str, **options: Any
    ) -> Result:
        """A query with the certificate by which it can be asked again."""
        return self.query(query, use=use, certify=True, **options)

    def revalidate(self, certificate: Mapping[str, Any]) -> Result:
        """Ask again what a certificate answers, and say what changed."""
        return self._call("revalidate", {"certificate": certificate})

    def show(self, claim_id: str) -> Result:
        """A claim, with its six questions answered."""
        return self._call("show", {}, id=claim_id)

    def show_source(self, name: str) -> Result:
        """A kept source with how it begins, or a passage with what stands around it."""
        return self._call("source", {}, id=name)

    def claims(self, ids: Collection[str]) -> Result:
        """Claims by identifier; what is absent or not visible is left out."""
        return self._call("claims", {"ids": list(ids)})

    def history(self, claim_id: str) -> Result:
        """Every version of a claim and of those it superseded."""
        return self._call("history", {}, id=claim_id)

    def why(self, id: str) -> Result:
        """Why a claim is there, what became of a diff, or how a retrieval came to its answer."""
        return self._call("why", {}, id=id)

    def conflicts(self) -> Result:
        """Recorded contradictions and their sides."""
        return self._call("conflicts", {})

    def graph(self, *ids: str) -> Result:
        """Claims as an RDF graph, in JSON-LD."""
        return self._call("graph", {"ids": list(ids)} if ids else {})

    def survey(self) -> Result:
        """How much is remembered, how fresh it is, what ends, what waits, and what it rests on."""
        return self._call("survey", {})

    def inbox(self) -> Result:
        """What waits for review, oldest first; all pages."""
        return self._run(plans.inbox())

    def diff(self, diff_id: str) -> Result:
        """A diff with where its changes stand, and what the checks notice."""
        return self._call("diff", {}, id=diff_id)

    def me(self) -> Result:
        """What the token is bound to."""
        return self._run(one(Asked("GET", "/v1/me")))

    def ontology(self) -> Result:
        """The words and rules in force, and their hash."""
        return self._run(one(Asked("GET", "/v1/ontology")))

    # --- proposing --------------------------------------------------------------------------------

    def remember(self, claim: str, **parts: Any) -> Result:
        """Propose one statement; it serves nobody before it is accepted."""
        return self._call("remember", {"claim": claim, **parts})

    def propose(self, diff: Mapping[str, Any]) -> Result:
        """Propose several changes that are reviewed one by one."""
        return self._call("propose", diff)

    def report(self, claim_id: str, verdict: str, reason: str, **parts: Any) -> Result:
        """Say that a memory was wrong, outdated or useful: a proposal."""
        given = {"id": claim_id, "verdict": verdict, "reason": reason, **parts}
        return self._call("report", given)

    def bridge(self, phrase: str, target: str, **parts: Any) -> Result:
        """Propose that a phrase of queries may be rewritten to another."""
        return self._call("bridge", {"phrase": phrase, "target": target, **parts})

    def keep_conversation(self, messages: Sequence[Mapping[str, Any]], name: str) -> Result:
        """Keep messages word for word, unreviewed."""
        return self._call("conversation", {"messages": list(messages), "name": name})

    # --- deciding and checking --------------------------------------------------------------------

    def review(
        self, diff: str | Mapping[str, Any], choices: Mapping[str, Choice], signer: Signer
    ) -> Result:
        """Decide changes of a diff; decisions are signed here, over the diff as it was fetched.

        Args:
            diff: Its name, or what `diff` gave, as it was looked at.
            choices: Change id to choice.
            signer: The reviewer's opened credential (`muniment.wiring.open_credential`).
        """
        return self._run(plans.review(diff, choices, signer, self.clock))

    def verify(self, head: str = "") -> Result:
        """Check the ledger, against a head that was kept."""
        return self._call("verification", {"head": head} if head else {})
