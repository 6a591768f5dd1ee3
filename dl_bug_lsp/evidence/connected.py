"""Which config and data files of a big workspace have to do with the failing run.

A checkout of a project holds the settings of many runs, workflows and tools. A word or a number of
the message that stands in one of them says nothing if the failing run never read the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.launches import LAUNCHERS
from dl_bug_lsp.spectrum.failing_runs import is_test_file
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
