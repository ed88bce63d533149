"""An endpoint's specification is read strictly, and no key or text may travel in clear."""

from __future__ import annotations

import pytest

from muniment.core.errors import InvalidInput
from muniment.embed.endpoint import OWN_KEY, parse_endpoint


def refusal(spec):
    with pytest.raises(InvalidInput) as refused:
        parse_endpoint(spec)
    return refused.value.findings[0]


def test_a_model_of_openai_needs_nothing_but_its_name():
    endpoint = parse_endpoint("text-embedding-3-small")
    assert endpoint.url == "https://api.openai.com/v1/embeddings"
    assert (endpoint.dimension, endpoint.shortened, endpoint.key_env) == (1536, False, OWN_KEY)


def test_a_shorter_vector_is_asked_for_by_its_dimension():
    endpoint = parse_endpoint("text-embedding-3-large?dim=256")
    assert (endpoint.dimension, endpoint.shortened) == (256, True)


def test_another_host_is_not_sent_openais_key():
    assert parse_endpoint("text-embedding-3-small@https://example.com/v1?dim=1536").key_env == ""


def test_a_model_may_have_signs_in_its_name():
    endpoint = parse_endpoint(
        "org/model@v2:latest@https://example.com:8443/api/v1/?dim=3&key_env=MY_KEY"
    )
    assert endpoint.model == "org/model@v2:latest"
    assert endpoint.url == "https://example.com:8443/api/v1/embeddings"
    assert endpoint.key_env == "MY_KEY"


@pytest.mark.req("A-EMBVERSION")
@pytest.mark.parametrize("change", ["&version=2", "&window=100", "&dim=4"])
def test_what_changes_a_vector_changes_its_space(change):
    base = "m@https://example.com/v1?key_env=K"
    other = base + change + ("" if "dim" in change else "&dim=3")
    assert parse_endpoint(base + "&dim=3").space != parse_endpoint(other).space


def test_a_given_version_outlives_a_move_to_another_host():
    one, two = (f"m@https://{host}/v1?dim=3&version=7" for host in ("a.example", "b.example"))
    assert parse_endpoint(one).space == parse_endpoint(two).space


@pytest.mark.parametrize(
    "host", ["example.com", "10.0.0.7", "127.0.0.1.example.com", "[2001:db8::1]"]
)
def test_a_key_is_not_sent_in_clear(host):
    spec = f"m@http://{host}/v1?dim=3&key_env=MY_KEY&cleartext=allow"
    assert refusal(spec).code == "key_in_clear"


def test_texts_are_sent_in_clear_only_where_that_is_said():
    assert refusal("m@http://10.0.0.7/v1?dim=3").code == "text_in_clear"
    assert parse_endpoint("m@http://10.0.0.7/v1?dim=3&cleartext=allow").key_env == ""


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:11434", "[::1]:8080"])
def test_this_machine_may_be_reached_in_clear(host):
    assert parse_endpoint(f"m@http://{host}/v1?dim=3&key_env=K").key_env == "K"


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "@https://example.com/v1?dim=3",
        "https://example.com/v1?dim=3",
        "m@https:///v1?dim=3",
        "m@ftp://example.com/v1?dim=3",
        "m@file:///etc/passwd?dim=3",
        "m@https://example.com:99999/v1?dim=3",
        "m@https://user:secret@example.com/v1?dim=3",
        "m@https://example.com/v1?dim=3#part",
        "m@https://exa mple.com/v1?dim=3",
        "m@https://example.com/v1",
        "m@https://example.com/v1?dim=0",
        "m@https://example.com/v1?dim=-3",
        "m@https://example.com/v1?dim=٣",
        "m@https://example.com/v1?dim=99999999999999999999",
        "m@https://example.com/v1?dim=3&dim=4",
        "m@https://example.com/v1?dim=3&key=sk-secret",
        "m@https://example.com/v1?dim=3&key_env=sk-secret",
        "m@https://example.com/v1?dim=3&window=0",
        "m@https://example.com/v1?dim=3&cleartext=yes",
    ],
)
def test_what_is_wrong_is_refused_by_name_and_shows_no_password(spec):
    found = refusal(spec)
    assert found.code == "endpoint_wrong"
    assert "user:secret" not in str(found)
