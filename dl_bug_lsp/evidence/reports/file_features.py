"""Features of files: which file a bug report means.

Retrieval of the report's parts; identifiers, rare ones weighted higher; dotted paths, file names
and links in the report; frames; and what kind of file it is (an example, a package's
``__init__``, setup, empty, large).
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from dl_bug_lsp.evidence.reports import changes
from dl_bug_lsp.evidence.reports.documents import Matches, Terms, joined, one_document
from dl_bug_lsp.evidence.reports.report_context import PARTS, ReportContext, rows_to_parse, stem_of
from dl_bug_lsp.retrieval import Floats, stem, words_of

_FIELD_B = 0.5
_PATHS_REMEMBERED = 8192


def find_texts(context: ReportContext) -> dict[str, Floats]:
    """Return BM25 of whole files and best functions, and cosines that favour long files (rVSM)."""
    features: dict[str, Floats] = {}
    for part in ("title", "lead", "main", "all"):
        features[f"file.{part}"] = context.files_matches.bm25(context.weights[part])
    for part in ("lead", "all"):
        passages = context.passage_matches.bm25(context.weights[part])
        best = context.zeros()
        np.maximum.at(best, context.passage_file, passages)
        features[f"function.{part}"] = best
        if len(passages):
            _note_functions(context, passages, f"function.{part}")
    features["file.coverage"] = context.files_matches.coverage(context.weights["title"])
    lengths = context.files_matches.lengths
    logarithm = np.log1p(lengths)
    scale = logarithm / (logarithm.max(initial=0.0) or 1.0)
    features["rvsm.all"] = context.files_matches.cosine(context.weights["counts"]) * scale
    features["rvsm.main"] = context.files_matches.cosine(context.weights["main_counts"]) * scale
    return features | _fields(context)


def _note_functions(context: ReportContext, passages: Floats, feature: str) -> None:
    functions = [function for source in context.sources for function in source.functions]
    for index in np.argsort(-passages, kind="stable")[:50]:
        name = functions[int(index)].name
        why = f"`{name}` shares words with the report"
        context.note(feature, int(context.passage_file[index]), why)


def _fields(context: ReportContext) -> dict[str, Floats]:
    """Return BM25 of title and prose with the names and paths of files (BLUiR's idea)."""
    features: dict[str, Floats] = {}
    for field, part in (("classes", "main"), ("functions", "main"), ("variables", "title")):
        terms = joined([source.fields[field] for source in context.sources])
        matches = Matches(terms, context.query, _FIELD_B)
        features[f"{field}.{part}"] = matches.bm25(context.weights[part])
    paths = joined([_path_document(file) for file in context.files])
    matches = Matches(paths, context.query, _FIELD_B)
    features["path.main"] = matches.bm25(context.weights["main"])
    features["path.coverage"] = matches.coverage(context.weights["title"])
    return features


@lru_cache(maxsize=_PATHS_REMEMBERED)
def _path_document(file: str) -> Terms:
    return one_document(words_of(file.rpartition(".")[0].replace("__init__", "").replace("/", " ")))


_LOOSE = 0.3
_USED_EVERYWHERE = 0.5
_MOST_USES = 2.5
KEPT: dict[str, tuple[str, ...]] = {
    "title": ("class",),
    "prose": ("function", "rarest", "use"),
    "code": ("function", "rarest", "use"),
    "trace": ("class", "rarest"),
    "messages": ("use",),
}
"""What helps to rank the files of projects never seen; the ablation dropped the rest."""


def find_identifiers(context: ReportContext) -> dict[str, Floats]:
    """Return, by part of the report, sums of ln(1 + files / files that define the name)."""
    totals: dict[str, Floats] = {}
    for part in PARTS:
        features = {kind: context.zeros() for kind in ("class", "function", "rarest", "use")}
        for name, strong in context.identifiers[part].items():
            _defined(context, name, strong, part, features)
            if strong:
                _used(context, name, features["use"])
        totals.update({f"names.{part}.{kind}": features[kind] for kind in KEPT[part]})
    return totals


def _defined(
    context: ReportContext, name: str, strong: bool, part: str, features: dict[str, Floats]
) -> None:
    rows = context.defined.get(name)
    if not rows:
        return
    rarity = math.log(1 + len(context.files) / len(rows))
    for row, kinds in rows.items():
        callable_or_class = any(kind in kinds for kind in "cmf")
        weight = rarity if strong else rarity * _LOOSE * (1.0 if callable_or_class else _LOOSE)
        if "c" in kinds:
            features["class"][row] += rarity if strong or name[0].isupper() else 0.0
        elif callable_or_class:
            features["function"][row] += weight
        rarest = weight / math.sqrt(len(rows))
        if rarest > features["rarest"][row]:
            features["rarest"][row] = rarest
            context.notes[f"names.{part}.rarest", row] = f"defines `{name}`, which the report names"


def _used(context: ReportContext, name: str, uses: Floats) -> None:
    rows = context.used.get(name)
    if not rows:
        return
    rarity = math.log(len(context.files) / len(rows))
    if rarity > _USED_EVERYWHERE:
        for row, times in rows.items():
            uses[row] += rarity * min(1 + math.log(times), _MOST_USES)


_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FEW_DEFINERS = 3
_SHORTEST = 4


def find_modules(context: ReportContext) -> dict[str, Floats]:
    """Return how much of a dotted path leads to a file, and shares of those that define its end."""
    scores = context.zeros()
    rows, ambiguous = modules_of(context.files)
    for dotted in sorted(set(_DOTTED.findall(context.report.title))):
        parts = dotted.split(".")
        row, depth = _longest(rows, ambiguous, parts)
        if row is not None:
            scores[row] += depth / len(parts)
            context.note("modules.title", row, f"the report names `{dotted}`")
        for part in parts[-2:]:
            owners = context.defined.get(part, {})
            if len(part) >= _SHORTEST and 0 < len(owners) <= _FEW_DEFINERS:
                for owner in owners:
                    scores[owner] += 0.5 / len(owners)
                    context.note("modules.title", owner, f"the report names `{dotted}`")
    return {"modules.title": scores}


def modules_of(files: Sequence[str]) -> tuple[dict[str, int], set[str]]:
    """Name each file's row by every end of its dotted path, and tell which names several bear.

    Of several files the one with the shortest rest in front has the name.
    """
    rows: dict[str, int] = {}
    depth: dict[str, int] = {}
    ambiguous: set[str] = set()
    for row, file in enumerate(files):
        parts = file.rpartition(".")[0].split("/")
        if parts[-1] == "__init__":
            parts = parts[:-1]
        for start in range(len(parts)):
            name = ".".join(parts[start:])
            if name in depth:
                ambiguous.add(name)
            if start < depth.get(name, 1 << 30):
                depth[name], rows[name] = start, row
    return rows, ambiguous


def _longest(
    rows: dict[str, int], ambiguous: set[str], parts: Sequence[str]
) -> tuple[int | None, int]:
    """Return the row of the longest beginning that names one module, with its length."""
    for end in range(len(parts), 1, -1):
        for start in range(min(2, end - 1)):
            name = ".".join(parts[start:end])
            if name in rows and name not in ambiguous:
                return rows[name], end
    return None, 0


_PATH = re.compile(r"[\w./\\-]{1,300}\.py\b")
_PATH_FEATURES = ("paths.whole", "paths.title", "paths.prose", "paths.code", "paths.trace")
_MOST_HOMONYMS = 6
_WORD = re.compile(r"[A-Za-z]+")
_SHORTEST_STEM = 4


def find_mentions(context: ReportContext) -> dict[str, Floats]:
    """Return what each part of the report names."""
    report = context.report
    parts = {
        "title": [report.title],
        "prose": [*context.prose, *report.messages],
        "code": report.code,
        "trace": [line for line in report.trace if 'File "' not in line] + report.logs,
    }
    features: dict[str, Floats] = {}
    full = context.zeros()
    for part, lines in parts.items():
        text = "\n".join(lines)
        whole, named = _paths(context, text)
        full = np.maximum(full, whole)
        if part != "code":
            features[f"paths.{part}"] = named
    features["paths.whole"] = full
    features["links.file"], features["links.line"] = _links(context)
    return features | _stems(context)


def _paths(context: ReportContext, text: str) -> tuple[Floats, Floats]:
    """Return the files named with a folder, and those named by their bare name."""
    whole, bare = context.zeros(), context.zeros()
    for path in sorted(set(_PATH.findall(text))):
        rows, shared = context.paths.find(path)
        if len(rows) > _MOST_HOMONYMS:
            continue
        values = whole if shared > 1 else bare
        for row in rows:
            values[row] = max(values[row], 1 / len(rows))
            for feature in _PATH_FEATURES:
                context.note(feature, row, f"the report names `{path}`")
    return whole, bare


def _links(context: ReportContext) -> tuple[Floats, Floats]:
    """Return the files that links lead to, and those with a line told."""
    files, lines = context.zeros(), context.zeros()
    for link in context.report.links:
        rows, shared = context.paths.find(link.path)
        if shared < 2 and "/" in link.path:
            continue
        for row in rows:
            files[row] = 1.0
            if link.first_line:
                lines[row] = 1.0
            context.note("links.file", row, "the report links to it")
    return files, lines


def _stems(context: ReportContext) -> dict[str, Floats]:
    """Return how far the names of files and folders stand in the title, or the prose."""
    words = {stem(word.lower()) for word in _WORD.findall(context.report.title)}
    title = _letters(context.report.title)
    prose = _letters(" ".join(context.prose))
    names = {f"stem.{kind}": context.zeros() for kind in ("title", "folders", "prose")}
    for row, file in enumerate(context.files):
        parts = [p for p in _bare(stem_of(file)).lower().split("_") if p]
        whole = "".join(parts)
        if len(whole) >= _SHORTEST_STEM:
            share = sum(stem(part) in words for part in parts) / len(parts)
            joint = len(whole) > 5 and whole in title
            names["stem.title"][row] = 1.0 if joint else share
            names["stem.prose"][row] = float(len(whole) > 7 and whole in prose)
            if joint or share == 1:
                context.note("stem.title", row, "the title speaks of it by name")
        folders = [p for f in file.split("/")[1:-1] for p in f.lower().split("_") if len(p) > 3]
        if folders:
            hits = sum(stem(part) in words for part in folders)
            names["stem.folders"][row] = hits / len(folders)
    return names


def _bare(name: str) -> str:
    return name.removeprefix("test_").removesuffix("_test")


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_INSTALLED = ("site-packages", "dist-packages")


def frame_rows(context: ReportContext) -> list[tuple[int, int]]:
    """Return (index of the frame, row of its file) of the frames in the workspace, as printed."""
    rows_of_frames: list[tuple[int, int]] = []
    for index, frame in enumerate(context.report.frames):
        rows, shared = context.paths.find(frame.file)
        if len(rows) != 1:
            continue
        installed = any(folder in frame.file for folder in _INSTALLED)
        if shared >= 2 or ("/" not in frame.file and not installed):
            rows_of_frames.append((index, rows[0]))
    return rows_of_frames


def find_stacks(context: ReportContext) -> dict[str, Floats]:
    """Return how near to the raise site a file is on a stack, and whether it is nearest."""
    depths, innermost = context.zeros(), context.zeros()
    frames = frame_rows(context)
    for depth, (index, row) in enumerate(reversed(frames)):
        function = context.report.frames[index].function
        depths[row] = max(depths[row], 1 / (depth + 1))
        context.note("stack.depth", row, f"`{function or 'its code'}` is on the stack")
    if frames:
        innermost[frames[-1][1]] = 1.0
        context.note("stack.innermost", frames[-1][1], "the innermost frame of this code is here")
    return {"stack.depth": depths, "stack.innermost": innermost}


_EXAMPLE = re.compile(
    r"(?:^|/)(?:\w*examples?|docs?|benchmarks?|demos?|tutorials?|scripts?|tools|notebooks?"
    r"|samples?|research|experimental?)/"
)
_SETUP = {"setup.py", "conf.py", "conftest.py", "_version.py", "version.py", "__about__.py"}
_FEW_TERMS = 20


def find_file_kinds(context: ReportContext) -> dict[str, Floats]:
    """Return priors, which hold whatever the report says."""
    files = context.files
    lines = np.array([source.lines for source in context.sources], dtype=np.float64)
    return {
        "kind.example": _flags(_EXAMPLE.search(file) is not None for file in files),
        "kind.package": _flags(file.endswith("__init__.py") for file in files),
        "kind.setup": _flags(posixpath.basename(file) in _SETUP for file in files),
        "kind.empty": (context.files_matches.lengths < _FEW_TERMS).astype(np.float64),
        "kind.lines": np.log1p(lines) / 8,
    }


def _flags(values: object) -> Floats:
    return np.fromiter(values, dtype=np.float64)  # type: ignore[call-overload,no-any-return]


Source: TypeAlias = Callable[[ReportContext], dict[str, Floats]]

PARSED_SOURCES = (find_texts, find_identifiers, find_modules)
"""What parsing the files adds to."""
UNPARSED_SOURCES = (find_mentions, find_stacks, find_file_kinds, changes.find)


def features_of(context: ReportContext) -> dict[str, Floats]:
    """Return every feature by name, an array over the context's files.

    Of many files those are parsed that their mere words and names speak for.
    """
    features = _gathered(context, (*PARSED_SOURCES, *UNPARSED_SOURCES))
    if context.are_many:
        context.parse(rows_to_parse(features))
        features |= _gathered(context, PARSED_SOURCES)
    return features


def _gathered(context: ReportContext, sources: Sequence[Source]) -> dict[str, Floats]:
    features: dict[str, Floats] = {}
    for source in sources:
        features.update(source(context))
    return features
