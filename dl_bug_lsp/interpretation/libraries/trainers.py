"""Trainers that call the program back: Lightning's and Hugging Face's; launchers of functions.

Hooks are followed once each, in the order in which the library calls them first.

Sources: Lightning's documentation ("LightningModule", "Hooks", "Callbacks", "Early Stopping"), the
one of ``transformers.Trainer``, ``absl.app``, ``runpy`` and
``importlib``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.collators import batch_of
from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.libraries.lightning import configured
from dl_bug_lsp.interpretation.libraries.torch.data import (
    collated,
    joined,
    length_of,
    made,
    samples_of,
)
from dl_bug_lsp.interpretation.libraries.torchmetrics.metrics import result_of
from dl_bug_lsp.interpretation.model_helpers import nothing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
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
    data = call.held
    held = data.keywords.get("callbacks") if data is not None else None
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

PARTS = words(
    "model args data_collator train_dataset eval_dataset processing_class model_init "
    "compute_loss_func compute_metrics callbacks optimizers"
)


def _parts(call: Call) -> dict[str, Value]:
    """Return what a trainer was made with by name."""
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Instance):
        return data.attributes
    if not isinstance(data, LibraryObject):
        return {}
    return {**dict(zip(PARTS, data.args, strict=False)), **data.keywords, **data.state}


@MODELS.function("transformers.Trainer", "transformers.Seq2SeqTrainer")
def _hf_trainer(_: Interpreter, call: Call) -> Value:
    state = {**dict(zip(PARTS, call.args, strict=False)), **call.keywords}
    state.setdefault("state", _trainer_state(call))
    return made(call, **state)


@MODELS.method("Trainer", "__init__")
@MODELS.method("Seq2SeqTrainer", "__init__")
def _hf_begun(_: Interpreter, call: Call) -> Value:
    """Keep what the constructor of a trainer of the program hands on."""
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Instance):
        data.attributes.update({**dict(zip(PARTS, call.args, strict=False)), **call.keywords})
        data.attributes.setdefault("state", _trainer_state(call))
    return Value(None)


def _trainer_state(call: Call) -> Value:
    number, share = Array((), "int64", "numpy"), Array((), "float64", "numpy")
    state = {"global_step": Value(number), "epoch": Value(share), "max_steps": Value(number)}
    state["log_history"] = Value(Lazy(Value(UNKNOWN), Value(UNKNOWN)))
    state["is_world_process_zero"] = state["is_local_process_zero"] = Value(data=True)
    return Value(LibraryObject("transformers.TrainerState", (), {}, call.place, state))


def _hf_arguments(parts: Mapping[str, Value]) -> LibraryObject | None:
    held = parts.get("args")
    data = None if held is None else held.data
    return data if isinstance(data, LibraryObject) else None


def _hf_train(interpreter: Interpreter, call: Call) -> Value:
    """Follow one step of a training or evaluation, with its callbacks and metrics."""
    parts = _parts(call)
    arguments = _hf_arguments(parts)
    rate = None if arguments is None else arguments.keywords.get("learning_rate")
    if rate is not None and isinstance(rate.data, str):
        raise Raised("type", "'<=' not supported between instances of 'float' and 'str'", rate)
    model = parts.get("model")
    name = "train_dataset" if call.name == "train" else "eval_dataset"
    dataset = parts.get(name)
    if call.name != "train":
        dataset = call.given(0, "eval_dataset", "test_dataset") or dataset
    if model is None or dataset is None or dataset.data is None:
        return interpreter.called_back(call)
    if call.name == "train":
        _events(interpreter, call, parts, "on_train_begin", "on_epoch_begin", "on_step_begin")
    batch, outputs = _hf_step(interpreter, call, parts, dataset)
    fields = batch.data
    if (
        isinstance(fields, dict)
        and interpreter.is_failing()
        and isinstance(model.data, LibraryObject)
    ):
        _check_model(model, fields)
    if call.name != "train":
        return _hf_evaluated(interpreter, call, dataset, batch, outputs)
    _events(interpreter, call, parts, "on_step_end", "on_log")
    checked = parts.get("eval_dataset")
    if checked is not None and checked.data is not None and _evaluates(arguments):
        own, given = _hf_step(interpreter, call, parts, checked)
        _hf_evaluated(interpreter, call, checked, own, given)
    _events(interpreter, call, parts, "on_epoch_end", "on_train_end")
    interpreter.called_back(call)
    call.state["trained"] = Value(data=True)
    number, share = Array((), "int64", "numpy"), Array((), "float64", "numpy")
    state = {"global_step": Value(number), "training_loss": Value(share)}
    state["metrics"] = Value(UNKNOWN)
    return Value(LibraryObject("transformers.TrainOutput", (), {}, call.place, state))


def _evaluates(arguments: LibraryObject | None) -> bool:
    """Whether a training evaluates the model in between."""
    if arguments is None:
        return False
    given = arguments.keywords.get("eval_strategy", arguments.keywords.get("evaluation_strategy"))
    return given is not None and given.data not in ("no", None)


def _hf_step(
    interpreter: Interpreter, call: Call, parts: Mapping[str, Value], dataset: Value
) -> tuple[Value, Value]:
    """Return a batch, and what the model gives for it."""
    model = parts["model"]
    batch = _hf_batch(interpreter, call, parts, dataset)
    if not isinstance(batch.data, dict):
        return batch, unknown(batch)
    trainer = call.receiver if call.receiver is not None else Value(UNKNOWN)
    own = interpreter.method_of(trainer, "compute_loss")
    if own is not None:
        given = (model, batch)
        return batch, interpreter.call(
            own, given, {"return_outputs": Value(data=False)}, call.place
        )
    keywords = {str(k): v for k, v in batch.data.items()}
    if isinstance(model.data, Instance):
        keywords = _accepted(interpreter, model, keywords)
    elif not isinstance(model.data, LibraryObject):
        return batch, unknown(model)
    return batch, interpreter.call(model, (), keywords, call.place)


def _accepted(
    interpreter: Interpreter, model: Value, keywords: dict[str, Value]
) -> dict[str, Value]:
    """Return the columns that a model's ``forward`` takes: a trainer leaves the others out."""
    method = interpreter.method_of(model, "forward")
    data = None if method is None else method.data
    if not isinstance(data, BoundMethod) or data.function.node.args.kwarg is not None:
        return keywords
    arguments = data.function.node.args
    names = {item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    kept = {name: value for name, value in keywords.items() if name in names}
    return kept or keywords


def _events(interpreter: Interpreter, call: Call, parts: Mapping[str, Value], *names: str) -> None:
    """Call the hooks of callbacks, ``hook(args, state, control, **what there is)``."""
    held = parts.get("callbacks")
    callbacks = held.data if held is not None and isinstance(held.data, (list, tuple)) else ()
    control = Value(LibraryObject("transformers.TrainerControl", (), {}, call.place))
    given = (parts.get("args", Value(UNKNOWN)), parts.get("state", Value(UNKNOWN)), control)
    in_event = {"model": parts.get("model"), "processing_class": parts.get("processing_class")}
    number = Value(Array((), "float64", "numpy"))
    in_event["logs"] = Value({"loss": number, "epoch": number})
    in_event["metrics"] = Value({"eval_loss": number})
    for callback in callbacks[:MAX_CALLBACKS]:
        for name in names:
            method = interpreter.method_of(callback, name)
            function = (
                method.data.function if method and isinstance(method.data, BoundMethod) else None
            )
            if method is None or function is None:
                continue
            arguments = function.node.args
            takes = {item.arg for item in (*arguments.args, *arguments.kwonlyargs)}
            more = {k: v for k, v in in_event.items() if v is not None and k in takes}
            interpreter.call(method, given, more, call.place)


def _hf_evaluated(
    interpreter: Interpreter, call: Call, dataset: Value, batch: Value, outputs: Value
) -> Value:
    """Return the metrics of an evaluation, or the predictions with them."""
    parts = _parts(call)
    rows = length_of(interpreter, dataset, call.place)
    given = _predictions(interpreter, call, parts, batch, outputs)
    predictions = _for_all(given, rows, "float32")
    fields: dict[object, Value] = batch.data if isinstance(batch.data, dict) else {}
    labels = _for_all(fields.get("labels", fields.get("label", Value(UNKNOWN))), rows, "int64")
    metric, own = parts.get("compute_metrics"), Value({})
    if metric is not None and metric.data is not None:
        state = {"predictions": predictions, "label_ids": labels}
        pair = Value(LibraryObject("transformers.EvalPrediction", (), {}, call.place, state))
        own = interpreter.call(metric, (pair,), {}, call.place)
    start = "test" if call.name == "predict" else "eval"
    number = Value(Array((), "float64", "numpy"))
    if not isinstance(own.data, dict):
        metrics = unknown(own)
    else:
        names = [f"{start}_loss", f"{start}_runtime", f"{start}_samples_per_second"]
        names += [f"{start}_steps_per_second"]
        names.append("epoch" if "trained" in parts else f"{start}_model_preparation_time")
        if call.name == "predict" and "epoch" in names:
            names.remove("epoch")
        results: dict[object, Value] = dict.fromkeys(names, number)
        for name, value in own.data.items():
            results[name if str(name).startswith(f"{start}_") else f"{start}_{name}"] = value
        metrics = Value(results, own.origins)
    event_parts = {**parts, "metrics": metrics}
    _events(interpreter, call, event_parts, "on_predict" if start == "test" else "on_evaluate")
    if call.name != "predict":
        return metrics
    state = {"predictions": predictions, "label_ids": labels, "metrics": metrics}
    return Value(LibraryObject("transformers.PredictionOutput", (), {}, call.place, state))


def _predictions(
    interpreter: Interpreter, call: Call, parts: Mapping[str, Value], batch: Value, outputs: Value
) -> Value:
    """Return what a trainer takes of a model's outputs: all but the loss, several as a tuple."""
    arguments = _hf_arguments(parts)
    if (
        arguments is not None
        and arguments.keywords.get("predict_with_generate", Value(None)).data is True
    ):
        return Value(Array((Value(UNKNOWN), Value(UNKNOWN)), "int64", "torch"))
    kept = _without_loss(call, parts, outputs)
    if not kept:
        return unknown(outputs)
    # A tuple has come about by what put more into it than scores.
    predictions = kept[0] if len(kept) == 1 else Value(tuple(kept), merged(*kept[1:]))
    chosen = parts.get("preprocess_logits_for_metrics")
    if chosen is None or chosen.data is None:
        return predictions
    fields: dict[object, Value] = batch.data if isinstance(batch.data, dict) else {}
    labels = fields.get("labels", fields.get("label", Value(UNKNOWN)))
    return interpreter.call(chosen, (predictions, labels), {}, call.place)


def _without_loss(call: Call, parts: Mapping[str, Value], outputs: Value) -> list[Value]:
    """Return the outputs of a model that become predictions, in their order.

    What a config tells to ignore is left out, and what a call tells instead (transformers,
    ``Trainer.prediction_step``).
    """
    data = outputs.data
    if isinstance(data, tuple):
        return [value for value in data[1:] if isinstance(value, Value)]
    fields = data.state if isinstance(data, LibraryObject) else data
    if not isinstance(fields, dict):
        return []
    given = call.keywords.get("ignore_keys", call.keywords.get("ignore_keys_for_eval"))
    config = _config(parts["model"])
    if given is None and config is not None:
        given = config.keywords.get("keys_to_ignore_at_inference")
    listed = given.data if given is not None else None
    names = listed if isinstance(listed, (list, tuple)) else ()
    ignored = {"loss", *(n.data for n in names)} if names else {"loss", "past_key_values"}
    return [
        value for name, value in fields.items() if name not in ignored and value.data is not None
    ]


def _for_all(value: Value, rows: Value, dtype: str) -> Value:
    """Return an array of a batch as one of all rows in NumPy; of a tuple each of its parts."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(_for_all(item, rows, dtype) for item in data), value.origins)
    if isinstance(data, Lazy):
        item = _for_all(data.item, rows, dtype)
        return Value(Lazy(item, data.length), value.origins)
    if not isinstance(data, Array) or not data.shape:
        return unknown(value)
    shape = (rows, *data.shape[1:])
    # All batches are joined: how many rows one has goes into nothing.
    of_batch = data.shape[0].origins.difference(*(size.origins for size in data.shape[1:]))
    kept = Value(None, value.origins - of_batch)
    return Value(Array(shape, data.dtype or dtype, "numpy"), merged(kept, rows))


@MODELS.method("EvalPrediction", "__iter__", "__getitem__")
@MODELS.method("PredictionOutput", "__iter__", "__getitem__")
@MODELS.method("TrainOutput", "__iter__", "__getitem__")
def _of_predictions(_: Interpreter, call: Call) -> Value:
    """Return the parts of a named tuple, or one of them."""
    data = call.held
    held = tuple(data.state.values()) if data is not None else ()
    if call.name == "__iter__":
        return Value(held)
    key = call.given(0)
    number = key.data if key is not None else None
    if isinstance(number, int) and -len(held) <= number < len(held):
        return held[number]
    return call.unknown()


def _hf_batch(
    interpreter: Interpreter, call: Call, parts: Mapping[str, Value], dataset: Value
) -> Value:
    arguments = _hf_arguments(parts)
    trained = call.name == "train" and dataset is not parts.get("eval_dataset")
    named = f"per_device_{'train' if trained else 'eval'}_batch_size"
    size_ = None if arguments is None else arguments.keywords.get(named)
    count = Value(8) if size_ is None else size_
    samples = samples_of(interpreter, dataset, call.place)
    collator = parts.get("data_collator")
    if collator is not None and isinstance(
        collator.data, (FunctionValue, Instance, ClassValue, BoundMethod)
    ):
        rows = count.data if isinstance(count.data, int) else 1
        many = [samples[i % len(samples)] for i in range(max(min(rows, 64), 1))]
        return interpreter.call(collator, (Value(many, dataset.origins),), {}, call.place)
    used = collator.data if collator is not None else None
    if isinstance(used, LibraryObject):
        return batch_of(interpreter, samples, count, used, used.made)
    if any(name in parts for name in ("tokenizer", "processing_class")):
        trainer = call.held
        made = trainer.made if trainer is not None else call.place
        return batch_of(interpreter, samples, count, None, made)
    sample = joined(samples, interpreter.is_failing())
    if isinstance(sample.data, dict):
        # The default collator leaves texts out and calls a label ``labels``.
        fields = {
            "labels" if name in ("label", "label_ids") else name: value
            for name, value in sample.data.items()
            if not isinstance(value.data, str)
        }
        sample = Value(fields, sample.origins)
    return collated(sample, count)


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
    if isinstance(data, Instance):
        bases = interpreter.library_bases(data.cls)
        library = "lightning" if any("lightning" in base for base in bases) else "transformers"
    if call.name in ("train", "evaluate") or (call.name == "predict" and library == "transformers"):
        return _hf_train(interpreter, call)
    if library in ("lightning", "pytorch_lightning"):
        return _fit(interpreter, call) if call.name == "fit" else _evaluated(interpreter, call)
    return interpreter.called_back(call)


for _short in ("Trainer", "Seq2SeqTrainer", "SFTTrainer"):
    MODELS.method(_short, "fit", "test", "validate", "predict", "train", "evaluate")(_train)
    MODELS.method(
        _short,
        *("save_model", "save_state", "log_metrics", "save_metrics", "add_callback", "log"),
        *("push_to_hub", "create_model_card", "save_checkpoint", "remove_callback", "print"),
    )(nothing)


@MODELS.method("Trainer", "compute_loss", "training_step", "prediction_step")
def _hf_loss(interpreter: Interpreter, call: Call) -> Value:
    """Return the loss that a model gives for a batch."""
    model, inputs = call.given(0, "model"), call.given(1, "inputs")
    if model is None or inputs is None or not isinstance(inputs.data, dict):
        return call.unknown()
    keywords = {str(name): value for name, value in inputs.data.items()}
    outputs = interpreter.call(model, (), keywords, call.place)
    loss = Value(Array((), "float32", "torch", "cpu"), outputs.origins)
    both = call.given(2, "return_outputs")
    return Value((loss, outputs)) if both is not None and both.data is True else loss


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
    written, package = name.data, call.given(1, "package")
    if written.startswith("."):
        # Its first dot stands for the package, each further one for the package around.
        if package is None or not isinstance(package.data, str):
            return call.unknown()
        around = package.data.split(".")
        rest = written.lstrip(".")
        kept = around[: len(around) - (len(written) - len(rest) - 1)]
        written = ".".join([*kept, rest] if rest else kept)
    file = interpreter.workspace.module_file(written, call.place[0])
    if file is None:
        return Value(Library(written), name.origins)
    return interpreter.module(file, written)
