"""What goes wrong around the server: the real process must outlive it, or end when it should."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_for
from wire import Wire

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

PROGRAM = """def width(config):
    return config["widht"]


def main():
    config = {"width": 3}
    print(width(config))


main()
"""
FAILURE = """Traceback (most recent call last):
  File "/job/train.py", line 10, in <module>
    main()
  File "/job/train.py", line 7, in main
    print(width(config))
  File "/job/train.py", line 2, in width
    return config["widht"]
KeyError: '{key}'
"""
MARKED = "train.py"
FILLERS = 80
"""More files than the smallest workspace whose index is kept on disk."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text(PROGRAM)
    (root / "runs").mkdir()
    (root / "runs" / "a.log").write_text("start\n")
    return root


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Wire]]:
    """Starts servers and ends what is left of them."""
    started: list[Wire] = []

    def start(*folders: Path, **options: Any) -> Wire:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        wire = Wire(environment, **options)
        started.append(wire)
        wire.initialize(list(folders))
        return wire

    yield start
    for wire in started:
        wire.kill()


def fail(root: Path, log: str = "runs/a.log", key: str = "widht") -> None:
    with (root / log).open("a") as stream:
        stream.write(FAILURE.replace("{key}", key))


def assert_works(wire: Wire, root: Path) -> None:
    """The server localizes, and has told the user nothing."""
    report = wire.command("dlBug.localize", {"text": FAILURE, "workspace": root.as_uri()})
    assert report["failures"][0]["suspects"][0]["file"] == MARKED
    assert wire.messages == []


@pytest.mark.parametrize("is_busy", [False, True], ids=["at rest", "busy"])
def test_a_killed_client_takes_its_server_along(place: Path, is_busy: bool) -> None:
    text = FAILURE * 3000 if is_busy else ""
    work = {"command": "dlBug.localize", "arguments": [{"text": text}]}
    code = (
        "import subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, '-m', 'dl_bug_lsp', 'server'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "import json, os\n"
        "body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params':"
        " {'processId': os.getpid(), 'rootUri': sys.argv[1], 'capabilities': {}}}).encode()\n"
        "work = json.dumps({'jsonrpc': '2.0', 'id': 2, 'method': 'workspace/executeCommand',"
        " 'params': json.load(sys.stdin)}).encode()\n"
        "for one in (body, work):\n"
        "    server.stdin.write(b'Content-Length: %d\\r\\n\\r\\n' % len(one) + one)\n"
        "server.stdin.flush()\n"
        "server.stdout.readline()\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    client = subprocess.Popen(
        [sys.executable, "-c", code, place.as_uri()], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert client.stdin
    assert client.stdout
    client.stdin.write(json.dumps(work).encode())
    client.stdin.close()
    server = int(client.stdout.readline())
    assert Path(f"/proc/{server}").exists()
    client.send_signal(signal.SIGKILL)
    client.wait()
    client.stdout.close()
    wait_for(lambda: not is_running(server), "the server's end")


def is_running(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_standard_input_closes_while_it_works(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place, plain=True)
    wire.send_command("dlBug.localize", {"text": FAILURE * 3000})
    wire.command("dlBug.failures")
    wire.close_input()
    assert wire.process.wait(timeout=30) == 1


def full_disk(place: Path) -> Iterator[None]:
    """Put a file system of 256 kB where the cache is written, and fill it."""
    mount = shutil.which("mount")
    (place / ".dlbug").mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place / ".dlbug")]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a small file system")
    try:
        with (place / ".dlbug" / "filler").open("wb", buffering=0) as stream:
            try:
                while stream.write(bytes(4096)):
                    pass
            except OSError:
                pass
        yield
    finally:
        subprocess.run(["umount", "-l", str(place / ".dlbug")], check=True)


@pytest.fixture
def on_full_disk(place: Path) -> Iterator[Path]:
    for number in range(FILLERS):
        (place / f"filler_{number}.py").write_text(f"value_{number} = {number}\n" * 50)
    for _ in full_disk(place):
        yield place


def test_a_full_disk_under_the_cache(begin: Callable[..., Wire], on_full_disk: Path) -> None:
    wire = begin(on_full_disk, plain=True)
    assert_works(wire, on_full_disk)
    fail(on_full_disk)
    wait_for(lambda: wire.shown(MARKED), "the log's failure")
    assert wire.messages == []
    assert wire.leave() == 0
    assert "Traceback" not in wire.errors()


def _truncated(cache: Path) -> None:
    cache.write_bytes(cache.read_bytes()[: cache.stat().st_size // 3])


def _no_database(cache: Path) -> None:
    cache.write_bytes(b"not a database, " * 100)


def _empty(cache: Path) -> None:
    cache.write_bytes(b"")


def _other_schema(cache: Path) -> None:
    cache.unlink()
    with sqlite3.connect(cache) as connection:
        connection.execute("create table file (path text)")
    connection.close()


def _other_version(cache: Path) -> None:
    with sqlite3.connect(cache) as connection:
        connection.execute("update about set value = '999' where key = 'version'")
    connection.close()


def _damaged_rows(cache: Path) -> None:
    with sqlite3.connect(cache) as connection:
        connection.execute("update file set record = '{'")
    connection.close()


def _a_folder(cache: Path) -> None:
    cache.unlink()
    (cache / "inside").mkdir(parents=True)


def _not_readable(cache: Path) -> None:
    cache.unlink()
    cache.symlink_to("/no/such/place")


DAMAGES = (
    _truncated,
    _no_database,
    _empty,
    _other_schema,
    _other_version,
    _damaged_rows,
    _a_folder,
    _not_readable,
)


def test_damaged_caches(begin: Callable[..., Wire], tmp_path: Path) -> None:
    from dl_bug_lsp.workspace import Workspace

    wire = begin()
    old = time.time() - 1000
    for damage in DAMAGES:
        root = tmp_path / damage.__name__
        root.mkdir()
        (root / "train.py").write_text(PROGRAM)
        for number in range(FILLERS):
            (root / f"filler_{number}.py").write_text(f"value_{number} = {number}\n")
        for path in root.iterdir():
            os.utime(path, (old, old))
        Workspace(root).index()
        cache = Workspace(root).cache_info().path
        assert cache is not None
        damage(cache)
        event = {"added": [{"uri": root.as_uri(), "name": root.name}], "removed": []}
        wire.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert_works(wire, root)
    assert wire.leave() == 0
    assert "Traceback" not in wire.errors()


def test_a_damaged_memory_of_failures(begin: Callable[..., Wire], place: Path) -> None:
    (place / ".dlbug").mkdir()
    for number, content in enumerate(
        (b"{", b"[1]", b'{"version": 1, "failures": [{"report": 3}]}')
    ):
        (place / ".dlbug" / "failures.json").write_bytes(content)
        wire = begin(place)
        assert_works(wire, place)
        assert wire.leave() == 0, number
        assert "Traceback" not in wire.errors()


def test_a_log_becomes_a_folder_and_a_log_again(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place)
    fail(place)
    wait_for(lambda: wire.shown(MARKED), "the failure")
    log = place / "runs" / "a.log"
    log.unlink()
    log.mkdir()
    (log / "inside.log").write_text("start\n")
    assert_works(wire, place)
    (log / "inside.log").unlink()
    log.rmdir()
    wire.command("dlBug.clear")
    log.write_text("started again\n")
    fail(place)
    wait_for(lambda: wire.shown(MARKED), "the failure of the new log")


def test_logs_and_sources_vanish_while_they_are_read(
    begin: Callable[..., Wire], place: Path
) -> None:
    wire = begin(place)
    for number in range(30):
        log = place / "runs" / f"{number}.log"
        log.write_text("start\n" * 20_000 + FAILURE)
        (place / f"extra_{number}.py").write_text("x = 1\n" * 1000)
        number_asked = wire.send_command(
            "dlBug.localize", {"text": FAILURE, "workspace": place.as_uri()}
        )
        log.unlink()
        (place / f"extra_{number}.py").unlink()
        wire.answer(number_asked)
    assert_works(wire, place)
    assert "Traceback" not in wire.errors()


@pytest.mark.parametrize("moved", [-10 * 365 * 86400, 10 * 365 * 86400], ids=["past", "future"])
def test_the_clock_moves(begin: Callable[..., Wire], place: Path, moved: int) -> None:
    when = time.time() + moved
    for path in (*place.rglob("*.py"), *place.rglob("*.log")):
        os.utime(path, (when, when))
    wire = begin(place)
    assert_works(wire, place)
    wire.command("dlBug.clear")
    fail(place)
    os.utime(place / "runs" / "a.log", (when, when))
    wait_for(lambda: wire.shown(MARKED), "the failure")
    # An edit that leaves an older time than before is seen as well.
    (place / "train.py").write_text("#\n" + PROGRAM)
    os.utime(place / "train.py", (when - 86400, when - 86400))
    report = wire.command("dlBug.localize", {"text": FAILURE, "workspace": place.as_uri()})
    assert any(frame["workspace_line"] == 3 for frame in report["failures"][0]["frames"])


@pytest.mark.parametrize("logs", [1, 5])
def test_fifty_failures_a_second(begin: Callable[..., Wire], place: Path, logs: int) -> None:
    names = [f"runs/many_{number}.log" for number in range(logs)]
    for name in names:
        (place / name).write_text("start\n")
    wire = begin(place)
    wire.command("dlBug.failures")
    end = threading.Event()
    number = 0
    while number < 100:
        fail(place, names[number % logs], f"key_{number}")
        number += 1
        end.wait(0.02)
    fail(place, names[-1], "the_last")
    wait_for(lambda: "the_last" in wire.text_of(MARKED), "the last failure")
    assert wire.messages == []
    # Far fewer publications than failures: one at a time, the latest wins.
    assert wire.pushes < 150
    wire.command("dlBug.clear")
    assert wire.leave() == 0
    assert "Traceback" not in wire.errors()


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["a line", "many lines"])
def test_300_mb_at_once(begin: Callable[..., Wire], place: Path, end: bytes) -> None:
    wire = begin(place, plain=True)
    wire.command("dlBug.failures")
    before = wire.peak_memory()
    block = (b"x" * 127 + (end or b"x")) * (1 << 13)
    with (place / "runs" / "a.log").open("ab") as stream:
        for _ in range(300):
            stream.write(block)
        stream.write(b"\n")
    fail(place)
    wait_for(lambda: wire.shown(MARKED), "the failure after it")
    assert wire.peak_memory() - before < 60
    assert wire.messages == []
    opened = wire.command("dlBug.openLog")
    lines = 1 + 300 * block.count(b"\n") + 1
    assert opened["range"]["start"]["line"] == lines


def test_closed_folders_leave_nothing_behind(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place, plain=True)
    assert_works(wire, place)
    fail(place)
    wait_for(lambda: wire.shown(MARKED), "the first folder to be watched")
    threads, files = wire.threads(), wire.files()
    for number in range(20):
        other = place.parent / f"other_{number}"
        other.mkdir()
        (other / "train.py").write_text(PROGRAM)
        folder = {"uri": other.as_uri(), "name": other.name}
        change_folders(wire, added=[folder])
        if number % 2:
            fail(other, "train.log")
            assert wire.command("dlBug.localize", {"text": FAILURE, "workspace": other.as_uri()})
        change_folders(wire, removed=[folder])
    assert len(wire.command("dlBug.failures")) <= 2
    # Three threads read and write files for all folders.
    wait_for(lambda: wire.threads() <= threads + 3, "the threads' end")
    wait_for(lambda: wire.files() <= files, "the watches' end")
    assert wire.leave() == 0
    assert "Traceback" not in wire.errors()


def change_folders(wire: Wire, added: Any = (), removed: Any = ()) -> None:
    event = {"added": list(added), "removed": list(removed)}
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": event})


HOSTILE = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'"text"',
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": 7, "result": null}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 3}',
    b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 999}}',
    b'{"jsonrpc": "2.0", "method": "workspace/didChangeWatchedFiles",'
    b' "params": {"changes": [{"uri": "file:///%00", "type": 1}]}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didClose",'
    b' "params": {"textDocument": {"uri": "http://[/"}}}',
    b"[" * 100_000,
)


def test_hostile_messages(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place)
    for body in HOSTILE:
        wire.send_bytes(body)
        report = wire.command("dlBug.localize", {"text": FAILURE, "workspace": place.as_uri()})
        assert report["failures"], body[:80]
    assert len(wire.messages) <= 1


ODD: list[Any] = [None, True, -1, 1e300, "", "text", [], [1, None], {}, {"a": {"b": []}}]


def test_settings_of_every_wrong_type(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place)
    schema = (
        json.loads((Path(__file__).parents[2] / "docs" / "settings.schema.json").read_text())
        if (Path(__file__).parents[2] / "docs" / "settings.schema.json").is_file()
        else {}
    )
    names = list(schema.get("properties", {})) or ["top", "topFiles", "pathMap", "maxDiagnostics"]
    names += ["codeLens", "logs.include", "logs.exclude", "logs.watch", "logs", "severity"]
    for odd in ODD:
        settings: Any = dict.fromkeys(names, odd)
        for sent in (settings, odd):
            wire.notify("workspace/didChangeConfiguration", {"settings": {"dlBug": sent}})
    wire.notify("workspace/didChangeConfiguration", {"settings": None})
    assert_works(wire, place)
    assert "Traceback" not in wire.errors()


def test_a_folder_is_deleted_while_it_is_open(begin: Callable[..., Wire], place: Path) -> None:
    wire = begin(place)
    fail(place)
    wait_for(lambda: wire.shown(MARKED), "the failure")
    # The server may write its memory of failures just while the folder is emptied.
    wait_for(lambda: shutil.rmtree(place, ignore_errors=True) or not place.exists(), "its end")
    report = wire.command(
        "dlBug.localize", {"text": FAILURE, "workspace": place.as_uri()}, ok=False
    )
    assert report is None or report.get("failures") is not None
    other = place.parent / "other"
    other.mkdir()
    (other / "train.py").write_text(PROGRAM)
    event = {"added": [{"uri": other.as_uri(), "name": "other"}], "removed": []}
    wire.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert_works(wire, other)
    assert wire.leave() == 0
    assert "Traceback" not in wire.errors()
