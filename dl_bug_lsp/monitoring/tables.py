"""The schema of ``.dlbug/training.db`` and of the journals that it is made of.

A *run* is one process of a command that trained something. Each process appends rows to a journal
of its own (``.dlbug/monitoring/<folder>/<process>.jsonl``; one JSON list a line: the name of a
table, then the values of its columns without ``run``), so that a process that is killed loses
nothing that was written; who reads next takes the journals into the database. A row whose key
(`KEYS`) was there before replaces it.

Steps are counted from 1 over a process' life, one for each call of an optimizer's ``step`` (Keras:
each training batch). What happens between two of them belongs to the later one. Lines are 1-based;
files are relative to the workspace with ``/``, empty where no line of the workspace is known.
Shares lie between 0 and 1, times are seconds, ``started`` and ``ended`` seconds since the epoch. A
number that is not finite is stored as the text ``nan``, ``inf`` or ``-inf``, as SQLite makes NULL
of NaN; NULL is "not known".

Imported by the user's interpreter too: nothing but the standard library, Python 3.9.
"""

from __future__ import annotations

SCHEMA = "1"
FOLDER = "monitoring"
"""The folder of the journals, below ``.dlbug``."""
JOURNAL = ".jsonl"

TABLES: dict[str, str] = {
    # The process. `session` is the same for all processes of one command, `outcome` one of running,
    # finished, failed (an exception ended it; `error` is its type), killed (it wrote no end). Where
    # the recorder switched itself off a `problem` says so. `seconds` is the sum of the steps'
    # durations, `spent` what of it went into recording. `versions` is JSON, `argv` and `command`
    # are JSON lists.
    "run": "session:str command:str argv:str program:str folder:str python:str framework:str "
    "versions:str device:str started:float ended:float outcome:str error:str process:int "
    "parent:int rank:int world:int steps:int sampled:int seconds:float spent:float",
    # One sentence for each thing that was not recorded, and why.
    "problem": "text:str",
    # A module that is called by itself. `state` is plain, compiled, scripted, wrapped (DDP, FSDP).
    "model": "model:int type:str file:str line:int parameters:int trainable:int state:str "
    "first_step:int layers:int",
    # `name` is the dotted name in the model, file and line the call that constructed the layer.
    # `position` is the order in which layers were first called (NULL: never called), `calls` their
    # calls in sampled steps. `settings` is its repr, cut. `function` is empty for a module, else
    # the operation that is called without one (relu, softmax, ...); its file and line are the call.
    "layer": "layer:int model:int name:str type:str function:str file:str line:int parent:int "
    "position:int parameters:int trainable:int settings:str calls:int",
    # `optimizer` NULL: in none. `gradients`: sampled steps at which it had a gradient, `without`:
    # those at which it had none, `zero`: those at which all of the gradient was zero. `moved`:
    # sampled steps at which its values changed.
    "parameter": "parameter:int layer:int name:str shape:str dtype:str size:int trainable:bool "
    "optimizer:int parameter_group:int gradients:int without:int zero:int moved:int shared:bool",
    # kind: weight, gradient, update, activation, activation_gradient, eval_activation (of a
    # pass that evaluates). `name` is the parameter's
    # ("weight"), or empty. `norm` is Euclidean, of all `size` elements. `zeros`: share of exact
    # zeros; `saturated`: share within 1 % of an end of the function's range (sigmoid, tanh,
    # softmax, hard versions); `dead`: share of units that are zero for the whole batch (ReLU and
    # its like), of `units`. Of an update: new minus old values. NULL where it does not apply.
    "statistic": "step:int layer:int kind:str name:str size:int norm:float mean:float std:float "
    "least:float greatest:float zeros:float nans:int infs:int saturated:float dead:float units:int",
    # phase: train, or eval for a pass over data without a backward (one row for each pass that
    # was looked at; its `step` is that of the next training step). `training`: the model's mode
    # (model.training), `gradient`: whether gradients were recorded. `seconds` from the end of
    # the step before to its own end; `loader_seconds` of them in data loaders; `forward_seconds`
    # is known for sampled steps. `graph`: nodes of the loss' graph, counted up to a limit.
    # `memory`: bytes of the process (GPU: allocated). `scale`: of the gradient scaler.
    # `skipped`: the scaler left the update out. `backwards`: calls of backward in it. `clipped`:
    # the norm before clipping, where gradients are clipped.
    "step": "step:int phase:str model:int optimizer:int epoch:float loss:float training:bool "
    "gradient:bool sampled:bool batch:int seconds:float loader_seconds:float "
    "forward_seconds:float backwards:int graph:int memory:int scale:float skipped:bool "
    "clipped:float",
    # Values of single loss functions in a sampled step (`loss_call` is the call), and metrics that
    # a trainer logs by itself (`source`: lightning, transformers, keras; key as it is logged).
    "loss_part": "step:int loss_call:int value:float",
    "log": "step:int epoch:float source:str key:str value:float",
    # `tensors` are its parameters; `foreign` those that belong to no model that was called,
    # `missing` those of called models that need gradients and are in no optimizer at all (counted
    # at the first optimizer of their model). `frozen` those that need no gradient. `settings` and a
    # group's are JSON of numbers, booleans and texts. `scheduler` is the type of one tied to it.
    "optimizer": "optimizer:int type:str file:str line:int tensors:int parameters:int foreign:int "
    "frozen:int missing:int steps:int settings:str scheduler:str scheduler_file:str "
    "scheduler_line:int",
    "optimizer_group": "optimizer:int parameter_group:int tensors:int parameters:int rate:float "
    "settings:str",
    # A row where the rate has changed, and at sampled steps.
    "rate": "step:int optimizer:int parameter_group:int rate:float",
    # An array that went into a model (source: model) or into a loss function as its target (source:
    # target) or came from a loader (source: loader). `name` is the argument's. `constant`: share of
    # features (columns of the flattened rows) that are equal in all rows; `duplicated`: share of
    # rows that equal another one; `levels`: number of distinct values (NULL above 1024).
    # `neighbours`: share of rows whose label is that of the row before. `feature_means`: the
    # largest of the features' means without sign; `feature_stds`: the largest of their standard
    # deviations by the smallest that is not zero.
    "input": "step:int source:str owner:int phase:str name:str shape:str dtype:str least:float "
    "greatest:float mean:float std:float zeros:float nans:int infs:int constant:float "
    "duplicated:float levels:int neighbours:float feature_means:float feature_stds:float",
    # How often each label was seen in targets of a loss function, in sampled steps, by phase.
    "label": "loss_call:int phase:str label:int count:int",
    # A data loader. `sampler` is its type, `shuffled`: it draws at random. `batches` per epoch,
    # `rows` of its dataset (NULL where it has no length), `phase` in which it was
    # used. `seconds` waited for it. `same_order`: every epoch began with the same rows.
    "loader": "loader:int file:str line:int dataset:str rows:int batch:int sampler:str "
    "shuffled:bool drop_last:bool workers:int phase:str epochs:int batches:int seconds:float "
    "same_order:bool sequential:float",
    # The first rows of each epoch: digest of their indices (or of their data), share of indices
    # that follow the one before, number of rows looked at.
    "epoch_order": "loader:int epoch:int step:int rows:int digest:str sequential:float "
    "neighbours:float",
    # Rows (by digest of their data) that two loaders have in common, of those that were compared.
    "overlap": "loader:int other:int compared:int shared:int",
    # A call site of a loss function. `before` is the operation that made its first argument (an
    # activation such as softmax, or linear, ...), `before_layer` the layer where it is one.
    # `sums_to_one`: share of rows of the first argument that do. `reduction`, `settings`: JSON.
    "loss_call": "loss_call:int kind:str file:str line:int phase:str count:int before:str "
    "before_layer:int before_file:str before_line:int input_shape:str input_dtype:str "
    "input_least:float input_greatest:float input_sums_to_one:float target_shape:str "
    "target_dtype:str target_least:float target_greatest:float target_levels:int "
    "reduction:str settings:str backward:bool",
    # A call site of what a loop consists of: zero_grad, backward, step, scheduler_step, train,
    # eval, no_grad, inference_mode, autocast, clip, scale, unscale, update, detach. `owner` is the
    # optimizer's or model's number. `retained`: backward kept the graph.
    "call": "kind:str file:str line:int owner:int count:int first_step:int last_step:int "
    "retained:bool",
    # What was called from one step to the next, in order ("zero_grad backward step"), how often.
    "cycle": "text:str count:int first_step:int last_step:int",
    # kind: nan, inf (the first in any tensor of a layer), loss_nan, loss_inf. `tensor`: weight,
    # gradient, activation, input, loss. `detail` is JSON: the statistics of what was there.
    "event": "event:int step:int kind:str tensor:str layer:int name:str file:str line:int text:str "
    "detail:str",
    # library: torch, numpy, random, keras, tensorflow, cuda, lightning, transformers.
    "seed": "library:str value:int file:str line:int step:int",
    # Settings of the frameworks: deterministic, amp dtype, matmul precision, default dtype, ...
    "setting": "key:str value:str",
}
"""The columns of each table, ``name:type``; in the database each begins with ``run:int``."""

KEYS: dict[str, int] = {
    "run": 0,
    "model": 1,
    "layer": 1,
    "parameter": 1,
    "statistic": 4,
    "step": 2,
    "loss_part": 2,
    "optimizer": 1,
    "optimizer_group": 2,
    "rate": 3,
    "input": 5,
    "label": 3,
    "loader": 1,
    "epoch_order": 2,
    "overlap": 2,
    "loss_call": 1,
    "call": 4,
    "cycle": 1,
    "event": 1,
    "setting": 1,
}
"""How many first columns tell the rows of a table apart; of other tables every row stays."""


def columns(table: str) -> list[tuple[str, str]]:
    """Return the names and types of a table's columns, without ``run``."""
    pairs = [column.partition(":") for column in TABLES[table].split()]
    return [(name, kind) for name, _, kind in pairs]
