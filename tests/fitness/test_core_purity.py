"""The core has no clock, entropy, terminal, files or state: what import contracts cannot see."""

from __future__ import annotations

import ast

import pytest

from tests.fitness.tree import CORE, files_under, name_of, tree_of

IMPURE_NAMES = frozenset(
    {"open", "print", "input", "eval", "exec", "breakpoint", "__import__", "hash", "id"}
)
IMPURE_METHODS = frozenset(
    {"now", "utcnow", "today", "uuid1", "uuid4", "getnode", "urandom", "read_text", "write_text"}
)
MUTABLE_MAKERS = frozenset(
    {"list", "dict", "set", "bytearray", "defaultdict", "OrderedDict", "Counter", "deque"}
)
MUTABLE_LITERALS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def called_name(call: ast.Call) -> tuple[str, bool]:
    if isinstance(call.func, ast.Name):
        return call.func.id, False
    if isinstance(call.func, ast.Attribute):
        return call.func.attr, True
    return "", False


def impure_calls(tree: ast.AST) -> list[str]:
    calls = [called_name(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        f"calls {name}"
        for name, is_method in calls
        if name in IMPURE_METHODS or (name in IMPURE_NAMES and not is_method)
    ]


def global_statements(tree: ast.AST) -> list[str]:
    return [f"global {n.names[0]}" for n in ast.walk(tree) if isinstance(n, ast.Global)]


def is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value)[0] in MUTABLE_MAKERS
    return isinstance(value, MUTABLE_LITERALS)


def mutable_constants(tree: ast.Module) -> list[str]:
    bodies = [tree.body, *(n.body for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
    assignments = [n for b in bodies for n in b if isinstance(n, ast.Assign | ast.AnnAssign)]
    return [
        f"mutable {ast.unparse(n.targets[0] if isinstance(n, ast.Assign) else n.target)}"
        for n in assignments
        if is_mutable(n.value)
    ]


def impurities(tree: ast.Module) -> list[str]:
    return [*impure_calls(tree), *global_statements(tree), *mutable_constants(tree)]


@pytest.mark.parametrize("file", files_under(CORE), ids=name_of)
def test_the_core_is_pure(file):
    assert impurities(tree_of(file)) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from datetime import datetime\nx = datetime.now()", "calls now"),
        ("import datetime\nx = datetime.datetime.utcnow()", "calls utcnow"),
        ("from datetime import date\ndef f(): return date.today()", "calls today"),
        ("import uuid\ndef f(): return uuid.uuid4()", "calls uuid4"),
        ("from uuid import uuid4\ndef f(): return uuid4()", "calls uuid4"),
        ("def f(path): return open(path)", "calls open"),
        ("def f(): print('x')", "calls print"),
        ("def f(): return input()", "calls input"),
        ("def f(text): return hash(text)", "calls hash"),
        ("x = 0\ndef f():\n    global x\n    x = 1", "global x"),
        ("KINDS = ['a']", "mutable KINDS"),
        ("KINDS: dict[str, int] = {}", "mutable KINDS"),
        ("KINDS = set(('a',))", "mutable KINDS"),
        ("KINDS = {k: 1 for k in 'ab'}", "mutable KINDS"),
        ("from collections import defaultdict\nSEEN = defaultdict(list)", "mutable SEEN"),
        ("class A:\n    seen = []", "mutable seen"),
    ],
)
def test_the_check_finds_an_impurity(source, found):
    assert impurities(ast.parse(source)) == [found]


@pytest.mark.parametrize(
    "source",
    [
        "KINDS = ('a', 'b')",
        "KINDS = frozenset({'a'})",
        "from types import MappingProxyType\nKINDS = MappingProxyType({'a': 1})",
        "def f(now): return now",
        "def f(digest):\n    seen = []\n    seen.append(digest.id(1))\n    return tuple(seen)",
    ],
)
def test_the_check_lets_values_and_local_state_pass(source):
    assert impurities(ast.parse(source)) == []
