"""Rules for values that are computed and lost: results that are dropped, names that nothing reads.

Calls that are named and not made, methods that give a new object and whose result is dropped,
losses and masks that are computed and never used, sums that each round overwrites, loops that end
in their first round, and results that are unpacked in another order than they are returned.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import Body, Training, clue, text
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

CALLED = frozenset(("step", "zero_grad", "eval", "train", "backward", "zero_", "cuda", "cpu"))
"""Methods without which a statement that only names them has no effect."""
NEW_OF_TABLE = frozenset(
    ("drop", "dropna", "fillna", "rename", "sort_values", "reset_index", "set_index",
     "drop_duplicates", "astype", "assign", "merge", "replace", "sort_index", "clip")
)  # fmt: skip
"""Methods of pandas that give a new table, unless they are told to work in place."""
TAKES_NAMES = frozenset(("assign", "rename"))
"""Methods of pandas that take keywords; with one value alone they belong to something else."""
TABLES = frozenset(("pandas", "polars"))
NEW_OF_DATA = frozenset(
    ("map", "batch", "prefetch", "repeat", "cache", "unbatch", "cast_column", "with_format",
     "rename_column", "remove_columns")
)  # fmt: skip
"""Methods of data sets (tf.data, datasets) that give a new one."""
DATA = re.compile(r"data|_ds\b|\bds\b|_set\b|train|tokeni[sz]ed")
DATA_LIBRARIES = frozenset(
    ("tensorflow", "tensorflow_datasets", "keras", "datasets", "torchdata", "webdataset", "grain")
)
NEW_OF_TENSOR = frozenset(
    ("detach", "view", "reshape", "squeeze", "unsqueeze", "permute", "transpose", "clamp",
     "masked_fill", "flatten", "contiguous", "long", "type", "numpy")
)  # fmt: skip
NO_TENSORS = frozenset(("self", "np", "plt", "ax"))
NEW = frozenset(("merge_and_unload", "apply_updates", "from_bytes"))
"""Other functions whose result is what they are called for."""
MEANT = re.compile(
    r"(?:^|_)(?:loss\d*|losses|kl|kld|mask|masks|done|dones|terminal|eps|epsilon|lr|rate|weights?"
    r"|grads?|penalty|reg|entropy|gamma|beta|alpha|clipped|scaled|normali[sz]ed|augmented"
    r"|lengths?|steps?|targets?|labels?)(?:_|$)"
)
"""Words of names that are computed in order to be used."""
UNPACKED = re.compile(r"^(?:done|dones|terminal|terminals|terminated|mask|masks|attention_mask)$")
"""Names that a function may leave unused only where it computes something wrong."""
MAKES_MASKS = re.compile(r"mask|subsequent|tril|triu")
SUMS = re.compile(
    r"(?:^|_)(?:total|sum|running|epoch_loss|correct|hits|acc|accumulated|seen|score|scores|avg"
    r"|mean)(?:_|$)"
)
MAKES_ARRAYS = frozenset(("zeros", "empty", "ones", "zeros_like", "empty_like", "full"))
TRAINABLE = ("requires_grad", "trainable")
STARTS_OF_OTHERS = tuple(f"{word}_" for word in TRAINABLE)
LEAST_NEAR = 0.8
CUT_NAMES = re.compile(
    r"^(?P<kind>[xy]|features|labels|inputs|targets)_?(?P<part>tr|train\w*|te|test|val\w*)$", re.I
)
MOST_NAMES = 6
"""Names of parameters that a sentence lists."""


def find(training: Training) -> Iterator[Clue]:
    """Yield where something is computed and does not come to where it is needed."""
    for body in training.bodies:
        yield from _not_called(body)
        yield from _dropped(training, body)
        yield from _unused(body)
        yield from _first_round(body)
        yield from _overwritten(training, body)
        yield from _kept_array(training, body)
        yield from _misspelt(body)
    yield from _other_order(training)
    yield from _splits(training)


def _not_called(body: Body) -> Iterator[Clue]:
    """Find methods that a statement names and does not call: ``optimizer.step``."""
    for node in body.nodes:
        if not isinstance(node, ast.Expr):
            continue
        if isinstance(node.value, ast.Attribute) and node.value.attr in CALLED:
            why = f"{text(node.value)} is only named: without parentheses it is not called"
            yield clue("strong", body.file, node.lineno, why)


def _dropped(training: Training, body: Body) -> Iterator[Clue]:
    """Find statements that call a method for its result, and drop the result."""
    for node in body.nodes:
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        call = node.value
        if keyword(call, "inplace") is not None or keyword(call, "out") is not None:
            continue
        if _gives_new(training, body, call):
            why = f"{text(call)} gives a new object, and nothing keeps it"
            yield clue("strong", body.file, node.lineno, why)


def _gives_new(training: Training, body: Body, call: ast.Call) -> bool:
    """Whether a method leaves its object as it is and gives a new one."""
    if not isinstance(call.func, ast.Attribute):
        return False
    name, owner = call.func.attr, body.source(call.func.value)
    if owner in body.scope.imports:
        return False
    if name == "load_from_checkpoint" and owner[:1].islower() and "." not in owner:
        return True
    if name in NEW_OF_TABLE and training.imported & TABLES:
        return _is_of_table(call) and not _is_text(owner)
    if name in NEW_OF_DATA:
        is_own = name in training.methods or not training.imported & DATA_LIBRARIES
        lower = owner.lower()
        return not is_own and DATA.search(lower) is not None and "pool" not in lower
    if name in NEW_OF_TENSOR and "torch" in training.imported:
        is_plain = "." not in owner and not training.loops(body.scope, call)
        return (name != "type" or is_plain) and owner.lower() not in NO_TENSORS
    return name in NEW


def _is_of_table(call: ast.Call) -> bool:
    """Whether the arguments of a call are those that a method of a table takes."""
    if call.keywords:
        return True
    if called_name(call) in TAKES_NAMES or (called_name(call) == "replace" and len(call.args) == 1):
        # `Path.rename`, `Path.replace` and `Variable.assign` take one plain value.
        return any(isinstance(argument, (ast.Dict, ast.Lambda)) for argument in call.args)
    return bool(call.args)


def _is_text(owner: str) -> bool:
    return owner.startswith(("'", '"')) or owner.partition(".")[0] in ("os", "shutil", "re", "np")


def _unused(body: Body) -> Iterator[Clue]:
    """Find what a function computes under a telling name and never reads."""
    node = body.scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(node.body) < 2:
        return
    read = _read(node)
    if "locals" in read:
        return
    for statement in body.assigns:
        if isinstance(statement.value, ast.Constant) and statement.value.value is None:
            continue
        made = called_name(statement.value) if isinstance(statement.value, ast.Call) else ""
        for target in statement.targets:
            is_single = isinstance(target, ast.Name)
            wanted = MEANT if is_single else UNPACKED
            for name in _parts(target):
                if name in read:
                    continue
                if wanted.search(name.lower()) or (is_single and MAKES_MASKS.search(made)):
                    why = f"`{name}` is computed here, and nothing reads it"
                    yield clue("strong", body.file, statement.lineno, why, 0.9)


def _read(function: ast.AST) -> set[str]:
    """Return the names that a function reads, shares with others, or adds up."""
    read: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Load, ast.Del)):
            read.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            read.update(node.names)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.add(node.target.id)
    return read


def _parts(target: ast.expr) -> list[str]:
    """Return the names that a target is or holds."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [part.id for part in parts if isinstance(part, ast.Name)]


def _first_round(body: Body) -> Iterator[Clue]:
    """Find loops that return at the end of their first round."""
    leaves = (ast.Continue, ast.Break, ast.Try, ast.Yield, ast.Return)
    for node in body.nodes:
        if not isinstance(node, (ast.For, ast.AsyncFor)) or len(node.body) < 2:
            continue
        last = node.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            continue
        before = (inner for statement in node.body[:-1] for inner in ast.walk(statement))
        if not any(isinstance(inner, leaves) for inner in before):
            why = "the loop returns at the end of its first round"
            yield clue("strong", body.file, last.lineno, why)


def _overwritten(training: Training, body: Body) -> Iterator[Clue]:
    """Find sums that each round of a loop overwrites."""
    for name, statements in body.assigned.items():
        if "." in name or not SUMS.search(name.lower()):
            continue
        start = next((s for s in statements if _is_zero(s.value)), None)
        if start is None or name in _added_to(body):
            continue
        for statement in statements:
            if len(statement.targets) != 1 or isinstance(statement.value, ast.Constant):
                continue
            loops = training.loops(body.scope, statement)
            outside = [loop for loop in loops if loop.lineno > start.lineno]
            ends = max((loop.end_lineno or 0 for loop in outside), default=0)
            if outside and not _reads(statement.value, name) and _is_divided(body, name, ends):
                why = f"each round overwrites `{name}`, which is divided after the loop as a sum"
                yield clue("strong", body.file, statement.lineno, why)


def _is_zero(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value == 0 and not isinstance(expr.value, bool)


def _added_to(body: Body) -> set[str]:
    """Return the names that statements such as ``x += …`` change."""
    changed = [node.target for node in body.nodes if isinstance(node, ast.AugAssign)]
    return {target.id for target in changed if isinstance(target, ast.Name)}


def _reads(expr: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(expr))


def _is_divided(body: Body, name: str, line: int) -> bool:
    """Whether a name is divided by something after a line."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.left, ast.Name)
        and node.left.id == name
        and node.lineno > line
        for node in body.nodes
    )


def _kept_array(training: Training, body: Body) -> Iterator[Clue]:
    """Find one array that a loop rewrites and appends to a list in each round."""
    for call in body.calls:
        if called_name(call) != "append" or not call.args or not isinstance(call.args[0], ast.Name):
            continue
        name = call.args[0].id
        made = [
            node
            for node in body.assigned.get(name, ())
            if isinstance(node.value, ast.Call) and called_name(node.value) in MAKES_ARRAYS
        ]
        loops = training.loops(body.scope, call) if made else []
        if not loops or made[0].lineno >= loops[0].lineno:
            continue
        ends = loops[0].end_lineno or 0
        is_anew = any(loops[0].lineno <= node.lineno <= ends for node in body.assigned[name])
        if not is_anew and _rewrites(loops[0], name):
            why = (
                f"`{name}` is one array, made before the loop: each round rewrites all that was"
                " kept"
            )
            yield clue("strong", body.file, call.lineno, why)


def _rewrites(loop: ast.AST, name: str) -> bool:
    """Whether a loop writes into parts of an array."""
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and dotted_name(node.value) == name
        for node in ast.walk(loop)
    )


def _misspelt(body: Body) -> Iterator[Clue]:
    """Find an attribute that is set under a name near to one that freezes weights."""
    for node in body.nodes:
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
            continue
        name = node.attr
        if name in TRAINABLE or name.endswith("_") or len(name) < len("trainable") - 1:
            continue
        near = difflib.get_close_matches(name, TRAINABLE, 1, LEAST_NEAR)
        if near and not name.startswith(STARTS_OF_OTHERS):
            why = f"`.{name}` is no setting: `.{near[0]}` is the name"
            yield clue("strong", body.file, node.lineno, why)


def _names_of(expr: ast.expr) -> tuple[str, ...]:
    """Return the names in a tuple, none where a part is no name."""
    parts = expr.elts if isinstance(expr, (ast.Tuple, ast.List)) else []
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _other_order(training: Training) -> Iterator[Clue]:
    """Find results and arguments that are given under their own names in another order."""
    returned: dict[str, set[tuple[str, ...]]] = {}
    for short, scopes in training.methods.items():
        names = {_names_of(value) for scope in scopes for value in scope.returns}
        returned[short] = {order for order in names if len(order) > 1}
    for body in training.bodies:
        for statement in body.assigns:
            if isinstance(statement.value, ast.Call):
                yield from _unpacked_otherwise(body, statement, statement.value, returned)
        yield from _given_otherwise(training, body)


def _unpacked_otherwise(
    body: Body, statement: ast.Assign, call: ast.Call, returned: dict[str, set[tuple[str, ...]]]
) -> Iterator[Clue]:
    """Find a result that is unpacked into the names of its parts in another order."""
    name = called_name(call)
    taken = _names_of(statement.targets[0])
    orders = returned.get(name, set())
    if name == "prepare" and isinstance(call.func, ast.Attribute):
        # Accelerate gives back what it is given.
        orders = {tuple(a.id for a in call.args if isinstance(a, ast.Name))}
    if len(taken) < 2 or len(orders) != 1:
        return
    (order,) = orders
    if _is_reordered(taken, order) or _is_reordered(_last_words(taken), _last_words(order)):
        why = f"`{name}` gives {', '.join(order)}, in this order"
        yield clue("strong", body.file, statement.lineno, why)


def _is_reordered(taken: Sequence[str], order: Sequence[str]) -> bool:
    """Whether names are the same ones in another order."""
    is_same = len(set(taken)) == len(taken) and sorted(taken) == sorted(order)
    return is_same and list(taken) != list(order)


def _last_words(names: Sequence[str]) -> list[str]:
    return [name.rpartition("_")[2] for name in names]


def _given_otherwise(training: Training, body: Body) -> Iterator[Clue]:
    """Find arguments that are named as parameters of the function, and given in another order."""
    straight: dict[str, set[str]] = {}
    crossed: list[tuple[ast.Call, list[str], list[str]]] = []
    for call in body.calls:
        name = called_name(call)
        functions = training.methods.get(name, [])
        if len(functions) != 1 or not _calls(body, call, functions[0]):
            continue
        own = [p.arg for p in functions[0].parameters() if p.arg not in ("self", "cls")]
        given = [a.id if isinstance(a, ast.Name) else "" for a in call.args]
        pairs = list(zip(own, given, strict=False))
        straight.setdefault(name, set()).update(one for one, other in pairs if one == other)
        moved = [
            other
            for one, other in pairs
            if other in own
            and one != other
            and own.index(other) < len(given)
            and given[own.index(other)] in own
        ]
        if len(moved) > 1:
            crossed.append((call, moved, own))
    for call, moved, own in crossed:
        # Who calls a function both ways round means it.
        if not straight[called_name(call)].issuperset(moved):
            why = f"`{called_name(call)}` takes {', '.join(own[:MOST_NAMES])}, in this order"
            yield clue("strong", body.file, call.lineno, why)


def _calls(body: Body, call: ast.Call, function: Scope) -> bool:
    """Whether a call means a function of the program, and not another one of the same name."""
    name = called_name(call)
    if name.startswith("__") or body.name == name:
        return False
    if not isinstance(call.func, ast.Attribute):
        return function.owner is None
    owner = dotted_name(call.func.value)
    if owner is None or function.owner is not None:
        return owner is not None
    root = owner.partition(".")[0]
    return root not in body.parameters and root not in body.assigned


def _splits(training: Training) -> Iterator[Clue]:
    """Find parts of ``train_test_split`` under the names of others."""
    for scope, call in training.named("train_test_split"):
        statement = training.statement(scope, call)
        if not isinstance(statement, ast.Assign) or statement.value is not call:
            continue
        names = _names_of(statement.targets[0])
        arrays = [a for a in call.args if not isinstance(a, ast.Starred)]
        if len(names) != 4 or len(arrays) != 2:
            continue
        first, second = CUT_NAMES.match(names[0]), CUT_NAMES.match(names[1])
        if first and second and first["kind"].lower() != second["kind"].lower():
            why = "`train_test_split` gives both parts of the first array, then those of the second"
            yield clue("strong", scope.file, statement.lineno, why)
