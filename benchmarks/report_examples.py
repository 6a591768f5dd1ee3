"""What the training of the ranking for bug reports sees: a bug's candidates and their features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scoring
from denchmark_bugs import Bug, by_repository, find_repository
from denchmark_truth import ChangedCode, is_test
from git_versions import Versions

from dl_bug_lsp.bug_reports import read_report
from dl_bug_lsp.evidence.reports.blocks import TracedFrames
from dl_bug_lsp.evidence.reports.changes import neighbours
from dl_bug_lsp.evidence.reports.file_features import features_of
from dl_bug_lsp.evidence.reports.function_features import Functions, files_to_look_into, redundancy
from dl_bug_lsp.evidence.reports.line_features import Statements
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.evidence.sources import gather
from dl_bug_lsp.ranking.bug_report_ranking import (
    BLOCKS_LOOKED_INTO,
    ReportWeights,
    order_of,
    relative,
    scores_of,
    shares,
)
from dl_bug_lsp.ranking.fusion import fuse, shipped_weights, softmax
from dl_bug_lsp.workspace import GitError, Workspace

# What a context keeps is small; what it can make again is not.
_DROPPED = ("passages", "passage_file", "passage_matches", "files_matches")


@dataclass
class Example:
    """A bug's candidates at one level: a row each, which are right, and how many are right at all.

    ``groups`` names what a candidate is counted as (several lines may hit one truth).
    """

    project: str
    name: str
    features: dict[str, np.ndarray]
    right: np.ndarray
    truths: int
    source: object = None
    offset: np.ndarray | None = None
    has_traceback: bool = False


def workspaces(
    bugs: Sequence[Bug], folder: Path, of: Callable[[Bug, Versions], str]
) -> Iterator[tuple[Bug, Workspace]]:
    """Yield each bug with the workspace of a commit of it, as far as git has it."""
    for _, group in by_repository(bugs):
        path = find_repository(folder, group[0])
        if path is None:
            continue
        with Versions(path) as versions:
            for bug in group:
                until = bug.opened.timestamp() if bug.opened is not None else None
                try:
                    commit = of(bug, versions)
                    yield bug, versions.workspace(commit, known_until=until)
                except GitError:
                    continue


def context_of(bug: Bug, workspace: Workspace) -> ReportContext:
    """Read the report and its workspace as `localize` does."""
    return ReportContext(read_report(f"{bug.summary}\n\n{bug.description}"), workspace)


def slim(context: ReportContext) -> None:
    """Forget what is large."""
    for name in _DROPPED:
        context.__dict__.pop(name, None)


def file_examples(bugs: Sequence[Bug], folder: Path) -> list[Example]:
    """Return the files of each bug's version; right are those that the study counts as buggy."""
    found: list[Example] = []
    for bug, workspace in workspaces(bugs, folder, lambda b, v: v.repository.commit(b.version)):
        context = context_of(bug, workspace)
        right = np.array([file in bug.files for file in context.files])
        if right.any():
            features = relative(features_of(context))
            slim(context)
            found.append(Example(bug.project, bug.name, features, right, int(right.sum()), context))
    return found


def neighbour_examples(files: Sequence[Example], scores: Sequence[np.ndarray]) -> list[Example]:
    """Return the features of neighbours, given the files' scores of models that never saw them."""
    return [
        Example(e.project, e.name, neighbours(e.source, s), e.right, e.truths, e.source, s)
        for e, s in zip(files, scores, strict=True)
        if isinstance(e.source, ReportContext)
    ]


def function_examples(
    bugs: Sequence[Bug], folder: Path, weights: dict[str, ReportWeights]
) -> list[Example]:
    """Return the functions of the best files before each fix, ranked by left-out weights."""
    found: list[Example] = []
    for bug, workspace in workspaces(bugs, folder, parent_of):
        code = ChangedCode(workspace, bug.lines)
        if not code.lines:
            continue
        context = context_of(bug, workspace)
        model = weights[bug.project]
        features = relative(features_of(context))
        first = scores_of(features, model.files)
        scores = first + scores_of(neighbours(context, first), model.neighbours)
        part = shares(scores, model.neighbours.sharpness)
        traced = traced_of(bug, workspace)
        best = files_to_look_into(context, order_of(scores), traced)
        functions = Functions(context, best, [float(part[row]) for row in best], traced)
        names = [(context.files[b.row], b.definition.name) for b in functions.blocks]
        right = np.array([name in code.functions for name in names])
        # Made now, while the context holds what they need.
        made = functions.features
        found.append(
            Example(
                bug.project,
                bug.name,
                made,
                right,
                len(code.functions),
                (functions, code),
                has_traceback=bool(functions.frames.all),
            )
        )
        slim(context)
    return found


def beside_examples(functions: Sequence[Example], scores: Sequence[np.ndarray]) -> list[Example]:
    """Return what stands above functions, given the scores of models that never saw them."""
    return [
        replace(e, features=redundancy(e.source[0].blocks, s), offset=s)  # type: ignore[index]
        for e, s in zip(functions, scores, strict=True)
    ]


def traced_of(bug: Bug, workspace: Workspace) -> TracedFrames:
    """Return the frames of a report's traceback, and the shares of lines by its evidence."""
    case = scoring.primary_case(f"{bug.summary}\n\n{bug.description}", workspace)
    if case is None:
        return TracedFrames()
    candidates = fuse(list(gather(case)), case.category.id) if case.places else []
    parts = softmax([c.score for c in candidates], shipped_weights().sharpness)
    share_of = {(c.file, c.line): part for c, part in zip(candidates, parts, strict=True)}
    return TracedFrames(case.located, share_of)


def line_examples(
    functions: Sequence[Example], scores: Sequence[np.ndarray], ordering: Sequence[np.ndarray]
) -> list[Example]:
    """Return the lines of the best functions, given scores of models that never saw them.

    ``ordering`` are the scores that tell which functions are best, ``scores`` their shares.
    """
    found: list[Example] = []
    for example, score, order in zip(functions, scores, ordering, strict=True):
        held, code = example.source  # type: ignore[misc]
        statements = Statements(held, order_of(order)[:BLOCKS_LOOKED_INTO])
        features = statements.features()
        blocks = np.array([line.block for line in statements.lines], dtype=np.int64)
        part = shares(score, 1.0)[blocks]
        features["block.log_share"] = np.log(np.maximum(part, 1e-6))
        context = held.context
        right = np.array(
            [(context.files[li.row], li.number) in code.lines for li in statements.lines]
        )
        found.append(
            Example(
                example.project,
                example.name,
                features,
                right,
                len(code.lines),
                statements,
                has_traceback=example.has_traceback,
            )
        )
        slim(context)
    return found


def parent_of(bug: Bug, versions: Versions) -> str:
    """Return the commit before a bug's fix; raises GitError where there is none."""
    parents = versions.commit(bug.fix_commit).parents
    if not parents:
        raise GitError("no parent")
    return versions.repository.commit(parents[0])


__all__ = ["Example", "file_examples", "function_examples", "is_test", "line_examples"]
