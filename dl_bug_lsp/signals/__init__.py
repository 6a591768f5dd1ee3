"""Run-time signals: the metric streams of a log and the failures that show in nothing else."""

from dl_bug_lsp.signals.diagnosis import classify_silent, diagnose, silent_failure
from dl_bug_lsp.signals.metrics import MetricPoint, MetricSeries, Role, SilentDiagnosis, Split
from dl_bug_lsp.signals.reader import read_metrics

__all__ = [
    "MetricPoint",
    "MetricSeries",
    "Role",
    "SilentDiagnosis",
    "Split",
    "classify_silent",
    "diagnose",
    "read_metrics",
    "silent_failure",
]
