"""Recorded trainings on disk: journals as they are written, and ``.dlbug/training.db``.

Nothing here raises on what it reads: the file and the journals may be anybody's. What is not
understood is left out, and one sentence says so.
"""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.monitoring.tables import FOLDER, JOURNAL, KEYS, SCHEMA, TABLES, columns
from dl_bug_lsp.monitoring.training_run import FIELDS, ROWS, Recording, Run
from dl_bug_lsp.python_path import child_environment, python_path
from dl_bug_lsp.runs.processes import is_alive

NAME = "training.db"
LARGEST = 256 * 2**20
"""Bytes of a database: the oldest runs go where it would grow beyond."""
LARGEST_JOURNAL = 96 * 2**20
MOST_RUNS = 40
"""Runs that a database keeps."""
MOST_ROWS = 2_000_000
"""Rows of a journal that are read."""
LONGEST_TEXT = 4_000
"""Characters of a text."""
_SESSION = re.compile(r"[\w.-]{1,80}")
_SCHEMA = {table: "run " + " ".join(name for name, _ in columns(table)) for table in TABLES}
_SCHEMA["about"] = "key value"
_SQL = {"str": "text", "int": "integer", "float": "real", "bool": "integer"}
_DAMAGED = (sqlite3.Error, OSError, ValueError, TypeError, LookupError, MemoryError, OverflowError)
_OUTCOME = next(at for at, (name, _) in enumerate(columns("run")) if name == "outcome")

Rows = dict[str, list[tuple[Any, ...]]]
"""Rows by table, each without its run, in the order of the columns."""


def training_file(root: Path) -> Path:
    """Return where the database of a workspace lies."""
    return root / data_folder.FOLDER / NAME


def read_recording(root: Path) -> Recording:
    """Read all recorded trainings of a workspace, those that are still written too."""
    runs, problems = _stored_runs(training_file(root))
    for folder in session_folders(root):
        for file in journals(folder):
            rows, problem = read_journal(file)
            problems.extend([problem] if problem else [])
            run = run_of(0, rows)
            runs.extend([run] if run is not None else [])
    return Recording(tuple(sorted(runs, key=_started)), tuple(problems))


def _started(run: Run) -> float:
    started = run.process.started
    return started if started is not None and math.isfinite(started) else 0.0


def _stored_runs(file: Path) -> tuple[list[Run], list[str]]:
    if not os.path.lexists(file):
        return [], []
    try:
        with databases.opened(file, _SCHEMA) as db:
            problem = _foreign(db)
            if problem:
                return [], [f"{NAME} {problem}"]
            stored = _rows_by_run(db)
    except _DAMAGED as error:
        return [], [f"{NAME} is not read: {_reason(error)}"]
    runs = [run_of(number, rows) for number, rows in sorted(stored.items())]
    return [run for run in runs if run is not None], []


def _foreign(db: sqlite3.Connection) -> str | None:
    row = db.execute("select value from about where key = 'schema'").fetchone()
    if row is not None and row[0] == SCHEMA:
        return None
    return f"has another schema than {SCHEMA}; use the dl-bug-lsp that wrote it, or delete it"


def _rows_by_run(db: sqlite3.Connection) -> dict[int, Rows]:
    stored: dict[int, Rows] = {}
    for table in TABLES:
        names = ", ".join(f'"{name}"' for name, _ in columns(table))
        for number, *values in db.execute(f"select run, {names} from {table} order by rowid"):
            if isinstance(number, int) and 0 < number < 2**53:
                row = _checked(table, values)
                if row is not None:
                    stored.setdefault(number, {}).setdefault(table, []).append(row)
    return stored


def run_of(number: int, rows: Rows) -> Run | None:
    """Return the run that rows make; None without a row of its process."""
    if not rows.get("run"):
        return None
    parts: dict[str, Any] = {}
    for table, field in FIELDS.items():
        records = [ROWS[table](*row) for row in rows.get(table, ())]
        if table in ("statistic", "step", "rate"):
            records.sort(key=lambda row: row.step)
        parts[field] = tuple(records)
    return Run(number, ROWS["run"](*rows["run"][-1]), **parts)


def read_journal(file: Path) -> tuple[Rows, str | None]:
    """Read what a process has written so far; a line that a kill tore is left out."""
    data = data_folder.read(file, LARGEST_JOURNAL)
    if data is None:
        return {}, f"{file.name} is not read: it is no regular file, or too large"
    tables: dict[str, dict[Any, tuple[Any, ...]]] = {}
    unread = 0
    lines = data.split(b"\n", MOST_ROWS + 1)[:MOST_ROWS]
    for at, line in enumerate(lines):
        if not line:
            continue
        row = _row(line)
        if row is None:
            unread += at < len(lines) - 1
            continue
        table, values = row
        rows = tables.setdefault(table, {})
        key = values[: KEYS[table]] if table in KEYS else len(rows)
        rows[key] = values
    problem = f"{file.name}: {unread} lines are no rows of schema {SCHEMA}" if unread else None
    return {table: list(rows.values()) for table, rows in tables.items()}, problem


def _row(line: bytes) -> tuple[str, tuple[Any, ...]] | None:
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        table, *values = json.loads(line)
        checked = _checked(table, values)
        return None if checked is None else (table, checked)
    return None


_TYPES = {
    table: [(kind, at < KEYS.get(table, 0)) for at, (_, kind) in enumerate(columns(table))]
    for table in TABLES
}


def _checked(table: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return a row with each value of its column's type; None where it lacks its key."""
    types = _TYPES[table]
    if len(values) != len(types):
        return None
    row: list[Any] = []
    for value, (kind, is_key) in zip(values, types, strict=True):
        converted: Any = None
        if kind == "str":
            converted = value[:LONGEST_TEXT] if isinstance(value, str) else ""
        elif kind == "float":
            converted = _number(value)
        elif isinstance(value, (int, bool)) and abs(value) < 2**63:
            converted = bool(value) if kind == "bool" else int(value)
        if converted is None and is_key:
            return None
        row.append(converted)
    return tuple(row)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if value in ("nan", "inf", "-inf") else None
    if isinstance(value, (int, float)):
        with suppress(OverflowError):
            return float(value)
    return None


def session_folders(root: Path) -> Iterator[Path]:
    """Yield the folders of sessions that were not taken in yet."""
    folder = root / data_folder.FOLDER / FOLDER
    for name in data_folder.names(folder):
        if _SESSION.fullmatch(name) and name.strip("."):
            yield folder / name


def journals(folder: Path) -> Iterator[Path]:
    """Yield the journals of a session's processes."""
    for name in data_folder.names(folder):
        if name.endswith(JOURNAL) and _SESSION.fullmatch(name):
            yield folder / name


def _reason(error: BaseException) -> str:
    return str(getattr(error, "strerror", None) or error).lower() or type(error).__name__


class StoreError(Exception):
    """A database that cannot be written; the message says why and what to do."""


def take_in(root: Path, session: str) -> tuple[int, ...]:
    """Bring the journals of a session into the database, remove them, return the runs' numbers.

    To be called when the session has ended: a process that has written no end was killed. Journals
    of processes that recorded nothing are removed as well. Raises `StoreError`; the journals stay
    then.
    """
    folder = root / data_folder.FOLDER / FOLDER / session
    journals_read: list[Rows] = []
    files = list(journals(folder))
    for file in files:
        rows, _ = read_journal(file)
        if rows.get("run"):
            rows["run"] = [_as_ended(rows["run"][-1])]
            journals_read.append(rows)
    numbers: tuple[int, ...] = ()
    try:
        if journals_read:
            numbers = add(training_file(root), journals_read)
        for file in files:
            data_folder.remove(file)
        with suppress(OSError):
            data_folder.remove_folder(folder)
    except (sqlite3.Error, OSError) as error:
        why = f"the recorded training could not be written to {NAME} ({_reason(error)})"
        raise StoreError(why) from error
    return numbers


def _as_ended(process: tuple[Any, ...]) -> tuple[Any, ...]:
    if process[_OUTCOME] != "running":
        return process
    return (*process[:_OUTCOME], "killed", *process[_OUTCOME + 1 :])


def add(file: Path, runs: Iterable[Rows]) -> tuple[int, ...]:
    """Add runs to a database and return their numbers; a damaged one is moved aside.

    Raises `sqlite3.Error`, OSError.
    """
    with data_folder.locked(file.parent):
        old = b""
        if os.path.lexists(file):
            read = data_folder.read(file, databases.LARGEST)
            if read is None:
                raise OSError(0, f"{file.name} is a link, no file or too large")
            old = read
        if old and not _is_sound(old):
            data_folder.rename(file, f"{file.name}.broken")
            old = b""
        with databases.of_bytes(old, _SCHEMA) as db:
            databases.allow_writing(db)
            _make_tables(db)
            db.execute("begin immediate")
            numbers = tuple(_insert(db, rows) for rows in runs)
            _drop_oldest(db, MOST_RUNS, keep=numbers)
            db.execute("commit")
            data = databases.contents(db)
            while len(data) > LARGEST and _drop_oldest(db, 0, keep=numbers, most=1):
                db.execute("vacuum")
                data = databases.contents(db)
        data_folder.write(file, data)
    return numbers


def _is_sound(data: bytes) -> bool:
    try:
        with databases.of_bytes(data, _SCHEMA) as db:
            databases.allow_writing(db)
            return _foreign(db) is None
    except _DAMAGED:
        return False


def _make_tables(db: sqlite3.Connection) -> None:
    if db.execute("select 1 from sqlite_master where name = 'about'").fetchone() is not None:
        return
    db.execute("create table about (key text primary key, value text)")
    db.execute("insert into about values ('schema', ?)", (SCHEMA,))
    for table in TABLES:
        definitions = ", ".join(f'"{name}" {_SQL[kind]}' for name, kind in columns(table))
        db.execute(f"create table {table} (run integer, {definitions})")
        db.execute(f"create index {table}_run on {table} (run)")


def _insert(db: sqlite3.Connection, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> int:
    ((last,),) = db.execute("select coalesce(max(run), 0) from run").fetchall()
    number = int(last) + 1
    for table, values in rows.items():
        marks = ", ".join("?" * (1 + len(_TYPES[table])))
        db.executemany(
            f"insert into {table} values ({marks})",
            ((number, *map(_stored, row)) for row in values),
        )
    return number


def _stored(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _drop_oldest(
    db: sqlite3.Connection, most_kept: int, keep: Iterable[int], most: int = 2**31
) -> int:
    """Remove all but the newest ``most_kept`` runs, and never those of ``keep``."""
    newest = [number for (number,) in db.execute("select run from run order by run desc")]
    old = [number for number in reversed(newest[most_kept:]) if number not in set(keep)][:most]
    for number in old:
        for table in TABLES:
            db.execute(f"delete from {table} where run = ?", (number,))
    return len(old)


# --------------------------------------------------------------- the folder of a monitored command
PROBLEMS = "problem.txt"
NOTHING = (
    "nothing was recorded: the command made no training step that is known (an optimizer's step of "
    "PyTorch, fit or apply_gradients of Keras; python -I, -E and -S keep the recorder out)"
)
_LARGEST = 2**16


@dataclass(frozen=True, slots=True)
class Session:
    """A monitored command: its name, and the folder in which its processes leave journals."""

    root: Path
    name: str
    folder: Path

    def environment(
        self, of: Mapping[str, str], command: Sequence[str], share: float | None = None
    ) -> dict[str, str]:
        """Return what to set so that every Python that is started records its trainings.

        ``share`` of a training's time may go into recording; None for the recorder's own.
        """
        return {
            **({"DL_BUG_MONITOR_SHARE": str(share)} if share is not None else {}),
            "DL_BUG_MONITOR": str(self.folder.resolve()),
            "DL_BUG_ROOT": str(self.root.resolve()),
            "DL_BUG_COMMAND": json.dumps([word[:500] for word in command][:100]),
            "PYTHONPATH": python_path(of.get("PYTHONPATH")),
        }

    def problems(self) -> tuple[str, ...]:
        """Return what kept interpreters from recording, one sentence each."""
        text = data_folder.read(self.folder / PROBLEMS, _LARGEST) or b""
        return tuple(dict.fromkeys(text.decode("utf-8", "replace").splitlines()))

    def take_in(self) -> tuple[int, ...]:
        """Bring what was recorded into the database; return the runs' numbers.

        Raises `dl_bug_lsp.monitoring.store.StoreError`.
        """
        with suppress(OSError):
            data_folder.remove(self.folder / PROBLEMS)
        return take_in(self.root, self.name)


def begin(root: Path) -> Session:
    """Make the folder of a session that begins now; raises OSError."""
    take_in_left(root)
    base = data_folder.prepare(root, FOLDER)
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"
    folder = base / name
    data_folder.make_new(folder)
    return Session(root, name, folder)


def take_in_left(root: Path) -> None:
    """Take in sessions whose `run` was killed, and which write no more."""
    for folder in session_folders(root):
        owner = folder.name.rpartition("-")[2]
        pids = [file.stem for file in journals(folder)]
        if not any(pid.isdigit() and is_alive(int(pid)) for pid in (owner, *pids)):
            with suppress(Exception):
                Session(root, folder.name, folder).take_in()


@contextmanager
def monitored(root: Path, command: Sequence[str], share: float | None = None) -> Iterator[Session]:
    """Have every Python that starts below record its trainings; raises OSError at its beginning.

    The environment is this process' own, as it was before, at the end.
    """
    session = begin(root)
    with child_environment(session.environment(os.environ, command, share)):
        yield session


def summary(root: Path, numbers: Sequence[int]) -> Iterator[str]:
    """Yield what runs of the database hold, one sentence for each, and what they lack."""
    for run in read_recording(root).runs:
        if run.number not in numbers:
            continue
        process = run.process
        rank = f" of rank {process.rank}" if process.rank is not None else ""
        seconds, spent = process.seconds or 0.0, process.spent or 0.0
        share = f", recording took about {100 * spent / seconds:.1f} % of it" if seconds else ""
        yield (
            f"{process.steps or 0} steps{rank} are recorded, {process.sampled or 0} of them "
            f"closely; {seconds:.1f} s{share}"
        )
        yield from (problem.text for problem in run.problems)
