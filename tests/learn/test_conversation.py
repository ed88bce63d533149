"""Reading conversations: word for word, line by line, nothing made up."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.conversation import holds
from muniment.core.passage import LONGEST_PART, parts_of
from muniment.exchange.strict_json import load_json
from muniment.learn.conversation import read_conversation


def load(data, name):
    """As wiring reaches the strict loader."""
    found = load_json(data, name=name)
    return found.value, found.findings


def read(*lines):
    """A file of these lines, each an object or text as it stands."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return read_conversation(text.encode("utf-8"), "chat.jsonl", load)


@pytest.mark.parametrize(
    "line",
    [
        {"id": "m1", "session": "s1", "speaker": "Ada", "text": "Hi.", "at": "2026-07-08T14:00:00+02:00"},
        {"message_id": "m1", "session_id": "s1", "name": "Ada", "content": "Hi.", "timestamp": 1783512000},
        {"id": "m1", "conversation_id": "s1", "role": "Ada", "content": [{"type": "text", "text": "Hi."}],
         "created_at": "2026-07-08T12:00:00Z"},
    ],
)  # fmt: skip
def test_each_spelling_gives_the_same_message(line):
    (found,) = read(line).messages
    said = (found.id, found.session, found.speaker, found.text, found.at)
    assert said == ("m1", "s1", "Ada", "Hi.", datetime(2026, 7, 8, 12, tzinfo=UTC))


def test_what_a_line_does_not_say_stays_unknown():
    (found,) = read({"text": "Hi."}).messages
    assert (found.id, found.session, found.speaker, found.at) == ("", "", "", None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"text": "Hi."', "json_syntax"), ('{"text": "a", "text": "b"}', "duplicate_key"),
        ('{"text": NaN}', "not_finite"), ('{"text": "a\\u0000b"}', "nul_character"), ("[1]", "wrong_type"),
        ('{"text": 7}', "wrong_type"), ('{"text": "  "}', "no_text"), ('{"content": null}', "no_text"),
        ('{"text": "a", "speaker": ["b"]}', "wrong_type"), ('{"text": "a", "id": true}', "wrong_type"),
        ('{"text": "' + "[" * 70 + '"}', "too_deep"), ('{"text": "a", "session": "' + "s" * 201 + '"}', "too_long"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_keeps_no_other_out(line, code):
    found = read({"text": "before"}, line, {"text": "after"})
    assert [one.text for one in found.messages] == ["before", "after"]
    (finding,) = found.findings
    assert (finding.code, finding.path.startswith("chat.jsonl:2"), bool(finding.fix)) == (
        code,
        True,
        True,
    )


@pytest.mark.parametrize("time", ["2026-07-08T12:00:00", "yesterday", 1e15, -5, "2026-07-08"])
def test_a_time_that_is_not_whole_is_no_time(time):
    found = read({"text": "Hi.", "at": time})
    assert (found.messages[0].at, [one.code for one in found.findings]) == (None, ["no_time"])


def test_parts_that_are_no_text_are_left_out_and_said_so():
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "x"}},
        "and this",
    ]
    found = read({"role": "user", "content": parts})
    assert [piece.text for piece in found.messages[0].pieces] == ["Look:", "and this"]
    assert [(one.code, one.severity) for one in found.findings] == [("not_text", "notice")]


def test_an_identifier_given_twice_in_a_session_is_reported():
    found = read(*({"id": 1, "session": s, "text": s} for s in "abb"))
    assert [one.text for one in found.messages] == ["a", "b"]
    assert [(one.code, one.path) for one in found.findings] == [("duplicate_id", "chat.jsonl:3")]


def test_an_empty_file_says_so():
    assert [one.code for one in read("", "  ").findings] == ["empty_document"]


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60
)


@settings(max_examples=200)
@given(st.lists(st.tuples(texts, st.booleans()), min_size=1, max_size=5), st.booleans())
def test_every_piece_is_its_bytes_of_the_file(said, marked):
    lines = [json.dumps({"n": "é", "text": text}, ensure_ascii=plain) for text, plain in said]
    data = (b"\xef\xbb\xbf" if marked else b"") + "\r\n".join(lines).encode("utf-8")
    for message in read_conversation(data, "chat.jsonl", load).messages:
        for piece in message.pieces:
            spelled = b'"' + data[piece.start : piece.end] + b'"'
            assert json.loads(spelled, strict=False) == piece.text
            assert holds(message.raw, message.start, piece)


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab .\n。!"), max_size=400), st.integers(1, 9))
def test_parts_are_short_and_leave_out_nothing_but_white_space(text, most):
    parts = parts_of(text, most)
    assert all(len(text[a:b].split()) <= most and text[a:b] == text[a:b].strip() for a, b in parts)
    assert "".join("".join(text[a:b].split()) for a, b in parts) == "".join(text.split())
    assert list(parts) == sorted(parts)


def test_a_long_message_is_cut_at_paragraphs_before_sentences():
    first, second = "One two. " * 30, "Three four. " * 30
    found = read({"text": f"{first}\n\n{second}"})
    sizes = [len(piece.text.split()) for piece in found.messages[0].pieces]
    assert (sizes, max(sizes) <= LONGEST_PART) == ([60, 60], True)
