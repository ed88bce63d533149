"""What every measurement prints."""

import json
import socket
from pathlib import Path

from bench import report


def test_json_has_the_result_the_date_and_the_machine(capsys):
    report.emit({"points": 3}, as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed["points"] == 3
    assert printed["date"].endswith("+00:00")
    assert printed["machine"].keys() == {"cpu", "cores", "python", "sqlite", "apsw", "platform"}


def test_the_machine_names_neither_host_nor_place():
    text = json.dumps(report.machine())
    assert str(Path.home()) not in text
    assert socket.gethostname() not in text


def test_a_table_shows_lists_of_findings(capsys):
    report.emit({"examples": [{"lost": 1}]}, as_json=False)
    assert "lost" in capsys.readouterr().out


def test_progress_goes_to_standard_error_alone(capsys):
    for done in range(1, 101):
        report.progress("points", done, 100)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == "points: 100/100"
    assert len(captured.err.splitlines()) == 10
