"""The techniques that the benchmark runs, by name: ours, a baseline, and the published ones."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from dl_bug_lsp.localize import localize, located_frames
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.techniques.bjxnet import bjxnet, network_from
from dl_bug_lsp.techniques.scores import (
    FixedReport,
    Query,
    Ranked,
    RankedFunction,
    RankedLines,
)
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Place, Workspace

OURS = "dl-bug-lsp"
INNERMOST = "innermost-frame"
BJXNET = "bjxnet"
ALL = Options(top=0, top_files=0)
FOLDS_OF_BJXNET = Path(__file__).resolve().parent / "bjxnet"


class Technique(Protocol):
    """One way to rank; deterministic, and given nothing that came after the report.

    ``workspace.history()`` ends at the workspace's version or, where that is later, at the time
    when the report was opened.
    """

    @property
    def name(self) -> str:
        """The name that the command line and the tables use, as in ``buglocator``."""

    def rank(self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport]) -> Ranked:
        """Rank the files of a workspace, and functions and lines where the technique does.

        ``earlier`` are the project's fixed reports, oldest fix first.
        """


"""A network for each project, ``PROJECT.json``, trained without it by ``train_bjxnet.py``."""


class WrongUseError(Exception):
    """What the caller asked for cannot be had; one sentence."""


class Ours:
    """`localize` as users get it; with ``weights``, ranked by those and not by the shipped ones."""

    name = OURS

    def __init__(self, weights: dict[str, Any] | None = None) -> None:
        self._options = ALL
        if weights is not None:
            if "weights" not in {field.name for field in dataclasses.fields(Options)}:
                raise WrongUseError("--weights: localize's options of this version take no weights")
            given: dict[str, Any] = {"weights": weights}
            self._options = dataclasses.replace(ALL, **given)

    def rank(self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport]) -> Ranked:
        """Hand over the text alone, as a user would."""
        return ranked_of(localize(query.text, workspace, self._options))


class InnermostFrame:
    """The traceback's frames that lie in the workspace, the innermost first: where people begin."""

    name = INNERMOST

    def rank(self, query: Query, workspace: Workspace, earlier: Sequence[FixedReport]) -> Ranked:
        """Rank the frames' lines, and their functions and files in the same order."""
        places = frame_places(query, workspace)
        lines = [
            RankedLines(p.file, p.line, p.end_line, 1 / rank) for rank, p in enumerate(places, 1)
        ]
        functions = [
            RankedFunction(p.file, p.function, p.line, p.end_line, 1 / rank)
            for rank, p in enumerate(places, 1)
            if p.function is not None
        ]
        files = [(line.file, line.score) for line in lines]
        return Ranked(tuple(files), tuple(functions), tuple(lines))


def frame_places(query: Query, workspace: Workspace) -> list[Place]:
    """Return the local places of a report's frames, the innermost first."""
    failures = read_failures(read_log(query.text)).failures
    chosen = next((f for f in failures if f.primary), failures[-1] if failures else None)
    if chosen is None:
        return []
    located = located_frames(chosen, workspace, ALL)
    return [place for _, place in reversed(located) if place is not None]


def ranked_of(report: Report) -> Ranked:
    """Read a report's ranking; functions stand in the order of their first lines."""
    primary = report.primary
    if primary is None:
        return Ranked((), (), ())
    lines = tuple(RankedLines(s.file, s.line, s.end_line, s.score) for s in primary.suspects)
    functions = tuple(
        RankedFunction(s.file, s.function, s.line, s.end_line, s.score)
        for s in primary.suspects
        if s.function is not None
    )
    return Ranked(tuple((f.file, f.score) for f in primary.files), functions, lines)


def published() -> dict[str, Callable[..., Technique]]:
    """Return what makes each published technique, by name; all take ``left_out``, a project."""
    try:
        from dl_bug_lsp.techniques import NAMES, localizing
    except ModuleNotFoundError as error:
        raise WrongUseError(f"the published techniques need {error.name}") from error
    return {name: partial(localizing.technique, name) for name in NAMES}


def names() -> list[str]:
    """Return every technique's name, ours first."""
    return [OURS, INNERMOST, *published()]


def technique(name: str, project: str, weights: Path | None) -> Technique:
    """Make a technique for a project's bugs.

    ``weights`` is a file, or a folder with ``PROJECT.json`` for each fold. A published technique
    that was trained is the one that never saw the project.
    """
    if name == OURS:
        return Ours(read_weights(weights, project))
    if name == INNERMOST:
        return InnermostFrame()
    known = published()
    if name not in known:
        raise WrongUseError(f"no technique is called {name!r}; there are {', '.join(names())}")
    if name == BJXNET:
        return bjxnet_without(project)
    return known[name](left_out=project)


def bjxnet_without(project: str) -> Technique:
    """Return bjXnet with a network that never saw a project."""
    file = FOLDS_OF_BJXNET / f"{project}.json"
    if file.is_file():
        return bjxnet(network_from(json.loads(file.read_text("utf-8"))))
    shipped = resources.files("dl_bug_lsp.techniques").joinpath("bjxnet.json")
    if project in json.loads(shipped.read_text("utf-8"))["projects"]:
        raise WrongUseError(f"{file} is not there: run train_bjxnet.py with --folds")
    return bjxnet()


def read_weights(path: Path | None, project: str) -> dict[str, Any] | None:
    """Read the weights for a project's bugs, None for the shipped ones."""
    if path is None:
        return None
    file = path / f"{project}.json" if path.is_dir() else path
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise WrongUseError(f"--weights: cannot read {file.name}: {error}") from error
    if not isinstance(data, dict):
        raise WrongUseError(f"--weights: {file.name} holds no JSON object")
    return data
