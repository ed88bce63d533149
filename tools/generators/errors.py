"""Every finding that the program can make, collected from its source.

- A finding is a call of `Finding(code, message, …)`; what a message takes from the reader's input is shown as `…`.
- A code that is handed in is looked for where the function is called, one that a loop goes through in what it goes
  through; the few that are put together otherwise are named here.
- In the core and the use cases a code that cannot be told is an error, so that none is missing. Readers of files may
  add codes of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from muniment.calls.misshapen import SHAPES, WRONG_TYPE
from muniment.core.draft_rules import BOUNDARIES
from muniment.core.vocabulary import VOCABULARIES
from tools.generators.tables import code, table

_PARTS = ("code", "message", "path", "fix", "severity", "req")
_CLOSED = [name for name, _, closed in VOCABULARIES if closed]
_OPEN = [name for name, _, closed in VOCABULARIES if not closed]
_COLLECTED = {
    ("core/vocabulary.py", "unknown_…"): [
        (f"unknown_{name}", f"… is not a {name.replace('_', ' ')}") for name in _CLOSED
    ],
    ("core/draft.py", "bad_…"): [(f"bad_{name}", "… is no name") for name in _OPEN],
    ("core/draft.py", "code"): [(c, f"the claim states no {c[3:].replace('_', ' ')}") for _, c, *_ in BOUNDARIES],
    ("calls/misshapen.py", "code"): [
        (c, re.sub("`?{[a-z_]+}`?", "…", message)) for c, message, _ in SHAPES.values()
    ],
    ("calls/misshapen.py", "WRONG_TYPE"): [(WRONG_TYPE, "… is not expected here")],
    ("core/errors.py", "…"): [],
    ("usecases/examine.py", "…"): [
        ("contradiction", "it contradicts …: …"), ("possible", "it may contradict …: …")
    ],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """One finding that some module makes."""

    code: str
    message: str
    module: str
    severity: str = "error"
    req: str = ""


def findings(root: Path) -> str:
    """All findings by code."""
    made = sorted(set(collected(root)), key=astuple)
    rows = [(code(m.code), m.message, m.severity, m.req, code(m.module)) for m in made]
    return table(("code", "message", "severity", "requirement", "made in"), rows)


def collected(root: Path) -> Iterator[Made]:
    """Every finding that the source makes.

    Raises:
        ValueError: A call makes a code that cannot be told from the source.
    """
    source = root / "src" / "muniment"
    for path in sorted(source.rglob("*.py")):
        module = path.relative_to(source).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            for call in _calls(function, "Finding"):
                for made in _made(call, function, module, tree):
                    if made.code.isidentifier() and made.code != "code":
                        yield made
                    elif module.startswith(("core/", "usecases/")):
                        message = f"{module}:{call.lineno}: `{made.code}` cannot be told"
                        raise ValueError(message)


def _calls(function: ast.AST, name: str) -> Iterator[ast.Call]:
    """The calls of a name in a function, without those in functions inside it."""
    functions = (
        n for n in ast.walk(function) if isinstance(n, ast.FunctionDef) and n is not function
    )
    inner = {node for one in functions for node in ast.walk(one)}
    for node in ast.walk(function):
        if node not in inner and isinstance(node, ast.Call) and _called(node) == name:
            yield node


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _made(
    call: ast.Call, function: ast.FunctionDef, module: str, tree: ast.Module
) -> Iterator[Made]:
    given = _given(call, _PARTS)
    if not {"code", "message"} <= set(given):
        return
    severity, req = given.get("severity"), given.get("req")
    how = (
        severity.value if isinstance(severity, ast.Constant) else "varies" if severity else "error"
    )
    known = _text(req, function, tree) if req else ""
    known = known if known.isupper() else ""
    name, message = (
        _text(given[part], function, tree, call.lineno) for part in ("code", "message")
    )
    found = _COLLECTED.get((module, name))
    if found is None and name == "code":
        found = [*_handed_in(function, tree), *_gone_through(function, tree, message)]
    for one, said in found if found is not None else [(name, message)]:
        yield Made(one, said, module, str(how), known)


def _given(call: ast.Call, parts: tuple[str, ...]) -> dict[str, ast.expr]:
    return dict(zip(parts, call.args, strict=False)) | {k.arg or "": k.value for k in call.keywords}


def _handed_in(function: ast.FunctionDef, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Code and message as the function's callers in its module give them."""
    parameters = tuple(a.arg for a in function.args.args if a.arg != "self")
    if "code" not in parameters:
        return
    for caller in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
        for call in _calls(caller, function.name):
            given = _given(call, parameters)
            if "code" in given:
                message = given.get("message") or given.get("what") or ast.Constant("…")
                yield _text(given["code"], caller), _text(message, caller)


def _gone_through(
    function: ast.FunctionDef, tree: ast.Module, message: str
) -> Iterator[tuple[str, str]]:
    """Codes of a loop over a literal tuple, or over one that the module declares."""
    for loop in [n for n in ast.walk(function) if isinstance(n, ast.For)]:
        names = [t.id for t in ast.walk(loop.target) if isinstance(t, ast.Name)]
        over: ast.AST | None = loop.iter
        if isinstance(over, ast.Name):
            over = next(iter(_assigned(over.id, tree)), None)
        if "code" in names and isinstance(over, ast.Tuple):
            for row in over.elts:
                if isinstance(row, ast.Tuple):
                    yield _text(row.elts[names.index("code")], function), message


def _text(
    node: ast.expr, function: ast.AST, tree: ast.AST | None = None, before: int = 10**9
) -> str:
    """The text of an expression, with `…` for what is put in; a name is what was last assigned before a line."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
    if isinstance(node, ast.IfExp):
        return f"{_text(node.body, function, tree)} / {_text(node.orelse, function, tree)}"
    if isinstance(node, ast.Name):
        found = [v for v in _assigned(node.id, function) if v.lineno <= before]
        if found:
            return _text(max(found, key=lambda value: value.lineno), function, tree, before)
        own = list(_assigned(node.id, tree)) if tree and node.id.isupper() else []
        return _text(own[0], function, None) if own else node.id
    return "…"


def _assigned(name: str, function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
                yield from (v for t, v in pairs if isinstance(t, ast.Name) and t.id == name)


GENERATORS = {"findings": findings}
