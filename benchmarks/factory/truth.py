"""The true lines of a mutation: those that hold inserted text, or those beside what is gone."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from factory.values import Edit, Mutation


@dataclass(frozen=True, slots=True)
class Truth:
    """Where the fault of a mutated program is.

    ``lines`` are 1-based lines of the mutated ``file``: those that hold inserted text, or, where
    text was only deleted or was moved away, the lines beside it. ``function`` is the dotted name of
    the innermost function or class around them, ``function_lines`` its first and last line; None at
    a module's level and in files that are not Python. ``deleted`` is what was taken away and not
    replaced.
    """

    file: str
    lines: tuple[int, ...]
    function: str | None
    function_lines: tuple[int, int] | None
    deleted: str | None
    note: str


@dataclass(frozen=True, slots=True)
class _Change:
    """An edit without the lines that it does not change, and where it begins afterwards."""

    old_start: int
    old: str
    new_start: int
    new: str


def apply(mutation: Mutation, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the files that the mutation changes, as they are afterwards.

    Raises ValueError for edits that overlap or lie outside of their file.
    """
    return {file: _edited(texts[file], edits) for file, edits in _by_file(mutation).items()}


def truth_of(mutation: Mutation, texts: Mapping[str, str]) -> Truth:
    """Return where the fault is in the file of the mutation's first edit.

    ``texts`` are the original files by path. Raises ValueError as `apply` does.
    """
    file = mutation.edits[0].file
    before = texts[file]
    edits = _by_file(mutation)[file]
    after = _edited(before, edits)
    changes = _changes(before, edits)
    # Lines that are only indented anew tell nothing where something else was changed as well.
    told = [change for change in changes if change.old.strip() or change.new.strip()] or changes
    inserted = [change for change in told if change.new.strip()]
    gone = [change.old.strip() for change in told if change.new.strip() in {"", "pass"}]
    deleted = "\n".join(text for text in gone if text) or None
    python = file.endswith((".py", ".pyw"))
    if inserted:
        lines = sorted({line for change in inserted for line in _lines_of(after, change)})
        unit = _unit_at(after, lines[0]) if python else None
        moved = {change.new.strip() for change in inserted} & set(gone)
        for change in told:
            # A statement that stands elsewhere is missed where it was.
            if change.old.strip() in moved and not change.new.strip():
                lines = sorted({*lines, *_lines_beside(after, change)})
        if unit is None and python:
            unit = _unit_before(before, after, inserted[0])
    else:
        unit = _unit_before(before, after, told[0]) if python else None
        beside = {line for change in told for line in _lines_beside(after, change)}
        inside = {line for line in beside if unit and unit[1] <= line <= unit[2]}
        lines = sorted(inside or beside)
    return Truth(
        file,
        tuple(lines),
        unit[0] if unit else None,
        (unit[1], unit[2]) if unit else None,
        deleted,
        mutation.note,
    )


def _by_file(mutation: Mutation) -> dict[str, list[Edit]]:
    found: dict[str, list[Edit]] = {}
    for edit in sorted(mutation.edits, key=lambda edit: (edit.start, edit.end)):
        found.setdefault(edit.file, []).append(edit)
    return found


def _edited(text: str, edits: list[Edit]) -> str:
    for first, second in pairwise(edits):
        if second.start < first.end:
            raise ValueError(f"edits of {first.file} overlap at {second.start}")
    pieces = []
    at = 0
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= len(text):
            raise ValueError(f"an edit of {edit.file} lies outside of it: {edit.start}")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _changes(text: str, edits: list[Edit]) -> list[_Change]:
    found = []
    moved = 0
    for edit in edits:
        old = text[edit.start : edit.end].splitlines(keepends=True)
        new = edit.text.splitlines(keepends=True)
        skipped = 0
        while old and new and old[0] == new[0]:
            skipped += len(old.pop(0))
            new.pop(0)
        while old and new and old[-1] == new[-1]:
            old.pop()
            new.pop()
        start = edit.start + skipped
        found.append(_Change(start, "".join(old), start + moved, "".join(new)))
        moved += len(edit.text) - (edit.end - edit.start)
    return [change for change in found if change.old or change.new]


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _lines_of(text: str, change: _Change) -> list[int]:
    first = _line(text, change.new_start)
    lines = change.new.split("\n")
    return [first + index for index, line in enumerate(lines) if line.strip()]


def _lines_beside(text: str, change: _Change) -> set[int]:
    """Return the line that lost something, or where whole lines are gone those on both sides."""
    at = change.new_start
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    rest = text[start : end if end >= 0 else len(text)]
    if "\n" not in change.old and rest.strip():
        return {_line(text, at)}
    found = set()
    left = text[:at].rstrip()
    if left:
        found.add(_line(text, len(left) - 1))
    right = len(text) - len(text[at:].lstrip())
    if right < len(text):
        found.add(_line(text, right))
    return found or {1}


_Unit = tuple[str, int, int]


def _units(text: str) -> list[_Unit] | None:
    """Return functions and classes with their first and last lines; None for no valid Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: list[_Unit] = []
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                first = min([child.lineno, *(item.lineno for item in child.decorator_list)])
                found.append((name, first, child.end_lineno or child.lineno))
                stack.append((child, f"{name}."))
            else:
                stack.append((child, prefix))
    return found


def _innermost(units: list[_Unit], line: int) -> _Unit | None:
    around = [unit for unit in units if unit[1] <= line <= unit[2]]
    return min(around, key=lambda unit: unit[2] - unit[1], default=None)


def _unit_at(text: str, line: int) -> _Unit | None:
    return _innermost(_units(text) or [], line)


def _unit_before(before: str, after: str, change: _Change) -> _Unit | None:
    """Return the unit that the change was in before it, with its lines as they are after it."""
    blank = len(change.old) - len(change.old.lstrip())
    line = _line(before, change.old_start + (blank if change.old.strip() else 0))
    unit = _unit_at(before, line)
    at = _line(after, change.new_start)
    now = _units(after)
    if now is None:
        if unit is None:
            return None
        grown = after.count("\n") - before.count("\n")
        return (unit[0], unit[1], max(unit[1], unit[2] + grown))
    if unit is None:
        return None
    same = [found for found in now if found[0] == unit[0]]
    return min(same, key=lambda found: abs(found[1] - unit[1]), default=_innermost(now, at))
