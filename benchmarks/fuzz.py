"""Hand hostile inputs to every reader and to the protocol; can be stopped, and goes on.

    python benchmarks/fuzz.py [--inputs 1000000] [--folder .fuzz] [--only TARGET ...] [--table]

An input is made from the number that it has in its target, so that each can be made again
(``--show TARGET NUMBER``). Most are mutated texts of the fixtures and tests; every 50th is a piece
repeated 500 and 2,000 times, whose time has to grow as its length does. They are read in processes
of their own: what raises an exception, ends its process, or takes more than `MOST_SECONDS` of
processor time for its bytes is a finding, and stands in ``FOLDER/found.jsonl``: exit code 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BATCH = 2_500
"""Inputs of one process; each process pays for its imports."""
MOST_SECONDS = 20.0
"""Of processor time for one input; a grown one has up to 80 kB."""
LONGEST = 4_000
GROWN, TIMES = 50, 500
STEEPEST = 8.0
"""How many times longer four times the input may take, where that is more than a second."""
Target = Callable[[str, random.Random], object]
TARGETS: dict[str, Target] = {}
_WORDS = (
    "\n    [ ] { } ( ) < > \" ' ` \\ / | , ; : . = == + - * ** & && # % $ ${ $( @ ! ? ~ ^ _ "
    "\x00 \t \r \n \r\n\n    \x1b[31m \x1b]0; \x1b[2J \u202e \u2028 � \ufeff é 𝔘 0 1 -1 "
    "1e400 0x 99999999999999999999 nan\n    null true None --- ... <<: &a *a "
    '!!python/object: - ? >- | [[ ]] [a.b] a.b.c.d.e """ \'\'\' "\n    def class return '
    "lambda: async await for if else import from raise try: except: with as yield not\n    "
    "and or in is Traceback File line <module> Error: ValueError: KeyError: RuntimeError: "
    'shape size\n    torch.Size([ expected got [rank0]: [1,0]<stderr>: {"log": "stream" '
    "2026-01-01T00:00:00Z E/F0101\n    epoch loss: accuracy it/s 100%| <!DOCTYPE <!ENTITY "
    "<?xml ]]> &amp; <testcase <failure name=\n    %%time !pip {{ }} {% %} FROM RUN ENV "
    "export set -e \\ EOF << --lr --config= python torchrun\n"
)
WORDS = _WORDS.split(" ")


def target(function: Target) -> Target:
    """Enter a target under its function's name."""
    TARGETS[function.__name__] = function
    return function


@target
def logs(text: str, _: random.Random) -> object:
    """Read logs, tracebacks, messages, metrics, bug reports."""
    from dl_bug_lsp.bug_reports import read_report
    from dl_bug_lsp.logs.reader import read_log
    from dl_bug_lsp.signals.reader import read_metrics
    from dl_bug_lsp.tracebacks.reader import read_failures

    log = read_log(text.encode("utf-8", "surrogatepass"))
    return read_failures(log), read_metrics(log), read_report(text)


@target
def localizing(text: str, dice: random.Random) -> object:
    """Go the whole way from a log to its rendered report, beside files that are as hostile."""
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.views.json_view import to_json
    from dl_bug_lsp.views.markdown import render_markdown
    from dl_bug_lsp.views.sarif import to_sarif
    from dl_bug_lsp.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        for name, kind in (("train.py", "python"), ("conf.yaml", "configs"), ("a.csv", "tables")):
            made = mutated(dice.choice(seeds(kind)), kind, dice)
            (Path(folder) / name).write_text(made, "utf-8", "replace", newline="")
        workspace = Workspace(Path(folder), cache=False)
        report = localize(text.encode("utf-8", "surrogatepass"), workspace)
        return (
            json.dumps(to_json(report)),
            to_sarif(report, workspace.lines),
            render_markdown(report),
        )


@target
def configs(text: str, dice: random.Random) -> object:
    """Read configuration and launch files of every format."""
    from dl_bug_lsp.workspace.configs import reader_for

    name = dice.choice(CONFIGS)
    reader = reader_for(name)
    assert reader is not None
    return reader(name, text)


_CONFIGS = (
    "a.yaml a.yml a.json a.jsonc a.toml pyproject.toml a.ini a.gin .env a.sh a.sbatch Makefile "
    "Dockerfile requirements.txt a.csv a.tsv a.jsonl"
)
CONFIGS = _CONFIGS.split()


@target
def tables(text: str, dice: random.Random) -> object:
    """Read data files."""
    from dl_bug_lsp.workspace.configs.tables import read_table, rows_with

    name = dice.choice(("a.csv", "a.tsv", "a.jsonl", "a.json"))
    return read_table(name, text, is_cut=dice.random() < 0.5), rows_with(name, text, "1")


@target
def python(text: str, _: random.Random) -> object:
    """Read Python sources."""
    from dl_bug_lsp.workspace.elements import decode_python, python_record

    decoded = decode_python(text.encode("utf-8", "surrogatepass"))
    return python_record(decoded.text)


@target
def notebooks(text: str, _: random.Random) -> object:
    """Read notebooks."""
    from dl_bug_lsp.workspace.notebooks import parse_cells, read_cells

    return parse_cells(read_cells(text))


@target
def recorded(text: str, dice: random.Random) -> object:
    """Read what lies in ``.dlbug``, reports of tests, coverage data: as somebody else wrote it."""
    from dl_bug_lsp.recording.importing import JUnitError, read_junit
    from dl_bug_lsp.recording.recorded_runs import read_records
    from dl_bug_lsp.recording.session import CoverageDataError, read_coverage
    from dl_bug_lsp.recording.session_folder import read_journal
    from dl_bug_lsp.recording.store import StoreError, read_recording
    from dl_bug_lsp.runs.records import read
    from dl_bug_lsp.server.failures_file import StoredContent, beside
    from dl_bug_lsp.workspace.index import load

    data = text.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        file = root / ".dlbug" / dice.choice(("index.sqlite", "run-1.json", "spectrum.db"))
        file.parent.mkdir()
        file.write_bytes(data)
        if dice.random() < 0.5:
            file.write_bytes(spoiled(database(), dice))
        read_journal(file), read_records(file.parent), read(file), load(root)
        beside(data, StoredContent([], []), set())
        for reader, refusal in (
            (read_junit, JUnitError),
            (read_coverage, CoverageDataError),
            (read_recording, StoreError),
        ):
            with suppress(refusal):
                reader(file)  # type: ignore[operator]
    return None


@target
def ignoring(text: str, dice: random.Random) -> object:
    """Read ignore files, globs, settings."""
    from dl_bug_lsp.settings.reading import read_given
    from dl_bug_lsp.watching.folders import LogRules
    from dl_bug_lsp.workspace.walk import GitIgnore

    name = "".join(dice.choice("ab/*.") for _ in range(dice.randrange(1, 200)))
    rules = LogRules(tuple(text.splitlines()[:50]))
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = {"logs": {"include": text.split()}, text[:20]: text}
    return GitIgnore("", text).decision(name, False), rules.is_log(name), read_given(given)


@target
def protocol(text: str, dice: random.Random) -> object:
    """Read frames, and messages that the server takes in."""
    from dl_bug_lsp.server.transports import StreamChannel

    channel = StreamChannel(BytesIO(text.encode("utf-8", "surrogatepass")), BytesIO())
    while channel.receive() is not None:
        pass
    loop, server = listening()
    for _ in range(3):
        loop.run_until_complete(_taken(server, message(text, dice)))
    return None


async def _taken(server: Any, body: bytes) -> None:
    server.protocol.take(body)
    await asyncio.sleep(0)


@cache
def listening() -> tuple[asyncio.AbstractEventLoop, Any]:
    """Return a loop and a server of this process whose session has begun."""
    from dl_bug_lsp.server.run import make_server

    class Nowhere:
        def write(self, data: bytes) -> None:
            json.loads(data)

        def close(self) -> None:
            pass

    loop, server = asyncio.new_event_loop(), make_server()
    asyncio.set_event_loop(loop)
    server.protocol.set_writer(Nowhere(), include_headers=False)  # type: ignore[arg-type]
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    start = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    loop.run_until_complete(_taken(server, json.dumps(start).encode()))
    return loop, server


_METHODS = """
    textDocument/didOpen textDocument/didChange textDocument/didClose textDocument/didSave
    textDocument/hover textDocument/codeLens textDocument/codeAction workspace/executeCommand
    workspace/didChangeWorkspaceFolders workspace/didChangeWatchedFiles workspace/didRenameFiles
    workspace/didDeleteFiles workspace/didChangeConfiguration notebookDocument/didOpen
    notebookDocument/didChange textDocument/documentLink textDocument/documentSymbol initialize
    $/cancelRequest window/workDoneProgress/cancel textDocument/unknown codeLens/resolve initialized
"""
METHODS = _METHODS.split()


def message(text: str, dice: random.Random) -> bytes:
    """Return a message with parameters that only resemble those of its method."""
    if dice.random() < 0.2:
        return text.encode("utf-8", "surrogatepass")
    place = {"line": dice.choice((0, 1, -1, 2**31, "x")), "character": dice.choice((0, 5, None))}
    uri = dice.choice(("file:///nowhere/a.py", "file://%%", "untitled:1", text[:50], 7, ""))
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    area = {"start": place, "end": place}
    params: dict[str, Any] = {
        "textDocument": document,
        "position": place,
        "range": area,
        "context": {"diagnostics": []},
        "contentChanges": [{"range": area, "text": text[:100]}, {"text": text}],
        "command": dice.choice(("dlBug.report", "dlBug.dismiss", "dlBug.next", text[:20])),
        "arguments": [dice.choice(({"text": 1}, {"report": text[:9]}, text[:9], None))],
        "files": [{"oldUri": uri, "newUri": uri, "uri": uri}],
        "changes": [{"uri": uri, "type": dice.randrange(5)}],
        "event": {"added": [{"uri": uri, "name": "a"}], "removed": []},
        "notebookDocument": {"uri": uri, "notebookType": "jupyter-notebook", "cells": []},
        "settings": {"dlBug": text[:30]},
        "id": dice.choice((1, "x", None)),
    }
    for name in dice.sample(sorted(params), dice.randrange(3)):
        params[name] = dice.choice((None, 1, text[:10], [], {}, [dict(params)]))
    whole: dict[str, Any] = {"jsonrpc": "2.0", "method": dice.choice(METHODS), "params": params}
    if dice.random() < 0.6:
        whole["id"] = dice.choice((2, "a", 1.5, None))
    return json.dumps(whole).encode()


SEEDS = {
    "logs": ("fixtures/*/log.txt", "tests/tracebacks/cases/*.txt", "tests/pasted/cases/*.txt"),
    "python": ("fixtures/*/workspace/*.py",),
    "configs": (
        *(f"fixtures/*/workspace/**/*.{kind}" for kind in ("yaml", "json", "toml", "sh", "csv")),
        *("pyproject.toml", "Makefile", "constraints.txt", "client-vscode/package.json"),
    ),
    "tables": ("fixtures/*/workspace/**/*.csv", "fixtures/*/workspace/**/*.jsonl"),
    "notebooks": ("fixtures/*/workspace/**/*.ipynb",),
    "ignoring": (".gitignore", "pyproject.toml", "dl_bug_lsp/watching/folders.py"),
    "recorded": ("docs/report.schema.json", "tests/pasted/cases/*.toml"),
    "protocol": ("docs/report.schema.json", "docs/server.md"),
}


@cache
def seeds(kind: str) -> tuple[str, ...]:
    """Return texts to begin with, bounded."""
    found = [p for glob in SEEDS.get(kind, SEEDS["logs"]) for p in sorted(ROOT.glob(glob))]
    return tuple(p.read_text("utf-8", "replace")[:60_000] for p in found if p.is_file()) or ("{}",)


@cache
def database() -> bytes:
    """Return a spectrum file of ours."""
    from dl_bug_lsp.recording.session import Hits, Phase, RecordedTest, Session
    from dl_bug_lsp.recording.store import write_session
    from dl_bug_lsp.spectrum.spectrum import Outcome

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spectrum.db"
        hits = {(Phase.CALL, "a.py"): Hits(b"\x06", ((1, 2), (2, -1)))}
        tests = tuple(
            RecordedTest(f"a.py::test_{n}", Outcome.FAILED, Phase.CALL, "E", 0.1, hits)
            for n in range(20)
        )
        write_session(file, Session("2026", "pytest", tests, {}, {"a.py": "x = 1\n"}, {}, False))
        return file.read_bytes()


def spoiled(data: bytes, dice: random.Random) -> bytes:
    """Return bytes of which some are others."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 3, 30))):
        out[dice.randrange(len(out))] = dice.randrange(256)
    return bytes(out[: dice.randrange(len(out))] if dice.random() < 0.1 else out)


def mutated(text: str, kind: str, dice: random.Random) -> str:
    """Return a part of a text with a few changes."""
    start = dice.randrange(max(1, len(text) - LONGEST // 2))
    out = text[start : start + dice.randrange(1, LONGEST)]
    for _ in range(dice.choice((1, 2, 4, 16))):
        at = dice.randrange(len(out) + 1)
        end = min(len(out), at + dice.choice((0, 1, 5, 40)))
        way = dice.randrange(6)
        if way < 3:
            new = dice.choice(WORDS) * dice.choice((1, 1, 1, 3, 60))
        elif way == 3:
            other = dice.choice(seeds(kind))
            begin = dice.randrange(max(1, len(other)))
            new = other[begin : begin + dice.randrange(1, 200)]
        elif way == 4:
            new = out[end : end + 100] * dice.choice((1, 2, 5))
        else:
            new = chr(dice.choice((0, 9, 10, 13, 27, 127, 0x85, 0x2028, 0x202E, 0xD800, 0x1F600)))
        out = (out[:at] + new + out[end:])[: 2 * LONGEST]
    return out


def grown(kind: str, dice: random.Random) -> tuple[str, str, str]:
    """Return what stands before, what is repeated, and what stands behind."""
    other = dice.choice(seeds(kind))
    begin = dice.randrange(max(1, len(other)))
    piece = dice.choice(
        (
            "".join(dice.choice(WORDS) for _ in range(dice.randrange(1, 4))),
            other[begin : begin + dice.randrange(1, 40)],
            f"{dice.choice(WORDS)}{dice.choice(WORDS)}\n",
        )
    )
    head = mutated(other, kind, dice)[: dice.choice((0, 200))]
    return head, piece, dice.choice(("", dice.choice(WORDS), head))


def made(name: str, number: int) -> list[str]:
    """Return the texts of an input: one, or a repeated piece and four times as many of it."""
    dice = random.Random(f"{name} {number}")
    if number % GROWN:
        return [mutated(dice.choice(seeds(name)), name, dice)]
    head, piece, tail = grown(name, dice)
    return [head + piece * times + tail for times in (TIMES, 4 * TIMES)]


class _SlowError(Exception):
    pass


def _late(*_: object) -> None:
    raise _SlowError(f"more than {MOST_SECONDS:g} s of processor time")


def read_input(name: str, number: int) -> tuple[str | None, float]:
    """Hand one input over; return what is wrong with that, and the seconds of the last text."""
    times: list[float] = []
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        for text in made(name, number):
            began = time.process_time()
            TARGETS[name](text, random.Random(number))
            times.append(time.process_time() - began)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return "".join(traceback.format_exception(error))[-3000:], 0.0
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if len(times) > 1 and times[-1] > max(1.0, STEEPEST * times[0]):
        return f"superlinear: {times[0]:.2f} s, four times the length {times[-1]:.2f} s", times[-1]
    return None, times[-1]


def work(name: str, start: int, count: int) -> int:
    """Read inputs, one line of JSON each: its number before it, what is wrong behind it."""
    import logging

    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGVTALRM, _late)
    for number in range(start, start + count):
        print(number, flush=True)
        wrong, seconds = read_input(name, number)
        print(json.dumps([wrong, round(seconds, 3)]), flush=True)
    return 0


def batch(name: str, start: int, count: int) -> tuple[int, list[dict[str, Any]], float]:
    """Run a process over inputs; return how many were read, the findings, the longest time."""
    command = [sys.executable, __file__, "--work", name, str(start), str(count)]
    done = subprocess.run(command, capture_output=True, check=False)
    lines = done.stdout.decode("ascii", "replace").splitlines()
    found, longest, answers = [], 0.0, 0
    for line in lines:
        if line.startswith("["):
            wrong, seconds = json.loads(line)
            longest = max(longest, seconds)
            if wrong:
                found.append({"target": name, "number": start + answers, "wrong": wrong})
            answers += 1
    if answers < count and done.returncode in (-2, 130):
        raise KeyboardInterrupt
    if answers < count:
        wrong = f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-2000:]}"
        found.append({"target": name, "number": start + answers, "wrong": wrong})
        answers += 1
    return answers, found, longest


def run(folder: Path, wanted: int, names: list[str]) -> int:
    """Go on with each target in turn until so many inputs were read; return the exit code."""
    folder.mkdir(exist_ok=True)
    place = folder / "state.json"
    state: dict[str, Any] = json.loads(place.read_text()) if place.exists() else {}
    while sum(one["read"] for one in state.values()) < wanted:
        for name in names:
            known = state.setdefault(name, {"read": 0, "found": 0, "longest": 0.0, "seconds": 0.0})
            began = time.monotonic()
            read, found, longest = batch(name, known["read"], BATCH // (10 if name in SLOW else 1))
            with (folder / "found.jsonl").open("a") as stream:
                stream.writelines(json.dumps(one) + "\n" for one in found)
            known["read"] += read
            known["found"] += len(found)
            known["longest"] = max(known["longest"], longest)
            known["seconds"] += time.monotonic() - began
            passing = place.with_suffix(".tmp")
            passing.write_text(json.dumps(state, indent=1))
            passing.replace(place)
    return table(folder)


SLOW = ("localizing", "recorded")


def table(folder: Path) -> int:
    """Print what was read so far; return 1 where anything was found."""
    place = folder / "state.json"
    state = json.loads(place.read_text()) if place.exists() else {}
    print("| target | inputs | findings | longest, s of processor |\n|---|---|---|---|")
    for name, one in sorted(state.items()):
        print(f"| {name} | {one['read']:,} | {one['found']} | {one['longest']:.2f} |")
    print(f"| all | {sum(one['read'] for one in state.values()):,} | |")
    return 1 if any(one["found"] for one in state.values()) else 0


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"))
    parser.add_argument("--only", nargs="+", choices=sorted(TARGETS), default=list(TARGETS))
    parser.add_argument("--table", action="store_true", help="print what was read, and end")
    parser.add_argument("--show", nargs=2, metavar=("TARGET", "NUMBER"), help="print one input")
    parser.add_argument("--again", action="store_true", help="hand all findings over once more")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        name, start, count = options.work
        return work(name, int(start), int(count))
    if options.show:
        print(ascii(made(options.show[0], int(options.show[1]))))
        return 0
    if options.again:
        return again(options.folder)
    if options.table:
        return table(options.folder)
    try:
        return run(options.folder, options.inputs, options.only)
    except KeyboardInterrupt:
        return table(options.folder)


def again(folder: Path) -> int:
    """Hand the findings over once more, and keep those that are still wrong."""
    place, state_place = folder / "found.jsonl", folder / "state.json"
    lines = place.read_text().splitlines() if place.exists() else []
    left = []
    for one in map(json.loads, lines):
        _, found, _ = batch(one["target"], one["number"], 1)
        left += found
        print(one["target"], one["number"], "still" if found else "mended", flush=True)
    place.write_text("".join(json.dumps(one) + "\n" for one in left))
    state = json.loads(state_place.read_text())
    for name, known in state.items():
        known["found"] = sum(1 for one in left if one["target"] == name)
    state_place.write_text(json.dumps(state, indent=1))
    return table(folder)


if __name__ == "__main__":
    raise SystemExit(main())
