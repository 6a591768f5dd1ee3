"""Which calls and expressions can raise what a library or Python itself says."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.raising.scan import FileNodes, Within, last_name
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
    "python.recursion": "",
    "python.empty_aggregate": "",
}


@dataclass(frozen=True)
class Asked:
    """What is asked of every node: the facts of the message, and what names stand for."""

    facts: MessageFacts
    type: str
    message: str
    made: dict[str, set[str]]
    bases: dict[str, list[str]]
    parameters: dict[str, list[str]]

    def first(self, kind: FactKind, role: Role | None = None) -> str:
        """Return a fact's value as text, empty without one."""
        found = self.facts.of(kind, role)
        return str(found[0].value) if found else ""

    def stands_for(self, nodes: FileNodes, name: str) -> set[str]:
        """Return what was called to make what a name stands for, in its file before others."""
        return {name} | (nodes.made.get(name) or self.made.get(name) or set())


Matcher = Callable[[ast.AST, Within, FileNodes], Iterator[Found]]


def callees(asked: Asked) -> set[str]:
    """Return the names of what can be called to do what the message speaks of."""
    words: list[str] = []
    family = asked.facts.family or ""
    if family in BY_FAMILY:
        name = BY_FAMILY[family]
        words += GROUPS.get(name, name).split()
    for fact in (*asked.facts.of(FactKind.OPERATION), *asked.facts.of(FactKind.FUNCTION)):
        name = str(fact.value).rpartition(".")[2].removesuffix("()")
        if not family.startswith("python."):
            words += GROUPS.get(name, GROUPS.get(name.removesuffix("_loss"), name)).split()
            words.append(name)
    return {word for word in words if word and not word.startswith("__")}


def operation(asked: Asked, wanted: set[str]) -> Matcher:
    """Ask for calls of some names, and of what was made by calling them."""
    low = {_plain(word) for word in wanted}
    losses = set(LOSSES.split()) if any("loss" in w or "entropy" in w for w in low) else set()

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and "@" in wanted:
            yield LIKELY, "the operation of the message is done here"
        if not isinstance(node, ast.Call):
            return
        name = last_name(node.func)
        direct = name in wanted or _plain(name) in low
        # A class is called to make the layer, the layer is called to run it.
        if direct and (name[:1].islower() or asked.type == "TypeError"):
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


def worded(asked: Asked) -> Matcher:
    """Of a message of no known family: a call whose name is one of its words."""
    words = {w.lower() for w in re.findall(r"[A-Za-z]{5,}", asked.message[:400])}
    stems = {w[:STEM] for w in words - COMMON_WORDS if len(w) >= STEM}
    whole = words - COMMON_WORDS

    def match(node: ast.AST, within: Within, nodes: FileNodes) -> Iterator[Found]:
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
