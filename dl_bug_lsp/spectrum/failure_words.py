"""Words of a failing test that name files: its path and name, what its report shows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from dl_bug_lsp.tracebacks import Failure
from dl_bug_lsp.tracebacks.frames import is_library_path

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEST_FOLDER = re.compile(r"^(?:tests?|testing)$")
_TEST_FILE = re.compile(r"^(?:tests?(?:_.*)?|.*_tests?|conftest)\.py$")
_TITLE = re.compile(r"^_{2,} (?P<title>\S.{0,300}?) _{2,}$|^(?:FAIL|ERROR): (?P<name>\S.{0,300})$")
_REPORT = re.compile(r"^(?:E |>|    )")
_NAME = re.compile(r"[\w.]+")
_COMMON = frozenset((
    "py", "test", "tests", "testing", "init", "self", "main", "src", "lib", "the", "in", "is", "of",
    "to", "and",
))  # fmt: skip
_MAX_TEXT = 30_000


def is_test_file(path: str) -> bool:
    """Whether a path is a test's by the usual names: a ``tests`` folder, ``test_*.py``."""
    *folders, name = path.replace("\\", "/").split("/")
    return bool(_TEST_FILE.match(name)) or any(_TEST_FOLDER.match(f) for f in folders)


def words(text: str) -> set[str]:
    """Return the words of paths and identifiers, split at case and underscores, lower case."""
    found = {word.lower() for word in _WORD.findall(text) if len(word) > 1}
    return found - _COMMON


def words_of_tests(
    failures: Iterable[Failure], text: str = "", names: Iterable[str] = ()
) -> frozenset[str]:
    """Return the words of the failing tests' paths and names.

    Of the frames in test files, of the titles of reports in pytest's and unittest's style, and of
    ``names``, the tests' ids.
    """
    found: set[str] = set()
    for failure in failures:
        for frame in failure.frames:
            if is_test_file(frame.file) and not is_library_path(frame.file):
                found |= words(_from_tests_on(frame.file)) | words(frame.function or "")
    for line in text.splitlines():
        title = _TITLE.match(line)
        if title:
            said = _NAME.findall(title["title"] or title["name"])
            found.update(*(words(name) for name in said if "test" in name.lower()))
    for name in names:
        found |= words(name)
    return frozenset(found)


def words_of_report(text: str) -> frozenset[str]:
    """Return the words of what a report shows: source lines, values, messages (indented or `E`)."""
    shown = "\n".join(line for line in text.splitlines() if _REPORT.match(line))
    return frozenset(words(shown[:_MAX_TEXT]))


def best_named(files: Iterable[str], spoken: frozenset[str]) -> frozenset[str]:
    """Return the files whose paths the words name best, empty where they name none.

    A path's words weigh by their inverse document frequency among the files; a file's measure is
    the share of its weight that was spoken.
    """
    paths = {file: words(file) for file in files}
    often = Counter(word for path in paths.values() for word in path)
    share: dict[str, float] = {}
    for file in sorted(paths):
        weight = {word: math.log(len(paths) / often[word]) for word in sorted(paths[file])}
        total = math.fsum(weight.values())
        said = math.fsum(w for word, w in weight.items() if word in spoken)
        share[file] = round(said / total, 9) if total > 0 else 0.0
    best = max(share.values(), default=0.0)
    return frozenset(file for file, value in share.items() if value == best > 0)


def _from_tests_on(path: str) -> str:
    """Cut what stands before the tests: where a checkout lies says nothing."""
    parts = path.replace("\\", "/").split("/")
    for index, part in enumerate(parts):
        if _TEST_FOLDER.match(part):
            return "/".join(parts[index:])
    return parts[-1]
