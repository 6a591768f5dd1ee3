"""Wrong use: exit code 2 and one line on standard error that says what to do."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm_start import PLAIN, program

LOG = "Traceback (most recent call last):\nValueError: x\n"


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "empty.log").write_text(" \n", encoding="utf-8")
    (tmp_path / "model.pt").write_bytes(b"PK\x03\x04" + bytes(100))
    (tmp_path / "run.log.gz").write_bytes(gzip.compress(LOG.encode()))
    (tmp_path / "code").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["localize", "nowhere.log"], "there is no file 'nowhere.log'; check the path"),
        (["localize", "code"], "'code' is a folder; name the log file inside it"),
        (["localize", "run.log", "--workspace", "gone"], "there is no folder 'gone'"),
        (["localize", "run.log", "--workspace", "run.log"], "'run.log' is a file; name the folder"),
        (["localize", "empty.log"], "'empty.log' is empty; give the text"),
        (["localize", "-"], "standard input is empty"),
        (["localize"], "standard input is empty"),
        (["localize", "model.pt"], "'model.pt' is binary"),
        (["localize", "run.log.gz"], "gzip -dc run.log.gz | dl-bug-lsp localize -"),
        (["localize", "run.log", "--map", "/mnt/code"], "must be REMOTE=LOCAL"),
        (["localize", "run.log", "--map", "=x"], "must be REMOTE=LOCAL"),
        (["localize", "run.log", "--map", "/mnt/code=nosuch"], "there is nothing at 'nosuch'"),
        (["explain", "tensr"], "did you mean tensor_mismatch?"),
        (["localize", "run.log", "--top", "0"], "must be a whole number from 1 on, not '0'"),
        (["localize", "run.log", "--top", "many"], "not 'many'"),
        (["localize", "run.log", "--top-files", "-1"], "from 0 on, not '-1'"),
        (["localize", "run.log", "--format", "xml"], "invalid choice: 'xml'"),
        (["localize", "run.log", "more.log"], "there is no file 'more.log'"),
        (["localize", "run.log", "--work", "code"], "code; see 'dl-bug-lsp localize --help'"),
        (["spectrum", "report", "--bad"], "--bad; see 'dl-bug-lsp spectrum report --help'"),
        (["localize", "run.log", "--map", "/a=gone"], "nothing at 'gone' in the workspace"),
        (["localize", "run.log", "--map", "/a=/gone/x"], "there is nothing at '/gone/x'"),
        (["check", "--gpu", "24"], "'24' is no size of memory; write it as in --gpu 24GB"),
        (["check", "--format", "context"], "invalid choice: 'context'"),
        (["explain", "slow"], "'communication_failure' is about runs that stand still"),
        (["explain", "no_such_category"], "no category 'no_such_category'"),
        (["explain", "tensor_mismach"], "did you mean tensor_mismatch?"),
        (["doctor", "--workspace", "gone"], "there is no folder 'gone'"),
        (["guess"], "invalid choice: 'guess'"),
        ([], "say what to do: localize, check, run, spectrum, triage, server, mcp, explain"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], says: str) -> None:
    done = run(*arguments, cwd=folder)
    error = done.stderr.decode()
    assert done.returncode == 2
    assert done.stdout == b""
    assert says in error
    assert error.count("\n") == 1
    assert error.startswith("dl-bug-lsp: ")


@pytest.mark.parametrize(
    "words", [["--version"], ["localize", "run.log", "--format", "json"], ["localize", "nowhere"]]
)
def test_what_tests_fork_does_what_is_started(folder: Path, words: list[str]) -> None:
    done = [
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
        for command in ([*PLAIN, *words], program(*words))
    ]
    assert done[1].returncode == done[0].returncode
    assert done[1].stdout == done[0].stdout
    assert done[1].stderr == done[0].stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
@pytest.mark.parametrize("argument", ["run.log", "code"])
def test_no_rights(folder: Path, argument: str) -> None:
    (folder / argument).chmod(0)
    arguments = ["run.log", "--workspace", "code"]
    done = run("localize", *arguments, cwd=folder)
    (folder / argument).chmod(0o700)
    assert done.returncode == 2
    assert b"permission denied" in done.stderr


def test_an_error_message_shows_no_raw_control_characters(folder: Path) -> None:
    done = run("localize", "\x1b[31m.log", cwd=folder)
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["localize", "--help"]])
def test_help_and_version_print_to_standard_output(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"dl-bug-lsp" in done.stdout


HEAVY = ("jedi", "numpy", "sklearn", "pygls", "lsprotocol", "yaml", "scipy")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["localize", "--help"], ["localize", "nowhere.log"]]
)
def test_start_up_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from dl_bug_lsp.cli.main import main\n"
        f"main({arguments!r})\n"
        f"print(sorted(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("debug", [False, True])
def test_the_unexpected_is_one_sentence_and_a_log_file(tmp_path: Path, debug: bool) -> None:
    """A broken installation stands for any fault of ours: a package that cannot be imported."""
    program = (
        "import sys\n"
        "sys.modules['dl_bug_lsp.localize'] = None\n"
        "from dl_bug_lsp.cli.main import main\n"
        f"sys.exit(main(['localize', '-'] + ['--debug'] * {debug}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=LOG,
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert ("Traceback" in done.stderr) is debug
    if not debug and sys.platform != "darwin":
        (place,) = tmp_path.rglob("dl-bug-lsp-error.log")
        assert str(place) in done.stderr
        assert done.stderr.count("\n") == 1
        assert "Traceback" in place.read_text(encoding="utf-8")


def test_a_module_of_the_current_folder_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "yaml.py").write_text("print('imported')\n", "utf-8")
    (tmp_path / "conf.yaml").write_text("lr: 1\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "dl_bug_lsp", "localize", "-"],
        input='Traceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: 1\n',
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert done.stderr == ""
    assert "imported" not in done.stdout
