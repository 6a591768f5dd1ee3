"""Paths of the message: where code, configuration or a launch script writes them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import lru_cache

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.nearness import nearness
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.places import named_places, text_offset

PATH_ROLES = frozenset({"string", "dict_key", "subscript", "config_value", "config_key"})
JSON = (".json", ".jsonl", ".ipynb", ".jsonc")
MOST_TEXTS = 200
SEPARATORS = str.maketrans("\\", "/")


def find(case: Case) -> Iterator[Clue]:
    """Yield the places that write a path of the message or a part of it."""
    yield from _named_places(case)
    yield from _named_lines(case)
    paths = {
        str(f.value).translate(SEPARATORS)
        for f in case.facts.of(FactKind.PATH)
        if isinstance(f.value, str) and f.value.strip("/. ")
    }
    if not paths:
        return
    files = case.workspace.files()
    texts = case.words.texts(PATH_ROLES)
    for path in sorted(paths):
        if "None" in path.split("/"):
            continue  # a part of it was never set: the parts that are written are right
        lost = _lost_part(path, files)
        scores = {text: score for text in texts if (score := _match(path, text, lost)) > 0}
        for word in case.words.with_text(scores):
            if word.role in PATH_ROLES:
                score = scores[word.text]
                kind = "paths.config" if word.role.startswith("config") else "paths.code"
                why = f"`{word.text}` is the path of the message or a part of it"
                yield Clue(kind, word.file, word.line, score, why)
    wholes = {path for path in paths if "None" not in path.split("/")}
    for step in case.raise_slice:
        for constant in step.node.constants:
            if isinstance(constant.value, str) and step.decides and step.node.line > 0:
                text = constant.value.translate(SEPARATORS)
                if any(p == text or p.endswith("/" + text.lstrip("./")) for p in wholes if text):
                    why = f"`{step.node.text}` makes the path that was not found"
                    yield Clue("paths.slice", step.node.file, step.node.line, 1.0, why)
    yield from _files(paths, files)


def _named_places(case: Case) -> Iterator[Clue]:
    """Yield the lines that the message prints with their file, or tells by an offset in a text."""
    cause = case.failure.cause
    if cause is None:
        return
    places = named_places(cause.message)
    for at, named in enumerate(places, 1):
        place = case.workspace.locate(named.file, named.line)
        if place is None or not 0 < named.line <= len(case.workspace.lines(place.file)):
            continue
        why = f"the message names line {named.line} of {place.file}"
        yield Clue("place.named", place.file, named.line, 1.0 if at == len(places) else 0.6, why)
    stopped = text_offset(cause.message)
    for file in _texts(case) if stopped is not None else ():
        lines = case.workspace.lines(file)
        if stopped is None or stopped.line > len(lines):
            continue
        before = sum(len(line) + 1 for line in lines[: stopped.line - 1])
        if before + stopped.column - 1 == stopped.offset:
            why = f"character {stopped.offset}, where the parser stopped, is on this line"
            yield Clue("place.named", file, stopped.line, 1.0, why)


def _texts(case: Case) -> list[str]:
    """Return the files that a JSON parser may have read."""
    files = [file for file in case.workspace.files() if file.endswith(JSON)]
    return files[:MOST_TEXTS]


def _named_lines(case: Case) -> Iterator[Clue]:
    """Yield the line of the workspace's code that the message itself names."""
    lines = [f.value for f in case.facts.of(FactKind.LINE) if isinstance(f.value, int)]
    for fact in case.facts.of(FactKind.PATH):
        for line in lines:
            place = case.workspace.locate(str(fact.value), line)
            if place is not None and place.file.endswith(".py"):
                yield Clue("paths.named_line", place.file, line, 1.0, "the message names this line")


def _lost_part(path: str, files: tuple[str, ...]) -> str | None:
    """Return the first part of a path that no workspace file has: the one that is wrong."""
    known = {part for file in files for part in file.split("/")}
    parts = [p for p in path.split("/") if p not in {"", ".", ".."}]
    for part in reversed(parts):
        if part not in known:
            return part
    return None


def _match(path: str, text: str, lost: str | None) -> float:
    """Score a written text against the message's path."""
    written, clean, base = _written_path(text)
    if not written:
        return 0.0
    if written == path:
        return 1.0
    if not clean or clean == ".":
        return 0.0
    inside = f"/{path.strip('/')}/"
    if f"/{clean}/" in inside:
        return 0.9 if lost is not None and lost in clean else 0.6
    name = posixpath.basename(path.rstrip("/"))
    if "." in name and base == name:
        return 0.6
    if lost is not None and ("." in clean or "/" in clean):
        return 0.5 * nearness(lost, base)
    return 0.0


@lru_cache(maxsize=1 << 14)
def _written_path(text: str) -> tuple[str, str, str]:
    """Return a text as a path: as written, normalised, its last name; empty where it is none."""
    written = text.translate(SEPARATORS).strip()
    if len(written) < 3 or "\n" in written:
        return "", "", ""
    clean = posixpath.normpath(written).removeprefix("./").strip("/")
    return written, clean, posixpath.basename(clean)


def _files(paths: set[str], files: tuple[str, ...]) -> Iterator[Clue]:
    """Yield the first line of a workspace file that a path of the message names."""
    for path in sorted(paths):
        tail = "/" + path.strip("/")
        for file in files:
            if tail.endswith("/" + file):
                why = "the message names this file"
                yield Clue("paths.file", file, 1, 0.6, why)
