"""Rules for what goes into a model: batch axes, feature maps, image modes, gaps, labels.

Sources: Keras, "Sequential model" and "Conv2D" (inputs have a batch axis; `Dense` works on the last
axis); PyTorch, "torch.utils.data.default_collate" (texts become a list); Pillow, "Concepts: Modes"
(a file keeps its own number of channels); pandas, "Working with missing data" (what a lookup does
not find is NaN).

transformers' `Trainer` hands a model the columns that its ``forward`` names and leaves the others
out; the collator renames ``label`` and ``label_ids`` to ``labels``. Without labels a model gives no
loss. Source: the documentation of ``transformers.Trainer`` and of its data collators.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import OF_GAPS
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    is_text,
    near_files,
    near_scopes,
    own_nodes,
    source,
    standard_modules,
)
from dl_bug_lsp.evidence.followed_run import follow, refused_lines
from dl_bug_lsp.evidence.numbers import indexes_shape
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.nodes import Instance, LibraryObject, StepKind
from dl_bug_lsp.provenance.scopes import ElementOf, called_name
from dl_bug_lsp.provenance.slices import Property, Step
from dl_bug_lsp.workspace.notebooks import Cell

MODEL_CALLS = {"predict", "evaluate", "fit", "apply", "generate", "predict_on_batch", "__call__"}
ADDS_AXIS = {
    *("unsqueeze", "expand_dims", "reshape", "view", "stack", "array", "asarray", "newaxis"),
    *("atleast_2d", "atleast_3d", "atleast_4d", "cat", "concatenate", "repeat", "tile", "collate"),
}
MAPS = ("Conv2D", "Conv1D", "Conv3D", "MaxPool", "AveragePool", "AvgPool", "Conv2d", "Conv1d")
"""How the names of layers begin that give feature maps."""
NEUTRAL_LAYERS = {
    *("Activation", "BatchNormalization", "BatchNorm2d", "BatchNorm1d", "Dropout", "LeakyReLU"),
    *("ReLU", "ELU", "GELU", "SpatialDropout2D", "Dropout2d", "Softmax", "Sigmoid", "Tanh"),
}
FLAT_LAYERS = {"Dense", "Linear"}
FLATTENS = {"flatten", "view", "reshape", "ravel", "rearrange", "mean", "Flatten"}
CHANNELS = {1, 2, 3, 4}
OPENS_IMAGE = {"PIL.Image.open", "Image.open"}
FINDS_NOTHING = {"map", "merge", "reindex", "get_indexer", "join", "shift", "to_numeric", "pivot"}
"""Methods of pandas that give NaN (or -1) for what they do not find."""
LOWEST_INTEGERS = {-(2**63), -(2**31), 2**63, 2**31}
"""What a conversion makes of NaN, seen as an index."""


GIVES_NEW = {
    *("fillna", "dropna", "drop", "drop_duplicates", "astype", "rename", "replace", "reset_index"),
    *("sort_values", "set_index", "assign", "clip", "interpolate", "ffill", "bfill", "join"),
    *("reshape", "transpose", "unsqueeze", "squeeze", "permute", "detach", "float", "long", "view"),
    *("half", "double", "expand", "repeat", "flatten", "contiguous", "normalize", "convert"),
    *("resize", "strip", "lower", "upper", "batch", "prefetch", "map", "filter", "merge"),
}
"""Methods of tables, arrays, tensors, images, texts and data sets that change nothing in place."""
OF_MODULES = {"float", "half", "double", "long"}
"""Methods that change a network in place, though a tensor not."""
LOUD_WITHOUT = {"library_not_found", "path_not_found", "syntax_error", "permission_denied"}


def find(case: Case) -> Iterator[Clue]:
    """Yield the places that give a model, a layer or an index what it cannot take."""
    category = case.category.id
    if category not in LOUD_WITHOUT:
        yield from _dropped_results(case)
        yield from _zip_of_one(case)
    if category in {"tensor_mismatch", "illegal_argument"}:
        # A checkpoint is loaded before any sample is seen.
        if "state_dict" not in case.message:
            yield from _single_sample(case)
            yield from _unflattened(case)
            yield from _unflattened_call(case)
        yield from _image_modes(case)
        yield from _axes_of_sequences(case)
    if category in {"tensor_mismatch", "illegal_argument", "illegal_index"}:
        yield from _lengths_not_divided(case)
        yield from _not_truncated(case)
    if category == "illegal_index":
        yield from _gaps(case)
    if category in {"attribute_not_found", "type_mismatch"}:
        yield from _collated_texts(case)


TOO_LONG = re.compile(
    r"(?i)\b\w*lengths?\b[^\n]{0,60}?(?:at most|<=|less than or equal to)\D{0,40}(?P<most>\d+)"
    r"\D{1,40}(?P<given>\d+)"
)
"""How losses of sequences say that a length is above the number of steps that there are."""
LENGTH_NAMES = re.compile(
    r"(?i)(?:^|_)(?:lens?|lengths?|sizes?|frames|steps|durations?)(?:$|_)|_len$"
)
MOST_ROUNDED = 2
"""Steps by which lengths differ that were rounded or padded in another way, and not divided."""


def _lengths_not_divided(case: Case) -> Iterator[Clue]:
    """Find a method that returns lengths as it got them beside what a layer has shortened.

    A convolution or a pool with a stride divides the number of steps; the lengths that go to
    `CTCLoss` or to a packed sequence have to be divided as well (PyTorch, `torch.nn.CTCLoss`).
    """
    match = TOO_LONG.search(case.message)
    # The sample of the message may be any of its batch, not the longest.
    if match is None or int(match["given"]) - int(match["most"]) <= MOST_ROUNDED:
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for function in ast.walk(tree) if tree is not None else ():
            if not isinstance(function, ast.FunctionDef):
                continue
            parameters = {a.arg for a in function.args.args if LENGTH_NAMES.search(a.arg)}
            changed = {
                n.id
                for n in ast.walk(function)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            for node in ast.walk(function) if parameters - changed else ():
                if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Tuple):
                    continue
                same = [
                    e.id
                    for e in node.value.elts
                    if isinstance(e, ast.Name) and e.id in parameters - changed
                ]
                if same and len(node.value.elts) > len(same):
                    why = (
                        f"`{same[0]}` is returned as it came, beside what layers may have shortened"
                    )
                    yield Clue("rules.strong", file, node.lineno, 1.0, why)


def _not_truncated(case: Case) -> Iterator[Clue]:
    """Find what is made of whole sequences beside what is made of the same ones cut to a length."""
    for scope in near_scopes(case):
        if not isinstance(scope.node, ast.FunctionDef):
            continue
        cut: dict[str, tuple[int, str]] = {}
        whole: dict[str, list[tuple[int, str]]] = {}
        for node in ast.walk(scope.node):
            if not isinstance(node, ast.ListComp | ast.GeneratorExp) or len(node.generators) != 1:
                continue
            generator = node.generators[0]
            if not isinstance(generator.target, ast.Name):
                continue
            name, over = generator.target.id, source(generator.iter)
            slices = [
                part
                for part in ast.walk(node.elt)
                if isinstance(part, ast.Subscript)
                and source(part.value) == name
                and isinstance(part.slice, ast.Slice)
                and part.slice.upper is not None
            ]
            measured = any(
                isinstance(part, ast.Call) and source(part) == f"len({name})"
                for part in ast.walk(node.elt)
            )
            if slices:
                cut[over] = (node.lineno, source(slices[0]))
            elif measured:
                whole.setdefault(over, []).append((node.lineno, source(node)))
        for over, places in whole.items():
            for line, text in places if over in cut else ():
                why = (
                    f"`{text}` takes whole items, which line {cut[over][0]} cuts (`{cut[over][1]}`)"
                )
                yield Clue("rules.strong", scope.file, line, 1.0, why)


def _single_sample(case: Case) -> Iterator[Clue]:
    """Find a single sample (``x[0]``) that a model is called with as if it were a batch.

    Where the shapes of the message have one number of axes, none is missing.
    """
    ranks = [len(fact.value) for fact in case.facts.of(FactKind.SHAPE) if type(fact.value) is tuple]
    if (len(ranks) > 1 and len(set(ranks)) == 1) or _of_one_axis(case):
        return
    for step in case.property_slice:
        expr = step.node.expr
        if step.node.entry is not None or not isinstance(expr, ast.Subscript):
            continue
        if step.node.kind is not StepKind.INDEXING or not _is_position(expr.slice):
            continue
        if indexes_shape(expr):
            continue
        if not _stands_there(case, step) or _is_of_many(step, expr.slice):
            continue
        way = step.way()
        at = next((i for i, link in enumerate(way) if _goes_into_model(link)), len(way))
        roles = step.roles[at:]
        plain = all(role == "definition" or role.startswith("argument") for role in roles)
        if not plain or not roles or not roles[0].startswith("argument"):
            continue
        if any(adds_axis(link.node.expr) for link in way[at:]):
            continue
        why = f"`{step.node.text}` is one sample, and the model wants a batch"
        yield Clue("rules.no_batch_axis", step.node.file, step.node.line, 1.0, why)
        call = way[at].node
        why = f"`{call.text}` is given one sample (`{step.node.text}`) instead of a batch"
        yield Clue("rules.no_batch_axis", call.file, call.line, 0.7, why)


MOST_APART = 0.05
"""By which share two sizes of one axis differ that was rounded, padded or cut in another way."""


def _of_one_axis(case: Case) -> bool:
    """Whether two sizes of the message are nearly equal: those of one axis, not of two."""
    sizes = [fact.value for fact in case.facts.of(FactKind.SIZE) if type(fact.value) is int]
    if len(sizes) != 2 or min(sizes) < 2:
        return False
    return 0 < abs(sizes[0] - sizes[1]) <= max(1, MOST_APART * max(sizes))


def _stands_there(case: Case, step: Step) -> bool:
    """Whether an expression is written in its line; what takes a target apart is not."""
    line = case.workspace.source_line(step.node.file, step.node.line)
    return "".join(step.node.text.split()) in "".join(line.split()).replace('"', "'")


def _is_position(index: ast.expr) -> bool:
    if isinstance(index, ast.UnaryOp):
        index = index.operand
    if isinstance(index, ast.Constant):
        return type(index.value) is int
    return isinstance(index, ast.Name) and index.id in {"i", "idx", "index", "j", "k", "n", "pick"}


ORDERINGS = {
    *("randperm", "permutation", "randint", "choice", "arange", "argsort", "nonzero", "where"),
    *("topk", "tensor", "array", "sample", "flatnonzero", "multinomial", "split"),
}
"""Functions whose results are indices of many samples."""


def _is_of_many(step: Step, index: ast.expr) -> bool:
    """Whether an index was made as an array of several: cut out of one, or a permutation."""
    if not isinstance(index, ast.Name):
        return False
    made = step.node.engine.node(index, step.node.context)
    for role, node in made.inputs:
        expr = node.expr
        if role == "definition" and isinstance(expr, ast.Subscript):
            return isinstance(expr.slice, ast.Slice)
        if role == "definition" and isinstance(expr, ast.Call):
            return called_name(expr) in ORDERINGS
    return False


def _goes_into_model(step: Step) -> bool:
    expr = step.node.expr
    if not isinstance(expr, ast.Call):
        return False
    if isinstance(expr.func, ast.Attribute) and expr.func.attr in MODEL_CALLS:
        return True
    callee = step.node.engine.node(expr.func, step.node.context)
    return any(isinstance(value, (Instance, LibraryObject)) for value in callee.values)


def adds_axis(expr: ast.expr) -> bool:
    """Whether an expression gives its value another axis, or another shape."""
    if isinstance(expr, ast.Call):
        return called_name(expr) in ADDS_AXIS
    if isinstance(expr, ast.Subscript):
        parts = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
        return any(
            (isinstance(part, ast.Constant) and part.value is None)
            or (isinstance(part, ast.Attribute) and part.attr == "newaxis")
            for part in parts
        )
    return isinstance(expr, (ast.List, ast.Tuple)) and len(expr.elts) == 1


def _unflattened(case: Case) -> Iterator[Clue]:
    """Find a dense layer right behind one that gives feature maps, and nothing that flattens."""
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    if shapes and max(len(shape) for shape in shapes) < 3:
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for layers in _stacks(tree) if tree is not None else ():
            before: ast.Call | None = None
            for layer in layers:
                name = called_name(layer)
                if name in NEUTRAL_LAYERS:
                    continue
                if before is not None and name in FLAT_LAYERS:
                    text = source(before)
                    why = f"`{text}` gives a feature map, and `{name}` follows without a `Flatten`"
                    yield Clue("rules.no_flatten", file, before.lineno, 1.0, why)
                    yield Clue("rules.no_flatten", file, layer.lineno, 0.9, why)
                before = layer if name.startswith(MAPS) else None


OF_SEVERAL = {"batch", "concat", "merge_shapes", "stack"}
"""Families of messages on arrays that are put together: no product is meant."""


def _unflattened_call(case: Case) -> Iterator[Clue]:
    """Find a product that gets a feature map which would fit if its last axes were flattened."""
    if (case.facts.family or "").rpartition(".")[2] in OF_SEVERAL:
        return
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE, Role.ACTUAL)]
    sizes = [f.value for f in case.facts.of(FactKind.SIZE, Role.EXPECTED)]
    if not shapes or not sizes or not isinstance(shapes[0], tuple) or len(shapes[0]) != 2:
        return
    (rows, last), wanted = shapes[0], sizes[0]
    if (
        not isinstance(wanted, int)
        or not 0 < last < wanted
        or wanted % last
        or rows * last % wanted
    ):
        return
    for step in case.raise_slice:
        expr = step.node.expr
        if step.node.entry is not None or not isinstance(expr, ast.Call):
            continue
        callee = step.node.engine.node(expr.func, step.node.context)
        layers = [v.name.rpartition(".")[2] for v in callee.values if isinstance(v, LibraryObject)]
        way = [called_name(s.node.expr) for s in step.way() if isinstance(s.node.expr, ast.Call)]
        if any(name.startswith(MAPS) for name in layers) and not FLATTENS & set(way):
            why = f"`{step.node.text}` gives a feature map, and nothing flattens it to {wanted}"
            yield Clue("rules.no_flatten", step.node.file, step.node.line, 0.9, why)
            place = case.places[-1]
            yield Clue("rules.no_flatten", place.file, place.line, 1.0, why)
            return


def _stacks(tree: ast.AST) -> Iterator[list[ast.Call]]:
    """Yield the layers of each ``Sequential``, those added one by one included, in order."""
    added: dict[str, list[ast.Call]] = {}
    for node in calls_in(tree):
        if called_name(node) == "Sequential":
            first = node.args[0] if len(node.args) == 1 else None
            given = first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args
            yield [a for a in given if isinstance(a, ast.Call)]
        elif (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "add"
            and isinstance(node.func.value, ast.Name)
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Call)
        ):
            added.setdefault(node.func.value.id, []).append(node.args[0])
    for layers in added.values():
        yield sorted(layers, key=lambda layer: layer.lineno)


def _image_modes(case: Case) -> Iterator[Clue]:
    """Find images that are opened in the mode of their file, where channels do not fit."""
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE) if isinstance(f.value, tuple)]
    numbers = {n for shape in shapes if shape for n in (shape[0], shape[-1])}
    sizes = {f.value for f in case.facts.of(FactKind.SIZE) if isinstance(f.value, int)}
    numbers |= sizes
    ranks = {len(shape) for shape in shapes}
    of_axis = "dimension" in case.message and sizes <= CHANNELS
    if len(numbers & CHANNELS) < 2 and not ({2, 3} <= ranks or of_axis):
        return
    if "channels" in case.message and sizes and not sizes & CHANNELS:
        return
    names = {name.rpartition(".")[2] for name in OPENS_IMAGE}
    for file in near_files(case):
        text = case.workspace.text(file) or ""
        tree = case.workspace.tree(file) if any(name in text for name in names) else None
        for call, text in _opened_images(tree) if tree is not None else ():
            why = f"`{text}` keeps the mode of the file: RGB, RGBA, grey, palette"
            yield Clue("rules.image_mode", file, call.lineno, 1.0, why)


def _opened_images(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls that open an image whose mode nothing in the same function converts."""
    for scope in ast.walk(tree):
        if not isinstance(scope, (ast.FunctionDef, ast.Module)):
            continue
        own = [n for statement in scope.body for n in _own_nodes(statement)]
        calls = [n for n in own if isinstance(n, ast.Call)]
        if any(called_name(call) in {"convert", "Grayscale", "rgb2gray"} for call in calls):
            continue
        for call in calls:
            if source(call.func) in OPENS_IMAGE:
                yield call, source(call)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, those of functions inside left out."""
    queue: list[ast.AST] = [statement]
    while queue:
        node = queue.pop()
        yield node
        queue.extend(
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        )


def _gaps(case: Case) -> Iterator[Clue]:
    """Find lookups that give NaN for what they do not find, where an index is what NaN becomes."""
    indices = {f.value for f in case.facts.of(FactKind.INDEX)}
    if not indices & LOWEST_INTEGERS:
        return
    for step in case.raise_slice:
        expr = step.node.expr
        if not isinstance(expr, ast.Call) or step.node.entry is not None or step.node.line <= 0:
            continue
        for call in calls_in(expr):
            if isinstance(call.func, ast.Attribute) and call.func.attr in FINDS_NOTHING:
                why = f"`{source(call)}` gives NaN for what it does not find: no index"
                yield Clue("rules.gap_index", step.node.file, call.lineno, 1.0, why)


def _collated_texts(case: Case) -> Iterator[Clue]:
    """Find what a data set gives that a loader can make no tensor of: it stays a tuple or list."""
    named = {str(f.value) for f in case.facts.of(FactKind.CLASS)}
    if not named & {"tuple", "list"}:
        return
    for step in case.property_slice:
        if step.before is None or step.roles[-1] != "item":
            continue
        if not any(_is_loader(link) for link in step.way()):
            continue
        for origin in (step, *_definitions(step, case)):
            node = origin.node
            if node.line > 0 and not _makes_tensor(node.expr):
                why = f"a loader keeps texts as a {min(named & {'tuple', 'list'})}: `{node.text}`"
                yield Clue(
                    "types.collated", node.file, node.line, 0.6 + 0.4 * (origin is not step), why
                )


def _is_loader(step: Step) -> bool:
    expr = step.node.expr
    if not isinstance(expr, ElementOf) and "[" not in step.node.text:
        return False
    base = getattr(expr, "value", None)
    if not isinstance(base, ast.expr):
        return False
    source = step.node.engine.node(base, step.node.context)
    inner = [v for role, n in source.inputs if role in {"base", "definition"} for v in n.values]
    return any(
        isinstance(value, LibraryObject) and "Loader" in value.name
        for value in (*source.values, *inner)
    )


def _definitions(step: Step, case: Case) -> Iterator[Step]:
    for other in case.property_slice:
        follows = other.before is step and other.roles[-1] == "definition"
        if follows and other.asked & Property.TYPE:
            yield other


def _makes_tensor(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Call):
        return called_name(expr) in {
            *("tensor", "as_tensor", "from_numpy", "int", "float", "long", "FloatTensor", "array"),
            *("LongTensor", "zeros", "ones", "to", "permute", "unsqueeze", "squeeze", "view"),
        }
    return isinstance(expr, ast.Constant) and isinstance(expr.value, (int, float))


def _dropped_results(case: Case) -> Iterator[Clue]:
    """Find statements that make something new of a value and do not keep it.

    Only files of the stack and of the slices are looked at: in big repositories most such
    statements have nothing to do with the failure.
    """
    if case.category.id in NO_VALUE:
        return
    failing = (case.places[-1].file, case.places[-1].line) if case.places else None
    own_methods = case.code_words.texts({"definition"})
    refused = refused_lines(case)
    for file in dict.fromkeys(scope.file for scope in near_scopes(case)):
        tree = case.workspace.tree(file)
        modules = standard_modules(tree)
        # The value of a cell's last expression is shown.
        shown = {line for cell in case.workspace.cells(file) if (line := _last_of_code(cell))}
        for node in ast.walk(tree) if tree is not None else ():
            call = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.end_lineno in shown or (file, call.lineno) == failing:
                continue
            if (file, call.lineno) in refused:
                continue  # It gives nothing.
            name = call.func.attr
            if source(call.func.value) in modules:
                # `os.replace` and its like are called for what they do.
                continue
            if name not in GIVES_NEW or any(k.arg in ("inplace", "out") for k in call.keywords):
                continue
            if name in OF_MODULES and _names_module(call.func.value):
                continue
            if name in NEEDS_ARGUMENTS and not (call.args or call.keywords):
                continue
            if (name in OF_KEYWORDS and call.args) or name in NEEDS_ARGUMENTS & own_methods:
                # pandas' `assign` takes names; the program's own method may do more.
                continue
            why = f"`{source(call)}` gives a new value, which nothing keeps"
            of_gaps = case.category.id == "loss_nan" and name in OF_GAPS
            kind = "rules.strong" if of_gaps else "rules.dropped_result"
            yield Clue(kind, file, call.lineno, 1.0, why)


def _last_of_code(cell: Cell) -> int | None:
    """Return the line on which a cell's code ends, without the comments below it."""
    lines = zip(reversed(cell.lines), reversed(cell.raw), strict=True)
    return next((line for text, line in lines if text.strip() and text.lstrip()[0] != "#"), None)


NO_VALUE = {"undefined_variable", "unexpected_encoding", "library_not_found"}
"""Categories of failures that no value decides."""
OF_KEYWORDS = {"assign"}
NEEDS_ARGUMENTS = {"join", "map", "filter", "merge", "replace", "drop", "assign", "batch"}
"""Names that other objects have as well; there they take nothing (``thread.join()``)."""


def _names_module(expr: ast.expr) -> bool:
    text = source(expr).lower()
    return any(word in text for word in ("model", "net", "encoder", "decoder", "module", "self"))


SEQUENCE_LAYERS = {
    *("LSTM", "GRU", "RNN", "MultiheadAttention", "Transformer"),
    *("TransformerEncoderLayer", "TransformerDecoderLayer"),
}
INSIDE_SEQUENCES = ("modules/rnn.py", "modules/transformer.py", "modules/activation.py")


def _axes_of_sequences(case: Case) -> Iterator[Clue]:
    """Find layers that take the sequence as first axis, where a size of the batch does not fit."""
    frames = [f.file.replace("\\", "/") for f in case.failure.frames]
    if not any(file.endswith(INSIDE_SEQUENCES) for file in frames):
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) not in SEQUENCE_LAYERS:
                continue
            if any(k.arg in ("batch_first", None) for k in call.keywords):
                continue
            why = f"`{called_name(call)}` takes (length, batch, …) unless `batch_first` is set"
            yield Clue("rules.batch_first", file, call.lineno, 1.0, why)


def _zip_of_one(case: Case) -> Iterator[Clue]:
    """Find ``zip(rows)`` on the stack, which gives tuples of one; ``zip(*rows)`` was meant."""
    for site in case.sites:
        for start in site.nodes:
            for call in calls_in(start.expr):
                if called_name(call) != "zip":
                    continue
                if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred):
                    why = f"`{source(call)}` gives tuples of one: `zip(*…)` was perhaps meant"
                    yield Clue("rules.zip_of_one", start.file, call.lineno, 1.0, why)


# ---------------------------------------------------------------------- labels
MOST_FILES = 30
NO_LOSS = re.compile(
    r"did not return a loss from the inputs.*?inputs it received are (?P<given>[\w, ]*)", re.DOTALL
)
LABELS = {"labels", "label", "label_ids"}
OF_MODELS = {
    *("input_ids", "attention_mask", "token_type_ids", "position_ids", "pixel_values", "idx"),
    *("input_values", "input_features", "decoder_input_ids", "text", "id", "inputs", "index"),
}
"""Fields that hold no labels."""
LIKE_LABELS = re.compile(
    r"(?i)label|target|class|categor|answer|tag|gold|truth|senti|score|rating|\by\b|output"
)
MAKING = re.compile(r"__getitem__|__iter__|collat|token|preproc|encod|prepar|featur|convert|map")
"""Functions that make samples or batches."""
REMOVING = {"remove_columns", "select_columns"}


def find_labels(case: Case) -> Iterator[Clue]:
    """Yield where labels get another name, are left out, or are removed."""
    match = NO_LOSS.search(case.message)
    if match is None or LABELS & _words(match["given"]):
        return
    given = _words(match["given"])
    found = list(_renamed(case, given)) or list(_removed(case)) or list(_others(case, given))
    found = found or list(_without(case, given))
    for file, line, why in found:
        yield Clue("rules.strong", file, line, 1.0 / len(found) ** 0.5, why)


def _words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",") if word.strip()}


Found = tuple[str, int, str]


def _functions(case: Case) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions that make samples, those alone that the followed run entered if any."""
    entered = follow(case).entered
    functions: list[tuple[str, ast.FunctionDef]] = []
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        nodes = ast.walk(tree) if tree is not None else ()
        defined = (node for node in nodes if isinstance(node, ast.FunctionDef))
        functions += [(file, node) for node in defined if MAKING.search(node.name.lower())]
    ran = [(file, node) for file, node in functions if (file, node.lineno) in entered]
    yield from ran or functions


def _fields(function: ast.FunctionDef) -> Iterator[tuple[str, int, ast.expr]]:
    """Yield the texts under which a function keeps something in a table, with their lines."""
    for node in own_nodes(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, key.lineno, value
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                index = target.slice if isinstance(target, ast.Subscript) else None
                if isinstance(index, ast.Constant) and isinstance(index.value, str):
                    yield index.value, target.lineno, node.value
        elif isinstance(node, ast.Call) and called_name(node) in ("dict", "update"):
            for word in node.keywords:
                if word.arg is not None:
                    yield word.arg, word.value.lineno, word.value


def _renamed(case: Case, given: set[str]) -> Iterator[Found]:
    for file, function in _functions(case):
        for name, line, value in _fields(function):
            if name in given | LABELS | OF_MODELS:
                continue
            if LIKE_LABELS.search(name) or LIKE_LABELS.search(ast.unparse(value)):
                why = f"`{name}` is left out: the model takes its labels as `labels`"
                yield file, line, why


MOST_OTHERS = 2
"""Fields that the model does not take of which one may be the labels."""


def _others(case: Case, given: set[str]) -> Iterator[Found]:
    """Yield the few fields of samples, by whatever name, that the trainer kept from the model.

    It hands on only what the model's ``forward`` takes (``remove_unused_columns`` of
    `transformers.TrainingArguments`).
    """
    lost: dict[str, tuple[str, int]] = {}
    for file, function in _functions(case):
        for name, line, value in _fields(function):
            if name not in given | OF_MODELS and not isinstance(value, ast.Constant):
                lost.setdefault(name, (file, line))
    for name, place in lost.items() if len(lost) <= MOST_OTHERS else ():
        yield *place, f"`{name}` did not reach the model, which takes its labels as `labels`"


def _removed(case: Case) -> Iterator[Found]:
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call):
                continue
            words = [k for k in node.keywords if k.arg == "remove_columns"]
            given = [k.value for k in words]
            if called_name(node) in REMOVING:
                given += node.args
            names = [n for part in given for n in ast.walk(part) if isinstance(n, ast.Constant)]
            for name in names:
                if isinstance(name.value, str) and LIKE_LABELS.search(name.value):
                    yield file, name.lineno, f"`{name.value}` is removed, and with it the labels"


def _without(case: Case, given: set[str]) -> Iterator[Found]:
    """Yield what samples are returned as, where nothing in them is a label."""
    for file, function in _functions(case):
        fields = {name for name, _, _ in _fields(function)}
        if fields & LABELS:
            continue
        returns = (node for node in own_nodes(function) if isinstance(node, ast.Return))
        if fields & given or function.name == "__getitem__":
            for node in returns:
                yield file, node.lineno, "what is returned here has no `labels`"


def find_dropped_columns(case: Case) -> Iterator[Clue]:
    """Yield the arguments of a `Trainer` by which it drops the column that a collator asks for.

    ``remove_unused_columns`` is true by default: only the arguments of the model's ``forward``
    reach the collator (``transformers.TrainingArguments``).
    """
    if case.category.id != "key_not_found":
        return
    frames = {frame.file.replace("\\", "/") for frame, _ in case.located}
    if not any("transformers/trainer" in file for file in frames):
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for call in ast.walk(tree) if tree is not None else ():
            if not isinstance(call, ast.Call):
                continue
            name = called_name(call) or ""
            given = {word.arg for word in call.keywords}
            if name.endswith("TrainingArguments") and not {"remove_unused_columns", None} & given:
                why = (
                    "without `remove_unused_columns=False` the collator gets only what the model's"
                    " `forward` takes"
                )
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


# ---------------------------------------------------------------------- edges of graphs
EDGES = re.compile(r"(?:^|_)edge_?ind(?:ex|ices)(?:$|_)")
"""Names under which libraries of graphs take the numbers of connected nodes."""
OF_EDGES = re.compile(r"too many values to unpack \(expected 2\b|edge_?index")
OF_SHAPES = frozenset(
    ("tensor_mismatch", "illegal_index", "illegal_argument", "framework_api_misuse")
)
TURNING = frozenset(("T", "mT", "t", "transpose", "permute", "swapaxes", "moveaxis"))
CONVERSIONS = frozenset(
    (
        *("tensor", "as_tensor", "from_numpy", "LongTensor", "array", "asarray", "to_numpy"),
        *("copy", "astype", "long", "contiguous", "to", "type", "int", "list"),
    )
)
"""Calls that leave the axes of an array as they are."""


def find_edges(case: Case) -> Iterator[Clue]:
    """Yield edges that are kept as rows of two nodes where libraries of graphs want two rows.

    ``edge_index`` has the shape [2, edges]; a list of pairs has to be transposed (PyTorch
    Geometric, "Introduction by Example").
    """
    if case.category.id not in OF_SHAPES or not OF_EDGES.search(_said(case)):
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        if tree is None:
            continue
        turned = _turned(tree)
        for name, value in _named_values(tree):
            if EDGES.search(name) and name not in turned and _has_pairs_as_rows(value, tree):
                why = f"`{source(value)}` has a row for each edge; `{name}` wants two rows of nodes"
                yield Clue("rules.strong", file, value.lineno, 1.0, why)


def _said(case: Case) -> str:
    """Return the message with the lines of code on the stack."""
    places = (case.workspace.source_line(place.file, place.line) for place in case.places)
    return "\n".join((case.message, *places))


def _turned(tree: ast.Module) -> set[str]:
    """Return the names of what is transposed somewhere in a file."""
    parts = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {source(part.value).rpartition(".")[2] for part in parts if part.attr in TURNING}


def _named_values(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield what is assigned to a name or an attribute, or given under a keyword."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, (ast.Name, ast.Attribute)):
                    yield source(target).rpartition(".")[2], node.value
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg, node.value


def _has_pairs_as_rows(value: ast.expr, tree: ast.AST) -> bool:
    """Whether an expression only converts a list of pairs, or two columns of a table."""
    value = _converted(value)
    if isinstance(value, ast.Subscript):
        names = value.slice.elts if isinstance(value.slice, ast.List) else []
        return len(names) == 2 and all(is_text(name) for name in names)
    if isinstance(value, ast.ListComp):
        return _is_pair(value.elt)
    if isinstance(value, ast.List):
        return len(value.elts) > 2 and all(_is_pair(item) for item in value.elts)
    if isinstance(value, ast.Name):
        return any(
            called_name(call) == "append" and len(call.args) == 1 and _is_pair(call.args[0])
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and source(call.func) == f"{value.id}.append"
        )
    return isinstance(value, ast.Call) and called_name(value) == "zip" and len(value.args) == 2


def _converted(value: ast.expr) -> ast.expr:
    """Return what an expression converts without a change of its axes."""
    while True:
        if isinstance(value, ast.Attribute) and value.attr == "values":
            value = value.value
            continue
        if not isinstance(value, ast.Call) or called_name(value) not in CONVERSIONS:
            return value
        func = value.func
        of_module = not isinstance(func, ast.Attribute) or isinstance(func.value, ast.Name)
        if of_module and value.args:
            value = value.args[0]
        elif isinstance(func, ast.Attribute):
            value = func.value
        else:
            return value


def _is_pair(node: ast.expr) -> bool:
    return isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 2
