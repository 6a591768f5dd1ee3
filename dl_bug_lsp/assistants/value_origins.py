"""Where the values of a line come from: the expressions of a statement, followed backwards.

The program is not run: a value is what `dl_bug_lsp.provenance` knows of it, and is left out where
nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dl_bug_lsp.assistants.explaining import clean
from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.nodes import (
    Class,
    Config,
    Const,
    Context,
    DataFile,
    Function,
    Instance,
    Items,
    Library,
    LibraryObject,
    Mapping,
    Module,
    Node,
    Value,
)
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.stack import StackPlace, header_expressions, statement_at, walk_stack
from dl_bug_lsp.report import ReportFrame
from dl_bug_lsp.views.escape import shorten
from dl_bug_lsp.views.markdown import block, code
from dl_bug_lsp.workspace import Workspace

MOST_EXPRESSIONS = 12
MOST_STEPS = 12
MOST_VALUES = 4
LONGEST = 80
SLICE_STEPS = 60


@dataclass(frozen=True, slots=True)
class Origin:
    """A step that a value went through: its place (1-based line), its code, what it stands for.

    ``decides`` says that the value is made here rather than handed on.
    """

    file: str
    line: int
    text: str
    values: tuple[str, ...]
    decides: bool


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of a line, what it may stand for, and where that comes from, nearest first.

    ``more`` says that it has origins which are farther away than those.
    """

    text: str
    values: tuple[str, ...]
    origins: tuple[Origin, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Why:
    """The expressions of a line; ``complete`` is False where a limit cut the analysis short.

    ``code`` is the line as it stands; ``function`` the one that it stands in.
    """

    file: str
    line: int
    code: str
    function: str | None
    expressions: tuple[Expression, ...]
    complete: bool = True


def why(
    workspace: Workspace,
    file: str,
    line: int,
    frames: Sequence[ReportFrame] = (),
    steps: int = MOST_STEPS,
) -> Why:
    """Return where the values of a Python file's line (1-based) come from.

    ``frames`` are those of a failure: where the line is on its stack, parameters stand for what was
    passed there. Raises `LookupError` with a sentence where the file or the line is not there.
    """
    lines = workspace.lines(file)
    if file not in workspace.files():
        raise LookupError(f"there is no file '{file}' in the workspace")
    if not 1 <= line <= len(lines):
        raise LookupError(f"'{file}' has {len(lines)} lines; there is no line {line}")
    if workspace.tree(file) is None:
        raise LookupError(f"'{file}' is no Python file that can be parsed")
    engine = Engine(workspace)
    context = _context(engine, file, line, frames)
    statement = statement_at(engine, file, line)
    explained: list[Expression] = []
    if context is not None and statement is not None:
        expressions = _expressions(header_expressions(statement))[:MOST_EXPRESSIONS]
        explained = [_explained(engine.node(expr, context), steps) for expr in expressions]
    function = workspace.enclosing_function(file, line)
    written = workspace.source_line(file, line).strip()
    return Why(file, line, written, function, tuple(explained), not engine.limits)


def _context(engine: Engine, file: str, line: int, frames: Sequence[ReportFrame]) -> Context | None:
    """Return the context of a line: that of the stack where the line is on it."""
    places = tuple(
        StackPlace(f.workspace_file, f.workspace_line, f.function, None)
        for f in frames
        if f.workspace_file and f.workspace_line
    )
    engine.program.stay_near((file, *dict.fromkeys(place.file for place in places)))
    scope = engine.program.scope_at(file, line)
    if scope is None:
        return None
    for site in reversed(walk_stack(engine, places) if places else []):
        if site.context.scope is scope:
            return site.context
    return engine.open_context(scope)


def _expressions(heads: Sequence[ast.expr]) -> list[ast.expr]:
    """Return the whole expressions first, then the names, attributes and calls in them."""
    heads_by_text = {ast.dump(head): head for head in heads}
    for head in heads:
        for node in ast.walk(head):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
                heads_by_text.setdefault(ast.dump(node), node)
    return list(heads_by_text.values())


def _explained(node: Node, steps: int) -> Expression:
    origins: dict[tuple[str, int, str], Origin] = {}
    for step in backward_slice([node], SLICE_STEPS):
        there = (step.node.file, step.node.line) == (node.file, node.line)
        if step.node.line > 0 and step.node.text and not there:
            origins.setdefault((step.node.file, step.node.line, step.node.text), _origin(step))
        if len(origins) > steps:
            break
    shown = tuple(origins.values())[:steps]
    return Expression(node.text, _values(node), shown, len(origins) > steps)


def _origin(step: Step) -> Origin:
    node = step.node
    return Origin(node.file, node.line, node.text, _values(node), step.decides)


def _values(node: Node) -> tuple[str, ...]:
    words = (word for value in node.values for word in _word(value) if word != node.text)
    return tuple(dict.fromkeys(words))[:MOST_VALUES]


def _word(value: Value) -> Iterator[str]:
    """Yield what a value is in a word, nothing for what says nothing."""
    if isinstance(value, Const):
        yield shorten(repr(value.value), LONGEST)
    elif isinstance(value, Items):
        number = f"{len(value.items)}" if value.complete else f"{len(value.items)} or more"
        yield f"a sequence of {number}"
    elif isinstance(value, Mapping):
        keys = [key.text for key, _ in value.pairs[:6] if key is not None]
        yield shorten(f"a table with {', '.join(keys)}" if keys else "a table", LONGEST)
    elif isinstance(value, Config):
        path = ".".join(map(str, value.path))
        yield f"{path or 'the whole'} of {value.file}"
    elif isinstance(value, Instance):
        yield f"an object of {value.cls.name}"
    elif isinstance(value, Function):
        yield f"the function {value.scope.name}"
    elif isinstance(value, Class):
        yield f"the class {value.scope.name}"
    elif isinstance(value, Module):
        yield f"the module {value.scope.file}"
    elif isinstance(value, Library):
        yield value.name
    elif isinstance(value, LibraryObject):
        yield f"what {value.name} returns"
    elif isinstance(value, DataFile):
        yield f"the file {value.file}"


def why_text(answer: Why) -> str:
    """Return where values come from as Markdown whose code is quoted."""
    where = f" in {code(answer.function)}" if answer.function else ""
    out = [f"{code(f'{answer.file}:{answer.line}')}{where}", "", block([clean(answer.code)])]
    for expression in answer.expressions:
        out.append(f"- {code(expression.text)}{_stands_for(expression.values)}")
        for origin in expression.origins:
            place = code(f"{origin.file}:{origin.line}")
            made = "made at" if origin.decides else "handed on at"
            out.append(f"  - {made} {place}: {code(origin.text)}{_stands_for(origin.values)}")
        if expression.more:
            out.append("  - what lies farther back is left out")
    if not answer.expressions:
        out.append("Nothing is known of the values of this line.")
    if not answer.complete:
        out.append("The analysis was cut short: the values may come from other lines, too.")
    return clean("\n".join(out)) + "\n"


def _stands_for(values: Sequence[str]) -> str:
    return f" is {' or '.join(map(code, values))}" if values else ""
