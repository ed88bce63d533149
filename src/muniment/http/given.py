"""What a request gives: its JSON body, or its query, and the parts of its path; read strictly.

- A body is one JSON object, declared as such; a key twice, a number that is none or a lone surrogate is refused.
- A query's parameters are texts: where a call takes numbers or truth values, their plain spelling is read as such.
- The path names its part alone: a body or query that names it too is refused.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from starlette.datastructures import QueryParams
from starlette.requests import Request

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.http.problems import Refused
from muniment.wiring import read_document

JSON = "application/json"
WORDS = {"true": True, "false": False}


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object in a request's body.

    Raises:
        Refused: It is declared as something else.
        InvalidInput: It is no JSON object.
    """
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared != JSON:
        message = f"the body is declared as {quoted(declared or 'nothing')}, not as `{JSON}`"
        fix = f"send JSON, with `Content-Type: {JSON}`"
        raise Refused(415, "wrong_media_type", message, fix)
    value, findings = read_document(await request.body(), "body.json")
    if findings:
        raise InvalidInput.of(findings)
    if not isinstance(value, Mapping):
        fix = "send one JSON object; `/openapi.json` says its keys"
        raise InvalidInput.of((Finding("no_object", "the body is no JSON object", "", fix),))
    return dict(value)


def query_of(params: QueryParams, shape: type[BaseModel]) -> dict[str, Any]:
    """A query's parameters, as the shape takes them.

    Raises:
        InvalidInput: One that is no list is given twice.
    """
    given: dict[str, Any] = {}
    findings: list[Finding] = []
    for name in dict.fromkeys(params.keys()):
        texts = params.getlist(name)
        field = shape.model_fields.get(name)
        kinds = _kinds(field.annotation) if field else {str}
        if list in kinds:
            given[name] = texts
        elif len(texts) > 1:
            fix = "give it once"
            message = f"{quoted(name)} is given {len(texts)} times"
            findings.append(Finding("given_twice", message, f"/{name}", fix))
        else:
            given[name] = _plain(texts[0], kinds)
    if findings:
        raise InvalidInput.of(tuple(findings))
    return given


def _kinds(annotation: Any) -> set[Any]:
    """The plain types that an annotation stands for.

    >>> _kinds(list[int] | None) == {list, types.NoneType}
    True
    """
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _kinds(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return {kind for one in typing.get_args(annotation) for kind in _kinds(one)}
    return {origin or annotation}


def _plain(text: str, kinds: set[Any]) -> Any:
    if bool in kinds:
        return WORDS.get(text, text)
    if int in kinds and text.isascii() and text.lstrip("-").isdigit() and len(text) < 20:
        return int(text)
    return text


def with_path(given: dict[str, Any], path: Mapping[str, str]) -> dict[str, Any]:
    """What is given, with the parts of the path.

    Raises:
        InvalidInput: A part of the path is given again.
    """
    twice = sorted(given.keys() & path.keys())
    if twice:
        fix = "leave it out: the address names it"
        message = f"{quoted(twice[0])} is given twice"
        raise InvalidInput.of((Finding("given_twice", message, f"/{twice[0]}", fix),))
    return {**given, **path}
