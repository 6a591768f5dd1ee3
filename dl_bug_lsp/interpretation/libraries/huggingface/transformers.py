"""Models of ``transformers`` and ``tokenizers``: tokenizers, configs, models, arguments.

Sources: the transformers 5 reference (``PreTrainedTokenizerFast``, ``ModelOutput``,
``TrainingArguments``, ``HfArgumentParser``) and that of tokenizers.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.torch.parameters  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.python.files import file_of, text_in
from dl_bug_lsp.interpretation.libraries.torch.layers import add_module_methods
from dl_bug_lsp.interpretation.model_helpers import (
    first_argument,
    is_true,
    listed,
    nothing,
    state_of,
    thing,
    with_origins,
    words_given,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import number_in
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    Lazy,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

TOKENIZER = "transformers.PreTrainedTokenizerFast"
MODEL = "transformers.PreTrainedModel"
LIBRARIES = {"pt": "torch", "np": "numpy", "tf": "tensorflow", "jax": "jax"}


# --- tokenizers -----------------------------------------------------------------------------------


def _option(held: LibraryObject, position: int | None, name: str) -> Value | None:
    if name in held.keywords:
        return held.keywords[name]
    return held.args[position] if position is not None and position < len(held.args) else None


def _special(interpreter: Interpreter, given: Value | None) -> list[str] | None:
    """Return tokens that a trainer is to know from the start, which get the first numbers."""
    ids = []
    for item in listed(interpreter, given) or ():
        data = item.data
        if isinstance(data, LibraryObject) and data.args:
            data = data.args[0].data
        if not isinstance(data, str):
            return None
        ids.append(data)
    return ids


@MODELS.method("Tokenizer", "train_from_iterator", "train")
@MODELS.method("ByteLevelBPETokenizer", "train_from_iterator", "train")
@MODELS.method("BertWordPieceTokenizer", "train_from_iterator", "train")
@MODELS.method("CharBPETokenizer", "train_from_iterator", "train")
@MODELS.method("SentencePieceBPETokenizer", "train_from_iterator", "train")
def _trained(interpreter: Interpreter, call: Call) -> Value:
    """Train a tokenizer: of its vocabulary the special tokens are known."""
    held = call.held
    if held is None:
        return Value(None)
    given = call.keywords.get("special_tokens")
    trainer = call.given(1, "trainer")
    if (
        held.short == "Tokenizer"
        and trainer is not None
        and isinstance(trainer.data, LibraryObject)
    ):
        given = trainer.data.keywords.get("special_tokens")
    names = _special(interpreter, given)
    if names is not None:
        held.state["specials"] = Value([Value(name) for name in names])
    held.state["trained"] = Value(data=True)
    return Value(None)


def _vocabulary(held: LibraryObject | None) -> dict[object, object] | None:
    """Return the numbers of the tokens of a tokenizer of words, None where they are not known."""
    if held is None or held.short != "Tokenizer" or "trained" in held.state:
        return None
    model = _option(held, 0, "model")
    data = None if model is None else model.data
    if not isinstance(data, LibraryObject) or data.short not in ("WordLevel", "WordPiece"):
        return None
    given = _option(data, 0, "vocab")
    if given is None or not isinstance(given.data, dict):
        return None
    return {token: number.data for token, number in given.data.items()}


def _backend(held: LibraryObject) -> LibraryObject | None:
    """Return the tokenizer of ``tokenizers`` that one of ``transformers`` is made of."""
    given = held.keywords.get("tokenizer_object")
    data = None if given is None else given.data
    receiver = getattr(data, "receiver", None)
    if isinstance(receiver, Value) and isinstance(receiver.data, LibraryObject):
        return receiver.data
    return (
        data
        if isinstance(data, LibraryObject)
        else held
        if held.short != "PreTrainedTokenizerFast"
        else None
    )


def _number_of(held: LibraryObject, token: object) -> object:
    """Return the number of a token, UNKNOWN where it is not known."""
    backend = _backend(held) if held.name == TOKENIZER else held
    vocabulary = _vocabulary(backend)
    if vocabulary is not None and token in vocabulary:
        return vocabulary[token]
    specials = backend.state.get("specials") if backend is not None else None
    if specials is not None and isinstance(specials.data, list):
        names = [item.data for item in specials.data]
        if token in names:
            return names.index(token)
    return UNKNOWN


@MODELS.method("Tokenizer", "token_to_id")
@MODELS.method("ByteLevelBPETokenizer", "token_to_id")
@MODELS.method("BertWordPieceTokenizer", "token_to_id")
def _token_to_id(_: Interpreter, call: Call) -> Value:
    held, token = call.held, call.given(0, "token")
    if held is None or token is None or not isinstance(token.data, str):
        return call.unknown()
    return Value(_number_of(held, token.data), merged(token))


@MODELS.method("Tokenizer", "get_vocab_size")
@MODELS.method("ByteLevelBPETokenizer", "get_vocab_size")
def _vocabulary_size(_: Interpreter, call: Call) -> Value:
    vocabulary = _vocabulary(call.held)
    return call.unknown() if vocabulary is None else Value(len(vocabulary), merged(*call.args))


@MODELS.method("Tokenizer", "encode")
@MODELS.method("ByteLevelBPETokenizer", "encode")
def _encoding(_: Interpreter, call: Call) -> Value:
    items = Value(Lazy(Value(UNKNOWN), Value(UNKNOWN, merged(*call.args))))
    names = words("ids tokens attention_mask type_ids offsets special_tokens_mask")
    return thing("tokenizers.Encoding", call, **dict.fromkeys(names, items))


@MODELS.method("Tokenizer", "encode_batch")
def _encodings(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "input"))
    encoding = _encoding(interpreter, call)
    count = Value(UNKNOWN if items is None else len(items))
    return Value([encoding] * len(items)) if items is not None else Value(Lazy(encoding, count))


@MODELS.method("Tokenizer", "enable_padding", "enable_truncation", "no_padding", "save")
@MODELS.method("Tokenizer", "no_truncation")
@MODELS.method("ByteLevelBPETokenizer", "enable_padding", "enable_truncation", "save")
def _configured(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


@MODELS.function("tokenizers.Tokenizer.from_file", "tokenizers.Tokenizer.from_pretrained")
def _read_tokenizer(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("tokenizers.Tokenizer", (), {}, call.place)
    return Value(made, merged(*call.args))


# --- tokenizers of transformers -------------------------------------------------------------------

SPECIALS = words("pad eos bos unk cls sep mask")


@MODELS.attribute("PreTrainedTokenizerFast", *(f"{name}_token_id" for name in SPECIALS))
def _special_id(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    if call.name in held.state:
        return held.state[call.name]
    token = _special_token(held, call.name.removesuffix("_id"))
    if token is None:
        return call.unknown()
    return Value(None if token.data is None else _number_of(held, token.data), token.origins)


def _special_token(held: LibraryObject, name: str) -> Value | None:
    token = held.state.get(name) or held.keywords.get(name)
    if token is None and held.keywords.keys() & {"tokenizer_object"}:
        given = [v for n, v in held.keywords.items() if n.endswith("_token")]
        # It would stand beside the others.
        places = merged(*given) or frozenset({held.made})
        for place in places:
            arrays.note_reason(place, f"`{name}` is not given here, so it is None")
        return Value(None, places)
    return token


@MODELS.attribute("PreTrainedTokenizerFast", *(f"{name}_token" for name in SPECIALS))
def _special_text(_: Interpreter, call: Call) -> Value:
    held = call.held
    token = None if held is None else _special_token(held, call.name)
    return call.unknown() if token is None else token


@MODELS.attribute("PreTrainedTokenizerFast", "vocab_size")
@MODELS.method("PreTrainedTokenizerFast", "__len__")
def _words_known(_: Interpreter, call: Call) -> Value:
    held = call.held
    vocabulary = None if held is None else _vocabulary(_backend(held))
    if held is None or vocabulary is None:
        return call.unknown()
    own = {held.keywords[n].data for n in held.keywords if n.endswith("_token")}
    more = len([word for word in own if isinstance(word, str) and word not in vocabulary])
    count = len(vocabulary) + (more if call.name == "__len__" else 0)
    return Value(count, merged(*held.keywords.values()))


@MODELS.attribute("PreTrainedTokenizerFast", "model_max_length", "padding_side", "is_fast")
def _tokenizer_attribute(_: Interpreter, call: Call) -> Value:
    held = call.held
    known = {"padding_side": Value("right"), "is_fast": Value(data=True)}
    if held is not None and call.name in held.state:
        return held.state[call.name]
    given = None if held is None else held.keywords.get(call.name)
    return given if given is not None else known.get(call.name, call.unknown())


def _texts(interpreter: Interpreter, value: Value | None) -> Value | None:
    """Return how many texts a tokenizer is given, None where it is one text."""
    data = None if value is None else value.data
    if isinstance(data, str) or value is None:
        return None
    if isinstance(data, (list, tuple)):
        return Value(len(data), value.origins)
    if isinstance(data, Lazy):
        return data.length
    if isinstance(data, Array):
        return data.shape[0] if data.shape else None
    items = listed(interpreter, value) if value.known else None
    return Value(UNKNOWN if items is None else len(items), value.origins)


def _width(held: LibraryObject, call: Call) -> Value:
    """Return the number of tokens of each text where all are padded to it."""
    padding, limit = call.keywords.get("padding"), call.keywords.get("max_length")
    if padding is None or padding.data != "max_length":
        return Value(UNKNOWN)
    limit = limit or held.keywords.get("model_max_length")
    cut = call.keywords.get("truncation")
    known = limit is not None and size(limit) is not None and cut is not None and cut.data
    return limit if known and limit is not None else Value(UNKNOWN)


@MODELS.object("transformers.PreTrainedTokenizerFast")
@MODELS.method("PreTrainedTokenizerFast", "__call__", "batch_encode_plus", "encode_plus")
def _encoded(interpreter: Interpreter, call: Call) -> Value:
    """Return the numbers of texts' tokens: lists, or arrays where they are asked for."""
    held, given = call.held, call.given(0, "text", "batch_text_or_text_pairs")
    if held is None or (given is not None and not given.known):
        return thing("transformers.BatchEncoding", call, **_outlines(None, Value(UNKNOWN), None))
    count, width = _texts(interpreter, given), _width(held, call)
    asked = call.keywords.get("return_tensors")
    library = LIBRARIES.get(str(asked.data)) if asked is not None else None
    fields = _outlines(count, width, library)
    origins = merged(*call.args, *call.keywords.values()) | {call.place}
    names = ["input_ids", "attention_mask"]
    typed = call.keywords.get("return_token_type_ids")
    if typed is not None and typed.data is True:
        names.insert(1, "token_type_ids")
    mask = call.keywords.get("return_attention_mask")
    if mask is not None and mask.data is False:
        names.remove("attention_mask")
    if is_true(call.keywords.get("return_offsets_mapping")):
        fields["offset_mapping"] = Value(UNKNOWN, origins)
        names.append("offset_mapping")
    if "text_target" in call.keywords:
        fields["labels"] = fields["input_ids"]
        names.append("labels")
    if given is None:
        names = [name for name in names if name != "labels"]
    return thing("transformers.BatchEncoding", call, **{n: fields[n] for n in names})


def _outlines(count: Value | None, width: Value, library: str | None) -> dict[str, Value]:
    if library is not None:
        dtype = {"jax": "int32", "tensorflow": "int32"}.get(library, "int64")
        device = "cpu" if library == "torch" else None
        shape = (count or Value(1), width)
        outline = Value(Array(shape, dtype, library, device))
    else:
        outline = Value(Lazy(Value(UNKNOWN), width))
        if count is not None:
            outline = Value(Lazy(outline, count))
    return dict.fromkeys(("input_ids", "token_type_ids", "attention_mask"), outline)


@MODELS.method("PreTrainedTokenizerFast", "encode")
def _ids(interpreter: Interpreter, call: Call) -> Value:
    return state_of(_encoded(interpreter, call), "input_ids")


@MODELS.method("BatchEncoding", "word_ids", "sequence_ids", "tokens")
@MODELS.method("PreTrainedTokenizerFast", "tokenize")
def _tokens(_: Interpreter, call: Call) -> Value:
    return Value(Lazy(Value(UNKNOWN), Value(UNKNOWN)), merged(*call.args))


@MODELS.method("PreTrainedTokenizerFast", "batch_decode")
def _decoded(interpreter: Interpreter, call: Call) -> Value:
    rows = _texts(interpreter, call.given(0, "sequences"))
    return Value(Lazy(Value(UNKNOWN), rows or Value(UNKNOWN)), merged(*call.args))


@MODELS.method("PreTrainedTokenizerFast", "convert_tokens_to_ids")
def _converted(interpreter: Interpreter, call: Call) -> Value:
    held, token = call.held, call.given(0, "tokens")
    if held is None or token is None:
        return call.unknown()
    if isinstance(token.data, str):
        return Value(_number_of(held, token.data), token.origins)
    if not isinstance(token.data, (list, tuple, Lazy)):
        # One token gives a number, several of them a list.
        return Value(UNKNOWN, token.origins)
    count = _texts(interpreter, token) or Value(UNKNOWN)
    return Value(Lazy(Value(UNKNOWN), count), token.origins)


@MODELS.method("PreTrainedTokenizerFast", "pad")
def _padded(_: Interpreter, call: Call) -> Value:
    asked = call.keywords.get("return_tensors")
    library = LIBRARIES.get(str(asked.data)) if asked is not None else None
    given = call.given(0, "encoded_inputs")
    count = (
        Value(len(given.data))
        if given is not None and isinstance(given.data, list)
        else Value(UNKNOWN)
    )
    fields = _outlines(count, Value(UNKNOWN), library)
    return thing("transformers.BatchEncoding", call, **fields)


MODELS.method("PreTrainedTokenizerFast", "save_pretrained", "push_to_hub")(nothing)


@MODELS.method("PreTrainedTokenizerFast", "add_special_tokens", "add_tokens", "get_vocab")
def _more_tokens(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.method("BatchEncoding", "__getitem__", "get")
def _field(_: Interpreter, call: Call) -> Value:
    key, held = call.given(0), call.held
    if key is None or held is None or not isinstance(key.data, str):
        return call.unknown()
    return held.state.get(key.data) or call.given(1) or call.unknown()


@MODELS.method("BatchEncoding", "__setitem__")
def _set_field(_: Interpreter, call: Call) -> Value:
    key, held = call.given(0), call.held
    if key is not None and held is not None and isinstance(key.data, str):
        held.state[key.data] = call.given(1) or Value(UNKNOWN)
    return Value(None)


@MODELS.method("BatchEncoding", "items", "keys", "values", "pop", "__iter__", "to", "update")
def _of_fields(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None or call.receiver is None:
        return call.unknown()
    if call.name == "to":
        return call.receiver
    whole = Value(held.state)
    name = "keys" if call.name == "__iter__" else call.name
    method = interpreter.attribute(whole, name, call.place)
    return interpreter.call(method, call.args, call.keywords, call.place)


# --- configs --------------------------------------------------------------------------------------

FAMILIES = words(
    "Bert Roberta DistilBert Albert Electra GPT2 GPTNeo GPTNeoX GPTJ OPT Llama Mistral Qwen2 Gemma "
    "T5 MT5 Bart MBart Pegasus Marian ViT DeiT Swin Beit ConvNext ResNet Wav2Vec2 Whisper CLIP "
    "Deberta DebertaV2 XLMRoberta Longformer BigBird MobileBert Camembert Bloom Mamba Phi Auto"
)
HEADS = words(
    "Model ForSequenceClassification ForTokenClassification ForQuestionAnswering ForMaskedLM "
    "ForCausalLM LMHeadModel ForConditionalGeneration ForImageClassification ForPreTraining "
    "ForMultipleChoice EncoderModel"
)
AUTO = words(
    "AutoModel AutoModelForSequenceClassification AutoModelForTokenClassification "
    "AutoModelForQuestionAnswering AutoModelForMaskedLM AutoModelForCausalLM AutoModelForSeq2SeqLM "
    "AutoModelForImageClassification AutoModelForMultipleChoice"
)
DEFAULTS: dict[str, dict[str, object]] = {
    "GPT2Config": {
        "vocab_size": 50257,
        "n_positions": 1024,
        "n_embd": 768,
        "n_layer": 12,
        "n_head": 12,
        "bos_token_id": 50256,
        "eos_token_id": 50256,
        "hidden_size": 768,
    },
    "BertConfig": {
        "vocab_size": 30522,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "pad_token_id": 0,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "max_position_embeddings": 512,
    },
    "DistilBertConfig": {
        "vocab_size": 30522,
        "dim": 768,
        "n_layers": 6,
        "n_heads": 12,
        "hidden_dim": 3072,
        "hidden_size": 768,
        "max_position_embeddings": 512,
        "pad_token_id": 0,
    },
    "RobertaConfig": {
        "vocab_size": 50265,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "pad_token_id": 1,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "max_position_embeddings": 512,
    },
    "T5Config": {
        "vocab_size": 32128,
        "d_model": 512,
        "d_kv": 64,
        "d_ff": 2048,
        "num_layers": 6,
        "num_heads": 8,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "hidden_size": 512,
    },
    "LlamaConfig": {
        "vocab_size": 32000,
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
    },
    "ViTConfig": {
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "image_size": 224,
        "patch_size": 16,
        "num_channels": 3,
    },
}
"""What configs hold where nothing else is told."""
SAME_AS = {
    "GPT2Config": {"hidden_size": "n_embd", "num_hidden_layers": "n_layer"},
    "T5Config": {"hidden_size": "d_model", "num_hidden_layers": "num_layers"},
    "DistilBertConfig": {"hidden_size": "dim", "num_hidden_layers": "n_layers"},
}
CONFIGS = [f"{family}Config" for family in FAMILIES if family != "Auto"]


def setting(config: LibraryObject | None, *names: str) -> Value:
    """Return what a config holds under one of several names, unknown where it is not known."""
    if config is None:
        return Value(UNKNOWN)
    for name in names:
        other = SAME_AS.get(config.short, {}).get(name, name)
        for item in (name, other):
            value = config.state.get(item) or config.keywords.get(item)
            if value is not None:
                return value
    for name in names:
        other = SAME_AS.get(config.short, {}).get(name, name)
        default = DEFAULTS.get(config.short, {}).get(other)
        if default is not None:
            return Value(default, frozenset({config.made}))
    return Value(UNKNOWN)


def labels_of(config: LibraryObject | None) -> Value:
    """Return how many labels a config tells of, two where it tells nothing."""
    if config is None:
        return Value(UNKNOWN)
    given = setting(config, "num_labels")
    if size(given) is not None:
        return given
    for name in ("id2label", "label2id"):
        held = setting(config, name)
        if isinstance(held.data, dict):
            return Value(len(held.data), held.origins)
        if name in config.keywords:
            return Value(UNKNOWN)
    if "num_labels" in config.keywords or not _is_bare(config):
        return Value(UNKNOWN, given.origins)
    return Value(2, frozenset({config.made}))


_BARE = re.compile(
    r"(?:[\w.-]+/)?(?:distil|al)?"
    r"(?:bert|roberta|xlm-roberta|electra|deberta(?:-v[23])?|mpnet|gpt2|xlnet|camembert)"
    r"(?:-(?:tiny|mini|small|medium|xsmall|base|large|xlarge))?"
    r"(?:-(?:un)?cased|-v[12]|-discriminator|-(?:multilingual|german|chinese))*"
)
"""Names of checkpoints without a head: one that is put on them has two labels."""


def _is_bare(config: LibraryObject) -> bool:
    """Whether a model is made without a checkpoint, or of one that has no labels."""
    name = config.state.get("checkpoint")
    if name is None:
        return True
    return isinstance(name.data, str) and _BARE.fullmatch(name.data) is not None


def _config_attribute(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    if call.name == "num_labels":
        return labels_of(held)
    entry = setting(held, call.name)
    return entry if entry.known else call.unknown()


for _short in CONFIGS:
    _names = {"num_labels", "hidden_size", "num_hidden_layers", "vocab_size", "pad_token_id"}
    _names |= {"id2label", "label2id", "eos_token_id", "bos_token_id", "hidden_dropout_prob"}
    _names |= set(DEFAULTS.get(_short, {}))
    MODELS.attribute(_short, *sorted(_names))(_config_attribute)


def _of_json(interpreter: Interpreter, path: Value | None) -> dict[str, Value] | None:
    file = file_of(interpreter, path)
    text = text_in(interpreter, file)
    if file is None or text is None:
        return None
    try:
        held = json.loads(text)
    except ValueError:
        return None
    if not isinstance(held, dict):
        return None
    return {str(k): with_origins(v, frozenset({(file, 1)})) for k, v in held.items()}


@MODELS.function("transformers.from_json_file", "transformers.from_dict")
def _config_of(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[0]
    given = call.given(0, "json_file", "config_dict")
    fields: dict[str, Value] | None = None
    if call.name.endswith("from_json_file"):
        fields = _of_json(interpreter, given)
    elif given is not None and isinstance(given.data, dict):
        fields = {str(key): value for key, value in given.data.items()}
    if fields is None or not name.endswith("Config"):
        return call.unknown()
    return Value(
        LibraryObject(name, (), {**fields, **call.keywords}, call.place), merged(*call.args)
    )


_BY_TYPE = {family.lower(): family for family in FAMILIES}


@MODELS.function("transformers.for_model")
def _config_for(_: Interpreter, call: Call) -> Value:
    """Return the config of a model's type (``AutoConfig.for_model("distilbert", ...)``)."""
    given = call.given(0, "model_type")
    written = given.data if given is not None else None
    if not isinstance(written, str):
        return call.unknown()
    family = _BY_TYPE.get(written.replace("-", "").replace("_", ""))
    if family is None:
        return call.unknown()
    fields = {name: value for name, value in call.keywords.items() if name != "model_type"}
    made = LibraryObject(f"transformers.{family}Config", (), fields, call.place)
    return Value(made, merged(*call.args))


@MODELS.function("transformers.from_pretrained", "transformers.from_config")
def _from_pretrained(interpreter: Interpreter, call: Call) -> Value:
    """Return a tokenizer, a config or a model, by the class that is asked."""
    cls = call.name.rpartition(".")[0]
    short = cls.rpartition(".")[2]
    if short.endswith(("Tokenizer", "TokenizerFast")):
        made = LibraryObject(TOKENIZER, call.args, dict(call.keywords), call.place)
        return Value(made, merged(*call.args) | {call.place})
    if short in MODEL_CLASSES or short in AUTO:
        return _made_model(interpreter, Call(cls, call.args, call.keywords, call.place))
    if short.endswith("Config") and short != "AutoConfig":
        return Value(LibraryObject(cls, (), dict(call.keywords), call.place), merged(*call.args))
    return call.unknown()


# --- models ---------------------------------------------------------------------------------------

MODEL_CLASSES = frozenset(f"{family}{head}" for family in FAMILIES for head in HEADS)


@MODELS.function(*(f"transformers.{name}" for name in sorted(MODEL_CLASSES | set(AUTO))))
def _made_model(_: Interpreter, call: Call) -> Value:
    short = call.name.rpartition(".")[2]
    config = call.given(0, "config")
    config_object = config.data if config is not None else None
    is_told = config is not None and not isinstance(config.data, str)
    if not isinstance(config_object, LibraryObject) and not is_told:
        family = next((f for f in FAMILIES if short.startswith(f) and f != "Auto"), "Unknown")
        config_object = LibraryObject(
            f"transformers.{family}Config", (), dict(call.keywords), call.place
        )
        if config is not None:
            config_object.state["checkpoint"] = config
    known = isinstance(config_object, LibraryObject)
    state = {"config": Value(config_object if known else UNKNOWN), "head": Value(short)}
    state.update({name: call.keywords[name] for name in MORE_OUTPUTS if name in call.keywords})
    made = LibraryObject(MODEL, call.args, dict(call.keywords), call.place, state)
    return Value(made, merged(*call.args) | {call.place})


add_module_methods("PreTrainedModel")


def _rows_and_length(call: Call) -> tuple[Value, Value]:
    """Return the numbers of texts and of tokens that a model is given."""
    for name in ("input_ids", "inputs_embeds", "pixel_values", "attention_mask", "input_values"):
        given = call.keywords.get(name)
        x = array(given)
        if x is not None and x.shape and len(x.shape) > 1:
            return x.shape[0], x.shape[1]
    x = array(call.args[0]) if call.args else None
    if x is not None and x.shape and len(x.shape) > 1:
        return x.shape[0], x.shape[1]
    return Value(UNKNOWN), Value(UNKNOWN)


def _tensor(*shape: Value) -> Value:
    return Value(Array(shape, "float32", "torch", None), merged(*shape))


@MODELS.object(MODEL)
def _forward(_: Interpreter, call: Call) -> Value:
    """Return what a model's head gives: logits, a loss where there are labels, or hidden states."""
    head = state_of(call.receiver, "head").data
    held = state_of(call.receiver, "config").data
    config = held if isinstance(held, LibraryObject) else None
    rows, length = _rows_and_length(call)
    if not isinstance(head, str):
        return call.unknown()
    fields: dict[str, Value] = {}
    if "labels" in call.keywords and call.keywords["labels"].data is not None:
        fields["loss"] = _tensor()
    if head.endswith(("ForSequenceClassification", "ForImageClassification")):
        fields["logits"] = _tensor(rows, labels_of(config))
    elif head.endswith("ForTokenClassification"):
        fields["logits"] = _tensor(rows, length, labels_of(config))
    elif head.endswith("ForQuestionAnswering"):
        fields["start_logits"] = fields["end_logits"] = _tensor(rows, length)
    elif head.endswith(("ForConditionalGeneration", "ForSeq2SeqLM")):
        own = array(call.keywords.get("labels")) or array(call.keywords.get("decoder_input_ids"))
        steps = (
            own.shape[1] if own is not None and own.shape and len(own.shape) > 1 else Value(UNKNOWN)
        )
        fields["logits"] = _tensor(rows, steps, setting(config, "vocab_size"))
    elif head.endswith(("LM", "LMHeadModel")):
        fields["logits"] = _tensor(rows, length, setting(config, "vocab_size"))
    elif head.endswith("Model"):
        width = setting(config, "hidden_size")
        length_seen = Value(UNKNOWN) if "pixel_values" in call.keywords else length
        fields["last_hidden_state"] = _tensor(rows, length_seen, width)
        if head.startswith(("Bert", "Roberta", "ViT", "Albert")):
            fields["pooler_output"] = _tensor(rows, width)
    else:
        return call.unknown()
    fields.update(_states(call, config, rows, length))
    return thing("transformers.ModelOutput", call, **fields)


MORE_OUTPUTS = {"output_hidden_states": "hidden_states", "output_attentions": "attentions"}
"""Settings of configs, models and calls, and the fields that these put into the outputs."""
WITH_ENCODER = ("T5", "MT5", "Bart", "MBart", "Pegasus", "Marian", "Whisper")
"""Families of models that return what their encoder gave, too."""
MOST_LAYERS = 100


def _states(
    call: Call, config: LibraryObject | None, rows: Value, length: Value
) -> dict[str, Value]:
    """Return what a model gives besides its head's outputs: the states of its layers, attentions.

    Which of them it gives a setting decides, of the call, the model or the config (transformers,
    "Model outputs").
    """
    fields: dict[str, Value] = {}
    width, of_heads = setting(config, "hidden_size"), setting(config, "num_attention_heads")
    encoded = _tensor(rows, length, width)
    head = state_of(call.receiver, "head").data
    names = [head] if isinstance(head, str) else []
    names += [config.short] if config is not None else []
    if any(name.startswith(WITH_ENCODER) for name in names):
        if not names[0].endswith("EncoderModel"):
            fields["encoder_last_hidden_state"] = encoded
        return fields
    for option, field in MORE_OUTPUTS.items():
        given = call.keywords.get(option)
        if given is None or given.data is None:
            given = state_of(call.receiver, option)
        if given.data is UNKNOWN:
            given = setting(config, option)
        if given.data is not True:
            continue
        is_states = field == "hidden_states"
        item = encoded if is_states else _tensor(rows, of_heads, length, length)
        layers = size(setting(config, "num_hidden_layers"))
        made = given.origins or frozenset({call.place})
        if layers is None or not 0 <= layers < MOST_LAYERS:
            fields[field] = Value(Lazy(item, Value(UNKNOWN)), made)
        else:
            fields[field] = Value((item,) * (layers + is_states), made)
    return fields


@MODELS.method("ModelOutput", "__getitem__")
def _output(_: Interpreter, call: Call) -> Value:
    held, key = call.held, call.given(0)
    if held is None or key is None:
        return call.unknown()
    if isinstance(key.data, str):
        return held.state.get(key.data, call.unknown())
    number, parts = size(key), list(held.state.values())
    return (
        parts[number]
        if number is not None and -len(parts) <= number < len(parts)
        else call.unknown()
    )


@MODELS.method("ModelOutput", "to_tuple", "__iter__")
def _outputs(_: Interpreter, call: Call) -> Value:
    held = call.held
    return call.unknown() if held is None else Value(tuple(held.state.values()))


@MODELS.method("PreTrainedModel", "generate")
def _generated(_: Interpreter, call: Call) -> Value:
    rows, _length = _rows_and_length(call)
    shape = (rows, Value(UNKNOWN, merged(*call.args)))
    if "return_dict_in_generate" in call.keywords or "num_return_sequences" in call.keywords:
        return call.unknown()
    return Value(Array(shape, "int64", "torch", "cpu"), merged(*call.args))


@MODELS.method("PreTrainedModel", "resize_token_embeddings", "get_input_embeddings")
@MODELS.method("PreTrainedModel", "num_parameters", "get_output_embeddings", "state_dict")
def _of_model(_: Interpreter, call: Call) -> Value:
    config = state_of(call.receiver, "config").data
    count = call.given(0, "new_num_tokens")
    if call.name == "resize_token_embeddings" and count is not None:
        if isinstance(config, LibraryObject):
            config.state["vocab_size"] = count
        return Value(LibraryObject("torch.nn.Embedding", (), {}, call.place))
    return some_number(call, "int64") if call.name == "num_parameters" else call.unknown()


MODELS.method(
    "PreTrainedModel",
    *("save_pretrained", "push_to_hub", "gradient_checkpointing_enable", "tie_weights"),
    *("gradient_checkpointing_disable", "enable_input_require_grads", "post_init", "init_weights"),
)(nothing)


# --- arguments ------------------------------------------------------------------------------------

TRAINING: dict[str, object] = {
    "seed": 42,
    "learning_rate": 5e-5,
    "num_train_epochs": 3.0,
    "weight_decay": 0.0,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "max_steps": -1,
    "gradient_accumulation_steps": 1,
    "warmup_steps": 0,
    "max_grad_norm": 1.0,
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_epsilon": 1e-8,
    "logging_steps": 500,
    "fp16": False,
    "bf16": False,
    "do_train": False,
    "do_predict": False,
    "world_size": 1,
    "remove_unused_columns": True,
    "metric_for_best_model": None,
    "eval_steps": None,
    "load_best_model_at_end": False,
    "gradient_checkpointing": False,
    "label_names": None,
    "dataloader_num_workers": 0,
    "predict_with_generate": False,
    "process_index": 0,
}
"""What ``TrainingArguments`` hold where nothing else is told."""
ARGUMENTS = ("TrainingArguments", "Seq2SeqTrainingArguments")


def _argument(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    given = held.state.get(call.name) or held.keywords.get(call.name)
    if given is not None:
        return given
    if call.name in ("train_batch_size", "eval_batch_size"):
        name = f"per_device_{call.name}"
        return held.keywords.get(name, Value(8, frozenset({held.made})))
    return Value(TRAINING[call.name], frozenset({held.made}))


for _short in ARGUMENTS:
    MODELS.attribute(_short, *TRAINING, "train_batch_size", "eval_batch_size")(_argument)


@MODELS.method("HfArgumentParser", "parse_args_into_dataclasses", "parse_dict", "parse_json_file")
@MODELS.method("HfArgumentParser", "parse_yaml_file")
def _parsed(interpreter: Interpreter, call: Call) -> Value:
    """Make the dataclasses of a parser out of words, a dict or a file."""
    held = call.held
    given = None if held is None else _option(held, 0, "dataclass_types")
    if given is None:
        return call.unknown()
    classes = [given] if not isinstance(given.data, (list, tuple)) else listed(interpreter, given)
    fields = _told(interpreter, call)
    if fields is None or classes is None:
        return call.unknown()
    parsed = []
    for cls in classes:
        if isinstance(cls.data, ClassValue):
            own = fields_of(interpreter, cls.data)
            chosen = {n: typed(v, own[n]) for n, v in fields.items() if n in own}
            parsed.append(interpreter.call(cls, (), chosen, call.place))
        else:
            chosen = {n: typed(v, "") for n, v in fields.items()}
            parsed.append(interpreter.call(cls, (), chosen, call.place))
    return Value(tuple(parsed))


def _told(interpreter: Interpreter, call: Call) -> dict[str, Value] | None:
    given = call.given(0, "args")
    if call.name == "parse_dict":
        data = None if given is None else given.data
        return {str(k): v for k, v in data.items()} if isinstance(data, dict) else None
    if call.name == "parse_json_file":
        return _of_json(interpreter, given)
    if call.name == "parse_yaml_file":
        return None
    items = words_given(interpreter, given)
    if items is None:
        return None
    settings: dict[str, Value] = {}
    name = ""
    for item in items:
        text = str(item.data)
        if text.startswith("--"):
            name, mark, rest = text[2:].partition("=")
            name = name.replace("-", "_")
            settings[name] = Value(rest if mark else "true", item.origins)
        elif name:
            settings[name] = item
    return settings


def fields_of(interpreter: Interpreter, cls: ClassValue) -> dict[str, str]:
    """Return the fields of a dataclass with their annotations."""
    return {
        statement.target.id: ast.unparse(statement.annotation)
        for base in interpreter.lineage(cls)
        for statement in base.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def typed(value: Value, annotation: str) -> Value:
    """Return a word as what an annotation says."""
    text = value.data
    if not isinstance(text, str) or annotation.startswith("str"):
        return value
    if text.lower() in ("true", "false"):
        return Value(text.lower() == "true", value.origins)
    number = number_in(text)
    if number is None:
        return value
    return Value(float(number) if annotation.startswith("float") else number, value.origins)


# --- accelerate -----------------------------------------------------------------------------------


@MODELS.method("Accelerator", "prepare")
def _prepared(_: Interpreter, call: Call) -> Value:
    """Return what was given, several as a tuple."""
    return call.args[0] if len(call.args) == 1 else Value(tuple(call.args), merged(*call.args))


MODELS.method(
    "Accelerator",
    *("backward", "wait_for_everyone", "print", "log", "init_trackers", "end_training", "save"),
    *("save_state", "load_state", "free_memory", "clip_grad_value_", "register_for_checkpointing"),
)(nothing)


@MODELS.method("Accelerator", "clip_grad_norm_")
def _clipped(_: Interpreter, call: Call) -> Value:
    return Value(Array((), "float32", "torch", "cpu"), frozenset({call.place}))


MODELS.method(
    "Accelerator", "gather", "gather_for_metrics", "unwrap_model", "reduce", "pad_across_processes"
)(first_argument)


@MODELS.attribute("Accelerator", "is_main_process", "is_local_main_process", "sync_gradients")
def _is_main(_: Interpreter, call: Call) -> Value:
    return Value(data=True, origins=frozenset({call.place}))


@MODELS.attribute("Accelerator", "num_processes", "process_index", "local_process_index")
def _process(_: Interpreter, call: Call) -> Value:
    return Value(int(call.name == "num_processes"), frozenset({call.place}))


@MODELS.attribute("Accelerator", "device")
def _device(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("torch.device", (Value("cpu"),), {}, call.place)
    return Value(made, frozenset({call.place}))


@MODELS.method("Accelerator", "autocast", "accumulate", "main_process_first", "no_sync")
def _context(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject("accelerate.Context", (), {}, call.place))
