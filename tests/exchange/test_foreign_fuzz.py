"""No bytes make a reader raise, lie about a place, or take time out of proportion."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.import_fuzz import changed, tried
from muniment.exchange.dates import instant, stated
from muniment.exchange.detect import FORMATS, detected
from muniment.exchange.notes import note_of
from muniment.exchange.opened import opened_bytes
from muniment.exchange.spans import Malformed, lines_of, root_of
from muniment.exchange.strict_json import load_json
from tests.exchange.foreign import SAMPLES

FILES = [
    (path.as_posix(), path.read_bytes()) for path in sorted(SAMPLES.rglob("*")) if path.is_file()
]
PATHS = {
    "agents": "AGENTS.md",
    "cursor": "a.mdc",
    "copilot": "copilot-instructions.md",
    "decisions": "docs/0001-a.md",
}

every_format = pytest.mark.parametrize("known", FORMATS, ids=lambda one: one.name)


@every_format
@given(st.integers(0, 2**32), st.sampled_from(FILES))
@settings(max_examples=60)
def test_a_sample_that_was_changed_anywhere_gives_findings_or_candidates(known, seed, sample):
    tried(known, sample[0], changed(random.Random(seed), sample[1], FILES))


@every_format
@given(st.binary(max_size=300))
@settings(max_examples=60)
def test_any_bytes_give_findings_or_candidates(known, data):
    tried(known, PATHS.get(known.name, "a.md"), data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = (
    "id memory content results memories entities relations name observations type from to relationType uuid fact "
    "edges episodes namespace key value mapping message author role parts recipient chat_messages text "
    "conversations_memory project_memories records kind payload deletion_log record_id blocks label agents "
    "claim status labels scope source freshness validity facts extensions "
    "created_at updated_at state metadata categories content_hash mpf_version mif_version export_metadata"
).split()
shaped = st.recursive(
    json_values,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=20,
)


@every_format
@given(shaped)
@settings(max_examples=60)
def test_any_value_of_the_right_keys_gives_findings_or_candidates(known, value):
    import json

    tried(known, "a.json", json.dumps(value).encode())


@given(json_values)
def test_walking_json_gives_what_the_strict_loader_gives(value):
    import json

    data = json.dumps(value).encode()
    loaded = load_json(data)
    root = root_of(opened_bytes("a.json", "", data))
    if not loaded.ok:
        return
    assert root.load().value == loaded.value
    if isinstance(loaded.value, list):
        assert [node.load().value for node in root.items()] == loaded.value
    if isinstance(loaded.value, dict):
        assert {key: node.load().value for key, node in root.members()} == loaded.value
        assert all(
            data[n.start : n.end].strip() == data[n.start : n.end] for _, n in root.members()
        )


@given(st.binary(max_size=200))
def test_walking_any_bytes_ends(data):
    file = opened_bytes("a.json", "", data)
    root = root_of(file)
    try:
        for node in (*root.items(), *(node for _, node in root.members()), *lines_of(file)):
            node.load()
    except Malformed:
        pass
    note = note_of(file)
    assert not note.readable or data.rstrip(b"\x00").endswith(note.body)
    detected(file)


@given(
    st.text(max_size=40)
    | st.from_regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:?\d\d)?", fullmatch=True)
)
def test_an_instant_is_what_the_standard_library_reads_or_none(text):
    from datetime import datetime

    found = instant(text)
    if found is not None:
        assert found == datetime.fromisoformat(
            text.strip().replace("z", "Z").replace("t", "T").replace(",", ".")
        )
    assert stated("created", text) is None or stated("created", text).given == text[:100]


@every_format
@pytest.mark.parametrize(
    "piece",
    [
        b" ",
        b"\n",
        b"- a\n",
        b"[^",
        b"[[a",
        b"`",
        b"[",
        b'"',
        b"1. a\n\n# b\n",
        b"Date: ",
        b"a:: b\n",
    ],
)
def test_twice_the_bytes_take_no_more_than_some_times_the_time(known, piece):
    path = PATHS.get(known.name, "a.md")

    def took(size):
        start = time.process_time()
        tried(known, path, b"[ `" + piece * (size // len(piece)))
        return time.process_time() - start

    took(100)
    assert took(20_000) < 20 * max(took(5_000), 0.05)
