"""A technique as a composition: a name, a paper, and how its file scores come about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.techniques.scores import Subject
from dl_bug_lsp.techniques.values import FixedReport, Query, Ranked, RankedFunction
from dl_bug_lsp.workspace import Workspace

FileScores = Callable[[Subject], Floats]
Files = tuple[tuple[str, float], ...]
FunctionScores = Callable[[Subject, Files], tuple[RankedFunction, ...]]


@dataclass(frozen=True, slots=True)
class Composition:
    """A technique; ``functions`` is None where its paper ranks files only."""

    name: str
    paper: str
    files: FileScores
    functions: FunctionScores | None = None

    def rank(
        self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport] = ()
    ) -> Ranked:
        """Rank the workspace's Python files, best first, ties by name; functions where it does."""
        return self.rank_subject(Subject(query, workspace, earlier))

    def rank_subject(self, subject: Subject) -> Ranked:
        """Do the same for a subject that is made already."""
        files = in_order(subject.files, self.files(subject))
        if self.functions is None:
            return Ranked(files)
        return Ranked(files, self.functions(subject, files))


def in_order(files: Sequence[str], scores: Floats) -> Files:
    """Return files with their scores by falling score, then by name."""
    pairs = zip(files, (float(score) for score in scores), strict=True)
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
