"""Reasons that say something: recorded programs and logs, and the sentences on their lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from dl_bug_lsp.assistants.value_origins import why, why_text
from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace

RECORDED = Path(__file__).parent / "recorded"


def found_in(name: str) -> FailureReport:
    text = (RECORDED / name / "train.log").read_text(encoding="utf-8")
    found = localize(text, Workspace(RECORDED / name, cache=False)).primary
    assert found is not None
    return found


def run_and_read(folder: Path, program: str, *arguments: str) -> FailureReport:
    (folder / "train.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "train.py", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    found = localize(done.stderr, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


def reasons(found: FailureReport, file: str, line: int) -> list[str]:
    suspects = [s for s in found.suspects if (s.file, s.line) == (file, line)]
    return [piece.why for suspect in suspects for piece in suspect.evidence]


def test_the_parameter_of_hydra_s_main_function_is_no_reason() -> None:
    found = found_in("hydra")
    assert not any("cfg" in piece.why for s in found.suspects for piece in s.evidence)
    assert (found.suspects[0].file, found.suspects[0].line) in {("train.py", 14), ("train.py", 9)}


def test_a_number_that_is_the_index_by_chance_is_not_called_the_index() -> None:
    said = reasons(found_in("hydra"), "train.py", 14)
    assert "if `3` counts what is indexed, index 3 lies outside" in said
    assert "`3` is the index of the message" not in said


def test_a_setting_is_not_said_to_go_into_itself() -> None:
    found = found_in("heads")
    (first, second) = (reasons(found, "configs/base.yaml", line)[0] for line in (7, 6))
    pair = "is one of two values that do not fit each other"
    assert first.startswith(f"this setting (`heads`) {pair}, 6 and 64 (")
    assert second.startswith(f"this setting (`d_model`) {pair}, 64 and 6 (")


def test_a_setting_of_a_size_is_not_said_to_be_its_own_value() -> None:
    said = reasons(found_in("channels"), "config.yaml", 1)
    assert "`channels: 12` is one of the sizes in the message" in said


def test_a_zero_is_said_to_go_into_the_division() -> None:
    found = found_in("warmup")
    assert found.diagnosis == "train.py:15: this zero goes into the failing division"


def test_an_option_that_was_left_out_is_not_said_to_be_read_as_text(tmp_path: Path) -> None:
    program = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--name", default="run")
arguments = parser.parse_args()
with open(arguments.config) as stream:
    print(arguments.name, stream.read())
"""
    found = run_and_read(tmp_path, program)
    said = reasons(found, "train.py", 4)
    assert "`--config` has no default: it is None where the command leaves it out" in said
    assert not any(
        "as text" in why for s in found.suspects for why in reasons(found, s.file, s.line)
    )


def test_what_is_written_to_a_file_is_told_with_what_reads_it() -> None:
    said = [piece.why for s in found_in("gaps").suspects for piece in s.evidence]
    reads = "goes into a file, which `pd.read_csv(path)` (train.py:5) seems to read"
    assert any(why.endswith(reads) for why in said), said


def test_a_command_without_its_argument_is_told_by_it(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(RECORDED / "forecast", tmp_path / "forecast"))
    shutil.move(folder / "forecast" / "train.py", folder / "fit.py")
    report = check(Workspace(folder, cache=False), ["python", "fit.py"], CheckOptions())
    (finding,) = [f for f in report.findings if f.id == "index-range"]
    assert finding.message == (
        "The run will fail in fit.py, line 29: "
        "the command gives no argument 1, which `argv[1]` reads."
    )
    # `open(sys.argv)` fails in the same line.
    assert not any("sys.argv`" in line for line in finding.evidence)


def test_a_small_program_is_analysed_without_reaching_a_limit() -> None:
    for name in ("hydra", "heads", "warmup", "forecast", "digits", "tickets"):
        assert found_in(name).complete, name


def test_what_is_left_out_of_the_origins_is_told_where_it_is() -> None:
    workspace = Workspace(RECORDED / "heads", cache=False)
    whole = why(workspace, "train.py", 29)
    assert whole.complete
    assert "cut short" not in why_text(whole)
    long = [expression for expression in whole.expressions if expression.more]
    assert long
    assert why_text(whole).count("what lies farther back is left out") == len(long)
    for line in range(1, 12):
        assert not any(e.more for e in why(workspace, "train.py", line).expressions)


def test_a_column_without_a_name_is_told_by_its_number_from_one() -> None:
    said = reasons(found_in("animals"), "animals.csv", 4)
    assert "`bird` of the message stands in field 3" in said


def test_two_calls_that_are_written_alike_are_told_by_their_lines() -> None:
    call = "`make(config['width'], config['depth'])`"
    assert found_in("weights").diagnosis == (
        f"predict.yaml:1: `width` is 48 for {call} in predict.py:7, and 32 in train.py:7"
    )


def test_what_takes_a_type_over_is_not_said_to_name_none() -> None:
    workspace = Workspace(RECORDED / "iris", cache=False)
    report = check(workspace, ["iris.ipynb"], CheckOptions())
    assert report.entries == ("iris.ipynb",)
    (finding,) = [f for f in report.findings if f.id == "value-type"]
    assert "`torch.from_numpy(x)` keeps the type of what it is given: float64" in finding.evidence


ONE_STEP = """\
import torch
from torch import nn


def main():
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    {start}
"""


def test_gradients_of_one_step_do_not_add_up(tmp_path: Path) -> None:
    for start, wanted in (("main()", False), ("for _ in range(3):\n        main()", True)):
        (tmp_path / "train.py").write_text(ONE_STEP.format(start=start))
        report = check(Workspace(tmp_path, cache=False), ["python", "train.py"], CheckOptions())
        told = [f.message for f in report.findings if f.id == "training-step"]
        assert any("add up" in message for message in told) is wanted
