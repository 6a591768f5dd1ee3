"""PyTorch's optimizers and schedulers, and what is done with all gradients or parameters.

Sources: PyTorch's documentation of ``torch.optim`` and ``torch.nn.utils``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.torch.data import made
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    kind_of,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import listed, nothing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

OPTIMIZERS = words(
    "SGD Adam AdamW Adamax Adagrad Adadelta RMSprop Rprop NAdam RAdam ASGD LBFGS "
    "SparseAdam Adafactor"
)
SCHEDULERS = words(
    "StepLR MultiStepLR ExponentialLR CosineAnnealingLR ReduceLROnPlateau LambdaLR "
    "OneCycleLR CyclicLR CosineAnnealingWarmRestarts LinearLR ConstantLR PolynomialLR "
    "MultiplicativeLR"
)

EPOCH = "epoch of the schedule"
"""Under which name a schedule keeps the number of its last step."""


def is_module(value: Value) -> bool:
    """Whether a value is certainly a module that cannot be iterated over."""
    data = value.data
    if isinstance(data, LibraryObject):
        has_items = (data.short, "__iter__") in MODELS.methods
        return data.name.startswith("torch.nn.") and not has_items
    if not isinstance(data, Instance):
        return False
    bases = [base for base in data.cls.bases if isinstance(base.data, Library)]
    return len(bases) == len(data.cls.bases) and [
        base.data.name for base in bases if isinstance(base.data, Library)
    ] == ["torch.nn.Module"]


@MODELS.function(*(f"torch.optim.{name}" for name in OPTIMIZERS))
def _optimizer(_: Interpreter, call: Call) -> Value:
    parameters = call.given(0, "params")
    short = call.name.rpartition(".")[2]
    if parameters is None and not call.keywords:
        raise Raised("arguments", f"{short}: missing argument 'params'", Value(short))
    if parameters is not None:
        if isinstance(parameters.data, list | tuple) and not parameters.data:
            raise Raised("value", "optimizer got an empty parameter list", parameters)
        if isinstance(parameters.data, Array):
            message = "params argument given to the optimizer should be an iterable of Tensors"
            raise Raised("type", message, parameters)
        if parameters.data is None or isinstance(parameters.data, int | float):
            raise Raised("type", "params is not iterable", parameters)
        if is_module(parameters):
            raise Raised("type", "params is not iterable", parameters)
    _ask_options(call)
    for name in ("lr", "weight_decay", "momentum", "eps"):
        value = call.given(1, "lr") if name == "lr" else call.keywords.get(name)
        if value is None:
            continue
        if isinstance(value.data, str | list | tuple | dict):
            message = (
                f"{name}: '<=' not supported between 'float' and '{type(value.data).__name__}'"
            )
            raise Raised("type", message, value)
        if isinstance(value.data, int | float) and value.data < 0:
            raise Raised("value", f"Invalid {name} value: {value.data}", value)
    return made(call)


def _ask_options(call: Call) -> None:
    """Raise where options of an optimizer do not go together, or are out of their range.

    Source: ``torch.optim`` (``SGD``, ``Adam`` and its variants).
    """
    nesterov, momentum = call.keywords.get("nesterov"), call.given(2, "momentum")
    is_plain = momentum is None or momentum.data == 0
    if call.name.endswith(".SGD") and nesterov is not None and nesterov.data is True and is_plain:
        sides = [nesterov] if momentum is None else [nesterov, momentum]
        raise Raised("value", "Nesterov momentum requires a momentum and zero dampening", *sides)
    betas = call.given(2, "betas") if "Adam" in call.name else None
    pair = betas.data if betas is not None else None
    for number, beta in enumerate(pair if isinstance(pair, (tuple, list)) else ()):
        if isinstance(beta.data, (int, float)) and not 0 <= beta.data < 1:
            raise Raised("value", f"Invalid beta parameter at index {number}: {beta.data}", beta)


@MODELS.function(*(f"torch.optim.lr_scheduler.{name}" for name in SCHEDULERS))
def _scheduler(_: Interpreter, call: Call) -> Value:
    optimizer = call.given(0, "optimizer")
    if optimizer is not None:
        kind = kind_of(optimizer)
        plain = kind is not None or isinstance(optimizer.data, Lazy | Array)
        if plain or is_module(optimizer):
            raise Raised("type", f"{kind or 'the argument'} is not an Optimizer", optimizer)
    steps = [call.given(i, name) for i, name in ((2, "total_steps"), (3, "epochs"))]
    if call.name.endswith(".OneCycleLR") and len(call.args) < 3 and steps == [None, None]:
        message = "You must define either total_steps OR (epochs AND steps_per_epoch)"
        raise Raised("value", message, Value("total_steps", frozenset({call.place})))
    return made(call)


@MODELS.function("torch.optim.lr_scheduler.LambdaLR")
def _lambda_rates(interpreter: Interpreter, call: Call) -> Value:
    """Make a schedule; its functions are asked for the factors of epoch 0 at once."""
    scheduler = _scheduler(interpreter, call)
    last = call.given(2, "last_epoch")
    if isinstance(scheduler.data, LibraryObject) and (last is None or last.data == -1):
        scheduler.data.state[EPOCH] = Value(0)
        _ask_factors(interpreter, call, scheduler.data)
    return scheduler


def _ask_factors(interpreter: Interpreter, call: Call, scheduler: LibraryObject) -> None:
    """Call the functions of a schedule with the number of its epoch."""
    made_with = Call(scheduler.name, scheduler.args, scheduler.keywords, scheduler.made)
    given = made_with.given(1, "lr_lambda")
    held = [] if given is None else given.data if isinstance(given.data, list) else [given]
    for function in held:
        if isinstance(function.data, (FunctionValue, BoundMethod, Instance)):
            interpreter.call(function, (scheduler.state[EPOCH],), {}, call.place)


def _next_factors(interpreter: Interpreter, call: Call) -> Value:
    """Ask the functions of a schedule for the factors of its next epoch."""
    held = call.held
    epoch = call.state.get(EPOCH)
    if held is not None and epoch is not None and isinstance(epoch.data, int):
        given = call.given(0, "epoch")
        following = Value(epoch.data + 1) if given is None or given.data is None else given
        held.state[EPOCH] = following
        _ask_factors(interpreter, call, held)
    return Value(None)


for _short in (*OPTIMIZERS, *SCHEDULERS):
    MODELS.method(_short, "zero_grad", "load_state_dict")(nothing)
    MODELS.method(_short, "step", "state_dict", "get_last_lr")(lambda _, call: call.unknown())


@MODELS.function(
    "torch.optim.lr_scheduler.SequentialLR", "torch.optim.lr_scheduler.ChainedScheduler"
)
def _schedulers(_: Interpreter, call: Call) -> Value:
    return made(call)


def _rates(_: Interpreter, call: Call) -> Value:
    return Value([arrays.number("float64", *([call.receiver] if call.receiver else []))])


def _stepped(interpreter: Interpreter, call: Call) -> Value:
    """Call the closure that ``step`` is given, and return what it returns."""
    closure = call.given(0, "closure")
    if closure is None or closure.data is None or array(closure) is not None:
        return Value(None)
    return interpreter.call(closure, (), {}, call.place)


for _short in (*SCHEDULERS, "SequentialLR", "ChainedScheduler", "LRScheduler", "_LRScheduler"):
    MODELS.method(_short, "step", "load_state_dict", "print_lr")(nothing)
    MODELS.method(_short, "get_last_lr")(_rates)
MODELS.method("LambdaLR", "step")(_next_factors)
for _short in OPTIMIZERS:
    MODELS.method(_short, "step")(_stepped)
    MODELS.method(_short, "add_param_group", "zero_grad", "load_state_dict", "train", "eval")(
        nothing
    )


@MODELS.function("torch.nn.utils.clip_grad_value_", "torch.nn.utils.vector_to_parameters")
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


def _groups(_: Interpreter, call: Call) -> Value:
    """Return an optimizer's groups of parameters: one, with what it was made with."""
    held = call.held
    if held is None:
        return call.unknown()
    kept = held.state.get("param_groups")
    if kept is not None:
        return kept
    rate = held.keywords.get("lr") or (held.args[1] if len(held.args) > 1 else Value(UNKNOWN))
    given = held.args[0] if held.args else held.keywords.get("params", Value(UNKNOWN))
    named = {name: value for name, value in held.keywords.items() if name != "params"}
    parts = given.data if isinstance(given.data, (list, tuple)) else []
    tables = [part.data for part in parts if isinstance(part.data, dict)]
    if not tables or len(tables) != len(parts):
        tables = [{"params": given}]
    groups = [Value({**named, "lr": rate, **table}) for table in tables]
    held.state["param_groups"] = Value(groups)
    return held.state["param_groups"]


for _short in ("Adam", "AdamW", "SGD", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam"):
    MODELS.attribute(_short, "param_groups")(_groups)


@MODELS.function("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.get_total_norm")
def _total_norm(_: Interpreter, call: Call) -> Value:
    return tensor((), "float32", *call.args[1:])
