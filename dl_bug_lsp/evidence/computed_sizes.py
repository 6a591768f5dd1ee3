"""Sizes that arithmetic makes: which constant, setting or list would have to be another.

The message demands a size, and an expression on the failing path evaluates to another one by
arithmetic (``n_numeric + width * len(columns)``). The expression is solved for each constant,
setting and list that it is made of. Only those for which a whole, plausible number gives the
demanded size can be wrong.

The two sizes of a message often differ by a factor or by a step. Where the interpreted run computed
one of them from the other, chose between an array and the same without its last step, or called
what divides an axis by the factor, the line tells why they differ, whatever the data is.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.evidence.interpreted_values import origins_of
from dl_bug_lsp.evidence.numbers import bounds_in, counts_axes, sizes_of
from dl_bug_lsp.interpretation.values import Origin, Raised
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.evaluation import NOT_FOLDED
from dl_bug_lsp.provenance.nodes import Config, Items, Mapping, StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.provenance.stack import unparsed

CATEGORIES = {"tensor_mismatch", "illegal_argument", "illegal_index", "framework_api_misuse"}
MAX_FILES = 12
"""Files near the failure in which other uses of a number are looked for."""
HANDED_ON = ("definition", "attribute", "return", "item", "setting", "configured", "stored")
MAX_DEPTH, MAX_EXPRESSIONS = 16, 12
OF_OPERAND = 80
"""Steps of the slice of one operand."""
MAKER_STEPS = 40
LARGEST = 1 << 40
FAR_OFF = 4
"""A number that would be so many times larger or smaller is hardly meant."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A leaf of a computed size: with ``new`` in place of ``old``, ``root`` comes to ``wanted``.

    ``counted`` says that ``old`` and ``new`` are lengths of a list; ``factor`` that the number is
    written out in the arithmetic itself. ``step`` is that of ``root``, ``distance`` how far it is
    from the failure; ``needed`` is False where the arithmetic could as well be left out.
    """

    root: Node
    given: int
    wanted: int
    leaf: Node
    old: int
    new: int
    counted: bool
    factor: bool
    step: Step
    distance: float
    needed: bool = True


def find(case: Case) -> Iterator[Clue]:
    """Yield the constants, settings and lists that would make a computed size the demanded one."""
    if case.category.id not in CATEGORIES or not case.sites:
        return
    yield from _other_definitions(case)
    yield from _raw_uses(case)
    groups = solutions(case)
    held = _numbers_nearby(case) if groups else set()
    raise_site = (case.places[-1].file, case.places[-1].line)
    of_both = _of_both_operands(case) if groups else frozenset()
    for group in groups:
        for solution in group:
            if (solution.leaf.file, solution.leaf.line) not in of_both:
                yield _clue(solution, plausibility(solution, held, len(group)))
        if len(group) > 1 or not group[0].needed:
            # Where more values could be wrong, what adds them up may be wrong as well.
            continue
        leaf = group[0].leaf
        for step in group[0].step.way():
            place = (step.node.file, step.node.line)
            if place not in {(leaf.file, leaf.line), raise_site} and step.node.line > 0:
                why = f"`{step.node.text}` only hands on what is put together of other values"
                yield Clue("shapes.put_together", *place, 1.0, why)


def _of_both_operands(case: Case) -> frozenset[tuple[str, int]]:
    """Return the places that both operands of the failing call or operation come from.

    Another number there changes both sides, so that it makes neither fit the other.
    """
    site = case.sites[-1]
    for part in ast.walk(site.statement) if site.statement is not None else ():
        operands: list[ast.expr] = []
        if isinstance(part, ast.Call) and len(part.args) == 2 and not part.keywords:
            operands = part.args
        elif isinstance(part, ast.BinOp):
            operands = [part.left, part.right]
        if len(operands) == 2:
            nodes = [case.engine.node(operand, site.context) for operand in operands]
            sides = [
                {(step.node.file, step.node.line) for step in backward_slice([node], OF_OPERAND)}
                for node in nodes
            ]
            return frozenset(sides[0] & sides[1])
    return frozenset()


def _other_definitions(case: Case) -> Iterator[Clue]:
    """Yield where a name is set to what is not known, if with its known value a size would fit.

    A name that a loop or a later cell sets again is a usual mistake: the arithmetic gives the size
    of one side of the message with the first value, so that the run used another one for the other.
    """
    pair = _contradiction(case) or _two_sizes(case)
    if pair is None:
        return
    seen: set[tuple[str, int]] = set()
    for step in case.stack_steps:
        node = step.node
        if NOT_FOLDED not in node.values or node.kind is not StepKind.ARITHMETIC:
            continue
        numbers = {c.value for c in node.constants if type(c.value) is int}
        if len(numbers) != 1 or not numbers <= set(pair):
            continue
        for name, known, unknown in _set_twice(node):
            place = (unknown.file, unknown.line)
            if place in seen or unknown.line <= 0:
                continue
            seen.add(place)
            why = (
                f"`{name.text}` is set here, too; with `{known.text}` (line {known.line}) "
                f"`{node.text}` is {min(numbers)}, only one of the two sizes in the message"
            )
            yield Clue("numbers.other_definition", *place, 1.0, why)


def _raw_uses(case: Case) -> Iterator[Clue]:
    """Yield where a setting is used as it is of which the other side's size is computed.

    Both sizes of the message come of one setting then (hours and steps, words and tokens): either
    it is converted on both sides or on neither.
    """
    pair = _contradiction(case) or _two_sizes(case)
    if pair is None:
        return
    computed: dict[tuple[str, int, int], Node] = {}
    for node in (step.node for step in case.stack_steps):
        if node.kind is StepKind.ARITHMETIC and (value := whole(node)) in pair:
            for leaf in _number_leaves(node, MAX_DEPTH):
                old = whole(leaf)
                if old is not None and old in pair and old != value:
                    computed.setdefault((leaf.file, leaf.line, old), node)
    seen: set[tuple[str, int]] = set()
    for step in case.stack_steps if computed else ():
        node = step.node
        reads = node.kind in (StepKind.INDEXING, StepKind.ATTRIBUTE) and node.entry is None
        value = whole(node) if reads else None
        before = step.before.node if step.before is not None else None
        if value not in pair or before is None or whole(before) is not None:
            continue
        for leaf in _number_leaves(node, MAX_DEPTH):
            made = computed.get((leaf.file, leaf.line, value or 0))
            place = (node.file, node.line)
            if made is None or place in seen or node.line <= 0:
                continue
            seen.add(place)
            why = (
                f"`{node.text}` is used as it is here, {value}; `{made.text}` (line {made.line} of "
                f"{made.file}) makes {whole(made)} of the same setting"
            )
            yield Clue("numbers.raw_use", *place, 1.0, why)


def _number_leaves(node: Node, depth: int) -> Iterator[Node]:
    """Yield the settings and constants that a whole number is made of."""
    if depth <= 0 or whole(node) is None:
        return
    if node.kind in (StepKind.LITERAL, StepKind.CONFIG):
        yield node
        return
    for _, child in node.inputs:
        yield from _number_leaves(child, depth - 1)


def _two_sizes(case: Case) -> tuple[int, int] | None:
    """Return the two sizes of a message that does not say which of them is demanded."""
    sizes = {f.value for f in case.facts.of(FactKind.SIZE) if type(f.value) is int}
    for fact in case.facts.of(FactKind.SHAPE):
        if isinstance(fact.value, tuple) and len(fact.value) == 1:
            sizes.add(fact.value[0])
    first, *others = sorted(sizes) or [0]
    return (first, others[0]) if len(others) == 1 else None


def _set_twice(node: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the names in an expression with a definition that is a number and one that is not."""
    for part in ast.walk(node.expr):
        if not isinstance(part, ast.Name):
            continue
        name = node.engine.node(part, node.context)
        for _ in range(MAX_DEPTH):
            definitions = [child for role, child in name.inputs if role in HANDED_ON]
            if len(definitions) != 1:
                break
            name = definitions[0]
        known = [child for child in definitions if whole(child) is not None]
        unknown = [child for child in definitions if not child.constants]
        if len(known) == 1:
            yield from ((name, known[0], other) for other in unknown)


def _clue(solution: Solution, score: float) -> Clue:
    root, leaf = solution.root, solution.leaf
    noun = " elements" if solution.counted else ""
    entry = leaf.entry
    stands = f"`{leaf.text}`"
    if entry is not None and entry.path and isinstance(entry.path[-1], int):
        stands = f"an item of `{entry.key}`"
    why = (
        f"`{root.text}` is {solution.given}; with {solution.new}{noun} in place of {solution.old}"
        f" ({stands}) it would be {solution.wanted}, a size of the message"
    )
    return Clue("shapes.solved", leaf.file, leaf.line, score, why)


def _numbers_nearby(case: Case) -> set[int]:
    """Return the numbers that settings and lists near the failure hold."""
    numbers: set[int] = set()
    for entry in case.config_entries:
        if type(entry.value) is int:
            numbers.add(entry.value)
        if entry.length is not None:
            numbers.add(entry.length)
    files = dict.fromkeys(scope.file for scope in near_scopes(case))
    for file in list(files)[:MAX_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 2:
                numbers.add(len(node.elts))
            elif isinstance(node, ast.Constant) and type(node.value) is int:
                numbers.add(node.value)
    return numbers


def solutions(case: Case) -> list[list[Solution]]:
    """Return the leaves of each size that arithmetic makes on the failing path."""
    pair = _contradiction(case)
    if pair is None:
        return []
    wanted = {pair[0]: pair[1], pair[1]: pair[0]}
    groups: list[list[Solution]] = []
    seen: set[int] = set()
    for depth, steps in enumerate((case.raise_slice, *case.outer_slices)):
        for step in steps:
            node = step.node
            if node.kind is not StepKind.ARITHMETIC or id(node.expr) in seen or node.line <= 0:
                continue
            value = whole(node) if _is_sure(node) else None
            if value not in wanted or len(groups) >= MAX_EXPRESSIONS or _repeats(node.expr):
                continue
            seen.update(id(part) for part in ast.walk(node.expr))
            group = list(_leaves(step, value, wanted[value], step.distance + 2.0 * depth))
            if any(s.old == wanted[value] for s in group):
                # What holds the wanted size already makes the other side too: it is the
                # arithmetic around it that is wrong.
                group = [replace(s, needed=False) for s in group if s.old != wanted[value]]
            if group:
                groups.append(group)
    return groups


MOST_LOOKED_AT = 200
"""Nodes behind a number of which it is asked whether a table of arguments may have given them."""


def _is_sure(node: Node) -> bool:
    """Whether nothing may have given a number another value: a table of arguments, as ``**cfg``."""
    waiting, seen = [(node, MAX_DEPTH)], set[int]()
    while waiting and len(seen) < MOST_LOOKED_AT:
        part, depth = waiting.pop()
        if depth <= 0 or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part.expr, ast.BinOp) and part.kind is StepKind.ARITHMETIC:
            sides = (part.expr.left, part.expr.right)
            waiting.extend((part.engine.node(e, part.context), depth - 1) for e in sides)
            continue
        handed = [child for role, child in part.inputs if role in HANDED_ON]
        if len(handed) > 1 and any(not child.values for child in handed):
            return False
        waiting.extend((child, depth - 1) for child in handed)
    return True


def _contradiction(case: Case) -> tuple[int, int] | None:
    """Return the one size that there was and the one that the message demands."""
    actual, expected = sizes_of(case, Role.ACTUAL), sizes_of(case, Role.EXPECTED)
    given, demanded = actual - expected, expected - actual
    if len(given) != 1 or len(demanded) != 1:
        return None
    pair = (min(given), min(demanded))
    return pair if min(pair) > 0 else None


def _repeats(expr: ast.AST) -> bool:
    """Whether a name occurs twice: then no single value of it solves the expression."""
    names = [part.id for part in ast.walk(expr) if isinstance(part, ast.Name)]
    return len(set(names)) < len(names)


def _leaves(step: Step, value: int, wanted: int, distance: float) -> Iterator[Solution]:
    root = step.node
    at: set[tuple[str, int, str]] = set()
    for leaf, old, new, counted in _solve(root, wanted, 0):
        key = (leaf.file, leaf.line, leaf.text)
        if key in at or new == old or leaf.line <= 0:
            continue
        at.add(key)
        inside = any(leaf.expr is part for part in ast.walk(root.expr))
        yield Solution(root, value, wanted, leaf, old, new, counted, inside, step, distance)


def _solve(node: Node, target: int, depth: int) -> Iterator[tuple[Node, int, int, bool]]:
    """Yield the leaves of an expression with the value that each would need: leaf, old, new."""
    value = whole(node)
    if value is None or depth > MAX_DEPTH or not 0 < target < LARGEST:
        return
    if node.kind in (StepKind.LITERAL, StepKind.CONFIG):
        yield node, value, target, False
        return
    expr = node.expr
    if isinstance(expr, ast.BinOp):
        left, right = (node.engine.node(e, node.context) for e in (expr.left, expr.right))
        a, b = whole(left), whole(right)
        if a is None or b is None:
            return
        for side, need in ((left, _left(expr.op, target, b)), (right, _right(expr.op, target, a))):
            if need is not None:
                yield from _solve(side, need, depth + 1)
        return
    if isinstance(expr, ast.Call) and expr.args:
        argument = node.engine.node(expr.args[0], node.context)
        if called_name(expr) == "len":
            yield from _counted(argument, value, target)
            return
        if called_name(expr) == "int":
            yield from _solve(argument, target, depth + 1)
            return
    for role, child in node.inputs:
        if role in HANDED_ON and whole(child) == value:
            yield from _solve(child, target, depth + 1)
            return


def _left(op: ast.operator, target: int, right: int) -> int | None:
    """Return what the left operand would have to be so that an operation gives the target."""
    if isinstance(op, ast.Add):
        return target - right
    if isinstance(op, ast.Sub):
        return target + right
    if isinstance(op, ast.Mult) and right and target % right == 0:
        return target // right
    if isinstance(op, ast.FloorDiv):
        return target * right
    if isinstance(op, ast.Pow) and right > 0 and target > 0:
        root = round(target ** (1 / right)) if right < 8 else 0
        return root if root**right == target else None
    return None


def _right(op: ast.operator, target: int, left: int) -> int | None:
    """Return what the right operand would have to be so that an operation gives the target."""
    if isinstance(op, ast.Add):
        return target - left
    if isinstance(op, ast.Sub):
        return left - target
    if isinstance(op, ast.Mult) and left and target % left == 0:
        return target // left
    if isinstance(op, ast.FloorDiv) and target and left // target:
        return left // target if left // (left // target) == target else None
    if isinstance(op, ast.Pow) and left > 1 and target > 1:
        exponent = round(math.log(target, left))
        return exponent if left**exponent == target else None
    return None


def _counted(argument: Node, value: int, target: int) -> Iterator[tuple[Node, int, int, bool]]:
    """Yield the list whose length goes in."""
    for step in backward_slice([argument], MAKER_STEPS):
        node = step.node
        listed = any(
            (isinstance(v, Items) and v.complete and len(v.items) == value)
            or (isinstance(v, Mapping) and v.complete and len(v.pairs) == value)
            or (isinstance(v, Config) and v.entry is not None and v.entry.length == value)
            for v in node.values
        )
        if listed and node.kind in (StepKind.CONTAINER, StepKind.CONFIG):
            yield node, value, target, True
            return


def whole(node: Node) -> int | None:
    """Return the one whole number that a node stands for."""
    constant = node.constant
    value = constant.value if constant is not None else None
    return value if type(value) is int else None


def plausibility(solution: Solution, held: set[int], others: int) -> float:
    """Return how likely a leaf is the wrong one (0 to 1), among ``others`` that could be.

    ``held`` are the numbers that stand elsewhere near the failure: lengths of lists, and settings.
    """
    likelihood = 1.0 if solution.new in held and solution.new > 2 else 0.6
    ratio = max(solution.new, solution.old) / max(1, min(solution.new, solution.old))
    if ratio > FAR_OFF:
        likelihood *= 0.4
    if solution.factor and solution.needed:
        # A number in the arithmetic itself says how things are put together.
        likelihood *= 0.6
    if solution.counted:
        likelihood *= 0.7
    return likelihood / math.sqrt(max(others, 1)) * math.exp(-solution.distance / 10)


# ---------------------------------------------------------------------- relations of two sizes
MOST_PLACES = 8
"""Where more places relate the two sizes, that tells nothing."""
MOST_STEP = 4
"""Steps by which sizes differ that slices explain."""
MOST_FACTOR = 16
OF_OTHERS = 0.5
"""What a computation counts that is not known to have made a size of the reproduced failure."""
RESHAPING = {"view", "reshape", "unflatten", "chunk", "tensor_split", "array_split"}
"""Calls whose whole numbers divide an axis."""
DIVIDING = {"stride", "kernel_size", "pool_size", "strides", "scale_factor", "downscale_factor"}
"""Arguments that divide or multiply an axis."""
POOLING = {
    *("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d"),
    *("MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d"),
    *("MaxPooling1D", "MaxPooling2D", "AveragePooling1D", "AveragePooling2D", "UpSampling1D"),
    *("UpSampling2D", "PixelShuffle", "pixel_shuffle"),
}
"""Calls whose first whole number divides or multiplies an axis."""


def find_relations(case: Case) -> Iterator[Clue]:
    """Yield the lines that relate the two sizes that the message sets against each other."""
    pairs = _pairs(case)
    if case.category.id != "tensor_mismatch" or not pairs:
        return
    yield from _computed(case)
    yield from _chosen(case, {abs(a - b) for a, b in pairs})
    yield from _divided(case, _factors(pairs))


def _pairs(case: Case) -> set[tuple[int, int]]:
    if counts_axes(case):
        return set()
    expected, actual = sizes_of(case, Role.EXPECTED), sizes_of(case, Role.ACTUAL)
    if len(expected) > 2 or len(actual) > 2:
        return set()
    return {(a, b) for a in actual for b in expected if a != b and min(a, b) > 0}


def _factors(pairs: set[tuple[int, int]]) -> set[int]:
    """Return the whole factors between the two sizes of pairs."""
    ordered = [(min(pair), max(pair)) for pair in pairs]
    return {b // a for a, b in ordered if a > 1 and b % a == 0 and b // a <= MOST_FACTOR}


def _made(raised: Raised | None) -> set[Origin] | None:
    """Return what made the sides of a reproduced failure, None where it was not reproduced."""
    if raised is None or raised.weight < 1.0:
        return None
    return {origin for side in raised.sides for origin in origins_of(side)}


def _computed(case: Case) -> Iterator[Clue]:
    """Yield the computations that made one size of the other in the followed run."""
    outcome = follow(case)
    made, related = _made(outcome.raised), outcome.related
    for (file, line), relation in related.items() if len(related) <= MOST_PLACES else ():
        makes = (
            f"`{unparsed(relation.node)}` makes" if relation.node is not None else "joining makes"
        )
        before, after = relation.before, relation.after
        given = relation.operands if len(relation.operands) == 2 else (before,)
        sizes = "both sizes" if len(given) == 1 else f"{before} and {after}"
        of_given = " and ".join(map(str, given))
        why = f"{makes} {after} of {of_given}; the message has {sizes} {how_known(case)}"
        score = 1.0 / math.sqrt(len(related))
        score *= 1.0 if made is None or (file, line) in made else OF_OTHERS
        yield Clue("numbers.made_of_other", file, line, score, why)


def _chosen(case: Case, steps: set[int]) -> Iterator[Clue]:
    """Yield the choices between an array and a part of it that is as much shorter."""
    near = {step for step in steps if step <= MOST_STEP}
    for (file, line), node in follow(case).chosen.items() if near else ():
        cuts = [bounds_in(branch) & near for branch in (node.body, node.orelse)]
        bases = [
            unparsed(branch.value if isinstance(branch, ast.Subscript) else branch)
            for branch in (node.body, node.orelse)
        ]
        if bool(cuts[0]) != bool(cuts[1]) and bases[0] == bases[1]:
            step = min(cuts[0] | cuts[1])
            why = f"one of the two choices of `{unparsed(node)}` is shorter by {step}, as a size is"
            yield Clue("rules.cut_in_one_choice", file, line, 1.0, why)


def _divided(case: Case, wanted: set[int]) -> Iterator[Clue]:
    """Yield the calls on the way to the failure that divide an axis by the factor."""
    if not wanted:
        return
    steps = [*case.raise_slice, *(s for steps in case.outer_slices for s in steps)]
    found: dict[Origin, tuple[Node, int]] = {}
    for step in steps:
        node = step.node
        if node.entry is not None or node.line <= 0 or not isinstance(node.expr, ast.Call):
            continue
        both = _dividing_numbers(node.expr) & wanted
        if both:
            found.setdefault((node.file, node.line), (node, min(both)))
    for (file, line), (node, factor) in found.items() if len(found) <= MOST_PLACES else ():
        why = f"`{node.text}` has the factor {factor} between the two sizes"
        yield Clue("numbers.divides", file, line, 1.0 / math.sqrt(len(found)), why)


def _dividing_numbers(call: ast.Call) -> set[int]:
    """Return the whole numbers above 1 by which a call divides or multiplies an axis."""
    name = called_name(call)
    given: list[ast.expr] = [k.value for k in call.keywords if k.arg in DIVIDING]
    if name in RESHAPING:
        for argument in call.args:
            given.extend(argument.elts if isinstance(argument, ast.Tuple) else [argument])
    elif name in POOLING:
        given.extend([a for a in call.args if isinstance(a, ast.Constant)][:1])
    numbers = {n.value for n in given if isinstance(n, ast.Constant) and type(n.value) is int}
    return {number for number in numbers if number > 1}
