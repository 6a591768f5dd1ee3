"""Which modules of a big workspace a script uses, through packages that hand names on.

A package's ``__init__`` imports all of its modules; a script that takes one name from it runs the
code of one. Names that stars hand on count where the script, its command or its settings say them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from dl_bug_lsp.evidence.case import Case

MOST_MODULES = 400
MOST_HOPS = 8
"""Packages through which one name is followed."""
STAR = "*"
ENTRY_POINT = "entry_point"
"""The argument with which registries such as Gymnasium's are told what to import."""
_WORD = re.compile(r"[A-Za-z_]\w+")
_PACKAGE = "__init__.py"
_DYNAMIC = re.compile(r"import_module\(|__import__\(|instantiate\(|runpy|exec\(|locate\(")
_STARTS = re.compile(r"\brunpy\b|\bexec\(")
"""What runs another script rather than a module."""
_TRAINS = re.compile(
    r"\.backward\(|apply_gradients\(|apply_updates\(|\boptim|(?<!\bre)\.compile\(|Trainer\("
)


def used_modules(case: Case, script: str) -> frozenset[str]:
    """Return the files of the script and of all modules whose names it uses, one by another.

    Where one of them imports what a text names, which these are is not known: all files but those
    of `programs_apart`.
    """
    found = frozenset(_Uses(case).from_script(script))
    texts = [case.workspace.text(file) or "" for file in found]
    everything = frozenset(case.workspace.python_files())
    if any(map(_STARTS.search, texts)):
        return everything
    if any(map(_DYNAMIC.search, texts)):
        return everything - programs_apart(case, found)
    return found


def entry_points(workspace: Workspace, files: Iterable[str]) -> frozenset[str]:
    """Return the modules that files register as texts, which a library imports when asked."""
    found: set[str] = set()
    for file in files:
        text = workspace.text(file) or ""
        tree = workspace.tree(file) if ENTRY_POINT in text else None
        for node in ast.walk(tree) if tree is not None else ():
            entry = _entry_point(node)
            target = workspace.module_file(entry[0], file) if entry is not None else None
            if target is not None:
                found.add(target)
    return frozenset(found)


def _entry_point(node: ast.AST) -> tuple[str, str] | None:
    """Return the module and name of an entry point that is a text: ``"package.module:Class"``."""
    if not isinstance(node, ast.keyword) or node.arg != ENTRY_POINT:
        return None
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    if not isinstance(text, str) or ":" not in text:
        return None
    module, _, name = text.partition(":")
    return module, name


def programs_apart(case: Case, found: frozenset[str]) -> frozenset[str]:
    """Return the other programs that train something, where the modules of the run's script do.

    A script that trains nothing scores what another program has trained, or looks at it.
    """
    if not any(_TRAINS.search(case.workspace.text(file) or "") for file in found):
        return frozenset()
    others = (file for file in case.workspace.python_files() if file not in found)
    return frozenset(file for file in others if trains_by_itself(case.workspace, file))


def trains_by_itself(workspace: Workspace, file: str) -> bool:
    """Whether a file is a program that trains something, and no module with code to try it."""
    text = workspace.text(file) or ""
    return "__main__" in text and _TRAINS.search(text) is not None


class _Uses:
    """The imports of a workspace, followed from a script on."""

    def __init__(self, case: Case) -> None:
        self._workspace = case.workspace
        run = case.engine.run
        texts = [word.text for launch in run.launches for word in launch.words]
        for file in case.engine.configuration.files:
            texts.extend(str(e.value) for e in case.workspace.config_entries(file))
        self._said = {word for text in texts for word in _WORD.findall(text)}
        self._found: dict[str, None] = {}
        self._waiting: list[str] = []

    def from_script(self, script: str) -> Iterable[str]:
        """Return the files in the order in which they were found."""
        self._said.update(_WORD.findall(self._workspace.text(script) or ""))
        self._add(script)
        while self._waiting and len(self._found) < MOST_MODULES:
            file = self._waiting.pop()
            tree = self._workspace.tree(file)
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.ImportFrom):
                    module = "." * node.level + (node.module or "")
                    for alias in node.names:
                        self._take(module, alias.name, file, MOST_HOPS)
                elif isinstance(node, ast.Import) and tree is not None:
                    for alias in node.names:
                        self._import(alias, file, tree)
                elif (entry := _entry_point(node)) is not None:
                    self._take(*entry, file, MOST_HOPS)
        return self._found

    def _add(self, file: str) -> None:
        if file not in self._found:
            self._found[file] = None
            self._waiting.append(file)

    def _import(self, alias: ast.alias, file: str, tree: ast.Module) -> None:
        """Follow ``import a.b as c``: of a package, the names that are taken from it."""
        target = self._workspace.module_file(alias.name, file)
        if target is None:
            return
        if not target.endswith(_PACKAGE):
            self._add(target)
            return
        known_as = alias.asname or alias.name
        taken = [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == known_as
        ]
        for name in taken:
            self._take(alias.name, name, file, MOST_HOPS)
        if not taken:
            # A package of which nothing is used was imported for what it does: it registers.
            self._add(target)

    def _take(self, module: str, name: str, importer: str, hops: int) -> None:
        """Follow one name of a module to where it is defined."""
        inner = None
        if name != STAR:
            dots = module if module.endswith(".") else f"{module}."
            inner = self._workspace.module_file(f"{dots}{name}", importer)
        target = inner or self._workspace.module_file(module, importer)
        if target is None or hops == 0:
            return
        if name == STAR and not self._is_said(target):
            return
        handed_on = list(self._handed_on(target, name)) if target.endswith(_PACKAGE) else []
        if not handed_on:
            self._add(target)
        for source, taken in handed_on:
            self._take(source, taken, target, hops - 1)

    def _handed_on(self, package: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield from where a package takes a name; its stars where nothing else gives the name."""
        tree = self._workspace.tree(package)
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)] if tree else []
        stars: list[tuple[str, str]] = []
        named = False
        for node in imports:
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                known_as = alias.asname or alias.name
                wanted = known_as in self._said if name == STAR else known_as == name
                if alias.name == STAR:
                    stars.append((module, STAR))
                elif wanted:
                    named = True
                    yield module, alias.name
        if not named or name == STAR:
            yield from stars

    def _is_said(self, file: str) -> bool:
        """Whether a module that a star hands on defines what is said; packages may do so."""
        if file.endswith(_PACKAGE):
            return True
        tree = self._workspace.tree(file)
        defined = {
            node.name
            for node in (tree.body if tree is not None else ())
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }
        return bool(defined & self._said)
