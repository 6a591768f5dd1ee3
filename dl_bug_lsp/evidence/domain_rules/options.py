"""Options of a command line that stay text, as nothing converts them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, keyword, near_files
from dl_bug_lsp.evidence.values import Case, Clue

MOST_FILES = 20
DECIDED = ("type", "action", "choices")
"""Arguments of ``add_argument`` that make something else of the text, or say what it may be."""
_TEXT = re.compile(r"\bstr\b")


def find(case: Case) -> Iterator[Clue]:
    """Yield the options without a type that the failing value was read from, where text came."""
    if case.category.id not in ("type_mismatch", "illegal_argument"):
        return
    if not _TEXT.search(case.message):
        return
    steps = [*case.raise_slice, *(step for steps in case.outer_slices for step in steps)]
    nodes: list[ast.AST] = [step.node.expr for step in steps]
    nodes += [node for start in case.starts for node in ast.walk(start.expr)]
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) == "add_argument" and (option := _text_option(call, read)):
                why = f"`{option}` has no `type=`: what the command line gives for it stays text"
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _text_option(call: ast.Call, read: set[str]) -> str:
    """Return an option that is text where it is given, and something else by default."""
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    dest, default = keyword(call, "dest"), keyword(call, "default")
    names = {flag.lstrip("-").replace("-", "_") for flag in flags}
    if isinstance(dest, ast.Constant):
        names = {str(dest.value)}
    if not names & read or any(keyword(call, name) is not None for name in DECIDED):
        return ""
    is_text = isinstance(default, ast.Constant) and isinstance(default.value, str)
    return "" if is_text else flags[-1] if flags else ""
