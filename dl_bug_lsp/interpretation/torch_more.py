"""More of PyTorch: rarer functions on tensors, samplers, autocast, seeds, schedulers, facts.

Sources: the pages of each function in PyTorch's documentation (``torch``, ``torch.Tensor``,
``torch.utils.data``, ``torch.amp``, ``torch.autograd.Function``, ``torch.distributions``).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.model_helpers import listed, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.torch_data import OPTIMIZERS, SCHEDULERS, length_of, made
from dl_bug_lsp.interpretation.torch_layers import ELEMENTWISE, MODULES, SIGNATURES
from dl_bug_lsp.interpretation.torch_models import TESTING, paired
from dl_bug_lsp.interpretation.torch_tensors import (
    FLOATING,
    dtype_of,
    flag,
    floated,
    kept,
    operation,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# --- element by element ---------------------------------------------------------------------------

WITHOUT_NAME = words(
    "acos acosh asin asinh atan atanh arccos arccosh arcsin arcsinh arctan arctanh ceil cos cosh "
    "deg2rad rad2deg digamma erf erfc erfinv exp2 expm1 floor frac i0 lgamma log log10 log1p log2 "
    "logit rsqrt sin sinc sinh square tan reciprocal cumsum cumprod sgn sign nan_to_num logical_not"
)
operation(
    *words("frac fix sgn hardshrink resolve_neg conj_physical msort celu celu_ selu selu_ prelu"),
    *words("rrelu rrelu_ dropout_ renorm_ slice_scatter select_scatter"),
    *words("diagonal_scatter clamp_max_ clamp_min_ cauchy_"),
    *words("geometric_ log_normal_ addcdiv_ addcmul_ addmm_ baddbmm_ matrix_exp negative_"),
    *words("bitwise_not bitwise_not_ nextafter threshold_ alpha_dropout"),
    *(f"{name}_" for name in WITHOUT_NAME),
)(kept)


@operation(
    *words("acosh asinh atanh arccos arccosh arcsin arcsinh arctan arctanh deg2rad_ erfinv i0"),
    also=[f"torch.special.{n}" for n in words("i0e i1 i1e ndtr ndtri psi gammaln entr log_ndtr")],
)
def _fractions(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, floated(x), value, library=x.library, device=x.device)


@operation("isreal", *(name for name in TESTING if name == "signbit"))
def _tested(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, "bool", value, library=x.library, device=x.device)


@operation(
    *words("fmax fmin gcd lcm xlogy logaddexp logaddexp2 float_power ldexp bitwise_left_shift"),
    *words("bitwise_right_shift"),
    numbers=True,
)
def _of_two(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    result = paired(call, x, value, None, divides=name in ("xlogy", "logaddexp", "logaddexp2"))
    data = array(result)
    if name == "float_power" and data is not None:
        data.dtype = "float64"
    return result


@operation("is_complex", "is_signed", "is_nonzero", "is_same_size", "is_shared", "is_pinned")
def _fact(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if name == "is_complex" and x.dtype is not None:
        return Value(x.dtype.startswith("complex"), value.origins)
    if name == "is_signed" and x.dtype is not None:
        return Value(x.dtype not in ("bool", "uint8"), value.origins)
    return arrays.number("bool", value)


@operation("diag", "diagflat")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    if x.shape is None:
        return tensor(None, x.dtype, value, library=x.library, device=x.device)
    offset = size(call.given(1, "diagonal", "offset")) if len(call.args) > 1 else 0
    if call.keywords or offset is None:
        offset = size(next(iter(call.keywords.values()), None))
    if len(x.shape) == 1 or call.name.endswith("diagflat"):
        count = size(arrays.product(x.shape))
        known = count is not None and offset is not None
        side = Value((count or 0) + abs(offset or 0) if known else UNKNOWN, value.origins)
        return tensor((side, side), x.dtype, value, library=x.library, device=x.device)
    if len(x.shape) != 2:
        if x.library == "torch":
            raise Raised("size", "diag(): Supports 1D or 2D tensors", value)
        return call.unknown()
    rows, columns = size(x.shape[0]), size(x.shape[1])
    length: object = UNKNOWN
    if rows is not None and columns is not None and offset is not None:
        length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    side = Value(length, merged(value, *x.shape))
    return tensor((side,), x.dtype, value, library=x.library, device=x.device)


@operation("square_to", "pinverse", "kron")
def _products(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if x.shape is None:
        return tensor(None, x.dtype, value, device=x.device)
    if name == "pinverse":
        shape = (*x.shape[:-2], *reversed(x.shape[-2:]))
        return tensor(shape, x.dtype, value, device=x.device)
    y = array(call.given(1, "other"))
    if y is None or y.shape is None or len(y.shape) != len(x.shape):
        return tensor(None, x.dtype, value, device=x.device)
    shape = tuple(arrays.product(pair) for pair in zip(x.shape, y.shape, strict=True))
    return tensor(shape, x.dtype, value, device=x.device)


@operation("matrix_power", "cholesky_inverse", also=["torch.linalg.vander"])
def _square(_: Call, x: Array, value: Value) -> Value:
    return tensor(x.shape, x.dtype, value, device=x.device)


@MODELS.function("torch.randint_like")
def _randint_like(_: Interpreter, call: Call) -> Value:
    x, value = array(call.given(0, "input")), call.given(0, "input")
    if x is None or value is None:
        return call.unknown()
    low, high = Value(0), call.given(1, "high", "low")
    if len(call.args) > 2:
        low, high = call.args[1], call.args[2]
    last = size(high)
    dtype = dtype_of(call.keywords.get("dtype")) or x.dtype
    result = Array(x.shape, dtype, "torch", x.device, size(low), None if last is None else last - 1)
    return Value(result, merged(*call.args))


@MODELS.function("torch.finfo", "torch.iinfo")
def _limits(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "type", "dtype")
    name = dtype_of(given) if given is not None else "float32"
    sizes = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}
    if name in sizes and call.name.endswith("finfo"):
        most = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}
        high = most.get(
            name, 3.4028234663852886e38 if name == "float32" else 1.7976931348623157e308
        )
        tiny = {"float16": 6.103515625e-05, "float64": 2.2250738585072014e-308}
        small = tiny.get(name, 1.1754943508222875e-38)
        state = {"eps": 2.0 ** -sizes[name], "max": high, "min": -high, "tiny": small}
        state["smallest_normal"] = small
        return thing(call.name, call, **{key: Value(value) for key, value in state.items()})
    bits = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
    if name in bits:
        half = 1 << (bits[name] - 1)
        return thing(call.name, call, max=Value(half - 1), min=Value(-half), bits=Value(bits[name]))
    if name == "uint8":
        return thing(call.name, call, max=Value(255), min=Value(0), bits=Value(8))
    return call.unknown()


# --- seeds, settings, facts -----------------------------------------------------------------------


def _itself(_: Interpreter, call: Call) -> Value:
    return call.receiver if call.receiver is not None else call.unknown()


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
MODELS.method("Generator", "manual_seed")(_itself)
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


# --- autocast and scaled gradients ----------------------------------------------------------------


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
    held = None if call.receiver is None else call.receiver.data
    dtype: str | None = None
    if isinstance(held, LibraryObject):
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


@MODELS.method("autocast", "__exit__")
def _left(interpreter: Interpreter, call: Call) -> Value:
    del call
    active = AUTOCAST.get(interpreter)
    if active:
        active.pop()
    return Value(None)


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


# --- optimizers and schedulers --------------------------------------------------------------------


@MODELS.function(
    "torch.optim.lr_scheduler.SequentialLR", "torch.optim.lr_scheduler.ChainedScheduler"
)
def _schedulers(_: Interpreter, call: Call) -> Value:
    return made(call)


def _rates(_: Interpreter, call: Call) -> Value:
    return Value([arrays.number("float64", *([call.receiver] if call.receiver else []))])


def _state_dict(_: Interpreter, call: Call) -> Value:
    return thing("collections.OrderedDict", call)


def _stepped(interpreter: Interpreter, call: Call) -> Value:
    """Call the closure that ``step`` is given, and return what it returns."""
    closure = call.given(0, "closure")
    if closure is None or closure.data is None or array(closure) is not None:
        return Value(None)
    return interpreter.call(closure, (), {}, call.place)


for _short in (*SCHEDULERS, "SequentialLR", "ChainedScheduler", "LRScheduler", "_LRScheduler"):
    MODELS.method(_short, "step", "load_state_dict", "print_lr")(nothing)
    MODELS.method(_short, "get_last_lr")(_rates)
for _short in OPTIMIZERS:
    MODELS.method(_short, "step")(_stepped)
    MODELS.method(_short, "add_param_group", "zero_grad", "load_state_dict", "train", "eval")(
        nothing
    )


@MODELS.function("torch.nn.utils.clip_grad_value_", "torch.nn.utils.vector_to_parameters")
@MODELS.function("torch.nn.utils.remove_weight_norm", "torch.nn.utils.remove_spectral_norm")
def _changed(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


@MODELS.function("torch.nn.utils.parameters_to_vector")
def _vector(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "parameters"))
    arrays_given = [array(item) for item in items or ()]
    total: object = 0
    for x in arrays_given:
        count = None if x is None or x.shape is None else size(arrays.product(x.shape))
        total = UNKNOWN if count is None or not isinstance(total, int) else total + count
    return tensor(
        (Value(total if arrays_given else UNKNOWN, merged(*call.args)),), "float32", *call.args
    )


# --- samplers and data sets -----------------------------------------------------------------------


def _sampler(interpreter: Interpreter, call: Call) -> Value:
    """Keep how many items a sampler gives, and of how many."""
    short = call.name.rpartition(".")[2]
    source = call.given(0, "data_source", "weights", "indices", "sampler", "dataset")
    total = Value(UNKNOWN) if source is None else _count(interpreter, source, call)
    count = call.keywords.get("num_samples")
    if short == "WeightedRandomSampler":
        count = call.given(1, "num_samples")
    if count is None or count.data is None:
        count = total
    if short == "DistributedSampler":
        count = unknown(total)
    return thing(f"torch.utils.data.{short}", call, length=count, total=total)


def _count(interpreter: Interpreter, source: Value, call: Call) -> Value:
    count = length_of(interpreter, source, call.place)
    return count if size(count) is not None else unknown(source)


def _sampled(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    total = size(state.get("total"))
    high = None if total is None else total - 1
    short = call.receiver.data.short if _is_object(call.receiver) else ""  # type: ignore[union-attr]
    if short == "SubsetRandomSampler":
        high = None
    item = arrays.number("int64", lowest=0, highest=high)
    return Value(Lazy(item, state.get("length", Value(UNKNOWN))))


def _is_object(value: Value | None) -> bool:
    return value is not None and isinstance(value.data, LibraryObject)


def _length(_: Interpreter, call: Call) -> Value:
    return (state_of(call.receiver) or {}).get("length", call.unknown())


for _short in words(
    "RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler DistributedSampler"
):
    MODELS.function(f"torch.utils.data.{_short}", f"torch.utils.data.sampler.{_short}")(_sampler)
    MODELS.function(f"torch.utils.data.distributed.{_short}")(_sampler)
    MODELS.method(_short, "__iter__")(_sampled)
    MODELS.method(_short, "__len__")(_length)
    MODELS.method(_short, "set_epoch")(nothing)


@MODELS.function("torch.utils.data.BatchSampler", "torch.utils.data.sampler.BatchSampler")
def _batch_sampler(interpreter: Interpreter, call: Call) -> Value:
    sampler, batch = call.given(0, "sampler"), call.given(1, "batch_size")
    drop = flag(call.given(2, "drop_last"), default=False)
    inner = None if sampler is None else interpreter.iterate(sampler)
    total = None
    if isinstance(inner, Lazy):
        total = size(inner.length)
    elif inner is not None:
        total = len(inner)
    number = size(batch)
    length: object = UNKNOWN
    if total is not None and number and drop is not None:
        length = total // number if drop else -(-total // number)
    parts = [v for v in (sampler, batch) if v is not None]
    return thing(
        "torch.utils.data.BatchSampler",
        call,
        length=Value(length, merged(*parts)),
        batch=batch or Value(UNKNOWN),
    )


@MODELS.method("BatchSampler", "__iter__")
def _batches(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    item = arrays.number("int64", lowest=0)
    number = size(state.get("batch"))
    inner: object = [item] * number if number is not None and number <= 4096 else None
    batch = Value(inner) if inner is not None else Value(Lazy(item, Value(UNKNOWN)))
    return Value(Lazy(batch, state.get("length", Value(UNKNOWN))))


MODELS.method("BatchSampler", "__len__")(_length)
MODELS.function("torch.utils.data.get_worker_info")(nothing)


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
    held = None if call.receiver is None else call.receiver.data
    if not isinstance(held, LibraryObject) or not held.args or held.keywords or len(held.args) > 1:
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
    held = None if call.receiver is None else call.receiver.data
    if not isinstance(held, LibraryObject) or len(held.args) != 1:
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


# --- distributions --------------------------------------------------------------------------------


@MODELS.function("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
def _divergence(_: Interpreter, call: Call) -> Value:
    shapes = []
    for argument in call.args:
        shape = (state_of(argument) or {}).get("shape")
        if (
            shape is None
            or not isinstance(shape.data, tuple)
            or not isinstance(argument.data, LibraryObject)
        ):
            return call.unknown()
        is_rows = argument.data.short in ("Categorical", "OneHotCategorical")
        shapes.append(shape.data[:-1] if is_rows else shape.data)
    if len(shapes) != 2:
        return call.unknown()
    return tensor(arrays.broadcast(*shapes), "float32", *call.args)


@MODELS.method("SobolEngine", "draw", "draw_base2")
def _quasirandom(interpreter: Interpreter, call: Call) -> Value:
    """Return points of the unit cube in as many dimensions as the engine was made for."""
    count = call.given(0, "m" if call.name.endswith("2") else "n") or Value(1)
    if call.name.endswith("2"):
        power = count.data
        known = 2**power if type(power) is int and 0 <= power < 40 else UNKNOWN
        count = Value(known, count.origins)
    owner = call.receiver.data if call.receiver is not None else None
    dimension: Value | None = None
    if isinstance(owner, LibraryObject):
        dimension = owner.args[0] if owner.args else owner.keywords.get("dimension")
    return tensor((count, dimension or Value(UNKNOWN)), "float32", *call.args)


# --- hooks and gradients --------------------------------------------------------------------------


HOOKS = words(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_backward_hook register_full_backward_pre_hook register_hook "
    "register_state_dict_pre_hook register_load_state_dict_post_hook"
)


def _hooked(_: Interpreter, call: Call) -> Value:
    return thing("torch.utils.hooks.RemovableHandle", call)


for _short in (*MODULES, *SIGNATURES, *ELEMENTWISE, "array"):
    MODELS.method(_short, *HOOKS)(_hooked)
MODELS.method("RemovableHandle", "remove")(nothing)
MODELS.function("torch.autograd.gradcheck", "torch.autograd.gradgradcheck")(
    lambda _, call: Value(True, frozenset({call.place}))
)
del _short
