"""Numbers of the message against the numbers that code and configuration evaluate to."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.word_index import HELD_FILES
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Config, StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry

COUNTED = (FactKind.SIZE, FactKind.SHAPE, FactKind.COUNT, FactKind.BOUND, FactKind.NUMBER)
COUNT_WORDS = ("num", "n_", "count", "size", "len", "classes", "labels", "vocab", "max", "total")
MAX_RATIO = 16
MAX_TERMS, MAX_NUMBER = 12, 1 << 62


def numbers_of(case: Case, role: Role) -> set[int]:
    """Return the whole numbers that the message gives in one role."""
    numbers: set[int] = set()
    for fact in case.facts.facts:
        if fact.role is not role or fact.kind not in COUNTED:
            continue
        if isinstance(fact.value, tuple):
            numbers.update(n for n in fact.value if n > 0)
        elif isinstance(fact.value, int):
            numbers.add(fact.value)
    return numbers


def sizes_of(case: Case, role: Role) -> set[int]:
    """Return the sizes proper, or all numbers where the message names no single size."""
    sizes = {f.value for f in case.facts.of(FactKind.SIZE, role) if isinstance(f.value, int)}
    return sizes or numbers_of(case, role)


def fitting_sizes(case: Case) -> set[int]:
    """Return the sizes in the shapes of the message that fit, where it says which ones clash."""
    clashing = {f.value for f in case.facts.of(FactKind.SIZE)}
    if not clashing:
        return set()
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    return set().union(*shapes) - clashing


LEAST_ALIKE = 2
"""How many items of a list have one size where the message is about the next one."""
OF_MOST = 0.3
"""What a size, or an origin of it, counts that most items of a list have of which one differs."""


def is_odd_one_out(case: Case) -> bool:
    """Whether the message is about one item of a list that differs from several before it.

    ``torch.stack`` and ``torch.cat`` name the first item that differs from the item 0.
    """
    numbers = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    operations = {f.value for f in case.facts.of(FactKind.OPERATION)}
    return bool(operations & {"cat", "stack"}) and max(numbers, default=0) >= LEAST_ALIKE


def share_of_number(case: Case, number: float) -> float:
    """Return what a number of the message counts: less where most items have that size."""
    return OF_MOST if is_odd_one_out(case) and number in sizes_of(case, Role.EXPECTED) else 1.0


def find(case: Case) -> Iterator[Clue]:
    """Yield the places whose value is a number of the message, or differs from it tellingly."""
    if names_no_size(case):
        return
    expected, actual = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    steps = [*case.raise_slice, *(s for steps in case.outer_slices for s in steps)]
    plain: set[Any] = (expected | actual) - _proper_sizes(case)
    bounds: set[Any] = {f.value for f in case.facts.of(FactKind.BOUND)}
    both = _on_both_sides(case)
    apart = [step for step in steps if (step.node.file, step.node.line) not in both]
    meant = [
        step
        for step in apart
        if not counts_no_size(_name_of(step), case.message) and not _names_axis(step)
    ]
    of_most = OF_MOST if is_odd_one_out(case) else 1.0
    for clue in _matches(meant, expected - actual, "expected", plain, bounds):
        yield replace(clue, score=clue.score * of_most)
    yield from _matches(meant, actual - expected, "actual", plain, bounds)
    deciding = {id(step.node) for step in case.property_slice if step.decides}
    yield from _relations(steps, expected, actual, deciding)
    yield from _bounds(case, apart)
    yield from _elsewhere(case, (expected | actual) - (expected & actual))


OF_ARGUMENTS = {"call_missing", "call_count", "call_twice"}
"""Families of messages whose numbers count arguments: no value of the program is meant."""
ONE_SAMPLE = {"batch_norm_training"}
"""Families that complain of the number of samples alone: no size of a layer is wrong."""
NO_SIZES = (
    *("kernel", "stride", "dilation", "padding", "epoch", "worker", "iter", "seed", "patience"),
    *("gpu", "device", "thread", "fold", "warmup", "accum"),
)
"""Words of names whose numbers are the size of no array's axis."""


COUNTED_AXES = re.compile(
    r"(?i)\b\d-?d\b|\b\d[ -]dimension(?:al|s|\(s\))|\bndims?\b|\bdim\(\)|\brank[ -]?\d"
    r"|\brank\b.*\brank\b|number of dimensions|too many indices|\bwith dim \d"
)
"""What messages say that tell how many axes an array has."""


def counts_axes(case: Case) -> bool:
    """Whether the message tells numbers of axes, and no size that does not fit."""
    if case.facts.of(FactKind.SIZE) or case.facts.of(FactKind.SHAPE):
        return False
    return COUNTED_AXES.search(case.message) is not None


def names_no_size(case: Case) -> bool:
    """Whether the numbers of the message are no sizes or values that the program may set."""
    return (
        counts_axes(case)
        or (case.facts.family or "").rpartition(".")[2] in OF_ARGUMENTS | ONE_SAMPLE
    )


def counts_no_size(name: str, message: str) -> bool:
    """Whether a name counts what is no axis of an array, and of which the message does not speak.

    Its number is that of the message by chance. Where a loss says that scores and targets are of
    two batches, both come from one: the size that was asked for is right.
    """
    name, message = name.lower(), message.lower()
    if "batch" in name and OF_BATCHES in message:
        return True
    return any(word in name and word not in message for word in NO_SIZES)


OF_BATCHES = "to match target batch_size"
OF_SIZES, OF_NUMBERS = "one of the sizes in the message", "one of the numbers in the message"
"""What is said of a value that the message has. Which of them is demanded it often words otherwise
than is meant."""
SIDE_STEPS = 80
SHIFTING = (StepKind.ARITHMETIC, StepKind.SLICING)


AXES_GIVEN = {
    *("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "rollaxis"),
    *("squeeze", "unsqueeze", "expand_dims", "flatten", "size"),
}
"""Calls whose plain numbers are positions of axes."""
AXIS_ROLES = {
    f"argument {name}" for name in ("dim", "dims", "axis", "axes", "start_dim", "end_dim")
}


def _names_axis(step: Step) -> bool:
    """Whether a step is a plain number that a call takes for the position of an axis."""
    expr, around = step.node.expr, step.before
    if step.node.entry is not None or not isinstance(expr, (ast.Constant, ast.Tuple, ast.UnaryOp)):
        return False
    if step.roles[-1:] and step.roles[-1] in AXIS_ROLES:
        return True
    call = around.node.expr if around is not None and around.node.entry is None else None
    return isinstance(call, ast.Call) and called_name(call) in AXES_GIVEN


def _on_both_sides(case: Case) -> set[tuple[str, int]]:
    """Return the settings and constants that make both values that do not fit.

    Where the index is just one too high, or one size is a multiple of the other, no other value of
    theirs repairs the failure: both sides would follow it.
    """
    if not (_is_next_index(case) or _is_multiple(case)):
        return set()
    on_both: set[tuple[str, int]] = set()
    for start in case.starts:
        for expr in ast.walk(start.expr):
            if isinstance(expr, ast.Subscript):
                sides = [expr.value, expr.slice]
            elif isinstance(expr, ast.BinOp):
                sides = [expr.left, expr.right]
            elif isinstance(expr, ast.Call) and expr.args:
                sides = [expr.func, *expr.args] if len(expr.args) == 1 else list(expr.args)
            else:
                continue
            reached = [
                _written(backward_slice([start.engine.node(side, start.context)], SIDE_STEPS))
                for side in sides
            ]
            for number, places in enumerate(reached):
                on_both.update(*(places & other for other in reached[:number]))
    return on_both


def _is_next_index(case: Case) -> bool:
    indices = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    kinds = (FactKind.BOUND, FactKind.SIZE)
    bounds = [f.value for k in kinds for f in case.facts.of(k) if isinstance(f.value, int)]
    if case.category.id != "illegal_index" or not indices or not bounds:
        return False
    return max(indices) in (max(bounds), max(bounds) + 1)


def _is_multiple(case: Case) -> bool:
    """Whether two arrays do not fit element by element, and one is several times as long."""
    if case.category.id != "tensor_mismatch" or not any(
        isinstance(start.expr, ast.BinOp) for start in case.starts
    ):
        return False
    sizes = sorted(sizes_of(case, Role.EXPECTED) ^ sizes_of(case, Role.ACTUAL))
    return len(sizes) == 2 and sizes[0] > 1 and sizes[1] % sizes[0] == 0


def _written(steps: list[Step]) -> set[tuple[str, int]]:
    kinds = (StepKind.CONFIG, StepKind.LITERAL)
    return {(s.node.file, s.node.line) for s in steps if s.node.kind in kinds and s.node.line > 0}


def _whole(node: Node) -> set[int]:
    return {
        c.value
        for c in node.constants
        if isinstance(c.value, int) and not isinstance(c.value, bool)
    }


def _equals(node: Node, number: int) -> str:
    """Say what an expression comes to, but of a plain number only that it is there."""
    if node.text == str(number):
        return f"`{number}` is"
    verb = _verb(node)
    if node.entry is not None and node.entry.path and isinstance(node.entry.path[-1], int):
        return f"{item_words(node.entry.text, node.entry.key)} {verb}"
    if node.entry is not None and node.text.endswith(f": {number}"):
        return f"`{node.text}` is"
    if _is_spread(node):
        return f"`**{node.text}` holds {number},"
    return f"`{node.text}` {verb} {number},"


def _verb(node: Node) -> str:
    """Return how surely a node stands for a number: nothing but it is known, or others as well."""
    return "is" if len(_whole(node)) == len(node.values) == 1 else "may be"


MOST_VALUES = 4
"""A name that stands for more numbers than these counts through them: one tells nothing."""


def _is_of_range(node: Node) -> bool:
    """Whether a number is one of many that a range gives, and stands nowhere itself."""
    is_item = isinstance(node.expr, ast.Constant) and not node.engine.is_written(node.expr)
    return is_item or len(_whole(node)) > MOST_VALUES


MAKERS_OF_DATA = frozenset(
    [
        *("array", "asarray", "tensor", "as_tensor", "constant", "DataFrame", "Series"),
        *("LongTensor", "FloatTensor", "IntTensor", "Tensor"),
    ]
)
"""Functions whose lists hold elements, not sizes."""


def _is_element(step: Step) -> bool:
    """Whether a number is written as an element of an array or table, whose size it is not."""
    if not isinstance(step.node.expr, ast.Constant) or step.node.entry is not None:
        return False
    at = step.before
    in_list = False
    while at is not None and at.node.entry is None:
        if isinstance(at.node.expr, (ast.List, ast.Tuple)):
            in_list = True
        elif isinstance(at.node.expr, ast.Call):
            return in_list and called_name(at.node.expr) in MAKERS_OF_DATA
        elif not isinstance(at.node.expr, ast.Dict):
            return False
        at = at.before
    return False


def _is_spread(node: Node) -> bool:
    """Whether an expression is a mapping whose items are handed over one by one (``**x``)."""
    module = node.context.scope
    while module.parent is not None:
        module = module.parent
    calls = (n for n in ast.walk(module.node) if isinstance(n, ast.Call))
    spread = (k.value for call in calls for k in call.keywords if k.arg is None)
    return node.entry is None and any(value is node.expr for value in spread)


ROUND = 0.75
"""What a power of two or of ten (32, 64, 100) tells of what another number of its size does."""


def _rarity(number: int, count: int) -> float:
    """Say how much a number tells: small ones stand everywhere, rare ones hardly by chance."""
    size = min(1.0, 0.35 + math.log2(max(abs(number), 1)) / 8)
    if number > 8 and (number & (number - 1) == 0 or str(number).strip("0") == "1"):
        size *= ROUND
    return size / math.sqrt(max(count, 1))


def _proper_sizes(case: Case) -> set[Any]:
    """Return the sizes of the message, those in its shapes included; counts of axes are none."""
    facts = case.facts.facts
    sizes: set[Any] = {f.value for f in facts if f.kind in (FactKind.SIZE, FactKind.BOUND)}
    return sizes.union(*(f.value for f in facts if isinstance(f.value, tuple)))


def _matches(
    steps: list[Step], wanted: set[int], kind: str, plain: set[Any], bounds: set[Any]
) -> Iterator[Clue]:
    hits = [
        (step, number)
        for step in steps
        for number in sorted(_whole(step.node) & wanted)
        if step.node.line > 0 and not _is_of_range(step.node) and not _is_element(step)
    ]
    counts = Counter(number for step, number in hits if step.decides)
    for step, number in hits:
        score = _rarity(number, counts[number])
        node = step.node
        why = f"{_equals(node, number)} {OF_NUMBERS if number in plain else OF_SIZES}"
        if number in bounds:
            why = f"{_equals(node, number)} the bound that the message gives"
        if step.decides:
            yield Clue(f"numbers.{kind}", node.file, node.line, score, why)
        else:
            yield Clue(f"numbers.{kind}_passed", node.file, node.line, score, why)


def _relations(
    steps: list[Step], expected: set[int], actual: set[int], deciding: set[int]
) -> Iterator[Clue]:
    """Compare differences and ratios of the two sides with constants in the slice.

    A small shift is only looked at where the property of the message is decided (``deciding``).
    """
    if not expected or not actual or len(expected) > 4 or len(actual) > 4:
        return
    differences = {abs(a - e) for a in actual for e in expected} - {0}
    near = {d for d in differences if d <= 4}
    ratios = {
        max(a, e) // min(a, e)
        for a in actual
        for e in expected
        if min(a, e) > 0 and max(a, e) % min(a, e) == 0 and a != e
    }
    for step in steps:
        node = step.node
        if node.entry is not None or node.line <= 0 or counts_rounds(step) or is_angle(node.expr):
            continue
        inner = _constants_in(node.expr, (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow))
        shifts = _shifts_in(node.expr) | bounds_in(node.expr)
        if id(node) in deciding and node.kind in SHIFTING and shifts & near:
            shift = min(shifts & near)
            why = f"`{node.text}` shifts by {shift}, by which two numbers of the message differ"
            yield Clue("numbers.difference", node.file, node.line, 1.0, why)
        elif node.kind is StepKind.ARITHMETIC and inner & {r for r in ratios if r <= MAX_RATIO}:
            factor = min(inner & ratios)
            why = f"`{node.text}` has the factor {factor} between two numbers of the message"
            yield Clue("numbers.ratio", node.file, node.line, 0.8, why)


OF_REALS = frozenset(
    ("exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "sigmoid", "rand", "randn")
)
"""Functions that give no whole number: what is added to one shifts no size."""


def _shifts_in(expr: ast.AST) -> set[int]:
    """Return the whole numbers that an expression adds or subtracts, not those within a product.

    ``1 - x`` is what is left of a whole, and no shift of ``x``.
    """
    found: set[int] = set()
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Sub)):
        sides = (expr.left, expr.right) if isinstance(expr.op, ast.Add) else (expr.right,)
        if any(isinstance(s, ast.Call) and called_name(s) in OF_REALS for s in sides):
            return found
        for side in sides:
            if isinstance(side, ast.Constant) and type(side.value) is int:
                found.add(abs(side.value))
        return found | _shifts_in(expr.left) | _shifts_in(expr.right)
    if not isinstance(expr, ast.BinOp):
        for child in ast.iter_child_nodes(expr):
            if not isinstance(child, ast.Call):  # Its result is another number.
                found |= _shifts_in(child)
    return found


def is_angle(expr: ast.expr) -> bool:
    """Whether a computation takes pi: its factors turn an angle and are of no size."""
    names = (n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(expr)
             if isinstance(n, ast.Attribute | ast.Name))  # fmt: skip
    return "pi" in names


def counts_rounds(step: Step) -> bool:
    """Whether a step only numbers the rounds of a loop or counts items: no size comes of it."""
    if step.node.context.scope.name.rpartition(".")[2] == "__len__":
        return True
    way = step.way()
    for at, link in enumerate(way[1:], 1):
        before = way[at - 1].node
        expr = before.expr if before.entry is None else None
        named = isinstance(expr, ast.Call) and called_name(expr) == "enumerate"
        if named and link.roles[-1:] in (("argument start",), ("argument 1",)):
            return True
    return False


def _constants_in(expr: ast.expr, operators: tuple[type[ast.operator], ...]) -> set[int]:
    """Return the integers that an expression's own operations take, not those inside calls."""
    constants: set[int] = set()
    queue: list[ast.AST] = [expr]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, operators):
            for side in (node.left, node.right):
                if isinstance(side, ast.Constant) and type(side.value) is int:
                    constants.add(abs(side.value))
        if isinstance(node, ast.Call) and node is not expr:
            continue
        queue.extend(ast.iter_child_nodes(node))
    return constants


def indexes_shape(expr: ast.expr) -> bool:
    """Whether an expression takes a part of a shape (``x.shape[1:]``), which cuts no array."""
    base = expr.value if isinstance(expr, ast.Subscript) else None
    return isinstance(base, ast.Attribute) and base.attr == "shape"


def bounds_in(expr: ast.expr) -> set[int]:
    """Return the integers that bound a slice (``x[1:]``), none for the last item (``x[-1:]``)."""
    if not isinstance(expr, ast.Subscript) or indexes_shape(expr):
        return set()
    parts = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
    bounds: set[int] = set()
    for part in parts:
        if isinstance(part, ast.Slice) and part.upper is None and _is_last(part.lower):
            continue  # `x[-1:]` takes the last item and shifts nothing.
        for bound in (part.lower, part.upper) if isinstance(part, ast.Slice) else ():
            bound = bound.operand if isinstance(bound, ast.UnaryOp) else bound
            if isinstance(bound, ast.Constant) and type(bound.value) is int:
                bounds.add(bound.value)
    return bounds


def _is_last(bound: ast.expr | None) -> bool:
    return bound is not None and ast.unparse(bound) == "-1"


def _bounds(case: Case, steps: list[Step]) -> Iterator[Clue]:
    """Suspect counts that an index of the message breaks: value <= index."""
    if case.category.id != "illegal_index":
        return
    indices = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    if not indices:
        return
    index = max(indices)
    if index < 0 and "Target" in case.message:
        yield from _settings_of_labels(case, index)
    bounds = {f.value for f in case.facts.of(FactKind.BOUND) if isinstance(f.value, int)}
    yield from _settings_of_classes(case, index)
    given = {id(step.node) for step in case.focus_slice if step.node.kind is StepKind.LITERAL}
    for step in steps:
        node = step.node
        if node.line <= 0 or _is_factor(step):
            continue
        for number in sorted(_whole(node)):
            if not 0 < number <= index or (bounds and number not in bounds):
                continue
            name = _name_of(step)
            if step.roles[-1:] in (("argument dim",), ("argument axis",)):
                continue
            counts = any(word in name for word in COUNT_WORDS)
            score = 1 / (1 + (index - number)) * (1.0 if counts else 0.5)
            if _counts_other(case, name):
                score *= OF_OTHER
            if isinstance(node.expr, ast.BinOp) and isinstance(node.expr.op, ast.Mod):
                continue
            if any(isinstance(value, Config) and _is_table(value) for value in node.values):
                continue  # A table of settings is no number, whatever it holds.
            is_shown = re.search(rf"\b{number}\b", node.text)
            stands = f"`{node.text}`" + ("" if is_shown else f", which {_verb(node)} {number},")
            # `batch_size` and `image_size` count as well, but hardly what is indexed.
            is_count = counts and OF_CLASSES.search(name) is not None
            why = f"{stands} leaves no room for index {index}"
            if not is_count:
                if score < LEAST_BOUND:
                    continue
                why = f"if {stands} counts what is indexed, index {index} lies outside"
            if not is_count and id(node) in given:
                # A number that becomes an index itself counts nothing.
                if number != index:
                    continue
                if not "".join(step.roles[-1:]).startswith("argument"):
                    why = f"`{node.text}` is the index of the message"
            kind = "numbers.bound" if step.decides else "numbers.bound_passed"
            yield Clue(kind, node.file, node.line, score, why)


LEAST_BOUND = 0.1
"""What a number must count that has no name of what is indexed: far below the index it is none."""


def _is_table(config: Config) -> bool:
    return config.entry is None or config.entry.value is None


def _is_factor(step: Step) -> bool:
    """Whether a step is a number within a computation: the result may count, but not it."""
    before = step.before.node if step.before is not None else None
    if before is None or before.kind is not StepKind.ARITHMETIC:
        return False
    return step.node.kind is StepKind.LITERAL


OF_CLASSES = re.compile(r"class|label|out_?(?:channels|features|dim|put|size)|vocab|_cls|ntoken")
OF_NO_CLASS = re.compile(r"pad|void|ignore|unlabel|missing|fill|smooth|weight")
"""Settings about labels that say nothing of their number."""
MOST_CLASSES = 1000


def _settings_of_classes(case: Case, index: int) -> Iterator[Clue]:
    """Suspect the run's settings that count classes, where a label is no class."""
    files = case.engine.run.files
    for entry in case.config_entries if "arget" in case.message else ():
        number = entry.value
        if type(number) is not int or not 0 < number <= index <= MOST_CLASSES:
            continue
        is_of_classes = OF_CLASSES.search(entry.key.lower()) and not OF_NO_CLASS.search(
            entry.key.lower()
        )
        if (not files or entry.file in files) and is_of_classes:
            score = 1.0 / (1 + (index - number)) * (1.0 if files else 0.5)
            setting = f"`{entry.key}: {entry.text}`"
            why = f"{setting} as a number of classes leaves no room for label {index}"
            yield Clue("numbers.bound", entry.file, entry.line, score, why)


OF_LABELS = re.compile(r"label|target|mask|pad|void|ignore|unlabel|background|missing|fill|default")
OTHER_NEGATIVE = 0.3
"""What a negative setting whose name speaks of no label counts: -1 often means all, or the last."""


def _settings_of_labels(case: Case, label: int) -> Iterator[Clue]:
    """Suspect the run's settings that are the negative label of the message.

    A loss skips the label that it is told to ignore, by default -100 (PyTorch, "CrossEntropyLoss").
    """
    files = case.engine.run.files
    for entry in case.config_entries:
        if type(entry.value) is int and entry.value == label and (not files or entry.file in files):
            score = 1.0 if OF_LABELS.search(entry.key.lower()) else OTHER_NEGATIVE
            why = f"`{entry.key}: {entry.text}` has the value of the label in the message"
            yield Clue("numbers.bound", entry.file, entry.line, score, why)


OTHER_COUNTS = (
    *("layer", "head", "epoch", "step", "worker", "iter", "seed", "patience", "gpu", "device"),
    *("thread", "stride", "kernel", "fold", "depth", "warmup", "accum"),
)
"""Words of names that count what no index of data or labels runs over."""
OF_OTHER = 0.15


def _counts_other(case: Case, name: str) -> bool:
    """Whether a name counts things of which the failing expression does not speak."""
    words = [word for word in OTHER_COUNTS if word in name]
    failing = " ".join(start.text for start in case.starts).lower()
    return bool(words) and not any(word in failing for word in words)


def _name_of(step: Step) -> str:
    """Return the names that a value goes by on its way (parameters, keywords, variables)."""
    names = [role.removeprefix("argument ") for role in step.roles if role.startswith("argument ")]
    names.extend(s.node.text for s in step.way() if s.node.kind in (StepKind.NAME,))
    if step.node.entry is not None:
        names.append(step.node.entry.key)
    return " ".join(names).lower()


PLAIN = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def literal_number(node: ast.expr, depth: int = 0) -> int | None:
    """Fold a whole number that is written out with literals alone (``64 * 7 * 7``)."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if not isinstance(node, ast.BinOp) or type(node.op) not in PLAIN or depth > MAX_TERMS:
        return None
    left, right = literal_number(node.left, depth + 1), literal_number(node.right, depth + 1)
    if left is None or right is None:
        return None
    value = PLAIN[type(node.op)](left, right)
    return int(value) if abs(value) < MAX_NUMBER else None


def _numbers(workspace: Workspace, file: str) -> list[tuple[int, int, str]]:
    """Return the whole numbers above 2 that a file writes out, each with its line and text."""
    numbers: list[tuple[int, int, str]] = []
    tree = workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.Constant, ast.BinOp)):
            number = literal_number(node)
            if number is not None and number > 2:
                text = str(number) if isinstance(node, ast.Constant) else ast.unparse(node)
                numbers.append((number, node.lineno, text))
    return numbers


def item_words(text: str, owner: str) -> str:
    """Return an item as people read it: with its list, or the program whose argument it is."""
    if not owner:
        return f"`{text}`"
    is_argument = owner.endswith((".py", ".sh", ".ipynb"))
    return f"`{text}`, an {'argument' if is_argument else 'item'} of `{owner}`,"


def written(entry: ConfigEntry) -> str:
    """Return a setting as people read it: ``key: value``, or of a list the item and its list."""
    if entry.path and isinstance(entry.path[-1], int):
        return item_words(entry.text, entry.key)
    return f"`{entry.key}: {entry.text}`"


MOST_USUAL = 4
"""Numbers up to this one stand in every config."""


def _elsewhere(case: Case, wanted: set[int]) -> Iterator[Clue]:
    """Look for the numbers anywhere in the configs and the code, for what no slice reaches."""
    wanted = {n for n in wanted if n > 2}
    if not wanted:
        return
    hits = [
        (entry.file, entry.line, entry.value, written(entry))
        for entry in case.config_entries
        if isinstance(entry.value, int)
        and entry.value in wanted
        and not counts_no_size(entry.key, case.message)
    ]
    for file in case.code_files:
        numbers = case.workspace.derived(
            "evidence.numbers", file, partial(_numbers, case.workspace, file), HELD_FILES
        )
        hits.extend((file, line, n, f"`{text}`") for n, line, text in numbers if n in wanted)
    counts = Counter(number for _, _, number, _ in hits)
    for file, line, number, text in hits:
        score = _rarity(number, counts[number]) * share_of_number(case, number)
        yield Clue("numbers.literal", file, line, score, f"{text} is a number of the message")
    run = case.engine.run.configs
    of_run = Counter(n for file, _, n, _ in hits if file in run)
    for file, line, number, text in hits:
        if file in run and of_run[number] == 1 and number > MOST_USUAL:
            why = f"{text} is the only setting of this run that is {number}, a size of the message"
            yield Clue("config.only_number", file, line, share_of_number(case, number), why)
