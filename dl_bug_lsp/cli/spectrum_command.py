"""``dl-bug-lsp spectrum``: takes in what CI recorded, and shows the ranked table or a heat map."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dl_bug_lsp.cli.errors import (
    FOUND,
    NOT_FOUND,
    UsageError,
    complain,
    terminal_width,
    wants_colour,
    write_bytes,
    write_text,
)
from dl_bug_lsp.views.spectrum import HeatFile, heat_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dl_bug_lsp.recording.spectra import Recorded
    from dl_bug_lsp.spectrum.formulas import Table
    from dl_bug_lsp.workspace import Workspace


Heat = dict[str, dict[int, float]]
"""How suspicious lines are, by file; 1 is the most."""


def page(
    workspace: Workspace,
    recorded: Recorded,
    full: Table,
    table: Table,
    notes: Sequence[str],
    known: Heat | None = None,
) -> str:
    """Return the page: the first rows of ``full`` (``table``), and all files of failing tests.

    ``known`` is the heat of the lines where it is not that of ``full`` alone.
    """
    from dl_bug_lsp.assistants.explaining import shown_lines
    from dl_bug_lsp.recording.spectra import line_counts

    lines = shown_lines(workspace)
    counts = line_counts(recorded.spectrum)
    files: dict[str, dict[int, tuple[int, int]]] = {}
    for element, ef, ep in zip(counts.elements, counts.ef, counts.ep, strict=True):
        files.setdefault(element.file, {})[element.line] = ef, ep
    heat = known if known is not None else _heat(full, files, workspace)
    warm = [file for file in files if any(ef for ef, _ in files[file].values())]
    order = sorted({*warm, *heat}, key=lambda file: (-max(heat.get(file, {0: 0.0}).values()), file))
    shown = [HeatFile(f, lines(f), heat.get(f, {}), files.get(f, {})) for f in order]
    return heat_map(f"Spectrum of {workspace.root.name}", table, shown, lines, notes)


def _heat(table: Table, files: dict[str, dict[int, tuple[int, int]]], workspace: Workspace) -> Heat:
    """Return scores by file and line, the best as 1; a function's stand at its executed lines."""
    top = max((row.score for row in table.rows), default=0.0)
    heat: Heat = {}
    for row in table.rows if top > 0 else ():
        here = heat.setdefault(row.element.file, {})
        at: Sequence[int] = (row.element.line,)
        if table.level == "function":
            at = _executed(row.element.file, row.element.function, files, workspace)
        for line in at:
            here[line] = max(here.get(line, 0.0), row.score / top)
    return heat


def _executed(
    file: str, function: str, files: dict[str, dict[int, tuple[int, int]]], workspace: Workspace
) -> list[int]:
    spans = [f for f in workspace.elements(file).functions if f.name == function]
    run = files.get(file, {})
    return [n for n, (ef, _) in run.items() if ef and any(s.line <= n <= s.end_line for s in spans)]


NO_FAILING = "no recorded test fails: there is nothing to rank"
NO_BRANCHES = "no branches are recorded: run `pytest --dl-bug-branch`"
NO_LINES = "nothing is known of what the failing tests executed"
NO_PASSING = "no recorded test passes: what failing and passing tests execute cannot be compared"


def run(arguments: argparse.Namespace) -> int:
    """Run ``import`` or ``report``; the exit codes are those of `localize`.

    Raises `UsageError` without a subcommand.
    """
    if arguments.action == "import":
        return import_files(arguments)
    if arguments.action == "report":
        return report(arguments)
    raise UsageError("say what to do: spectrum import or spectrum report (see --help)")


def import_files(arguments: argparse.Namespace) -> int:
    """Add a coverage file and a JUnit report to the workspace's spectrum; return 0.

    Raises `UsageError` for files that cannot be read, and where nothing can be written.
    """
    from dl_bug_lsp import data_folder
    from dl_bug_lsp.cli.localize_command import workspace_folder
    from dl_bug_lsp.recording.importing import ImportingError, JUnitError, import_session
    from dl_bug_lsp.recording.session import CoverageDataError
    from dl_bug_lsp.recording.spectra import spectrum_file
    from dl_bug_lsp.recording.store import StoreError, write_session
    from dl_bug_lsp.workspace import Workspace

    root = workspace_folder(arguments.workspace)
    workspace = Workspace(root)
    # What the user names may be a link; what a workspace holds is followed by nobody.
    coverage, junit = (_target(Path(file)) for file in (arguments.coverage, arguments.junit))
    path = spectrum_file(root)
    try:
        stamp = coverage.stat().st_mtime if coverage.is_file() else 0.0
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp))
        find = _Finder(workspace)
        session = import_session(coverage, junit, find.local, workspace.text, started)
        data_folder.prepare(root)
        moved = write_session(path, session)
    except (CoverageDataError, JUnitError, ImportingError, StoreError) as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{path.parent} cannot be written ({error.strerror or error})") from error
    for note in (
        *([moved] if moved else ()),
        *session.problems,
        *_newer(session.sources, root, stamp),
    ):
        complain(note)
    failing = sum(1 for test in session.tests if test.outcome.is_failing)
    passing = sum(1 for test in session.tests if test.outcome.is_passing)
    write_text(
        f"took in {failing} failing and {passing} passing tests; "
        "`dl-bug-lsp spectrum report` ranks the lines\n"
    )
    return FOUND


def _target(file: Path) -> Path:
    return file.resolve() if file.is_symlink() else file


class _Finder:
    """Finds the workspace file of a path that coverage.py recorded, here or on another machine."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files = frozenset(workspace.python_files())

    def local(self, path: str) -> str | None:
        from dl_bug_lsp.recording.session_folder import relative

        inside = relative(path, self._workspace.root)
        if inside is not None:
            return inside
        if not Path(path).is_absolute() and path in self._files:
            return PurePosixPath(path).as_posix()
        place = self._workspace.locate(path, 1)
        return place.file if place is not None else self._moved(path)

    def _moved(self, path: str) -> str | None:
        """Return the file of a path whose folder is still there, and was copied to here."""
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if {"site-packages", "dist-packages", "lib", "lib64"} & set(parts):
            return None
        ends = ("/".join(parts[at:]) for at in range(1, len(parts)))
        return next((end for end in ends if end in self._files), None)


def _newer(sources: object, root: Path, stamp: float) -> list[str]:
    """Name the files that changed after the tests ran: their lines may be others by now."""
    changed = []
    for file in sorted(sources) if isinstance(sources, dict) else ():
        path = root / file
        if path.is_file() and path.stat().st_mtime > stamp + 1:
            changed.append(file)
    if not changed:
        return []
    more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
    return [f"changed after the tests ran, so lines may be off: {', '.join(changed[:3])}{more}"]


def report(arguments: argparse.Namespace) -> int:
    """Print the ranked table, as text, JSON or a page with a heat map.

    Raises `UsageError` where the workspace has no spectrum that can be read.
    """
    from dl_bug_lsp.cli.localize_command import workspace_folder
    from dl_bug_lsp.recording.session_folder import merge_abandoned_sessions
    from dl_bug_lsp.recording.spectra import current_spectrum, stale
    from dl_bug_lsp.recording.store import StoreError
    from dl_bug_lsp.workspace import Workspace

    workspace = Workspace(workspace_folder(arguments.workspace))
    formula = formula_of(arguments)
    for line in merge_abandoned_sessions(workspace.root):
        complain(line)
    try:
        recorded = current_spectrum(workspace, branches=arguments.level == "branch")
    except StoreError as error:
        raise UsageError(str(error)) from error
    if not recorded.spectrum.failing:
        complain(NO_FAILING)
        return NOT_FOUND
    notes = [] if recorded.spectrum.passing else [NO_PASSING]
    notes += [stale(recorded)] if stale(recorded) else []
    table, text = _rendered(arguments, workspace, recorded, formula, notes)
    if table.rows or arguments.format != "text":
        _put(text, arguments)
    if not table.rows:
        complain(NO_BRANCHES if arguments.level == "branch" else NO_LINES)
    return FOUND if table.rows else NOT_FOUND


def formula_of(arguments: argparse.Namespace) -> str:
    """Return the formula's exact name; raises `UsageError` for what there is not."""
    from dl_bug_lsp.spectrum.formulas import COMBINED, FORMULAS

    name = arguments.formula or (COMBINED if arguments.level != "branch" else "Ochiai")
    known = {name.lower(): name for name in (*FORMULAS, COMBINED)}
    if name.lower() not in known:
        raise UsageError(f"there is no formula '{name}'; there are {', '.join(known.values())}")
    if known[name.lower()] == COMBINED and arguments.level == "branch":
        raise UsageError("branches are ranked by a formula only, as in --formula Ochiai")
    return known[name.lower()]


def _rendered(
    arguments: argparse.Namespace,
    workspace: Workspace,
    recorded: Recorded,
    formula: str,
    notes: list[str],
) -> tuple[Table, str]:
    import json
    from dataclasses import replace

    from dl_bug_lsp.assistants.explaining import shown_lines
    from dl_bug_lsp.cli.localize_command import path_prefix
    from dl_bug_lsp.recording.spectra import combined_table, counted_table, heat_of, ranked_now
    from dl_bug_lsp.spectrum.failing_runs import what_ran
    from dl_bug_lsp.spectrum.formulas import COMBINED
    from dl_bug_lsp.views.layout import PathStyle, Style
    from dl_bug_lsp.views.spectrum import table_json, table_text

    lines = shown_lines(workspace)
    heat = None
    if formula == COMBINED:
        ranked = ranked_now(workspace, recorded)
        full = combined_table(ranked, arguments.level)
        heat = heat_of(ranked) if arguments.level == "line" else None
    else:
        full = counted_table(recorded.spectrum, formula, arguments.level)
    full = replace(full, of=what_ran(recorded.spectrum))
    table = replace(full, rows=full.rows[: arguments.top])
    if arguments.format == "json":
        from dl_bug_lsp.views.escape import ascii_json

        shown = ascii_json(
            json.dumps(table_json(table, lines, notes), ensure_ascii=False, indent=2)
        )
        return table, shown + "\n"
    if arguments.format == "html":
        return table, page(workspace, recorded, full, table, notes, heat)
    to_terminal = arguments.output is None
    style = Style(to_terminal and wants_colour(arguments.color, sys.stdout))
    paths = PathStyle(path_prefix(workspace.root, Path.cwd()))
    return table, table_text(table, lines, notes, terminal_width(), style, paths)


def _put(text: str, arguments: argparse.Namespace) -> None:
    if arguments.output is not None:
        try:
            Path(arguments.output).write_bytes(text.encode("utf-8", "replace"))
        except OSError as error:
            why = error.strerror or str(error)
            raise UsageError(f"{arguments.output} cannot be written ({why.lower()})") from error
    elif arguments.format == "text":
        write_text(text)
    else:
        write_bytes(text.encode("utf-8", "replace"))
