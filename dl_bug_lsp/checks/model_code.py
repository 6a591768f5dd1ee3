"""Checks of what parts of the code say of one another: layers, hooks, metrics, results."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.evidence.collectives import last_name
from dl_bug_lsp.fixes.fix_context import is_slip
from dl_bug_lsp.provenance.scopes import dotted_name

HOOK = Check(
    "misspelt-method",
    "not_implemented",
    Certainty.LIKELY,
    "A method has nearly the name that a framework or Python calls.",
    "forward of a torch.nn.Module, __init__, __len__, __getitem__, __call__ and __iter__ of any "
    "class, where neither the class nor a base of the workspace has the right one. Classes with "
    "other bases of libraries are left out.",
    "def foward(self, x): ...      # of a torch.nn.Module",
)
LAYERS = Check(
    "unregistered-layers",
    "framework_api_misuse",
    Certainty.LIKELY,
    "A torch.nn.Module keeps layers in a plain list or dict, so their weights are not its own.",
    "They are missing in parameters(), state_dict() and to(). Left out where the class hands the "
    "list to ModuleList, ModuleDict, Sequential, add_module or setattr, or asks its parts for "
    "their parameters.",
    "self.layers = [nn.Linear(8, 8) for _ in range(3)]      # nn.ModuleList([...])",
)
METRIC = Check(
    "monitored-metric",
    "key_not_found",
    Certainty.LIKELY,
    "A callback or scheduler watches a metric that nothing logs.",
    "With Lightning: the names that self.log and log_dict are given, also as f-strings, and the "
    "prefixes of metric collections. With Keras: the names in compile(metrics=[...]). Only where "
    "all of these can be read. A finding stands at the log call if several monitors agree.",
    'self.log("val/loss", loss)        # EarlyStopping(monitor="val_loss")',
)
LOST = Check(
    "lost-result",
    "corrupt_data",
    Certainty.LIKELY,
    "The result of a method that changes nothing in place is thrown away.",
    "fillna, dropna, astype, reset_index, sort_values, drop_duplicates of pandas without "
    "inplace=True; unsqueeze, permute, reshape of arrays.",
    'df["age"].fillna(0)               # df["age"] = df["age"].fillna(0)',
)
CHECKS = (HOOK, LAYERS, METRIC, LOST)

MODULES = frozenset(("nn.Module", "torch.nn.Module", "Module"))
HOOKS = ("__init__", "__len__", "__getitem__", "__call__", "__iter__")
REGISTERING = ("ModuleList", "ModuleDict", "Sequential", "add_module", "register_module", "setattr",
               "ParameterList", ".parameters()")  # fmt: skip
FRAMES = frozenset(("fillna", "dropna", "astype", "reset_index", "sort_values", "drop_duplicates"))
ARRAYS = frozenset(("unsqueeze", "permute", "reshape"))
NOT_LOGGING = frozenset(("torch", "np", "numpy", "math", "tf", "jnp", "wandb", "logging", "logger",
                         "mlflow", "console", "_logger", "log"))  # fmt: skip
MOST_FILES = 400


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what does not agree in the files that a run imports."""
    trees = {
        file: tree
        for file in program.files[:MOST_FILES]
        if (tree := program.workspace.tree(file)) is not None
    }
    classes = _classes(trees)
    for file, tree in trees.items():
        checkpoint()
        yield from _hooks(file, tree, classes)
        yield from _layers(file, tree, classes)
        yield from _lost(program, file, tree)
    yield from _lightning(program, trees)
    yield from _keras(program, trees)


def _classes(trees: dict[str, ast.Module]) -> dict[str, list[ast.ClassDef]]:
    classes_by_name: dict[str, list[ast.ClassDef]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes_by_name.setdefault(node.name, []).append(node)
    return classes_by_name


@dataclass
class _Lineage:
    """A class with its bases of the workspace, and the names of those that are not there."""

    classes: list[ast.ClassDef] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)

    @property
    def is_module(self) -> bool:
        """Whether the one foreign base is PyTorch's class of layers."""
        return bool(self.outside) and self.outside <= MODULES

    @property
    def names(self) -> set[str]:
        """The names of all methods and fields of the classes' bodies."""
        names: set[str] = set()
        for node in self.classes:
            for part in node.body:
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    names.add(part.name)
                elif isinstance(part, (ast.Assign, ast.AnnAssign)):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    names |= {t.id for t in targets if isinstance(t, ast.Name)}
        return names


def _lineage(node: ast.ClassDef, classes: dict[str, list[ast.ClassDef]]) -> _Lineage:
    """Return a class and what it is derived from; classes of one name all count."""
    lineage = _Lineage()
    queue = [node]
    while queue and len(lineage.classes) < 40:
        current = queue.pop()
        if current in lineage.classes:
            continue
        lineage.classes.append(current)
        for base in current.bases:
            written = dotted_name(base) or "?"
            own = classes.get(written.rpartition(".")[2])
            if own and written not in MODULES:
                queue.extend(own)
            elif written != "object":
                lineage.outside.add(written)
    return lineage


def _hooks(
    file: str, tree: ast.Module, classes: dict[str, list[ast.ClassDef]]
) -> Iterator[Finding]:
    """Yield methods whose names are slips of those that are called."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.keywords:
            continue
        lineage = _lineage(node, classes)
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        names = lineage.names
        hooks = [h for h in HOOKS if h not in names] if not lineage.outside else []
        if lineage.is_module and not {"forward", "__call__"} & names:
            hooks.append("forward")
        if lineage.is_module and "__init__" not in names:
            hooks.append("__init__")
        for method in methods:
            for hook in hooks:
                if not is_slip(method.name, hook) and method.name.strip("_") != hook.strip("_"):
                    continue
                if method.name.startswith("__") and hook == "forward":
                    continue
                if method.name == "__int__" and len(method.args.args) < 2:
                    continue
                if hook != "forward" and not method.name.startswith("_"):
                    continue
                message = f"'{node.name}' has no '{hook}', and '{method.name}' is nearly its name."
                yield finding(HOOK, file, method.lineno, message)


def _layers(
    file: str, tree: ast.Module, classes: dict[str, list[ast.ClassDef]]
) -> Iterator[Finding]:
    """Yield plain lists and dicts of layers that are fields of a module."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not _lineage(node, classes).is_module:
            continue
        source = ast.unparse(node)
        for part in ast.walk(node):
            if not isinstance(part, ast.Assign) or len(part.targets) != 1:
                continue
            target = part.targets[0]
            if not (isinstance(target, ast.Attribute) and last_name(target.value) == "self"):
                continue
            layers = _layers_in(_listed(node, part.value), classes) or (
                isinstance(part.value, ast.List)
                and not part.value.elts
                and any(
                    _is_layer(call.args[0], classes)
                    for call in ast.walk(node)
                    if isinstance(call, ast.Call)
                    and call.args
                    and ast.unparse(call.func) == f"self.{target.attr}.append"
                )
            )
            used = [line for line in source.splitlines() if f"self.{target.attr}" in line]
            if not layers or any(word in line for line in used for word in REGISTERING):
                continue
            if source.count(f"self.{target.attr} =") > 1:
                continue
            message = f"The layers in 'self.{target.attr}' are not registered: it is a plain list."
            consequence = "Their weights are neither trained nor saved, nor moved to a device."
            yield finding(LAYERS, file, part.lineno, message, consequence)


def _listed(node: ast.ClassDef, value: ast.expr) -> ast.expr:
    """Return the list that a local name stands for, else the expression itself."""
    if not isinstance(value, ast.Name):
        return value
    for method in node.body:
        inside = list(ast.walk(method))
        if value in inside:
            bound = [
                part.value
                for part in inside
                if isinstance(part, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == value.id for t in part.targets)
            ]
            return bound[0] if len(bound) == 1 else value
    return value


def _layers_in(value: ast.expr, classes: dict[str, list[ast.ClassDef]]) -> bool:
    """Whether a list, a dict or a comprehension makes layers."""
    if isinstance(value, ast.List):
        # Layers without weights may stand between the others.
        calls = all(isinstance(item, ast.Call) for item in value.elts)
        return calls and any(_is_layer(item, classes) for item in value.elts)
    if isinstance(value, ast.Dict):
        return bool(value.values) and all(_is_layer(item, classes) for item in value.values)
    return isinstance(value, ast.ListComp) and _is_layer(value.elt, classes)


LAYER_NAMES = re.compile(
    r"(?:torch\.)?nn\.(?:Linear|Conv\d?d|ConvTranspose\d?d|LSTM|GRU|RNN|Embedding|BatchNorm\dd|"
    r"LayerNorm|Sequential|TransformerEncoderLayer|MultiheadAttention|GRUCell|LSTMCell)"
)
"""Layers with weights."""


def _is_layer(value: ast.expr, classes: dict[str, list[ast.ClassDef]]) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = dotted_name(value.func) or ""
    own = classes.get(name, [])
    return bool(LAYER_NAMES.fullmatch(name)) or (
        len(own) == 1 and _lineage(own[0], classes).is_module
    )


def _lost(program: CheckedProgram, file: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield statements that are a call whose result is all that it gives."""
    text = program.workspace.text(file) or ""
    if file.endswith(".ipynb"):
        # The last expression of a cell is shown.
        return
    names = (FRAMES if "pandas" in text else frozenset()) | (ARRAYS if "torch" in text else set())
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        call = node.value
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in names:
            continue
        inplace = [k.value for k in call.keywords if k.arg in ("inplace", "copy", "out", None)]
        if any(not (isinstance(v, ast.Constant) and v.value is False) for v in inplace):
            continue
        if not isinstance(call.func.value, (ast.Name, ast.Attribute, ast.Subscript)):
            continue
        message = f"'{call.func.attr}' returns its result, which is not kept: nothing changes here."
        yield finding(LOST, file, node.lineno, message)


# -- metrics ---------------------------------------------------------------------------------------


@dataclass
class _Logged:
    """The names that a program logs; ``open`` where one of them cannot be read."""

    patterns: list[tuple[str, str, str, int]] = field(default_factory=list)
    """A regular expression, how it is written, and its place."""
    open: bool = False

    def has(self, name: str) -> bool:
        """Whether something may be logged under a name."""
        return any(re.fullmatch(pattern, name) for pattern, *_ in self.patterns)


def _lightning(program: CheckedProgram, trees: dict[str, ast.Module]) -> Iterator[Finding]:
    texts = {file: program.workspace.text(file) or "" for file in trees}
    if not any("lightning" in text for text in texts.values()):
        return
    if any("callback_metrics[" in text or "torchmetrics.Metric" in text for text in texts.values()):
        return
    logged = _Logged()
    for file, tree in trees.items():
        if ".log" in texts[file]:
            _take_logged(file, tree, logged)
    if logged.open or not logged.patterns:
        return
    # OmegaConf's ??? stands for what another file or the command has to give.
    monitors = [m for m in (*_monitors(trees), *_configured(program)) if m[0] != "???"]
    wrong = [(name, file, line) for name, file, line in monitors if not logged.has(name)]
    for name in dict.fromkeys(name for name, _, _ in wrong):
        places = [(file, line) for other, file, line in wrong if other == name]
        near = _nearest(name, logged)
        names_logged = (
            f"Logged are {', '.join(dict.fromkeys(w for _, w, _, _ in logged.patterns))}."
        )
        if len(places) > 1 and near is not None:
            where = ", ".join(f"{file}:{line}" for file, line in places[:4])
            message = f"'{name}', which is watched, is logged nowhere; this line logs '{near[1]}'."
            yield finding(METRIC, near[2], near[3], message, f"It is watched in {where}.")
            continue
        for file, line in places:
            yield finding(
                METRIC, file, line, f"Nothing logs the metric '{name}'.", names_logged[:400]
            )


def _nearest(name: str, logged: _Logged) -> tuple[str, str, str, int] | None:
    """Return the logged name that shares the most words with another."""
    words = set(re.split(r"[^A-Za-z0-9]+", name.lower())) - {""}
    stage = {"val", "valid", "validation"} if {"val", "valid", "validation"} & words else set()
    best, most = None, 0
    for row in logged.patterns:
        parts = set(re.split(r"[^A-Za-z0-9]+", row[1].lower())) - {""}
        shared = len(parts & words) + bool(parts & stage) + ("{" in row[1])
        alike = any(
            a.startswith(b) or b.startswith(a)
            for a in parts
            for b in words
            if min(len(a), len(b)) > 2
        )
        if shared + alike > most:
            best, most = row, shared + alike
    return best


def _take_logged(file: str, tree: ast.Module, logged: _Logged) -> None:
    """Take in the names that calls of log and log_dict are given."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        base = last_name(node.func.value) or ""
        keywords = {k.arg: k.value for k in node.keywords}
        if node.func.attr == "log" and base not in NOT_LOGGING:
            first = node.args[0] if node.args else keywords.get("name")
            if first is not None and (len(node.args) + len(node.keywords) > 1):
                _take(file, first, logged)
        elif node.func.attr == "log_dict" and base not in NOT_LOGGING:
            first = node.args[0] if node.args else keywords.get("dictionary")
            if isinstance(first, ast.Dict) and None not in first.keys:
                for key in first.keys:
                    assert key is not None
                    _take(file, key, logged)
            else:
                prefixes = _prefixes(tree)
                logged.open |= not prefixes
                logged.patterns += [
                    (re.escape(p) + ".*", f"{p}…", file, line) for p, line in prefixes
                ]


def _take(file: str, name: ast.expr, logged: _Logged) -> None:
    if isinstance(name, ast.JoinedStr):
        pattern = written = ""
        for part in name.values:
            if isinstance(part, ast.Constant):
                pattern += re.escape(str(part.value))
                written += str(part.value)
            else:
                pattern += ".*"
                written += "{…}"
    elif isinstance(name, ast.Constant) and isinstance(name.value, str):
        pattern, written = re.escape(name.value), name.value
    else:
        logged.open = True
        return
    if not re.sub(r"\.\*", "", pattern):
        logged.open = True
    row = (f"{pattern}(?:_step|_epoch)?(?:/dataloader_idx_\\d+)?", written, file, name.lineno)
    logged.patterns.append(row)


def _prefixes(tree: ast.Module) -> list[tuple[str, int]]:
    """Return the prefixes that collections of metrics are given."""
    return [
        (k.value.value, k.value.lineno)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for k in call.keywords
        if k.arg == "prefix"
        and isinstance(k.value, ast.Constant)
        and isinstance(k.value.value, str)
    ]


def _monitors(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str, int]]:
    """Yield the metrics that code watches, each with its place."""
    for file, tree in trees.items():
        for node in ast.walk(tree):
            pairs: Sequence[tuple[object, ast.expr]] = ()
            if isinstance(node, ast.Call):
                pairs = [(k.arg, k.value) for k in node.keywords]
            elif isinstance(node, ast.Dict):
                keys = (getattr(key, "value", None) for key in node.keys)
                pairs = list(zip(keys, node.values, strict=True))
            for key, value in pairs:
                name = value.value if isinstance(value, ast.Constant) else None
                if key == "monitor" and isinstance(name, str):
                    yield name, file, value.lineno


def _configured(program: CheckedProgram) -> Iterator[tuple[str, str, int]]:
    """Yield the metrics that config files of the runs watch."""
    for entry in program.workspace.config_entries():
        if not entry.path or entry.path[-1] != "monitor" or not isinstance(entry.value, str):
            continue
        if "$" not in entry.value and entry.file.endswith((".yaml", ".yml", ".toml", ".json")):
            yield entry.value, entry.file, entry.line


def _keras(program: CheckedProgram, trees: dict[str, ast.Module]) -> Iterator[Finding]:
    """Yield metrics that Keras' callbacks watch and that no compiled model has."""
    texts = [program.workspace.text(file) or "" for file in trees]
    if not any("keras" in text for text in texts) or any(
        word in text for text in texts for word in ("add_metric", "lightning", "logs[", "add_loss")
    ):
        return
    names: set[str] = {"loss", "lr", "learning_rate"}
    calls = [node for tree in trees.values() for node in ast.walk(tree)
             if isinstance(node, ast.Call)]  # fmt: skip
    compiled = [call for call in calls if last_name(call.func) == "compile" and any(
        k.arg in ("loss", "metrics") for k in call.keywords)]  # fmt: skip
    for call in compiled:
        keywords = {k.arg: k.value for k in call.keywords}
        metrics = keywords.get("metrics")
        if None in keywords or isinstance(keywords.get("loss"), (ast.Dict, ast.List)):
            return
        if metrics is None:
            continue
        if not isinstance(metrics, (ast.List, ast.Tuple)):
            return
        for item in metrics.elts:
            name = _metric_name(item)
            if name is None:
                return
            names.add(name)
    if not compiled:
        return
    for name, file, line in _monitors(trees):
        if name.removeprefix("val_") not in names:
            known = ", ".join(sorted(names - {"lr", "learning_rate"}))
            message = f"No compiled model has the metric '{name}'."
            yield finding(METRIC, file, line, message, f"There are {known}, and val_ of each.")


def _metric_name(item: ast.expr) -> str | None:
    """Return the name under which Keras reports a metric, None where it is not written down."""
    if isinstance(item, ast.Constant) and isinstance(item.value, str):
        return item.value
    if isinstance(item, ast.Call):
        for keyword in item.keywords:
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
        written = last_name(item.func) or ""
        if "metrics" in (dotted_name(item.func) or "") and written[:1].isupper():
            return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", written).lower()
    return None
