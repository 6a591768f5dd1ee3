"""Rules for numbers that become NaN or infinite, in the program or in its data.

Logarithms, roots and quotients at zero, overflow of a dtype, and NaN in the data from the start.

What makes a number exactly zero that a logarithm, a root or a quotient is taken of is followed
backwards from the operand through names, attributes, returns and parts of tuples to the call that
made it. A rectifier, a bound of zero or rounding gives zeros for many inputs; a small number added
later takes them away, so an operand that has one is not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import (
    OPERATIONS,
    SUBSCRIPTS,
    Group,
    Training,
    argument,
    clue,
    string,
    text,
)
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.workspace.contents import Column

HANDED_ON = frozenset({"definition", "attribute", "return", "item", "part"})
"""Roles of steps that hand a value on as it is."""
RECTIFIERS = frozenset({"relu", "relu_", "relu6", "ReLU", "ReLU6", "hardtanh", "threshold"})
ROUNDS = frozenset({"round", "rint", "floor", "trunc"})
BOUNDS = {"clamp": 0, "clamp_": 0, "clamp_min": 0, "clip": 0, "maximum": 1, "max": 1, "fmax": 1}
"""Functions that bound a number from below; the place of the bound in a call as a method."""
BOUND_NAMES = ("min", "a_min", "min_value", "clip_value_min")
STEPS = 40
ZERO_BOUND = re.compile(
    r"\b(?:clamp_?|clip|clip_by_value)\((?:[^(),]+, )?(?:a_)?(?:min=)?0(?:\.0*)?(?=[,)])"
    r"|\bclamp_min_?\(0(?:\.0*)?\)"
    r"|\b(?:maximum|fmax|max)\((?:[^()]|\([^()]*\))*?, 0(?:\.0*)?\)"
    r"|\b(?:maximum|fmax|max)\(0(?:\.0*)?, "
)
"""A bound of zero, as `ast.unparse` writes it: it keeps nothing off zero."""


def makers(training: Training, scope: Scope, expr: ast.expr) -> Iterator[tuple[Node, str]]:
    """Yield the calls and layers that make an expression exactly zero for some inputs."""
    start = training.engine.node(expr, training.engine.open_context(scope))
    for step in backward_slice([start], STEPS):
        node, call = step.node, step.node.expr
        if node.entry is not None or node.line <= 0 or not isinstance(call, ast.Call):
            continue
        if _hands_on(step) and _gives_zero(call):
            yield node, f"{text(call)} is exactly 0 for some inputs"
        elif _is_layer_of(step) and _rectifies(call):
            yield node, f"what {text(call)} gives is exactly 0 for some inputs"


def _hands_on(step: Step) -> bool:
    return HANDED_ON.issuperset(step.roles)


def _is_layer_of(step: Step) -> bool:
    """Whether a step made the layer whose output is handed on."""
    roles = list(step.roles)
    while roles and roles[-1] in ("attribute", "definition"):
        roles.pop()
    return bool(roles) and roles[-1] == "callee" and HANDED_ON.issuperset(roles[:-1])


def _gives_zero(call: ast.Call) -> bool:
    name = called_name(call)
    if name in RECTIFIERS or (name in ROUNDS and isinstance(call.func, ast.Attribute)):
        return True
    if name not in BOUNDS:
        return False
    on_library = len(call.args) > BOUNDS[name] and isinstance(call.func, (ast.Name, ast.Attribute))
    bounds = [argument(call, -1, *BOUND_NAMES)]
    bounds.extend(call.args[:2] if on_library else ())
    return any(_is_zero(bound) for bound in bounds)


def _is_zero(expr: ast.expr | None) -> bool:
    plain = isinstance(expr, ast.Constant) and type(expr.value) in (int, float)
    return plain and isinstance(expr, ast.Constant) and expr.value == 0


def _rectifies(layer: ast.expr) -> bool:
    """Whether an expression makes a layer, or layers in a row, whose last step is a rectifier."""
    if not isinstance(layer, ast.Call):
        return False
    if called_name(layer) == "Sequential" and layer.args:
        last = layer.args[-1]
        items = last.elts if isinstance(last, (ast.List, ast.Tuple)) else [last]
        return bool(items) and _rectifies(items[-1])
    activation = string(argument(layer, -1, "activation"))
    return called_name(layer) in RECTIFIERS or activation in ("relu", "relu6")


# ---------------------------------------------------------------------- NaN and infinity
GUARDS = re.compile(
    r"eps|1e-|1e0?-|e-\d|\+ 0?\.0*[1-9]|clamp|clip|maximum|softplus|nan_to_num|where|safe"
    r"|\bmax\(|fmax|tiny|finfo"
    r"|stabil|\+ 1\b|\+ 1\.0|1\.0 \+|1 \+|logsumexp|replace\(|\bor 1",
    re.IGNORECASE,
)
REPAIRED = r"isinf|isnan|isfinite|nan_to_num|inf['\"]?\)?\]|[=!]= ?(?:float\(['\"])?(?:\w+\.)?inf"
"""How a result that is not finite is replaced after it was made."""
POSITIVE = frozenset({"exp", "softplus", "len", "cosh", "float", "int", "range"})
PROBABILITY = frozenset({"softmax", "sigmoid"})


def find_numerics(training: Training) -> Iterator[Clue]:
    """Yield operations that are undefined for values that can occur, and data that holds none."""
    columns = columns_of(training)
    for scope in training.functions:
        yield from _logs(training, scope, columns)
        yield from _roots(training, scope)
        yield from _quotients(training, scope, columns)
        yield from _empty_means(training, scope)


def columns_of(training: Training) -> dict[str, list[tuple[str, Column]]]:
    """Return the columns of the workspace's data files by name, each with its file."""
    columns: dict[str, list[tuple[str, Column]]] = {}
    listed = training.tables if training.tables is not None else training.case.workspace.files()
    files = [f for f in listed if f.endswith((".csv", ".tsv", ".jsonl"))]
    for file in files[:8]:
        table = training.case.workspace.table(file)
        for column in table.columns if table is not None else ():
            columns.setdefault(column.name, []).append((file, column))
    return columns


def _guarded(training: Training, scope: Scope, expr: ast.expr) -> bool:
    """Whether an expression, or what the names in it were last bound to, is kept off the edge."""
    words = [ast.unparse(expr)]
    for name in sorted({n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}):
        words.extend(
            ast.unparse(b.value) for b in scope.bindings.get(name, [])[-2:] if _real(b.value)
        )
    for node in (n for n in ast.walk(expr) if isinstance(n, ast.Attribute)):
        held = scope.owner.attributes.get(node.attr, []) if scope.owner is not None else []
        words.extend(ast.unparse(b.value) for _, b in held if _real(b.value))
    return any(GUARDS.search(ZERO_BOUND.sub("", w)) for w in words)


def _real(expr: ast.expr) -> bool:
    return type(expr).__module__ == "ast" or hasattr(ast, type(expr).__name__)


def _logs(
    training: Training, scope: Scope, columns: dict[str, list[tuple[str, Column]]]
) -> Iterator[Clue]:
    for call in scope.calls:
        if called_name(call) not in ("log", "log2", "log10", "Log") or not isinstance(
            call.func, ast.Attribute
        ):
            continue
        base = ast.unparse(call.func.value)
        inner = call.args[0] if call.args else call.func.value
        if base in ("logging", "wandb", "mlflow", "self", "logger", "self.logger"):
            continue
        if isinstance(inner, ast.Constant) or _positive(inner) or _guarded(training, scope, inner):
            continue
        named = _zero_columns(inner, columns, 0.0)
        probability = any(
            isinstance(n, ast.Call) and called_name(n) in PROBABILITY for n in ast.walk(inner)
        )
        why = f"{text(call)} is not defined at 0"
        if named:
            yield clue("strong", scope.file, call.lineno, f"{why}, and `{named}` holds such values")
        else:
            made = list(_made_zero(training, scope, inner, why))
            yield from made
            shown = not made and (probability or _probability_name(inner))
            yield clue("strong" if shown else "medium", scope.file, call.lineno, why)


def _made_zero(training: Training, scope: Scope, expr: ast.expr, what: str) -> Iterator[Clue]:
    """Yield what makes the operand zero of an operation that is not defined there."""
    for node, why in makers(training, scope, expr):
        yield clue("strong", node.file, node.line, f"{why}, and {what}")


def _positive(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Call) and called_name(expr) in POSITIVE


def _probability_name(expr: ast.expr) -> bool:
    return (
        re.search(r"prob|pred|y_hat|p_hat|out\b|yhat|\b1(?:\.0)? - ", ast.unparse(expr)) is not None
    )


def _zero_columns(
    expr: ast.expr, columns: dict[str, list[tuple[str, Column]]], bound: float
) -> str | None:
    """Return a column named in an expression that holds values not above ``bound``."""
    for node in ast.walk(expr):
        name = string(node) if isinstance(node, ast.expr) else None
        for _, column in columns.get(name or "", []):
            if column.minimum is not None and column.minimum <= bound:
                return column.name
    return None


def _roots(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find roots: they have no derivative at 0, and below it no value."""
    for call in scope.calls:
        name = called_name(call)
        root = name in (
            "sqrt",
            "norm",
            "arccos",
            "acos",
            "arcsin",
            "asin",
            "arctanh",
            "acosh",
        )
        if not root or not isinstance(call.func, ast.Attribute):
            continue
        base = ast.unparse(call.func.value)
        if name == "norm" and base in ("self", "cls"):
            continue  # A layer that normalizes, which the model holds by this name.
        inner = call.args[0] if call.args else call.func.value
        if base in ("math", "np", "numpy") and name != "sqrt":
            continue
        if isinstance(inner, ast.Constant) or base == "math" or _guarded(training, scope, inner):
            continue
        if _is_quotient_of_number(inner):
            continue
        numpy = base in ("np", "numpy") or "linalg.norm" in base
        sizes = re.search(r"dim|size|shape|d_k|d_model|width|hidden|fan|head", ast.unparse(inner))
        if sizes or re.search(r"grad|global", ast.unparse(call)):
            continue
        differences = re.search(r"\*\* ?2|square|sum|pow|dist|norm", ast.unparse(inner) + name)
        why = f"{text(call)} has no derivative at 0"
        yield from _made_zero(training, scope, inner, why)
        level = "strong" if differences and not numpy and name != "norm" else "medium"
        yield clue(level, scope.file, call.lineno, why)
    for powered, of, exponent in _powers(training, scope):
        if exponent not in (0.5, -0.5, 1.5, -1, -1.5) or _guarded(training, scope, of):
            continue
        if _is_repaired(training, scope, powered):
            continue
        why = f"{text(powered)} has no derivative (or no value) at 0 and below"
        # What is summed over pairs or members is 0 where there is none.
        counted = exponent < 0 and _denominator(scope, of) is not None
        yield clue("strong" if counted else "medium", scope.file, powered.lineno, why)


def _powers(training: Training, scope: Scope) -> Iterator[tuple[ast.expr, ast.expr, float]]:
    """Yield powers with a written exponent: the operation, its base and the exponent."""
    found: list[tuple[ast.expr, ast.expr, ast.expr]] = [
        (node, node.left, node.right)
        for node in _own(training, scope, OPERATIONS)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    ]
    for call in scope.calls:
        name = called_name(call)
        method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
        if name in ("pow", "pow_", "power") and isinstance(call.func, ast.Attribute) and call.args:
            base = call.func.value if method else call.args[0]
            found.append((call, base, call.args[-1]))
        elif name in ("rsqrt", "reciprocal") and isinstance(call.func, ast.Attribute):
            base = call.args[0] if call.args else call.func.value
            found.append((call, base, ast.Constant(-1 if name == "reciprocal" else -0.5)))
    for node, base, exponent in found:
        power = exponent
        negative = isinstance(power, ast.UnaryOp) and isinstance(power.op, ast.USub)
        if isinstance(power, ast.UnaryOp) and negative:
            power = power.operand
        value = power.value if isinstance(power, ast.Constant) else None
        if isinstance(value, (int, float)):
            yield node, base, float(value) * (-1 if negative else 1)


def _is_repaired(training: Training, scope: Scope, node: ast.expr) -> bool:
    """Whether a later statement of the function replaces what is not finite in a result."""
    statement = training.statement(scope, node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [ast.unparse(target) for target in targets]
    lines = training.case.workspace.lines(scope.file)
    after = lines[node.lineno : getattr(scope.node, "end_lineno", None) or len(lines)]
    return any(name in line and re.search(REPAIRED, line) for name in names for line in after)


def _own(training: Training, scope: Scope, group: Group) -> Iterator[ast.AST]:
    """Yield a function's nodes of a group without those of the functions inside it."""
    for node in training.nodes(scope, group):
        if training.owns(scope, node):
            yield node


def _quotients(
    training: Training, scope: Scope, columns: dict[str, list[tuple[str, Column]]]
) -> Iterator[Clue]:
    constant = sorted(
        name
        for name, held in columns.items()
        if any(c.minimum is not None and c.minimum == c.maximum and c.numbers > 5 for _, c in held)
    )
    zeros = {n for n in columns if _holds_zero(columns[n])}
    for node in _own(training, scope, OPERATIONS):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            alike = type(node.left) is type(node.right) is not ast.Constant
            if alike and ast.dump(node.left) == ast.dump(node.right):
                yield clue("strong", scope.file, node.lineno, f"{text(node)} is always 0")
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Div, ast.FloorDiv)):
            continue
        below = node.right
        if isinstance(below, ast.Constant) or _guarded(training, scope, below):
            continue
        kind = _denominator(scope, below)
        keys = {string(n) for n in ast.walk(below) if isinstance(n, ast.Constant)}
        why = f"{text(below)} may be 0"
        if keys & zeros:
            yield clue("strong", scope.file, node.lineno, f"{why}: the column holds zeros")
        elif kind == "spread":
            level = "strong" if constant else "medium"
            more = (
                f": column `{constant[0]}` never changes"
                if constant
                else " for a column that never changes"
            )
            if isinstance(below, ast.Call) and not below.args and not below.keywords:
                more = " where all values are equal"
            yield clue(level, scope.file, node.lineno, why + more)
        elif kind == "count":
            yield clue("strong", scope.file, node.lineno, f"{why}: nothing may be chosen")
        elif kind is not None:
            yield clue("medium", scope.file, node.lineno, why)
        if kind != "spread":
            yield from _made_zero(training, scope, below, why)


CHOSEN = re.compile(r"mask|valid|keep|select|\bpos\b|\bneg\b|positive|negative|observed|[<>]|==")
"""What chooses some members of an array, of which there may be none."""


def _empty_means(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find means over members that a mask chooses: of none there is no mean."""
    for node in _own(training, scope, SUBSCRIPTS):
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Constant, ast.Slice)):
            continue
        around = training.parent(scope, node)
        if isinstance(around, ast.Attribute):
            around = training.parent(scope, around)
        means = isinstance(around, ast.Call) and called_name(around) in ("mean", "reduce_mean")
        if means and CHOSEN.search(ast.unparse(node.slice)):
            why = f"{text(node)} may be empty, and the mean of nothing is NaN"
            yield clue("medium", scope.file, node.lineno, why)


def _holds_zero(held: list[tuple[str, Column]]) -> bool:
    return any(c.minimum is not None and c.minimum <= 0 <= (c.maximum or 0) for _, c in held)


def _held_words(scope: Scope, expr: ast.expr) -> str:
    """Return what the attributes of an expression were bound to in the class, as written."""
    attributes = scope.owner.attributes if scope.owner is not None else {}
    names = sorted({n.attr for n in ast.walk(expr) if isinstance(n, ast.Attribute)})
    held = [b for name in names for _, b in attributes.get(name, [])[-1:]]
    return " ".join(ast.unparse(b.value) for b in held if _real(b.value))


def _denominator(scope: Scope, expr: ast.expr) -> str | None:
    """Say what a denominator is: a spread, a count, a sum or norm, or nothing suspicious."""
    words = ast.unparse(expr)
    for name in sorted({n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}):
        words += " " + " ".join(
            ast.unparse(b.value) for b in scope.bindings.get(name, [])[-1:] if _real(b.value)
        )
    words = f"{words} {_held_words(scope, expr)}"
    if re.search(r"\bexp\(", words):
        # A sum of exponentials is above 0; where it overflows, `_overflow` says so.
        return None
    if re.search(r"\bstd\b|\.std\(|\bscale_?\b|\bsd\b|sigma|stddev|var\(", words):
        return "spread"
    if re.search(r"max\(?\)? ?- ?|\bptp\b|range_|span", words) and "-" in words:
        return "spread"
    if re.search(r"sum\(", words) and re.search(r"mask|valid|[!=]= ", words):
        return "count"
    return (
        "sum"
        if re.search(
            r"\.sum\(|reduce_sum|\bnorm\b|\.norm\(|count|total|mask|\.mean\("
            r"|\.a?max\((?!.*,)|\b(?:np|numpy|jnp|torch)\.a?max\(",
            words,
        )
        else None
    )


MAKES_NAN = {
    "shift": "the first rows have no value",
    "pct_change": "the first row has no value, a former zero gives infinity",
    "diff": "the first row has no value",
    "rolling": "the first windows are not full",
    "merge": "rows without a partner get no value",
    "join": "rows without a partner get no value",
    "reindex": "new rows get no value",
    "resample": "empty intervals get no value",
    "pivot": "combinations that never occur get no value",
    "pivot_table": "combinations that never occur get no value",
    "asfreq": "missing times get no value",
}


FILLS_NAN = ("fillna", "dropna", "ffill", "bfill", "interpolate", "nan_to_num", "SimpleImputer",
             "KNNImputer", "nanmean", "nanstd", "backfill", "pad")  # fmt: skip


def find_missing(training: Training) -> Iterator[Clue]:
    """Yield where NaN and infinity come into the data or into the sums."""
    yield from _overflow(training)
    yield from _missing_values(training, columns_of(training))


def _overflow(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("exp", "expm1", "cosh", "sinh"):
        inner = ast.unparse(call)
        if isinstance(call.func, ast.Attribute) and not re.search(
            r"math|clamp|clip|max|minimum|\(-", inner
        ):
            if call.args and _guarded(training, scope, call.args[0]):
                continue
            level = (
                "medium" if re.search(r"logit|x\b|score|logvar|log_var|out|pred", inner) else "weak"
            )
            why = f"{text(call)} has no upper bound"
            if _is_normalised(training, scope, call):
                level, why = "strong", f"{why}, and infinity divided by infinity is NaN"
            yield clue(level, scope.file, call.lineno, why)
    scaled = any(n in training.by_name for n in ("GradScaler", "LossScaleOptimizer"))
    if not scaled:
        for scope, call in training.named("half", "set_global_policy", "autocast"):
            words = ast.unparse(call)
            if called_name(call) == "half" or ("float16" in words and "bfloat16" not in words):
                why = f"{text(call)}: beyond 65504 half precision holds no number"
                yield clue("medium", scope.file, call.lineno, why)
    for scope, call in training.named("masked_fill", "masked_fill_", "full"):
        if re.search(
            r"-\s?(?:float\(['\"]inf|(?:np|torch|jnp|math)\.inf)|'-inf'", ast.unparse(call)
        ):
            why = "a row that is masked altogether has no softmax"
            yield clue("medium", scope.file, call.lineno, why)
    clipped = any("clip" in n for n in training.by_name) or any(
        k.arg and "clip" in k.arg for _, c in training.calls for k in c.keywords
    )
    if not clipped:
        for scope, call in training.named("LSTM", "GRU", "RNN", "SimpleRNN"):
            yield clue("weak", scope.file, call.lineno, "nothing bounds the gradients through time")
    for scope, call in training.named(*("Adam", "AdamW", "RMSprop")):
        eps = keyword(call, "eps") or keyword(call, "epsilon")
        for origin in training.origins(scope, eps) if eps is not None else ():
            if origin.value < 1e-12:
                yield clue("strong", origin.file, origin.line, "nothing keeps the quotient off 0")


def _is_normalised(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an exponential is divided by a sum of exponentials, as a softmax by hand does."""
    statement = training.statement(scope, call)
    names = {ast.unparse(call)}
    if isinstance(statement, ast.Assign) and statement.value is call:
        names.update(ast.unparse(target) for target in statement.targets)
    for node in _own(training, scope, OPERATIONS):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            above, below = ast.unparse(node.left), ast.unparse(node.right)
            if above in names and "sum(" in below and any(name in below for name in names):
                return True
    return False


def _missing_values(
    training: Training, columns: dict[str, list[tuple[str, Column]]]
) -> Iterator[Clue]:
    filled = [n for n in FILLS_NAN if n in training.by_name]
    holes = [(f, c) for held in columns.values() for f, c in held if c.empty_lines or c.odd]
    tabular = bool({"pandas", "polars"} & training.imported)
    for scope, call in training.named(*MAKES_NAN):
        if not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.Constant):
            continue
        inner = keyword(call, "how")
        if called_name(call) in ("merge", "join") and string(inner) in (None, "inner"):
            continue
        if called_name(call) == "join" and ("path" in ast.unparse(call) or inner is None):
            continue
        if tabular and not re.search(r"torch|random|index", ast.unparse(call.func)):
            level = "weak" if filled else "medium"
            why = f"{text(call)}: {MAKES_NAN[called_name(call)]}"
            yield clue(level, scope.file, call.lineno, why)
    for scope, call in training.named("to_numeric", "to_datetime"):
        if string(keyword(call, "errors")) == "coerce":
            why = f"{text(call)} turns what it cannot read into NaN"
            yield clue("weak" if filled else "strong", scope.file, call.lineno, why)
    for scope, call in training.named("map"):
        mapping = call.args[0] if call.args and isinstance(call.func, ast.Attribute) else None
        written = isinstance(mapping, (ast.Name, ast.Attribute, ast.Dict))
        if tabular and written and not filled:
            why = f"{text(call)} gives NaN for what the mapping lacks"
            yield clue("weak", scope.file, call.lineno, why)
    if holes and not filled:
        for scope, call in training.named("read_csv", "genfromtxt", "read_table", "loadtxt"):
            why = f"`{holes[0][1].name}` has rows without a number, and nothing fills them"
            as_text = ast.unparse(keyword(call, "dtype") or call.func) == "str"
            yield clue("weak" if as_text else "strong", scope.file, call.lineno, why)
        for file, column in holes[:6]:
            line = column.empty_lines[0] if column.empty_lines else column.odd[0][0]
            yield clue("medium", file, line, f"`{column.name}` holds no number here")


def _is_quotient_of_number(node: ast.expr) -> bool:
    """Whether an expression divides a number: ``2 / n`` is never 0."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.left, ast.Constant)
        and bool(node.left.value)
    )
