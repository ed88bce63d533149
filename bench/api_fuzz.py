"""Send what a description of the API lets one generate, valid and not, to the real server, and check every answer.

    python -m bench.api_fuzz --requests 20000 --json

- Requests come from schemathesis, from the server's own `/openapi.json`: half as described, half against it. Those that
  are as described often name what is there, and ask what is known, so that whole answers come back.
- What the description does not name is held against it too: an answer with a key more is a violation.
- A *server error* is a status of 500 or above but for a stated 503. A *schema violation* is an answer that the
  description does not allow: its status, its kind, its headers or its body; or a request against the description that
  was answered as done.
- That what is described is accepted is not checked: rules of meaning refuse much of it, with 422, as described.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from bench import report
from bench.authority import World, by_command, make_world, served
from muniment import Memory

ASKED = {"query": "how do I run the tests?", "use": "answer_questions"}
SKIPPED = ("positive_data_acceptance", "use_after_free", "ensure_resource_availability")


def fuzz(requests: int, number: int = 0) -> dict[str, Any]:
    """Send requests to every operation in turn.

    Args:
        requests: How many in all, at least.
        number: The seed.
    """
    before, problems = Path.cwd(), Counter[str]()
    statuses: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as place:
        world = make_world(Path(place))
        there = learned(world)
        try:
            with served(world):
                told = httpx.get(f"{world.url}/openapi.json").json()
                schema = schemathesis.openapi.from_dict(closed(told))
                operations = [found.ok() for found in schema.get_all_operations()]
                each = -(-requests // (2 * len(operations)))
                for operation in operations:
                    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                        run = _run(operation, mode, world, there, problems, statuses)
                        bounds = settings(
                            max_examples=each, deadline=None, database=None, phases=[Phase.generate],
                            suppress_health_check=list(HealthCheck),
                        )  # fmt: skip
                        with contextlib.suppress(Unsatisfiable):  # nothing can be against it
                            seed(number)(bounds(run))()
        finally:
            os.chdir(before)
            world.memory.close()
    errors = sum(n for status, n in statuses.items() if status >= 500 and status != 503)
    return {
        "measurement": "api_fuzz",
        "requests": sum(statuses.values()),
        "operations": len(operations),
        "statuses": {str(status): n for status, n in sorted(statuses.items())},
        "server_errors": errors,
        "schema_violations": sum(problems.values()),
        "violating": dict(problems.most_common(40)),
    }


def learned(world: World) -> dict[str, list[str]]:
    """What a world holds: claims that were accepted, and diffs that wait; by the part of an address that names them."""
    words = ["--passphrase-file", str(world.folder / "words")]
    by_command(world, ["learn", "."])
    by_command(world, ["policy", "own", "--may-review-own", "user:ada", "--yes", *words])
    by_command(world, ["review", "--accept", "all", *words])
    with Memory.open(world.folder / "memory.db", create=False) as opened:
        memory = opened.with_token(world.tokens["operator"])
        memory.remember("Orders ship on Fridays.", source="https://handbook.example/shipping")
        claims = [one.claim.id for one in memory.recall(**ASKED).packet.items]
        diffs = [one.diff.id for one in memory.inbox()]
    if not claims or not diffs:
        raise AssertionError("nothing was learned")
    return {"claims": claims, "diffs": diffs}


def closed(schema: Any) -> Any:
    """A description under which what it does not name is wrong, in what is answered."""
    whole = {**schema, "components": {**schema["components"]}}
    asked = {
        one["schema"]["$ref"].rpartition("/")[2]
        for path in schema["paths"].values()
        for operation in path.values()
        for one in operation.get("requestBody", {}).get("content", {}).values()
    }
    whole["components"]["schemas"] = {
        name: one if name in asked else _closed(one)
        for name, one in schema["components"]["schemas"].items()
    }
    return whole


def _closed(schema: Any) -> Any:
    named = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return {"additionalProperties": False, **schema} if named else schema


def aimed(case: Any, there: dict[str, list[str]], pick: int) -> None:
    """Let a request name what is there, and ask what is known."""
    if "id" in (case.path_parameters or {}):
        names = there["diffs" if "diffs" in case.path else "claims"]
        if "/why/" in case.path:
            names = [*names, *there["diffs"]]
        case.path_parameters["id"] = names[pick % len(names)]
    if isinstance(case.body, dict) and "query" in case.body:
        known = "?what runs ?how" if case.path.endswith("query") else ASKED["query"]
        case.body = {"query": known, "use": ASKED["use"], "certify": bool(pick % 2)}


def _run(operation: Any, mode: Any, world: Any, there: Any, problems: Any, statuses: Any) -> Any:
    checks = [
        check
        for name in CHECKS.get_all_names()
        if name not in SKIPPED
        for check in CHECKS.get_by_names([name])
    ]
    headers = {"Authorization": f"Bearer {world.tokens['operator']}"}
    try:
        strategy = operation.as_strategy(generation_mode=mode)
    except Exception:  # noqa: BLE001 - nothing can be against a description that allows everything
        strategy = st.nothing()

    @given(case=strategy, pick=st.integers(0, 5))
    def send(case: Any, pick: int) -> None:
        if pick and mode is GenerationMode.POSITIVE:
            aimed(case, there, pick)
        response = case.call(base_url=world.url, headers=headers, timeout=60)
        statuses[response.status_code] += 1
        try:
            case.validate_response(response, checks=checks, headers=headers)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            for one in getattr(error, "exceptions", (error,)):
                if _is_unseen(one, case, response):
                    continue
                title = getattr(one, "title", type(one).__name__)
                problems[f"{operation.label}: {title}: {str(one)[:300]}"] += 1

    return send


def _is_unseen(failure: Any, case: Any, response: Any) -> bool:
    """Whether a request was against the description only before it was written as an address.

    A text where a list of texts is meant, and a further parameter without a value, are the same address as a request
    that is described.
    """
    if "Schema-violating request accepted" not in str(failure) or case.method != "GET":
        return False
    sent = parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True)
    schemas = {one.name: one.definition["schema"] for one in case.operation.query}
    return all(
        name in schemas and (schemas[name].get("type") != "array" or bool(value))
        for name, value in sent
    )


def main() -> int:
    """Measure, and fail where an answer is wrong."""
    parser = report.parser(__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given_ = parser.parse_args()
    result = fuzz(given_.requests, given_.seed)
    report.emit(result, given_.json)
    return 1 if result["server_errors"] or result["schema_violations"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
