"""The weights of the ranking for bug reports: three linear models, one a level, as readable data.

``benchmarks/train_reports.py`` learns them listwise (Cao et al., ICML 2007: the softmax of the
scores is the probability of standing first) and stores them in ``report_weights.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Level:
    """What a signal of 1 adds at a level; ``sharpness`` makes shares of scores honest."""

    weights: Mapping[str, float]
    sharpness: float


@dataclass(frozen=True, slots=True)
class ReportWeights:
    """The models of all levels.

    ``neighbours`` adds to the files' what their neighbours tell; ``beside`` changes the functions'
    order, not their shares, by what stands above them.
    """

    files: Level
    neighbours: Level
    functions: Level
    beside: Level
    lines: Level


def report_weights(data: Mapping[str, Any]) -> ReportWeights:
    """Read the weights of a data file; raises KeyError or TypeError on other data."""
    levels = {
        name: Level(dict(data[name]["weights"]), float(data[name].get("sharpness", 1.0)))
        for name in ("files", "neighbours", "functions", "beside", "lines")
    }
    return ReportWeights(**levels)


@lru_cache(maxsize=1)
def shipped_report_weights() -> ReportWeights:
    """Return the weights that ship with the package."""
    text = resources.files("dl_bug_lsp.ranking").joinpath("report_weights.json").read_text("utf-8")
    return report_weights(json.loads(text))
