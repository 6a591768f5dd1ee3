"""Bug type and origin of a bug report in words, without any failure in it."""

from __future__ import annotations

from functools import cache

from dl_bug_lsp.report import Verdict
from dl_bug_lsp.taxonomy.linear_model import LinearModel, load_model
from dl_bug_lsp.taxonomy.report_cues import report_tokens

TYPES_FILE = "report_types.json"
ORIGINS_FILE = "report_origins.json"
"""Weights as `benchmarks/train_report_types.py` wrote them; `docs/report_types.md` has figures."""


@cache
def _model(name: str) -> LinearModel:
    return load_model(name)


def bug_type_of_report(text: str) -> Verdict:
    """Say which part of the program a bug report is about (Jahan et al., EMSE 2025)."""
    found, probability = _model(TYPES_FILE).best(report_tokens(text))
    return Verdict(found, round(probability, 3))


def origin_of_report(text: str) -> Verdict:
    """Say whether a bug report's cause lies in the project's own code (intrinsic) or outside it."""
    found, probability = _model(ORIGINS_FILE).best(report_tokens(text))
    return Verdict(found, round(probability, 3))
