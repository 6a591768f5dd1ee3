"""Which calls and expressions can raise a message of Python or a library.

Also the names that a message holds: attributes, keys, functions, modules and paths.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.raising.scan import Enclosing, FileNodes, last_name
from dl_bug_lsp.messages import FactKind, MessageFacts, Role

Found = tuple[float, str]
NAMED, LIKELY, KIND, WEAK = 1.0, 0.7, 0.4, 0.15
"""How surely: the message names what stands here; the operation does; its kind of expression."""

TRAINERS = {"fit", "train", "training_step", "compute_loss", "evaluate"}
LOSSES = "loss criterion loss_fn loss_func lossfn crit objective compute_loss"
GROUPS: dict[str, str] = {
    "linear": "Linear LazyLinear linear matmul mm addmm bmm dot mv Dense @",
    "matmul": "matmul mm bmm addmm dot tensordot einsum @",
    "bmm": "bmm baddbmm matmul @",
    "mv": "mv matmul dot @",
    "dot": "dot matmul tensordot einsum @",
    "conv": "Conv1d Conv2d Conv3d conv1d conv2d conv3d Conv1D Conv2D Conv3D Conv"
    " conv_general_dilated ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv2d"
    " SeparableConv2D DepthwiseConv2D",
    "conv_transpose": "ConvTranspose1d ConvTranspose2d ConvTranspose3d Conv2DTranspose",
    "pool": "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d max_pool2d avg_pool2d MaxPooling2D"
    " MaxPooling1D AveragePooling2D AdaptiveAvgPool1d AdaptiveAvgPool2d",
    "batch_norm": "BatchNorm1d BatchNorm2d BatchNorm3d batch_norm BatchNorm BatchNormalization",
    "layer_norm": "LayerNorm layer_norm LayerNormalization",
    "group_norm": "GroupNorm group_norm",
    "rnn": "RNN LSTM GRU RNNCell LSTMCell GRUCell SimpleRNN",
    "embedding": "Embedding embedding EmbeddingBag embedding_bag Embed",
    "multihead_attention": "MultiheadAttention multi_head_attention_forward MultiHeadAttention"
    " TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder"
    " Transformer",
    "scaled_dot_product_attention": "scaled_dot_product_attention",
    "transformer": "Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer",
    "cross_entropy": "CrossEntropyLoss cross_entropy NLLLoss nll_loss",
    "nll_loss": "CrossEntropyLoss cross_entropy NLLLoss nll_loss",
    "binary_cross_entropy": "BCELoss BCEWithLogitsLoss binary_cross_entropy"
    " binary_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss binary_cross_entropy_with_logits",
    "mse_loss": "MSELoss mse_loss L1Loss l1_loss SmoothL1Loss smooth_l1_loss HuberLoss",
    "ctc_loss": "CTCLoss ctc_loss",
    "loss": "",
    "sparse_categorical_crossentropy": "fit evaluate train_on_batch"
    " SparseCategoricalCrossentropy sparse_categorical_crossentropy",
    "categorical_crossentropy": "fit evaluate train_on_batch CategoricalCrossentropy"
    " categorical_crossentropy",
    "binary_crossentropy": "fit evaluate BinaryCrossentropy binary_crossentropy",
    "reshape": "reshape view Reshape",
    "view": "view reshape",
    "cat": "cat concat concatenate hstack vstack Concatenate",
    "concatenate": "concatenate concat hstack vstack stack append r_ c_",
    "concat": "concat cat Concatenate concatenate merge",
    "stack": "stack vstack hstack dstack default_collate",
    "collate": "DataLoader default_collate enumerate iter next",
    "dataloader": "DataLoader",
    "backward": "backward grad",
    "grad": "grad value_and_grad jacrev jacfwd jacobian gradient",
    "optimizer": "SGD Adam AdamW RMSprop Adagrad Adadelta Adamax LBFGS NAdam RAdam Optimizer"
    " apply_gradients step",
    "scheduler": "StepLR MultiStepLR ExponentialLR CosineAnnealingLR OneCycleLR ReduceLROnPlateau"
    " LambdaLR CyclicLR LinearLR CosineAnnealingWarmRestarts SequentialLR",
    "scaler": "StandardScaler MinMaxScaler transform inverse_transform GradScaler unscale_ step",
    "load": "load load_state_dict torch_load load_model from_pretrained load_weights",
    "save": "save dump savez save_pretrained",
    "numpy": "numpy asarray array",
    "item": "item float int bool",
    "from_numpy": "from_numpy",
    "tensor": "tensor as_tensor FloatTensor LongTensor stack",
    "array": "array asarray stack",
    "pad": "pad pad_sequence ConstantPad1d ConstantPad2d ZeroPad2d ReflectionPad2d",
    "interpolate": "interpolate Upsample upsample",
    "DistributedDataParallel": "DistributedDataParallel DDP backward",
    "empty": "Linear Conv1d Conv2d Embedding LSTM GRU empty Parameter zeros ones randn LayerNorm"
    " BatchNorm1d BatchNorm2d ConvTranspose2d Conv3d",
    "conv2d": "Conv2d conv2d",
    "conv1d": "Conv1d conv1d",
    "einsum": "einsum rearrange repeat reduce",
    "addmm": "mm addmm spmm matmul linear Linear @",
    "fit": "fit train_on_batch evaluate test_on_batch predict",
    "trainer": "Trainer Seq2SeqTrainer SFTTrainer train",
    "tree_map": "tree_map map tree_multimap map_with_path",
    "fill": "zeros ones fill full zeros_like ones_like",
    "read_file": "read_file fit evaluate predict",
    "write": "save dump write to_csv to_parquet savez savez_compressed tofile write_text writelines"
    " copy copyfile copytree save_pretrained mkdir",
}
"""What a program calls that ends in an operation which messages name."""
BY_FAMILY: dict[str, str] = {
    "torch.embedding_index": "embedding",
    "torch.dtype_expected": "embedding",
    "torch.resize_storage": "collate",
    "torch.dtype_matmul": "linear",
    "torch.collate_uneven": "collate",
    "torch.storage_memory": "empty",
    "torch.input_rank": "batch_norm",
    "torch.target_class": "cross_entropy",
    "torch.loss_batch": "cross_entropy",
    "torch.loss_shape": "mse_loss",
    "torch.batch_norm_training": "batch_norm",
    "torch.optimizer_empty": "optimizer",
    "pandas.csv": "read_csv read_table",
    "config.yaml": "safe_load load full_load",
    "config.yaml_mark": "safe_load load full_load",
    "python.json": "load loads read_json",
    "python.json_type": "dump dumps",
    "python.pickle_local": "DataLoader Process Pool start dump save spawn",
    "python.pickle_object": "DataLoader Process Pool start dump save spawn deepcopy",
    "python.float_literal": "float astype to_numeric asarray array loadtxt tensor fit genfromtxt",
    "python.int_literal": "int astype",
    "python.conversion": "int",
    "python.length": "len DataLoader enumerate",
    "python.codec": "open read read_text read_csv decode readlines load next",
    "keras.target_shape": "fit",
    "keras.input_axis": "fit",
    "keras.input_rank": "fit",
    "transformers.trainer_loss": "trainer",
    "platform.disk_full": "write",
    "platform.quota": "write",
    "python.recursion": "",
    "python.empty_aggregate": "",
}


@dataclass(frozen=True)
class MessageQuery:
    """What is asked of every node: the facts of the message, and what names stand for."""

    facts: MessageFacts
    type: str
    message: str
    made: dict[str, set[str]]
    bases: dict[str, list[str]]
    parameters: dict[str, list[str]]

    def first(self, kind: FactKind, role: Role | None = None) -> str:
        """Return a fact's value as text, empty without one."""
        facts = self.facts.of(kind, role)
        return str(facts[0].value) if facts else ""

    def stands_for(self, nodes: FileNodes, name: str) -> set[str]:
        """Return what was called to make what a name stands for, in its file before others."""
        return {name} | (nodes.made.get(name) or self.made.get(name) or set())


Matcher = Callable[[ast.AST, Enclosing, FileNodes], Iterator[Found]]


def callees(asked: MessageQuery) -> set[str]:
    """Return the names of what can be called to do what the message speaks of."""
    words: list[str] = []
    family = asked.facts.family or ""
    if family in BY_FAMILY:
        name = BY_FAMILY[family]
        words += GROUPS.get(name, name).split()
    for fact in (*asked.facts.of(FactKind.OPERATION), *asked.facts.of(FactKind.FUNCTION)):
        name = str(fact.value).rpartition(".")[2].removesuffix("()")
        if not family.startswith("python."):
            group = GROUPS.get(name) or GROUPS.get(name.removesuffix("_loss"))
            group = group or GROUPS.get(name.lower()) or GROUPS.get(_snake(name))
            words += (group or name).split()
            words.append(name)
    if layer := _LAYER.search(asked.message[:LONGEST_HEAD]):
        # Keras numbers layers of a class: `lstm_1` is the second LSTM.
        words += [layer["call"]] if layer["call"] else _classes_of(layer["layer"])
    if not words and (head := _OPENING.match(asked.message)):
        words += GROUPS.get(head["name"], head["name"]).split()
    return {word for word in words if word and not word.startswith("__")}


LONGEST_HEAD = 2_000
_OPENING = re.compile(r"(?P<name>[a-z_][a-z0-9_]{1,40})(?:\(\))?: ")
"""How a message begins that names the operation first."""
_LAYER = re.compile(
    r"Exception encountered when calling (?!Sequential|Functional)(?P<call>\w{1,60})\.call\(\)"
    r"|of layer ['\"]?(?P<layer>[a-z]\w{0,60}?)(?:_\d+)?['\"]? is incompatible"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def _classes_of(layer: str) -> list[str]:
    """Return the classes that Keras gives this name to the layers of."""
    parts = layer.split("_")
    return ["".join(part.capitalize() for part in parts), "".join(parts).upper()]


def operation(asked: MessageQuery, wanted: set[str]) -> Matcher:
    """Ask for calls of some names, and of what was made by calling them."""
    low = {_plain(word) for word in wanted}
    losses = set(LOSSES.split()) if any("loss" in w or "entropy" in w for w in low) else set()

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and "@" in wanted:
            yield LIKELY, "the operation of the message is done here"
        if not isinstance(node, ast.Call):
            return
        name = last_name(node.func)
        direct = name in wanted or _plain(name) in low
        # A class is called to make the layer, the layer is called to run it.
        at_once = isinstance(node.func, ast.Call)
        if direct and (name[:1].islower() or at_once or asked.type == "TypeError"):
            yield LIKELY, f"`{name}` does what the message speaks of"
        elif direct:
            yield WEAK, f"`{name}` makes what the message speaks of"
        elif losses and name in TRAINERS:
            yield WEAK, f"`{name}` may do what the message speaks of"
        elif name in losses:
            yield KIND, f"`{name}` does what the message speaks of"
        else:
            made = asked.stands_for(nodes, name) & wanted
            if made:
                yield LIKELY, f"`{name}` stands for `{min(made)}`, which the message speaks of"

    return match


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removesuffix("loss")


def worded(asked: MessageQuery) -> Matcher:
    """Of a message of no known family: a call whose name is one of its words."""
    words = {w.lower() for w in re.findall(r"[A-Za-z]{5,}", asked.message[:400])}
    stems = {w[:STEM] for w in words - COMMON_WORDS if len(w) >= STEM}
    whole = words - COMMON_WORDS

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call):
            return
        name = last_name(node.func)
        parts = {p for p in re.split(r"[^a-z]+", name.lower()) if len(p) >= MIN_PART}
        if name.lower() in whole or parts & whole or {p[:STEM] for p in parts} & stems:
            yield KIND, f"the message speaks of what `{name}` is named for"

    return match


STEM, MIN_PART = 6, 5
COMMON_WORDS = frozenset(
    [
        "error",
        "expected",
        "should",
        "cannot",
        "value",
        "values",
        "given",
        "which",
        "model",
        "input",
        "output",
        "tensor",
        "array",
        "object",
        "argument",
        "arguments",
        "invalid",
        "shape",
        "shapes",
        "module",
        "class",
        "found",
        "because",
        "while",
        "since",
        "there",
        "where",
        "returned",
        "first",
        "following",
        "please",
        "instead",
        "using",
        "before",
        "after",
        "check",
        "other",
        "having",
        "support",
    ]
)


OPENS = {"open", "load", "read_csv", "imread", "read_text", "listdir", "glob", "read_parquet"}
OPENS |= {"loadtxt", "read_json", "read_image", "from_pretrained", "load_weights", "read_excel"}
OPENS |= {"scandir", "iterdir", "read_table", "load_model", "copy", "save", "mkdir", "run", "Popen"}


def attribute(asked: MessageQuery) -> Matcher:
    """Ask for the attribute, of the class that the message names first."""
    wanted = asked.first(FactKind.ATTRIBUTE) or asked.first(FactKind.KEY)
    owner = asked.first(FactKind.CLASS)
    module = asked.first(FactKind.MODULE)
    own = owner in asked.bases

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Attribute) or node.attr != wanted:
            return
        receiver = last_name(node.value)
        if not isinstance(node.ctx, ast.Load):
            yield WEAK, f"`.{wanted}` is set here"
        elif receiver in {"self", "cls"}:
            fits = not own or within.cls == owner or owner in _below(asked, within.cls)
            yield (NAMED if own and fits else WEAK), f"`.{wanted}` is asked for here"
        elif owner and receiver in {owner, module}:
            yield NAMED, f"`.{wanted}` is asked for here"
        else:
            fits = not own or owner in asked.stands_for(nodes, receiver)
            yield (NAMED if own and fits else LIKELY), f"`.{wanted}` is asked for here"

    return match


def _below(asked: MessageQuery, cls: str) -> set[str]:
    """Return the names of classes that inherit from one, a few steps deep."""
    classes = {cls}
    for _ in range(4):
        classes |= {name for name, bases in asked.bases.items() if classes & set(bases)}
    return classes


def key(asked: MessageQuery) -> Matcher:
    """Ask for the key, else for keys that are computed."""
    wanted = asked.first(FactKind.KEY)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if isinstance(node.slice, ast.Constant):
                if str(node.slice.value) == wanted:
                    yield NAMED, f"the key `{wanted}` is asked for here"
            elif not isinstance(node.slice, (ast.Slice, ast.Tuple)):
                yield WEAK, "a key is asked for here that is computed"
        elif isinstance(node, ast.Call) and last_name(node.func) in {"pop", "get_group", "remove"}:
            if any(isinstance(a, ast.Constant) and str(a.value) == wanted for a in node.args):
                yield NAMED, f"the key `{wanted}` is asked for here"
        elif isinstance(node, ast.List) and wanted in _texts(node):
            yield KIND, f"the key `{wanted}` stands in this list"

    return match


def _texts(node: ast.List) -> set[str]:
    return {str(e.value) for e in node.elts if isinstance(e, ast.Constant)}


def name(asked: MessageQuery) -> Matcher:
    """Ask for the name, first where nothing binds it."""
    wanted = asked.first(FactKind.NAME)
    local = "unbound" in (asked.facts.family or "")

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Name) and node.id == wanted and isinstance(node.ctx, ast.Load):
            is_bound = wanted in nodes.bound.get((within.cls, within.function), ())
            bound = is_bound if local else is_bound or wanted in nodes.bound.get(("", ""), ())
            yield (NAMED if bound == local else WEAK), f"the name `{wanted}` is used here"

    return match


def call(asked: MessageQuery) -> Matcher:
    """Ask for calls of the function that fit what the message says of its arguments."""
    function = asked.first(FactKind.FUNCTION).removesuffix("()")
    owner, _, name = function.rpartition(".")
    owner = owner.rpartition(".")[2]
    keyword = asked.first(FactKind.ARGUMENT)
    given = asked.facts.of(FactKind.COUNT, Role.ACTUAL)
    unexpected = (asked.facts.family or "").endswith(("keyword", "twice"))
    makes = name in {"__init__", "__new__"}

    def fits(call: ast.Call) -> float:
        if unexpected and keyword:
            if any(k.arg == keyword for k in call.keywords):
                return 1.0
            return 0.4 if any(k.arg is None for k in call.keywords) else 0.1
        if given:
            count = int(given[0].value) if isinstance(given[0].value, int) else -1
            starred = any(isinstance(a, ast.Starred) for a in call.args)
            return 1.0 if starred or len(call.args) in {count, count - 1} else 0.2
        if keyword and any(k.arg == keyword for k in call.keywords):
            return 0.1
        known = asked.parameters.get(owner if makes else name, [])
        if keyword in known:
            return 1.0 if len(call.args) <= known.index(keyword) else 0.1
        return 1.0 if not call.args else 0.5

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if not isinstance(node, ast.Call):
            return
        called = last_name(node.func)
        why = f"`{function}` is called here"
        if makes:
            inherited = called == "__init__" and owner in asked.bases.get(within.cls, [])
            if called == owner or inherited:
                yield NAMED * fits(node), why
            elif owner in nodes.made.get(called, ()):
                yield KIND * fits(node), why
        elif called == name:
            yield NAMED * fits(node), why
        elif name in {"forward", "__call__", "call"} and owner:
            if owner in asked.stands_for(nodes, called):
                yield NAMED * fits(node), why
            elif called in {"model", "net", "self", "layer", "module", "network"}:
                yield WEAK * fits(node), why

    return match


def imported(asked: MessageQuery) -> Matcher:
    """Ask for imports of the module or the name."""
    module, name = asked.first(FactKind.MODULE), asked.first(FactKind.NAME)

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Import):
            if not name and any(f"{a.name}.".startswith(f"{module}.") for a in node.names):
                yield NAMED, f"`{module}` is imported here"
        elif isinstance(node, ast.ImportFrom) and node.module:
            if name and any(a.name == name for a in node.names):
                yield NAMED, f"`{name}` is imported here"
            elif not name and f"{node.module}.".startswith(f"{module}."):
                yield NAMED, f"`{module}` is imported here"

    return match


def path(asked: MessageQuery) -> Matcher:
    """Ask for the path, else for calls that open files."""
    wanted = asked.first(FactKind.PATH).replace("\\", "/").rstrip("/")
    name = wanted.rpartition("/")[2]

    def match(node: ast.AST, within: Enclosing, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 3:
            text = node.value.replace("\\", "/").strip("./")
            if text and (wanted.endswith(text) or text.endswith(wanted)) and len(text) > 3:
                yield LIKELY, "this path is the message's, or its end"
        elif isinstance(node, ast.Call) and last_name(node.func) in OPENS and name:
            yield WEAK * 2, f"`{last_name(node.func)}` opens a file here"

    return match
