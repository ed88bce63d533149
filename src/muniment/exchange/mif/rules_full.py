"""What the specification asks of one concept beyond the schema, level 3: times, provenance, citations, integrity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.canonical import digest_bytes
from muniment.core.errors import Severity, quoted
from muniment.exchange.mif import links
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.decay import seconds
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.rules import Around, Rule, instant, mappings, text_of
from muniment.exchange.mif.tables import RANGES

HASH_DIGITS: tuple[tuple[str, int], ...] = (
    ("sha256", 64), ("sha512", 128), ("sha1", 40), ("md5", 32), ("blake3", 64), ("sha384", 96),
)  # fmt: skip
_MEANT: tuple[tuple[str, str], ...] = (
    ("compressed_at", "compressedAt"),
    ("memory_type", "memoryType"),
)


def part(concept: Concept, name: str) -> Mapping[str, Any]:
    """An object of the frontmatter; an empty one where there is none."""
    given = concept.meta.get(name)
    return given if isinstance(given, Mapping) else {}


def durations_are_real(concept: Concept, around: Around) -> Iterator[Issue]:
    """A duration is ISO 8601, not only something that begins with `P` (S9.1)."""
    temporal = part(concept, "temporal")
    decay = temporal.get("decay")
    held = [("/temporal/ttl", temporal.get("ttl"))]
    if isinstance(decay, Mapping):
        held.append(("/temporal/decay/halfLife", decay.get("halfLife")))
    for pointer, given in held:
        if isinstance(given, str) and seconds(given) is None:
            message = f"{quoted(given)} is no duration"
            yield concept.issue(
                "spec",
                "bad_duration",
                message,
                "write it as `P7D` or `PT12H`",
                pointer=pointer,
                rule="S9.1",
            )


def decay_is_whole(concept: Concept, around: Around) -> Iterator[Issue]:
    """A decay model has the parameters that its formula needs, and one strength (S9.2)."""
    temporal = part(concept, "temporal")
    decay = temporal.get("decay")
    if not isinstance(decay, Mapping):
        return
    model = decay.get("model")
    needs = {
        "exponential": ("halfLife", decay),
        "linear": ("ttl", temporal),
        "step": ("ttl", temporal),
    }
    if model in needs and needs[model][0] not in needs[model][1]:
        message = f"{model} decay has no {quoted(needs[model][0])}, so it gives no strength"
        yield concept.issue(
            "spec",
            "decay_parameter",
            message,
            f"add {quoted(needs[model][0])}",
            "warning",
            "/temporal/decay",
            "S9.2",
        )
    both = (decay.get("strength"), decay.get("currentStrength"))
    if None not in both and both[0] != both[1]:
        message = "`strength` and `currentStrength` are one thing and disagree"
        yield concept.issue(
            "spec",
            "two_strengths",
            message,
            "keep one",
            "warning",
            "/temporal/decay/strength",
            "S9.2",
        )


def times_are_ordered(concept: Concept, around: Around) -> Iterator[Issue]:
    """Validity ends after it begins, a change follows creation (S9.1)."""
    temporal = part(concept, "temporal")
    meta, validity = concept.meta, ("validFrom", "validUntil")
    pairs: tuple[tuple[str, str, Mapping[str, Any], str, Severity], ...] = (
        (*validity, temporal, "/temporal/validUntil", "error"),
        ("created", "modified", meta, "/modified", "warning"),
    )
    for first_name, second_name, holder, pointer, severity in pairs:
        left, right = instant(holder.get(first_name)), instant(holder.get(second_name))
        if left is not None and right is not None and right < left:
            message = f"{quoted(second_name)} lies before {quoted(first_name)}"
            yield concept.issue(
                "spec", "times_out_of_order", message, "check both", severity, pointer, "S9.1"
            )


def confidence_fits_source(concept: Concept, around: Around) -> Iterator[Issue]:
    """Each source type has its range of confidence (S12.1)."""
    provenance = part(concept, "provenance")
    given = provenance.get("confidence")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return
    for name, low, high in RANGES:
        if provenance.get("sourceType") == name and not low <= given <= high:
            message = (
                f"the confidence {given} is outside {low} to {high}, the range of {quoted(name)}"
            )
            yield concept.issue(
                "spec",
                "confidence_range",
                message,
                "check source type and confidence",
                "warning",
                "/provenance/confidence",
                "S12.1",
            )


def embedding_can_be_made_again(concept: Concept, around: Around) -> Iterator[Issue]:
    """What was embedded is kept, so that it can be embedded again; vectors stay outside (S11)."""
    embedding = part(concept, "embedding")
    if embedding and not embedding.get("sourceText"):
        message = "the embedding does not say what was embedded"
        yield concept.issue(
            "spec", "no_source_text", message, "add `sourceText`", "warning", "/embedding", "S11.1"
        )


def body_citations_are_declared(concept: Concept, around: Around) -> Iterator[Issue]:
    """An entry of the body's `Citations` section stands in the frontmatter too (S5.4.5)."""
    declared = {text_of(one.get("url")) for _, one in mappings(concept.meta.get("citations"))}
    for entry in links.citations(concept.body):
        if entry.target not in declared:
            line, _ = concept.place("/content")
            message = f"the body cites {quoted(entry.target)}, which the frontmatter does not"
            fix = "add it to `citations`, or take the entry away"
            yield Issue(
                "spec",
                "citation_not_declared",
                message,
                fix,
                "error",
                concept.file,
                line + entry.line - 1,
                1,
                "/content",
                "S5.4.5",
            )


def compression_is_whole(concept: Concept, around: Around) -> Iterator[Issue]:
    """A compressed concept has a summary (S5.6)."""
    if "compressedAt" in concept.meta and "summary" not in concept.meta:
        message = "the concept was compressed and has no summary"
        yield concept.issue(
            "spec", "no_summary", message, "add `summary`", "warning", "/compressedAt", "S5.6"
        )


def spellings_are_the_schema_s(concept: Concept, around: Around) -> Iterator[Issue]:
    """Keys that the specification's prose spells otherwise than the schema are kept, and not looked at."""
    for written, meant in _MEANT:
        if written in concept.meta:
            message = (
                f"{quoted(written)} is kept, and not read: the schema's name is {quoted(meant)}"
            )
            yield concept.issue(
                "spec",
                "other_spelling",
                message,
                f"rename it to {quoted(meant)}",
                "warning",
                f"/{written}",
                "S5.6",
            )


def hashes_are_whole(concept: Concept, around: Around) -> Iterator[Issue]:
    """A document's hash has the length of its algorithm (ADR-014)."""
    for number, one in mappings(concept.meta.get("documents")):
        held = one.get("hash")
        algorithm, value = (
            (text_of(held.get(key)) for key in ("algorithm", "value"))
            if isinstance(held, Mapping)
            else ("", "")
        )
        digits = dict(HASH_DIGITS).get(algorithm.replace("-", "").lower())
        if digits is not None and not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", value):
            message = f"{quoted(value)} is no {algorithm} in hexadecimal digits"
            yield concept.issue(
                "spec",
                "bad_hash",
                message,
                f"give {digits} digits",
                "warning",
                f"/documents/{number}/hash/value",
                "S18.2",
            )


def content_hash_agrees(concept: Concept, around: Around) -> Iterator[Issue]:
    """A content hash that travels along is that of the body (S18.2)."""
    extensions = part(concept, "extensions")
    stated = text_of(extensions.get("hash"))
    if re.fullmatch("sha256:[0-9a-f]{64}", stated) and stated not in content_hashes(concept.body):
        message = "the content is not what its hash says: it was changed since"
        yield concept.issue(
            "spec",
            "hash_mismatch",
            message,
            "look at the change, and renew the hash",
            "warning",
            "/extensions/hash",
            "S18.2",
        )


def content_hashes(body: str) -> tuple[str, str]:
    """The body's hash, to the byte and without white space around it (as other tools make it).

    >>> content_hashes(" a ")[1] == content_hashes("a")[0]
    True
    """
    return digest_bytes(body.encode("utf-8")), digest_bytes(body.strip().encode("utf-8"))


RULES: tuple[Rule, ...] = (
    durations_are_real, decay_is_whole, times_are_ordered, confidence_fits_source, embedding_can_be_made_again,
    body_citations_are_declared, compression_is_whole, spellings_are_the_schema_s, hashes_are_whole,
    content_hash_agrees,
)  # fmt: skip
