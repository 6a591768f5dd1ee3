"""Makes a session of a recorded run: the run is a test, and so are the turns of its loop."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.recording.journal import LONGEST_TEXT
from dl_bug_lsp.recording.numbits import lines_of, numbits_of, union
from dl_bug_lsp.recording.run_loops import telling_loop
from dl_bug_lsp.recording.run_records import Broken, Lines, ProcessRecord, read_records
from dl_bug_lsp.recording.values import Hits, Phase, RecordedTest, Session
from dl_bug_lsp.spectrum.values import Outcome, Signature

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
    records_kept = [one for one in records if any(file in texts for file in one.lines)]
    if not records_kept:
        return None
    name = f"{source} ({'failed' if is_failing else 'passed'})"
    failed = next((one for one in records_kept if one.broken), None) if is_failing else None
    failed = failed or records_kept[0]
    loop = telling_loop(failed.broken, texts.get, list(texts)) if is_failing else None
    everything = _union(one.lines for one in records_kept)
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
    slowest = max(records_kept, key=lambda one: one.spent)
    if not all(one.is_whole for one in records_kept):
        problems = (*problems, "another tracer took over while it ran; the record is not whole")
    return RecordedRun(session, loop, slowest.spent, slowest.processor, (*problems, *changed))


def _texts(records: Iterable[ProcessRecord], root: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the sources of the files that ran; one that was edited since is left out."""
    sums = {file: crc for one in records for file, crc in one.checksums.items()}
    found: dict[str, str] = {}
    changed: list[str] = []
    for file in sorted(sums):
        data = data_folder.read_below(root, file, databases.LARGEST_VALUE)
        with suppress(UnicodeDecodeError):
            if data is not None and zlib.crc32(data) == sums[file]:
                found[file] = data.decode("utf-8")
                continue
        changed.append(f"{file} changed while it ran; its lines are left out")
    return found, tuple(changed)


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
    found = []
    for number, met in enumerate(record.signatures):
        if number in failing or passing.get(number):
            place = (met.file, met.line, met.function, met.argument, met.text)
            counts = (passing.get(number, 0), int(number in failing))
            found.append(Signature(*place, met.call_file, met.call_line, *counts))
    return tuple(found)


def _hits(
    lines: Mapping[str, bytes], phase: Phase, texts: Mapping[str, str]
) -> dict[tuple[Phase, str], Hits]:
    return {(phase, file): Hits(lines[file]) for file in sorted(lines) if file in texts}


def _union(many: Iterable[Lines]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for one in many:
        for file, lines in one.items():
            found[file] = union(found.get(file, b""), numbits_of(lines))
    return found


def _without(lines: bytes, others: bytes) -> bytes:
    return numbits_of(set(lines_of(lines)) - set(lines_of(others)))
