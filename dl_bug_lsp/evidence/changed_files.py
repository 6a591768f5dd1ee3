"""What the run's user wrote or changed, beside code that has run before.

The code of a published project has run for many people, and what is committed mostly ran before the
commit. The settings, the data and the script of a run that fails, and the lines that were edited
since, are more often its cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.run_files import CODE
from dl_bug_lsp.spectrum.failing_runs import is_test_file
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace

MARKS_OF_PUBLISHED = ("license", "licence", "copying", "citation.cff")
"""Beginnings of files in the root of what is published; a ``.github`` folder is another mark."""
MOST_OF_README = 200_000
MOST_BESIDE = 30
"""Python files of a folder up to which they may be those of one user's script."""
PUBLISHED = 0.6
"""What a clue in the code of a published project counts, beside one in what its user wrote."""


MOST_COMPARED = 150
"""Files with clues that are compared with the last commit, at most."""
COMMITTED = 0.4
"""What a clue counts at a line that is as it was committed, where others are not."""
MOST_CHANGED = 80
"""Lines changed since the last commit beyond which they say little about each."""
NO_CODE = ("#", '"""', "//")


def weighed(case: Case, clues: Sequence[Clue]) -> Iterator[Clue]:
    """Yield clues by who wrote their lines, then one for each line changed since the last commit.

    A git repository decides, where one is around and some of the files with clues are as they were
    committed, and some are not. Elsewhere the code of a published project counts less. Nothing is
    weighed where runs of tests rank, nor in a person's report.
    """
    if case.failure.kind is FailureKind.REPORT or case.spectrum is not None:
        yield from clues
        return
    edited: dict[str, tuple[int, ...]] = {}
    committed: set[str] = set()
    for file in list(dict.fromkeys(clue.file for clue in clues))[:MOST_COMPARED]:
        is_changed = case.workspace.is_changed(file)
        if is_changed:
            edited[file] = tuple(_changed_code(case.workspace, file))
        elif is_changed is not None:
            committed.add(file)
    known = bool(edited and committed)
    for clue in clues:
        if known:
            lines = edited.get(clue.file, ())
            is_old = clue.file in committed or (lines and clue.line not in lines)
            part = COMMITTED if is_old else 1.0
        else:
            part = _part_of_published(case, clue.file)
        yield clue if part == 1.0 else replace(clue, score=clue.score * part)
    count = sum(map(len, edited.values())) if known else 0
    for file, lines in edited.items() if count <= MOST_CHANGED else ():
        for line in lines if known else ():
            score = 1.0 / count**0.5
            yield Clue("history.changed", file, line, score, "changed since the last commit")


def _changed_code(workspace: Workspace, file: str) -> Iterator[int]:
    """Yield the changed lines of a committed file that hold more than white space or a comment."""
    texts = workspace.lines(file)
    for line in workspace.changed_lines(file):
        text = texts[line - 1].strip() if line <= len(texts) else ""
        if text and not text.startswith(NO_CODE):
            yield line


_OWN: WeakKeyDictionary[Case, frozenset[str]] = WeakKeyDictionary()
_IN_PUBLISHED: WeakKeyDictionary[Case, bool] = WeakKeyDictionary()


def _part_of_published(case: Case, file: str) -> float:
    """Return what a clue in a file counts: less in the code of a published project.

    The whole counts in its settings, in a script that its README does not name, and in all files
    where a test failed, since who runs tests works on the code.
    """
    if not file.endswith(CODE) or not _is_published(case):
        return 1.0
    return 1.0 if file in _written_for_run(case) else PUBLISHED


def _is_published(case: Case) -> bool:
    """Say whether the workspace is a checkout of a published project of which no test failed."""
    if case not in _IN_PUBLISHED:
        tested = any(is_test_file(place.file) for place in case.places)
        _IN_PUBLISHED[case] = not tested and _has_marks(case.workspace.files())
    return _IN_PUBLISHED[case]


def _has_marks(files: Iterable[str]) -> bool:
    return any(
        file.startswith(".github/") or file.lower().startswith(MARKS_OF_PUBLISHED) for file in files
    )


def _written_for_run(case: Case) -> frozenset[str]:
    """Return the code files that are settings of the run, and what its user has written for it.

    That is its script if no README names it, with the modules beside it.
    """
    if case not in _OWN:
        run = case.engine.run
        own = {*case.engine.configuration.files, *run.files}
        readme = _readme(case.workspace)
        scripts = {run.script, *(place.file for place in case.places[:1])} - {None}
        for script in scripts:
            if script and script.rpartition("/")[2] not in readme:
                own.add(script)
                own.update(_beside(case.workspace, script, readme))
        _OWN[case] = frozenset(own)
    return _OWN[case]


def _beside(workspace: Workspace, script: str, readme: str) -> list[str]:
    """Return the modules that lie with a script that the README does not name.

    In a folder of the project all below it belong to the script, in its root those right there. A
    folder of many modules is a package of the project.
    """
    folder = script.rpartition("/")[0]
    if folder:
        found = [f for f in workspace.python_files() if f.startswith(f"{folder}/")]
    else:
        found = [f for f in workspace.python_files() if "/" not in f]
    named = [f for f in found if f.rpartition("/")[2] not in readme]
    return named if len(found) <= MOST_BESIDE else []


def _readme(workspace: Workspace) -> str:
    """Return the text of the README files in the root of a workspace."""
    names = [f for f in workspace.files() if "/" not in f and f.lower().startswith("readme")]
    return "\n".join(workspace.text(name) or "" for name in names)[:MOST_OF_README]
