"""Models of Hugging Face's trainers, which call the program back.

Hooks are followed once each, in the order in which the library calls them first. Methods of a
class that is called ``Trainer`` may be Lightning's: its trainer is in `lightning`.

Source: the documentation of ``transformers.Trainer``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.effects import words
from dl_bug_lsp.interpretation.libraries.huggingface.collators import batch_of
from dl_bug_lsp.interpretation.libraries.lightning import evaluated, fit
from dl_bug_lsp.interpretation.libraries.torch.data import (
    collated,
    joined,
    length_of,
    made,
    samples_of,
)
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
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_CALLBACKS = 20
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
        return fit(interpreter, call) if call.name == "fit" else evaluated(interpreter, call)
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
