"""What makes a number exactly zero that a logarithm, a root or a quotient is taken of.

The operand is followed backwards through names, attributes, returns and parts of tuples to the call
that made it. A rectifier, a bound of zero or rounding gives zeros for many inputs; a small number
added later takes them away, so an operand that has one is not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.training_rules.program import Training, argument, string, text
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

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
