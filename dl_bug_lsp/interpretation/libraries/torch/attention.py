"""Attention that is restricted to some kernels, and what these refuse on a GPU.

Sources: PyTorch's documentation of ``torch.nn.attention.sdpa_kernel`` and of
``scaled_dot_product_attention``; ``sdp_utils.cpp`` of PyTorch 2.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.torch import argument_checks as _torch_checks  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch.tensors import flag
from dl_bug_lsp.interpretation.model_helpers import leaving, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import Library, LibraryObject, Raised, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

FLASH, EFFICIENT, MATH, CUDNN = (
    "FLASH_ATTENTION",
    "EFFICIENT_ATTENTION",
    "MATH",
    "CUDNN_ATTENTION",
)
DTYPES = {
    FLASH: ("float16", "bfloat16"),
    CUDNN: ("float16", "bfloat16"),
    EFFICIENT: ("float16", "bfloat16", "float32"),
}
"""What a kernel takes; the mathematical one takes everything."""
OF_SWITCHES = {
    "enable_flash": FLASH,
    "enable_math": MATH,
    "enable_mem_efficient": EFFICIENT,
    "enable_cudnn": CUDNN,
}
WIDEST = 256
"""The most numbers that a head of flash attention has."""
ALLOWED: WeakKeyDictionary[Interpreter, list[tuple[frozenset[str], Value]]] = WeakKeyDictionary()
"""The kernels of the blocks that a program is in, with what chose them; none that are unknown."""
NAME = "torch.nn.functional.scaled_dot_product_attention"
NO_KERNEL = "No available kernel. Aborting execution."


@MODELS.function("torch.nn.attention.sdpa_kernel", "torch.backends.cuda.sdp_kernel")
def _restricted(_: Interpreter, call: Call) -> Value:
    made = thing("torch.nn.attention.sdpa_kernel", call)
    if isinstance(made.data, LibraryObject):
        kernels = _of_switches(call) if call.name.endswith("sdp_kernel") else _named(call)
        if kernels is not None:
            made.data.state["kernels"] = Value(kernels, merged(*call.args, *call.keywords.values()))
    return made


def _named(call: Call) -> tuple[Value, ...] | None:
    """Return the backends that a call names, None where not all are known."""
    given = call.given(0, "backends")
    if given is None:
        return None
    items = given.data if isinstance(given.data, (list, tuple)) else [given]
    known = all(isinstance(item.data, Library) for item in items)
    return tuple(items) if known else None


def _of_switches(call: Call) -> tuple[Value, ...] | None:
    """Return the kernels that the switches of the older function leave on."""
    order = ("enable_flash", "enable_math", "enable_mem_efficient", "enable_cudnn")
    left: list[Value] = []
    for at, name in enumerate(order):
        switch = call.given(at, name)
        if switch is not None and not isinstance(switch.data, bool):
            return None
        if flag(switch, default=True):
            left.append(Value(Library(OF_SWITCHES[name])))
    return tuple(left)


@MODELS.method("sdpa_kernel", "__enter__")
def _entered(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    chosen = held.state.get("kernels") if held is not None else None
    kernels: frozenset[str] = frozenset()
    if chosen is not None and isinstance(chosen.data, tuple):
        kernels = frozenset(str(k.data.name).rpartition(".")[2] for k in chosen.data)
        chosen = Value(None, merged(chosen, *chosen.data))
    ALLOWED.setdefault(interpreter, []).append((kernels, chosen or Value(None)))
    return call.receiver if call.receiver is not None else call.unknown()


MODELS.method("sdpa_kernel", "__exit__")(leaving(ALLOWED))


def _refusing(model: Model) -> Model:
    """Refuse what none of the kernels takes that the block around allows."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        active = ALLOWED.get(interpreter)
        if active and active[-1][0]:
            _check(call, *active[-1])
        return model(interpreter, call)

    return run


def _check(call: Call, kernels: frozenset[str], chosen: Value) -> None:
    query, mask = call.given(0, "query"), call.given(3, "attn_mask")
    x = array(query)
    if query is None or x is None or not (x.device or "").startswith("cuda"):
        return
    if not kernels <= DTYPES.keys():
        return
    if x.dtype is not None and all(x.dtype not in DTYPES[kernel] for kernel in kernels):
        decided = frozenset(place for place in query.origins if place[1] < 0)
        raise Raised("type", NO_KERNEL, Value(x.dtype, decided or query.origins))
    if kernels == {FLASH}:
        if mask is not None and array(mask) is not None:
            raise Raised("value", NO_KERNEL, mask, chosen)
        width = size(x.shape[-1]) if x.shape else None
        if x.shape and width is not None and width > WIDEST:
            raise Raised("size", NO_KERNEL, x.shape[-1], Value(WIDEST))


MODELS.functions[NAME] = _refusing(MODELS.functions[NAME])
