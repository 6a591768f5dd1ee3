"""Models of Lightning: hyperparameters, checkpoints, attributes of modules, and its trainer.

The trainer's hooks are followed once each, in the order in which Lightning calls them first.

Source: Lightning's documentation ("Saving and loading checkpoints", "LightningModule", "Hooks",
"Callbacks", "Early Stopping", "Trainer").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.torch.data import (
    length_of,
)
from dl_bug_lsp.interpretation.libraries.torchmetrics.metrics import result_of
from dl_bug_lsp.interpretation.model_helpers import listed, nothing, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    Instance,
    Lazy,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

HPARAMS = "lightning.AttributeDict"
LOGGED = "metrics that were logged"
"""Under which name an object of a Lightning module keeps what ``self.log`` was called with."""
MOST_CALLBACKS = 20


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


def _hook(
    interpreter: Interpreter, owner: Value, name: str, place: Origin, *given: Value
) -> Value | None:
    """Call a method of a class of the program, None where it has none of this name."""
    method = interpreter.method_of(owner, name)
    if method is None:
        return None
    return interpreter.call(method, given[: interpreter.most_arguments(method)], {}, place)


def _logged(call: Call) -> dict[object, Value] | None:
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Instance):
        return None
    held = data.attributes.setdefault(LOGGED, Value({}))
    return held.data if isinstance(held.data, dict) else None


@MODELS.method("LightningModule", "log")
def _log(_: Interpreter, call: Call) -> Value:
    name, value, logged = call.given(0, "name"), call.given(1, "value"), _logged(call)
    if logged is not None and name is not None and isinstance(name.data, str):
        kept = Value(UNKNOWN) if value is None else _tensor_of(value)
        logged[name.data] = Value(kept.data, name.origins | {call.place})
        if value is not None and (value.data is None or isinstance(value.data, str)):
            kind = type(value.data).__name__
            raise Raised("value", f"self.log({name.data!r}) was called with {kind}", value)
    elif logged is not None:
        logged[""] = call.unknown()
    return Value(None)


@MODELS.method("LightningModule", "log_dict")
def _log_dict(_: Interpreter, call: Call) -> Value:
    given, logged = call.given(0, "dictionary"), _logged(call)
    if logged is None:
        return Value(None)
    if given is not None and isinstance(given.data, LibraryObject):
        given = result_of(given)
    if given is not None and isinstance(given.data, dict):
        for name, value in given.data.items():
            logged[name] = Value(_tensor_of(value).data, value.origins | {call.place})
    else:
        logged[""] = call.unknown()
    return Value(None)


def _tensor_of(value: Value) -> Value:
    """Return what is kept of a metric that is logged: a tensor of one number."""
    if isinstance(value.data, (bool, int, float)):
        return Value(Array((), "float32", "torch", "cpu"), value.origins)
    if isinstance(value.data, LibraryObject):
        return result_of(value)
    return value


def _callbacks(call: Call) -> list[Value]:
    data = call.held
    held = data.keywords.get("callbacks") if data is not None else None
    if held is None:
        return []
    if isinstance(held.data, (list, tuple)):
        return list(held.data[:MOST_CALLBACKS])
    return [held]


def _loader_of(
    interpreter: Interpreter, call: Call, model: Value, name: str, given: Value | None
) -> Value | None:
    """Return a loader: the one that was given, or what a hook of data module or model returns."""
    if given is not None and given.data is not None:
        module = _hook(interpreter, given, name, call.place)
        return given if module is None else module
    module_given = call.keywords.get("datamodule")
    for owner in (module_given, model):
        if owner is not None:
            loader = _hook(interpreter, owner, name, call.place)
            if loader is not None:
                return loader
    return None


def _batch_of(interpreter: Interpreter, loader: Value) -> Value:
    data = loader.data
    if isinstance(data, (list, tuple)) and data:
        loader = data[0]
    items = interpreter.iterate(loader)
    if isinstance(items, Lazy):
        return items.item
    return items[0] if items else unknown(loader)


def _prepared(interpreter: Interpreter, call: Call, model: Value, stage: str) -> None:
    trainer = call.receiver if call.receiver is not None else Value(UNKNOWN)
    given = [call.keywords.get("datamodule"), call.given(1, "train_dataloaders"), model]
    for owner in given:
        if owner is not None and isinstance(owner.data, Instance):
            owner.data.attributes.setdefault("trainer", trainer)
            if owner is model:
                _running(owner.data, trainer)
            for name, args in (("prepare_data", ()), ("setup", (Value(stage),))):
                _hook(interpreter, owner, name, call.place, *args)


def _running(model: Instance, trainer: Value) -> None:
    """Give a module what its trainer lets it see."""
    number = Array((), "int64", "numpy")
    held = trainer.data.keywords if isinstance(trainer.data, LibraryObject) else {}
    counters = {"current_epoch": Value(number), "global_step": Value(number)}
    if "logger" in held and isinstance(held["logger"].data, LibraryObject):
        counters["logger"] = held["logger"]
    for name, value in counters.items():
        model.attributes.setdefault(name, value)


def _stepped(
    interpreter: Interpreter, call: Call, model: Value, loader: Value, stage: str
) -> Value | None:
    """Call the hooks of one batch and of the epoch's end; return what the step gives."""
    trainer = call.receiver if call.receiver is not None else Value(UNKNOWN)
    batch = _batch_of(interpreter, loader)
    part = "train" if stage == "training" else stage
    owners = [(model, ()), *((c, (trainer, model)) for c in _callbacks(call))]

    def hooks(*names: str, more: tuple[Value, ...] = ()) -> None:
        for owner, given in owners:
            for name in names:
                _hook(interpreter, owner, name, call.place, *given, *more)

    hooks(f"on_{part}_start", f"on_{part}_epoch_start")
    hooks(f"on_{part}_batch_start", more=(batch, Value(0)))
    result = _hook(interpreter, model, f"{stage}_step", call.place, batch, Value(0))
    if stage == "training" and result is not None and interpreter.is_failing():
        _check_step(interpreter, result)
    outputs = result if result is not None else Value(None)
    if stage == "training":
        if result is not None and not isinstance(result.data, dict):
            outputs = Value({"loss": result})
        optimizer = interpreter.call(
            interpreter.attribute(model, "optimizers", call.place), (), {}, call.place
        )
        hooks("on_after_backward")
        hooks("on_before_optimizer_step", more=(optimizer,))
    hooks(f"on_{part}_batch_end", more=(outputs, batch, Value(0)))
    hooks(f"on_{part}_epoch_end", f"on_{part}_end")
    return result


def _check_step(interpreter: Interpreter, result: Value) -> None:
    """Raise where ``training_step`` returns what automatic optimization cannot take."""
    data = result.data
    place = interpreter.returned
    result_value = Value(None, result.origins | ({place} if place is not None else frozenset()))
    if isinstance(data, (tuple, list, str, int, float)) and not isinstance(data, bool):
        raise Raised("type", "training_step must return a Tensor, a dict, or None", result_value)
    if isinstance(data, dict) and "loss" not in data:
        raise Raised("key", "the 'loss' key needs to be present", result_value)


MONITORS = ("EarlyStopping", "ModelCheckpoint")


def _check_monitors(call: Call, model: Value) -> None:
    """Raise where a callback watches a metric that was never logged."""
    data = model.data
    held = data.attributes.get(LOGGED) if isinstance(data, Instance) else None
    if held is None or not isinstance(held.data, dict) or "" in held.data:
        return
    names = {str(name) for name in held.data}
    for suffix in ("_step", "_epoch"):
        names |= {f"{name}{suffix}" for name in list(held.data)}
    watching = []
    for callback in _callbacks(call):
        callback_data = callback.data
        if isinstance(callback_data, LibraryObject) and callback_data.short in MONITORS:
            at = 0 if callback_data.short == "EarlyStopping" else 2
            monitor = callback_data.keywords.get("monitor")
            if monitor is None and len(callback_data.args) > at:
                monitor = callback_data.args[at]
            watching.append(monitor)
    optimizers = call.state.get("configured")
    if optimizers is not None:
        watching.append(optimizers)
    for monitor in watching:
        if monitor is not None and isinstance(monitor.data, str) and monitor.data not in names:
            logged = Value(UNKNOWN, merged(*held.data.values()))
            raise Raised("key", f"no metric {monitor.data!r} was logged", monitor, logged)


def _configured(interpreter: Interpreter, call: Call, model: Value) -> None:
    optimizers = _hook(interpreter, model, "configure_optimizers", call.place)
    if optimizers is not None:
        configured(model, optimizers)
    if optimizers is not None and isinstance(optimizers.data, dict):
        scheduler = optimizers.data.get("lr_scheduler")
        if scheduler is not None and isinstance(scheduler.data, dict):
            monitor = scheduler.data.get("monitor")
            if monitor is not None:
                call.state["configured"] = monitor


def fit(interpreter: Interpreter, call: Call) -> Value:
    """Model ``trainer.fit``: one batch of training and validation, with their hooks."""
    model = call.given(0, "model")
    if model is None or not isinstance(model.data, Instance):
        return interpreter.called_back(call)
    if "callback_metrics" not in call.state:
        metrics = model.data.attributes.setdefault(LOGGED, Value({}))
        call.state["callback_metrics"] = metrics
        call.state["logged_metrics"] = metrics
    _prepared(interpreter, call, model, "fit")
    given = call.given(1, "train_dataloaders")
    train = _loader_of(interpreter, call, model, "train_dataloader", given)
    checked = call.given(2, "val_dataloaders")
    if checked is None and given is not None and isinstance(given.data, Instance):
        checked = given
    _configured(interpreter, call, model)
    validation = _loader_of(interpreter, call, model, "val_dataloader", checked)
    if validation is not None:
        _stepped(interpreter, call, model, validation, "validation")
    if train is not None:
        _stepped(interpreter, call, model, train, "training")
    if interpreter.is_failing():
        _check_monitors(call, model)
    return interpreter.called_back(call) if train is None else Value(None)


def evaluated(interpreter: Interpreter, call: Call) -> Value:
    """Model ``trainer.test``, ``validate`` and ``predict``."""
    model = call.given(0, "model")
    if model is None or not isinstance(model.data, Instance):
        return interpreter.called_back(call)
    stage = {"test": "test", "validate": "validation", "predict": "predict"}[call.name]
    _prepared(interpreter, call, model, call.name)
    hook = f"{'val' if stage == 'validation' else stage}_dataloader"
    loader = _loader_of(interpreter, call, model, hook, call.given(1, "dataloaders"))
    if loader is None:
        return call.unknown()
    result = _stepped(interpreter, call, model, loader, stage)
    if stage == "predict":
        if result is None:
            return call.unknown()
        return Value(Lazy(result, length_of(interpreter, loader, call.place)), result.origins)
    held = model.data.attributes.get(LOGGED)
    names = list(held.data) if held is not None and isinstance(held.data, dict) else [""]
    if "" in names:
        return Value([call.unknown()])
    number = Array((), "float64", "numpy")
    mine = [n for n in names if str(n).startswith("test" if stage == "test" else "val")]
    return Value([Value({name: Value(number) for name in mine or names})])
