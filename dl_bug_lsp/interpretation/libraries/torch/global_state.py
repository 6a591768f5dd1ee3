"""Seeds and settings of PyTorch's process, and groups of processes.

Sources: PyTorch's documentation of ``torch``, ``torch.cuda``, ``torch.random`` and
``torch.distributed``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import dl_bug_lsp.interpretation.libraries.torch.data  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    tensor,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import (
    itself,
    nothing,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    LibraryObject,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


_SEEDED = MODELS.functions["torch.manual_seed"]


@MODELS.function("torch.manual_seed")
def _seeded(interpreter: Interpreter, call: Call) -> Value:
    _SEEDED(interpreter, call)
    return Value(LibraryObject("torch.Generator", (), {}, call.place))


@MODELS.function("torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.random.manual_seed")
@MODELS.function("torch.mps.manual_seed", "torch.xpu.manual_seed_all")
def _seeded_devices(interpreter: Interpreter, call: Call) -> Value:
    _SEEDED(interpreter, call)
    return Value(None)


# A generator of NumPy has the same short name.
MODELS.method("Generator", "manual_seed")(itself)
MODELS.method("Generator", "initial_seed")(lambda _, call: arrays.number("int64"))
MODELS.function("torch.initial_seed", "torch.seed", "torch.get_num_threads")(
    lambda _, call: arrays.number("int64")
)
MODELS.function(
    *(f"torch.{name}" for name in words(
        "set_num_threads set_num_interop_threads set_float32_matmul_precision set_printoptions "
        "use_deterministic_algorithms set_deterministic_debug_mode set_default_device "
        "set_rng_state set_flush_denormal set_warn_always autograd.set_detect_anomaly"
    )),
    *(f"torch.cuda.{name}" for name in words(
        "synchronize empty_cache set_device reset_peak_memory_stats set_rng_state init "
        "reset_max_memory_allocated ipc_collect set_rng_state_all"
    )),
    *(f"torch.distributed.{name}" for name in words(
        "barrier all_reduce broadcast reduce destroy_process_group all_gather "
        "broadcast_object_list gather scatter"
    )),
    "torch.multiprocessing.set_start_method", "torch.multiprocessing.set_sharing_strategy",
    "torch.backends.cuda.enable_flash_sdp", "torch.onnx.export", "torch.jit.save",
)(nothing)  # fmt: skip
MODELS.function("torch.get_rng_state", "torch.cuda.get_rng_state")(
    lambda _, call: tensor(None, "uint8")
)


GROUPS: WeakKeyDictionary[Interpreter, bool] = WeakKeyDictionary()
"""The programs that have made a group of processes."""
LAUNCHERS = ("accelerate", "deepspeed", "lightning", "pytorch_lightning", "horovod", "ray")
"""Libraries that make groups of processes themselves."""


@MODELS.function("torch.distributed.init_process_group", "deepspeed.init_distributed")
def _group(interpreter: Interpreter, call: Call) -> Value:
    GROUPS[interpreter] = True
    return Value(None)


@MODELS.function("torch.distributed.is_initialized")
def _is_group(interpreter: Interpreter, call: Call) -> Value:
    """Say that there is no group where the program has made none itself."""
    if GROUPS.get(interpreter):
        return Value(True, frozenset({call.place}))
    tree = interpreter.workspace.tree(interpreter.script)
    names = {
        (alias.name if isinstance(node, ast.Import) else node.module or "").partition(".")[0]
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    if names & set(LAUNCHERS):
        return call.unknown()
    return Value(False, frozenset({call.place}))
