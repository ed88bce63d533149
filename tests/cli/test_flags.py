"""What is read without Typer is read as Typer reads it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.cli.flags import COMMON, RECALL, parse
from muniment.cli.run import application

OPTIONS = [option for option in (*RECALL, *COMMON) if option.flags]
VALUES = st.sampled_from(
    ["", "x", "12", "0", "1.5", "-3", "1_000", " 7", "1e3", "nan", "é", "a b", "--json", "007", "٣"]
)


@st.composite
def words(draw):
    """A word or two of a command line: an option in one of its forms, an argument, or nonsense."""
    option = draw(st.sampled_from(OPTIONS))
    flag, value = draw(st.sampled_from(option.flags)), draw(VALUES)
    if option.kind == "flag":
        return draw(st.sampled_from([[flag], [flag], [f"{flag}=x"]]))
    return draw(
        st.sampled_from([[flag, value], [f"{flag}={value}"], [flag], [value], ["-k5"], ["--"]])
    )


@pytest.fixture(scope="module")
def by_typer():
    """What Typer makes of a command line; None where it refuses it."""
    import muniment.cli.commands.recall as module

    app, kept = application(["recall"]), []

    def keep(call, **values):
        kept.append({**values, **{o.name: getattr(call.options, o.name) for o in COMMON}})

    def read(arguments):
        kept.clear()
        try:
            app(["recall", *arguments], standalone_mode=False)
        except Exception:  # noqa: BLE001 - Typer's errors have no public base
            return None
        return (
            {k: tuple(v) if isinstance(v, list) else v for k, v in kept[0].items()}
            if kept
            else None
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "answer", keep)
        patch.setattr("muniment.cli.call.Call.acted", lambda call: None)
        yield read


@settings(max_examples=300)
@given(lines=st.lists(words(), max_size=5))
def test_what_is_read_without_typer_is_read_as_typer_reads_it(by_typer, lines):
    arguments = [word for line in lines for word in line]
    plain = parse(arguments, RECALL)
    assert plain is None or plain == by_typer(arguments)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_is_read_without_typer(by_typer, option):
    value = {"integer": "7", "number": "0.5"}.get(option.kind, "value")
    arguments = ["q", option.flags[-1], *([] if option.kind == "flag" else [value])]
    plain = parse(arguments, RECALL)
    assert plain == by_typer(arguments)
    assert plain[option.name] != option.default


NOT_PLAIN = (
    "--help",
    "a b",
    "--k",
    "--k many",
    "-k5",
    "--nonsense",
    "--use --json",
    "--json=x",
    "--",
)


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_typer(line):
    assert parse(line.split(), RECALL) is None
