"""Messages without their tracebacks: `python benchmarks/message_alone.py [--cases FOLDER ...]`.

Of each recorded failure that ended with an exception only the type and the message are kept, as
people paste them into a chat; then the workspace is all that can tell the place. ``--totals`` names
no case.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import scoring

from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

ROOT = Path(__file__).parent.parent
DEFAULT = (ROOT / "fixtures", ROOT / "benchmarks" / "held_out" / "opened")
ALL_LINES = Options(top=100_000)


@dataclass(frozen=True, slots=True)
class Alone:
    """How one message without its traceback was placed; ranks are 1-based, None where not named."""

    name: str
    message: str
    cause: int | None
    """Rank of a line that is the cause."""
    raised: int | None
    """Rank of the line of the workspace that raised, or called what did."""


def message_of(text: bytes) -> str | None:
    """Return the type and message of the exception that ended a recorded job, None without one."""
    failures = read_failures(read_log(text)).failures
    primary = next((f for f in failures if f.primary), None)
    cause = primary.cause if primary is not None else None
    if cause is None or not cause.frames or not cause.type:
        return None
    return f"{cause.type}: {cause.message}" if cause.message else cause.type


def located(folder: Path, name: str, causes: list[scoring.Line], raised: object) -> Alone | None:
    """Localize the message of one recorded failure; None where it has none."""
    message = message_of((folder / "log.txt").read_bytes())
    if message is None:
        return None
    found = localize(message + "\n", Workspace(folder / "workspace", cache=False), ALL_LINES)
    primary = found.primary
    lines = [(s.file, s.line) for s in primary.suspects] if primary is not None else []
    return Alone(
        name,
        message,
        scoring.first_rank(lines, causes),
        scoring.first_rank(lines, [raised] if raised else []),
    )


def cases(tops: list[Path]) -> Iterator[Alone]:
    """Yield the messages of all cases of some folders."""
    for folder in scoring.case_folders(tops):
        case = scoring.read_case(folder)
        if not case.silent:
            found = located(folder, case.name, list(case.causes), case.raise_site)
            if found is not None:
                yield found


def table(rows: list[Alone]) -> str:
    """Return the figures as lines."""
    told = [f"{len(rows)} messages; a line is among the first"]
    told.append(f"{'':24}" + "".join(f"{cut:>8}" for cut in scoring.LINE_CUTS))
    for title, ranks in (
        ("the cause", [r.cause for r in rows]),
        ("where it was raised", [r.raised for r in rows]),
        ("either of them", [_best(r) for r in rows]),
    ):
        told.append(
            f"{title:24}" + "".join(f"{scoring.hits(ranks, cut):8.3f}" for cut in scoring.LINE_CUTS)
        )
    return "\n".join(told)


def _best(row: Alone) -> int | None:
    return min((r for r in (row.cause, row.raised) if r is not None), default=None)


def main() -> None:
    """Print the figures, and each message with its ranks unless only totals are wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--cases", type=Path, nargs="+", default=list(DEFAULT), metavar="FOLDER")
    parser.add_argument("--totals", action="store_true", help="print no single case")
    wanted = parser.parse_args()
    rows = list(cases(wanted.cases))
    if not wanted.totals:
        for row in rows:
            first = row.message.splitlines()[0][:90]
            print(f"{row.cause or '-':>4} {row.raised or '-':>4}  {row.name}: {first}")
    print(table(rows))


if __name__ == "__main__":
    main()
