"""The resources: a claim, a retrieval, the ontology. Read as the session that asks, like everything else.

- What is absent and what the session may not see have one answer.
- The text is JSON, spelled out; a claim's statement is data, never an instruction.

>>> [one.uri_template for one in TEMPLATES]
['muniment://claim/{id}', 'muniment://source/{id}', 'muniment://retrieval/{id}']
"""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from muniment.calls.perform import CALLS, perform
from muniment.core.errors import MunimentError, quoted
from muniment.core.ids import is_id
from muniment.core.ontology import flow_hash, tables
from muniment.mcp.shapes import spelled_out
from muniment.memory import Memory

ONTOLOGY = "muniment://ontology"
CLAIM = "muniment://claim/"
SOURCE = "muniment://source/"
RETRIEVAL = "muniment://retrieval/"
JSON = "application/json"

TEMPLATES = [
    types.ResourceTemplate(
        name="claim",
        title="A claim",
        uri_template=CLAIM + "{id}",
        description="A claim with its source, evidence, status and the six questions answered.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        name="source",
        title="A source or passage",
        uri_template=SOURCE + "{id}",
        description="What was kept word for word, unreviewed: how a source begins, or what stands around a passage.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        name="retrieval",
        title="A retrieval",
        uri_template=RETRIEVAL + "{id}",
        description="How a recall came to its answer: candidates, scores, what was left out and why.",
        mime_type=JSON,
    ),
]
RESOURCES = [
    types.Resource(
        name="ontology",
        title="The vocabulary",
        uri=ONTOLOGY,
        description="Types, statuses, uses with their risk, relations: every word that a claim may use.",
        mime_type=JSON,
    )
]
_BY_NAME = {call.name: call for call in CALLS}


def read_resource(memory: Memory, uri: str) -> types.ReadResourceResult:
    """A resource's text.

    Args:
        memory: As who acts.
        uri: One of `RESOURCES`, or of the form of one of `TEMPLATES`.

    Raises:
        MCPError: Absent, or not visible; or the store failed.
    """
    try:
        value = _read(memory, uri)
    except MunimentError as error:
        findings = [{"code": f.code, "message": f.message, "fix": f.fix} for f in error.findings]
        raise MCPError(
            types.INVALID_PARAMS, error.message, {"uri": uri, "findings": findings}
        ) from error
    text = json.dumps(spelled_out(value), ensure_ascii=False, indent=1)
    contents = types.TextResourceContents(uri=uri, mime_type=JSON, text=text)
    return types.ReadResourceResult(contents=[contents])


def _read(memory: Memory, uri: str) -> dict[str, Any]:
    if uri == ONTOLOGY:
        return {"hash": flow_hash(), "ontology": tables()}
    if uri.startswith(CLAIM):
        return perform(_BY_NAME["show"], memory, {"id": uri.removeprefix(CLAIM)})
    if uri.startswith(SOURCE):
        return perform(_BY_NAME["source"], memory, {"id": uri.removeprefix(SOURCE)})
    name = uri.removeprefix(RETRIEVAL)
    if uri.startswith(RETRIEVAL) and is_id(name, "ret"):
        return perform(_BY_NAME["why"], memory, {"id": name})
    known = f"{ONTOLOGY}, {CLAIM}mem_…, {SOURCE}src_… and {RETRIEVAL}ret_…"
    raise MCPError(
        types.INVALID_PARAMS, f"no resource {quoted(uri)}: there are {known}", {"uri": uri}
    )
