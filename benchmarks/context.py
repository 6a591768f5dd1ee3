"""Say how often the cause's line lies within a compact context.

    python benchmarks/context.py [--cases FOLDER ...] [--real FOLDER] [--tokens N ...] [--missed]

Of each recorded failure the context of ``localize --format context`` is rendered, and three others
that take as many tokens: the log's last 100 lines, all frames of the workspace with ten lines
around (the innermost first), and windows of ten lines by BM25 against the log's end. A context
holds the cause where it shows a line of it, named by file and number. FOLDER holds cases as
``fixtures/`` does (the default); that of ``--real`` has a ``run.py``, which makes the workspaces
below ``--workspaces``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import scoring
from scoring import Line

from dl_bug_lsp.assistants.explaining import PLACES, context_of
from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.retrieval import Corpus, bm25_scores, document_of
from dl_bug_lsp.views.context import estimated_tokens
from dl_bug_lsp.workspace import Workspace

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
WORKSPACES = Path.home() / ".cache" / "dl-bug-real"
TOKENS = (1500, 600)
AROUND, WINDOW, LAST = 10, 10, 100
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)|([\w./-]+\.\w+):(\d+)')
_FILE, _LINE = re.compile(r"=== (.+)"), re.compile(r"(\d+)(?: #\d+)?\|")


@dataclass(frozen=True)
class Trial:
    """One failure with all that the contexts are made of."""

    name: str
    causes: frozenset[Line]
    log: str
    workspace: Workspace
    report: Report


def trials(tops: Iterable[Path], real: Path | None, workspaces: Path) -> Iterator[Trial]:
    """Localize the recorded failures."""
    folders = [(folder, folder / "workspace") for folder in scoring.case_folders(tops)]
    if real is not None:
        folders += [(f, workspaces / f.name[:3] / "ws") for f in scoring.case_folders([real])]
    for folder, root in folders:
        data = (folder / "log.txt").read_bytes()
        workspace = Workspace(root, cache=False)
        report = localize(data, workspace, Options(top=PLACES))
        text = "\n".join(line.text for line in read_log(data).lines)
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        causes = frozenset((cause["file"], cause["line"]) for cause in truth["root_cause"])
        yield Trial(folder.name, causes, text, workspace, report)


def ours(trial: Trial, tokens: int) -> set[Line]:
    """Return the lines that the compact context shows, read off its text."""
    text = context_of(trial.report, trial.workspace, tokens)
    if estimated_tokens(text) > tokens:
        raise AssertionError(f"{trial.name}: more than {tokens} tokens")
    shown: set[Line] = set()
    file = None
    for line in text.splitlines():
        if name := _FILE.match(line):
            file = name[1]
        elif file is not None and (number := _LINE.match(line)):
            shown.add((file, int(number[1])))
    return shown


def last_lines(trial: Trial, tokens: int) -> set[Line]:
    """Return the lines that the log's end names, with the files below their printed paths."""
    left, found = tokens, set()
    files = trial.workspace.files()
    for line in reversed(trial.log.splitlines()[-LAST:]):
        left -= estimated_tokens(line) + 1
        if left < 0:
            break
        for match in _FRAME.finditer(line):
            path, number = match[1] or match[3], int(match[2] or match[4])
            found.update((f, number) for f in files if path == f or path.endswith(f"/{f}"))
    return found


def around_frames(trial: Trial, tokens: int) -> set[Line]:
    """Return the frames of the workspace with the lines around, the innermost first."""
    primary = trial.report.primary
    frames = primary.frames if primary is not None else ()
    places = [(f.workspace_file, f.workspace_line) for f in reversed(frames) if f.workspace_file]
    windows = [
        (file, range(max(1, line - AROUND), line + AROUND + 1)) for file, line in places if line
    ]
    return _until(trial.workspace, windows, tokens)


def by_words(trial: Trial, tokens: int) -> set[Line]:
    """Return windows of lines by BM25 against the log's last lines."""
    windows = []
    for file in trial.workspace.files():
        count = len(trial.workspace.lines(file))
        windows += [(file, range(at, at + WINDOW)) for at in range(1, min(count, 5_000), WINDOW)]
    texts = [
        "\n".join(trial.workspace.lines(file)[lines.start - 1 : lines.stop - 1])
        for file, lines in windows
    ]
    if not windows:
        return set()
    corpus = Corpus(tuple(map(document_of, texts)))
    query = document_of("\n".join(trial.log.splitlines()[-LAST:]))
    scores = bm25_scores(corpus, query)
    order = sorted(range(len(windows)), key=lambda at: -scores[at])
    return _until(trial.workspace, [windows[at] for at in order[:200]], tokens)


def _until(workspace: Workspace, windows: Iterable[tuple[str, range]], tokens: int) -> set[Line]:
    """Return the lines of the first windows that take no more than so many tokens."""
    shown: set[Line] = set()
    left = tokens
    for file, numbers in windows:
        lines = workspace.lines(file)
        left -= estimated_tokens(f"=== {file}\n")
        for number in numbers:
            if (file, number) in shown or number > len(lines):
                continue
            left -= estimated_tokens(f"{number}|{lines[number - 1][:160].rstrip()}\n")
            if left < 0:
                return shown
            shown.add((file, number))
    return shown


METHODS: dict[str, Callable[[Trial, int], set[Line]]] = {
    "compact context": ours,
    "last 100 lines of the log": last_lines,
    "workspace frames and 10 lines around": around_frames,
    "windows of 10 lines by BM25": by_words,
}


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", nargs="+", type=Path, default=[FIXTURES])
    parser.add_argument("--real", type=Path)
    parser.add_argument("--workspaces", type=Path, default=WORKSPACES)
    parser.add_argument("--tokens", nargs="+", type=int, default=list(TOKENS))
    parser.add_argument("--missed", action="store_true", help="name the cases that are missed")
    arguments = parser.parse_args()
    found = list(trials(arguments.cases, arguments.real, arguments.workspaces))
    print(f"{len(found)} failures; the cause's line is in the context, in per cent")
    print(f"{'tokens':38}" + "".join(f"{tokens:>8}" for tokens in arguments.tokens))
    missed: dict[int, list[str]] = {}
    for name, method in METHODS.items():
        row = f"{name:38}"
        for tokens in arguments.tokens:
            hits = [bool(method(t, tokens).intersection(t.causes)) for t in found]
            row += f"{100 * sum(hits) / len(hits):>8.1f}"
            if method is ours:
                missed[tokens] = [t.name for t, hit in zip(found, hits, strict=True) if not hit]
        print(row, flush=True)
    for tokens, names in missed.items() if arguments.missed else ():
        print(f"missed at {tokens}: {', '.join(names)}")


if __name__ == "__main__":
    main()
