"""Words of a failing test that name files: its path and classes, what its report shows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from dl_bug_lsp.spectrum.own_runs import title_of
from dl_bug_lsp.tracebacks import Failure
from dl_bug_lsp.tracebacks.frames import is_library_path

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEST_FOLDER = re.compile(r"^(?:tests?|testing)$")
_TEST_FILE = re.compile(r"^(?:tests?(?:_.*)?|.*_tests?|conftest)\.py$")
_SECTION = re.compile(r"^={3,} (?P<title>\S.{0,300}?) ={3,}$")
_REPORTS = ("FAILURES", "ERRORS")
_REPORT = re.compile(r"^(?:E |>|    )")
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
    """Return the words of the failing tests' paths and classes.

    Of the frames in test files, of the titles of reports in pytest's and unittest's style, and of
    ``names``, the tests' ids. Files and classes of tests are mostly named after the code that they
    test (van Rompaey and Demeyer, CSMR 2009); what the functions' names add speaks for no file.
    """
    found: set[str] = set()
    for failure in failures:
        for frame in failure.frames:
            if is_test_file(frame.file) and not is_library_path(frame.file):
                found |= words(_from_tests_on(frame.file))
    for name in (*map(title_of, text.splitlines()), *names):
        found |= words(_around(name))
    return frozenset(found)


def words_of_report(text: str) -> frozenset[str]:
    """Return the words of what a report shows: source lines, values, messages (indented or `E`).

    Of pytest's sections only failures and errors: the others list files that have no part in them.
    """
    shown: list[str] = []
    is_report = True
    for line in text.splitlines():
        section = _SECTION.match(line)
        if section:
            is_report = section["title"] in _REPORTS
        elif title_of(line):
            is_report = True
        elif is_report and _REPORT.match(line):
            shown.append(line)
    return frozenset(words("\n".join(shown)[:_MAX_TEXT]))


def best_named(files: Iterable[str], spoken: frozenset[str]) -> frozenset[str]:
    """Return the files whose paths the words name best, empty where they name none.

    A path's words weigh by their inverse document frequency among the files, those of the file's
    own name apart from those of its folders: ``pack/pack.py`` is named by "pack", which every
    folder holds. A file's measure is the share of its weight that was spoken.
    """
    paths = {file: _terms(file) for file in files}
    often = Counter(term for path in paths.values() for term in path)
    share: dict[str, float] = {}
    for file in sorted(paths):
        weight = {term: math.log(len(paths) / often[term]) for term in sorted(paths[file])}
        total = math.fsum(weight.values())
        said = math.fsum(w for (word, _), w in weight.items() if word in spoken)
        share[file] = round(said / total, 9) if total > 0 else 0.0
    best = max(share.values(), default=0.0)
    return frozenset(file for file, value in share.items() if value == best > 0)


def _terms(path: str) -> set[tuple[str, bool]]:
    """Return the words of a path, each with whether it is of the file's own name."""
    folders, _, name = path.replace("\\", "/").rpartition("/")
    return {(word, False) for word in words(folders)} | {(word, True) for word in words(name)}


def _around(name: str) -> str:
    """Return what a test stands in: its file and classes, of an id or of a dotted name."""
    plain = name.partition("[")[0]
    return plain.rpartition("::" if "::" in plain else ".")[0]


def _from_tests_on(path: str) -> str:
    """Cut what stands before the tests: where a checkout lies says nothing."""
    parts = path.replace("\\", "/").split("/")
    for index, part in enumerate(parts):
        if _TEST_FOLDER.match(part):
            return "/".join(parts[index:])
    return parts[-1]
