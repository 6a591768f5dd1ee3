"""The pytest plugin: ``pytest --dl-bug`` records what each test runs and how it ends.

Coverage comes from coverage.py, one context a test and phase, as pytest-cov names them
(``node id|phase``). Where a measurement runs already (pytest-cov), that one is used. Every process
(each worker of pytest-xdist is one) journals its own tests; the process that the user started
brings them together at the end. Nothing here makes a test run fail.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from dl_bug_lsp.recording.session_recorder import SessionRecorder

_PLUGIN = "dl-bug-recorder"
_OPTIONS = ("dl_bug", "dl_bug_branch", "dl_bug_locals")
_WORKER_KEY = "dl_bug_folder"
_COVERAGE_MISSING = (
    "--dl-bug needs coverage.py in the environment of the tests: pip install 'dl-bug-lsp[spectrum]'"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    group = parser.getgroup("dl-bug", "fault localization")
    group.addoption(
        "--dl-bug",
        action="store_true",
        help="record which lines each test runs, and rank the suspicious ones",
    )
    group.addoption(
        "--dl-bug-branch",
        action="store_true",
        help="record branches as well (implies --dl-bug); costs more time",
    )
    group.addoption(
        "--dl-bug-locals",
        action="store_true",
        help="also record what the local variables of failing tests held (implies --dl-bug)",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Start to measure before the first conftest is imported, so that its imports count."""
    options = early_config.known_args_namespace
    if any(getattr(options, name, False) for name in _OPTIONS):
        _start(early_config, bool(getattr(options, "dl_bug_branch", False)))
    yield


def _start(config: pytest.Config, branch: bool) -> None:
    try:
        from dl_bug_lsp.recording.session_recorder import SessionRecorder
    except ImportError:
        raise pytest.UsageError(_COVERAGE_MISSING) from None
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    has_locals = bool(getattr(config.known_args_namespace, "dl_bug_locals", False))
    recorder = SessionRecorder(
        Path(config.rootpath), " ".join(sys.argv), branch, worker, has_locals=has_locals
    )
    config.pluginmanager.register(_Recorder(config, recorder), _PLUGIN)
    config.add_cleanup(recorder.close)
    options = config.known_args_namespace
    by_pytest_cov = bool(getattr(options, "cov_source", None)) and not getattr(
        options, "no_cov", False
    )
    recorder.start(by_pytest_cov)


class _Recorder:
    """The hooks of a session that is recorded."""

    def __init__(self, config: pytest.Config, recorder: SessionRecorder) -> None:
        self._config = config
        self._recorder = recorder
        self._collected: dict[str, list[str]] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of pytest-xdist where the session's folder is."""
        node.workerinput[_WORKER_KEY] = self._recorder.shared_folder()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Open the journal, in a worker in the folder that the first process made."""
        folder = getattr(session.config, "workerinput", {}).get(_WORKER_KEY)
        self._recorder.begin_session(Path(folder) if folder else None)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Note a test that there is, whether it will be chosen to run or not."""
        self._collected.setdefault(item.nodeid.partition("::")[0], []).append(item.nodeid)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests the files hold, so that older ones are known to be gone."""
        if not _is_partial(session):
            self._recorder.note_collected(self._collected)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Save what was measured, inside of pytest-cov's own end of measuring."""
        try:
            return (yield)
        finally:
            self._recorder.save()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Measure the test's setup."""
        self._recorder.enter(item.nodeid, "setup")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Measure the test itself."""
        self._recorder.enter(item.nodeid, "run")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Measure the test's teardown."""
        self._recorder.enter(item.nodeid, "teardown")

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Record what the variables of a failing test held, where that is asked for."""
        if call.excinfo is not None:
            self._recorder.note_exception(call.excinfo.value)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in how a phase, or a subtest, ended."""
        self._recorder.report(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Journal the test; the controller of pytest-xdist hears of tests that it did not run."""
        self._recorder.end_test(nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Bring everything together, in the process that the user started."""
        self._recorder.finish()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was recorded, or why nothing was, and name the most suspicious lines."""
        for line in (*self._recorder.summary(), *self._recorder.most_suspicious()):
            terminalreporter.write_line(line)


def _is_partial(session: pytest.Session) -> bool:
    """Say whether only some tests of a file were collected: those named, or those that failed."""
    is_last_failed = bool(getattr(session.config.option, "lf", False))
    return is_last_failed or any("::" in str(argument) for argument in session.config.args)
