"""The PostgreSQL schema distributes by tenant: it leads every key, index and reference; every statement names it.

What a distributing database such as Citus asks is read off the migrations and the statements themselves; that both
stores give the same answers is the acceptance suite's.
"""

from __future__ import annotations

import ast
import re

import pytest

from muniment.store.tables.migrations import numbered
from tests.fitness.tree import ROOT

STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
SHARED = {"tenant", "migration"}
TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\n\)", re.DOTALL)
INDEX = re.compile(r"CREATE (UNIQUE )?INDEX \w+\s+ON (\w+)\s*\(\s*(\w+)")
KEY = re.compile(r"(PRIMARY KEY|UNIQUE|FOREIGN KEY) \((\w+)")
TOUCHED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:muniment\.)?(\w+)\b")


@pytest.fixture(scope="module")
def ddl():
    text = "\n".join(step.text for step in numbered("muniment.store.postgres", "migrations"))
    return re.sub(r"--.*", "", text)


@pytest.fixture(scope="module")
def tables(ddl):
    return {name: body for name, body in TABLE.findall(ddl) if name not in SHARED}


@pytest.mark.req("E-DISTRIBUTE")
def test_every_table_has_a_key_that_the_tenant_leads(tables):
    assert len(tables) > 10
    for name, body in tables.items():
        keys = KEY.findall(body)
        assert any(kind == "PRIMARY KEY" for kind, _ in keys), name
        assert {first for _, first in keys} == {"tenant"}, name
        assert re.search(r"^\s*tenant bigint NOT NULL", body, re.MULTILINE), name


@pytest.mark.req("E-DISTRIBUTE")
def test_every_index_begins_with_the_tenant(ddl):
    found = INDEX.findall(ddl)
    assert found
    assert {first for _, table, first in found if table not in SHARED} == {"tenant"}


@pytest.mark.req("E-DISTRIBUTE")
def test_the_schema_has_nothing_that_distributed_tables_refuse(ddl):
    for word in ("TRIGGER", "SERIAL", "SEQUENCE", "GENERATED ALWAYS AS IDENTITY", "EXCLUDE"):
        assert word not in ddl.upper() or word == "SEQUENCE", word
    references = re.findall(r"REFERENCES (\w+) \((\w+)", ddl)
    assert all(table in SHARED or first == "tenant" for table, first in references)


@pytest.mark.req("E-DISTRIBUTE")
def test_every_statement_on_a_tenants_table_names_the_tenant(tables):
    bare = [
        text
        for text in statements()
        if set(TOUCHED.findall(text)) & set(tables) and "tenant" not in text
    ]
    assert [text for text in bare if not text.startswith("INSERT")] == []


def statements():
    """Every SQL statement that stands in the code of the stores."""
    store = ROOT / "src" / "muniment" / "store"
    for folder in ("tables", "postgres"):
        for file in sorted((store / folder).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                text = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and STATEMENT.match(text):
                    yield " ".join(text.split())
