"""The report for people: in full, or in one line a failure; the stack folded for reading.

In full, the message comes first, then what it means, where to look and what helps. In brief, the
failure that ended the job comes last, so that it stays on the screen. Of the stack the workspace's
frames are shown and the libraries' counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from dl_bug_lsp.report import Confidence, FailureReport, Report, ReportFrame, Suspect, percent
from dl_bug_lsp.taxonomy.classification_context import library_of
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, one_line, shorten
from dl_bug_lsp.views.layout import (
    PLAIN,
    Lines,
    PathStyle,
    Style,
    clip,
    display_width,
    excerpt,
    library_file,
    wrap,
)
from dl_bug_lsp.views.words import (
    MESSAGE_WIDTH,
    counted,
    headline,
    message_lines,
    variable_lines,
    where_in_text,
)

NOTEBOOK_RUNNERS = ("/nbclient/", "/papermill/", "/nbconvert/")
"""Packages that start a notebook's kernel: their frames call no cell, they report its failure."""
STARTER = re.compile(r"^<frozen runpy>$|[\\/]runpy\.py$")
HEAD, TAIL = 6, 12
"""Entries that are shown of a stack too deep to show whole: outermost and innermost."""


@dataclass(frozen=True, slots=True)
class StackEntry:
    """One line of the folded stack; ``place`` is empty for a run of library frames.

    ``variables`` are lines with what variables held.
    """

    place: str
    words: str
    variables: tuple[str, ...] = ()


def fold(frames: Sequence[ReportFrame], paths: PathStyle) -> list[StackEntry]:
    """Return the folded stack, outermost entry first."""
    entries: list[StackEntry] = []
    for inside, run in groupby(frames, key=lambda frame: frame.workspace_file is not None):
        group = list(run)
        if inside:
            entries.extend(_own(group, paths))
        elif not entries and all(STARTER.search(frame.file) for frame in group):
            continue  # `python -m` begins every stack with these.
        else:
            entries.append(StackEntry("", _folded(group)))
    if len(entries) <= HEAD + TAIL + 1:
        return entries
    hidden = len(entries) - HEAD - TAIL
    return [*entries[:HEAD], StackEntry("", f"… {hidden} more entries"), *entries[-TAIL:]]


def _own(frames: list[ReportFrame], paths: PathStyle) -> list[StackEntry]:
    entries = []
    for frame, run in groupby(without_comprehensions(frames)):
        times = len(list(run))
        words = escape(frame.function or "") + _as_printed(frame)
        if times > 1:
            words += f"  ({times} times)"
        file = frame.workspace_file or ""
        line = frame.workspace_line or frame.line
        place = paths.place(file, line) if frame.line else paths.file(file)
        entries.append(StackEntry(place, words.strip(), variable_lines(frame)))
    return entries


def without_comprehensions(frames: Sequence[ReportFrame]) -> list[ReportFrame]:
    """Return frames without those of comprehensions that stand at their function's own line."""
    kept: list[ReportFrame] = []
    for frame in frames:
        before = kept[-1] if kept else None
        is_same = before is not None and (before.file, before.line) == (frame.file, frame.line)
        if not is_same or frame.function not in COMPREHENSIONS:
            kept.append(frame)
    return kept


COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
"""Names that Python gives the functions of comprehensions."""


def _as_printed(frame: ReportFrame) -> str:
    """Return what the log calls the place where it calls it otherwise (a cell, an older line)."""
    changed = "changed after the run" if frame.changed else ""
    if frame.line in (0, frame.workspace_line):
        return f"  ({changed})" if changed else ""
    same_name = _name(frame.file) == _name(frame.workspace_file or "")
    file = "" if same_name else f"{one_line(frame.file, 60)}, "
    changed = f"; {changed}" if changed else ""
    return f"  ({file}line {frame.line} in the log{changed})"


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _folded(frames: list[ReportFrame]) -> str:
    innermost = frames[-1]
    line = f":{innermost.line}" if innermost.line else ""
    where = f"{library_file(innermost.file)}{line} {escape(innermost.function or '')}"
    if len(frames) == 1:
        return f"… {where}".rstrip()
    if any(runner in innermost.file for runner in NOTEBOOK_RUNNERS):
        return f"… {len(frames)} frames of what ran the notebook, down to {where}".rstrip()
    known = all(library_of(frame.file) is not None for frame in frames)
    kind = "library frame" if known else "frame"
    outside = "" if known else " without a place in this folder"
    return f"… {counted(len(frames), kind)}{outside}, down to {where}".rstrip()


# ---------------------------------------------------------------------- the report
LONGEST_MESSAGE = 160
NO_FAILURE = "No failure was found.\n"


def render_brief(report: Report, style: Style = PLAIN, paths: PathStyle | None = None) -> str:
    """Return one line a failure: first place, share, category, message."""
    shown = paths or PathStyle()
    ordered = sorted(report.failures, key=lambda failure: failure.primary)
    return "".join(f"{_line(failure, style, shown)}\n" for failure in ordered) or NO_FAILURE


def _line(failure: FailureReport, style: Style, paths: PathStyle) -> str:
    summary = f"{words.category_name(failure)}: {shorten(headline(failure), LONGEST_MESSAGE)}"
    if not failure.suspects:
        return f"no place: {summary}"
    first = failure.suspects[0]
    share = words.share(failure, first)
    return f"{style.place(paths.place(first.file, first.line))} ({share}): {summary}"


HEADLINES = 3
"""Lines that a message may take before the first place is told."""
WITH_CODE = 5
"""Places that are shown with the code around and the reasons."""
WITH_CODE_SHARE = 0.1
"""Of the first place's score, what a place needs for that; the others take two lines each."""
REASONS = 3
OTHER_FAILURES = 20
PROBLEMS = 5

FILES = "By file"
NOTHING = "No known failure was found in the text. That does not mean that the run was right."


def render_text(
    report: Report,
    lines: Lines,
    width: int = 80,
    style: Style = PLAIN,
    paths: PathStyle | None = None,
) -> str:
    """Return the report as text of at most ``width`` columns where words allow.

    ``lines`` gives the lines of a workspace file. The primary failure is told in full, the others
    in one line each.
    """
    page = _Page(lines, max(width, 40), style, paths or PathStyle())
    primary = report.primary or next(iter(report.failures), None)
    if primary is None:
        page.say(NOTHING)
    else:
        page.failure(primary)
        page.others([f for f in report.failures if f is not primary], primary)
    page.problems(report.problems)
    return "\n".join(page.out) + "\n"


class _Page:
    """Collects the lines of the view."""

    def __init__(self, lines: Lines, width: int, style: Style, paths: PathStyle) -> None:
        self.out: list[str] = []
        self.lines = lines
        self.width = width
        self.style = style
        self.paths = paths

    def say(self, text: str, first: str = "", rest: str | None = None) -> None:
        self.out.extend(wrap(text, self.width, first, rest))

    def heading(self, text: str) -> None:
        self.out.extend(("", self.style.heading(text)))

    def failure(self, failure: FailureReport) -> None:
        self.message(failure)
        self.verdict(failure)
        self.conflict(failure)
        self.suspects(failure)
        self.files(failure)
        self.stack(failure)

    def message(self, failure: FailureReport) -> None:
        """Tell first what failed, in few lines, and right below it where to look."""
        lines = message_lines(failure)
        whole = [part for line in lines for part in wrap(line, self.width, "", "  ")]
        # A short message stands whole in the place of its beginning.
        is_short = lines == [headline(failure)] and len(whole) <= HEADLINES
        first_lines = whole if is_short else [clip(headline(failure), self.width)]
        self.out.extend(self.style.error(part) for part in first_lines)
        place = ""
        if failure.suspects:
            first = failure.suspects[0]
            place = self.paths.place(first.file, first.line)
        self.say(escape(words.finding(failure, place)), "", "  ")
        if failure.frames and not failure.reliable:
            self.say(words.UNRELIABLE, "", "  ")
        if len(whole) > len(first_lines):
            self.out.append("")
            if first_lines == [lines[0]]:
                whole = whole[1:]  # It stands whole above.
            self.out.extend(self.style.error(part) for part in whole)
        if failure.ranks is not None and failure.ranks.summary not in lines[0]:
            self.say(f"Where the ranks stood: {escape(failure.ranks.summary)}.", "", "  ")
        self.out.append(self.style.dim(where_in_text(failure)))

    def verdict(self, failure: FailureReport) -> None:
        name = self.style.bold(words.category_name(failure))
        share = percent(failure.category.confidence)
        self.out.extend(("", f"{name} ({share})"))
        if meaning := words.meaning(failure):
            self.say(meaning, "  ")
        evidence = one_line(failure.category.evidence)
        is_printed = failure.exception is not None or evidence == words.headline(failure)
        if evidence and not is_printed:
            self.say(f"Seen in: {one_line(failure.category.evidence)}", "  ", "    ")
        # Where no place stands out nothing tells which part of the program is wrong.
        is_in_doubt = bool(failure.suspects) and failure.confidence is Confidence.UNSURE
        if (kind := words.kind_of_bug(failure.bug_type)) and not is_in_doubt:
            self.say(kind, "  ")
        if place := words.where_cause_lies(failure.origin):
            self.say(place, "  ")
        if retry := words.told_of_retry(failure):
            self.say(retry, "  ")

    def conflict(self, failure: FailureReport) -> None:
        """Show both sides of the check that failed, each with the lines that lead to it."""
        conflict = failure.conflict
        if conflict is None:
            return
        self.heading(words.CONFLICT)
        self.say(words.conflict_note(conflict), "  ")
        rows = words.conflict_rows(conflict)
        gap = max(display_width(label) for label, _ in rows) + 4
        for label, value in rows:
            head = f"  {label}".ljust(gap)
            for at in value.places:
                source = self.lines(at.file)
                text = escape(source[at.line - 1]).strip() if at.line <= len(source) else ""
                place = self.paths.place(at.file, at.line)
                left = self.width - gap - display_width(place) - 2
                shown = f"  {self.style.dim(clip(text, left))}" if left > 0 and text else ""
                self.out.append(f"{head}{self.style.place(place)}{shown}")
                head = " " * gap
            if value.others:
                self.out.append(f"{head}{words.counted(value.others, 'more line')}")

    def suspects(self, failure: FailureReport) -> None:
        suspects = failure.suspects
        if not suspects:
            self.heading(words.NO_PLACE)
            if outside := words.outside(failure):
                hint = "--workspace FOLDER names the program's folder." if failure.outside else ""
                is_repeated = outside in words.finding(failure, "")
                if told := hint if is_repeated else f"{escape(outside)} {hint}".strip():
                    self.say(told, "  ")
            self.advice(failure)
            return
        self.heading(words.heading_of_places(failure))
        if caution := words.introduction(failure):
            self.say(caution, "  ")
        least = suspects[0].score * WITH_CODE_SHARE
        shown = words.shown_places(failure)
        for at, suspect in enumerate(shown):
            if at < WITH_CODE and suspect.score >= least:
                self.suspect(failure, suspect)
            else:
                self.suspect_briefly(failure, suspect)
            if at == 0:
                self.advice(failure)
        if left := len(suspects) - len(shown):
            more = words.counted(left, "more place")
            self.say(f"{more} below 1 % (--format json has all).", "  ")

    def suspect(self, failure: FailureReport, suspect: Suspect) -> None:
        self.suspect_line(failure, suspect)
        code = excerpt(
            self.lines(suspect.file), suspect.line, suspect.end_line, self.width, self.style
        )
        self.out.extend(code)
        for evidence in sorted(suspect.evidence, key=lambda e: -e.score)[:REASONS]:
            why = shorten(escape(evidence.why), MESSAGE_WIDTH)
            self.say(why, "    - ", "      ")
        if suspect.suggestion is not None:
            edit = clip(escape(suspect.suggestion.after.strip()), max(20, self.width - 12))
            self.out.append(f"    to try: {edit}")
        self.out.append("")

    def suspect_briefly(self, failure: FailureReport, suspect: Suspect) -> None:
        self.suspect_line(failure, suspect)
        source = self.lines(suspect.file)
        if 1 <= suspect.line <= len(source):
            code = escape(source[suspect.line - 1]).strip()
            self.out.append(self.style.dim(clip(f"      {code}", self.width)).rstrip())

    def suspect_line(self, failure: FailureReport, suspect: Suspect) -> None:
        place = self.paths.place(suspect.file, suspect.line)
        score = words.place_score(failure, suspect)
        function = escape(words.inside(suspect))
        head = f"{suspect.rank:>2}. "
        used = display_width(head) + display_width(place) + len(score) + 4
        function = clip(function, max(0, self.width - used)) if function else ""
        gap = max(2, self.width - used + 2 - display_width(function))
        tail = self.style.dim(function) + " " * gap + self.style.bold(score)
        self.out.append(f"{head}{self.style.place(place)}  {tail}")

    def files(self, failure: FailureReport) -> None:
        """Name the files where no place stands out: the right file may, though no line does."""
        stands_out = failure.technique is None and failure.confidence is not Confidence.UNSURE
        if not failure.files or stands_out or words.is_only_printed(failure):
            return
        if self.out[-1]:
            self.out.append("")
        telling = [f for f in failure.files[:5] if f.score >= words.LEAST_SHARE]
        named = [f"{self.paths.file(f.file)} ({percent(f.score)})" for f in telling]
        label = FILES
        if failure.technique is not None:
            named, label = [self.paths.file(f.file) for f in failure.files[:5]], "Files, best first"
        more = len(failure.files) - len(named)
        self.say(f"{label}: " + ", ".join(named) + (f", {more} more" if more else ""), "", "  ")

    def stack(self, failure: FailureReport) -> None:
        if not failure.frames:
            return
        self.heading(words.stack_title(failure))
        if mapping := words.mapped(failure):
            self.say(escape(mapping), "  ")
        for entry in fold(failure.frames, self.paths):
            if entry.place:
                line = f"  {self.style.place(entry.place)}  {entry.words}"
                self.out.append(line.rstrip())
                self.out += [f"      {variable}" for variable in entry.variables]
            else:
                self.out.append(self.style.dim(f"  {entry.words}"))

    def advice(self, failure: FailureReport) -> None:
        if not failure.advice:
            return
        if self.out[-1]:
            self.out.append("")
        self.out.append(f"    {self.style.bold('What usually helps')}")
        for advice in failure.advice:
            self.say(escape(advice.cause), "    - ", "      ")
            self.say(escape(advice.fix), "      → ", "        ")
            if advice.page:
                self.out.append(self.style.dim(f"        {escape(advice.page)}"))
        self.out.append("")

    def others(self, failures: Sequence[FailureReport], primary: FailureReport) -> None:
        if not failures:
            return
        self.heading(words.other_failures(failures, primary))
        for failure in failures[:OTHER_FAILURES]:
            self.say(self._brief(failure), "  - ", "    ")
        if len(failures) > OTHER_FAILURES:
            self.out.append(f"  … {len(failures) - OTHER_FAILURES} more")

    def _brief(self, failure: FailureReport) -> str:
        parts = [shorten(headline(failure), 120)]
        if failure.suspects:
            top = failure.suspects[0]
            parts.append(f"→ {self.paths.place(top.file, top.line)}")
        parts.append(f"({where_in_text(failure)})")
        return " ".join(parts)

    def problems(self, problems: Sequence[str]) -> None:
        if not problems:
            return
        self.heading("Not understood")
        for problem in problems[:PROBLEMS]:
            self.say(one_line(problem), "  - ", "    ")
        if len(problems) > PROBLEMS:
            self.out.append(f"  … {len(problems) - PROBLEMS} more")
