"""PyTorch's training loop: what is patched, and what is recorded of each step.

Optimizers tell of their steps by PyTorch's own hooks for all optimizers; of modules, losses, data
loaders, schedulers and gradient scalers methods are wrapped. Where a function is compiled or
scripted, forward hooks and wrapped losses are taken away, as compilers look into them.
"""

from __future__ import annotations

import json
import math
import os
import time
import weakref
from threading import get_ident
from typing import Any, Callable

import torch
from torch.optim import lr_scheduler
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from dl_bug_lsp.monitoring.recorder.recorder import NOWHERE, Call, Place, Recorder, install_torch
from dl_bug_lsp.monitoring.recorder.torch_layers import Layers
from dl_bug_lsp.monitoring.recorder.torch_loaders import Loaders
from dl_bug_lsp.monitoring.recorder.torch_losses import Losses

MOST_OPTIMIZERS = 200
MOST_NODES = 3_000
"""Nodes of a loss' graph that are counted."""
LOSSES_WAITING = 64
"""Losses that may wait on a GPU before they are brought to the processor together."""


class OptimizerRecord:
    """An optimizer: its groups as they were last written."""

    def __init__(self, number: int, optimizer: Any, place: Place) -> None:
        self.number, self.place = number, place
        self.reference = weakref.ref(optimizer)
        self.steps = 0
        self.size = 0
        self.rates: list[float] = []
        self.before: dict[int, Any] = {}
        self.model = 0
        self.foreign = self.missing = 0
        self.scheduler: tuple[str, Place] = ("", NOWHERE)
        self.is_known = False
        self.row: dict[str, object] = {}


STEPLESS = 64
"""Calls of ``backward`` without any step after which each of them counts as a step."""
NEW_OPTIMIZERS = 16
"""Optimizers whose first steps are looked at, whatever that costs."""
LOOKED_AT = 8
"""Parameters of a model whose gradients are looked at before a step's first backward."""
MOST_GRAPHS = 64
FIRST_GRAPHS = 12
"""Steps whose graphs are watched whether they are looked at closely or not."""


class _Alive:
    """A hook of a graph's last node that does nothing; it lives as long as the node."""

    __slots__ = ("__weakref__",)

    def __call__(self, gradients: Any) -> None:
        return None


class Training:
    """The training loop of a process that uses PyTorch."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.layers = Layers(recorder)
        self.losses = Losses(self.layers)
        self.loaders = Loaders(self.layers)
        self.layers.evaluates = lambda: self.loaders.is_evaluating
        self.optimizers: dict[int, OptimizerRecord] = {}
        self._places: dict[int, tuple[weakref.ref[Any], Place]] = {}
        self._schedulers: dict[int, tuple[str, Place]] = {}
        self._loss: Any = None
        self._loss_value: float | None = None
        self._backwards = 0
        self._graph: int | None = None
        self._clipped: Any = None
        self._scaler: Any = None
        self._waiting: list[tuple[list[object], Any]] = []
        self._made = 0
        self._is_inside_train = False
        self._was_finite = True
        self._looked = self._kept_gradients = self._kept_graphs = 0
        self._graphs: list[weakref.ref[_Alive]] = []
        self._has_stepped = False
        self._zeroed: set[int] = set()
        """Identities of optimizers and modules whose gradients were set to zero before a step."""
        self._stepless_before: dict[int, Any] = {}
        self._stepless_most = STEPLESS
        recorder.closers.append(self._close)
        recorder.refreshers.append(self._refresh)

    # Patches

    def patch(self) -> None:
        """Wrap what is to be recorded; `Recorder.stop` takes it all away."""
        self.recorder.wrap(torch.nn.Module, "__init__", self._module_init)
        self.recorder.wrap(torch.nn.Module, "train", self._module_train)
        self.recorder.wrap(Optimizer, "__init__", self._optimizer_init)
        self.recorder.wrap(Optimizer, "zero_grad", self._zero_grad)
        self.recorder.wrap(torch.nn.Module, "zero_grad", self._module_zero_grad)
        self.recorder.wrap(torch.Tensor, "backward", self._backward)
        for kind in (lr_scheduler.LRScheduler, lr_scheduler.ReduceLROnPlateau):
            if "step" in vars(kind):
                self.recorder.wrap(kind, "step", self._scheduler_step)
        self.recorder.wrap(lr_scheduler.LRScheduler, "__init__", self._scheduler_init)
        scaler = getattr(torch.amp, "GradScaler", None)
        if scaler is not None:
            for name in ("step", "unscale_", "update", "scale"):
                self.recorder.wrap(scaler, name, self._scaler_call(name))
        for module in (torch.nn.utils, torch.nn.utils.clip_grad):
            self.recorder.wrap(module, "clip_grad_norm_", self._clip)
        for module, name in ((torch.jit, "script"), (torch.jit, "trace")):
            self.recorder.wrap(module, name, self._scripting)
        self.recorder.wrap(torch, "compile", self._compiling)
        self.losses.patch()
        self.loaders.patch()
        install_torch(self.recorder)
        for handle in (
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ):
            self.recorder.undo.append(handle.remove)
        self.layers.begin_step(True)

    def _module_init(self, original: Any) -> Any:
        layers, recorder = self.layers, self.recorder

        def __init__(module: Any, *arguments: Any, **keywords: Any) -> None:  # noqa: N807
            try:
                layers.constructed(module, 2)
            except Exception as error:
                recorder.fail(error)
            original(module, *arguments, **keywords)

        return __init__

    def _module_train(self, original: Any) -> Any:
        recorder = self.recorder

        def train(module: Any, mode: bool = True) -> Any:
            if self._is_inside_train or not recorder.is_own_thread:
                return original(module, mode)
            self._is_inside_train = True
            try:
                recorder.called("train" if mode else "eval")
                if not mode and self.layers.eval_pass is None:
                    self.layers.want_eval()
            except Exception as error:
                recorder.fail(error)
            try:
                return original(module, mode)
            finally:
                self._is_inside_train = False

        return train

    def _optimizer_init(self, original: Any) -> Any:
        recorder = self.recorder

        def __init__(optimizer: Any, *arguments: Any, **keywords: Any) -> None:  # noqa: N807
            try:
                place = recorder.places.of_caller(2, optimizer)
                self._places[id(optimizer)] = (weakref.ref(optimizer), place)
                recorder.start_clock()
            except Exception as error:
                recorder.fail(error)
            original(optimizer, *arguments, **keywords)

        return __init__

    def _zero_grad(self, original: Any) -> Any:
        recorder = self.recorder

        def zero_grad(optimizer: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                if get_ident() == recorder.thread:
                    record = self._record(optimizer)
                    if not self._has_stepped:
                        self._zeroed_again(optimizer)
                    recorder.called("zero_grad", record.number if record is not None else 0)
                    if recorder.sampling:
                        self.layers.hook()
            except Exception as error:
                recorder.fail(error)
            return original(optimizer, *arguments, **keywords)

        return zero_grad

    def _module_zero_grad(self, original: Any) -> Any:
        recorder = self.recorder

        def zero_grad(module: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                if get_ident() == recorder.thread:
                    if not self._has_stepped:
                        self._zeroed_again(module)
                    recorder.called("zero_grad")
            except Exception as error:
                recorder.fail(error)
            return original(module, *arguments, **keywords)

        return zero_grad

    def _backward(self, original: Any) -> Any:
        recorder = self.recorder

        def backward(tensor: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                if get_ident() == recorder.thread:
                    call = recorder.called("backward")
                    if (len(arguments) > 1 and arguments[1]) or keywords.get("retain_graph"):
                        call.retained = True
                    self._take_loss(tensor, call)
            except Exception as error:
                recorder.fail(error)
            return original(tensor, *arguments, **keywords)

        return backward

    def _scheduler_init(self, original: Any) -> Any:
        recorder = self.recorder

        def __init__(  # noqa: N807
            scheduler: Any, optimizer: Any, *arguments: Any, **keywords: Any
        ) -> None:
            try:
                place = recorder.places.of_caller(2, scheduler)
                self._schedulers[id(optimizer)] = (type(scheduler).__name__, place)
            except Exception as error:
                recorder.fail(error)
            original(scheduler, optimizer, *arguments, **keywords)

        return __init__

    def _scheduler_step(self, original: Any) -> Any:
        recorder = self.recorder

        def step(scheduler: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                # Its constructor makes a step, too, with `_step_count` 0.
                if getattr(scheduler, "_step_count", 1):
                    optimizer = getattr(scheduler, "optimizer", None)
                    recorder.called("scheduler_step", self._number(optimizer))
            except Exception as error:
                recorder.fail(error)
            return original(scheduler, *arguments, **keywords)

        return step

    def _scaler_call(self, name: str) -> Callable[[Any], Any]:
        recorder = self.recorder
        kind = "scaler_step" if name == "step" else name.rstrip("_")

        def make(original: Any) -> Any:
            def call(scaler: Any, *arguments: Any, **keywords: Any) -> Any:
                try:
                    if scaler.is_enabled():
                        recorder.called(kind)
                        self._scaler = scaler
                except Exception as error:
                    recorder.fail(error)
                return original(scaler, *arguments, **keywords)

            return call

        return make

    def _clip(self, original: Any) -> Any:
        recorder = self.recorder

        def clip_grad_norm_(*arguments: Any, **keywords: Any) -> Any:
            norm = original(*arguments, **keywords)
            try:
                recorder.called("clip")
                if recorder.sampling:
                    self._clipped = norm
            except Exception as error:
                recorder.fail(error)
            return norm

        return clip_grad_norm_

    def _scripting(self, original: Any) -> Any:
        losses, recorder = self.losses, self.recorder

        def script(*arguments: Any, **keywords: Any) -> Any:
            # The compiler reads the source of what is called: it must find PyTorch's own.
            losses.restore()
            try:
                return original(*arguments, **keywords)
            finally:
                if not recorder.is_over and not self.layers.is_compiled:
                    losses.patch()

        return script

    def _compiling(self, original: Any) -> Any:
        def compile(*arguments: Any, **keywords: Any) -> Any:
            try:
                self._leave_to_compiler()
            except Exception as error:
                self.recorder.fail(error)
            return original(*arguments, **keywords)

        return compile

    def _leave_to_compiler(self) -> None:
        if not self.layers.is_compiled:
            self.layers.is_compiled = True
            self.layers.unhook()
            self.losses.restore()
            self.recorder.problem(
                "torch.compile is used: layers' activations and calls of loss functions are not "
                "recorded; weights, gradients, updates and losses are"
            )

    # Steps

    def _zeroed_again(self, owner: Any) -> None:
        """End a step where gradients that nothing has used are set to zero again."""
        if self._backwards and id(owner) in self._zeroed:
            self._end_stepless()
        self._zeroed.add(id(owner))

    def _end_stepless(self) -> None:
        """End a step in which gradients were computed and no optimizer used them."""
        recorder, layers = self.recorder, self.layers
        # Without `zero_grad` nothing but `backward` tells that a step is over.
        self._stepless_most = STEPLESS if self._zeroed else 1
        is_sampled = recorder.sampling
        if is_sampled:
            began = time.perf_counter()
            tensors: list[Any] = []
            for reference, _ in list(self._places.values()):
                optimizer = reference()
                record = self._record(optimizer) if optimizer is not None else None
                if optimizer is not None and record is not None:
                    own = [t for group in optimizer.param_groups for t in group["params"]]
                    self._know(record, optimizer, own)
                    tensors += own
            layers.after_update(self._stepless_before, tensors)
            self._stepless_before = layers.before_update(tensors)
            layers.finish_step()
            self.losses.gather()
            recorder.spent += time.perf_counter() - began
        self._end_step(None, 0, is_sampled)

    def _close(self) -> None:
        """Count what a process has computed gradients for that ends without any step."""
        if not self._has_stepped and self._backwards > (0 if self._zeroed else 1):
            self._end_stepless()

    def _number(self, optimizer: Any) -> int:
        record = self.optimizers.get(id(optimizer))
        return record.number if record is not None and record.reference() is optimizer else 0

    def _take_loss(self, tensor: Any, call: Call) -> None:
        recorder = self.recorder
        recorder.start_clock()
        if not self._has_stepped and self._backwards >= self._stepless_most:
            self._end_stepless()
        if self._backwards == 0:
            if recorder.sampling:
                self._look_back()
            if recorder.sampling or len(self._graphs) < FIRST_GRAPHS:
                self._watch_graph(tensor)
        self._backwards += 1
        if tensor.numel() != 1:
            return
        if tensor.device.type == "cpu":
            value = tensor.item()
            self._loss_value = value
            if self._was_finite and not math.isfinite(value):
                self._not_finite(tensor, value, call)
        elif self._loss is None or recorder.sampling:
            self._loss = tensor.detach().clone()
        if recorder.sampling:
            began = time.perf_counter()
            if self._graph is None:
                self._graph = _nodes(tensor.grad_fn)
            if not self.losses.has_seen:
                self.losses.of_graph(tensor, call.place)
            recorder.spent += time.perf_counter() - began

    def _look_back(self) -> None:
        """Look for gradients that are left of the steps before."""
        began = time.perf_counter()
        self._looked += 1
        weights = [
            record.reference()
            for model in self.layers.models
            for record in model.measured[:LOOKED_AT]
        ]
        gradients = [w.grad for w in weights if w is not None and w.grad is not None]
        if gradients and any(bool(g.detach().any()) for g in gradients):
            self._kept_gradients += 1
        self.recorder.spent += time.perf_counter() - began

    def _watch_graph(self, tensor: Any) -> None:
        """Count the graphs that are left of the steps before, and watch the one of this step."""
        alive = sum(reference() is not None for reference in self._graphs[:-1])
        self._kept_graphs = max(self._kept_graphs, alive)
        if tensor.grad_fn is not None and len(self._graphs) < MOST_GRAPHS:
            # A node holds its hooks: while the hook lives the graph of that step does.
            hook = _Alive()
            tensor.grad_fn.register_prehook(hook)
            self._graphs.append(weakref.ref(hook))

    def _not_finite(self, tensor: Any, value: float, call: Call) -> None:
        """Keep what is known of the first loss that is no number."""
        self._was_finite = False
        kind = "loss_nan" if math.isnan(value) else "loss_inf"
        detail: dict[str, object] = {"sampled": self.recorder.sampling, "weights": []}
        bad: list[str] = []
        with torch.no_grad():
            for model in self.layers.models:
                for record in model.measured:
                    weight = record.reference()
                    if weight is not None and weight.is_floating_point() and len(bad) < 10:
                        norm = torch.linalg.vector_norm(weight.detach().float())
                        if not math.isfinite(norm.item()):
                            bad.append("%s.%s" % (record.layer.name, record.name))
        detail["weights"] = bad
        file, line = call.place
        self.recorder.event(
            kind,
            tensor="loss",
            file=file,
            line=line,
            text="the loss is %s; weights that hold no numbers before this step: %s"
            % (value, ", ".join(bad) or "none"),
            detail=json.dumps(detail)[:3_900],
        )
        self.recorder.look_closely()

    def _before_step(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        try:
            recorder = self.recorder
            if not recorder.sampling or recorder.is_over or not recorder.is_own_thread:
                return
            if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
                return
            began = time.perf_counter()
            record = self._record(optimizer)
            if record is not None:
                tensors = [t for group in optimizer.param_groups for t in group["params"]]
                self._know(record, optimizer, tensors)
                record.before = self.layers.before_update(tensors)
            recorder.spent += time.perf_counter() - began
        except Exception as error:
            self.recorder.fail(error)

    def _after_step(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        try:
            recorder = self.recorder
            if get_ident() != recorder.thread or recorder.is_over:
                return
            record = self._record(optimizer)
            number = record.number if record is not None else 0
            if not self._has_stepped:
                self._has_stepped = True
                self._stepless_before = {}
            recorder.cycle.append("step")
            if record is not None:
                record.steps += 1
                self._rates(record, optimizer)
            is_sampled = recorder.sampling
            if is_sampled:
                began = time.perf_counter()
                self._close_look(record, optimizer)
                recorder.spent += time.perf_counter() - began
            self._end_step(record, number, is_sampled)
        except Exception as error:
            self.recorder.fail(error)

    def _end_step(self, record: OptimizerRecord | None, number: int, is_sampled: bool) -> None:
        recorder, layers = self.recorder, self.layers
        loader_seconds = self.loaders.stepped()
        row: list[object] | None = None
        if is_sampled or recorder.wants_row:
            mode = layers.mode
            row = [
                "step",
                recorder.step,
                "train",
                record.model if record is not None else None,
                number,
                recorder.epoch,
                self._loss_value,
                mode[0] if mode is not None else None,
                mode[1] if mode is not None else None,
                is_sampled,
                layers.batch,
                None,
                loader_seconds,
                layers.forward_seconds or None,
                self._backwards,
                self._graph,
                _memory(recorder.device) if is_sampled else None,
                self._scale() if is_sampled else None,
                None,
                float(self._clipped) if self._clipped is not None else None,
            ]
        if row is not None and self._loss is not None:
            self._waiting.append((row, self._loss))
            if len(self._waiting) >= LOSSES_WAITING or is_sampled:
                self._gather_losses()
        had_eval = layers.eval_pass is not None
        if layers.eval_pass is not None:
            recorder.row("step", **layers.eval_pass)
            layers.eval_pass = None
            if not is_sampled:
                layers.finish_step()
                self.losses.gather()
        self._loss, self._loss_value, self._clipped, self._graph = None, None, None, None
        self._backwards = 0
        recorder.end_step(row)
        if is_sampled or recorder.sampling or had_eval:
            layers.begin_step(recorder.sampling)
            self.losses.begin_step()
        elif layers.wants_eval:
            layers.begin_step(False)

    def _gather_losses(self) -> None:
        """Bring losses from a GPU into their rows, which may be written already: then once more."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        values = torch.stack([loss.reshape(()).float() for _, loss in waiting]).tolist()
        written = {id(row) for row in self.recorder.journal.waiting}
        for (row, _), value in zip(waiting, values):
            row[6] = value
            if row[11] is not None and id(row) not in written:
                self.recorder.journal.waiting.append(row)
            if self._was_finite and not math.isfinite(value):
                self._was_finite = False
                self.recorder.event(
                    "loss_nan" if math.isnan(value) else "loss_inf",
                    tensor="loss",
                    text="the loss of step %s is %s" % (row[1], value),
                )
                self.recorder.look_closely()

    def _close_look(self, record: OptimizerRecord | None, optimizer: Any) -> None:
        layers = self.layers
        if record is not None:
            tensors = [t for group in optimizer.param_groups for t in group["params"]]
            if not record.is_known:
                # Its first step had a closure: models were called within the step.
                self._know(record, optimizer, tensors)
            layers.after_update(record.before, tensors)
            record.before = {}
            self._count(record, tensors)
        layers.finish_step()
        self.losses.gather()

    def _scale(self) -> float | None:
        scaler = self._scaler
        return float(scaler.get_scale()) if scaler is not None else None

    # Optimizers

    def _record(self, optimizer: Any) -> OptimizerRecord | None:
        key = id(optimizer)
        record = self.optimizers.get(key)
        if record is not None and record.reference() is optimizer:
            return record
        if len(self.optimizers) >= MOST_OPTIMIZERS:
            return None
        known = self._places.get(key)
        place = known[1] if known is not None and known[0]() is optimizer else NOWHERE
        if record is not None:
            # Another optimizer at the address of one that is gone.
            self._write_optimizer(record)
        self._made += 1
        number = self._made
        record = self.optimizers[key] = OptimizerRecord(number, optimizer, place)
        if 1 < number <= NEW_OPTIMIZERS:
            self.recorder.look_closely()
        return record

    def _know(self, record: OptimizerRecord, optimizer: Any, tensors: list[Any]) -> None:
        """Bring together an optimizer's parameters and the models; again when groups change."""
        if record.size == len(tensors) and record.is_known:
            return
        record.size, record.is_known = len(tensors), True
        owners = self.layers.owners_of(tensors)
        best = 0
        for model in owners:
            # Whether a compiled model is called is not seen.
            model.was_called = model.was_called or self.layers.is_compiled
            shared = sum(id(tensor) in model.parameters for tensor in tensors)
            if shared > best:
                best, record.model = shared, model.number
        for number, group in enumerate(optimizer.param_groups):
            for tensor in group["params"]:
                parameter = self.layers.parameter(tensor)
                if parameter is not None:
                    parameter.optimizer, parameter.group = record.number, number
                    parameter.changed = True
            self.recorder.row(
                "optimizer_group",
                optimizer=record.number,
                parameter_group=number,
                tensors=len(group["params"]),
                parameters=sum(tensor.numel() for tensor in group["params"]),
                rate=_plain_number(group.get("lr")),
                settings=_settings(group),
            )
        self._count(record, tensors)
        self._write_optimizer(record)

    def _count(self, record: OptimizerRecord, tensors: list[Any]) -> None:
        """Count parameters that no called model has, and those of called ones in no optimizer."""
        called = [model for model in self.layers.models if model.was_called]
        if not called:
            return
        numbers = {model.number for model in called}
        record.foreign = 0
        for tensor in tensors:
            parameter = self.layers.parameter(tensor)
            record.foreign += parameter is None or parameter.layer.model not in numbers
        record.missing = sum(
            1
            for model in called
            for parameter in model.parameters.values()
            if parameter.optimizer is None
            and (tensor := parameter.reference()) is not None
            and tensor.requires_grad
        )

    def _rates(self, record: OptimizerRecord, optimizer: Any) -> None:
        """Write the rates that have changed."""
        rates = record.rates
        for number, group in enumerate(optimizer.param_groups):
            rate = group.get("lr")
            if number < len(rates) and rate is rates[number]:
                continue
            value = _plain_number(rate) if not isinstance(rate, float) else rate
            if number >= len(rates):
                rates.append(rate)
            elif value == rates[number]:
                continue
            else:
                rates[number] = rate
            if value is not None and (self.recorder.step < 20_000 or self.recorder.sampling):
                self.recorder.journal.waiting.append(
                    ["rate", self.recorder.step, record.number, number, value]
                )

    def _refresh(self) -> None:
        self._gather_losses()
        for record in self.optimizers.values():
            self._write_optimizer(record)
        self._write_settings()

    def _write_optimizer(self, record: OptimizerRecord) -> None:
        optimizer = record.reference()
        if optimizer is not None:
            tensors = [t for group in optimizer.param_groups for t in group["params"]]
            kind, place = self._schedulers.get(id(optimizer), ("", NOWHERE))
            record.row = {
                "optimizer": record.number,
                "type": type(optimizer).__name__,
                "file": record.place[0],
                "line": record.place[1],
                "tensors": len(tensors),
                "parameters": sum(tensor.numel() for tensor in tensors),
                "frozen": sum(not tensor.requires_grad for tensor in tensors),
                "settings": _settings(optimizer.defaults),
                "scheduler": kind,
                "scheduler_file": place[0],
                "scheduler_line": place[1],
            }
        if record.row:
            self.recorder.row(
                "optimizer",
                **record.row,
                foreign=record.foreign,
                missing=record.missing,
                steps=record.steps,
            )

    def _write_settings(self) -> None:
        for key, value in (
            ("deterministic", torch.are_deterministic_algorithms_enabled()),
            ("cudnn_benchmark", torch.backends.cudnn.benchmark),
            ("matmul_precision", torch.get_float32_matmul_precision()),
            ("default_dtype", str(torch.get_default_dtype()).rpartition(".")[2]),
            ("threads", torch.get_num_threads()),
            ("scaler", self._scaler is not None),
            ("compiled", self.layers.is_compiled),
            # Of the steps that were looked at: those that began with gradients of earlier ones.
            ("kept_gradients", "%d/%d" % (self._kept_gradients, self._looked)),
            # The most graphs of earlier steps that were alive at once.
            ("kept_graphs", self._kept_graphs),
        ):
            self.recorder.row("setting", key=key, value=str(value))


def install(recorder: Recorder) -> None:
    """Record the trainings of PyTorch in this process."""
    recorder.framework = recorder.framework or "torch"
    recorder.versions["torch"] = str(torch.__version__)
    Training(recorder).patch()


def _nodes(root: Any) -> int:
    """Return the number of nodes of a graph, counted up to a limit."""
    seen = {root}
    waiting = [root]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is None:
            continue
        for inner, _ in node.next_functions:
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return len(seen)


def _memory(device: str) -> int | None:
    """Return the bytes that the process holds: on its GPU where it uses one."""
    if device == "cuda":
        return int(torch.cuda.memory_allocated())
    try:
        with open("/proc/self/statm", "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _plain_number(value: Any) -> float | None:
    if isinstance(value, torch.Tensor):
        return float(value) if value.numel() == 1 else None
    return float(value) if isinstance(value, (int, float)) else None


def _settings(group: dict[str, Any]) -> str:
    settings: dict[str, object] = {}
    for name, value in group.items():
        if name == "params" or not isinstance(name, str):
            continue
        if isinstance(value, torch.Tensor):
            value = _plain_number(value)
        if isinstance(value, (bool, int, float, str)):
            settings[name[:40]] = value
        elif isinstance(value, tuple) and len(value) < 5:
            settings[name[:40]] = [_plain_number(part) for part in value]
    return json.dumps(settings)[:1_000]
