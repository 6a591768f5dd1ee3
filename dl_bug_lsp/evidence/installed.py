"""What the libraries of the failing run do not have: names, modules and arguments.

Only where the interpreter of the run is known (`Options.python`). Its packages are read, not
imported; the message alone says that something is unknown, and not which of several lines asks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.environments.interpreters import Environment
from dl_bug_lsp.environments.members import (
    Lack,
    definition,
    lack,
    may_take,
    module_of,
    names_of,
    refused_texts,
)
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.scopes import library_imports, library_name

CATEGORIES = frozenset(
    ("illegal_argument", "attribute_not_found", "library_not_found", "framework_api_misuse")
)
NEAR_MISS = 0.7
"""The score of a line that the message does not speak of."""
MOST_FILES = 12


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of the stack's files that ask for what the installed versions lack."""
    environment = case.environment
    if environment is None or case.category.id not in CATEGORIES:
        return
    message = "\n".join(case.own_lines)
    for file in dict.fromkeys(place.file for place in reversed(case.places[-MOST_FILES:])):
        tree = case.workspace.tree(file)
        if tree is None:
            continue
        names = library_imports(case.workspace, file, tree)
        for node in ast.walk(tree):
            for name, why in _lacking(case, environment, file, node, names):
                score = 1.0 if name and name in message else NEAR_MISS
                line = getattr(node, "lineno", 1)
                yield Clue("rules.strong", file, line, score, why)


def _lacking(
    case: Case, environment: Environment, file: str, node: ast.AST, names: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield what a node asks for in vain: the name, and a sentence."""
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        if case.workspace.module_file(node.module.partition(".")[0], file) is None:
            for alias in node.names:
                if lack(environment, node.module, alias.name) is Lack.CERTAIN:
                    yield alias.name, _no_name(environment, node.module, alias.name)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        dotted = library_name(node, names)
        module, _, name = (dotted or "").rpartition(".")
        if module and lack(environment, module, name) is Lack.CERTAIN:
            yield name, _no_name(environment, module, name)
    elif isinstance(node, ast.Call) and (node.args or node.keywords):
        dotted = library_name(node.func, names)
        definition_found = definition(environment, dotted) if dotted is not None else None
        if definition_found is None or dotted is None:
            return
        for argument, text, taken in refused_texts(environment, definition_found, node):
            choices = ", ".join(taken) or "no text"
            yield text, f"the installed `{dotted}` takes {choices} for `{argument}`"
        if may_take(environment, definition_found, node) is False:
            home = module_of(environment, definition_found[0]) or "the installed version"
            given = next(
                (k.arg for k in node.keywords if k.arg and not _takes(definition_found[1], k.arg)),
                "",
            )
            missing = f"no `{given}`" if given else "other arguments"
            yield given or dotted.rpartition(".")[2], f"`{dotted}` of {home} takes {missing}"


def _no_name(environment: Environment, module: str, name: str) -> str:
    top = module.partition(".")[0]
    version = environment.distributions.get(top, "")
    near = [n for n in names_of(environment, module) if n.lower() == name.lower()]
    hint = f"; it has `{near[0]}`" if len(near) == 1 else ""
    return f"the installed `{module}` {version} has no `{name}`{hint}".replace("  ", " ")


def _takes(node: ast.AST, keyword: str) -> bool:
    """Whether a definition, or a constructor in its body, has a parameter of a name."""
    return any(isinstance(part, ast.arg) and part.arg == keyword for part in ast.walk(node))
