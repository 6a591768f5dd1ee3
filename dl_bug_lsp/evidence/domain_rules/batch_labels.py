"""Labels that do not reach a model of transformers under the name by which it takes them.

`Trainer` hands a model the columns that its ``forward`` names and leaves the others out; the
collator renames ``label`` and ``label_ids`` to ``labels``. Without labels a model gives no loss.
Source: the documentation of ``transformers.Trainer`` and of its data collators.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, own_nodes
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.provenance.scopes import called_name

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
    found = list(_renamed(case, given)) or list(_removed(case)) or list(_without(case, given))
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
