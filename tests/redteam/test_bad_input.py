"""Whatever is handed over, from inside or outside: a refusal that says what is wrong, and nothing written."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from muniment import Choice, Memory
from muniment.core.canonical import canonical
from muniment.core.declaration import DECLARATIONS
from muniment.core.errors import InvalidInput, MunimentError, NotFound, Refusal
from muniment.credential import open_credential
from muniment.profile import load
from muniment.usecases.declare import Declaration
from muniment.wiring import count_tokens
from tests.redteam.test_erased import full
from tests.usecases.world import (
    NOON,
    World,
    add,
    deprecate,
    diff_of,
    fact,
    flag,
    revalidate,
    signer_of,
    supersede,
    uses_tool,
)

ODD = st.sampled_from(
    [
        None, True, 0, -1, 2**60, 10**400, 1.5, -0.0, float("nan"), float("inf"), "", "x", "\ud800", "a\u200bb",
        "\x00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2026-01-01", "2026-06-30T23:59:60Z",
        "mem_x", b"x", [], {}, [[]], {"": ""}, {5: 5}, {"a": {"b": [None]}}, ["x"], "x" * 5000, (1,), {1}, NOON,
        NOON.replace(tzinfo=None), object(), "repo:", "file:///etc/passwd", "٣",
    ]
)  # fmt: skip
KEYS = st.sampled_from(
    ["", "x", "id", "version", "conflicts", "supersedes", "reading", "retired", "declares", "resolves", "event", 5]
)  # fmt: skip
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield from places(item, (*path, key))


def put(value, path, new):
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


@st.composite
def spoiled(draw, whole):
    """Something sound, spoiled in one to three places."""
    value = draw(st.sampled_from(whole))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(value))))
        inner = value
        for key in path:
            inner = inner[key]
        if isinstance(inner, dict) and draw(st.booleans()):
            value = put(value, path, {**inner, draw(KEYS): draw(ODD)})
        else:
            value = put(value, path, draw(ODD | JSON))
        if not isinstance(value, dict | list):
            break
    return value


@cache
def shop():
    """A world that is used again: what is refused leaves nothing in it."""
    world = World()
    return world, [world.accept(fact("Releases are cut.")), world.accept(uses_tool("npm"))]


def sound():
    _, known = shop()
    renewed = {"status": "current", "expires_at": "2027-01-01T00:00:00Z"}
    return [
        diff_of(add(full())),
        diff_of(supersede(known[0], fact("Releases are cut on Fridays."))),
        diff_of(deprecate(known[0], retire="invalid")),
        diff_of(revalidate(known[1], freshness=renewed, reading={"state": "match"})),
        diff_of(flag(*known)),
    ]


def refused(world, call):
    """What a call gives, or None where it is refused with nothing written."""
    before = world.revision()
    try:
        return call()
    except Refusal as refusal:
        said = str(refusal)
    assert (bool(said), world.revision()) == (True, before)
    return None


def memory(world, name):
    session = replace(world.session(name), counter=count_tokens)
    return Memory(session, {}, world.clock, world.draw)


@pytest.mark.req("B-DIFFREJECT", "A-REJECT-SCOPE")
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_diff_is_recorded_whole_or_refused_whole(data):
    world, _ = shop()
    given = data.draw(spoiled(sound()) | JSON)
    proposed = refused(world, lambda: memory(world, "user:dan").propose(given))
    if proposed is not None:
        ana = memory(world, "user:ana")
        reader = ana if proposed.diff.changes else memory(world, "user:dan")
        assert str(reader.diff(proposed.diff.id))  # what changes nothing is its proposer's alone
        for change in proposed.diff.changes:
            refused(world, lambda c=change: ana.review(
                proposed.diff.id, {c.id: Choice("rejected", "spoiled", keep_value_open=True)}, signer_of("user:ana")
            ))  # fmt: skip


@pytest.mark.req("B-CLAIM")
@settings(max_examples=100)
@given(st.data())
def test_what_is_remembered_is_recorded_or_refused(data):
    world, _ = shop()
    parts = {
        "source": {"kind": "document", "uri": "x"}, "visibility": {"level": "public"}, "quote": "x",
        "freshness": {"status": "unknown"}, "scope": "project:x", "allowed_uses": ["a"],
    }  # fmt: skip
    given = data.draw(spoiled([parts]))
    claim = data.draw(ODD)
    named = {str(k): v for k, v in given.items()} if isinstance(given, dict) else {"source": given}
    refused(world, lambda: memory(world, "user:dan").remember(claim, **named))


@pytest.mark.req("A-QUERY", "E-LIMITS")
@settings(max_examples=150)
@given(st.data())
def test_a_question_is_answered_or_refused(data):
    world, _ = shop()
    options = {
        "query": "npm", "use": "answer_questions", "budget": 300, "k": 3, "at": NOON, "as_of": 1, "history": True,
        "method": "hybrid_retrieval", "counter": "", "ids": ["x"], "memory_types": ["semantic"], "types": ["x"],
        "origins": ["observation"], "uri_prefix": "x", "statuses": ["active"], "version": 1,
        "relevance_threshold": 0.1, "log": "off", "scopes": [],
    }  # fmt: skip
    names = data.draw(st.lists(st.sampled_from(sorted(options)), min_size=1, max_size=3))
    asked = {**options, **{name: data.draw(ODD | JSON) for name in names}}
    refused(world, lambda: memory(world, "user:dan").recall(**asked))


@pytest.mark.parametrize(
    "verb", ["show", "history", "why", "diff", "to_erase", "reread", "erase", "lift", "review"]
)
@pytest.mark.req("E-BLINDWRITE")
@settings(max_examples=40)
@given(ODD | JSON)
def test_what_is_no_name_names_nothing(verb, given):
    world, _ = shop()
    ana, signer = memory(world, "user:ana"), signer_of("user:ana")
    more = {
        "erase": (signer,),
        "lift": ("new evidence", signer),
        "review": ({"change_01": Choice("accepted")}, signer),
    }
    before = world.revision()
    with pytest.raises(NotFound):
        getattr(ana, verb)(given, *more.get(verb, ()))
    assert world.revision() == before


@pytest.mark.req("E-ONEGATE", "A-BOUNDARY")
@settings(max_examples=150)
@given(kind=st.sampled_from(DECLARATIONS), name=ODD | st.just("user:zoe"), content=ODD | JSON)
@example("group", "group:x", {})
@example("group", "group:x", {"name": "group:x", "members": "user:a"})
@example("role", "user:zoe", {"name": "user:dan", "roles": ["operator"]})
@example("policy", "x", {"name": "x"})
@example("retention", "user:zoe", {})
@example("retention", "retrievals", {"days": -1})
def test_a_declaration_that_could_not_be_read_again_is_refused(kind, name, content):
    world = World()
    declared = Declaration(kind, name, content)
    session, signer = memory(world, "user:ana"), signer_of("user:ana")
    refused(world, lambda: session.declare(declared, signer=signer))
    assert world.viewing("user:dan").principal.groups == {"group:shop"}
    assert session.declared("group")


@pytest.mark.req("E-NOSCOPE", "B-TRAVEL")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_profile_is_read_or_refused(data, tmp_path):
    whole = {
        "store": "x", "tenant": "x", "principal": "user:a", "scopes": ["project:x"], "uses": ["a"], "credential": "x",
        "visibility": {"level": "user-private", "allowed_principals": ["user:a"], "all_of": [["user:b"]]},
        "repositories": {"local:x": "/x"},
    }  # fmt: skip
    value = data.draw(spoiled([whole]))
    lines = []
    for name, item in value.items() if isinstance(value, dict) else ():
        try:
            lines.append(f"{canonical(str(name)).decode()} = {toml(item)}")
        except ValueError:
            continue
    file = tmp_path / "profile.toml"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    try:
        profile = load(file, {})
    except InvalidInput:
        return
    assert all(isinstance(one, str) and "\0" not in one for one in (*profile.uses, profile.tenant))


def toml(value):
    if isinstance(value, dict):
        pairs = (f"{canonical(str(k)).decode()} = {toml(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return canonical(value).decode()


@pytest.mark.parametrize(
    "text",
    [
        'uses = "answer_questions"',
        'scopes = "project:x"',
        'scopes = ["project"]',
        '[visibility]\nlevel = "user-private"\nallowed_principals = "user:ada"',
        'principal = "user:\\u0000"',
        "tenant = 5",
        'principle = "user:ada"',
        '[repositories]\n"local:x" = 5',
    ],
)
@pytest.mark.req("E-NOSCOPE", "B-TRAVEL")
def test_a_profile_that_would_be_misread_is_refused(tmp_path, text):
    file = tmp_path / "profile.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="profile cannot be read"):
        load(file, {})


@pytest.mark.req("B-TRAVEL")
def test_a_profile_keeps_every_limit_of_who_sees_new_claims(tmp_path):
    from muniment.profile import save

    file = tmp_path / "profile.toml"
    text = '[visibility]\nlevel = "team-private"\nallowed_principals = ["group:a"]\nall_of = [["user:b"]]\n'
    file.write_text(text, encoding="utf-8")
    profile = load(file, {})
    assert profile.visibility.audience == (("group:a",), ("user:b",))
    save(profile)
    assert load(file, {}).visibility == profile.visibility


@pytest.mark.req("E-APPROVER")
@settings(max_examples=100)
@given(st.binary(max_size=200) | JSON.map(lambda value: repr(value).encode("utf-8", "replace")))
@example(b'{"format": "x"}')
@example(b"[" * 100_000)
def test_bytes_that_are_no_credential_open_nothing(data):
    with pytest.raises(MunimentError):
        open_credential(data, "a long passphrase")
