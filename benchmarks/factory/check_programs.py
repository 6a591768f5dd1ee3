"""Run public programs of the catalogue as they are, twice each, and show how they end.

    python benchmarks/factory/check_programs.py [--mirror FOLDER] [--store FOLDER] [NAME...]

``NAME`` is a part of a program's id or source. A run is forked from a process that has the
framework imported; its seconds are the processor's. The interpreter is the one that runs this file.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from factory.catalogue import HERE, PROJECT, checkout, editable_files, public_programs
from factory.running import FRAMEWORK_MODULES, Runner, Server, WorkingCopy
from factory.values import Program

SHOWN_LINES = 12


def check(program: Program, server: Server, mirror: Path, store: Path, work: Path) -> bool:
    """Run one program twice and print a line; return whether both runs ended well."""
    copy = WorkingCopy(program, checkout(program, mirror, store), work / program.id)
    runner = Runner(program, copy, Path(sys.executable), server)
    if not runner.setup():
        print(f"FAILED {program.id}: its setup does not end well", flush=True)
        return False
    copy.keep()
    count = sum(1 for _ in copy.root.rglob("*.py"))
    words = [f"{count} Python files", f"{len(editable_files(program, copy.kept))} editable"]
    missing = [p for p in program.editable if not any(copy.root.glob(p))]
    words += [f"NO FILE {pattern}" for pattern in missing]
    good, text = not missing, ""
    runner.start(program.preload or FRAMEWORK_MODULES.get(program.framework, ()))
    for _ in range(2):
        # A machine may be busy here; only the processor's seconds are shown.
        ending = runner.run(timeout_s=program.timeout_s * 4)
        copy.restore()
        text = ending.output.decode(errors="replace")
        words.append(f"{ending.stopped or f'exit {ending.code}'} in {ending.processor:.1f} s")
        good = good and ending.ended_well
        if program.metric is not None:
            values = re.findall(program.metric, text)
            words.append(f"metric {values[-1]}" if values else "NO METRIC")
            good = good and bool(values)
        if not good:
            break
    print(f"{'ok    ' if good else 'FAILED'} {program.id}: {', '.join(words)}", flush=True)
    if not good:
        print("    " + "\n    ".join(text.splitlines()[-SHOWN_LINES:]), flush=True)
    return good


def main() -> int:
    """Check the programs that the command line names, all without a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mirror", type=Path, default=os.environ.get("MIRROR"))
    parser.add_argument("--store", type=Path, default=PROJECT / ".factory")
    options = parser.parse_args()
    programs = [
        p
        for p in public_programs(HERE / "programs", Path(options.mirror))
        if not options.names or any(n in p.id or n in p.source for n in options.names)
    ]
    failed = []
    with tempfile.TemporaryDirectory() as work:
        server = Server(Path(sys.executable), Path(work, "server"))
        for program in sorted(programs, key=lambda p: (p.framework, p.id)):
            try:
                good = check(program, server, Path(options.mirror), options.store, Path(work))
            except Exception as error:
                print(f"FAILED {program.id}: {type(error).__name__}: {error}", flush=True)
                good = False
            failed += [] if good else [program.id]
        server.close()
    print(f"{len(programs) - len(failed)} of {len(programs)} programs end well twice", *failed)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
