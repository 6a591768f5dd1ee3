"""How well the stored failures are located: the program beside the innermost-frame baseline.

Each failure's clues are kept with its result, so that the fusion can be tried with other weights,
or with a kind of evidence left out, without looking at the program again.
"""

from __future__ import annotations

import json
import multiprocessing
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scoring

from dl_bug_lsp import localize as middle
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.ranking.fusion import GROUPS, counted, features
from dl_bug_lsp.ranking.reporting import failure_report
from dl_bug_lsp.report import FailureReport, Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace
from factory.catalogue import OURS, PROJECT, checkout
from factory.running import Runner, Server, WorkingCopy, work_folder
from factory.storage import BLIND, SEEN, Store, read_lines, write_lines
from factory.truth import apply
from factory.values import Program

ALL_LINES = Options(top=100_000)
MEASURES = (
    ("line@1", "line", 1),
    ("line@5", "line", 5),
    ("line@10", "line", 10),
    ("func@1", "function", 1),
    ("func@5", "function", 5),
    ("file@5", "file", 5),
    ("base@1", "base_line", 1),
    ("base@5", "base_line", 5),
    ("bfunc@1", "base_function", 1),
    ("bfile@5", "base_file", 5),
)
"""Columns: of ours, then of the innermost frame first; functions are innermost ones."""
KEYS = ("operator", "framework", "kind_of_source", "size", "format", "kind", "silent", "category")
BINS = 10
FEWEST = 20
"""A group's share of hits is printed where both halves together have as many failures."""


def label_of_package() -> str:
    """Return a name for the package as it is: its git tree, with a mark where it was edited."""
    git = ["git", "-C", str(PROJECT)]
    tree = subprocess.run(
        [*git, "rev-parse", "HEAD:dl_bug_lsp"], capture_output=True, text=True, check=True
    ).stdout.strip()[:12]
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "dl_bug_lsp"], capture_output=True, check=True
    ).stdout
    return f"{tree}-edited" if changed.strip() else tree


def results_file(store: Store, half: str, label: str) -> Path:
    """Return the file of one half's results, one JSON line a failure."""
    return store.root / half / "results" / f"{label}.jsonl"


@dataclass
class Located:
    """One program's working copy, in which its failures are put one after the other."""

    program: Program
    copy: WorkingCopy

    @classmethod
    def of(
        cls, program: Program, store: Store, mirror: Path | None, python: Path, at: Path
    ) -> Located:
        """Make the working copy and run the program's set-up."""
        copy = WorkingCopy(program, checkout(program, mirror, store.root), at)
        Runner(program, copy, python, Server(python, at)).setup()
        copy.keep()
        return cls(program, copy)

    def locate(self, store: Store, half: str, record: dict[str, Any]) -> dict[str, Any]:
        """Put one failure's fault in place, locate it, and bring the copy back."""
        mutation, files = store.mutation(half, record["source"], record["case"])
        folder = store.root / half / record["source"] / record["case"]
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        texts = self.copy.texts({edit.file for edit in mutation.edits})
        self.copy.write({**apply(mutation, texts), **files})
        try:
            return located(self.copy.root, (folder / "log.txt").read_bytes(), truth, record)
        finally:
            self.copy.restore()


def located(
    root: Path, text: bytes, truth: dict[str, Any], record: dict[str, Any]
) -> dict[str, Any]:
    """Locate one failure in the workspace at ``root``; return ranks, shares and clues.

    It does what `localize` does for the failure that ended the job. Ranks are 1-based, None where
    the cause was not named; ``rows`` hold file, line and the score of each kind of clue.
    """
    begin = time.process_time()
    log = read_log(text)
    failures = middle.failures_of(log, read_failures(log))
    primary = next((f for f in failures if f.primary), None)
    report: FailureReport | None = None
    rows: list[Any] = []
    group = "other"
    if primary is not None:
        workspace = Workspace(root, cache=False)
        case = middle.case_of(primary, log, workspace, ALL_LINES)
        clues = middle.clues_of(case)
        told = middle.bug_report_of(log, failures)
        report = failure_report(case, clues, ALL_LINES, told)
        rows = [
            [file, line, {kind: round(clue.score, 4) for kind, clue in kinds.items()}]
            for (file, line), kinds in counted(features(clues)).items()
        ]
        group = GROUPS.get(case.category.id, "other")
    seconds = time.process_time() - begin
    answer: list[scoring.Line] = []
    frames: list[scoring.Line] = []
    share = None
    if report is not None:
        answer = [(s.file, s.line) for s in report.suspects]
        frames = [
            (f.workspace_file, f.workspace_line)
            for f in reversed(report.frames)
            if f.workspace_file is not None and f.workspace_line is not None
        ]
        share = round(report.suspects[0].score, 4) if report.suspects else None
    causes = [(r["file"], r["line"]) for r in truth["root_cause"]]
    found = {
        **{k: record[k] for k in ("case", "program", "source", *KEYS[:2], "size", "format")},
        "kind": record["kind"],
        "silent": bool(record.get("silent")),
        "kind_of_source": OURS if record["source"].startswith(OURS) else "public",
        "elsewhere": bool(record.get("elsewhere")),
        "category": report.category.id if report is not None else None,
        "group": group,
        "causes": causes,
        "seconds": round(seconds, 3),
        "share": share,
        "rows": rows,
    }
    blocks: dict[str, list[tuple[int, int, str]]] = {}
    wanted = _wanted_units(root, truth, causes, blocks)
    for prefix, lines in (("", answer), ("base_", frames)):
        units = list(dict.fromkeys(unit_of(root, line, blocks) for line in lines[:400]))
        names = list(dict.fromkeys(file for file, _ in lines))
        found[f"{prefix}line"] = scoring.first_rank(list(dict.fromkeys(lines)), causes)
        found[f"{prefix}function"] = scoring.first_rank(units, wanted)
        found[f"{prefix}file"] = scoring.first_rank(names, [file for file, _ in causes])
    return found


def unit_of(
    root: Path, line: scoring.Line, blocks: dict[str, list[tuple[int, int, str]]]
) -> scoring.Unit:
    """Return the innermost function or class around a line, as `scoring.Case.unit` does."""
    file, number = line
    if file not in blocks:
        blocks[file] = scoring.blocks_of(root / file)
    around = [b for b in blocks[file] if b[0] <= number <= b[1]]
    return file, max(around, key=lambda b: (b[0], -b[1]))[2] if around else ""


def _wanted_units(
    root: Path,
    truth: dict[str, Any],
    causes: Sequence[scoring.Line],
    blocks: dict[str, list[tuple[int, int, str]]],
) -> list[scoring.Unit]:
    """Return the functions in which the fault is; of a deletion the one that lost something."""
    if truth.get("function_lines") and causes:
        file = causes[0][0]
        first = truth["function_lines"][0]
        unit_of(root, (file, first), blocks)
        exact = [name for begin, _, name in blocks[file] if begin == first]
        if exact:
            return [(file, exact[-1])]
    return [unit_of(root, cause, blocks) for cause in causes]


def score_all(
    store: Store,
    found: Sequence[Program],
    mirror: Path | None,
    python: Path,
    label: str,
    *,
    halves: Sequence[str] = (SEEN, BLIND),
    jobs: int = 2,
    limit: int | None = None,
    tell: Callable[[str], None] = print,
) -> None:
    """Locate all stored failures that have no result under ``label`` yet.

    ``limit`` is the most that each source gives, an even choice by case.
    """
    known = {p.id: p for p in found}
    tasks: list[tuple[Program, str, list[dict[str, Any]]]] = []
    for half in halves:
        done = {r["case"] for r in read_lines(results_file(store, half, label))}
        by_program: dict[str, list[dict[str, Any]]] = {}
        for record in chosen(store.cases(half), limit):
            if record["case"] not in done and record["program"] in known:
                by_program.setdefault(record["program"], []).append(record)
        tasks += [(known[name], half, rows) for name, rows in sorted(by_program.items())]
    context = multiprocessing.get_context("fork")
    following = context.Value("i", 0)

    def work(number: int) -> None:
        while True:
            with following.get_lock():
                at = following.value
                following.value += 1
            if at >= len(tasks):
                return
            program, half, rows = tasks[at]
            name = program.id if half == SEEN else "a program of the blind half"
            folder = work_folder(store.root) / f"score-{label}-{number}"
            errors = 0
            try:
                place = Located.of(program, store, mirror, python, folder)
            except Exception as error:
                tell(f"{name}: no working copy ({type(error).__name__})")
                continue
            for record in rows:
                try:
                    result = place.locate(store, half, record)
                except Exception as error:
                    errors += 1
                    if half == SEEN:
                        tell(f"{record['case']}: {type(error).__name__}: {error}"[:200])
                    continue
                write_lines(results_file(store, half, label), [result], "a")
            shutil.rmtree(folder, ignore_errors=True)
            tell(f"{at + 1}/{len(tasks)} {name}: {len(rows) - errors} located, {errors} errors")

    workers = [context.Process(target=work, args=(number,)) for number in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def chosen(records: Sequence[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    """Return at most ``limit`` failures of each source, the same ones each time."""
    if limit is None:
        return list(records)
    ordered = sorted(records, key=lambda r: r["key"])
    return [record for rows in grouped(ordered, "source").values() for record in rows[:limit]]


def grouped(rows: Iterable[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """Return rows by what they hold under a key, as text, in the order of the first of each."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row[key]), []).append(row)
    return found


def results(store: Store, half: str, label: str) -> list[dict[str, Any]]:
    """Return one half's results by case; a case that was located twice counts once."""
    found = {r["case"]: r for r in read_lines(results_file(store, half, label))}
    moved = {r["case"] for r in store.cases(half)}
    return [found[case] for case in sorted(found) if case in moved]


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the share of hits of each measure (0 to 1)."""
    return {name: scoring.hits([r[key] for r in rows], cut) for name, key, cut in MEASURES}


def by_source(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the mean over sources of each measure: each source counts once."""
    told = [figures(part) for part in grouped(rows, "source").values()]
    return {name: sum(t[name] for t in told) / (len(told) or 1) for name, _, _ in MEASURES}


def calibration(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return how often the first line is right by its share, and the expected calibration error."""
    pairs = [(r["share"], r["line"] == 1) for r in rows if r["share"] is not None]
    table = []
    error = 0.0
    for number in range(BINS):
        inside = [p for p in pairs if min(int(p[0] * BINS), BINS - 1) == number]
        if inside:
            mean = sum(share for share, _ in inside) / len(inside)
            right = sum(hit for _, hit in inside) / len(inside)
            error += len(inside) / len(pairs) * abs(mean - right)
            table.append({"n": len(inside), "share": round(mean, 3), "right": round(right, 3)})
    return {"table": table, "ece": round(error, 4)}


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return all figures of one half: totals alone, by group."""
    away = [r for r in rows if r["elsewhere"]]
    seconds = sorted(r["seconds"] for r in rows)
    told: dict[str, Any] = {
        "n": len(rows),
        "all": figures(rows),
        "mean over sources": by_source(rows),
        "elsewhere": {"n": len(away), **figures(away)},
        "no answer": sum(r["share"] is None for r in rows),
        "calibration": calibration(rows),
    }
    if seconds:
        told["seconds"] = {
            "mean": round(sum(seconds) / len(seconds), 3),
            "median": seconds[len(seconds) // 2],
            "90%": seconds[int(0.9 * len(seconds))],
            "most": seconds[-1],
        }
    for key in KEYS:
        told[key] = {
            name: {"n": len(part), **figures(part)}
            for name, part in sorted(grouped(rows, key).items())
        }
    return told


def side_by_side(seen: Sequence[dict[str, Any]], blind: Sequence[dict[str, Any]]) -> Iterable[str]:
    """Yield a Markdown table of both halves by group, in per cent.

    ``base`` is the innermost frame; the category is the program's own verdict. Of sources, which
    are one or the other, the quartiles of the shares stand.
    """
    halves = (seen, blind)
    shown = (("line@1", "line", 1), ("line@5", "line", 5), ("base@1", "base_line", 1))
    heads = "".join(
        f" {half} n |" + "".join(f" {n} |" for n, _, _ in shown) for half in (SEEN, BLIND)
    )
    yield f"| |{heads}"
    yield "|---|" + "---|" * (2 * (1 + len(shown)))

    def row(title: str, parts: Sequence[Sequence[dict[str, Any]]]) -> str:
        cells = [
            f" {len(part)} |"
            + "".join(
                f" {100 * scoring.hits([r[key] for r in part], cut):.0f} |" if part else " – |"
                for _, key, cut in shown
            )
            for part in parts
        ]
        return f"| {title} |" + "".join(cells)

    yield row("**all**", halves)
    yield row("raised elsewhere", [[r for r in rows if r["elsewhere"]] for rows in halves])
    for key in KEYS[1:] + KEYS[:1]:
        parts = [grouped(rows, key) for rows in halves]
        groups = Counter(str(r[key]) for rows in halves for r in rows)
        yield f"| *{key.replace('_', ' ')}* |" + " |" * (2 * (1 + len(shown)))
        for name, count in groups.most_common():
            if count >= FEWEST or key not in ("operator", "category"):
                yield row(name, [part.get(name, []) for part in parts])
    for name, key, cut in shown:
        cells = ""
        for rows in halves:
            shares = sorted(
                scoring.hits([r[key] for r in part], cut)
                for part in grouped(rows, "source").values()
            )
            quartiles = [shares[int(q * (len(shares) - 1))] for q in (0.25, 0.5, 0.75) if shares]
            texts = " / ".join(f"{100 * q:.0f}" for q in quartiles)
            cells += f" {len(shares)} | {texts} |" + " |" * (len(shown) - 1)
        yield f"| sources, {name}: quartiles |{cells}"


def table(told: dict[str, Any], seen: dict[str, Any] | None = None) -> Iterable[str]:
    """Yield a half's figures as lines, in per cent."""
    names = [name for name, _, _ in MEASURES]
    yield f"{'':28}{'n':>6}" + "".join(f"{name:>9}" for name in names)

    def line(title: str, count: int, values: dict[str, float]) -> str:
        return f"{title:28}{count:>6}" + "".join(f"{100 * values[n]:9.1f}" for n in names)

    yield line("all", told["n"], told["all"])
    yield line("mean over sources", told["n"], told["mean over sources"])
    yield line("raised elsewhere", told["elsewhere"]["n"], told["elsewhere"])
    for key in KEYS:
        yield f"{key}:"
        for name, values in told[key].items():
            yield line(f"  {name}", values["n"], values)
    yield f"no answer {told['no answer']}; seconds {told.get('seconds')}"
    yield f"calibration error {told['calibration']['ece']}; share and how often it is right:"
    yield "  " + ", ".join(
        f"{b['share']:.2f}: {100 * b['right']:.0f} of {b['n']}"
        for b in told["calibration"]["table"]
    )
    if seen is not None and seen["n"] and told["n"]:
        names = [name for name, _, _ in MEASURES]
        yield (
            "seen minus blind:           "
            + "      "
            + "".join(f"{100 * (seen['all'][n] - told['all'][n]):9.1f}" for n in names)
        )
