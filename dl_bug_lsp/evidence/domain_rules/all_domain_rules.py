"""The list of the domain rules, one line each, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.domain_rules import (
    batch_labels,
    batches,
    dataframes,
    device_asserts,
    device_memory,
    devices,
    environment,
    environment_variables,
    far_settings,
    indices_and_divisors,
    jax_programs,
    kernels,
    missing_names,
    misuse,
    module_names,
    notebooks,
    numerics,
    pictures,
    rebuilt,
    record_features,
    selections,
    tensor_mismatch,
    tracing,
    twin_packages,
    unlike_places,
    unused_parts,
)
from dl_bug_lsp.evidence.training_rules import all_training_rules

RULES: tuple[Source, ...] = (
    tensor_mismatch.find_shapes,
    tensor_mismatch.find_uneven_samples,
    indices_and_divisors.find_index_ranges,
    indices_and_divisors.find_own_offsets,
    indices_and_divisors.find_short_tables,
    missing_names.find_missing,
    misuse.find_misuse,
    misuse.find_returns,
    misuse.find_advised_arguments,
    rebuilt.find_rebuilt,
    missing_names.find_similar_names,
    environment.find_environment,
    environment_variables.find_refused,
    all_training_rules.find,
    tracing.find_traced,
    jax_programs.find_variables,
    twin_packages.find_twins,
    indices_and_divisors.find_division_by_zero,
    indices_and_divisors.find_step_counts,
    missing_names.find_prefixes,
    missing_names.find_registries,
    dataframes.find,
    notebooks.find,
    environment.find_options,
    misuse.find_carries,
    tensor_mismatch.find_divisibility,
    misuse.find_unused_parts,
    unused_parts.find_left_out,
    misuse.find_late_calls,
    batches.find,
    devices.find_devices,
    device_asserts.find_asserts,
    device_memory.find_memory,
    kernels.find_kernels,
    numerics.find_numerics,
    devices.find_visible,
    jax_programs.find_donations,
    module_names.find_module_names,
    numerics.find_precision,
    numerics.find_warned,
    numerics.find_core_sizes,
    unlike_places.find,
    pictures.find_channel_order,
    rebuilt.find_saved_configs,
    record_features.find_record_features,
    rebuilt.find_unlike_makings,
    batch_labels.find_labels,
    far_settings.find_far_settings,
    environment_variables.find_variables,
    selections.find_selections,
    pictures.find_unconverted,
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the clues of all rules."""
    for rule in RULES:
        yield from rule(case)
