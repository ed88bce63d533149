"""Somebody else's settings: one thing changes, every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.cli import json_text, toml_text
from muniment.cli.json_text import NotEditable

PATH = ("mcpServers", "muniment")
ENTRY = {"type": "stdio", "command": "muniment", "args": ["mcp", "--as", "agent:x"]}
TEXTS = {
    "members": '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "b": 2\n}\n',
    "no servers": '{\n  "theme": "dark"\n}\n',
    "comments": '// mine\n{\n  /* a */ "mcpServers": {\n    // the other\n    "other": {} // keep\n  }\n}\n',
    "trailing commas": '{\n\t"mcpServers": {\n\t\t"other": {},\n\t},\n}',
    "one line": '{"mcpServers": {"other": {"command": "x"}}, "b": [1, 2]}',
    "tight": '{"a":1}',
    "crlf": '{\r\n  "a": 1\r\n}\r\n',
    "comment after the last": '{\n  "a": 1 // the last\n  // and more\n}\n',
    "braces in texts": '{\n  "a": "} // , {",\n  "mcpServers": {\n    "\\u006fther": {"x": "\\"}"}\n  }\n}\n',
    "four spaces": '{\n    "a": 1\n}\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_putting_in_and_taking_out_gives_the_bytes_that_were_there(text):
    made = json_text.put(text, PATH, ENTRY)
    assert json_text.parsed(made)["mcpServers"]["muniment"] == ENTRY
    assert json_text.put(made, PATH, ENTRY) == made
    assert json_text.drop(made, PATH) == text
    other = json_text.put(made, PATH, {"command": "y"})
    assert json_text.drop(other, PATH) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_items_of_a_list_too(text):
    path = ("hooks", "Stop")
    made = json_text.add(text, path, {"n": 1})
    twice = json_text.add(made, path, {"n": 2})
    assert json_text.parsed(twice)["hooks"]["Stop"] == [{"n": 1}, {"n": 2}]
    assert json_text.drop_items(twice, path, lambda item: item == {"n": 2}) == made
    assert json_text.drop_items(twice, path, lambda item: True) == text


def test_every_line_of_others_is_still_there():
    text = TEXTS["comments"]
    there = json_text.put(text, PATH, ENTRY).splitlines()
    assert [line for line in text.splitlines() if line not in there] == ['    "other": {} // keep']
    assert '    "other": {}, // keep' in there


def test_an_absent_file_becomes_one_and_goes_again():
    made = json_text.put("", PATH, ENTRY)
    assert json.loads(made) == {"mcpServers": {"muniment": ENTRY}}
    assert json_text.drop(made, PATH) == ""


@pytest.mark.parametrize("text", ["{", "[1]", "{} x", '{"a" 1}', '{"a": 1 "b": 2}', "nope", '{"a": 01}', "[" * 500,
                                  '{"mcpServers": [], "a": 1}', '{"a": 1, "a": 2}', "\x00", '{"a": nul}'])  # fmt: skip
def test_what_is_no_such_file_is_refused_and_never_mended(text):
    with pytest.raises(NotEditable):
        json_text.put(text, PATH, ENTRY)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
SETTINGS = st.dictionaries(st.sampled_from(["a", "b", "mcpServers", "hooks"]), VALUES, max_size=4)


@given(SETTINGS, st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_settings_keep_what_is_in_them(settings, indent):
    if not isinstance(settings.get("mcpServers", {}), dict):
        settings.pop("mcpServers")
    text = json.dumps(settings, indent=indent, ensure_ascii=False)
    made = json_text.put(text, PATH, ENTRY)
    wanted = {**settings, "mcpServers": {**settings.get("mcpServers", {}), "muniment": ENTRY}}
    assert json_text.parsed(made) == wanted
    back = json_text.drop(made, PATH)
    if (
        settings
        and settings.get("mcpServers", True)
        and "muniment" not in settings.get("mcpServers", {})
    ):
        assert back == text
    else:
        left = json_text.parsed(back)
        assert {k: v for k, v in left.items() if v} == {
            k: {n: x for n, x in v.items() if n != "muniment"} if k == "mcpServers" else v
            for k, v in settings.items()
            if v and (k != "mcpServers" or set(v) - {"muniment"})
        }


@given(st.text(alphabet='{}[],:"\\ab1 \n/*-.', max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        value = json_text.parsed(text)
    except NotEditable:
        return
    try:
        plain = json.loads(text)
    except ValueError:
        return  # comments and trailing commas
    assert value == plain


# --- TOML -----------------------------------------------------------------------------------------

TABLE = ("mcp_servers", "muniment")
SERVER = {
    "command": "/opt/muni ment",
    "args": ["mcp", "--as", 'agent:"x"'],
    "env": {"MUNIMENT_STORE": "C:\\x"},
}
TOML = {
    "empty": "",
    "plain": 'model = "x" # mine\n',
    "tables": '[mcp_servers.other] # keep\ncommand = "y"\n\n[profiles.a]\nb = 1\n',
    "text like a header": 'a = """\n[mcp_servers.muniment]\ncommand = "not this"\n"""\n',
    "crlf": "a = 1\r\n",
    "arrays": "[[things]]\na = 1\n\n[[things]]\na = 2\n",
}  # fmt: skip


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_a_table_goes_in_and_out(text):
    made = toml_text.put(text, TABLE, SERVER)
    assert toml_text.parsed(made)["mcp_servers"]["muniment"] == SERVER
    assert made.startswith(text)
    assert toml_text.put(made, TABLE, SERVER) == made
    if "[mcp_servers.muniment]" in text:
        with pytest.raises(NotEditable):
            toml_text.drop(made, TABLE)
    else:
        assert toml_text.drop(made, TABLE) == text


def test_what_stands_behind_our_table_stays_with_its_comments():
    made = toml_text.put("a = 1\n", TABLE, SERVER)
    behind = "\n# about the next\n[other]\nb = 2\n"
    assert toml_text.drop(made + behind, TABLE) == "a = 1\n" + behind
    nested = '\n[mcp_servers.muniment.tools]\nx = "y"\n'
    assert toml_text.drop(made + nested + behind, TABLE) == "a = 1\n" + behind


@pytest.mark.parametrize(
    "text", ["a = ", "mcp_servers = 3\n", 'mcp_servers = { other = { command = "y" } }\n', "\x00"]
)
def test_a_form_that_cannot_be_kept_is_refused(text):
    with pytest.raises(NotEditable):
        toml_text.put(text, TABLE, SERVER)
