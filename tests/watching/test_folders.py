"""A watched folder: real files, real notices of the platform, and polling."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import wait_for

from dl_bug_lsp.runs import records
from dl_bug_lsp.watching import file_events as notices
from dl_bug_lsp.watching import watcher
from dl_bug_lsp.watching.file_events import file_system, inotify_limits
from dl_bug_lsp.watching.folders import LogRules, any_of
from dl_bug_lsp.watching.followed import (
    PERIODS,
    FollowedLog,
    LogFailure,
    PollingInterval,
    SourceChanges,
    WatchStatus,
)
from dl_bug_lsp.watching.watcher import LONGEST, QUIET, Changes, Watcher

# A thread of watchdog may end with an error when a folder goes, or is renamed, under its hands.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

FAILURE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x\n'


class Heard:
    """Everything that a watcher told."""

    def __init__(self) -> None:
        self.failures: list[LogFailure] = []
        self.recovered_sources: list[str] = []
        self.changes: list[SourceChanges] = []
        self.statuses: list[WatchStatus] = []
        self.ready = threading.Event()

    def failed(self, failure: LogFailure) -> None:
        self.failures.append(failure)

    def recovered(self, source: str) -> None:
        self.recovered_sources.append(source)

    def sources_changed(self, changes: SourceChanges) -> None:
        self.changes.append(changes)

    def watching(self, status: WatchStatus) -> None:
        self.statuses.append(status)
        self.ready.set()

    def sources(self) -> list[str]:
        return [failure.source for failure in self.failures]


class Watched:
    def __init__(self, folder: Path, polling: bool) -> None:
        self.folder, self.polling = folder, polling
        self.heard = Heard()
        self.watcher: Watcher | None = None

    def start(self, rules: LogRules | None = None) -> Heard:
        def is_python(path: str) -> bool:
            return path.endswith(".py")

        self.watcher = Watcher(
            str(self.folder), self.heard, rules, polling=self.polling, is_source=is_python
        )
        self.watcher.start()
        assert self.heard.ready.wait(30)
        return self.heard

    def write(self, name: str, text: str = FAILURE) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(text)

    def expect(self, *sources: str) -> None:
        wait_for(lambda: set(sources) <= set(self.heard.sources()), f"{sources}")


@pytest.fixture(params=["notices", "polling"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path, request.param == "polling")
    yield made
    if made.watcher is not None:
        made.watcher.stop()
        made.watcher.join(30)


def test_failures_in_logs_old_and_new_are_told(watched: Watched) -> None:
    watched.write("old.log", "epoch 1\n")
    heard = watched.start()
    watched.write("old.log")
    watched.write("new.err")
    watched.write("outputs/2024-01-01/12-00/train.log")
    watched.write("slurm-17.out")
    watched.write("notes.txt")
    watched.write("node_modules/a/b.log")
    watched.write("env/pyvenv.cfg", "")
    watched.expect(
        "log:old.log", "log:new.err", "log:outputs/2024-01-01/12-00/train.log", "log:slurm-17.out"
    )
    assert len(heard.failures) == 4


def test_a_log_that_is_hidden_from_git_is_followed(watched: Watched) -> None:
    watched.write(".gitignore", "*.log\noutputs/\n")
    watched.start()
    watched.write("outputs/train.log")
    watched.expect("log:outputs/train.log")


def test_what_is_excluded_and_the_own_log_are_not_followed(watched: Watched) -> None:
    own = frozenset([str(watched.folder.resolve() / "server.log")])
    heard = watched.start(LogRules(include=("**/*.log",), exclude=("skip/**",), never=own))
    watched.write("server.log")
    watched.write("skip/a.log")
    watched.write("a.out")
    watched.write("b.log")
    watched.expect("log:b.log")
    assert heard.sources() == ["log:b.log"]


def test_an_emptied_log_takes_its_failure_back(watched: Watched) -> None:
    heard = watched.start()
    watched.write("a.log")
    watched.expect("log:a.log")
    (watched.folder / "a.log").write_text("")
    wait_for(lambda: heard.recovered_sources == ["log:a.log"], "the failure to be taken back")


def test_only_what_failed_just_now_is_news_at_the_start(watched: Watched) -> None:
    watched.write("fresh.log")
    watched.write("stale.log")
    before = time.time() - 2 * watcher.RECENT
    os.utime(watched.folder / "stale.log", (before, before))
    heard = watched.start()
    watched.expect("log:fresh.log")
    watched.write("stale.log", "epoch 1\n")
    watched.write("last.log")
    watched.expect("log:last.log")
    assert heard.sources() == ["log:fresh.log", "log:last.log"]


def test_folders_that_go_and_come_are_followed(watched: Watched) -> None:
    heard = watched.start()
    watched.write("a/b/x.log", "epoch\n")
    watched.write("a/b/x.log")
    watched.expect("log:a/b/x.log")
    (watched.folder / "a").rename(watched.folder / "c")
    watched.write("c/b/y.log")
    watched.expect("log:c/b/y.log")
    assert set(heard.recovered_sources) <= {"log:a/b/x.log"}


def test_a_renamed_log_tells_its_failure_under_its_new_name(watched: Watched) -> None:
    watched.write("a/one.log", "ok\n")
    watched.write("a/two.log", "ok\n")
    heard = watched.start()
    watched.write("a/one.log")
    watched.write("a/two.log", "epoch 1\n")
    wait_for(lambda: heard.sources() == ["log:a/one.log"], "the failure")
    (watched.folder / "a").rename(watched.folder / "b")
    wait_for(lambda: heard.sources()[1:] == ["log:b/one.log"], "the failure's new name")
    wait_for(lambda: "log:a/one.log" in heard.recovered_sources, "the end of the old name")
    (watched.folder / "b" / "one.log").unlink()
    watched.write("b/three.log")
    wait_for(lambda: heard.sources()[2:] == ["log:b/three.log"], "another log's failure")
    assert "log:b/one.log" not in heard.recovered_sources


def test_recorded_runs_are_told_and_a_good_one_takes_the_failure_back(
    watched: Watched, tmp_path_factory: pytest.TempPathFactory
) -> None:
    heard = watched.start()

    def run(code: int, output: str, folder: Path = watched.folder) -> Path:
        pid = len(heard.failures) + len(heard.recovered_sources) + 1
        record = records.new_record(folder, ("python", "a b.py"), folder, pid)
        place = records.begin(folder, record)
        records.log_file(place).write_text(output)
        records.finish(place, record.ended_with(code, 0))
        return place

    run(1, "no traceback but a failure\n")
    watched.expect("run:python 'a b.py'")
    run(0, "fine\n")
    wait_for(lambda: heard.recovered_sources == ["run:python 'a b.py'"], "the failure to go")
    # Its log comes with its end: a failure that is read before the end is told.
    ended = run(-2, FAILURE, tmp_path_factory.mktemp("elsewhere"))
    for file in (records.log_file(ended), ended.with_name(f"{ended.name}.json")):
        file.rename(watched.folder / records.RUNS / file.name)
    watched.write("last.log")
    watched.expect("log:last.log")
    assert heard.sources() == ["run:python 'a b.py'", "log:last.log"]


def test_a_checkout_is_told_as_one_change(tmp_path: Path) -> None:
    watched = Watched(tmp_path, polling=False)
    heard = watched.start()
    for number in range(3000):
        (tmp_path / f"m{number}.py").write_text("x = 1\n")
    (tmp_path / "m0.py").unlink()

    def told() -> bool:
        changed = {path for change in heard.changes for path in change.changed}
        gone = {path for change in heard.changes for path in change.deleted}
        return len(changed - gone) >= 2999 and "m0.py" in gone

    wait_for(told, "3,000 changed files")
    assert len(heard.changes) <= 20
    assert watched.watcher is not None
    watched.watcher.stop()


def test_bursts_are_gathered_and_told_in_order(tmp_path: Path) -> None:
    changes = Changes(lambda path: path.endswith(".py"))
    (tmp_path / "b.py").touch()
    for name in ("b.py", "c.log", "a.py"):
        changes.take(name, str(tmp_path / name), 10.0)
    assert changes.flushed(10.0 + QUIET / 2) is None
    assert changes.flushed(10.0 + QUIET) == SourceChanges(changed=("b.py",), deleted=("a.py",))
    assert changes.flushed(20.0) is None
    for step in range(100):
        changes.take("b.py", str(tmp_path / "b.py"), 30.0 + step * QUIET / 2)
    assert changes.flushed(30.0 + LONGEST) is not None


def test_where_notices_run_out_the_folder_is_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(self: notices.FileEvents) -> object:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(notices.FileEvents, "_begin", none_left)
    watched = Watched(tmp_path, polling=False)
    heard = watched.start()
    assert heard.statuses[0].means == "polling"
    assert "fs.inotify.max_user_watches" in heard.statuses[0].reason
    watched.write("a.log")
    watched.expect("log:a.log")
    assert watched.watcher is not None
    watched.watcher.stop()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
def test_notices_that_end_begin_anew_and_at_last_the_folder_is_polled(tmp_path: Path) -> None:
    watched = Watched(tmp_path, polling=False)
    heard = watched.start()
    assert watched.watcher is not None
    for time_ in range(notices.RESTARTS):
        end_notices(watched.watcher)
        wait_for(lambda n=time_: len(heard.statuses) == n + 2, "notices to begin anew")
        assert heard.statuses[-1].means != "polling"
        assert f"({time_ + 1})" in heard.statuses[-1].problems[-1]
        watched.write(f"a{time_}/b.log")
        watched.expect(f"log:a{time_}/b.log")
    end_notices(watched.watcher)
    wait_for(lambda: heard.statuses[-1].means == "polling", "polling")
    assert heard.statuses[-1].reason == notices.ENDED
    watched.write("last/b.log")
    watched.expect("log:last/b.log")
    watched.watcher.stop()
    watched.watcher.join(30)


def end_notices(watching: Watcher) -> None:
    """End the thread that reads notices, as an error in it does."""
    readers = [t for t in watching._notices._threads if "Inotify" in type(t).__name__]
    for reader in readers:
        reader.stop()  # type: ignore[attr-defined]
        reader.join(30)


def test_a_stopped_watcher_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    started = []
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        watching = Watcher(str(folder), Heard())
        watching.start()
        started.append(watching)
        if number % 2:
            watching.stop()
    for watching in started:
        watching.stop()
        watching.join(30)
    assert set(threading.enumerate()) <= before


def test_too_many_notices_at_once_make_the_folder_looked_through(tmp_path: Path) -> None:
    woken = []
    held = notices.FileEvents(str(tmp_path), lambda: woken.append(1))
    for number in range(notices.MOST_WAITING + 5):
        held.take(f"{tmp_path}/{number}")
    assert held.taken() == ([], True)
    held.take(b"x")
    assert held.taken() == (["x"], False)
    assert woken


MOUNTS = """overlay / overlay rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sda1 /home/me/my\\040disk ext4 rw 0 0
tmpfs /homework tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/data", "overlay"),
        ("/home/you", "nfs4"),
        ("/home/me/my disk/code", "ext4"),
        ("/homework/x", "tmpfs"),
    ],
)
def test_the_file_system_of_a_folder_is_known(path: str, kind: str) -> None:
    assert file_system(path, MOUNTS) == kind


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
def test_limits_of_inotify_are_read() -> None:
    assert inotify_limits()["max_user_watches"] > 0


LOGS = ["a.log", "x/slurm-1.out", "nohup.out", "train.o4711", "logs/any", "log.txt", "a_log.txt",
        "0/stderr", "error.json", "nb.ipynb", "wandb/run-1/files/output.log"]  # fmt: skip
OTHERS = ["a.py", "logs/a.py", "logs/events.out.tfevents.17.host", "README.txt", "catalog.txt",
          "logs/model.pt", "x.o"]  # fmt: skip


def test_logs_are_told_from_other_files() -> None:
    rules = LogRules()
    assert [path for path in LOGS if not rules.is_log(path)] == []
    assert [path for path in OTHERS if rules.is_log(path)] == []
    assert [
        name for name in ("outputs", "wandb", "a/lightning_logs") if not rules.enters(name)
    ] == []
    assert [name for name in (".git", "a/node_modules", ".dlbug") if rules.enters(name)] == []


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("**/*.log", "a.log", True),
        ("**/*.log", "a/b/c.log", True),
        ("*.log", "a/b.log", False),
        ("logs/**", "logs/a/b", True),
        ("**/{a,b}.txt", "x/b.txt", True),
        ("[!a].txt", "b.txt", True),
        ("[!a].txt", "a.txt", False),
        ("a?c", "a/c", False),
        ("a[b", "a[b", True),
        ("a{b", "a{b", True),
        ("[z-a]", "[z-a]", True),
        ("a.b", "axb", False),
    ],
)
def test_globs_match_as_the_protocol_says(glob: str, path: str, matches: bool) -> None:
    assert (any_of((glob,)).fullmatch(path) is not None) == matches


def test_no_globs_match_nothing() -> None:
    assert any_of(()).fullmatch("") is None


def test_logs_are_looked_at_the_less_the_longer_they_rest(tmp_path: Path) -> None:
    pace = PollingInterval()
    ages = (1.0, 100.0, 4000.0, 100_000.0)
    for number, age in enumerate(ages):
        log = FollowedLog(str(tmp_path / str(number)), str(number), from_end=False)
        log.hot_at = 200_000.0 - age
        pace.put(log, 200_000.0)
    assert [list(tier) for tier in pace.tiers] == [["0"], ["1"], ["2"], ["3"]]
    pace.looked(0, 200_000.0, 0.0)
    assert pace.due[0] == 200_000.0 + PERIODS[0]
    pace.looked(0, 200_000.0, 1.0)
    assert pace.due[0] > 200_005.0
    pace.cool(0, 200_100.0)
    assert list(pace.tiers[1]) == ["1", "0"]


def test_a_record_that_is_none_is_passed_over(watched: Watched) -> None:
    runs = watched.folder / records.RUNS
    runs.mkdir(parents=True)
    for number, text in enumerate(("", "{", "[1]", "{}", json.dumps({"command": "x"}))):
        (runs / f"{number}.json").write_text(text)
    watched.start()
    watched.write("a.log")
    watched.expect("log:a.log")


OUT_OF_FILES = """
import os, resource, sys
import watchdog.observers
from dl_bug_lsp.watching.file_events import FileEvents

limit = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0), limit[1]))
notices = FileEvents(sys.argv[1], lambda: None)
began = notices.start()
resource.setrlimit(resource.RLIMIT_NOFILE, limit)
print(began, notices.reason)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
def test_a_process_without_a_file_for_inotify_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OUT_OF_FILES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False no inotify instances or open files are left")
