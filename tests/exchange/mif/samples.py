"""Small concepts for the tests of MIF, as documents and as files."""

from __future__ import annotations

UUID = "550e8400-e29b-41d4-a716-446655440000"
CONCEPT = {
    "@context": "https://mif-spec.dev/schema/context.jsonld",
    "@type": "Concept",
    "@id": f"urn:mif:{UUID}",
    "conceptType": "semantic",
    "created": "2026-01-15T10:30:00Z",
    "content": "Body",
}


def uuid_of(name: str) -> str:
    """A UUID for a name."""
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def concept_text(name: str, extra: str = "", body: str = "\nBody text.\n") -> str:
    """A concept's file."""
    return f"---\nid: {uuid_of(name)}\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n{extra}---\n{body}"


def found(files, **options):
    """What validating these files finds."""
    from muniment.exchange.mif.bundle import of_files
    from muniment.exchange.mif.validate import validate

    data = {n: t if isinstance(t, bytes) else t.encode() for n, t in files.items()}
    return validate(of_files(data), **options).issues


def codes(files, **options):
    """The codes of what validating these files finds."""
    return {issue.code for issue in found(files, **options)}


def problems(document):
    """The pointers that the schema refuses."""
    from muniment.exchange.mif.schema import concept_problems

    return {problem.pointer for problem in concept_problems(document)}


def with_edge(name, kind, target, extra=""):
    """A concept's file with one relationship, declared and mirrored."""
    declared = f"relationships: [{{type: '{kind}', target: '{target}'{extra}}}]\n"
    return concept_text(name, declared, f"\n## Relationships\n\n- {kind} [x]({target})\n")
