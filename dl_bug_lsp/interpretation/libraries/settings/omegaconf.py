"""Models of OmegaConf, of the levels of loggers, and of autograd's NumPy.

Sources: the documentation of OmegaConf and autograd, the Python library reference (``logging``).
"""

from __future__ import annotations

import ast
import logging
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.numpy.functions  # noqa: F401
from dl_bug_lsp.interpretation.libraries.python.files import keep, snapshot, write_to
from dl_bug_lsp.interpretation.libraries.python.standard_library import CONSTANTS
from dl_bug_lsp.interpretation.libraries.settings.documents import config_of
from dl_bug_lsp.interpretation.model_helpers import (
    nothing,
    words_given,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    JsonText,
    LibraryObject,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

for _level in ("DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "NOTSET"):
    CONSTANTS[f"logging.{_level}"] = getattr(logging, _level)
MODELS.method(
    "LoggerAdapter",
    *("debug", "info", "warning", "error", "exception", "critical", "log", "setLevel"),
)(nothing)

for _name, _model in list(MODELS.functions.items()):
    if _name.startswith("numpy."):
        MODELS.functions.setdefault(f"autograd.{_name}", _model)


# --- OmegaConf ------------------------------------------------------------------------------------


def _scalar(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {"true": True, "false": False, "null": None}.get(text.lower(), text)


@MODELS.function("omegaconf.OmegaConf.from_cli", "omegaconf.OmegaConf.from_dotlist")
@MODELS.function("OmegaConf.from_cli", "OmegaConf.from_dotlist")
def _from_words(interpreter: Interpreter, call: Call) -> Value:
    """Return the settings that words ``part.name=value`` stand for."""
    items = words_given(interpreter, call.given(0, "args_list", "dotlist"))
    if items is None:
        return call.unknown()
    root: dict[object, Value] = {}
    for item in items:
        name, mark, text = str(item.data).partition("=")
        if not mark:
            continue
        *around, last = name.split(".")
        held = root
        for part in around:
            inner = held.setdefault(part, Value({})).data
            if not isinstance(inner, dict):
                break
            held = inner
        value = _scalar(text)
        plain = value is None or isinstance(value, (bool, int, float, str))
        held[last] = Value(value if plain else UNKNOWN, item.origins)
    return config_of(Value(root, merged(*items)), call)


@MODELS.function("omegaconf.OmegaConf.save", "OmegaConf.save")
def _save(interpreter: Interpreter, call: Call) -> Value:
    """Write settings to a file or to a path."""
    given, file = call.given(0, "config") or call.unknown(), call.given(1, "f")
    held = given.data.state if isinstance(given.data, LibraryObject) else given.data
    document = Value(held if isinstance(held, (dict, list)) else UNKNOWN, given.origins)
    if not write_to(interpreter, file, JsonText(snapshot(document)), place=call.place):
        keep(interpreter, file, "json", document)
    return Value(None)


@MODELS.function("omegaconf.OmegaConf.to_yaml", "OmegaConf.to_yaml")
@MODELS.function("omegaconf.OmegaConf.set_struct", "omegaconf.OmegaConf.set_readonly")
@MODELS.function("omegaconf.OmegaConf.register_new_resolver", "omegaconf.OmegaConf.resolve")
def _effects(_: Interpreter, call: Call) -> Value:
    return call.unknown() if call.name.endswith("to_yaml") else Value(None)


@MODELS.function("omegaconf.OmegaConf.select", "OmegaConf.select")
def _select(_: Interpreter, call: Call) -> Value:
    held, key = call.given(0, "cfg"), call.given(1, "key")
    if held is None or key is None or not isinstance(key.data, str):
        return call.unknown()
    for part in key.data.split("."):
        data = held.data
        fields = data.state if isinstance(data, LibraryObject) else data
        if not isinstance(fields, dict):
            return call.unknown()
        if part not in fields:
            return call.keywords.get("default", Value(None))
        held = fields[part]
    return held


@MODELS.function("omegaconf.OmegaConf.is_config", "omegaconf.OmegaConf.is_dict")
def _is_config(_: Interpreter, call: Call) -> Value:
    data = call.args[0].data if call.args else UNKNOWN
    if data is UNKNOWN:
        return call.unknown()
    return Value(isinstance(data, LibraryObject) and data.short == "DictConfig")
