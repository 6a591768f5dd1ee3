"""``dl-bug-lsp triage``: reads the logs of many jobs and says what failed how often."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

from dl_bug_lsp.cli.errors import (
    FOUND,
    NOT_FOUND,
    UsageError,
    terminal_width,
    write_bytes,
    write_text,
)
from dl_bug_lsp.triage import MissingExtraError, TriageError, triage

if TYPE_CHECKING:
    from dl_bug_lsp.triage.running import Progress

EVERY = 0.5
"""Seconds between two lines of progress on a terminal; elsewhere they come twenty times slower."""


def run(arguments: argparse.Namespace) -> int:
    """Read, print, and return 0 when a failure was found, 1 when none was.

    Raises `UsageError` for inputs that cannot be read and results that cannot be written.
    """
    if arguments.format == "html" and arguments.output is None and sys.stdout.isatty():
        raise UsageError("--format html writes a page; name its file with --output FILE")
    shown = _Shown(quiet=arguments.quiet)
    try:
        result = triage(
            arguments.paths,
            results=arguments.results,
            manifests=arguments.jobs,
            workspace=arguments.workspace,
            scheduler=arguments.scheduler,
            workers=arguments.workers,
            progress=shown,
        )
    except (TriageError, MissingExtraError) as error:
        shown.end()
        raise UsageError(str(error)) from None
    shown.end()
    from dl_bug_lsp.triage.page import render_page
    from dl_bug_lsp.triage.results import to_json
    from dl_bug_lsp.triage.text import render_text

    if arguments.format == "json":
        text = json.dumps(to_json(result), ensure_ascii=True, allow_nan=False, indent=2) + "\n"
    elif arguments.format == "html":
        text = render_page(result)
    else:
        text = render_text(result, arguments.top, terminal_width())
        if result.folder is not None:
            text += f"Results: {result.folder} (page.html, groups.parquet, failures.parquet)\n"
    if arguments.output is not None:
        _write(text, arguments.output)
    elif arguments.format == "text":
        write_text(text)
    else:
        write_bytes(text.encode("utf-8"))
    return FOUND if result.groups else NOT_FOUND


def _write(text: str, file: str) -> None:
    from pathlib import Path

    try:
        Path(file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write '{file}': {(error.strerror or '').lower()}") from None


class _Shown:
    """Progress on standard error: one line that changes on a terminal, else a line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._last = time.monotonic()
        self._width = 0

    def __call__(self, state: Progress) -> None:
        every = EVERY if self._terminal else 20 * EVERY
        if self._quiet or time.monotonic() - self._last < every:
            return
        self._last = time.monotonic()
        line = _progress_line(state)
        if self._terminal:
            self._width = max(self._width, len(line))
            self._print(f"\r{line:<{self._width}}")
        else:
            self._print(line + "\n")

    def end(self) -> None:
        """Leave the line of the terminal to what comes next."""
        if self._width:
            self._print("\r" + " " * self._width + "\r")

    def _print(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            self._quiet = True


def _progress_line(state: Progress) -> str:
    speed = state.bytes_read / 1e6 / max(state.seconds, 1e-6)
    left = state.seconds_left
    parts = [
        f"{state.files_read:,} of {state.files:,} files",
        f"{state.bytes_read / 1e9:.2f} of {state.bytes / 1e9:.2f} GB",
        f"{speed:.0f} MB/s",
        f"{state.failures:,} failures",
    ]
    if state.unread:
        parts.append(f"{state.unread:,} not read")
    if left is not None:
        parts.append(f"{left:.0f} s left" if left < 100 else f"{left / 60:.0f} min left")
    return ", ".join(parts)
