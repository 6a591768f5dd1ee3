"""How one size of the message may have become the other: what the followed run did to sizes.

The two sizes of a message often differ by a factor or by a step. Where the run computed one of them
from the other, chose between an array and the same without its last step, or called what divides an
axis by the factor, the line tells why they differ, whatever the data is.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.evidence.interpreted_values import origins_of
from dl_bug_lsp.evidence.numbers import bounds_in, sizes_of
from dl_bug_lsp.interpretation.values import Origin, Raised
from dl_bug_lsp.messages import Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.stack import unparsed

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


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that relate the two sizes that the message sets against each other."""
    pairs = _pairs(case)
    if case.category.id != "tensor_mismatch" or not pairs:
        return
    yield from _computed(case)
    yield from _chosen(case, {abs(a - b) for a, b in pairs})
    yield from _divided(case, _factors(pairs))


def _pairs(case: Case) -> set[tuple[int, int]]:
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
        why = (
            f"{makes} {relation.after} of {relation.before}; the message has both sizes "
            f"{how_known(case)}"
        )
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
