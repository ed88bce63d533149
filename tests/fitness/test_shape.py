"""Files and functions stay short, named by their subject, and say what they are for."""

from __future__ import annotations

import ast

import pytest

from tests.fitness.tree import CORE, SOURCE, files_under, functions_in, name_of, tree_of

MAX_FILE_LINES = 400
MAX_BODY_LINES = 60
EMPTY_NAMES = frozenset(
    "utils util helpers helper common manager service data info handle process misc".split()
)

every_file = pytest.mark.parametrize("file", files_under(SOURCE), ids=name_of)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def undocumented(tree: ast.Module) -> list[str]:
    """Public classes, functions and methods without a docstring."""
    found = []

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            decorators = {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}
            if node.name.startswith("_") or decorators & {"overload", "setter", "override"}:
                continue
            if ast.get_docstring(node) is None:
                found.append(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")

    visit(tree.body, "")
    return found


@every_file
def test_a_file_has_at_most_400_lines(file):
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_FILE_LINES


@every_file
def test_a_function_has_at_most_60_lines(file):
    lines = {f.name: body_lines(f) for f in functions_in(tree_of(file))}
    assert {name: count for name, count in lines.items() if count > MAX_BODY_LINES} == {}


@every_file
def test_a_module_says_what_it_is_for(file):
    docstring = ast.get_docstring(tree_of(file))
    assert docstring


@every_file
def test_everything_public_has_a_docstring(file):
    assert undocumented(tree_of(file)) == []


@every_file
def test_a_module_is_named_by_its_subject(file):
    assert not EMPTY_NAMES & set(file.relative_to(SOURCE).with_suffix("").parts)


@pytest.mark.parametrize(
    "file", [f for f in files_under(CORE) if f.name != "__init__.py"], ids=name_of
)
def test_a_core_module_shows_its_rule_by_an_example(file):
    assert ">>> " in file.read_text(encoding="utf-8")


def test_a_body_is_counted_without_signature_and_docstring():
    function = ast.parse(
        "def f(\n    a,\n):\n    '''One.\n\n    Two.\n    '''\n    b = a\n    return b"
    )
    assert body_lines(function.body[0]) == 2


def test_a_missing_docstring_is_found_where_it_is():
    tree = ast.parse(
        "class A:\n    '''a'''\n    def b(self): ...\n    def _c(self): ...\ndef d(): ..."
    )
    assert undocumented(tree) == ["A.b", "d"]
