"""The routes, what they take, and how they refuse: from the description that the server serves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.http.openapi import OF_BODIES, PROBLEMS, document
from muniment.http.settings import Settings


def _nowhere() -> Any:
    raise AssertionError("a description opens no memory")


def _served() -> dict[str, Any]:
    return document(Settings(_nowhere))


def _operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = _served()["paths"]
    return [(m.upper(), path, one) for path, many in paths.items() for m, one in many.items()]


def routes(root: Path) -> str:
    """Every route with the least role that it asks for, and what it does."""
    del root
    open_ones = Settings(_nowhere, showcase=True)
    shown = document(open_ones)["paths"]
    lines = ["| route | least role | in a showcase | what it does |", "| --- | --- | --- | --- |"]
    for method, path, one in _operations():
        words = one.get("description", "").split()
        role = words[4] if words else "none" if one.get("security") == [] else "reader"
        role = "operator" if path == "/metrics" else role
        there = "yes" if method.lower() in shown.get(path, {}) else "no"
        lines.append(f"| `{method} {path}` | {role} | {there} | {one['summary']} |")
    return "\n".join(lines)


def bodies(root: Path) -> str:
    """What each route takes, key by key."""
    del root
    schemas = _served()["components"]["schemas"]
    parts = []
    for method, path, one in _operations():
        given = [
            (p["name"], p["schema"], p["required"], p["in"]) for p in one.get("parameters", ())
        ]
        if "requestBody" in one:
            ref = one["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            schema = schemas[ref.rpartition("/")[2]]
            needed = schema.get("required", ())
            given += [(n, s, n in needed, "body") for n, s in schema["properties"].items()]
        if given:
            rows = [_row(*each) for each in given]
            head = ["| name | in | form | meaning |", "| --- | --- | --- | --- |"]
            parts.append("\n".join([f"### `{method} {path}`", "", *head, *rows]))
    return "\n\n".join(parts)


def _row(name: str, schema: dict[str, Any], required: bool, place: str) -> str:
    form = _form(schema) + (", required" if required else "")
    meaning = schema.get("description", "") or ""
    return f"| `{name}` | {place} | {form} | {meaning.replace('|', '&#124;')} |"


def _form(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = [_form(one) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    kind = str(schema.get("format") or schema.get("type", "any"))
    if kind == "array":
        kind = f"list of {_form(schema['items'])}"
    bounds = [schema.get("minimum"), schema.get("maximum")]
    return f"{kind}, {bounds[0]} to {bounds[1]}" if None not in bounds else kind


def problems(root: Path) -> str:
    """Every status that is no success."""
    del root
    lines = ["| status | when |", "| --- | --- |"]
    for status, text in PROBLEMS:
        only = " (routes that take a body)" if status in OF_BODIES else ""
        lines.append(f"| {status} | {text}{only} |")
    return "\n".join(lines)


GENERATORS = {"http-routes": routes, "http-bodies": bodies, "http-problems": problems}
