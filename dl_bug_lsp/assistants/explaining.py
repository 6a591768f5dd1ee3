"""What assistants receive: the context of a failure, and what a category or a message means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from dl_bug_lsp.data_folder import home_folder
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.messages import extract_facts
from dl_bug_lsp.report import Advice, FailureReport, Report
from dl_bug_lsp.signals import classify_silent, silent_failure
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.categories import Category, categories
from dl_bug_lsp.taxonomy.classification_context import library_of
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.rules import TABLES
from dl_bug_lsp.tracebacks import FailureKind, read_failures
from dl_bug_lsp.views.context import TOKENS, render_context
from dl_bug_lsp.views.escape import redacted
from dl_bug_lsp.views.layout import Lines, PathStyle

if TYPE_CHECKING:
    from dl_bug_lsp.workspace import Workspace


# ---------------------------------------------------------------------- the context of a failure
PLACES = 60
"""Suspects that a report should hold to be told in a context: places in short form cost little."""
MOST_VERSIONS = 4
LONGEST_VERSION = 40


def context_of(
    report: Report,
    workspace: Workspace,
    tokens: int | None = None,
    only: str | None = None,
    paths: PathStyle | None = None,
) -> str:
    """Return a report's primary failure, or the one with an id, in ``tokens`` tokens (1,500).

    Reads the workspace for the code around the places.
    """
    failures = [failure for failure in report.failures if only in (None, failure.id)]
    primary = next((f for f in failures if f.primary), None) or next(iter(failures), None)
    versions = declared_versions(workspace, primary) if primary is not None else []
    lines = shown_lines(workspace)
    return render_context(report, lines, tokens or TOKENS, paths, only, home_folder(), versions)


def clean(text: str) -> str:
    """Return a text without secrets and home folders."""
    home = home_folder()
    return "\n".join(redacted(line, home) for line in text.split("\n"))


def declared_versions(workspace: Workspace, failure: FailureReport) -> list[str]:
    """Return what the workspace declares of the libraries on a failure's stack."""
    libraries = {library_of(frame.file) for frame in reversed(failure.frames)} - {None, "python"}
    if not libraries:
        return []
    versions: dict[str, str] = {}
    for entry in workspace.dependencies():
        name = str(entry.path[0])
        if name.lower().replace("-", "_") in libraries and entry.value:
            versions.setdefault(name, f"{name} {entry.value}"[:LONGEST_VERSION])
    return [f"{version} (declared)" for version in list(versions.values())[:MOST_VERSIONS]]


def shown_lines(workspace: Workspace) -> Lines:
    """Return the lines of a workspace file as people know them: a notebook's without its JSON."""

    def lines(file: str) -> Sequence[str]:
        raw = workspace.lines(file)
        return _NotebookLines(workspace, file, len(raw)) if file.endswith(".ipynb") else raw

    return lines


class _NotebookLines(Sequence[str]):
    """A notebook's lines, read one at a time."""

    def __init__(self, workspace: Workspace, file: str, count: int) -> None:
        self._workspace = workspace
        self._file = file
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        return self._workspace.source_line(self._file, index + 1)


# ---------------------------------------------------------------------- categories and messages
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
    "hang": "communication_failure",
    "hangs": "communication_failure",
    "hung": "communication_failure",
    "stuck": "communication_failure",
    "freeze": "communication_failure",
    "deadlock": "communication_failure",
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
    category = rows.get(next(iter(named)) or "") if len(named) == 1 else None
    return Meaning(category) if category is not None else None


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
