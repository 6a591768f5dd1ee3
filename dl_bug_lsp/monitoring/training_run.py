"""What a recorded training consists of: one dataclass a table, with its columns as fields.

The meaning of each column stands in `tables`. None is "not known"; texts are empty instead. What
tells rows apart is never None. Numbers may be NaN or infinite where the training's were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Process:
    """A row of ``run``."""

    session: str
    command: str
    argv: str
    program: str
    folder: str
    python: str
    framework: str
    versions: str
    device: str
    started: float | None
    ended: float | None
    outcome: str
    error: str
    process: int | None
    parent: int | None
    rank: int | None
    world: int | None
    steps: int | None
    sampled: int | None
    seconds: float | None
    spent: float | None


@dataclass(frozen=True, slots=True)
class Problem:
    """A row of ``problem``."""

    text: str


@dataclass(frozen=True, slots=True)
class Model:
    """A row of ``model``."""

    model: int
    type: str
    file: str
    line: int | None
    parameters: int | None
    trainable: int | None
    state: str
    first_step: int | None
    layers: int | None


@dataclass(frozen=True, slots=True)
class Layer:
    """A row of ``layer``."""

    layer: int
    model: int | None
    name: str
    type: str
    function: str
    file: str
    line: int | None
    parent: int | None
    position: int | None
    parameters: int | None
    trainable: int | None
    settings: str
    calls: int | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A row of ``parameter``."""

    parameter: int
    layer: int | None
    name: str
    shape: str
    dtype: str
    size: int | None
    trainable: bool | None
    optimizer: int | None
    parameter_group: int | None
    gradients: int | None
    without: int | None
    zero: int | None
    moved: int | None
    shared: bool | None


@dataclass(frozen=True, slots=True)
class Statistic:
    """A row of ``statistic``."""

    step: int
    layer: int
    kind: str
    name: str
    size: int | None
    norm: float | None
    mean: float | None
    std: float | None
    least: float | None
    greatest: float | None
    zeros: float | None
    nans: int | None
    infs: int | None
    saturated: float | None
    dead: float | None
    units: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """A row of ``step``."""

    step: int
    phase: str
    model: int | None
    optimizer: int | None
    epoch: float | None
    loss: float | None
    training: bool | None
    gradient: bool | None
    sampled: bool | None
    batch: int | None
    seconds: float | None
    loader_seconds: float | None
    forward_seconds: float | None
    backwards: int | None
    graph: int | None
    memory: int | None
    scale: float | None
    skipped: bool | None
    clipped: float | None


@dataclass(frozen=True, slots=True)
class LossPart:
    """A row of ``loss_part``."""

    step: int
    loss_call: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Logged:
    """A row of ``log``."""

    step: int | None
    epoch: float | None
    source: str
    key: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A row of ``optimizer``."""

    optimizer: int
    type: str
    file: str
    line: int | None
    tensors: int | None
    parameters: int | None
    foreign: int | None
    frozen: int | None
    missing: int | None
    steps: int | None
    settings: str
    scheduler: str
    scheduler_file: str
    scheduler_line: int | None


@dataclass(frozen=True, slots=True)
class OptimizerGroup:
    """A row of ``optimizer_group``."""

    optimizer: int
    parameter_group: int
    tensors: int | None
    parameters: int | None
    rate: float | None
    settings: str


@dataclass(frozen=True, slots=True)
class Rate:
    """A row of ``rate``."""

    step: int
    optimizer: int
    parameter_group: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class Input:
    """A row of ``input``."""

    step: int
    source: str
    owner: int
    phase: str
    name: str
    shape: str
    dtype: str
    least: float | None
    greatest: float | None
    mean: float | None
    std: float | None
    zeros: float | None
    nans: int | None
    infs: int | None
    constant: float | None
    duplicated: float | None
    levels: int | None
    neighbours: float | None
    feature_means: float | None
    feature_stds: float | None


@dataclass(frozen=True, slots=True)
class Label:
    """A row of ``label``."""

    loss_call: int
    phase: str
    label: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Loader:
    """A row of ``loader``."""

    loader: int
    file: str
    line: int | None
    dataset: str
    rows: int | None
    batch: int | None
    sampler: str
    shuffled: bool | None
    drop_last: bool | None
    workers: int | None
    phase: str
    epochs: int | None
    batches: int | None
    seconds: float | None
    same_order: bool | None
    sequential: float | None


@dataclass(frozen=True, slots=True)
class EpochOrder:
    """A row of ``epoch_order``."""

    loader: int
    epoch: int
    step: int | None
    rows: int | None
    digest: str
    sequential: float | None
    neighbours: float | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """A row of ``overlap``."""

    loader: int
    other: int
    compared: int | None
    shared: int | None


@dataclass(frozen=True, slots=True)
class LossCall:
    """A row of ``loss_call``."""

    loss_call: int
    kind: str
    file: str
    line: int | None
    phase: str
    count: int | None
    before: str
    before_layer: int | None
    before_file: str
    before_line: int | None
    input_shape: str
    input_dtype: str
    input_least: float | None
    input_greatest: float | None
    input_sums_to_one: float | None
    target_shape: str
    target_dtype: str
    target_least: float | None
    target_greatest: float | None
    target_levels: int | None
    reduction: str
    settings: str
    backward: bool | None


@dataclass(frozen=True, slots=True)
class Call:
    """A row of ``call``."""

    kind: str
    file: str
    line: int
    owner: int
    count: int | None
    first_step: int | None
    last_step: int | None
    retained: bool | None


@dataclass(frozen=True, slots=True)
class Cycle:
    """A row of ``cycle``."""

    text: str
    count: int | None
    first_step: int | None
    last_step: int | None


@dataclass(frozen=True, slots=True)
class Event:
    """A row of ``event``."""

    event: int
    step: int | None
    kind: str
    tensor: str
    layer: int | None
    name: str
    file: str
    line: int | None
    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class Seed:
    """A row of ``seed``."""

    library: str
    value: int | None
    file: str
    line: int | None
    step: int | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of ``setting``."""

    key: str
    value: str


ROWS: Mapping[str, type[Any]] = {
    "run": Process,
    "problem": Problem,
    "model": Model,
    "layer": Layer,
    "parameter": Parameter,
    "statistic": Statistic,
    "step": Step,
    "loss_part": LossPart,
    "log": Logged,
    "optimizer": Optimizer,
    "optimizer_group": OptimizerGroup,
    "rate": Rate,
    "input": Input,
    "label": Label,
    "loader": Loader,
    "epoch_order": EpochOrder,
    "overlap": Overlap,
    "loss_call": LossCall,
    "call": Call,
    "cycle": Cycle,
    "event": Event,
    "seed": Seed,
    "setting": Setting,
}
"""The class of each table's rows."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process of a recorded command, and what it trained.

    ``number`` is unique in a database; 0 for one whose journal is still written. Rows are in the
    order in which they were written, those of `statistics`, `steps` and `rates` by step.
    """

    number: int
    process: Process
    problems: tuple[Problem, ...] = ()
    models: tuple[Model, ...] = ()
    layers: tuple[Layer, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    steps: tuple[Step, ...] = ()
    loss_parts: tuple[LossPart, ...] = ()
    logged: tuple[Logged, ...] = ()
    optimizers: tuple[Optimizer, ...] = ()
    optimizer_groups: tuple[OptimizerGroup, ...] = ()
    rates: tuple[Rate, ...] = ()
    inputs: tuple[Input, ...] = ()
    labels: tuple[Label, ...] = ()
    loaders: tuple[Loader, ...] = ()
    epoch_orders: tuple[EpochOrder, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    loss_calls: tuple[LossCall, ...] = ()
    calls: tuple[Call, ...] = ()
    cycles: tuple[Cycle, ...] = ()
    events: tuple[Event, ...] = ()
    seeds: tuple[Seed, ...] = ()
    settings: tuple[Setting, ...] = ()

    def layer(self, number: int | None) -> Layer | None:
        """Return the layer of a number."""
        return next((layer for layer in self.layers if layer.layer == number), None)

    @property
    def train_steps(self) -> tuple[Step, ...]:
        """The steps of training, in order."""
        return tuple(step for step in self.steps if step.phase == "train")


FIELDS: Mapping[str, str] = {
    "problem": "problems",
    "model": "models",
    "layer": "layers",
    "parameter": "parameters",
    "statistic": "statistics",
    "step": "steps",
    "loss_part": "loss_parts",
    "log": "logged",
    "optimizer": "optimizers",
    "optimizer_group": "optimizer_groups",
    "rate": "rates",
    "input": "inputs",
    "label": "labels",
    "loader": "loaders",
    "epoch_order": "epoch_orders",
    "overlap": "overlaps",
    "loss_call": "loss_calls",
    "call": "calls",
    "cycle": "cycles",
    "event": "events",
    "seed": "seeds",
    "setting": "settings",
}
"""The field of `Run` that holds the rows of a table."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The runs of a workspace, oldest first; ``problems`` are sentences on what was not read."""

    runs: tuple[Run, ...] = ()
    problems: tuple[str, ...] = field(default=())
