"""Time the language server as an editor feels it: medians and 95th percentiles, with their bars.

    python benchmarks/latency.py [--runs N] [--only MEASURE ...] [--beside NAME=COMMAND ...]

One workspace of about 5,000 Python files is put together from the packages installed beside this
program, with recorded failing programs (as `speed.py` does). Each measure talks to the real
process over standard input and output and takes the time on the clock at which a message is read.
``--beside`` starts other servers on the same folder in the same run: time to the answer of
``initialize``, and resident memory once they have become quiet. Linux only (it reads ``/proc``).
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lsp_session import Session, publishes
from speed import CASES
from speed_inputs import assemble, default_sources

OURS = [sys.executable, "-m", "dl_bug_lsp", "server"]
WRITER = Path(__file__).with_name("latency_writer.py")
LONG_DOCUMENT = 20_000


@dataclass(frozen=True)
class Row:
    """One line of the table; ``bar`` is the most that the median or ``p95`` may be."""

    name: str
    median: float
    p95: float | None
    unit: str
    bar: float | None = None
    on_p95: bool = False

    @property
    def holds(self) -> bool:
        """Whether the bar is kept."""
        value = self.p95 if self.on_p95 and self.p95 is not None else self.median
        return self.bar is None or value <= self.bar

    def __str__(self) -> str:
        p95 = "" if self.p95 is None else _words(self.p95, self.unit)
        bar = ""
        if self.bar is not None:
            bar = f"{'p95 ' * self.on_p95}≤ {_words(self.bar, self.unit)}"
            bar += "" if self.holds else " **missed**"
        return f"| {self.name} | {_words(self.median, self.unit)} | {p95} | {bar} |"


def main() -> int:
    """Print the table; 1 where a bar is missed."""
    options = _parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        place = Path(folder) / "workspace"
        assemble(place, default_sources()[1][1], CASES)
        for number in range(options.logs):
            log = place / "runs" / f"{number:04}" / "train.log"
            log.parent.mkdir(parents=True)
            log.write_text("started\n")
        print("| measure | median | p95 | bar |\n|---|---|---|---|", flush=True)
        held = True
        for name, measure in MEASURES.items():
            if not options.only or name in options.only:
                for row in measure(options, place):
                    print(row, flush=True)
                    held = held and row.holds
    return 0 if held else 1


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15, help="times that each measure is taken")
    parser.add_argument("--only", nargs="+", choices=sorted(MEASURES), help="only these measures")
    parser.add_argument("--logs", type=int, default=1000, help="logs that are watched")
    parser.add_argument("--rate", type=int, default=10_000, help="bytes a second that each grows")
    parser.add_argument("--seconds", type=int, default=20, help="how long the logs grow")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=COMMAND")
    return parser.parse_args()


def _initialize(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    yield _times("initialize", _starts(OURS, place, options.runs), 0.35)
    for name, command in _others(options):
        yield _times(f"initialize, {name}", _starts(command, place, options.runs))


def _starts(command: list[str], place: Path, runs: int) -> list[float]:
    found = []
    for _ in range(runs):
        session = Session(command)
        found.append(session.initialize(place))
        session.process.kill()
        session.process.wait()
    return found


def _memory(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    with_index = _ready(place)
    yield Row("resident memory, indexed", with_index.resident(), None, "MB", 250)
    for case in CASES:
        _localize(with_index, case)
    yield Row("resident memory, after failures", with_index.resident(), None, "MB", 250)
    with_index.end()
    for name, command in _others(options):
        session = Session(command)
        session.initialize(place)
        session.settle()
        yield Row(f"resident memory, {name}", session.resident(), None, "MB")
        session.process.kill()


def _text(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    session = _ready(place)
    yield Row("first text to diagnostics", _localize(session, CASES[0]), None, "s")
    again: list[float] = []
    for case in CASES:
        _localize(session, case)
        again.extend(_localize(session, case) for _ in range(options.runs))
    yield _times("text to diagnostics, once more", again, 0.15, on_p95=True)
    found = [_localize(session, case) for _ in range(options.runs) for case in CASES]
    yield _times("text to diagnostics, in turn", found)
    session.end()


def _localize(session: Session, case: Path) -> float:
    text = (case / "log.txt").read_text("utf-8", "replace")
    # Marks that stand already are not pushed again.
    session.wait(session.command("dlBug.clear"))
    session.forget()
    begin = time.perf_counter()
    number = session.command("dlBug.localize", {"text": text, "source": "latency"})
    shown = session.heard(publishes)
    session.wait(number)
    return shown - begin


def _edits(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    session = _ready(place)
    _localize(session, CASES[0])
    short = place / "projects" / CASES[0].name / "leafcls" / "models" / "head.py"
    text = short.read_text("utf-8")
    yield _edit(session, short, text, "a didChange, in a file with marks", options.runs)
    lines = (f"value_{n} = compute({n})  # line {n} of a long file\n" for n in range(LONG_DOCUMENT))
    long = place / "projects" / CASES[0].name / "long_file.py"
    yield _edit(session, long, "".join(lines), "a didChange, 20,000 lines", options.runs)
    session.end()


def _edit(session: Session, file: Path, text: str, name: str, runs: int) -> Row:
    uri = file.as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    session.notify("textDocument/didOpen", {"textDocument": document})
    line = text.count("\n") // 2
    alone, both = [], []
    for version in range(2, 2 + 10 * runs):
        alone.append(_trivial(session))
        position = {"line": line, "character": 0}
        change = {
            "range": {"start": position, "end": position},
            "text": "x" if version % 2 else "\n",
        }
        begin = time.perf_counter()
        edit = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        session.notify("textDocument/didChange", edit)
        both.append(_trivial(session, begin))
    base = statistics.median(alone)
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return _times(name, [max(0.0, one - base) for one in both], 0.005)


def _trivial(session: Session, begin: float | None = None) -> float:
    begin = begin if begin is not None else time.perf_counter()
    return session.wait(session.command("dlBug.report", {"report": "none"}))[0] - begin


def _logs(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    session = _ready(place)
    log = place / "runs" / "0000" / "train.log"
    text = (CASES[0] / "log.txt").read_text("utf-8")
    found = []
    for number in range(options.runs + 2):
        time.sleep(1.0 + 0.037 * (number % 10))
        session.forget()
        with log.open("a", encoding="utf-8") as stream:
            stream.write(text.replace("8x216", f"{number + 9}x216"))
        begin = time.perf_counter()
        found.append(session.heard(publishes) - begin)
    yield _times("failure appended to a log, to diagnostics", found[2:], 0.3)
    session.end()


def _growth(options: argparse.Namespace, place: Path) -> Iterator[Row]:
    session = _ready(place)
    yield from [_idle(session, options)]
    command = [sys.executable, str(WRITER), str(place / "runs"), str(options.rate)]
    writer = subprocess.Popen([*command, str(options.seconds + 5)])
    time.sleep(3)
    cpu, clock = session.cpu(), time.perf_counter()
    time.sleep(options.seconds)
    share = (session.cpu() - cpu) / (time.perf_counter() - clock)
    code = writer.wait()
    name = f"{options.logs} logs growing by {options.rate / 1000:g} kB/s each"
    yield Row(name if code == 0 else f"{name} (WRITER TOO SLOW)", share, None, "cores", 0.2)
    session.end()


def _idle(session: Session, options: argparse.Namespace) -> Row:
    cpu, clock = session.cpu(), time.perf_counter()
    time.sleep(5)
    share = (session.cpu() - cpu) / (time.perf_counter() - clock)
    return Row(f"{options.logs} watched logs at rest", share, None, "cores")


def _ready(place: Path) -> Session:
    """Return a session whose server has indexed the folder."""
    session = Session(OURS, {"logs": {"include": ["runs/**/*.log"]}})
    session.initialize(place)
    session.settle()
    return session


def _others(options: argparse.Namespace) -> list[tuple[str, list[str]]]:
    pairs = [one.partition("=") for one in options.beside]
    return [(name, shlex.split(command)) for name, _, command in pairs]


def _times(name: str, found: list[float], bar: float | None = None, on_p95: bool = False) -> Row:
    p95 = statistics.quantiles(found, n=20, method="inclusive")[-1] if len(found) > 1 else None
    return Row(name, statistics.median(found), p95, "s", bar, on_p95)


def _words(value: float, unit: str) -> str:
    if unit == "s":
        return f"{1000 * value:.1f} ms" if value < 0.1 else f"{1000 * value:.0f} ms"
    return f"{value:.0f} {unit}" if unit == "MB" else f"{value:.3f} {unit}"


MEASURES: dict[str, Callable[[argparse.Namespace, Path], Iterator[Row]]] = {
    "initialize": _initialize,
    "memory": _memory,
    "text": _text,
    "edits": _edits,
    "logs": _logs,
    "growth": _growth,
}


if __name__ == "__main__":
    raise SystemExit(main())
