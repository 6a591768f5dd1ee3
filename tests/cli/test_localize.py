"""`localize` and `doctor` on real failed runs, through the real process."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from warm_start import PLAIN, program

from dl_bug_lsp.cli.main import main
from dl_bug_lsp.runs.records import RunRecord, write

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
MISMATCH = FIXTURES / "114-churn-fold-columns"
SAMPLE = sorted(path for path in FIXTURES.glob("[0-9]*-*") if (path / "log.txt").is_file())[2::7]


def localize(
    *arguments: str, stdin: bytes = b"", cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    inherited = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    # What the interpreter itself reads is read at its start.
    is_plain = any(name.startswith("PYTHON") for name in environment)
    return subprocess.run(
        [*(PLAIN if is_plain else program()), "localize", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**inherited, "PYTHONUTF8": "1", "COLUMNS": "100", **environment},
        timeout=120,
        check=False,
    )


def on(fixture: Path, *more: str) -> tuple[str, ...]:
    return (str(fixture / "log.txt"), "--workspace", str(fixture / "workspace"), *more)


Here = Callable[..., tuple[int, bytes, bytes]]


@pytest.fixture
def here(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Here:
    """Run in this process, which saves the start of another one."""
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> tuple[int, bytes, bytes]:
        monkeypatch.chdir(cwd)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        code = main(["localize", *arguments])
        output, errors = capfdbinary.readouterr()
        return code, output, errors

    return run


@pytest.mark.parametrize("fixture", SAMPLE, ids=[path.name for path in SAMPLE])
def test_the_json_report_fits_its_schema(fixture: Path, here: Here) -> None:
    code, output, errors = here(*on(fixture, "--format", "json"))
    report = json.loads(output)
    found = [e.message for e in jsonschema.Draft202012Validator(SCHEMA).iter_errors(report)]
    assert found == []
    assert errors == b""
    suspects = [suspect for failure in report["failures"] for suspect in failure["suspects"]]
    assert code == (0 if suspects else 1)
    for suspect in suspects:
        assert (fixture / "workspace" / suspect["file"]).is_file()


def test_the_same_text_gives_the_same_bytes() -> None:
    runs = [localize(*on(MISMATCH, "--format", "json"), PYTHONHASHSEED=seed) for seed in ("1", "2")]
    assert runs[0].stdout == runs[1].stdout


@pytest.mark.parametrize("file", [["-"], []])
def test_standard_input_is_the_same_as_the_file(file: list[str]) -> None:
    text = (MISMATCH / "log.txt").read_bytes()
    workspace = ["--workspace", str(MISMATCH / "workspace"), "--format", "json"]
    piped = localize(*file, *workspace, stdin=text)
    assert piped.stdout == localize(*on(MISMATCH, "--format", "json")).stdout


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_a_windows_shell_wrote_is_read(encoding: str) -> None:
    text = (MISMATCH / "log.txt").read_text(encoding="utf-8").replace("\n", "\r\n")
    done = localize("-", "--workspace", str(MISMATCH / "workspace"), stdin=text.encode(encoding))
    assert done.stdout.startswith(b"RuntimeError: mat1 and mat2 shapes")


def test_bounds(here: Here) -> None:
    _, output, _ = here(*on(MISMATCH, "--format", "json", "--top", "2", "--top-files", "1"))
    (failure,) = json.loads(output)["failures"]
    assert (len(failure["suspects"]), len(failure["files"])) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_text_is_plain_in_a_pipe_and_coloured_on_demand(
    here: Here, arguments: list[str], environment: dict[str, str], coloured: bool
) -> None:
    _, output, _ = here(*on(MISMATCH, *arguments), **environment)
    assert (b"\x1b[" in output) is coloured
    assert re.sub(rb"\x1b\[[\d;]*m", b"", output).startswith(b"RuntimeError: mat1 and mat2")


def test_the_message_is_the_first_line_and_places_can_be_clicked(here: Here) -> None:
    text = here(*on(MISMATCH))[1].decode()
    assert text.startswith(
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (80x11 and 12x8)\n"
    )
    places = re.findall(r"^ *\d+\. (\S+):(\d+) ", text, re.MULTILINE)
    assert len(places) > 3
    for file, line in places:
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert 1 <= int(line) <= len(lines)


@pytest.mark.parametrize(
    ("folder", "prefix"),
    [("workspace", ""), ("", "workspace/"), ("workspace/churn_nn", "../")],
)
def test_places_are_relative_to_where_the_reader_stands(
    here: Here, folder: str, prefix: str
) -> None:
    text = here(*on(MISMATCH), cwd=MISMATCH / folder)[1].decode()
    assert f"\n 1. {prefix}churn_nn/" in text or f"\n 2. {prefix}churn_nn/" in text


def test_annotations_are_relative_to_the_repository(here: Here) -> None:
    arguments = on(MISMATCH, "--format", "github")
    _, output, _ = here(*arguments, GITHUB_WORKSPACE=str(FIXTURES))
    # How certain the place is decides on the level.
    place = rb"::(error|warning) file=114-churn-fold-columns/workspace/churn_nn/"
    assert re.match(place, output)


def test_sarif_is_json_with_results(here: Here) -> None:
    (run,) = json.loads(here(*on(MISMATCH, "--format", "sarif"))[1])["runs"]
    assert run["results"][0]["ruleId"] == "tensor_mismatch"
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"].endswith("/workspace/")


def test_a_text_that_names_nothing_is_exit_code_1(tmp_path: Path) -> None:
    done = localize("-", "--workspace", str(tmp_path), "--format", "json", stdin=b"all is well\n")
    assert done.returncode == 1
    assert all(not f["suspects"] for f in json.loads(done.stdout)["failures"])


def test_a_terminal_without_unicode_gets_plain_characters() -> None:
    done = localize(*on(MISMATCH), PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    text = done.stdout.decode("ascii")
    assert "> " in text
    assert " | " in text
    assert "\\u" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
@pytest.mark.parametrize("format_name", ["text", "json"])
def test_a_reader_that_goes_away_is_no_error(format_name: str) -> None:
    arguments = on(MISMATCH, "--format", format_name)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "dl_bug_lsp", "localize", *arguments],
            stdout=closed,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_foreign_path_can_be_mapped(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import x\n\nx.f(1)\n", encoding="utf-8")
    log = (
        "Traceback (most recent call last):\n"
        '  File "/job/code/main.py", line 3, in <module>\n    x.f(1)\n'
        "TypeError: f() takes 0 positional arguments but 1 was given\n"
    )
    arguments = ["-", "--workspace", str(tmp_path), "--format", "json"]
    mapped = localize(*arguments, "--map", "/job/code/main.py=net.py", stdin=log.encode())
    (frame,) = json.loads(mapped.stdout)["failures"][0]["frames"]
    assert (frame["workspace_file"], frame["workspace_line"]) == ("net.py", 3)


def test_doctor_goes_by_what_the_project_sets_and_finds_runs_below(tmp_path: Path) -> None:
    logs = "[tool.dl-bug-lsp.logs]\npolling = true\ninclude = ['**/*.txt']\n"
    (tmp_path / "pyproject.toml").write_text(logs, encoding="utf-8")
    (tmp_path / "a.log").write_text("x", encoding="utf-8")
    (tmp_path / "sub" / ".git").mkdir(parents=True)
    (tmp_path / "sub" / "b.txt").write_text("x", encoding="utf-8")
    run = ["run", "--no-report", "--", sys.executable, "-c", "1 / 0"]
    subprocess.run(program(*run), cwd=tmp_path / "sub", capture_output=True, check=False)
    shown = subprocess.run(program("doctor"), cwd=tmp_path, capture_output=True, check=True)
    rows = dict(line.split(":", 1) for line in shown.stdout.decode().splitlines())
    assert rows["watching"].strip().startswith("polling: the project's settings ask for it")
    assert rows["followed logs"].strip() == "1 in 2 folders: sub/b.txt"
    assert rows["recorded runs"].strip().endswith("(exit code 1)")
    assert rows["recorded runs"].strip().startswith("1: ")


def test_doctor_tells_what_a_report_of_a_problem_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "doctor", "--workspace", MISMATCH / "workspace"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    rows = dict(re.findall(r"^([^:]+): +(.*)$", done.stdout, re.MULTILINE))
    assert rows["Python"].startswith("3.")
    assert rows["pygls"][0].isdigit()
    assert rows["workspace"] == str((MISMATCH / "workspace").resolve())
    assert int(rows["Python files"]) == 7
    assert "index" in rows


def test_the_project_s_settings_hold_where_no_option_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 0\nprint(x / y)\n")
    (tmp_path / "pyproject.toml").write_text("[tool.dl-bug-lsp]\ntop = 1\ntopp = 2\n")
    log = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    print(x / y)\n'
    )
    for options, most in (((), 1), (("--top", "2"), 2)):
        done = subprocess.run(
            program("localize", "-", "--format", "json", *options),
            input=log + "ZeroDivisionError: division by zero\n",
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert len(json.loads(done.stdout)["failures"][0]["suspects"]) == most
        assert "pyproject.toml, line 3: The setting 'topp'" in done.stderr


def test_the_log_of_a_recorded_training_is_read_with_its_recording(tmp_path: Path) -> None:
    training = Path(__file__).parents[1] / "monitoring" / "trainings" / "plain_loop"
    runs = tmp_path / ".dlbug" / "runs"
    runs.mkdir(parents=True)
    shutil.copy(training / "train.py", tmp_path)
    shutil.copy(training / "training.db", tmp_path / ".dlbug")
    command = ("python", "train.py")
    record = RunRecord(command, ".", 7, "2026-01-01T00:00:00Z", 0, "2026-01-01T00:01:00Z")
    place = runs / "20260101T000000Z-7"
    place.with_suffix(".log").write_text("epoch 1 loss 0.7\nepoch 2 loss 0.6\n")
    log = str(place.with_suffix(".log"))
    write(place, record)
    without = localize(log, "--workspace", str(tmp_path))
    assert without.returncode == 1
    write(place, replace(record, trainings=(1,)))
    done = localize(log, "--workspace", str(tmp_path))
    assert done.returncode == 0
    assert b"Training Fault" in done.stdout
    assert b"the recording of the training" in done.stdout
    assert b"of the log" not in done.stdout


def test_what_a_sound_run_printed_is_no_report_of_a_failure(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("trainer = Trainer(max_epochs=4)\ntrainer.fit()\n")
    runs = tmp_path / ".dlbug" / "runs"
    runs.mkdir(parents=True)
    place = runs / "20260101T000000Z-7"
    text = "Seed set to 1\nGPU available: False, used: False\nTotal params: 1.3 K\n"
    text += "Modules in train mode: 8\n`Trainer.fit` stopped: `max_epochs=4` reached.\n"
    place.with_suffix(".log").write_text(text)
    record = RunRecord(("python", "train.py"), ".", 7, "2026-01-01T00:00:00Z", 0, "2026")
    write(place, record)
    done = localize(str(place.with_suffix(".log")), "--workspace", str(tmp_path))
    assert done.returncode == 1
    assert b"train.py" not in done.stdout


def test_settings_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool\n")
    (tmp_path / "conf.yaml").write_text("a: [1,\n")
    (tmp_path / "train.py").write_text("raise ValueError('no')\n")
    log = b'Traceback (most recent call last):\n  File "train.py", line 1, in <module>\n'
    for command in (("localize", "-"), ("check", "train.py")):
        done = subprocess.run(
            program(*command),
            input=log + b"ValueError: no\n",
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        (told,) = done.stderr.decode().splitlines()
        assert told.startswith("dl-bug-lsp: pyproject.toml, line 1: ")
        assert told.endswith("have their defaults")
    shown = subprocess.run(program("doctor"), cwd=tmp_path, capture_output=True, check=True)
    assert "conf.yaml, pyproject.toml" in shown.stdout.decode()
