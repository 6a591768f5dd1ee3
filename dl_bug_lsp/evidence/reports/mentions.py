"""Files that the report names: by path, by a word of the title, by a link."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from dl_bug_lsp.evidence.reports.imports import stem_of
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.stemming import stem

_PATH = re.compile(r"[\w./\\-]{1,300}\.py\b")
_PATH_SIGNALS = ("paths.whole", "paths.title", "paths.prose", "paths.code", "paths.trace")
_MOST_HOMONYMS = 6
_WORD = re.compile(r"[A-Za-z]+")
_SHORTEST_STEM = 4


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return what each part of the report names."""
    report = scene.report
    parts = {
        "title": [report.title],
        "prose": [*scene.prose, *report.messages],
        "code": report.code,
        "trace": [line for line in report.trace if 'File "' not in line] + report.logs,
    }
    found: dict[str, Floats] = {}
    full = scene.zeros()
    for part, lines in parts.items():
        text = "\n".join(lines)
        whole, named = _paths(scene, text)
        full = np.maximum(full, whole)
        if part != "code":
            found[f"paths.{part}"] = named
    found["paths.whole"] = full
    found["links.file"], found["links.line"] = _links(scene)
    return found | _stems(scene)


def _paths(scene: ReportContext, text: str) -> tuple[Floats, Floats]:
    """Return the files named with a folder, and those named by their bare name."""
    whole, bare = scene.zeros(), scene.zeros()
    for path in sorted(set(_PATH.findall(text))):
        rows, shared = scene.paths.find(path)
        if len(rows) > _MOST_HOMONYMS:
            continue
        values = whole if shared > 1 else bare
        for row in rows:
            values[row] = max(values[row], 1 / len(rows))
            for signal in _PATH_SIGNALS:
                scene.note(signal, row, f"the report names `{path}`")
    return whole, bare


def _links(scene: ReportContext) -> tuple[Floats, Floats]:
    """Return the files that links lead to, and those with a line told."""
    files, lines = scene.zeros(), scene.zeros()
    for link in scene.report.links:
        rows, shared = scene.paths.find(link.path)
        if shared < 2 and "/" in link.path:
            continue
        for row in rows:
            files[row] = 1.0
            if link.first_line:
                lines[row] = 1.0
            scene.note("links.file", row, "the report links to it")
    return files, lines


def _stems(scene: ReportContext) -> dict[str, Floats]:
    """Return how far the names of files and folders stand in the title, or the prose."""
    words = {stem(word.lower()) for word in _WORD.findall(scene.report.title)}
    title = _letters(scene.report.title)
    prose = _letters(" ".join(scene.prose))
    names = {f"stem.{kind}": scene.zeros() for kind in ("title", "folders", "prose")}
    for row, file in enumerate(scene.files):
        parts = [p for p in _bare(stem_of(file)).lower().split("_") if p]
        whole = "".join(parts)
        if len(whole) >= _SHORTEST_STEM:
            share = sum(_stem(part) in words for part in parts) / len(parts)
            joint = len(whole) > 5 and whole in title
            names["stem.title"][row] = 1.0 if joint else share
            names["stem.prose"][row] = float(len(whole) > 7 and whole in prose)
            if joint or share == 1:
                scene.note("stem.title", row, "the title speaks of it by name")
        folders = [p for f in file.split("/")[1:-1] for p in f.lower().split("_") if len(p) > 3]
        if folders:
            hits = sum(_stem(part) in words for part in folders)
            names["stem.folders"][row] = hits / len(folders)
    return names


@lru_cache(maxsize=8192)
def _stem(part: str) -> str:
    return stem(part)


def _bare(name: str) -> str:
    return name.removeprefix("test_").removesuffix("_test")


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
