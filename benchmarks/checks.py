"""What the checks find before a run: of recorded failures their causes, of clean programs nothing.

    python benchmarks/checks.py [--only clean,failing,blind,public] [--python PYTHON] [--shared DIR]
        [--public FOLDER ...] [--factory STORE --mirror DIR] [--beside TOOLS] [--list]

Failing: fixtures, the programs of ``held_out/opened``, and with ``--shared`` those of its gallery.
A cause is found where a finding stands at one of its lines, and named where a finding or its
evidence names one. Clean: the same fixtures with their
fixes applied, and with ``--public`` checkouts of public repositories (without the check
``missing-library``: the environment is not theirs), and with ``--factory`` the programs of the
failure factory that end well (of its blind half only totals). Of ``held_out/blind`` only
totals are printed. ``--beside`` is a folder with ruff, pyright, pyrefly and torchfix.
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
TOOLS = ("ruff", "pyright", "pyrefly", "torchfix")


@dataclass
class Tally:
    """What one group of recorded failures gave."""

    cases: int = 0
    found: Counter[str] = field(default_factory=Counter)
    """By certainty, and by other tools, in how many cases a cause's line was named."""
    by_category: dict[str, Counter[str]] = field(default_factory=dict)


def _words(command: str | None) -> list[str]:
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
    words = _words(command)
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


def failing(folders: list[Path], python: str, beside: Path | None, listed: bool) -> Tally:
    """Check recorded failures; count those whose cause is named."""
    tally = Tally()
    for case in _cases(folders):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        causes = {(c["file"], c["line"]) for c in truth["root_cause"]}
        report = _report(case / "workspace", truth.get("command"), python)
        hits = {f.certainty for f in report.findings if (f.file, f.line) in causes}
        tally.cases += 1
        row = tally.by_category.setdefault(truth.get("category") or "not labelled", Counter())
        row["cases"] += 1
        for level in LEVELS:
            if any(hit.order <= level.order for hit in hits):
                tally.found[level.value] += 1
                row[level.value] += 1
        if any(_named(finding) & causes for finding in report.findings):
            tally.found["named"] += 1
            row["named"] += 1
        for tool in TOOLS if beside is not None else ():
            if causes & _other(beside / tool, case / "workspace", python):
                tally.found[tool] += 1
                row[tool] += 1
        if listed:
            said = ", ".join(sorted(hit.value for hit in hits)) or "-"
            print(f"{said:8} {truth.get('category')} {case.name}")
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


def _other(tool: Path, folder: Path, python: str) -> set[tuple[str, int]]:
    """Return the lines that another tool reports, with its own defaults."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "workspace"
        shutil.copytree(folder, copy)
        if tool.name == "ruff":
            words = [str(tool), "check", "--isolated", "--no-cache", "--exit-zero",
                     "--output-format", "json", "."]  # fmt: skip
            rows = json.loads(_output(words, copy) or "[]")
            return {
                (Path(r["filename"]).relative_to(copy.resolve()).as_posix(), r["location"]["row"])
                for r in rows
            }
        if tool.name == "torchfix":
            words = [str(tool), "--select=ALL", "."]
            found = re.findall(r"^(?:\./)?(.+?):(\d+):\d+: ", _output(words, copy), re.MULTILINE)
            return {(file, int(line)) for file, line in found}
        if tool.name == "pyrefly":
            # Without a config file it would check little more than the syntax.
            words = [str(tool), "check", "--preset", "default", "--python-interpreter-path", python,
                     "--output-format", "json"]  # fmt: skip
            rows = json.loads(_output(words, copy) or "{}").get("errors", [])
            return {
                (Path(copy, r["path"]).resolve().relative_to(copy.resolve()).as_posix(), r["line"])
                for r in rows
            }
        words = [str(tool), "--outputjson", "--pythonpath", python, "."]
        rows = json.loads(_output(words, copy) or "{}").get("generalDiagnostics", [])
        return {
            (
                Path(r["file"]).relative_to(copy.resolve()).as_posix(),
                r["range"]["start"]["line"] + 1,
            )
            for r in rows
            if "range" in r
        }


def _output(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


def factory_programs(
    store: Path, mirror: Path | None, python: str
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
) -> dict[str, Counter[str]]:
    """Check programs that run well; count those with a finding of each certainty."""
    names = ("fixed fixtures", "public checkouts", "factory, seen", "factory, blind")
    groups = {name: Counter[str]() for name in names}
    if factory is not None:
        for name, seen, copy, command in factory_programs(factory, mirror, python):
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
    for name, of, counts in (
        ("static categories", cases, {c: sum(r[c] for r in static) for c in columns}),
        ("all", tally.cases, tally.found),
    ):
        shares = " ".join(f"{counts[c]} ({counts[c] / max(of, 1):.2f})" for c in columns)
        print(f"{name:24} {of:5} {shares}")


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="blind,failing,clean")
    parser.add_argument("--python", default=str(HERE.parent / ".venv-fixtures" / "bin" / "python"))
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--public", type=Path, nargs="*", default=[])
    parser.add_argument("--factory", type=Path)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    columns = tuple(level.value for level in LEVELS)
    began = time.perf_counter()
    if "blind" in wanted:
        print("held_out/blind, totals (each column holds those before it)")
        blind = failing([HERE / "held_out" / "blind"], arguments.python, arguments.beside, False)
        others = TOOLS if arguments.beside else ()
        told = ", ".join(f"{c} {blind.found[c]}" for c in (*columns, *others))
        print(f"  {blind.cases} cases: {told}")
    if "failing" in wanted:
        folders = [FIXTURES, HERE / "held_out" / "opened"]
        if arguments.shared is not None:
            folders.append(arguments.shared / "gallery")
        tally = failing(folders, arguments.python, arguments.beside, arguments.list)
        others = ("named", *TOOLS) if arguments.beside else ("named",)
        _table(tally, (*columns, *others))
    if "clean" in wanted:
        groups = clean(
            arguments.python, arguments.public, arguments.list, arguments.factory, arguments.mirror
        )
        for name, counts in groups.items():
            if counts["programs"]:
                said = ", ".join(f"{key} {value}" for key, value in counts.items())
                print(f"{name}: {said}")
    print(f"{time.perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
