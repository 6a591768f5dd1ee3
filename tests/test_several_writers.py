"""Several servers and command lines on one folder: what one of them keeps no other one loses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.store import read_recording
from dl_bug_lsp.runs import records
from dl_bug_lsp.server.failures_file import (
    LARGEST,
    NAME,
    StoredContent,
    beside,
    change_state,
    names_of,
    read_state,
    to_bytes,
)

WRITERS = 30
STORM = """
import json, os, signal, sys
from pathlib import Path
from dl_bug_lsp.recording.store import write_session
from dl_bug_lsp.recording.session import RecordedTest, Session
from dl_bug_lsp.spectrum.spectrum import Outcome
from dl_bug_lsp.server.failures_file import change_state

root, kind, rounds, writers = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

def keep(name):
    if kind == "failures":
        def change(old):
            return json.dumps([*json.loads(old or b"[]"), name]).encode()
        return change_state(root, "failures.json", 2**24, change)
    test = RecordedTest(name, Outcome.PASSED, None, "", 0.0, {})
    session = Session("2026", "pytest", (test,), {}, {}, {}, False)
    write_session(root / ".dlbug" / "spectrum.db", session)
    return True

def write(writer, told):
    number = 0
    while True:
        name = f"{writer}-{number}"
        if keep(name):
            os.write(told, f"{name}\\n".encode())
        number += 1

kills, kept = 0, set()
for turn in range(rounds):
    begin, told = os.pipe()
    children = []
    for writer in range(writers):
        child = os.fork()
        if not child:
            os.close(begin)
            write(f"{turn}-{writer}", told)
        children.append(child)
    os.close(told)
    with os.fdopen(begin, "rb") as stream:
        # So many were kept, by whichever of them; the rest die at whatever they do.
        lines = [stream.readline() for _ in range(writers // 2)]
        for child in children:
            os.kill(child, signal.SIGKILL)
            kills += 1
        lines += stream.readlines()
    for child in children:
        os.waitpid(child, 0)
    kept.update(line.decode().strip() for line in lines)
print(json.dumps([kills, sorted(kept)]))
"""


def storm(root: Path, kind: str, rounds: int) -> tuple[int, list[str]]:
    """Let writers write and be killed; return the kills, and what they were told is kept."""
    data_folder.prepare(root)
    done = subprocess.run(
        [sys.executable, "-c", STORM, str(root), kind, str(rounds), str(WRITERS)],
        stdout=subprocess.PIPE,
        check=True,
    )
    kills, kept = json.loads(done.stdout)
    return kills, kept


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


@needs_fork
def test_of_thirty_writers_and_a_thousand_kills_nothing_is_lost(tmp_path: Path) -> None:
    kills, kept = storm(tmp_path, "failures", 34)
    found = json.loads(read_state(tmp_path, "failures.json", 2**24) or b"[]")
    assert kills > 1_000
    assert len(kept) >= 34 * WRITERS // 2
    assert set(kept) <= set(found)
    assert change_state(tmp_path, "failures.json", 2**24, lambda old: (old or b"") + b" ")
    assert set(data_folder.names(tmp_path / ".dlbug")) == {".gitignore", ".lock", "failures.json"}


@needs_fork
def test_of_recorded_sessions_nothing_is_lost(tmp_path: Path) -> None:
    kills, kept = storm(tmp_path, "sessions", 2)
    recording = read_recording(tmp_path / ".dlbug" / "spectrum.db")
    assert kills == 2 * WRITERS
    assert set(kept) <= {test.name for test in recording.tests}


def failure(name: str) -> dict[str, object]:
    return {"source": name, "log": None, "report": {"failures": [{"id": name}]}, "places": []}


def sources(root: Path) -> list[str]:
    kept = json.loads(read_state(root, NAME, LARGEST) or b'{"failures": []}')
    return [one["source"] for one in kept["failures"]]


def test_each_server_keeps_what_the_others_keep(tmp_path: Path) -> None:
    def keep(known: set[tuple[str, ...]], *names: str) -> None:
        mine = StoredContent([failure(name) for name in names], [[f"log:{name}"] for name in names])
        assert change_state(tmp_path, NAME, LARGEST, lambda old: to_bytes(beside(old, mine, known)))
        known |= names_of(mine)

    servers: list[set[tuple[str, ...]]] = [set() for _ in range(WRITERS)]
    for number, known in enumerate(servers):
        keep(known, f"source {number}")
    assert sources(tmp_path) == [f"source {number}" for number in range(WRITERS)]
    keep(servers[3])
    keep(servers[4], "source 4", "another")
    left = [f"source {number}" for number in range(WRITERS) if number not in (3, 4)]
    assert sources(tmp_path) == [*left, "source 4", "another"]
    told = json.loads(read_state(tmp_path, NAME, LARGEST) or b"")["told"]
    assert len(told) == WRITERS


@pytest.mark.parametrize("old", [b"{", b"[]", b'{"version": 1, "failures": [7]}', b"\xff"])
def test_a_damaged_file_gives_way(old: bytes) -> None:
    assert beside(old, StoredContent([failure("a")], []), set()).failures == [failure("a")]


def test_who_holds_the_lock_for_ever_holds_nobody_up(tmp_path: Path) -> None:
    folder = data_folder.prepare(tmp_path)
    with data_folder.locked(folder), pytest.raises(TimeoutError):  # noqa: SIM117
        with data_folder.locked(folder, 0.05):
            pass
    with data_folder.locked(folder, 0.05):
        pass


def test_runs_of_the_future_go_before_those_of_now(tmp_path: Path) -> None:
    """The clock went back, or somebody planted them to have ours removed."""
    runs = data_folder.prepare(tmp_path, "runs")
    record = records.new_record(tmp_path, ("true",), tmp_path, os.getpid()).ended_with(0, 0)
    for number in range(records.KEPT):
        records.write(runs / f"2099{number:04}T000000Z-1", record)
    ours = records.begin(tmp_path, record)
    records.write(ours, record)
    again = records.begin(tmp_path, records.new_record(tmp_path, ("true",), tmp_path, 1))
    places = [place for place, _ in records.recorded(tmp_path)]
    assert len(places) == records.KEPT
    assert {ours, again} <= set(places)
