"""Python types: where the slice makes the None, the list or the float that the message names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import CODE, follow
from dl_bug_lsp.evidence.value_flow import shown
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.binder import open_ends
from dl_bug_lsp.provenance.nodes import Const, Function, LibraryObject
from dl_bug_lsp.provenance.scopes import ElementOf, Scope, called_name
from dl_bug_lsp.provenance.slices import Property, Step

IN_PLACE = {
    "append",
    "extend",
    "sort",
    "reverse",
    "update",
    "shuffle",
    "insert",
    "clear",
    "add",
    "backward",
    "step",
    "zero_grad",
    "load_state_dict_",
    "print",
    "seed",
    "manual_seed",
    "fit_",
}
MAY_MISS = {"get", "match", "search", "fullmatch", "find_spec", "getenv", "pop", "getmodule"}
WITH_DEFAULT = {"get", "getenv", "pop"}
DISPLAYS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
    ast.JoinedStr: "str",
}
METHOD_TYPES = {
    "tolist": "list",
    "split": "list",
    "keys": "dict_keys",
    "values": "dict_values",
    "items": "dict_items",
    "item": "float",
    "join": "str",
    "strip": "str",
    "lower": "str",
    "format": "str",
    "numpy": "numpy.ndarray",
    "readlines": "list",
    "read": "str",
    "read_text": "str",
    "dict": "dict",
}
EXPONENT = re.compile(r"[-+]?\d[\d_]*(?:\.\d*)?[eE][-+]?\d+")
"""Numbers that YAML 1.1 takes for text: those without a dot, or without a sign behind the ``e``."""
OF_SIZES = {"tensor_mismatch", "illegal_index", "key_not_found", "path_not_found"}
"""Categories of failures that a text in place of a number does not end in."""
OVERLOADS = "invalid combination of arguments"
MOST_EXPECTED = 3
"""A message that names more types lists what would do."""
NO_INDEX = {"NoneType", "float"}
"""Types that index no container: where one does, the container is what it should be."""
CALL_TYPES = {"list", "tuple", "dict", "set", "float", "int", "str", "bool", "map", "zip", "range"}


def find(case: Case) -> Iterator[Clue]:
    """Yield the steps that make a value of the type that the message complains about."""
    yield from _numbers_as_text(case)
    yield from _options_as_text(case)
    yield from _results(case)
    wanted = named_types(case)
    none = (
        case.category.id == "null_reference"
        or "NoneType" in case.message
        or any("None" in str(f.value).split("/") for f in case.facts.of(FactKind.PATH))
    )
    if not wanted and not none:
        return
    missing = {str(fact.value) for fact in case.facts.of(FactKind.ATTRIBUTE)}
    if "not callable" in case.message:
        missing |= wanted  # The call of such a name is what failed.
    about_type = {id(step.node) for step in case.property_steps if step.asked & Property.TYPE}
    for depth, steps in enumerate((case.raise_slice, *case.outer_slices)):
        for step in steps:
            if step.node.line <= 0 or (depth and step.before is None):
                # What an outer frame's statement as a whole gives is not what went wrong inside.
                continue
            if none:
                yield from _none(step)
            if id(step.node) in about_type:
                yield from _made(step, wanted - {"NoneType"}, missing)
            yield from _whole_batch(step, wanted)
            yield from _not_unpacked(step, wanted)


OF_RESULTS = re.compile(
    r"\b(\w+)\W{0,3} (?:must|should|has to|needs to|is expected to|did not|does not) return\b"
)
"""How libraries complain of what a function of the program returns, by its name."""
COUNTED_RESULTS = re.compile(
    r"\b(?:returns|returned|yields|got|has) (\d{1,2}) (?:values|items|elements|outputs)"
)


def _results(case: Case) -> Iterator[Clue]:
    """Yield the ``return`` statements of the function of whose result the message complains."""
    message = "\n".join(cause.message for cause in case.failure.causes)[:MOST_TEXT]
    names = set(OF_RESULTS.findall(message))
    counts = {int(count) for count in COUNTED_RESULTS.findall(message)}
    found: list[tuple[str, int, str, bool]] = []
    for file in case.code_files if names else ():
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name in names:
                for statement in ast.walk(node):
                    if isinstance(statement, ast.Return):
                        value = statement.value
                        fits = isinstance(value, ast.Tuple) and len(value.elts) in counts
                        found.append((file, statement.lineno, node.name, fits))
    best = [item for item in found if item[3]] or found
    share = OF_SETTINGS_IN_RESULT if best and _is_result_of_settings(case) else 1.0
    for file, line, name, _ in best:
        why = f"`{name}`, of whose result the message complains, returns here"
        yield Clue("types.result", file, line, share / len(best) ** 0.5, why)


OF_SETTINGS_IN_RESULT = 0.4
"""What a ``return`` counts that only works out a number of settings: one of these may be wrong."""


def _is_result_of_settings(case: Case) -> bool:
    """Whether the followed run refuses a number, and settings of the run made it."""
    raised = follow(case).raised if case.places else None
    if raised is None or raised.weight < 1.0 or raised.what != "value":
        return False
    numbers = [side for side in raised.sides if type(side.data) is int]
    return any(not file.endswith(CODE) for side in numbers for file, _ in side.origins)


MOST_TEXT = 4_000


def _in_place(shuffle: ast.Call) -> bool:
    """Whether ``shuffle`` is a generator's (``random.shuffle(x)``); a data set's returns one."""
    receiver = ast.unparse(shuffle.func)[: -len(".shuffle")].rpartition(".")[2]
    return bool(RANDOM.search(receiver))


RANDOM = re.compile(r"(?i)random|rng|gen")
"""Names of generators of random numbers."""


def is_none(expr: ast.expr) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(expr, ast.Constant) and expr.value is None


def named_types(case: Case) -> set[str]:
    """Return the types that the message names.

    What it only implies (``float`` of "could not convert string to float") and a list of all that
    would do name no value that is at hand.
    """
    if OVERLOADS in case.message or case.category.id == "illegal_index":
        # Of "list index out of range" the list is what it should be.
        return set()
    facts = case.facts.of(FactKind.CLASS)
    if any(f.role is Role.ACTUAL and str(f.value) in NO_INDEX for f in facts):
        # Of "list indices must be integers or slices, not NoneType", too.
        facts = tuple(f for f in facts if f.role is not Role.OWNER)
    expected = [f for f in facts if f.role is Role.EXPECTED]
    drop = len(expected) > MOST_EXPECTED
    named = {str(f.value) for f in facts if f.role is not Role.EXPECTED or (f.text and not drop)}
    if OF_OPERANDS.search(case.message) and named & NUMERIC and named & NO_OPERANDS:
        # Of "unsupported operand type(s) for +: 'float' and 'tuple'" the number is as it should be.
        return named & NO_OPERANDS
    return named


OF_OPERANDS = re.compile(r"unsupported operand type|not supported between instances of")
NUMERIC = {"int", "float", "Tensor", "ndarray", "float32", "float64", "int64"}
NO_OPERANDS = {
    *("tuple", "list", "dict", "set", "str", "NoneType", "method", "function", "type"),
    *("builtin_function_or_method", "generator", "module"),
}
"""Types of objects with which a program seldom means to calculate."""


def _none(step: Step) -> Iterator[Clue]:
    node = step.node
    expr = node.expr
    if node.entry is None and isinstance(expr, ast.Constant) and expr.value is None:
        ends = any(expr is empty for empty in node.context.scope.empty_returns)
        scope = node.context.scope
        why = f"`{scope.name}` may end here without a value" if ends else _none_here(scope, expr)
        yield Clue("types.none", node.file, node.line, 0.8, why)
    elif isinstance(expr, ast.Call):
        name = called_name(expr)
        # `dict.pop` and `get` give their second argument; without one `pop` raises.
        given = name in WITH_DEFAULT and len(expr.args) > 1 and not is_none(expr.args[1])
        if name in MAY_MISS and not given and (name != "pop" or len(expr.args) > 1):
            why = f"`{node.text}` gives None when it finds nothing"
            yield Clue("types.none", node.file, node.line, 1.0, why)
        elif name in IN_PLACE and not (name == "shuffle" and not _in_place(expr)):
            if step.before is None:
                return  # What the failing expression returns nobody has seen.
            why = f"`{shown(node)}` works in place and returns None"
            yield Clue("types.none", node.file, node.line, 1.0, why)
        callee = node.engine.node(expr.func, node.context)
        for value in callee.values:
            if isinstance(value, Function):
                yield from _without_return(value.scope)
    elif any(isinstance(v, Const) and v.value is None for v in node.values):
        yield Clue("types.none_passed", node.file, node.line, 0.5, f"`{node.text}` may be None")


def _none_here(scope: Scope, expr: ast.expr) -> str:
    """Say what is None here: a name, or a parameter that is not given."""
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            if binding.value is expr:
                return f"`{name}` is set to None here{_only_if_less(scope, name, binding.line)}"
    for inner in scope.walk():
        for parameter in inner.parameters():
            if inner.default_of(parameter.arg) is expr:
                return f"`{parameter.arg}` is None here unless it is given"
    if any(inner_expr is expr for inner in scope.walk() for inner_expr in inner.returns):
        return "None is returned here"
    return "None is written here"


def _only_if_less(scope: Scope, name: str, line: int) -> str:
    """Say under which comparison alone a name is set again; with NaN none is ever true."""
    later = [b for b in scope.bindings[name] if b.line > line]
    tests = [t for b in later for t in scope.tests_at(b.line)[-1:]]
    compared = [t for t in tests if isinstance(t, ast.Compare) and isinstance(t.ops[0], ORDERED)]
    if not later or len(compared) != len(later) or len({ast.unparse(t) for t in compared}) > 1:
        return ""
    return f", and again only where `{ast.unparse(compared[0])}`, which is never true of NaN"


ORDERED = (ast.Lt, ast.Gt, ast.LtE, ast.GtE)


def _without_return(scope: Scope) -> Iterator[Clue]:
    """Yield a function that may end without returning a value."""
    node = scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or scope.yields:
        return
    if _ends(node.body):
        return
    name = scope.name
    if any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node)):
        for dropped in _dropped(node):
            why = f"`{name}` makes a value here and does not return it"
            yield Clue("types.dropped_value", scope.file, dropped.lineno, 1.0, why)
    why = f"`{name}` can end without a return, and then gives None"
    for last in open_ends(node.body) or node.body[-1:]:
        yield Clue("types.no_return", scope.file, last.end_lineno or last.lineno, 1.0, why)
    yield Clue("types.no_return_def", scope.file, node.lineno, 0.7, why)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and inner.value is None:
            yield Clue("types.no_return", scope.file, inner.lineno, 1.0, why)


def _dropped(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the calls that end a branch as a statement, though other branches return."""
    for inner in ast.walk(node):
        for body in (getattr(inner, "body", None), getattr(inner, "orelse", None)):
            if not isinstance(body, list) or not body or not isinstance(body[-1], ast.Expr):
                continue
            if isinstance(body[-1].value, ast.Call) and called_name(body[-1].value) not in IN_PLACE:
                yield body[-1]


def _ends(body: list[ast.stmt]) -> bool:
    """Whether a block always returns a value or raises."""
    last = body[-1]
    if isinstance(last, ast.Return):
        return last.value is not None
    if isinstance(last, ast.Raise):
        return not any(_falls_through(statement) for statement in body[:-1])
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _ends(last.body)
    if isinstance(last, ast.Try):
        return _ends(last.finalbody or last.orelse or last.body) and all(
            _ends(h.body) for h in last.handlers
        )
    return isinstance(last, ast.While) and isinstance(last.test, ast.Constant)


def _falls_through(statement: ast.stmt) -> bool:
    """Whether a branch of an ``if`` ends in a dropped call instead of a return."""
    return isinstance(statement, ast.If) and any(True for _ in _dropped(statement))


def _made(step: Step, wanted: set[str], missing: set[str]) -> Iterator[Clue]:
    node = step.node
    made = made_type(node.expr) if node.entry is None else _config_type(step)
    if made is None or _is_operand(step) or _names_option(node.expr):
        return
    called = called_name(node.expr) if isinstance(node.expr, ast.Call) else ""
    if called and called in missing:
        return  # The call itself is what the object has not.
    for name in sorted(wanted):
        if name == made or name.rpartition(".")[2] == made.rpartition(".")[2]:
            article = "an" if made[0] in "aeiou" else "a"
            verb = "is" if isinstance(node.expr, ast.Constant) else "makes"
            why = f"`{node.text}` {verb} {article} {made}, the type that the message names"
            yield Clue("types.made", node.file, node.line, 1.0, why)


def _names_option(expr: object) -> bool:
    """Whether an expression is the name of an option of a command line, which is no value."""
    text = expr.value if isinstance(expr, ast.Constant) else None
    return isinstance(text, str) and text.startswith("-") and text.lstrip("-")[:1].isalpha()


def _is_operand(step: Step) -> bool:
    """Whether a step is a number that is written in a computation: its type is meant."""
    expr = step.node.expr
    if not isinstance(expr, ast.Constant) or isinstance(expr.value, str):
        return False
    before = step.before.node.expr if step.before is not None else None
    return not isinstance(before, (ast.Name, ast.Attribute))


def _whole_batch(step: Step, wanted: set[str]) -> Iterator[Clue]:
    """Find a loader's batch that is used whole: it is a list or tuple, not a tensor."""
    expr = step.node.expr
    if not wanted & {"list", "tuple", "dict"} or step.before is None:
        return
    if isinstance(expr, ast.Name) and expr.id == "batch" and not step.node.values:
        why = "`batch` is used whole, though a batch is mostly a list or dict of tensors"
        yield Clue("types.whole_batch", step.node.file, step.node.line, 1.0, why)
    if not isinstance(expr, ElementOf):
        return
    counted = isinstance(expr.value, ast.Call) and called_name(expr.value) == "enumerate"
    if sum(role == "item" for role in step.roles) > counted:
        # What is taken out of the batch is no whole batch.
        return
    source = step.node.engine.node(expr.value, step.node.context)
    if any(isinstance(v, LibraryObject) and "Loader" in v.name for v in source.values):
        for link in step.way()[-3:]:
            why = f"`{link.node.text}` is a whole batch, a list of what the dataset gives"
            yield Clue("types.whole_batch", link.node.file, link.node.line, 1.0, why)


def _options_as_text(case: Case) -> Iterator[Clue]:
    """Find options that their parser reads as text and the failing line has the names of.

    Where a text is expected and None came, those that the command may leave out.
    """
    if "str" not in named_types(case) or not case.places:
        return
    classes = case.facts.of(FactKind.CLASS)
    is_left_out = any(f.role is Role.ACTUAL and f.value == "NoneType" for f in classes)
    place = case.places[-1]
    used = set(re.findall(r"\w+", case.workspace.source_line(place.file, place.line)))
    for file in case.code_files:
        tree = case.workspace.tree(file) if "--" in (case.workspace.text(file) or "") else None
        for call in ast.walk(tree) if tree is not None else ():
            if not isinstance(call, ast.Call):
                continue
            given = [n for arg in call.args[:2] for n in ast.walk(arg)]
            texts = [n.value for n in given if isinstance(n, ast.Constant)]
            names = {t.lstrip("-").replace("-", "_") for t in texts if _is_option(t)}
            types = [k.value for k in call.keywords if k.arg == "type"]
            is_text = (
                isinstance(types[0], ast.Name) and types[0].id == "str"
                if types
                else (
                    called_name(call) == "add_argument"
                    and not {"action", "choices"} & {k.arg for k in call.keywords}
                )
            )
            shared = sorted(names & used)
            if is_left_out and {"default", "required", "action"} & {k.arg for k in call.keywords}:
                continue
            if shared and is_text:
                name = shared[0]
                why = f"`--{name}` is read as text, and the failing line uses `{name}`"
                if is_left_out:
                    why = f"`--{name}` has no default: it is None where the command leaves it out"
                yield Clue("types.number_as_text", file, call.lineno, 1.0, why)


def _is_option(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and text.startswith("--")


OMEGACONF = re.compile(r"^\s*(?:import|from) (?:omegaconf|hydra)\b", re.MULTILINE)


def _numbers_as_text(case: Case) -> Iterator[Clue]:
    """Find settings that look like numbers and are read as text (``5e-4`` in YAML 1.1)."""
    reached = {(step.node.file, step.node.line) for step in case.raise_slice}
    wanted = "str" in named_types(case)
    if any(OMEGACONF.search(case.workspace.text(file) or "") for file in case.code_files):
        # It reads numbers with exponents as YAML 1.2 does (OmegaConf's `get_yaml_loader`).
        return
    for entry in case.config_entries:
        value = entry.value
        if not isinstance(value, str) or entry.text[:1] in ("'", '"'):
            continue
        if not entry.file.endswith((".yaml", ".yml")) or not EXPONENT.fullmatch(value):
            continue
        is_sure = wanted or (entry.file, entry.line) in reached
        if not is_sure and case.category.id in OF_SIZES:
            continue
        score = 1.0 if is_sure else 0.6
        why = f"`{entry.key}: {entry.text}` looks like a number and is read as text"
        yield Clue("types.number_as_text", entry.file, entry.line, score, why)


def _not_unpacked(step: Step, wanted: set[str]) -> Iterator[Clue]:
    """Find a function that returns a tuple whose parts are not taken apart where it is called."""
    node = step.node
    if node.entry is not None or not isinstance(node.expr, ast.Call):
        return
    if not step.roles or step.roles[-1] != "definition" or not wanted & {"tuple", "dict", "list"}:
        return
    returned = [child.expr for role, child in node.inputs if role == "return"]
    if any(isinstance(expr, ast.Tuple) and len(expr.elts) > 1 for expr in returned):
        why = f"`{node.text}` gives several values, which are kept as one"
        yield Clue("types.not_unpacked", node.file, node.line, 1.0, why)


def _config_type(step: Step) -> str | None:
    entry = step.node.entry
    if entry is None or entry.length is not None:
        return None
    return type(entry.value).__name__


def made_type(expr: ast.expr) -> str | None:
    """Return the type that an expression makes, where its syntax tells."""
    if type(expr) in DISPLAYS:
        return DISPLAYS[type(expr)]
    if isinstance(expr, ast.Constant):
        return type(expr.value).__name__
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        if isinstance(expr.func, ast.Name) and name in CALL_TYPES:
            return name
        if name in ("getenv", "input") or _reads_environment(expr.func):
            return "str"
        if isinstance(expr.func, ast.Attribute):
            return METHOD_TYPES.get(name)
    return None


def _reads_environment(function: ast.expr) -> bool:
    """Whether a called expression goes through a name of the environment's variables."""
    for part in ast.walk(function):
        text = getattr(part, "id", None) or getattr(part, "attr", None)
        if text is None and isinstance(part, ast.Constant):
            text = part.value
        if isinstance(text, str) and "environ" in text:
            return True
    return False
