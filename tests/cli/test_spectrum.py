"""``dl-bug-lsp spectrum``: import and report of real test runs, and what is said of bad input."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dl_bug_lsp.cli.main import main
from dl_bug_lsp.recording.session import Hits, Phase, RecordedTest, Session, numbits_of
from dl_bug_lsp.recording.store import write_session
from dl_bug_lsp.spectrum.spectrum import Outcome

CALC = """\
def scale(x):
    if x > 10:
        y = x * 3  # <b>&amp;
    else:
        y = x + 3
    return y


def other(x):
    return x
"""
TESTS = """\
import pytest
from calc import other, scale

@pytest.mark.parametrize("x", [1, 2, 11, 12])
def test_scale(x):
    assert scale(x) == x + 3

def test_other():
    assert other(1) == 1
"""
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if "PYTEST" not in name},
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


def write(root: Path, tests: str = TESTS) -> Path:
    (root / "calc.py").write_text(CALC)
    (root / "conftest.py").write_text("")
    (root / "test_calc.py").write_text(tests)
    return root


def run_pytest(root: Path, *arguments: str, **more: object) -> str:
    plugins = ("-pdl_bug_lsp.recording.pytest_plugin", "-ppytest_cov", "-pno:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *arguments]
    done = subprocess.run(  # type: ignore[call-overload]
        command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False, **more
    )
    return str(done.stdout) + str(done.stderr)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    root = write(tmp_path_factory.mktemp("recorded"))
    return root, run_pytest(root, "--dl-bug-branch")


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("ci"))
    run_pytest(root, "--cov=.", "--cov-context=test", "--junit-xml=report.xml")
    return root


@pytest.fixture
def copy(recorded: tuple[Path, str], tmp_path: Path) -> Path:
    shutil.copytree(recorded[0], tmp_path / "copy")
    return tmp_path / "copy"


def report(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["spectrum", "report", "--workspace", str(root), *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_pytest_names_the_first_lines_after_failures(recorded: tuple[Path, str]) -> None:
    _, said = recorded
    told = said[said.index("dl-bug: recorded") :].splitlines()
    assert told[0] == "dl-bug: recorded 2 failing and 3 passing tests"
    assert told[1] == "dl-bug: most suspicious:"
    assert re.fullmatch(r"  calc\.py:3 \(\d+ %\)  y = x \* 3  # <b>&amp;", told[2])
    assert told[5] == "dl-bug: `dl-bug-lsp spectrum report` shows more"


def test_pytest_ranks_nothing_when_all_passes(tmp_path: Path) -> None:
    write(tmp_path, "from calc import scale\ndef test(): assert scale(1) == 4\n")
    code = (
        "import sys, pytest; pytest.main(sys.argv[1:]); print('dl_bug_lsp.localize' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "-q", "-pdl_bug_lsp.recording.pytest_plugin", "--dl-bug"]
    done = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert "suspicious" not in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_the_table(recorded: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = report(recorded[0], capsys)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Spectrum of 2 failing and 3 passing tests: lines by combined"
    assert re.match(r" +1 +\d+ % +2/2 +0/3  \S*calc\.py:3  in scale$", lines[3])
    assert lines[4].strip().startswith("y = x * 3")


TABLES = {
    ("--formula", "ochiai"): [("line", 3, 1, 1, 2, 0)],
    ("--formula", "tarantula", "--top", "2"): [("line", 3, 1, 1, 2, 0)],
    ("--level", "function", "--formula", "DStar"): [("function", 2, 1, 2, 2, 2)],
    ("--level", "branch"): [("branch", 2, 1, 1, 2, 0)],
    ("--level", "function"): [("function", 2, 1, 1, 2, 2)],
}


@pytest.mark.parametrize("arguments", TABLES)
def test_formulas_and_levels(
    arguments: tuple[str, ...],
    recorded: tuple[Path, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = report(recorded[0], capsys, "--format", "json", *arguments)
    found = json.loads(out)
    assert code == 0
    rows = [row for row in found["rows"] if row["file"] == "calc.py"]
    got = [
        (found["level"], r["line"], *r["rank"], r["failing"], r["passing"])
        for r in rows[: len(TABLES[arguments])]
    ]
    assert got == TABLES[arguments]


class Page(HTMLParser):
    """Collects the elements of a page, and its code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.code: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "code":
            self.code.append(data)


def test_the_heat_map_is_one_file_that_loads_nothing(
    recorded: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "heat.html"
    assert report(recorded[0], capsys, "--format", "html", "--output", str(place))[0] == 0
    text = place.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert not {"script", "link", "img", "b&amp"} & {tag for tag, _ in page.tags}
    assert all(
        not value.startswith(("http", "//")) for _, a in page.tags for value in a.values() if value
    )
    assert "    " * 2 + "y = x * 3  # <b>&amp;" in page.code
    rows = {a["id"]: a["class"] for tag, a in page.tags if tag == "tr" and a.get("id")}
    assert rows["f0l3"] == "h10" and rows["f0l5"] == "ran"
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    assert links[0] == "#f0l3" and {str(link)[1:] for link in links} <= rows.keys()
    assert [tag for tag, _ in page.tags].count("details") == 2


def test_ci_files_are_taken_in(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--coverage", str(left / ".coverage"), "--junit", str(left / "report.xml")]
    assert main(["spectrum", "import", "--workspace", str(left), *arguments]) == 0
    assert capsys.readouterr().out.startswith("took in 2 failing and 3 passing tests")
    code, out, _ = report(left, capsys, "--format", "json", "--top", "1")
    first = json.loads(out)["rows"][0]
    assert (code, first["file"], first["line"]) == (0, "calc.py", 3)


def test_paths_of_a_copy_are_found_while_the_original_is_there(
    left: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = write(tmp_path)
    arguments = ["--coverage", str(left / ".coverage"), "--junit", str(left / "report.xml")]
    assert (left / "calc.py").is_file() and here != left
    assert main(["spectrum", "import", "--workspace", str(here), *arguments]) == 0
    assert capsys.readouterr().out.startswith("took in 2 failing and 3 passing tests")


def test_without_branches_there_is_no_table(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--coverage", str(left / ".coverage"), "--junit", str(left / "report.xml")]
    assert main(["spectrum", "import", "--workspace", str(left), *arguments]) == 0
    capsys.readouterr()
    code, out, err = report(left, capsys, "--level", "branch")
    assert (code, out) == (1, "")
    assert err == "dl-bug-lsp: no branches are recorded: run `pytest --dl-bug-branch`\n"


def test_paths_of_another_machine_are_found(
    left: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = write(tmp_path)
    # On another machine, the files that the coverage data names do not exist.
    taken = left.rename(left.with_name("taken"))
    arguments = ["--coverage", str(taken / ".coverage"), "--junit", str(taken / "report.xml")]
    try:
        assert main(["spectrum", "import", "--workspace", str(here), *arguments]) == 0
    finally:
        taken.rename(left)
    capsys.readouterr()
    assert '"line": 3' in report(here, capsys, "--format", "json", "--top", "1")[1]


def damage(root: Path) -> None:
    (root / ".dlbug" / "spectrum.db").write_bytes(b"no database, but long enough to be looked at")


def foreign(root: Path) -> None:
    (root / ".dlbug" / "spectrum.db").unlink()
    with sqlite3.connect(root / ".dlbug" / "spectrum.db") as db:
        db.execute("create table other (x)")


def newer(root: Path) -> None:
    with sqlite3.connect(root / ".dlbug" / "spectrum.db") as db:
        db.execute("update about set value = '99' where key = 'schema'")


def only(outcome: str, root: Path) -> None:
    with sqlite3.connect(root / ".dlbug" / "spectrum.db") as db:
        db.execute("update test set outcome = ?", (outcome,))


BAD = {
    "none": (lambda root: shutil.rmtree(root / ".dlbug"), 2, "`pytest --dl-bug` writes one"),
    "damaged": (damage, 2, "is no readable spectrum"),
    "foreign": (foreign, 2, "is no readable spectrum"),
    "newer": (newer, 2, "has the schema 99"),
    "all pass": (lambda root: only("passed", root), 1, "no recorded test fails"),
    "output": (lambda root: None, 2, "cannot be written"),
    "formula": (lambda root: None, 2, "there is no formula 'Oochiai'; there are Tarantula, "),
    "branches": (lambda root: None, 2, "branches are ranked by a formula only"),
}
GIVEN = {
    "output": ["--output", "/nowhere/there/heat.html"],
    "formula": ["--formula", "Oochiai"],
    "branches": ["--level", "branch", "--formula", "combined"],
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_ranked_is_told_in_one_line(
    case: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, code, words = BAD[case]
    spoil(copy)
    got, out, err = report(copy, capsys, *GIVEN.get(case, []))
    assert (got, out) == (code, "")
    assert words in err and len(err.splitlines()) == 1


def test_no_passing_test_is_a_note(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only("failed", copy)
    code, out, _ = report(copy, capsys)
    assert code == 0
    assert "no recorded test passes" in out.splitlines()[1]


def test_changed_files_are_named_and_their_lines_found_again(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = "# one more\n" + CALC.replace("    return x\n", "    return 1 + x\n")
    (copy / "calc.py").write_text(changed)
    found = json.loads(report(copy, capsys, "--format", "json")[1])
    assert [note.split(" changed")[0] for note in found["notes"]] == ["calc.py"]
    first = found["rows"][0]
    assert (first["line"], first["failing"], first["passing"]) == (4, 2, 0)
    (copy / "calc.py").unlink()
    assert "calc.py is gone" in json.loads(report(copy, capsys, "--format", "json")[1])["notes"][0]


IMPORTS = {
    "no coverage": (["--coverage", "none"], "is no file; coverage.py writes one"),
    "no contexts": (["--coverage", "plain"], "pytest --cov --cov-context=test"),
    "damaged": (["--coverage", "damaged"], "is not a readable coverage file"),
    "no report": (["--junit", "none.xml"], "is not a readable JUnit report"),
    "no tests": (["--junit", "empty.xml"], "contains no tests"),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_what_cannot_be_imported_is_told_in_one_line(
    case: str, left: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copy(left / ".coverage", tmp_path / ".coverage")
    shutil.copy(left / "report.xml", tmp_path / "report.xml")
    shutil.copy(left / ".coverage", tmp_path / "plain")
    with sqlite3.connect(tmp_path / "plain") as db:
        db.execute("update context set context = '' where id = 1")
        db.execute("delete from line_bits where context_id != 1")
    (tmp_path / "damaged").write_bytes(b"SQLite format 3\0" + b"?" * 2000)
    (tmp_path / "empty.xml").write_text("<testsuites/>")
    monkeypatch.chdir(tmp_path)
    arguments, words = IMPORTS[case]
    given = [*([] if "--junit" in arguments else ["--junit", "report.xml"]), *arguments]
    assert main(["spectrum", "import", *given]) == 2
    err = capsys.readouterr().err
    assert words in err and len(err.splitlines()) == 1
    assert not (tmp_path / ".dlbug" / "spectrum.db").exists()


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


def test_a_full_disk_loses_no_older_spectrum_and_fails_no_test(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (copy / ".dlbug" / "spectrum.db").read_bytes()
    said = run_pytest(copy, "--dl-bug", "-pno:pytest_cov", preexec_fn=small_files)
    assert "2 failed, 3 passed" in said
    assert "could not be" in said[said.index("dl-bug: ") :]
    assert "Traceback" not in said
    assert (copy / ".dlbug" / "spectrum.db").read_bytes() == before
    assert report(copy, capsys)[0] == 0


def test_parallel_writers_lose_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    names = [f"test_{letter}.py" for letter in "ab"]
    for name in names:
        (tmp_path / name).write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "--dl-bug"]
    plugin = "-pdl_bug_lsp.recording.pytest_plugin"
    running = [
        subprocess.Popen(
            [*command, plugin, name], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        )
        for name in names
    ]
    assert [one.wait() for one in running] == [1, 1]
    found = json.loads(report(tmp_path, capsys, "--format", "json")[1])
    assert (found["failing"], found["passing"]) == (4, 6)
    assert found["rows"][0]["line"] == 3


def session(started: str, command: str, name: str, outcome: Outcome, line: int) -> Session:
    hits = {(Phase.CALL, "calc.py"): Hits(numbits_of([line]))}
    test = RecordedTest(name, outcome, text="ValueError: no", hits=hits)
    return Session(started, command, (test,), sources={"calc.py": CALC})


@pytest.mark.parametrize(
    ("program", "found"), [(Outcome.FAILED, 10), (Outcome.PASSED, 3)], ids=["fails", "passes"]
)
def test_tests_and_programs_are_not_compared(
    program: Outcome, found: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".dlbug").mkdir()
    write(tmp_path)
    for one in (
        session("2026-01-01", "pytest", "test_calc.py::test_a", Outcome.FAILED, 3),
        session("2026-01-02", "python a.py", "run:python a.py", program, 10),
        session("2026-01-01", "python b.py", "run:python b.py", Outcome.PASSED, 5),
    ):
        write_session(tmp_path / ".dlbug" / "spectrum.db", one)
    rows = json.loads(report(tmp_path, capsys, "--format", "json", "--formula", "Ochiai")[1])
    assert [(row["line"], rows["passing"]) for row in rows["rows"]] == [(found, 0)]
