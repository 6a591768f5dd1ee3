"""How long a check takes in a workspace of 5,000 Python files, cold and after an edit.

    python benchmarks/checks_speed.py [--python PYTHON] [--runs N] [--parts] [--ruff RUFF]
        [--whole]

The workspace is made of installed packages and the standard library, as for ``speed.py``, and
holds the fixtures' programs. Cold is a process's first check, the walk of the folder included,
without our index of the folder; after an edit one file of the program has changed. Each program is
checked in a process of its own; ``--parts`` prints what the parts of a check take. ``--ruff`` sets
the time beside them that ruff takes for all files, without its cache; ``--whole`` that of a check
without a command, which looks for programs in the whole workspace.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks import words_of
from speed_inputs import assemble, default_sources

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
CASES = ("104-charlm-context-length", "412-pose-joint-count", "501-mae-patch-size")


def measured(folder: Path, case: str, python: str, parts: bool) -> dict[str, float]:
    """Check one program of a workspace, edit it, check it again; return seconds."""
    from dl_bug_lsp.checks import checking
    from dl_bug_lsp.workspace import Workspace

    if parts:
        checking.FINDERS = tuple(_timed(finder) for finder in checking.FINDERS)  # type: ignore[misc]
    truth = json.loads((FIXTURES / case / "truth.json").read_text(encoding="utf-8"))
    home = f"projects/{case}/"
    command = [
        home + word if (FIXTURES / case / "workspace" / word).exists() else word
        for word in words_of(truth["command"])
    ]
    options = checking.CheckOptions(python)
    began, worked = time.perf_counter(), time.process_time()
    workspace = Workspace(folder, cache=False)
    report = checking.check(workspace, command, options)
    cold, cold_work = time.perf_counter() - began, time.process_time() - worked
    script = folder / report.entries[0].split()[1]
    text = script.read_text(encoding="utf-8")
    # The file is a link to the fixture's: it is replaced, not written.
    script.unlink()
    script.write_text(f"{text}\n# edited\n", encoding="utf-8")
    began, worked = time.perf_counter(), time.process_time()
    workspace.catch_up()
    checking.check(workspace, command, options)
    edited, edited_work = time.perf_counter() - began, time.process_time() - worked
    return {"cold": cold, "of it work": cold_work, "edited": edited, "work": edited_work}


def _whole(folder: Path, python: str) -> str:
    from dl_bug_lsp.checks import checking
    from dl_bug_lsp.workspace import Workspace

    began = time.perf_counter()
    report = checking.check(Workspace(folder, cache=False), (), checking.CheckOptions(python))
    return f"{len(report.entries)} programs, {time.perf_counter() - began:.1f} s"


def _timed(finder: object) -> object:
    def find(program: object) -> object:
        began = time.perf_counter()
        found = list(finder(program))  # type: ignore[operator]
        name = finder.__module__.rpartition(".")[2]  # type: ignore[attr-defined]
        print(f"    {name:14} {time.perf_counter() - began:6.2f} s", file=sys.stderr)
        return iter(found)

    find.__module__ = str(getattr(finder, "__module__", ""))
    return find


def main() -> int:
    """Print the medians of each program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=str(HERE.parent / ".venv-fixtures" / "bin" / "python"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--ruff", type=Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        folder, case = arguments.one
        print(json.dumps(measured(Path(folder), case, arguments.python, arguments.parts)))
        return 0
    label, sources = default_sources()[1]
    with tempfile.TemporaryDirectory() as place:
        folder = assemble(Path(place), sources, [FIXTURES / case for case in CASES])
        files = sum(1 for _ in folder.rglob("*.py"))
        print(f"{files} Python files ({label})")
        print(f"load averages {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
        for case in CASES:
            rows = []
            for _ in range(arguments.runs):
                words = [sys.executable, __file__, "--python", arguments.python, "--one"]
                words += [str(folder), case, *(["--parts"] if arguments.parts else [])]
                done = subprocess.run(
                    words, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ}
                )
                rows.append(json.loads(done.stdout))
            told = ", ".join(
                f"{name} {statistics.median(row[name] for row in rows):.2f} s" for name in rows[0]
            )
            print(f"  {case:24} {told}")
        if arguments.ruff is not None:
            words = [str(arguments.ruff), "check", "--isolated", "--no-cache", "--quiet", "."]
            spent = []
            for _ in range(arguments.runs):
                began = time.perf_counter()
                subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=False)
                spent.append(time.perf_counter() - began)
            print(f"  ruff, all files: {statistics.median(spent):.2f} s")
        if arguments.whole:
            print(f"  without a command: {_whole(folder, arguments.python)}")
        print(f"load averages {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
