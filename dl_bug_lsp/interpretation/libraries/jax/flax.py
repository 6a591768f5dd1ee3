"""Models of Flax and Optax: the parameters of Linen modules, training states, schedules.

Parameters are noted while a module is followed: each layer that is called leaves the shapes of its
own under the names that Linen gives to modules.

Sources: the Flax Linen reference ("Module", "Layers"), ``flax.training.train_state``, the Optax
reference ("Optimizer schedules", "Losses").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

# The indexer of pandas has the name of JAX's.
import dl_bug_lsp.interpretation.libraries.pandas.tables  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.jax import arrays as jax_models
from dl_bug_lsp.interpretation.libraries.jax.arrays import jax_array, like, named, parameter
from dl_bug_lsp.interpretation.libraries.keras.layers import each, items
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import dims, operand
from dl_bug_lsp.interpretation.model_helpers import make_object
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Tree = dict[object, Value]


@dataclass
class Recording:
    """The variables of a Linen module that is being followed, by collection and path.

    ``names`` holds the name of each module in its parent, ``counts`` how many have a class's name.
    """

    root: object
    variables: dict[str, Tree] = field(default_factory=dict)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    counts: dict[tuple[int, str], int] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)
    complete: bool = True
    applied: Call | None = None
    """The call of ``apply`` that the module is followed for, None where it is initialized."""

    def put(self, collection: str, path: list[str], leaf: str, value: Value) -> None:
        """Note a variable."""
        tree = self.variables.setdefault(collection, {})
        for part in path:
            inner = tree.setdefault(part, Value({})).data
            if not isinstance(inner, dict):
                return
            tree = inner
        tree[leaf] = value


_recordings: list[Recording] = []


def _around(interpreter: Interpreter) -> list[Instance]:
    """Return the Linen modules whose methods are being followed, outermost first."""
    modules: list[Instance] = []
    root = _recordings[-1].root
    for function, names in interpreter.entered:
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        receiver = names.get(parameters[0].arg) if parameters and function.owner else None
        data = None if receiver is None else receiver.data
        if isinstance(data, Instance) and (not modules or modules[-1] is not data):
            is_module = any(b.startswith("flax.") for b in interpreter.library_bases(data.cls))
            if data is root:
                modules = []
            if is_module:
                modules.append(data)
    return modules


def _name_in(parent: object, module: object, kind: str, given: Value | None) -> str:
    """Return the name that a module has in its parent."""
    recording = _recordings[-1]
    key = (id(parent), id(module))
    known = recording.names.get(key)
    if known is not None:
        return known
    recording.kept.append(module)
    name = given.data if given is not None and isinstance(given.data, str) else None
    if name is None and isinstance(parent, Instance):
        name = _attribute_of(parent, module)
    if name is None:
        number = recording.counts.get((id(parent), kind), 0)
        recording.counts[id(parent), kind] = number + 1
        name = f"{kind}_{number}"
    recording.names[key] = name
    return name


def _attribute_of(parent: Instance, module: object) -> str | None:
    for name, value in parent.attributes.items():
        if value.data is module:
            return name
        if isinstance(value.data, (list, tuple)):
            for i, item in enumerate(value.data):
                if isinstance(item, Value) and item.data is module:
                    return f"{name}_{i}"
        if isinstance(value.data, dict) and not name.startswith("_"):
            for key, item in value.data.items():
                if isinstance(item, Value) and item.data is module:
                    return f"{name}_{key}"
    return None


def _path(interpreter: Interpreter) -> list[str]:
    modules = _around(interpreter)
    names = []
    for parent, module in pairwise(modules):
        given = module.attributes.get("name")
        names.append(_name_in(parent, module, module.cls.name, given))
    return names


def _number(value: Value | None) -> Value:
    return value if value is not None and size(value) is not None else Value(UNKNOWN)


def _weight(*shape: Value) -> Value:
    return Value(Array(shape, "float32", "jax"), merged(*shape))


def _is_off(layer: LibraryObject, name: str) -> bool:
    given = layer.keywords.get(name)
    return given is not None and given.data is False


def _variables(layer: LibraryObject, x: Array) -> dict[str, dict[str, Any]] | None:
    """Return the variables of a layer for its input by collection, None where not known."""
    kind = layer.short
    if kind in ("Dropout", "Sequential"):
        return {}
    if kind == "Embed":
        table = (_number(parameter(layer, "num_embeddings")), _number(parameter(layer, "features")))
        return {"params": {"embedding": _weight(*table)}}
    if not x.shape:
        return None
    last = x.shape[-1]
    if kind in ("LayerNorm", "BatchNorm", "GroupNorm", "RMSNorm", "InstanceNorm"):
        variables: dict[str, dict[str, Any]] = {"params": {}}
        if not _is_off(layer, "use_scale"):
            variables["params"]["scale"] = _weight(last)
        if kind != "RMSNorm" and not _is_off(layer, "use_bias"):
            variables["params"]["bias"] = _weight(last)
        if kind == "BatchNorm":
            variables["batch_stats"] = {"mean": _weight(last), "var": _weight(last)}
        return variables
    width = _number(parameter(layer, "features"))
    bias = {} if _is_off(layer, "use_bias") else {"bias": _weight(width)}
    if kind == "Dense":
        return {"params": {"kernel": _weight(last, width), **bias}}
    if kind in ("Conv", "ConvTranspose"):
        kernel = parameter(layer, "kernel_size")
        sizes = items(kernel) or ([kernel] if kernel is not None else None)
        groups = size(layer.keywords.get("feature_group_count", Value(1)))
        entry, count = size(last), len(sizes or ())
        if not sizes or not groups or any(size(item) is None for item in sizes):
            return None
        each_ = Value(UNKNOWN if entry is None else entry // groups, last.origins)
        return {"params": {"kernel": _weight(*each(kernel, count), each_, width), **bias}}
    return _of_attention(layer, last) if "Attention" in kind else None


def _of_attention(layer: LibraryObject, last: Value) -> dict[str, dict[str, Any]] | None:
    heads = parameter(layer, "num_heads")
    inner = layer.keywords.get("qkv_features") or last
    outer = layer.keywords.get("out_features") or last
    number, whole = size(heads), size(inner)
    if heads is None or not number or whole is None:
        return None
    each_ = Value(whole // number, merged(heads, inner))
    off = _is_off(layer, "use_bias")
    parts: dict[str, Any] = {}
    for name in ("query", "key", "value"):
        parts[name] = {"kernel": _weight(last, heads, each_)}
        if not off:
            parts[name]["bias"] = _weight(heads, each_)
    parts["out"] = {"kernel": _weight(heads, each_, outer)}
    if not off:
        parts["out"]["bias"] = _weight(outer)
    return {"params": parts}


def _note(interpreter: Interpreter, layer: LibraryObject, value: Value | None) -> None:
    """Note the variables of a layer that is called."""
    if not _recordings:
        return
    recording = _recordings[-1]
    x = operand(value, "jax")
    made = None if x is None else _variables(layer, x)
    if made is None:
        recording.complete = False
        return
    path = []
    if layer is not recording.root:
        modules = _around(interpreter)
        parent = modules[-1] if modules else recording.root
        path = [
            *_path(interpreter),
            _name_in(parent, layer, layer.short, layer.keywords.get("name")),
        ]
    for collection, leaves in made.items():
        for name, leaf in leaves.items():
            if isinstance(leaf, dict):
                for inner, item in leaf.items():
                    recording.put(collection, [*path, name], inner, item)
            else:
                recording.put(collection, path, name, leaf)


def _noting(before: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        layer = call.held
        if layer is not None:
            _ask_mode(layer, call)
            _ask_collections(layer)
        result = before(interpreter, call)
        if layer is not None:
            _note(interpreter, layer, call.given(0, "inputs", "x", "inputs_q"))
        return result

    return run


DECIDED = {"Dropout": "deterministic", "BatchNorm": "use_running_average"}
"""By layer the option that says whether it trains, given where it is made or called."""
STATISTICS = "batch_stats"


def _ask_mode(layer: LibraryObject, call: Call) -> None:
    """Ask whether a layer that acts otherwise in training may do so.

    Sources: Flax, ``linen.merge_param``, ``linen.Dropout``, ``linen.BatchNorm``, the attention
    layers of ``linen`` and ``Scope.make_rng`` (a key for parameters serves for all others, too).
    """
    option = DECIDED.get(layer.short, "deterministic")
    given = (layer.keywords.get(option), call.keywords.get(option))
    by_name = len(call.args) < 2 and len(layer.args) < (2 if layer.short == "Dropout" else 1)
    if layer.short in DECIDED and by_name and arrays.is_failing():
        missing = [value for value in given if value is None or value.data is None]
        if len(missing) != 1:
            how = "must be passed to the constructor or"
            if not missing:
                how = "was passed to the constructor and"
            message = f'Parameter "{option}" {how} at call time.'
            raise Raised("value", message, Value(option, frozenset({layer.made})))
    applied = _recordings[-1].applied if _recordings else None
    decided = next((v for v in reversed(given) if v is not None and v.data is not None), None)
    if applied is None or decided is None or decided.data is not False:
        return
    if layer.short == "BatchNorm":
        _ask_statistics(applied)
        return
    rate = layer.keywords.get("dropout_rate")
    if layer.short == "Dropout":
        rate = parameter(layer, "rate")
    number = rate.data if rate is not None else None
    if isinstance(number, (int, float)) and 0 < number < 1 and "rng" not in call.keywords:
        _ask_key(applied, "dropout", layer)


def _ask_key(applied: Call, name: str, layer: LibraryObject | None) -> None:
    """Ask whether ``apply`` was given a key for random numbers of a kind."""
    keys = applied.keywords.get("rngs", Value({}))
    held = keys.data
    if (isinstance(held, dict) and name not in held and "params" not in held) or held is None:
        kind = "the module" if layer is None else layer.short
        call = Value(name, keys.origins | {applied.place})
        raise Raised("key", f'{kind} needs PRNG for "{name}"', call)


def _ask_statistics(applied: Call) -> None:
    """Ask whether ``apply`` may change the running statistics that it has."""
    mutable = applied.keywords.get("mutable", Value(data=False))
    names = mutable.data
    if isinstance(names, (list, tuple)):
        names = [item.data for item in names]
    if names is False or (isinstance(names, (str, list)) and STATISTICS not in names):
        message = f'Cannot update variable "mean" because collection "{STATISTICS}" is immutable.'
        call = Value(UNKNOWN, mutable.origins | {applied.place})
        raise Raised("value", message, call)


def _ask_collections(layer: LibraryObject) -> None:
    """Ask whether ``apply`` was given the statistics of a normalization."""
    applied = _recordings[-1].applied if _recordings else None
    variables = applied.args[0] if applied is not None and applied.args else None
    if applied is None or variables is None or layer.short != "BatchNorm":
        return
    if isinstance(variables.data, dict) and STATISTICS not in variables.data:
        message = f'Tried to access "mean" from collection "{STATISTICS}" but it is empty.'
        raise Raised("key", message, Value(STATISTICS, variables.origins | {applied.place}))


_ATTENTION = ("MultiHeadDotProductAttention", "SelfAttention", "MultiHeadAttention")
for _short in (*_ATTENTION, "ConvTranspose", "InstanceNorm"):
    jax_models.LAYERS.setdefault(
        f"flax.linen.{_short}",
        "num_heads" if "Attention" in _short else "features kernel_size strides padding",
    )


@MODELS.object(*named("flax.linen", " ".join(_ATTENTION)), *named("flax.linen", "InstanceNorm"))
def _attended(_: Interpreter, call: Call) -> Value:
    """Return the queries' shape, with ``out_features`` where they are told."""
    layer = call.held
    value = call.given(0, "inputs_q", "x")
    data = operand(value, "jax")
    if layer is None or data is None or not data.shape:
        return call.unknown()
    wider = layer.keywords.get("out_features")
    shape = data.shape if wider is None else (*data.shape[:-1], wider)
    return jax_array(call, shape, "float32", *call.args)


@MODELS.object("flax.linen.ConvTranspose")
def _widened(_: Interpreter, call: Call) -> Value:
    layer = call.held
    data = operand(call.given(0, "inputs"), "jax")
    if layer is None or data is None or not data.shape:
        return call.unknown()
    kernel, padding = parameter(layer, "kernel_size"), parameter(layer, "padding")
    count = len(items(kernel) or ()) or 1
    strides = each(parameter(layer, "strides"), count, Value(1))
    same = padding is None or padding.data == "SAME"
    dims_found = []
    for n, s in zip(data.shape[-count - 1 : -1], strides, strict=False):
        a, b = size(n), size(s)
        number = a * b if same and a is not None and b is not None else UNKNOWN
        dims_found.append(Value(number, merged(n, s)))
    width = _number(parameter(layer, "features"))
    return jax_array(call, (*data.shape[: -count - 1], *dims_found, width), "float32", *call.args)


for _name in [name for name in jax_models.LAYERS if name.startswith("flax.linen.")]:
    MODELS.functions.setdefault(_name, make_object)
    MODELS.objects[_name] = _noting(MODELS.objects[_name])


@MODELS.object(*named("flax.linen", "LSTMCell OptimizedLSTMCell GRUCell SimpleCell RNN MGUCell"))
@MODELS.object(*named("flax.linen", "Bidirectional DenseGeneral Einsum SpectralNorm WeightNorm"))
def _other_layer(_: Interpreter, call: Call) -> Value:
    if _recordings:
        _recordings[-1].complete = False
    return call.unknown()


@MODELS.method("Module", "param", "variable")
def _own_variable(interpreter: Interpreter, call: Call) -> Value:
    """Make a parameter of a module itself: ``self.param(name, initializer, *its arguments)``."""
    name, start = call.given(0, "name"), call.given(1, "init_fn")
    collection = "params"
    rest = call.args[2:]
    if call.name == "variable":
        collection = str(name.data) if name is not None else ""
        name, start, rest = call.given(1, "name"), call.given(2, "init_fn"), call.args[3:]
    made = call.unknown()
    if start is not None and call.name == "variable":
        made = interpreter.call(start, tuple(rest), {}, call.place)
    elif start is not None:
        key = Value(Array((), "key", "jax"))
        made = interpreter.call(start, (key, *rest), {}, call.place)
    if _recordings and name is not None and isinstance(name.data, str):
        if made.known:
            _recordings[-1].put(collection, _path(interpreter), name.data, made)
        else:
            _recordings[-1].complete = False
    if call.name == "variable":
        held = LibraryObject("flax.linen.Variable", (), {}, call.place, {"value": made})
        return Value(held, made.origins)
    return made


INITIALIZERS = (
    "normal uniform zeros ones constant lecun_normal lecun_uniform glorot_normal glorot_uniform "
    "he_normal he_uniform xavier_normal xavier_uniform kaiming_normal kaiming_uniform "
    "variance_scaling truncated_normal orthogonal zeros_init ones_init"
)


@MODELS.function(
    *named("jax.nn.initializers", INITIALIZERS), *named("flax.linen.initializers", INITIALIZERS)
)
def _initializer(_: Interpreter, call: Call) -> Value:
    """Return an initializer, or what ``zeros`` and ``ones`` give when called themselves."""
    if call.name.endswith((".zeros", ".ones")):
        return _initialized(_, call)
    return Value(LibraryObject("jax.Initializer", (), {}, call.place), frozenset({call.place}))


@MODELS.object("jax.Initializer")
def _initialized(_: Interpreter, call: Call) -> Value:
    shape = dims(call.given(1, "shape") or Value(UNKNOWN))
    return jax_array(call, shape, "float32", *call.args[1:])


_module_methods = {name: MODELS.methods.get(("Module", name)) for name in ("init", "apply")}


def _recorded(interpreter: Interpreter, call: Call) -> Value:
    """Follow ``init`` or ``apply`` of a Linen module, and return its variables with it."""
    before = _module_methods["init" if call.name.startswith("init") else "apply"]
    receiver = call.receiver
    if before is None or receiver is None:
        return call.unknown()
    if not jax_models.is_flax(interpreter, receiver):
        other = _of_others.get(call.name)
        return call.unknown() if other is None else other(interpreter, call)
    recording = Recording(receiver.data, applied=call if call.name == "apply" else None)
    _recordings.append(recording)
    try:
        inner_call = call
        if call.name == "init":
            inner_call = Call("init_with_output", call.args, call.keywords, call.place, receiver)
        result = before(interpreter, inner_call)
    finally:
        _recordings.pop()
    variables: Tree = {name: Value(tree) for name, tree in recording.variables.items()}
    if call.name == "apply":
        mutable = call.keywords.get("mutable")
        if mutable is None or mutable.data is False or not isinstance(result.data, tuple):
            return result
        changed = unknown(*call.args[:1])
        wanted = [mutable] if isinstance(mutable.data, str) else items(mutable) or []
        if recording.complete:
            names = [item.data for item in wanted]
            changed = Value({name: variables[name] for name in names if name in variables})
        return Value((result.data[0], changed), result.origins)
    output = result.data[0] if isinstance(result.data, tuple) else result
    known = recording.complete and _is_known(output)
    made = Value(variables, merged(receiver)) if known else unknown(*call.args)
    return made if call.name == "init" else Value((output, made))


def _is_known(value: Value) -> bool:
    if isinstance(value.data, (tuple, list)):
        return all(_is_known(item) for item in value.data)
    return value.known


_of_others = dict(_module_methods)
for _kind in ("Module", "Dense", "Conv", "Embed", "Sequential", "ConvTranspose", *_ATTENTION):
    for _name in ("init", "apply", "init_with_output"):
        MODELS.methods[_kind, _name] = _recorded


@MODELS.method("Module", "is_initializing", "has_variable", "is_mutable_collection")
def _asked(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.method("Module", "make_rng")
def _rng(_: Interpreter, call: Call) -> Value:
    applied, name = _recordings[-1].applied if _recordings else None, call.given(0, "name")
    if applied is not None and name is not None and isinstance(name.data, str):
        _ask_key(applied, name.data, None)
    return jax_array(call, (), "key")


@MODELS.method("Module", "sow")
def _sown(_: Interpreter, call: Call) -> Value:
    del call
    return Value(data=True)


# --- training states ------------------------------------------------------------------------------


@MODELS.function("flax.struct.field")
def _field(_: Interpreter, call: Call) -> Value:
    kept = {name: value for name, value in call.keywords.items() if name != "pytree_node"}
    return Value(LibraryObject("dataclasses.field", (), kept, call.place))


def _begun(interpreter: Interpreter, call: Call) -> dict[str, Value]:
    """Return the fields that ``create`` of a training state fills."""
    fields = dict(call.keywords)
    fields.setdefault("step", Value(0))
    tx, parameters = fields.get("tx"), fields.get("params")
    if tx is not None and parameters is not None:
        method = interpreter.attribute(tx, "init", call.place)
        fields["opt_state"] = interpreter.call(method, (parameters,), {}, call.place)
    return fields


@MODELS.function("flax.training.train_state.TrainState.create", "flax.TrainState.create")
def _create(interpreter: Interpreter, call: Call) -> Value:
    fields = _begun(interpreter, call)
    made = LibraryObject("flax.training.train_state.TrainState", (), {}, call.place, fields)
    return Value(made, merged(*call.keywords.values()))


@MODELS.method("TrainState", "create")
def _create_own(interpreter: Interpreter, call: Call) -> Value:
    cls = None if call.receiver is None else call.receiver.data
    if not isinstance(cls, ClassValue):
        return call.unknown()
    return interpreter.record(cls, _begun(interpreter, call), call.place)


def _copied(value: Value | None, changes: dict[str, Value]) -> Value:
    data = None if value is None else value.data
    if isinstance(data, Instance):
        made: object = Instance(data.cls, {**data.attributes, **changes})
    elif isinstance(data, LibraryObject):
        state = {**data.state, **changes}
        made = LibraryObject(data.name, data.args, data.keywords, data.made, state)
    else:
        return Value(UNKNOWN)
    return Value(made, merged(*changes.values()))


@MODELS.method("TrainState", "apply_gradients")
def _stepped(_: Interpreter, call: Call) -> Value:
    data = None if call.receiver is None else call.receiver.data
    held = data.attributes if isinstance(data, Instance) else call.state
    step = held.get("step", Value(UNKNOWN))
    number = size(step)
    changes = {name: value for name, value in call.keywords.items() if name != "grads"}
    changes["step"] = Value(UNKNOWN if number is None else number + 1, step.origins)
    return _copied(call.receiver, changes)


@MODELS.method("TrainState", "replace")
@MODELS.method("instance", "replace")
@MODELS.method("NamedTuple", "_replace")
def _replaced(_: Interpreter, call: Call) -> Value:
    return _copied(call.receiver, dict(call.keywords))


# --- Optax ----------------------------------------------------------------------------------------

SCHEDULES = (
    "cosine_decay_schedule exponential_decay linear_schedule polynomial_schedule join_schedules "
    "warmup_cosine_decay_schedule warmup_exponential_decay_schedule sgdr_schedule "
    "cosine_onecycle_schedule linear_onecycle_schedule piecewise_constant_schedule "
    "piecewise_interpolate_schedule constant_schedule warmup_constant_schedule"
)
TRANSFORMATIONS = (
    "adam adamw sgd rmsprop adagrad lamb lion adafactor adabelief radam nadam nadamw yogi lars "
    "novograd fromage noisy_sgd amsgrad adamax adamaxw sm3 optimistic_gradient_descent rprop "
    "adadelta adan chain named_chain clip_by_global_norm clip clip_by_block_rms multi_transform "
    "masked partition inject_hyperparams scale scale_by_adam scale_by_rms scale_by_schedule "
    "scale_by_learning_rate scale_by_trust_ratio add_decayed_weights add_noise ema trace "
    "apply_every centralize identity set_to_zero zero_nans keep_params_nonnegative lookahead "
    "scale_by_belief scale_by_lion apply_if_finite flatten freeze lbfgs MultiSteps"
)


@MODELS.function(*named("optax", SCHEDULES), *named("optax.schedules", SCHEDULES))
def _schedule(_: Interpreter, call: Call) -> Value:
    state = {}
    if call.name.endswith(".warmup_cosine_decay_schedule"):
        _check_warmup(call.given(2, "warmup_steps"), call.given(3, "decay_steps"))
    if call.name.endswith(".sgdr_schedule"):
        parts = call.given(0, "cosine_kwargs")
        listed = parts.data if parts is not None else None
        for part in listed if isinstance(listed, (list, tuple)) else ():
            given = part.data if isinstance(part.data, dict) else {}
            _check_warmup(given.get("warmup_steps"), given.get("decay_steps"))
    if call.name.endswith(".constant_schedule"):
        state["constant"] = call.given(0, "value") or Value(UNKNOWN)
    made = LibraryObject("optax.Schedule", call.args, dict(call.keywords), call.place, state)
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


def _check_warmup(warmup: Value | None, whole: Value | None) -> None:
    """Raise where a warmup leaves no steps of a schedule: ``decay_steps`` count its steps, too."""
    if warmup is None or whole is None:
        return
    first, all_steps = warmup.data, whole.data
    if not isinstance(first, (int, float)) or not isinstance(all_steps, (int, float)):
        return
    if all_steps <= first:
        left = all_steps - first
        message = "The cosine_decay_schedule requires positive decay_steps, got decay_steps="
        raise Raised("value", f"{message}{left}", whole, warmup)


@MODELS.object("optax.Schedule")
def _rate(_: Interpreter, call: Call) -> Value:
    constant = call.state.get("constant")
    step = operand(call.given(0, "count"), "jax")
    shape = () if step is None else step.shape
    return constant if constant is not None else jax_array(call, shape, "float32", *call.args)


@MODELS.function(
    *named("optax", TRANSFORMATIONS),
    *named("optax.transforms", TRANSFORMATIONS),
    *named("optax.contrib", TRANSFORMATIONS),
)
def _transformation(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("optax.GradientTransformation", call.args, dict(call.keywords), call.place)
    return Value(made, frozenset({call.place}))


@MODELS.method("GradientTransformation", "init", "update")
def _transformed(_: Interpreter, call: Call) -> Value:
    """Return an optimizer's state, or updates like the gradients and its state."""
    if call.name == "init":
        return Value(LibraryObject("optax.OptState", (), {}, call.place), merged(*call.args))
    state = call.given(1, "state") or Value(UNKNOWN)
    return Value((like(call.args[0]) if call.args else call.unknown(), state))


@MODELS.function("optax.incremental_update", "optax.periodic_update", "optax.smooth_labels")
def _updated(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "new_tensors", "labels")
    return call.unknown() if given is None else like(given)


PAIRED = "cosine_similarity cosine_distance hinge_loss kl_divergence log_cosh convex_kl_divergence"


@MODELS.function(*named("optax", PAIRED), *named("optax.losses", PAIRED))
def _paired(_: Interpreter, call: Call) -> Value:
    a, b = call.given(0), call.given(1)
    x, y = operand(a, "jax"), operand(b, "jax")
    if x is None or y is None or x.shape is None or y.shape is None:
        return call.unknown()
    shape = arrays.broadcast(x.shape, y.shape)
    rows = "hinge" not in call.name and "log_cosh" not in call.name
    return jax_array(call, shape[:-1] if rows else shape, "float32", *call.args)


for _last in (
    *("softmax_cross_entropy", "sigmoid_binary_cross_entropy", "l2_loss", "squared_error"),
    *("huber_loss", "softmax_cross_entropy_with_integer_labels"),
):
    MODELS.functions[f"optax.losses.{_last}"] = MODELS.functions[f"optax.{_last}"]


# --- trees ----------------------------------------------------------------------------------------


def _leaves(value: Value) -> list[Value] | None:
    """Return the leaves of a tree in JAX's order: dictionaries by their sorted keys."""
    data = value.data
    if data is None:
        return []
    if isinstance(data, (list, tuple)):
        parts = [_leaves(item) for item in data]
    elif isinstance(data, dict):
        try:
            parts = [_leaves(data[key]) for key in sorted(data)]
        except TypeError:
            return None
    elif isinstance(data, (Array, bool, int, float)):
        return [value]
    else:
        return None
    if any(item is None for item in parts):
        return None
    return [leaf for item in parts for leaf in item or ()]


@MODELS.function("jax.tree.leaves", "jax.tree_util.tree_leaves", "jax.tree_leaves")
def _tree_leaves(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "tree")
    leaves = None if given is None or call.keywords.keys() - {"tree"} else _leaves(given)
    return call.unknown() if leaves is None else Value(leaves, merged(*call.args))


@MODELS.function("jax.tree.flatten", "jax.tree_util.tree_flatten")
def _flattened(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "tree")
    leaves = None if given is None else _leaves(given)
    if leaves is None or given is None:
        return call.unknown()
    structure = LibraryObject("jax.PyTreeDef", (given,), {}, call.place)
    return Value((Value(leaves, given.origins), Value(structure)))


@MODELS.function("jax.tree.unflatten", "jax.tree_util.tree_unflatten")
def _unflattened(_: Interpreter, call: Call) -> Value:
    structure = call.given(0, "treedef")
    data = None if structure is None else structure.data
    return like(data.args[0]) if isinstance(data, LibraryObject) and data.args else call.unknown()


@MODELS.function("jax.tree.reduce", "jax.tree_util.tree_reduce")
def _folded(interpreter: Interpreter, call: Call) -> Value:
    function, tree = call.given(0, "function"), call.given(1, "tree")
    leaves = None if tree is None else _leaves(tree)
    if function is None or not leaves:
        return call.unknown()
    start = call.given(2, "initializer")
    rest = leaves if start is not None else leaves[1:]
    made = leaves[0] if start is None else start
    for leaf in rest[:200]:
        made = interpreter.call(function, (made, leaf), {}, call.place)
    return made


@MODELS.function("jax.devices", "jax.local_devices")
def _devices(_: Interpreter, call: Call) -> Value:
    return call.unknown()


_pandas_at = MODELS.attributes["array", "at"]


@MODELS.attribute("array", "at")
def _at(interpreter: Interpreter, call: Call) -> Value:
    """Return what ``x.at[...]`` of JAX is written with; of columns the indexer of pandas."""
    data = arrays.array(call.receiver)
    if data is not None and data.library == "jax":
        return jax_models.updated_place(interpreter, call)
    return _pandas_at(interpreter, call)


@MODELS.method("At", "get", "mul", "set_", "subtract", "sub")
def _read(interpreter: Interpreter, call: Call) -> Value:
    return jax_models.updated(interpreter, call) if call.name != "get" else call.unknown()
