"""Trainers that call the program back: Lightning's and Hugging Face's; launchers of functions.

Hooks are followed once each, in the order in which the library calls them first.

Sources: Lightning's documentation ("LightningModule", "Hooks", "Callbacks", "Early Stopping"), the
one of ``transformers.Trainer``, ``absl.app``, ``runpy`` and
``importlib``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.lightning_models import configured
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.torch_data import collated, joined, length_of, samples_of
from dl_bug_lsp.interpretation.torchmetrics_models import result_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

LOGGED = "metrics that were logged"
"""Under which name an object of a Lightning module keeps what ``self.log`` was called with."""
MAX_CALLBACKS = 20


def _hook(
    interpreter: Interpreter, owner: Value, name: str, place: Origin, *given: Value
) -> Value | None:
    """Call a method of a class of the program, None where it has none of this name."""
    method = interpreter.method_of(owner, name)
    if method is None:
        return None
    return interpreter.call(method, given[: interpreter.most_arguments(method)], {}, place)


# --- Lightning ------------------------------------------------------------------------------------


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
    data = None if call.receiver is None else call.receiver.data
    held = data.keywords.get("callbacks") if isinstance(data, LibraryObject) else None
    if held is None:
        return []
    if isinstance(held.data, (list, tuple)):
        return list(held.data[:MAX_CALLBACKS])
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
            found = _hook(interpreter, owner, name, call.place)
            if found is not None:
                return found
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
    seen = {"current_epoch": Value(number), "global_step": Value(number)}
    if "logger" in held and isinstance(held["logger"].data, LibraryObject):
        seen["logger"] = held["logger"]
    for name, value in seen.items():
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
    told = Value(None, result.origins | ({place} if place is not None else frozenset()))
    if isinstance(data, (tuple, list, str, int, float)) and not isinstance(data, bool):
        raise Raised("type", "training_step must return a Tensor, a dict, or None", told)
    if isinstance(data, dict) and "loss" not in data:
        raise Raised("key", "the 'loss' key needs to be present", told)


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
        one = callback.data
        if isinstance(one, LibraryObject) and one.short in MONITORS:
            at = 0 if one.short == "EarlyStopping" else 2
            monitor = one.keywords.get("monitor")
            if monitor is None and len(one.args) > at:
                monitor = one.args[at]
            watching.append(monitor)
    optimizers = call.state.get("configured")
    if optimizers is not None:
        watching.append(optimizers)
    for monitor in watching:
        if monitor is not None and isinstance(monitor.data, str) and monitor.data not in names:
            logged = Value(UNKNOWN, merged(*held.data.values()))
            raise Raised("key", f"no metric {monitor.data!r} was logged", monitor, logged)


def _configured(interpreter: Interpreter, call: Call, model: Value) -> None:
    found = _hook(interpreter, model, "configure_optimizers", call.place)
    if found is not None:
        configured(model, found)
    if found is not None and isinstance(found.data, dict):
        scheduler = found.data.get("lr_scheduler")
        if scheduler is not None and isinstance(scheduler.data, dict):
            monitor = scheduler.data.get("monitor")
            if monitor is not None:
                call.state["configured"] = monitor


def _fit(interpreter: Interpreter, call: Call) -> Value:
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


def _evaluated(interpreter: Interpreter, call: Call) -> Value:
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


# --- Hugging Face ---------------------------------------------------------------------------------


def _arguments(trainer: LibraryObject) -> LibraryObject | None:
    held = trainer.keywords.get("args", trainer.args[1] if len(trainer.args) > 1 else None)
    data = None if held is None else held.data
    return data if isinstance(data, LibraryObject) else None


def _hf_train(interpreter: Interpreter, call: Call) -> Value:
    trainer = None if call.receiver is None else call.receiver.data
    if not isinstance(trainer, LibraryObject):
        return call.unknown()
    told = _arguments(trainer)
    rate = None if told is None else told.keywords.get("learning_rate")
    if rate is not None and isinstance(rate.data, str):
        raise Raised("type", "'<=' not supported between instances of 'float' and 'str'", rate)
    model = trainer.keywords.get("model", trainer.args[0] if trainer.args else None)
    name = "train_dataset" if call.name == "train" else "eval_dataset"
    dataset = trainer.keywords.get(name)
    if model is None or dataset is None:
        return interpreter.called_back(call)
    batch = _hf_batch(interpreter, call, trainer, dataset, told)
    fields = batch.data
    if isinstance(fields, dict):
        if isinstance(model.data, Instance):
            keywords = {str(k): v for k, v in fields.items()}
            interpreter.call(model, (), keywords, call.place)
            return call.unknown()
        if interpreter.is_failing():
            _check_model(model, fields)
    return interpreter.called_back(call)


def _hf_batch(
    interpreter: Interpreter,
    call: Call,
    trainer: LibraryObject,
    dataset: Value,
    told: LibraryObject | None,
) -> Value:
    size = None if told is None else told.keywords.get("per_device_train_batch_size")
    count = Value(8) if size is None else size
    samples = samples_of(interpreter, dataset, call.place)
    collator = trainer.keywords.get("data_collator")
    if collator is not None and isinstance(
        collator.data, (FunctionValue, Instance, ClassValue, LibraryObject)
    ):
        if isinstance(collator.data, LibraryObject):
            return joined(samples, strict=False)
        rows = count.data if isinstance(count.data, int) else 1
        many = [samples[i % len(samples)] for i in range(max(min(rows, 64), 1))]
        return interpreter.call(collator, (Value(many, dataset.origins),), {}, call.place)
    padded = any(name in trainer.keywords for name in ("tokenizer", "processing_class"))
    strict = not padded and interpreter.is_failing()
    return collated(joined(samples, strict), count)


def _config(model: Value) -> LibraryObject | None:
    data = model.data
    if not isinstance(data, LibraryObject):
        return None
    for value in (*data.args, *data.keywords.values()):
        if isinstance(value.data, LibraryObject) and value.data.short.endswith("Config"):
            return value.data
    return data


def _check_model(model: Value, fields: dict[object, Value]) -> None:
    """Raise where labels or tokens are beyond what the model's config says."""
    config = _config(model)
    if config is None:
        return
    for field, names in (
        ("labels", ("num_labels",)),
        ("label", ("num_labels",)),
        ("input_ids", ("vocab_size",)),
    ):
        given = fields.get(field)
        limit = next((config.keywords[n] for n in names if n in config.keywords), None)
        highest = getattr(given.data, "highest", None) if given is not None else None
        if given is None or limit is None or not isinstance(limit.data, int):
            continue
        if highest is not None and highest >= limit.data:
            raise Raised("index", f"{field} are beyond {names[0]}", unknown(given), limit)


def _train(interpreter: Interpreter, call: Call) -> Value:
    """Model the methods of classes that are called ``Trainer``, by the library that has them."""
    data = None if call.receiver is None else call.receiver.data
    library = data.name.partition(".")[0] if isinstance(data, LibraryObject) else ""
    if call.name in ("train", "evaluate"):
        return _hf_train(interpreter, call)
    if library in ("lightning", "pytorch_lightning"):
        return _fit(interpreter, call) if call.name == "fit" else _evaluated(interpreter, call)
    return interpreter.called_back(call)


for _short in ("Trainer", "Seq2SeqTrainer", "SFTTrainer"):
    MODELS.method(_short, "fit", "test", "validate", "predict", "train", "evaluate")(_train)


# --- launchers ------------------------------------------------------------------------------------


@MODELS.function("absl.app.run", "app.run")
def _absl(interpreter: Interpreter, call: Call) -> Value:
    main = call.given(0, "main")
    if main is None:
        return call.unknown()
    given: Sequence[Value] = (Value(UNKNOWN),)
    return interpreter.call(main, tuple(given[: interpreter.most_arguments(main)]), {}, call.place)


@MODELS.function("runpy.run_path")
def _run_path(interpreter: Interpreter, call: Call) -> Value:
    path = call.given(0, "path_name")
    name = call.given(2, "run_name")
    if path is None or not isinstance(path.data, str):
        return call.unknown()
    run_name = name.data if name is not None and isinstance(name.data, str) else "<run_path>"
    module = interpreter.module(path.data.removeprefix("./"), run_name)
    return _names_of(module)


def _names_of(module: Value) -> Value:
    if isinstance(module.data, ModuleValue):
        return Value(dict(module.data.environment.names))
    return Value(UNKNOWN)


@MODELS.function("importlib.import_module")
def _import_module(interpreter: Interpreter, call: Call) -> Value:
    name = call.given(0, "name")
    if name is None or not isinstance(name.data, str):
        return call.unknown()
    file = interpreter.workspace.module_file(name.data, call.place[0])
    if file is None:
        return Value(Library(name.data), name.origins)
    return interpreter.module(file, name.data)
