"""Makes a session from what CI leaves: a ``.coverage`` file with contexts and a JUnit report.

Contexts are matched to tests by name: pytest-cov's ``tests/test_a.py::TestX::test_y[1]|run`` and
coverage.py's own ``tests.test_a.TestX.test_y`` (``dynamic_context = test_function``), which has
no parameters, so that all cases of a parametrized test share their coverage. JUnit XML has no
standard; read are ``testcase`` elements with ``classname`` and ``name`` and their children
``failure``, ``error`` and ``skipped`` (pytest marks xfail by ``type="pytest.xfail"``).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.session import (
    CoverageData,
    Hits,
    Phase,
    RecordedTest,
    Session,
    read_coverage,
)
from dl_bug_lsp.recording.session_folder import IN_TEARDOWN, STRICT, heading, merged
from dl_bug_lsp.spectrum.failing_runs import captured_section
from dl_bug_lsp.spectrum.spectrum import Outcome

HOW_TO_GET_CONTEXTS = (
    "the coverage data names no tests: run `pytest --cov --cov-context=test`, set"
    " `dynamic_context = test_function` in coverage.py's configuration, or use `pytest --dl-bug`"
)


class ImportingError(Exception):
    """Data that cannot be brought together; the message says why and what to do."""


def import_session(
    coverage: Path,
    junit: Path,
    local: Callable[[str], str | None],
    text_of: Callable[[str], str | None],
    started: str,
) -> Session:
    """Read both files; ``local`` finds the workspace file of a recorded path, None for others'.

    Raises `ImportingError`, `CoverageDataError`, `JUnitError`.
    """
    data, cases = read_coverage(coverage), read_junit(junit)
    if not data.has_contexts:
        raise ImportingError(HOW_TO_GET_CONTEXTS)
    if not cases:
        raise ImportingError(f"{junit} contains no tests: run pytest with --junit-xml={junit.name}")
    contexts = _local_contexts(data, local)
    by_name = _by_test(contexts)
    modules = _modules(by_name)
    tests = [_test(case, by_name, modules) for case in _one_each(cases)]
    by_test = {test.name: test for test in tests}
    if not any(test.hits for test in by_test.values()):
        raise ImportingError(
            "no context of the coverage data belongs to a test of the report: are both of one run?"
        )
    unmatched = sum(1 for test in by_test.values() if not test.hits and _ran(test))
    problems = (f"{unmatched} tests of the report have no coverage",) if unmatched else ()
    files = {file for test in by_test.values() for _, file in test.hits}
    texts = {file: text_of(file) for file in sorted(files)}
    return Session(
        started,
        f"imported from {coverage.name} and {junit.name}",
        tuple(by_test[name] for name in sorted(by_test)),
        contexts.get("", {}),
        {file: text for file, text in texts.items() if text is not None},
        _by_file(by_test),
        data.branch,
        problems,
    )


def _by_file(names: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names by test file; a report is taken to tell of all tests of its files."""
    files: dict[str, set[str]] = {}
    for name in names:
        if "::" in name:
            files.setdefault(name.partition("::")[0], set()).add(name)
    return {file: frozenset(held) for file, held in files.items()}


def _ran(test: RecordedTest) -> bool:
    return test.outcome.is_failing or test.outcome.is_passing


def _local_contexts(
    data: CoverageData, local: Callable[[str], str | None]
) -> dict[str, dict[str, Hits]]:
    paths = {path for files in data.contexts.values() for path in files}
    places = {path: local(path) for path in sorted(paths)}
    local_hits: dict[str, dict[str, Hits]] = {}
    for context, files in data.contexts.items():
        held = local_hits.setdefault(context, {})
        for path, hits in files.items():
            place = places[path]
            if place is not None:
                held[place] = merged(held.get(place), hits)
    return local_hits


_GRAVITY = {Outcome.FAILED: 0, Outcome.ERROR: 1}
_ByTest = Mapping[str, tuple[str, dict[tuple[Phase, str], Hits]]]


def _by_test(contexts: Mapping[str, Mapping[str, Hits]]) -> _ByTest:
    """Return (test name, hits) by the dotted name that a JUnit report would give the test."""
    tests: dict[str, tuple[str, dict[tuple[Phase, str], Hits]]] = {}
    for context, files in contexts.items():
        name, phase = _phase_of(context)
        if not name:
            continue
        _, hits = tests.setdefault(_dotted(name), (name, {}))
        for file, ran in files.items():
            hits[phase, file] = merged(hits.get((phase, file)), ran)
    return tests


def _phase_of(context: str) -> tuple[str, Phase]:
    # A static context stands before: "static|test name".
    for phase in (Phase.SETUP, Phase.CALL, Phase.TEARDOWN):
        if context.endswith(f"|{phase.value}"):
            name = context.removesuffix(f"|{phase.value}")
            return name if "::" not in name else _node_id(name), phase
    return context.rpartition("|")[2], Phase.CALL


def _node_id(name: str) -> str:
    head, sep, rest = name.partition("::")
    return head.rpartition("|")[2] + sep + rest


def _dotted(name: str) -> str:
    """Return pytest's dotted name of a node id: ``a/test_b.py::C::d[x]`` is ``a.test_b.C.d[x]``."""
    file, sep, rest = name.partition("::")
    if not sep:
        return name
    plain, bracket, parameters = rest.partition("[")
    module = file.removesuffix(".py").replace("\\", "/").replace("/", ".")
    return f"{module}.{plain.replace('::', '.')}{bracket}{parameters}"


def _full_name(case: TestCase) -> str:
    return f"{case.classname}.{case.name}" if case.classname else case.name


def _one_each(cases: Iterable[TestCase]) -> Iterable[TestCase]:
    """Return one case a test: a report tells apart what failed in a test and in its teardown.

    What failed in the test counts, then what failed around it, then how it ended first.
    """
    by_name: dict[str, TestCase] = {}
    for case in cases:
        name = _full_name(case)
        other = by_name.get(name)
        if other is None:
            by_name[name] = case
            continue
        first, then = sorted((other, case), key=lambda entry: _GRAVITY.get(entry.outcome, 2))
        text = first.text
        if then.text:
            title = heading(then.name, IN_TEARDOWN if then.in_setup_or_teardown else "")
            text = f"{text}\n{title}\n\n{then.text}" if text else then.text
        by_name[name] = replace(first, text=text, seconds=first.seconds + then.seconds)
    return by_name.values()


def _modules(by_name: _ByTest) -> dict[str, str]:
    """Return the test files that contexts name, by dotted module."""
    files = {name.partition("::")[0] for name, _ in by_name.values() if "::" in name}
    return {_dotted(f"{file}::").removesuffix("."): file for file in sorted(files)}


def _node_name(case: TestCase, modules: Mapping[str, str]) -> str:
    """Return the node id of a test that ran nothing, dotted where its file is not known."""
    parts = case.classname.split(".")
    for at in range(len(parts), 0, -1):
        file = modules.get(".".join(parts[:at]))
        if file is not None:
            return "::".join((file, *parts[at:], case.name))
    return _full_name(case)


def _test(case: TestCase, by_name: _ByTest, modules: Mapping[str, str]) -> RecordedTest:
    known = _match(_full_name(case), by_name)
    name, hits = known if known is not None else (_node_name(case, modules), {})
    if "[" in case.name and "[" not in name:
        name += "[" + case.name.partition("[")[2]
    failed_in = None
    if case.outcome.is_failing:
        failed_in = Phase.SETUP if case.in_setup_or_teardown else Phase.CALL
        if case.in_setup_or_teardown and any(phase is Phase.CALL for phase, _ in hits):
            # pytest reports a teardown's error like a setup's; only before a teardown it ran.
            failed_in = Phase.TEARDOWN
    return RecordedTest(name, case.outcome, failed_in, case.text, case.seconds, hits)


def _match(full: str, by_name: _ByTest) -> tuple[str, dict[tuple[Phase, str], Hits]] | None:
    """Return what is known under a dotted name, else under it without parameters or packages."""
    plain = full.partition("[")[0]
    for name in (full, plain):
        if name in by_name:
            return by_name[name]
    for suffix in _suffixes(plain):
        if suffix in by_name:
            return by_name[suffix]
    return None


def _suffixes(plain: str) -> Iterable[str]:
    parts = plain.split(".")
    return (".".join(parts[at:]) for at in range(1, len(parts) - 1))


LARGEST = 64 * 2**20
"""Bytes of a report."""
DEEPEST = 100


class JUnitError(Exception):
    """A report that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test of a report; ``classname`` is dotted: module and classes."""

    __test__ = False

    classname: str
    name: str
    outcome: Outcome
    in_setup_or_teardown: bool
    text: str
    seconds: float


def read_junit(path: Path) -> tuple[TestCase, ...]:
    """Read a report; raises `JUnitError` with one sentence when that cannot be."""
    data = data_folder.read(path, LARGEST)
    if data is None:
        why = f"no regular file, or one of more than {LARGEST >> 20} MB"
        raise JUnitError(f"{path} is not a readable JUnit report ({why})")
    try:
        root = _Tree().read(data)
    except (ExpatError, ValueError, LookupError) as error:
        raise JUnitError(f"{path} is not a readable JUnit report ({error})") from error
    return tuple(_cases(root))


class _Tree:
    """Makes elements of XML, and refuses what makes a small text a large or a deep one."""

    def __init__(self) -> None:
        self._builder = ET.TreeBuilder()
        self._depth = 0
        self._parser = ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data

    def read(self, data: bytes) -> ET.Element:
        """Return the root; raises `ExpatError`, ValueError."""
        self._parser.Parse(data, True)
        return self._builder.close()

    def _doctype(self, *_: object) -> None:
        raise ValueError("it declares a document type, whose entities are not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError(f"more than {DEEPEST} levels are nested")
        self._builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag)


def _cases(root: ET.Element) -> Iterator[TestCase]:
    for case in root.iter("testcase"):
        failure, error, skipped = (case.find(tag) for tag in ("failure", "error", "skipped"))
        outcome = Outcome.PASSED
        if skipped is not None:
            is_xfail = "xfail" in skipped.get("type", "")
            outcome = Outcome.XFAILED if is_xfail else Outcome.SKIPPED
        if error is not None:
            outcome = Outcome.ERROR
        if failure is not None:
            outcome = Outcome.FAILED
            if (failure.get("message") or "").startswith(STRICT):
                outcome, failure = Outcome.XPASSED, None
        element = failure if failure is not None else error
        text = (element.text or element.get("message") or "") if element is not None else ""
        if element is not None:
            text = "\n".join(x for x in (text, *_logged(case)) if x)
        yield TestCase(
            case.get("classname", ""),
            case.get("name", ""),
            outcome,
            failure is None and error is not None,
            text,
            _seconds(case.get("time", "")),
        )


def _logged(case: ET.Element) -> Iterator[str]:
    """Yield what was captured beside a test, as far as it holds a traceback."""
    for tag, title in (("system-out", "Captured stdout"), ("system-err", "Captured stderr")):
        yield captured_section(title, case.findtext(tag) or "")


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
