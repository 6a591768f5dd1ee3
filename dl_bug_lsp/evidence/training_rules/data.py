"""Rules for data that cannot be learnt from, and what is fitted anew to each part of it.

Wrong ranges, wrong axes, samples that are all the same, come in a telling order or are used up,
codes that fit no value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword
from dl_bug_lsp.evidence.training_rules.program import (
    DICTS,
    FOR_LOOPS,
    OPERATIONS,
    Training,
    argument,
    clue,
    names_in,
    string,
    text,
)
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name

IMAGES = ("imread", "decode_image", "decode_png", "decode_jpeg", "image_dataset_from_directory",
          "load_img", "read_image", "imdecode")  # fmt: skip
TO_UNIT = ("ToTensor", "to_tensor", "img_to_float", "convert_image_dtype", "ToDtype", "Rescaling",
           "img_as_float", "preprocess_input", "per_image_standardization", "Normalization",
           "AutoImageProcessor", "from_pretrained")  # fmt: skip

LONGEST_CODE = 60
"""Characters of a text that may be a value of data."""
HARMS = re.compile(r"noise|jitter|mask_?(?:prob|ratio)|erase|corrupt|flip_?label")


def find_data(training: Training) -> Iterator[Clue]:
    """Yield what makes inputs or targets useless."""
    yield from _ranges(training)
    yield from _standardised(training)
    yield from _augmentation(training)


def _divides_by_255(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.right, ast.Constant)
        and node.right.value in (255, 255.0, 256.0, 127.5)
    )


def _ranges(training: Training) -> Iterator[Clue]:
    divided: list[tuple[Scope, ast.AST]] = []
    for module in training.modules:
        operations = training.nodes(module, OPERATIONS)
        divided.extend((module, n) for n in operations if _divides_by_255(n))
    rescaled = [
        (s, c)
        for s, c in training.named("Rescaling")
        if "255" in ast.unparse(c) or "127" in ast.unparse(c)
    ]
    unit = any(name in training.by_name for name in TO_UNIT)
    if not divided and not unit and not _writes_255(training):
        for scope, call in training.named(*IMAGES):
            why = f"{text(call)} gives 0 to 255, and nothing scales it"
            yield clue("medium", scope.file, call.lineno, why)
        for scope, call in training.named("load_data"):
            if re.search(r"mnist|cifar", ast.unparse(call.func)):
                why = f"{text(call)} gives 0 to 255, and nothing scales it"
                yield clue("medium", scope.file, call.lineno, why)
    own = {s.name for s in training.scopes if s.is_class}
    once = ("ToTensor" in training.by_name and "ToTensor" not in own) or bool(rescaled)
    places = [(s, n, getattr(n, "lineno", 0)) for s, n in divided]
    if once and divided:
        for scope, node, line in places:
            yield clue(
                "medium", scope.file, line, f"{text(node)} scales what is scaled elsewhere, too"
            )
        for scope, call in (*training.named("ToTensor"), *rescaled):
            why = f"{text(call)} scales what is divided by 255 elsewhere, too"
            yield clue("medium", scope.file, call.lineno, why, 0.8)
    elif len({(s.file, line) for s, _, line in places}) > 1:
        for scope, node, line in places:
            yield clue("weak", scope.file, line, f"{text(node)} may be applied twice")
    for scope, call in training.named("Normalize"):
        mean = argument(call, 0, "mean")
        if mean is not None and any(
            isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) and n.value > 2
            for n in ast.walk(mean)
        ) and "max_pixel_value" not in ast.unparse(call):  # fmt: skip
            yield clue("medium", scope.file, mean.lineno, "means of 0 to 255 for inputs of 0 to 1")


def _writes_255(training: Training) -> bool:
    written = (
        n.value
        for m in training.modules
        if re.search("255|0xff", training.case.workspace.text(m.file) or "", re.IGNORECASE)
        for n in ast.walk(m.node)
        if isinstance(n, ast.Constant)
    )
    return any(type(value) in (int, float) and value == 255 for value in written)


def _standardised(training: Training) -> Iterator[Clue]:
    """Means over the wrong axis, statistics applied to values they were not made of."""
    for scope, call in training.named("mean", "std", "min", "max"):
        axis = keyword(call, "axis") or keyword(call, "dim")
        if not (isinstance(axis, ast.Constant) and axis.value in (1, -1)):
            continue
        statement = training.statement(scope, call)
        words = ast.unparse(statement) if statement is not None else ""
        fits = re.search(
            r"standard|normal|scale|prepare|preprocess|feature|fit", scope.name.lower()
        )
        features = re.search(r"\bx\b|feat|frame|\bdf\b|data|train", words)
        if fits and features and re.search(r"mean|std|/", words) and "keepdim" not in words:
            why = f"{text(call)} is a row's statistic, not a feature's"
            yield clue("medium", scope.file, call.lineno, why)


def _augmentation(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("RandomResizedCrop"):
        scale = keyword(call, "scale")
        tops = (
            [n.value for n in ast.walk(scale) if isinstance(n, ast.Constant)]
            if scale is not None
            else []
        )
        numbers = [v for v in tops if isinstance(v, (int, float))]
        if scale is not None and numbers and max(numbers) <= 0.3:
            why = "the crops are too small to show what the label says"
            yield clue("strong", scope.file, scale.lineno, why)
    for scope, call in training.named("RandomErasing", "Cutout", "CoarseDropout"):
        share = keyword(call, "scale") or keyword(call, "p")
        for n in ast.walk(share) if share is not None else ():
            if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.value >= 0.7:
                yield clue("medium", scope.file, n.lineno, "most of the picture is erased")
    for scope, call in training.named("GaussianNoise"):
        width = argument(call, 0, "stddev", "std")
        for origin in training.origins(scope, width) if width is not None else ():
            if origin.value >= 1:
                yield clue(
                    "strong", origin.file, origin.line, "the noise is as strong as the signal"
                )
    for key, value, entry in training.numbered_entries:
        if value >= 0.9 and HARMS.search(key):
            why = f"`{key}` of {value:g} leaves little of the data"
            yield clue("medium", entry.file, entry.line, why)


SEEDERS = ("seed", "manual_seed", "default_rng", "RandomState", "set_seed", "set_random_seed")


SAMPLES = re.compile(
    r"self\.\w*(?:images|samples|data|labels|targets|files|paths|rows|items|x|y)\[-?\d+\]"
)
"""One fixed element of what a data set holds."""


def find_samples(training: Training) -> Iterator[Clue]:
    """Yield what makes samples or targets say nothing."""
    yield from _items(training)
    yield from _order(training)
    yield from _random_targets(training)
    yield from _used_up(training)


def _items(training: Training) -> Iterator[Clue]:
    for scope in training.functions:
        short = scope.name.rpartition(".")[2]
        per_item = short == "__getitem__" or re.search(
            r"augment|transform|batch$|^_?sample|corrupt|noise", short
        )
        if short == "__getitem__":
            yield from _index(scope)
        for call in scope.calls if per_item else ():
            fixed = call.args and isinstance(call.args[0], ast.Constant)
            if called_name(call) in SEEDERS and fixed:
                why = f"{text(call)} draws the same numbers for every sample"
                yield clue("strong", scope.file, call.lineno, why)
        for call in scope.calls:
            loops = training.loops(scope, call)
            header = " ".join(ast.unparse(n.iter) for n in loops if isinstance(n, ast.For))
            fixed = call.args and isinstance(call.args[0], ast.Constant)
            if (
                called_name(call) in SEEDERS
                and fixed
                and re.search(r"loader|batch|step|epoch", header)
            ):
                why = f"{text(call)} draws the same numbers in every round"
                yield clue("medium", scope.file, call.lineno, why)


def _index(scope: Scope) -> Iterator[Clue]:
    parameters = [p.arg for p in scope.parameters()]
    if len(parameters) < 2 or isinstance(scope.node, (ast.Lambda, ast.Module, ast.ClassDef)):
        return
    index = parameters[1]
    used = {n.id for s in scope.node.body for n in ast.walk(s) if isinstance(n, ast.Name)}
    random = re.search(r"random|rand|choice|sample|generator|rng", ast.unparse(scope.node))
    if index not in used and not random:
        for returned in scope.returns[:1]:
            yield clue("strong", scope.file, returned.lineno, f"`{index}` is never used")
        yield clue("medium", scope.file, scope.line, f"`{index}` is never used")
    for statement in scope.node.body:
        for node in ast.walk(statement):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mod, ast.FloorDiv)):
                continue
            if index in names_in(node.left) and isinstance(node.right, ast.Constant):
                why = f"{text(node)} gives the same sample for many indices"
                yield clue("medium", scope.file, node.lineno, why)
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and SAMPLES.fullmatch(ast.unparse(node)):
                why = f"{text(node)} is the same sample for every index"
                yield clue("strong", scope.file, node.lineno, why)


def _order(training: Training) -> Iterator[Clue]:
    if training.category == "loss_nan":
        return
    ordered = _sorted_by_label(training)
    for scope, call in training.named("DataLoader"):
        statement = training.statement(scope, call)
        words = ast.unparse(statement).lower() if statement is not None else ""
        trains = "train" in words.partition("dataloader")[0] + ast.unparse(call).lower()
        shuffle, sampler = keyword(call, "shuffle"), keyword(call, "sampler")
        batches = keyword(call, "batch_sampler")
        held = re.search(r"val|test|eval", words.partition("dataloader")[0]) or (
            "train" not in ast.unparse(call).lower() and _beside_shuffled(scope, call)
        )
        off = isinstance(shuffle, ast.Constant) and shuffle.value is False
        if sampler is None and batches is None and trains and not held and (shuffle is None or off):
            why = "training samples come in the order of the data"
            line = shuffle.lineno if shuffle is not None else call.lineno
            yield clue("strong" if ordered else "medium", scope.file, line, why)
    for scope, call in training.named("fit"):
        shuffle = keyword(call, "shuffle")
        if isinstance(shuffle, ast.Constant) and shuffle.value is False:
            why = "training samples come in the order of the data"
            yield clue("strong" if ordered else "medium", scope.file, shuffle.lineno, why)
    for scope, call in training.named("train_test_split"):
        shuffle = keyword(call, "shuffle")
        if isinstance(shuffle, ast.Constant) and shuffle.value is False:
            why = "the data are cut in their order"
            yield clue("strong" if ordered else "medium", scope.file, shuffle.lineno, why)
    for scope, call in ordered:
        yield clue("medium", scope.file, call.lineno, f"{text(call)} puts equal labels together")
    for scope, call in training.named("shuffle"):
        size = argument(call, 0, "buffer_size")
        if "keras" in training.imported or "tensorflow" in training.imported:
            for origin in training.origins(scope, size) if size is not None else ():
                if origin.value <= 2:
                    why = "a buffer that small shuffles nothing"
                    yield clue("strong", origin.file, origin.line, why)


def _beside_shuffled(scope: Scope, call: ast.Call) -> bool:
    """Whether another loader of the same function shuffles: then that one is for training."""
    return any(
        other is not call
        and called_name(other) == "DataLoader"
        and (keyword(other, "shuffle") is not None or keyword(other, "sampler") is not None)
        for other in scope.calls
    )


def _sorted_by_label(training: Training) -> list[tuple[Scope, ast.Call]]:
    return [
        (s, c)
        for s, c in training.named("sort_values", "argsort", "sorted", "sort")
        if re.search(r"label|target|class|\by\b|queue|category", ast.unparse(c))
        and not re.search(
            r"set\(|sorted\(\{|unique|keys\(|prob|score|names|classes", ast.unparse(c)
        )
    ]


def _random_targets(training: Training) -> Iterator[Clue]:
    """Targets drawn by lot, and not to make inputs from them."""
    for scope in training.functions:
        if re.search(r"test|dummy|fake|synth|toy|make|generate|simul", scope.name.lower()):
            continue
        for name, bindings in sorted(scope.bindings.items()):
            short = name.rpartition(".")[2].lower()
            if short not in ("y", "labels", "label", "targets", "target", "y_train"):
                continue
            for binding in bindings:
                for call in calls_in(binding.value) if not binding.mutates else ():
                    if called_name(call) in (
                        "randint",
                        "integers",
                        "rand",
                        "randn",
                        "random_integers",
                    ):
                        why = f"{text(call)} makes targets that have nothing to do with the inputs"
                        level = "strong" if _reads_inputs(scope) else "weak"
                        yield clue(level, scope.file, binding.line, why)


def find_codes(training: Training) -> Iterator[Clue]:
    """Yield tables of codes whose keys all differ from the values written elsewhere by their case.

    Such a lookup fits nothing: ``Series.map`` and ``dict.get`` then give NaN or a default.
    """
    tables: list[tuple[Scope, ast.Dict, set[str]]] = []
    elsewhere: dict[str, set[str]] = {}
    for module in training.modules:
        inside: set[int] = set()
        for node in training.nodes(module, DICTS):
            if isinstance(node, ast.Dict):
                keys = {key for key in map(string, node.keys) if key and key.strip()}
                if len(keys) >= 2 and len(keys) == len(node.keys):
                    tables.append((module, node, keys))
                    inside.update(id(key) for key in node.keys)
        for constant in ast.walk(module.node):
            word = string(constant) if isinstance(constant, ast.expr) else None
            if word and len(word) <= LONGEST_CODE and id(constant) not in inside:
                elsewhere.setdefault(_folded(word), set()).add(word)
    for scope, table, keys in tables:
        others = [elsewhere.get(_folded(key), set()) for key in sorted(keys)]
        if all(words and key not in words for key, words in zip(sorted(keys), others, strict=True)):
            key, other = sorted(keys)[0], sorted(others[0])[0]
            why = f"the keys fit no value that the program writes elsewhere: '{key}', '{other}'"
            yield clue("strong", scope.file, table.lineno, why)


def _folded(word: str) -> str:
    return " ".join(word.lower().replace("_", " ").replace("-", " ").split())


def _reads_inputs(scope: Scope) -> bool:
    """Whether a function takes its inputs from somewhere else than from chance."""
    short = scope.name.rpartition(".")[2]
    loads = re.compile(r"open|read|load|imread|from_file|fromfile")
    return short in ("__getitem__", "training_step", "train_step") or any(
        loads.search(called_name(c)) for c in scope.calls
    )


def _used_up(training: Training) -> Iterator[Clue]:
    """Find an iterator that the first epoch uses up."""
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                value = binding.value
                once = isinstance(value, ast.GeneratorExp) or (
                    isinstance(value, ast.Call)
                    and isinstance(value.func, ast.Name)
                    and value.func.id in ("zip", "map", "filter", "iter")
                )
                if not once or binding.mutates:
                    continue
                for loop in training.nodes(scope, FOR_LOOPS):
                    if not isinstance(loop, ast.For):
                        continue
                    outer = training.loops(scope, loop)
                    if (
                        outer
                        and name in names_in(loop.iter)
                        and binding.line < getattr(outer[-1], "lineno", 0)
                    ):
                        why = f"`{name}` is used up after the first round"
                        yield clue("strong", scope.file, binding.line, why)


HELD_OUT = re.compile(
    r"(?:\b|_)(?:val|valid|validation|test|dev|eval|held_?out|holdout)(?:\b|_)|X(?:te|va)\b",
    re.IGNORECASE,
)


def find_encoding(training: Training) -> Iterator[Clue]:
    """Yield encoders and scalers that are fitted more than once."""
    for scope in training.functions:
        yield from _arbitrary_index(training, scope)
    yield from _fitted_apart(training)


def _arbitrary_index(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find classes numbered over a set, whose order changes, or over one part of the data."""
    for call in scope.calls:
        if called_name(call) != "enumerate" or not call.args:
            continue
        inner = call.args[0]
        if isinstance(inner, ast.Call) and called_name(inner) in ("set", "unique", "frozenset"):
            level = "medium" if called_name(inner) == "set" else "weak"
            shared = len(training.engine.program.callers(scope.name.rpartition(".")[2])) > 1
            why = f"{text(call)} numbers classes in an order of its own each time"
            yield clue("strong" if shared else level, scope.file, call.lineno, why)


MAPS = re.compile(r"tsne|umap|mds|isomap|embedding|cluster|kmeans", re.IGNORECASE)
"""Transformers that are fitted to draw a picture of what they are given."""


def _fitted_apart(training: Training) -> Iterator[Clue]:
    yield from _fitted_to_test_rows(training)
    for scope, call in training.named("fit_transform", "fit", "adapt"):
        words = " ".join(ast.unparse(a) for a in call.args)
        base = ast.unparse(call.func)
        scaler = called_name(call) != "fit" or re.search(
            r"scal|encod|vector|tokeniz|pca|imput", base.lower()
        )
        if (
            scaler
            and HELD_OUT.search(words)
            and not re.search(r"train|trainer|model", words + base)
        ):
            why = f"{text(call)} fits anew on held-out data"
            yield clue("strong", scope.file, call.lineno, why)
    for scope, call in training.named("fit_transform", "factorize", "get_dummies"):
        if scope.is_module:
            continue
        callers = training.engine.program.callers(scope.name.rpartition(".")[2])
        held = [c for _, c in callers if HELD_OUT.search(ast.unparse(c))]
        if len(callers) > 1 and held:
            why = f"{text(call)} is fitted anew for every part of the data"
            aligned = any(n in training.by_name for n in ("reindex", "align"))
            yield clue("weak" if aligned else "strong", scope.file, call.lineno, why)
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                yield from _own_statistics(scope, name, binding)


def _fitted_to_test_rows(training: Training) -> Iterator[Clue]:
    """Find transformers that are fitted to the test rows of ``train_test_split``, however named.

    Names that say it are found by `HELD_OUT`.
    """
    held: dict[int, set[str]] = {}
    for scope, call in training.named("train_test_split"):
        statement = training.statement(scope, call)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Tuple):
                parts = [part.id if isinstance(part, ast.Name) else "" for part in target.elts]
                of_scope = held.setdefault(id(scope), set())
                of_scope.update(set(parts[1::2]) - set(parts[::2]) - {"", "_"})
    for scope, call in training.named("fit_transform"):
        names = held.get(id(scope), set())
        given = call.args[0] if call.args else None
        if not isinstance(given, ast.Name) or given.id not in names or HELD_OUT.search(given.id):
            continue
        made = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        bindings = scope.bindings.get(made.id, []) if isinstance(made, ast.Name) else []
        words = " ".join(ast.unparse(node) for node in (made, *(b.value for b in bindings)))
        if not MAPS.search(words):
            why = f"{text(call)} fits anew on held-out data"
            yield clue("strong", scope.file, call.lineno, why)


def _own_statistics(scope: Scope, name: str, binding: Binding) -> Iterator[Clue]:
    """Held-out data standardised with its own mean."""
    if not HELD_OUT.search(name) or not isinstance(binding.value, ast.BinOp):
        return
    words = [
        ast.unparse(c.func) for c in calls_in(binding.value) if called_name(c) in ("mean", "std")
    ]
    if words and all(HELD_OUT.search(w) for w in words) and names_in(binding.value):
        why = "held-out data is scaled by its own statistics"
        yield clue("medium", scope.file, binding.line, why)


VIEWS = {"reshape", "view", "ravel", "transpose", "squeeze", "swapaxes"}
"""Methods that may give the same memory back (NumPy, "Copies and views")."""
ARRAY_MADE = re.compile(r"\b(?:np|numpy|torch|jnp|rng|random)\.|\.astype\(|\.copy\(")
KEPT = {"append", "appendleft", "push", "add", "extend", "put", "store"}


def find_shared_arrays(training: Training) -> Iterator[Clue]:
    """Yield where an array that is rewritten in place is handed out without a copy.

    Whoever keeps what was handed out (a replay buffer, a list of samples) keeps the last content
    alone.
    """
    keeps = any(
        called_name(call) in KEPT for module in training.modules for call in calls_in(module.node)
    )
    for module in training.modules if keeps else ():
        for scope in module.walk():
            if scope.is_class and isinstance(scope.node, ast.ClassDef):
                yield from _handed_out(scope.file, scope.node)


def _handed_out(file: str, cls: ast.ClassDef) -> Iterator[Clue]:
    rewritten: set[str] = set()
    arrays = {
        name
        for node in ast.walk(cls)
        if isinstance(node, ast.Assign) and ARRAY_MADE.search(ast.unparse(node.value))
        for target in node.targets
        for name in _own_attribute(target)
    }
    for method in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.name != "__init__"):
        for node in ast.walk(method):
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in targets:
                if isinstance(target, ast.Subscript):
                    rewritten |= _own_attribute(target.value)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
                rewritten |= _own_attribute(node.target.value)
            elif isinstance(node, ast.AugAssign):
                rewritten |= _own_attribute(node.target) & arrays
            if isinstance(node, ast.keyword) and node.arg == "out":
                rewritten |= _own_attribute(node.value)
    for method in (m for m in cls.body if isinstance(m, ast.FunctionDef)):
        for node in ast.walk(method) if rewritten else ():
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            names = {name for part in parts for name in _viewed(part)} & rewritten
            if names:
                name = min(names)
                why = f"`self.{name}` is rewritten in place, and handed out here without a copy"
                yield clue("strong", file, node.lineno, why)


def _own_attribute(expr: ast.expr) -> set[str]:
    """Return the attribute of ``self`` that an expression is, or is a part of."""
    while isinstance(expr, ast.Subscript):
        expr = expr.value
    if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name):
        return {expr.attr} if expr.value.id == "self" else set()
    return set()


def _viewed(expr: ast.expr) -> set[str]:
    """Return the attribute of ``self`` whose memory an expression shares, if it does."""
    while isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        if expr.func.attr not in VIEWS:
            return set()
        expr = expr.func.value
    return _own_attribute(expr) if isinstance(expr, ast.Attribute) else set()
