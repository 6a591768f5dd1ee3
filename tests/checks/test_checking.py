"""The checks on small programs and recorded failures: what they report, and where they keep silent.

The environment is a folder as `venv` makes it, with a package of a few lines in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from made_environments import made_environment

from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.checks.findings import CheckReport
from dl_bug_lsp.cli.main import main
from dl_bug_lsp.workspace import Workspace

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "fixtures"
OPENED = ROOT / "benchmarks" / "held_out" / "opened"
SCHEMA = json.loads((ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8"))

LIBRARY = {
    "netlib/__init__.py": "from .layers import Dense\nfrom .layers import train as fit_all\n",
    "netlib/layers.py": (
        "open(__file__ + '.ran', 'w')\n\n\n"
        "def kept(f):\n    def run(*a, **k):\n        return f(*a, **k)\n    return run\n\n\n"
        "class Dense:\n    def __init__(self, units, *, bias=True):\n        pass\n\n\n"
        "def train(model, epochs=1, **options):\n    pass\n\n\n"
        "@kept\ndef odd(a):\n    pass\n"
    ),
    "netlib-2.0.dist-info/METADATA": "Name: netlib\nVersion: 2.0\n",
    "lazy/__init__.py": "def __getattr__(name):\n    return name\n",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made_environment(tmp_path_factory.mktemp("venv"), LIBRARY)


Said = Callable[..., list[str]]


def written(folder: Path, files: dict[str, str]) -> Workspace:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return Workspace(folder, cache=False)


def places(report: CheckReport) -> list[str]:
    return [f"{f.certainty.value} {f.id} {f.file}:{f.line}" for f in report.findings]


@pytest.fixture
def said(tmp_path: Path, python: str, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Check files with a command; return certainty, id and place of each finding."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))

    def run(files: dict[str, str], *command: str) -> list[str]:
        return places(check(written(tmp_path, files), command, CheckOptions(python)))

    return run


PARSER = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int)\n"
    "p.add_argument('--mode', choices=['a', 'b'])\np.add_argument('--data', required=True)\n"
    "p.parse_args()\n"
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--data d --epochs 3 --mode a", []),
        ("--data d --epo 3", []),
        ("--data=d --epoch=3", []),
        ("--data d --epchs 3", ["sure unknown-option train.py:2"]),
        ("--data d --epochs 3.5", ["sure option-value train.py:3"]),
        ("--data d --mode c", ["sure option-value train.py:4"]),
        ("--epochs 3", ["sure missing-option train.py:5"]),
    ],
)
def test_options_are_compared_as_argparse_does(said: Said, words: str, expected: list[str]) -> None:
    assert said({"train.py": PARSER}, "python", "train.py", *words.split()) == expected


@pytest.mark.parametrize("words", ["--data d --epchs 3", "--epochs x"])
def test_argparse_itself_agrees(tmp_path: Path, words: str) -> None:
    (tmp_path / "train.py").write_text(PARSER)
    done = subprocess.run(
        [sys.executable, "train.py", *words.split()], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 2


def test_programs_that_take_anything_are_left_out(said: Said) -> None:
    text = PARSER.replace("p.parse_args()", "p.parse_known_args()")
    assert said({"train.py": text}, "python", "train.py", "--other", "3") == []


def test_a_script_s_commands_are_checked_at_their_lines(said: Said) -> None:
    script = 'ARGS="--epochs 3"\nfor d in a b; do\n  python train.py $ARGS --data $d\ndone\n'
    script += "torchrun --nproc-per-node 2 train.py --data d \\\n  --epochs many\n"
    files = {"train.py": PARSER, "run.sh": script}
    assert said(files, "bash", "run.sh") == ["sure option-value run.sh:6"]


def test_a_makefile_s_target_and_an_editor_s_launch_are_read(said: Said) -> None:
    launch = '{"configurations": [{"name": "T", "program": "${workspaceFolder}/train.py",\n'
    launch += '"args": ["--data",\n"d",\n"--mode",\n"z"]}]}'
    files = {
        "train.py": PARSER,
        "Makefile": "train:\n\tpython train.py --data d --mode q\nother:\n\tpython train.py --no\n",
        ".vscode/launch.json": launch,
    }
    assert said(files, "make", "train") == ["sure option-value Makefile:2"]
    assert said(files, "launch.json:T") == ["sure option-value .vscode/launch.json:5"]


def test_the_folder_of_a_command_is_followed(said: Said, tmp_path: Path, python: str) -> None:
    workspace = written(tmp_path, {"job/train.py": PARSER})
    report = check(workspace, "cd job && python train.py --data d --nod 3", CheckOptions(python))
    assert places(report) == ["sure unknown-option job/train.py:2"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import netlib\nnetlib.Dense(3, bias=False)\nnetlib.fit_all(1, lr=2)\n", []),
        ("import netlib as n\nn.Dense(3, biass=False)\n", ["sure unknown-argument a.py:2"]),
        ("from netlib import Dense\nDense()\n", []),
        ("from netlib import Dense\nDense(bias=True)\n", ["likely missing-argument a.py:2"]),
        ("import netlib\nnetlib.Desne(3)\n", ["sure missing-library-name a.py:2"]),
        ("from netlib import Gone\n", ["sure missing-library-name a.py:1"]),
        ("import netlib\nif hasattr(netlib, 'Gone'):\n    netlib.Gone()\n", []),
        ("try:\n    from netlib import Gone\nexcept ImportError:\n    Gone = None\n", []),
        ("import lazy\nlazy.anything(1)\n", []),
        ("def f(netlib):\n    return netlib.Gone\nimport netlib\n", []),
        ("import absent\n", ["sure missing-library a.py:1"]),
        ("def f():\n    import absent\n", ["likely missing-library a.py:2"]),
        ("try:\n    import absent\nexcept ImportError:\n    absent = None\n", []),
        ("import os, json, _thread\n", []),
        ("print(lenght)\n", ["sure undefined-name a.py:1"]),
        ("from os import *\nprint(lenght)\n", []),
        ("def f(x: 'Later') -> int:\n    return [y for y in x]\nclass Later: pass\n", []),
        ("import absent  # dl-bug: ignore[missing-library]\n", []),
        ("import absent  # dl-bug: ignore[syntax]\n", ["sure missing-library a.py:1"]),
        (
            "def f(count):\n    return count\n\n\ndef g():\n    return [count for _ in [f(1)]]\n",
            ["likely undefined-name a.py:6"],
        ),
    ],
)
def test_names_and_calls_of_libraries(said: Said, code: str, expected: list[str]) -> None:
    assert said({"a.py": code}, "python", "a.py") == expected


def test_nothing_of_the_environment_is_imported(said: Said, python: str) -> None:
    code = "import netlib\nnetlib.Dense(3, biass=False)\nnetlib.layers.odd(1, 2)\n"
    assert "sure unknown-argument a.py:2" in said({"a.py": code}, "python", "a.py")
    assert "netlib" not in sys.modules
    assert not list(Path(python).parent.parent.rglob("*.ran"))


def test_names_of_the_workspace_s_own_modules(said: Said) -> None:
    files = {"a.py": "from model import Net, Nett\nimport pack.one\nfrom pack import one, two\n"}
    files |= {"model.py": "class Net: pass\n", "pack/__init__.py": "", "pack/one.py": ""}
    assert said(files, "python", "a.py") == [
        "sure missing-import-name a.py:1",
        "sure missing-import-name a.py:3",
    ]


def test_a_package_s_module_does_not_stand_in_front_of_the_standard_library(said: Said) -> None:
    files = {"a.py": "import pack.logging.log\n", "pack/__init__.py": ""}
    files |= {"pack/logging/__init__.py": "", "pack/logging/log.py": "from logging import Logger\n"}
    assert said(files, "python", "a.py") == []
    files = {"a.py": "from logging import Logger\n", "logging.py": ""}
    assert said(files, "python", "a.py") == ["sure missing-import-name a.py:1"]


def test_files_that_do_not_parse(said: Said) -> None:
    files = {"a.py": "import yaml\nyaml.safe_load(open('c.yaml'))\nimport b\n", "b.py": "def f(:\n"}
    files |= {"c.yaml": "a: 1\n b: 2\n", "unread.yaml": "a: 1\n b: 2\n"}
    found = [row for row in said(files, "python", "a.py") if "syntax" in row]
    assert found == ["sure syntax b.py:1", "sure syntax c.yaml:2"]


def test_the_settings_of_a_project_leave_findings_out(
    tmp_path: Path, python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = "[tool.dl-bug-lsp.check]\nignore = ['missing-library']\nexclude = ['old/*']\n"
    files = {"a.py": "import absent\nimport old.b\n", "old/b.py": "print(nothing)\n"}
    written(tmp_path, {**files, "pyproject.toml": settings})
    words = ["check", "--workspace", str(tmp_path), "--python", python, "--", "python", "a.py"]
    assert main(words) == 0
    assert "Nothing was found" in capsys.readouterr().out


FOUND = [
    (FIXTURES / "124-ddpm-launch-script", "option-value"),
    (FIXTURES / "317-gait-launch-script", "unknown-option"),
    (FIXTURES / "118-kws-config-bracket", "syntax"),
    (FIXTURES / "207-tickets-lr-text", "number-as-text"),
    (OPENED / "713-gan-lost-backslash", "syntax"),
    (OPENED / "722-mf-wrong-flag", "unknown-option"),
    (OPENED / "736-softmax-dotenv-name", "environment-variable"),
]


@pytest.mark.parametrize(("case", "id"), FOUND, ids=lambda value: getattr(value, "name", value))
def test_causes_of_recorded_failures_are_found_before_the_run(case: Path, id: str) -> None:
    truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
    causes = {(cause["file"], cause["line"]) for cause in truth["root_cause"]}
    workspace = Workspace(case / "workspace", cache=False)
    report = check(workspace, truth.get("command") or "", CheckOptions("no-such-python"))
    assert {(f.file, f.line) for f in report.findings if f.id == id} & causes


@pytest.mark.parametrize(
    "command",
    ["", "python", "ls -l", "python /missing.py", "python 'open", "make", "x=1", "launch.json",
     "torchrun", "python -m", "python -c 'print(1)'", "$RUN train.py", "&& ||"],
)  # fmt: skip
def test_odd_commands_give_words_and_no_errors(tmp_path: Path, command: str) -> None:
    workspace = written(tmp_path, {"train.py": PARSER, "loop.sh": "bash loop.sh\nbash loop.sh\n"})
    report = check(workspace, command, CheckOptions("/no/python"))
    assert report.findings == ()
    assert all(problem and "\n" not in problem for problem in report.problems)
    assert check(workspace, ["bash", "loop.sh"]).findings == ()


@pytest.mark.parametrize(
    ("command", "expected", "near"),
    [
        ("python trian.py", "sure missing-script :0", "train.py"),
        ("python3 -u trian.py --data d", "sure missing-script :0", "train.py"),
        ("torchrun --nproc-per-node 2 trian.py", "sure missing-script :0", "train.py"),
        ("bash rnu.sh", "sure missing-script :0", "run.sh"),
        ("python other.py", "sure missing-script :0", "job/other.py"),
        ("bash run.sh", "likely missing-script run.sh:2", "train.py"),
        ("python far.py", "sure missing-script :0", ""),
    ],
)
def test_a_command_starts_a_file_that_is_not_there(
    tmp_path: Path, command: str, expected: str, near: str
) -> None:
    files = {"train.py": PARSER, "run.sh": "set -e\npython tarin.py\n", "job/other.py": "x = 1\n"}
    report = check(written(tmp_path, files), command.split(), CheckOptions(folder=""))
    assert places(report) == [expected]
    assert report.findings[0].evidence == ((f"Did you mean '{near}'?",) if near else ())


@pytest.mark.parametrize(
    "command",
    ["python $NAME.py", "bash setup.sh", "cd job && python gone.py", "python hidden/train.py",
     "bash -c 'python train.py --data d'"],
)  # fmt: skip
def test_a_file_that_may_be_there_is_not_said_to_be_missing(tmp_path: Path, command: str) -> None:
    files = {"train.py": PARSER, ".gitignore": "hidden/\n", "hidden/train.py": "x = 1\n"}
    files |= {"setup.sh": "git clone https://host/x job\ncd job\npython train_all.py\n"}
    report = check(written(tmp_path, files), command, CheckOptions(folder=""))
    assert places(report) == []


def test_the_folder_where_a_command_is_typed_counts(tmp_path: Path) -> None:
    workspace = written(tmp_path, {"job/train.py": PARSER, "job/configs/a.yaml": "x: 1\n"})
    words = ["python", "train.py", "--data", "d"]
    inside = check(workspace, words, CheckOptions(folder="job"))
    assert inside.entries == ("python job/train.py --data d",) and places(inside) == []
    unknown = check(workspace, words, CheckOptions())
    assert places(unknown) == ["likely missing-script :0"]


def test_the_programs_that_were_looked_at_are_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base = ["check", "--workspace", str(tmp_path)]
    written(tmp_path, {"names.py": "WIDTH = 3\n\n\ndef f():\n    return WIDTH\n"})
    assert main(base) == 0
    assert "No program was checked" in capfd.readouterr().out
    assert main([*base, "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["programs"] == []
    # A script without a main part runs, too, where no other file imports it.
    written(tmp_path, {"main.py": "import names\nnames.f()\nprint({'a': 1}['b'])\n"})
    assert main(base) == 1
    told = capfd.readouterr().out
    assert "main.py:3  sure  key-error" in told and "Checked: python main.py." in told
    assert main([*base, "--format", "json"]) == 1
    document = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["programs"] == ["python main.py"]


def test_every_format_shows_a_finding_without_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, {"train.py": PARSER})
    monkeypatch.chdir(tmp_path)
    wrong = ["--", "python", "trian.py"]
    assert main(["check", *wrong]) == 1
    assert "the command  sure  missing-script" in capfd.readouterr().out
    assert main(["check", "--format", "json", *wrong]) == 1
    document = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["findings"][0]["file"] is None
    assert main(["check", "--format", "sarif", *wrong]) == 1
    (run,) = json.loads(capfd.readouterr().out)["runs"]
    assert run["results"][0]["locations"] == []
    assert main(["check", "--format", "github", *wrong]) == 1
    assert capfd.readouterr().out.startswith("::error title=missing-script (sure)::")


ROWS = (
    "import numpy as np\nx, y = np.load('x.npy'), np.load('y.npy')\nrng = np.random.default_rng()\n"
)
BY_HAND = "w = np.zeros(8)\nfor _ in range(9):\n    w -= 0.1 * x.T @ (x @ w - y)\n"
SKLEARN = "from sklearn.linear_model import Ridge\n"
SPLITTING = (
    "from sklearn.model_selection import train_test_split\n"
    "from sklearn.preprocessing import StandardScaler\n"
    "a, b, c, d = train_test_split(x, y)\n"
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{ROWS}rng.shuffle(x)\n{BY_HAND}", ["likely data-order a.py:4"]),
        (f"{ROWS}{SKLEARN}rng.shuffle(x)\nRidge().fit(x, y)\n", ["likely data-order a.py:5"]),
        (f"{ROWS}{SKLEARN}rng.shuffle(x)\ny = x[:, 0]\nRidge().fit(x, y)\n", []),
        (f"{ROWS}{SKLEARN}rng.shuffle(x)\nRidge().fit(x, x[:, 0])\n", []),
        (f"{ROWS}# a port of a torch script\nrng.shuffle(x)\nprint(x - y)\n", []),
        (
            f"{ROWS}{SPLITTING}a = StandardScaler().fit_transform(a)\n"
            "b = StandardScaler().fit_transform(b)\n",
            ["likely data-order a.py:8"],
        ),
        (
            f"{ROWS}{SPLITTING}s = StandardScaler()\na = s.fit_transform(a)\nb = s.transform(b)\n",
            [],
        ),
        (f"{ROWS}{SPLITTING}a, e, c, f = train_test_split(a, c, test_size=0.97)\n",
         ["look split a.py:7"]),
        ("from sklearn.manifold import TSNE\n" + ROWS + SPLITTING + "b = TSNE().fit_transform(b)\n",
         []),
    ],
)  # fmt: skip
def test_silent_faults_of_programs_without_a_framework(
    tmp_path: Path, code: str, expected: list[str]
) -> None:
    report = check(
        written(tmp_path, {"a.py": code}), ["python", "a.py"], CheckOptions("/no/python")
    )
    assert [row for row in places(report) if "missing-file" not in row] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("model = [1]\ndel model; model.append(1)\n", ["likely unbound-name a.py:2"]),
        ("def f(m):\n    del m\n    print(1)\n    return m\n", ["likely unbound-name a.py:4"]),
        ("m = 1\ndel m\nm = 2\nprint(m)\n", []),
        ("m = 1\ndel m\nif input():\n    m = 2\nprint(m)\n", []),
        ("m = 1\ndel m\nprint(input() and m)\n", []),
        ("m = 1\ndel m\ndef f():\n    return m\n", []),
        ("m = 1\nclass A:\n    m = 2\n    del m\n    k = m\n", []),
        ("m = 1\ntry:\n    del m\n    print(m)\nexcept NameError:\n    pass\n", []),
        ("m = 1\ndel m\nfrom os import path as m\nprint(m)\n", []),
    ],
)
def test_names_that_are_read_after_they_were_deleted(
    said: Said, code: str, expected: list[str]
) -> None:
    assert said({"a.py": code}, "python", "a.py") == expected


def test_the_exit_code_and_every_format(
    tmp_path: Path, python: str, capfd: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, {"train.py": PARSER, "b.py": "def f():\n    import absent\n"})
    base = ["check", "--workspace", str(tmp_path), "--python", python]
    wrong = ["--", "python", "train.py", "--data", "d", "--epochs", "\u202ex"]
    assert main([*base, *wrong]) == 1
    text = capfd.readouterr().out
    assert "train.py:3  sure  option-value" in text and "\u202e" not in text
    assert main([*base, "--format", "json", *wrong]) == 1
    document = json.loads(capfd.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert [row["category"] for row in document["findings"]] == ["illegal_argument"]
    assert main([*base, "--format", "sarif", *wrong]) == 1
    (run,) = json.loads(capfd.readouterr().out)["runs"]
    assert run["results"][0]["ruleId"] == run["tool"]["driver"]["rules"][0]["id"] == "option-value"
    assert main([*base, "--format", "github", *wrong]) == 1
    assert capfd.readouterr().out.startswith("::error file=")
    assert main([*base, "--", "python", "b.py"]) == 0
    assert main([*base, "--strict", "--", "python", "b.py"]) == 1
    assert main([*base, "--ignore", "nothing"]) == 2


def test_a_run_is_not_started_where_it_would_surely_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = PARSER + "print('it runs')\n"
    written(tmp_path, {"train.py": text})
    monkeypatch.chdir(tmp_path)
    command = ["run", "--check", "--", sys.executable, "train.py", "--data", "d"]
    assert main([*command, "--epchs", "1"]) == 1
    told = capfd.readouterr()
    assert "it runs" not in told.out and "unknown-option" in told.err
    assert main(command) == 0
    assert "it runs" in capfd.readouterr().out


def test_an_editor_does_not_know_the_path_of_its_terminals(
    tmp_path: Path, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text("import netlib\nimport torch_scatter\n")
    words = ["python", "train.py"]
    workspace = Workspace(tmp_path, cache=False)
    monkeypatch.setenv("PATH", str(Path(python).parent))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    Path(python).chmod(0o755)
    given = (
        CheckOptions(),
        CheckOptions(in_editor=True),
        CheckOptions(in_editor=True, selected=python),
    )
    found = [check(workspace, words, options).findings for options in given]
    assert [[(f.line, f.certainty.value) for f in one] for one in found] == [
        [(2, "sure")], [(2, "likely")], [(2, "sure")],
    ]  # fmt: skip
    # The command's own interpreter counts more than the one that is selected.
    words[0] = python
    chosen = check(workspace, words, CheckOptions(in_editor=True, selected="/nowhere/python"))
    assert [f.line for f in chosen.findings] == [2]


def test_a_target_that_makes_itself_ends(said: Said) -> None:
    text = "train:\n\tpython train.py --data d --mode q\n\tmake other\nother:\n\tmake train\n"
    files = {"train.py": PARSER, "Makefile": text}
    assert said(files, "make", "train") == ["sure option-value Makefile:2"]
    assert said(files) == ["sure option-value Makefile:2"]
