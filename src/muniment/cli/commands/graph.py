"""`graph`: claims as RDF."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.core.errors import quoted
from muniment.core.rdf import json_ld, n_triples

FORMATS = ("jsonld", "ntriples")


@command
def graph(
    call: Call,
    ids: Annotated[
        list[str],
        typer.Argument(metavar="[ID]...", help="Claims, or aliases; all in scope by default."),
    ] = [],  # noqa: B006 - read by Typer, never written
    format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="jsonld or ntriples.")
    ] = "jsonld",
) -> None:
    """Write claims as an RDF graph: the ontology's twelve relationships, PROV, and facts.

    Only what you may see is in it; a relationship that does not hold is not stated.

    Example: `muniment graph --format ntriples`
    """
    if format not in FORMATS:
        fix = f"use one of: {', '.join(FORMATS)}"
        raise refusal("unknown_value", f"{quoted(format)} is not expected here", "--format", fix)
    stated = call.memory().graph(*ids)
    if call.options.json:
        call.result({"graph": json_ld(stated)})
    elif format == "jsonld":
        call.terminal.out(json.dumps(json_ld(stated), ensure_ascii=True, indent=1))
    else:
        call.terminal.out(n_triples(stated))
