"""Which files of a big workspace belong to the failing run: configs, data and modules.

A checkout of a project holds the settings of many runs, workflows and tools. A word or a number of
the message that stands in one of them says nothing if the failing run never read the file.

A package's ``__init__`` imports all of its modules; a script that takes one name from it runs the
code of one. Names that stars hand on count where the script, its command or its settings say them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.launches import LAUNCHERS
from dl_bug_lsp.spectrum.failing_runs import is_test_file
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.extensions import SETTINGS_ONLY_EXTENSIONS

if TYPE_CHECKING:
    from dl_bug_lsp.evidence.case import Case

FEW_FILES = 60
"""A workspace with no more files is that of one program: all of its files may be read."""
CODE = (".py", ".pyw", ".ipynb", ".pyx", ".cu", ".cpp", ".h")
DOCUMENTS = (".md", ".rst", ".html", ".ipynb", ".png", ".svg", ".jpg", ".pdf", ".log")
MOST_FOLDERS = 200
MOST_DATA_FILES = 24
MOST_PATHS = 400
SHORTEST_STEM = 3
LONGEST_TOKEN = 300
COMMON = frozenset(("test", "train", "valid", "val", "eval", "data", "config", "default", "model"))
"""Words that settings give in many senses: a file of this name is not named by one."""
MOST_LINES = 4_000
"""Lines of the log, half of them from its beginning, whose words are looked at."""
OF_FOLDERS = re.compile(r"(?:dir|folder|root|path)$", re.IGNORECASE)
"""How names of settings end whose value is a folder."""
_TOKEN = re.compile(r"[\w./\\~@+-]{3,}")
_FRAME = re.compile(r"\s*File \"")


class Connections:
    """What the run's command, log, settings and code name, compared with the files there are.

    `is_told` says whether anything tells how the run was started or which settings it had;
    `imported` are the files of the stack and those near it that these import.
    """

    def __init__(self, case: Case) -> None:
        self._workspace = case.workspace
        run = case.engine.run
        files = case.engine.configuration.files
        self._files = {*files, *run.files, *(launch.file for launch in run.launches)}
        self.is_told = bool(self._files - {""} or run.launches)
        # Words of a sentence are no names; what a command or a setting gives is.
        self._names: set[str] = set()
        self._bases: set[str] = set()
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self._named_inside: dict[str, set[str]] = {}
        self._given(word.text for launch in run.launches for word in launch.words)
        self._given(run.printed.values())
        for file in files:
            entries = [e for e in case.engine.settings(file).all() if e.value]
            self._given(str(e.value) for e in entries)
            named = (str(e.value) for e in entries if OF_FOLDERS.search(e.key))
            self._folders.update(text.strip("./") for text in named if len(text) <= LONGEST_TOKEN)
        for file in {launch.file for launch in run.launches if launch.file}:
            self._add_paths(case.workspace.lines(file))
        lines = [line.text for line in case.log.lines if not _FRAME.match(line.text)]
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]
        self._add_paths(lines)
        self._add_paths(str(fact.value) for fact in case.facts.of(FactKind.PATH))
        # Code that names a folder reads some of its files: which ones the settings say.
        self.imported = _imported(case)
        texts = (
            t for words in case.code_words.files if words.file in self.imported for t in words.texts
        )
        self._bases_of_code = _bases(text for text in texts if "." in text)
        self._in_tests = any(is_test_file(place.file) for place in case.places)

    def has(self, file: str) -> bool:
        """Say whether a file is named, goes by a name that is given, or lies in a named folder."""
        folder, _, base = file.rpartition("/")
        stem = base.partition(".")[0]
        if file in self._files or base in self._bases:
            return True
        if base in self._bases_of_code and (self._in_tests or not is_test_file(file)):
            return True
        own = (stem, folder.rpartition("/")[2])
        if any(len(name) >= SHORTEST_STEM and name in self._names - COMMON for name in own):
            return True
        parts = folder.split("/") if folder else []
        return any(
            "/".join(parts[start:end]) in self._folders
            and not self._names_beside("/".join(parts[:end]), parts[end : end + 1])
            for end in range(1, len(parts) + 1)
            for start in range(end)
        )

    def _names_beside(self, folder: str, inner: Sequence[str]) -> bool:
        """Say whether another folder inside of one is named than the given one, which is not.

        A folder of all data sets is given with the name of the one that the run takes.
        """
        if not inner:
            return False
        if folder not in self._named_inside:
            names = (found.rpartition("/")[2] for found in self._workspace.folders_in(folder))
            self._named_inside[folder] = self._names.intersection(names) - COMMON
        named = self._named_inside[folder]
        return bool(named) and inner[0] not in named

    @cached_property
    def data_files(self) -> tuple[str, ...]:
        """The files of named folders and names that are neither code nor settings.

        Those that an ignore rule hides, as data often are, are found in folders that are named.
        """
        found = {file for file in self._workspace.files() if self.has(file)}
        named = map(self._workspace.existing_file, sorted(self._paths)[:MOST_PATHS])
        found.update(file for file in named if file is not None)
        for folder in sorted(self._folders, key=lambda name: (-len(name), name))[:MOST_FOLDERS]:
            found.update(self._workspace.folder_files(folder))
        left_out = (*CODE, *SETTINGS_ONLY_EXTENSIONS, *DOCUMENTS, *LAUNCHERS)
        data = (file for file in found if not f"/{file.lower()}".endswith(left_out))
        # Files that are named themselves come before those of named folders.
        ordered = sorted(data, key=lambda f: (f.rpartition("/")[2] not in self._bases, f))
        return tuple(ordered[:MOST_DATA_FILES])

    def _given(self, texts: Iterable[str]) -> None:
        held = list(texts)
        self._names.update(text for text in held if len(text) <= LONGEST_TOKEN)
        self._add_paths(held)

    def _add_paths(self, texts: Iterable[str]) -> None:
        for text in texts:
            for parts in _paths(text):
                if "." in parts[-1]:
                    self._bases.add(parts[-1].rstrip("."))
                    self._paths.add("/".join(parts))
                else:
                    # One of another machine begins with folders that the workspace has not.
                    self._folders.update("/".join(parts[at:]) for at in range(len(parts) - 1))


def _bases(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of files in some texts, without their folders."""
    return frozenset(parts[-1] for text in texts for parts in _paths(text) if "." in parts[-1])


def _paths(text: str) -> Iterator[list[str]]:
    """Yield the parts of what may be a path in a text."""
    for token in _TOKEN.findall(text[:LONGEST_TOKEN]):
        parts = [p for p in re.split(r"[/\\]", token) if p not in ("", ".", "..", "~")]
        if parts:
            yield parts


def _imported(case: Case) -> frozenset[str]:
    """Return the files of the stack and those of `code_files` that these import, one by another."""
    known = frozenset(case.code_files)
    script = case.engine.run.script
    to_do = [place.file for place in case.places] + ([script] if script is not None else [])
    found = dict.fromkeys(to_do)
    while to_do:
        file = to_do.pop()
        for module in case.workspace.elements(file).imports if file in known else ():
            target = case.workspace.module_file(module, file)
            if target is not None and target in known and target not in found:
                found[target] = None
                to_do.append(target)
    return frozenset(found)


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
