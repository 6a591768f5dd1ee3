"""Steps that only the data of training go through, where an evaluation failed.

Where the program evaluates what it has trained, the model fits the training data. What their
preparation does under a flag and that of other data does not (a crop, a scaling, an encoding) is
then the nearest difference.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, near_files, source
from dl_bug_lsp.provenance.scopes import called_name

FLAG = re.compile(r"(?i)\b(?:is_?)?(?:train(?:ing)?|augment\w*)\b|['\"]train\w*['\"]")
PREPARES = re.compile(
    r"(?i)crop|resiz|pad|trunc|trim|cut|normali|standardi|scale|rescale|encode|tokeni|totensor"
    r"|to_tensor|grayscale|convert|cast|float|flatten|reshape|transpose|permute|window|one_?hot|clip"
)
EVALUATES = re.compile(
    r"(?i)\b\w*(?:val(?:id\w*)?|eval\w*|test\w*|predict\w*|infer\w*|score)_?\w*\b"
)
CATEGORIES = {"tensor_mismatch", "illegal_argument", "type_mismatch", "illegal_index"}
MOST_FILES = 40


def find_train_only(case: Case) -> Iterator[Clue]:
    """Yield the conditions under which only training data are prepared as the model expects."""
    if case.category.id not in CATEGORIES or not _evaluates(case):
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.If) or not FLAG.search(source(node.test)):
                continue
            if isinstance(node.test, ast.UnaryOp):
                continue
            names = {called_name(call) or "" for part in node.body for call in calls_in(part)}
            done = {name for name in names if PREPARES.search(name)}
            otherwise = {called_name(c) or "" for s in node.orelse for c in calls_in(s)}
            missing = sorted(n for n in done if not _has_like(n, otherwise))
            if not missing:
                continue
            why = f"`{missing[0]}` is done under `{source(node.test)}` alone"
            yield Clue("rules.train_only", file, node.lineno, 1.0, why)
            line = next(
                (c.lineno for s in node.body for c in calls_in(s) if called_name(c) == missing[0]),
                node.lineno,
            )
            if line != node.lineno:
                yield Clue("rules.train_only", file, line, 1.0, why)


def _evaluates(case: Case) -> bool:
    """Say whether the stack went through the evaluation of what was trained before."""
    names = [frame.function or "" for frame, place in case.located if place is not None]
    sources = [frame.source or "" for frame, place in case.located if place is not None]
    return any(EVALUATES.search(text) for text in (*names, *sources))


def _has_like(name: str, others: set[str]) -> bool:
    """Whether one of the other calls does the same kind of thing (a crop for a crop)."""
    match = PREPARES.search(name)
    word = match[0].lower() if match else name.lower()
    return any(word in other.lower() for other in others)
