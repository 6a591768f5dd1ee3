"""Rules for tensor mismatches: the layer, join, reshape or crop that makes sizes disagree.

Also samples of one batch that differ in size, and sizes that do not divide without remainder.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import (
    DRAWN_COUNTS,
    DRAWN_MEASURES,
    calls_in,
    is_drawn,
    keyword,
    names_in,
    near_files,
    near_scopes,
    own_nodes,
)
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.interpreted_values import origins_of
from dl_bug_lsp.evidence.numbers import counts_axes, indexes_shape, sizes_of
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import Items, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

LAYERS = {
    "Linear",
    "LazyLinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Embedding",
    "LSTM",
    "GRU",
    "RNN",
    "LSTMCell",
    "GRUCell",
    "LayerNorm",
    "BatchNorm1d",
    "BatchNorm2d",
    "GroupNorm",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "Bilinear",
    "Dense",
    "Conv2D",
    "Conv1D",
    "Input",
    "Reshape",
    "Variable",
    "Parameter",
    "normal",
    "randn",
    "zeros",
    "ones",
    "add_weight",
    "glorot_uniform",
    "uniform",
    "orthogonal",
    "xavier_uniform_",
}
JOINS = {"cat", "concat", "concatenate", "stack", "hstack", "vstack", "Concatenate"}
APPENDS = {"cat", "concat", "concatenate"}
"""Joins that lengthen an axis: without one they lengthen the first, the batch."""
RESHAPES = {
    "view",
    "reshape",
    "flatten",
    "permute",
    "transpose",
    "unsqueeze",
    "squeeze",
    "expand",
    "repeat",
    "swapaxes",
    "moveaxis",
    "rearrange",
    "expand_dims",
    "Flatten",
    "unflatten",
    "movedim",
    "tile",
    "split",
    "chunk",
    "narrow",
    "interpolate",
    "pad",
    "one_hot",
    "AdaptiveAvgPool2d",
    "MaxPool2d",
    "AvgPool2d",
    "MaxPooling2D",
    "mean",
    "sum",
    "resize",
    "crop",
}


def find_shapes(case: Case) -> Iterator[Clue]:
    """Yield the shape-giving places that a tensor mismatch may come from."""
    if case.category.id not in {"tensor_mismatch", "illegal_argument", "illegal_index"}:
        return
    yield from _same_shape(case)
    if case.category.id != "tensor_mismatch":
        return
    yield from _extra_axis(case)
    yield from _lacking_axis(case)
    yield from _lacking_broadcast_axis(case)
    yield from _lacking_batch(case)
    yield from _repeated_layers(case)
    yield from _classes_last(case)
    yield from _fixed_batch(case)
    yield from _odd_when_halved(case)
    yield from _one_step_more(case)
    yield from _cut_unlike(case)
    if OF_LENGTHS.search(case.message):
        # A length as a value is too great: no axis is.
        return
    crossed, no_axes = _are_crossed(case), "zero-dimensional" in case.message
    for step in case.raise_slice:
        yield from _operations(step, crossed, no_axes)
        yield from _joined_samples(case, step)
        yield from _loss_setting(case, step)


FIRST_AXIS = (0, None)


def _joined_samples(case: Case, step: Step) -> Iterator[Clue]:
    """Find parts that are joined along the batch, where joined features would have the size.

    ``torch.cat`` of N parts along the first axis multiplies the samples; a layer that wants N times
    the features that it gets was meant for parts joined along their features.
    """
    expr = step.node.expr
    if step.node.entry is not None or not isinstance(expr, ast.Call) or step.node.line <= 0:
        return
    parts = expr.args[0] if expr.args else None
    if called_name(expr) not in APPENDS or not isinstance(parts, (ast.List, ast.Tuple)):
        return
    axis = keyword(expr, "dim") or keyword(expr, "axis") or next(iter(expr.args[1:2]), None)
    if axis is not None and not (isinstance(axis, ast.Constant) and axis.value in FIRST_AXIS):
        return
    count = len(parts.elts)
    wanted, given = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    pairs = [(a, b) for a in given for b in wanted if count > 1 and a * count == b]
    if pairs:
        why = (
            f"`{step.node.text}` joins {count} parts along the first axis; joined along their "
            f"features they would have {pairs[0][1]} in the place of {pairs[0][0]}"
        )
        yield Clue("rules.strong", step.node.file, expr.lineno, 1.0, why)


KEEPS_AXIS = {"unsqueeze", "expand_dims", "atleast_2d", "column_stack"}


def _extra_axis(case: Case) -> Iterator[Clue]:
    """Find what keeps or adds an axis, where two shapes differ by axes of size one only."""
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    plain = {tuple(n for n in shape if n != 1) for shape in shapes}
    if len(set(shapes)) < 2 or len(plain) != 1:
        return
    for step in case.raise_slice:
        node = step.node
        expr = node.expr
        if node.entry is not None or node.line <= 0:
            continue
        near = 1 / (1 + step.distance / 8)
        if isinstance(expr, ast.Call):
            kept = keyword(expr, "keepdim") or keyword(expr, "keepdims")
            if called_name(expr) in KEEPS_AXIS or (
                isinstance(kept, ast.Constant) and kept.value is True
            ):
                why = f"`{node.text}` keeps or adds the axis of size 1"
                yield Clue("rules.extra_axis", node.file, node.line, near, why)


TO_TENSORS = {
    *("tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor", "DoubleTensor", "HalfTensor"),
    *("convert_to_tensor", "to_tensor"),
}
"""Calls that make tensors of arrays, where an axis that is missing is mostly added."""


def _lacking_axis(case: Case) -> Iterator[Clue]:
    """Find where arrays become tensors that have an axis less than a layer takes.

    Grey pictures and plain signals have no axis of channels until a program gives them one.
    """
    raised = follow(case).raised
    if raised is None or raised.axes <= 0:
        return
    places: dict[tuple[str, int], str] = {}
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, ast.Call) or node.line <= 0:
            continue
        if called_name(node.expr) in TO_TENSORS:
            places[node.file, node.line] = node.text
    rank, wanted = (side.data for side in raised.sides[:2])
    for (file, line), text in places.items():
        why = f"`{text}` adds no axis: the failing call gets {rank} axes where {wanted} are wanted"
        yield Clue("rules.strong", file, line, 1.0 / len(places) ** 0.5, why)


def _lacking_broadcast_axis(case: Case) -> Iterator[Clue]:
    """Find the calls before which an array got an axis that another one of the call lacks.

    An attention that has split its queries into heads has a mask without an axis for the heads: a
    function that gives some of its arrays an axis does so with all of them.
    """
    raised = follow(case).raised
    if raised is None or not raised.lacking:
        return
    program = case.engine.program
    scopes = [program.scope_at(*place) for place in raised.lacking]
    grown = {id(s) for s in scopes if s is not None and isinstance(s.node, ast.FunctionDef)}
    places = [
        place
        for place in case.places[:-1]
        if id(program.scope_at(place.file, place.line)) in grown
        and (place.file, place.line) not in raised.lacking
    ]
    for place in places:
        why = (
            "before this line one array gets an axis that the other one lacks: with an axis of "
            "size 1 there the sizes that are known would fit"
        )
        score = 1.0 / len(places) ** 0.5
        yield Clue("rules.strong", place.file, place.line, score, why)


OF_MATRICES = re.compile(r"shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x\d+\)")
FORWARD = {"forward", "call", "__call__"}


def _lacking_batch(case: Case) -> Iterator[Clue]:
    """Find the call that hands one sample to a model without an axis for the batch.

    Where a model flattens all axes but the first, the rows of such a sample are taken for samples:
    all of its numbers together are as many as the layer takes features.
    """
    match = OF_MATRICES.search(case.message)
    if match is None:
        return
    rows, columns, wanted = map(int, match.groups())
    if rows < MANY_ROWS or rows * columns != wanted or not case.places:
        return
    if not re.search(r"\b[Ff]latten\(", case.workspace.text(case.places[-1].file) or ""):
        return
    # IPython shows methods with their class (``Net.forward``).
    callers = (
        place
        for place in reversed(case.places)
        if (place.function or "").rpartition(".")[2] not in FORWARD
    )
    place = next(callers, None)
    if place is not None:
        why = (
            f"what goes into the model here may be one sample without an axis for the batch: it is "
            f"flattened to {rows} x {columns}, and {wanted} features are wanted"
        )
        yield Clue("rules.strong", place.file, place.line, 1.0, why)


OF_SIZES = ("numbers.", "interpretation.", "shapes.")
EXPLAINED = 0.4
"""What clues on single sizes count where one place explains all sizes of the message."""
_EXPLAINING: WeakKeyDictionary[Case, tuple[str, int] | None] = WeakKeyDictionary()
"""The places that do so."""


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a factor: on a size less, where a sample without its batch explains them all."""
    if not clue.kind.startswith(OF_SIZES):
        return 1.0
    if case not in _EXPLAINING:
        _EXPLAINING[case] = next(((c.file, c.line) for c in _lacking_batch(case)), None)
    place = _EXPLAINING[case]
    return EXPLAINED if place is not None and place != (clue.file, clue.line) else 1.0


MANY_ROWS = 2
OF_INPUT = re.compile(r"(?i)(?:n_|num_|dim_)?(?:in|inp|inputs?|prev|previous|last)(?:_|$)")
OF_OUTPUT = re.compile(r"(?i)(?:n_|num_|dim_)?(?:out|outputs?|next|hidden)(?:_|$)")
"""How names of what a layer takes and gives begin."""


def _repeated_layers(case: Case) -> Iterator[Clue]:
    """Find a loop that makes layers which all take what the first one does.

    Where they are applied one after the other, a layer gets what the one before it gives.
    """
    for scope in near_scopes(case):
        for loop in own_nodes(scope.node):
            if not isinstance(loop, (ast.For, ast.ListComp, ast.GeneratorExp)):
                continue
            names = (n for n in ast.walk(loop) if isinstance(n, ast.Name))
            bound = {name.id for name in names if isinstance(name.ctx, ast.Store)}
            for call in (n for n in ast.walk(loop) if isinstance(n, ast.Call)):
                first, second = (_last_name(arg) for arg in [*call.args[:2], *[None] * 2][:2])
                is_pair = OF_INPUT.match(first) and OF_OUTPUT.match(second) and first != second
                if is_pair and called_name(call)[:1].isupper() and not {first, second} & bound:
                    why = (
                        f"each round makes a `{called_name(call)}` that takes `{first}` and gives "
                        f"`{second}`; one after the other, all but the first would get `{second}`"
                    )
                    yield Clue("rules.strong", scope.file, call.lineno, 1.0, why)


def _last_name(expr: ast.expr | None) -> str:
    """Return a name, of an attribute the last part, of anything else an empty text."""
    return expr.attr if isinstance(expr, ast.Attribute) else getattr(expr, "id", "")


OF_TARGETS = re.compile(r"Expected target size \[([\d, ]{1,80})\], got \[([\d, ]{1,80})\]")
MOVING = {"transpose", "permute", "movedim", "moveaxis", "swapaxes", "rearrange", "view", "reshape"}
FEW_STEPS = 2
"""Positions by which a sequence and its targets differ where one of them is shifted or marked."""


def _classes_last(case: Case) -> Iterator[Clue]:
    """Find a loss that gets the scores of classes on the last axis, with targets of several axes.

    ``cross_entropy`` takes the second axis for that of the classes. Of scores ``(N, L, C)`` it
    expects targets ``(N, C)``, where they are ``(N, L)``.
    Source: PyTorch, ``CrossEntropyLoss``, "Shape".
    """
    match = OF_TARGETS.search(case.message)
    if match is None or not case.places:
        return
    expected, given = (tuple(map(int, text.split(","))) for text in match.groups())
    if len(expected) != len(given) or len(given) < 2 or expected[0] != given[0]:
        return
    if given[2:] != expected[1:-1] or abs(expected[-1] - given[-1]) <= FEW_STEPS:
        return
    place = case.places[-1]
    line = "".join(case.workspace.lines(place.file)[place.line - 1 : place.line])
    if not any(f".{name}(" in line for name in MOVING):
        axes = "(N, L, C)" if len(given) == 2 else "(N, ..., C)"
        why = (
            f"the loss takes the second axis for the classes: it expects targets of {expected} "
            f"where the scores seem to be {axes} with the {expected[-1]} classes last"
        )
        yield Clue("rules.strong", place.file, place.line, 0.7, why)


def _fixed_batch(case: Case) -> Iterator[Clue]:
    """Find what is made for whole batches in a loop whose last batch is smaller.

    A loader gives what is left of the samples as a last batch (PyTorch, ``DataLoader``,
    ``drop_last``); a state that is made for its ``batch_size`` does not fit that one.
    """
    raised = follow(case).raised
    if raised is None or raised.weight < 1.0 or raised.what != "size":
        return
    numbers = {side.data: side for side in raised.sides[:2] if isinstance(side.data, int)}
    if len(numbers) < 2:
        return
    whole = origins_of(numbers[max(numbers)])
    sizes: set[str] = set()
    for file in dict.fromkeys((*(place.file for place in case.places), *(f for f, _ in whole))):
        sizes |= _batch_sizes(case, file)
    made_by = "".join(case.workspace.source_line(*place).replace("-", "_") for place in whole)
    sizes = {size for size in sizes if re.split(r"\W+", size.rstrip("]'\""))[-1] in made_by}
    for place in case.places:
        scope = case.engine.program.scope_at(place.file, place.line)
        for call in () if scope is None else own_nodes(scope.node):
            if not isinstance(call, ast.Call) or called_name(call) in LOADERS:
                continue
            given = [*call.args, *(k.value for k in call.keywords)]
            if call.lineno <= place.line and any(ast.unparse(g) in sizes for g in given):
                why = (
                    f"`{ast.unparse(call)[:60]}` counts on {max(numbers)} samples in every batch, "
                    f"and here are {min(numbers)}: the loader does not drop a smaller last batch"
                )
                yield Clue("rules.strong", place.file, call.lineno, 1.0, why)


LOADERS = {"DataLoader", "BatchSampler"}


def _batch_sizes(case: Case, file: str) -> set[str]:
    """Return how the sizes of batches are written that the loaders of a file get."""
    tree = case.workspace.tree(file)
    found: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or called_name(node) not in LOADERS:
            continue
        size = keyword(node, "batch_size") or next(iter(node.args[1:2]), None)
        drops = keyword(node, "drop_last")
        is_name = isinstance(size, (ast.Name, ast.Attribute, ast.Subscript))
        if size is not None and is_name and not (isinstance(drops, ast.Constant) and drops.value):
            found.add(ast.unparse(size))
    return found


HALVINGS = range(1, 8)
MOST_FILES = 30
LARGEST_SIDE = 8192
SIDES = re.compile(
    r"size|height|width|resol|crop|tile|patch|window|side|length|dim|pixel|shape|seq|pad|[hw]$"
)


def _odd_when_halved(case: Case) -> Iterator[Clue]:
    """Find sizes that halving makes odd: halved once more and doubled again they are one off.

    Encoders that halve and decoders that double fit for multiples of a power of two alone
    (Ronneberger et al., MICCAI 2015, section 2). Pooling drops the rest of an odd size; a padded
    convolution of stride 2 rounds it up (PyTorch, "Conv2d").
    """
    if (case.facts.family or "").endswith("_rank") or counts_axes(case):
        # Numbers of axes are no sizes.
        return
    sizes = sizes_of(case, Role.EXPECTED) | sizes_of(case, Role.ACTUAL)
    odd = {size: size + 1 for size in sizes if size % 2 and size > 2 and size + 1 in sizes}
    if odd and not _has_strided_convolution(case):
        odd = {}
    odd |= {size: size - 1 for size in sizes if size % 2 and size > 2 and size - 1 in sizes}
    if not odd or not _halves_and_doubles(case):
        return
    places: list[tuple[str, int, str, object]] = [
        (e.file, e.line, e.key, e.value) for e in case.config_entries
    ]
    for step in case.raise_slice:
        node = step.node
        # Where a name only hands the number on, nothing decides it.
        if node.entry is None and node.line > 0 and isinstance(node.expr, ast.Constant):
            places.append((node.file, node.line, "", node.expr.value))
    raised = follow(case).raised
    on_way = {o for side in (raised.sides if raised is not None else ()) for o in origins_of(side)}
    for file, line, key, value in places:
        number = int(value) if isinstance(value, str) and value.isdigit() else value
        if not isinstance(number, int) or not 2 < number <= LARGEST_SIDE:
            continue
        for size in sorted(odd):
            if any(_halved(number, k, up=odd[size] > size) == size for k in HALVINGS):
                why = (
                    f"{number}, halved again and again, becomes {size}, which is odd: halved once "
                    f"more and doubled again it is {odd[size]}"
                )
                # Another setting may come to the size by chance.
                if SIDES.search(key.lower()) or not key or (file, line) in on_way:
                    yield Clue("rules.halved", file, line, 1.0, why)


POOLS = re.compile(r"(?i)^(?:adaptive_?|fractional_?)?(?:max|avg|average|lp)_?pool")
"""Calls that pool: by two where they are told nothing else in nearly all programs."""
DOUBLES = re.compile(
    r"(?i)conv_?\d?d?_?transpose|transposed?_?conv|deconv|upsampl|up_?conv|interpolate|unpool"
    r"|pixel_?shuffle|resize|upscale|zoom"
)
BOTH = re.compile(r"(?i)u_?net|auto_?encoder|hourglass|\bvae\b|autoencoderkl|linknet|fpn|pspnet")
"""Names of networks, also of libraries, that halve a size and double it again."""


def _halves_and_doubles(case: Case) -> bool:
    """Whether a file near the stack has something that halves a size, and something that doubles.

    Without both no size is one off after it was halved and doubled again.
    """
    halves = doubles = False
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            name = called_name(call)
            if BOTH.search(name):
                return True
            halves |= bool(POOLS.search(name)) or ("conv" in name.lower() and _has_stride_2(call))
            doubles |= bool(DOUBLES.search(name))
    return halves and doubles


def _has_strided_convolution(case: Case) -> bool:
    """Whether a file of the stack has a convolution whose stride is 2."""
    trees = [case.workspace.tree(f) for f in dict.fromkeys(p.file for p in case.places)]
    calls = (n for t in trees if t is not None for n in ast.walk(t) if isinstance(n, ast.Call))
    return any("conv" in called_name(call).lower() and _has_stride_2(call) for call in calls)


def _has_stride_2(call: ast.Call) -> bool:
    given = [keyword(call, "stride"), keyword(call, "strides"), *call.args[3:4]]
    numbers = [
        {n.value for n in ast.walk(stride) if isinstance(n, ast.Constant)}
        for stride in given
        if stride is not None
    ]
    return {2} in numbers


def _halved(number: int, times: int, *, up: bool) -> int:
    """Return a number halved so many times, each time rounded up or down."""
    return -(-number >> times) if up else number >> times


def _one_step_more(case: Case) -> Iterator[Clue]:
    """Find a sequence that is handed over whole and compared with all of it but one step."""
    expected, actual = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    gaps = {abs(a - b) for a in expected for b in actual if a != b}
    if not any(gap and all(n % gap == 0 for n in expected | actual) for gap in gaps):
        return
    for scope in near_scopes(case)[:MOST_SCOPES]:
        nodes = list(own_nodes(scope.node))
        cut = {
            n.value.id: n
            for n in nodes
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and _drops_one(n)
        }
        for call in (n for n in nodes if isinstance(n, ast.Call)):
            if called_name(call) in RESHAPES:
                continue
            for given in call.args:
                if isinstance(given, ast.Name) and given.id in cut:
                    shorter = ast.unparse(cut[given.id])
                    why = f"`{given.id}` is handed over whole, and `{shorter}` is used beside it"
                    yield Clue("rules.strong", scope.file, call.lineno, 1.0, why)


MOST_SCOPES = 4


def _cut_unlike(case: Case) -> Iterator[Clue]:
    """Find what a failing call gets whole, or the other part of, while it gets a part of another.

    Next steps (``x[:, :-1]``) are compared with ``y[:, 1:]``, not with all of ``y``; what belongs
    to ``x[:, n:]`` is not ``y[:, :n]``.
    """
    expected, actual = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    by_one = any(abs(a - b) == 1 for a in expected for b in actual)
    for scope in near_scopes(case)[:MOST_SCOPES]:
        nodes = list(own_nodes(scope.node))
        bound = {
            n.targets[0].id: n
            for n in nodes
            if isinstance(n, ast.Assign) and len(n.targets) == 1 and _is_name(n.targets[0])
        }
        lines = [place.line for place in case.places if place.file == scope.file]
        for call in (n for n in nodes if isinstance(n, ast.Call)):
            end = call.end_lineno or call.lineno
            if called_name(call) in JOINS or not any(call.lineno <= n <= end for n in lines):
                continue
            given = [*call.args, *(k.value for k in call.keywords)]
            if by_one:
                yield from _beside_parts(scope, given, bound)
            yield from _other_part(scope, given, bound)


def _is_name(node: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _beside_parts(
    scope: Scope, given: list[ast.expr], bound: dict[str, ast.Assign]
) -> Iterator[Clue]:
    """Yield the plain copies among what a call gets, where the rest is a step shorter."""
    made = [bound[part.id] for part in given if isinstance(part, ast.Name) and part.id in bound]
    cut = [m for m in made if any(_drops_one(n) for n in _slices(m.value))]
    for statement in made if cut else ():
        if isinstance(statement.value, (ast.Name, ast.Attribute)) or _is_entry(statement.value):
            text = ast.unparse(statement)
            why = f"`{text}` takes all steps, and `{ast.unparse(cut[0])}` beside it one less"
            yield Clue("rules.strong", scope.file, statement.lineno, 1.0, why)


def _is_entry(node: ast.expr) -> bool:
    """Whether an expression is the entry of a table (``batch["labels"]``)."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _other_part(
    scope: Scope, given: list[ast.expr], bound: dict[str, ast.Assign]
) -> Iterator[Clue]:
    """Yield the slice up to a bound that a call gets with what was cut from that bound on."""
    sides: dict[tuple[int, str], dict[str, ast.Subscript]] = {}
    for part in given:
        held = bound[part.id].value if _is_name(part) and part.id in bound else part
        for node in _slices(held):
            for axis, bounds in enumerate(_bounds(node)):
                if not isinstance(bounds, ast.Slice) or bounds.step is not None:
                    continue
                edges = {"upper": bounds.upper, "lower": bounds.lower}
                known = {name: edge for name, edge in edges.items() if edge is not None}
                for name, edge in known.items() if len(known) == 1 else ():
                    if not _is_number(edge):
                        sides.setdefault((axis, ast.unparse(edge)), {}).setdefault(name, node)
    for (_, text), found in sides.items():
        if len(found) == 2:
            both = " and ".join(f"`{ast.unparse(node)}`" for node in found.values())
            why = f"{both} meet here: the parts before and after `{text}`"
            # A slice that stands in the call itself is the copied one; what was bound before it
            # may serve others, too.
            direct = [n for n in found.values() if any(n in ast.walk(part) for part in given)]
            for node in direct if len(direct) == 1 else found.values():
                yield Clue("rules.strong", scope.file, node.lineno, 1.0, why)


def _slices(node: ast.expr) -> list[ast.Subscript]:
    """Return the slices in an expression."""
    return [inner for inner in ast.walk(node) if _is_slice(inner)]


def _is_slice(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Whether a node takes a slice of something (``x[1:]``, ``x[:, 0]``)."""
    return isinstance(node, ast.Subscript) and any(
        isinstance(part, ast.Slice) for part in _bounds(node)
    )


def _bounds(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant)


def _drops_one(node: ast.Subscript) -> bool:
    """Whether a slice leaves out the first or the last of an axis (``x[:, 1:]``, ``x[:-1]``)."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(
        isinstance(part, ast.Slice) and part.step is None and (ast.unparse(part) in ("1:", ":-1"))
        for part in parts
    )


def _loss_setting(case: Case, step: Step) -> Iterator[Clue]:
    """Find the loss that a model is compiled with, where targets and outputs do not fit it."""
    expr = step.node.expr
    if step.node.entry is not None or not isinstance(expr, ast.Call):
        return
    loss = keyword(expr, "loss")
    message = case.message.lower()
    speaks = any(word in message for word in ("target", "logits", "labels"))
    if called_name(expr) != "compile" or loss is None or not speaks:
        return
    why = "the loss chosen here says which form the targets must have"
    yield Clue("rules.loss_setting", step.node.file, loss.lineno, 1.0, why)


ORDERS = {
    *("view", "reshape", "permute", "transpose", "swapaxes", "moveaxis", "movedim", "rearrange"),
}
"""Operations that decide which axis comes first."""


OF_LENGTHS = re.compile(r"\b\w*lengths? to have value")


def _are_crossed(case: Case) -> bool:
    """Whether two sizes that do not fit both stand in one shape: its axes may be out of order."""
    expected, actual = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    pairs = {frozenset((a, b)) for a in expected for b in actual if a != b and min(a, b) > 1}
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    return any(pair <= set(shape) and len(shape) > 2 for pair in pairs for shape in shapes)


def _operations(step: Step, crossed: bool = False, no_axes: bool = False) -> Iterator[Clue]:
    """Yield operations that join parts, change shapes or make layers on the way to the failure.

    With ``no_axes`` the message is about arrays without any, which no other axis would join.
    """
    node = step.node
    expr = node.expr
    if node.entry is not None or not isinstance(expr, ast.Call) or node.line <= 0:
        return
    name = called_name(expr)
    closeness = 1 / (1 + step.distance / 3)
    if name in JOINS:
        axis = keyword(expr, "dim") or keyword(expr, "axis")
        given = axis is not None or len(expr.args) > 1 or name not in APPENDS or no_axes
        along = "" if given else " along the first axis by default"
        why = f"`{node.text}` joins several parts{along}"
        kind = "rules.join" if given else "rules.join_default_axis"
        yield Clue(kind, node.file, expr.lineno, closeness, why)
    elif name in RESHAPES and not _is_for_estimator(node.context.scope, expr):
        why = f"`{node.text}` changes a shape"
        yield Clue("rules.reshape", node.file, expr.lineno, closeness, why)
        if crossed and name in ORDERS:
            why = f"`{node.text}` orders axes, and both sizes that differ stand in one shape"
            far = 1 / (1 + step.distance / 8)
            yield Clue("rules.axis_order", node.file, expr.lineno, far, why)
    elif name in LAYERS:
        why = f"`{node.text}` makes a layer or an array on the way to the failing line"
        yield Clue("rules.layer", node.file, expr.lineno, closeness, why)


OF_ESTIMATORS = {
    *("fit", "fit_transform", "transform", "inverse_transform", "predict", "partial_fit"),
}
ONE_COLUMN_OR_ROW = re.compile(r"\(?-1, 1\)?|\(?1, -1\)?")


def _is_for_estimator(scope: Scope, expr: ast.Call) -> bool:
    """Whether an array is given the form that scikit-learn asks for, one column or one row.

    Its message is "Reshape your data either using array.reshape(-1, 1) … or array.reshape(1, -1)".
    """
    shape = expr.args if isinstance(expr.func, ast.Attribute) else expr.args[1:]
    if called_name(expr) != "reshape" or not ONE_COLUMN_OR_ROW.fullmatch(
        ", ".join(map(ast.unparse, shape))
    ):
        return False
    return any(expr in call.args and called_name(call) in OF_ESTIMATORS for call in scope.calls)


def _shapes(case: Case) -> set[tuple[int, ...]]:
    shapes = {
        f.value
        for f in case.facts.of(FactKind.SHAPE)
        if isinstance(f.value, tuple) and len(f.value) >= 2
    }
    # A convolution's weight is (out, in, kernel …); its constructor takes in and out.
    return shapes | {shape[:2] for shape in shapes if len(shape) > 2}


SMALL = 5


def _same_shape(case: Case) -> Iterator[Clue]:
    """Find calls whose whole-number arguments are a shape of the message, in either order."""
    shapes = _shapes(case)
    raised = follow(case).raised
    if not shapes or (raised is not None and raised.axes):
        # What sizes an array has along the axes that are there does not matter.
        return
    seen: set[tuple[str, int]] = set()
    whole = {f.value for f in case.facts.of(FactKind.SHAPE)}
    wrong = sizes_of(case, Role.EXPECTED) ^ sizes_of(case, Role.ACTUAL)
    for step in case.raise_slice:
        node = step.node
        for numbers in _argument_shapes(node):
            if (node.file, node.line) in seen or numbers not in shapes | {s[::-1] for s in shapes}:
                continue
            seen.add((node.file, node.line))
            # Kernels and strides of small sizes stand in every network.
            if max(numbers) <= SMALL or not _decides_size(node, wrong):
                continue
            # A size of -1 is said of one that is not known (`?`, None).
            text = "x".join(str(number) if number >= 0 else "?" for number in numbers)
            why = f"`{node.text}` has {text}, a part of a shape of the message"
            if numbers in whole or numbers[::-1] in whole:
                why = f"`{node.text}` has the sizes {text} of the message"
            yield Clue("rules.same_shape", node.file, node.line, 1.0, why)


def _decides_size(node: Node, wrong: set[int]) -> bool:
    """Whether a size that does not fit is written in the call itself, not only handed on by it.

    ``wrong`` are the sizes in which the two sides differ; empty where the message names none.
    """
    expr = node.expr
    parts = expr.args if isinstance(expr, ast.Call) else getattr(expr, "elts", [])
    known = [(p, _whole(node.engine.node(p, node.context))) for p in parts[:4]]
    suspects = [p for p, size in known if size in wrong] or [p for p, _ in known[:2]]
    return any(_is_written(part) for part in suspects) if suspects else True


def _is_written(part: ast.expr) -> bool:
    """Whether a number stands in an expression itself, alone or in a computation."""
    return any(
        isinstance(n, ast.Constant) and type(n.value) is int and not isinstance(part, ast.Subscript)
        for n in ast.walk(part)
    )


def _argument_shapes(node: Node) -> Iterator[tuple[int, ...]]:
    if node.entry is None and isinstance(node.expr, ast.Call):
        sizes = [_whole(node.engine.node(a, node.context)) for a in node.expr.args[:4]]
        for start in range(len(sizes) - 1):
            pair = sizes[start : start + 2]
            if pair[0] is not None and pair[1] is not None:
                yield (pair[0], pair[1])
    for value in node.values:
        if isinstance(value, Items) and 2 <= len(value.items) <= 6:
            items = [_whole(item) for item in value.items]
            numbers = [n for n in items if n is not None]
            if len(numbers) == len(items):
                yield tuple(numbers)


def _whole(node: Node) -> int | None:
    constant = node.constant
    value = constant.value if constant is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


UNEVEN = (
    "stack expects",
    "equal size",
    "resize storage",
    "inhomogeneous",
    "arrays must have the same shape",
    "ragged",
)
RAGGED = ("expected sequence of length", "activate truncation and/or padding")
"""What PyTorch and transformers say of rows of unlike lengths, which tokenizers may give, too."""


def find_uneven_samples(case: Case) -> Iterator[Clue]:
    """Yield the slices, windows and random sizes that give samples of different lengths."""
    is_uneven = any(words in case.message for words in UNEVEN)
    if case.category.id != "tensor_mismatch":
        return
    if is_uneven or any(words in case.message for words in RAGGED):
        yield from _shorter_last_pieces(case)
    if not is_uneven:
        return
    yield from _cuts_of_samples(case)
    for step in case.property_slice:
        node = step.node
        if node.entry is not None or node.line <= 0:
            continue
        if any(_keeps_length(before.node) for before in step.way()[:-1]):
            continue  # What is cut to one length afterwards had any length before.
        near = 1 / (1 + step.distance / 6)
        yield from _pads_only(node)
        yield from _scaled_at_random(node)
        if _starts_to_the_end(node.expr):
            why = f"after the last starts of `{node.text}` there may be less than a whole window"
            yield Clue("rules.medium", node.file, node.line, 1.0, why)
        if isinstance(node.expr, ast.Subscript) and node.kind is StepKind.SLICING:
            if indexes_shape(node.expr):
                continue
            if _is_of_all_samples(step):
                continue
            yield from _counts_too_many(node.context.scope, node.expr)
            if _is_share(node.context.scope, node.expr) or _keeps_length(node):
                continue
            if _cuts_only(node.expr):
                if _evens_out(node.context.scope):
                    continue
                why = f"`{node.text}` cuts what is longer and leaves what is shorter as it is"
                yield Clue("rules.cut_only", node.file, node.line, 1.0, why)
                continue
            why = f"`{node.text}` may leave a different size for each sample"
            yield Clue("rules.uneven_slice", node.file, node.line, near, why)
        elif isinstance(node.expr, ast.Call) and called_name(node.expr) in DRAWN_COUNTS:
            if _only_starts(node):
                continue
            why = f"`{node.text}` is random, and with it perhaps a size"
            yield Clue("rules.uneven_slice", node.file, node.line, 0.8 * near, why)
        elif isinstance(node.expr, ast.Call):
            yield from _read_up_to(node.context.scope, node.expr)


def _keeps_length(node: Node) -> bool:
    """Whether an expression is a part of a fixed length, with a start that leaves room for it.

    ``x[start : start + n]`` has ``n`` items where ``start`` is at most ``len(x) - n``.
    """
    if node.entry is not None or not isinstance(node.expr, ast.Subscript):
        return False
    scope = node.context.scope
    for bounds in _bounds_of(node.expr):
        length = _length_from(bounds)
        if length is None or bounds.lower is None:
            continue
        if is_drawn(scope, length, DRAWN_COUNTS | DRAWN_MEASURES):
            continue
        starts = (
            [b.value for b in scope.bindings.get(bounds.lower.id, ())]
            if isinstance(bounds.lower, ast.Name)
            else [bounds.lower]
        )
        texts = [_in_full(scope, start) for start in starts if isinstance(start, ast.AST)]
        rest = f"- {ast.unparse(length)}"
        if texts and len(texts) == len(starts) and all(rest in text for text in texts):
            return True
    return False


def _bounds_of(expr: ast.Subscript) -> Iterator[ast.Slice]:
    parts = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
    return (part for part in parts if isinstance(part, ast.Slice))


def _length_from(bounds: ast.Slice) -> ast.expr | None:
    """Return ``n`` of ``start : start + n``, None of another slice."""
    start, stop = bounds.lower, bounds.upper
    if start is None or not isinstance(stop, ast.BinOp) or not isinstance(stop.op, ast.Add):
        return None
    sides = (stop.left, stop.right)
    others = [side for side in sides if ast.unparse(side) != ast.unparse(start)]
    return others[0] if len(others) == 1 else None


def _in_full(scope: Scope, expr: ast.AST, depth: int = 2) -> str:
    """Return an expression's text with those of what its names are bound to."""
    texts = [ast.unparse(expr)]
    for name in names_in(expr) if depth else ():
        bound = [b.value for b in scope.bindings.get(name.id, ())]
        if len(bound) == 1 and isinstance(bound[0], ast.AST):
            texts.append(_in_full(scope, bound[0], depth - 1))
    return "; ".join(texts)


def _only_starts(node: Node) -> bool:
    """Whether a random number has a name that only says where slices of a length start."""
    scope = node.context.scope
    names = {
        name
        for name, bindings in scope.bindings.items()
        for binding in bindings
        if isinstance(binding.value, ast.AST)
        and any(part is node.expr for part in ast.walk(binding.value))
    }
    if len(names) != 1:
        return False
    (name,) = names
    starts: set[int] = set()
    for part in own_nodes(scope.node):
        if isinstance(part, ast.Slice) and _length_from(part) is not None:
            inside = [n for side in (part.lower, part.upper) if side for n in names_in(side)]
            starts.update(id(n) for n in inside if n.id == name)
    uses = [
        part
        for part in own_nodes(scope.node)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
    ]
    return bool(starts) and all(id(use) in starts for use in uses)


SCALES = {
    "interpolate": ("scale_factor",),
    "zoom": ("zoom",),
    "rescale": ("scale",),
    "time_stretch": ("rate",),
    "resample": ("orig_sr", "target_sr", "orig_freq", "new_freq"),
    "Upsample": ("scale_factor",),
}
"""Functions that make another size, and their arguments that say by how much.

Sources: PyTorch, ``torch.nn.functional.interpolate``; SciPy, ``scipy.ndimage.zoom``; scikit-image,
``skimage.transform.rescale``; librosa, ``librosa.effects.time_stretch``, ``librosa.resample``;
torchaudio, ``torchaudio.functional.resample``.
"""
OF_FACTOR = 0.5
"""What the line of a random factor counts beside the call that makes another size with it."""


def _scaled_at_random(node: Node) -> Iterator[Clue]:
    """Yield a call that makes another size for each sample, by a factor that is random."""
    call, scope = node.expr, node.context.scope
    if not isinstance(call, ast.Call):
        return
    options = SCALES.get(called_name(call) or "", ())
    for option in options:
        given = keyword(call, option)
        if given is None or not is_drawn(scope, given, DRAWN_MEASURES | DRAWN_COUNTS):
            continue
        why = f"`{option}={ast.unparse(given)}` is random: each sample gets another size here"
        yield Clue("rules.strong", node.file, node.line, 1.0, why)
        lines = {
            binding.value.lineno
            for name in names_in(given)
            for binding in scope.bindings.get(name.id, ())
            if isinstance(binding.value, ast.expr)
            and is_drawn(scope, binding.value, DRAWN_MEASURES | DRAWN_COUNTS)
        }
        for line in sorted(lines - {node.line}):
            why = f"this number is random, and `{called_name(call)}` makes a size with it"
            yield Clue("rules.uneven_slice", scope.file, line, OF_FACTOR, why)


BY_LENGTH = {"split", "batched", "chunked"}
"""Calls that cut a sequence into pieces of a length, their last argument, and a shorter last one.

Sources: PyTorch, ``torch.split``; Python, ``itertools.batched``; more-itertools, ``chunked``.
"""
WHOLE_PIECES = (ast.FloorDiv, ast.Mod, ast.Sub)
"""Operations by which the end of what is cut is moved to that of the last whole piece."""
OF_LINE_OF_CUT = 0.5
"""What the line of a cut counts where the end up to which it cuts is a length taken before it."""


def _shorter_last_pieces(case: Case) -> Iterator[Clue]:
    """Find a sequence that is cut into pieces of one length, of which the last one is shorter.

    ``[x[i : i + n] for i in range(0, len(x), n)]`` leaves the rest as a last piece. So do cuts for
    language models: texts are joined, and their length has first to be made a multiple of that of a
    block (transformers, "Causal language modeling").
    """
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    sizes = {f.value for f in case.facts.of(FactKind.SIZE) if isinstance(f.value, int)}
    sizes.update(size for shape in shapes for size in shape)
    for scope in near_scopes(case):
        if _evens_out(scope) or _leaves_shorter_out(scope):
            continue
        for call in scope.calls:
            length = _length_of_pieces(scope, call)
            if length is None:
                continue
            node = case.engine.node(length, case.engine.open_context(scope))
            known = {c.value for c in node.constants if type(c.value) is int}
            is_told = any(n in sizes and min(sizes) < n for n in known)
            text = ast.unparse(length)
            if is_told:
                yield from _unrounded(scope, call, text, 1.0)
            elif not (known and sizes) and _lists_pieces(scope, call) and "batch" not in text:
                yield from _unrounded(scope, call, text, OF_UNKNOWN_LENGTH)


def _lists_pieces(scope: Scope, call: ast.Call) -> bool:
    """Whether pieces are kept side by side, and not taken one after the other as batches are."""
    kinds = (ast.ListComp, ast.DictComp, ast.GeneratorExp)
    nodes = (node for node in own_nodes(scope.node) if isinstance(node, kinds))
    return any(generator.iter is call for node in nodes for generator in node.generators)


def _length_of_pieces(scope: Scope, call: ast.Call) -> ast.expr | None:
    """Return how long the pieces are into which a call cuts, None where it cuts nothing."""
    name = called_name(call)
    if name in BY_LENGTH:
        return call.args[-1] if call.args else None
    if name not in ("range", "arange") or len(call.args) != 3:
        return None
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, WHOLE_PIECES) for n in ast.walk(call)):
        return None
    for node in own_nodes(scope.node):
        if not isinstance(node, (ast.For, ast.comprehension)) or node.iter is not call:
            continue
        for part in own_nodes(scope.node):
            bounds = part if isinstance(part, ast.Slice) else None
            upper = None if bounds is None else bounds.upper
            if bounds is None or bounds.lower is None or not isinstance(upper, ast.BinOp):
                continue
            start = ast.unparse(node.target)
            if ast.unparse(bounds.lower) == start == ast.unparse(upper.left):
                return upper.right if isinstance(upper.op, ast.Add) else None
    return None


def _leaves_shorter_out(scope: Scope) -> bool:
    """Whether a comprehension of a function takes only what has a length that it asks for."""
    return any(
        LENGTHS.search(ast.unparse(part))
        for node in own_nodes(scope.node)
        if isinstance(node, ast.comprehension)
        for test in node.ifs
        for part in ast.walk(test)
        if isinstance(part, ast.Call)
    )


def _unrounded(scope: Scope, call: ast.Call, length: str, share: float) -> Iterator[Clue]:
    """Yield where the end of what is cut is taken, if it is not made that of a whole piece."""
    end = call.args[1] if called_name(call) in ("range", "arange") else call
    bound = scope.bindings.get(end.id, []) if isinstance(end, ast.Name) else []
    values = [binding.value for binding in bound if isinstance(binding.value, ast.expr)]
    inner = [n for value in values for n in ast.walk(value) if isinstance(n, ast.BinOp)]
    if any(isinstance(n.op, WHOLE_PIECES) for n in inner):
        return
    shorter = f"the last piece of `{ast.unparse(call)}` is shorter"
    if len(bound) == 1 and len(values) == 1 and LENGTHS.search(ast.unparse(values[0])):
        why = f"{shorter} where `{ast.unparse(end)}` is no multiple of `{length}`"
        yield Clue("rules.strong", scope.file, values[0].lineno, share, why)
        share *= OF_LINE_OF_CUT
    why = f"{shorter} where what it cuts is no multiple of `{length}` long"
    yield Clue("rules.strong", scope.file, call.lineno, share, why)


MAKE_SAMPLES = re.compile(r"^(?:__getitem__|__getitems__|__iter__|__call__|\w*collate\w*)$")
"""Functions that make samples or batches of them: of data sets, transforms and loaders."""
EVENS_OUT = {"pad", "resize", "interpolate", "repeat", "tile", "pad_sequence", "full", "zeros"}
"""Calls with which a function gives a shorter sample its length."""
MOST_SAMPLING = 60
MOST_CALLED = 3
OF_UNKNOWN_LENGTH = 0.5
"""What a cut counts whose length is not known to be one of the message's sizes."""


def _cuts_of_samples(case: Case) -> Iterator[Clue]:
    """Yield what takes the first items of a sample, or some without putting them back.

    It gives less where a sample has less. The functions are those that the followed run entered.
    """
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    sizes = [f.value for f in case.facts.of(FactKind.SIZE) if isinstance(f.value, int)]
    wanted = {*sizes, *(size for shape in shapes for size in shape)}
    for scope in (s for s in _sampling(case) if not _evens_out(s)):
        for node in own_nodes(scope.node):
            length = _taken(node)
            if length is None:
                continue
            assert isinstance(node, ast.expr)
            sized = case.engine.node(length, case.engine.open_context(scope))
            known = {c.value for c in sized.constants if type(c.value) is int}
            if known and wanted and not known & wanted:
                continue
            why = f"`{ast.unparse(node)}` gives less where a sample has less"
            score = 1.0 if known else OF_UNKNOWN_LENGTH
            yield Clue("rules.cut_only", scope.file, node.lineno, score, why)


def _taken(node: ast.AST) -> ast.expr | None:
    """Return how many items an expression takes at most: ``x[:n]``, ``head(n)``, ``sample(n)``."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        is_start = isinstance(first, ast.Slice) and first.lower is None and first.step is None
        return first.upper if isinstance(first, ast.Slice) and is_start else None
    if isinstance(node, ast.Call) and called_name(node) in ("head", "islice", "narrow"):
        return node.args[-1] if node.args else keyword(node, "n")
    return None


def _evens_out(scope: Scope) -> bool:
    """Whether a function lengthens something, or has a branch of its own for what is shorter."""
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Call) and called_name(node) in EVENS_OUT:
            return True
        if isinstance(node, (ast.If, ast.IfExp, ast.While)) and _treats_shorter(node):
            return True
    return False


def _treats_shorter(branch: ast.If | ast.IfExp | ast.While) -> bool:
    """Whether a test of a length has something to do for less.

    ``if len(x) > n: x = x[:n]`` leaves what is shorter as it is.
    """
    if not LENGTHS.search(ast.unparse(branch.test)):
        return False
    other = branch.orelse if not isinstance(branch.orelse, ast.Name) else None
    return bool(other) or any(_asks_for_shorter(part) for part in ast.walk(branch.test))


def _asks_for_shorter(test: ast.AST) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        return LENGTHS.search(ast.unparse(test.left)) is not None
    is_more = isinstance(test.ops[0], (ast.Gt, ast.GtE))
    return is_more and LENGTHS.search(ast.unparse(test.comparators[0])) is not None


def _sampling(case: Case) -> list[Scope]:
    """Return the entered functions that make samples, and those that they call (bounded)."""
    entered: dict[str, list[Scope]] = {}
    for file, line in sorted(follow(case).entered):
        scope = case.engine.program.scope_at(file, line)
        if scope is not None and isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            entered.setdefault(scope.name.rpartition(".")[2], []).append(scope)
    found = [s for name, scopes in entered.items() if MAKE_SAMPLES.search(name) for s in scopes]
    found = [scope for scope in found if not _is_layer(scope)]
    latest = found
    for _ in range(MOST_CALLED):
        names = {called_name(call) for scope in latest for call in scope.calls}
        latest = [s for name in sorted(names) for s in entered.get(name, []) if s not in found]
        found = [*found, *latest][:MOST_SAMPLING]
    return found


def _is_layer(scope: Scope) -> bool:
    """Whether a function is a method of a network's part, whose calls get whole batches."""
    return scope.owner is not None and not {"forward", "call"}.isdisjoint(scope.owner.functions)


ENDS = {"stop", "end", "frames", "num_frames", "nframes", "duration", "end_frame", "stop_frame"}
"""Options of what reads a part of a file: where the part ends, or how long it is."""


def _read_up_to(scope: Scope, call: ast.Call) -> Iterator[Clue]:
    """Yield where the end of what a call reads is made, if it is not the same for all samples."""
    for option in call.keywords:
        if option.arg not in ENDS or isinstance(option.value, ast.Constant):
            continue
        statements = [n for n in own_nodes(scope.node) if isinstance(n, ast.Assign)]
        made = [
            (n.value, n.lineno)
            for n in statements
            if isinstance(option.value, ast.Name)
            and any(isinstance(t, ast.Name) and t.id == option.value.id for t in n.targets)
            and not isinstance(n.value, ast.Constant)
        ]
        if not isinstance(option.value, ast.Name):
            made = [(option.value, option.value.lineno)]
        for value, line in made:
            smaller = any(
                isinstance(n, ast.Call) and called_name(n) == "min" for n in ast.walk(value)
            )
            end = f"`{ast.unparse(value)}`, up to which `{called_name(call)}` reads"
            if smaller:
                why = f"{end}, is less where a recording ends before"
                yield Clue("rules.cut_only", scope.file, line, 1.0, why)
            else:
                why = f"{end}, may be another for each sample"
                yield Clue("rules.uneven_slice", scope.file, line, 0.8, why)


LENGTHS = re.compile(r"^len\(|\.shape\[|\.size\(|\.shape$|\.numel\(|^n_?frames$")


def _pads_only(node: Node) -> Iterator[Clue]:
    """Find a function that lengthens what is shorter than a length and cuts nothing.

    What is longer keeps its own length. Where the length is that of the longest, nothing is longer.
    """
    missing = _missing_length(node.expr)
    scope = node.context.scope
    function = scope.node
    if missing is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    wanted = ast.unparse(missing)
    bound = scope.bindings.get(missing.id, []) if isinstance(missing, ast.Name) else []
    if any("max(" in ast.unparse(binding.value) for binding in bound):
        return
    for part in own_nodes(function):
        end = part.upper if isinstance(part, ast.Slice) else None
        if end is not None and ast.unparse(end) == wanted:
            return
        if isinstance(part, ast.Call) and called_name(part) in CUTTING:
            return
    line, code = _leaving(function, node)
    why = f"`{code}` is at least `{wanted}` long here: what is shorter is padded, nothing is cut"
    yield Clue("rules.strong", node.file, line, 1.0, why)


CUTTING = {"narrow", "truncate", "trim", "crop", "random_crop", "resize", "min", "interpolate"}


def _missing_length(expr: ast.AST) -> ast.expr | None:
    """Return the length that something is padded to by what it lacks: ``n - len(x)``."""
    pads = isinstance(expr, ast.Call) and called_name(expr) in PADDING
    adds = isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add)
    if not pads and not adds:
        return None
    for part in ast.walk(expr):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Sub):
            continue
        own, wanted = ast.unparse(part.right), ast.unparse(part.left)
        if LENGTHS.search(own) and not LENGTHS.search(wanted):
            return part.left
    return None


PADDING = {"pad", "cat", "concat", "concatenate", "hstack", "vstack", "extend", "constant_pad"}


def _leaving(function: ast.FunctionDef | ast.AsyncFunctionDef, node: Node) -> tuple[int, str]:
    """Return where what is padded leaves a function: by a name, or where it is padded."""
    parts = list(own_nodes(function))
    returns = [part for part in parts if isinstance(part, ast.Return)]
    for part in parts:
        if isinstance(part, ast.Assign) and any(n is node.expr for n in ast.walk(part)):
            names = {ast.unparse(target) for target in part.targets}
            for after in returns:
                held = after.value
                if isinstance(held, ast.Name) and held.id in names and after.lineno > part.lineno:
                    return after.lineno, held.id
    return node.line, node.text


def _counts_too_many(scope: Scope, window: ast.Subscript) -> Iterator[Clue]:
    """Yield a data set's length that counts windows which end behind the series.

    A window of item ``i`` ends at ``i``, or ``i`` strides, and some sizes; the last item is the
    length less one. Of a length ``rest // stride + 1`` it ends at most at ``rest`` and the sizes.
    """
    length = scope.owner.functions.get("__len__") if scope.owner is not None else None
    parameters = scope.parameters()
    is_item = scope.name.rpartition(".")[2] == "__getitem__" and len(parameters) == 2
    if not is_item or scope.owner is None or length is None or len(length.returns) != 1:
        return
    bound = window.slice.elts[0] if isinstance(window.slice, ast.Tuple) else window.slice
    if not isinstance(bound, ast.Slice) or bound.upper is None:
        return
    series, index = ast.unparse(window.value), parameters[1].arg
    returned = _kept_count(scope.owner, length)
    rest, stride, more = _in_strides(returned)
    end, count = Counter[str](), Counter[str]()
    _add_terms(bound.upper, 1, scope, end)
    _add_terms(rest, 1, returned.scope, count)
    count = Counter({returned.renamed(term): times for term, times in count.items()})
    stride = returned.renamed(stride)
    counted = _counted_series(scope, series, count)
    steps = [index] if stride == "1" else [f"{index} * {stride}", f"{stride} * {index}"]
    if sum(end.pop(step, 0) for step in steps) != 1 or counted is None:
        return
    if count.pop(f"len({counted})") != 1:
        return
    for term, times in count.items():
        end[term] += times
    end["" if stride == "1" else stride] += more - 1
    beyond = [term for term, times in end.items() if term and times > 0]
    if beyond and all(times >= 0 for term, times in end.items() if term):
        whole = " + ".join(f"{end[t]} * {t}" if end[t] > 1 else t for t in beyond)
        conditions = [f"`{whole}` is at most {-end['']}"] if end[""] < 0 else []
        if counted != series:
            conditions.append(f"`{series}` is longer than `{counted}`")
        why = (
            f"the last items that `{ast.unparse(returned.expr)}` counts are shorter: "
            f"`{ast.unparse(window)}` ends behind `{series}`"
        )
        if conditions:
            why = f"{why}, unless {' or '.join(conditions)}"
        begun = _length_taken(returned)
        if begun is not None:
            # What a window takes is subtracted where the length is.
            yield Clue("rules.strong", length.file, begun, 1.0, why)
        share = 1.0 if begun is None else OF_LATER_COUNT
        yield Clue("rules.strong", length.file, returned.expr.lineno, share, why)


OF_LATER_COUNT = 0.3
"""What the end of a count is worth whose length is taken in a statement before it."""


def _length_taken(count: _Count) -> int | None:
    """Return the line before a count that takes the length for it and subtracts from it."""
    names = {part.id for part in ast.walk(count.expr) if isinstance(part, ast.Name)}
    for node in own_nodes(count.scope.node):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        parts = list(ast.walk(node.value)) if node.targets[0].id in names else []
        subtracts = any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub) for p in parts)
        if subtracts and any(isinstance(p, ast.Call) and called_name(p) == "len" for p in parts):
            return node.lineno
    return None


@dataclass(frozen=True, slots=True)
class _Count:
    """An expression that counts items, where it stands, and its names as attributes."""

    expr: ast.expr
    scope: Scope
    names: Mapping[str, str]

    def renamed(self, text: str) -> str:
        """Return code with the parameters that are kept as attributes under these names."""
        return re.sub(r"(?<![.\w])[A-Za-z_]\w*", lambda m: self.names.get(m[0], m[0]), text)


def _kept_count(owner: Scope, length: Scope) -> _Count:
    """Return what ``__len__`` returns, or what the attribute that it returns was made of."""
    returned, maker = length.returns[0], owner.functions.get("__init__")
    if not isinstance(returned, ast.Attribute) or maker is None:
        return _Count(returned, length, {})
    names: dict[str, str] = {}
    made: list[ast.expr] = []
    for node in own_nodes(maker.node):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Attribute):
            continue
        target, value = ast.unparse(node.targets[0]), node.value
        if target == ast.unparse(returned):
            made.append(value)
        if isinstance(value, ast.Call) and called_name(value) in CONVERTING and value.args:
            value = value.args[0]
        if isinstance(value, ast.Name):
            names[value.id] = target
    return _Count(made[0], maker, names) if len(made) == 1 else _Count(returned, length, {})


CONVERTING = {"from_numpy", "tensor", "as_tensor", "FloatTensor", "array", "asarray", "list"}
"""Calls that hand their argument on as another type, with the same length."""


def _in_strides(count: _Count) -> tuple[ast.expr, str, int]:
    """Return ``rest``, ``stride`` and ``more`` of ``rest // stride + more``.

    Of other counts it is the whole count, "1" and 0, and a single number that is added.
    """
    expr, more = count.expr, 0
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Sub)):
        left, right = expr.left, expr.right
        if isinstance(right, ast.Constant) and type(right.value) is int:
            more = right.value if isinstance(expr.op, ast.Add) else -right.value
            expr = left
        elif isinstance(expr.op, ast.Add) and isinstance(left, ast.Constant):
            more, expr = (left.value, right) if type(left.value) is int else (0, expr)
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.FloorDiv):
        return expr.left, ast.unparse(expr.right), more
    return expr, "1", more


def _counted_series(scope: Scope, series: str, count: Counter[str]) -> str | None:
    """Return the series whose items a length counts: the one itself, or one cut beside it."""
    beside = (ast.unparse(node.value) for node in own_nodes(scope.node) if _is_slice(node))
    return next((name for name in (series, *beside) if f"len({name})" in count), None)


def _add_terms(
    expr: ast.expr, sign: int, scope: Scope, terms: Counter[str], depth: int = 0
) -> None:
    """Add what a sum is made of, numbers under ""; names that are bound once are looked through."""
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Sub)):
        _add_terms(expr.left, sign, scope, terms, depth + 1)
        right = sign if isinstance(expr.op, ast.Add) else -sign
        _add_terms(expr.right, right, scope, terms, depth + 1)
        return
    if isinstance(expr, ast.Constant) and isinstance(expr.value, int):
        terms[""] += sign * expr.value
        return
    bindings = scope.bindings.get(expr.id, []) if isinstance(expr, ast.Name) else []
    if len(bindings) == 1 and bindings[0].how == "assign" and depth < MOST_TERMS:
        _add_terms(bindings[0].value, sign, scope, terms, depth + 1)
        return
    terms[ast.unparse(expr)] += sign


MOST_TERMS = 8


def _is_of_all_samples(step: Step) -> bool:
    """Whether a slice is made once, of all samples: by a script's or notebook's own statement."""
    scope = step.node.context.scope
    _, loops = scope.around(step.node.line)
    return scope.is_module and not loops and not _in_comprehension(scope.node, step.node.expr)


def _in_comprehension(tree: ast.AST, expr: ast.AST) -> bool:
    kinds = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.Lambda)
    around = (node for node in ast.walk(tree) if isinstance(node, kinds))
    return any(inner is expr for node in around for inner in ast.walk(node))


def _is_share(scope: Scope, expr: ast.Subscript) -> bool:
    """Whether a slice takes a share of something, by its own length: ``x[: int(0.8 * len(x))]``."""
    bounds = (expr.slice.lower, expr.slice.upper) if isinstance(expr.slice, ast.Slice) else ()
    made = [
        binding.value
        for bound in bounds
        if isinstance(bound, ast.Name)
        for binding in scope.bindings.get(bound.id, [])
    ]
    lengths = (f"len({ast.unparse(expr.value)})", f"{ast.unparse(expr.value)}.shape[0]")
    texts = [ast.unparse(part) for part in (*made, *bounds) if isinstance(part, ast.AST)]
    return any(length in text for text in texts for length in lengths)


def _cuts_only(expr: ast.Subscript) -> bool:
    """Tell ``x[:LENGTH]``, which leaves shorter samples as they are."""
    index = expr.slice
    if not isinstance(index, ast.Slice) or index.lower is not None or index.step is not None:
        return False
    return isinstance(index.upper, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant))


def _starts_to_the_end(expr: ast.AST) -> bool:
    """Tell ``range(0, len(signal), hop)``, whose last windows may be cut off by the end."""
    if not isinstance(expr, ast.Call) or called_name(expr) not in ("range", "arange"):
        return False
    return len(expr.args) == 3 and isinstance(
        expr.args[1], (ast.Call, ast.Attribute, ast.Subscript)
    )


def _is_padding(expr: ast.BinOp) -> bool:
    """Tell ``kernel // 2``, the usual padding of a kernel, whose size is odd on purpose."""
    halved = isinstance(expr.right, ast.Constant) and expr.right.value == 2
    names = {str(getattr(n, "id", getattr(n, "attr", ""))).lower() for n in ast.walk(expr.left)}
    return halved and any(name in ("k", "ks") or "kernel" in name for name in names)


WRITTEN = (StepKind.LITERAL, StepKind.CONFIG)
STEPS = 12


def find_divisibility(case: Case) -> Iterator[Clue]:
    """Yield whole quotients with a rest on the way to the failure, and what writes the divisor."""
    if case.category.id != "tensor_mismatch":
        return
    for step in case.property_slice:
        node = step.node
        expr = node.expr
        if node.entry is not None or not isinstance(expr, ast.BinOp) or node.line <= 0:
            continue
        if not isinstance(expr.op, ast.FloorDiv):
            continue
        divisor = node.engine.node(expr.right, node.context)
        whole, part = _whole(node.engine.node(expr.left, node.context)), _whole(divisor)
        if not whole or not part or whole % part == 0 or _is_padding(expr):
            continue
        why = f"`{node.text}` drops a rest of {whole % part}: {whole} is no multiple of {part}"
        yield Clue("rules.weak", node.file, node.line, 1.0, why)
        for origin in backward_slice([divisor], STEPS):
            if origin.node.kind in WRITTEN and _whole(origin.node) == part:
                why = f"`{origin.node.text}` divides {whole}, which is no multiple of {part}"
                yield Clue("rules.medium", origin.node.file, origin.node.line, 1.0, why)
