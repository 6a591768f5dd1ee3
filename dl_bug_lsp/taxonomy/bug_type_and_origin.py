"""Bug type and origin of a failure.

The bug type says which part of a deep-learning program is wrong: model, training, input, API,
device or none. The origin says whether a failure comes from the project's own versioned code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dl_bug_lsp.messages.facts import FactKind, MessageFacts
from dl_bug_lsp.report import CategoryVerdict, Verdict
from dl_bug_lsp.taxonomy.categories import category, kind_of
from dl_bug_lsp.taxonomy.classification_context import FRAMEWORKS, ClassificationContext, names
from dl_bug_lsp.tracebacks.failures import Failure

BUG_TYPES = ("model", "training", "tensor_input", "api", "gpu", "non_dl")
"""The bug types of Jahan et al. (EMSE 2025), after Humbatova et al. (ICSE 2020)."""

_DEFAULT_WEIGHT = 1.5
_WORD = re.compile(r"[a-z]+")

_MESSAGE_CUES: dict[str, tuple[float, tuple[str, ...]]] = {
    "model": (
        2.0,
        (
            "target…is out of bounds",
            "out of memory allocating",
            "oom when allocating tensor with shape",
            "state_dict",
            "mat1 and mat2",
            "given groups=",
            "index out of range in self",
            "before module.__init__() call",
            "super().__init__",
            "parameter named",
            "normalized_shape",
            "num_heads",
            "embed_dim",
            "incompatible with the layer",
            "max_position",
            "expanded size of the tensor",
            "conv_general_dilated",
            "real- or complex-valued",
            "weight of size",
        ),
    ),
    "training": (
        2.0,
        (
            "gradient",
            "backward",
            "grad_fn",
            "optimizer",
            "not supported between instances of 'float' and 'str'",
            "learning rate",
            "scheduler",
            "weight tensor",
            "loss is",
            "class weight",
            "'lr'",
            "criterion",
            "epoch",
        ),
    ),
    "tensor_input": (
        2.0,
        (
            "stack expects",
            "resize storage",
            "structure of `inputs`",
            "inconsistent sizes for array axes",
            "inhomogeneous",
            "data cardinality",
            "number of samples",
            "batch_size (",
            "collate",
            "truncation and/or padding",
            "batch tensors",
            "features as input",
            "target dtype",
            "data adapter",
            "non-rectangular",
            "label value",
            "in the [columns]",
            "missing data for input",
            "passed a data dictionary",
            "contains nan",
            "contains infinity",
            "too many dimensions 'str'",
            "got double and float",
            "found double",
            "but found float",
            "but got float",
        ),
    ),
    "api": (
        2.6,
        (
            "unexpected keyword",
            "unrecognized keyword",
            "monitor",
            "symbolic",
            "traced",
            "tf.function",
            "autograph",
            "else branch",
            "pickle",
            "compile",
            "has been removed",
            "deprecated",
            "no longer supported",
            "module 'torch",
            "module 'tensorflow",
            "module 'jax",
            "module 'keras",
            "datamodule' object",
            "tensor' object has no",
        ),
    ),
    "gpu": (
        2.0,
        (
            "cuda",
            "nccl",
            "gloo",
            "same device",
            "cuda:0",
            "device-side",
            "[rank",
            "on rank ",
            "local rank",
            "all ranks",
            "world size",
            "process group",
            "finished reduction in the prior iteration",
            "shard",
            "out of memory",
        ),
    ),
}

_PLAIN_DEFAULT = {"key_not_found", "null_reference", "attribute_not_found", "division_by_zero"}
"""Categories whose default gives way to what the place says."""

_PLACE_WORDS: dict[str, frozenset[str]] = {
    "model": names(
        "model models net nets network networks layer layers module modules "
        "encoder decoder backbone "
        "head heads unet resnet transformer attention embedding forward build arch generator "
        "discriminator classifier cnn lstm rnn gru gnn vae gan bert vit"
    ),
    "tensor_input": names(
        "data dataset datasets loader loaders dataloader datamodule collate transform transforms "
        "preprocess preprocessing features augment augmentation augmentations tokenize tokenizer "
        "tokens vocab label labels pipeline getitem batch batches sampler crop pairs reader"
    ),
    "training": names(
        "train trainer training loss losses criterion optim optimizer optimizers engine schedule "
        "scheduler fit step loop epoch evaluate metrics objective schedules callbacks"
    ),
    "gpu": names("distributed ddp fsdp parallel launch cuda gpu nccl"),
    "non_dl": names(
        "config configs cli utils paths io logging report setup settings argparse scripts"
    ),
}
_PLACE_WEIGHT = {"model": 1.0, "tensor_input": 1.0, "training": 0.9, "gpu": 1.0, "non_dl": 0.9}


_REMOVED = "python.removed_keyword"
"""The rule about calls that were right for another version: the program's code is to change."""


def bug_type(
    failure: Failure, verdict: CategoryVerdict, facts: MessageFacts | None = None
) -> Verdict:
    """Say which part of the program is wrong, from the category, the message and the frames.

    The category's own default leads; words of the message and names of the innermost user frames
    can outweigh it. The confidence is that part's share of all weights.
    """
    weights = dict.fromkeys(BUG_TYPES, 0.1)
    row = category(verdict.id)
    kind = kind_of(verdict.rule)
    default = (kind.bug_type if kind is not None else None) or row.bug_type
    weights["api" if verdict.rule == _REMOVED else default] += _DEFAULT_WEIGHT
    if failure.cause is not None and row.dimension not in ("silent", "platform"):
        context = ClassificationContext(failure, failure.cause)
        for part, weight in _cues(context, facts):
            weights[part] += weight
        _mind_dimension(row.dimension, row.id, context, weights)
    if row.id == "communication_failure" and failure.cause is not None:
        text = failure.cause.message[:4000].lower()
        # A service of the web, not the job's own ranks.
        weights["non_dl"] += 3.0 if any(word in text for word in ("http", "ssl", "host")) else 0.0
    best = max(BUG_TYPES, key=lambda kind: weights[kind])
    return Verdict(best, round(weights[best] / sum(weights.values()), 3))


def _cues(
    context: ClassificationContext, facts: MessageFacts | None
) -> Iterator[tuple[str, float]]:
    for kind, (weight, phrases) in _MESSAGE_CUES.items():
        if context.says(*phrases):
            yield kind, weight
    places = _place_words(context)
    for kind, words in _PLACE_WORDS.items():
        if words & places:
            yield kind, _PLACE_WEIGHT[kind]
    if facts is not None and facts.of(FactKind.PARAMETER):
        yield "model", 0.5
    if facts is not None and facts.of(FactKind.DEVICE):
        yield "gpu", 0.5


def _place_words(context: ClassificationContext) -> set[str]:
    """Return the words of the innermost user frame's file name and function."""
    for frame in reversed(context.frames):
        if context.is_user(frame):
            file = frame.file.replace("\\", "/").split("/")
            shown = f"{'/'.join(file[-2:])} {frame.function or ''}".lower()
            return set(_WORD.findall(shown))
    return set()


def _mind_dimension(
    dimension: str, id: str, context: ClassificationContext, weights: dict[str, float]
) -> None:
    """General errors concern deep learning only where its code or its words are near."""
    if id in _PLAIN_DEFAULT:
        weights["non_dl"] -= 0.7
    if dimension == "execution_environment":
        weights["non_dl"] += 1.5
    elif id == "illegal_argument" and context.raised_in(*FRAMEWORKS):
        weights["training"] += 1.5
    elif id == "tensor_mismatch" and context.says(
        "operands could not be broadcast",
        "setting an array element",
        "inhomogeneous",
        "too many dimensions 'str'",
        "more than 1 value per channel",
    ):
        # NumPy's words, or one sample's: an array of the data more often than a layer.
        weights["tensor_input"] += 1.5
        weights["model"] *= 0.5
    elif id in ("syntax_error", "undefined_variable"):
        weights["model"] *= 0.6
        weights["tensor_input"] *= 0.6
        weights["training"] *= 0.7


# ---------------------------------------------------------------------- origin
INTRINSIC, EXTRINSIC = "intrinsic", "extrinsic"

_OWN_DOING = (
    "relative import",
    "partially initialized module",
    "mismatch between collectives",
    "monitoredbarrier",
)
"""Words of an environment's category that nevertheless tell of the project's own code."""
_OTHERS_DOING = (
    "undefined symbol",
    "no kernel image",
    "binary incompatibility",
    "driver",
    "has…memory in use. process",
    "including non-pytorch memory",
    "stale file handle",
    "out of shared memory",
    "insufficient shared memory",
    "unable to allocate shared memory",
    "bus error",
    "input/output error",
    "server error",
    "is deprecated and was removed in numpy",
)
"""Words of any category that tell of machine, network or third-party binaries."""
_PERHAPS_OWN = (
    "contains nan",
    "contains infinity",
    "contains missing values",
    "permission denied: …sh'",
    ".sh: permission denied",
)
"""Words of what may as well be the project's own doing.

Bad values come from code as often as from data; whether a script is executable is versioned too.
"""
_PART_OF_PACKAGE = re.compile(r"No module named '?\w+\.\w|cannot import name")
"""The package is there; the code asks for a part that this version does not have."""
_GUESS = 0.65


def origin(
    failure: Failure,
    verdict: CategoryVerdict,
    facts: MessageFacts | None = None,
    *,
    workspace_module: Callable[[str], bool] | None = None,
) -> Verdict:
    """Say whether the cause lies inside the project's versioned code (intrinsic) or outside.

    Extrinsic are environment, requirements, third-party libraries, external data and
    infrastructure (Jahan et al., EMSE 2025). A missing module that ``workspace_module`` knows is
    the project's own doing.
    """
    kind = kind_of(verdict.rule)
    default = (kind.origin if kind is not None else None) or category(verdict.id).origin
    if failure.cause is None:
        return Verdict(default, _GUESS)
    if failure.divergence is not None and failure.divergence.differs:
        return Verdict(INTRINSIC, 0.8)
    context = ClassificationContext(failure, failure.cause)
    if context.says(*_OWN_DOING) or _misses_own_module(context, facts, workspace_module):
        return Verdict(INTRINSIC, 0.8)
    if _PART_OF_PACKAGE.search(context.message):
        return Verdict(INTRINSIC, 0.6)
    if context.says(*_PERHAPS_OWN):
        return Verdict(INTRINSIC, 0.55)
    if context.says(*_OTHERS_DOING):
        return Verdict(EXTRINSIC, 0.75)
    return Verdict(default, _confidence(verdict, default))


def _misses_own_module(
    context: ClassificationContext,
    facts: MessageFacts | None,
    workspace_module: Callable[[str], bool] | None,
) -> bool:
    if workspace_module is None or not context.says("no module named", "cannot import name"):
        return False
    modules = [str(f.value) for f in facts.of(FactKind.MODULE)] if facts is not None else []
    quoted = context.message.split("'")[1::2]
    return any(workspace_module(name) for name in (*modules, *quoted) if name)


def _confidence(verdict: CategoryVerdict, default: str) -> float:
    """Return less where the category mixes both origins than where it does not."""
    clear = category(verdict.id).dimension in ("platform", "deep_learning_specific", "silent")
    share = 0.85 if clear or default == INTRINSIC else 0.75
    return round(share * max(verdict.confidence, 0.5), 3)
