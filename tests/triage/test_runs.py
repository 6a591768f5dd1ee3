"""Whole runs: the command, results that grow, kills, clusters, the page."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from job_logs import FIXTURES, failing, progress

from dl_bug_lsp.cli.main import main
from dl_bug_lsp.triage import TriageError, triage
from dl_bug_lsp.triage.fingerprints import Standing, standing_of
from dl_bug_lsp.triage.results import TriageResult
from dl_bug_lsp.triage.running import Store, read_all
from dl_bug_lsp.triage.sources import listing

Write = Callable[[str, "str | bytes"], Path]


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "dl_bug_lsp", "triage", *map(str, words)]


def test_the_command_prints_text_json_and_a_page(
    write: Write, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    write("logs/1.log", progress(5) + failing())
    write("logs/2.log", progress(9) + failing(rows=64, home="/scratch/2/code"))
    write("logs/3.log", progress(5))
    write("logs/4.log.gz", b"\x1f\x8b broken")
    logs = str(tmp_path / "logs")
    assert main(["triage", logs]) == 0
    text = capsysbinary.readouterr().out.decode()
    assert text.startswith("3 logs read, 2 with a failure, 1 different failure.\n")
    assert "RuntimeError: mat1 and mat2 shapes can" in text  # As wide as the terminal.
    assert "Not read, or in part: 1.\n" in text
    assert main(["triage", logs, "--format", "json"]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    (group,) = document["groups"]
    assert document["categories"] == {"tensor_mismatch": 2}
    assert group == {
        "id": group["id"],
        "category": "tensor_mismatch",
        "exception": "RuntimeError",
        "jobs": 2,
        "representative": str(tmp_path / "logs" / "1.log"),
    }
    page = tmp_path / "page.html"
    assert main(["triage", logs, "--format", "html", "--output", str(page)]) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert main(["triage", str(tmp_path / "logs" / "3.log")]) == 1
    assert not (tmp_path / "reads").exists()


def test_a_second_run_reads_only_what_is_new(write: Write, tmp_path: Path) -> None:
    results = tmp_path / "results"
    first = write("logs/1.log", failing())
    write("logs/2.log", progress(3))
    one = triage(tmp_path, results=results)
    assert (one.logs, one.read_now, one.since, one.groups[0].new) == (2, 2, None, None)
    write("logs/3.log", "ValueError: num_samples should be a positive integer value\n")
    first.write_text(progress(4) + failing())
    two = triage(tmp_path, results=results)
    assert (two.logs, two.read_now, two.failures) == (3, 2, 2)
    assert {g.exception: g.new for g in two.groups} == {"RuntimeError": False, "ValueError": True}
    first.unlink()
    three = triage(tmp_path, results=results)
    assert (three.logs, three.read_now, len(three.new_groups)) == (3, 0, 0)
    assert pq.read_table(results / "groups.parquet").num_rows == 2
    assert json.loads((results / "triage.json").read_text())["failures"] == 2


def test_many_parts_are_joined_and_a_damaged_one_is_named(write: Write, tmp_path: Path) -> None:
    results = tmp_path / "results"
    log = write("logs/1.log", failing())
    triage(log, results=results)
    store = Store(results)
    table = store.rows()
    for _ in range(70):
        store.add([table])
    store.compact()
    assert len(list((results / "reads").iterdir())) == 1
    assert store.rows().num_rows == 1
    next((results / "reads").iterdir()).write_bytes(b"PAR1 damaged")
    again = triage(log, results=results)
    assert (again.logs, again.read_now) == (1, 1)
    assert any("is damaged; its logs are read again" in note for note in again.notes)


KILLED = """
import os, signal, sys
from dl_bug_lsp.triage import running, triaging
triaging.PART_ROWS, running.BATCH_FILES = 10, 7
left = int(sys.argv[3])
def progress(state):
    if state.files_read >= left:
        os.kill(os.getpid(), signal.SIGKILL)
from dl_bug_lsp.triage import triage
result = triage(sys.argv[1], results=sys.argv[2], workers=1, progress=progress)
"""


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    for number in range(80):
        text = progress(number) + (failing(home=f"/u/{number}") if number % 2 else "")
        (tmp_path / f"job_{number}.log").write_text(text)
    results = tmp_path / "results"
    for left in (15, 30):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path), str(results), str(left)], check=False
        )
        assert done.returncode == -signal.SIGKILL
    kept = Store(results).rows().num_rows
    assert 30 <= kept < 80
    result = triage(tmp_path, results=results)
    assert (result.logs, result.failures, result.read_now) == (80, 40, 80 - kept)


def test_two_runs_do_not_write_into_one_folder(write: Write, tmp_path: Path) -> None:
    log = write("1.log", failing())
    with Store(tmp_path / "results").hold(), pytest.raises(TriageError, match="another run"):
        triage(log, results=tmp_path / "results")
    file = write("file", "x")
    with pytest.raises(TriageError, match="cannot write into"):
        triage(log, results=file)


def test_an_unreachable_scheduler_is_one_line(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dl_bug_lsp.triage.running.REACH_SECONDS", 1)
    log = write("1.log", failing())
    assert main(["triage", str(log), "--scheduler", "tcp://127.0.0.1:1"]) == 2
    said = capsys.readouterr().err
    assert "cannot reach the Dask scheduler at 'tcp://127.0.0.1:1'" in said
    assert said.count("\n") == 1


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask cluster of three processes, started by its own command line."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    where = ["--host", "127.0.0.1", "--no-dashboard"]
    started = [
        subprocess.Popen(
            [*dask, "scheduler", "--port", "0", "--scheduler-file", str(file), *where], **quiet
        )  # type: ignore[call-overload]
    ]
    started += [
        subprocess.Popen(  # type: ignore[call-overload]
            [
                *dask,
                "worker",
                "--scheduler-file",
                str(file),
                "--nthreads",
                "1",
                "--no-nanny",
                *where,
            ],
            **quiet,
        )
        for _ in range(2)
    ]
    from distributed import Client

    try:
        with Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, started
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_of_three_processes_survives_the_death_of_a_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dl_bug_lsp.triage.running.BATCH_FILES", 5)
    address, started = cluster
    for number in range(120):
        text = progress(200, seed=number) + (failing(home=f"/u/{number}") if number % 3 else "")
        (tmp_path / f"job_{number}.log").write_text(text)
    sources = [s for s in listing([str(tmp_path)]).sources if s.url.endswith(".log")]
    total = failures = 0
    for table in read_all(sources, scheduler=address):
        if not total:
            os.kill(started[1].pid, signal.SIGKILL)
        total += table.num_rows
        failures += sum(1 for group in table.column("group").to_pylist() if group)
        assert not any(table.column("unread").to_pylist())
    assert (total, failures) == (120, 80)


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the texts of its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self._in_script = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\x1b[31m"


def test_hostile_names_stay_text_on_the_page(write: Write, tmp_path: Path) -> None:
    write("logs/4711.log", failing().replace("mat1", HOSTILE))
    write(f"logs/{'<b>evil'}.gz", b"no gzip")
    write("jobs.csv", f'job_id,user,host,exit,queue\n4711,"{HOSTILE}",<i>h,1,<u>q\n')
    results = tmp_path / "results"
    result = triage([tmp_path / "logs", tmp_path / "jobs.csv"], results=results)
    assert (result.failures, len(result.unread)) == (1, 1)
    page = (results / "page.html").read_text("utf-8")
    elements = Elements()
    elements.feed(page)
    assert all("onerror" not in attributes for _, attributes in elements.tags)
    assert [tag for tag, _ in elements.tags].count("script") == 2
    assert "img" not in {tag for tag, _ in elements.tags}
    assert "\x1b" not in page
    assert "\u202e" not in page
    (data, _script) = elements.scripts
    assert "onerror=alert(1)" in json.loads(data)["groups"][0]["message"]
    policies = [a["content"] or "" for _, a in elements.tags if "http-equiv" in a]
    (policy,) = policies
    assert policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in policy
    assert not re.search(r"https?://", page)


def test_editors_find_a_failures_group(write: Write, tmp_path: Path) -> None:
    results = tmp_path / "results"
    log = FIXTURES / "104-charlm-context-length" / "log.txt"
    assert standing_of(log.read_text(), results) is None
    triage(log, results=results)
    found = standing_of(log.read_text(), results)
    assert found is not None
    assert found.jobs == 1
    assert found.page == results / "page.html"
    assert standing_of(failing(), results) is None
    (results / "groups.json").write_text('{"groups": {"x": 1}, ')
    assert standing_of(log.read_text(), results) is None


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (1_793_700_000.0 - 3600, "This failure: 37 jobs today, of 4 users."),
        (1_793_700_000.0 - 2 * 86_400, "This failure: 37 jobs since Sunday, of 4 users."),
        (1_790_000_000.0, "This failure: 37 jobs since 2026-09-21, of 4 users."),
        (None, "This failure: 37 jobs, of 4 users."),
    ],
)
def test_the_words_of_a_group(first: float | None, words: str) -> None:
    assert Standing("aa", 37, 4, first, None).words(1_793_700_000.0) == words


def test_importing_the_room_needs_none_of_the_extra() -> None:
    show = (
        "import sys\n"
        "for name in ('dask', 'distributed', 'fsspec', 'pyarrow'): sys.modules[name] = None\n"
        "import dl_bug_lsp.triage, dl_bug_lsp.triage.fingerprints\n"
        "from dl_bug_lsp.cli.main import main\n"
        "sys.exit(main(['triage', '.']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", show], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "pip install 'dl-bug-lsp[triage]'" in done.stderr


def test_places_are_ranked_where_the_workspace_is_known(tmp_path: Path) -> None:
    fixture = FIXTURES / "114-churn-fold-columns"
    result: TriageResult = triage(fixture / "log.txt", workspace=fixture / "workspace")
    (group,) = result.groups
    assert group.suspects
    assert re.fullmatch(r"\S+:\d+ \(\d+ %(, not \w+)?\)", group.suspects[0])


OTHER_JOB = 'epoch 1 loss 0.7\nrun.sh: line 6: 21132 Killed   timeout 9 python train.py "$CONFIG"\n'


def test_a_job_of_another_project_gets_no_place_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "1.out").write_text(OTHER_JOB, encoding="utf-8")
    fixture = FIXTURES / "104-charlm-context-length"
    (group,) = triage(tmp_path / "jobs", workspace=fixture / "workspace").groups
    assert group.suspects == ()


def test_a_place_that_is_not_sure_says_so(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(
        "import x\n\n\ndef main():\n    x.run()\n\n\nmain()\n"
    )
    log = 'Traceback (most recent call last):\n  File "train.py", line 8, in <module>\n    main()\n'
    log += '  File "train.py", line 5, in main\n    x.run()\n'
    log += (
        '  File "/usr/lib/python3/site-packages/x.py", line 3, in run\n    raise ValueError("no")\n'
    )
    (tmp_path / "a.log").write_text(f"{log}ValueError: no\n", encoding="utf-8")
    (group,) = triage(tmp_path / "a.log", workspace=tmp_path / "code").groups
    assert group.suspects and all("not sure" in place for place in group.suspects)


def test_a_manifest_that_is_not_there_is_wrong_use(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_text(OTHER_JOB, encoding="utf-8")
    assert main(["triage", str(tmp_path / "a.log"), "--jobs", str(tmp_path / "nosuch")]) == 2
    told = capfd.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 1 and "nosuch" in told.err
