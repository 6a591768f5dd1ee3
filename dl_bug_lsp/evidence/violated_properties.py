"""Which property of a value a failing check is about, and what that says of lines.

The places that made a value's content are not to blame for its type or for what a name stands for.
To blame is what decided the type or bound the name; where nothing decided it wrongly, it is the use
that fails: it lacks the call that converts, loads or works out what is needed there.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, source
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.interpreted_values import is_other_text
from dl_bug_lsp.evidence.types import made_type, named_types
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name
from dl_bug_lsp.provenance.stack import header_expressions
from dl_bug_lsp.tracebacks import FailureKind

NOT_CALLABLE = re.compile(r"'(?P<type>[\w.]+)' object is not callable")
OF_INTEGERS = re.compile(
    r"(?:mean|std|var|norm|quantile)\b.*(?:floating|float or double)", re.IGNORECASE
)
"""How PyTorch says that a statistic is asked of integers (``Tensor.mean``, ``torch.quantile``)."""
STATISTICS = frozenset(("mean", "nanmean", "std", "var", "norm", "quantile", "nanquantile"))
SYMBOLIC = re.compile(
    r"\b(?:SymbolicTensor|KerasTensor|\w+Tracer)'?(?: object)? has no attribute '?(?P<name>\w+)"
    r"|\b(?P<only>\w+)\(\) is only available when eager execution"
)
"""How frameworks say that a value of a traced function has not what a computed one has."""
NUMBER_NEEDED = re.compile(
    r"indices must be integers|interpreted as an integer|must be real number, not str"
    r"|'(?:int|float)' and 'str'|'str' and '(?:int|float)'|non-int of type 'float'"
    r"|concatenate str \(not \"(?:int|float)\""
    r"|must be (?:an? )?(?:int|float)\w*,? (?:not|got) '?str"
    r"|not all arguments converted during string formatting"
)
"""How messages say that a text stands where a number is needed."""
OF_PATHS = re.compile(
    r"has no attribute '(?:mkdir|exists|is_file|is_dir|joinpath|suffix|stem|parent|parents|name"
    r"|glob|rglob|iterdir|resolve|open|read_text|write_text|unlink|with_suffix|relative_to)'"
    r"|unsupported operand|not supported between|concatenate"
)
"""How messages complain of a path that is a text, or of a text that is a path."""
PATH_TYPES = frozenset(("str", "PosixPath", "WindowsPath", "Path"))
PATH_WORDS = frozenset(("path", "paths", "file", "files", "filename", "fname", "filepath"))
MAKES_PATH = frozenset(("Path", "glob", "listdir", "mktemp", "mkdtemp", "abspath", "realpath"))
EXTENSION = re.compile(r"[\w}/-]\.[A-Za-z]\w{1,6}$")
"""The end of a text that names a file; a version or a number ends otherwise."""
NEEDED_BY: Mapping[str, frozenset[str]] = {
    "list": frozenset(("append", "extend", "insert")),
    "dict": frozenset(("items", "keys", "get", "setdefault", "update")),
    "set": frozenset(("add", "discard")),
}
"""Methods that of the types which messages name only one has."""
OF_ITEMS = re.compile(r"unhashable|infer dtype|sequence item|expected sequence|element of type")
"""How messages complain of what lies in a container, not of the container."""
INTEGER_CALLS = frozenset(
    ("argmax", "argmin", "argsort", "nonzero", "argwhere", "randint", "randperm", "bincount")
)
"""Functions of tensors that always give integers."""
KEEPS_DTYPE = frozenset(
    (
        *("cpu", "detach", "view", "reshape", "squeeze", "unsqueeze", "flatten", "clone", "gather"),
        *("transpose", "permute", "contiguous", "cuda", "sum", "max", "min", "abs"),
    )
)
"""Methods that of integers give integers."""
DATA_TYPES = frozenset(
    (
        *("str", "float", "int", "bool", "NoneType", "list", "dict", "object", "bytes", "float64"),
        *("int64", "NAType", "NaTType", "Timestamp", "str_", "float32", "object_", "bool_"),
    )
)
"""Types of what stands in a file of data; no cell is why a value is of another one."""
OF_CONTENT = ("types.made", "interpretation.", "slice.", "outer_slice.", "dtypes.", "naturalness.")
"""How the kinds of clues begin that a line has because it makes the failing value."""
OF_ROWS = ("data_files.", "numbers.", "interpretation.")
CLEARED = 0.35
"""What these count on a definition that all else takes as it is."""
OF_INNOCENT_ROWS = 0.1
MAX_DEPTH = 8
NO_CODE = (".csv", ".tsv", ".tab", ".psv", ".txt", ".jsonl", ".ndjson", ".data")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the message says: clues, lines that are not to blame, and whether no row of data is."""

    clues: tuple[Clue, ...] = ()
    cleared: frozenset[Origin] = frozenset()
    is_not_of_rows: bool = False


_VERDICTS: WeakKeyDictionary[Case, Verdict] = WeakKeyDictionary()


def find(case: Case) -> Iterator[Clue]:
    """Yield the failing use, the binding or the declaration that a message on a type is about."""
    yield from _verdict(case).clues


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less on what made the content where the message is about the type."""
    verdict = _verdict(case)
    if verdict.is_not_of_rows and clue.kind.startswith(OF_ROWS) and clue.file.endswith(NO_CODE):
        return OF_INNOCENT_ROWS
    is_cleared = (clue.file, clue.line) in verdict.cleared
    return CLEARED if is_cleared and clue.kind.startswith(OF_CONTENT) else 1.0


def _verdict(case: Case) -> Verdict:
    if case not in _VERDICTS:
        _VERDICTS[case] = _judged(case)
    return _VERDICTS[case]


def _judged(case: Case) -> Verdict:
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places or not case.sites:
        return Verdict()
    use = _use_of(case)
    if use is None:
        return Verdict()
    uncalled = NOT_CALLABLE.search(case.message)
    if uncalled is not None:
        return Verdict(tuple(_bindings(use, uncalled["type"])), is_not_of_rows=True)
    clues = [*_symbolic(use), *_untyped_options(case), *_unconverted(case)]
    cleared: set[Origin] = set()
    for why, places in (*_integers(use), *_paths(use), *_needed_elsewhere(use)):
        clues.append(use.clue(why))
        cleared.update(places)
    types = {name.rpartition(".")[2] for name in named_types(case)}
    is_of_code = case.class_name in ("TypeError", "AttributeError") and bool(types)
    return Verdict(tuple(clues), frozenset(cleared), is_of_code and not types & DATA_TYPES)


@dataclass(frozen=True, slots=True)
class _Use:
    """The failing statement, its scope, and the parts of it that run."""

    case: Case
    file: str
    line: int
    scope: Scope
    nodes: tuple[ast.AST, ...]

    def clue(self, why: str) -> Clue:
        """Return a clue on the failing line."""
        return Clue("types.failing_use", self.file, self.line, 1.0, why)

    def bound(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """Return the scope that gives a name its values, and where it does so."""
        for scope in _outwards(self.scope):
            if scope is self.scope or not scope.is_class:
                found = [b for b in scope.bindings.get(name, ()) if b.how == "assign"]
                if found:
                    return scope, found
                if name in {p.arg for p in scope.parameters()}:
                    return None
        return None

    def value_of(self, name: str) -> Binding | None:
        """Return the last binding of a name before the failing line, of a global the last one."""
        found = self.bound(name)
        if found is None:
            return None
        scope, bindings = found
        before = [b for b in bindings if b.line < self.line] if scope is self.scope else bindings
        return max(before, key=lambda b: b.line, default=None)


def _use_of(case: Case) -> _Use | None:
    site, place = case.sites[-1], case.places[-1]
    scope = case.engine.program.scope_at(place.file, place.line)
    if site.statement is None or scope is None or site.place != place:
        return None
    exprs = [node.expr for node in site.nodes if isinstance(node.expr, ast.expr)]
    heads = exprs or header_expressions(site.statement)
    nodes = tuple(node for head in heads for node in ast.walk(head))
    return _Use(case, place.file, place.line, scope, nodes)


# -- bindings --------------------------------------------------------------------------------------


def _bindings(use: _Use, kind: str) -> Iterator[Clue]:
    """Yield what gave the name of a function another value, or the call of what is no function."""
    for call in (node for node in use.nodes if isinstance(node, ast.Call)):
        function = call.func
        if isinstance(function, ast.Name):
            yield from _hidden_function(use, function.id)
        elif isinstance(function, ast.Attribute):
            yield from _hidden_method(use, function)
        elif made_type(function) is not None:
            yield use.clue(f"`{source(function)}` is no function, and is called here")
        if _is_attribute(function, kind):
            yield use.clue(f"`{source(function)}` is an attribute of type {kind}, and no method")


def _hidden_function(use: _Use, name: str) -> Iterator[Clue]:
    for scope in _outwards(use.scope):
        if name in {p.arg for p in scope.parameters()} and hasattr(builtins, name):
            why = f"the parameter `{name}` hides the builtin function, which is called in it"
            yield Clue("rules.rebound", scope.file, scope.line, 1.0, why)
            return
    found = use.bound(name)
    if found is None:
        return
    own, bindings = found
    what = _meant(own, name)
    last = use.value_of(name)
    for binding in ([last] if last is not None else bindings) if what else ():
        why = f"`{name}` is the name of {what}, and gets another value here"
        yield Clue("rules.rebound", own.file, binding.line, 1.0, why)


def _meant(scope: Scope, name: str) -> str:
    """Return what a name stands for that a scope binds, empty where it is for a variable alone."""
    for around in _outwards(scope):
        if name in around.functions:
            return "a function"
        if name in around.classes:
            return "a class"
        if name in around.imports:
            return "an import"
    return "a builtin function" if hasattr(builtins, name) else ""


def _outwards(scope: Scope) -> Iterator[Scope]:
    """Yield a scope and those around it, the innermost first."""
    at: Scope | None = scope
    while at is not None:
        yield at
        at = at.parent


def _hidden_method(use: _Use, function: ast.Attribute) -> Iterator[Clue]:
    """Yield where an object of the program gets an attribute of the name of its method."""
    owner = next((s.owner for s in _outwards(use.scope) if s.owner is not None), None)
    base = function.value
    if owner is None or not isinstance(base, ast.Name) or base.id != "self":
        return
    if function.attr in owner.functions:
        for method, binding in owner.attributes.get(function.attr, ()):
            why = f"`self.{function.attr}` is the name of a method, and gets another value here"
            yield Clue("rules.rebound", method.file, binding.line, 1.0, why)


ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "tuple": frozenset(("shape",)),
    "Size": frozenset(("shape",)),
    "TensorShape": frozenset(("shape",)),
    "int": frozenset(("size", "ndim", "itemsize", "nbytes")),
    "DataFrame": frozenset(("T",)),
    "ndarray": frozenset(("values", "T", "array")),
    "Tensor": frozenset(("T", "data", "grad", "mT")),
    "Index": frozenset(("columns", "index")),
    "RangeIndex": frozenset(("index", "columns")),
    "device": frozenset(("device",)),
    "dtype": frozenset(("dtype",)),
    "bool": frozenset(("empty", "is_cuda", "training", "requires_grad", "is_leaf")),
}
"""Attributes of arrays, tables and modules that are no methods, by the types that they have."""


def _is_attribute(function: ast.expr, kind: str) -> bool:
    last = kind.rpartition(".")[2]
    last = "dtype" if last.endswith("DType") else last
    return isinstance(function, ast.Attribute) and function.attr in ATTRIBUTES.get(last, ())


# -- the failing use -------------------------------------------------------------------------------


def _symbolic(use: _Use) -> Iterator[Clue]:
    match = SYMBOLIC.search(use.case.message)
    name = match and (match["name"] or match["only"])
    for node in use.nodes if name else ():
        if isinstance(node, ast.Attribute) and node.attr == name:
            why = f"`{source(node)}` is asked of a symbolic value, which has no such attribute"
            yield use.clue(why)
            return


Found = tuple[str, tuple[Origin, ...]]
"""Why the failing use is to blame, and the lines that are not."""


def _integers(use: _Use) -> Iterator[Found]:
    """Yield a statistic of what is of integers by its nature, without a cast."""
    if not OF_INTEGERS.search(use.case.message):
        return
    for node in use.nodes:
        if not isinstance(node, ast.Call) or called_name(node) not in STATISTICS:
            continue
        of = _receiver(node)
        places: list[Origin] = []
        maker = _integer_maker(use, of, places) if of is not None else None
        if maker is not None:
            why = f"`{maker}` never gives floats, which are needed here, and nothing casts it"
            yield why, tuple(places)
            return


def _receiver(call: ast.Call) -> ast.expr | None:
    """Return what a method is called on, of a function of a library its first argument."""
    function = call.func
    if isinstance(function, ast.Attribute) and not (
        isinstance(function.value, ast.Name) and function.value.id in ("torch", "F", "linalg")
    ):
        return function.value
    return call.args[0] if call.args else None


def _integer_maker(
    use: _Use, expr: ast.expr, places: list[Origin], depth: int = MAX_DEPTH
) -> str | None:
    """Return the operation that made a value integers or truths; ``places`` gets its lines."""
    if depth <= 0:
        return None
    if isinstance(expr, ast.Compare):
        return source(expr)
    if isinstance(expr, ast.Name):
        binding = use.value_of(expr.id)
        if binding is None or binding.line == use.line:
            return None
        places.append((binding.scope.file, binding.line))
        return _integer_maker(use, binding.value, places, depth - 1)
    if isinstance(expr, ast.Subscript):
        return _integer_maker(use, expr.value, places, depth - 1)
    if isinstance(expr, ast.BinOp) and not isinstance(expr.op, (ast.Div, ast.Pow)):
        sides = [s for s in (expr.left, expr.right) if not _is_integer(s)]
        made = [_integer_maker(use, side, places, depth - 1) for side in sides]
        return made[0] if made and all(made) else None
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        if name in INTEGER_CALLS:
            return source(expr)
        of = _receiver(expr) if name in KEEPS_DTYPE else None
        return None if of is None else _integer_maker(use, of, places, depth - 1)
    return None


def _is_integer(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and type(expr.value) is int


def _paths(use: _Use) -> Iterator[Found]:
    """Yield a path that is given where what it names is needed."""
    facts = use.case.facts.of(FactKind.CLASS)
    types = {str(f.value).rpartition(".")[2] for f in facts if f.role is not Role.EXPECTED}
    if not types & PATH_TYPES or OF_PATHS.search(use.case.message):
        return
    for expr in _handed(use):
        base = expr.value if isinstance(expr, ast.Subscript) else expr
        # An attribute is another thing than a variable of its name.
        binding = use.value_of(base.id) if isinstance(base, ast.Name) else None
        name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
        if not _is_path(name, binding):
            continue
        places = () if binding is None else ((binding.scope.file, binding.line),)
        yield f"`{source(expr)}` seems to be a path, where what it names is needed", places
        return


def _handed(use: _Use) -> Iterator[ast.expr]:
    """Yield what the failing statement hands to calls and operators, and asks attributes of."""
    message = use.case.message
    for node in use.nodes:
        if isinstance(node, ast.Call):
            yield from node.args
            yield from (k.value for k in node.keywords)
        elif isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, ast.Attribute) and f"no attribute '{node.attr}'" in message:
            yield node.value


def _is_path(name: str, binding: Binding | None) -> bool:
    value = None if binding is None else binding.value
    text = value.value if isinstance(value, ast.Constant) else None
    if isinstance(value, ast.JoinedStr) and value.values:
        last = value.values[-1]
        text = last.value if isinstance(last, ast.Constant) else None
    if isinstance(text, str) and EXTENSION.search(text):
        return True
    if isinstance(value, ast.Call):
        function = value.func
        is_join = isinstance(function, ast.Attribute) and function.attr == "join"
        if called_name(value) in MAKES_PATH or (is_join and "path" in ast.unparse(function)):
            return True
        if called_name(value) not in ("str", "get", "getenv", "format"):
            # What a call gives for a path may be what was read from it.
            return False
    return bool(PATH_WORDS & {part.lower() for part in parts_of(name)})


def _needed_elsewhere(use: _Use) -> Iterator[Found]:
    """Yield a value of a type that other uses of it need: only the failing one does not fit it."""
    if OF_ITEMS.search(use.case.message):
        return
    wanted = {t: NEEDED_BY[t] for t in sorted(named_types(use.case)) if t in NEEDED_BY}
    for expr in _handed(use) if wanted else ():
        if not isinstance(expr, ast.Name):
            continue
        found = use.bound(expr.id)
        if found is None:
            continue
        scope, bindings = found
        used = [c for c in ast.walk(scope.node) if isinstance(c, ast.Call)]
        for kind, methods in wanted.items():
            own = [c for c in used if _is_method_of(c, expr.id, methods) and c.lineno != use.line]
            if own:
                why = f"`{expr.id}` is a {kind}, which line {own[0].lineno} needs and this one not"
                yield why, tuple((scope.file, b.line) for b in bindings)
                return


def _is_method_of(call: ast.Call, name: str, methods: frozenset[str]) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr in methods
        and isinstance(function.value, ast.Name)
        and function.value.id == name
    )


# -- texts for numbers -----------------------------------------------------------------------------


def _untyped_options(case: Case) -> Iterator[Clue]:
    """Yield options without a type whose default is none of text, where a text has failed."""
    raised = follow(case).raised
    if raised is None or raised.what != "type" or not any(map(is_other_text, raised.sides)):
        return
    places = {(f, -n) for s in raised.sides if is_other_text(s) for f, n in s.origins if n < 0}
    for file, line in sorted(places):
        tree = case.workspace.tree(file)
        for call in ast.walk(tree) if tree is not None else ():
            if not isinstance(call, ast.Call) or called_name(call) != "add_argument":
                continue
            default = keyword(call, "default")
            if call.lineno == line and default is not None and _holds_numbers(default):
                shown = source(default)
                why = f"the option has no `type`: its default is {shown}, what is given is a text"
                yield Clue("types.number_as_text", file, line, 1.0, why)


def _holds_numbers(expr: ast.expr) -> bool:
    parts = expr.elts if isinstance(expr, (ast.List, ast.Tuple)) else [expr]
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    return bool(values) and all(isinstance(value, (int, float)) for value in values)


TAKES_APART = frozenset(("split", "rsplit", "splitlines", "partition"))
CONVERTS = frozenset(("int", "float", "map", "literal_eval", "loads", "fromstring", "array"))


def _unconverted(case: Case) -> Iterator[Clue]:
    """Yield where a text is taken apart and its parts stay texts, where a number is needed."""
    if not NUMBER_NEEDED.search(case.message):
        return
    seen: set[Origin] = set()
    for steps in (case.raise_slice, *case.outer_slices):
        for step in steps:
            node = step.node
            place = (node.file, node.line)
            expr = node.expr
            if node.entry is not None or node.line <= 0 or place in seen:
                continue
            if not isinstance(expr, ast.Call) or not _takes_apart(expr):
                continue
            seen.add(place)
            text = case.workspace.source_line(*place)
            if not any(re.search(rf"\b{name}\b", text) for name in CONVERTS):
                why = f"the parts of `{node.text}` seem to stay texts, where numbers are needed"
                yield Clue("types.number_as_text", *place, 0.6, why)


def _takes_apart(call: ast.Call) -> bool:
    """Whether a call takes a text apart; what splits rows of data is given these."""
    given = call.args[0] if call.args else None
    is_mark = isinstance(given, ast.Constant) and isinstance(given.value, (str, type(None)))
    return called_name(call) in TAKES_APART and (given is None or is_mark)
