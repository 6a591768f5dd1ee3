"""Loss functions of PyTorch: where they are called, on what, and what came before them."""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
import time
from collections import Counter
from typing import Any, Callable

import torch

from dl_bug_lsp.monitoring.recorder.recorder import Place
from dl_bug_lsp.monitoring.recorder.torch_layers import Layers, is_capturing
from dl_bug_lsp.monitoring.recorder.torch_tensors import (
    dtype_of,
    input_row,
    is_wrapped,
    labels_of,
    plain_tensor,
    shape_of,
)

LOSSES = (
    *("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"),
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss"),
    *("gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss"),
    *("multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss", "ctc_loss"),
    *("cosine_embedding_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss"),
)
"""Functions of `torch.nn.functional` that are patched; the modules of losses call them."""
MOST_CALLS = 200
MOST_LABELS = 1_000
_BACKWARD = re.compile(r"Backward\d*$")
_PASSING = re.compile(
    r"^(?:Unsafe)?(?:View|Reshape(?:Alias)?|Squeeze|Unsqueeze|Permute|Transpose|T|Slice|Select|Clone|"
    r"ToCopy|Expand|Alias|AsStrided|Contiguous|Unbind|Split)$"
)
_NAMES = {
    "Addmm": "linear",
    "Mm": "linear",
    "Bmm": "linear",
    "Linear": "linear",
    "Convolution": "convolution",
    "LogSoftmax": "log_softmax",
    "NativeBatchNorm": "batch_norm",
    "CudnnBatchNorm": "batch_norm",
    "NativeLayerNorm": "layer_norm",
    "LeakyRelu": "leaky_relu",
    "LogSigmoid": "logsigmoid",
    "Hardtanh": "hardtanh",
}


class LossCall:
    """A call site of a loss function."""

    __slots__ = ("changed", "count", "labels", "number", "place", "row")

    def __init__(self, number: int, place: Place) -> None:
        self.number, self.place = number, place
        self.count = 0
        self.row: dict[str, object] = {}
        self.labels: dict[str, Counter[int]] = {}
        self.changed = True


class Losses:
    """The loss functions of a process, looked at in steps that are recorded closely."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.recorder = layers.recorder
        self.values: list[tuple[int, int, Any]] = []
        """Step, call and value of losses that are not brought to the processor yet."""
        self.is_inside = False
        self._calls: dict[tuple[str, Place], LossCall] = {}
        self._seen: set[int] = set()
        self._originals: dict[str, Callable[..., Any]] = {}
        self.recorder.refreshers.append(self._refresh)
        self.recorder.undo.append(self.restore)

    def patch(self) -> None:
        """Put our functions in place of PyTorch's."""
        functional = torch.nn.functional
        for name in LOSSES:
            original = getattr(functional, name, None)
            if original is not None and name not in self._originals:
                self._originals[name] = original
                setattr(functional, name, self._patched(name, original))

    def restore(self) -> None:
        """Put PyTorch's own functions back."""
        originals, self._originals = self._originals, {}
        for name, original in originals.items():
            setattr(torch.nn.functional, name, original)

    def _patched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder, layers = self.recorder, self.layers
        has_gradient = torch.is_grad_enabled

        @functools.wraps(original)
        def loss(*arguments: Any, **keywords: Any) -> Any:
            value = original(*arguments, **keywords)
            if recorder.sampling or layers.wants_eval:
                if not self.is_inside:
                    self._look(name, original, arguments, keywords, value)
            elif not has_gradient() and layers.eval_pass is None and not recorder.is_over:
                # A pass that evaluates: the next one is looked at.
                layers.want_eval()
            return value

        return loss

    def _look(self, name: str, original: Any, arguments: Any, keywords: Any, value: Any) -> None:
        self.is_inside = True
        try:
            if self.recorder.is_own_thread and not is_capturing():
                began = time.perf_counter()
                self._record(name, original, arguments, keywords, value)
                self.recorder.spent += time.perf_counter() - began
        except Exception as error:
            self.recorder.fail(error)
        finally:
            self.is_inside = False

    def begin_step(self) -> None:
        """Forget which calls the step before has seen."""
        self._seen.clear()

    def _record(self, name: str, original: Any, arguments: Any, keywords: Any, value: Any) -> None:
        place = self.recorder.places.of_caller(3)
        call = self._calls.get((name, place))
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                return
            call = self._calls[name, place] = LossCall(len(self._calls) + 1, place)
        call.count += 1
        call.changed = True
        if call.number in self._seen:
            return
        self._seen.add(call.number)
        phase = "train" if torch.is_grad_enabled() else "eval"
        if isinstance(value, torch.Tensor) and value.numel() == 1 and not is_wrapped(value):
            self.values.append((self.recorder.step, call.number, value.detach()))
        try:
            bound = inspect.signature(original).bind(*arguments, **keywords)
            bound.apply_defaults()
            named: dict[Any, Any] = dict(bound.arguments)
        except (TypeError, ValueError):
            named = {str(at): part for at, part in enumerate(arguments)}
        tensors = [part for part in named.values() if isinstance(part, torch.Tensor)]
        if not tensors or any(map(is_wrapped, tensors)):
            return
        first = tensors[0]
        target = tensors[1] if len(tensors) > 1 else None
        self._describe(call, name, phase, named, first, target)
        if target is not None:
            self._target(call, phase, target)

    def _describe(
        self,
        call: LossCall,
        name: str,
        phase: str,
        named: dict[Any, Any],
        first: torch.Tensor,
        target: torch.Tensor | None,
    ) -> None:
        row = call.row
        if row and phase != "train":
            return
        before, layer = self.before(first)
        row.update(
            loss_call=call.number,
            kind=name,
            file=call.place[0],
            line=call.place[1],
            phase=phase,
            input_shape=shape_of(first),
            input_dtype=dtype_of(first),
            reduction=str(named.get("reduction", "")),
            settings=_settings(named),
        )
        if before or "before" not in row:
            row["before"] = before
        if layer is not None:
            row["before_layer"] = layer.number
            row["before_file"], row["before_line"] = layer.place
        plain = plain_tensor(first)
        if plain is not None:
            with torch.no_grad():
                least, greatest = (float(end) for end in torch.aminmax(plain.float()))
                if math.isfinite(least) and math.isfinite(greatest):
                    row["input_least"] = min(least, _or(row.get("input_least"), least))
                    row["input_greatest"] = max(greatest, _or(row.get("input_greatest"), greatest))
                    if plain.dim() > 1:
                        sums = plain[:256].float().sum(dim=1)
                        row["input_sums_to_one"] = float(((sums - 1).abs() < 1e-3).float().mean())
        if target is not None:
            row["target_shape"], row["target_dtype"] = shape_of(target), dtype_of(target)

    def _target(self, call: LossCall, phase: str, target: torch.Tensor) -> None:
        columns = input_row(target)
        row = call.row
        for name, choose in (("least", min), ("greatest", max), ("levels", max)):
            new = columns.get(name)
            if new is not None:
                old = row.get("target_" + name)
                row["target_" + name] = new if old is None else choose(old, new)
        self.recorder.row(
            "input",
            step=self.recorder.step,
            source="target",
            owner=call.number,
            phase=phase,
            name="target",
            **columns,
        )
        labels = labels_of(target)
        if labels:
            counts = call.labels.setdefault(phase, Counter())
            if len(counts) < MOST_LABELS:
                counts.update(labels)

    def before(self, tensor: torch.Tensor) -> tuple[str, Any]:
        """Return the operation that made a tensor, and the layer of it where that is known."""
        known = self.layers.outputs.get(id(tensor))
        layer = known[0] if known is not None and known[1]() is tensor else None
        name = operation_of(tensor.grad_fn)
        if not name and layer is not None:
            name = layer.function
        return name, layer

    def gather(self) -> None:
        """Write the values of loss functions."""
        values, self.values = self.values, []
        for step, number, value in values:
            self.recorder.row("loss_part", step=step, loss_call=number, value=float(value))

    def of_graph(self, loss: torch.Tensor, place: Place) -> None:
        """Record a loss that none of the known functions computed, by its graph's operations."""
        name = operation_of(loss.grad_fn)
        names: list[str] = []
        nodes: list[Any] = [loss.grad_fn]
        for node in nodes:
            if node is None or len(nodes) > 60:
                continue
            names.append(_BACKWARD.sub("", node.name()))
            nodes.extend(inner for inner, _ in node.next_functions)
        key = ("graph:" + name, place)
        call = self._calls.get(key)
        if call is None:
            if len(self._calls) >= MOST_CALLS:
                return
            call = self._calls[key] = LossCall(len(self._calls) + 1, place)
        call.count += 1
        call.changed = True
        call.row.update(
            loss_call=call.number,
            kind=key[0],
            file=place[0],
            line=place[1],
            phase="train",
            input_shape="",
            input_dtype=dtype_of(loss),
            settings=json.dumps({"operations": names[:40]}),
        )

    @property
    def has_seen(self) -> bool:
        """Whether a loss function was called in the step under way."""
        return bool(self._seen)

    def _refresh(self) -> None:
        for call in self._calls.values():
            if not call.changed:
                continue
            call.changed = False
            self.recorder.row("loss_call", **call.row, count=call.count)
            for phase, counts in call.labels.items():
                for label, count in counts.items():
                    self.recorder.row(
                        "label", loss_call=call.number, phase=phase, label=label, count=count
                    )


def operation_of(node: Any) -> str:
    """Return the operation of a graph's node, views and copies passed over; empty for a leaf."""
    for _ in range(10):
        if node is None:
            return ""
        name = _BACKWARD.sub("", node.name())
        if name == "AccumulateGrad" or "::" in name:
            return ""
        if not _PASSING.match(name):
            known = _NAMES.get(name)
            return known if known is not None else name.lower()
        node = node.next_functions[0][0] if node.next_functions else None
    return ""


def _settings(named: dict[Any, Any]) -> str:
    settings: dict[str, object] = {}
    for name, value in named.items():
        if isinstance(value, torch.Tensor):
            if name in ("weight", "pos_weight"):
                settings[name] = shape_of(value)
        elif isinstance(value, (bool, int, float, str)):
            settings[str(name)] = value
    return json.dumps(settings)


def _or(value: object, other: float) -> float:
    return value if isinstance(value, float) else other
