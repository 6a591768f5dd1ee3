"""Notebooks: the Python of their code cells, each line mapped to a line of the file on disk.

A printed cell (``Cell In[3]``, the file of a kernel) is mapped to the notebook's line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial

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
        sound = [cell if is_sound(cell) else _blanked(cell) for cell in cells]
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


def is_sound(cell: Cell) -> bool:
    """Tell whether a cell is valid Python, its magics left out."""
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
    r"(?:Cell\s+|Input\s+)?In\s*\[\s*(\d+)\s*\]|(?:<|[\\/])ipython-input-(\d+)-"
    r"|\.ipynb\s+[^\W\d]{1,20}\s+(\d+)",
)
_UNCOUNTED = re.compile(
    r"[\\/]ipykernel_\d+[\\/]\d+\.py$|[\\/]ipython-input-\d+\.py$|^<ipython-input-|^<command-\d+>$"
    r"|^<timed (?:exec|eval)>$|^vscode-notebook-cell:|\.ipynb(?:$|[#\s])|^In\s*\[\s*\]$",
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
    excerpt: Sequence[tuple[int, str]] = (),
) -> tuple[str, int] | None:
    """Return (notebook, line of the file on disk) of the likeliest cell line, or None.

    A cell counts by holding the printed source, then by the lines that are printed around it
    (``excerpt``, with their numbers), by the printed line and by its execution number: numbers
    change when a notebook is run again, its text does less often. Of equal ones it is a cell
    without output. Where a source is printed and no
    cell holds it, the cell was edited since, and there is no line to be named. IPython prints of a
    magic what it makes of it.
    """
    first_line = next((_words(s) for s in (source or "").split("\n") if s.strip()), None)
    if first_line is not None and _OF_MAGIC.search(first_line):
        notebooks = tuple(notebooks)
        same = _ran_by_magic(notebooks, name, source or "")
        if len(same) == 1:
            return same[0]
        first_line = None
    around = [(number - line, _code(text)) for number, text in excerpt]
    has_comment = first_line is not None and _COMMENT.match(first_line) is not None
    first_line = _code(first_line) if first_line is not None else None
    least = LEAST_OF_RENAMED
    if first_line is not None and len(first_line) >= _SIGNS_OF_RENAMED:
        least = min(least, max(len(around), 1))
    best: tuple[tuple[int, ...], str, int] | None = None
    for notebook, cells in notebooks:
        own = notebook.rpartition("/")[2].casefold()
        is_named = name.notebook is None or own == name.notebook.casefold()
        for cell in cells:
            score, raw = _score(cell, name, line, first_line, around)
            # A notebook that was renamed since is known by a line with its neighbours.
            counts = any(score) if is_named else score[0] and score[1] >= least
            # Of two cells with one text the one that gave a result came to its end.
            is_open = not (cell.printed or cell.result)
            rank = (is_named, *score, is_open, _has_comment(cell, raw) is has_comment)
            if counts and (best is None or rank > best[0]):
                best = (rank, notebook, raw)
    return (best[1], best[2]) if best else None


def _has_comment(cell: Cell, raw: int) -> bool:
    line = cell.lines[cell.raw.index(raw)] if raw in cell.raw else ""
    return _COMMENT.match(_words(line)) is not None


LEAST_AROUND = 2
"""Lines around a printed one of which one at least has to stand in a cell with another number."""
LEAST_OF_RENAMED = 2
"""Lines around a printed one that a cell of a notebook with another name has to hold."""
_SIGNS_OF_RENAMED = 20
"""From so many signs on, a line and all that is printed around it are enough."""
_OF_MAGIC = re.compile(r"\bget_ipython\(\)\.")
_MAGIC_RUN = re.compile(r"\brun_(?:cell|line)_magic(?P<open>)\(['\"](?P<magic>\w+)['\"]")


def _words(text: str) -> str:
    return " ".join(text.split())


_COMMENT = re.compile(r"""^((?:[^'"#]|'[^']*'|"[^"]*")+?)\s*#.*$""")
_LINE_MAGIC = re.compile(
    r"^get_ipython\(\)\.(?:run_line_magic\((?P<q>['\"])(?P<magic>\w+)(?P=q), *|(?P<shell>system)\()"
    r"(?P<r>['\"])(?P<rest>.*)(?P=r)\)$"
)


def _code(text: str) -> str:
    """Return a line as it was typed, without a comment at its end, which is no part of what ran.

    IPython 8 leaves such comments out, and prints of a magic what it makes of it.
    """
    words = _words(text)
    if made := _LINE_MAGIC.match(words):
        return f"!{made['rest']}" if made["shell"] else f"%{made['magic']} {made['rest']}".rstrip()
    # Every line of every cell comes here, and few have a comment.
    return _COMMENT.sub(r"\1", words) if "#" in words else words


def _score(
    cell: Cell,
    name: CellName,
    line: int,
    first_line: str | None,
    around: Sequence[tuple[int, str]],
) -> tuple[tuple[int, int, int, int], int]:
    """Return how well a cell agrees with a printed frame, and its likeliest line.

    The score is whether it holds the source, how many lines around agree, whether the line's
    number does, and whether the cell's does.
    """
    own = cell.number if name.is_ordinal else cell.execution_count
    counted = int(name.count is not None and own == name.count)
    if not cell.lines:
        return (0, 0, 0, 0), 0
    if first_line is None:
        return (0, 0, 0, counted), cell.raw[min(max(line, 1), len(cell.lines)) - 1]
    texts = [_code(text) for text in cell.lines]
    same = [i for i, text in enumerate(texts) if text == first_line]
    if not same:
        return (0, 0, 0, 0), 0

    def agreeing(index: int) -> int:
        return sum(
            0 <= index + offset < len(texts) and texts[index + offset] == text
            for offset, text in around
        )

    best = min(same, key=lambda index: (-agreeing(index), abs(index + 1 - line), index))
    if len(around) >= LEAST_AROUND and not agreeing(best) and not counted:
        return (0, 0, 0, 0), 0  # Another cell has such a line as well.
    return (1, agreeing(best), int(best + 1 == line), counted), cell.raw[best]


LEAST_ALIKE = 0.75
"""How much of a printed line stands at least in the line of the same cell that took its place."""
LEAST_UNCOUNTED = 0.85
"""The same where the cell is known by no more than two lines around."""
NEXT_ALIKE = 0.1
"""How much less alike every other line has to be."""
LEAST_UNCHANGED = 2
"""Lines around a printed one that stand unchanged, each with five signs or more."""
_SIGNS_OF_LINE = 5
_LEAST_SIGNS = 8


def locate_edited_line(
    notebooks: Iterable[tuple[str, tuple[Cell, ...]]],
    name: CellName,
    line: int,
    source: str | None,
    excerpt: Sequence[tuple[int, str]] = (),
) -> tuple[str, int] | None:
    """Return (notebook, line of the file on disk) where a line stood that was changed since.

    It stood where all lines that are printed around it stand unchanged, and where a line of the
    cell with its execution count is nearly the same. Where two lines are as good there is none.
    """
    printed = next((_code(s) for s in (source or "").split("\n") if s.strip()), "")
    if not printed or _OF_MAGIC.search(source or ""):
        return None
    around = [(number - line, _code(text)) for number, text in excerpt]
    found: list[tuple[float, str, int]] = []
    for notebook, cells in notebooks:
        own = notebook.rpartition("/")[2].casefold()
        if name.notebook is None or own == name.notebook.casefold():
            found.extend(
                (score, notebook, raw)
                for cell in cells
                for score, raw in _edited_lines(cell, name, printed, around)
            )
    found.sort(key=lambda each: -each[0])
    if not found or (len(found) > 1 and found[1][0] > found[0][0] - NEXT_ALIKE):
        return None
    return found[0][1:]


def _edited_lines(
    cell: Cell, name: CellName, printed: str, around: Sequence[tuple[int, str]]
) -> Iterator[tuple[float, int]]:
    """Yield how likely a printed line stood at a line of a cell, with its line on disk."""
    own = cell.number if name.is_ordinal else cell.execution_count
    is_counted = name.count is not None and own == name.count
    texts = [_code(text) for text in cell.lines]
    telling = [(offset, text) for offset, text in around if len(text) >= _SIGNS_OF_LINE]
    for index, text in enumerate(texts):
        same = sum(map(partial(_stands, texts, index), telling))
        alike = _alike(text, printed) if text and len(printed) >= _LEAST_SIGNS else 0.0
        if text and same == len(telling) >= LEAST_UNCHANGED:
            yield 1.0 + alike + is_counted, cell.raw[index]
        elif alike >= (LEAST_ALIKE if is_counted else LEAST_UNCOUNTED) and (
            is_counted or same >= LEAST_UNCHANGED
        ):
            yield alike + is_counted, cell.raw[index]


def _stands(texts: Sequence[str], index: int, other: tuple[int, str]) -> bool:
    """Say whether a line that is printed around one stands as far from a line of a cell."""
    at = index + other[0]
    return 0 <= at < len(texts) and texts[at] == other[1]


def _alike(text: str, printed: str) -> float:
    """Return how much two lines share, from 0 to 1."""
    if not text or not printed:
        return 0.0
    return SequenceMatcher(None, text[:_MOST_SIGNS], printed[:_MOST_SIGNS], autojunk=False).ratio()


_MOST_SIGNS = 400
_TIMED_CELL = re.compile(r"\s*%%time\b")
TIMED_FRAME = re.compile(r"^<timed (?:exec|eval)>$")
"""The file of a frame of what ``%time`` or ``%%time`` runs, which says nothing of the cell."""


def locate_timed_line(
    notebooks: Iterable[tuple[str, tuple[Cell, ...]]],
    name: str,
    line: int,
    called: str | None,
    cell_at: tuple[str, int] | None = None,
) -> tuple[str, int] | None:
    """Return (notebook, line of the file on disk) of a line that ``%time`` ran, or None.

    ``name`` is the frame's file, ``<timed eval>`` where all that ran is one expression. ``line``
    counts from the line below ``%%time`` (0: not printed), ``called`` is the function that the line
    calls, ``cell_at`` a line of the cell, where the traceback has one. Only a line that is the only
    one that can be meant is returned.
    """
    is_expression = name == "<timed eval>"
    calls = re.compile(rf"(?<!\w){re.escape(called)}\s*\(") if called else None
    found: list[tuple[str, int, bool]] = []
    for notebook, cells in notebooks:
        for cell in cells:
            if cell_at is not None and (cell_at[0] != notebook or cell_at[1] not in cell.raw):
                continue
            for index in _timed_lines(cell, line, is_expression):
                is_call = calls is not None and calls.search(cell.lines[index]) is not None
                found.append((notebook, cell.raw[index], is_call))
    calling = [place for place in found if place[2]]
    likely = calling or (found if line else [])
    return likely[0][:2] if len(likely) == 1 else None


MAGIC_TEXT = re.compile(r"^<(?:unknown|string|magic-timeit|timed exec)>$")
"""The file of a frame of a text that a magic compiled (`%%time`, `%%timeit`, `%%prun`)."""


def magic_body(run: str) -> tuple[str, ...] | None:
    """Return the lines below a cell's magic, as the call shows them that IPython made of it.

    None where no cell magic runs; no lines where the call is cut.
    """
    call = _MAGIC_RUN.search(run)
    if call is None or "run_cell_magic" not in call[0]:
        return None
    return tuple((_text_of(run, call) or "").split("\n"))


def line_of_body(cell: Cell, body: Sequence[str], line: int, source: str | None) -> int | None:
    """Return the line of the file on disk that is line ``line`` of what a cell's magic ran.

    The text counts from the first line below the magic that is not blank. ``body`` are its lines,
    ``source`` is the failing one, where the log has them: it must stand there, or once in the cell.
    """
    texts = [_code(text) for text in cell.lines]
    first = next((index for index, text in enumerate(texts) if text), len(texts))
    if first == len(texts) or not texts[first].startswith("%%") or line < 1:
        return None
    start = next((i for i in range(first + 1, len(texts)) if texts[i]), len(texts))
    ran = list(body)
    while ran and not ran[0].strip():
        del ran[0]
    printed = _code(source or (ran[line - 1] if line <= len(ran) else ""))
    if not printed:
        return None
    index = start + line - 1
    if index < len(texts) and texts[index] == printed:
        return cell.raw[index]
    same = [i for i in range(start, len(texts)) if texts[i] == printed]
    return cell.raw[same[0]] if len(same) == 1 else None


def _ran_by_magic(
    notebooks: Iterable[tuple[str, Sequence[Cell]]], name: CellName, run: str
) -> list[tuple[str, int]]:
    """Return (notebook, line) of each magic of the notebooks that IPython calls as printed."""
    call = _MAGIC_RUN.search(run)
    if call is None:
        return []
    body = magic_body(run)
    found: list[tuple[Cell, str, int]] = []
    for notebook, cells in notebooks:
        for cell in cells:
            if body is None:
                given = _text_of(run, call)
                called = _words(f"%{call['magic']} {given}") if given else ""
                for text, raw in zip(cell.lines, cell.raw, strict=True):
                    if called and _words(text) == called:
                        found.append((cell, notebook, raw))
            elif _is_body(cell, call["magic"], body):
                first = next(i for i, line in enumerate(cell.lines) if line.strip())
                found.append((cell, notebook, cell.raw[first]))
    if len(found) > 1 and name.count is not None and not name.is_ordinal:
        found = [each for each in found if each[0].execution_count == name.count]
    return [(notebook, raw) for _, notebook, raw in found]


def _text_of(run: str, call: re.Match[str]) -> str | None:
    """Return the last text that a call of a magic gets; None where the call is cut."""
    try:
        given = ast.literal_eval(run[call.end("open") :].strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return given[-1] if isinstance(given, tuple) and isinstance(given[-1], str) else None


def _is_body(cell: Cell, magic: str, body: Sequence[str]) -> bool:
    wanted = [line.strip() for line in body if line.strip()]
    lines = [line.strip() for line in cell.lines if line.strip()]
    return bool(wanted) and lines[1:] == wanted and lines[0].split()[0] == f"%%{magic}"


def _timed_lines(cell: Cell, line: int, is_expression: bool) -> Iterator[int]:
    """Yield the indices of the lines that ``line`` of what ``%time`` ran may be."""
    first = next((index for index, text in enumerate(cell.lines) if text.strip()), len(cell.lines))
    if first < len(cell.lines) and _TIMED_CELL.match(cell.lines[first]):
        whole = range(first + 1, len(cell.lines))
        if _is_expression("\n".join(cell.lines[first + 1 :])) == is_expression:
            yield from ((first + line,) if first + line in whole else ()) if line else whole
    elif line in (0, 1):
        for index, text in enumerate(cell.lines):
            timed = _TIMED.match(text)
            if timed and _is_expression(text[timed.end() :]) == is_expression:
                yield index


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
