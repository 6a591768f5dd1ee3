"""Text retrieval: the report's parts against files, their fields, and their best function."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dl_bug_lsp.evidence.reports.documents import Terms, joined, one_document
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.evidence.reports.similarity import Matches
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.terms import words_of

_FIELD_B = 0.5
_PATHS_REMEMBERED = 8192


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return BM25 of whole files and best functions, and cosines that favour long files (rVSM)."""
    found: dict[str, Floats] = {}
    for part in ("title", "lead", "main", "all"):
        found[f"file.{part}"] = scene.files_matches.bm25(scene.weights[part])
    for part in ("lead", "all"):
        passages = scene.passage_matches.bm25(scene.weights[part])
        best = scene.zeros()
        np.maximum.at(best, scene.passage_file, passages)
        found[f"function.{part}"] = best
        if len(passages):
            _note_functions(scene, passages, f"function.{part}")
    found["file.coverage"] = scene.files_matches.coverage(scene.weights["title"])
    lengths = scene.files_matches.lengths
    logarithm = np.log1p(lengths)
    scale = logarithm / (logarithm.max(initial=0.0) or 1.0)
    found["rvsm.all"] = scene.files_matches.cosine(scene.weights["counts"]) * scale
    found["rvsm.main"] = scene.files_matches.cosine(scene.weights["main_counts"]) * scale
    return found | _fields(scene)


def _note_functions(scene: ReportContext, passages: Floats, signal: str) -> None:
    functions = [function for source in scene.sources for function in source.functions]
    for index in np.argsort(-passages, kind="stable")[:50]:
        name = functions[int(index)].name
        why = f"`{name}` speaks of what the report speaks of"
        scene.note(signal, int(scene.passage_file[index]), why)


def _fields(scene: ReportContext) -> dict[str, Floats]:
    """Return BM25 of title and prose with the names and paths of files (BLUiR's idea)."""
    found: dict[str, Floats] = {}
    for field, part in (("classes", "main"), ("functions", "main"), ("variables", "title")):
        terms = joined([source.fields[field] for source in scene.sources])
        matches = Matches(terms, scene.query, _FIELD_B)
        found[f"{field}.{part}"] = matches.bm25(scene.weights[part])
    paths = joined([_path_document(file) for file in scene.files])
    matches = Matches(paths, scene.query, _FIELD_B)
    found["path.main"] = matches.bm25(scene.weights["main"])
    found["path.coverage"] = matches.coverage(scene.weights["title"])
    return found


@lru_cache(maxsize=_PATHS_REMEMBERED)
def _path_document(file: str) -> Terms:
    return one_document(words_of(file.rpartition(".")[0].replace("__init__", "").replace("/", " ")))
