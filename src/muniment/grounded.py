"""The verbs of `Memory` for bridges, conjunctive queries, proofs and certificates: its second half.

- They act as the session's principal, as all verbs do; nothing here decides anything by itself.

>>> from muniment import Memory
>>> ada = Memory.open(None).acting_as("user:ada", scopes=["project:shop"])
>>> ada.query("?who maintains ?repo, ?repo uses pnpm", use="answer_questions").outcome
'no_matches'
>>> ada.certified_query("?who maintains shop", use="answer_questions").certificate["outcome"]
'no_matches'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from muniment import wiring
from muniment.core.authority import gated

if TYPE_CHECKING:
    from muniment.core.answered import Answered
    from muniment.core.certificate import Verdict
    from muniment.core.rdf import Triple
    from muniment.usecases.listing import ListedBridge
    from muniment.usecases.propose import Proposed
    from muniment.usecases.revalidate import Certified
    from muniment.usecases.session import Session


class GroundedVerbs:
    """What a principal may ask of facts, and have proven.

    Attributes:
        session: Who acts, and where.
    """

    session: Session

    @gated
    def bridge(self, phrase: str, target: str, **parts: Any) -> Proposed:
        """Propose that a phrase of queries may be rewritten to another, with parts as for `remember`.

        Raises:
            InvalidInput: The mapping would rewrite nothing, or a rule refuses it; nothing was written.
        """
        from muniment.usecases import bridging

        return bridging.bridge(self.session, phrase, target, parts)

    @gated
    def bridges(self) -> tuple[ListedBridge, ...]:
        """The bridges of the scopes in force, by phrase; see `usecases.listing`."""
        from muniment.usecases.listing import bridges

        return bridges(self.session)

    @gated
    def query(self, query: str | Mapping[str, Any], *, use: str, **options: Any) -> Answered:
        """Every answer of a query (JSON or text form) with its proofs; see `usecases.query.Question` for the options.

        Raises:
            InvalidInput: Something is wrong with the query; all of it is said, each at its place.
        """
        from muniment.usecases.query import ask

        return ask(self.session, wiring.query_from(query), use, options)

    @gated
    def certified_query(
        self, query: str | Mapping[str, Any], *, use: str, **options: Any
    ) -> Certified:
        """The answer of a query with a certificate by which it can be asked again.

        Raises:
            InvalidInput: Something is wrong with the query.
        """
        from muniment.usecases.query import Question
        from muniment.usecases.revalidate import certify

        return certify(self.session, Question(wiring.query_from(query), use, **options))

    @gated
    def certified_recall(self, query: str, *, use: str, **options: Any) -> Certified:
        """A recall's packet with a certificate by which it can be asked again; it is not logged.

        Raises:
            InvalidInput: Something is wrong with the request, or it reads more than reviewed claims.
        """
        from muniment.core.request import Request
        from muniment.usecases.revalidate import certify

        return certify(self.session, Request(query=query, use=use, **options))

    @gated
    def graph(self, *names: str) -> tuple[Triple, ...]:
        """Claims as RDF triples; all that are accepted in scope where none is named.

        Raises:
            NotFound: A claim is absent or not visible.
        """
        from muniment.usecases.graph_export import graph

        return graph(self.session, names)

    @gated
    def revalidate(self, certificate: Mapping[str, Any]) -> Verdict:
        """Ask again what a certificate answers, and say what changed.

        Raises:
            InvalidInput: It is no certificate, or was altered.
        """
        from muniment.usecases.revalidate import revalidate

        return revalidate(self.session, certificate)
