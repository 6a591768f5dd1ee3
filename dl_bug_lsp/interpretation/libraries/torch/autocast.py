"""Mixed precision in PyTorch: ``autocast`` blocks and scaled gradients.

Source: PyTorch's documentation of ``torch.amp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    FLOATING,
    dtype_of,
    flag,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import leaving, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    Array,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@MODELS.function("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast")
def _autocast(_: Interpreter, call: Call) -> Value:
    return thing("torch.autocast", call)


AUTOCAST: WeakKeyDictionary[Interpreter, list[str | None]] = WeakKeyDictionary()
"""The dtypes of the ``autocast`` blocks that a program is in, None of one that is not known."""
LOWERED = frozenset(
    [
        *words("Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d"),
        *words("ConvTranspose3d linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d"),
        *words("conv_transpose3d matmul mm bmm mv addmm baddbmm addbmm einsum MatMult"),
        *words("scaled_dot_product_attention __matmul__"),
    ]
)
RAISED = frozenset(
    [
        *words(
            "mse_loss l1_loss nll_loss cross_entropy binary_cross_entropy smooth_l1_loss ctc_loss"
        ),
        *words("kl_div huber_loss binary_cross_entropy_with_logits MSELoss L1Loss NLLLoss CTCLoss"),
        *words("CrossEntropyLoss SmoothL1Loss HuberLoss KLDivLoss BCEWithLogitsLoss"),
    ]
)
"""Operations that ``autocast`` does with the lower and with the full precision on every device."""
OFF = "off"


@MODELS.method("autocast", "__enter__")
def _entered(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    dtype: str | None = None
    if held is not None:
        inner_call = Call(held.name, held.args, held.keywords, held.made)
        enabled = flag(inner_call.keywords.get("enabled"), default=True)
        kind = inner_call.given(0, "device_type")
        if enabled is False:
            dtype = OFF
        elif enabled and kind is not None and kind.data == "cpu":
            asked = inner_call.given(1, "dtype")
            dtype = "bfloat16" if asked is None or asked.data is None else dtype_of(asked)
    AUTOCAST.setdefault(interpreter, []).append(dtype)
    return call.receiver if call.receiver is not None else call.unknown()


MODELS.method("autocast", "__exit__")(leaving(AUTOCAST))


def under_autocast(interpreter: Interpreter, name: str, result: Value) -> Value:
    """Return what an operation gives with the dtype that it has in an ``autocast`` block."""
    active, x = AUTOCAST.get(interpreter), array(result)
    if not active or active[-1] == OFF or x is None or x.dtype not in FLOATING:
        return result
    last = name.rpartition(".")[2]
    if x.library != "torch" or last not in LOWERED | RAISED or x.dtype == "float64":
        return result
    dtype = "float32" if last in RAISED else active[-1]
    return Value(Array(x.shape, dtype, x.library, x.device, last=x.last), result.origins)


@MODELS.function("torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.GradScaler")
def _scaler(_: Interpreter, call: Call) -> Value:
    return thing("torch.amp.GradScaler", call)


@MODELS.method("GradScaler", "scale")
def _scaled(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "outputs")
    x = array(given)
    if given is None or x is None:
        return call.unknown() if given is None else given
    return tensor(x.shape, x.dtype, given, device=x.device)


MODELS.method("GradScaler", "unscale_", "step", "update", "load_state_dict")(nothing)
MODELS.method("GradScaler", "get_scale")(lambda _, call: arrays.number("float64"))
MODELS.method("GradScaler", "is_enabled")(lambda _, call: arrays.number("bool"))
