"""Reads a folder's spectrum and ranks it: `.dlbug/spectrum.db`, or what CI leaves in the folder.

Belongs to the folder's lane; imported only when there is something to read.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from dl_bug_lsp.recording.importing import ImportingError, JUnitError, import_session
from dl_bug_lsp.recording.session import CoverageDataError
from dl_bug_lsp.recording.session_folder import relative
from dl_bug_lsp.recording.spectra import (
    Ranked,
    current_spectrum,
    heat_of,
    line_counts,
    ranked_now,
    spectrum_file,
)
from dl_bug_lsp.recording.store import Recording, StoreError, read_recording
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.position_tracking import Encoding
from dl_bug_lsp.server.publication import Publication, publication
from dl_bug_lsp.server.spectra import (
    COVERAGE,
    SOURCE,
    SPECTRUM,
    FolderSpectrum,
    FunctionCounts,
    LineCounts,
    coverage_pair,
    stamp_of,
)
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.spectrum.failing_runs import is_test_file
from dl_bug_lsp.spectrum.spectrum import PROGRAM, count_functions


@dataclass(frozen=True, slots=True)
class FoundSpectrum:
    """What a folder's spectrum tells; nothing where no test fails, or ``problem`` in a sentence."""

    spectrum: FolderSpectrum | None = None
    publication: Publication | None = None
    problem: str = ""


FAILED = " (failed)"
"""What the name of a failing program has at its end, beside the passing one of the same command."""


def read_folder(folder: Folder, settings: Settings, encoding: Encoding) -> FoundSpectrum:
    """Return what the newest spectrum of a folder tells."""
    workspace = folder.workspace
    workspace.catch_up()
    try:
        recording = _newest(folder, settings)
        if recording is None:
            return FoundSpectrum()
        recorded = current_spectrum(workspace, recording)
    except StoreError as error:
        return FoundSpectrum(problem=str(error))
    if not recorded.spectrum.failing:
        return FoundSpectrum()
    ranked = ranked_now(workspace, recorded, settings.options)
    programs = [name for name in sorted(recorded.texts) if name.startswith(PROGRAM)]
    # A program's failure is known from its record, too; what is told last is shown.
    source = programs[0].removesuffix(FAILED) if programs else SOURCE
    shown = publication(ranked.report, folder, settings, source, encoding)
    shown.keep_text(ranked.text)
    return FoundSpectrum(_spectrum(folder, ranked, source), shown)


def _newest(folder: Folder, settings: Settings) -> Recording | None:
    root = folder.root
    pair = coverage_pair(root, settings.spectrum_junit)
    own = stamp_of(root, SPECTRUM)
    coverage = stamp_of(root, COVERAGE)
    if pair is not None and coverage is not None and (own is None or coverage > own):
        spectrum = _imported(folder, *pair)
        if spectrum is not None:
            return spectrum
    return read_recording(spectrum_file(root)) if own is not None else None


def _imported(folder: Folder, coverage: Path, junit: Path) -> Recording | None:
    """Return what CI left, None where it says nothing of tests: most coverage has no contexts."""
    workspace, root = folder.workspace, folder.root
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(coverage.stat().st_mtime))
    try:
        session = import_session(
            coverage, junit, lambda path: relative(path, root), workspace.text, started
        )
    except (CoverageDataError, JUnitError, ImportingError, OSError):
        return None
    return Recording((session,))


def _spectrum(folder: Folder, ranked: Ranked, source: str) -> FolderSpectrum:
    spectrum = ranked.recorded.spectrum
    counts, heat = line_counts(spectrum), heat_of(ranked)
    counted: dict[str, dict[int, tuple[int, int]]] = {}
    for element, ef, ep in zip(counts.elements, counts.ef, counts.ep, strict=True):
        if ef:
            counted.setdefault(element.file, {})[element.line] = ef, ep
    lines: dict[str, dict[int, LineCounts]] = {}
    for file in sorted({*counted, *heat}):
        here, warm = counted.get(file, {}), heat.get(file, {})
        lines[file] = {
            n: LineCounts(round(warm.get(n, 0.0), 4), *here.get(n, (0, 0)))
            for n in sorted({*here, *warm})
        }
    texts = {file: folder.workspace.text(file) or "" for file in lines}
    functions = _functions(folder, ranked)
    noun = "tests" if source == SOURCE else "steps"
    return FolderSpectrum(counts.failing, counts.passing, lines, functions, texts, noun, source)


def _functions(folder: Folder, ranked: Ranked) -> dict[str, list[FunctionCounts]]:
    """Return the functions that a failing test runs, those of tests left out."""
    counts = count_functions(ranked.recorded.spectrum)
    by_file: dict[str, list[FunctionCounts]] = {}
    for element, ef, ep in zip(counts.elements, counts.ef, counts.ep, strict=True):
        if not ef or is_test_file(element.file):
            continue
        known = folder.workspace.elements(element.file).functions
        around = [
            f for f in known if f.name == element.function and f.line <= element.line <= f.end_line
        ]
        if around:
            line = max(f.line for f in around)
            here = FunctionCounts(line, element.function, ef, ep)
            by_file.setdefault(element.file, []).append(here)
    return by_file
