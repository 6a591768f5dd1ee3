"""Calls compared with definitions: arguments that do not fit, results that do not exist.

Arguments are compared with parameters by name and by number; arguments in the wrong order show in
their names (Pradel and Sen, DeepBugs, OOPSLA 2018). Where call and definition contradict each
other, the other calls of the function decide.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import callees_of_nothing, own_nodes, source
from dl_bug_lsp.evidence.repairs import repair_context
from dl_bug_lsp.evidence.repairs.repair_context import (
    FUNCTIONS,
    body_of,
    functions_called,
    names_read,
    targets,
)
from dl_bug_lsp.evidence.repairs.replacements import SPLITS
from dl_bug_lsp.evidence.word_index import HELD_FILES, parts_of
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import calls as calling
from dl_bug_lsp.provenance.blocks import fields_of
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.names import BUILTINS
from dl_bug_lsp.provenance.nodes import Class, Function, Items, Library
from dl_bug_lsp.provenance.scopes import ElementOf, Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.provenance.stack import header_expressions, statement_at
from dl_bug_lsp.workspace.elements import syntax_of

MOST_CALLS = 120
MOST_CALLERS = 24
VALUE_STEPS = 60
NAMES_OF_NAMES = 4
NOT_CALLED = {"method", "builtin_function_or_method", "function", "method_descriptor"}


def find_arguments(case: Case) -> Iterator[Clue]:
    """Yield calls and definitions that one edit would make fit."""
    family = (case.facts.family or "").rpartition(".")[2]
    if family in {"call_missing", "call_count", "call_twice"}:
        yield from _arity(case)
        yield from _class_for_object(case)
    if family in {"unpack_many", "unpack_few"}:
        yield from _unpacking(case)
    yield from _not_called(case)
    yield from _parameters_in_another_order(case)
    for call in _calls(case):
        yield from _swapped(case, call)
        yield from _mixed_sets(case, call)


def _calls(case: Case) -> list[Node]:
    """Return the calls that the stack and the slices touch, each expression once.

    An argument on the way brings the call that it is handed to.
    """
    found: dict[int, Node] = {}
    for site in reversed(case.sites):
        for start in site.nodes:
            for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
                found.setdefault(id(call), start.engine.node(call, start.context))
    for step in case.raise_slice:
        if step.node.entry is None:
            for call in (n for n in ast.walk(step.node.expr) if isinstance(n, ast.Call)):
                found.setdefault(id(call), step.node.engine.node(call, step.node.context))
    for step in case.raise_slice:
        node = step.node
        statement = None
        if node.entry is None and node.line > 0:
            statement = statement_at(node.engine, node.file, node.line)
        for head in header_expressions(statement) if statement is not None else ():
            for call in (n for n in ast.walk(head) if isinstance(n, ast.Call)):
                if any(node.expr is given for given in call.args):
                    found.setdefault(id(call), node.engine.node(call, node.context))
    return list(found.values())[:MOST_CALLS]


def _arity(case: Case) -> Iterator[Clue]:
    """Hold the failing call against the other calls of the same function."""
    missing = {str(f.value) for f in case.facts.of(FactKind.ARGUMENT, Role.EXPECTED)}
    place = case.places[-1] if case.places else None
    for scope in functions_called(case) or _named(case):
        parameters = scope.parameters()
        first = parameters[0].arg if parameters else ""
        static = {"staticmethod", "classmethod"} & set(scope.decorators())
        if scope.owner is not None and first not in ("self", "cls") and not static:
            why = f"`{scope.name}` is a method and does not take `self`"
            edit = Suggestion(scope.file, scope.line, "(", "(self, ")
            yield Clue("repair.self", scope.file, scope.line, 1.0, why, edit)
            continue
        good, bad = _other_callers(case, scope, missing)
        share = (good + 0.5) / (good + bad + 1.0)
        if not missing and _reads_unbound(scope):
            # Its body reads what no parameter gives any more.
            share = 0.1
        if place is not None:
            why = f"this call does not fit what `{scope.name}` takes"
            if good:
                why += ", the other call does" if good == 1 else f", {good} other calls do"
            yield Clue("repair.call", place.file, place.line, share, why)
        why = f"`{scope.name}` does not take what {bad + 1} of {good + bad + 1} calls hand over"
        yield Clue("repair.definition", scope.file, scope.line, 1.0 - share, why)
        yield from _unmatched(case, scope, missing)


def _reads_unbound(scope: Scope) -> bool:
    """Whether a function reads a name that nothing around it binds."""
    known: set[str] = set(BUILTINS)
    at: Scope | None = scope
    while at is not None:
        known.update(at.bindings, at.functions, at.classes, at.imports)
        known.update(p.arg for p in at.parameters())
        if at.stars:
            return False
        arguments = getattr(at.node, "args", None)
        stars = (getattr(arguments, word, None) for word in ("vararg", "kwarg"))
        known.update(star.arg for star in stars if star is not None)
        at = at.parent
    stored = {
        n.id
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    read = {name for name in names_read(scope.node) if "." not in name}
    inner = {a.arg for n in ast.walk(scope.node) if isinstance(n, ast.arguments) for a in n.args}
    return bool(read - known - stored - inner)


def _named(case: Case) -> list[Scope]:
    """Return the function that the message names, where a library calls it."""
    wanted = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.FUNCTION, Role.OWNER)}
    found: list[Scope] = []
    for file in case.code_files[:40]:
        module = case.engine.program.module(file)
        scopes = module.walk() if module is not None else iter(())
        found.extend(
            scope
            for scope in scopes
            if scope.name.rpartition(".")[2] in wanted and isinstance(scope.node, ast.FunctionDef)
        )
    return found if len(found) == 1 else []


def _other_callers(case: Case, scope: Scope, missing: set[str]) -> tuple[int, int]:
    """Return how many other calls of a function fit it and how many do not."""
    short = scope.name.rpartition(".")[2]
    method = scope.owner is not None
    if method and short == "__init__" and scope.owner is not None:
        short = scope.owner.name.rpartition(".")[2]
    place = case.places[-1] if case.places else None
    defaults = {p.arg for p in scope.parameters() if scope.default_of(p.arg) is not None}
    good = bad = 0
    for caller, call in case.engine.program.callers(short)[:MOST_CALLERS]:
        if place is not None and (caller.file, call.lineno) == (place.file, place.line):
            continue
        if any(k.arg is None for k in call.keywords) or any(
            isinstance(a, ast.Starred) for a in call.args
        ):
            continue
        context = case.engine.open_context(caller)
        bound = calling.bind(case.engine, scope, call, context, method)
        names = [p.arg for p in scope.parameters()][1 if method else 0 :]
        wanted = missing or {n for n in names if n not in defaults}
        fits = wanted <= bound.keys() and len(call.args) <= len(names)
        good, bad = good + fits, bad + (not fits)
    return good, bad


def _unmatched(case: Case, scope: Scope, missing: set[str]) -> Iterator[Clue]:
    """Find tables handed over with ``**`` that lack the argument."""
    for start in case.starts:
        for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
            for keyword in call.keywords:
                if keyword.arg is not None or not missing:
                    continue
                table = start.engine.node(keyword.value, start.context)
                for step in backward_slice([table], VALUE_STEPS):
                    node = step.node
                    listed = isinstance(node.expr, ast.Dict) or (
                        isinstance(node.expr, ast.Call) and called_name(node.expr) == "dict"
                    )
                    if (listed or node.entry is not None) and node.line > 0:
                        why = f"`{node.text}` lacks `{min(missing)}`, which `{scope.name}` needs"
                        near = 1 / (1 + step.distance / 4)
                        yield Clue("missing.key", node.file, node.line, 0.7 * near, why)


def _class_for_object(case: Case) -> Iterator[Clue]:
    """Find where a class is handed on though its methods are called as an object's."""
    for start in case.starts:
        for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
            if not isinstance(call.func, ast.Attribute):
                continue
            base = start.engine.node(call.func.value, start.context)
            if not any(isinstance(v, Class) for v in base.values):
                continue
            for node in _makers_of_class(base):
                name = source(node.expr)
                why = f"`{name}` is the class itself, not an object of it"
                edit = Suggestion(node.file, node.line, name, f"{name}()")
                yield Clue("repair.not_called", node.file, node.line, 1.0, why, edit)


def _makers_of_class(base: Node) -> list[Node]:
    """Return the written names through which a value is a class, furthest back first."""
    seen: dict[int, Node] = {id(base): base}
    queue = [base]
    for node in queue:
        children = [child for role, child in node.inputs if role not in ("callee", "index")]
        for value in node.values:
            if isinstance(value, Items):
                children.extend(value.items)
        if isinstance(node.expr, ElementOf):
            source_node = node.engine.node(node.expr.value, node.context)
            children.extend(i for v in source_node.values if isinstance(v, Items) for i in v.items)
        for child in children:
            if id(child) not in seen and len(seen) < VALUE_STEPS:
                seen[id(child)] = child
                queue.append(child)
    named = [
        n
        for n in queue
        if isinstance(n.expr, (ast.Name, ast.Attribute))
        and n.values
        and all(isinstance(v, Class) for v in n.values)
    ]
    return named[-1:]


def _unpacking(case: Case) -> Iterator[Clue]:
    """Hold how many values are taken against how many are given, and the other takers."""
    site = case.sites[-1] if case.sites else None
    if site is None or site.statement is None:
        return
    taken = _taken(site.statement)
    if taken is None:
        return
    target, value = taken
    node = case.engine.node(value, site.context)
    displays: dict[tuple[str, int], tuple[Node, int]] = {}
    function = None
    counts = [f.value for f in case.facts.of(FactKind.COUNT, Role.ACTUAL) if type(f.value) is int]
    given = counts[0] if counts else None
    for step in backward_slice([node], VALUE_STEPS):
        size = _values_given(step.node) if step.node.line > 0 and step.distance <= 2.5 else None
        if size is not None and (size == given if given is not None else size not in (1, target)):
            displays.setdefault((step.node.file, step.node.line), (step.node, size))
            function = function or step.node.context.scope
    uneven = _uneven_returns(node, target)
    for place, size_else in uneven:
        why = f"`{place.text}` gives {target} values only at times: else {size_else}"
        yield Clue("repair.uneven_return", place.file, place.line, 1.0, why)
    if not displays or uneven:
        return
    if function is not None and _returns_as_many(function.node, target):
        for (file, line), (shown, size) in displays.items():
            why = f"`{shown.text}` gives {size} values, another return of the function {target}"
            yield Clue("repair.uneven_return", file, line, 1.0 / len(displays), why)
        return
    agree = disagree = 0
    short = function.name.rpartition(".")[2] if function is not None else ""
    sizes = {size for _, size in displays.values()}
    for caller, call in case.engine.program.callers(short)[:MOST_CALLERS]:
        other = _target_of(caller, call)
        if other is None or (caller.file, call.lineno) == (site.place.file, site.place.line):
            continue
        agree, disagree = agree + (other in sizes), disagree + (other == target)
    share = (agree + 0.5) / (agree + disagree + 1.0)
    why = f"{target} values are taken where {min(sizes)} are given"
    yield Clue("repair.unpack", site.place.file, site.place.line, share, why)
    for (file, line), (shown, size) in displays.items():
        why = f"`{shown.text}` gives {size} values where {target} are taken"
        yield Clue("repair.unpack", file, line, (1.0 - share) / len(displays), why)


def _returns_as_many(function: ast.AST, number: int) -> bool:
    """Whether one return of a function gives a number of values."""
    return any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Tuple)
        and len(node.value.elts) == number
        for node in own_nodes(function)
    )


def _values_given(node: Node) -> int | None:
    """Return how many values an expression or a setting gives, where it is written there."""
    if node.entry is not None:
        return node.entry.length
    values = node.expr
    if isinstance(values, ast.Call) and called_name(values) in ONE_FOR_EACH_ARGUMENT:
        written = values.args
    elif isinstance(values, (ast.Tuple, ast.List)):
        written = values.elts
    else:
        return None
    return None if any(isinstance(e, ast.Starred) for e in written) else len(written)


ONE_FOR_EACH_ARGUMENT = {"TensorDataset", "zip", "zip_longest"}
"""Calls whose items hold one value for each argument."""


def _uneven_returns(call: Node, target: int) -> list[tuple[Node, str]]:
    """Return what gives the wanted number of values in one branch and not in the other."""
    found = []
    for role, returned in call.inputs:
        expr = returned.expr
        if role != "return" or not isinstance(expr, ast.IfExp):
            continue
        sizes = [_size_of(branch) for branch in (expr.body, expr.orelse)]
        if sizes[0] != sizes[1] and target in sizes:
            other = sizes[1] if sizes[0] == target else sizes[0]
            found.append((returned, "one" if other is None else str(other)))
    return found


def _size_of(expr: ast.expr) -> int | None:
    return len(expr.elts) if isinstance(expr, (ast.Tuple, ast.List)) else None


def _taken(statement: ast.stmt) -> tuple[int, ast.expr] | None:
    """Return how many values a statement takes apart, and the expression that gives them."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(statement, ast.Assign):
        pairs = [(target, statement.value) for target in statement.targets]
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        pairs = [(statement.target, ElementOf(statement.iter))]
    for target, value in pairs:
        if isinstance(target, (ast.Tuple, ast.List)):
            if any(isinstance(e, ast.Starred) for e in target.elts):
                return None
            return len(target.elts), value
    return None


def _target_of(caller: Scope, call: ast.Call) -> int | None:
    """Return how many names a call's result is unpacked to in the scope it stands in."""
    for statement in ast.walk(caller.node):
        if isinstance(statement, ast.Assign) and statement.value is call:
            target = statement.targets[0]
            return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else None
    return None


def _not_called(case: Case) -> Iterator[Clue]:
    """Find a function that is handed on where what it returns is meant."""
    named = {str(f.value) for f in case.facts.of(FactKind.CLASS)}
    if not named & NOT_CALLED:
        return
    # What the message misses was looked up in the function that is not called.
    missing = {str(f.value) for f in case.facts.of(FactKind.ATTRIBUTE, Role.ACTUAL)}
    bases = [
        case.engine.node(expr.value, start.context)
        for start in case.starts
        for expr in ast.walk(start.expr)
        if isinstance(expr, ast.Attribute) and expr.attr in missing
    ]
    near = [(node, 1.0) for base in bases for node in _bound_to(base)]
    near += [
        (step.node, 1 / (1 + step.distance))
        for step in (case.raise_slice if not bases else ())
        if step.distance <= 2.5 and step.node.entry is None
    ]
    for place, score in near:
        for expr, node in _uncalled(place):
            text = source(expr)
            why = f"`{text}` is not called: what it returns is meant"
            edit = Suggestion(node.file, expr.lineno, text, f"{text}()")
            yield Clue("repair.not_called", node.file, expr.lineno, score, why, edit)


def _bound_to(node: Node) -> list[Node]:
    """Return what a name stands for: its value, and the values of names that this one names."""
    found: list[Node] = []
    for _ in range(NAMES_OF_NAMES):
        if not isinstance(node.expr, ast.Name) or not node.inputs:
            break
        _, node = node.inputs[0]
        found.append(node)
    return found


def _uncalled(node: Node) -> Iterator[tuple[ast.expr, Node]]:
    """Yield the parts of an expression that name a method or function and do not call it."""
    called = {id(n.func) for n in ast.walk(node.expr) if isinstance(n, ast.Call)}
    inner = {id(n.value) for n in ast.walk(node.expr) if isinstance(n, ast.Attribute)}
    for expr in ast.walk(node.expr):
        if not isinstance(expr, (ast.Attribute, ast.Name)) or id(expr) in called | inner:
            continue
        values = node.engine.node(expr, node.context).values
        is_method = isinstance(expr, ast.Attribute) and bool(repair_context.owners(expr.attr))
        own = any(isinstance(v, Function) for v in values)
        if own or (
            is_method and not any(isinstance(v, Library) and "()" not in v.name for v in values)
        ):
            yield expr, node


MOST_CROSSED = 1.19
"""From here on two arguments fit each other's parameters too well to stand where they do."""
BOTH_NAMED = 1.99


def _parameters_in_another_order(case: Case) -> Iterator[Clue]:
    """Find a function whose parameters stand in another order than those who call it back hand on.

    The line of a frame shows the names of the arguments, whether its file is there or not; the next
    frame is the function that got them.
    """
    for (frame, _), (_, place) in pairwise(case.located):
        if place is None or not frame.source:
            continue
        scope = case.engine.program.function_named(place.file, place.function or "", place.line)
        function = scope.node if scope is not None else None
        if scope is None or not isinstance(function, ast.FunctionDef):
            continue
        own = scope.parameters()[1 if scope.owner is not None else 0 :]
        names = [parameter.arg for parameter in own]
        for call in _calls_of(frame.source):
            given = [name_of(argument) for argument in call.args]
            if len(given) < 2 or len(given) > len(names) or not all(given):
                continue
            if not _are_exchanged(given, names):
                continue
            why = (
                f"the caller hands on `{', '.join(given)}`; here the parameters are "
                f"`{', '.join(names[: len(given)])}`"
            )
            yield Clue("repair.swapped", place.file, function.lineno, 1.0, why)


def _calls_of(line: str) -> list[ast.Call]:
    """Return the calls in a line of a traceback, none where it is no whole statement."""
    try:
        tree = syntax_of(line.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _are_exchanged(given: Sequence[str], names: Sequence[str]) -> bool:
    """Whether two arguments have each the name of the other one's parameter."""
    return any(
        given[i] == names[j] and given[j] == names[i] for i, j in combinations(range(len(given)), 2)
    )


def _swapped(case: Case, node: Node) -> Iterator[Clue]:
    """Find two arguments whose names say that they stand in each other's place."""
    call = node.expr
    assert isinstance(call, ast.Call)
    if len(call.args) < 2 or any(isinstance(a, ast.Starred) for a in call.args):
        return
    callee = node.engine.node(call.func, node.context)
    for names, what in _parameter_lists(case, callee, call):
        given = [name_of(a) for a in call.args[: len(names)]]
        for i in range(len(given)):
            for j in range(i + 1, len(given)):
                crossed = fits(given[i], names[j]) + fits(given[j], names[i])
                straight = fits(given[i], names[i]) + fits(given[j], names[j])
                if crossed - straight < MOST_CROSSED:
                    continue
                why = (
                    f"`{given[i]}` is handed to `{names[i]}` and `{given[j]}` to `{names[j]}` "
                    f"of `{what}`: perhaps they stand in the wrong order"
                )
                old = f"{source(call.args[i])}, {source(call.args[j])}"
                new = f"{source(call.args[j])}, {source(call.args[i])}"
                edit = Suggestion(node.file, call.args[i].lineno, old, new)
                score = 1.0 if crossed >= BOTH_NAMED else min(1.0, (crossed - straight) / 2)
                if _leads_back(case, node.file, call, given[j], given[i]):
                    score *= OF_BACK
                yield Clue("repair.swapped", node.file, call.args[i].lineno, score, why, edit)


OF_BACK = 0.2
"""What an exchange counts where a call beside it takes the same arguments as they are named."""


def _leads_back(case: Case, file: str, call: ast.Call, first: str, second: str) -> bool:
    """Whether the function around a call hands two arguments on in their own order as well.

    A block of layers leads from one width to another and back.
    """
    scope = case.engine.program.scope_at(file, call.lineno)
    if scope is None or scope.is_module:
        return False
    for other in scope.calls:
        names = [name_of(argument) for argument in other.args] if other is not call else []
        if {first, second} <= set(names) and names.index(first) < names.index(second):
            return True
    return False


def _parameter_lists(case: Case, callee: Node, call: ast.Call) -> Iterator[tuple[list[str], str]]:
    for scope in targets(case, callee.values):
        names = [p.arg for p in scope.parameters()]
        if scope.owner is not None and names[:1] and names[0] in ("self", "cls"):
            names = names[1:]
        yield names, called_name(call)
    for value in callee.values:
        if isinstance(value, Library):
            yield list(repair_context.parameters(value.name)), value.name.rpartition(".")[2]
        elif isinstance(value, Class) and _is_record(value.scope.node):
            yield fields_of(value.scope), value.scope.name


def _is_record(node: ast.AST) -> bool:
    """Whether a class is a dataclass, or one like it, that is made of its fields in order."""
    if not isinstance(node, ast.ClassDef):
        return False
    decorators = [ast.unparse(d) for d in node.decorator_list]
    bases = [ast.unparse(b).rpartition(".")[2] for b in node.bases]
    return "NamedTuple" in bases or any(RECORD.search(text) for text in decorators)


def name_of(expr: ast.expr) -> str:
    """Return what an argument goes by: a name, an attribute, a constant key; else nothing."""
    if isinstance(expr, ast.Name):
        return expr.id
    if isinstance(expr, ast.Attribute):
        return expr.attr
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        return str(expr.slice.value) if isinstance(expr.slice.value, str) else ""
    if isinstance(expr, ast.Call) and called_name(expr) in OF_ARGUMENT and expr.args:
        return name_of(expr.args[0])
    if isinstance(expr, ast.Call) and called_name(expr) in OF_RECEIVER:
        return name_of(expr.func.value) if isinstance(expr.func, ast.Attribute) else ""
    if isinstance(expr, ast.Call) and len(expr.args) == 1 and isinstance(expr.func, ast.Name):
        # What a function makes of one value is mostly that value in another form.
        return name_of(expr.args[0])
    return ""


RECORD = re.compile(r"\b(dataclass|struct\.dataclass|attr\.s|attrs?\.define|define|attrs)\b")
"""Decorators of classes that are made of their fields."""
OF_ARGUMENT = {
    *("len", "int", "float", "str", "list", "tuple", "set", "sorted"),
    *("tensor", "as_tensor", "from_numpy", "array", "asarray"),
}
"""Calls whose result goes by the name of their first argument."""
OF_RECEIVER = {"to", "cuda", "cpu", "float", "long", "item", "numpy", "detach", "squeeze", "copy"}
SAME = {
    "h": "height", "w": "width", "x": "input", "pred": "input", "preds": "input",
    "logits": "input", "output": "input", "outputs": "input", "y": "target", "label": "target",
    "labels": "target", "targets": "target", "inputs": "input", "y_true": "target",
    "y_pred": "input",
}  # fmt: skip
"""Names that mean the same as a parameter's."""


OF_INITIALS = 0.6
"""How well a letter fits a word that begins with it: two of them that are crossed are enough."""


def fits(argument: str, parameter: str) -> float:
    """Return how much an argument's name says that it is meant for a parameter, 0 to 1."""
    a, p = argument.lower().strip("_"), parameter.lower().strip("_")
    if not a or not p:
        return 0.0
    if a == p:
        return 1.0
    if len(a) > 1 and SAME.get(a, a) == SAME.get(p, p):
        return 0.8
    if a.rstrip("s") == p.rstrip("s"):
        return 0.9
    parts, others = set(parts_of(a)), set(parts_of(p))
    if not parts or not others:
        return 0.0
    shared = len(parts & others)
    if not shared:
        return OF_INITIALS if _has_initial(parts, others) or _has_initial(others, parts) else 0.0
    return 0.8 * shared / min(len(parts), len(others))


def _has_initial(short: set[str], whole: set[str]) -> bool:
    """Whether a name has a letter for a word of another one (``INPUT_H`` for ``height``)."""
    return any(len(a) == 1 < len(b) and b.startswith(a) for a in short for b in whole)


def _mixed_sets(case: Case, node: Node) -> Iterator[Clue]:
    """Find a call that takes one argument of one set and one of another (``x_val, y_train``)."""
    call = node.expr
    assert isinstance(call, ast.Call)
    names = [(a, parts_of(a.id)) for a in call.args if isinstance(a, ast.Name)]
    names = [(a, parts) for a, parts in names if len(parts) >= 2]
    scope: Scope | None = node.context.scope
    bound: set[str] = set()
    while scope is not None:
        bound.update(n for n in scope.bindings if "." not in n)
        bound.update(p.arg for p in scope.parameters())
        scope = scope.parent
    given = {a.id for a, _ in names}
    for i, (first, a) in enumerate(names):
        for second, b in names[i + 1 :]:
            odd = [k for k in range(len(a)) if len(a) == len(b) and a[k] != b[k]]
            if len(odd) != 2 or len(a) != len(b):
                continue
            if not any({a[k], b[k]} <= SPLITS for k in odd):
                # Levels of a network and parts of numbers are joined with good reason.
                continue
            for k in odd:
                wanted = _replaced(second.id, b[k], a[k])
                other = _replaced(first.id, a[k], b[k])
                if given & {wanted, other}:
                    continue  # The call takes all sets.
                if {wanted, other} <= bound and wanted != second.id:
                    why = f"`{first.id}` is used together with `{second.id}`, not with `{wanted}`"
                    edit = Suggestion(node.file, second.lineno, second.id, wanted)
                    yield Clue("repair.mixed", node.file, second.lineno, 1.0, why, edit)


def _replaced(name: str, old: str, new: str) -> str:
    """Return a name with one of its parts exchanged."""
    head, found, tail = name.rpartition(old)
    return f"{head}{new}{tail}" if found else name


RESULT_METHODS = frozenset(
    {"forward", "call", "__getitem__", "__len__", "__iter__", "configure_optimizers",
     "train_dataloader", "val_dataloader"}
)  # fmt: skip
"""Methods of which Python or a framework uses the result."""
MOST_FILES = 40
NONE = (
    "NoneType",
    "None values",
    "is None",
    "returned None",
    "got None",
    "None was",
    "but is None",
)


def find_results(case: Case) -> Iterator[Clue]:
    """Yield the ends of functions that compute something, return nothing and are asked for it."""
    if case.category.id != "null_reference" and not any(w in case.message for w in NONE):
        return
    files = _reached(case)
    used: set[str] = set()
    fixtures: set[str] = set()
    for file in files:
        used |= _used_results(case, file)
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            fixtures.update(p.arg for p in scope.parameters())
    near = {site.context.scope.name for site in case.sites}
    near.update(s.node.context.scope.name for s in case.raise_slice if s.node.entry is None)
    called = callees_of_nothing(case)
    for file in files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            short = scope.name.rpartition(".")[2]
            if not _gives_nothing(scope) or (called and short not in called):
                continue
            is_fixture = short in fixtures and "fixture" in " ".join(scope.decorators())
            if short not in RESULT_METHODS | used and not is_fixture:
                continue
            is_own = short in RESULT_METHODS
            user = "Python or the framework" if is_own else "other code"
            why = f"`{scope.name}` returns nothing, and {user} uses what `{short}` returns"
            score = 1.0 if scope.name in near or short in RESULT_METHODS else 0.8
            last = body_of(scope)[-1]
            edit = Suggestion(file, last.lineno, "", "return")
            yield Clue("missing.return", file, last.end_lineno or last.lineno, score, why, edit)
            yield Clue("missing.return", file, last.lineno, score, why, edit)
            yield Clue("missing.return_def", file, scope.line, score, why)


def _reached(case: Case) -> list[str]:
    """Return the files of the stack and the slices, and what these import: others did not run."""
    found = dict.fromkeys(place.file for place in reversed(case.places))
    for steps in (case.raise_slice, *case.outer_slices):
        found.update(dict.fromkeys(step.node.file for step in steps))
    python = [file for file in found if file.endswith((".py", ".ipynb"))]
    for file in python:
        for module in case.workspace.elements(file).imports:
            other = case.workspace.module_file(module, file)
            if other is not None:
                found[other] = None
    return [file for file in found if file.endswith((".py", ".ipynb"))][:MOST_FILES]


def _gives_nothing(scope: Scope) -> bool:
    """Whether a function computes something and ends without any value."""
    node = scope.node
    if not isinstance(node, FUNCTIONS) or scope.yields or scope.returns:
        return False
    last = node.body[-1]
    if isinstance(last, ast.Raise):
        return False
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant):
        return False
    return "abstractmethod" not in " ".join(scope.decorators())


def _used_results(case: Case, file: str) -> set[str]:
    """Return the names of the functions of which a file uses the result."""

    def make() -> frozenset[str]:
        tree = case.workspace.tree(file)
        found: set[str] = set()
        dropped: set[int] = set()
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Expr):
                dropped.add(id(node.value))
            elif isinstance(node, ast.Return) and node.value is not None:
                # Handing a result on is no use of it yet.
                dropped.add(id(node.value))
            elif isinstance(node, ast.Call) and id(node) not in dropped:
                found.add(called_name(node))
        return frozenset(found)

    return set(case.workspace.derived("repairs.used_results", file, make, HELD_FILES))
