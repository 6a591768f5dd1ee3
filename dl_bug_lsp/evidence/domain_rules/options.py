"""Options of a command line: those that stay text, and those that a broken line cuts off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, keyword, near_files

MOST_FILES = 20
DECIDED = ("type", "action", "choices")
"""Arguments of ``add_argument`` that make something else of the text, or say what it may be."""
_TEXT = re.compile(r"\bstr\b")


_COMMAND = re.compile(r"(?:^|: )(-{1,2}[A-Za-z][\w.-]*)(?:=\S*)?: (?:command )?not found")
_SCRIPTS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".bat", "Makefile")


def find(case: Case) -> Iterator[Clue]:
    """Yield the options without a type that the failing value was read from, where text came.

    And the lines of scripts that end before the options that a shell took for a command.
    """
    yield from _cut_off(case)
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


def _cut_off(case: Case) -> Iterator[Clue]:
    """Yield the line above an option that was run as a command: it goes on without a backslash."""
    named = _COMMAND.search("\n".join((case.message, *case.own_lines)))
    if named is None:
        return
    option = named[1]
    for file in (f for f in case.workspace.files() if f.endswith(_SCRIPTS)):
        lines = case.workspace.lines(file)
        for at, line in enumerate(lines[1:], 1):
            if line.split("=")[0].split()[:1] == [option] and lines[at - 1].rstrip()[-1:] != "\\":
                why = f"the command ends here, so that `{option}` below is run as one of its own"
                yield Clue("rules.strong", file, at, 1.0, why)


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
