"""Rules for what is minimised: shapes that broadcast, weights of classes, masks, signs of losses.

Class weights are inverse to the frequencies (scikit-learn, "balanced"; PyTorch, BCEWithLogitsLoss:
negatives over positives). Attention: softmax over the keys of scaled scores (Vaswani et al., 2017).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import Body, Training, clue, text
from dl_bug_lsp.provenance.scopes import called_name, dotted_name

REGRESSION = frozenset(
    ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "MSELoss", "L1Loss", "SmoothL1Loss",
     "HuberLoss")
)  # fmt: skip
COLUMN = re.compile(
    r"\.unsqueeze\((?:1|-1|dim=1|dim=-1)\)|\.view\(-1, 1\)|\.reshape\(-1, 1\)|\[:, None\]"
    r"|\.reshape\(\(-1, 1\)\)|\[\[['\"]\w+['\"]\]\]|expand_dims\(\w+, (?:axis=)?-?1\)"
)
"""How an array is made a column."""
FLAT = re.compile(
    r"\.squeeze\((?:1|-1|dim=1|dim=-1)?\)|\.view\(-1\)|\.reshape\(-1\)|\.flatten\(\)|\[:, 0\]"
    r"|\.ravel\(\)"
)
"""How an array is made flat."""
CONVERSIONS = len(".float().to(device)")
"""Characters of conversions that may follow, which leave a shape as it is."""
OF_LOSS = re.compile(r"mean\(|loss|mse|mae|err|residual")
"""Words of statements in which a difference is that of predictions from targets."""
COUNTS = re.compile(r"count|freq|bincount|n_pos|num_pos|pos\b|positives|hist|\bcnt", re.I)
WHOLE = re.compile(r"sum|len\(|total|\bn\b|n_neg|num_neg|neg\b|negatives|shape|size|numel", re.I)
ONE = re.compile(r"1(?:\.0)?$|len|\(?1")
SUM = re.compile(r"\w*(?:total|sum|len)\w*")
OF_WHOLE = re.compile(r"neg|\.sum\(\)|total|len\(")
INVERSE = ("1 /", "1.0 /")
WEIGHTED = ("scale_pos_weight", "weight", "pos_weight", "class_weight", "weights")
"""Arguments that are weights of classes or samples."""
SAMPLER = "WeightedRandomSampler"
COUNT_OF_CLASS = re.compile(r"\[?(?:class_)?counts?\[\w")
OVERLAP = re.compile(
    r"2(?:\.0)?\s*\*\s*\(?(?:\w*inter|\w*overlap|\(?\w+ \* \w+)|inter\w*\s*(?:\+ \w+\))?\s*/"
)
TURNED = re.compile(r"\b1(?:\.0)? - |^-|-torch|neg")
"""How an overlap, of which more is better, is made a loss."""
SIMILAR = re.compile(
    r"(?:dice|iou|jaccard|tversky|ssim|cos\w*)_?loss|loss_?(?:dice|iou|jaccard)", re.I
)
CALLABLES = ("forward", "__call__", "call")
CRFS = frozenset(("CRF", "ConditionalRandomField"))
NEGATED = re.compile(r"loss\w* = -|-(?:self\.)?\w*(?:model|net|loss|ll|likelihood|tagger)\w*\b")
"""How a program turns the sign of what a model returns."""
PADDING_MASKS = frozenset(
    ("src_key_padding_mask", "tgt_key_padding_mask", "key_padding_mask", "memory_key_padding_mask")
)
KEEPS = re.compile(
    r"!= *(?:self\.)?\w*(?:pad|0\b)|\.ne\(|(?<!~)\battention_mask(?:\.bool\(\))?$|> 0$|< \w*len",
    re.I,
)
"""Masks that are true for words."""
INVERTED = ("~", "not ", "torch.logical_not", "(~")
PRODUCT = re.compile(
    r"transpose\(-2, -1\)|transpose\(-1, -2\)|transpose\(1, 2\)|\.mT|swapaxes\(-1, -2\)"
    r"|swapaxes\(-2, -1\)|einsum|bmm"
)
"""How queries are multiplied by keys."""
DIRECT = re.compile(
    r"@ \w+\.transpose\(-2, -1\)|@ \w+\.transpose\(1, 2\)|matmul\(q\w*, k\w*\.transpose"
)
LIBRARIES = re.compile(r"(?:torch|F|nn\.functional|tf\.nn|jax\.nn|nn)")
SCORES = re.compile(r"attn|att\b|score|weight|energy|sim|logit|dots", re.I)
BASE = re.compile(r"[\w.]+")
OTHER_AXES = ("-2", "0", "1")
HEADS = re.compile(r"head|^h$|self\.h$")
EXTENTS = re.compile(r"dim|size")
PLACES = re.compile(r"^(?:t|l|n|seq\w*|length|time|s|\w*len|\w+_length|\w+_[tln]|-1)$")
"""Names for the number of places in a sequence."""
LOSS_NAMES = re.compile(r"criterion|crit|loss_fn|loss_func|loss")
NO_LOSSES = re.compile(r"metric|acc|log")
DECISIONS = re.compile(
    r"\.argmax\(|torch\.argmax\(|\.round\(\)|torch\.round\(|> 0\.5\)"
    r"|\.max\((?:1|dim=1|-1|dim=-1)\)\[1\]"
)
"""What gives decisions, through which no gradient comes."""
FOR_TARGETS = re.compile(r"one_hot|detach|gather|embed|\b(?:tf|ops)\.|true|label|target")
"""Words of decisions that are targets, not predictions."""
TOTAL = re.compile(r"(?:total_)?loss")
BEGINNINGS = frozenset(("zeros", "tensor", "zeros_like", "new_zeros", "new_tensor", "as_tensor"))
MOST_LINES_APART = 6


def find(training: Training) -> Iterator[Clue]:
    """Yield losses that ask for something else than is meant."""
    classes = {
        name.rpartition(".")[2]: called_name(call)
        for _, name, _, call in training.made
        if called_name(call).endswith("Loss")
    }
    crfs = _crfs(training)
    for body in training.bodies:
        yield from _broadcast(training, body, classes)
        yield from _frequencies(body)
        yield from _weights_in_place(body)
        yield from _plain_weights(body)
        yield from _overlaps(body)
        yield from _likelihoods(training, body, crfs)
        yield from _masks(body)
        yield from _softmax_axis(body)
        yield from _heads(body)
        yield from _decided(body, classes)
        yield from _parts(body)


def _form(body: Body, expr: ast.expr, line: int) -> str:
    """Return whether an array is made a column or flat: by the expression, or where it is bound."""
    made = body.value(expr, line)
    words = body.source(made[0]) if made is not None else ""
    column = max((match.end() for match in COLUMN.finditer(words)), default=-1)
    flat = max((match.end() for match in FLAT.finditer(words)), default=-1)
    if column == flat or max(column, flat) < len(words) - CONVERSIONS:
        return ""
    return "column" if column > flat else "flat"


def _broadcast(training: Training, body: Body, classes: dict[str, str]) -> Iterator[Clue]:
    """Find a column and a flat array in one loss: they broadcast to a square."""
    for node in body.nodes:
        if isinstance(node, ast.Call) and len(node.args) >= 2:
            name = called_name(node)
            is_loss = name in REGRESSION or classes.get(name) in REGRESSION
            one, other = node.args[:2]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            is_loss = True
            one, other = node.left, node.right
        else:
            continue
        forms = {_form(body, part, node.lineno) for part in (one, other)} if is_loss else set()
        if forms != {"column", "flat"}:
            continue
        if isinstance(node, ast.BinOp) and not _is_of_loss(training, body, node):
            continue
        shown = [body.source(part)[:40] for part in (one, other)]
        why = (
            f"of `{shown[0]}` and `{shown[1]}` one is a column and one is flat: they broadcast to"
            " a square"
        )
        yield clue("strong", body.file, node.lineno, why)
        for part in (one, other):
            for made in body.assigned.get(part.id, ()) if isinstance(part, ast.Name) else ():
                words = body.source(made.value)
                if COLUMN.search(words) or FLAT.search(words):
                    yield clue("strong", body.file, made.lineno, why, 0.9)


def _is_of_loss(training: Training, body: Body, node: ast.expr) -> bool:
    """Whether a difference is averaged or named as a loss, and not one of all pairs."""
    statement = training.statement(body.scope, node)
    return statement is not None and OF_LOSS.search(body.source(statement)) is not None


def _share(body: Body, expr: ast.expr) -> bool:
    """Whether an expression divides counts by the whole."""
    words = body.source(expr)
    if "normalize=True" in words and not any(inverse in words for inverse in INVERSE):
        return True
    for part in ast.walk(expr):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Div):
            continue
        left, right = body.source(part.left), body.source(part.right)
        is_share = COUNTS.search(left) and WHOLE.search(right)
        if is_share and not WHOLE.match(left) and not ONE.match(left):
            return SUM.fullmatch(left) is None and OF_WHOLE.search(left) is None
    return False


def _frequencies(body: Body) -> Iterator[Clue]:
    """Find names of class weights that grow with the frequency of the class."""
    for name, statements in body.assigned.items():
        for node in statements if "." not in name else ():
            if not _share(body, node.value):
                continue
            if any(inverse in body.source(node.value) for inverse in INVERSE):
                continue
            if _is_inverted(body, name, node.lineno) or not _is_weight(body, name):
                continue
            why = f"`{name}` grows with the number of a class: frequent classes count most"
            yield clue("strong", body.file, node.lineno, why)


def _is_inverted(body: Body, name: str, line: int) -> bool:
    """Whether statements behind a line make the reciprocal, or the complement, of a name."""
    escaped = re.escape(name)
    inverted = re.compile(
        rf"(?:1(?:\.0)?|max\(\)|total|n) / \(?(?:\w+\.)?\w*\(?{escaped}\b|{escaped} \*\* -"
        rf"|1(?:\.0)? - {escaped}"
    )
    return any(
        isinstance(node, (ast.Assign, ast.Expr, ast.Return))
        and node.lineno > line
        and inverted.search(body.source(node))
        for node in body.nodes
    )


def _is_weight(body: Body, name: str) -> bool:
    """Whether a call takes a name as the weights of classes or samples."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for call in body.calls:
        given = [k.value for k in call.keywords if k.arg in WEIGHTED]
        if called_name(call) == SAMPLER:
            given.extend(call.args[:1])
        if any(word.search(body.source(value)) for value in given):
            return True
    return False


def _weights_in_place(body: Body) -> Iterator[Clue]:
    """Find arguments for class weights that grow with the frequency of the class."""
    for call in body.calls:
        for k in call.keywords:
            if k.arg in WEIGHTED and not isinstance(k.value, ast.Name) and _share(body, k.value):
                why = (
                    f"{text(k.value)} grows with the number of a class: frequent classes count most"
                )
                yield clue("strong", body.file, k.value.lineno, why)


def _plain_weights(body: Body) -> Iterator[Clue]:
    """Find samples that are drawn with the number of their class as weight."""
    for call in body.calls:
        first = call.args[0] if call.args else keyword(call, "weights")
        if called_name(call) != SAMPLER or not isinstance(first, ast.Name):
            continue
        for node in body.assigned.get(first.id, ()):
            words = body.source(node.value)
            if COUNT_OF_CLASS.search(words) and "/" not in words:
                why = (
                    f"`{first.id}` grows with the number of a class: frequent classes are drawn"
                    " most"
                )
                yield clue("strong", body.file, node.lineno, why)


def _overlaps(body: Body) -> Iterator[Clue]:
    """Find losses that give the overlap itself, which training then makes small."""
    owner = body.scope.owner
    of_class = body.name in CALLABLES and owner is not None and SIMILAR.search(owner.name)
    if not SIMILAR.search(body.name) and not of_class:
        return
    for node in body.nodes:
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        value = node.value
        if (
            isinstance(value, ast.Call)
            and called_name(value) == "mean"
            and isinstance(value.func, ast.Attribute)
            and isinstance(value.func.value, ast.Name)
        ):
            value = value.func.value
        made = body.value(value, node.lineno)
        words = body.source(made[0]) if made is not None else ""
        if OVERLAP.search(words) and not TURNED.search(words):
            why = f"{text(node.value)} grows with the overlap: a loss must fall"
            yield clue("strong", body.file, node.lineno, why)


def _crfs(training: Training) -> set[str]:
    """Return the names of the layers of pytorch-crf, which give log likelihoods."""
    if CRFS & {scope.name for scope in training.scopes if scope.is_class}:
        return set()  # The program has its own, which may give losses.
    return {
        name.rpartition(".")[2] for _, name, _, call in training.made if called_name(call) in CRFS
    }


def _likelihoods(training: Training, body: Body, crfs: set[str]) -> Iterator[Clue]:
    """Find log likelihoods of CRF layers that are minimised."""
    for node in body.nodes if crfs else ():
        value = node.value if isinstance(node, (ast.Assign, ast.Return)) else None
        if not isinstance(value, ast.Call) or not isinstance(node, (ast.Assign, ast.Return)):
            continue
        call = value
        while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
            call = call.func.value
        if called_name(call) not in crfs or len(call.args) < 2:
            continue
        if isinstance(node, ast.Assign) and "loss" not in body.source(node.targets[0]).lower():
            continue
        if not NEGATED.search(training.sources):
            why = f"{text(call)} is a log likelihood: as a loss it needs a minus"
            yield clue("strong", body.file, node.lineno, why)


def _masks(body: Body) -> Iterator[Clue]:
    """Find padding masks of PyTorch the wrong way round: True means that a key is ignored."""
    for call in body.calls:
        for k in call.keywords:
            made = body.value(k.value, call.lineno) if k.arg in PADDING_MASKS else None
            if made is None:
                continue
            value, line = made
            words = body.source(value)
            if KEEPS.search(words) and not words.startswith(INVERTED) and "== 0" not in words:
                why = f"{text(value)} is True for words: here True means that a place is ignored"
                yield clue("strong", body.file, value.lineno if value is k.value else line, why)


def _softmax_axis(body: Body) -> Iterator[Clue]:
    """Find attention that is normalised over the queries."""
    for call in body.calls:
        if called_name(call) != "softmax":
            continue
        subject, axis = _softmax_of(body, call)
        if subject is None or axis is None or body.source(axis) not in OTHER_AXES:
            continue
        words = body.source(subject)
        base = BASE.match(words)
        name = base[0].rpartition(".")[2] if base is not None else ""
        is_scores = SCORES.search(words) and any(
            (dotted_name(node.targets[0]) or "").rpartition(".")[2] == name
            for node in body.assigns
            if PRODUCT.search(body.source(node.value))
        )
        if is_scores or DIRECT.search(words):
            why = (
                f"{text(call)} runs over dimension {body.source(axis)}: attention is normalised"
                " over the keys, the last one"
            )
            yield clue("strong", body.file, call.lineno, why)


def _softmax_of(body: Body, call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """Return what a softmax is taken of, and its axis."""
    axis = keyword(call, "dim") or keyword(call, "axis")
    func = call.func
    if isinstance(func, ast.Attribute) and not LIBRARIES.fullmatch(body.source(func.value)):
        subject, rest = func.value, call.args
    elif call.args:
        subject, rest = call.args[0], call.args[1:]
    else:
        return None, axis
    return subject, axis or (rest[0] if rest else None)


def _heads(body: Body) -> Iterator[Clue]:
    """Find attention whose heads are cut out of the places of the sequence."""
    for call in body.calls:
        if called_name(call) not in ("view", "reshape") or len(call.args) != 4:
            continue
        batch, heads, places, width = [body.source(argument).lower() for argument in call.args]
        if not HEADS.search(heads) or EXTENTS.search(heads) or not PLACES.search(places):
            continue
        if width == places or width.isdigit() or (PLACES.search(width) and width != "-1"):
            continue  # The scores themselves, of which heads are no part of the last dimension.
        code = body.text.lower()
        if f"{batch} * {heads}" in code or f"{heads} * {batch}" in code:
            continue  # The heads were a part of the batch.
        why = (
            f"{text(call)} cuts the places of the sequence apart: the heads are a part of the last"
            " dimension"
        )
        yield clue("strong", body.file, call.lineno, why)


def _decided(body: Body, classes: dict[str, str]) -> Iterator[Clue]:
    """Find losses of decisions: through `argmax` and rounding no gradient comes."""
    for call in body.calls:
        name = called_name(call)
        is_loss = name in classes or name.endswith(("_loss", "cross_entropy"))
        if not (is_loss or LOSS_NAMES.fullmatch(name)) or NO_LOSSES.search(name):
            continue
        made = body.value(call.args[0], call.lineno) if call.args else None
        if made is None:
            continue
        value, line = made
        words = body.source(value)
        if DECISIONS.search(words) and not FOR_TARGETS.search(words):
            why = f"{text(value)} has no gradient: the loss gets decisions, not scores"
            yield clue("strong", body.file, line, why)


def _parts(body: Body) -> Iterator[Clue]:
    """Find parts of a loss of which the later one takes the earlier one's place."""
    for block in _blocks(body):
        losses = [
            (at, dotted_name(statement.targets[0]) or "", statement)
            for at, statement in enumerate(block)
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1
        ]
        losses = [loss for loss in losses if TOTAL.fullmatch(loss[1])]
        for (start, name, one), (end, again, other) in pairwise(losses):
            if name != again or other.lineno - one.lineno > MOST_LINES_APART:
                continue
            is_beginning = isinstance(one.value, ast.Constant) or (
                isinstance(one.value, ast.Call) and called_name(one.value) in BEGINNINGS
            )
            if not is_beginning and not _is_read(block[start + 1 : end + 1], name):
                why = (
                    f"`{name}` of line {one.lineno} is lost: it is set again here and not added to"
                )
                yield clue("strong", body.file, other.lineno, why)


def _blocks(body: Body) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a function that run one after the other."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in (body.scope.node, *(n for n in body.nodes if not isinstance(n, functions))):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _is_read(statements: list[ast.stmt], name: str) -> bool:
    """Whether statements read a name."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for statement in statements
        for node in ast.walk(statement)
    )
