"""Reads JUnit XML as pytest and others write it: which test ended how, with what output.

The format has no standard; read are ``testcase`` elements with ``classname`` and ``name`` and their
children ``failure``, ``error`` and ``skipped`` (pytest marks xfail by ``type="pytest.xfail"``).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate

from dl_bug_lsp import data_folder
from dl_bug_lsp.recording.test_reports import STRICT
from dl_bug_lsp.spectrum.captured import captured_section
from dl_bug_lsp.spectrum.values import Outcome

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
        told = failure if failure is not None else error
        text = (told.text or told.get("message") or "") if told is not None else ""
        if told is not None:
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
