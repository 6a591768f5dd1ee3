"""What a category or a message means, and the words that people use for the categories."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.report import Advice
from dl_bug_lsp.signals import classify_silent, silent_failure
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.categories import Category, categories
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.rules import TABLES
from dl_bug_lsp.tracebacks import FailureKind, read_failures

_IS_MESSAGE = re.compile(r"[\s:]")

SYNONYMS = {
    "oom": "gpu_out_of_memory",
    "cuda_oom": "gpu_out_of_memory",
    "out_of_memory": "gpu_out_of_memory",
    "cuda_out_of_memory": "gpu_out_of_memory",
    "ram": "cpu_out_of_memory",
    "memoryerror": "cpu_out_of_memory",
    "shm": "cpu_out_of_memory",
    "nan": "loss_nan",
    "inf": "loss_nan",
    "shape": "tensor_mismatch",
    "shapes": "tensor_mismatch",
    "size_mismatch": "tensor_mismatch",
    "shape_mismatch": "tensor_mismatch",
    "dtype": "type_mismatch",
    "typeerror": "type_mismatch",
    "keyerror": "key_not_found",
    "indexerror": "illegal_index",
    "device_side_assert": "illegal_index",
    "attributeerror": "attribute_not_found",
    "nameerror": "undefined_variable",
    "unboundlocalerror": "undefined_variable",
    "filenotfounderror": "path_not_found",
    "file_not_found": "path_not_found",
    "importerror": "library_not_found",
    "modulenotfounderror": "library_not_found",
    "valueerror": "illegal_argument",
    "zerodivisionerror": "division_by_zero",
    "unicodedecodeerror": "unexpected_encoding",
    "encoding": "unexpected_encoding",
    "none": "null_reference",
    "nonetype": "null_reference",
    "nccl": "communication_failure",
    "timeout": "communication_failure",
    "no_space_left": "storage_exhausted",
    "disk_full": "storage_exhausted",
    "killed": "process_killed",
    "oom_killer": "process_killed",
    "sigkill": "process_killed",
    "not_learning": "loss_stagnation",
    "plateau": "loss_stagnation",
    "diverges": "loss_divergence",
    "exploding": "loss_divergence",
    "chance": "accuracy_at_chance",
    "vanishing_gradients": "dead_gradients",
    "overfit": "overfitting",
    "cuda": "device_unavailable",
    "no_gpu": "device_unavailable",
}
"""What people call categories."""


def category_named(text: str) -> str:
    """Return the id of the category that a word names; the word as an identifier for none."""
    wanted = re.sub(r"[\s-]+", "_", text.strip().lower())
    return SYNONYMS.get(wanted) or SYNONYMS.get(wanted.replace("_", "")) or wanted


@dataclass(frozen=True, slots=True)
class Meaning:
    """The category of a word or a message, with the advice that the message itself points at."""

    category: Category
    advice: tuple[Advice, ...] = ()


def meaning_of(text: str) -> Meaning | None:
    """Return what a category's name, a synonym or a message means; None where it is not known."""
    rows = {row.id: row for row in categories()}
    named = rows.get(category_named(text))
    if named is not None:
        return Meaning(named)
    if not _IS_MESSAGE.search(text.strip()):
        return _of_part(text)
    meaning, _ = _of_text(text)
    if meaning is not None or "\n" in text.strip():
        return meaning
    for name in BARE:
        meaning, rule = _of_text(f"{name}: {text.strip()}")
        # What any message of this class is read as says nothing of this one.
        if meaning is not None and rule not in ("text", _of_text(f"{name}: -")[1]):
            return meaning
    return _of_words(text) or _of_part(text)


LEAST_OF_PART = 3
"""Words that a part of a known message must have."""


def _of_part(text: str) -> Meaning | None:
    """Return the one category whose rules know messages that hold this text as a part."""
    part = " ".join(text.lower().split())
    if len(part.split()) < LEAST_OF_PART:
        return None
    known = {
        rule.category
        for table in TABLES
        for rule in table.rules
        if any(part in phrase for phrase in rule.phrases)
    }
    rows = {row.id: row for row in categories()}
    return Meaning(rows[known.pop()]) if len(known) == 1 else None


BARE = ("RuntimeError", "AttributeError", "ModuleNotFoundError", "TypeError", "ValueError")
"""Exceptions that a message is tried as which was given without one."""


def _of_words(text: str) -> Meaning | None:
    """Return the one category that words of a text are synonyms of, if there is one only."""
    rows = {row.id: row for row in categories()}
    named = {SYNONYMS.get(word) for word in re.findall(r"\w+", text.lower())} - {None}
    one = rows.get(next(iter(named)) or "") if len(named) == 1 else None
    return Meaning(one) if one is not None else None


def _of_text(text: str) -> tuple[Meaning | None, str]:
    """Return what the failure means that a text tells and the rule that says so.

    The meaning is None where there is no failure or no category for it.
    """
    rows = {row.id: row for row in categories()}
    log = read_log(text)
    failure = next((f for f in read_failures(log).failures if f.primary), None)
    if failure is None:
        failure = silent_failure(log)
    if failure is None:
        return None, ""
    if failure.kind is FailureKind.SILENT:
        verdict = classify_silent(failure, log)
    else:
        verdict = classify(failure, extract_facts(failure.cause) if failure.cause else None)
    if verdict.id not in rows or verdict.id == "unclassified":
        return None, verdict.rule
    return Meaning(rows[verdict.id], advice(failure, verdict)), verdict.rule
