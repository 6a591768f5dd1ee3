"""Follow programs that run well and count the statements that our models refuse.

    python benchmarks/clean_programs.py FOLDER ... [--most N] [--steps N] [--detail OUT.json]

Each FOLDER is a checkout of programs that are known to run. Its notebooks and the scripts with a
main part (all scripts where there are fewer than five) are followed, at most N of a folder (80),
each for some steps (60,000), without a log and without arguments. A statement that a model refuses
is either a mistake of the model or one of the program: an old release of a library, an exercise to
be filled in. Shown are the programs that were followed, those with a refused statement, and the
refused statements by kind; ``--detail`` writes them with their lines. Names and files that are not
there are left out: they are mostly not there in the checkout either.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.workspace import Workspace

LEFT_OUT = ("name", "file", "raised")
FEW_SCRIPTS = 5


def scripts_of(workspace: Workspace) -> list[str]:
    """Return the notebooks and scripts of a checkout that start something."""
    files = [f for f in workspace.python_files() if not f.endswith("setup.py")]
    started = [f for f in files if f.endswith(".ipynb") or "__main__" in (workspace.text(f) or "")]
    return started if len(started) >= FEW_SCRIPTS else files


def refused_in(
    folder: Path, most: int, steps: int
) -> Iterator[tuple[str, list[tuple[str, int, str]]]]:
    """Yield each program of a checkout with the places and kinds of its refused statements."""
    workspace = Workspace(folder, cache=False)
    for script in scripts_of(workspace)[:most]:
        run = Interpreter(workspace, script, ("", 0), arguments=[], steps=steps)
        outcome = run.run()
        yield (
            script,
            sorted((*place, what) for place, what in outcome.elsewhere if what not in LEFT_OUT),
        )


def parse_folders(doc: str | None, followed: str, detail: str) -> argparse.Namespace:
    """Return the command line of a script that follows what the checkouts in folders hold."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=80, help=f"{followed} of a folder, at most")
    parser.add_argument("--steps", type=int, default=60_000, help="steps of each, at most")
    parser.add_argument("--detail", type=Path, help=f"write the {detail} to this file")
    return parser.parse_args()


def main() -> None:
    """Follow the programs of all folders and print the counts."""
    options = parse_folders(__doc__, "programs", "refused statements")
    programs = refusing = 0
    kinds: Counter[str] = Counter()
    places: dict[str, str] = {}
    for folder in options.folders:
        for _, refused in refused_in(folder, options.most, options.steps):
            programs += 1
            refusing += bool(refused)
            for file, line, what in refused:
                places.setdefault(f"{folder.name}/{file}:{line}", what)
    kinds.update(places.values())
    print(f"{programs} programs, {refusing} with a refused statement, {len(places)} statements")
    print(", ".join(f"{what} {count}" for what, count in kinds.most_common()))
    if options.detail is not None:
        options.detail.write_text(json.dumps(places, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
