"""Environment variables: what a script, a file of settings and the program itself set.

Sources: Python's documentation of ``os.environ``, python-dotenv's of ``load_dotenv`` and of the
format of its files.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation.libraries.python.files import file_of, text_in
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Library,
    Raised,
    Value,
    merged,
    read_as_text,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

VARIABLES: WeakKeyDictionary[Interpreter, dict[str, Value]] = WeakKeyDictionary()
"""The variables that files of settings set, of each interpreted program that loads one."""


def variables_of(interpreter: Interpreter) -> dict[str, Value] | None:
    """Return the known variables: what the script of the command exports, then the program's own.

    None where neither sets any.
    """
    own = VARIABLES.get(interpreter)
    exported = interpreter.earlier.variables if interpreter.earlier is not None else {}
    return {**exported, **(own or {})} if exported else own


ASSIGNMENT = re.compile(r"\s*(?:export\s+)?(?P<name>\w+)\s*=\s*(?P<text>.*?)\s*")
COMMENT = re.compile(r"\s+#.*")
DEFAULT_FILE = ".env"
MAX_LINES = 1_000


def _read(interpreter: Interpreter, call: Call) -> dict[str, Value] | None:
    """Return the variables of a file of settings, None where it is not known."""
    path = call.given(0, "dotenv_path")
    file: str | None = None
    if path is not None and path.data is not None:
        try:
            file = file_of(interpreter, path)
        except Raised:
            return None
    else:
        folder = posixpath.dirname(call.place[0])
        for above in dict.fromkeys((folder, posixpath.dirname(folder), "")):
            file = file or interpreter.workspace.existing_file(
                posixpath.join(above, DEFAULT_FILE), interpreter.script
            )
    text = text_in(interpreter, file)
    if text is None or file is None:
        return None
    variables: dict[str, Value] = {}
    for number, line in enumerate(text.split("\n")[:MAX_LINES], 1):
        match = ASSIGNMENT.fullmatch(line)
        if match is None:
            continue
        written = match["text"]
        quoted = len(written) > 1 and written[0] in "'\"" and written[0] == written[-1]
        data: object = written[1:-1] if quoted else COMMENT.sub("", written)
        variables[match["name"]] = Value(
            UNKNOWN if "$" in written else data, frozenset({(file, number)})
        )
    return variables


def variables_in(interpreter: Interpreter, path: Value) -> dict[str, Value]:
    """Return the variables of a file of settings, none where it is not known."""
    call = Call("dotenv.dotenv_values", (path,), {}, (interpreter.script, 1))
    return _read(interpreter, call) or {}


@MODELS.function("dotenv.load_dotenv")
def _load(interpreter: Interpreter, call: Call) -> Value:
    variables = _read(interpreter, call)
    if variables is not None:
        before = variables_of(interpreter) or {}
        override = call.keywords.get("override")
        is_first = override is None or override.data is not True
        VARIABLES[interpreter] = {**variables, **before} if is_first else {**before, **variables}
    return Value(UNKNOWN if variables is None else bool(variables))


@MODELS.function("dotenv.dotenv_values")
def _values(interpreter: Interpreter, call: Call) -> Value:
    variables = _read(interpreter, call)
    return call.unknown() if variables is None else Value(variables)


@MODELS.function("os.environ.get", "os.getenv", "os.environ.setdefault")
def _get(interpreter: Interpreter, call: Call) -> Value:
    """Return a variable that a file of settings sets, else the default.

    A variable that only one program knows is mostly not set. One of nearly the same name that the
    file sets has made it missing.
    """
    name, default = call.given(0, "key"), call.given(1, "default")
    text = None if name is None else text_of(name)
    known = variables_of(interpreter)
    if known is not None and text in known and name is not None:
        return read_as_text(Value(known[text].data, merged(known[text], name)), call.place)
    if call.name.endswith("setdefault") and name is not None and default is not None:
        set_variable(interpreter, name, default)
    near: list[Value] = []
    if known is not None and text is not None and interpreter.GUESSES:
        near = [known[n] for n in difflib.get_close_matches(text, known, n=1)]
    if default is not None:
        return Value(default.data, merged(*call.args, *near))
    return Value(None, merged(*call.args, *near)) if near else call.unknown()


def set_variable(interpreter: Interpreter, name: Value, value: Value) -> None:
    """Note that the program sets an environment variable itself; raise where it is no text."""
    if isinstance(value.data, (int, float, type(None))):
        raise Raised("type", f"str expected, not {type(value.data).__name__}", value)
    if isinstance(name.data, str):
        VARIABLES.setdefault(interpreter, {})[name.data] = value


@MODELS.function("os.environ.update")
def _update(interpreter: Interpreter, call: Call) -> Value:
    given = call.args[0].data if call.args else None
    for name, value in given.items() if isinstance(given, dict) else ():
        set_variable(interpreter, Value(name), value)
    for name, value in call.keywords.items():
        set_variable(interpreter, Value(name), value)
    return Value(None)


@MODELS.function("os.environ.copy")
def _copied(_: Interpreter, call: Call) -> Value:
    """Return the variables themselves: what a program sets in a copy is not followed either."""
    return Value(Library("os.environ"), frozenset({call.place}))


@MODELS.subscript("os.environ")
def _item(interpreter: Interpreter, call: Call) -> Value:
    text = text_of(call.args[0]) if call.args else None
    known = variables_of(interpreter) or {}
    if text is None or text not in known:
        return call.unknown()
    return read_as_text(Value(known[text].data, merged(known[text], *call.args)), call.place)
