"""Which runs a failure's text is of: from pytest's and unittest's titles to the runs' names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dl_bug_lsp.spectrum.values import Run

_PYTEST = re.compile(r"^_{2,} (?:ERROR at (?:setup|teardown) of )?(?P<title>\S.{0,2000}?) _{2,}$")
_UNITTEST = re.compile(r"^(?:FAIL|ERROR): (?P<test>\w+) \((?P<where>[\w.]+)\)")
_BREAKS = re.compile(r"::|\.|/|\\")


def title_of(line: str) -> str:
    """Return the dotted test that a heading names, empty where the line is none.

    pytest writes ``___ TestA.test_b[1] ___``, unittest ``FAIL: test_b (tests.test_x.TestA)``.
    """
    found = _PYTEST.match(line)
    if found:
        return found["title"]
    told = _UNITTEST.match(line)
    if not told:
        return ""
    where = told["where"]
    return where if where.endswith(f".{told['test']}") else f"{where}.{told['test']}"


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
    found = [i for i in failing if _ends_in(_parts(runs[i].name), wanted)]
    if len(found) > 1:
        shown = [file.replace("\\", "/") for file in files]
        inside = [i for i in found if _is_among(runs[i].name, shown)]
        found = inside or found
    return frozenset(found)


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
