"""Trainings with Keras 3: ``fit`` on any backend, and loops that apply gradients eagerly.

A compiled training step gives away nothing but its logs. So weights and updates are read between
batches, and activations and gradients are those of a small batch of the program's data that is put
through the model in inference mode, in which no state changes and nothing is drawn.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import time
import weakref
from typing import Any, Callable

import keras
import numpy as np

from dl_bug_lsp.monitoring.recorder.arrays import (
    columns_of,
    feature_matrix,
    input_row,
    labels_of,
    row_digests,
)
from dl_bug_lsp.monitoring.recorder.recorder import NOWHERE, Place, Recorder, install_python

PROBED = 32
"""Rows of data that are put through the model to see its activations and gradients."""
LARGEST_PROBE = 2**22
"""Elements of a probe; larger data are not put through the model by us."""
MOST_MEASURED = 128
"""Variables of a model that are measured, evenly chosen."""
LARGEST_VARIABLE = 2**16
"""Elements of a variable of which the update is measured."""
COMPARED = 4_096


class ModelRecord:
    """A Keras model: its layers and variables by their identity."""

    def __init__(self, number: int, model: Any) -> None:
        self.number = number
        self.reference = weakref.ref(model)
        self.layers: dict[int, dict[str, Any]] = {}
        self.variables: list[tuple[Any, int, str, int]] = []
        """Variable, layer, name and number of the parameter."""
        self.old: dict[int, Any] = {}
        self.counts: dict[int, list[int]] = {}
        self.optimizer = 0
        self.loss_call = 0
        self.probe: tuple[Any, Any] | None = None
        self.is_probed = True


class KerasTraining:
    """The trainings of a process that uses Keras."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._places: dict[int, tuple[weakref.ref[Any], Place]] = {}
        self._compiled: dict[int, Place] = {}
        self._models: list[ModelRecord] = []
        self._optimizers: dict[int, tuple[Any, int, int]] = {}
        self._numbers = [0, 0, 0, 0]
        self._fitting: ModelRecord | None = None
        self._rate: float | None = None
        self._is_probing = False
        recorder.refreshers.append(self._refresh)

    def patch(self) -> None:
        """Wrap what is to be recorded; `Recorder.stop` takes it all away."""
        layer_class = keras.Layer
        self.recorder.wrap(layer_class, "__init__", self._init)
        self.recorder.wrap(_base(keras.optimizers.Optimizer, "apply"), "__init__", self._init)
        self.recorder.wrap(_base(keras.optimizers.Optimizer, "apply"), "apply", self._apply)
        self.recorder.wrap(keras.Model, "compile", self._compile)
        self.recorder.wrap(keras.Model, "fit", self._fit)
        self.recorder.wrap(keras.Model, "make_train_function", self._make_train_function)
        self.recorder.wrap(keras.utils, "set_random_seed", self._set_random_seed)
        install_python(self.recorder)

    def _init(self, original: Any) -> Any:
        recorder = self.recorder

        def __init__(owner: Any, *arguments: Any, **keywords: Any) -> None:  # noqa: N807
            try:
                if id(owner) not in self._places or self._places[id(owner)][0]() is not owner:
                    place = recorder.places.of_caller(2, owner)
                    self._places[id(owner)] = (weakref.ref(owner), place)
            except Exception as error:
                recorder.fail(error)
            original(owner, *arguments, **keywords)

        return __init__

    def _set_random_seed(self, original: Any) -> Any:
        def set_random_seed(seed: Any) -> Any:
            self.recorder.seed("keras", seed)
            return original(seed)

        return set_random_seed

    def _compile(self, original: Any) -> Any:
        def compile(model: Any, *arguments: Any, **keywords: Any) -> Any:
            self._compiled[id(model)] = self.recorder.places.of_caller(2)
            return original(model, *arguments, **keywords)

        return compile

    def _fit(self, original: Any) -> Any:
        recorder = self.recorder
        signature = inspect.signature(original)

        def fit(model: Any, *arguments: Any, **keywords: Any) -> Any:
            if recorder.is_over or not recorder.is_own_thread:
                return original(model, *arguments, **keywords)
            outer = self._fitting
            try:
                bound = signature.bind(model, *arguments, **keywords)
                self._begin_fit(model, bound.arguments)
                callback = _callback(self)
                callbacks = bound.arguments.get("callbacks")
                if isinstance(callbacks, keras.callbacks.CallbackList):
                    callbacks.append(callback)
                else:
                    own = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
                    keywords = {
                        **bound.arguments,
                        "callbacks": [*(item for item in own if item is not None), callback],
                    }
                    keywords.pop("self", None)
                    arguments = ()
            except TypeError:
                # The call is wrong: the original says so.
                pass
            except Exception as error:
                recorder.fail(error)
            try:
                return original(model, *arguments, **keywords)
            finally:
                self._fitting = outer

        return fit

    def _make_train_function(self, original: Any) -> Any:
        recorder = self.recorder

        def make_train_function(model: Any, *arguments: Any, **keywords: Any) -> Any:
            result = original(model, *arguments, **keywords)
            function = model.train_function
            if function is None or hasattr(function, "_dl_bug_train"):
                return result

            def train_function(*inner: Any) -> Any:
                if recorder.is_over or self._fitting is None:
                    return function(*inner)
                self._before_batch()
                logs = function(*inner)
                self._after_batch(logs)
                return logs

            train_function._dl_bug_train = True  # type: ignore[attr-defined]
            model.train_function = train_function
            return result

        return make_train_function

    # Steps of `fit`

    def _begin_fit(self, model: Any, arguments: dict[str, Any]) -> None:
        recorder = self.recorder
        recorder.start_clock()
        began = time.perf_counter()
        recorder.called("fit", depth=3)
        record = self._model(model)
        self._fitting = record
        if model.built:
            self._describe(record, model)
        x, y = arguments.get("x"), arguments.get("y")
        self._data(record, x, y, arguments)
        if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
            size = x[:PROBED].size
            if size <= LARGEST_PROBE:
                record.probe = x[:PROBED].copy(), y[:PROBED].copy()
        recorder.spent += time.perf_counter() - began

    def _before_batch(self) -> None:
        record = self._fitting
        if record is None or not self.recorder.sampling:
            return
        try:
            began = time.perf_counter()
            model = record.reference()
            if model is not None:
                self._describe(record, model)
                record.old = self._values(record)
            self.recorder.spent += time.perf_counter() - began
        except Exception as error:
            self.recorder.fail(error)

    def _after_batch(self, logs: Any) -> None:
        recorder, record = self.recorder, self._fitting
        try:
            model = record.reference() if record is not None else None
            if record is None or model is None:
                return
            is_sampled = recorder.sampling
            loss = None
            if is_sampled or recorder.wants_row:
                loss = _loss(logs)
            if is_sampled:
                began = time.perf_counter()
                self._describe(record, model)
                self._close_look(record, model)
                recorder.spent += time.perf_counter() - began
            self._end_step(record, loss, is_sampled, training=True)
        except Exception as error:
            recorder.fail(error)

    def _end_step(
        self, record: ModelRecord, loss: float | None, is_sampled: bool, training: bool | None
    ) -> None:
        recorder = self.recorder
        if loss is not None and not math.isfinite(loss):
            recorder.event(
                "loss_nan" if math.isnan(loss) else "loss_inf",
                tensor="loss",
                text="the loss is %s" % loss,
            )
            recorder.look_closely()
        row: list[object] | None = None
        if is_sampled or recorder.wants_row:
            row = ["step", recorder.step, "train", record.number, record.optimizer]
            row += [recorder.epoch, loss, training, True, is_sampled, None, None, None, None, 1]
            row += [None] * 5
        recorder.cycle.append("step")
        recorder.end_step(row)

    def epoch_began(self, epoch: int) -> None:
        """Note the epoch that begins, from 0."""
        self.recorder.epoch = float(epoch + 1)

    def epoch_ended(self, epoch: int, logs: dict[str, Any] | None) -> None:
        """Record what Keras reports of an epoch, and the rate."""
        recorder, record = self.recorder, self._fitting
        for key, value in (logs or {}).items():
            number = _number(value)
            if number is not None:
                recorder.row(
                    "log",
                    step=max(recorder.step - 1, 1),
                    epoch=float(epoch + 1),
                    source="keras",
                    key=str(key)[:80],
                    value=number,
                )
        validation = _number((logs or {}).get("val_loss"))
        if validation is not None and record is not None:
            recorder.row(
                "step",
                step=recorder.step,
                phase="eval",
                model=record.number,
                epoch=float(epoch + 1),
                loss=validation,
                training=False,
                gradient=False,
                sampled=True,
            )

    # Loops of the program's own

    def _apply(self, original: Any) -> Any:
        recorder = self.recorder

        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            if recorder.is_over or not recorder.is_own_thread or self._is_probing:
                return original(optimizer, grads, trainable_variables)
            is_eager = _is_eager(grads)
            own_loop = self._fitting is None
            if own_loop and not is_eager:
                recorder.problem(
                    "a training step outside of fit is compiled: its steps are not recorded"
                )
            if not is_eager or not own_loop:
                return original(optimizer, grads, trainable_variables)
            record = self._before_apply(optimizer, trainable_variables)
            result = original(optimizer, grads, trainable_variables)
            self._after_apply(record, optimizer, grads, trainable_variables)
            return result

        return apply

    def _before_apply(self, optimizer: Any, variables: Any) -> ModelRecord | None:
        recorder = self.recorder
        try:
            recorder.start_clock()
            recorder.called("apply_gradients", depth=3)
            record = self._owner(optimizer, variables)
            if record is not None and recorder.sampling:
                record.old = self._values(record)
            return record
        except Exception as error:
            recorder.fail(error)
        return None

    def _after_apply(
        self, record: ModelRecord | None, optimizer: Any, gradients: Any, variables: Any
    ) -> None:
        recorder = self.recorder
        try:
            is_sampled = recorder.sampling
            if record is not None and is_sampled:
                began = time.perf_counter()
                self._optimizer(record, optimizer)
                known = {id(variable): number for variable, *_, number in record.variables}
                targets = variables or getattr(optimizer, "_trainable_variables", ())
                self._gradients(record, list(gradients), list(targets), known)
                self._weights(record)
                recorder.spent += time.perf_counter() - began
            if record is not None:
                self._end_step(record, None, is_sampled, training=None)
        except Exception as error:
            recorder.fail(error)

    def _owner(self, optimizer: Any, variables: Any) -> ModelRecord | None:
        """Return the model whose variables an optimizer changes."""
        targets = list(variables or getattr(optimizer, "_trainable_variables", ()))
        identities = {id(variable) for variable in targets}
        for record in self._models:
            if identities & {id(variable) for variable, *_ in record.variables}:
                return record
        for reference, _ in list(self._places.values()):
            model = reference()
            if not isinstance(model, keras.Model) or not model.built:
                continue
            if identities & {id(variable) for variable in model.trainable_variables}:
                record = self._model(model)
                self._describe(record, model)
                return record
        return None

    # Models

    def _model(self, model: Any) -> ModelRecord:
        for record in self._models:
            if record.reference() is model:
                return record
        self._numbers[0] += 1
        record = ModelRecord(self._numbers[0], model)
        self._models.append(record)
        return record

    def _describe(self, record: ModelRecord, model: Any) -> None:
        """Record the layers and variables of a model, once it is built."""
        if record.layers or not model.built:
            return
        recorder = self.recorder
        parents: dict[int, int] = {}
        layers = list(model._flatten_layers(include_self=True, recursive=True))
        for position, layer in enumerate(layers[:3_000]):
            self._numbers[1] += 1
            number = self._numbers[1]
            place = self.place_of(layer)
            function = _activation(layer)
            own = [*layer._trainable_variables, *layer._non_trainable_variables]
            for inner in getattr(layer, "_layers", ()):
                parents[id(inner)] = number
            record.layers[id(layer)] = {
                "layer": number,
                "model": record.number,
                "name": "" if layer is model else str(layer.name),
                "type": type(layer).__name__,
                "function": "",
                "file": place[0],
                "line": place[1],
                "parent": parents.get(id(layer)),
                "position": position,
                "parameters": sum(_size(variable) for variable in own),
                "trainable": sum(_size(variable) for variable in layer._trainable_variables)
                if layer.trainable
                else 0,
                "settings": json.dumps({"activation": function, **_plain(layer)})[:1_000],
                "calls": 0,
                "activation": function,
            }
            trained = {id(variable) for variable in model.trainable_variables}
            for variable in own:
                if "seed_generator" in variable.path or not _is_number(variable):
                    continue
                self._numbers[2] += 1
                name = str(variable.name)
                record.variables.append((variable, number, name, self._numbers[2]))
                record.counts[self._numbers[2]] = [0, 0, 0, 0, int(id(variable) in trained)]
        if len(layers) > 3_000:
            recorder.problem("%d layers; the first 3000 are recorded" % len(layers))
        if len(record.variables) > MOST_MEASURED:
            recorder.problem(
                "of %d variables at most %d are measured, evenly chosen"
                % (len(record.variables), MOST_MEASURED)
            )
        place = self.place_of(model)
        recorder.row(
            "model",
            model=record.number,
            type=type(model).__name__,
            file=place[0],
            line=place[1],
            parameters=int(model.count_params()),
            trainable=sum(_size(variable) for variable in model.trainable_variables),
            state="compiled" if not getattr(model, "run_eagerly", False) else "plain",
            first_step=recorder.step,
            layers=len(layers),
        )
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None:
            self._optimizer(record, optimizer)
            self._loss_call(record, model)

    def place_of(self, owner: Any) -> Place:
        """Return the line that constructed a layer or an optimizer."""
        entry = self._places.get(id(owner))
        return entry[1] if entry is not None and entry[0]() is owner else NOWHERE

    def _optimizer(self, record: ModelRecord, optimizer: Any) -> None:
        if id(optimizer) not in self._optimizers:
            self._numbers[3] += 1
            self._optimizers[id(optimizer)] = (optimizer, self._numbers[3], record.number)
        record.optimizer = self._optimizers[id(optimizer)][1]

    def _loss_call(self, record: ModelRecord, model: Any) -> None:
        loss = getattr(model, "loss", None)
        name = loss if isinstance(loss, str) else getattr(loss, "name", None)
        name = name or getattr(loss, "__name__", None) or type(loss).__name__
        record.loss_call = record.number
        place = self._compiled.get(id(model), NOWHERE)
        last = _last_layer(model)
        known = record.layers.get(id(last)) if last is not None else None
        row: dict[str, Any] = {
            "loss_call": record.loss_call,
            "kind": str(name)[:80],
            "file": place[0],
            "line": place[1],
            "phase": "train",
            "count": 1,
            "backward": True,
            "settings": json.dumps(_plain(loss) if not isinstance(loss, str) else {}),
        }
        if known is not None:
            row.update(
                before=known["activation"] or known["type"].lower(),
                before_layer=known["layer"],
                before_file=known["file"],
                before_line=known["line"],
            )
        if record.probe is not None:
            target = input_row(record.probe[1])
            row.update(
                target_shape=target["shape"],
                target_dtype=target["dtype"],
                target_least=target.get("least"),
                target_greatest=target.get("greatest"),
                target_levels=target.get("levels"),
            )
        self.recorder.row("loss_call", **row)

    def _data(self, record: ModelRecord, x: Any, y: Any, arguments: dict[str, Any]) -> None:
        """Record what arrays ``fit`` is given: ranges, labels, order, rows that are in both."""
        recorder = self.recorder
        for source, value, name in (("model", x, "x"), ("target", y, "y")):
            if isinstance(value, np.ndarray):
                recorder.row(
                    "input",
                    step=recorder.step,
                    source=source,
                    owner=record.number,
                    phase="train",
                    name=name,
                    **input_row(value),
                )
        if isinstance(y, np.ndarray):
            for label, count in labels_of(y).items():
                recorder.row(
                    "label", loss_call=record.number, phase="train", label=label, count=count
                )
        batch = arguments.get("batch_size")
        is_array = isinstance(x, np.ndarray)
        file, line = recorder.places.of_caller(3)
        recorder.row(
            "loader",
            loader=record.number,
            file=file,
            line=line,
            dataset=type(x).__name__,
            rows=len(x) if is_array else None,
            batch=int(batch) if isinstance(batch, int) else (32 if is_array else None),
            sampler="fit",
            shuffled=bool(arguments.get("shuffle", True)) if is_array else None,
            phase="train",
        )
        held_out = arguments.get("validation_data")
        if is_array and isinstance(held_out, (tuple, list)) and len(held_out) > 1:
            self._compare(record, x, held_out[0])
            if isinstance(held_out[1], np.ndarray):
                for label, count in labels_of(held_out[1]).items():
                    recorder.row(
                        "label", loss_call=record.number, phase="eval", label=label, count=count
                    )

    def _compare(self, record: ModelRecord, x: Any, other: Any) -> None:
        if not isinstance(other, np.ndarray) or x.ndim < 2 or other.shape[1:] != x.shape[1:]:
            return
        if x.size > 2**26:
            self.recorder.problem("training and held-out rows are too many to be compared")
            return
        first, second = feature_matrix(x, len(x)), feature_matrix(other, COMPARED)
        if first is None or second is None:
            return
        rows, others = set(row_digests(first)), row_digests(second)
        if len(rows) > 1 and len(set(others)) > 1:
            self.recorder.row(
                "overlap",
                loader=record.number,
                other=record.number + 1_000,
                compared=len(others),
                shared=sum(digest in rows for digest in others),
            )

    # Statistics

    def _chosen(self, record: ModelRecord) -> list[tuple[Any, int, str, int]]:
        items = record.variables
        if len(items) <= MOST_MEASURED:
            return items
        return [items[at * (len(items) - 1) // (MOST_MEASURED - 1)] for at in range(MOST_MEASURED)]

    def _values(self, record: ModelRecord) -> dict[int, Any]:
        """Return samples of a model's variables as they are now."""
        values: dict[int, Any] = {}
        for variable, _, _, number in self._chosen(record):
            flat = np.asarray(variable.numpy()).reshape(-1)
            values[number] = flat[:: -(-flat.size // LARGEST_VARIABLE)].copy()
        return values

    def _close_look(self, record: ModelRecord, model: Any) -> None:
        sync = getattr(model, "jax_state_sync", None)
        if sync is not None:
            sync()
        self._weights(record)
        self._rates(record, model.optimizer)
        if record.probe is not None and record.is_probed:
            self._probe(record, model)

    def _weights(self, record: ModelRecord) -> None:
        step = self.recorder.step
        rows: list[list[object]] = []
        for variable, layer, name, number in self._chosen(record):
            value = np.asarray(variable.numpy())
            columns = columns_of(value)
            if columns is None:
                continue
            rows.append(["statistic", step, layer, "weight", name, *columns])
            self._check(record, layer, "weight", name, columns)
            counts = record.counts[number]
            old = record.old.get(number)
            flat = value.reshape(-1)
            sample = flat[:: -(-flat.size // LARGEST_VARIABLE)]
            if old is not None and old.shape == sample.shape and counts[4]:
                change = sample - old
                columns = columns_of(change, "", value.size)
                if columns is not None:
                    rows.append(["statistic", step, layer, "update", name, *columns])
                    counts[3] += bool(change.any())
        record.old = {}
        self.recorder.statistics(rows)

    def _gradients(
        self, record: ModelRecord, gradients: list[Any], variables: list[Any], known: dict[int, int]
    ) -> None:
        layers = {number: (layer, name) for _, layer, name, number in record.variables}
        step = self.recorder.step
        rows: list[list[object]] = []
        for gradient, variable in zip(gradients, variables):
            number = known.get(id(variable))
            if number is None:
                continue
            layer, name = layers[number]
            counts = record.counts[number]
            if gradient is None:
                counts[1] += 1
                continue
            counts[0] += 1
            value = getattr(gradient, "values", gradient)
            columns = columns_of(np.asarray(value))
            if columns is not None:
                rows.append(["statistic", step, layer, "gradient", name, *columns])
                counts[2] += columns[1] == 0
                self._check(record, layer, "gradient", name, columns)
        self.recorder.statistics(rows)

    def _check(
        self, record: ModelRecord, layer: int, tensor: str, name: str, columns: list[object]
    ) -> None:
        if not columns[7] and not columns[8]:
            return
        known = next((entry for entry in record.layers.values() if entry["layer"] == layer), None)
        self.recorder.event(
            "nan" if columns[7] else "inf",
            tensor=tensor,
            layer=layer,
            name=name,
            file=known["file"] if known else "",
            line=known["line"] if known else None,
            text="%s of %s (%s) holds %s NaN and %s Inf of %s"
            % (
                tensor,
                known["name"] if known else "",
                known["type"] if known else "",
                columns[7],
                columns[8],
                columns[0],
            ),
        )

    def _probe(self, record: ModelRecord, model: Any) -> None:
        """Put a batch through the model in inference mode, with gradients where they are known."""
        if record.probe is None:
            return
        if any(getattr(layer, "stateful", False) for layer in model._flatten_layers()):
            record.is_probed = False
            self.recorder.problem("layers with state: activations are not recorded")
            return
        outputs: list[tuple[Any, Any]] = []
        layer_class = keras.Layer
        original = layer_class.__call__

        @functools.wraps(original)
        def call(layer: Any, *arguments: Any, **keywords: Any) -> Any:
            output = original(layer, *arguments, **keywords)
            outputs.append((layer, output))
            return output

        layer_class.__call__ = call
        self._is_probing = True
        gradients = None
        try:
            gradients = _probe_gradients(model, record.probe)
        except Exception:
            # What a model does outside of its training step is not ours to judge.
            record.is_probed = False
            self.recorder.problem(
                "the model could not be called on a batch of its data: activations and gradients "
                "are not recorded"
            )
        finally:
            layer_class.__call__ = original
            self._is_probing = False
        self._activations(record, outputs)
        if gradients is not None:
            known = {id(variable): number for variable, *_, number in record.variables}
            self._gradients(record, gradients, list(model.trainable_variables), known)

    def _activations(self, record: ModelRecord, outputs: list[tuple[Any, Any]]) -> None:
        step = self.recorder.step
        rows: list[list[object]] = []
        seen: set[int] = set()
        for layer, output in outputs:
            known = record.layers.get(id(layer))
            if known is None or known["layer"] in seen:
                continue
            seen.add(known["layer"])
            known["calls"] += 1
            if getattr(layer, "_layers", None):
                continue
            value = output[0] if isinstance(output, (tuple, list)) and output else output
            try:
                columns = columns_of(keras.ops.convert_to_numpy(value), known["activation"])
            except Exception:
                continue
            if columns is not None:
                rows.append(["statistic", step, known["layer"], "activation", "", *columns])
                self._check(record, known["layer"], "activation", "", columns)
        self.recorder.statistics(rows)

    def _rates(self, record: ModelRecord, optimizer: Any) -> None:
        rate = _number(getattr(optimizer, "learning_rate", None))
        if rate is not None and rate != self._rate:
            self._rate = rate
            self.recorder.row(
                "rate",
                step=self.recorder.step,
                optimizer=record.optimizer,
                parameter_group=0,
                rate=rate,
            )

    # Rows

    def _refresh(self) -> None:
        recorder = self.recorder
        for record in self._models:
            for known in record.layers.values():
                recorder.row("layer", **{k: v for k, v in known.items() if k != "activation"})
            for variable, layer, name, number in record.variables[:5_000]:
                gradients, without, zero, moved, trainable = record.counts[number]
                recorder.row(
                    "parameter",
                    parameter=number,
                    layer=layer,
                    name=name,
                    shape="x".join(map(str, variable.shape)) or "scalar",
                    dtype=str(variable.dtype),
                    size=_size(variable),
                    trainable=bool(trainable),
                    optimizer=record.optimizer if trainable else None,
                    parameter_group=0 if trainable else None,
                    gradients=gradients,
                    without=without,
                    zero=zero,
                    moved=moved,
                    shared=False,
                )
        for optimizer, number, _ in self._optimizers.values():
            place = self.place_of(optimizer)
            variables = list(getattr(optimizer, "_trainable_variables", ()))
            recorder.row(
                "optimizer",
                optimizer=number,
                type=type(optimizer).__name__,
                file=place[0],
                line=place[1],
                tensors=len(variables),
                parameters=sum(_size(variable) for variable in variables),
                foreign=0,
                frozen=0,
                missing=0,
                steps=int(_number(getattr(optimizer, "iterations", 0)) or 0),
                settings=json.dumps(_plain(optimizer))[:1_000],
            )


def _callback(training: KerasTraining) -> Any:
    class DlBugMonitor(keras.callbacks.Callback):  # type: ignore[misc, unused-ignore]
        """Records epochs; batches are seen where the training function is called."""

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            _guarded(training, training.epoch_began, epoch)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            _guarded(training, training.epoch_ended, epoch, logs)

    return DlBugMonitor()


def _guarded(training: KerasTraining, what: Callable[..., None], *arguments: Any) -> None:
    if not training.recorder.is_over:
        try:
            what(*arguments)
        except Exception as error:
            training.recorder.fail(error)


def _probe_gradients(model: Any, probe: tuple[Any, Any]) -> list[Any] | None:
    """Call the model on a batch; return gradients of its loss where TensorFlow can give them."""
    x, y = probe
    loss = getattr(model, "loss", None)
    function = keras.losses.get(loss) if isinstance(loss, str) else loss
    if keras.backend.backend() != "tensorflow" or not callable(function):
        model(x, training=False)
        return None
    import tensorflow as tf

    with tf.GradientTape() as tape:
        output = model(x, training=False)
        if keras.ops.ndim(output) == y.ndim + 1 and output.shape[-1] == 1:
            # As a compiled loss does it; labels of classes it takes with and without a column.
            y = y[..., None]
        value = tf.reduce_mean(function(y, output))
    return list(tape.gradient(value, [variable.value for variable in model.trainable_variables]))


def _is_eager(gradients: Any) -> bool:
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    return bool(tf.executing_eagerly())


def _base(owner: Any, name: str) -> Any:
    return next((cls for cls in owner.__mro__ if name in vars(cls)), owner)


def _activation(layer: Any) -> str:
    name = type(layer).__name__.lower()
    if name in ("relu", "softmax", "leakyrelu", "elu", "prelu"):
        return name
    return str(getattr(getattr(layer, "activation", None), "__name__", ""))


def _last_layer(model: Any) -> Any:
    layers = [
        layer for layer in getattr(model, "layers", ()) if type(layer).__name__ != "InputLayer"
    ]
    return layers[-1] if layers else None


def _plain(thing: Any) -> dict[str, object]:
    """Return the numbers, booleans and texts of a layer's, loss' or optimizer's configuration."""
    try:
        config = thing.get_config()
    except Exception:
        return {}
    return {
        str(key)[:40]: value if not isinstance(value, str) else value[:80]
        for key, value in config.items()
        if isinstance(value, (bool, int, float, str))
    }


def _loss(logs: Any) -> float | None:
    if isinstance(logs, dict):
        return _number(logs.get("loss"))
    if isinstance(logs, (list, tuple)) and logs:
        return _loss(logs[0]) if isinstance(logs[0], dict) else _number(logs[0])
    return _number(logs)


def _number(value: Any) -> float | None:
    try:
        return float(value) if value is not None else None
    except (TypeError, ValueError):
        return None


def _is_number(variable: Any) -> bool:
    return str(variable.dtype).startswith(("float", "bfloat"))


def _size(variable: Any) -> int:
    return int(np.prod([int(part) for part in variable.shape])) if variable.shape else 1


def install(recorder: Recorder) -> None:
    """Record the trainings of Keras in this process."""
    recorder.framework = "keras"
    recorder.versions["keras"] = str(keras.__version__)
    recorder.versions["backend"] = str(keras.backend.backend())
    KerasTraining(recorder).patch()
