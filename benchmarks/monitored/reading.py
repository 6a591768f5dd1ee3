"""Reads recorded cases: folders with ``training.db``, ``log.txt``, ``truth.json``, ``work``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp import databases
from dl_bug_lsp.monitoring.store import _SCHEMA, _rows_by_run, run_of
from dl_bug_lsp.monitoring.training_run import Run

SOFT = 0.10
"""A fault counts where the metric is worse than the worst clean run of its program by a tenth."""
ALWAYS = frozenset(
    {"evaluation_in_train_mode", "accumulated_graph", "leaking_data", "scheduler_per_step"}
)
"""Kinds that are faults even where the metric of the one run is not worse for it."""


@dataclass(frozen=True)
class Recorded:
    """A recorded case: its truth (``kind`` is None for a clean run), its folder, its run."""

    folder: Path
    truth: dict[str, Any]

    @property
    def kind(self) -> str | None:
        """The kind of fault, None in a clean run."""
        kind: str | None = self.truth["kind"]
        return kind

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that are right: of a case of the factory several may be."""
        return tuple(self.truth.get("kinds") or [self.truth["kind"]])

    @property
    def lines(self) -> set[tuple[str, int]]:
        """The true lines (1-based) with their files."""
        file = self.truth.get("file")
        return {(file, x) if isinstance(x, int) else (x[0], x[1]) for x in self.truth["lines"]}

    def runs(self) -> list[Run]:
        """Read the runs of the case's database."""
        file = self.folder / "training.db"
        if not file.exists():
            return []
        with databases.opened(file, _SCHEMA) as db:
            rows = _rows_by_run(db)
        found = [run_of(number, own) for number, own in sorted(rows.items())]
        return [run for run in found if run is not None]


def cases(store: Path, half: str) -> Iterator[Recorded]:
    """Yield the cases of a half that count: clean ones, and faults that do harm; sorted."""
    files = sorted((store / half).glob("*/truth.json"))
    everything = [Recorded(file.parent, json.loads(file.read_text())) for file in files]
    if half.startswith("factory"):
        yield from (case for case in everything if case.truth.get("code") == 0)
        return
    worst: dict[str, float] = {}
    for case in everything:
        value = case.truth["metric"]
        if case.kind is None and value is not None:
            program = case.truth["program"]
            choose = min if case.truth["higher"] else max
            worst[program] = choose(worst.get(program, value), value)
    for case in everything:
        if case.truth["code"] == 0 and (case.kind is None or does_harm(case, worst)):
            yield case


def does_harm(case: Recorded, worst: dict[str, float]) -> bool:
    """Whether a fault makes the metric worse than the worst clean run by a tenth."""
    if case.kind in ALWAYS:
        return True
    value, least = case.truth["metric"], worst.get(case.truth["program"])
    if value is None or math.isnan(value):
        return True
    if least is None:
        return False
    if case.truth["higher"]:
        return bool(value < least - SOFT * abs(least))
    return bool(value > least + SOFT * abs(least))
