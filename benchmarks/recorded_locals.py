"""How much recorded local variables (`run --locals`) help on recorded failures.

    python benchmarks/recorded_locals.py --python PYTHON --kept DIR FOLDER ... [--totals]

Each case whose command is known (``truth.json``, or typed in the log after ``$``) is run once more
in a copy of its workspace, with the recorder at work and PYTHON first on the path. What was
recorded is kept in DIR for the next time; a case that was recorded in its own workspace brings it
along as ``frames.json``. The case's own log is then localized without and with it. Cases whose run
does not die of the same exception at the same place are left out.

*Seen* counts the failures that the followed run reproduces by known values.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import scoring

from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.localize import localize, recorded_frames
from dl_bug_lsp.post_mortem.records import (
    RecordedException,
    collect,
    environment,
    read_exceptions,
    recording_folder,
)
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

SECONDS = 90
TYPED = re.compile(r"^\s*\$ (?P<command>.+)$", re.MULTILINE)
PREPARING = ("cd ", "source ", "conda ", "pip ")
ALL = Options(top=0)


@dataclass(frozen=True)
class Outcome:
    """Where the cause stands in a report, None where it is in no place."""

    rank: int | None
    seen: bool
    seconds: float


def command_of(folder: Path) -> str | None:
    """Return the command of a case, None where it is not known."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    if truth.get("silent"):
        return None
    if truth.get("command"):
        return str(truth["command"])
    log = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")
    typed = [m["command"] for m in TYPED.finditer(log)]
    return " && ".join(word for word in typed if not word.startswith(PREPARING)) or None


def record(folder: Path, kept: Path, python: Path) -> Path | None:
    """Run a case with the recorder; return the file with what it saw, None where nothing ran."""
    file = kept / f"{folder.name}.json"
    command = command_of(folder)
    along = folder / "frames.json"
    if along.exists():
        document = json.loads(along.read_text(encoding="utf-8"))
        root = (folder / "workspace").resolve()
        file.write_text(json.dumps({"root": str(root), "document": document}), encoding="utf-8")
    if file.exists() or command is None:
        return file if file.exists() else None
    with tempfile.TemporaryDirectory() as home, recording_folder() as frames:
        root = Path(home, "workspace").resolve()
        shutil.copytree(folder / "workspace", root, symlinks=True)
        variables = {
            **os.environ,
            **environment(frames, root, os.environ),
            "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": home,
            "CUDA_VISIBLE_DEVICES": "",
            "HF_HUB_OFFLINE": "1",
            "MPLBACKEND": "Agg",
        }
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["bash", "-c", command],
                cwd=root,
                env=variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        document = json.loads(collect(frames))
        file.write_text(json.dumps({"root": str(root), "document": document}), encoding="utf-8")
    return file


def ranked(case: scoring.Case, exceptions: Sequence[RecordedException]) -> Outcome | None:
    """Localize a case and return where its cause stands, None where the record is another's."""
    log = (case.folder / "log.txt").read_bytes()
    failing = scoring.primary_case(log, Workspace(case.folder / "workspace", cache=False))
    if failing is None:
        return None
    failing.recorded = recorded_frames(failing, exceptions)
    if exceptions and not failing.recorded:
        return None
    began = time.process_time()
    workspace = Workspace(case.folder / "workspace", cache=False)
    failure = localize(log, workspace, ALL, exceptions=exceptions).primary
    seconds = time.process_time() - began
    places = [(s.file, s.line) for s in failure.suspects] if failure is not None else []
    hits = [number for number, place in enumerate(places, 1) if place in case.causes]
    raised = follow(failing).raised if failing.places else None
    seen = raised is not None and raised.weight == 1.0
    return Outcome(min(hits, default=None), seen, seconds)


def main() -> int:
    """Print how often the cause is found without and with what was recorded."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", type=Path, required=True, help="interpreter of the programs")
    parser.add_argument("--kept", type=Path, required=True, metavar="DIR", help="folder of records")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX")
    parser.add_argument("--totals", action="store_true", help="print no names of cases")
    parser.add_argument("folders", nargs="+", type=Path)
    wanted = parser.parse_args()
    wanted.kept.mkdir(parents=True, exist_ok=True)
    both: list[tuple[Outcome, Outcome]] = []
    recorded = 0
    for folder in scoring.case_folders(wanted.folders):
        file = (
            record(folder, wanted.kept, wanted.python) if wanted.only.search(folder.name) else None
        )
        if file is None:
            continue
        kept = json.loads(file.read_text(encoding="utf-8"))
        document = json.dumps(kept["document"]).encode()
        exceptions = read_exceptions(document, Path(kept["root"]))
        case = scoring.read_case(folder)
        recorded += bool(exceptions)
        with_record = ranked(case, exceptions) if exceptions else None
        without = ranked(case, ()) if with_record is not None else None
        if with_record is None or without is None:
            continue
        both.append((without, with_record))
        if not wanted.totals:
            print(folder.name, *(f"{o.rank} {'seen' * o.seen}" for o in both[-1]), sep="\t")
    print(f"{recorded} recorded, {len(both)} of them died as in the log")
    for name, outcomes in zip(("without", "with"), zip(*both, strict=True), strict=False):
        ranks = [o.rank for o in outcomes if o.rank is not None]
        hits = ", ".join(f"{sum(r <= cut for r in ranks)} in {cut}" for cut in (1, 5, 10))
        seen, seconds = sum(o.seen for o in outcomes), sum(o.seconds for o in outcomes)
        print(f"{name:8} {hits}; seen {seen}; {seconds:.0f} s of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
