"""Hydra: the settings that a task is called with, and objects made of settings.

Sources: Hydra's documentation ("The Defaults List", "Basic Override Syntax", "Instantiating objects
with Hydra"), OmegaConf's ("Variable interpolation").
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries.settings.documents import (
    as_omegaconf,
    config_of,
    nested,
)
from dl_bug_lsp.interpretation.model_helpers import thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Library, LibraryObject, Value, merged
from dl_bug_lsp.provenance.config_composition import Settings, composed, filled_in, is_reference
from dl_bug_lsp.workspace.contents import ConfigEntry, Scalar

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

MAX_REFERENCES = 8
WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}


@MODELS.function("hydra.main")
def _hydra(_: Interpreter, call: Call) -> Value:
    return thing("hydra.main", call)


@MODELS.object("hydra.main")
def _hydra_task(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    made = LibraryObject("hydra.task", call.args, held.keywords, held.made)
    made.state["path"] = held.keywords.get("config_path", Value(None))
    made.state["name"] = held.keywords.get("config_name", Value(None))
    return Value(made)


@MODELS.object("hydra.task")
def _hydra_run(interpreter: Interpreter, call: Call) -> Value:
    """Call a task with the settings that Hydra composes."""
    held = call.held
    if held is None or not held.args:
        return call.unknown()
    if call.args or call.keywords:
        return interpreter.call(held.args[0], call.args, call.keywords, call.place)
    path, name = held.state["path"].data, held.state["name"].data
    config = Value(UNKNOWN)
    if isinstance(name, str) and (path is None or isinstance(path, str)):
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(held.made[0]), path or ""))
        config = _settings(interpreter, "" if folder == "." else folder, name)
    return interpreter.call(held.args[0], (config_of(config, call),), {}, call.place)


def _settings(interpreter: Interpreter, folder: str, name: str) -> Value:
    words = list(_overrides(interpreter))
    settings, files = composed(interpreter.workspace, folder, name, words)
    if not files:
        return Value(UNKNOWN)
    # Hydra keeps the settings of its own back.
    own = (entry for entry in settings.all() if entry.path[:1] != ("hydra",))
    resolved = (_resolved(settings, entry) for entry in own)
    entries = [as_omegaconf(interpreter, entry) for entry in resolved]
    return nested(interpreter, entries, (files[-1], 1))


def _overrides(interpreter: Interpreter) -> Iterator[ConfigEntry]:
    """Yield the words ``a.b=c`` of the command line, and those that delete: ``~a.b``."""
    for word in interpreter.arguments or ():
        if not isinstance(word.data, str):
            continue
        key, mark, text = word.data.partition("=")
        if not mark and not key.startswith("~"):
            continue
        file, line = min(word.origins, default=(interpreter.script, 1))
        path = tuple(key.lstrip("+").split("."))
        yield ConfigEntry(file, line, line, path, _scalar(text), text)


def _scalar(text: str) -> Scalar:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _resolved(settings: Settings, entry: ConfigEntry) -> ConfigEntry:
    """Return an entry with what its references stand for; the place stays the last one's."""
    for _ in range(MAX_REFERENCES):
        if not isinstance(entry.value, str) or "${" not in entry.text:
            break
        referred = settings.referred(entry)
        if not referred:
            break
        if is_reference(entry.text):
            other = referred[0]
            if other.length is not None:
                break
            place = {"file": other.file, "line": other.line, "end_line": other.end_line}
            entry = replace(entry, value=other.value, text=other.text, **place)  # type: ignore[arg-type]
            continue
        text = filled_in(entry.text, [other.value for other in referred])
        entry = replace(entry, value=text, text=text)
    return entry


# --- objects made of settings ---------------------------------------------------------------------


def _target(interpreter: Interpreter, name: Value) -> Value | None:
    """Return what a dotted name stands for."""
    if not isinstance(name.data, str) or "." not in name.data:
        return None
    module, _, last = name.data.rpartition(".")
    file = interpreter.workspace.module_file(module, interpreter.script)
    if file is None:
        return Value(Library(name.data), name.origins)
    return interpreter.attribute(interpreter.module(file, module), last, interpreter.stack[-1])


@MODELS.function("hydra.utils.instantiate", "hydra.utils.call")
def _instantiate(interpreter: Interpreter, call: Call) -> Value:
    config = call.given(0, "config")
    data = None if config is None else config.data
    fields = data.state if isinstance(data, LibraryObject) else data
    if not isinstance(fields, dict) or "_target_" not in fields:
        return call.unknown()
    target = _target(interpreter, fields["_target_"])
    if target is None:
        return call.unknown()
    partial = fields.get("_partial_")
    keywords = {
        str(name): _instantiated(interpreter, value, call)
        for name, value in fields.items()
        if not str(name).startswith("_")
    }
    keywords.update(call.keywords)
    if partial is not None and partial.data is True:
        made = LibraryObject("functools.partial", (target,), keywords, call.place)
        return Value(made, merged(*keywords.values()))
    return interpreter.call(target, call.args[1:], keywords, call.place)


def _instantiated(interpreter: Interpreter, value: Value, call: Call) -> Value:
    data = value.data
    fields = data.state if isinstance(data, LibraryObject) else data
    if isinstance(fields, dict) and "_target_" in fields:
        inner_call = Call(call.name, (value,), {}, call.place)
        return _instantiate(interpreter, inner_call)
    return value
