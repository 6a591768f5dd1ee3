"""Bytes and lines: decoding, terminal codes, prefixes of ranks and times."""

from dl_bug_lsp.logs.reader import LARGE, read_log, read_log_chunks
from dl_bug_lsp.logs.values import Log, LogLine, Process, Span

__all__ = ["LARGE", "Log", "LogLine", "Process", "Span", "read_log", "read_log_chunks"]
