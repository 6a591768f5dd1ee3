"""Rank the bugs of a Denchmark file with our and published techniques, and say how well.

    python benchmarks/denchmark.py --bugs FILE --repositories DIR [--techniques NAME,NAME]
                                   [--jobs N] [--json OUT] [--weights FILE|FOLDER]

DIR holds clones as DIR/owner/name, bare or not; nothing is checked out or written there. Files are
ranked at the bug's version, functions and lines on the parent of its fix. What cannot be judged
(no clone, tag or commit) is reported and left out. ``benchmarks/bug_reports.md`` says what the
tables mean.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from denchmark_bugs import Bug, by_repository, find_repository, read_bugs
from denchmark_runs import Outcome, Task, run
from denchmark_tables import record, tables, times, widths, with_study
from denchmark_techniques import OURS, WrongUseError, names, technique

_BUGS_A_TASK = 24
_NOTES_SHOWN = 40


def main() -> int:
    """Run, print the tables, and return 2 for wrong use."""
    options = _parse_arguments()
    try:
        bugs, notes = read_bugs(options.bugs)
        chosen = _chosen(options.techniques)
        for name in chosen:
            for project in sorted({bug.project for bug in bugs}):
                technique(name, project, options.weights)
        tasks = _tasks(bugs, chosen, options, notes)
        outcomes = _in_order(_run_all(tasks, options.jobs, notes), bugs, chosen)
        if options.json is not None:
            text = json.dumps([record(outcome) for outcome in outcomes], indent=1)
            options.json.write_text(text + "\n", encoding="utf-8")
    except (WrongUseError, OSError) as error:
        print(f"denchmark.py: {error}", file=sys.stderr)
        return 2
    _tell(bugs, outcomes, notes, options.weights)
    return 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bugs", type=Path, required=True, help="one JSON object a bug and line")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--techniques", help="names, separated by commas (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--json", type=Path, help="write every bug's result there")
    parser.add_argument(
        "--weights", type=Path, help=f"weights for {OURS}; a folder holds PROJECT.json, one a fold"
    )
    return parser.parse_args()


def _chosen(asked: str | None) -> list[str]:
    if asked is None:
        return names()
    return list(dict.fromkeys(name.strip() for name in asked.split(",") if name.strip()))


def _tasks(
    bugs: Sequence[Bug], chosen: Sequence[str], options: argparse.Namespace, notes: list[str]
) -> list[Task]:
    tasks: list[Task] = []
    for repository, group in by_repository(bugs):
        found = find_repository(options.repositories, group[0])
        if found is None:
            where = options.repositories / repository
            notes.append(f"{repository}: {len(group)} bugs skipped: no clone at {where}")
            continue
        size = _BUGS_A_TASK if options.jobs > 1 else len(group)
        tasks.extend(
            Task(found, tuple(group[at : at + size]), tuple(group), tuple(chosen), options.weights)
            for at in range(0, len(group), size)
        )
    return tasks


def _run_all(tasks: Sequence[Task], jobs: int, notes: list[str]) -> Iterator[Outcome]:
    total = sum(len(task.bugs) * len(task.techniques) for task in tasks)
    done = 0
    if jobs <= 1:
        for task in tasks:
            before = done
            for outcome in run(task, notes.append):
                done += 1
                _progress(done, total)
                yield outcome
            done = before + len(task.bugs) * len(task.techniques)
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(_run_task, task): task for task in tasks}
            for future in as_completed(waiting):
                outcomes, told = future.result()
                notes.extend(told)
                done += len(waiting[future].bugs) * len(waiting[future].techniques)
                _progress(done, total)
                yield from outcomes
    _progress(total, total, end="\n")


def _run_task(task: Task) -> tuple[list[Outcome], list[str]]:
    told: list[str] = []
    return list(run(task, told.append)), told


def _progress(done: int, total: int, end: str = "") -> None:
    if sys.stderr.isatty() or end:
        filled = 40 * done // max(1, total)
        bar = "#" * filled + "." * (40 - filled)
        print(f"\r[{bar}] {done}/{total}", end=end, file=sys.stderr, flush=True)


def _in_order(
    outcomes: Iterator[Outcome], bugs: Sequence[Bug], chosen: Sequence[str]
) -> list[Outcome]:
    place = {id_of(bug): at for at, bug in enumerate(bugs)}
    return sorted(outcomes, key=lambda o: (chosen.index(o.technique), place[id_of(o.bug)]))


def id_of(bug: Bug) -> tuple[str, str]:
    """Return what tells a bug from all others."""
    return bug.project, bug.id


def _tell(
    bugs: Sequence[Bug], outcomes: Sequence[Outcome], notes: Sequence[str], weights: Path | None
) -> None:
    judged = {id_of(outcome.bug) for outcome in outcomes}
    print(f"{len(bugs)} bugs of {len({b.project for b in bugs})} projects, {len(judged)} judged")
    if weights is None:
        print(f"{OURS}: the weights that ship; in sample for projects they were trained on")
    elif weights.is_dir():
        print(f"{OURS}: for each project the weights of {weights.name}/PROJECT.json (its fold)")
    else:
        print(f"{OURS}: the weights of {weights.name}")
    print("published techniques that learn: trained without the project at hand")
    print("means with their 95 % bootstrap intervals\n")
    for line in tables(with_study(bugs, outcomes)):
        print(line)
    for line in widths(outcomes):
        print(line)
    for note in sorted(notes)[:_NOTES_SHOWN]:
        print(note)
    if len(notes) > _NOTES_SHOWN:
        print(f"… and {len(notes) - _NOTES_SHOWN} more of these")
    print()
    for line in times(outcomes):
        print(line)


if __name__ == "__main__":
    sys.exit(main())
