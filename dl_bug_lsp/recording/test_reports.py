"""From pytest's reports of a test's phases and subtests to journal entries."""

from __future__ import annotations

from typing import Any

from dl_bug_lsp.recording.failing_text import IN_TEARDOWN, heading
from dl_bug_lsp.recording.journal import JournalEntry
from dl_bug_lsp.recording.values import CRASHED, Phase
from dl_bug_lsp.spectrum.captured import captured_section
from dl_bug_lsp.spectrum.values import Outcome

_PHASES: dict[str, Phase] = {"setup": Phase.SETUP, "call": Phase.CALL, "teardown": Phase.TEARDOWN}
STRICT = "[XPASS(strict)]"
"""How pytest's text begins where a test that was marked to fail, strictly, did not."""
_SUBTESTS = ("SubtestReport", "SubTestReport")
"""The reports of pytest's own subtests (since 9) and of pytest-subtests."""


class RunningTest:
    """A test of this process while it runs.

    A subtest is recorded as a test of its own: the lines between two ends of subtests belong to the
    one that ends there. What runs after the last one belongs to the test itself.
    """

    def __init__(self, name: str, attempt: int = 1) -> None:
        self.name = name
        self.attempt = attempt
        self._contexts: dict[Phase, tuple[str, ...]] = {}
        self._subtests: list[JournalEntry] = []
        self._failed_subtests = 0
        self._outcome = Outcome.PASSED
        self._failed_in: Phase | None = None
        self._text = ""
        self._seconds = 0.0

    def enter(self, phase: Phase) -> str:
        """Begin a phase and return its coverage context."""
        again = f"|attempt {self.attempt}" if self.attempt > 1 else ""
        context = f"{self.name}|{phase.value}{again}"
        self._contexts[phase] = (context,)
        return context

    def take(self, report: Any) -> str | None:
        """Take in a report; returns the context to go on with where a subtest ended."""
        if type(report).__name__ in _SUBTESTS:
            return self._take_subtest(report)
        phase = _PHASES.get(report.when)
        self._seconds += float(getattr(report, "duration", 0.0) or 0.0)
        outcome = outcome_of(report)
        text = text_of(report)
        if outcome.is_failing:
            only_subtests = (
                self._failed_subtests > 0
                and "Traceback" not in text
                and (text.startswith("contains ") or not text)
            )
            if only_subtests:
                return None
            if not self._outcome.is_failing:
                self._outcome, self._failed_in = outcome, phase
            elif text:
                text = f"{heading(self.name, IN_TEARDOWN)}\n\n{text}"
            self._text = "\n".join(x for x in (self._text, text, *_logged(report)) if x).strip("\n")
        elif outcome is not Outcome.PASSED and self._outcome is Outcome.PASSED:
            self._outcome = outcome
        return None

    def entries(self) -> list[JournalEntry]:
        """Return the test and its subtests, ready for the journal."""
        whole = JournalEntry(
            self.name, self._outcome, self._failed_in, self._text, self._seconds, self._contexts
        )
        return [*self._subtests, whole]

    def _take_subtest(self, report: Any) -> str:
        outcome = outcome_of(report)
        self._failed_subtests += outcome.is_failing
        number = len(self._subtests) + 1
        contexts = dict(self._contexts)
        contexts.pop(Phase.TEARDOWN, None)
        self._subtests.append(
            JournalEntry(
                f"{self.name} {_described(report, number)}",
                outcome,
                Phase.CALL if outcome.is_failing else None,
                text_of(report),
                float(getattr(report, "duration", 0.0) or 0.0),
                contexts,
            )
        )
        following = f"{self.name}|{Phase.CALL.value}|{self.attempt}.{number}"
        self._contexts[Phase.CALL] = (following,)
        return following


def outcome_of(report: Any) -> Outcome:
    """Return the outcome that a report tells."""
    if hasattr(report, "wasxfail"):
        return Outcome.XFAILED if report.skipped else Outcome.XPASSED
    if report.failed and text_of(report).startswith(STRICT):
        # What the test ran is no more suspicious than without `strict`: its mark is out of date.
        return Outcome.XPASSED
    if report.failed:
        return Outcome.FAILED if report.when == "call" else Outcome.ERROR
    return Outcome.SKIPPED if report.skipped else Outcome.PASSED


def text_of(report: Any) -> str:
    """Return what pytest would print of a failed phase."""
    return str(getattr(report, "longreprtext", "") or "") if report.failed else ""


def _logged(report: Any) -> list[str]:
    """Return the captured sections of a report that hold a traceback."""
    return [captured_section(str(title), str(text)) for title, text in report.sections]


def crashed_worker(report: Any) -> JournalEntry | None:
    """Return the test that took a worker of pytest-xdist down, None for any other report."""
    if report.when != "???" or not report.failed:
        return None
    return JournalEntry(
        report.nodeid, Outcome.ERROR, Phase.CALL, CRASHED, contexts=contexts_of(report.nodeid)
    )


def contexts_of(name: str) -> dict[Phase, tuple[str, ...]]:
    """Return the coverage contexts of a test by phase, named as pytest-cov does."""
    return {phase: (f"{name}|{phase.value}",) for phase in _PHASES.values()}


def _described(report: Any, number: int) -> str:
    context = getattr(report, "context", None)
    message = getattr(context, "msg", None)
    values = dict(getattr(context, "kwargs", None) or {})
    parts = [f"[{message}]"] if message else []
    parts += [f"({', '.join(f'{name}={value}' for name, value in values.items())})"] * bool(values)
    return " ".join(parts) or f"(subtest {number})"
