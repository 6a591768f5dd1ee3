"""Rules for inputs and targets that are shuffled apart, encoded apart, or not shifted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword
from dl_bug_lsp.evidence.training_rules.program import (
    SUBSCRIPTS,
    Body,
    Training,
    clue,
    names_in,
    text,
)
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name

LABEL = re.compile(
    r"label|(?:^|_)labs?(?:_|$)|target|(?:^|_)y(?:_|$|s$)|mask|class|answer|truth|gt", re.IGNORECASE
)
INPUT = re.compile(
    r"(?:^|_)x(?:_|$|s$)|image|text|feature|input|sample|sequence|signal|data|token|frame|window",
    re.IGNORECASE,
)
PERMUTING = ("permutation", "randperm", "shuffle", "sample")
GENERATOR = re.compile(
    r"(?:^|[._])(?:random|rng|rs|rnd|rand|gen|generator|prng|state|default_rng|RandomState|utils"
    r"|sklearn)(?:$|[._\d(])|^Random\(",
)
"""What a receiver is called that shuffles what it is given, not itself."""
TARGETS = re.compile(r"(?:^|_)(?:y|ys|labels?|targets?)(?:_|$)")
PAIRING = frozenset(
    ("fit", "partial_fit", "zip", "train_test_split", "TensorDataset", "from_tensor_slices")
)
"""Functions that take the n-th rows of their arguments together."""
TABLES = re.compile(
    r"^(?:DictReader|reader|read_csv|read_table|load|loads|genfromtxt|loadtxt|read_json)$"
)


def find(training: Training) -> Iterator[Clue]:
    """Yield where a target loses its input."""
    for scope in training.functions:
        yield from _shuffled_apart(training, scope)
        yield from _one_reordered(training, scope)
        yield from _zipped_apart(scope)
        yield from _zipped_loaders(training.body(scope))
        yield from _listed_apart(training, scope)
        yield from _sampled_apart(training.body(scope))
        yield from _table_and_folder(scope)
        yield from _taken_before(scope)
        yield from _not_shifted(scope)
        yield from _laid_out_apart(scope)


def _subject(call: ast.Call, statement: ast.stmt | None) -> str:
    """Return the words for what a call shuffles: its argument, its receiver, or its target."""
    given = call.args[:1] if called_name(call) != "shuffle" or _in_place(call) else []
    words = [ast.unparse(a) for a in given if not isinstance(a, ast.Constant)]
    if isinstance(call.func, ast.Attribute):
        words.append(ast.unparse(call.func.value))
    if isinstance(statement, ast.Assign):
        words.append(ast.unparse(statement.targets[0]))
    return " ".join(words)


def _shuffled_apart(training: Training, scope: Scope) -> Iterator[Clue]:
    shuffles: list[tuple[ast.Call, str]] = []
    for call in scope.calls:
        if called_name(call) not in PERMUTING or len(call.args) > 2:
            continue
        if called_name(call) == "sample" and keyword(call, "frac") is None:
            continue
        if _is_of_numbers(call) and not _indexes(training, scope, call):
            continue  # An order that is kept: what it is used for is not known.
        words = _subject(call, training.statement(scope, call))
        if not _keeps_pairs(call, words):
            shuffles.append((call, words))
    labels = [c for c, words in shuffles if _speaks(LABEL, words)]
    inputs = [c for c, words in shuffles if _speaks(INPUT, words) and c not in labels]
    for call in labels:
        why = f"{text(call)} shuffles targets without their inputs"
        yield clue(
            "strong" if inputs or _in_place(call) else "medium", scope.file, call.lineno, why
        )
    if labels:
        for call in inputs:
            why = f"{text(call)} shuffles inputs without their targets"
            yield clue("strong", scope.file, call.lineno, why)
    elif len(inputs) == 1 and _in_place(inputs[0]) and _has_labels(scope):
        why = f"{text(inputs[0])} shuffles inputs, their targets stay"
        level = "strong" if _is_paired_after(scope, inputs[0]) else "medium"
        yield clue(level, scope.file, inputs[0].lineno, why)
    yield from _two_orders(training, scope)


def _is_of_numbers(call: ast.Call) -> bool:
    """Whether a call shuffles the numbers below a length: ``permutation(len(y))``."""
    if called_name(call) not in {"permutation", "randperm"} or not call.args:
        return False
    first = call.args[0]
    length = isinstance(first, ast.Call) and called_name(first) == "len"
    return length or isinstance(first, (ast.Constant, ast.BinOp))


def _indexes(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether a call stands in the index of something: ``y[permutation(len(y))]``."""
    return any(isinstance(node, ast.Subscript) for node in training.around(scope, call))


def _keeps_pairs(call: ast.Call, words: str) -> bool:
    """Whether a call shuffles several things alike: its arguments, or a data set of pairs."""
    if called_name(call) != "shuffle":
        return False
    if len([a for a in call.args if not isinstance(a, ast.Constant)]) > 1:
        return True
    return not _in_place(call) and _speaks(LABEL, words) and _speaks(INPUT, words)


def _speaks(pattern: re.Pattern[str], words: str) -> bool:
    parts = [
        p for p in re.split(r"[^A-Za-z0-9_]+", words) if p and p not in ("self", "np", "random")
    ]
    return any(pattern.search(p) for p in parts)


def _in_place(call: ast.Call) -> bool:
    """Whether a call shuffles its argument; a data set's own method takes the buffer's size."""
    func = call.func
    receiver = ast.unparse(func.value) if isinstance(func, ast.Attribute) else "random"
    return (
        called_name(call) == "shuffle"
        and bool(call.args)
        and not isinstance(call.args[0], (ast.Constant, ast.BinOp))
        and bool(GENERATOR.search(receiver))
    )


def _has_labels(scope: Scope) -> bool:
    names = {*scope.bindings, *(p.arg for p in scope.parameters())}
    return any(LABEL.search(n.rpartition(".")[2]) for n in names)


def _is_paired_after(scope: Scope, shuffle: ast.Call) -> bool:
    """Whether an array is shuffled alone, and then used row by row with targets from before.

    Both are names of the function. The targets are bound above the shuffle and not below it; one
    operation, or one call that takes inputs and targets, gets both.
    """
    moved, line = shuffle.args[0], shuffle.lineno
    if not isinstance(moved, ast.Name) or len(scope.bindings.get(moved.id, ())) != 1:
        return False
    labels = {
        name
        for name, bindings in scope.bindings.items()
        if TARGETS.search(name) and len(bindings) == 1 and bindings[0].line < line
    }
    return any(
        node.lineno > line and moved.id in names and bool(labels & names)
        for node, names in _operands(scope)
    )


def _operands(scope: Scope) -> Iterator[tuple[ast.BinOp | ast.Call, set[str]]]:
    """Yield operations, and calls that pair their arguments, with the names that these are."""
    for node in ast.walk(scope.node):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Mult, ast.Sub)):
            yield node, {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.Call) and called_name(node) in PAIRING:
            yield node, {arg.id for arg in node.args if isinstance(arg, ast.Name)}


def _two_orders(training: Training, scope: Scope) -> Iterator[Clue]:
    """``x[randperm(n)]`` beside ``y[randperm(n)]``, or two named orders."""
    orders = {
        name: b.line
        for name, bindings in scope.bindings.items()
        for b in bindings
        if isinstance(b.value, ast.Call) and called_name(b.value) in ("randperm", "permutation")
    }
    used: dict[str, tuple[str, int]] = {}
    for node in training.nodes(scope, SUBSCRIPTS):
        if not isinstance(node, ast.Subscript):
            continue
        direct = isinstance(node.slice, ast.Call) and called_name(node.slice) in (
            "randperm",
            "permutation",
        )
        if not direct and not orders:
            continue
        order = f"line {node.lineno}:{node.col_offset}" if direct else ast.unparse(node.slice)
        if direct or order in orders:
            base = ast.unparse(node.value)
            side = "y" if _speaks(LABEL, base) else "x" if _speaks(INPUT, base) else ""
            if side:
                used.setdefault(side, (order, node.lineno))
    if len(used) == 2 and used["x"][0] != used["y"][0]:
        for side in ("y", "x"):
            why = "inputs and targets are put into two different orders"
            yield clue("strong", scope.file, used[side][1], why)


def _one_reordered(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find ``x = x[order]`` beside a ``y`` that came with ``x`` and keeps its order."""
    orders = {
        name
        for name, bindings in scope.bindings.items()
        for b in bindings
        if isinstance(b.value, ast.Call) and called_name(b.value) in ("randperm", "permutation")
    }
    if not orders:
        return
    loads = [
        n.id
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]
    for order in sorted(orders):
        lines_by_name = _put_into_order(training, scope, order)
        # An order that is used in other ways may reach the other side, too.
        if loads.count(order) != len(lines_by_name):
            continue
        for names in _made_together(scope):
            for moved in sorted(names & lines_by_name.keys()):
                for left in sorted(names - lines_by_name.keys()):
                    if {_side(moved), _side(left)} == {"x", "y"}:
                        why = f"`{moved}` is put into another order, `{left}` is not"
                        yield clue("strong", scope.file, lines_by_name[moved], why)


def _side(name: str) -> str:
    return "y" if _speaks(LABEL, name) else "x" if _speaks(INPUT, name) else ""


def _put_into_order(training: Training, scope: Scope, order: str) -> dict[str, int]:
    """Return the names that are indexed by an order and bound again, with the lines of that."""
    found: dict[str, int] = {}
    for node in training.nodes(scope, SUBSCRIPTS):
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == order:
            statement = training.statement(scope, node)
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            bound = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            if isinstance(node.value, ast.Name) and node.value.id in bound:
                found[node.value.id] = node.lineno
    return found


def _made_together(scope: Scope) -> Iterator[set[str]]:
    """Yield the names that one call gives together (``x, y = load()``), or one of the other."""
    for name, bindings in sorted(scope.bindings.items()):
        for binding in bindings[:1]:
            used = {n.id for n in ast.walk(binding.value) if isinstance(n, ast.Name)}
            # A value that is made of the other after that was put into order belongs to it.
            yield from (
                {name, x}
                for x in sorted(used)
                if len(scope.bindings.get(x, ())) > 1 and scope.bindings[x][-1].line > binding.line
            )
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Tuple):
                    yield {part.id for part in target.elts if isinstance(part, ast.Name)}


@dataclass(slots=True)
class _Stream:
    """What is paired with another by position: its name, sources and what put it into an order."""

    name: str
    sources: frozenset[str]
    shuffles: tuple[ast.Call, ...]


def _zipped_apart(scope: Scope) -> Iterator[Clue]:
    """Streams of one table, each shuffled by itself, and then paired by position."""
    for call in calls_in(scope.node):
        if called_name(call) != "zip":
            continue
        given = call.args
        if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)):
            given = given[0].elts
        if len(given) < 2:
            continue
        streams = [_stream(scope, item, call) for item in given]
        told: set[int] = set()
        for one, other in combinations(streams, 2):
            is_one_table = one.sources & other.sources
            sides = {_side(one.name), _side(other.name)} == {"x", "y"}
            if not (is_one_table or sides) or _alike(one, other):
                continue
            for shuffle in (*one.shuffles, *other.shuffles):
                if shuffle.lineno not in told:
                    told.add(shuffle.lineno)
                    why = f"{text(shuffle)} shuffles one stream without the one it is paired with"
                    yield clue("strong", scope.file, shuffle.lineno, why)


def _zipped_loaders(body: Body) -> Iterator[Clue]:
    """Find loaders that shuffle, each by itself, and are paired by position."""
    for call in body.calls:
        loaders = [_loader(body, item) for item in call.args] if called_name(call) == "zip" else []
        for loader in loaders if len(loaders) > 1 and None not in loaders else ():
            if loader is not None:
                why = f"{text(loader)} shuffles by itself, and is paired with another by position"
                yield clue("medium", body.file, loader.lineno, why)


def _loader(body: Body, item: ast.expr) -> ast.Call | None:
    """Return the call that makes a shuffling loader, where an operand of ``zip`` is one."""
    for node in body.assigned.get(item.id, ()) if isinstance(item, ast.Name) else ():
        if isinstance(node.value, ast.Call) and called_name(node.value) == "DataLoader":
            shuffle = keyword(node.value, "shuffle")
            if isinstance(shuffle, ast.Constant) and shuffle.value is True:
                return node.value
    return None


def _alike(one: _Stream, other: _Stream) -> bool:
    """Whether two streams stay in one order: neither is shuffled, or both with one seed."""
    seeds = [[_seed(call) for call in stream.shuffles] for stream in (one, other)]
    return seeds[0] == seeds[1] and None not in seeds[0]


def _seed(call: ast.Call) -> str | None:
    given = keyword(call, "seed") or keyword(call, "random_state")
    return ast.unparse(given) if given is not None else None


def _stream(scope: Scope, item: ast.expr, pairing: ast.Call) -> _Stream:
    """Return what is known of an operand of ``zip`` by the statements above it."""
    shuffles: list[ast.Call] = []
    sources: set[str] = set()
    names = {item.id} if isinstance(item, ast.Name) else set()
    exprs: list[ast.expr] = [] if names else [item]
    statements = [n for n in ast.walk(scope.node) if isinstance(n, (ast.Assign, ast.Expr))]
    for statement in statements:
        if statement.lineno > pairing.lineno:
            continue
        if isinstance(statement, ast.Assign):
            exprs.extend(_assigned(statement, names))
        elif (
            isinstance(statement.value, ast.Call)
            and _in_place(statement.value)
            and names & names_in(statement.value.args[0])
        ):
            shuffles.append(statement.value)
    for expr in exprs:
        for part in ast.walk(expr):
            if isinstance(part, ast.Call):
                if _permutes(part):
                    shuffles.append(part)
                sources.update(
                    ast.unparse(a) for a in part.args if isinstance(a, (ast.Name, ast.Attribute))
                )
    return _Stream(ast.unparse(item), frozenset(sources - names), tuple(shuffles))


def _assigned(statement: ast.Assign, names: set[str]) -> Iterator[ast.expr]:
    """Yield what a statement gives to one of some names."""
    value = statement.value
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id in names:
            yield value
        elif isinstance(target, ast.Tuple):
            for index, part in enumerate(target.elts):
                if isinstance(part, ast.Name) and part.id in names:
                    items = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
                    if items:
                        yield from items[index : index + 1]
                    elif isinstance(value, (ast.GeneratorExp, ast.ListComp)):
                        yield value.elt  # It does the same to each of them.


def _sampled_apart(body: Body) -> Iterator[Clue]:
    """Find a column of a shuffled table beside another column of the table itself."""
    for node in body.assigns:
        for call in calls_in(node.value):
            frac = keyword(call, "frac")
            if called_name(call) != "sample" or frac is None or call is node.value:
                continue
            if not isinstance(call.func, ast.Attribute) or body.source(frac) not in ("1", "1.0"):
                continue
            table = body.source(call.func.value)
            if any(body.source(target) == table for target in node.targets):
                continue
            column = re.compile(rf"(?<![\w.]){re.escape(table)}(?:\.\w+|\[['\"]\w+['\"]\])")
            for other in body.assigns:
                words = body.source(other.value) if other.lineno > node.lineno else ""
                if column.search(words) and ".sample(" not in words:
                    why = (
                        f"{text(call)} shuffles one column of `{table}`, line {other.lineno} reads"
                        " another unshuffled"
                    )
                    yield clue("strong", body.file, node.lineno, why)
                    return


def _permutes(call: ast.Call) -> bool:
    name = called_name(call)
    if name == "sample":
        return keyword(call, "frac") is not None
    return name in PERMUTING and not (call.args and len(call.args) > 2)


def _listed_apart(training: Training, scope: Scope) -> Iterator[Clue]:
    """Two folders listed in whatever order the disk gives, then paired by position."""
    listings = [
        c for c in scope.calls if called_name(c) in ("listdir", "glob", "rglob", "iglob", "scandir")
    ]
    texts = {ast.unparse(c) for c in scope.calls if called_name(c) in ("sorted", "sort")}
    bare = [c for c in listings if not any(ast.unparse(c) in t for t in texts)]
    inside = {id(c) for s in scope.calls if called_name(s) == "sorted" for c in calls_in(s)}
    sorted_ones = {ast.unparse(c) for c in listings if id(c) in inside}
    for call in listings:
        if id(call) in inside or ast.unparse(call) not in sorted_ones:
            continue
        if not _needs_no_order(training, scope, call):
            why = f"{text(call)} comes in no fixed order, and the same files are sorted elsewhere"
            yield clue("strong", scope.file, call.lineno, why)
    if len(listings) > 1 and bare:
        level = "strong" if any(called_name(c) == "zip" for c in scope.calls) else "medium"
        for call in bare:
            yield clue(level, scope.file, call.lineno, f"{text(call)} comes in no fixed order")


def _needs_no_order(training: Training, scope: Scope, listing: ast.Call) -> bool:
    """Whether files are only counted or looked up, or are sorted by a later statement."""
    around = training.parent(scope, listing)
    if isinstance(around, ast.Compare):
        return True
    if isinstance(around, ast.Call):
        return called_name(around) in ("len", "set", "frozenset", "any", "all")
    names = {ast.unparse(t) for t in around.targets} if isinstance(around, ast.Assign) else set()
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "sort"
        and ast.unparse(call.func.value) in names
        for call in scope.calls
    )


def _table_and_folder(scope: Scope) -> Iterator[Clue]:
    """Files as the disk lists them, labels as a table has them, paired by position."""
    if not any(TABLES.search(called_name(c)) for c in scope.calls):
        return
    listed: dict[str, int] = {}
    labels: list[Binding] = []
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            words = ast.unparse(binding.value) if type(binding.value).__module__ == "ast" else ""
            if (
                re.search(r"\b(?:listdir|i?glob|rglob|scandir|iterdir)\(", words)
                and name not in listed
            ):
                listed[name] = binding.line
            elif LABEL.search(name) and re.search(r"\bfor\b|\[|\.values|to_numpy|tolist", words):
                labels.append(binding)
    for binding in labels:
        words = ast.unparse(binding.value)
        if names_in(binding.value) & listed.keys() or re.search(
            r"stem|parent|basename|\.name\b|path", words
        ):
            return
    if labels:
        for name, line in sorted(listed.items()):
            why = f"`{name}` is in the folder's order, the labels are in the table's"
            yield clue("strong", scope.file, line, why)


def _taken_before(scope: Scope) -> Iterator[Clue]:
    """Targets taken out of a table whose rows are put into another order afterwards."""
    for name, bindings in sorted(scope.bindings.items()):
        if not LABEL.search(name) or not isinstance(
            bindings[-1].value, (ast.Subscript, ast.Call, ast.Attribute, ast.Compare)
        ):
            continue
        taken = bindings[-1]
        table = _first_name(taken.value)
        for later in scope.bindings.get(table or "", []):
            value = later.value
            if later.line <= taken.line or not isinstance(value, (ast.Call, ast.Subscript)):
                continue
            if _reorders(value) and _first_name(value) in (table, "sklearn", "shuffle"):
                why = f"`{table}` is put into another order after `{name}` was taken out of it"
                yield clue("strong", scope.file, later.line, why)
                why = f"`{name}` is taken before `{table}` is put into another order"
                yield clue("strong", scope.file, taken.line, why, 0.9)


def _first_name(expr: ast.expr) -> str | None:
    """Return the name at the beginning of a chain of calls, subscripts and attributes."""
    at: ast.expr = expr
    while True:
        if isinstance(at, ast.Call):
            at = at.args[0] if isinstance(at.func, ast.Name) and at.args else at.func
        elif isinstance(at, (ast.Subscript, ast.Attribute)):
            at = at.value
        elif isinstance(at, (ast.Compare, ast.BinOp)):
            at = at.left
        else:
            return at.id if isinstance(at, ast.Name) else None


def _reorders(expr: ast.expr) -> bool:
    calls = {called_name(c) for c in calls_in(expr)}
    return bool(
        calls & {"sample", "shuffle", "sort_values", "permutation", "randperm", "sort_index"}
    )


def _not_shifted(scope: Scope) -> Iterator[Clue]:
    """Find a target cut out exactly as the input is."""
    cuts: dict[str, tuple[str, int]] = {}
    for name, bindings in sorted(scope.bindings.items()):
        for binding in bindings:
            value = binding.value
            if isinstance(value, (ast.Subscript, ast.Call, ast.ListComp)) and not binding.mutates:
                if isinstance(value, ast.Subscript) and not isinstance(
                    value.slice, (ast.Slice, ast.Tuple)
                ):
                    continue
                if isinstance(value, ast.Call) and called_name(value) not in (
                    "stack",
                    "array",
                    "tensor",
                ):
                    continue
                short = name.rpartition(".")[2].lower()
                if short in ("x", "inputs", "input_ids", "src", "past"):
                    cuts["x"] = (ast.unparse(value), binding.line)
                elif short in ("y", "targets", "target", "labels", "future", "tgt"):
                    cuts["y"] = (ast.unparse(value), binding.line)
    if len(cuts) == 2 and cuts["x"][0] == cuts["y"][0]:
        yield clue("strong", scope.file, cuts["y"][1], "the target is the input itself")


def _laid_out_apart(scope: Scope) -> Iterator[Clue]:
    """Find sequences of one batch of which some are padded with the batch first, others not.

    Without ``batch_first`` the steps come first (PyTorch, ``pad_sequence``); flattened, inputs and
    labels then stand in different orders.
    """
    calls = [c for c in calls_in(scope.node) if called_name(c) == "pad_sequence"]
    if any(k.arg is None for call in calls for k in call.keywords):
        return
    first = [c for c in calls if _is_true(c.args[1] if c.args[1:] else keyword(c, "batch_first"))]
    others = [call for call in calls if call not in first]
    for call in others if first else ():
        why = (
            f"{text(call)} has the steps first, and line {first[0].lineno} the batch: flattened, "
            "they are in different orders"
        )
        yield clue("strong", scope.file, call.lineno, why)


def _is_true(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
