"""The page of ``spectrum report --format html``: what it shows of which files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.views.heat_map import HeatFile, heat_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dl_bug_lsp.recording.spectra import Recorded
    from dl_bug_lsp.spectrum.table import Table
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
    from dl_bug_lsp.assistants.context import shown_lines
    from dl_bug_lsp.recording.ranked import line_counts

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
    found: Heat = {}
    for row in table.rows if top > 0 else ():
        here = found.setdefault(row.element.file, {})
        at: Sequence[int] = (row.element.line,)
        if table.level == "function":
            at = _executed(row.element.file, row.element.function, files, workspace)
        for line in at:
            here[line] = max(here.get(line, 0.0), row.score / top)
    return found


def _executed(
    file: str, function: str, files: dict[str, dict[int, tuple[int, int]]], workspace: Workspace
) -> list[int]:
    spans = [f for f in workspace.elements(file).functions if f.name == function]
    run = files.get(file, {})
    return [n for n, (ef, _) in run.items() if ef and any(s.line <= n <= s.end_line for s in spans)]
