"""What the checks find before a run: of recorded failures their causes, of clean programs nothing.

    python benchmarks/checks.py [--only blind,failing,factory,clean] [--python PYTHON]
        [--shared DIR] [--mirror DIR] [--public FOLDER ...] [--factory STORE] [--limit N]
        [--beside TOOLS [--stubs FOLDER]] [--list]

Failing: fixtures, the programs of ``held_out/opened``, with ``--shared`` those of its gallery, and
with ``--mirror`` too (a folder of git repositories, OWNER+NAME/repo) its failures in real
repositories. A cause is found where a finding stands at one of its lines, and named where a finding
or its evidence names one. Factory: the stored failures of the factory's blind half, at most
``--limit`` of a source. Clean: the same fixtures with their fixes applied, with ``--public``
checkouts of public repositories (without the check ``missing-library``: the environment is not
theirs), and with ``--factory`` its programs that end well, at most ``--limit`` of a source. Of
``held_out/blind`` and the factory's blind half only totals are printed. ``--beside`` is a folder
with ruff, torchfix, pyright and pyrefly, which look at the same failures; ``--stubs`` a folder with
pyrefly's stubs for PyTorch.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import other_tools

from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.checks.findings import Certainty, CheckReport, Finding
from dl_bug_lsp.workspace import Workspace

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
STATIC = frozenset(
    ("library_not_found", "path_not_found", "key_not_found", "attribute_not_found",
     "illegal_argument", "syntax_error")
)  # fmt: skip
"""The categories for which the share is also told by itself."""
SETUP_SECONDS = 60
LEVELS = tuple(Certainty)


@dataclass
class Tally:
    """What one group of recorded failures gave."""

    cases: int = 0
    found: Counter[str] = field(default_factory=Counter)
    """By certainty, and by other tools, in how many cases a cause's line was named."""
    by_category: dict[str, Counter[str]] = field(default_factory=dict)

    def take(
        self, category: str | None, report: CheckReport, causes: set[tuple[str, int]]
    ) -> Counter[str]:
        """Count one failure; return the counts of its category."""
        hits = {f.certainty for f in report.findings if (f.file, f.line) in causes}
        self.cases += 1
        row = self.by_category.setdefault(category or "not labelled", Counter())
        row["cases"] += 1
        for level in LEVELS:
            if any(hit.order <= level.order for hit in hits):
                self.found[level.value] += 1
                row[level.value] += 1
        if any(_named(finding) & causes for finding in report.findings):
            self.found["named"] += 1
            row["named"] += 1
        return row


def words_of(command: str | None) -> list[str]:
    """Return the words of a recorded command; of several, those of the last."""
    if not command:
        return []
    if command.startswith(("cd ", "{")) or "cat " in command[:5]:
        command = command.rpartition("cd ")[2].partition("&&")[2] or command
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    found: list[str] = []
    for word in words:
        if word in ("&&", ";", "{"):
            found = []
        elif word in ("|", "}", ">") or word.startswith(("2>", ">")):
            break
        else:
            found.append(word.rstrip(";"))
            if word.endswith(";"):
                found = []
    return found


def _report(
    folder: Path, command: str | None, python: str, ignore: tuple[str, ...] = ()
) -> CheckReport:
    workspace = Workspace(folder, cache=False)
    words = words_of(command)
    options = CheckOptions(python=python, ignore=ignore)
    report = check(workspace, words, options)
    if words and not report.entries:
        report = check(workspace, (), options)
    return report


def _cases(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        for case in sorted(folder.iterdir()):
            if (case / "truth.json").is_file():
                yield case


@dataclass(frozen=True)
class Tools:
    """Where other tools lie, and the stubs of one of them."""

    folder: Path
    stubs: Path | None


def failing(folders: list[Path], python: str, beside: Tools | None, listed: bool) -> Tally:
    """Check recorded failures; count those whose cause is named, also by other tools."""
    tally = Tally()
    cases = {f"{folder.name}/{case.name}": case for folder in folders for case in _cases([folder])}
    others: dict[str, other_tools.Lines] = {}
    if beside is not None:
        programs = {name: case / "workspace" for name, case in cases.items()}
        with tempfile.TemporaryDirectory() as place:
            others = other_tools.lines_of(
                beside.folder, programs, Path(place).resolve(), python, beside.stubs
            )
    for name, case in cases.items():
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        causes = {(c["file"], c["line"]) for c in truth["root_cause"]}
        report = _report(case / "workspace", truth.get("command"), python)
        row = tally.take(truth.get("category"), report, causes)
        for tool, lines in others.items():
            if causes & lines[name]:
                tally.found[tool] += 1
                row[tool] += 1
        if listed:
            hits = {f.certainty.value for f in report.findings if (f.file, f.line) in causes}
            print(f"{', '.join(sorted(hits)) or '-':8} {truth.get('category')} {case.name}")
            for found in report.findings:
                mark = "*" if (found.file, found.line) in causes else " "
                print(f"   {mark} {found.certainty.value} {found.id} {found.file}:{found.line} "
                      f"{found.message}")  # fmt: skip
    return tally


def _named(finding: Finding) -> set[tuple[str, int]]:
    """Return the places that a finding names: its own, and those of its evidence."""
    text = " ".join((finding.message, *finding.evidence))
    pairs = re.findall(r"([\w./-]+\.\w+)(?::|, line )(\d+)", text)
    return {(finding.file, finding.line), *((file, int(line)) for file, line in pairs)}


def real_failures(shared: Path, mirror: Path, place: Path) -> Path:
    """Make the workspaces of the failures in real repositories; return their folder."""
    environment = {**os.environ, "MIRROR": str(mirror)}
    for case in sorted((shared / "real").iterdir()):
        if (case / "truth.json").is_file():
            words = [sys.executable, str(shared / "real" / "materialize.py"), str(case)]
            to = place / "real" / case.name
            to.mkdir(parents=True)
            subprocess.run([*words, str(to / "workspace")], env=environment, check=True)
            shutil.copy(case / "truth.json", to)
    return place / "real"


def factory_failures(store: Path, mirror: Path | None, python: str, limit: int | None) -> Tally:
    """Check stored failures of the factory's blind half; nothing of them is told but totals."""
    from factory.score import chosen
    from factory.storage import BLIND, Store
    from factory.truth import apply

    kept = Store(store)
    rows: dict[str, list[dict[str, Any]]] = {}
    for record in chosen(kept.cases(BLIND), limit):
        rows.setdefault(record["program"], []).append(record)
    tally = Tally()
    for name, _, copy, command in factory_programs(store, mirror, python, frozenset(rows)):
        for record in rows[name]:
            mutation, files = kept.mutation(BLIND, record["source"], record["case"])
            at = kept.folder(record["source"], record["case"])
            truth = json.loads((at / "truth.json").read_text(encoding="utf-8"))
            wanted = {edit.file for edit in mutation.edits}
            before = {f: (copy / f).read_bytes() for f in {*wanted, *files} if (copy / f).is_file()}
            try:
                texts = {f: before[f].decode("utf-8") for f in wanted}
                changed = {**apply(mutation, texts), **files}
            except (KeyError, ValueError):
                continue
            for file, text in changed.items():
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                (copy / file).write_bytes(text.encode("utf-8"))
            options = CheckOptions(python, ("missing-library",))
            report = check(Workspace(copy, cache=False), command, options)
            causes = {(c["file"], c["line"]) for c in truth["root_cause"]}
            tally.take(truth.get("category"), report, causes)
            for file in changed:
                if file in before:
                    (copy / file).write_bytes(before[file])
                else:
                    (copy / file).unlink()
    return tally


def factory_programs(
    store: Path, mirror: Path | None, python: str, only: frozenset[str] | None = None
) -> Iterator[tuple[str, bool, Path, list[str]]]:
    """Yield the factory's programs that end well: name, whether seen, a copy, the command."""
    from factory.catalogue import inputs_of, programs
    from factory.storage import SEEN, Halves

    ending_well = {file.stem for file in (store / "clean").glob("*.json")}
    halves = Halves()
    path = f"{Path(python).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    for program in programs(mirror):
        name = program.id
        if program.repository:
            folder = program.repository.replace("/", "+")
            name = f"{folder}@{(program.commit or 'HEAD')[:12]}"
        origin = store / "checkouts" / name
        if program.id not in ending_well or not origin.is_dir():
            continue
        if only is not None and program.id not in only:
            continue
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / "workspace"
            ignored = shutil.ignore_patterns("__pycache__", ".git")
            shutil.copytree(origin, copy, symlinks=True, ignore=ignored)
            inputs = inputs_of(program)
            if inputs is not None:
                shutil.copytree(inputs, copy, dirs_exist_ok=True)
            if program.setup:
                environment = {**os.environ, **program.environment, "PATH": path}
                try:
                    subprocess.run(
                        ["bash", "-c", program.setup],
                        cwd=copy,
                        env=environment,
                        capture_output=True,
                        timeout=SETUP_SECONDS,
                        check=False,
                    )
                except subprocess.TimeoutExpired:
                    continue
            yield program.id, halves.of(program.source) == SEEN, copy, list(program.command)


def clean(
    python: str,
    public: list[Path],
    listed: bool,
    factory: Path | None = None,
    mirror: Path | None = None,
    limit: int | None = None,
) -> dict[str, Counter[str]]:
    """Check programs that run well; count those with a finding of each certainty."""
    names = ("fixed fixtures", "public checkouts", "factory, seen", "factory, blind")
    groups = {name: Counter[str]() for name in names}
    if factory is not None:
        names_of_programs = _some_programs(mirror, limit)
        for name, seen, copy, command in factory_programs(
            factory, mirror, python, names_of_programs
        ):
            workspace = Workspace(copy, cache=False)
            report = check(workspace, command, CheckOptions(python, ("missing-library",)))
            _count(groups[f"factory, {'seen' if seen else 'blind'}"], name, report, listed and seen)
    with tempfile.TemporaryDirectory() as place:
        for case in _cases([FIXTURES]):
            truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
            copy = Path(place) / case.name
            shutil.copytree(case / "workspace", copy)
            patch = ["patch", "-p1", "-s", "-d", str(copy), "-i", str(case / "fix.patch")]
            if subprocess.run(patch, check=False, capture_output=True).returncode:
                continue
            report = _report(copy, truth.get("command"), python)
            _count(groups["fixed fixtures"], case.name, report, listed)
            shutil.rmtree(copy)
    for folder in public:
        began = time.perf_counter()
        # What a checkout needs is not installed here.
        report = _report(folder, None, python, ("missing-library",))
        spent = time.perf_counter() - began
        _count(groups["public checkouts"], f"{folder.name} ({spent:.1f} s)", report, listed)
    return groups


def _some_programs(mirror: Path | None, limit: int | None) -> frozenset[str] | None:
    """Return the first programs of each source, None for all."""
    from factory.catalogue import programs

    if limit is None:
        return None
    by_source: dict[str, list[str]] = {}
    for program in programs(mirror):
        by_source.setdefault(program.source, []).append(program.id)
    return frozenset(name for names in by_source.values() for name in sorted(names)[:limit])


def _count(group: Counter[str], name: str, report: CheckReport, listed: bool) -> None:
    group["programs"] += 1
    for level in LEVELS:
        group[level.value] += any(f.certainty is level for f in report.findings)
        group[f"{level.value} findings"] += sum(f.certainty is level for f in report.findings)
    worth = [f for f in report.findings if f.certainty is not Certainty.LOOK]
    if listed and worth:
        print(f"false? {name}")
        for found in worth[:30]:
            print(
                f"     {found.certainty.value} {found.id} {found.file}:{found.line} {found.message}"
            )


def _table(tally: Tally, columns: tuple[str, ...]) -> None:
    print(f"{'category':24} cases " + " ".join(f"{c:>8}" for c in columns))
    rows = sorted(tally.by_category.items(), key=lambda row: -row[1]["cases"])
    for name, row in rows:
        print(f"{name:24} {row['cases']:5} " + " ".join(f"{row[c]:8}" for c in columns))
    static = [row for name, row in rows if name in STATIC]
    cases = sum(row["cases"] for row in static)
    totals = [("all", tally.cases, dict(tally.found))]
    if cases:
        counts = {c: sum(r[c] for r in static) for c in columns}
        totals.insert(0, ("static categories", cases, counts))
    for name, of, counts in totals:
        shares = " ".join(
            f"{counts.get(c, 0)} ({counts.get(c, 0) / max(of, 1):.2f})" for c in columns
        )
        print(f"{name:24} {of:5} {shares}")


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="blind,failing,factory,clean")
    parser.add_argument("--python", default=str(HERE.parent / ".venv-fixtures" / "bin" / "python"))
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--public", type=Path, nargs="*", default=[])
    parser.add_argument("--factory", type=Path)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--stubs", type=Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    python: str = arguments.python
    columns = tuple(level.value for level in LEVELS)
    beside = Tools(arguments.beside, arguments.stubs) if arguments.beside is not None else None
    others = ("named", *(other_tools.NAMES if beside is not None else ()))
    began = time.perf_counter()
    print("each column of certainties holds those before it")
    if "blind" in wanted:
        print("held_out/blind, totals")
        blind = failing([HERE / "held_out" / "blind"], python, beside, False)
        _table(Tally(blind.cases, blind.found), (*columns, *others))
    if "failing" in wanted:
        folders = [FIXTURES, HERE / "held_out" / "opened"]
        with tempfile.TemporaryDirectory() as place:
            if arguments.shared is not None:
                folders.append(arguments.shared / "gallery")
                if arguments.mirror is not None:
                    folders.append(real_failures(arguments.shared, arguments.mirror, Path(place)))
            tally = failing(folders, python, beside, arguments.list)
        _table(tally, (*columns, *others))
    if "factory" in wanted and arguments.factory is not None:
        print("the factory's blind half, totals")
        made = factory_failures(arguments.factory, arguments.mirror, python, arguments.limit)
        _table(made, (*columns, "named"))
    if "clean" in wanted:
        groups = clean(
            python,
            arguments.public,
            arguments.list,
            arguments.factory,
            arguments.mirror,
            arguments.limit,
        )
        for name, counts in groups.items():
            if counts["programs"]:
                said = ", ".join(f"{key} {value}" for key, value in counts.items())
                print(f"{name}: {said}")
    print(f"{time.perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
