"""Keras's layers that prepare texts and numbers, its data sets, and the text tools of Keras 2.

Sources: the "Preprocessing layers" pages of the Keras API documentation, and Keras 2 where it
differs: what has another dtype there is left open. ``Tokenizer`` of Keras 2.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.keras.functions
import dl_bug_lsp.interpretation.libraries.keras.layer_rules  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    Shape,
    define,
    flag,
    items,
    option,
    result,
    spellings,
    text,
)
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged, ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    converted,
    dataset,
    slices,
    with_batch,
)
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def _tensor(call: Call, inputs: Value) -> Array | None:
    """Return an input, which may be nested lists, as a tensor."""
    data = arrays.array(inputs)
    if data is not None or inputs.data is UNKNOWN:
        return data
    return arrays.array(converted(call, inputs))


def _made(
    layer: LibraryObject, shape: Shape | None, dtype: str | None, inputs: Value, like: Array
) -> Value:
    """Return a tensor that a layer gives, ragged where its input is."""
    origins = merged(inputs) | {layer.made}
    if isinstance(like, Ragged) and shape is like.shape:
        return Value(Ragged(shape, dtype, "tensorflow", lengths=like.lengths), origins)
    asked = layer.keywords.get("dtype")
    if asked is not None and asked.data is not None:
        dtype = None
    return Value(Array(shape, dtype, "tensorflow"), origins)


def _encoded(
    layer: LibraryObject, mode: str | None, width: Value, inputs: Value, x: Array, dtype: str | None
) -> Value:
    """Return one column for each number that there may be."""
    if x.shape is None or mode is None:
        return _made(layer, None, None if mode is None else dtype, inputs, x)
    if mode == "one_hot":
        lead = x.shape[:-1] if x.shape and size(x.shape[-1]) == 1 else x.shape
        if x.shape and size(x.shape[-1]) is None:
            return _made(layer, None, dtype, inputs, x)
        return _made(layer, (*lead, width), dtype, inputs, x)
    return _made(layer, (*x.shape[:-1], width), dtype, inputs, x)


def _option_or_first(layer: LibraryObject, name: str) -> Value:
    given = option(layer, name)
    known = given is not None and size(given) is not None
    return Value(given.data if known and given is not None else UNKNOWN, merged(*_kept(given)))


def _kept(value: Value | None) -> tuple[Value, ...]:
    return () if value is None else (value,)


def _discretize(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the number of the bin of each number, or a column for each bin."""
    x = _tensor(call, inputs)
    if x is None:
        return unknown(inputs)
    mode = text(option(layer, "output_mode"), "int")
    if mode == "int":
        return _made(layer, x.shape, None, inputs, x)
    bounds = items(option(layer, "bin_boundaries"))
    count = option(layer, "num_bins")
    width = Value(len(bounds) + 1) if bounds is not None else count or Value(UNKNOWN)
    if size(width) is None:
        width = Value(UNKNOWN)
    return _encoded(layer, mode, width, inputs, x, None)


def _categories(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a column for each category."""
    x = _tensor(call, inputs)
    if x is None:
        return unknown(inputs)
    mode = text(option(layer, "output_mode"), "multi_hot")
    return _encoded(layer, mode, _option_or_first(layer, "num_tokens"), inputs, x, "float32")


def _hash(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the number of a bin for each text or number."""
    x = _tensor(call, inputs)
    if x is None:
        return unknown(inputs)
    mode = text(option(layer, "output_mode"), "int")
    bins = _option_or_first(layer, "num_bins")
    if mode != "int":
        return _encoded(layer, mode, bins, inputs, x, None)
    made = _made(layer, x.shape, "int64", inputs, x)
    if isinstance(made.data, Array) and size(bins) is not None:
        made.data.lowest, made.data.highest = 0, (size(bins) or 1) - 1
    return made


def vocabulary_size(layer: LibraryObject) -> Value:
    """Return how many numbers a table of words has, where its words are given."""
    words = items(option(layer, "vocabulary"))
    mask, outside = layer.keywords.get("mask_token"), option(layer, "num_oov_indices")
    text_table = layer.short == "TextVectorization"
    number = 1 if outside is None or text_table else size(outside)
    masked = text_table or (mask is not None and mask.data is not None)
    if words is None or number is None or any(type(w.data) not in (str, int) for w in words):
        return Value(UNKNOWN)
    held = [word.data for word in words]
    if "[UNK]" in held or "" in held or -1 in held or (mask is not None and mask.data in held):
        return Value(UNKNOWN)
    return Value(len(held) + number + masked, merged(*words))


def _numbered(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the numbers of words or values in a table, or these of numbers."""
    x = _tensor(call, inputs)
    if x is None:
        return unknown(inputs)
    inverse, mode = flag(layer.keywords.get("invert")), text(option(layer, "output_mode"), "int")
    if inverse is None:
        return _made(layer, x.shape, None, inputs, x)
    if inverse:
        kind = "str" if layer.short == "StringLookup" else "int64"
        return _made(layer, x.shape, kind, inputs, x)
    if layer.short == "StringLookup" and (x.dtype or "").startswith(("float", "int")):
        raise Raised("type", "a table of texts was given numbers", inputs)
    if mode == "int":
        return _made(layer, x.shape, "int64", inputs, x)
    most = option(layer, "max_tokens")
    padded = layer.keywords.get("pad_to_max_tokens")
    width = most if padded is not None and padded.data is True else vocabulary_size(layer)
    dtype = "float32" if mode == "tf_idf" else None
    return _encoded(layer, mode, width or Value(UNKNOWN), inputs, x, dtype)


def _vectorize(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return the numbers of the words of each text, or a column for each word."""
    x = _tensor(call, inputs)
    if x is None:
        return unknown(inputs)
    mode, length = (
        text(option(layer, "output_mode"), "int"),
        option(layer, "output_sequence_length"),
    )
    if (x.dtype or "").startswith(("float", "int")):
        raise Raised("type", "texts are expected, and numbers were given", inputs)
    shape = x.shape
    if shape is not None and len(shape) > 1 and size(shape[-1]) == 1:
        shape = shape[:-1]
    splits = option(layer, "split")
    own_split = splits is not None and splits.data not in ("whitespace", "character")
    if shape is None or (len(shape) > 1 and not own_split) or own_split or mode is None:
        known = {"int": "int64", "tf_idf": "float32"}.get(mode or "")
        return _made(layer, None, known, inputs, x)
    if mode == "int":
        if flag(layer.keywords.get("ragged")):
            lengths = (*shape, Value(UNKNOWN, inputs.origins))
            return ragged(call, lengths, "int64", None, inputs)
        number = size(length)
        if length is not None and length.data is not None and number is None:
            length = None
        width = Value(UNKNOWN if number is None else number, merged(*_kept(length)))
        return _made(layer, (*shape, width), "int64", inputs, x)
    padded = layer.keywords.get("pad_to_max_tokens")
    whole = padded is not None and padded.data is True
    width = option(layer, "max_tokens") or Value(UNKNOWN) if whole else _words_of(layer)
    return _made(layer, (*shape, width), "float32" if mode == "tf_idf" else None, inputs, x)


def _words_of(layer: LibraryObject) -> Value:
    """Return how many columns a table of words has: none is for what fills up."""
    whole = vocabulary_size(layer)
    number = size(whole)
    return Value(UNKNOWN if number is None else number - 1, whole.origins)


define(
    "Discretization",
    _discretize,
    parameters="bin_boundaries num_bins epsilon output_mode",
)
define("CategoryEncoding", _categories, parameters="num_tokens output_mode")
define("Hashing", _hash, parameters="num_bins mask_value salt output_mode")
define(
    "StringLookup",
    _numbered,
    parameters="max_tokens num_oov_indices mask_token oov_token vocabulary",
)
define(
    "IntegerLookup",
    _numbered,
    parameters="max_tokens num_oov_indices mask_token oov_token vocabulary",
)
define(
    "TextVectorization",
    _vectorize,
    parameters=(
        "max_tokens standardize split ngrams output_mode output_sequence_length "
        "pad_to_max_tokens vocabulary"
    ),
)


def _table_size(_: Interpreter, call: Call) -> Value:
    """Return how many numbers a table of words has."""
    layer = call.held
    known = None if layer is None or "_adapted" in layer.state else vocabulary_size(layer)
    return call.unknown() if known is None or size(known) is None else known


def _table(_: Interpreter, call: Call) -> Value:
    """Return the words of a table, those that it adds first."""
    layer = call.held
    words = None if layer is None else items(option(layer, "vocabulary"))
    if layer is None or words is None or size(vocabulary_size(layer)) is None or call.args:
        return call.unknown()
    if layer.short != "TextVectorization" or call.keywords:
        return call.unknown()
    return Value([Value(""), Value("[UNK]"), *words], merged(*words))


for _short in ("StringLookup", "IntegerLookup", "TextVectorization"):
    MODELS.method(_short, "vocabulary_size")(_table_size)
    MODELS.method(_short, "get_vocabulary")(_table)


# --- normalization --------------------------------------------------------------------------------


@MODELS.method("Normalization", "adapt")
def _adapt(_: Interpreter, call: Call) -> Value:
    """Keep of which shape the data are whose mean and variance are learned."""
    given = call.given(0, "data")
    if call.held is not None and given is not None:
        data = given.data
        if isinstance(data, LibraryObject) and "item" in data.state:
            given = data.state["item"]
        call.held.state["_adapted"] = given
    return Value(None)


def _of_normalization(_: Interpreter, call: Call) -> Value:
    """Return a mean or variance: along the kept axis as many as there are, else one."""
    layer = call.held
    seen = layer.state.get("_adapted") if layer is not None else None
    data = None if seen is None else seen.data
    shape: Shape | None = None
    if isinstance(data, Table) and seen is not None:
        shape = (data.rows, data.width(seen.origins))
    elif isinstance(data, Array):
        shape = data.shape
    if layer is None or shape is None or len(shape) < 2:
        return call.unknown()
    axis = option(layer, "axis")
    if axis is not None and axis.data is None:
        made: list[Value] = [Value(1) for _ in shape]
    else:
        at = arrays.axis_of(-1 if axis is None else axis, len(shape))
        if at is None:
            return call.unknown()
        made = [d if i == at else Value(1) for i, d in enumerate(shape)]
    return result(layer, tuple(made), *_kept(seen))


MODELS.attribute("Normalization", "mean", "variance")(_of_normalization)


# --- data sets of arrays --------------------------------------------------------------------------


@MODELS.function(
    *spellings("utils.timeseries_dataset_from_array", "preprocessing.timeseries_dataset_from_array")
)
def _windows(_: Interpreter, call: Call) -> Value:
    """Return a data set of batches of windows, with the targets of each where there are any."""
    data, targets = call.given(0, "data"), call.given(1, "targets")
    width = call.given(2, "sequence_length")
    if data is None or width is None:
        return call.unknown()
    lengths: list[Value] = []
    row = slices(data, lengths)
    whole, wide = size(lengths[0]) if lengths else None, size(width)
    stride = call.given(3, "sequence_stride")
    rate, batch = call.given(4, "sampling_rate"), call.given(5, "batch_size")
    step, apart = (1 if v is None else size(v) for v in (stride, rate))
    wanted = Value(128, frozenset({call.place})) if batch is None else batch
    has_targets = targets is not None and targets.data is not None
    limits = call.keywords.keys() & {"start_index", "end_index"} or len(call.args) > 8
    count: int | None = None
    if whole is not None and wide and step and apart and not limits:
        count = whole - (wide - 1) * apart
        given = arrays.array(targets)
        rows = size(given.shape[0]) if given is not None and given.shape else None
        if has_targets:
            count = None if rows is None else min(count, rows)
        count = None if count is None else len(range(0, max(count, 0), step))
    element = with_batch(row, width)
    if has_targets and targets is not None:
        element = Value((element, slices(targets, [])), element.origins)
    if wanted.data is None:
        return dataset(call, element, Value(UNKNOWN if count is None else count))
    each = size(wanted)
    first: object = UNKNOWN if each is None else each
    if each is not None and count is not None:
        first = min(each, count)
    known = count is not None and each
    batches = -(-(count or 0) // each) if known and each else UNKNOWN
    origins = merged(wanted, *lengths) | {call.place}
    made = dataset(call, with_batch(element, Value(first, origins)), Value(batches, origins))
    if isinstance(made.data, LibraryObject):
        made.data.state["open"] = Value(True)
    return made


@MODELS.function(*spellings("utils.normalize"))
def _normalize(_: Interpreter, call: Call) -> Value:
    """Return an array with vectors of length 1."""
    x = arrays.array(call.given(0, "x"))
    if x is None:
        return call.unknown()
    dtype = x.dtype if (x.dtype or "").startswith("float") else None
    return Value(Array(x.shape, dtype, "numpy"), merged(*call.args))


@MODELS.function(*spellings("utils.split_dataset"))
def _split(_: Interpreter, call: Call) -> Value:
    """Return two data sets of the elements of one, or of the rows of arrays."""
    given = call.given(0, "dataset")
    data = None if given is None else given.data
    if given is None:
        return call.unknown()
    if isinstance(data, LibraryObject) and "item" in data.state:
        item = data.state["item"]
    elif isinstance(data, (Array, tuple)):
        item = slices(given, [])
    else:
        return call.unknown()
    parts = dataset(call, item, Value(UNKNOWN)), dataset(call, item, Value(UNKNOWN))
    return Value(parts, given.origins)


# --- the text tools of Keras 2, data sets of texts ------------------------------------------------

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
MOST_WORDS = 20_000
TOKENIZERS = [f"{prefix}preprocessing.text.Tokenizer" for prefix in ("keras.", "tensorflow.keras.")]
ONE_HOT = [f"{prefix}preprocessing.text.one_hot" for prefix in ("keras.", "tensorflow.keras.")]


def words_in(text: str) -> list[str]:
    """Return the words of a text as Keras 2 splits it where nothing else is asked for."""
    plain = text.lower().translate({ord(letter): " " for letter in FILTERS})
    return [word for word in plain.split(" ") if word]


@MODELS.function(*ONE_HOT, *(name.replace("one_hot", "hashing_trick") for name in ONE_HOT))
def _hashed(_: Interpreter, call: Call) -> Value:
    """Return a number for each word of a text."""
    given, count = call.given(0, "text", "input_text"), size(call.given(1, "n"))
    text = text_of(given)
    highest = None if count is None else count - 1
    number = arrays.number("int64", *call.args, lowest=1, highest=highest)
    known = text is not None and len(call.args) == 2 and not call.keywords
    length: object = len(words_in(text)) if known and text is not None else UNKNOWN
    return Value(Lazy(number, Value(length, merged(*call.args))), merged(*call.args))


@MODELS.function(*TOKENIZERS)
def _make_tokenizer(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("keras.Tokenizer2", call.args, dict(call.keywords), call.place)
    return Value(made, merged(*call.args) | {call.place})


@MODELS.method("Tokenizer2", "fit_on_texts")
def _fit(_: Interpreter, call: Call) -> Value:
    """Learn the numbers of the words, where all texts and options are known."""
    held, given = call.held, call.given(0, "texts")
    if held is None:
        return Value(None)
    texts = [item.data for item in items(given) or ()]
    plain = held.keywords.keys() <= {"num_words", "oov_token"} and len(held.args) <= 1
    known = plain and given is not None and items(given) is not None and "words" not in held.state
    if not known or not all(isinstance(text, str) for text in texts) or len(texts) > MOST_WORDS:
        held.state["words"] = unknown(*call.args)
        return Value(None)
    counts = Counter(word for text in texts if isinstance(text, str) for word in words_in(text))
    ordered = sorted(counts.items(), key=lambda pair: pair[1], reverse=True)
    outside = held.keywords.get("oov_token")
    first = [outside.data] if outside is not None and outside.data is not None else []
    names = [*first, *(word for word, _ in ordered)]
    origins = merged(*call.args)
    table = {name: Value(number, origins) for number, name in enumerate(names, start=1)}
    held.state["words"] = Value(table, origins)
    return Value(None)


@MODELS.attribute("Tokenizer2", "word_index")
def _word_index(_: Interpreter, call: Call) -> Value:
    return call.state.get("words") or call.unknown()


@MODELS.attribute("Tokenizer2", "index_word", "word_counts", "document_count", "num_words")
def _of_tokenizer(_: Interpreter, call: Call) -> Value:
    held = call.held
    if call.name == "num_words" and held is not None:
        return held.keywords.get("num_words") or (held.args[0] if held.args else Value(None))
    return call.unknown()


def _count_of(value: Value | None) -> Value:
    """Return how many texts there are."""
    data = None if value is None else value.data
    if isinstance(data, (list, tuple)):
        return Value(len(data), merged(*([value] if value is not None else [])))
    if isinstance(data, Lazy):
        return data.length
    if isinstance(data, Array) and data.shape:
        return data.shape[0]
    return Value(UNKNOWN)


@MODELS.method("Tokenizer2", "texts_to_sequences")
def _to_sequences(_: Interpreter, call: Call) -> Value:
    """Return a list of numbers for each text."""
    given = call.given(0, "texts")
    if given is None or isinstance(given.data, str):
        return call.unknown()
    number = arrays.number("int64", given, lowest=1)
    row = Value(Lazy(number, Value(UNKNOWN, given.origins)), given.origins)
    return Value(Lazy(row, _count_of(given)), given.origins)


@MODELS.method("Tokenizer2", "texts_to_matrix", "sequences_to_matrix")
def _to_matrix(_: Interpreter, call: Call) -> Value:
    """Return a row of as many columns as there are words for each text."""
    held, given = call.held, call.given(0, "texts", "sequences")
    if held is None:
        return call.unknown()
    width = held.keywords.get("num_words") or (held.args[0] if held.args else None)
    known = width is not None and size(width) is not None
    column = width if known and width is not None else Value(UNKNOWN)
    shape = (_count_of(given), column)
    return Value(Array(shape, "float64", "numpy"), merged(*call.args, column))


# --- small data sets ------------------------------------------------------------------------------

SEQUENCES = {"imdb": (25_000, 25_000), "reuters": (8_982, 2_246)}


def _sequences(_: Interpreter, call: Call) -> Value:
    """Return texts as lists of numbers, with their labels."""
    name = call.name.split(".")[-2]
    where = frozenset({call.place})
    changing = call.keywords.keys() & {"maxlen", "test_split"} or len(call.args) > 1
    pairs = []
    for count in SEQUENCES[name]:
        rows = Value(UNKNOWN if changing else count, where)
        texts = Value(Array((rows,), "object", "numpy"), where)
        labels = Array((rows,), "int64", "numpy")
        labels.lowest, labels.highest = 0, 1 if name == "imdb" else 45
        pairs.append(Value((texts, Value(labels, where)), where))
    return Value(tuple(pairs), where)


for _name in SEQUENCES:
    MODELS.function(*spellings(f"datasets.{_name}.load_data"))(_sequences)


@MODELS.function(*spellings("datasets.california_housing.load_data"))
def _california(_: Interpreter, call: Call) -> Value:
    """Return the districts of California with the values of their houses."""
    where = frozenset({call.place})
    whole = not call.args and not call.keywords
    pairs = []
    for count in (16_512, 4_128):
        rows = Value(count if whole else UNKNOWN, where)
        table = Value(Array((rows, Value(8, where)), "float32", "numpy"), where)
        pairs.append(Value((table, Value(Array((rows,), "float32", "numpy"), where)), where))
    return Value(tuple(pairs), where)
