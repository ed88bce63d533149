"""A large import is read in a process of its own, and nothing about it differs but the time that it takes."""

from __future__ import annotations

import pickle
import subprocess
from functools import partial
from pathlib import Path

import pytest

from muniment.core.errors import InvalidInput
from muniment.exchange import ahead as reading
from muniment.exchange.ahead import Ahead, ahead, is_large
from muniment.exchange.gather import Gathered
from muniment.exchange.reading import Tools
from muniment.learn.extract import read_file
from muniment.learn.passages import passages
from muniment.wiring import _address
from tests.exchange.foreign import SAMPLES


def batch(*paths, format_name=""):
    address = partial(_address, roots={"shop": SAMPLES})
    return Gathered(tuple(paths), Tools(read_file, passages), address, format_name)


def read_whole(found):
    return [(file, list(held)) for file, held in found.files()]


@pytest.fixture
def many(tmp_path):
    """More files than make an import large."""
    for number in range(reading.FROM_FILES):
        (tmp_path / f"{number:04d}.md").write_text(f"# Rule {number}\n\n- Use port {number}.\n")
    return tmp_path


@pytest.mark.req("E-IDEMPOTENT")
def test_it_gives_what_reading_here_gives():
    every = batch(SAMPLES)
    assert read_whole(Ahead(every)) == read_whole(every)


def test_what_is_refused_there_is_refused_here():
    with pytest.raises(InvalidInput, match="no-such"):
        read_whole(Ahead(batch(Path("no-such"))))
    with pytest.raises(InvalidInput):
        read_whole(Ahead(batch(SAMPLES, format_name="no-such-format")))


def test_a_file_need_not_be_read_to_its_end(many):
    names = [file.name for file, _ in Ahead(batch(many)).files()]
    assert names == [file.name for file, _ in batch(many).files()]


def test_its_process_ends_with_it(many, monkeypatch):
    started = []
    start = subprocess.Popen
    monkeypatch.setattr(
        reading.subprocess, "Popen", lambda *a, **k: started.append(start(*a, **k)) or started[0]
    )
    files = Ahead(batch(many)).files()
    next(files)
    assert started[0].poll() is None
    files.close()
    assert started[0].poll() is not None


def test_a_process_that_is_killed_is_no_end_of_the_files(many, monkeypatch):
    monkeypatch.setattr(reading, "_STARTED", "import sys; sys.stdin.buffer.read()")
    with pytest.raises(RuntimeError, match="ended early"):
        read_whole(Ahead(batch(many)))


def test_where_no_process_can_be_started_the_files_are_read_here(monkeypatch):
    def refused(*_, **__):
        raise OSError

    monkeypatch.setattr(reading.subprocess, "Popen", refused)
    assert read_whole(Ahead(batch(SAMPLES))) == read_whole(batch(SAMPLES))


def test_an_error_that_cannot_be_sent_is_told():
    class Odd(Exception):
        def __init__(self, one, two):
            super().__init__(one)

    assert "Odd" in str(reading._portable(Odd("x", "y")))
    assert isinstance(pickle.loads(pickle.dumps(reading._portable(ValueError("x")))), ValueError)


def test_only_a_large_import_is_read_ahead(many, monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    assert is_large(batch(many)) and not is_large(batch(SAMPLES / "no-such", next(many.iterdir())))
    assert isinstance(ahead(batch(many)), Ahead)
    (one := tmp_path / "one.jsonl").write_bytes(b" " * reading.FROM_BYTES)
    assert is_large(batch(one))


def test_one_processor_reads_by_itself(many, monkeypatch):
    monkeypatch.setattr(reading, "_processors", lambda: 1)
    assert isinstance(ahead(batch(many)), Gathered)
