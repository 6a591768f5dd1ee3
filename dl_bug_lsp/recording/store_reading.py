"""From the spectrum's tables to sessions, those of an older schema as well."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from dl_bug_lsp import databases
from dl_bug_lsp.databases import LARGEST_VALUE, checked_line, checked_numbits
from dl_bug_lsp.recording.store_tables import has
from dl_bug_lsp.recording.values import Arc, Hits, Phase, RecordedTest, Session
from dl_bug_lsp.spectrum.values import Outcome, Signature


def sessions(db: sqlite3.Connection) -> Iterator[Session]:
    """Yield the sessions, oldest first, each with its tests by name."""
    inflater = databases.Inflater()
    bodies = {
        digest: inflater.text(body, LARGEST_VALUE)
        for digest, body in db.execute("select digest, text from body")
    }
    hits, signatures = _hits(db), _signatures(db)
    since = "weight, part_of" if has(db, "signature") else "1, ''"
    for number, started, command, branch in db.execute(
        "select id, started, command, branch from session order by id"
    ).fetchall():
        sources = db.execute(
            "select file, digest, imported from source where session = ? order by file", (number,)
        ).fetchall()
        tests = tuple(
            RecordedTest(
                name,
                Outcome(outcome),
                Phase(failed_in) if failed_in else None,
                text,
                seconds,
                hits.get(row, {}),
                weight,
                whole,
                signatures.get(row, ()),
            )
            for row, name, outcome, failed_in, text, seconds, weight, whole in db.execute(
                f"select id, name, outcome, failed_in, text, seconds, {since} from test"
                " where session = ? order by name",
                (number,),
            )
        )
        yield Session(
            started,
            command,
            tests,
            {file: Hits(checked_numbits(imported)) for file, _, imported in sources if imported},
            {file: bodies[digest] for file, digest, _ in sources if digest in bodies},
            branch=bool(branch),
        )


def _hits(db: sqlite3.Connection) -> dict[int, dict[tuple[Phase, str], Hits]]:
    files = dict(db.execute("select id, file from source"))
    arcs: dict[tuple[int, str, int], list[Arc]] = {}
    for test, phase, source, first, last in db.execute("select * from arc order by first, last"):
        arc = checked_line(first), checked_line(last)
        arcs.setdefault((test, phase, source), []).append(arc)
    found: dict[int, dict[tuple[Phase, str], Hits]] = {}
    for test, phase, source, lines in db.execute("select test, phase, source, lines from hit"):
        jumps = tuple(arcs.get((test, phase, source), ()))
        found.setdefault(test, {})[Phase(phase), files[source]] = Hits(
            checked_numbits(lines), jumps
        )
    return found


def _signatures(db: sqlite3.Connection) -> dict[int, tuple[Signature, ...]]:
    found: dict[int, list[Signature]] = {}
    if has(db, "signature"):
        for test, *row in db.execute("select * from signature order by rowid"):
            found.setdefault(test, []).append(Signature(*row))
    return {test: tuple(met) for test, met in found.items()}
