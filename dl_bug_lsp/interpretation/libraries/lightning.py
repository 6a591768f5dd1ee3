"""Models of Lightning's modules: hyperparameters, checkpoints, optimizers, attributes.

Source: Lightning's documentation ("Saving and loading checkpoints", "LightningModule", "Trainer").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.model_helpers import listed, nothing, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

HPARAMS = "lightning.AttributeDict"


def _constructors(interpreter: Interpreter, owner: Instance) -> Iterator[dict[str, Value]]:
    """Yield what the constructors of an object that run now were called with, innermost first."""
    for function, names in reversed(interpreter.entered):
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        if getattr(function.node, "name", "") != "__init__" or not parameters:
            continue
        receiver = names.get(parameters[0].arg)
        if receiver is None or receiver.data is not owner:
            continue
        given = {name: value for name, value in names.items() if name != parameters[0].arg}
        rest = function.node.args.kwarg
        if rest is not None:
            more = given.pop(rest.arg, Value(None)).data
            if isinstance(more, dict):
                given.update({str(name): value for name, value in more.items()})
        if function.node.args.vararg is not None:
            given.pop(function.node.args.vararg.arg, None)
        yield given


@MODELS.method("LightningModule", "save_hyperparameters")
@MODELS.method("LightningDataModule", "save_hyperparameters")
@MODELS.method("HyperparametersMixin", "save_hyperparameters")
def _save(interpreter: Interpreter, call: Call) -> Value:
    """Keep the arguments of the constructor as ``hparams``, or those that are named."""
    owner = None if call.receiver is None else call.receiver.data
    if not isinstance(owner, Instance):
        return Value(None)
    hyperparameters: dict[str, Value] = {}
    for given in _constructors(interpreter, owner):
        hyperparameters.update(given)
    ignored = call.keywords.get("ignore")
    names = [ignored] if ignored is not None and isinstance(ignored.data, str) else None
    for item in names or listed(interpreter, ignored) or ():
        hyperparameters.pop(str(item.data), None)
    wanted = [arg.data for arg in call.args if isinstance(arg.data, str)]
    if wanted:
        hyperparameters = {name: value for name, value in hyperparameters.items() if name in wanted}
    elif call.args and isinstance(call.args[0].data, dict):
        hyperparameters = {str(name): value for name, value in call.args[0].data.items()}
    elif call.args and isinstance(call.args[0].data, LibraryObject):
        hyperparameters = dict(call.args[0].data.state)
    held = owner.attributes.get("hparams")
    before = held.data.state if held is not None and isinstance(held.data, LibraryObject) else {}
    kept = {**before, **hyperparameters}
    made = LibraryObject(HPARAMS, (), {}, call.place, kept)
    for name in ("hparams", "hparams_initial"):
        owner.attributes[name] = Value(made, merged(*kept.values()))
    return Value(None)


@MODELS.method("AttributeDict", "__getitem__", "get")
def _hparam(_: Interpreter, call: Call) -> Value:
    key = call.given(0)
    if key is None or not isinstance(key.data, str):
        return call.unknown()
    state = call.receiver.data.state if isinstance(_data(call), LibraryObject) else {}  # type: ignore[union-attr]
    return state.get(key.data) or call.given(1) or call.unknown()


def _data(call: Call) -> object:
    return None if call.receiver is None else call.receiver.data


@MODELS.method("AttributeDict", "__setitem__")
def _set_hparam(_: Interpreter, call: Call) -> Value:
    data, key = _data(call), call.given(0)
    if isinstance(data, LibraryObject) and key is not None and isinstance(key.data, str):
        data.state[key.data] = call.given(1) or Value(UNKNOWN)
    return Value(None)


@MODELS.method("AttributeDict", "items", "keys", "values", "update", "__iter__")
def _of_hparams(interpreter: Interpreter, call: Call) -> Value:
    data = _data(call)
    if not isinstance(data, LibraryObject):
        return call.unknown()
    if call.name == "update":
        more = call.args[0].data if call.args else {}
        data.state.update({str(k): v for k, v in more.items()} if isinstance(more, dict) else {})
        data.state.update(call.keywords)
        return Value(None)
    whole = Value(dict(data.state))
    name = "keys" if call.name == "__iter__" else call.name
    method = interpreter.attribute(whole, name, call.place)
    return interpreter.call(method, (), {}, call.place)


@MODELS.method("LightningModule", "load_from_checkpoint")
@MODELS.method("LightningDataModule", "load_from_checkpoint")
def _loaded(interpreter: Interpreter, call: Call) -> Value:
    """Make an object with the hyperparameters of the latest one of its class."""
    cls = _data(call)
    if isinstance(cls, Instance):
        cls = cls.cls
    if not isinstance(cls, ClassValue):
        return call.unknown()
    latest = interpreter.latest_of(cls)
    keywords = {k: v for k, v in call.keywords.items() if k not in LOADING}
    if latest is not None and isinstance(latest.data, Instance):
        held = latest.data.attributes.get("hparams")
        if held is not None and isinstance(held.data, LibraryObject):
            keywords = {**held.data.state, **keywords}
    return interpreter.call(Value(cls), (), keywords, call.place)


LOADING = ("checkpoint_path", "map_location", "hparams_file", "strict", "weights_only")

MODELS.method("LightningModule", "log_gradient_norm", "manual_backward", "freeze", "unfreeze")(
    nothing
)
MODELS.method("LightningModule", "toggle_optimizer", "untoggle_optimizer", "print")(nothing)
MODELS.method("LightningModule", "clip_gradients", "log_image", "setup", "teardown")(nothing)
MODELS.method("LightningModule", "on_save_checkpoint", "on_load_checkpoint")(nothing)
MODELS.method("LightningDataModule", "setup", "prepare_data", "teardown")(nothing)


@MODELS.method("LightningModule", "optimizers", "lr_schedulers")
def _optimizers(_: Interpreter, call: Call) -> Value:
    """Return the optimizers or schedulers that the module has configured."""
    owner = _data(call)
    if not isinstance(owner, Instance):
        return call.unknown()
    return owner.attributes.get(f"configured {call.name}", call.unknown())


def configured(model: Value, returned: Value) -> None:
    """Keep what ``configure_optimizers`` returned for ``self.optimizers()``."""
    owner, data = model.data, returned.data
    if not isinstance(owner, Instance):
        return
    optimizers, schedulers = returned, Value(None)
    if isinstance(data, dict):
        optimizers = data.get("optimizer", Value(UNKNOWN))
        schedulers = _scheduler(data.get("lr_scheduler", Value(None)))
    elif isinstance(data, (list, tuple)) and data:
        first = data[0].data
        if isinstance(first, (list, tuple)):
            optimizers = _alone(first)
            second = data[1].data if len(data) > 1 else ()
            if isinstance(second, (list, tuple)):
                schedulers = _alone([_scheduler(item) for item in second])
        elif all(isinstance(item.data, LibraryObject) for item in data):
            optimizers = _alone(data)
        else:
            optimizers = schedulers = Value(UNKNOWN)
    owner.attributes["configured optimizers"] = optimizers
    owner.attributes["configured lr_schedulers"] = schedulers


def _scheduler(value: Value) -> Value:
    if isinstance(value.data, dict):
        scheduler: Value = value.data.get("scheduler", Value(UNKNOWN))
        return scheduler
    return value


def _alone(values: list[Value] | tuple[Value, ...]) -> Value:
    return values[0] if len(values) == 1 else Value(list(values)) if values else Value(None)


def _number(call: Call) -> Value:
    return Value(Array((), "int64", "numpy"), frozenset({call.place}))


@MODELS.attribute("Trainer", "sanity_checking")
def _sanity(_: Interpreter, call: Call) -> Value:
    return Value(Array((), "bool", "numpy"), frozenset({call.place}))


@MODELS.attribute("Trainer", "current_epoch", "global_step", "num_training_batches")
@MODELS.attribute("Trainer", "estimated_stepping_batches")
def _progress(_: Interpreter, call: Call) -> Value:
    known = state_of(call.receiver, call.name)
    return known if known.known else _number(call)


@MODELS.attribute("Trainer", "is_global_zero", "training")
def _is_main(_: Interpreter, call: Call) -> Value:
    return Value(data=True, origins=frozenset({call.place}))


@MODELS.attribute("Trainer", "global_rank", "local_rank", "node_rank")
def _rank(_: Interpreter, call: Call) -> Value:
    return Value(0, frozenset({call.place}))


@MODELS.attribute("Trainer", "checkpoint_callback", "early_stopping_callback")
def _callback(interpreter: Interpreter, call: Call) -> Value:
    """Return the callback of a kind that a trainer was given."""
    data = _data(call)
    wanted = "ModelCheckpoint" if call.name[0] == "c" else "EarlyStopping"
    given = data.keywords.get("callbacks") if isinstance(data, LibraryObject) else None
    callbacks = listed(interpreter, given) if given is not None else []
    for callback in callbacks or ():
        if isinstance(callback.data, LibraryObject) and callback.data.short == wanted:
            return callback
    if callbacks is None or wanted == "EarlyStopping":
        return Value(UNKNOWN if callbacks is None else None)
    return Value(LibraryObject("lightning.pytorch.callbacks.ModelCheckpoint", (), {}, call.place))


@MODELS.attribute("ModelCheckpoint", "best_model_score")
@MODELS.attribute("EarlyStopping", "best_score")
def _best(_: Interpreter, call: Call) -> Value:
    return Value(Array((), "float32", "torch"), frozenset({call.place}))


@MODELS.attribute("ModelCheckpoint", "best_model_path", "last_model_path")
def _path(_: Interpreter, call: Call) -> Value:
    return Value(UNKNOWN, frozenset({call.place}))
