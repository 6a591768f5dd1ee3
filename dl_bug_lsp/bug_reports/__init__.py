"""Bug reports: what a report's text says, each kind of text in it apart."""

from dl_bug_lsp.bug_reports.failures import (
    classify_report,
    classify_sentence,
    report_facts,
    report_failure,
    ruled_out,
    tells_of_a_hang,
    text_of,
)
from dl_bug_lsp.bug_reports.reader import BugReport, CodeLink, StackLine, is_report, read_report

__all__ = [
    "BugReport",
    "CodeLink",
    "StackLine",
    "classify_report",
    "classify_sentence",
    "is_report",
    "read_report",
    "report_facts",
    "report_failure",
    "ruled_out",
    "tells_of_a_hang",
    "text_of",
]
