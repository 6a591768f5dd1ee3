"""The sources of evidence, one line each; a new one is a new module and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence import (
    computed_sizes,
    dtypes,
    execution,
    installed,
    interpreted_values,
    known_patterns,
    missing_values,
    monitored,
    names,
    nan_sources,
    naturalness,
    numbers,
    outlier_settings,
    printed_lines,
    program_file,
    rank_divergence,
    run_settings,
    types,
    value_flow,
    violated_properties,
)
from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.changed_files import weighed
from dl_bug_lsp.evidence.data import (
    data_files,
    headers,
    written_data,
    written_forms,
    written_settings,
)
from dl_bug_lsp.evidence.domain_rules import (
    all_domain_rules,
    indices_and_divisors,
    missing_names,
    outliers,
    settings,
    stored_data,
    tensor_mismatch,
    unused_parts,
)
from dl_bug_lsp.evidence.followed_run import part_in_run
from dl_bug_lsp.evidence.raising import raise_sites
from dl_bug_lsp.evidence.repairs import all_repairs, bounds, counterfactuals

SOURCES: tuple[Source, ...] = (
    execution.find_frames,
    value_flow.find,
    execution.find_executed,
    execution.find_signatures,
    execution.find_steps,
    numbers.find,
    names.find_names,
    run_settings.find,
    dtypes.find,
    types.find,
    violated_properties.find,
    names.find_paths,
    data_files.find,
    written_data.find,
    nan_sources.find,
    missing_values.find,
    written_forms.find,
    headers.find,
    outlier_settings.find,
    known_patterns.find,
    all_domain_rules.find,
    all_repairs.find,
    computed_sizes.find,
    computed_sizes.find_relations,
    installed.find,
    printed_lines.find,
    interpreted_values.find,
    rank_divergence.find,
    monitored.find,
    naturalness.find,
)
FACTORS: tuple[Callable[[Case, Clue], float], ...] = (
    part_in_run,
    program_file.part_in_start,
    headers.clue_factor,
    outlier_settings.clue_factor,
    unused_parts.clue_factor,
    names.clue_factor,
    missing_names.clue_factor,
    interpreted_values.clue_factor,
    stored_data.clue_factor,
    outliers.clue_factor,
    indices_and_divisors.clue_factor,
    bounds.clue_factor,
    written_data.clue_factor,
    nan_sources.clue_factor,
    missing_values.clue_factor,
    violated_properties.clue_factor,
    settings.clue_factor,
    counterfactuals.clue_factor,
    execution.clue_factor,
    value_flow.clue_factor,
    tensor_mismatch.clue_factor,
)
"""Factors of a clue's score: below 1 where its line is right or has no part in what fails."""
OF_RANKS: tuple[Source, ...] = (rank_divergence.find,)
"""The source for ranks that have parted: where they wait, and in what words, is no evidence."""


def gather(case: Case) -> Iterator[Clue]:
    """Yield the clues of every source, in a fixed order, weighed by who wrote their lines."""
    yield from weighed(case, list(_of_all_sources(case)))


def _factor(case: Case, clue: Clue) -> float:
    """Return what a clue counts where its line is right or has no part in what fails."""
    factor = 1.0
    for clue_factor in FACTORS:
        factor *= clue_factor(case, clue)
    return factor


def _of_all_sources(case: Case) -> Iterator[Clue]:
    for source in OF_RANKS if rank_divergence.is_shown(case) else SOURCES:
        try:
            for clue in source(case):
                checkpoint()
                factor = _factor(case, clue)
                if factor > 0:
                    weighed_clue = replace(clue, score=clue.score * factor)
                    yield from written_settings.moved(case, weighed_clue)
        except RecursionError:
            # Code may be nested deeper than Python's own calls may be: what was found counts.
            case.engine.queries.limits.add("nesting")
        checkpoint()
    if raise_sites.is_alone(case):
        try:
            for clue in raise_sites.find(case, SOURCES):
                checkpoint()
                yield clue
        except RecursionError:
            case.engine.queries.limits.add("nesting")
