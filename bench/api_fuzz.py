"""Send what a description of the API lets one generate, valid and not, to the real server, and check every answer.

    python -m bench.api_fuzz --requests 20000 --json

- Requests come from schemathesis, from the server's own `/openapi.json`: half as described, half against it.
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

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS

from bench import report
from bench.authority import make_world, served

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
        try:
            with served(world):
                schema = schemathesis.openapi.from_url(f"{world.url}/openapi.json")
                operations = [found.ok() for found in schema.get_all_operations()]
                each = -(-requests // (2 * len(operations)))
                for operation in operations:
                    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                        run = _run(operation, mode, world, problems, statuses)
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
        "requests": sum(statuses.values()),
        "operations": len(operations),
        "statuses": {str(status): n for status, n in sorted(statuses.items())},
        "server_errors": errors,
        "schema_violations": sum(problems.values()),
        "violating": dict(problems.most_common(40)),
    }


def _run(operation: Any, mode: Any, world: Any, problems: Any, statuses: Any) -> Any:
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

    @given(case=strategy)
    def send(case: Any) -> None:
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
