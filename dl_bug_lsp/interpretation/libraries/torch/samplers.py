"""PyTorch's samplers of data sets and of the unit cube.

Sources: PyTorch's documentation of ``torch.utils.data`` and ``torch.quasirandom``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.torch.data import length_of
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    flag,
    tensor,
    words,
)
from dl_bug_lsp.interpretation.model_helpers import nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    ClassValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def _sampler(interpreter: Interpreter, call: Call) -> Value:
    """Keep how many items a sampler gives, and of how many."""
    short = call.name.rpartition(".")[2]
    source = call.given(0, "data_source", "weights", "indices", "sampler", "dataset")
    total = Value(UNKNOWN) if source is None else _count(interpreter, source, call)
    count = call.keywords.get("num_samples")
    if short == "WeightedRandomSampler":
        count = call.given(1, "num_samples")
    if count is None or count.data is None:
        count = total
    if short == "DistributedSampler":
        count = unknown(total)
    return thing(f"torch.utils.data.{short}", call, length=count, total=total)


def _count(interpreter: Interpreter, source: Value, call: Call) -> Value:
    count = length_of(interpreter, source, call.place)
    return count if size(count) is not None else unknown(source)


def _sampled(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    total = size(state.get("total"))
    high = None if total is None else total - 1
    short = call.receiver.data.short if _is_object(call.receiver) else ""  # type: ignore[union-attr]
    order = _in_order(call, short, total)
    if order is not None:
        return order
    if short == "SubsetRandomSampler":
        high = None
    item = arrays.number("int64", lowest=0, highest=high)
    return Value(Lazy(item, state.get("length", Value(UNKNOWN))))


MOST_NUMBERS = 5_000


def _in_order(call: Call, short: str, total: int | None) -> Value | None:
    """Return all numbers that a sampler gives once each, in an order that chance may give."""
    given = {} if call.held is None else call.held.keywords
    count = (state_of(call.receiver) or {}).get("length")
    asked = {"replacement", "num_samples"} & given.keys()
    if short in ("SequentialSampler", "RandomSampler") and not asked and count is not None:
        more = call.held is not None and len(call.held.args) > 1
        if total is None or total > MOST_NUMBERS or more:
            return None
        return Value([Value(number, count.origins) for number in range(total)], count.origins)
    indices = None if call.held is None else Call("", call.held.args, given, call.place).given(
        0, "indices"
    )  # fmt: skip
    if short != "SubsetRandomSampler" or indices is None or not isinstance(indices.data, list):
        return None
    return Value(list(indices.data), indices.origins)


def _is_object(value: Value | None) -> bool:
    return value is not None and isinstance(value.data, LibraryObject)


def _length(_: Interpreter, call: Call) -> Value:
    return (state_of(call.receiver) or {}).get("length", call.unknown())


for _short in words(
    "RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler DistributedSampler"
):
    MODELS.function(f"torch.utils.data.{_short}", f"torch.utils.data.sampler.{_short}")(_sampler)
    MODELS.function(f"torch.utils.data.distributed.{_short}")(_sampler)
    MODELS.method(_short, "__iter__")(_sampled)
    MODELS.method(_short, "__len__")(_length)
    MODELS.method(_short, "set_epoch")(nothing)


@MODELS.function("torch.utils.data.BatchSampler", "torch.utils.data.sampler.BatchSampler")
def _batch_sampler(interpreter: Interpreter, call: Call) -> Value:
    sampler, batch = call.given(0, "sampler"), call.given(1, "batch_size")
    drop = flag(call.given(2, "drop_last"), default=False)
    inner = None if sampler is None else interpreter.iterate(sampler)
    total = None
    if isinstance(inner, Lazy):
        total = size(inner.length)
    elif inner is not None:
        total = len(inner)
    number = size(batch)
    length: object = UNKNOWN
    if total is not None and number and drop is not None:
        length = total // number if drop else -(-total // number)
    parts = [v for v in (sampler, batch) if v is not None]
    return thing(
        "torch.utils.data.BatchSampler",
        call,
        length=Value(length, merged(*parts)),
        batch=batch or Value(UNKNOWN),
    )


@MODELS.method("BatchSampler", "__iter__")
def _batches(_: Interpreter, call: Call) -> Value:
    state = state_of(call.receiver) or {}
    item = arrays.number("int64", lowest=0)
    number = size(state.get("batch"))
    inner: object = [item] * number if number is not None and number <= 4096 else None
    batch = Value(inner) if inner is not None else Value(Lazy(item, Value(UNKNOWN)))
    return Value(Lazy(batch, state.get("length", Value(UNKNOWN))))


MODELS.method("BatchSampler", "__len__")(_length)


PARTS_OF = {
    "RandomSampler": ("data_source", "replacement", "num_samples", "generator"),
    "SequentialSampler": ("data_source",),
    "SubsetRandomSampler": ("indices", "generator"),
    "WeightedRandomSampler": ("weights", "num_samples", "replacement", "generator"),
    "DistributedSampler": (*("dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last"),),
    "BatchSampler": ("sampler", "batch_size", "drop_last"),
}
"""What samplers are made of, in the order of their arguments, which they hold as attributes."""
_OTHERWISE = {"replacement": False, "generator": None, "drop_last": False, "shuffle": True}


def _keep_parts(_: Interpreter, call: Call) -> Value:
    """Keep what an object of a workspace class hands on to the sampler that it is."""
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Instance):
        for name, parts in PARTS_OF.items():
            if any(_is_named(base, name) for base in _bases_of(data.cls)):
                for at, part in enumerate(parts):
                    value = call.given(at, part) or Value(_OTHERWISE.get(part, UNKNOWN))
                    data.attributes.setdefault(part, value)
    return Value(None)


def _bases_of(cls: ClassValue, depth: int = 5) -> list[Value]:
    """Return the bases of a class and theirs."""
    own = list(cls.bases)
    inner = [base.data for base in own if isinstance(base.data, ClassValue)]
    return own + [b for c in inner for b in (_bases_of(c, depth - 1) if depth else [])]


def _is_named(base: Value, name: str) -> bool:
    return isinstance(base.data, Library) and base.data.short == name


def _part_of(_: Interpreter, call: Call) -> Value:
    """Return an argument of a sampler."""
    made = call.held
    if made is None:
        return call.unknown()
    names = PARTS_OF[made.short]
    own = Call(made.name, made.args, made.keywords, made.made)
    given = own.given(names.index(call.name), call.name)
    if given is None and call.name == "num_samples":
        return made.state.get("length", call.unknown())
    return given or Value(_OTHERWISE.get(call.name, UNKNOWN))


for _short, _names in PARTS_OF.items():
    MODELS.method(_short, "__init__")(_keep_parts)
    MODELS.attribute(_short, *_names)(_part_of)
MODELS.function("torch.utils.data.get_worker_info")(nothing)


@MODELS.method("SobolEngine", "draw", "draw_base2")
def _quasirandom(interpreter: Interpreter, call: Call) -> Value:
    """Return points of the unit cube in as many dimensions as the engine was made for."""
    count = call.given(0, "m" if call.name.endswith("2") else "n") or Value(1)
    if call.name.endswith("2"):
        power = count.data
        known = 2**power if type(power) is int and 0 <= power < 40 else UNKNOWN
        count = Value(known, count.origins)
    owner = call.held
    dimension: Value | None = None
    if owner is not None:
        dimension = owner.args[0] if owner.args else owner.keywords.get("dimension")
    return tensor((count, dimension or Value(UNKNOWN)), "float32", *call.args)
