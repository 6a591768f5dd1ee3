"""What a failure and the text of a failing test tell of runs: whose they are, what they name.

A spectrum as one failure sees it: its own failing runs count fully, the others less. Tests and
steps of a program are compared in different ways. Tests differ in what they execute. In deep
learning every step executes nearly the same lines, so that formulas made for tests see no
difference between layers (Cao et al., EMSE 2025, whose layer-level Tarantula is 0.5 everywhere);
of steps only differences count.

Titles of pytest and unittest name the run. Captured output may hold tracebacks that the program
logged before it went on: a server that answers with status 500 logs why, and the test only sees
the status. Such a traceback belongs to the failure where the test's own exception has no frame in
the code.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.spectrum.spectrum import PROGRAM, Counts, Outcome, Run, Spectrum, count
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Relation, read_failures
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEST_FOLDER = re.compile(r"^(?:tests?|testing|unittests?)$")
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
    parts = {word.lower() for word in _WORD.findall(text) if len(word) > 1}
    return parts - _COMMON


def words_of_tests(
    failures: Iterable[Failure], text: str = "", names: Iterable[str] = ()
) -> frozenset[str]:
    """Return the words of the failing tests' paths and classes.

    Of the frames in test files, of the titles of reports in pytest's and unittest's style, and of
    ``names``, the tests' ids. Files and classes of tests are mostly named after the code that they
    test (van Rompaey and Demeyer, CSMR 2009); what the functions' names add speaks for no file.
    """
    spoken: set[str] = set()
    for failure in failures:
        for frame in failure.frames:
            if is_test_file(frame.file) and not is_library_path(frame.file):
                spoken |= words(_from_tests_on(frame.file))
    for name in (*map(title_of, text.splitlines()), *names):
        spoken |= words(_around(name))
    return frozenset(spoken)


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
        named = math.fsum(w for (word, _), w in weight.items() if word in spoken)
        share[file] = round(named / total, 9) if total > 0 else 0.0
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


_PYTEST = re.compile(r"^_{2,} (?:ERROR at (?:setup|teardown) of )?(?P<title>\S.{0,2000}?) _{2,}$")
_UNITTEST = re.compile(r"^(?:FAIL|ERROR): (?P<test>\w+) \((?P<where>[\w.]+)\)")
_BREAKS = re.compile(r"::|\.|/|\\")


def title_of(line: str) -> str:
    """Return the dotted test that a heading names, empty where the line is none.

    pytest writes ``___ TestA.test_b[1] ___``, unittest ``FAIL: test_b (tests.test_x.TestA)``.
    """
    heading = _PYTEST.match(line)
    if heading:
        return heading["title"]
    test = _UNITTEST.match(line)
    if not test:
        return ""
    where = test["where"]
    return where if where.endswith(f".{test['test']}") else f"{where}.{test['test']}"


def own_runs(title: str, files: Iterable[str], runs: Sequence[Run]) -> frozenset[int]:
    """Return the indices of the failing runs that a title means, none where it names none.

    A run's name is a node id (``tests/test_x.py::TestA::test_b[1]``) or dotted as in a JUnit
    report. Where tests of one name stand in several files, ``files``, those of the failure's
    frames, tell which is meant; else all of them are.
    """
    if not title:
        return frozenset()
    failing = [i for i, run in enumerate(runs) if run.outcome.is_failing]
    wanted = _parts(title)
    matching = [i for i in failing if _ends_in(_parts(runs[i].name), wanted)]
    if len(matching) > 1:
        shown = [file.replace("\\", "/") for file in files]
        inside = [i for i in matching if _is_among(runs[i].name, shown)]
        matching = inside or matching
    return frozenset(matching)


def _parts(name: str) -> tuple[str, ...]:
    """Split a test's name; its parameters stay in the last part, for they may hold anything."""
    plain, bracket, parameters = name.partition("[")
    *others, last = _BREAKS.split(plain.strip())
    return (*others, last + bracket + parameters)


def _ends_in(name: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return len(name) >= len(wanted) and name[-len(wanted) :] == wanted


def _is_among(name: str, files: Sequence[str]) -> bool:
    file = name.partition("::")[0]
    return any(shown == file or shown.endswith(f"/{file}") for shown in files)


_HEADING = re.compile(r"^-{3,} Captured \S.{0,80}? -{3,}$")
_END = re.compile(r"^(?:_{3,} \S.{0,2000}? _{3,}|={3,}(?: \S.{0,2000}? ={3,})?)$")
_LOGGED = "Traceback (most recent call last)"
_MOST = 20_000
"""Characters of a section that are kept, the last ones."""
_WIDTH = 80


def captured_section(title: str, text: str) -> str:
    """Return captured output under pytest's heading, empty where it holds no traceback.

    ``title`` begins with "Captured", as pytest's do.
    """
    if _LOGGED not in text:
        return ""
    heading = f" {title} ".center(_WIDTH, "-")
    return f"{heading}\n{text[-_MOST:].rstrip()}"


def logged_failures(text: str) -> tuple[Failure, ...]:
    """Return the failures in the captured sections of pytest's reports."""
    inside: list[str] = []
    is_captured = False
    for line in text.splitlines():
        if _HEADING.match(line):
            is_captured = True
            inside.append("")
        elif _END.match(line):
            is_captured = False
        elif is_captured:
            inside.append(line)
    captured = "\n".join(inside)
    return read_failures(read_log(captured)).failures if _LOGGED in captured else ()


# ---------------------------------------------------------------------- the spectrum of one failure
LEAST_LEAD = 2
"""How much more an own run counts than another failing one, at least. Together the others never
count more than the own ones: they may fail for reasons of their own."""


@dataclass(frozen=True)
class FailureSpectrum:
    """The runs of one failure; ``own`` are their indices, none where they are not known.

    Then all failing runs are taken for its own. ``files`` are those that count, None for all.
    """

    spectrum: Spectrum
    own: frozenset[int] = frozenset()
    files: frozenset[str] | None = None

    @cached_property
    def counts(self) -> Counts:
        """How many runs execute each line: what people are told."""
        return self._lines(count(self.spectrum))

    @cached_property
    def weighted(self) -> Counts:
        """The counts that rank: own runs lead, and what none of them executes has no ef.

        All weights are multiplied alike, which formulas that are ratios do not see.
        """
        runs = self.spectrum.runs
        others = sum(run.weight for i, run in enumerate(runs) if self._is_other(i, run))
        if not self.own or not others:
            return self.counts
        mine = sum(runs[i].weight for i in self.own)
        lead = max(LEAST_LEAD, -(-others // max(mine, 1)))
        weighted = self._counted(
            lambda i, run: run.weight * (1 if self._is_other(i, run) else lead)
        )
        executed = self._counted(lambda i, run: 0 if self._is_other(i, run) else run.weight)
        ef = array(
            "q", (e if mine else 0 for e, mine in zip(weighted.ef, executed.ef, strict=True))
        )
        return replace(weighted, ef=ef)

    @cached_property
    def executed(self) -> dict[str, frozenset[int]]:
        """The lines that the failure's runs execute, by file; of no other file they run any."""
        lines_by_file: dict[str, set[int]] = {}
        for element, ef in zip(self.weighted.elements, self.weighted.ef, strict=True):
            if ef:
                lines_by_file.setdefault(element.file, set()).add(element.line)
        return {file: frozenset(lines) for file, lines in lines_by_file.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the failure's runs."""
        runs = self.spectrum.runs
        chosen = [
            i for i, r in enumerate(runs) if r.outcome.is_failing and not self._is_other(i, r)
        ]
        return tuple(runs[i].name for i in chosen)

    def _is_other(self, index: int, run: Run) -> bool:
        return bool(self.own) and run.outcome.is_failing and index not in self.own

    def _counted(self, weight: Callable[[int, Run], int]) -> Counts:
        runs = tuple(replace(r, weight=weight(i, r)) for i, r in enumerate(self.spectrum.runs))
        # Not through the remembered counts: these would push out those that all failures share.
        return self._lines(count.__wrapped__(replace(self.spectrum, runs=runs)))

    def _lines(self, counts: Counts) -> Counts:
        """Return the counts of lines; branches are elements of their own."""
        files = self.files
        return counts.where(
            [
                i
                for i, element in enumerate(counts.elements)
                if not element.target and (files is None or element.file in files)
            ]
        )


@lru_cache(maxsize=2)
def tests_alone(spectrum: Spectrum) -> Spectrum:
    """Return the spectrum without runs of programs; itself where it has none."""
    return _only(spectrum, programs=False)


@lru_cache(maxsize=2)
def counts_of_programs(spectrum: Spectrum) -> Counts:
    """Return how many steps and runs of programs execute each element."""
    return count.__wrapped__(_only(spectrum, programs=True))


def _only(spectrum: Spectrum, programs: bool) -> Spectrum:
    wanted = [run.name.startswith(PROGRAM) == programs for run in spectrum.runs]
    if all(wanted):
        return spectrum
    numbers = {old: new for new, old in enumerate(i for i, is_in in enumerate(wanted) if is_in)}
    rows, columns = array("q"), array("q")
    for row, column in zip(spectrum.rows, spectrum.columns, strict=True):
        if wanted[row]:
            rows.append(numbers[row])
            columns.append(column)
    runs = tuple(run for run, is_in in zip(spectrum.runs, wanted, strict=True) if is_in)
    return Spectrum(runs, spectrum.elements, rows, columns, spectrum.signatures)


def what_ran(spectrum: Spectrum) -> str:
    """Return what the runs of a spectrum are, for a sentence: tests, steps or both."""
    kinds = {run.name.startswith(PROGRAM) for run in spectrum.runs}
    return {frozenset({False}): "tests", frozenset({True}): "steps"}.get(frozenset(kinds), "runs")


def comparable(spectrum: Spectrum) -> Spectrum | None:
    """Return a spectrum of which something can be compared, None of steps that all failed.

    Tests that all fail still tell what they executed; the steps of a program execute the same.
    """
    passes = any(run.outcome is Outcome.PASSED for run in spectrum.runs)
    is_program = all(run.name.startswith(PROGRAM) for run in spectrum.runs)
    return None if is_program and not passes else spectrum


DIALECT = "spectrum"
_NAMES = 5


def failing_runs(spectrum: Spectrum) -> Failure | None:
    """Return a failure that names the failing runs, None where all passed."""
    failing = spectrum.failing
    if not failing:
        return None
    total = len(failing) + len(spectrum.passing)
    names = ", ".join(run.name for run in failing[:_NAMES])
    more = f" and {len(failing) - _NAMES} more" if len(failing) > _NAMES else ""
    message = (
        f"{len(failing)} of {total} {'run fails' if total == 1 else 'runs fail'}: {names}{more}"
    )
    span = Span(1, 1)
    cause = Cause(DIALECT, message, (), Relation.ROOT, span)
    return Failure(FailureKind.MESSAGE, (cause,), 0, DIALECT, span, message, primary=True)
