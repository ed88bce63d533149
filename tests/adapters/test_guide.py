"""What the guide shows of the adapters is run where their libraries are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "14-notes.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_run_from_top_to_bottom(tmp_path, monkeypatch):
    for library in ("langgraph.store.base", "anthropic", "langchain_core"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.chdir(tmp_path)
    namespace = {}
    blocks = [block for block in BLOCK.findall(PAGE.read_text("utf-8")) if ">>>" not in block]
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
    namespace["memory"].close()
