"""Fusion: one score for a line from all its clues, with weights by kind of evidence and category.

The score of a line is a weighted sum over kinds of the strongest clue of each kind. The weights
are learned listwise (ListNet's top-one probability, Cao et al., ICML 2007) by
``benchmarks/train_ranking.py`` and stored in ``weights.json``. Where failing runs are known, the
combination of spectrum, stack and words counts in full and the other kinds, which partly say the
same, by `BESIDE`: the combination was learned on failing tests, the other weights on programs
without any.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from typing import Any

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.import_lines import (
    ImportLines,
    import_lines,
    lines_of,
    statement_at,
)
from dl_bug_lsp.report import LAST_OUTPUT
from dl_bug_lsp.spectrum.failing_runs import DIALECT, FailureSpectrum, is_test_file
from dl_bug_lsp.tracebacks.dialects import dialect_named

OTHER = "other"
GROUPS: dict[str, str] = {
    "tensor_mismatch": "shape",
    "type_mismatch": "type",
    "null_reference": "type",
    "not_implemented": "type",
    "illegal_index": "index",
    "key_not_found": "name",
    "attribute_not_found": "name",
    "undefined_variable": "name",
    "path_not_found": "path",
    "permission_denied": "path",
    "library_not_found": "path",
    "version_conflict": "path",
    "illegal_argument": "argument",
    "framework_api_misuse": "argument",
    "division_by_zero": "argument",
    "corrupt_data": "data",
    "unexpected_encoding": "data",
    "syntax_error": "data",
    "gpu_out_of_memory": "memory",
    "cpu_out_of_memory": "memory",
    "storage_exhausted": "memory",
    "loss_nan": "silent",
    "loss_stagnation": "silent",
    "loss_divergence": "silent",
    "accuracy_at_chance": "silent",
    "overfitting": "silent",
    "dead_gradients": "silent",
    "training_fault": "silent",
    "communication_failure": OTHER,
    "device_unavailable": OTHER,
    "hardware_failure": OTHER,
    "process_killed": OTHER,
    "unclassified": OTHER,
}
"""The group of each category: categories of one group share the weights that were learned."""


GENERIC = (
    *("stack_trace.", "slice.", "outer_slice.", "focus.", "steps.", "spectrum."),
    *("interpretation.slice", "naturalness.line", "monitor.runner"),
)
"""Kinds that hold for most lines near a failure, innocent ones too: no sign of guilt."""
OF_SLICES = ("slice.", "outer_slice.")
RAISE_SITE = "stack_trace.raise_site"
LEAST_SPECIFIC = 0.5
"""What specific clues must add together so that they count as evidence against a line."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line with its clues, the strongest of each kind, in the order of what each adds."""

    file: str
    line: int
    score: float
    clues: tuple[tuple[Clue, float], ...]

    @property
    def specific(self) -> float:
        """What clues add that speak about this line and not about all lines near the failure."""
        return math.fsum(part for clue, part in self.clues if not clue.kind.startswith(GENERIC))

    @property
    def sources(self) -> frozenset[str]:
        """The sources of evidence that speak for this line."""
        return frozenset(source_of(clue.kind) for clue, part in self.clues if part > 0)


SOURCES = {
    "slice": "provenance",
    "outer_slice": "provenance",
    "focus": "provenance",
    "numbers": "facts",
    "names": "facts",
    "dtypes": "facts",
    "types": "facts",
    "paths": "facts",
    "place": "facts",
    "rules": "domain_rules",
    "training": "domain_rules",
    "raising": "message",
    "repair": "repairs",
    "missing": "repairs",
    "shapes": "shapes",
    "printed": "printed",
    "printed.last": LAST_OUTPUT,
}
"""The source of evidence, by the field's terms, of a family of clues or of one kind of clue."""


def source_of(kind: str) -> str:
    """Return the source of evidence that a kind of clue belongs to."""
    family = kind.partition(".")[0]
    return SOURCES.get(kind) or SOURCES.get(family, family)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the share of the first line becomes the probability that it is a cause.

    Its log-odds are ``slope`` times those of the share plus ``intercept`` (Platt, 1999), plus
    ``by_source`` for each source of evidence that has a clue there: what coincides with a number of
    the message is the cause less often, at the same share, than what breaks a library's contract.
    """

    slope: float = 1.0
    intercept: float = 0.0
    by_source: Mapping[str, float] = field(default_factory=dict)

    def probability(self, share: float, sources: Iterable[str]) -> float:
        """Return the probability that the line with the highest share is a cause."""
        odds = math.log(max(share, 1e-9) / max(1.0 - share, 1e-9))
        sure = math.fsum(self.by_source.get(source, 0.0) for source in set(sources))
        return 1.0 / (1.0 + math.exp(-self.slope * odds - self.intercept - sure))


@dataclass(frozen=True, slots=True)
class Weights:
    """What a clue of a kind adds for score 1: everywhere, and more or less in a category group.

    ``sharpness`` multiplies the scores before they become shares; it is fitted on programs left out
    of the training. ``calibration`` is fitted on programs that nobody read, so that a first share
    of 0.7 holds a cause about seven times in ten.
    """

    common: dict[str, float]
    by_group: dict[str, dict[str, float]]
    unknown: float
    sharpness: float = 1.0
    calibration: Calibration = Calibration()

    def of(self, kind: str, group: str) -> float:
        """Return the weight of a kind of evidence in a category group."""
        known = self.common.get(kind, self.unknown)
        return known + self.by_group.get(group, {}).get(kind, 0.0)


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """Return the weights that ship with the package."""
    text = resources.files("dl_bug_lsp.ranking").joinpath("weights.json").read_text("utf-8")
    return weights_from(json.loads(text))


def weights_from(data: dict[str, Any]) -> Weights:
    """Make weights of the data file's content."""
    return Weights(
        data["common"],
        data["by_group"],
        data["unknown"],
        data["sharpness"],
        Calibration(**data.get("calibration", {})),
    )


def features(clues: Iterable[Clue]) -> dict[tuple[str, int], dict[str, Clue]]:
    """Return the strongest clue of each kind for every line."""
    lines: dict[tuple[str, int], dict[str, Clue]] = {}
    for clue in clues:
        kinds = lines.setdefault((clue.file, clue.line), {})
        before = kinds.get(clue.kind)
        if before is None or clue.score > before.score:
            kinds[clue.kind] = clue
    return lines


def counted(
    lines: Mapping[tuple[str, int], dict[str, Clue]],
) -> dict[tuple[str, int], dict[str, Clue]]:
    """Return the clues that count: that its own values flow into it says nothing of a raise site.

    Every slice begins there, so that steps of all kinds would speak for it.
    """
    return {
        place: {kind: clue for kind, clue in kinds.items() if not kind.startswith(OF_SLICES)}
        if RAISE_SITE in kinds
        else kinds
        for place, kinds in lines.items()
    }


def fuse(
    clues: Iterable[Clue],
    category: str,
    weights: Weights | None = None,
    *,
    in_notebook: bool = False,
) -> list[Candidate]:
    """Return the lines by falling score; ties by file and line, so that runs agree.

    ``in_notebook`` tells that the failure was raised in a cell of a notebook.
    """
    weights = weights or shipped_weights()
    group = GROUPS.get(category, OTHER)
    candidates: list[Candidate] = []
    for (file, line), kinds in counted(features(clues)).items():
        parts = [(c, weights.of(c.kind, group) * c.score) for c in kinds.values()]
        parts.sort(key=lambda part: (-part[1], part[0].kind))
        candidates.append(Candidate(file, line, math.fsum(p for _, p in parts), tuple(parts)))
    candidates = _explained_away(candidates)
    if in_notebook:
        candidates = [
            replace(c, score=c.score + IN_NOTEBOOK) if _is_raise_site(c) else c for c in candidates
        ]
    return sorted(candidates, key=lambda c: (-c.score, c.file, c.line))


def softmax(scores: Sequence[float], sharpness: float) -> list[float]:
    """Return the softmax of scores, each multiplied by ``sharpness``; the first is the highest."""
    powers = [math.exp(sharpness * (score - scores[0])) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


MOST_SHARPENED = 4.0
"""How many times sharper than the shipped weights say a report's shares may be made."""
_HALVINGS = 40


def calibrated_shares(
    scores: Sequence[float], weights: Weights, sources: Iterable[str] = ()
) -> list[float]:
    """Return the share of each candidate, their scores in falling order; the shares add up to 1.

    The first share is the probability that `Weights.calibration` gives for the ``sources`` of
    evidence of the first candidate. The others follow by the
    sharpness, one for each report, at which the softmax gives the first one that share. Where the
    first scores are equal their shares stay equal.
    """
    if len(scores) < 2:
        return [1.0] * len(scores)
    wanted = weights.calibration.probability(softmax(scores, weights.sharpness)[0], sources)
    # The first share grows with the sharpness.
    low, high = 0.0, MOST_SHARPENED * weights.sharpness
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if softmax(scores, middle)[0] < wanted else (low, middle)
    return softmax(scores, high)


EXPLAINED = 0.4
"""What the raise site loses for each point of specific evidence that another line has more."""


def _explained_away(candidates: list[Candidate]) -> list[Candidate]:
    """Lower the raise site where another line explains the failure.

    The raise site collects generic evidence of every kind without a sign of guilt: it fails because
    some other line is wrong ("explaining away", Pearl 1988).
    """
    best = max((c.specific for c in candidates if not _is_raise_site(c)), default=0.0)
    return [
        replace(c, score=c.score - EXPLAINED * max(0.0, best - c.specific))
        if _is_raise_site(c)
        else c
        for c in candidates
    ]


IN_NOTEBOOK = 4.5
"""What the raise site gets in a notebook. Cells are short and run as they are written, so that the
line that fails is the cause more often than in programs: in 52 of 91 crashes of public notebooks,
in about one of four small programs. The weights were learned on programs of which hardly one in
seven has the cause there (`benchmarks/ranking.md`, "The raise site in notebooks")."""


def _is_raise_site(candidate: Candidate) -> bool:
    return any(clue.kind == RAISE_SITE for clue, _ in candidate.clues)


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
    ranked = [
        _ranked(candidate, leads) for candidate in candidates if rules.may_hold_cause(candidate)
    ]
    suspicious = [candidate for candidate in ranked if candidate.score >= LEAST]
    if not suspicious:
        return candidates
    code = [candidate for candidate in suspicious if not is_test_file(candidate.file)]
    tests = [candidate for candidate in suspicious if is_test_file(candidate.file)]
    lowest = min((candidate.score for candidate in code), default=math.inf)
    behind = [replace(candidate, score=min(candidate.score, lowest - 1)) for candidate in tests]
    return [
        *sorted(code, key=lambda c: (-c.score, c.file, c.line)),
        *sorted(behind, key=lambda c: (-c.score, c.file, c.line)),
    ]


def _is_of_test(case: Case, runs: FailureSpectrum) -> bool:
    failure = case.failure
    is_named = failure.dialect == DIALECT or dialect_named(failure.dialect).is_of_test
    return is_named or bool(runs.own) or any(is_test_file(frame.file) for frame in failure.frames)


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
