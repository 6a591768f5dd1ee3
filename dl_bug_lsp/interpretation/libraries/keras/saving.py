"""Keras models that a program saves and loads again, and the text tools of Keras 2.

Sources: "Model saving & serialization APIs" of the Keras documentation; ``Tokenizer`` of Keras 2.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import dl_bug_lsp.interpretation.libraries.keras.weights  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import items, spellings
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    Lazy,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SAVED: WeakKeyDictionary[Interpreter, dict[str, Value]] = WeakKeyDictionary()
"""The models that each program saved, by their paths."""
COMPILED = ("_loss", "_metrics", "_optimizer", "loss", "optimizer")


def _copied(value: Value) -> Value | None:
    """Return a model like another one, whose settings change by themselves."""
    data = value.data
    made = copy(data) if isinstance(data, (LibraryObject, Instance)) else None
    if isinstance(made, LibraryObject):
        made.state = dict(made.state)
        layers = made.state.get("layers")
        if layers is not None and isinstance(layers.data, list):
            made.state["layers"] = Value(list(layers.data), layers.origins)
    elif isinstance(made, Instance):
        made.attributes = dict(made.attributes)
    return None if made is None else Value(made, value.origins)


def _saving(before: Model) -> Model:
    """Return a model of ``save`` that keeps what was saved."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        path = text_of(call.given(0, "filepath"))
        kept = _copied(call.receiver) if call.receiver is not None else None
        if path is not None and kept is not None:
            SAVED.setdefault(interpreter, {})[path] = kept
        return before(interpreter, call)

    return run


for _kind in ("Sequential", "Model"):
    MODELS.method(_kind, "save")(_saving(MODELS.methods[_kind, "save"]))


@MODELS.function(*spellings("models.load_model", "saving.load_model"))
def _load(interpreter: Interpreter, call: Call) -> Value:
    """Return the model that the program saved under a path."""
    path = text_of(call.given(0, "filepath"))
    held = SAVED.get(interpreter, {}).get(path) if path is not None else None
    made = None if held is None else _copied(held)
    if made is None:
        return call.unknown()
    wanted = call.given(2, "compile")
    data = made.data
    state = data.state if isinstance(data, LibraryObject) else getattr(data, "attributes", {})
    if wanted is not None and wanted.data is not True:
        for name in COMPILED:
            state.pop(name, None)
    return Value(data, made.origins | {call.place})


# --- texts ----------------------------------------------------------------------------------------

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
