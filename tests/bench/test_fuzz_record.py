"""What runs of a fuzzer came to is added up, a seed once, and a stopped run is taken up again."""

from __future__ import annotations

import doctest
import json

import pytest

from bench import fuzz_record, mif_fuzz


def test_the_rules_of_the_record_hold():
    assert doctest.testmod(fuzz_record).failed == 0


def thrown(name: str, inputs: int, seed: int) -> dict[str, object]:
    return {"inputs": inputs, "raised": int(seed == 1), "over_1s": 0, "slowest_s": seed / 10}


def test_it_goes_on_until_each_parser_has_had_enough(tmp_path):
    made = fuzz_record.keep_on(tmp_path / "r.json", ["a", "b"], thrown, 10, 30)
    assert [made["by_parser"][name]["seeds"] for name in "ab"] == [3, 3]
    assert (made["inputs"], made["raised"], made["slowest_s"]) == (60, 2, 0.2)


def test_a_later_run_takes_the_next_seeds(tmp_path):
    fuzz_record.keep_on(tmp_path / "r.json", ["a"], thrown, 10, 10)
    seeds = []
    fuzz_record.keep_on(
        tmp_path / "r.json", ["a"], lambda *of: seeds.append(of[2]) or thrown(*of), 10, 30
    )
    assert seeds == [1, 2]


def test_seeds_of_another_size_are_not_added_up(tmp_path):
    fuzz_record.keep_on(tmp_path / "r.json", ["a"], thrown, 10, 10)
    with pytest.raises(ValueError, match="10 inputs a seed"):
        fuzz_record.keep_on(tmp_path / "r.json", ["a"], thrown, 20, 30)


def test_the_fuzzer_of_mif_keeps_its_record(tmp_path, capsys):
    path = tmp_path / "r.json"
    told = ["--inputs", "20", "--parser", "markdown", "--record", str(path), "--until", "40"]
    assert mif_fuzz.main([*told, "--json"]) == 0
    assert json.loads(path.read_text())["by_parser"]["markdown"]["inputs"] == 40
    assert json.loads(capsys.readouterr().out)["fewest_inputs"] == 40
