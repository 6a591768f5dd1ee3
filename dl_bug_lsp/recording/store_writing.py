"""A session into the spectrum's tables, within the writer's transaction."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import astuple

from dl_bug_lsp.recording.values import Session


def drop_replaced(db: sqlite3.Connection, session: Session) -> None:
    """Delete the tests that the session ran again, with their subtests, and those that are gone."""
    again = {test.name for test in session.tests}
    for number, name, whole in db.execute("select id, name, part_of from test").fetchall():
        file = name.partition("::")[0]
        known = session.collected.get(file)
        names = set(_test_and_subtest(name))
        if (
            names & again
            or (known is not None and not names & known)
            or {name, whole} & session.replaces
        ):
            for table in ("hit", "arc", "signature"):
                db.execute(f"delete from {table} where test = ?", (number,))
            db.execute("delete from test where id = ?", (number,))


def _test_and_subtest(name: str) -> Iterator[str]:
    """Yield a name and what stands before its spaces: a subtest is named ``test (i=1)``.

    Parameters may hold spaces, too; only a test's whole name is ever compared with these.
    """
    at = len(name)
    while at > 0:
        yield name[:at]
        at = name.rfind(" ", 0, at)


def insert(db: sqlite3.Connection, session: Session) -> None:
    """Add a session with all that it holds."""
    about = (session.started, session.command, session.branch)
    number = db.execute(
        "insert into session (started, command, branch) values (?, ?, ?)", about
    ).lastrowid
    sources = _insert_sources(db, session, number)
    for test in session.tests:
        row = db.execute(
            "insert into test (session, name, outcome, failed_in, seconds, text, weight, part_of)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                test.name,
                test.outcome.value,
                test.failed_in.value if test.failed_in else None,
                test.seconds,
                test.text.encode("utf-8", "replace").decode(),
                test.weight,
                test.part_of,
            ),
        ).lastrowid
        db.executemany(
            "insert into signature values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(row, *astuple(signature)) for signature in test.signatures],
        )
        db.executemany(
            "insert into hit values (?, ?, ?, ?)",
            [(row, phase.value, sources[file], h.lines) for (phase, file), h in test.hits.items()],
        )
        db.executemany(
            "insert into arc values (?, ?, ?, ?, ?)",
            [
                (row, phase.value, sources[file], first, last)
                for (phase, file), h in test.hits.items()
                for first, last in h.arcs
            ],
        )


def _insert_sources(
    db: sqlite3.Connection, session: Session, number: int | None
) -> Mapping[str, int]:
    files = {file for test in session.tests for _, file in test.hits} | set(session.imported)
    found: dict[str, int] = {}
    for file in sorted(files):
        text = session.sources.get(file)
        digest = None
        if text is not None:
            body = text.encode("utf-8", "replace")
            digest = hashlib.blake2b(body, digest_size=16).hexdigest()
            db.execute("insert or ignore into body values (?, ?)", (digest, zlib.compress(body)))
        imported = session.imported.get(file)
        row = db.execute(
            "insert into source (session, file, digest, imported) values (?, ?, ?, ?)",
            (number, file, digest, imported.lines if imported else b""),
        ).lastrowid
        assert row is not None
        found[file] = row
    return found


def drop_unused(db: sqlite3.Connection) -> None:
    """Delete sessions without tests, and sources of no session."""
    db.execute("delete from session where id not in (select session from test)")
    db.execute("delete from source where session not in (select id from session)")
    db.execute("delete from body where digest not in (select digest from source)")
