"""Bytes and lines: decoding, terminal codes, prefixes of ranks and times."""

from dl_bug_lsp.logs.reader import read_log
from dl_bug_lsp.logs.values import Log, LogLine, Process, Span

__all__ = ["Log", "LogLine", "Process", "Span", "read_log"]
