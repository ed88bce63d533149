"""The words of the record as data: everything that docs, errors and the flow hash are generated from.

- A term has a name and a meaning; a closed vocabulary refuses other names and lists its own.
- Open vocabularies (claim types, source kinds, uses, relations) can be extended by declaration.
- Uses carry a risk; a use that nobody declared is high-risk (`B-USES`).
- The relation map says of a predicate whether it holds one value or many; the flow hash covers all of this.

Sources: seed A, and for claim types, freshness, review, uses and the operations of diffs seed B.

>>> unknown_name("memory_type", "semantc").message
'`semantc` is not a memory type'
>>> canonical_name("memory_type", "persistent AI memory")
'long_term'
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from muniment.core.errors import Finding, quoted

Risk = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Term:
    """One name of a vocabulary and what it means."""

    name: str
    meaning: str


def _terms(*rows: tuple[str, str]) -> tuple[Term, ...]:
    return tuple(Term(name, meaning) for name, meaning in rows)


MEMORY_TYPES = _terms(
    ("working", "state of the task at hand; transient, never long-term by itself"),
    ("short_term", "context kept for a finite time"),
    ("long_term", "persistent knowledge with identity, source, history, validity and provenance"),
    ("episodic", "an event or experience with its time, participants, place and context"),
    ("semantic", "a concept, fact, entity or relationship; not by itself a verified fact"),
    ("procedural", "a procedure with its steps in order"),
    ("conversational", "what was said, or a summary of it, kept apart from the messages"),
    ("user_specific", "about one user"),
    ("agent_specific", "about one agent"),
    ("external", "from outside: a retrieval, an import, another system"),
)
SCOPE_KINDS = _terms(
    ("current_turn", "this turn only"),
    ("conversation", "one conversation"),
    ("task", "one task"),
    ("user", "one user"),
    ("agent", "one agent"),
    ("project", "one project"),
    ("domain", "one field of knowledge"),
    ("global_system", "everywhere in the tenant"),
    ("repository", "one source repository"),
    ("organization", "one organization"),
    ("channel", "one chat channel"),
    ("team", "one team"),
    ("service", "one running service"),
    ("customer", "one customer"),
    ("environment", "one environment, such as production"),
    ("incident", "one time-bounded incident"),
)
BROAD_SCOPES = ("domain", "global_system", "organization", "team")
ORIGINS = _terms(
    ("user_input", "a person said it to the system"),
    ("conversation", "it was said in a conversation"),
    ("observation", "it was observed directly, for instance in a file"),
    ("tool_result", "a tool returned it"),
    ("retrieval", "it was retrieved from a store of context"),
    ("external_data", "another system or data set holds it"),
    ("inference", "it was inferred"),
    ("summarisation", "it summarises something else"),
    ("human_annotation", "a person marked it as such"),
    ("system_process", "a declared process made it"),
)
CONTENT_KINDS = _terms(
    ("text", "a statement in words"),
    ("structured_data", "a value with its key"),
    ("entity_reference", "a reference to an entity"),
    ("relationship", "a relation between entities"),
    ("event", "something that happened"),
    ("preference", "what somebody prefers"),
    ("task_state", "the state of a task"),
    ("summary", "a summary of other content"),
    ("embedding_reference", "a reference to a vector, never the vector"),
)
RETRIEVAL_METHODS = _terms(
    ("exact_identifier", "by identifier or alias"),
    ("keyword", "by the words of the query, BM25 over the eligible claims"),
    ("semantic_similarity", "by words with meaning: aliases and entities"),
    ("embedding_similarity", "by vectors of one declared space"),
    ("graph_traversal", "along facts, entities and relationships, bounded"),
    ("temporal_retrieval", "by closeness in valid time"),
    ("hybrid_retrieval", "by a weighted fusion of the others"),
)
STATUSES = _terms(
    ("active", "accepted, current and undisputed at the instant"),
    ("stale", "verified too long ago for its kind and use, or its source changed; not false"),
    ("expired", "past valid_until, expires_at or its time to live; history only"),
    ("superseded", "another claim that the asker may see replaced it"),
    ("disputed", "in open conflict with a claim that the asker may see"),
    ("invalid", "known wrong, or not valid at the instant"),
    ("archived", "kept by retention, out of use"),
)
RELATIONSHIPS = _terms(
    ("DESCRIBES", "metadata describes a memory"),
    ("IDENTIFIED_BY", "a memory has an identifier"),
    ("HAS_TYPE", "a memory has a type"),
    ("HAS_SCOPE", "a memory has a scope"),
    ("HAS_SOURCE", "a memory has a source"),
    ("MAY_REFERENCE_CONTENT", "a memory references content"),
    ("MAY_HAVE_EMBEDDING", "a memory has an embedding"),
    ("MAY_BE_RETRIEVED_BY", "a retrieval returned a memory"),
    ("MAY_BE_USED_BY", "an inference used a memory"),
    ("MAY_BE_DERIVED_FROM", "a memory is derived from a memory"),
    ("MAY_HAVE_VERSION", "a memory has a version"),
    ("MAY_REFERENCE", "metadata references provenance"),
)
CLAIM_TYPES = _terms(
    ("project_fact", "a fact about a project"),
    ("team_preference", "how a team wants it"),
    ("user_preference", "how a user wants it"),
    ("decision", "what was decided, and why"),
    ("incident_lesson", "what an incident taught"),
    ("runbook_step", "a step of a runbook"),
    ("domain_rule", "a rule of the field"),
    ("integration_capability", "what an integration can do"),
    ("known_failure_mode", "how something is known to fail"),
)
CONCEPT_TYPES = _terms(
    ("semantic", "declarative knowledge"),
    ("episodic", "time-bound records"),
    ("procedural", "how to do something"),
)
VISIBILITY_LEVELS = _terms(
    ("public", "every principal of the tenant"),
    ("user-private", "the named user"),
    ("team-private", "the named group"),
    ("customer-specific", "the principals named for one customer"),
    ("production-only", "the principals named for production"),
    ("security-sensitive", "the principals named, and no wider ever by default"),
)
FRESHNESS = _terms(
    ("current", "verified recently enough for the use"),
    ("stale", "probably old, not proven false"),
    ("expired", "must not be used; history only"),
    ("unknown", "no evidence of recency; no high-risk use"),
    ("needs_review", "blocked for action until checked"),
)
REVIEW_STATUSES = _terms(
    ("proposed", "extracted or suggested, not trusted yet"),
    ("accepted", "approved for normal use in its scope"),
    ("needs_review", "visible, blocked for action"),
    ("deprecated", "replaced or no longer useful; history"),
    ("rejected", "known wrong; not used"),
)
DERIVATIONS = _terms(
    ("direct", "the source says it"),
    ("inferred", "concluded from sources"),
    ("summarised", "a shorter form of sources"),
    ("consolidated", "several compatible memories in one"),
    ("imported", "brought over from another memory"),
)
OPERATIONS = _terms(
    ("add", "a new claim"),
    ("supersede", "a new claim in place of an accepted one, which stays as history"),
    ("deprecate", "an accepted claim goes out of use"),
    ("revalidate", "an accepted claim was checked again"),
    ("flag_conflict", "two or more claims contradict one another"),
)
SOURCE_KINDS = _terms(
    ("file", "a file of a repository or disk"),
    ("pull_request", "a pull request and its discussion"),
    ("issue", "an issue or ticket"),
    ("runbook", "a section of a runbook"),
    ("incident", "an incident's timeline"),
    ("permalink", "a chat message with a lasting link"),
    ("deployment", "a deployment event"),
    ("user_correction", "a user corrected the system"),
    ("user_statement", "a user told the system"),
    ("tool_output", "what a tool printed"),
    ("conversation", "a conversation, kept as messages"),
    ("document", "a document at an address"),
    ("memory", "other claims of this store"),
    ("import", "a record of another memory"),
    ("model_summary", "a summary that a model wrote"),
    ("note", "a note of its writer's own, which ends and which nobody else can look at"),
    ("unknown", "not stated"),
)
KIND_ORIGINS = (
    ("file", "observation"),
    ("pull_request", "conversation"),
    ("issue", "conversation"),
    ("runbook", "human_annotation"),
    ("incident", "observation"),
    ("permalink", "conversation"),
    ("deployment", "system_process"),
    ("user_correction", "user_input"),
    ("user_statement", "user_input"),
    ("tool_output", "tool_result"),
    ("conversation", "conversation"),
    ("document", "external_data"),
    ("memory", "inference"),
    ("import", "external_data"),
    ("model_summary", "summarisation"),
)


@dataclass(frozen=True, slots=True)
class Use:
    """What a claim may be wanted for, and what it costs to be wrong."""

    name: str
    risk: Risk
    meaning: str


USES = (
    Use("answer_questions", "low", "answer a person's question"),
    Use("prepare_context", "low", "put together the context of a task"),
    Use("plan_changes", "low", "plan a change"),
    Use("draft_pr", "low", "draft a pull request"),
    Use("choose_test_commands", "low", "choose which tests to run"),
    Use("choose_local_commands", "low", "choose commands for the developer's own machine"),
    Use("explain_decisions", "low", "explain a decision of the past"),
    Use("deploy", "high", "deploy"),
    Use("change_permissions", "high", "change who may do what"),
    Use("delete_data", "high", "delete data"),
    Use("modify_billing", "high", "change billing"),
    Use("skip_tests", "high", "leave tests out"),
    Use("claim_compliance", "high", "state that something complies"),
)
USE_ALIASES = (
    ("draft_pull_request", "draft_pr"),
    ("plan_a_change", "plan_changes"),
    ("explain_historical_decisions", "explain_decisions"),
)


def risk_of(use: str) -> Risk:
    """How much it costs to be wrong; a use that is not declared is high-risk (`B-USES`).

    >>> risk_of("answer_questions"), risk_of("launch_rocket")
    ('low', 'high')
    """
    name = dict(USE_ALIASES).get(use, use)
    return next((known.risk for known in USES if known.name == name), "high")


@dataclass(frozen=True, slots=True)
class Grade:
    """A confidence grade: the most that a claim of this standing may carry (`A-CONFIDENCE`)."""

    name: str
    cap: float
    meaning: str


GRADES = (
    Grade("explicit_memory_metadata", 1.00, "the memory's own metadata"),
    Grade("explicit_memory_identifier", 1.00, "an identifier given as such"),
    Grade("direct_source_memory", 0.98, "the source says it directly"),
    Grade("traceable_consolidated_memory", 0.95, "consolidated, with links to its sources"),
    Grade("contextually_retrieved_memory", 0.90, "came by retrieval from a context"),
    Grade("inferred_memory", 0.80, "inferred"),
    Grade("ambiguous_memory_source", 0.60, "the origin is not certain; its candidates are kept"),
)


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Two names for one thing, and when."""

    name: str
    same_as: str
    stands_for: str
    condition: str = ""


EQUIVALENTS = (
    Equivalent("AI memory metadata", "metadata about AI memory", "claim"),
    Equivalent("memory item", "AI memory record", "claim"),
    Equivalent("long-term memory", "persistent AI memory", "long_term"),
    Equivalent(
        "conversation memory",
        "dialogue memory",
        "conversational",
        "conversational context is stored",
    ),
    Equivalent(
        "semantic memory",
        "conceptual AI memory",
        "semantic",
        "generalised semantic knowledge is stored",
    ),
    Equivalent(
        "memory retrieval", "AI memory lookup", "recall", "stored memory records are retrieved"
    ),
)
DISTINCTIONS: tuple[tuple[str, str], ...] = (
    ("memory", "model_parameters"),
    ("memory", "training_data"),
    ("working_memory", "long_term_memory"),
    ("semantic_memory", "verified_fact"),
    ("conversation_summary", "original_messages"),
    ("relevance", "truth"),
    ("importance", "confidence"),
    ("stale", "false"),
    ("retrieved_memory", "external_retrieval_context"),
    ("embedding", "memory_content"),
    ("consolidated_memory", "source_memory"),
)
NOT_MEMORY = ("model_parameters", "training_data", "model_weights", "fine_tuning_data")

VOCABULARIES: tuple[tuple[str, tuple[Term, ...], bool], ...] = (
    ("memory_type", MEMORY_TYPES, True),
    ("scope_kind", SCOPE_KINDS, True),
    ("origin", ORIGINS, True),
    ("content_kind", CONTENT_KINDS, True),
    ("retrieval_method", RETRIEVAL_METHODS, True),
    ("status", STATUSES, True),
    ("relationship", RELATIONSHIPS, True),
    ("claim_type", CLAIM_TYPES, False),
    ("concept_type", CONCEPT_TYPES, True),
    ("visibility_level", VISIBILITY_LEVELS, True),
    ("freshness", FRESHNESS, True),
    ("review_status", REVIEW_STATUSES, True),
    ("derivation", DERIVATIONS, True),
    ("operation", OPERATIONS, True),
    ("source_kind", SOURCE_KINDS, False),
)


def names(vocabulary: str) -> tuple[str, ...]:
    """The names of a vocabulary, in their declared order."""
    return tuple(term.name for key, terms, _ in VOCABULARIES if key == vocabulary for term in terms)


def is_closed(vocabulary: str) -> bool:
    """Whether other names are refused."""
    return any(closed for key, _, closed in VOCABULARIES if key == vocabulary)


def equivalent(name: str) -> Equivalent | None:
    """The pair of names that a name belongs to, whatever its case and however its words are joined (`A-EQUIVALENCE`).

    >>> equivalent("AI_memory_record").stands_for, equivalent("note")
    ('claim', None)
    """
    folded = name.strip().casefold().replace("_", " ")
    for pair in EQUIVALENTS:
        if folded in (pair.name.casefold(), pair.same_as.casefold()):
            return pair
    return None


def canonical_name(vocabulary: str, given: str) -> str:
    """A declared name for what was given: itself, its spelling variant, or the equivalent's (`A-EQUIVALENCE`)."""
    folded = given.strip().casefold()
    for known in names(vocabulary):
        if folded.replace("-", "_").replace(" ", "_") == known.replace("-", "_"):
            return known
    pair = equivalent(given)
    return pair.stands_for if pair and pair.stands_for in names(vocabulary) else given


def unknown_name(vocabulary: str, given: str, path: str = "") -> Finding:
    """The finding for a name that a closed vocabulary does not have, with the nearest names and the list."""
    known = names(vocabulary)
    near = difflib.get_close_matches(given, known, n=2)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return Finding(
        f"unknown_{vocabulary}",
        f"{quoted(given)} is not a {vocabulary.replace('_', ' ')}",
        path=path,
        fix=f"{hint}use one of: {', '.join(known)}",
        req=_REQS.get(vocabulary, ""),
    )


_REQS = MappingProxyType(
    {
        "memory_type": "A-TYPE",
        "scope_kind": "A-SCOPEKIND",
        "origin": "A-SOURCEKIND",
        "content_kind": "A-CONTENTKIND",
        "retrieval_method": "A-METHOD",
        "status": "A-STATUS",
        "visibility_level": "B-VISIBILITY",
        "review_status": "B-REVIEW",
        "operation": "B-DIFF",
    }
)
