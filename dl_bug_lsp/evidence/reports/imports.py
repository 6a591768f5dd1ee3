"""Which files hold tests, and which source file a test file tests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property

TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?)/|(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$"
)
_TEST_AFFIX = re.compile(r"^tests?_|_tests?$")


def is_test(file: str) -> bool:
    """Whether a file's path says that it holds tests."""
    return TEST.search(file) is not None


class FilesUnderTest:
    """Rows of files, and of test files the rows that they test."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = files

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
