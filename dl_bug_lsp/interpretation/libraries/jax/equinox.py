"""Equinox: filters of trees, states, copies and files of models.

Its transformations are in `jax_models`, its layers there and, where the workspace holds the
package, in its own code. Source: the Equinox reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.jax.arrays
import dl_bug_lsp.interpretation.libraries.python.standard_library  # noqa: F401
from dl_bug_lsp.interpretation.model_helpers import thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    FunctionValue,
    Instance,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

NO_ARRAYS = (str, bytes, list, tuple, dict, type(None), FunctionValue, Instance)


MODELS.function("equinox.field", "equinox.static_field")(MODELS.functions["dataclasses.field"])


@MODELS.function(
    *("equinox.filter", "equinox.combine", "equinox.error_if", "equinox.tree_inference"),
    *("equinox.nn.inference_mode", "equinox.filter_shard"),
)
def same_tree(_: Interpreter, call: Call) -> Value:
    """Return the tree that is given; what a filter leaves out of it is not followed."""
    return call.given(0, "pytree", "x") or call.unknown()


@MODELS.function("equinox.tree_at")
def changed_tree(_: Interpreter, call: Call) -> Value:
    """Return a tree of which a part may be another one."""
    return call.given(1, "pytree") or call.unknown()


@MODELS.function("equinox.partition")
def parted(_: Interpreter, call: Call) -> Value:
    """Return both parts of a tree, each with its whole structure."""
    given = call.given(0, "pytree")
    return call.unknown() if given is None else Value((given, given), given.origins)


@MODELS.function(
    *("equinox.is_array", "equinox.is_inexact_array"),
    *("equinox.is_array_like", "equinox.is_inexact_array_like"),
)
def is_array(_: Interpreter, call: Call) -> Value:
    """Return whether something is an array of JAX, with numbers where they are alike."""
    given = call.given(0, "element", "x")
    if given is None or not given.known:
        return call.unknown()
    data = given.data
    if isinstance(data, Array) and data.dtype is not None and data.library == "jax":
        whole = data.dtype.startswith(("int", "uint", "bool", "key"))
        return Value("inexact" not in call.name or not whole, given.origins)
    if isinstance(data, (bool, int, float)):
        counts = isinstance(data, float) or "inexact" not in call.name
        return Value(call.name.endswith("_like") and counts, given.origins)
    return (
        Value(data=False, origins=given.origins) if isinstance(data, NO_ARRAYS) else Value(UNKNOWN)
    )


@MODELS.function("equinox.tree_serialise_leaves")
def written_leaves(_: Interpreter, call: Call) -> Value:
    """Return nothing: the leaves are in a file."""
    del call
    return Value(None)


@MODELS.function("equinox.tree_deserialise_leaves")
def read_leaves(_: Interpreter, call: Call) -> Value:
    """Return a tree of the structure of the one that is given."""
    return call.given(1, "like") or call.unknown()


@MODELS.function("equinox.filter_eval_shape")
def shapes_of(interpreter: Interpreter, call: Call) -> Value:
    """Return what a function gives, of which only the shapes are worked out."""
    if not call.args:
        return call.unknown()
    return interpreter.call(call.args[0], call.args[1:], dict(call.keywords), call.place)


@MODELS.function("equinox.nn.make_with_state")
def with_state(_: Interpreter, call: Call) -> Value:
    """Return what makes a model together with its initial state."""
    return thing("equinox.nn.make_with_state", call)


@MODELS.object("equinox.nn.make_with_state")
def make_with_state(interpreter: Interpreter, call: Call) -> Value:
    """Return a model and its initial state."""
    held = call.held
    if held is None or not held.args:
        return call.unknown()
    model = interpreter.call(held.args[0], call.args, dict(call.keywords), call.place)
    state = LibraryObject("equinox.nn.State", (model,), {}, call.place)
    return Value((model, Value(state, merged(model))), merged(model))


@MODELS.method("State", "set", "update", "substate")
def next_state(_: Interpreter, call: Call) -> Value:
    """Return a state like the one before."""
    return call.receiver or call.unknown()
