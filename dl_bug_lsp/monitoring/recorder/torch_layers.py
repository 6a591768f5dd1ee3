"""Models, layers and parameters of PyTorch, and what they do in a step that is recorded closely."""

from __future__ import annotations

import json
import re
import threading
import time
import weakref
from typing import Any, Callable, Iterator

import torch
from torch.nn.modules import module as torch_module
from torch.overrides import TorchFunctionMode

from dl_bug_lsp.monitoring.recorder.recorder import NOWHERE, Place, Recorder
from dl_bug_lsp.monitoring.recorder.torch_tensors import (
    Measured,
    Measurements,
    dtype_of,
    input_row,
    named_tensors,
    sampled,
    shape_of,
    tensors_in,
)

MOST_LAYERS = 3_000
"""Layers of a model that are named."""
MOST_PARAMETERS = 5_000
"""Parameters of a model that are named."""
MOST_MEASURED = 256
"""Layers, and parameters, of which a step's statistics are taken, evenly chosen."""
UPDATED = 4_096
"""Elements of a parameter whose update is measured."""
MOST_UNWANTED = 3
"""Passes of another phase after which forward hooks are taken away until the next step's calls."""
FUNCTIONS = frozenset(
    (
        *("relu", "relu_", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish"),
        *("sigmoid", "sigmoid_", "logsigmoid", "hardsigmoid", "hardswish", "tanh", "tanh_"),
        *("hardtanh", "softplus", "softsign", "softmax", "log_softmax", "softmin", "glu"),
    )
)
"""Operations that are recorded as layers where a model calls them without a module."""
_MODULES = {"softmax2d": "softmax", "logsoftmax": "log_softmax", "leakyrelu": "leaky_relu"}
_TEXT = re.compile(r"\s+")


class LayerRecord:
    """A layer: a module, or an operation that a model calls at one place."""

    __slots__ = (
        *("calls", "changed", "function", "is_leaf", "model", "module", "name", "number"),
        *("parameters", "place", "position", "row", "type"),
    )

    def __init__(self, number: int, model: int, name: str, type_: str) -> None:
        self.number, self.model, self.name, self.type = number, model, name, type_
        self.place: Place = NOWHERE
        self.function = ""
        self.module: Any = None
        self.is_leaf = True
        self.calls = 0
        self.position: int | None = None
        self.parameters: list[ParameterRecord] = []
        self.row: dict[str, object] = {}
        self.changed = True


class ParameterRecord:
    """A parameter and how often it had a gradient and moved in sampled steps."""

    __slots__ = (
        *("changed", "dtype", "gradients", "group", "layer", "moved", "name", "number"),
        *("optimizer", "reference", "shape", "shared", "size", "trainable", "without", "zero"),
    )

    def __init__(self, number: int, layer: LayerRecord, name: str, tensor: Any) -> None:
        self.number, self.layer, self.name = number, layer, name
        self.reference = weakref.ref(tensor)
        self.shape = shape_of(tensor) if _is_sized(tensor) else ""
        self.size = tensor.numel() if _is_sized(tensor) else None
        self.dtype = dtype_of(tensor)
        self.trainable = bool(tensor.requires_grad)
        self.optimizer: int | None = None
        self.group: int | None = None
        self.gradients = self.without = self.zero = self.moved = 0
        self.shared = False
        self.changed = True


class ModelRecord:
    """A module that is called by itself, or that owns what an optimizer changes."""

    def __init__(self, number: int, root: Any, place: Place) -> None:
        self.number = number
        self.reference = weakref.ref(root)
        self.place = place
        self.layers: dict[int, LayerRecord] = {}
        self.parameters: dict[int, ParameterRecord] = {}
        self.measured: list[ParameterRecord] = []
        self.measured_layers: set[int] = set()
        self.was_called = False
        self.is_cut = False
        """Whether it has more modules or parameters than are named."""


class Layers:
    """The models of a process; forward hooks are there only while a pass is looked at."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.models: list[ModelRecord] = []
        self.measurements = Measurements()
        self.is_compiled = False
        self.evaluates: Callable[[], bool] = lambda: False
        """Says whether the data at hand is not that of training."""
        self.wants_train, self.wants_eval = True, False
        self.mode: tuple[bool, bool] | None = None
        """Whether the last pass was in training mode, and whether it recorded gradients."""
        self.batch: int | None = None
        self.forward_seconds = 0.0
        self.eval_pass: dict[str, object] | None = None
        self.made: list[tuple[LayerRecord, str, str, Measured]] = []
        self.outputs: dict[int, tuple[LayerRecord, Any]] = {}
        """Which layer made a tensor, by the tensor's id, in the step under way."""
        self.last_model: ModelRecord | None = None
        self.changes = 0
        """How often models had other parameters than before."""
        self._constructed: dict[int, tuple[weakref.ref[Any], Place]] = {}
        self._functions: dict[tuple[int, str, Place], LayerRecord] = {}
        self._numbers = [0, 0, 0]
        self._positions = 0
        self._handles: list[Any] = []
        self._stack: list[Any] = []
        self._is_active = self._is_train = False
        self._unwanted = 0
        self._began = 0.0
        self._window = 0
        self._seen: set[tuple[int, str]] = set()
        self._seen_roots: set[tuple[int, bool]] = set()
        self._mode: _Functions | None = None
        self._thread = threading.get_ident()
        recorder.refreshers.append(self._refresh)
        recorder.undo.append(self.unhook)

    # Construction

    def constructed(self, module: Any, depth: int) -> None:
        """Remember the line of the workspace that constructs a module."""
        number = id(module)
        entry = self._constructed.get(number)
        if entry is not None and entry[0]() is module:
            return
        place = self.recorder.places.of_caller(depth + 1, module)
        table = self._constructed

        def gone(reference: Any) -> None:
            if number in table and table[number][0] is reference:
                del table[number]

        table[number] = (weakref.ref(module, gone), place)

    def place_of(self, module: Any) -> Place:
        """Return the line that constructed a module."""
        entry = self._constructed.get(id(module))
        return entry[1] if entry is not None and entry[0]() is module else NOWHERE

    # Models

    def model_of(self, module: Any) -> ModelRecord | None:
        """Return the model that a module is, or is a part of; a new one is recorded."""
        key = id(module)
        for model in self.models:
            layer = model.layers.get(key)
            if layer is not None and layer.module() is module:
                return model
        self._forget()
        root = self._root_of(module)
        if root is not module:
            for model in self.models:
                if model.reference() is root and not model.is_cut:
                    self._renew_model(model, root)
                    return model
            return self._add(root)
        if not any(True for _ in module.parameters()) and not list(module.children()):
            return None
        return self._add(module)

    def owners_of(self, tensors: list[Any]) -> list[ModelRecord]:
        """Return the models that own some of these parameters; new ones are recorded."""
        self._forget()
        identities = {id(tensor) for tensor in tensors}
        for model in self.models:
            identities -= model.parameters.keys()
        if identities:
            for root in self._roots():
                if any(id(parameter) in identities for parameter in root.parameters()):
                    self.model_of(root)
        identities = {id(tensor) for tensor in tensors}
        return [model for model in self.models if identities & model.parameters.keys()]

    def _forget(self) -> None:
        """Let go of modules and parameters that are gone: others may have their identity now."""
        for model in self.models:
            if model.reference() is not None:
                continue
            for key, record in list(model.parameters.items()):
                if record.reference() is None:
                    self._write(record)
                    del model.parameters[key]
            for key, layer in list(model.layers.items()):
                if layer.module() is None:
                    self._write_layer(layer)
                    del model.layers[key]
            model.measured = [record for record in model.measured if record.reference() is not None]

    def parameter(self, tensor: Any) -> ParameterRecord | None:
        """Return what is known of a parameter."""
        for model in self.models:
            record = model.parameters.get(id(tensor))
            if record is not None and record.reference() is tensor:
                return record
        return None

    def _roots(self) -> list[Any]:
        alive = [
            module
            for reference, _ in list(self._constructed.values())
            if (module := reference()) is not None
        ]
        children = {id(child) for module in alive for child in module._modules.values()}
        return [module for module in alive if id(module) not in children]

    def _root_of(self, module: Any) -> Any:
        for root in self._roots():
            if root is not module and any(inner is module for inner in root.modules()):
                return root
        return module

    def _add(self, root: Any) -> ModelRecord:
        self._numbers[0] += 1
        model = ModelRecord(self._numbers[0], root, self.place_of(root))
        self.models.append(model)
        tensors = list(root.named_parameters())
        count = self._take_in(model, root)
        file, line = model.place
        self.recorder.row(
            "model",
            model=model.number,
            type=type(root).__name__,
            file=file,
            line=line,
            parameters=sum(tensor.numel() for _, tensor in tensors if _is_sized(tensor)),
            trainable=sum(
                tensor.numel()
                for _, tensor in tensors
                if _is_sized(tensor) and tensor.requires_grad
            ),
            state=_state(root),
            first_step=self.recorder.step,
            layers=count,
        )
        return model

    def _take_in(self, model: ModelRecord, root: Any) -> int:
        """Record the modules and parameters of a model that are new; return its modules' number."""
        count = len(model.parameters)
        parents: dict[str, int] = {}
        modules = list(root.named_modules(remove_duplicate=False))
        for name, module in modules[:MOST_LAYERS]:
            known = model.layers.get(id(module))
            if known is not None and known.module() is module:
                parents.setdefault(name, known.number)
                layer, is_known = known, True
            else:
                layer, is_known = self._layer(model, name, module, parents), False
            for parameter_name, parameter in module._parameters.items():
                if parameter is None:
                    continue
                held = model.parameters.get(id(parameter))
                if held is not None and held.reference() is parameter:
                    held.shared = held.shared or not is_known
                    continue
                count += 1
                if count > MOST_PARAMETERS:
                    continue
                self._numbers[1] += 1
                record = ParameterRecord(self._numbers[1], layer, parameter_name, parameter)
                model.parameters[id(parameter)] = record
                layer.parameters.append(record)
        if len(modules) > MOST_LAYERS or count > MOST_PARAMETERS:
            model.is_cut = True
            self.recorder.problem(
                "%s has %d modules and %d parameter tensors; the first %d and %d are recorded"
                % (type(root).__name__, len(modules), count, MOST_LAYERS, MOST_PARAMETERS)
            )
        records = list(model.parameters.values())
        model.measured = _evenly(records, MOST_MEASURED)
        leaves = [layer for layer in model.layers.values() if layer.is_leaf]
        model.measured_layers = {layer.number for layer in _evenly(leaves, MOST_MEASURED)}
        if len(records) > MOST_MEASURED or len(leaves) > MOST_MEASURED:
            self.recorder.problem(
                "of %d parameters and %d layers of %s at most %d are measured, evenly chosen"
                % (len(records), len(leaves), type(root).__name__, MOST_MEASURED)
            )
        return len(modules)

    def _renew(self, module: Any) -> None:
        """Take in what a model got after it was recorded (a new head), and let the old go."""
        model = self.model_of(module)
        root = model.reference() if model is not None else None
        if model is not None and root is not None and not model.is_cut:
            self._renew_model(model, root)

    def _renew_model(self, model: ModelRecord, root: Any) -> None:
        parameters = {id(parameter): parameter for parameter in root.parameters()}
        known = model.parameters
        if len(known) == len(parameters) and all(
            (record := known.get(key)) is not None and record.reference() is parameter
            for key, parameter in parameters.items()
        ):
            return
        for key, record in list(known.items()):
            if record.reference() is not parameters.get(key):
                self._write(record)
                del known[key]
        alive = {id(inner) for inner in root.modules()}
        for key, layer in list(model.layers.items()):
            if key not in alive:
                self._write_layer(layer)
                del model.layers[key]
        self._take_in(model, root)
        self.changes += 1

    def _layer(
        self, model: ModelRecord, name: str, module: Any, parents: dict[str, int]
    ) -> LayerRecord:
        self._numbers[2] += 1
        number = self._numbers[2]
        layer = LayerRecord(number, model.number, name, type(module).__name__)
        layer.module = weakref.ref(module)
        layer.place = self.place_of(module)
        layer.is_leaf = not any(child is not None for child in module._modules.values())
        layer.function = _MODULES.get(layer.type.lower(), layer.type.lower())
        model.layers[id(module)] = layer
        parents[name] = number
        own = [p for p in module._parameters.values() if p is not None and _is_sized(p)]
        try:
            settings = _TEXT.sub(" ", module.extra_repr())[:200]
        except Exception:
            # A user's own method may fail.
            settings = ""
        layer.row = {
            "layer": number,
            "model": model.number,
            "name": name,
            "type": layer.type,
            "function": "",
            "file": layer.place[0],
            "line": layer.place[1],
            "parent": parents.get(name.rpartition(".")[0]) if name else None,
            "parameters": sum(p.numel() for p in own),
            "trainable": sum(p.numel() for p in own if p.requires_grad),
            "settings": settings,
        }
        return layer

    # Hooks

    def hook(self) -> None:
        """Have forward passes looked at, from the next one on."""
        if self._handles or self.is_compiled or self.recorder.is_over:
            return
        self._stack.clear()
        self._handles = [
            torch_module.register_module_forward_pre_hook(self._before),
            torch_module.register_module_forward_hook(
                self._after, with_kwargs=True, always_call=True
            ),
        ]
        self._unwanted = 0

    def unhook(self) -> None:
        """Take the hooks away."""
        handles, self._handles = self._handles, []
        for handle in handles:
            handle.remove()
            # `remove` leaves this mark behind, by which a compiler takes hooks to be there.
            torch_module._global_forward_hooks_with_kwargs.pop(handle.id, None)
        self._leave_mode()

    def want_eval(self) -> None:
        """Look at the next pass that is made to evaluate."""
        if not self.wants_eval:
            self.wants_eval = True
            self.hook()

    def begin_step(self, is_sampled: bool) -> None:
        """Begin a step that is recorded closely, or not."""
        self._window += 1
        self._seen.clear()
        self._seen_roots.clear()
        self.outputs.clear()
        self.made.clear()
        self._stack.clear()
        self._leave_mode()
        self.mode, self.batch, self.forward_seconds = None, None, 0.0
        self.wants_train, self.wants_eval = is_sampled, False
        if is_sampled:
            self.hook()
        else:
            self.unhook()

    def _before(self, module: Any, arguments: Any) -> None:
        try:
            if threading.get_ident() != self._thread:
                return
            stack = self._stack
            if not stack:
                self._enter(module)
            stack.append(module)
        except Exception as error:
            self.recorder.fail(error)

    def _enter(self, module: Any) -> None:
        """Begin an outermost pass."""
        self._began = time.perf_counter()
        self._is_train = is_train = self._is_training(module)
        root = id(module)
        self._is_active = (
            (self.wants_train if is_train else self.wants_eval)
            and (root, is_train) not in self._seen_roots
            and not is_capturing()
        )
        if not self._is_active:
            self._unwanted += 1
            return
        if _is_loss(module):
            return
        began = time.perf_counter()
        self._renew(module)
        self.recorder.spent += time.perf_counter() - began
        if is_train:
            self._mode = _Functions(self)
            self._mode.__enter__()

    def _is_training(self, module: Any) -> bool:
        return torch.is_grad_enabled() and bool(module.training) and not self.evaluates()

    def _leave_mode(self) -> None:
        if self._mode is not None:
            mode, self._mode = self._mode, None
            mode.__exit__(None, None, None)

    def _after(self, module: Any, arguments: Any, keywords: Any = None, output: Any = None) -> None:
        # After an exception in `forward` PyTorch calls it with one argument less.
        try:
            if threading.get_ident() != self._thread:
                return
            stack = self._stack
            while stack and stack.pop() is not module:
                pass
            if not self._is_active:
                if not stack and self._unwanted > MOST_UNWANTED:
                    self.unhook()
                return
            began = time.perf_counter()
            if output is not None:
                self._measure(module, output)
            if not stack:
                self._leave_mode()
                self._finish(module, arguments, keywords, began)
            self.recorder.spent += time.perf_counter() - began
        except Exception as error:
            self.recorder.fail(error)

    def _finish(self, module: Any, arguments: Any, keywords: Any, began: float) -> None:
        """End an outermost pass: what went into it, and in which mode."""
        self._seen_roots.add((id(module), self._is_train))
        # What goes into a loss is no data, also where the loss is a part of the model.
        model = self.model_of(module) if not _is_loss(module) else None
        if model is None:
            return
        recorder = self.recorder
        model.was_called = True
        self.last_model = model
        has_gradient = torch.is_grad_enabled()
        phase = "train" if self._is_train else "eval"
        tensors = named_tensors(arguments) + named_tensors(keywords)
        if tensors and tensors[0][1].dim():
            self.batch = int(tensors[0][1].shape[0])
        if tensors and tensors[0][1].device.type != "cpu":
            recorder.device = tensors[0][1].device.type
        for name, tensor in tensors:
            row = input_row(tensor)
            recorder.row(
                "input",
                step=recorder.step,
                source="model",
                owner=model.number,
                phase=phase,
                name=name,
                **row,
            )
            self.check_input(name, row)
        if phase == "train":
            self.mode = (bool(module.training), has_gradient)
            self.forward_seconds += began - self._began
            return
        self.wants_eval = False
        if self.eval_pass is None:
            self.eval_pass = {
                "step": recorder.step,
                "phase": "eval",
                "model": model.number,
                "epoch": recorder.epoch,
                "training": bool(module.training),
                "gradient": has_gradient,
                "sampled": True,
                "batch": self.batch,
                "forward_seconds": began - self._began,
            }
        if not self.wants_train:
            self.unhook()

    def check_input(self, name: str, row: dict[str, Any]) -> None:
        """Record the first input that holds what is no number."""
        for kind in ("nans", "infs"):
            if row.get(kind):
                self.recorder.event(
                    "nan" if kind == "nans" else "inf",
                    tensor="input",
                    name=name,
                    text="an input of the model holds %s" % ("NaN" if kind == "nans" else "Inf"),
                    detail=_json(row),
                )

    def _measure(self, module: Any, output: Any) -> None:
        model = self._model_holding(module)
        layer = model.layers.get(id(module)) if model is not None else None
        if layer is None or model is None:
            return
        layer.calls += 1
        layer.changed = True
        if layer.position is None:
            self._positions += 1
            layer.position = self._positions
        if layer.is_leaf and layer.number in model.measured_layers:
            self._made(layer, output)

    def _model_holding(self, module: Any) -> ModelRecord | None:
        last = self.last_model
        if last is not None:
            layer = last.layers.get(id(module))
            if layer is not None and layer.module() is module:
                return last
        outermost = self._stack[0] if self._stack else module
        self.last_model = self.model_of(outermost)
        return self.last_model

    def called_function(self, name: str, output: Any, depth: int) -> None:
        """Record an operation of `FUNCTIONS` that a module of the program calls itself."""
        stack = self._stack
        if not stack or type(stack[-1]).__module__.startswith("torch.nn.modules"):
            return
        model = self._model_holding(stack[-1])
        parent = model.layers.get(id(stack[-1])) if model is not None else None
        if model is None or parent is None:
            return
        name = name.rstrip("_")
        place = self.recorder.places.of_caller(depth + 1)
        key = (parent.number, name, place)
        layer = self._functions.get(key)
        if layer is None:
            if len(self._functions) > MOST_LAYERS:
                return
            self._numbers[2] += 1
            number = self._numbers[2]
            layer = LayerRecord(number, model.number, parent.name, name)
            layer.function, layer.place = name, place
            layer.row = {
                "layer": number,
                "model": model.number,
                "name": parent.name,
                "type": name,
                "function": name,
                "file": place[0],
                "line": place[1],
                "parent": parent.number,
                "parameters": 0,
                "trainable": 0,
                "settings": "",
            }
            self._functions[key] = layer
        layer.calls += 1
        layer.changed = True
        if layer.position is None:
            self._positions += 1
            layer.position = self._positions
        self._made(layer, output)

    def _made(self, layer: LayerRecord, output: Any) -> None:
        """Take the statistics of what a layer made, once a step, and of its gradient."""
        kind = "activation" if self._is_train else "eval_activation"
        if (layer.number, kind) in self._seen:
            return
        self._seen.add((layer.number, kind))
        tensors = tensors_in(output, 1)
        if not tensors:
            return
        tensor = tensors[0]
        measured = self.measurements.of(tensor, layer.function)
        if measured is None:
            return
        self.made.append((layer, kind, "", measured))
        if len(self.outputs) < 4_096:
            self.outputs[id(tensor)] = (layer, weakref.ref(tensor))
        if self._is_train and tensor.requires_grad and tensor.is_floating_point():
            window = self._window

            def arrived(gradient: Any) -> None:
                self._gradient(layer, gradient, window)

            tensor.register_hook(arrived)

    def _gradient(self, layer: LayerRecord, gradient: Any, window: int) -> None:
        try:
            if window != self._window or self.recorder.is_over or is_capturing():
                return
            key = (layer.number, "activation_gradient")
            if key in self._seen:
                return
            self._seen.add(key)
            began = time.perf_counter()
            measured = self.measurements.of(gradient)
            if measured is not None:
                self.made.append((layer, "activation_gradient", "", measured))
            self.recorder.spent += time.perf_counter() - began
        except Exception as error:
            self.recorder.fail(error)

    # Parameters

    def before_update(self, tensors: list[Any]) -> dict[int, Any]:
        """Return samples of parameters before an optimizer changes them, by the tensors' ids."""
        identities = {id(tensor) for tensor in tensors}
        samples: dict[int, Any] = {}
        with torch.no_grad():
            for model in self.models:
                for record in model.measured:
                    tensor = record.reference()
                    if tensor is not None and id(tensor) in identities and _is_plain(tensor):
                        flat = tensor.detach().reshape(-1)
                        samples[id(tensor)] = sampled(flat, UPDATED).clone()
        return samples

    def after_update(self, before: dict[int, Any], tensors: list[Any]) -> None:
        """Take the statistics of weights, gradients and updates of an optimizer's parameters."""
        identities = {id(tensor) for tensor in tensors}
        for model in self.models:
            for record in model.measured:
                tensor = record.reference()
                if tensor is None or not (id(tensor) in identities or record.optimizer is None):
                    continue
                record.changed = True
                self._weight(record, tensor, before.get(id(tensor)))

    def _weight(self, record: ParameterRecord, tensor: Any, old: Any) -> None:
        layer, name = record.layer, record.name
        measured = self.measurements.of(tensor)
        if measured is not None:
            self.made.append((layer, "weight", name, measured))
        gradient = tensor.grad
        if gradient is None:
            if tensor.requires_grad:
                record.without += 1
        else:
            record.gradients += 1
            measured = self.measurements.of(gradient)
            if measured is not None:
                self.made.append((layer, "gradient", name, measured))
        if old is None:
            return
        with torch.no_grad():
            change = sampled(tensor.detach().reshape(-1), UPDATED) - old
        measured = self.measurements.of(change)
        if measured is not None:
            measured.size = tensor.numel()
            self.made.append((layer, "update", name, measured))

    def finish_step(self) -> None:
        """Write what was measured in a step, and the first tensors that hold no numbers."""
        self.measurements.gather()
        step = self.recorder.step
        rows: list[list[object]] = []
        first: dict[str, tuple[LayerRecord, str, str, Measured]] = {}
        for layer, kind, name, measured in self.made:
            if kind == "update" and measured.numbers:
                # The norm of a sample stands for that of all.
                share = min(measured.size, UPDATED) / measured.size
                measured.numbers[0] /= share**0.5
                self._moved(layer, name, measured)
            if kind == "gradient" and measured.numbers and measured.numbers[0] == 0:
                self._zero(layer, name)
            rows.append(["statistic", step, layer.number, kind, name, *measured.columns])
            if not measured.is_finite:
                first.setdefault("nan" if measured.nans else "inf", (layer, kind, name, measured))
        self.recorder.statistics(rows)
        for kind, (layer, tensor, name, measured) in first.items():
            file, line = layer.place
            self.recorder.event(
                kind,
                tensor=tensor,
                layer=layer.number,
                name=name,
                file=file,
                line=line,
                text="%s of %s (%s) holds %d NaN and %d Inf of %d"
                % (
                    tensor.replace("_", " "),
                    layer.name or "the model",
                    layer.type,
                    measured.nans,
                    measured.infs,
                    measured.size,
                ),
                detail=_json(
                    {
                        other.name + ":" + of: dict(
                            zip(("size", "norm", "mean", "std", "least", "greatest"), m.columns)
                        )
                        for other, of, part, m in self.made
                        if other.number == layer.number or of == "activation"
                    }
                ),
            )
        self.made.clear()

    def _moved(self, layer: LayerRecord, name: str, measured: Measured) -> None:
        for record in layer.parameters:
            if record.name == name and measured.numbers[0] != 0:
                record.moved += 1

    def _zero(self, layer: LayerRecord, name: str) -> None:
        for record in layer.parameters:
            if record.name == name:
                record.zero += 1

    # Rows

    def _refresh(self) -> None:
        for layer in self._all_layers():
            if layer.changed:
                self._write_layer(layer)
        for model in self.models:
            for record in model.parameters.values():
                if record.changed:
                    self._write(record)

    def _write_layer(self, layer: LayerRecord) -> None:
        layer.changed = False
        self.recorder.row("layer", **layer.row, position=layer.position, calls=layer.calls)

    def _all_layers(self) -> Iterator[LayerRecord]:
        for model in self.models:
            yield from model.layers.values()
        yield from self._functions.values()

    def _write(self, record: ParameterRecord) -> None:
        record.changed = False
        tensor = record.reference()
        if tensor is not None:
            record.trainable = bool(tensor.requires_grad)
            if record.size is None and _is_sized(tensor):
                record.shape, record.size = shape_of(tensor), tensor.numel()
        self.recorder.row(
            "parameter",
            parameter=record.number,
            layer=record.layer.number,
            name=record.name,
            shape=record.shape,
            dtype=record.dtype,
            size=record.size,
            trainable=record.trainable,
            optimizer=record.optimizer,
            parameter_group=record.group,
            gradients=record.gradients,
            without=record.without,
            zero=record.zero,
            moved=record.moved,
            shared=record.shared,
        )


class _Functions(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Sees the operations that a model calls, during one training pass that is looked at."""

    def __init__(self, layers: Layers) -> None:
        super().__init__()
        self._layers = layers

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        if name in FUNCTIONS:
            try:
                began = time.perf_counter()
                self._layers.called_function(name, output, 2)
                self._layers.recorder.spent += time.perf_counter() - began
            except Exception as error:
                self._layers.recorder.fail(error)
        return output


def _evenly(items: list[Any], most: int) -> list[Any]:
    if len(items) <= most:
        return items
    return [items[at * (len(items) - 1) // (most - 1)] for at in range(most)]


def _is_loss(module: Any) -> bool:
    return bool(type(module).__module__ == "torch.nn.modules.loss")


def _is_sized(tensor: Any) -> bool:
    return not isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin)


def _is_plain(tensor: Any) -> bool:
    return (
        _is_sized(tensor)
        and tensor.layout == torch.strided
        and tensor.device.type != "meta"
        and not hasattr(tensor, "to_local")
        and tensor.is_floating_point()
        and tensor.numel() > 0
    )


def _state(root: Any) -> str:
    if isinstance(root, torch.jit.ScriptModule):
        return "scripted"
    name = type(root).__name__
    if name == "OptimizedModule":
        return "compiled"
    if name in ("DistributedDataParallel", "FullyShardedDataParallel", "DataParallel"):
        return "wrapped"
    return "plain"


def is_capturing() -> bool:
    """Say whether a CUDA graph is being captured, in which nothing may wait for the GPU."""
    return bool(torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())


def _json(value: Any) -> str:
    return json.dumps(value, default=str)[:3_900]
