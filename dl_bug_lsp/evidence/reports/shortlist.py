"""Of many files, those to parse: every file is seen by its words and definitions' names first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dl_bug_lsp.evidence.reports.documents import SourceFile, Terms, code_of, source_of
from dl_bug_lsp.evidence.reports.outlines import Outline
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.terms import words_of
from dl_bug_lsp.workspace import Workspace

PARSED = 60
"""So many files are parsed at most; of projects left out, the ranking is as good as with all."""
WITH_NOTEBOOKS = 1_000
"""Up to so many files notebooks are ranked, too: reading one costs what reading fifty modules does.
"""
_DEFINED = re.compile(r"^[ \t]*(class|(?:async[ \t]+)?def)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_PRIORS = ("kind.",)


def files_to_rank(workspace: Workspace) -> tuple[str, ...]:
    """Return the Python files to rank, whatever their number."""
    files = workspace.python_files()
    if len(files) <= WITH_NOTEBOOKS:
        return files
    return tuple(file for file in files if not file.endswith(".ipynb"))


def unparsed(workspace: Workspace, file: str) -> SourceFile:
    """Return what a file's bare text tells: its words, and the names after ``class`` and ``def``.

    Costs an eighth of parsing. Has no functions, no fields and no imports.
    """
    return workspace.derived_unindexed(
        "reports.unparsed", file, lambda: unparsed_source(code_of(workspace, file))
    )


def unparsed_source(text: str) -> SourceFile:
    """Make what is kept of a text that is not parsed; small, as there are thousands."""
    words = words_of(text)
    source = source_of(Outline(words, [0, len(words)]))
    names: dict[str, str] = {}
    for match in _DEFINED.finditer(text):
        kind = "c" if match[1] == "class" else "f"
        kinds = names.get(match[2], "")
        names[match[2]] = kinds if kind in kinds else kinds + kind
    whole = source.whole
    small = Terms(
        whole.row.astype(np.int32),
        whole.number.astype(np.int32),
        whole.count.astype(np.int32),
        whole.rows,
    )
    return replace(source, whole=small, names=names, uses={}, lines=text.count("\n") + 1)


def rows_to_parse(signals: Mapping[str, Floats]) -> Sequence[int]:
    """Return the rows of the files for which the most evidence speaks, each signal alike."""
    total: Floats = sum(
        (
            values / top
            for name, values in signals.items()
            if not name.startswith(_PRIORS) and (top := float(values.max(initial=0.0))) > 0
        ),
        np.zeros(len(next(iter(signals.values())))),
    )
    found: list[int] = np.argsort(-np.round(total, 9), kind="stable")[:PARSED].tolist()
    return found
