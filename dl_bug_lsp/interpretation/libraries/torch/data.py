"""PyTorch's data sets and loaders, optimizers, schedulers, devices, and saving.

Sources: PyTorch's documentation of ``torch.utils.data`` (``default_collate``), ``torch.optim`` and
``torch.device``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.torch.tensors import flag, kind_of, like, tensor, words
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Frame, Series
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    Lazy,
    LibraryObject,
    Origin,
    Raised,
    Table,
    Uneven,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


MAX_TEXTS = 256
MAX_SAMPLES = 256
NEAR_SAMPLES = 64
"""Samples that are looked at one after the other before others are."""
FIRST_SAMPLES = 4
"""Samples that are looked at before those with extreme numbers."""
MAX_EXTREMES = 16
SAMPLE_STEPS = 1_500
"""Steps after which no more samples of a data set are looked at."""
LOADER = words(
    "dataset batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last"
)


# --- data sets ------------------------------------------------------------------------------------


def made(call: Call, **state: Value) -> Value:
    """Return an object of a library's class with its parts by name."""
    data = LibraryObject(call.name, call.args, dict(call.keywords), call.place, state)
    return Value(data, merged(*call.args, *call.keywords.values()))


def length_of(interpreter: Interpreter, dataset: Value, place: Origin) -> Value:
    """Return the number of samples, unknown where it is not known; raise where it is negative."""
    data = dataset.data
    if isinstance(data, list | tuple | dict):
        return Value(len(data), dataset.origins)
    if isinstance(data, Array):
        return arrays.first_of(data) or unknown(dataset)
    if isinstance(data, Lazy):
        return data.length
    if isinstance(data, LibraryObject):
        model = MODELS.methods.get((data.short, "__len__"))
        if model is None:
            return unknown(dataset)
        return model(interpreter, Call("__len__", (), {}, place, dataset))
    if isinstance(data, Instance):
        if interpreter.method_of(dataset, "__len__") is None and is_stream(interpreter, dataset):
            return unknown(dataset)
        method = interpreter.attribute(dataset, "__len__", place)
        length = interpreter.call(method, (), {}, place)
        negative = arrays.below_zero(length)
        if negative is not None:
            raise Raised("value", "__len__() should return >= 0", negative)
        return length if size(length) is not None else Value(UNKNOWN, length.origins)
    return unknown(dataset)


def sample_of(interpreter: Interpreter, dataset: Value, place: Origin, number: int = 0) -> Value:
    """Return a sample of a data set, by the program's own ``__getitem__`` where it has one."""
    data = dataset.data
    if isinstance(data, list | tuple) and data:
        item = data[min(number, len(data) - 1)]
        return item if isinstance(item, Value) else unknown(dataset)
    if isinstance(data, LibraryObject):
        model = MODELS.methods.get((data.short, "__getitem__"))
        if model is None:
            return unknown(dataset)
        return model(interpreter, Call("__getitem__", (Value(number),), {}, place, dataset))
    if isinstance(data, Instance) and interpreter.method_of(dataset, "__getitem__") is not None:
        method = interpreter.attribute(dataset, "__getitem__", place)
        return interpreter.call(method, (Value(number),), {}, place)
    if isinstance(data, Array | Lazy | Instance):
        items = interpreter.iterate(dataset)
        if isinstance(items, Lazy):
            return items.item
        return items[0] if items else unknown(dataset)
    return unknown(dataset)


def samples_of(interpreter: Interpreter, dataset: Value, place: Origin) -> list[Value]:
    """Return the first samples of a data set, as many as `SAMPLE_STEPS` are enough for."""
    start = interpreter.left
    if is_stream(interpreter, dataset):
        items = interpreter.iterate(dataset)
        streamed = [items.item] if isinstance(items, Lazy) else items[:MAX_SAMPLES]
        return streamed or [unknown(dataset)]
    samples = [sample_of(interpreter, dataset, place)]
    held: object = dataset.data
    while isinstance(held, LibraryObject) and held.short == "Subset" and "dataset" in held.state:
        held = held.state["dataset"].data
    if isinstance(held, LibraryObject) and held.short == "ConcatDataset":
        held = [Value(UNKNOWN)]
    if not isinstance(held, Instance | list | tuple):
        return samples
    count = size(length_of(interpreter, dataset, place)) or 1
    for number in _looked_at(count, _extremes(held, count)):
        if start - interpreter.left >= SAMPLE_STEPS:
            break
        samples.append(sample_of(interpreter, dataset, place, number))
    return samples


def is_stream(interpreter: Interpreter, dataset: Value) -> bool:
    """Whether a data set can only be iterated over."""
    if interpreter.method_of(dataset, "__getitem__") is not None:
        return False
    return interpreter.method_of(dataset, "__iter__") is not None


def _looked_at(count: int, extremes: Sequence[int]) -> list[int]:
    """Return the samples after the first that are looked at, in the order of their use.

    They are the first ones, the ``extremes``, those near the first ones, and others evenly spread.
    """
    near = list(range(1, min(count, NEAR_SAMPLES)))
    rest = range(NEAR_SAMPLES, count)
    if count > MAX_SAMPLES:
        apart = MAX_SAMPLES - NEAR_SAMPLES
        rest = range(NEAR_SAMPLES, count, max((count - NEAR_SAMPLES) // apart, 1))
    numbers = [*near[:FIRST_SAMPLES], *extremes, *near[FIRST_SAMPLES:], *rest]
    return [number for number in dict.fromkeys(numbers) if number > 0][: MAX_SAMPLES - 1]


def _extremes(dataset: object, count: int) -> list[int]:
    """Return the samples that hold the least and the greatest numbers, most often what fails.

    They are those of the columns that a data set holds, an item for each sample.
    """
    found: dict[int, None] = {}
    for value in dataset.attributes.values() if isinstance(dataset, Instance) else ():
        for column in _columns(value.data):
            numbers = [(number, at) for at, number in enumerate(column) if number is not None]
            if len(column) == count and numbers:
                found[max(numbers)[1]] = found[min(numbers)[1]] = None
        items = value.data if isinstance(value.data, list | tuple) else ()
        if len(items) == count:
            empty = (at for at, item in enumerate(items) if _is_empty(item))
            found.update(dict.fromkeys(list(empty)[:1]))
    return list(found)[:MAX_EXTREMES]


def _columns(data: object) -> list[list[float | None]]:
    """Return the numbers of a column, of all of a table's, or the greatest of each item."""
    if isinstance(data, Frame):
        return [[_number(cell) for cell in cells] for cells in data.cells.values()]
    if isinstance(data, Series):
        return [[_number(cell) for cell in data.cells or ()]]
    if isinstance(data, list | tuple):
        return [[_greatest(item.data) for item in data if isinstance(item, Value)]]
    return []


def _is_empty(item: object, depth: int = 2) -> bool:
    """Whether an item, or one of its parts, holds nothing: no boxes, no words."""
    data = item.data if isinstance(item, Value) else item
    if isinstance(data, dict):
        return any(_is_empty(part, depth - 1) for part in data.values()) if depth else False
    if isinstance(data, Array):
        return data.shape is not None and any(size(length) == 0 for length in data.shape[:1])
    if not isinstance(data, list | tuple):
        return False
    return not data or (depth > 0 and any(_is_empty(part, depth - 1) for part in data[:8]))


def _number(cell: object) -> float | None:
    is_number = isinstance(cell, int | float) and cell == cell  # noqa: PLR0124 (not NaN)
    return cell if is_number and isinstance(cell, int | float) else None


def _greatest(data: object) -> float | None:
    """Return a number, or the greatest of those that an item holds."""
    if isinstance(data, list | tuple):
        numbers = [_number(item.data) for item in data if isinstance(item, Value)]
        return max((number for number in numbers if number is not None), default=None)
    return data.highest if isinstance(data, Array) else _number(data)


def joined(samples: Sequence[Value], strict: bool) -> Value:
    """Return one sample that stands for several: what differs is not known, or is bounded.

    Where ``strict`` their sizes must be the same.
    """
    joined_sample = samples[0]
    for other in samples[1:]:
        joined_sample = _both(joined_sample, other, strict)
    return joined_sample


def _both(a: Value, b: Value, strict: bool) -> Value:
    x, y = a.data, b.data
    if x is None or y is None:
        return a if x is None else b
    if isinstance(x, Array) and isinstance(y, Array):
        return _both_arrays(a, x, b, y, strict)
    if isinstance(x, tuple | list) and isinstance(y, tuple | list):
        if len(x) != len(y):
            if strict:
                message = "each element in list of batch should be of equal size"
                raise Raised("size", message, Value(len(x), a.origins), Value(len(y), b.origins))
            return unknown(a, b)
        items = [_both(i, j, strict) for i, j in zip(x, y, strict=True)]
        return Value(type(x)(items) if isinstance(x, list) else tuple(items), a.origins)
    if isinstance(x, dict) and isinstance(y, dict):
        items_of = {key: _both(x[key], y[key], strict) for key in x if key in y}
        return Value(items_of, a.origins)
    first, second = _bounds(x), _bounds(y)
    if first is None or second is None or first == second:
        return a
    low, high = min(first[0], second[0]), max(first[1], second[1])
    if (low, high) == first:
        return a
    return Value(Array((), "int64", "torch", "cpu", low, high), merged(a, b))


def _bounds(data: object) -> tuple[int, int] | None:
    """Return the least and the greatest that a whole number may be."""
    if type(data) is int:
        return data, data
    if not isinstance(data, Array) or data.shape != () or data.dtype != "int64":
        return None
    if data.lowest is None or data.highest is None:
        return None
    return data.lowest, data.highest


def _both_arrays(a: Value, x: Array, b: Value, y: Array, strict: bool) -> Value:
    shape = None
    if x.shape is not None and y.shape is not None and len(x.shape) == len(y.shape):
        shape = tuple(_dimension(i, j, strict) for i, j in zip(x.shape, y.shape, strict=True))
    lowest = None if x.lowest is None or y.lowest is None else min(x.lowest, y.lowest)
    highest = None if x.highest is None or y.highest is None else max(x.highest, y.highest)
    dtype = x.dtype if x.dtype == y.dtype else None
    extreme = highest != x.highest or lowest != x.lowest
    origins = merged(a, b) if extreme else a.origins
    return Value(Array(shape, dtype, x.library, x.device, lowest, highest), origins)


def _dimension(a: Value, b: Value, strict: bool) -> Value:
    if size(a) is not None and size(a) == size(b):
        return a
    if strict:
        return arrays.same(a, b, "stack expects each tensor to be equal size")
    return unknown(a, b)


@MODELS.function("torch.utils.data.TensorDataset")
def _tensor_dataset(_: Interpreter, call: Call) -> Value:
    tensors = [array(v) for v in call.args]
    first: Value | None = None
    for value, x in zip(call.args, tensors, strict=True):
        kind = kind_of(value)
        if kind is not None:
            message = f"TensorDataset takes Tensors: '{kind}' object has no size()"
            raise Raised("type", message, value)
        if x is not None and x.shape:
            message = "Size mismatch between tensors"
            first = x.shape[0] if first is None else arrays.same(first, x.shape[0], message)
    return made(call, length=first if first is not None else unknown(*call.args))


@MODELS.method("TensorDataset", "__getitem__")
def _row(_: Interpreter, call: Call) -> Value:
    data, key = call.held, call.given(0, "index")
    if data is None:
        return call.unknown()
    rows = []
    for value in data.args:
        x = array(value)
        if x is None:
            rows.append(unknown(value))
        elif key is not None and x.shape and size(key) is None and key.known:
            bounds = _slice_of(key)
            parts = [Value(None)] if bounds is not None else [key]
            rows.append(operators.indexed(value, parts, [bounds]))
        else:
            rows.append(like(x, x.shape[1:] if x.shape else None, value))
    return Value(tuple(rows), call.receiver.origins if call.receiver is not None else frozenset())


def _slice_of(key: Value) -> tuple[Value | None, ...] | None:
    """Return the bounds of a slice, None of other indices."""
    data = key.data
    if not isinstance(data, LibraryObject) or data.name != "builtins.slice":
        return None
    bounds: list[Value | None] = [None if b.data is None else b for b in data.args]
    return (*bounds, None, None, None)[:3]


@MODELS.attribute("TensorDataset", "tensors")
def _tensors(_: Interpreter, call: Call) -> Value:
    return call.unknown() if call.held is None else Value(call.held.args, merged(*call.held.args))


@MODELS.function("torch.utils.data.Subset")
def _subset(_: Interpreter, call: Call) -> Value:
    dataset, indices = call.given(0, "dataset"), call.given(1, "indices")
    length = unknown() if indices is None else _count(indices)
    parts = {"dataset": dataset or call.unknown(), "length": length}
    return made(call, **parts, indices=indices or call.unknown())


def _count(value: Value) -> Value:
    if isinstance(value.data, list | tuple | dict):
        return Value(len(value.data), value.origins)
    x = array(value)
    if x is not None and x.shape:
        return x.shape[0]
    return value.data.length if isinstance(value.data, Lazy) else unknown(value)


@MODELS.function("torch.utils.data.random_split")
def _random_split(interpreter: Interpreter, call: Call) -> Value:
    dataset, lengths = call.given(0, "dataset"), call.given(1, "lengths")
    if dataset is None or lengths is None or not isinstance(lengths.data, list | tuple):
        return call.unknown()
    total = length_of(interpreter, dataset, call.place)
    numbers = [v.data for v in lengths.data]
    whole = [size(v) for v in lengths.data]
    sizes: list[Value] = list(lengths.data)
    if any(isinstance(n, float) for n in numbers) and all(
        isinstance(n, int | float) for n in numbers
    ):
        asked = sum(float(n) for n in numbers if isinstance(n, int | float))
        if asked > 1.000001:
            message = "Sum of input lengths does not equal the length of the input dataset!"
            raise Raised("size", message, Value(UNKNOWN, merged(*sizes)), total)
        sizes = [Value(UNKNOWN, merged(v, total)) for v in sizes]
    elif None not in whole and size(total) is not None:
        given = sum(n or 0 for n in whole)
        if given != size(total):
            message = "Sum of input lengths does not equal the length of the input dataset!"
            raise Raised("size", message, Value(given, merged(*sizes)), total)
    parts = []
    for length in sizes:
        count = length if size(length) is not None else unknown(length)
        high = size(total)
        index = arrays.number("int64", total, lowest=0, highest=None if high is None else high - 1)
        state = {"dataset": dataset, "length": count, "indices": Value(Lazy(index, count))}
        data = LibraryObject("torch.utils.data.Subset", call.args, {}, call.place, state)
        parts.append(Value(data, dataset.origins))
    return Value(parts, dataset.origins)


@MODELS.method("Subset", "__getitem__")
def _of_subset(interpreter: Interpreter, call: Call) -> Value:
    """Return the sample at a position of the indices, else the first one."""
    held, indices = _held(call), _held(call, "indices")
    if held is None:
        return call.unknown()
    asked = size(call.given(0, "idx")) or 0
    items = None if indices is None else _positions(indices)
    # Of indices that chance chooses each sample is as likely as another.
    number = items[asked] if items is not None and -len(items) <= asked < len(items) else asked
    return sample_of(interpreter, held, call.place, number)


def _positions(indices: Value) -> list[int] | None:
    """Return positions that are all known, None of others."""
    data = indices.data
    items: Sequence[object] | None = None
    if isinstance(data, list | tuple):
        items = [item.data for item in data if isinstance(item, Value)]
    elif isinstance(data, Series):
        items = data.cells
    known = [item for item in items or () if type(item) is int]
    return known if items is not None and len(known) == len(items) else None


def _held(call: Call, name: str = "dataset") -> Value | None:
    data = call.held
    return data.state.get(name) if data is not None else None


@MODELS.method("TensorDataset", "__len__")
@MODELS.method("Subset", "__len__")
@MODELS.method("ConcatDataset", "__len__")
def _length(_: Interpreter, call: Call) -> Value:
    return _held(call, "length") or call.unknown()


@MODELS.function("torch.utils.data.ConcatDataset")
def _concat(interpreter: Interpreter, call: Call) -> Value:
    parts = call.given(0, "datasets")
    if parts is None or not isinstance(parts.data, list | tuple) or not parts.data:
        return made(call)
    lengths = [length_of(interpreter, p, call.place) for p in parts.data]
    numbers = [size(v) for v in lengths]
    total = None if None in numbers else sum(n or 0 for n in numbers)
    length = Value(UNKNOWN if total is None else total, merged(*lengths))
    return made(call, dataset=parts.data[0], length=length, datasets=parts)


@MODELS.attribute("Subset", "dataset", "indices")
@MODELS.attribute("ConcatDataset", "datasets")
def _part(_: Interpreter, call: Call) -> Value:
    return call.state.get(call.name, call.unknown())


@MODELS.method("ConcatDataset", "__getitem__")
def _of_parts(interpreter: Interpreter, call: Call) -> Value:
    """Return a sample of the data set that its number falls into."""
    parts, number = _held(call, "datasets"), size(call.given(0, "idx")) or 0
    if parts is None or not isinstance(parts.data, list | tuple):
        return call.unknown()
    for part in parts.data:
        count = size(length_of(interpreter, part, call.place))
        if count is None or number < count:
            return sample_of(interpreter, part, call.place, number)
        number -= count
    return sample_of(interpreter, parts.data[0], call.place)


# --- loaders --------------------------------------------------------------------------------------


@MODELS.function("torch.utils.data.DataLoader", "torch.DataLoader")
def _loader(interpreter: Interpreter, call: Call) -> Value:
    state = {**dict(zip(LOADER, call.args, strict=False)), **call.keywords}
    batch = state.get("batch_size")
    if batch is not None and batch.data is not None and batch.known:
        number = size(batch)
        if number is None or number < 1:
            kind = "type" if number is None and not isinstance(batch.data, float) else "value"
            raise Raised(kind, "batch_size should be a positive integer value", batch)
    shuffle, sampler = flag(state.get("shuffle"), default=False), state.get("sampler")
    if shuffle and sampler is not None and sampler.data is not None and sampler.known:
        raise Raised("value", "sampler option is mutually exclusive with shuffle", sampler)
    dataset = state.get("dataset")
    if shuffle and dataset is not None:
        count = length_of(interpreter, dataset, call.place)
        if size(count) == 0:
            raise Raised("value", "num_samples should be a positive integer value", count)
    return made(call, **state)


@MODELS.method("DataLoader", "__len__")
def _batches(interpreter: Interpreter, call: Call) -> Value:
    state = call.state
    dataset = state.get("dataset")
    if dataset is None:
        return call.unknown()
    total = length_of(interpreter, dataset, call.place)
    batch = state.get("batch_size", Value(1))
    by_batches, by_samples = state.get("batch_sampler"), state.get("sampler")
    if by_batches is not None and by_batches.data is not None:
        return length_of(interpreter, by_batches, call.place)
    if by_samples is not None and by_samples.data is not None:
        total = length_of(interpreter, by_samples, call.place)
    count, number = size(total), size(batch)
    drop = flag(state.get("drop_last"), default=False)
    if count is None or not number or drop is None:
        return unknown(total, batch)
    if not count:
        return total
    kind = Uneven if count % number and not drop else Value
    return kind(count // number if drop else -(-count // number), merged(total, batch))


@MODELS.method("DataLoader", "__iter__")
def _iterated(interpreter: Interpreter, call: Call) -> Value:
    state = call.state
    dataset = state.get("dataset")
    if dataset is None:
        return Value(Lazy(call.unknown(), Value(UNKNOWN)))
    batch = state.get("batch_size", Value(1))
    length = _batches(interpreter, call)
    if size(length) == 0:
        return Value(Lazy(call.unknown(), length))
    custom = state.get("collate_fn")
    has_own = custom is not None and custom.data is not None
    alone = batch.data is None or size(batch) == 1 or has_own
    order = _order(interpreter, state)
    numbers = _numbers_at_once(interpreter, state, order)
    if batch.data is None and numbers is not None:
        sampler = state.get("sampler", call.unknown())
        rounds = length_of(interpreter, sampler, call.place)
        return Value(Lazy(_at_all(interpreter, dataset, numbers, call.place), rounds))
    total = size(length_of(interpreter, dataset, call.place))
    first = _likely(order, _extremes(dataset.data, total or 0))
    if first and len(first) != total:
        samples = _samples_at(interpreter, dataset, first, call)
    else:
        samples = samples_of(interpreter, dataset, call.place)
    sample = joined(samples, strict=not alone and interpreter.is_failing())
    if batch.data is None and "batch_sampler" not in state:
        if custom is None or custom.data is None:
            item = sample
        else:
            item = interpreter.call(custom, (sample,), {}, call.place)
        return Value(Lazy(item, length_of(interpreter, dataset, call.place)))
    count = _first_batch(interpreter, dataset, batch, state, call.place)
    chosen = _chosen(interpreter, state)
    if chosen is not None:
        count, length = chosen
        if order and isinstance(order[0], list):
            count = Value(len(first), count.origins)
    if custom is not None and custom.data is not None:
        number = size(count)
        many = Value(Lazy(sample, count), sample.origins)
        last = _last_batch(interpreter, call, count) if chosen is None else None
        fewer = Value(Lazy(sample, last), sample.origins) if last is not None else None
        if number is not None and number <= MAX_TEXTS:
            listed = [samples[i % len(samples)] for i in range(number)]
            many = Value(listed, count.origins)
            if last is not None:
                fewer = Value(listed[: size(last)], last.origins)
        item = interpreter.call(custom, (many,), {}, call.place)
        others = () if fewer is None else (interpreter.call(custom, (fewer,), {}, call.place),)
        return Value(Lazy(item, length, others))
    last = _last_batch(interpreter, call, count) if chosen is None else None
    smaller = () if last is None else (_of_loader(collated(sample, last), call),)
    return Value(Lazy(_of_loader(collated(sample, count), call), length, smaller))


def _of_loader(batch: Value, call: Call) -> Value:
    """Return a batch with the place of its loader where it is a container that this one made."""
    loader = call.receiver.data if call.receiver is not None else None
    if not isinstance(batch.data, (list, dict)) or not isinstance(loader, LibraryObject):
        return batch
    return Value(batch.data, batch.origins | {loader.made})


MOST_IN_BATCH = 64
"""Samples of a batch whose numbers are known that are looked at."""


def _order(interpreter: Interpreter, state: dict[str, Value]) -> list[Any]:
    """Return the numbers of samples, or of those of batches, in the order that a sampler gives.

    Empty where they are not all known: chance may give another order.
    """
    given = state.get("batch_sampler", state.get("sampler"))
    if given is None or not isinstance(given.data, Instance | list | tuple):
        return []
    items = interpreter.iterate(given)
    if not isinstance(items, list):
        return []
    batches = [_positions(item) for item in items if isinstance(item.data, list | tuple)]
    known = [batch for batch in batches if batch]
    if known and len(known) == len(items):
        return known
    numbers = _positions(Value(items))
    return numbers or []


def _numbers_at_once(
    interpreter: Interpreter, state: dict[str, Value], order: list[Any]
) -> Value | None:
    """Return the numbers that a sampler of batches in the place of one of samples hands on."""
    if order:
        return Value([Value(n) for n in order[0]]) if isinstance(order[0], list) else None
    sampler = state.get("sampler")
    data = None if sampler is None else sampler.data
    if sampler is None or not isinstance(data, LibraryObject) or data.short != "BatchSampler":
        return None
    items = interpreter.iterate(sampler)
    return items.item if isinstance(items, Lazy) else items[0] if items else None


def _likely(order: list[Any], extremes: Sequence[int]) -> list[int]:
    """Return the whole batch that holds the sample that most often fails, else the first one."""
    if not order or not isinstance(order[0], list):
        return order
    first: list[int] = order[0]
    for batch in order:
        if extremes and extremes[0] in batch and len(batch) >= len(first):
            return list(batch)
    return first


def _samples_at(
    interpreter: Interpreter, dataset: Value, numbers: Sequence[int], call: Call
) -> list[Value]:
    """Return the samples of some numbers, as many as `SAMPLE_STEPS` are enough for."""
    start, samples = interpreter.left, []
    for number in list(numbers)[:MOST_IN_BATCH]:
        samples.append(sample_of(interpreter, dataset, call.place, number))
        if start - interpreter.left >= SAMPLE_STEPS:
            break
    return samples or [sample_of(interpreter, dataset, call.place)]


def _at_all(interpreter: Interpreter, dataset: Value, numbers: Value, place: Origin) -> Value:
    """Return what a data set gives for a list of numbers."""
    data = dataset.data
    if isinstance(data, LibraryObject):
        model = MODELS.methods.get((data.short, "__getitem__"))
        if model is not None:
            return model(interpreter, Call("__getitem__", (numbers,), {}, place, dataset))
    if isinstance(data, Instance) and interpreter.method_of(dataset, "__getitem__") is not None:
        method = interpreter.attribute(dataset, "__getitem__", place)
        return interpreter.call(method, (numbers,), {}, place)
    return unknown(dataset)


OF_ONE = re.compile(
    r"zero-dimensional tensor|iteration over a 0-d|more than 1 value per channel"
    r"|has no dimensions|0D or 1D target|torch\.Size\(\[\]\)"
)
"""What messages say where a batch of one sample has lost an axis, or is too small."""
OF_SIZES = re.compile(r"(?i)size|shape|dimension|batch|broadcast|channel|elements")


def _last_batch(interpreter: Interpreter, call: Call, count: Value) -> Value | None:
    """Return the number of samples of a last batch that is smaller than the others.

    None where there is none, or the failure's message speaks of no sizes. Where the message shows
    a batch of one, it is taken to be one, and where it is not known how many samples there are, the
    number that the message sets against that of a whole batch. The loader that keeps such a batch
    has a part in its size.
    """
    state = call.state
    number, drop = size(count), flag(state.get("drop_last"), default=False)
    dataset = state.get("dataset")
    if dataset is None or not number or drop is not False or "sampler" in state:
        return None
    of_one = OF_ONE.search(interpreter.message) is not None
    if not of_one and not OF_SIZES.search(interpreter.message):
        return None
    # This follows the dataset's `__len__`.
    total = length_of(interpreter, dataset, call.place)
    loader = call.receiver.data if call.receiver is not None else None
    keeps = frozenset({loader.made}) if isinstance(loader, LibraryObject) else frozenset()
    origins = merged(total, count) | keeps
    if of_one:
        # How many samples are left after a filter is often only supposed.
        return Value(1, origins) if number > 1 else None
    samples = size(total)
    if samples is None:
        told = interpreter.comparisons.reported
        rest = next((min(pair) for pair in sorted(told) if max(pair) == number), 0)
    else:
        rest = samples % number if samples > number else 0
    return Value(rest, origins) if rest else None


def _chosen(interpreter: Interpreter, state: dict[str, Value]) -> tuple[Value, Value] | None:
    """Return the size of a batch and the number of batches that a sampler of batches gives.

    None without one. A sampler of samples is followed for its effects.
    """
    sampler = state.get("sampler")
    if sampler is not None and isinstance(sampler.data, Instance):
        interpreter.iterate(sampler)
    given = state.get("batch_sampler")
    if given is None or given.data is None:
        return None
    items = interpreter.iterate(given)
    if isinstance(items, list) and not items:
        return None
    first = items.item if isinstance(items, Lazy) else items[0] if items else Value(UNKNOWN)
    length = items.length if isinstance(items, Lazy) else Value(len(items), given.origins)
    if isinstance(given.data, Instance) and interpreter.method_of(given, "__len__") is not None:
        length = length_of(interpreter, given, next(iter(given.origins), ("", 0)))
    sizes = {len(item.data) for item in ([first] if isinstance(items, Lazy) else items)
             if isinstance(item.data, list | tuple)}  # fmt: skip
    count = Value(sizes.pop(), given.origins) if len(sizes) == 1 else unknown(given)
    return count, length


def _first_batch(
    interpreter: Interpreter, dataset: Value, batch: Value, state: dict[str, Value], place: Origin
) -> Value:
    """Return the number of samples of the first batch."""
    number = size(batch)
    if number is None or "batch_sampler" in state:
        return unknown(batch)
    if "sampler" in state:
        return batch
    total = length_of(interpreter, dataset, place)
    count = size(total)
    return total if count is not None and count < number else batch


def collated(sample: Value, count: Value) -> Value:
    """Return a batch of samples (PyTorch, ``torch.utils.data.default_collate``)."""
    data = sample.data
    if isinstance(data, Array):
        if data.library not in ("torch", "numpy", "python") or data.dtype in ("object", "str"):
            raise Raised("type", "default_collate: batch must contain tensors or numbers", sample)
        # The number of samples goes into the first size, not into what the batch holds.
        if data.shape is None:
            return tensor_like(data, None, sample, count)
        return tensor_like(data, (count, *data.shape), sample)
    if isinstance(data, bool | int | float):
        dtype = (
            "bool" if isinstance(data, bool) else "int64" if isinstance(data, int) else "float64"
        )
        return tensor((count,), dtype, sample, device="cpu")
    if isinstance(data, str):
        number = size(count)
        if number is not None and 0 < number <= MAX_TEXTS:
            others = (Value(UNKNOWN, sample.origins),) * (number - 1)
            return Value((sample, *others), merged(sample, count))
        return Value(Lazy(sample, count), merged(sample, count))
    if isinstance(data, tuple | list):
        items: Sequence[Value] = data
        return Value([collated(v, count) for v in items], sample.origins)
    if isinstance(data, dict):
        return Value({key: collated(v, count) for key, v in data.items()}, sample.origins)
    if data is None or isinstance(data, Table | set) or _is_image(data):
        kind = data.short if isinstance(data, LibraryObject) else type(data).__name__
        message = f"default_collate: batch must contain tensors or numbers; found {kind}"
        raise Raised("type", message, sample)
    return unknown(sample, count)


def _is_image(data: object) -> bool:
    return isinstance(data, LibraryObject) and data.name.startswith("PIL.")


def tensor_like(x: Array, shape: Sequence[Value] | None, *parts: Value) -> Value:
    """Return a tensor of another shape with an array's dtype and bounds."""
    result = like(x, shape, *parts)
    data = array(result)
    if data is not None and x.library != "torch":
        data.library, data.device = "torch", "cpu"
    return result


@MODELS.function("torch.utils.data.default_collate", "torch.default_collate")
def _default_collate(_: Interpreter, call: Call) -> Value:
    batch = call.given(0, "batch")
    if batch is None or not isinstance(batch.data, list | tuple) or not batch.data:
        return call.unknown()
    whole = joined(list(batch.data), strict=False)
    return collated(whole, Value(len(batch.data), batch.origins))


# --- devices, saving, seeds -----------------------------------------------------------------------


@MODELS.function("torch.device")
def _device(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "type", "device")
    if given is not None and isinstance(given.data, LibraryObject):
        return given
    if given is None or not given.known:
        return call.unknown()
    if isinstance(given.data, str):
        kind, _separator, number = given.data.partition(":")
        if kind not in KINDS or (number and not number.isdigit()):
            raise Raised("value", f"Invalid device string: '{given.data}'", given)
        index = call.given(1, "index")
        if index is not None and size(index) is not None:
            given = Value(f"{kind}:{index.data}", merged(given, index))
    return Value(LibraryObject("torch.device", (given,), {}, call.place), given.origins)


KINDS = words(
    "cpu cuda mps xpu meta hpu ipu xla vulkan mkldnn opengl hip opencl ideep fpga maia "
    "lazy mtia ve ort privateuseone"
)


@MODELS.attribute("device", "type", "index")
def _device_part(_: Interpreter, call: Call) -> Value:
    data = call.held
    if data is None or not data.args or not isinstance(data.args[0].data, str):
        return call.unknown()
    kind, _separator, number = data.args[0].data.partition(":")
    if call.name == "type":
        return Value(kind, data.args[0].origins)
    return Value(int(number) if number.isdigit() else None, data.args[0].origins)


@MODELS.function("torch.set_grad_enabled")
def _saved(_: Interpreter, call: Call) -> Value:
    return Value(None)


@MODELS.function("torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all")
def _seed(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "seed")
    if value is not None and isinstance(value.data, str) and not value.data.lstrip("-").isdigit():
        raise Raised("value", "invalid literal for int() with base 10", value)
    return call.unknown()
