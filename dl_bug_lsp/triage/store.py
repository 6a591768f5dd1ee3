"""The results' folder: what was read, as parquet, so that the next run reads only what is new.

    reads/part-….parquet   one row a log (`batches.SCHEMA`), written whole or not at all
    jobs.parquet           the jobs of all manifests so far
    failures.parquet, groups.parquet, summary.json, groups.json, page.html   the last result

A killed run loses what was not written yet, some seconds of reading, and the next run reads that
again. Of a source in several parts the latest part holds.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dl_bug_lsp.data_folder import locked
from dl_bug_lsp.triage import TriageError
from dl_bug_lsp.triage.batches import SCHEMA
from dl_bug_lsp.triage.sources import Source, Unread

READS = "reads"
MOST_PARTS = 64
"""Parts of more than this number are joined at the end of a run."""


class Store:
    """The folder of the results; parts are kept in the order of their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._reads = folder / READS
        self._number = 0

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Make the folder and keep other runs out of it; raises `TriageError`."""
        try:
            self._reads.mkdir(parents=True, exist_ok=True)
            with locked(self.folder, 0.5):
                yield
        except TimeoutError:
            raise TriageError(
                f"another run writes into '{self.folder}'; wait for it or take another folder"
            ) from None
        except (FileExistsError, NotADirectoryError, PermissionError) as error:
            raise TriageError(f"cannot write into '{self.folder}': {error.strerror}") from None

    def add(self, tables: Sequence[pa.Table]) -> None:
        """Write rows as one part, whole or not at all."""
        if tables:
            self._write(pa.concat_tables(tables))

    def _write(self, table: pa.Table) -> Path:
        self._number += 1
        name = f"part-{time.time_ns():020d}-{self._number:06d}.parquet"
        write_table(table, self._reads / name)
        return self._reads / name

    def rows(self) -> pa.Table:
        """Return the rows of all parts, of each source the latest; damaged parts are named."""
        tables: list[pa.Table] = []
        for part in self._parts():
            try:
                table = pq.read_table(part, partitioning=None)
                tables.append(table.select(SCHEMA.names).cast(SCHEMA))
            except (pa.ArrowException, OSError, KeyError, ValueError):
                self.problems.append(
                    f"'{part.name}' of the results is damaged; its logs are read again"
                )
        if not tables:
            return SCHEMA.empty_table()
        latest: dict[str, int] = {}
        sources = [table.column("source").to_pylist() for table in tables]
        for number, names in enumerate(sources):
            latest.update(dict.fromkeys(names, number))
        latest_rows = []
        for number, (table, names) in enumerate(zip(tables, sources, strict=True)):
            mask = [latest[name] == number for name in names]
            latest_rows.append(table if all(mask) else table.filter(pa.array(mask)))
        return pa.concat_tables(latest_rows)

    def _parts(self) -> list[Path]:
        return sorted(self._reads.glob("part-*.parquet"))

    def known(self) -> dict[str, str]:
        """Return the tokens of the sources that were read to their end, by their URLs."""
        rows = self.rows()
        known: dict[str, str] = {}
        columns = (rows.column(name).to_pylist() for name in ("source", "token", "unread", "note"))
        failed: set[str] = set()
        for source, token, unread, note in zip(*columns, strict=True):
            known[source] = token
            # What is binary stays so; what else could not be read may be readable now.
            if (unread and unread != "it is binary") or note:
                failed.add(source)
        return {source: token for source, token in known.items() if source not in failed}

    def compact(self) -> None:
        """Join the parts where there are many; a kill between leaves both, which is no harm."""
        parts = self._parts()
        if len(parts) <= MOST_PARTS:
            return
        rows = self.rows()
        joined = self._write(rows)
        for part in parts:
            if part != joined:
                part.unlink(missing_ok=True)

    def unread_again(self, listed: Sequence[Source]) -> list[Source]:
        """Return the sources that are new or changed since they were read."""
        known = self.known()
        return [source for source in listed if known.get(source.url) != source.token]

    def before(self) -> dict[str, Any] | None:
        """Return when the last run came to its end and the groups it knew; None without one."""
        last = read_json(self.folder / "groups.json")
        groups = last.get("groups")
        if not isinstance(groups, dict):
            return None
        return {"known": list(groups), "finished": last.get("finished")}


def unread_rows(unread: Sequence[Unread]) -> pa.Table:
    """Return rows for sources whose worker never answered."""
    rows = [
        {"log": log.log, "source": log.log, "token": "", "unread": log.reason, "note": "",
         "group": "", "read_at": time.time()}
        for log in unread
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, SCHEMA)


def write_table(table: pa.Table, file: Path) -> None:
    """Write a parquet file that is there whole or not at all."""
    passing = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    pq.write_table(table, passing, compression="zstd")
    passing.replace(file)


def write_text(text: str, file: Path) -> None:
    """Write a text file that is there whole or not at all."""
    passing = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    passing.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    passing.replace(file)


def read_json(file: Path, limit: int = 256 * 2**20) -> dict[str, Any]:
    """Return a JSON object from a file, empty where there is none or it is damaged."""
    try:
        if file.stat().st_size > limit:
            return {}
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
