"""Gradients that a program asks PyTorch for, functions with gradients of their own, and hooks.

Sources: PyTorch's documentation of ``torch.autograd``, ``torch.func`` and ``torch.utils.hooks``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array
from dl_bug_lsp.interpretation.libraries.torch.layers import ELEMENTWISE, MODULES, SIGNATURES
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    tensor,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import fill_names, listed, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    Array,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries.torch.samplers import _is_object

# --- gradients ------------------------------------------------------------------------------------


@MODELS.function("torch.autograd.grad")
def _gradients(interpreter: Interpreter, call: Call) -> Value:
    inputs = call.given(1, "inputs")
    items = [inputs] if inputs is not None and array(inputs) else listed(interpreter, inputs)
    if items is None:
        return call.unknown()
    gradients = []
    for item in items:
        x = array(item)
        if item is None or x is None:
            return call.unknown()
        gradients.append(tensor(x.shape, x.dtype, item, device=x.device))
    return Value(tuple(gradients), merged(*call.args))


@MODELS.method("Function", "apply")
def _function(interpreter: Interpreter, call: Call) -> Value:
    """Call the ``forward`` of a class of the program that derives from ``autograd.Function``."""
    cls = call.receiver
    if cls is None:
        return call.unknown()
    forward = interpreter.attribute(cls, "forward", call.place)
    context = Value(LibraryObject("torch.autograd.function.FunctionCtx", (), {}, call.place))
    if interpreter.has_member(cls, "setup_context"):
        result = interpreter.call(forward, call.args, call.keywords, call.place)
        setup = interpreter.attribute(cls, "setup_context", call.place)
        interpreter.call(setup, (context, Value(call.args), result), {}, call.place)
        return result
    return interpreter.call(forward, (context, *call.args), call.keywords, call.place)


@MODELS.method("FunctionCtx", "save_for_backward", "mark_dirty", "set_materialize_grads")
@MODELS.method("FunctionCtx", "mark_non_differentiable", "save_for_forward")
def _saved(_: Interpreter, call: Call) -> Value:
    if call.name == "save_for_backward" and _is_object(call.receiver):
        (state_of(call.receiver) or {})["saved_tensors"] = Value(tuple(call.args))
    return Value(None)


@MODELS.function("torch.func.vmap", "torch.vmap", "torch.func.grad", "torch.compile")
@MODELS.function("autograd.grad", "autograd.elementwise_grad")
def _wrapped(_: Interpreter, call: Call) -> Value:
    given = call.given(0)
    if call.name.endswith("compile"):
        return given if given is not None else thing("functools.decorator", call)
    return thing(call.name, call)


@MODELS.object("torch.func.grad", "autograd.grad", "autograd.elementwise_grad")
def _gradient_of(interpreter: Interpreter, call: Call) -> Value:
    """Call a function; its gradient is like its first argument."""
    held = call.held
    if held is None or not held.args or held.keywords or len(held.args) > 1:
        return call.unknown()
    interpreter.call(held.args[0], call.args, call.keywords, call.place)
    first = call.args[0] if call.args else None
    x = array(first)
    if first is None or x is None:
        return first if first is not None and isinstance(first.data, dict) else call.unknown()
    return tensor(x.shape, x.dtype, first, library=x.library, device=x.device)


@MODELS.object("torch.func.vmap", "torch.vmap")
def _mapped(interpreter: Interpreter, call: Call) -> Value:
    """Call a function with one row of each argument; a row of results stands for each."""
    held = call.held
    if held is None or len(held.args) != 1:
        return call.unknown()
    if held.keywords.keys() - {"randomness", "chunk_size"}:
        return call.unknown()
    rows, count = [], None
    for argument in call.args:
        x = array(argument)
        if x is None or not x.shape:
            return call.unknown()
        first = x.shape[0]
        count = first if count is None else arrays.same(count, first, "vmap: sizes differ")
        rows.append(Value(Array(x.shape[1:], x.dtype, x.library, x.device), argument.origins))
    if count is None:
        return call.unknown()
    return _stacked(interpreter.call(held.args[0], tuple(rows), {}, call.place), count)


def _stacked(value: Value, count: Value) -> Value:
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(_stacked(item, count) for item in data), value.origins)
    if not isinstance(data, Array) or data.shape is None:
        return unknown(value, count)
    return tensor((count, *data.shape), data.dtype, value, count, device=data.device)


# --- hooks and gradients --------------------------------------------------------------------------


HOOKS = words(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_backward_hook register_full_backward_pre_hook register_hook "
    "register_state_dict_pre_hook register_load_state_dict_post_hook"
)


def _hooked(_: Interpreter, call: Call) -> Value:
    for hook in (*call.args, *call.keywords.values()):
        fill_names(hook.data)
    return thing("torch.utils.hooks.RemovableHandle", call)


for _short in (*MODULES, *SIGNATURES, *ELEMENTWISE, "array"):
    MODELS.method(_short, *HOOKS)(_hooked)
MODELS.method("RemovableHandle", "remove")(nothing)
MODELS.function("torch.autograd.gradcheck", "torch.autograd.gradgradcheck")(
    lambda _, call: Value(True, frozenset({call.place}))
)
del _short
