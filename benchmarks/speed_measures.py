"""The works that `speed` times, each in a process of its own."""

from __future__ import annotations

import ast
import contextlib
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from dl_bug_lsp.workspace import Workspace

CHUNK = 8 << 20
Figures = dict[str, float]
"""Seconds on the clock and of the processor, peak of the memory in MiB, and what else counts."""


def _parse(tree: Path, logs: list[Path]) -> Figures:
    files = Workspace(tree, cache=False).python_files()
    sources = [file for file in files if file.endswith(".py")]
    warnings.simplefilter("ignore")

    def work() -> None:
        for file in sources:
            with contextlib.suppress(SyntaxError, ValueError):
                ast.parse((tree / file).read_bytes())

    size = sum((tree / file).stat().st_size for file in sources) / 1e6
    return {**_timed(work), "files": float(len(sources)), "mb": size}


def _cold(tree: Path, logs: list[Path]) -> Figures:
    _forget(tree)
    return _timed(lambda: Workspace(tree).index())


def _warm(tree: Path, logs: list[Path]) -> Figures:
    return _timed(lambda: Workspace(tree).index())


def _unpacked(tree: Path, logs: list[Path]) -> Figures:
    def work() -> None:
        workspace = Workspace(tree)
        for file in workspace.python_files():
            workspace.elements(file)

    return _timed(work)


def _localize_cold(tree: Path, logs: list[Path]) -> Figures:
    _forget(tree)
    return _localize_warm(tree, logs)


def _localize_warm(tree: Path, logs: list[Path]) -> Figures:
    """Do what the command line does, the imports included."""
    text = logs[0].read_bytes()

    def work() -> None:
        from dl_bug_lsp.localize import localize

        workspace = Workspace(tree)
        localize(text, workspace)
        workspace.keep_index()

    return _timed(work)


def _localize_each(tree: Path, logs: list[Path]) -> Figures:
    """Localize all logs in one process, the index at hand, as the language server does."""
    from dl_bug_lsp.localize import localize

    workspace = Workspace(tree)
    workspace.index()
    figures: Figures = {}

    def work() -> None:
        for log in logs:
            values = _timed(partial(localize, log.read_bytes(), workspace))
            name = log.parent.name
            figures[f"{name}/seconds"], figures[f"{name}/cpu"] = values["seconds"], values["cpu"]

    return {**_timed(work), **figures}


def _read_bytes(tree: Path, logs: list[Path]) -> Figures:
    from dl_bug_lsp.logs import read_log
    from dl_bug_lsp.tracebacks import read_failures

    return _counting(lambda: len(read_failures(read_log(logs[0].read_bytes())).failures))


def _read_stream(tree: Path, logs: list[Path]) -> Figures:
    from dl_bug_lsp.logs import read_log_chunks
    from dl_bug_lsp.tracebacks import read_failures

    return _counting(lambda: len(read_failures(read_log_chunks(_chunks(logs[0]))).failures))


def _counting(count: Callable[[], int]) -> Figures:
    found: list[int] = []
    figures = _timed(lambda: found.append(count()))
    return {**figures, "failures": float(found[0])}


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def _timed(work: Callable[[], object]) -> Figures:
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_mib": peak / (1024 if sys.platform != "darwin" else 1 << 20),
    }


def _forget(tree: Path) -> None:
    path = Workspace(tree).cache_info().path
    if path is not None:
        path.unlink(missing_ok=True)


MEASURES: dict[str, Callable[[Path, list[Path]], Figures]] = {
    "parse": _parse,
    "cold": _cold,
    "warm": _warm,
    "unpacked": _unpacked,
    "localize_cold": _localize_cold,
    "localize_warm": _localize_warm,
    "localize_each": _localize_each,
    "read_bytes": _read_bytes,
    "read_stream": _read_stream,
}
"""A workspace and logs in, figures out."""
