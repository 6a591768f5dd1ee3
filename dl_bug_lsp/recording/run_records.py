"""Reads what the processes of a recorded run left: one JSON file each (see `tracing.starting`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.tracing.starting import VERSION

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
    found: list[ProcessRecord] = []
    problems: dict[str, None] = {}
    for name in data_folder.names(folder):
        if not (name.startswith("run-") and name.endswith(".json")):
            continue
        record = _read(folder / name)
        if isinstance(record, str):
            problems[record] = None
        else:
            found.append(record)
    told = data_folder.read(folder / "problem.txt", _LARGEST) or b""
    problems.update(dict.fromkeys(told.decode("utf-8", "replace").splitlines()))
    return tuple(sorted(found, key=lambda one: (one.ended, one.process))), tuple(problems)


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
        tuple(_broken(one, files) for one in document["failed"]),
    )


def _broken(one: Mapping[str, Any], files: Sequence[str]) -> Broken:
    return Broken(
        one["kind"] == "loop",
        files[one["file"]],
        int(one["first"]),
        int(one["end"]),
        str(one["name"]),
        int(one["passed"]),
        int(one["turn"]),
        tuple((int(n), int(first), _lines(lines, files)) for n, first, lines in one["kinds"]),
        _lines(one["lines"], files),
        {int(number): int(times) for number, times in one["signatures"]},
        tuple(one["met"]),
    )


def _met(rows: Sequence[Sequence[Any]], files: Sequence[str]) -> Iterator[Met]:
    for file, line, function, argument, text, call_file, call_line in rows:
        caller = files[call_file] if call_file >= 0 else ""
        yield Met(files[file], line, function, argument, text, caller, call_line)


def _lines(rows: Sequence[tuple[int, list[int]]], files: Sequence[str]) -> Lines:
    return {files[file]: tuple(lines) for file, lines in rows}
