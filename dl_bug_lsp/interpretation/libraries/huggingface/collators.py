"""Collators of transformers: what each pads, and which columns it cannot make a tensor of.

Source: "Data Collator" of the transformers documentation, and what release 5 raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.torch.data import joined
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    FunctionValue,
    Lazy,
    LibraryObject,
    Origin,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

OF_TOKENIZERS = frozenset(
    ("input_ids", "attention_mask", "token_type_ids", "special_tokens_mask", "position_ids")
)
"""Columns that a tokenizer pads."""
LABELS = frozenset(("labels", "label", "label_ids"))
PADS_LABELS = frozenset(
    (
        "DataCollatorForTokenClassification",
        "DataCollatorForSeq2Seq",
        "DataCollatorForMultipleChoice",
    )
)
PADS_NOTHING = frozenset(("DefaultDataCollator", "default_data_collator"))
COLLATORS = (
    *("DataCollatorWithPadding", "DefaultDataCollator", "DataCollatorForLanguageModeling"),
    *sorted(PADS_LABELS),
)
UNEVEN = (
    "Unable to create tensor, you should probably activate truncation and/or padding with "
    "'padding=True' 'truncation=True' to have batched tensors with the same length."
)


def batch_of(
    interpreter: Interpreter,
    samples: Sequence[Value],
    count: Value,
    collator: LibraryObject | None,
    made: Origin,
) -> Value:
    """Return samples side by side; raise where a column is of many lengths and is not padded.

    Without a collator it is one that pads what a tokenizer gives. ``made`` is where the collator,
    or what stands in for it, is made.
    """
    kind = "DataCollatorWithPadding" if collator is None else collator.short
    sample = joined(samples, strict=False)
    for name, value in sample.data.items() if isinstance(sample.data, dict) else ():
        if name in LABELS and kind in PADS_LABELS and isinstance(value.data, (int, float)):
            raise Raised("type", "'int' object is not iterable", value, _here(made))
        if not _is_padded(str(name), kind):
            _check_column(interpreter, str(name), value, samples, made)
    return _padded(sample, count, kind)


def _here(made: Origin) -> Value:
    return Value(UNKNOWN, frozenset({made}))


def _is_padded(name: str, kind: str) -> bool:
    if kind in PADS_NOTHING:
        return False
    return name in OF_TOKENIZERS or (name in LABELS and kind in PADS_LABELS)


def _check_column(
    interpreter: Interpreter, name: str, value: Value, samples: Sequence[Value], made: Origin
) -> None:
    """Raise where the items of a column are texts, or lists of many lengths."""
    column = [s.data[name] for s in samples if isinstance(s.data, dict) and name in s.data]
    lengths = dict.fromkeys(_length(item) for item in column)
    known = [length for length in lengths if length is not None]
    message = f"{UNEVEN} Perhaps your features (`{name}` in this case)"
    if len(known) > 1:
        raise Raised("size", message, Value(known[0], frozenset({made})), Value(known[1]))
    blamed = interpreter.is_failing() and f"(`{name}` in this case)" in interpreter.message
    if isinstance(value.data, str) or (blamed and not isinstance(value.data, (bool, int, float))):
        raise Raised("size", message, _here(made))


def _length(value: Value) -> int | None:
    """Return how many items a sample's cell holds, None where that is not known or it is one."""
    data = value.data
    if isinstance(data, Array):
        return data.sizes[0] if data.sizes else None
    if isinstance(data, Lazy):
        return size(data.length)
    return len(data) if isinstance(data, (list, tuple)) else None


def _padded(sample: Value, count: Value, kind: str) -> Value:
    """Return one sample that stands for many as a batch of tensors."""
    if not isinstance(sample.data, dict):
        return unknown(sample)
    batch: dict[object, Value] = {}
    for name, value in sample.data.items():
        data = value.data
        key = "labels" if name in LABELS else name
        shape: tuple[Value, ...] | None = None
        dtype: str | None = "int64"
        if isinstance(data, Array) and data.shape is not None:
            shape, dtype = (count, *data.shape), data.dtype
        elif isinstance(data, Lazy):
            shape = (count, data.length)
        elif isinstance(data, (list, tuple)):
            shape = (count, Value(UNKNOWN, value.origins))
        elif isinstance(data, (bool, int, float)):
            shape, dtype = (count,), "float32" if isinstance(data, float) else "int64"
        elif isinstance(data, str):
            continue
        bounds = (data.lowest, data.highest) if isinstance(data, Array) else (None, None)
        made = Array(shape, dtype, "torch", "cpu", *bounds)
        batch[key] = Value(made, value.origins) if shape is not None else unknown(value)
    if kind == "DataCollatorForLanguageModeling" and "input_ids" in batch:
        batch["labels"] = batch["input_ids"]
        batch.setdefault("attention_mask", batch["input_ids"])
    return Value(batch, sample.origins)


@MODELS.object(*(f"transformers.{name}" for name in COLLATORS))
def _called(interpreter: Interpreter, call: Call) -> Value:
    """Return the batch that a collator makes of a list of samples."""
    collator = call.held
    features = call.given(0, "features")
    items = features.data if features is not None else None
    if collator is None or not isinstance(items, (list, tuple)) or not items:
        return call.unknown()
    if any(isinstance(item.data, FunctionValue) or not item.known for item in items):
        return call.unknown()
    count = Value(len(items), merged(*call.args))
    return batch_of(interpreter, items, count, collator, collator.made)
