"""Fusion where failing runs are known: what they execute leads, all other evidence refines.

The combination of spectrum, stack and words is learned on failing tests; the other kinds' weights
are learned on programs that failed without any. So the combination counts in full, and the others,
which partly say the same, by `BESIDE`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.import_lines import (
    ImportLines,
    import_lines,
    lines_of,
    statement_at,
)
from dl_bug_lsp.ranking.fusion import Candidate
from dl_bug_lsp.spectrum.failure_spectrum import DIALECT, FailureSpectrum
from dl_bug_lsp.spectrum.failure_words import is_test_file

LEADER = "spectrum.combined"
KNOWN = "stack_trace."
"""The kinds that the combination holds already, as features of its own."""
BESIDE = 0.5
NEUTRAL = 2.0
"""What a line gets that no run can be seen to execute (a config, a table): half of the best."""
LEAST = 0.05
"""Below that a line was neither executed, nor does more than its words speak for it."""
_PYTHON = (".py", ".pyw", ".ipynb")


def led_by_spectrum(candidates: list[Candidate], case: Case) -> list[Candidate]:
    """Return the candidates anew ranked; as they are where the failure is of no known failing test.

    The steps of a training all execute the same, so that there the other evidence leads.

    Lines of functions that the failure's runs did not execute are left out. Lines of tests come
    behind all others.
    """
    runs = case.runs
    if runs is None or not runs.counts.failing or not _is_of_test(case, runs):
        return candidates
    leads = runs.counts.passing > 0
    rules = _Rules(case)
    ranked = [_ranked(one, leads) for one in candidates if rules.may_hold_cause(one)]
    found = [one for one in ranked if one.score >= LEAST]
    if not found:
        return candidates
    code = [one for one in found if not is_test_file(one.file)]
    tests = [one for one in found if is_test_file(one.file)]
    lowest = min((one.score for one in code), default=math.inf)
    behind = [replace(one, score=min(one.score, lowest - 1)) for one in tests]
    return [
        *sorted(code, key=lambda c: (-c.score, c.file, c.line)),
        *sorted(behind, key=lambda c: (-c.score, c.file, c.line)),
    ]


def _is_of_test(case: Case, runs: FailureSpectrum) -> bool:
    failure = case.failure
    told = failure.dialect in (DIALECT, "pytest")
    return told or bool(runs.own) or any(is_test_file(frame.file) for frame in failure.frames)


def _ranked(candidate: Candidate, leads: bool) -> Candidate:
    parts = [(clue, part * _share(clue, leads)) for clue, part in candidate.clues]
    parts.sort(key=lambda pair: (-pair[1], pair[0].kind))
    score = math.fsum(part for _, part in parts)
    if not candidate.file.endswith(_PYTHON):
        score += NEUTRAL
    return Candidate(candidate.file, candidate.line, score, tuple(parts))


def _share(clue: Clue, leads: bool) -> float:
    if clue.kind == LEADER or not leads:
        return 1.0
    return 0.0 if clue.kind.startswith(KNOWN) else BESIDE


class _Rules:
    """Which lines the failure's runs may have executed."""

    def __init__(self, case: Case) -> None:
        self._workspace = case.workspace
        self._executed = case.runs.executed if case.runs is not None else {}
        self._known: dict[str, ImportLines] = {}

    def may_hold_cause(self, candidate: Candidate) -> bool:
        """Whether a line was executed, runs at import, or is none that can be seen to run."""
        file, line = candidate.file, candidate.line
        executed = self._executed.get(file, frozenset())
        if not file.endswith(".py") or line in executed:
            return True
        if file not in self._known:
            self._known[file] = import_lines(self._workspace, file)
        if line not in self._known[file].inside:
            return True
        statement = statement_at(self._workspace.tree(file), line)
        return any(at in executed for at in lines_of(statement))
