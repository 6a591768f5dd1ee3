"""One run: paths listed, what is new read, everything counted, the results written."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport, Options
from dl_bug_lsp.triage import TriageError
from dl_bug_lsp.triage.manifests import (
    Job,
    from_table,
    looks_like_manifest,
    merged,
    read_manifest,
    to_table,
)
from dl_bug_lsp.triage.page import render_page
from dl_bug_lsp.triage.reading import Excerpt, excerpt_of_stream
from dl_bug_lsp.triage.results import (
    Group,
    TriageResult,
    for_editors,
    groups_table,
    result_of,
    to_json,
    to_summary,
)
from dl_bug_lsp.triage.running import SCHEMA, Progress, Store, read_all, write_table, write_text
from dl_bug_lsp.triage.sources import (
    CHUNK,
    Listing,
    Source,
    Unread,
    damage,
    listing,
    members,
    opened,
    unpacked,
)
from dl_bug_lsp.views.words import share
from dl_bug_lsp.workspace import Workspace

PART_ROWS = 20_000
PART_SECONDS = 5.0
"""A part of the results is written after so many rows or seconds: what a kill can cost."""
MOST_RANKED = 20
"""Groups whose places are ranked in a workspace: those with most jobs."""
PAGE = "page.html"


def run(
    paths: Sequence[str],
    *,
    results: str | None,
    manifests: Sequence[str],
    workspace: str | None,
    scheduler: str | None,
    workers: int | None,
    progress: Callable[[Progress], None] | None,
) -> TriageResult:
    """Do what `dl_bug_lsp.triage.triage` says."""
    start = time.monotonic()
    store = None if results is None else Store(Path(results).expanduser())
    with nullcontext() if store is None else store.hold():
        files = listing(paths, None if store is None else store.folder)
        jobs, notes = _jobs(files, paths, manifests, store)
        todo = files.sources if store is None else store.unread_again(files.sources)
        tables: list[pa.Table] = []
        read = size = 0
        for rows in _kept(
            read_all(todo, scheduler=scheduler, workers=workers, progress=progress), store
        ):
            read += rows.num_rows
            size += sum(rows.column("size").to_pylist())
            if store is None:
                tables.append(rows)
        if store is None:
            everything = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
        else:
            store.compact()
            everything = store.rows()
            notes.extend(store.problems)
        result = result_of(
            everything,
            jobs,
            unread=files.unread,
            left_out=files.left_out,
            notes=notes,
            before=None if store is None else store.before(),
            now=time.time(),
        )
        if workspace is not None:
            result = _with_places(result, Path(workspace).expanduser())
        result = replace(
            result,
            read_now=read,
            bytes_read=size,
            seconds=round(time.monotonic() - start, 3),
            folder=None if store is None else str(store.folder),
        )
        if store is not None:
            _write(result, everything, jobs, store)
        return result


def _kept(tables: Iterable[pa.Table], store: Store | None) -> Iterable[pa.Table]:
    """Pass tables on, and write them to the store every few seconds."""
    waiting: list[pa.Table] = []
    rows, since = 0, time.monotonic()
    try:
        for table in tables:
            waiting.append(table)
            rows += table.num_rows
            if store is not None and (
                rows >= PART_ROWS or time.monotonic() - since >= PART_SECONDS
            ):
                store.add(waiting)
                waiting, rows, since = [], 0, time.monotonic()
            yield table
    finally:
        # Also where somebody ended the run: what was read is kept.
        if store is not None:
            store.add(waiting)


def _jobs(
    files: Listing, paths: Sequence[str], manifests: Sequence[str], store: Store | None
) -> tuple[list[Job], list[str]]:
    """Return the jobs of all manifests, named as such or among the paths, and what is odd."""
    notes: list[str] = []
    # A file in a folder is a log, whatever its columns: structured logs have such, too.
    named = {os.path.realpath(path) for path in paths} | set(paths)
    sources = [
        source for source in files.sources if source.url in named and looks_like_manifest(source)
    ]
    files.sources = [source for source in files.sources if source not in sources]
    for path in manifests:
        listed = listing([path])
        for unread in listed.unread:
            raise TriageError(f"the manifest '{unread.log}' cannot be read: {unread.reason}")
        sources.extend(listed.sources)
    jobs: list[Job] = []
    if store is not None and (store.folder / "jobs.parquet").is_file():
        try:
            jobs = from_table(pq.read_table(store.folder / "jobs.parquet"))
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError):
            notes.append("'jobs.parquet' of the results is damaged; earlier jobs are not known.")
    for source in sources:
        manifest = read_manifest(source)
        jobs = merged(jobs, manifest.jobs)
        notes.extend(manifest.problems)
    if sources and store is not None:
        write_table(to_table(jobs), store.folder / "jobs.parquet")
    return jobs, notes


def _with_places(result: TriageResult, root: Path) -> TriageResult:
    """Rank the places of the most frequent groups in a workspace."""
    if not root.is_dir():
        raise TriageError(f"there is no folder '{root}'; --workspace takes the folder of the code")
    workspace = Workspace(root)
    groups = list(result.groups)
    for number, group in enumerate(groups[:MOST_RANKED]):
        text = text_of(group.representative) if group.line else None
        if text is None:
            continue
        failure = localize(text, workspace, Options(top=5)).primary
        if failure is not None and _is_of(failure):
            places = tuple(
                f"{suspect.file}:{suspect.line} ({share(failure, suspect)})"
                for suspect in failure.suspects
            )
            groups[number] = replace(group, suspects=places)
    return replace(result, groups=tuple(groups))


def _is_of(failure: FailureReport) -> bool:
    """Whether a failure's Python stack leads into the workspace: many jobs may be of others.

    Shell scripts of the same name (``run.sh``) are in every project.
    """
    files = (frame.workspace_file for frame in failure.frames)
    return any(file is not None and file.endswith((".py", ".ipynb")) for file in files)


def text_of(log: str) -> str | None:
    """Return the lines of a log, or of a member of an archive, that may report a failure."""
    url, _, member = log.partition("!")
    listed: list[Source] = listing([url]).sources
    if not listed:
        return None
    source = listed[0]
    try:
        with opened(source) as stream:
            if not source.is_archive:
                return _joined(excerpt_of_stream(_parts(unpacked(url, stream, source.size))))
            for name, inner, _, _ in members(source, stream):
                if name == member and inner is not None:
                    return _joined(excerpt_of_stream(_parts(inner)))
    except damage:
        return None
    return None


def _parts(stream: object) -> Iterable[bytes]:
    read = getattr(stream, "read")  # noqa: B009  (any stream of bytes)
    while data := read(CHUNK):
        yield data


def _joined(excerpt: Excerpt) -> str:
    lines = (line.decode(excerpt.encoding, "replace") for _, line in excerpt.lines)
    return "\n".join(lines)


def _write(result: TriageResult, rows: pa.Table, jobs: Sequence[Job], store: Store) -> None:
    """Write the last result; what editors and the next run read comes last."""
    folder = store.folder
    failures = rows.filter(
        pa.array([bool(a or b) for a, b in _pairs(rows, "group", "unread")], pa.bool_())
    )
    write_table(failures, folder / "failures.parquet")
    write_table(groups_table(result), folder / "groups.parquet")
    write_text(
        json.dumps(to_json(result), ensure_ascii=True, indent=1) + "\n", folder / "triage.json"
    )
    write_text(json.dumps(to_summary(result), ensure_ascii=True) + "\n", folder / "summary.json")
    write_text(render_page(result), folder / PAGE)
    write_text(json.dumps(for_editors(result), ensure_ascii=True) + "\n", folder / "groups.json")


def _pairs(rows: pa.Table, first: str, second: str) -> Iterable[tuple[str, str]]:
    return zip(rows.column(first).to_pylist(), rows.column(second).to_pylist(), strict=True)


__all__ = ["Group", "Progress", "TriageResult", "Unread", "run"]
