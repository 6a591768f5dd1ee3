"""Bytes and lines: decoding, terminal codes, prefixes of ranks and times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dl_bug_lsp.logs.log import Log, LogLine, Process, Span

if TYPE_CHECKING:
    from dl_bug_lsp.logs.reader import LARGE, read_log, read_log_chunks

__all__ = ["LARGE", "Log", "LogLine", "Process", "Span", "read_log", "read_log_chunks"]


def __getattr__(name: str) -> Any:
    """Import what reads late: its patterns take a while to compile; the values need none."""
    if name in ("LARGE", "read_log", "read_log_chunks"):
        from dl_bug_lsp.logs import reader

        return getattr(reader, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
