"""Recorded runs: their folder, what their processes left, and the session made of it.

The run counts as a test, and so does each iteration of the loop that the failure interrupted; of
several such loops, the most informative one is taken. Each process leaves one JSON file (see
`tracing.starting`).
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.python_path import python_path
from dl_bug_lsp.recording.session import (
    Hits,
    Phase,
    RecordedTest,
    Session,
    lines_of,
    numbits_of,
    union,
)
from dl_bug_lsp.recording.session_folder import FOLDER, LONGEST_TEXT, is_running, remove
from dl_bug_lsp.recording.tracing.starting import VERSION
from dl_bug_lsp.spectrum.spectrum import Outcome, Signature
from dl_bug_lsp.workspace.elements import parse

NOTHING = (
    "nothing was recorded: the command started no Python that runs code of the workspace "
    "to its end (python -I, -E and -S keep the recorder out, os._exit ends without a word)"
)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run's session; ``loop`` is the one whose turns were compared.

    ``spent`` and ``processor`` are of the process that recording slowed most: about how many
    seconds it took, of how many seconds of processor time in all.
    """

    session: Session
    loop: Broken | None
    spent: float
    processor: float
    problems: tuple[str, ...]


def read_run(
    folder: Path, root: Path, source: str, started: str, is_failing: bool, output: str
) -> RecordedRun | None:
    """Read what a run's processes left in ``folder``; None with nothing of the workspace in it.

    ``source`` names the run (``run:`` and its command), ``output`` is what it printed.
    """
    records, problems = read_records(folder)
    texts, changed = _texts(records, root)
    records_kept = [record for record in records if any(file in texts for file in record.lines)]
    if not records_kept:
        return None
    name = f"{source} ({'failed' if is_failing else 'passed'})"
    failed = (
        next((record for record in records_kept if record.broken), None) if is_failing else None
    )
    failed = failed or records_kept[0]
    loop = most_informative_loop(failed.broken, texts.get, list(texts)) if is_failing else None
    everything = _union(record.lines for record in records_kept)
    whole = RecordedTest(
        name,
        Outcome.FAILED if is_failing else Outcome.PASSED,
        Phase.CALL if is_failing else None,
        output[-LONGEST_TEXT:] if is_failing else "",
        failed.seconds,
        _hits(everything, Phase.CALL, texts),
        signatures=_signatures(failed, loop, is_failing),
    )
    turns = _turns(name, loop, everything, texts) if loop is not None else []
    replaces = {f"{source} (failed)"} if is_failing else {name, f"{source} (failed)"}
    session = Session(
        started,
        source.removeprefix("run:"),
        (whole, *turns),
        sources=texts,
        replaces=frozenset(replaces),
    )
    slowest = max(records_kept, key=lambda record: record.spent)
    if not all(record.is_whole for record in records_kept):
        problems = (*problems, "another tracer took over while it ran; the record is not whole")
    return RecordedRun(session, loop, slowest.spent, slowest.processor, (*problems, *changed))


def _texts(records: Iterable[ProcessRecord], root: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the sources of the files that ran; one that was edited since is left out."""
    sums = {file: crc for record in records for file, crc in record.checksums.items()}
    texts: dict[str, str] = {}
    changed: list[str] = []
    for file in sorted(sums):
        data = data_folder.read_below(root, file, databases.LARGEST_VALUE)
        with suppress(UnicodeDecodeError):
            if data is not None and zlib.crc32(data) == sums[file]:
                texts[file] = data.decode("utf-8")
                continue
        changed.append(f"{file} changed while it ran; its lines are left out")
    return texts, tuple(changed)


def _turns(
    whole: str, loop: Broken, everything: Mapping[str, bytes], texts: Mapping[str, str]
) -> list[RecordedTest]:
    inside = _union([loop.lines, *(lines for _, _, lines in loop.kinds)])
    around = {file: _without(lines, inside.get(file, b"")) for file, lines in everything.items()}
    setup = _hits(around, Phase.SETUP, texts)
    failing = RecordedTest(
        f"{whole}, step {loop.turn + 1}",
        Outcome.FAILED,
        Phase.CALL,
        hits={**setup, **_hits(_union([loop.lines]), Phase.CALL, texts)},
        part_of=whole,
    )
    passing = [
        RecordedTest(
            f"{whole}, {count} as step {first + 1}",
            Outcome.PASSED,
            hits={**setup, **_hits(_union([lines]), Phase.CALL, texts)},
            weight=count,
            part_of=whole,
        )
        for count, first, lines in loop.kinds
    ]
    return [failing, *passing]


def _signatures(
    record: ProcessRecord, loop: Broken | None, is_failing: bool
) -> tuple[Signature, ...]:
    """Return how often passing and failing turns met each signature, else the run as a whole."""
    passing: Mapping[int, int] = {} if is_failing else dict.fromkeys(record.met, 1)
    failing = set(record.met) if is_failing else set()
    if loop is not None:
        passing, failing = loop.signatures, set(loop.met)
    signatures = []
    for number, met in enumerate(record.signatures):
        if number in failing or passing.get(number):
            place = (met.file, met.line, met.function, met.argument, met.text)
            counts = (passing.get(number, 0), int(number in failing))
            signatures.append(Signature(*place, met.call_file, met.call_line, *counts))
    return tuple(signatures)


def _hits(
    lines: Mapping[str, bytes], phase: Phase, texts: Mapping[str, str]
) -> dict[tuple[Phase, str], Hits]:
    return {(phase, file): Hits(lines[file]) for file in sorted(lines) if file in texts}


def _union(many: Iterable[Lines]) -> dict[str, bytes]:
    by_file: dict[str, bytes] = {}
    for lines_by_file in many:
        for file, lines in lines_by_file.items():
            by_file[file] = union(by_file.get(file, b""), numbits_of(lines))
    return by_file


def _without(lines: bytes, others: bytes) -> bytes:
    return numbits_of(set(lines_of(lines)) - set(lines_of(others)))


FEW = 3
"""Turns that must have passed; of fewer little can be learned."""
_STEPS = frozenset((
    "backward", "step", "train_step", "training_step", "train_on_batch", "apply_gradients",
    "GradientTape", "value_and_grad", "apply_updates", "partial_fit", "optimize_step", "update",
    "zero_grad",
))  # fmt: skip
_HOPS = 4


def most_informative_loop(
    broken: Sequence[Broken], text_of: Callable[[str], str | None], files: Sequence[str]
) -> Broken | None:
    """Return the loop or callback to compare turns of; ``broken`` are innermost first.

    The innermost loop that reaches a training step; else, where a framework holds the loop, the
    outermost function that it calls again and again; else what has most turns. Those of which `FEW`
    turns passed go before others; None where none has passed.
    """
    tried = [scope for scope in broken if scope.passed > 0]
    for few in (FEW, 1):
        enough = [scope for scope in tried if scope.passed >= few]
        if enough:
            loops = [scope for scope in enough if scope.is_loop]
            steps = _Steps(text_of, files) if loops else None
            stepping = [scope for scope in loops if steps and steps.reached(scope)]
            calls = [scope for scope in enough if not scope.is_loop]
            if stepping:
                return stepping[0]
            return calls[-1] if calls else max(enough, key=lambda scope: scope.passed)
    return None


class _Steps:
    """Answers whether a training step is reached from some lines, by the names that are called."""

    def __init__(self, text_of: Callable[[str], str | None], files: Sequence[str]) -> None:
        self._trees: dict[str, ast.Module] = {}
        self._calls: dict[str, set[str]] = {}
        for file in files:
            tree = _parsed(text_of(file))
            if tree is None:
                continue
            self._trees[file] = tree
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._calls.setdefault(node.name, set()).update(_called(node))

    def reached(self, loop: Broken) -> bool:
        tree = self._trees.get(loop.file)
        names: set[str] = set()
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and node.lineno == loop.first:
                names |= {name for part in node.body for name in _called(part)}
        seen: set[str] = set()
        for _ in range(_HOPS):
            if names & _STEPS:
                return True
            seen |= names
            names = {n for name in names for n in self._calls.get(name, ())} - seen
        return False


def _parsed(text: str | None) -> ast.Module | None:
    return parse(text).tree if text is not None else None


def _called(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            name = getattr(inner.func, "attr", getattr(inner.func, "id", None))
            if isinstance(name, str):
                names.add(name)
    return names


_LARGEST = 2**28
"""Bytes of a record that are read."""
Lines = Mapping[str, tuple[int, ...]]
"""1-based lines by file of the workspace."""


@dataclass(frozen=True, slots=True)
class Met:
    """A signature that a function met: its first line, and the line of the workspace's call."""

    file: str
    line: int
    function: str
    argument: str
    text: str
    call_file: str
    call_line: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A loop, or a function that a library calls, in whose turn ``turn`` (0-based) the run failed.

    ``kinds`` are the turns that passed: (their number, the first of them, their lines).
    ``signatures`` says in how many of them each signature of the process was met.
    """

    is_loop: bool
    file: str
    first: int
    end: int
    name: str
    passed: int
    turn: int
    kinds: tuple[tuple[int, int, Lines], ...]
    lines: Lines
    signatures: Mapping[int, int]
    met: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """One process; ``checksums`` are CRC-32 of the files as they ran; times in seconds.

    ``spent`` of its ``processor`` time went into recording.
    """

    process: int
    is_whole: bool
    ended: float
    seconds: float
    processor: float
    spent: float
    checksums: Mapping[str, int]
    lines: Lines
    signatures: tuple[Met, ...]
    met: tuple[int, ...]
    broken: tuple[Broken, ...]


def read_records(folder: Path) -> tuple[tuple[ProcessRecord, ...], tuple[str, ...]]:
    """Return the records in the order in which the processes ended, and what went wrong."""
    records: list[ProcessRecord] = []
    problems: dict[str, None] = {}
    for name in data_folder.names(folder):
        if not (name.startswith("run-") and name.endswith(".json")):
            continue
        record = _read(folder / name)
        if isinstance(record, str):
            problems[record] = None
        else:
            records.append(record)
    problem_text = data_folder.read(folder / "problem.txt", _LARGEST) or b""
    problems.update(dict.fromkeys(problem_text.decode("utf-8", "replace").splitlines()))
    return tuple(sorted(records, key=lambda record: (record.ended, record.process))), tuple(
        problems
    )


def _read(path: Path) -> ProcessRecord | str:
    """Read one record, or say why there is none."""
    try:
        document = json.loads(data_folder.read(path, _LARGEST) or b"")
        if "problem" in document:
            return str(document["problem"])
        return _record(document)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return "a process left no readable record"


def _record(document: Mapping[str, Any]) -> ProcessRecord:
    if document["version"] != VERSION:
        raise ValueError(document["version"])
    files = [name for name, _ in document["files"]]
    return ProcessRecord(
        int(document["process"]),
        bool(document["is_whole"]),
        float(document["ended"]),
        float(document["ended"]) - float(document["began"]),
        float(document["processor"]),
        float(document["spent"]),
        dict(document["files"]),
        _lines(document["lines"], files),
        tuple(_met(document["signatures"], files)),
        tuple(document["met"]),
        tuple(_broken(scope, files) for scope in document["failed"]),
    )


def _broken(scope: Mapping[str, Any], files: Sequence[str]) -> Broken:
    return Broken(
        scope["kind"] == "loop",
        files[scope["file"]],
        int(scope["first"]),
        int(scope["end"]),
        str(scope["name"]),
        int(scope["passed"]),
        int(scope["turn"]),
        tuple((int(n), int(first), _lines(lines, files)) for n, first, lines in scope["kinds"]),
        _lines(scope["lines"], files),
        {int(number): int(times) for number, times in scope["signatures"]},
        tuple(scope["met"]),
    )


def _met(rows: Sequence[Sequence[Any]], files: Sequence[str]) -> Iterator[Met]:
    for file, line, function, argument, text, call_file, call_line in rows:
        caller = files[call_file] if call_file >= 0 else ""
        yield Met(files[file], line, function, argument, text, caller, call_line)


def _lines(rows: Sequence[tuple[int, list[int]]], files: Sequence[str]) -> Lines:
    return {files[file]: tuple(lines) for file, lines in rows}


_PREFIX = "run-"
_OURS = re.compile(r"run-\d+\.json(?:\.tmp)?|problem\.txt")


@contextlib.contextmanager
def run_folder(root: Path) -> Iterator[Path]:
    """Make a folder for the records of a run's processes, and remove it; raises OSError."""
    base = data_folder.prepare(root, FOLDER)
    for name in data_folder.names(base):
        process, old = name.removeprefix(_PREFIX), base / name
        # Also one that an earlier process of our own number left.
        is_old = process.isdigit() and len(process) < 19 and name.startswith(_PREFIX)
        if is_old and (int(process) == os.getpid() or not is_running(int(process))):
            remove(old, _OURS)
    folder = base / f"{_PREFIX}{os.getpid()}"
    data_folder.make_new(folder)
    try:
        yield folder
    finally:
        remove(folder, _OURS)


def environment(folder: Path, root: Path, of: Mapping[str, str]) -> dict[str, str]:
    """Return what to set so that every Python that is started records what it runs."""
    return {
        "DL_BUG_SPECTRUM": str(folder.resolve()),
        "DL_BUG_ROOT": str(root.resolve()),
        "PYTHONPATH": python_path(of.get("PYTHONPATH")),
    }
