"""What a failure's message says of the failing line, confirmed by the values that the line has.

Python and the libraries name in their messages what they refuse: an operand of a type, a keyword,
an attribute, a name. No model of a library is needed where the values of the failing line are what
the message says. Sources: the messages of CPython 3.8 to 3.14, of PyTorch's argument parser, and of
NumPy.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.table_values import column, lacking
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    Origin,
    Raised,
    Table,
    Value,
)
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.stack import header_expressions, normal, unparsed

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Values = Mapping[ast.expr, Value]
Reader = Callable[["Line", "re.Match[str]"], "Raised | None"]

PLAIN = (bool, int, float, str, bytes, list, tuple, dict, set)
CALLABLES = ("method", "builtin_function_or_method", "function", "type", "NoneType")
"""Types that a number or an array is seldom meant to have."""
NUMBERS = {"int64": "int", "float64": "float", "bool": "bool"}
"""The types of numbers of which no more is known."""
SAME_TYPES = {"Size": "tuple", "Parameter": "Tensor", "_io.TextIOWrapper": "TextIOWrapper"}
MAX_SIDES = 3
MAX_COLUMNS = 40
MAX_PLACES = 8
NEAR = 0.75
"""How alike a name has to be to one that is meant (`difflib.SequenceMatcher.ratio`)."""


class Line:
    """The failing statement, and what its parts came to."""

    def __init__(
        self, interpreter: Interpreter, statement: ast.stmt, env: Environment, values: Values
    ) -> None:
        self.interpreter = interpreter
        self.statement = statement
        self.env = env
        self.values = values
        heads = header_expressions(statement)
        wanted = normal(interpreter.expression)
        inside = [n for head in heads for n in ast.walk(head) if isinstance(n, ast.expr)]
        whole = next((n for n in inside if wanted and normal(unparsed(n)) == wanted), None)
        if whole is not None:
            inside = [n for n in ast.walk(whole) if isinstance(n, ast.expr)]
        self.nodes: list[ast.expr] = inside

    def of(self, node: ast.expr) -> Value:
        """Return what a part came to."""
        return self.values.get(node, Value(UNKNOWN))

    def calls(self) -> Iterator[tuple[ast.Call, Value]]:
        """Yield the calls of the line that are not calls of the program's own code."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                callee = self.of(node.func)
                if not isinstance(callee.data, (FunctionValue, BoundMethod, ClassValue)):
                    yield node, callee

    def keywords(self, call: ast.Call) -> dict[str, Value]:
        """Return the keyword arguments of a call, those of mappings too."""
        values: dict[str, Value] = {}
        for keyword in call.keywords:
            value = self.of(keyword.value)
            if keyword.arg is not None:
                values[keyword.arg] = value
            elif isinstance(value.data, dict):
                values.update({k: v for k, v in value.data.items() if isinstance(k, str)})
        return values


def refused(
    interpreter: Interpreter, statement: ast.stmt, env: Environment, values: Values
) -> Raised | None:
    """Return the failure where the message's words fit the failing statement, None otherwise."""
    message = interpreter.message
    if interpreter.exception == "StopIteration":
        return _nothing_left(Line(interpreter, statement, env, values))
    for pattern, reader in READERS:
        match = pattern.search(message)
        if match is not None:
            return reader(Line(interpreter, statement, env, values), match)
    return None


def python_type(value: Value) -> str | None:
    """Return the name of the type that a value has in Python, None where it is not known."""
    data = value.data
    if data is None:
        return "NoneType"
    if isinstance(data, PLAIN):
        return type(data).__name__
    if isinstance(data, Array):
        # What a number is that is not known is only likely.
        return {"torch": "Tensor", "numpy": "ndarray"}.get(data.library)
    if isinstance(data, Table):
        return "DataFrame"
    if isinstance(data, Instance):
        return data.cls.name
    if isinstance(data, ClassValue):
        return "type"
    if isinstance(data, FunctionValue):
        return "function"
    if isinstance(data, BoundMethod):
        return "method"
    if isinstance(data, ModuleValue):
        return "module"
    if isinstance(data, LibraryObject):
        return data.short
    if isinstance(data, Library):
        last = data.name.rpartition(".")[2]
        if data.name.startswith("builtins."):
            kind = getattr(builtins, last, None)
            return "type" if isinstance(kind, type) else "builtin_function_or_method"
        return "type" if last[:1].isupper() else None
    receiver = getattr(data, "receiver", None)
    if isinstance(receiver, Value):
        inner = receiver.data
        if isinstance(inner, PLAIN):
            return "builtin_function_or_method"
        if isinstance(inner, Array):
            return "builtin_function_or_method" if inner.library in ("torch", "numpy") else "method"
        return "method" if inner is not UNKNOWN else None
    return None


def _is(value: Value, name: str) -> bool:
    """Whether a value certainly has the type that a message names."""
    kind = python_type(value)
    last = name.rpartition(".")[2]
    if kind is None:
        return False
    return kind in (last, SAME_TYPES.get(last)) or (last == "method" and kind == last)


TEXT_DTYPES = ("object", "str", "string")


def _is_operand(value: Value, name: str) -> bool:
    """Whether a value has the type that a message names, or is a column of texts for ``str``."""
    data = value.data
    is_texts = isinstance(data, Array) and data.library == "numpy" and data.dtype in TEXT_DTYPES
    return (is_texts and name == "str") or _is(value, name)


def _type_error(*sides: Value) -> Raised | None:
    """Return the failure of operands, of which only those of odd types are sides."""
    if not sides:
        return None
    odd = [side for side in sides if python_type(side) in CALLABLES]
    return Raised("type", "an operand of a type that is refused", *(odd or sides)[:MAX_SIDES])


# -- operands --------------------------------------------------------------------------------------


def _operands(line: Line, match: re.Match[str]) -> Raised | None:
    first, second = match["a"], match["b"]
    for node in line.nodes:
        pairs: list[tuple[Value, Value]] = []
        if isinstance(node, ast.BinOp):
            pairs = [(line.of(node.left), line.of(node.right))]
        elif isinstance(node, ast.Compare):
            parts = [line.of(part) for part in (node.left, *node.comparators)]
            pairs = list(pairwise(parts))
        for a, b in pairs:
            if _is_operand(a, first) and _is_operand(b, second):
                return _type_error(a, b)
            if _is_odd_one(a, first, b, second):
                return _type_error(a)
            if _is_odd_one(b, second, a, first):
                return _type_error(b)
        both = [(a, b, second) for a, b in pairs] + [(b, a, first) for a, b in pairs]
        open_sides = [a for a, b, kind in both if python_type(a) is None and _is(b, kind)]
        if len(pairs) == 1 and len(open_sides) == 1 and first != second:
            # Only the other operand can be it, whatever else of its type stands in the line.
            return _type_error(*open_sides) if open_sides[0].origins else None
    if isinstance(line.statement, ast.AugAssign):
        right = line.of(line.statement.value)
        left = _reread(line, line.statement.target)
        if _is(right, second) and (_is(left, first) or not left.known):
            return _type_error(*([left] if left.known else []), right)
    return _given(line, [second if second in CALLABLES or second == "str" else first])


def _is_odd_one(odd: Value, name: str, other: Value, kind: str) -> bool:
    """Whether a value is the odd one of two operands, of which the other one is not known."""
    is_open = python_type(other) is None and (name in CALLABLES or name == "str")
    number = NUMBERS.get(other.data.dtype or "") if isinstance(other.data, Array) else None
    return is_open and _is(odd, name) and number in (None, kind)


def _reread(line: Line, target: ast.expr) -> Value:
    """Return what a target stands for."""
    try:
        if isinstance(target, ast.Name):
            return line.interpreter.value(ast.Name(target.id, ast.Load()), line.env)
        if isinstance(target, ast.Attribute):
            base = line.interpreter.value(target.value, line.env)
            return line.interpreter.attribute(base, target.attr, (line.env.file, target.lineno))
    except Raised:
        pass
    return Value(UNKNOWN)


def _one_type(line: Line, match: re.Match[str]) -> Raised | None:
    return _given(line, [match["a"]])


def _given(line: Line, names: Sequence[str]) -> Raised | None:
    """Return the failure of values of a type that are given to what refuses them."""
    values: list[Value] = []
    for node in _handed(line):
        value = line.of(node)
        if any(_is(value, name) for name in names) and all(value is not item for item in values):
            values.append(value)
    return _type_error(*values) if values else None


def _handed(line: Line) -> Iterator[ast.expr]:
    """Yield the parts of a line that are handed to an operation: arguments, operands, bases."""
    heads = header_expressions(line.statement)
    for node in (*heads, *line.nodes) if isinstance(line.statement, (ast.Assign, ast.For)) else ():
        if isinstance(node, ast.expr) and any(node is head for head in heads):
            yield node
    for node in line.nodes:
        if isinstance(node, ast.Call):
            if isinstance(line.of(node.func).data, (FunctionValue, BoundMethod)):
                continue
            for argument in node.args:
                yield argument.value if isinstance(argument, ast.Starred) else argument
                if isinstance(argument, (ast.List, ast.Tuple)):
                    yield from argument.elts
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, ast.Subscript):
            yield node.value
            # A key that is written there is no operand of what may be a dictionary.
            is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            if not is_key or isinstance(line.of(node.value).data, (list, tuple, str, Array)):
                yield node.slice
        elif isinstance(node, (ast.UnaryOp, ast.Starred)):
            yield node.operand if isinstance(node, ast.UnaryOp) else node.value
        elif isinstance(node, ast.FormattedValue):
            yield node.value
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            yield from (generator.iter for generator in node.generators)
            if not isinstance(node, ast.DictComp):
                yield node.elt


def _called(line: Line, match: re.Match[str]) -> Raised | None:
    for node in line.nodes:
        if isinstance(node, ast.Call) and _is(line.of(node.func), match["a"]):
            return _type_error(line.of(node.func))
    return None


# -- arguments -------------------------------------------------------------------------------------


def _name_of(callee: Value) -> str | None:
    """Return the last name of what is called, of an object's method that of the method."""
    data = callee.data
    if isinstance(data, (Library, LibraryObject)):
        return data.name.rpartition(".")[2]
    name = getattr(data, "name", None)
    return name if isinstance(name, str) else None


def _is_called(callee: Value, named: str) -> bool:
    """Whether a message's name of a function is that of what is called."""
    parts = [part for part in named.split(".") if part and part not in ("__init__", "__new__")]
    name = _name_of(callee)
    return name is not None and bool(parts) and parts[-1].lstrip("_") == name.lstrip("_")


def _unexpected(line: Line, match: re.Match[str]) -> Raised | None:
    name = match["k"]
    for call, callee in line.calls():
        given = line.keywords(call)
        if name in given and (callee.known or called_name(call) in match["f"].split(".")):
            message = f"unexpected keyword argument '{name}'"
            return Raised("arguments", message, Value(name), given[name])
    return None


def _missing(line: Line, match: re.Match[str]) -> Raised | None:
    names = re.findall(r"['\"](\w+)['\"]", match["n"])
    for call, callee in line.calls():
        if not _is_called(callee, match["f"]) or set(names) & line.keywords(call).keys():
            continue
        owner = line.of(call.func.value) if isinstance(call.func, ast.Attribute) else callee
        side = owner if isinstance(owner.data, Library) and owner.origins else Value(UNKNOWN)
        return Raised("arguments", f"missing argument '{', '.join(names)}'", side)
    return None


def _argument(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of an argument that PyTorch names with the type that it has."""
    name, kind = match["k"], match["a"]
    for call, callee in line.calls():
        if not _is_called(callee, match["f"]):
            continue
        given = line.keywords(call)
        values = [given[name]] if name in given else [line.of(argument) for argument in call.args]
        if isinstance(call.func, ast.Attribute) and name not in given:
            values.append(line.of(call.func.value))
        items = [i for v in values if isinstance(v.data, (list, tuple)) for i in v.data]
        fitting = [value for value in (*values, *items) if _is(value, kind)]
        if fitting:
            return _type_error(*fitting[:1])
    return None


def _combination(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of arguments that fit none of PyTorch's overloads."""
    parts = [part.strip() for part in match["g"].split(",") if part.strip()]
    plain = [part for part in parts if "=" not in part]
    for call, callee in line.calls():
        if not _is_called(callee, match["f"]):
            continue
        given = [line.of(argument) for argument in call.args]
        named = line.keywords(call)
        if len(given) != len(plain):
            continue
        kinds = [python_type(value) for value in given]
        if any(
            k is not None and not _is(v, p) for k, v, p in zip(kinds, given, plain, strict=True)
        ):
            continue
        odd = [v for v, p in zip(given, plain, strict=True) if p in (*CALLABLES, "str", "list")]
        expected = line.interpreter.message.partition("expected one of")[2]
        for part in parts:
            name, _, kind = part.partition("=")
            value = named.get(name)
            unknown_name = kind and expected and not re.search(rf"\b{re.escape(name)}\b", expected)
            if value is not None and (unknown_name or kind in (*CALLABLES, "str")):
                odd.append(value)
        odd = [value for value in odd if value.known]
        if odd:
            return _type_error(*odd)
        if given and all(value.known for value in given):
            return Raised("type", "a combination of arguments that fits no overload", *given)
    return None


def _worked_out(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of two arguments of which the message names the difference.

    A schedule of 48 steps, of which 500 are a warmup, has -452 left. The name is that of the
    library: it need not be one of the call's. Where one argument is the number itself, or several
    pairs have that difference, nothing is said.
    """
    name, number = match["k"], int(match["n"])
    for call, callee in line.calls():
        if not isinstance(callee.data, (Library, LibraryObject)):
            continue
        given = {f"{n}": line.of(argument) for n, argument in enumerate(call.args)}
        given.update(line.keywords(call))
        plain = {key: value.data for key, value in given.items()}
        numbers = {key: data for key, data in plain.items() if isinstance(data, int)}
        if number in numbers.values():
            return None
        both = permutations(numbers, 2)
        pairs = [(a, b) for a, b in both if numbers[a] - numbers[b] == number]
        chosen = [pair for pair in pairs if name in pair] or pairs
        if len(chosen) == 1:
            whole, part = (given[key] for key in chosen[0])
            if whole.origins or part.origins:
                return Raised("value", f"{name}={number}", whole, part)
    return None


# -- attributes and names --------------------------------------------------------------------------


def _attribute(line: Line, match: re.Match[str]) -> Raised | None:
    owner, name = match["a"], match["n"]
    for node in line.nodes:
        if not isinstance(node, ast.Attribute) or node.attr != name:
            continue
        base = line.of(node.value)
        data = base.data
        if isinstance(data, Instance):
            if data.cls.name != owner:
                continue
            sides = _unset(line, data, name)
            if name in data.attributes and not sides:
                continue
            return Raised("attribute", f"no attribute '{name}'", *sides)
        if isinstance(data, ClassValue) and data.name == owner:
            return Raised("attribute", f"no attribute '{name}'", Value(name))
        if not base.known and base.origins:
            # Nothing else of the line is asked for it.
            return Raised("attribute", f"no attribute '{name}'", base)
        if _is(base, owner) and not (isinstance(data, LibraryObject) and name in data.state):
            made = base.data.made if isinstance(base.data, LibraryObject) else None
            own = Value(base.data, base.origins | {made}) if made is not None else base
            return Raised("attribute", f"no attribute '{name}'", own)
    return None


def _accessor(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of a column whose dtype has no such accessor (``.dt``, ``.str``)."""
    for node in line.nodes:
        if isinstance(node, ast.Attribute) and node.attr == match["n"]:
            column = line.of(node.value)
            dtype = column.data.dtype if isinstance(column.data, Array) else None
            if dtype is not None and not dtype.startswith(ACCESSED[match["n"]]):
                return Raised("accessor", match[0], column)
    return None


def _columns_of_texts(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of columns of texts where a computation needs numbers or dates."""
    columns: list[Value] = []
    inside: set[ast.AST] = set()
    for node in line.nodes:
        value = line.of(node)
        is_texts = isinstance(value.data, Array) and _is_operand(value, "str")
        if is_texts and value.origins and node not in inside:
            columns.append(value)
            inside.update(ast.walk(node))
    return Raised("type", match[0], *columns[:MAX_SIDES]) if columns else None


def _joined(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of tables that are joined on columns of different dtypes."""
    for node in line.nodes:
        if not isinstance(node, ast.Call) or called_name(node) not in ("merge", "join"):
            continue
        parts = [*node.args, *(k.value for k in node.keywords if k.arg in ("left", "right"))]
        whole = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        tables = [line.of(part) for part in (*whole, *parts)]
        tables = [table for table in tables if isinstance(table.data, Table)]
        right_key = line.keywords(node).get("right_on", Value(match["k"])).data
        sides = [
            column(table.data, key)
            for table, key in zip(tables, (match["k"], right_key), strict=False)
            if isinstance(table.data, Table) and key in table.data.columns
        ]
        if len(sides) > 1:
            return Raised("type", match[0], *sides)
    return None


ACCESSED = {
    "dt": ("datetime", "timedelta", "period"),
    "str": TEXT_DTYPES,
    "cat": ("category",),
}
"""The beginnings of the dtypes that have an accessor (pandas, "Series": "Accessors")."""


def _module_attribute(line: Line, match: re.Match[str]) -> Raised | None:
    for node in line.nodes:
        if isinstance(node, ast.Attribute) and node.attr == match["n"]:
            data = line.of(node.value).data
            if isinstance(data, Library) and data.name == match["a"]:
                return Raised("attribute", "module has no such attribute", Value(match["n"]))
    return None


def _unset(line: Line, instance: Instance, name: str) -> list[Value]:
    """Return the places by which an object has no attribute.

    They are the conditions under which its class sets it, else where it sets one of a name that is
    nearly the same.
    """
    lineage = line.interpreter.lineage(instance.cls)
    stores = [(cls, store) for cls in lineage for store in _stores(cls.node, name)]
    if name in instance.attributes and not all(_may_be_left_out(path) for _, path in stores):
        return []
    places: dict[Origin, None] = {}
    for cls, path in stores:
        for node in path:
            if isinstance(node, (ast.If, ast.For, ast.While, ast.Try, ast.Assign, ast.AnnAssign)):
                places.setdefault((cls.file, node.lineno))
    if not stores:
        held = {*instance.attributes, *(n for cls in lineage for n in cls.members)}
        near = difflib.get_close_matches(name, sorted(held), n=1, cutoff=NEAR)
        for cls in lineage if near else ():
            for path in _stores(cls.node, near[0]):
                places.setdefault((cls.file, path[-1].lineno))
            member = cls.members.get(near[0])
            if member is not None and isinstance(member.data, FunctionValue):
                places.setdefault((member.data.file, member.data.node.lineno))
    return [Value(UNKNOWN, frozenset(list(places)[:MAX_PLACES]))] if places else []


def _may_be_left_out(path: Sequence[ast.stmt]) -> bool:
    """Whether a condition or another method than the constructor decides that a statement runs."""
    blocks = (ast.If, ast.For, ast.While, ast.Try)
    methods = [node for node in path if isinstance(node, ast.FunctionDef)]
    conditional = any(isinstance(node, blocks) for node in path)
    return conditional or not any(node.name == "__init__" for node in methods)


def _stores(root: ast.AST, attribute: str) -> Iterator[list[ast.stmt]]:
    """Yield the statements from a class down to each one that sets an attribute of ``self``."""
    stack: list[tuple[ast.AST, list[ast.stmt]]] = [(root, [])]
    while stack:
        node, path = stack.pop()
        if isinstance(node, ast.stmt):
            path = [*path, node]
        targets: Iterable[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            targets = (node.target,)
        for target in targets:
            if any(
                isinstance(n, ast.Attribute)
                and n.attr == attribute
                and isinstance(n.value, ast.Name)
                and n.value.id == "self"
                for n in ast.walk(target)
            ):
                yield path
        stack.extend((inner, path) for inner in ast.iter_child_nodes(node))


def _unbound(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of a local name by what decides whether a statement binds it."""
    name = match["n"] or match["m"]
    uses = [n for n in line.nodes if isinstance(n, ast.Name) and n.id == name]
    function = _function_around(line)
    if not uses or function is None:
        return None
    around = next((path for node, path in _blocks(function) if node is uses[0]), [])
    sides: list[Value] = []
    for node, path in _blocks(function):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Store):
            continue
        own = [block for block in path if all(block is not other for other in around)]
        if not own:
            # It is bound in any case, but after its use.
            later = node.lineno > uses[0].lineno
            return Raised("name", f"'{name}' is not bound", *[_at(line, node)] if later else [])
        for block in own:
            sides.append(_at(line, block))
            sides.extend(_decided(line, block))
    return Raised("name", f"'{name}' is not bound", *sides[: 2 * MAX_SIDES]) if sides else None


def _at(line: Line, node: ast.stmt | ast.expr) -> Value:
    return Value(UNKNOWN, frozenset({(line.env.file, node.lineno)}))


def _decided(line: Line, block: ast.stmt) -> list[Value]:
    """Return what decides whether a block is come to: what its test compares, or its items."""
    parts: list[ast.expr] = []
    if isinstance(block, (ast.If, ast.While)):
        test = block.test
        parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    elif isinstance(block, (ast.For, ast.AsyncFor)):
        parts = [block.iter]
    values = []
    for part in parts:
        try:
            value = line.interpreter.value(part, line.env)
            giver = line.interpreter.value(_giver(part), line.env)
        except Raised:
            continue
        values.extend(_counted(value, giver))
    return values


WRAPPING = ("enumerate", "iter", "tqdm", "list", "cycle", "track")
"""Functions that give the items of what they are given first."""


def _giver(expr: ast.expr) -> ast.expr:
    """Return what gives the items that an expression goes through."""
    while isinstance(expr, ast.Call) and called_name(expr) in WRAPPING and expr.args:
        expr = expr.args[0]
    return expr


def _counted(value: Value, giver: Value) -> list[Value]:
    """Return what decides how many items there are to go through.

    A loader that leaves the last batch out gives none where a batch is larger than the data set.
    """
    data = giver.data
    state = data.state if isinstance(data, LibraryObject) and data.short == "DataLoader" else {}
    drop, batch = state.get("drop_last"), state.get("batch_size")
    sides = [batch, drop] if batch is not None and drop is not None and drop.data is True else []
    length = getattr(value.data, "length", value)
    own = length.origins if isinstance(length, Value) else frozenset()
    own -= frozenset().union(*(side.origins for side in sides))
    if 0 < len(own) <= 2 * MAX_PLACES:
        sides.append(Value(UNKNOWN, own))
    return sides


def _nothing_left(line: Line) -> Raised | None:
    """Return the failure of ``next`` by what decides how many items there are."""
    for node, _ in line.calls():
        if called_name(node) != "next" or not node.args:
            continue
        sides = _counted(line.of(node.args[0]), line.of(_giver(node.args[0])))
        if sides:
            return Raised("empty", "there is no item left", *sides)
    return None


def _function_around(line: Line) -> ast.AST | None:
    tree = line.interpreter.workspace.tree(line.env.file)
    number = line.statement.lineno
    around = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= number <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno, default=tree)


def _blocks(root: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """Yield the nodes of a function with the conditional blocks and loops around each."""
    stack: list[tuple[ast.AST, list[ast.stmt]]] = [(n, []) for n in ast.iter_child_nodes(root)]
    while stack:
        node, path = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node, path
        if isinstance(node, (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try)):
            path = [*path, node]
        stack.extend((inner, path) for inner in ast.iter_child_nodes(node))


# -- tables ----------------------------------------------------------------------------------------


def _columns(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of columns that a library misses in a table which it is given."""
    names = re.findall(r"['\"]([^'\"]+)['\"]|^- (.+)$", match["n"], re.MULTILINE)
    missing = [first or second for first, second in names][:MAX_COLUMNS]
    for node in line.nodes:
        value = line.of(node)
        table = value.data
        if not isinstance(table, Table) or not missing:
            continue
        if not any(name in table.columns for name in missing):
            return lacking(table, missing[0], Value(missing[0]), value)
    return None


# -- modules ---------------------------------------------------------------------------------------


def _too_early(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of a module whose constructor has not begun with that of its base."""
    owner = line.env.names.get("self")
    if owner is None or not isinstance(owner.data, Instance):
        return None
    return _not_begun(line, owner.data.cls)


def _never_begun(line: Line, match: re.Match[str]) -> Raised | None:
    for node in line.nodes:
        cls = line.of(node).data
        if isinstance(cls, ClassValue) and cls.name == match["a"]:
            return _not_begun(line, cls)
    return None


def _not_begun(line: Line, cls: ClassValue) -> Raised | None:
    start = next((c.members["__init__"] for c in line.interpreter.lineage(cls) if _starts(c)), None)
    if start is None or not isinstance(start.data, FunctionValue):
        return None
    function = start.data
    body = getattr(function.node, "body", [])
    begun = [node for node in body if isinstance(node, ast.stmt) and "super(" in ast.unparse(node)]
    places = [begun[0].lineno] if begun else [function.node.lineno]
    side = Value(UNKNOWN, frozenset((function.file, number) for number in places))
    return Raised("attribute", "the constructor of the base was not run before", side)


def _starts(cls: ClassValue) -> bool:
    return "__init__" in cls.members


def _no_forward(line: Line, match: re.Match[str]) -> Raised | None:
    for node in line.nodes:
        data = line.of(node).data
        if not isinstance(data, Instance) or data.cls.name != match["a"]:
            continue
        lineage = line.interpreter.lineage(data.cls)
        held = {n: v for cls in reversed(lineage) for n, v in cls.members.items()}
        near = difflib.get_close_matches("forward", sorted(held), n=1, cutoff=NEAR)
        place = (data.cls.file, data.cls.node.lineno)
        function = held[near[0]].data if near else None
        if isinstance(function, FunctionValue):
            place = (function.file, function.node.lineno)
        return Raised("attribute", "no forward", Value(UNKNOWN, frozenset({place})))
    return None


def _no_parameters(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of an optimizer without parameters: plain lists hide their modules."""
    for node in line.nodes:
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if not is_call or not isinstance(node, ast.Call) or called_name(node) != "parameters":
            continue
        assert isinstance(node.func, ast.Attribute)
        owner = line.of(node.func.value)
        if not isinstance(owner.data, Instance):
            continue
        places: dict[Origin, None] = {}
        for name, value in owner.data.attributes.items():
            items = value.data.values() if isinstance(value.data, dict) else value.data
            if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
                continue
            if any(_is_module(item) for item in items):
                for cls in line.interpreter.lineage(owner.data.cls):
                    places.update({(cls.file, p[-1].lineno): None for p in _stores(cls.node, name)})
        if places:
            side = Value(UNKNOWN, frozenset(list(places)[:MAX_PLACES]))
            return Raised("value", "optimizer got an empty parameter list", side)
    return None


def _is_module(item: object) -> bool:
    data = item.data if isinstance(item, Value) else None
    return isinstance(data, Instance) or (
        isinstance(data, LibraryObject) and data.name.startswith("torch.nn.")
    )


# -- generators ------------------------------------------------------------------------------------


def _yielded(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of batches of which a part is of a type that has no tensors."""
    for call, _ in line.calls():
        for given in (*map(line.of, call.args), *line.keywords(call).values()):
            if not isinstance(given.data, Lazy):
                continue
            for part in _parts(given.data.item):
                if _is(part, match["a"]):
                    # The arrays in it fit.
                    side = Value(UNKNOWN, part.origins)
                    return Raised("type", f"a generator that yields a {match['a']}", side)
    return None


def _parts(value: Value) -> Iterator[Value]:
    """Yield a value and what lies in its tuples and mappings."""
    yield value
    if isinstance(value.data, tuple):
        for item in value.data:
            yield from _parts(item)
    elif isinstance(value.data, dict):
        for item in value.data.values():
            yield from _parts(item)


# -- metrics ---------------------------------------------------------------------------------------


def _mixed(line: Line, match: re.Match[str]) -> Raised | None:
    """Return the failure of labels of which those of one array are scores or rows of classes."""
    kinds = (match["a"], match["b"])
    odd = next((k for k in kinds if k.startswith("continuous")), None)
    odd = odd or next((k for k in kinds if k.startswith("multilabel")), None)
    for call, callee in line.calls():
        is_metric = isinstance(callee.data, Library) and "metrics" in callee.data.name
        if not is_metric or odd is None:
            continue
        given = dict(zip(("y_true", "y_pred"), map(line.of, call.args), strict=False))
        given.update(line.keywords(call))
        side = given.get("y_true" if odd == kinds[0] else "y_pred")
        if side is not None:
            # How many samples and classes there are is right.
            return Raised("value", "a mix of targets", Value(UNKNOWN, side.origins))
    return None


TYPE = r"'?(?P<a>[\w.]+)'?"
READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (
        re.compile(r"unsupported operand type\(s\) for [^:]+: '(?P<a>[\w.]+)' and '(?P<b>[\w.]+)'"),
        _operands,
    ),
    (
        re.compile(r"not supported between instances of '(?P<a>[\w.]+)' and '(?P<b>[\w.]+)'"),
        _operands,
    ),
    (
        re.compile(r"can only concatenate (?P<a>\w+) \(not \"(?P<b>[\w.]+)\"\)"),
        _operands,
    ),
    (
        re.compile(r"(?<![\w.])(?P<f>[\w.]+)\(\) got an unexpected keyword argument '(?P<k>\w+)'"),
        _unexpected,
    ),
    (
        re.compile(
            r"(?<![\w.])(?P<f>[\w.]+)\(\) missing \d+ required [\w -]+?arguments?: (?P<n>.+)"
        ),
        _missing,
    ),
    (
        re.compile(
            r"(?<![\w.])(?P<f>[\w.]+)\(\): argument '(?P<k>\w+)'(?: \(position \d+\))? must be "
            r"[\w ,]+?, (?:not|but found element of type) (?P<a>[\w.]+)"
        ),
        _argument,
    ),
    (
        re.compile(
            r"(?<![\w.])(?P<f>[\w.]+)\(\) received an invalid combination of arguments - got "
            r"\((?P<g>[^)]*)\)"
        ),
        _combination,
    ),
    (re.compile(r"module '(?P<a>[\w.]+)' has no attribute '(?P<n>\w+)'"), _module_attribute),
    (
        re.compile(
            r"Invalid comparison between dtype=(?:str|object|string)\b"
            r"|operation '\w+' not supported for dtype '(?:str|object|string)'"
            r"|loop of ufunc does not support argument \d+ of type str\b"
            r"|Cannot perform reduction '\w+' with string dtype"
        ),
        _columns_of_texts,
    ),
    (
        re.compile(r"You are trying to merge on \S+ and \S+ columns for key '(?P<k>[^']+)'"),
        _joined,
    ),
    (re.compile(r"Can only use \.(?P<n>dt|str|cat) accessor"), _accessor),
    (
        re.compile(
            r"(?:type object )?'(?P<a>[\w.]+)' object has no attribute '(?P<n>\w+)'"
            r"|type object '(?P<t>\w+)' has no attribute"
        ),
        lambda line, match: None if match["a"] is None else _attribute(line, match),
    ),
    (
        re.compile(
            r"cannot access local variable '(?P<n>\w+)'|local variable '(?P<m>\w+)' referenced"
        ),
        _unbound,
    ),
    (re.compile(r"cannot assign \w+ before (?:Module|super).__init__"), _too_early),
    (re.compile(r"In layer '(?P<a>\w+)', you forgot to call `super"), _never_begun),
    (re.compile(r"Module \[(?P<a>\w+)\] is missing the required"), _no_forward),
    (re.compile(r"optimizer got an empty parameter list"), _no_parameters),
    (re.compile(r"columns are missing: \{(?P<n>[^}]*)\}"), _columns),
    (re.compile(r"(?s)seen at fit time, yet now missing:\n(?P<n>.*)"), _columns),
    (re.compile(r"\[(?P<n>[^\]\[]*)\]\)? not in index"), _columns),
    (re.compile(r"None of \[(?P<n>[^\]]*)\]"), _columns),
    (re.compile(r"\[(?P<n>[^\]\[]*)\] not found in axis"), _columns),
    (re.compile(r"subclass of `tf\.TypeSpec` but found <class '(?P<a>[\w.]+)'>"), _yielded),
    (re.compile(r"can't handle a mix of (?P<a>[\w-]+) and (?P<b>[\w-]+) targets"), _mixed),
    (re.compile(r"'(?P<a>[\w.]+)' object is not callable"), _called),
    (
        re.compile(
            r"'(?P<a>[\w.]+)' object is not (?:iterable|subscriptable|an iterator|reversible)"
        ),
        _one_type,
    ),
    (re.compile(r"cannot unpack non-iterable (?P<a>[\w.]+) object"), _one_type),
    (re.compile(r"object of type '(?P<a>[\w.]+)' has no len\(\)"), _one_type),
    (re.compile(r"bad operand type for (?:unary .|abs\(\)): '(?P<a>[\w.]+)'"), _one_type),
    (re.compile(r"'(?P<a>[\w.]+)' object cannot be interpreted as an integer"), _one_type),
    (re.compile(r"unhashable type: '(?P<a>[\w.]+)'"), _one_type),
    (re.compile(r"passed to (?P<a>[\w.]+)\.__format__"), _one_type),
    (re.compile(r"argument of type '(?P<a>[\w.]+)' is not"), _one_type),
    (re.compile(r"expected (?:str|string|a string)[\w ,.-]*, (?:not|got) " + TYPE), _one_type),
    (re.compile(r"(?:argument must be|must be real number)[\w ,.-]*, not " + TYPE), _one_type),
    (re.compile(r"invalid data type " + TYPE), _one_type),
    (
        re.compile(
            r"Inputs to a layer should be tensors\. Got .{0,300}?\(of type <class '(?P<a>[\w.]+)'>"
        ),
        _one_type,
    ),
    (re.compile(r"one of the params is (?P<a>[\w.]+)"), _one_type),
    (
        re.compile(
            r"\b(?P<k>[A-Za-z]\w*)\b['\"`]?\s?(?:==?|:| is| was| of| got)\s?(?P<n>-\d+\b)(?![.e])"
        ),
        _worked_out,
    ),
)
"""What messages look like, and what confirms them; the first that fits is asked."""
