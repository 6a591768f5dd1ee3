"""Notebooks: the Python of their code cells, each line mapped to a line of the file on disk.

A printed cell (``Cell In[3]``, the file of a kernel) is mapped to the notebook's line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.elements import Parsed, parse

_MAGIC = re.compile(r"[ \t]*(?:[%!?]|[\w.]+\?{1,2}[ \t]*$)")
_TIMED = re.compile(r"([ \t]*)%time (?=[ \t]*[^\W\d])")
_TRIPLE = re.compile(r"\"\"\"|\'\'\'")
_TEXT = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_BRACKET = re.compile(r"[()\[\]{}]")
_ASSIGNED_MAGIC = re.compile(r"([ \t]*[^\W\d][\w., \t]*=[ \t]*)[%!]")
MOST_OUTPUT = 20_000
"""Characters of a cell's outputs that are kept."""
_FOREIGN_CELL = re.compile(r"[ \t\n]*%%(?!time\b|timeit\b|capture\b|prun\b)")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among the code cells, execution count, lines and their raw lines.

    ``raw[n]`` is the 1-based line of the file on disk that holds ``lines[n]``. ``printed`` is what
    the cell wrote to its standard output, ``result`` the text of its last expression's value.
    """

    number: int
    execution_count: int | None
    lines: tuple[str, ...]
    raw: tuple[int, ...]
    printed: str = ""
    result: str = ""


def read_cells(text: str) -> tuple[Cell, ...]:
    """Return the code cells of a notebook (nbformat 3 and 4), empty for text that is none."""
    top = read_json(text).root
    if top is None:
        return ()
    cells = top.child("cells")
    if cells is None:
        sheets = top.child("worksheets")
        cells = sheets.items[0].child("cells") if sheets is not None and sheets.items else None
    if cells is None:
        return ()
    code_cells: list[Cell] = []
    for node in cells.items:
        kind, source = node.child("cell_type"), node.child("source") or node.child("input")
        if kind is None or kind.value != "code" or source is None:
            continue
        count = node.child("execution_count") or node.child("prompt_number")
        number = count.value if count is not None else None
        lines, raw = _source_lines(source)
        executed = number if isinstance(number, int) else None
        own = (len(code_cells) + 1, executed, lines, raw)
        code_cells.append(Cell(*own, *_outputs(node.child("outputs"))))
    return tuple(code_cells)


def _outputs(node: Node | None) -> tuple[str, str]:
    """Return what a cell printed and the text of its result (nbformat 4), each cut if long."""
    printed = result = ""
    for output in node.items if node is not None else ():
        kind, name = output.child("output_type"), output.child("name")
        if kind is not None and kind.value == "stream" and name is not None:
            printed += _text(output.child("text")) if name.value == "stdout" else ""
        elif kind is not None and kind.value == "execute_result":
            data = output.child("data")
            result = _text(data.child("text/plain") if data is not None else None)
    return printed[:MOST_OUTPUT], result[:MOST_OUTPUT]


def _text(node: Node | None) -> str:
    """Return a text that is one string, or a list of its pieces."""
    pieces = () if node is None else node.items or (node,)
    return "".join(piece.value for piece in pieces if isinstance(piece.value, str))


def copied_from(text: str) -> str | None:
    """Return the path of the notebook that papermill ran to write this one, None for any other.

    papermill keeps it in the notebook's metadata (``papermill.input_path``).
    """
    if '"papermill"' not in text:
        return None
    node = read_json(text).root
    for name in ("metadata", "papermill", "input_path"):
        node = node.child(name) if node is not None else None
    return node.value if node is not None and isinstance(node.value, str) else None


def python_lines(cells: tuple[Cell, ...]) -> tuple[list[str], list[int]]:
    """Join the cells into one module's lines, magics commented out, beside their raw lines."""
    lines: list[str] = []
    raw: list[int] = []
    for cell in cells:
        foreign = bool(cell.lines) and _FOREIGN_CELL.match(cell.lines[0]) is not None
        depth = 0
        for line, number in zip(cell.lines, cell.raw, strict=True):
            if foreign:
                lines.append("# " + line)
            else:
                # Where a bracket, a text or a line is not closed, a percent sign is an operator.
                lines.append(line if depth else _without_magic(line))
                depth = _depth_after(lines[-1], depth)
            raw.append(number)
    return lines, raw


def parse_cells(cells: tuple[Cell, ...]) -> Parsed:
    """Parse the joined cells; positions in the tree are lines of the file on disk.

    A cell that is not valid Python is left out, so that one broken cell does not hide the rest; its
    problem is reported all the same.
    """
    lines, raw = python_lines(cells)
    parsed = parse("\n".join(lines) + "\n")
    problem, problem_line = parsed.problem, parsed.problem_line
    if parsed.tree is None:
        sound = [cell if _is_sound(cell) else _blanked(cell) for cell in cells]
        lines, raw = python_lines(tuple(sound))
        parsed = parse("\n".join(lines) + "\n")
    if parsed.tree is not None:
        _shift(parsed.tree, raw)
    at = raw[min(problem_line, len(raw)) - 1] if problem_line and raw else problem_line
    return Parsed(parsed.tree, problem, at)


def _source_lines(source: Node) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Split a source: a list of strings, usually one a line, or one string of many lines."""
    pieces = source.items if source.items else [source]
    lines: list[str] = []
    raw: list[int] = []
    open_line = False
    for piece in pieces:
        if not isinstance(piece.value, str):
            continue
        parts = piece.value.split("\n")
        for index, part in enumerate(parts):
            if index == len(parts) - 1 and not part:
                break
            if open_line and index == 0:
                lines[-1] += part
            else:
                lines.append(part)
                raw.append(piece.line)
        open_line = bool(parts[-1])
    return tuple(lines), tuple(raw)


IN_TEXT = 1_000
"""Added to the depth of brackets within a text of several lines."""


def _depth_after(line: str, depth: int) -> int:
    """Return how many brackets are open after a line; one more after a backslash at its end."""
    quotes = len(_TRIPLE.findall(line))
    if depth >= IN_TEXT:
        return depth - IN_TEXT if quotes % 2 else depth
    code = _TEXT.sub("", _TRIPLE.sub("", line) if quotes % 2 == 0 else line)
    brackets = _BRACKET.findall(code.partition("#")[0])
    opened = sum(1 if bracket in "([{" else -1 for bracket in brackets)
    # A line that goes on after a backslash adds one until the line that does not.
    depth = max(depth // 2 + opened, 0) * 2 + (1 if code.rstrip().endswith("\\") else 0)
    return depth + IN_TEXT if quotes % 2 else depth


def _without_magic(line: str) -> str:
    """Comment a magic or shell line out, keeping its indentation's block non-empty.

    What ``%time`` runs is kept: it binds its names (IPython, "Built-in magic commands").
    """
    timed = _TIMED.match(line)
    if timed:
        return f"{timed.group(1)}True; {line[timed.end() :]}"
    assigned = _ASSIGNED_MAGIC.match(line)
    if assigned:
        return f"{assigned.group(1)}None  # {line[assigned.end() - 1 :]}"
    if _MAGIC.match(line):
        indent = line[: len(line) - len(line.lstrip())]
        return f"{indent}pass  # {line.strip()}"
    return line


def _is_sound(cell: Cell) -> bool:
    return parse("\n".join(python_lines((cell,))[0]) + "\n").tree is not None


def _blanked(cell: Cell) -> Cell:
    return Cell(cell.number, cell.execution_count, ("",) * len(cell.lines), cell.raw)


def _shift(tree: ast.Module, raw: list[int]) -> None:
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.expr, ast.stmt, ast.excepthandler, ast.arg, ast.keyword, ast.alias)
        ):
            node.lineno = raw[min(node.lineno, len(raw)) - 1]
            if node.end_lineno is not None:
                node.end_lineno = raw[min(node.end_lineno, len(raw)) - 1]


_COUNTED = re.compile(
    r"(?:Cell\s+|Input\s+)?In\s*\[\s*(\d+)\s*\]|<ipython-input-(\d+)-|\.ipynb\s+Cell\s+(\d+)",
)
_UNCOUNTED = re.compile(
    r"[\\/]ipykernel_\d+[\\/]\d+\.py$|^<timed (?:exec|eval)>$|^<ipython-input-"
    r"|^vscode-notebook-cell:|\.ipynb(?:$|[#\s])|^In\s*\[\s*\]$",
)
_NAMED = re.compile(r"([^\\/:*?\"<>|]+\.ipynb)")


@dataclass(frozen=True, slots=True)
class CellName:
    """What a printed file says of a cell: its number and its notebook.

    ``count`` is the execution count, or the cell's place in the file where ``is_ordinal``.
    """

    count: int | None
    is_ordinal: bool
    notebook: str | None


def cell_name(printed: str) -> CellName | None:
    """Read a frame's file as a notebook cell; None where it is an ordinary path."""
    printed = printed.strip()[:2000]
    counted = _COUNTED.search(printed)
    if counted is None and _UNCOUNTED.search(printed) is None:
        return None
    named = _NAMED.search(printed)
    count = int(next(g for g in counted.groups() if g)[:9]) if counted else None
    is_ordinal = counted is not None and counted.group(3) is not None
    return CellName(count, is_ordinal, named.group(1).strip() if named else None)


def locate_cell_line(
    notebooks: Iterable[tuple[str, tuple[Cell, ...]]],
    name: CellName,
    line: int,
    source: str | None,
) -> tuple[str, int] | None:
    """Return (notebook, line of the file on disk) of the likeliest cell line, or None.

    A cell counts by its execution number and by holding the printed source, at the printed line
    best of all: execution numbers change when a notebook is run again, its text does less often.
    """
    first_line = next((" ".join(s.split()) for s in (source or "").split("\n") if s.strip()), None)
    best: tuple[int, str, int] | None = None
    for notebook, cells in notebooks:
        if name.notebook and notebook.rpartition("/")[2].casefold() != name.notebook.casefold():
            continue
        for cell in cells:
            score, raw = _score(cell, name, line, first_line)
            if score and (best is None or score > best[0]):
                best = (score, notebook, raw)
    return (best[1], best[2]) if best else None


def _score(cell: Cell, name: CellName, line: int, first_line: str | None) -> tuple[int, int]:
    own = cell.number if name.is_ordinal else cell.execution_count
    counted = name.count is not None and own == name.count
    if not cell.lines:
        return 0, 0
    at = min(max(line, 1), len(cell.lines)) - 1
    if first_line is None:
        return (1, cell.raw[at]) if counted else (0, 0)
    if " ".join(cell.lines[at].split()) == first_line and line == at + 1:
        return 5 + counted, cell.raw[at]
    same = [i for i, text in enumerate(cell.lines) if " ".join(text.split()) == first_line]
    if same:
        nearest = min(same, key=lambda index: (abs(index - at), index))
        return 3 + counted, cell.raw[nearest]
    return (1, cell.raw[at]) if counted else (0, 0)
