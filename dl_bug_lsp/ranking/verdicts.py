"""Bug type and origin of a failure, as far as the workspace speaks for or against them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.repairs.spelling import SLIP, best
from dl_bug_lsp.report import Verdict
from dl_bug_lsp.taxonomy.bug_type_and_origin import EXTRINSIC, INTRINSIC, bug_type, origin
from dl_bug_lsp.taxonomy.classification_context import FRAMEWORKS, names
from dl_bug_lsp.taxonomy.text_models import bug_type_of_report, origin_of_report
from dl_bug_lsp.tracebacks.failures import FailureKind

WITHOUT_MODEL = 0.5
"""How sure it is at most that a model is wrong where no layer or model takes part."""
NAMED_IN_PROGRAM = 0.6
"""How sure an origin outside is at most where the program states the value of the message."""
OWN_IMPORT = 0.8
"""How sure it is that an import is at fault which names a module of the project, or misspells."""

_OF_MODELS = re.compile(
    r"\bnn\b|Module\b|Sequential|Model\b|model|keras|layers|from_pretrained|\bfit\(|forward|network"
)
_LAYER_FILE = re.compile(
    r"[/\\](?:torch[/\\]nn[/\\]|torch[/\\]_dynamo[/\\]|torchvision[/\\]models[/\\]"
    r"|(?:tf_)?keras[/\\](?:src[/\\])?(?:engine|layers|models|trainers|backend|utils[/\\]traceback)"
    r"|flax[/\\](?:linen|nnx|core)[/\\]|haiku[/\\]|equinox[/\\]|transformers[/\\]models[/\\]"
    r"|timm[/\\]|torch_geometric[/\\]nn[/\\])"
)
"""Files of libraries that hold layers and models, and what calls them."""
_LAYER_FUNCTIONS = frozenset(("forward", "call", "training_step", "validation_step", "test_step"))
_LAYER_LINE = re.compile(
    r"\bnn\.[A-Z]|\blayers\.[A-Z]|\bSequential\(|\.(?:fit|predict|evaluate|train_on_batch|generate)\("
    r"|\b(?:\w*_)?(?:model|net|network|layer|encoder|decoder|generator|discriminator|critic"
    r"|classifier|backbone|head|conv\d*|fc\d*|linear\d*|embedding|lstm|gru|rnn)s?\d*(?:\.\w+)*\("
)
"""A line that makes or calls a layer or a model, by the usual names."""
_OF_CHECKPOINTS = re.compile(r"state_?dict|checkpoint|load(?:ing)?_weights|loading weights", re.I)
_PACKAGES = (
    FRAMEWORKS
    | names(
        "numpy pandas scipy sklearn statsmodels matplotlib seaborn plotly bokeh altair requests "
        "selenium nltk spacy gensim skimage imageio xgboost lightgbm catboost networkx sympy "
        "sqlalchemy pymysql psycopg2 pyspark flask django fastapi openpyxl IPython ipywidgets "
        "wordcloud folium geopandas joblib dask numba h5py pydantic openai langchain wandb mlflow "
        "optuna datasets tokenizers evaluate gradio streamlit pytest psutil boto3 imblearn "
        "yellowbrick missingno textblob prophet pmdarima tensorboard tensorboardX "
        "simpy polars pyarrow pydot graphviz"
    )
    | frozenset(name for name in sys.stdlib_module_names if len(name) >= 5)
)
"""Names that an import is likely meant to have where one letter of it differs."""
_LONG_NAME = 6
"""Letters from which on a name of which one differs is likely that one misspelt."""
_SHORTEST_VALUE, _LONGEST_VALUE = 4, 300
_QUOTED = re.compile(r"[`'\"]([^`'\"\n]{4,300})[`'\"]")
_BARE = re.compile(r"(?<![\w/.-])[\w.:/\\~-]{0,200}[/\\:_.-][\w.:/\\~-]{1,200}")


def bug_type_of(case: Case) -> Verdict:
    """Return which part of the program is wrong; of a model only where one takes part."""
    if case.failure.kind is FailureKind.REPORT:
        return bug_type_of_report(case.message)
    verdict = bug_type(case.failure, case.category, case.facts)
    if verdict.id == "model" and not _is_of_model(case):
        return replace(verdict, confidence=min(verdict.confidence, WITHOUT_MODEL))
    return verdict


def _is_of_model(case: Case) -> bool:
    """Say whether a layer or a model takes part in the stack, and no checkpoint does.

    Where a checkpoint does not fit a model, either may be the wrong one.
    """
    if _OF_CHECKPOINTS.search(case.message):
        return False
    files = {place.file for place in case.places}
    if files and not any(_OF_MODELS.search(case.workspace.text(file) or "") for file in files):
        return False
    frames = case.failure.frames
    if any(_LAYER_FILE.search(f.file) or f.own_name in _LAYER_FUNCTIONS for f in frames):
        return True
    lines = [frame.source or "" for frame in frames]
    lines += [case.workspace.source_line(place.file, place.line) for place in case.places]
    return any(_LAYER_LINE.search(line) for line in lines)


def origin_of(case: Case) -> Verdict:
    """Return whether the cause lies inside the project's own code, as far as its files tell."""
    if case.failure.kind is FailureKind.REPORT:
        return origin_of_report(case.message)
    verdict = origin(
        case.failure, case.category, case.facts, workspace_module=case.workspace.has_module
    )
    if verdict.id != EXTRINSIC:
        return verdict
    if case.category.id == "library_not_found" and _is_own_import(case):
        return Verdict(INTRINSIC, OWN_IMPORT)
    if _states_value(case):
        return replace(verdict, confidence=min(verdict.confidence, NAMED_IN_PROGRAM))
    return verdict


_MISSING = re.compile(r"No module named '?([\w.]+)")


def _is_own_import(case: Case) -> bool:
    """Say whether the missing module is the program's own, or a name is likely misspelt.

    Its own are a folder of the project and a class of the program.
    """
    missing = _MISSING.search(case.message)
    if missing is None:
        return False
    top = missing[1].split(".")[0]
    if case.workspace.folder_files(top) or any(
        folder.rpartition("/")[2] == top for folder in case.workspace.folders_in("")
    ):
        return True
    files = case.code_files
    if any(top in _classes(case, file) for file in files):
        return True
    imported = {
        module.split(".")[0] for file in files for module in case.workspace.elements(file).imports
    }
    known = imported | (_PACKAGES if len(top) >= _LONG_NAME else frozenset())
    return top not in _PACKAGES and any(how >= SLIP for _, how in best(top, known - {top}))


def _classes(case: Case, file: str) -> set[str]:
    tree = case.workspace.tree(file)
    nodes = ast.walk(tree) if tree is not None else ()
    return {node.name for node in nodes if isinstance(node, ast.ClassDef)}


def _states_value(case: Case) -> bool:
    """Say whether the message names a value that the program of the stack states as it is."""
    named = set(_named_values(case.message))
    if not named:
        return False
    for file in dict.fromkeys(place.file for place in case.places):
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                value = node.value.strip()
                if _SHORTEST_VALUE <= len(value) <= _LONGEST_VALUE and value in named:
                    return True
    return False


def _named_values(message: str) -> Iterator[str]:
    """Yield what a message quotes, and names with a sign in them: paths, addresses, ids."""
    shown = message[:8_000]
    yield from (match[1].strip() for match in _QUOTED.finditer(shown))
    for match in _BARE.finditer(shown):
        word = match[0].rstrip(".:")
        if len(word) >= _SHORTEST_VALUE:
            yield word
