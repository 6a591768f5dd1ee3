"""PyTorch's state dicts, saved objects and packed sequences.

Sources: PyTorch's documentation of ``Module.state_dict`` and ``load_state_dict``, ``torch.save``
and ``torch.load``, ``torch.nn.utils.rnn``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.python.files import PICKLE, keep, kept_in
from dl_bug_lsp.interpretation.libraries.torch.layers import CONTAINERS, MODULES, SIGNATURES
from dl_bug_lsp.interpretation.libraries.torch.parameters import WRAPPERS, stored
from dl_bug_lsp.interpretation.libraries.torch.tensors import flag, kind_of, tensor
from dl_bug_lsp.interpretation.model_helpers import itself, text_of
from dl_bug_lsp.interpretation.models import MODELS, Call, state_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    PARTS,
    UNKNOWN,
    Array,
    Instance,
    LibraryObject,
    Longest,
    Raised,
    Value,
    merged,
    rest_of,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_PARTS = 400
MAX_DEPTH = 12
MISMATCH = re.compile(
    r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\(\[([\d, ]*)\]\) from "
    r"checkpoint, the shape in current model is torch\.Size\(\[([\d, ]*)\]\)"
)
"""What ``load_state_dict`` says of a parameter of another size."""
KEYS = re.compile(r"(Missing|Unexpected) key\(s\) in state_dict: ([^\n]*)")
WHOLE_MESSAGE = "Error(s) in loading state_dict"
QUOTED = re.compile(r'"([\w.]+)"')
MAX_NAMES = 4


def parts_of(value: Value, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    """Yield the modules in a module with their dotted names, itself first."""
    yield prefix, value
    if depth >= MAX_DEPTH:
        return
    state = state_of(value) or {}
    inner: dict[str, Value] = {}
    held = state.get(PARTS)
    if held is not None and isinstance(held.data, list):
        inner.update((str(i), item) for i, item in enumerate(held.data) if isinstance(item, Value))
    elif held is not None and isinstance(held.data, dict):
        inner.update((str(name), item) for name, item in held.data.items())
    for name, item in state.items():
        if is_module(item) and name not in (PARTS, "trainer"):
            inner.setdefault(name, item)
    for name, item in inner.items():
        yield from parts_of(item, f"{prefix}.{name}" if prefix else name, depth + 1)


def is_module(value: Value) -> bool:
    """Whether a value is a module of a library, or an object of the program that holds some."""
    data = value.data
    if isinstance(data, LibraryObject):
        return data.name.startswith("torch.nn.")
    return isinstance(data, Instance)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.strip()]


def of_stored_file(message: str) -> str:
    """Return what a message says of a stored state, which no edit of the program changes."""
    told = (MISMATCH, KEYS)
    return "\n".join(match[0] for pattern in told for match in pattern.finditer(message))


def _sizes(parameter: Value | None) -> list[int] | None:
    """Return the sizes of a parameter, None where they are not all known."""
    shape = None if (held := array(parameter)) is None else held.shape
    sizes = None if shape is None else [size(dim) for dim in shape]
    known = [number for number in sizes or () if number is not None]
    return known if sizes is not None and len(known) == len(sizes) else None


def _module_named(module: Value, name: str) -> Value | None:
    """Return the innermost module that a parameter's dotted name leads to."""
    part_named: Value | None = None
    for number, (path, part) in enumerate(parts_of(module)):
        if number > MAX_PARTS:
            break
        if path and (name == path or name.startswith(f"{path}.")):
            part_named = part
    return part_named


def _load_state(interpreter: Interpreter, call: Call) -> Value:
    """Raise at the failing line where the message names parameters of the module."""
    module, given = call.receiver, call.given(0, "state_dict")
    if module is None:
        return call.unknown()
    # A run with an edit has other parameters than the message says, and the same stored file.
    is_edited = WHOLE_MESSAGE not in interpreter.message
    is_known = given is not None and isinstance(given.data, dict)
    if not interpreter.is_failing() or (is_edited and is_known):
        return _loaded(interpreter, call, module, given)
    sides: list[tuple[str, int, Value]] = []
    now = dict(stored(module, "parameter", "buffer") or ()) if is_edited else {}
    for name, saved, own in MISMATCH.findall(interpreter.message)[:MAX_NAMES]:
        part = _module_named(module, name)
        sizes_now = _sizes(now.get(name)) or _numbers(own)
        both = enumerate(zip(_numbers(saved), sizes_now, strict=False))
        differing = [(axis, mine) for axis, (other, mine) in both if mine != other]
        if part is None or not differing:
            continue
        wanted = [mine for _, mine in differing]
        sizes = [
            value
            for key, value in (state_of(part) or {}).items()
            if key != PARTS and size(value) in wanted
        ]
        side = Value(wanted[0], merged(*sizes)) if sizes else _made(part)
        sides.append((name, differing[0][0], side))
    if sides:
        name, axis, side = sides[0]
        # What made all sizes that differ is likelier than what made one of them.
        shared = frozenset.intersection(*(held.origins for *_, held in sides)) or side.origins
        # A command may give the stored file and a size in one line.
        other = Value(UNKNOWN, given.origins - shared if given is not None else NOWHERE)
        other = _stored_size(given, name, axis) or other
        raise Raised("size", f"size mismatch for {name}", Value(side.data, shared), other)
    for kind, names in KEYS.findall(interpreter.message):
        fails = [n for n in QUOTED.findall(names) if not now or (n in now) == (kind == "Missing")]
        parts = [_module_named(module, name) for name in fails[:MAX_NAMES]]
        known = [_made(part) for part in parts if part is not None]
        if known:
            other = unknown(given) if given is not None else Value(UNKNOWN)
            raise Raised("key", "keys of the state dict", Value(UNKNOWN, merged(*known)), other)
    return _loaded(interpreter, call, module, given)


KEPT_BY_HAND = ("load_state_dict", "_load_from_state_dict", "state_dict")
"""Methods with which classes of a program read or write their state in ways of their own."""


def _loaded(interpreter: Interpreter, call: Call, module: Value, given: Value | None) -> Value:
    """Compare a dictionary of the run's own with the module that takes it over, by its names.

    Sizes that differ fail in every mode; names that differ fail where ``strict`` is on.
    """
    kind = None if given is None else kind_of(given)
    no_table = array(given) is not None or kind in ("NoneType", "bool", "int", "float", "str")
    if given is not None and (no_table or kind in ("list", "tuple")):
        raise Raised("type", "Expected state_dict to be dict-like", given)
    own = stored(module, "parameter", "buffer")
    held = None if given is None else given.data
    by_hand = any(
        interpreter.method_of(part, name) is not None
        for _, part in parts_of(module)
        for name in KEPT_BY_HAND
    )
    if own is None or by_hand or given is None or not isinstance(held, dict) or rest_of(held):
        return _differences(call, unknown(), unknown())
    names = dict(own)
    # What has no record of its version may lack these.
    missing = [n for n in names if n not in held and not n.endswith("num_batches_tracked")]
    more = [str(name) for name in held if name not in names]
    for name, value in held.items():
        _fits(str(name), names.get(name), value)
    if (missing or more) and flag(call.given(1, "strict"), default=True):
        parts = [_module_named(module, name) for name in (missing or more)[:MAX_NAMES]]
        lacking = merged(*(_made(part) for part in parts if part is not None))
        others = merged(given, *(held[name] for name in more[:MAX_NAMES] if name in held))
        wanted = Value(missing[0] if missing else UNKNOWN, lacking)
        raise Raised("key", "keys of the state dict", wanted, Value(UNKNOWN, others))
    texts = [Value([Value(name) for name in side]) for side in (missing, more)]
    return _differences(call, *texts)


def _fits(name: str, own: Value | None, given: Value) -> None:
    """Raise where a parameter that is loaded has another size than the module's."""
    a, b = array(own), array(given)
    if a is None or b is None or a.shape is None or b.shape is None:
        return
    message = f"size mismatch for {name}"
    if len(a.shape) != len(b.shape):
        ranks = Value(len(a.shape), merged(own or given)), Value(len(b.shape), given.origins)
        raise Raised("size", message, *ranks)
    for mine, other in zip(a.shape, b.shape, strict=True):
        if size(mine) is not None and size(other) is not None and size(mine) != size(other):
            raise Raised("size", message, mine, other)


def _differences(call: Call, missing: Value, unexpected: Value) -> Value:
    """Return what ``load_state_dict`` gives: the names that only one side has."""
    state = {"missing_keys": missing, "unexpected_keys": unexpected}
    name = "torch.nn.modules.module._IncompatibleKeys"
    return Value(LibraryObject(name, (), {}, call.place, state))


@MODELS.method("_IncompatibleKeys", "__iter__")
def _both_lists(_: Interpreter, call: Call) -> Value:
    return Value((call.state["missing_keys"], call.state["unexpected_keys"]))


def _stored_size(given: Value | None, name: str, axis: int) -> Value | None:
    """Return the size of a stored tensor along an axis, where it is known what was stored."""
    held = given.data.get(name) if given is not None and isinstance(given.data, dict) else None
    stored = array(held) if held is not None else None
    shape = () if stored is None or stored.shape is None else stored.shape
    return shape[axis] if axis < len(shape) and size(shape[axis]) is not None else None


def _made(part: Value) -> Value:
    """Return the place where a module of a library was made as a value."""
    data = part.data
    origins = frozenset({data.made}) if isinstance(data, LibraryObject) else frozenset()
    return Value(UNKNOWN, part.origins | origins)


for _short in (*MODULES, *SIGNATURES, *CONTAINERS, *WRAPPERS):
    MODELS.method(_short, "load_state_dict")(_load_state)


# --- saving and loading ---------------------------------------------------------------------------


@MODELS.function("torch.save", "joblib.dump", "pickle.dump", "cloudpickle.dump", "dill.dump")
def _save(interpreter: Interpreter, call: Call) -> Value:
    given, path = call.given(0, "obj", "value"), call.given(1, "f", "filename", "file")
    keep(interpreter, path, PICKLE, given)
    if call.name == "joblib.dump":
        # The names of the files that were written.
        name = text_of(path)
        return call.unknown() if name is None else Value([Value(name, merged(*call.args))])
    return Value(None)


@MODELS.function("torch.load", "joblib.load", "pickle.load", "cloudpickle.load", "dill.load")
def _load(interpreter: Interpreter, call: Call) -> Value:
    """Return what the same run, or a command before it, saved under a path."""
    saved = kept_in(interpreter, call.given(0, "f", "filename", "file"), PICKLE)
    return call.unknown() if saved is None else saved


# --- packed sequences -----------------------------------------------------------------------------

PACKED = "torch.nn.utils.rnn.PackedSequence"


@MODELS.function("torch.nn.utils.rnn.pack_padded_sequence")
def _pack(interpreter: Interpreter, call: Call) -> Value:
    value, lengths = call.given(0, "input"), call.given(1, "lengths")
    if value is None or lengths is None:
        return call.unknown()
    held, counted = array(value), array(lengths)
    first = flag(call.given(2, "batch_first"), default=False)
    if counted is not None and counted.device is not None and counted.device != "cpu":
        message = "'lengths' argument should be a 1D CPU int64 tensor"
        raise Raised("value", message, lengths)
    if counted is not None and counted.lowest is not None and counted.lowest <= 0:
        message = "Length of all samples has to be greater than 0"
        raise Raised("value", message, lengths)
    shape = None if held is None else held.shape
    if shape is not None and len(shape) > 1 and first is not None and counted is not None:
        rows = shape[0 if first else 1]
        for count in (counted.shape or ())[:1]:
            if size(rows) is not None and size(count) is not None and size(rows) != size(count):
                raise Raised("size", "Expected `len(lengths)` to be the batch size", rows, count)
    state = {"padded": value, "lengths": lengths}
    if first is not None:
        state["first"] = Value(first)
        if shape is not None and len(shape) > 1 and isinstance(shape[0 if first else 1], Longest):
            # Where the lengths are put in order, PyTorch takes any rows, and the layer fails later.
            if interpreter.target == call.place:
                raise _turned_round(shape, first=first)
            state["turned"] = Value(True)
    data = LibraryObject(PACKED, call.args, dict(call.keywords), call.place, state)
    return Value(data, merged(value, lengths))


def _turned_round(shape: tuple[Value, ...], *, first: bool) -> Raised:
    """Return the failure of padded sequences of which the steps are taken for the batch."""
    steps, batch = (shape[0], shape[1]) if first else (shape[1], shape[0])
    made = Value(UNKNOWN, steps.origins)
    return Raised("size", "the lengths are not those of the steps", made, batch)


def _numbers_in(lengths: Value | None) -> list[int] | None:
    """Return the lengths of sequences, None where they are not all known."""
    if lengths is None:
        return None
    items = lengths.data
    if not isinstance(items, (list, tuple)):
        return None
    numbers = [size(item) for item in items]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def _longest_of(lengths: Value) -> Value:
    """Return the longest of the lengths of sequences."""
    numbers = _numbers_in(lengths)
    return Value(max(numbers) if numbers else UNKNOWN, lengths.origins)


@MODELS.function("torch.nn.utils.rnn.pack_sequence")
def _pack_all(interpreter: Interpreter, call: Call) -> Value:
    """Return sequences of a list, packed: as padded and packed with their lengths."""
    given = call.given(0, "sequences")
    pad = MODELS.functions["torch.nn.utils.rnn.pad_sequence"]
    if given is None:
        return call.unknown()
    padded = pad(interpreter, Call("pad_sequence", (given,), {}, call.place))
    items = interpreter.iterate(given)
    lengths = unknown(given)
    if isinstance(items, list):
        shapes = [x.shape if x is not None else None for x in map(array, items)]
        lengths = Value([s[0] if s else unknown(given) for s in shapes], given.origins)
    state = {"padded": padded, "lengths": lengths, "first": Value(False)}
    data = LibraryObject(PACKED, call.args, dict(call.keywords), call.place, state)
    return Value(data, merged(padded, lengths))


@MODELS.attribute("PackedSequence", "data")
def _elements(_: Interpreter, call: Call) -> Value:
    """Return the elements of packed sequences, one below the other."""
    padded, lengths = call.state.get("padded"), call.state.get("lengths")
    x = array(padded)
    if padded is None or x is None or x.shape is None or len(x.shape) < 2:
        return call.unknown()
    numbers = _numbers_in(lengths)
    count = Value(UNKNOWN if numbers is None else sum(numbers), merged(lengths or padded))
    return tensor((count, *x.shape[2:]), x.dtype, padded, device=x.device)


@MODELS.method("PackedSequence", "__iter__", "__getitem__")
def _as_tuple(interpreter: Interpreter, call: Call) -> Value:
    """Return the parts of packed sequences, which are a tuple with names."""
    if call.receiver is None:
        return call.unknown()
    names = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
    parts = [interpreter.attribute(call.receiver, name, call.place) for name in names]
    at = size(call.args[0]) if call.args else None
    if not call.args:
        return Value(tuple(parts))
    return parts[at] if at is not None and -4 <= at < 4 else call.unknown()


@MODELS.attribute("PackedSequence", "batch_sizes")
def _batch_sizes(_: Interpreter, call: Call) -> Value:
    lengths = call.state.get("lengths")
    if lengths is None:
        return call.unknown()
    return tensor((_longest_of(lengths),), "int64", lengths)


@MODELS.attribute("PackedSequence", "sorted_indices", "unsorted_indices")
def _order(_: Interpreter, call: Call) -> Value:
    lengths = call.state.get("lengths")
    counted = array(lengths)
    if lengths is None or counted is None or counted.shape is None:
        return call.unknown()
    return tensor(counted.shape, "int64", lengths)


for _name in ("to", "cuda", "cpu", "float", "double", "half", "pin_memory"):
    MODELS.method("PackedSequence", _name)(itself)


@MODELS.function("torch.nn.utils.rnn.PackedSequence")
def _packed_again(_: Interpreter, call: Call) -> Value:
    """Return packed sequences that are made of the elements of others."""
    elements, sizes = call.given(0, "data"), call.given(1, "batch_sizes")
    x, counted = array(elements), array(sizes)
    if elements is None or x is None or x.shape is None or counted is None:
        return call.unknown()
    free = Value(UNKNOWN, elements.origins)
    steps = counted.shape[0] if counted.shape else free
    padded = tensor((steps, free, *x.shape[1:]), x.dtype, elements, device=x.device)
    state = {"padded": padded, "lengths": unknown(elements), "first": Value(False)}
    data = LibraryObject(PACKED, call.args, dict(call.keywords), call.place, state)
    return Value(data, merged(*call.args))


@MODELS.function("torch.nn.utils.rnn.unpad_sequence")
def _unpad(_: Interpreter, call: Call) -> Value:
    value, lengths = call.given(0, "padded_sequences"), call.given(1, "lengths")
    first = flag(call.given(2, "batch_first"), default=False)
    x, numbers = array(value), _numbers_in(lengths)
    if value is None or x is None or x.shape is None or len(x.shape) < 2 or first is None:
        return call.unknown()
    rows = size(x.shape[0 if first else 1])
    parts = numbers if numbers is not None else [None] * (rows or 0)
    if not parts:
        return call.unknown()
    return Value(
        [tensor((Value(UNKNOWN if n is None else n), *x.shape[2:]), x.dtype, value) for n in parts]
    )


@MODELS.function("torch.nn.utils.rnn.pad_packed_sequence")
def _pad(_: Interpreter, call: Call) -> Value:
    packed = call.given(0, "sequence")
    held = None if packed is None else packed.data
    if not isinstance(held, LibraryObject) or held.name != PACKED or packed is None:
        return call.unknown()
    asked = flag(call.given(1, "batch_first"), default=False)
    was = held.state.get("first")
    value = held.state.get("padded", unknown(packed))
    lengths = held.state.get("lengths", unknown(packed))
    x = array(value)
    if x is None or was is None or asked is None:
        return Value((unknown(value), lengths))
    shape = x.shape
    if shape is not None and len(shape) > 1:
        # The longest of the lengths is the new size; the padding may have been longer.
        rows, steps = (shape[0], shape[1]) if was.data else (shape[1], shape[0])
        rest = shape[2:]
        whole = call.given(3, "total_length")
        new = _longest_of(lengths)
        if whole is not None and whole.data is not None:
            new = whole if size(whole) is not None else unknown(whole)
        new = Value(new.data, merged(steps, lengths, new))
        shape = (rows, new, *rest) if asked else (new, rows, *rest)
    counts = lengths
    if not isinstance(lengths.data, Array) and isinstance(lengths.data, (list, tuple)):
        counts = tensor((Value(len(lengths.data), lengths.origins),), "int64", lengths)
    return Value((tensor(shape, x.dtype, value, device=x.device), counts))


def _unpacking(name: str) -> None:
    """Let a recurrent layer take a packed sequence, and give one."""
    plain = MODELS.objects[name]

    def run(interpreter: Interpreter, call: Call) -> Value:
        given = call.given(0, "input")
        held = None if given is None else given.data
        if not isinstance(held, LibraryObject) or held.name != PACKED or call.receiver is None:
            return plain(interpreter, call)
        value = held.state.get("padded", call.unknown())
        first, layer = held.state.get("first"), state_of(call.receiver) or {}
        x = array(value)
        if "turned" in held.state and first is not None and x is not None and x.shape is not None:
            raise _turned_round(x.shape, first=bool(first.data))
        own = flag(layer.get("batch_first"), default=False)
        if first is not None and own is not None and first.data != own:
            value = _turned(value)
        keywords: Mapping[str, Value] = {k: v for k, v in call.keywords.items() if k != "input"}
        inner_call = Call(call.name, (value, *call.args[1:]), keywords, call.place, call.receiver)
        result = plain(interpreter, inner_call)
        if not isinstance(result.data, tuple) or len(result.data) != 2:
            return result
        out, last = result.data
        if first is not None and own is not None and first.data != own:
            out = _turned(out)
        state = {**held.state, "padded": out}
        data = LibraryObject(PACKED, held.args, held.keywords, held.made, state)
        return Value((Value(data, out.origins), last), result.origins)

    MODELS.objects[name] = run


def _turned(value: Value) -> Value:
    x = array(value)
    if x is None or x.shape is None or len(x.shape) < 2:
        return value
    shape = (x.shape[1], x.shape[0], *x.shape[2:])
    return Value(Array(shape, x.dtype, x.library, x.device, x.lowest, x.highest), value.origins)


for _name in ("LSTM", "GRU", "RNN"):
    _unpacking(f"torch.nn.{_name}")
