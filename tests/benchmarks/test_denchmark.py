"""The benchmark on bug reports: its measures by hand, its truth, and whole runs on odd input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from git_repositories import DAY, START, MadeRepository

from dl_bug_lsp.techniques.scores import Query, Ranked, RankedFunction, RankedLines
from dl_bug_lsp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
NET = """\
import torch


class Net:
    width = 8

    @property
    def depth(self):
        return 3

    def forward(self, x):
        return self.head(x)
"""
TRACE = """It fails:

Traceback (most recent call last):
  File "/home/u/run.py", line 1, in <module>
    main()
  File "/opt/app/pkg/net.py", line 12, in forward
    return self.head(x)
AttributeError: 'Net' object has no attribute 'head'
"""


@pytest.fixture(scope="module")
def parts() -> Iterator[SimpleNamespace]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    names = ("bugs", "metrics", "truth", "techniques", "runs", "tables")
    modules = {name: import_module(f"denchmark_{name}") for name in names}
    yield SimpleNamespace(
        main=import_module("denchmark"), versions=import_module("git_versions"), **modules
    )
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two releases, a fix after each, and its report in between."""
    top = tmp_path_factory.mktemp("clones")
    made = MadeRepository(top / "acme" / "net")
    made.commit("start", pkg__net_py=NET, pkg__data_py="def load():\n    return []\n")
    made.git("tag", "v1")
    made.commit("fix loading", pkg__data_py="def load():\n    return [1]\n")
    made.git("tag", "fix1")
    made.commit("more", tests__test_net_py="def test_net():\n    assert True\n")
    made.git("tag", "v2")
    made.commit("unrelated", pkg__other_py="z = 1\n")
    fixed = NET.replace("self.head(x)", "self.top(x)")
    made.commit("fix head", pkg__net_py=fixed, tests__test_net_py="def test_net():\n    pass\n")
    made.git("tag", "fix2")
    return top


def at(days: float) -> str:
    moment = datetime.fromtimestamp(START + DAY * days, tz=timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def bug(id: object, **given: Any) -> dict[str, Any]:
    first: dict[str, Any] = {
        "project": "acme+net",
        "repository": "acme/net",
        "id": id,
        "version": "v1",
        "opened": at(0.5),
        "fix_commit": "fix1",
        "summary": "load gives nothing",
        "description": "`load()` of pkg.data returns an empty list",
        "buggy_files_at_version": ["pkg/data.py"],
        "changed_lines_before_fix": {"pkg/data.py": [2]},
        "study": {"buglocator": {"first_rank": 2, "average_precision": 0.5}},
        "label": {"dl_related": True, "bug_type": "API", "extrinsic": False},
    }
    return {**first, **given}


SECOND = bug(
    "2",
    version="v2",
    opened=at(2.5),
    fix_commit="fix2",
    summary="no head",
    description=TRACE,
    buggy_files_at_version=["pkg/net.py", "tests/test_net.py", "pkg/gone.py"],
    changed_lines_before_fix={"pkg/net.py": [12], "tests/test_net.py": [2], "pkg/gone.py": [1]},
    study=None,
    label=None,
)


def write_bugs(path: Path, *bugs: object) -> Path:
    lines = [line if isinstance(line, str) else json.dumps(line) for line in bugs]
    path.write_text("\n".join(lines) + "\n")
    return path


def run(parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, *given: object) -> int:
    monkeypatch.setattr(sys, "argv", ["denchmark.py", *map(str, given)])
    code: int = parts.main.main()
    return code


@pytest.mark.parametrize(
    ("hits", "truth", "first_rank", "average_precision"),
    [
        (["a"], "a", 1, 1.0),
        (["x", "a"], "a", 2, 0.5),
        (["a", "x", "b"], "ab", 1, (1 + 2 / 3) / 2),
        (["x", "a"], "abc", 2, 0.5 / 3),
        (["x"], "a", None, 0.0),
        ([], "a", None, 0.0),
        (["ab", "x", "b", "c"], "abc", 1, (1 + 1 + 3 / 4) / 3),
    ],
)
def test_average_precision_by_hand(
    parts: SimpleNamespace,
    hits: list[str],
    truth: str,
    first_rank: int | None,
    average_precision: float,
) -> None:
    found = parts.metrics.score([[e for e in hit if e in truth] for hit in hits], truth)
    assert found.first_rank == first_rank
    assert found.average_precision == pytest.approx(average_precision)


def test_means_have_seeded_intervals(parts: SimpleNamespace) -> None:
    mean = parts.metrics.mean
    assert mean([]) == parts.metrics.Mean(0, 0, 0)
    assert mean([0.5] * 9) == parts.metrics.Mean(0.5, 0.5, 0.5)
    found = mean([1.0, 0.0] * 50)
    assert found == mean([1.0, 0.0] * 50)
    # The normal approximation of a share of 0.5 among 100 is 0.5 ± 0.098.
    assert found.low == pytest.approx(0.402, abs=0.02)
    assert found.high == pytest.approx(0.598, abs=0.02)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("tests/models/net.py", True),
        ("pkg/test_net.py", True),
        ("pkg/net_test.py", True),
        ("conftest.py", True),
        ("pkg/testing/helpers.py", True),
        ("pkg/contest.py", False),
        ("pkg/latest/net.py", False),
        ("pkg/testimony.py", False),
    ],
)
def test_what_is_a_test(parts: SimpleNamespace, file: str, expected: bool) -> None:
    assert parts.truth.is_test(file) is expected


def test_files_are_judged_among_python_files_that_exist(
    parts: SimpleNamespace, repositories: Path
) -> None:
    with parts.versions.Versions(repositories / "acme" / "net") as versions:
        workspace = versions.workspace("v2")
        order = ("README.md", "tests/test_net.py", "pkg/data.py", "pkg/data.py", "pkg/net.py")
        ranked = Ranked(tuple((file, 1.0) for file in order))
        buggy = ("pkg/net.py", "tests/test_net.py", "pkg/gone.py")
        files, sources = parts.truth.file_scores(ranked, buggy, workspace)
        assert files == parts.metrics.Score(1, (1 + 2 / 3) / 2)
        assert sources == parts.metrics.Score(2, 0.5)
        assert parts.truth.file_scores(ranked, ("gone.py",), workspace) == (None, None)


def test_functions_and_lines_before_the_fix(parts: SimpleNamespace, repositories: Path) -> None:
    with parts.versions.Versions(repositories / "acme" / "net") as versions:
        workspace = versions.workspace("v2")
        code = parts.truth.ChangedCode(workspace, {"pkg/net.py": (1, 5, 7, 12), "gone.py": (1,)})
        assert code.functions == {
            ("pkg/net.py", "Net"),
            ("pkg/net.py", "Net.depth"),
            ("pkg/net.py", "Net.forward"),
        }
        ranked = [
            RankedFunction("pkg/data.py", "load", 1, 2, 1.0),
            RankedFunction("pkg/net.py", "Net.forward", 11, 12, 0.5),
        ]
        assert code.score_functions(ranked) == parts.metrics.Score(2, 0.5 / 3)
        lines = [
            RankedLines("pkg/net.py", 2, 4, 1.0),
            RankedLines("pkg/net.py", 6, 8, 0.5),
            RankedLines("pkg/net.py", 12, 12, 0.4),
        ]
        expected = parts.metrics.Score(2, (1 / 2 + 2 / 3) / 4)
        assert code.score_lines(lines) == expected
        module = parts.truth.ChangedCode(workspace, {"pkg/net.py": (1,)})
        assert module.score_functions(ranked) is None
        assert parts.truth.ChangedCode(workspace, {}).score_lines(lines) is None


class Spy:
    """A technique that notes what it was given."""

    name = "spy"

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def rank(self, query: Query, workspace: Workspace, earlier: Any) -> Ranked:
        history = workspace.history()
        subjects = [commit.subject for commit in history.commits]
        self.seen.append((query.text, workspace.files(), subjects, earlier))
        return self.answer

    answer = Ranked((), (), ())


def test_nothing_that_came_after_the_report_is_handed_over(
    parts: SimpleNamespace, repositories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy()
    monkeypatch.setattr(parts.runs, "technique", lambda *_: spy)
    bugs = tuple(parts.bugs.bug_of(data) for data in (bug("1"), SECOND))
    task = parts.runs.Task(repositories / "acme" / "net", bugs, bugs, ("spy",))
    notes: list[str] = []
    outcomes = list(parts.runs.run(task, notes.append))
    assert notes == []
    first, first_parent, second, second_parent = spy.seen
    assert first[0] == "load gives nothing\n\n`load()` of pkg.data returns an empty list"
    assert first[3] == first_parent[3] == ()
    assert first[2] == ["start"]
    assert [(r.id, r.files) for r in second[3]] == [("1", ("pkg/data.py",))]
    assert second[2] == ["more", "fix loading", "start"]
    # The parent of the fix has a commit that is younger than the report: its files are there, as
    # the truth is told in their lines, but the history does not tell of it.
    assert "pkg/other.py" in second_parent[1]
    assert second_parent[2] == second[2]
    assert outcomes[1].files == parts.metrics.Score(None, 0.0)
    assert outcomes[1].functions == parts.metrics.Score(None, 0.0)
    assert [outcome.has_traceback for outcome in outcomes] == [False, True]


def test_a_technique_for_files_alone_is_not_asked_before_every_fix(
    parts: SimpleNamespace, repositories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy()
    spy.answer = Ranked((("pkg/net.py", 1.0),))
    monkeypatch.setattr(parts.runs, "technique", lambda *_: spy)
    bugs = tuple(parts.bugs.bug_of(data) for data in (bug("1"), SECOND))
    task = parts.runs.Task(repositories / "acme" / "net", bugs, bugs, ("spy",))
    outcomes = list(parts.runs.run(task, print))
    assert len(spy.seen) == 3
    assert [(o.functions, o.lines, o.seconds_before_fix) for o in outcomes] == [(None,) * 3] * 2
    assert [o.files.first_rank for o in outcomes] == [None, 1]


def test_a_run_says_the_same_twice_and_in_parts(
    parts: SimpleNamespace,
    repositories: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bugs = write_bugs(tmp_path / "bugs.jsonl", bug(1), SECOND)
    given = ["--bugs", bugs, "--repositories", repositories, "--techniques"]
    given.append("innermost-frame,dl-bug-lsp")
    out = tmp_path / "out.json"
    assert run(parts, monkeypatch, *given, "--json", out) == 0
    once = capsys.readouterr()
    assert run(parts, monkeypatch, *given) == 0
    again = capsys.readouterr()
    script = [sys.executable, str(ROOT / "benchmarks" / "denchmark.py"), *map(str, given)]
    done = subprocess.run([*script, "--jobs", "2"], capture_output=True, text=True, check=True)
    told = [text.partition("seconds a bug")[0] for text in (once.out, again.out, done.stdout)]
    assert told[0] == told[1] == told[2]
    assert "2 bugs of 1 projects, 2 judged" in told[0]
    assert "study's buglocator" in told[0]
    titles = [line for line in told[0].splitlines() if line.startswith("files: ")]
    assert told[0].count("  study's bjxnet *       ") == len(titles) > 2
    assert "* nominal: " in told[0]
    assert "files: type api" in told[0]
    assert "functions: origin intrinsic" in told[0]
    assert "4/4" in once.err
    records = json.loads(out.read_text())
    assert [(r["technique"], r["id"], r["version"]) for r in records] == [
        ("innermost-frame", "1", "v1"),
        ("innermost-frame", "2", "v2"),
        ("dl-bug-lsp", "1", "v1"),
        ("dl-bug-lsp", "2", "v2"),
    ]
    assert records[1]["files"] == {"first_rank": 1, "average_precision": 0.5}
    assert records[1]["functions"]["first_rank"] == 1
    assert records[1]["lines"]["first_rank"] == 1
    assert records[3]["lines"]["first_rank"] == 1
    assert all(r["seconds"] > 0 for r in records)


def test_what_cannot_be_judged_is_told_and_left_out(
    parts: SimpleNamespace,
    repositories: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bare = {"project": "acme+net", "id": 10, "version": "v1"}
    bugs = write_bugs(
        tmp_path / "bugs.jsonl",
        "{not json",
        "[]",
        {"id": 3},
        "",
        bare,
        {**bare, "id": 11, "buggy_files_at_version": ["pkg/data.py"], "label": None},
        bug("12", version="v404"),
        bug("13", fix_commit="deadbeef" * 5),
        bug("14", version="--all", fix_commit=None),
        bug("15", repository="elsewhere/renamed"),
        bug("16", project="no+clone", repository="no/clone"),
        bug("17", buggy_files_at_version=["gone.py"], changed_lines_before_fix=None),
        bug("18", opened="yesterday", label="API", study=[], changed_lines_before_fix=[1]),
        bug("19", fix_commit="v1~0"),
    )
    given = ["--bugs", bugs, "--repositories", repositories, "--techniques", "innermost-frame"]
    assert run(parts, monkeypatch, *given) == 0
    told = capsys.readouterr().out
    assert "10 bugs of 2 projects, 6 judged" in told
    for line in (
        "bugs.jsonl:1: no JSON",
        "bugs.jsonl:2: no bug",
        "bugs.jsonl:3: no bug",
        "acme+net 10: skipped: nothing to judge by",
        "acme+net 12: no files: no commit is called 'v404'",
        "acme+net 13: no functions, no lines: ",
        "acme+net 14: no files: no commit is called '--all'",
        "acme+net 14: skipped",
        "no/clone: 1 bugs skipped: no clone at",
        "acme+net 17: no files: none of the buggy ones exists at v1",
        "acme+net 19: no functions, no lines: commit v1~0 has no parent",
    ):
        assert line in told


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--techniques", "nonsense"], "no technique is called 'nonsense'"),
        (["--weights", "absent.json"], "--weights: cannot read absent.json"),
    ],
)
def test_wrong_use_is_one_line(
    parts: SimpleNamespace,
    repositories: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    expected: str,
) -> None:
    bugs = write_bugs(tmp_path / "bugs.jsonl", bug(1))
    code = run(parts, monkeypatch, "--bugs", bugs, "--repositories", repositories, *given)
    assert code == 2
    told = capsys.readouterr().err
    assert expected in told
    assert told.count("\n") == 1


def test_a_technique_that_raises_is_a_miss(
    parts: SimpleNamespace, repositories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Spy):
        def rank(self, query: Query, workspace: Workspace, earlier: Any) -> Ranked:
            raise RuntimeError("out of ideas")

    monkeypatch.setattr(parts.runs, "technique", lambda *_: Broken())
    found = (parts.bugs.bug_of(bug("1")),)
    task = parts.runs.Task(repositories / "acme" / "net", found, found, ("spy",))
    notes: list[str] = []
    (outcome,) = parts.runs.run(task, notes.append)
    miss = parts.metrics.Score(None, 0.0)
    assert (outcome.files, outcome.functions, outcome.lines) == (miss, miss, miss)
    assert notes == ["acme+net 1: spy raised RuntimeError: out of ideas"] * 2


def test_a_clone_may_go_by_its_projects_name(parts: SimpleNamespace, tmp_path: Path) -> None:
    find, found = parts.bugs.find_repository, parts.bugs.bug_of(bug("1", repository="new/name"))
    assert find(tmp_path, found) is None
    (tmp_path / "acme" / "net.git").mkdir(parents=True)
    assert find(tmp_path, found) == tmp_path / "acme" / "net.git"
    (tmp_path / "new" / "name").mkdir(parents=True)
    assert find(tmp_path, found) == tmp_path / "new" / "name"


def test_bjxnet_never_ranks_a_project_that_it_was_trained_on(
    parts: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = parts.techniques.technique("bjxnet", "fepegar+torchio", None)
    assert made.files.keywords["network"] is not None
    unknown = parts.techniques.technique("bjxnet", "acme+net", None)
    assert unknown.files.keywords["network"] is None
    monkeypatch.setattr(parts.techniques, "FOLDS_OF_BJXNET", tmp_path)
    with pytest.raises(parts.techniques.WrongUseError, match="--folds"):
        parts.techniques.technique("bjxnet", "fepegar+torchio", None)
