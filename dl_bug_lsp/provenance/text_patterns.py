"""Patterns of the texts that an expression can give: what an f-string, a format or a method makes.

A name made with ``f"{stem}_{z:03d}"`` always ends in three digits, one made with ``f"{stem}_{z}"``
never has zeros before the number. Whatever is not known is ``.*``.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import ElementOf, Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice

ANYTHING = ".*"
MAX_DEPTH = 10
MAX_OPTIONS = 8
MAX_UNKNOWN_PARTS = 4
"""Unknown parts of one pattern: matching costs a power of the text's length with each."""
WHOLE = r"-?(?:0|[1-9]\d*)"
"""A whole number as `str` writes it."""
PERCENT = re.compile(r"%(?P<spec>[-+ #0]*\d*(?:\.\d+)?)(?P<type>[sdif%])")
WHOLE_NUMBERS = {"int", "len", "ord", "round", "hash"}
COUNTERS = {"range", "count", "arange"}
"""Calls that give whole numbers one by one."""
EXTENSIONS = (
    *("jpg", "jpeg", "png", "bmp", "gif", "tif", "tiff", "dcm", "npy", "npz", "pt", "pth", "pkl"),
    *("wav", "mp3", "flac", "ogg", "mp4", "avi", "txt", "csv", "json", "xml", "h5", "mat"),
)
"""Extensions of files of data: a name has rarely two of them."""
STEM = "[^/]*" + "".join(rf"(?<!\.{extension})" for extension in EXTENSIONS)
MAX_STEPS = 16
"""Steps in which the pattern of a listing of files is looked for."""
CASES = {"lower": "[^A-Z]*", "casefold": "[^A-Z]*", "upper": "[^a-z]*"}


@dataclass(frozen=True, slots=True)
class TextPattern:
    """What an expression gives: ``kind`` its type, None where unknown; a pattern of its text."""

    kind: type | None
    pattern: str

    @property
    def says_something(self) -> bool:
        """Whether a type or a part of the text is known."""
        return self.kind is not None or self.pattern != ANYTHING

    def gives(self, value: object, *, as_text: bool = False) -> bool:
        """Whether the expression can give a value; with ``as_text``, after it was made a text."""
        if self.kind is not None and not as_text and type(value) is not self.kind:
            return False
        if self.pattern.count("*") > MAX_UNKNOWN_PARTS:
            return True
        return re.fullmatch(self.pattern, str(value), re.DOTALL) is not None


UNKNOWN = TextPattern(None, ANYTHING)
NUMBER = TextPattern(int, WHOLE)


def pattern_of(node: Node, depth: int = 0) -> TextPattern:
    """Return what is known of the text, or of the whole number, that an expression gives."""
    if node.entry is not None:
        return _constant(node.entry.value)
    expr = node.expr
    if depth > MAX_DEPTH:
        return UNKNOWN
    if isinstance(expr, ast.Constant):
        return _constant(expr.value)
    if isinstance(expr, ast.JoinedStr):
        return _text("".join(_formatted(node, part, depth) for part in expr.values))
    if isinstance(expr, ElementOf):
        return _element(node, expr, depth)
    if isinstance(expr, ast.BinOp):
        return _operation(node, expr, depth)
    if isinstance(expr, ast.Call):
        return _call(node, expr, depth)
    if isinstance(expr, ast.Tuple):
        return TextPattern(tuple, ANYTHING)
    if isinstance(expr, ast.Subscript) and isinstance(expr.value, ast.Call):
        is_root = isinstance(expr.slice, ast.Constant) and expr.slice.value == 0
        return _root(node, expr.value) if is_root else UNKNOWN
    if isinstance(expr, ast.Attribute) and expr.attr in ("name", "stem"):
        named = _definitions(node, depth)
        if named.says_something:
            return named
        return _text(STEM if expr.attr == "stem" else f"[^/]*{_extension(node, expr.value)}")
    if isinstance(expr, ast.IfExp):
        return _any_of([_inner(node, side, depth) for side in (expr.body, expr.orelse)])
    if isinstance(expr, (ast.Name, ast.Attribute)):
        return _definitions(node, depth)
    return UNKNOWN


def _root(node: Node, call: ast.Call) -> TextPattern:
    """Return the pattern of what ``os.path.splitext(…)[0]`` gives."""
    if called_name(call) != "splitext" or len(call.args) != 1:
        return UNKNOWN
    is_name = any(
        isinstance(step.node.expr, ast.Call) and called_name(step.node.expr) == "basename"
        for step in backward_slice([node.engine.node(call.args[0], node.context)], 3)
    )
    return _text(STEM if is_name else STEM.replace("[^/]*", ANYTHING))


def _extension(node: Node, path: ast.expr) -> str:
    """Return the pattern of the extension of a path that a listing gives (``glob("*.wav")``)."""
    for step in backward_slice([node.engine.node(path, node.context)], MAX_STEPS):
        name = called_name(step.node.expr) if isinstance(step.node.expr, ast.Call) else ""
        if name.startswith("with_"):
            break
        if name in ("glob", "rglob", "iglob") and isinstance(step.node.expr, ast.Call):
            given = step.node.expr.args[-1] if step.node.expr.args else None
            text = given.value if isinstance(given, ast.Constant) else None
            end = re.search(r"\*(\.\w+)$", text) if isinstance(text, str) else None
            return re.escape(end[1]) if end is not None else ""
    return ""


def _constant(value: object) -> TextPattern:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return TextPattern(type(value), re.escape(str(value)))
    return UNKNOWN


def _text(pattern: str) -> TextPattern:
    """Return a pattern of a text, with unknown parts beside each other taken together."""
    while ANYTHING * 2 in pattern:
        pattern = pattern.replace(ANYTHING * 2, ANYTHING)
    return TextPattern(str, pattern)


def _inner(node: Node, expr: ast.expr, depth: int) -> TextPattern:
    return pattern_of(node.engine.node(expr, node.context), depth + 1)


def _any_of(options: Sequence[TextPattern]) -> TextPattern:
    """Return the pattern of what is one of several, unknown where one of them is."""
    if not options or len(options) > MAX_OPTIONS or not all(o.says_something for o in options):
        return UNKNOWN
    kinds = {option.kind for option in options}
    patterns = list(dict.fromkeys(option.pattern for option in options))
    joined = patterns[0] if len(patterns) == 1 else f"(?:{'|'.join(patterns)})"
    return TextPattern(kinds.pop() if len(kinds) == 1 else None, joined)


def _definitions(node: Node, depth: int) -> TextPattern:
    """Return the pattern of a name by what it may stand for, if nothing else changes it."""
    edges = node.inputs
    found = [child for role, child in edges if role in ("definition", "attribute")]
    if found and all(role in ("definition", "attribute") for role, _ in edges):
        return _any_of([pattern_of(child, depth + 1) for child in found])
    if isinstance(node.expr, ast.Name) and not found and _counts(node.context.scope, node.expr.id):
        return NUMBER
    return UNKNOWN


def _counts(scope: Scope, name: str) -> bool:
    """Whether a name is bound only by loops over ``enumerate``, as what counts."""
    if name in scope.bindings or scope.takes(name):
        return False
    return any(
        isinstance(loop, (ast.For, ast.comprehension)) and _is_counter(loop.target, loop.iter, name)
        for loop in ast.walk(scope.node)
    )


def _is_counter(target: ast.expr, iterable: ast.expr, name: str) -> bool:
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    is_counted = isinstance(iterable, ast.Call) and called_name(iterable) == "enumerate"
    return is_counted and isinstance(first, ast.Name) and first.id == name


def _element(node: Node, expr: ElementOf, depth: int) -> TextPattern:
    iterable = expr.value
    if isinstance(iterable, ast.Call) and called_name(iterable) in COUNTERS:
        return NUMBER
    if isinstance(iterable, (ast.List, ast.Tuple, ast.Set)):
        return _any_of([_inner(node, item, depth) for item in iterable.elts])
    return UNKNOWN


def _operation(node: Node, expr: ast.BinOp, depth: int) -> TextPattern:
    text = expr.left.value if isinstance(expr.left, ast.Constant) else None
    if isinstance(expr.op, ast.Mod) and isinstance(text, str):
        return _percent(node, text, expr.right, depth)
    left, right = (_inner(node, side, depth) for side in (expr.left, expr.right))
    if left.kind is int and right.kind is int and not isinstance(expr.op, (ast.Div, ast.Pow)):
        return NUMBER
    if isinstance(expr.op, ast.Add) and str in (left.kind, right.kind):
        return _text(left.pattern + right.pattern)
    return UNKNOWN


def _call(node: Node, expr: ast.Call, depth: int) -> TextPattern:
    name = called_name(expr)
    if any(role == "return" for role, _ in node.inputs):
        returned = [child for role, child in node.inputs if role == "return"]
        return _any_of([pattern_of(child, depth + 1) for child in returned])
    if isinstance(expr.func, ast.Name):
        if name == "str" and len(expr.args) == 1:
            return _text(_inner(node, expr.args[0], depth).pattern)
        is_whole = name in WHOLE_NUMBERS and len(expr.args) == 1
        return NUMBER if is_whole else UNKNOWN
    if name == "basename":
        return _text("[^/]*")
    if isinstance(expr.func, ast.Attribute):
        return _method(node, expr, expr.func.value, depth)
    return UNKNOWN


def _method(node: Node, call: ast.Call, receiver: ast.expr, depth: int) -> TextPattern:
    name = called_name(call)
    if name == "format" and isinstance(receiver, ast.Constant) and isinstance(receiver.value, str):
        return _format(node, receiver.value, call, depth)
    if name in CASES and not call.args:
        return _text(CASES[name])
    width = call.args[0] if name == "zfill" and len(call.args) == 1 else None
    if isinstance(width, ast.Constant) and isinstance(width.value, int):
        inner = _inner(node, receiver, depth)
        is_number = inner.pattern == WHOLE
        return _text(_padded(width.value) if is_number else f".{{{width.value},}}")
    return UNKNOWN


# ---------------------------------------------------------------------- formats
def _formatted(node: Node, part: ast.expr, depth: int) -> str:
    """Return the pattern of one part of an f-string."""
    if isinstance(part, ast.Constant):
        return re.escape(str(part.value))
    if not isinstance(part, ast.FormattedValue) or part.conversion == ord("r"):
        return ANYTHING
    spec = ""
    if isinstance(part.format_spec, ast.JoinedStr):
        texts = part.format_spec.values
        if not all(isinstance(text, ast.Constant) for text in texts):
            return ANYTHING
        spec = "".join(str(getattr(text, "value", "")) for text in texts)
    return by_spec(_inner(node, part.value, depth), spec)


def by_spec(given: TextPattern, spec: str) -> str:
    """Return the pattern of a value that is formatted (Python, "Format Specification")."""
    padded = re.fullmatch(r"0(\d{1,2})d?", spec)
    if padded is not None and (given.kind is int or spec.endswith("d")):
        return _padded(int(padded[1]))
    if spec == "d":
        return given.pattern if given.kind is int else WHOLE
    fixed = re.fullmatch(r"\.(\d{1,2})f", spec)
    if fixed is not None:
        places = int(fixed[1])
        return rf"-?\d+\.\d{{{places}}}" if places else r"-?\d+"
    return ANYTHING if spec else given.pattern


def _padded(width: int) -> str:
    return rf"(?:\d{{{width}}}|-\d{{{max(width - 1, 0)}}}|-?[1-9]\d{{{width},}})"


def _percent(node: Node, text: str, right: ast.expr, depth: int) -> TextPattern:
    """Return the pattern of ``text % right`` (Python, "printf-style String Formatting")."""
    given = iter(right.elts if isinstance(right, ast.Tuple) else [right])
    if re.sub(PERCENT, "", text).count("%"):
        return _text(ANYTHING)
    made, end = "", 0
    for match in PERCENT.finditer(text):
        made += re.escape(text[end : match.start()])
        end = match.end()
        if match["type"] == "%":
            made += "%"
            continue
        made += _by_percent(node, next(given, None), match["spec"], match["type"], depth)
    return _text(made + re.escape(text[end:]))


def _by_percent(node: Node, value: ast.expr | None, spec: str, kind: str, depth: int) -> str:
    if value is None or isinstance(value, ast.Starred):
        return ANYTHING
    inner = _inner(node, value, depth)
    if kind == "s":
        return ANYTHING if spec else inner.pattern
    return by_spec(inner, f"{spec}{'d' if kind == 'i' else kind}")


def _format(node: Node, text: str, call: ast.Call, depth: int) -> TextPattern:
    """Return the pattern of ``text.format(…)`` (Python, "Format String Syntax")."""
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return _text(ANYTHING)
    named = {k.arg: k.value for k in call.keywords if k.arg}
    made = "".join(_fields(node, fields, call.args, named, depth))
    return _text(made)


def _fields(
    node: Node,
    fields: Sequence[tuple[str, str | None, str | None, str | None]],
    given: Sequence[ast.expr],
    named: dict[str, ast.expr],
    depth: int,
) -> Iterator[str]:
    count = 0
    for literal, field, spec, conversion in fields:
        yield re.escape(literal)
        if field is None:
            continue
        place = field or str(count)
        count += not field
        value = named.get(place)
        if place.isdigit() and int(place) < len(given):
            value = given[int(place)]
        if value is None or isinstance(value, ast.Starred) or conversion == "r":
            yield ANYTHING
        else:
            yield by_spec(_inner(node, value, depth), spec or "")
