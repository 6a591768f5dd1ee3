"""The import graph of a workspace, and which source file a test file tests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property

from dl_bug_lsp.evidence.reports.documents import SourceFile

TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?)/|(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$"
)
_TEST_AFFIX = re.compile(r"^tests?_|_tests?$")
_MOST_IMPORTS = 400


def is_test(file: str) -> bool:
    """Whether a file's path says that it holds tests."""
    return TEST.search(file) is not None


class ImportGraph:
    """Rows of files, and edges between them."""

    def __init__(self, files: Sequence[str], sources: Sequence[SourceFile]) -> None:
        self.files = files
        self.sources = sources
        self.rows = {file: row for row, file in enumerate(files)}
        self.modules: dict[str, int] = {}
        self.ambiguous: set[str] = set()
        self._name_modules()

    def _name_modules(self) -> None:
        """Name each file by every end of its dotted path; the shortest rest in front wins."""
        depth: dict[str, int] = {}
        for row, file in enumerate(self.files):
            parts = file.rpartition(".")[0].split("/")
            if parts[-1] == "__init__":
                parts = parts[:-1]
            for start in range(len(parts)):
                name = ".".join(parts[start:])
                if name in depth:
                    self.ambiguous.add(name)
                if start < depth.get(name, 1 << 30):
                    depth[name], self.modules[name] = start, row

    @cached_property
    def imported(self) -> list[set[int]]:
        """By row: the rows of the files that a file imports; packages lead to their definers."""
        found: list[set[int]] = []
        for row, (file, source) in enumerate(zip(self.files, self.sources, strict=True)):
            targets: set[int] = set()
            for module, name in source.imports[:_MOST_IMPORTS]:
                target = self.resolve(file, module, name)
                if target is not None and target != row:
                    targets.add(target)
            found.append(targets)
        return found

    @cached_property
    def importers(self) -> list[set[int]]:
        """By row: the rows of the files that import a file."""
        found: list[set[int]] = [set() for _ in self.files]
        for row, targets in enumerate(self.imported):
            for target in targets:
                found[target].add(row)
        return found

    def resolve(self, importer: str, module: str, name: str) -> int | None:
        """Return the row of the file that an import means, None for what is not the workspace's."""
        if module.startswith("."):
            bare = module.lstrip(".")
            above = importer.split("/")[: -(len(module) - len(bare))]
            module = ".".join([*above, bare]) if bare else ".".join(above)
        for full in ((f"{module}.{name}",) if name else ()) + (module,):
            row = self.modules.get(full)
            if row is not None and ("." in full or full not in self.ambiguous):
                return self._definer(row, name)
        return None

    def _definer(self, row: int, name: str) -> int:
        """Follow a name that a package only hands on to the one file below it that defines it."""
        if (
            not name
            or not self.files[row].endswith("__init__.py")
            or name in self.sources[row].names
        ):
            return row
        inside = posixpath.dirname(self.files[row]) + "/"
        found = [r for r in self._definers.get(name, ()) if self.files[r].startswith(inside)]
        return found[0] if len(found) == 1 else row

    @cached_property
    def _definers(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, source in enumerate(self.sources):
            for name, kinds in source.names.items():
                if "c" in kinds or "f" in kinds:
                    found.setdefault(name, []).append(row)
        return found

    @cached_property
    def tests(self) -> list[bool]:
        """By row: whether the file holds tests."""
        return [is_test(file) for file in self.files]

    @cached_property
    def tested(self) -> list[dict[int, float]]:
        """By row of a test file: the rows of the files whose name it bears, shares adding to 1."""
        stems: dict[str, list[int]] = {}
        for row, file in enumerate(self.files):
            if not self.tests[row]:
                stems.setdefault(stem_of(file), []).append(row)
        return [
            self._named_after(file, stems) if self.tests[row] else {}
            for row, file in enumerate(self.files)
        ]

    def _named_after(self, file: str, stems: dict[str, list[int]]) -> dict[int, float]:
        stem = _TEST_AFFIX.sub("", stem_of(file)).strip("_")
        singular = stem[:-1] if stem.endswith("s") else stem
        found = stems.get(stem) or stems.get(singular) or stems.get(stem + "s") or []
        folders = set(file.split("/")[:-1])
        near = {row: len(folders & set(self.files[row].split("/")[:-1])) for row in found}
        nearest = [row for row in found if near[row] == max(near.values())]
        return {row: 1 / len(nearest) for row in nearest}


def stem_of(file: str) -> str:
    """Return a file's name without its ending, a package's for its ``__init__.py``."""
    folder, name = posixpath.split(file)
    stem = name.rpartition(".")[0]
    return (posixpath.basename(folder) if stem == "__init__" else stem).strip("_")
