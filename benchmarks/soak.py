"""A storm against one server over standard streams: it lives, and does not grow.

    python benchmarks/soak.py [--minutes 30]

Logs fail again and again, documents are edited, files come, change and go, folders are opened and
closed, runs begin anew, texts are pasted under 200 names, marks are dismissed, hovers asked for. In
the same folders somebody plants what `hostile.py` holds: texts that are deep, long or endless,
pipes, links, databases, odd names, times of the past and the future; messages are garbled, and the
command line and a second server work on the same folder and are killed. Every ten seconds the
resident memory, threads and open files are read from ``/proc`` (Linux only). The first two minutes
(a fifth of shorter runs) warm up: libraries are loaded when first needed, caches fill to their
bounds. What they take is printed and counts for nothing. From then on all is to be flat: the
memory's slope is the median of the slopes between any two readings (Theil and Sen's), threads and
files are counted at rest before and after. Exit code 1 where the server ended, memory climbs or
goes beyond its limit, threads or files are more than before, a question was not answered, or the
log holds an error of ours (pygls calls it one that a message cannot be read), which is printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hostile
from lsp_session import Session
from speed import CASES
from speed_inputs import assemble

STEEPEST = 30.0
"""MB an hour."""
MOST_RESIDENT = 300.0
"""MB, at any time."""
WARM_UP = 120.0
"""Seconds, a fifth of the time at most."""
FAILURE = """Traceback (most recent call last):
  File "/job/train.py", line 6, in <module>
    print(table[{key!r}])
KeyError: {key!r}
"""
SOURCE = """table = {"a": 1}


def show(table):
    return table
print(table["b"])
"""
LOGS = 20


class Soak:
    """The works, each a small change as a person or a job makes it."""

    def __init__(self, session: Session, place: Path) -> None:
        self.session = session
        self.place = place
        self.random = random.Random(3)
        self.count = 0
        self.version = 1
        self.answers: list[float] = []
        """Seconds that answers took."""
        self.beside: list[subprocess.Popen[bytes]] = []
        self.uri = (place / "train.py").as_uri()
        document = {"uri": self.uri, "languageId": "python", "version": 1, "text": SOURCE}
        session.notify("textDocument/didOpen", {"textDocument": document})

    def step(self) -> None:
        """Do one of the works."""
        self.count += 1
        self.random.choice(self._works())()
        self.session.forget()

    def _works(self) -> list[Callable[[], None]]:
        return [
            *[self._fail] * 4,
            self._grow,
            self._begin_anew,
            *[self._edit] * 4,
            self._files,
            self._folder,
            self._paste,
            self._dismiss,
            self._lenses,
            *[self._plant] * 4,
            self._garble,
            self._hostile_log,
            self._many_sources,
            self._burst,
            self._hover,
            *([self._beside] if self.count % 20 == 0 else []),
        ]

    def _log(self) -> Path:
        return self.place / "runs" / f"{self.random.randrange(LOGS)}.log"

    def _fail(self) -> None:
        with self._log().open("a") as stream:
            stream.write(FAILURE.format(key=f"key {self.count}"))

    def _grow(self) -> None:
        with self._log().open("a") as stream:
            stream.writelines(f"step {n} loss {1 / (n + 1):.3f}\n" for n in range(2000))

    def _begin_anew(self) -> None:
        self._log().write_text("started again\n")

    def _edit(self) -> None:
        self.version += 1
        position = {"line": 3, "character": 0}
        text = "# one more line\n" if self.version % 2 else ""
        end = position if text else {"line": 4, "character": 0}
        change = {"range": {"start": position, "end": end}, "text": text}
        document = {"uri": self.uri, "version": self.version}
        self.session.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )

    def _files(self) -> None:
        path = self.place / f"module_{self.count % 50}.py"
        if path.exists():
            path.unlink()
        else:
            path.write_text(SOURCE + f"value_{self.count} = {self.count}\n" * 50)

    def _folder(self) -> None:
        other = self.place.parent / f"other_{self.count % 5}"
        other.mkdir(exist_ok=True)
        (other / "train.py").write_text(SOURCE)
        folder = {"uri": other.as_uri(), "name": other.name}
        for added, removed in (([folder], []), ([], [folder])):
            event = {"added": added, "removed": removed}
            self.session.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def _paste(self) -> None:
        case = self.random.choice(CASES)
        text = (case / "log.txt").read_text("utf-8", "replace")
        self.session.command("dlBug.localize", {"text": text, "source": "soak"})

    def _dismiss(self) -> None:
        self.session.wait(self.session.command("dlBug.dismiss", {}))

    def _plant(self) -> None:
        others = sorted(self.place.parent.glob("other_*"))
        hostile.plant(self.random.choice([self.place, *others]), self.random)

    def _garble(self) -> None:
        self.session.send_bytes(self.random.choice(hostile.MESSAGES))

    def _hostile_log(self) -> None:
        with self._log().open("a") as stream:
            stream.write(self.random.choice(hostile.LOGS)())

    def _many_sources(self) -> None:
        text = FAILURE.format(key=f"key {self.count}")
        source = f"source {self.random.randrange(200)}"
        self.session.command("dlBug.localize", {"text": text, "source": source})

    def _burst(self) -> None:
        for _ in range(200):
            self._edit()

    def _hover(self) -> None:
        position = {"line": 5, "character": 8}
        self.session.ask(
            "textDocument/hover", {"textDocument": {"uri": self.uri}, "position": position}
        )

    def _beside(self) -> None:
        """Let the command line or another server work on the same folder; kill an older one."""
        run = ["run", "--", sys.executable, "-c", "raise ValueError(1)"]
        command = self.random.choice((["localize", "train.log"], run, ["server"], ["server"]))
        (self.place / "train.log").write_text(FAILURE.format(key="b"))
        if len(self.beside) > 2:
            old = self.beside.pop(0)
            old.kill()
            old.wait()
        one = subprocess.Popen(
            [sys.executable, "-m", "dl_bug_lsp", *command],
            cwd=self.place,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if command == ["server"] and one.stdin is not None:
            folder = {"uri": self.place.as_uri(), "name": "project"}
            start = {"processId": os.getpid(), "capabilities": {}, "workspaceFolders": [folder]}
            text = {"text": FAILURE.format(key=f"beside {self.count}"), "source": "beside"}
            asked = {"command": "dlBug.localize", "arguments": [text]}
            for message in (
                {"id": 1, "method": "initialize", "params": {**start, "rootUri": None}},
                {"method": "initialized", "params": {}},
                {"id": 2, "method": "workspace/executeCommand", "params": asked},
            ):
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                one.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            one.stdin.flush()
        self.beside.append(one)

    def ask(self) -> None:
        """Ask for what is shown, and note how long the answer took: it waits for no file."""
        began = time.monotonic()
        self.session.wait(self.session.command("dlBug.failures"), 120)
        self.answers.append(time.monotonic() - began)

    def end(self) -> None:
        """Kill what works beside the server."""
        for one in self.beside:
            one.kill()
            one.wait()
            if one.stdin is not None:
                with suppress(OSError):
                    one.stdin.close()

    def _lenses(self) -> None:
        asked = {"textDocument": {"uri": self.uri}}
        self.session.wait(self.session.ask("textDocument/codeLens", asked))


def main() -> int:
    """Print the course and what it amounts to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        place = Path(folder) / "project"
        assemble(place, [], CASES)
        subprocess.run(["git", "init", "-q", str(place)], check=False)
        (place / "runs").mkdir()
        (place / "train.py").write_text(SOURCE)
        for number in range(LOGS):
            (place / "runs" / f"{number}.log").write_text("started\n")
        return _soak(place, Path(folder) / "server.log", options.minutes)


def _soak(place: Path, log: Path, minutes: float) -> int:
    command = [sys.executable, "-m", "dl_bug_lsp", "server", "--log-file", str(log)]
    session = Session(command)
    session.initialize(place)
    session.settle()
    soak = Soak(session, place)
    begin = time.monotonic()
    course: list[tuple[float, float, int, int]] = []
    warm: tuple[int, int] | None = None
    print("| second | works | resident MB | threads | files |\n|---|---|---|---|---|")
    while (now := time.monotonic() - begin) < 60 * minutes:
        if session.process.poll() is not None:
            break
        soak.step()
        time.sleep(soak.random.uniform(0.01, 0.1))
        if soak.count % 10 == 0:
            soak.ask()
        if not course or now - course[-1][0] >= min(10, 60 * minutes / 20):
            course.append((now, session.resident(), session.threads(), session.descriptors()))
            _, resident, threads, files = course[-1]
            row = f"| {now:.0f} | {soak.count} | {resident:.1f} | {threads} | {files} |"
            print(row, flush=True)
        if warm is None and now >= warm_up(minutes):
            warm = _at_rest(session)
    soak.end()
    outside = place.parent / "outside"
    written = sorted(one.name for one in outside.iterdir()) if outside.exists() else []
    if (ended := session.process.poll()) is not None:
        print(f"\nWRONG the server ended after {soak.count} works, with exit code {ended}")
        return 1
    last = _at_rest(session)
    code = session.end()
    most = max(one[1] for one in course)
    course = [one for one in course if one[0] >= warm_up(minutes)] or course
    slowest = max(soak.answers, default=0.0)
    usual = statistics.median(soak.answers or [0.0])
    print(f"\n{soak.count} works; answers after {usual:.3f} s, the slowest after {slowest:.2f} s")
    print(f"{len(written)} files were written through links {written[:5]}")
    verdict = _verdict(course, warm or last, last, log.read_text("utf-8"), code, most)
    return verdict or bool(written)


def warm_up(minutes: float) -> float:
    """Return how many seconds of a run do not count."""
    return min(WARM_UP, 60 * minutes / 5)


def _at_rest(session: Session) -> tuple[int, int]:
    """Return the threads and open files once the server has nothing left to do."""
    session.wait(session.command("dlBug.failures"))
    session.settle()
    return session.threads(), session.descriptors()


def _verdict(
    course: list[tuple[float, float, int, int]],
    warm: tuple[int, int],
    last: tuple[int, int],
    log: str,
    code: int,
    most: float,
) -> int:
    slopes = [
        (b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(course, 2) if b[0] > a[0]
    ]
    slope = 3600 * statistics.median(slopes or [0.0])
    lines = log.splitlines()
    errors = [number for number, line in enumerate(lines) if " ERROR dl_bug_lsp" in line]
    memory = f"{course[0][1]:.1f} → {course[-1][1]:.1f} MB in {course[-1][0] - course[0][0]:.0f} s"
    good = {
        f"memory {slope:+.0f} MB an hour ({memory}, at most {STEEPEST:.0f})": slope <= STEEPEST,
        f"memory at most {most:.0f} MB (limit {MOST_RESIDENT:.0f})": most <= MOST_RESIDENT,
        f"threads at rest {warm[0]} → {last[0]}": last[0] <= warm[0],
        f"files at rest {warm[1]} → {last[1]}": last[1] <= warm[1],
        f"{len(errors)} errors in {len(lines)} lines of log": not errors,
        f"exit code {code}": code == 0,
    }
    print("\n" + "\n".join(f"{'ok   ' if ok else 'WRONG'} {told}" for told, ok in good.items()))
    for number in errors[:3]:
        print("\n".join(lines[number : number + 40]))
    return 0 if all(good.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
