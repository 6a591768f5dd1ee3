"""Models of files, paths and delimited text.

Files are read through the workspace alone; each value keeps the line of the file that it stands on.
Source: the Python library reference (``open``, ``pathlib``, ``os.path``, ``glob``, ``csv``).
"""

from __future__ import annotations

import csv
import fnmatch
import itertools
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

# The models of builtins below take the place of its, or call them.
import dl_bug_lsp.interpretation.libraries.python.builtins  # noqa: F401
from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.libraries.python.written_text import (
    add_rows,
    add_text,
    cell_text,
    document_of,
    forget,
    lines_of,
    row_of,
    row_text,
    split_lines,
)
from dl_bug_lsp.interpretation.model_helpers import (
    MOST_ITEMS,
    MOST_TEXT,
    is_true,
    itself,
    listed,
    nothing,
    state_of,
    text_of,
    thing,
    with_origins,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import PLAIN
from dl_bug_lsp.interpretation.table_values import Series, part_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    ClassValue,
    JsonText,
    Lazy,
    Library,
    LibraryObject,
    MadeText,
    OpenDict,
    Origin,
    Origins,
    Raised,
    RowText,
    Table,
    Unknown,
    Value,
    merged,
    rest_of,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


# Files.


def written_files(interpreter: Interpreter) -> set[str]:
    """Return the paths that the program has written so far; ``"*"`` is one that is not known."""
    paths: set[str] | None = getattr(interpreter, "written", None)
    if paths is None:
        paths = set()
        setattr(interpreter, "written", paths)  # noqa: B010
    return paths


def note_written(interpreter: Interpreter, path: Value | None) -> None:
    """Take note that the program writes a file or makes a folder."""
    text = text_of(path)
    name = "*" if text is None else posixpath.normpath(text)
    written_files(interpreter).add(name)
    interpreter.disk.paths.append(name)
    if path is not None:
        interpreter.disk.made_by.setdefault(name, path.origins)


def is_written(interpreter: Interpreter, path: str) -> bool:
    """Whether the program may have written a file, or a folder around it."""
    return "*" in written_files(interpreter) or _is_written_by_name(interpreter, path)


def _is_written_by_name(interpreter: Interpreter, path: str) -> bool:
    """Whether the program has written a file under its path, or a folder around it."""
    written = written_files(interpreter)
    if not written:
        return False
    around = posixpath.normpath(path)
    parents = map(str, PurePosixPath(around).parents)
    return any(p in written for p in (around, *parents) if p != ".")


MOST_NESTED = 6
UNREAD = (".pkl", ".pickle", ".joblib", ".dill")
"""How the names of files end that are never read: a run is better followed without them."""
PICKLE = "pickle"
"""The form of files of objects as they are: those of ``torch.save``, joblib and pickle."""


TEXT = "text"
"""The form of files of text: the lines that were written to them (`written_text`)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a program wrote to a file, and in which form: that of a pickle, a table, an array.

    ``place`` is the line that wrote it, where it was written at once.
    """

    form: str
    value: Value
    place: Origin | None = None


def csv_form(call: Call) -> str:
    """Return the form of a file of rows by the separator that a call names, a comma where none."""
    named = call.keywords.get("sep", call.keywords.get("delimiter"))
    usual = "\t" if call.name.endswith("read_table") else ","
    separator = usual if named is None else named.data
    return "csv" if separator == "," else f"csv {separator}"


def _kept_files(interpreter: Interpreter) -> dict[str, Kept]:
    files: dict[str, Kept] | None = getattr(interpreter, "kept_files", None)
    if files is None:
        files = {}
        setattr(interpreter, "kept_files", files)  # noqa: B010
    return files


def keep(interpreter: Interpreter, path: Value | None, form: str, value: Value | None) -> None:
    """Take note of what a program writes to a file."""
    text = text_of(path)
    # A checkpoint goes to a path of its own, whatever that is.
    if text is not None or form != PICKLE:
        note_written(interpreter, path)
    if text is not None and value is not None:
        place = interpreter.stack[-1] if interpreter.stack else None
        _kept_files(interpreter)[posixpath.normpath(text)] = Kept(form, snapshot(value), place)


def keep_open(interpreter: Interpreter, path: Value | None, form: str, value: Value) -> None:
    """Take note of what a file holds that goes on changing while it is open."""
    text = text_of(path)
    if text is not None:
        _kept_files(interpreter)[posixpath.normpath(text)] = Kept(form, value)


def kept_here(interpreter: Interpreter, path: str) -> Kept | None:
    """Return what a run itself has written under a path."""
    return _kept_files(interpreter).get(posixpath.normpath(path))


def kept_in(interpreter: Interpreter, path: Value | None, form: str) -> Value | None:
    """Return what a file holds that this run wrote, or a command before it; None if not known."""
    text = text_of(path)
    if text is None:
        return None
    found = kept_here(interpreter, text)
    if found is None and interpreter.earlier is not None and not _is_there(interpreter, text):
        found = interpreter.earlier.kept(text)
    held = None if found is None else _held_as(found, form)
    return None if held is None else snapshot(held)


def _held_as(kept: Kept, form: str) -> Value | None:
    """Return what was written in a form, None where it was written in another."""
    if kept.form == form:
        return kept.value
    document = document_of(kept.value) if kept.form == TEXT and form == "json" else None
    return None if document is None else document.document


def lines_kept(interpreter: Interpreter, path: Value | None) -> Value | None:
    """Return the lines of a file that this run or a command before it wrote; None if not known."""
    written = kept_in(interpreter, path, TEXT)
    return None if written is None or not written.known else lines_of(written)


def lines_being_written(interpreter: Interpreter) -> list[Value]:
    """Return the lines of the files of text that a program has written so far."""
    return [kept.value for kept in _kept_files(interpreter).values() if kept.form == TEXT]


def named_by(path: Value) -> Origins:
    """Return what made a path, without what decided that it is a text: that is meant."""
    return frozenset(origin for origin in path.origins if origin[1] >= 0)


def _is_there(interpreter: Interpreter, path: str) -> bool:
    """Whether the workspace has a file that a path names, listed or not, as large ones of data."""
    workspace = interpreter.workspace
    is_listed = workspace.file_named(path) is not None
    return is_listed or workspace.existing_file(path, interpreter.script) is not None


def explained_by_writer(
    interpreter: Interpreter, path: Value | None, form: str, held: Value
) -> Value:
    """Return what a workspace file holds, with what made it where a command before wrote the file.

    A value that the command is known to write comes from where the command took it. One of which
    that is not known may come from there as well; one that differs was changed in the file.
    """
    written = written_before(interpreter, path)
    as_written = None if written is None else _held_as(written, form)
    if as_written is None:
        return held
    note_generated(interpreter, path)
    return _explained(held, snapshot(as_written))


def written_before(interpreter: Interpreter, path: Value | None) -> Kept | None:
    """Return what a command before this one wrote to a file, None where none is known to."""
    text = text_of(path)
    if text is None or interpreter.earlier is None or kept_here(interpreter, text) is not None:
        return None
    return interpreter.earlier.kept(text)


def note_generated(interpreter: Interpreter, path: Value | None) -> None:
    """Note that a command before this one wrote a file of the workspace."""
    text = text_of(path)
    if text is not None:
        interpreter.generated.add(posixpath.normpath(text))


def _explained(held: Value, written: Value, depth: int = 0) -> Value:
    data, other = held.data, written.data
    origins = held.origins | written.origins
    if depth > MOST_NESTED:
        return held
    if isinstance(data, dict):
        known = other if isinstance(other, dict) else {}
        default = Value(UNKNOWN, written.origins)
        entries = {k: _explained(v, known.get(k, default), depth + 1) for k, v in data.items()}
        is_like = known.keys() == data.keys() and written.origins
        return Value(entries, written.origins if is_like else origins)
    if isinstance(data, list) and len(data) <= MOST_ITEMS:
        unknown_items = [Value(UNKNOWN, written.origins)] * len(data)
        like = list(other) if isinstance(other, (list, tuple)) else []
        pairs = zip(data, like if len(like) == len(data) else unknown_items, strict=True)
        items = [_explained(item, as_written, depth + 1) for item, as_written in pairs]
        is_like = len(like) == len(data) and written.origins
        return Value(items, written.origins if is_like else origins)
    if isinstance(data, Array):
        return _explained_array(data, other, held, written)
    if isinstance(other, (bool, int, float, str, type(None))) and written.origins:
        return Value(data, written.origins) if data == other else held
    return Value(data, origins)


def _explained_array(data: Array, other: object, held: Value, written: Value) -> Value:
    """Return the array of a file with what made its sizes, those that differ left as they are."""
    sizes = other.shape if isinstance(other, Array) else None
    if data.shape is not None and sizes is not None and len(sizes) == len(data.shape):
        shape = tuple(
            mine if isinstance(its.data, int) and its.data != mine.data else Value(mine.data, both)
            for mine, its in zip(data.shape, sizes, strict=True)
            for both in (its.origins or mine.origins,)
        )
        data = replace(data, shape=shape)
    if isinstance(data, Series):
        data = replace(data, derived=data.derived | written.origins)
    return Value(data, held.origins | written.origins)


def snapshot(value: Value, depth: int = 0) -> Value:
    """Return a value as it is now: what holds others, and tables, are copied."""
    data = value.data
    if depth > MOST_NESTED:
        return unknown(value)
    if isinstance(value, MadeText):
        return value
    if isinstance(data, dict):
        return Value({k: snapshot(v, depth + 1) for k, v in data.items()}, value.origins)
    if isinstance(data, (list, tuple)) and len(data) <= MOST_ITEMS:
        return Value(type(data)(snapshot(item, depth + 1) for item in data), value.origins)
    if isinstance(data, Table):
        return Value(part_of(data, list(data.columns)), value.origins)
    if isinstance(data, LibraryObject):
        held = {name: snapshot(item, depth + 1) for name, item in data.state.items()}
        copied = LibraryObject(data.name, data.args, dict(data.keywords), data.made, held)
        return Value(copied, value.origins)
    return value


def file_of(
    interpreter: Interpreter, path: Value | None, suffixes: tuple[str, ...] = ()
) -> str | None:
    """Return the workspace file that a path means.

    One that is not known is the workspace's only file with one of the ``suffixes``.

    Raises `Raised` ("file") where a relative path names no file of the workspace and the program
    did not write it; None where that cannot be told.
    """
    text = text_of(path)
    if path is None or text is None:
        fitting = [file for file in interpreter.workspace.files() if file.endswith(suffixes)]
        is_alone = bool(suffixes) and interpreter.GUESSES and path is not None and len(fitting) == 1
        return fitting[0] if is_alone and path is not None and path.data is UNKNOWN else None
    # What a failing run writes to a path that is not known is mostly a file of its own, as logs and
    # checkpoints are.
    is_open = "*" in written_files(interpreter)
    if _is_written_by_name(interpreter, text) or (is_open and not interpreter.GUESSES):
        return None
    file = interpreter.workspace.file_named(text)
    if file is not None:
        return file
    if not text or text[0] in "/~$\\" or ":" in text or _is_folder(interpreter, text):
        return None
    # Data that an ignore rule hides is no file of the workspace's list, but it may be there.
    hidden = interpreter.workspace.existing_file(text, interpreter.script)
    if hidden is not None or is_open:
        return hidden
    if interpreter.earlier is not None and interpreter.earlier.wrote(text):
        return None
    raise Raised("file", f"No such file or directory: {text!r}", path)


def _is_folder(interpreter: Interpreter, path: str) -> bool:
    workspace = interpreter.workspace
    for name in _meant(interpreter, path):
        if name == "." or workspace.folders_in(name) or workspace.folder_files(name):
            return True
    return any(True for _ in _below(interpreter, path))


MOST_FOLDERS = 200
"""Folders whose files are listed whatever they hold."""


def _below(interpreter: Interpreter, path: str) -> Iterator[tuple[str, str]]:
    """Yield (workspace file, its path below a folder) of all files below a folder.

    A path is meant from the root, or from the folder of the script where the root has none such.
    Those that are no text stand in no index: they are listed for folders that the program names and
    for those below them.
    """
    files = interpreter.workspace.files()
    for name in _meant(interpreter, path):
        if name == ".":
            yield from ((file, file) for file in files)
            return
        inside = [file for file in files if file.startswith(f"{name}/")]
        folders = dict.fromkeys([name, *(posixpath.dirname(file) for file in inside)])
        waiting = list(folders)
        for _ in range(MOST_FOLDERS):
            if not waiting:
                break
            folder = waiting.pop(0)
            inside += interpreter.workspace.folder_files(folder)
            new = [f for f in interpreter.workspace.folders_in(folder) if f not in folders]
            folders.update(dict.fromkeys(new))
            waiting += new
        inside = list(dict.fromkeys(inside))
        if inside:
            yield from ((file, file[len(name) + 1 :]) for file in inside)
            return


def _meant(interpreter: Interpreter, path: str) -> list[str]:
    """Return the folders that a path may mean, relative to the root."""
    wanted = posixpath.normpath(path).lstrip("/") or "."
    around = posixpath.dirname(interpreter.script)
    return list(dict.fromkeys((wanted, posixpath.normpath(posixpath.join(around, wanted)))))


def class_folders(interpreter: Interpreter, path: Value | None) -> list[str] | None:
    """Return the names of the folders right in a folder, one for each class, in their order.

    Readers of labelled pictures take them for the classes (torchvision, ``ImageFolder``; Keras,
    ``image_dataset_from_directory``). None where the folder is not known or has none.
    """
    name = text_of(path)
    if name is None:
        return None
    for folder in _meant(interpreter, name):
        found = interpreter.workspace.folders_in(folder)
        if found:
            return sorted(posixpath.basename(item) for item in found)
    return None


def text_in(interpreter: Interpreter, file: str | None) -> str | None:
    """Return a workspace file's text, None where it is too long, binary or not known."""
    text = None if file is None else interpreter.workspace.text(file)
    if text is None or file is None or len(text) > MOST_TEXT:
        return None
    interpreter.note_read(file)
    return text


def lines_in(interpreter: Interpreter, file: str | None, path: Value) -> Value:
    """Return a file's lines with their ends, each with its place; outlined where they are many."""
    text = text_in(interpreter, file)
    if text is None or file is None:
        return Value(UNKNOWN, path.origins)
    lines = split_lines(text)
    if len(lines) > MOST_ITEMS:
        origins = frozenset({(file, 1)})
        length = Value(len(lines), path.origins | origins)
        return Value(Lazy(Value(UNKNOWN, origins), length), path.origins)
    made = [Value(line, frozenset({(file, n)})) for n, line in enumerate(lines, 1)]
    return _explained_lines(interpreter, path, Value(made, path.origins), made)


FEW_WRITERS = 12
"""Lines of a script up to which they explain each line of the text that it wrote."""


def _explained_lines(
    interpreter: Interpreter, path: Value, held: Value, lines: list[Value]
) -> Value:
    """Return the lines of a file with what made them in the command that wrote it."""
    written = written_before(interpreter, path)
    if written is None or written.form != TEXT:
        return held
    note_generated(interpreter, path)
    known = lines_of(written.value).data if written.value.known else UNKNOWN
    if isinstance(known, list) and len(known) == len(lines):
        pairs = zip(lines, known, strict=True)
        return Value([Value(a.data, a.origins | b.origins) for a, b in pairs], held.origins)
    origins = written.value.origins
    if len(origins) > FEW_WRITERS:
        return held
    return Value([Value(line.data, line.origins | origins) for line in lines], held.origins)


def _as_bytes(lines: Value) -> Value:
    """Return lines as bytes, as a file of text that is opened in binary mode gives them.

    What the workspace has no text of has no lines.
    """
    if not isinstance(lines.data, list) or not lines.data:
        return Value(UNKNOWN, lines.origins)
    if any(not isinstance(line.data, str) or "\ufffd" in line.data for line in lines.data):
        return Value(UNKNOWN, lines.origins)
    made = [
        Value(line.data.encode(), line.origins) if isinstance(line.data, str) else line
        for line in lines.data
    ]
    return Value(made, lines.origins)


NO_PATHS = (list, tuple, dict, float, type(None))
"""Types of what names no file."""


@MODELS.function("open", "builtins.open", "io.open", "codecs.open", "gzip.open")
@MODELS.method("Path", "open")
def _open(interpreter: Interpreter, call: Call) -> Value:
    path = call.receiver if call.receiver is not None else call.given(0, "file", "filename")
    mode = call.given(0 if call.receiver is not None else 1, "mode")
    how = "r" if mode is None else mode.data
    name = "io.TextIOWrapper"
    if path is None or not isinstance(how, str):
        return call.unknown()
    if isinstance(path.data, NO_PATHS):
        kind = type(path.data).__name__
        raise Raised("type", f"expected str, bytes or os.PathLike object, not {kind}", path)
    if any(letter in how for letter in "wax+"):
        note_written(interpreter, path)
        state = {"path": path, "lines": Value(UNKNOWN, path.origins), "at": Value(0)}
        return thing(name, call, **state, written=_written_anew(interpreter, path, how))
    file = file_of(interpreter, path)
    lines = lines_in(interpreter, file, path)
    if file is None and (saved := lines_kept(interpreter, path)) is not None:
        lines = saved
    if "gzip" in call.name:
        lines = Value(UNKNOWN, path.origins)
    elif "b" in how:
        lines = _as_bytes(lines)
    if file is None and path.data is UNKNOWN:
        # What reads settings from it reads those of the run.
        file = interpreter.settings
    made = thing(name, call, path=path, file=Value(file), lines=lines, at=Value(0))
    at = POSITIONS.get(call.name, 3) - (call.receiver is not None)
    if "b" not in how and "gzip" not in call.name and isinstance(made.data, LibraryObject):
        wrong = misread(interpreter, file, call.given(at, "encoding"), call.given(at + 1, "errors"))
        if wrong is not None:
            made.data.state["misread"] = wrong
    return made


def _written_anew(interpreter: Interpreter, path: Value, how: str) -> Value:
    """Return the lines of a file that is opened to be written: none, or those that it has."""
    text = text_of(path)
    lines = Value(UNKNOWN)
    before = None if text is None else kept_here(interpreter, text)
    if "b" not in how and "+" not in how and "a" not in how:
        lines = Value([])
    elif how in ("a", "at") and before is not None and before.form == TEXT:
        lines = before.value
    elif how in ("a", "at") and before is None:
        lines = kept_in(interpreter, path, TEXT) or lines
    interpreter.disk.writes_text = True
    interpreter.disk.unfinished[id(lines)] = lines
    keep_open(interpreter, path, TEXT, lines)
    return lines


def write_to(interpreter: Interpreter, handle: Value | None, *texts: Value, place: Origin) -> bool:
    """Write texts to an open file of text; return whether it is one."""
    held = handle.data if handle is not None else None
    lines = held.state.get("written") if isinstance(held, LibraryObject) else None
    if lines is None:
        return False
    if interpreter.is_unsure:
        forget(lines, *texts)
    for text in texts:
        add_text(lines, text, place)
    return True


POSITIONS = {"codecs.open": 2}
"""At which position functions that open a file take the encoding; the others take it fourth."""


def misread(
    interpreter: Interpreter, file: str | None, encoding: Value | None, errors: Value | None
) -> Value | None:
    """Return the encoding where a file cannot be read in it, None where it can or is not known."""
    if file is None or encoding is None or not isinstance(encoding.data, str):
        return None
    if errors is not None and errors.data not in (None, "strict"):
        return None
    if (text := text_in(interpreter, file)) is None:
        return None
    # What is no UTF-8 was read byte by byte.
    written = "utf-8" if interpreter.workspace.is_as_declared(file) else "latin-1"
    if encoding.data.lower() in ("utf-8", "utf8") and written == "utf-8":
        return None
    try:
        text.encode(written).decode(encoding.data)
    except UnicodeDecodeError:
        return encoding
    except (LookupError, UnicodeError, ValueError):
        return None
    return None


def refuse_misread(wrong: Value | None) -> None:
    """Raise where a file is read in an encoding that it is not written in."""
    if wrong is not None and isinstance(wrong.data, str):
        raise Raised("value", f"{wrong.data!r} codec can't decode byte", wrong)


def _rest(call: Call, take: bool = True) -> list[Value] | None:
    """Return the lines of an open file that were not read yet, and count them as read."""
    refuse_misread(state_of(call.receiver, "misread"))
    lines, at = state_of(call.receiver, "lines").data, state_of(call.receiver, "at").data
    if not isinstance(lines, list) or not isinstance(at, int):
        return None
    if take and call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state["at"] = Value(len(lines))
    return lines[at:]


@MODELS.method("TextIOWrapper", "__iter__", "readlines")
def _read_lines(_: Interpreter, call: Call) -> Value:
    rest = _rest(call)
    return state_of(call.receiver, "lines") if rest is None else Value(rest)


@MODELS.method("TextIOWrapper", "readline", "__next__")
def _read_line(_: Interpreter, call: Call) -> Value:
    rest = _rest(call, take=False)
    if rest is None or call.receiver is None or not isinstance(call.receiver.data, LibraryObject):
        return call.unknown()
    if not rest:
        return Value("") if call.name == "readline" else call.unknown()
    at = call.receiver.data.state["at"].data
    call.receiver.data.state["at"] = Value(at + 1 if isinstance(at, int) else UNKNOWN)
    return rest[0]


@MODELS.method("TextIOWrapper", "read")
def _read(_: Interpreter, call: Call) -> Value:
    limit = call.given(0, "size")
    if limit is not None and limit.data is not None and limit.data != -1:
        return _read_some(call, limit)
    rest = _rest(call)
    if rest is None:
        return unknown(state_of(call.receiver, "lines"))
    if rest and isinstance(rest[0].data, bytes):
        whole = b"".join(line.data for line in rest if isinstance(line.data, bytes))
        return Value(whole, rest[0].origins)
    return _in_one(rest, state_of(call.receiver, "lines"))


def _in_one(lines: Sequence[Value], source: Value) -> Value:
    """Return the text of lines, unknown where one of them is."""
    filled = [v for v in lines if not (isinstance(v.data, str) and v.data.isspace())]
    if len(filled) == 1 and isinstance(filled[0], JsonText):
        return filled[0]
    if not all(isinstance(line.data, str) for line in lines):
        return unknown(source, *lines[:MOST_FIRST])
    text = "".join(line.data for line in lines if isinstance(line.data, str))
    return Value(text, lines[0].origins if lines else NOWHERE)


MOST_FIRST = 24


def _read_some(call: Call, limit: Value) -> Value:
    """Return the next characters of a file, up to a limit; those of its lines stay together."""
    rest, held = _rest(call, take=False), call.held
    if rest is None or held is None or type(limit.data) is not int or limit.data < 0:
        return unknown(state_of(call.receiver, "lines"), limit)
    taken, left, at = [], limit.data, held.state["at"].data
    lines = held.state["lines"]
    assert isinstance(lines.data, list)
    assert isinstance(at, int)
    for line in rest:
        if not left or not isinstance(line.data, (str, bytes)):
            break
        taken.append(Value(line.data[:left], line.origins))
        if len(line.data) > left:
            cut = Value(line.data[left:], line.origins)
            held.state["lines"] = Value([*lines.data[:at], cut, *lines.data[at + 1 :]])
            left = 0
            break
        left, at = left - len(line.data), at + 1
    held.state["at"] = Value(at)
    texts: list[Any] = [piece.data for piece in taken]
    origins = taken[0].origins if taken else NOWHERE
    return Value((texts[0][:0] if texts else "").__class__().join(texts), origins)


MODELS.method("TextIOWrapper", "__enter__")(itself)
MODELS.method("TextIOWrapper", "flush", "fileno")(nothing)


@MODELS.method("TextIOWrapper", "__exit__", "close")
def _close(interpreter: Interpreter, call: Call) -> Value:
    interpreter.disk.unfinished.pop(id(call.state.get("written")), None)
    return Value(None)


@MODELS.method("TextIOWrapper", "write", "writelines")
def _write(interpreter: Interpreter, call: Call) -> Value:
    """Take note of what a file gets."""
    given = call.given(0, "text", "lines") or call.unknown()
    texts = [given]
    lines = call.state.get("written")
    if call.name == "writelines":
        items = interpreter.iterate(given)
        if isinstance(items, Lazy) and lines is not None and not interpreter.is_unsure:
            is_whole = isinstance(items.item, RowText)
            add_rows(lines, items, call.place) if is_whole else forget(lines, given)
        texts = [given] if isinstance(items, Lazy) and lines is None else []
        texts = items if isinstance(items, list) else texts
    write_to(interpreter, call.receiver, *texts, place=call.place)
    if "held" in call.state:
        call.state["held"] = call.state["lines"] = call.unknown()
    return Value(None)


@MODELS.function("builtins.print")
@MODELS.numbers
def _print(interpreter: Interpreter, call: Call) -> Value:
    """Write what is printed to a file where one is given."""
    file = call.keywords.get("file")
    if file is None or file.data is None:
        return Value(None)
    parts = [cell_text(arg) for arg in call.args]
    ends = [call.keywords.get(name, Value(mark)) for name, mark in (("sep", " "), ("end", "\n"))]
    texts = [part.data for part in (*parts, *ends)]
    whole = merged(*call.args)
    if len(parts) == 1 and isinstance(parts[0], MadeText):
        write_to(interpreter, file, parts[0], ends[1], place=call.place)
    elif all(isinstance(text, str) for text in texts):
        printed = str(ends[0].data).join(str(part.data) for part in parts)
        write_to(interpreter, file, Value(f"{printed}{ends[1].data}", whole), place=call.place)
    else:
        write_to(interpreter, file, Value(UNKNOWN, whole), place=call.place)
    return Value(None)


@MODELS.method("TextIOWrapper", "seek", "truncate")
def _seek(_: Interpreter, call: Call) -> Value:
    if "written" in call.state:
        forget(call.state["written"])
    to = call.given(0, "offset")
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        known = to is not None and to.data == 0
        call.receiver.data.state["at"] = Value(0 if known else UNKNOWN)
    return unknown() if to is None else to


@MODELS.function("io.StringIO", "io.BytesIO")
def _in_memory(_: Interpreter, call: Call) -> Value:
    """Return a file of what it is given, which is read as one of the workspace is."""
    empty = Value("" if call.name.endswith("StringIO") else b"")
    given = call.given(0, "initial_value", "initial_bytes") or empty
    if given.data is None:
        given = empty
    data = given.data
    if call.name.endswith("StringIO") and data is not UNKNOWN and not isinstance(data, str):
        raise Raised("type", "initial_value must be str or None", given)
    if not isinstance(data, (str, bytes)) or len(data) > MOST_TEXT:
        return thing(call.name, call, lines=unknown(given), at=Value(0), held=given)
    pieces: list[Any] = (
        data.splitlines(keepends=True) if isinstance(data, bytes) else split_lines(data)
    )
    lines = [Value(piece, given.origins) for piece in pieces[: MOST_ITEMS + 1]]
    held = Value(UNKNOWN, given.origins) if len(lines) > MOST_ITEMS else Value(lines, given.origins)
    return thing(call.name, call, lines=held, at=Value(0), held=given)


@MODELS.method("StringIO", "getvalue")
@MODELS.method("BytesIO", "getvalue", "getbuffer")
def _held_in_memory(_: Interpreter, call: Call) -> Value:
    return call.state.get("held", call.unknown())


@MODELS.attribute("TextIOWrapper", "name")
def _name_of_file(_: Interpreter, call: Call) -> Value:
    return call.state.get("path", call.unknown())


MODELS.method("TextIOWrapper", "readable", "seekable")(lambda _, call: Value(True))
for _name in ("StringIO", "BytesIO"):
    for (_kind, _method), _model in list(MODELS.methods.items()):
        if _kind == "TextIOWrapper":
            MODELS.methods[_name, _method] = _model


# Delimited text.


_FORMATS: dict[str, type] = {
    "delimiter": str,
    "quotechar": str,
    "escapechar": str,
    "doublequote": bool,
    "skipinitialspace": bool,
    "strict": bool,
    "quoting": int,
}
"""The types of the options of a format of delimited text."""
_DIALECTS: dict[str, dict[str, object]] = {
    "excel": {},
    "unix": {"quoting": csv.QUOTE_ALL},
    "excel-tab": {"delimiter": "\t"},
}


def _format(interpreter: Interpreter, call: Call, position: int) -> dict[str, Any] | None:
    """Return the options of a format that a reader is given, None where one is not known."""
    dialect = call.given(position, "dialect")
    options: dict[str, Any] = {}
    if dialect is not None:
        data = dialect.data
        name = data.name.rpartition(".")[2] if isinstance(data, Library) else data
        name = {"excel_tab": "excel-tab", "unix_dialect": "unix"}.get(str(name), name)
        if isinstance(data, ClassValue):
            held = {key: data.members[key] for key in _FORMATS if key in data.members}
            options.update((key, value.data) for key, value in held.items())
        elif isinstance(name, str) and name in _DIALECTS:
            options.update(_DIALECTS[name])
        else:
            return None
    del interpreter
    for name, kind in _FORMATS.items():
        given = call.keywords.get(name)
        if given is None:
            continue
        if not isinstance(given.data, kind) and given.data is not None:
            return None
        options[name] = given.data
    return options


@MODELS.function("csv.reader", "csv.DictReader")
def _csv_reader(interpreter: Interpreter, call: Call) -> Value:
    """Return a reader of the rows of lines; where these are not known, of rows like each other."""
    source = call.given(0, "f", "csvfile", "iterable")
    handle = Call("readlines", (), {}, call.place, source)
    of_file = source is not None and isinstance(source.data, LibraryObject)
    lines = _rest(handle) if of_file else listed(interpreter, source)
    origins = merged(*([source] if source is not None else []), state_of(source, "path"))
    of_names = call.name.endswith("DictReader")
    options = _format(interpreter, call, 4 if of_names else 1)
    named = call.given(1, "fieldnames") if of_names else None
    names = None if named is None else listed(interpreter, named)
    is_open = lines is None or not all(isinstance(line.data, (str, Unknown)) for line in lines)
    rows = None if options is None or is_open else _csv_rows(lines or [], options)
    if rows is None or (named is not None and named.data is not None and not names):
        outline = state_of(source, "lines").data if of_file else getattr(source, "data", None)
        if isinstance(outline, Lazy) and options is not None and state_of(source, "at").data == 0:
            return _outlined_reader(call, names, outline, options) or _open_reader(
                call, names, origins
            )
        return _open_reader(call, names, origins)
    if not of_names:
        return thing("csv.reader", call, rows=Value(rows, origins), line_num=Value(UNKNOWN))
    rows = [row for row in rows if row.data]
    if names is None:
        first = rows.pop(0).data if rows else []
        names = first if isinstance(first, list) else []
    rest = call.given(2, "restkey") or Value(None)
    filling = call.given(3, "restval") or Value(None)
    records = [_record(names, row, rest, filling) for row in rows]
    return thing("csv.DictReader", call, rows=Value(records, origins), fieldnames=Value(names))


def _outlined_reader(
    call: Call, names: list[Value] | None, lines: Lazy, options: dict[str, Any]
) -> Value | None:
    """Return a reader of lines that are outlined but for the first; None where that is unknown."""
    separator = str(options.get("delimiter") or ",")
    first = [row_of(line, separator) for line in lines.parts[: lines.lead]]
    cells = row_of(lines.item, separator)
    if cells is None or None in first or lines.others:
        return None
    leading = [row for row in first if row is not None]
    of_names = call.name.endswith("DictReader")
    if of_names and names is None:
        if not leading:
            return None
        names = leading.pop(0)
    rows = [Value(row, merged(*row)) for row in (*leading, cells)]
    if of_names:
        rows = [_record(names or [], row, Value(None), Value(None)) for row in rows]
    *before, item = rows
    length = Value(UNKNOWN, merged(lines.length))
    made: object = Lazy(item, length)
    if before:
        made = Lazy(operators.hull(rows) if of_names else item, length, parts=tuple(rows))
        made.lead = len(before)
    state = {"fieldnames": Value(names)} if of_names and names is not None else {}
    return thing(call.name, call, rows=Value(made, item.origins), **state)


def _open_reader(call: Call, names: list[Value] | None, origins: Origins) -> Value:
    """Return a reader of lines that are not known: of rows whose cells are not."""
    cell = Value(UNKNOWN, origins)
    if not call.name.endswith("DictReader"):
        row = Value(Lazy(cell, Value(UNKNOWN, origins)), origins)
        return thing("csv.reader", call, rows=Value(Lazy(row, Value(UNKNOWN, origins)), origins))
    held = {name.data: cell for name in names or () if isinstance(name.data, PLAIN)}
    row = Value(held if names else OpenDict({}, cell), origins)
    fieldnames = Value(UNKNOWN, origins) if names is None else Value(names)
    rows = Value(Lazy(row, Value(UNKNOWN, origins)), origins)
    return thing("csv.DictReader", call, rows=rows, fieldnames=fieldnames)


def _csv_rows(lines: Sequence[Value], options: dict[str, Any]) -> list[Value] | None:
    """Return the rows of lines, each with what made its lines; None where one is not known."""
    rows: list[Value] = []
    start = 0
    if any(isinstance(line, MadeText) or not isinstance(line.data, str) for line in lines):
        for line in lines:
            cells = row_of(line, str(options.get("delimiter") or ","))
            if cells is None:
                return None
            rows.append(Value(cells, merged(*cells)))
        return rows
    try:
        reader = csv.reader((str(line.data) for line in lines), **options)
        for row in reader:
            origins = lines[min(start, len(lines) - 1)].origins
            rows.append(Value([Value(cell, origins) for cell in row], origins))
            start = reader.line_num
    except csv.Error as error:
        raise Raised("value", str(error), lines[min(start, len(lines) - 1)]) from None
    except ValueError as error:
        # Texts where a format reads all that is not quoted as numbers.
        raise Raised("value", str(error), lines[min(start, len(lines) - 1)]) from None
    return rows


def _record(names: Sequence[Value], row: Value, rest: Value, filling: Value) -> Value:
    cells = row.data if isinstance(row.data, list) else []
    record: dict[object, Value] = {}
    for index, name in enumerate(names):
        filled = Value(filling.data, row.origins | filling.origins)
        record[name.data] = cells[index] if index < len(cells) else filled
    if len(cells) > len(names) and isinstance(rest.data, PLAIN):
        record[rest.data] = Value(cells[len(names) :], row.origins)
    return Value(record, row.origins)


@MODELS.method("Sniffer", "sniff", "has_header")
def _sniffed(_: Interpreter, call: Call) -> Value:
    return call.unknown()


@MODELS.method("reader", "__iter__")
@MODELS.method("DictReader", "__iter__")
def _csv_iter(_: Interpreter, call: Call) -> Value:
    rows = state_of(call.receiver, "rows")
    if isinstance(rows.data, list):
        held = Value(list(rows.data), rows.origins)
        rows.data.clear()
        return held
    return rows


@MODELS.method("reader", "__next__")
@MODELS.method("DictReader", "__next__")
def _csv_next(_: Interpreter, call: Call) -> Value:
    rows = state_of(call.receiver, "rows").data
    if isinstance(rows, list) and rows:
        first = rows.pop(0)
        return first if isinstance(first, Value) else call.unknown()
    return rows.item if isinstance(rows, Lazy) else call.unknown()


@MODELS.function("csv.writer", "csv.DictWriter")
def _csv_writer(interpreter: Interpreter, call: Call) -> Value:
    of_names = call.name.endswith("DictWriter")
    options = _format(interpreter, call, 4 if of_names else 1)
    file = call.given(0, "f", "csvfile") or call.unknown()
    separator = "," if options is None else str(options.get("delimiter") or ",")
    if options is None or options.keys() - {"delimiter", "quoting", "quotechar"}:
        write_to(interpreter, file, Value(UNKNOWN), place=call.place)
    state = {"file": file, "separator": Value(separator)}
    if of_names:
        state["fieldnames"] = call.given(1, "fieldnames") or call.unknown()
        state["restval"] = call.given(2, "restval") or Value("")
    return thing("csv.writer", call, **state)


@MODELS.method("writer", "writerow", "writerows", "writeheader")
def _write_rows(interpreter: Interpreter, call: Call) -> Value:
    """Take note of the rows that a file gets."""
    file, given = call.state.get("file"), call.given(0, "row", "rowdict", "rows", "rowdicts")
    if call.name == "writeheader":
        given = call.state.get("fieldnames")
        rows: list[Value] | Lazy = [_written_row(interpreter, call, given, is_header=True)]
    elif call.name == "writerow":
        rows = [_written_row(interpreter, call, given)]
    else:
        items = [call.unknown()] if given is None else interpreter.iterate(given)
        if isinstance(items, Lazy):
            whole = operators.hull(items.parts) if items.parts else items.item
            row = _written_row(interpreter, call, whole)
            rows = Lazy(unknown(row) if items.others else row, items.length)
        else:
            rows = [_written_row(interpreter, call, item) for item in items[:MOST_ITEMS]]
    if isinstance(rows, list):
        write_to(interpreter, file, *rows, place=call.place)
        return Value(None)
    lines = state_of(file, "written")
    if interpreter.is_unsure or not isinstance(rows.item, RowText):
        forget(lines, rows.item)
    else:
        add_rows(lines, rows, call.place)
    return Value(None)


def _written_row(
    interpreter: Interpreter, call: Call, row: Value | None, *, is_header: bool = False
) -> Value:
    """Return the line that a row is written as; unknown where its number of cells is."""
    names = call.state.get("fieldnames")
    separator = str(call.state["separator"].data)
    if row is None or names is None or is_header:
        cells = listed(interpreter, row)
        return call.unknown() if cells is None else row_text(cells, separator, call.place)
    keys = listed(interpreter, names)
    if keys is None or not isinstance(row.data, dict) or rest_of(row.data) is not None:
        return unknown(row)
    missing = call.state["restval"]
    cells = [row.data.get(key.data, missing) for key in keys]
    return row_text(cells, separator, call.place)


# Paths.


def path_value(text: str, call: Call, *parts: Value) -> Value:
    """Return a `pathlib.Path` of a text."""
    origins = merged(*parts)
    made = LibraryObject("pathlib.Path", (), {}, call.place, {"path": Value(text, origins)})
    return Value(made, origins)


@MODELS.function("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath")
@MODELS.method("Path", "joinpath", "/", "__truediv__")
def make_path(_: Interpreter, call: Call) -> Value:
    """Return the path of some parts, unknown where one of them is."""
    parts = [*([call.receiver] if call.receiver is not None else []), *call.args]
    texts = [text_of(part) for part in parts]
    if any(text is None for text in texts):
        return unknown(*parts)
    return path_value(str(PurePosixPath(*(t for t in texts if t is not None))), call, *parts)


@MODELS.method("Path", "__rtruediv__")
def _path_after(interpreter: Interpreter, call: Call) -> Value:
    assert call.receiver is not None
    turned = Call("joinpath", (*call.args, call.receiver), {}, call.place)
    return make_path(interpreter, turned)


@MODELS.function("pathlib.Path.cwd", "os.getcwd", "os.getcwdb")
def _here(_: Interpreter, call: Call) -> Value:
    return (
        path_value(".", call) if call.name.endswith("cwd") and "Path" in call.name else Value(".")
    )


_PATH_TEXTS: dict[str, Callable[[PurePosixPath], str]] = {
    "name": lambda path: path.name,
    "stem": lambda path: path.stem,
    "suffix": lambda path: path.suffix,
    "anchor": lambda path: path.anchor,
    "root": lambda path: path.root,
    "drive": lambda path: path.drive,
    "as_posix": str,
    "__str__": str,
    "__fspath__": str,
}
_PATH_PATHS: dict[str, Callable[..., PurePosixPath]] = {
    "parent": lambda path: path.parent,
    "with_suffix": lambda path, suffix: path.with_suffix(suffix),
    "with_name": lambda path, name: path.with_name(name),
    "with_stem": lambda path, stem: path.with_stem(stem),
    "relative_to": lambda path, other: path.relative_to(other),
    "resolve": lambda path, *_: path,
    "absolute": lambda path: path,
    "expanduser": lambda path: path,
}


@MODELS.attribute("Path", "name", "stem", "suffix", "anchor", "root", "drive")
@MODELS.method("Path", "as_posix", "__str__", "__fspath__")
def _path_text(_: Interpreter, call: Call) -> Value:
    text = text_of(call.receiver)
    if text is None or call.receiver is None:
        return call.unknown()
    return Value(_PATH_TEXTS[call.name](PurePosixPath(text)), call.receiver.origins)


@MODELS.attribute("Path", "parent")
@MODELS.method("Path", *(name for name in _PATH_PATHS if name != "parent"))
def _path_path(_: Interpreter, call: Call) -> Value:
    text, given = text_of(call.receiver), [text_of(arg) for arg in call.args]
    if text is None or call.receiver is None or None in given:
        return call.unknown()
    try:
        made = _PATH_PATHS[call.name](PurePosixPath(text), *given)
    except (ValueError, TypeError) as error:
        raise Raised("value", str(error), call.receiver, *call.args) from None
    return path_value(str(made), call, call.receiver, *call.args)


@MODELS.method("Path", "is_absolute", "is_relative_to", "match")
def _path_test(_: Interpreter, call: Call) -> Value:
    text, given = text_of(call.receiver), [text_of(arg) for arg in call.args]
    known = [part for part in given if part is not None]
    if text is None or call.receiver is None or call.keywords or len(known) != len(given):
        return call.unknown()
    verdict = getattr(PurePosixPath(text), call.name)(*known)
    return Value(bool(verdict), merged(call.receiver, *call.args))


@MODELS.method("Path", "stat", "lstat")
@MODELS.function("os.stat", "os.lstat")
def _status(interpreter: Interpreter, call: Call) -> Value:
    """Return what is told of a file: numbers; raise where it is not there."""
    path = call.receiver if call.receiver is not None else call.given(0, "path")
    file_of(interpreter, path)
    whole = {name: arrays.number("int64") for name in ("st_size", "st_mode", "st_ino", "st_nlink")}
    times = {name: arrays.number("float64") for name in ("st_mtime", "st_ctime", "st_atime")}
    return thing("os.stat_result", call, **whole, **times)


def _standing_for(value: Value) -> PurePosixPath | None:
    """Return the path that an object is compared by, None of other values."""
    data = value.data
    if not isinstance(data, LibraryObject) or data.name != "pathlib.Path":
        return None
    text = text_of(value)
    return None if text is None else PurePosixPath(text)


operators.STANDING_FOR.append(_standing_for)


@MODELS.method("Path", "samefile")
@MODELS.function("os.path.samefile")
def _same_file(_: Interpreter, call: Call) -> Value:
    both = [*([call.receiver] if call.receiver is not None else []), *call.args]
    texts = [text_of(path) for path in both]
    if len(texts) != 2 or None in texts:
        return call.unknown()
    same = len({posixpath.normpath(text) for text in texts if text is not None}) == 1
    return Value(True, merged(*both)) if same else call.unknown()


@MODELS.attribute("Path", "parents", "parts", "suffixes")
def _path_parts(_: Interpreter, call: Call) -> Value:
    text = text_of(call.receiver)
    if text is None or call.receiver is None:
        return call.unknown()
    path, origins = PurePosixPath(text), call.receiver.origins
    if call.name == "parents":
        return Value([path_value(str(p), call, call.receiver) for p in path.parents], origins)
    if call.name == "suffixes":
        return with_origins(path.suffixes, origins)
    return with_origins(path.parts, origins)


@MODELS.function("os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists")
@MODELS.function("os.path.islink", "os.path.ismount")
@MODELS.method("Path", "exists", "is_file", "is_dir", "is_symlink", "is_mount")
def _exists(interpreter: Interpreter, call: Call) -> Value:
    path = call.receiver if call.receiver is not None else call.given(0, "path", "s")
    text = text_of(path)
    if path is None or text is None:
        return call.unknown()
    if call.name.rpartition(".")[2] in ("islink", "ismount", "is_symlink", "is_mount"):
        return Value(False, path.origins) if interpreter.GUESSES else call.unknown()
    file = interpreter.workspace.file_named(text)
    if file is None:
        file = interpreter.workspace.existing_file(text, interpreter.script)
    folder = file is None and _is_folder(interpreter, text)
    wants = call.name.rpartition(".")[2].replace("_", "")
    is_unread = interpreter.GUESSES and file is not None and file.endswith(UNREAD)
    if (file is not None and not is_unread) or folder:
        is_there = wants in ("exists", "lexists") or (wants == "isdir") == folder
        return Value(is_there, path.origins)
    made = _was_made(interpreter, text) if interpreter.GUESSES else None
    if made is not None:
        return Value(wants in ("exists", "lexists") or (wants == "isdir") == made, path.origins)
    interpreter.missing_files += 1
    return Value(False if interpreter.without_files else UNKNOWN, path.origins)


def _was_made(interpreter: Interpreter, path: str) -> bool | None:
    """Whether a path is that of a folder that the run or a command before it made.

    False is a file that it wrote, None a path that nothing is known of.
    """
    wanted = posixpath.normpath(path)
    runs = _with_earlier(interpreter)
    if any(wanted in run.disk.folders for run in runs):
        return True
    return False if any(kept_here(run, wanted) is not None for run in runs) else None


def _with_earlier(interpreter: Interpreter) -> list[Interpreter]:
    """Return a run and those of the commands before it, latest first."""
    earlier = interpreter.earlier
    return [interpreter, *(earlier.runs() if earlier is not None else ())]


@MODELS.method("Path", "read_text")
def _read_text(interpreter: Interpreter, call: Call) -> Value:
    file = file_of(interpreter, call.receiver)
    if file is None and call.receiver is not None and call.receiver.data is UNKNOWN:
        file = interpreter.settings
    text = text_in(interpreter, file)
    refuse_misread(misread(interpreter, file, call.given(0, "encoding"), call.given(1, "errors")))
    if text is None or file is None:
        saved = kept_in(interpreter, call.receiver, "json")
        lines = lines_kept(interpreter, call.receiver) if saved is None else None
        if lines is not None and isinstance(lines.data, list):
            return _in_one(lines.data, lines)
        return call.unknown() if saved is None else JsonText(saved)
    return Value(text, frozenset({(file, 1)}))


@MODELS.method("Path", "read_bytes")
def _read_bytes(interpreter: Interpreter, call: Call) -> Value:
    text = text_in(interpreter, file := file_of(interpreter, call.receiver))
    if not text or file is None or "\ufffd" in text:
        return call.unknown()
    return Value(text.encode(), frozenset({(file, 1)}))


@MODELS.method("Path", "write_text")
def _write_text(interpreter: Interpreter, call: Call) -> Value:
    """Take note of what a file holds from now on."""
    note_written(interpreter, call.receiver)
    if call.receiver is not None:
        lines = _written_anew(interpreter, call.receiver, "w")
        handle = thing("io.TextIOWrapper", call, written=lines)
        write_to(interpreter, handle, call.given(0, "data") or call.unknown(), place=call.place)
        interpreter.disk.unfinished.pop(id(lines), None)
    return Value(None)


@MODELS.method("Path", "mkdir", "write_bytes", "touch", "unlink", "rmdir", "chmod", "symlink_to")
@MODELS.function(
    *("os.makedirs", "os.mkdir", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.chmod"),
    *("shutil.rmtree", "os.truncate", "os.utime"),
)
def _change_files(interpreter: Interpreter, call: Call) -> Value:
    target = call.receiver if call.receiver is not None else call.given(0, "name", "path")
    makes_folder = call.name.endswith(("mkdir", "makedirs"))
    is_kept = makes_folder and is_true(call.given(2, "exist_ok"))
    text = text_of(target)
    if makes_folder and text is not None:
        interpreter.disk.folders.add(posixpath.normpath(text))
    if not is_kept or not _is_folder(interpreter, text or "."):
        note_written(interpreter, target)
    if call.name.endswith(REMOVING):
        interpreter.disk.partly.add("." if text is None else posixpath.dirname(text) or ".")
    return Value(None)


REMOVING = ("remove", "unlink", "rmdir", "removedirs", "rmtree")


@MODELS.method("Path", "rename", "replace")
@MODELS.function(
    *("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move"),
    *("os.rename", "os.replace", "os.renames", "os.symlink", "os.link", "shutil.copymode"),
    *("shutil.copystat", "shutil.unpack_archive", "shutil.make_archive"),
)
def _copy_files(interpreter: Interpreter, call: Call) -> Value:
    """Take note of the file that is written, and of one that is moved away; return its path."""
    source = call.receiver if call.receiver is not None else call.given(0, "src")
    target = call.given(0 if call.receiver is not None else 1, "dst", "target")
    name = call.name.rpartition(".")[2]
    text, into = text_of(source), text_of(target)
    goes_below = name in ("copy", "copy2", "move") and into is not None
    if goes_below and into is not None and text is not None and _is_folder(interpreter, into):
        into = posixpath.join(into, posixpath.basename(posixpath.normpath(text)))
    copied = _lines_to_copy(interpreter, source) if name in ("copy", "copy2", "copyfile") else None
    note_written(interpreter, None if into is None else Value(into))
    if name in ("move", "rename", "replace", "renames"):
        note_written(interpreter, source)
        interpreter.disk.partly.add("." if text is None else posixpath.dirname(text) or ".")
    held = None if text is None else kept_here(interpreter, text)
    if held is not None and into is not None:
        keep(interpreter, Value(into), held.form, held.value)
    elif copied is not None and into is not None:
        keep(interpreter, Value(into), TEXT, copied)
    if name.startswith(("copy", "move")) and name not in ("copymode", "copystat"):
        return call.unknown() if target is None else Value(into or target.data, target.origins)
    return target if call.receiver is not None and target is not None else Value(None)


def _lines_to_copy(interpreter: Interpreter, source: Value | None) -> Value | None:
    """Return the lines of a file of text of the workspace, None where it has none of that name."""
    text = text_of(source)
    if source is None or text is None or _is_written_by_name(interpreter, text):
        return None
    file = interpreter.workspace.file_named(text)
    lines = None if file is None else lines_in(interpreter, file, source)
    return lines if lines is not None and lines.data else None


@MODELS.method("Path", "glob", "rglob", "iterdir")
@MODELS.function("os.listdir", "glob.glob", "glob.iglob")
def _list_files(interpreter: Interpreter, call: Call) -> Value:
    """List what the workspace has of a folder; unknown where it has nothing of it."""
    of_path, name = call.receiver is not None, call.name.rpartition(".")[2]
    folder = call.receiver if of_path else call.given(0, "path", "pathname")
    pattern = call.given(0, "pattern") if name in ("glob", "rglob") and of_path else None
    text, wanted = text_of(folder), None if pattern is None else text_of(pattern)
    if name == "listdir" and folder is None:
        text = "."
    if text is None or (pattern is not None and wanted is None):
        return call.unknown()
    if name in ("glob", "iglob") and "root_dir" in call.keywords:
        return _below_root(interpreter, call)
    if name in ("glob", "iglob") and not of_path:
        head = list(itertools.takewhile(lambda part: not _MAGIC.search(part), text.split("/")))
        wanted = text[len("/".join(head)) :].lstrip("/")
        text = "/".join(head) or "."
        if not wanted or text.startswith("~"):
            return call.unknown()
    if name == "rglob":
        wanted = f"**/{wanted}"
    parts = [part for part in (folder, pattern) if part is not None]
    origins = merged(*parts)
    found = [Value(each, origins) for each in _matching(interpreter, text, wanted)]
    if not found:
        made = _made_names(interpreter, text, wanted)
        found = [Value(each.data, each.origins or origins) for each in made]
    if not found or len(found) > MOST_ITEMS:
        return call.unknown()
    if name == "listdir":
        return Value(found, origins)
    joined = [
        Value(posixpath.normpath(posixpath.join(text, str(each.data))), each.origins)
        for each in found
    ]
    if of_path:
        return Value([path_value(str(each.data), call, each) for each in joined], origins)
    return Value(joined, origins)


def _below_root(interpreter: Interpreter, call: Call) -> Value:
    """List the files that fit a pattern below ``root_dir``, as seen from there."""
    root, pattern = call.keywords["root_dir"], call.given(0, "pathname")
    folder, wanted = text_of(root), text_of(pattern)
    if folder is None or wanted is None or pattern is None:
        return call.unknown()
    files = _matching(interpreter, folder, wanted)
    if not files or len(files) > MOST_ITEMS:
        return call.unknown()
    origins = merged(root, pattern)
    return Value([Value(each, origins) for each in files], origins)


@MODELS.function("os.walk")
def _walked(interpreter: Interpreter, call: Call) -> Value:
    """List the folders of the workspace below one, each with its folders and its files."""
    folder = call.given(0, "top")
    text = text_of(folder)
    if folder is None or text is None or len(call.args) > 1 or call.keywords:
        return call.unknown()
    below = [rest for _, rest in _below(interpreter, text)]
    if not below or len(below) > MOST_ITEMS:
        return call.unknown()
    folders: dict[str, dict[str, None]] = {"": {}}
    files: dict[str, list[str]] = {}
    for rest in sorted(below):
        head, name = posixpath.split(rest)
        files.setdefault(head, []).append(name)
        while head:
            above, name = posixpath.split(head)
            folders.setdefault(head, {})
            folders.setdefault(above, {})[name] = None
            head = above

    def entries(head: str) -> Iterator[Value]:
        inner = list(folders[head])
        parts = (posixpath.join(text, head) if head else text, inner, files.get(head, []))
        yield with_origins(parts, folder.origins)
        for name in inner:
            yield from entries(posixpath.join(head, name))

    return Value(list(entries("")), folder.origins)


ENTRY = "os.DirEntry"


@MODELS.function("os.scandir")
def _scanned(interpreter: Interpreter, call: Call) -> Value:
    """List the entries that the workspace has of a folder."""
    folder = call.given(0, "path") or Value(".")
    text = text_of(folder)
    names = [] if text is None else _matching(interpreter, text, None)
    if text is None or not names or len(names) > MOST_ITEMS:
        return thing("os.ScandirIterator", call, entries=call.unknown())
    entries = []
    for name in names:
        whole = posixpath.join(text, name)
        state = {"name": Value(name, folder.origins), "path": Value(whole, folder.origins)}
        entries.append(Value(LibraryObject(ENTRY, (), {}, call.place, state), folder.origins))
    return thing("os.ScandirIterator", call, entries=Value(entries, folder.origins))


MODELS.method("ScandirIterator", "__iter__")(lambda _, call: state_of(call.receiver, "entries"))
MODELS.method("ScandirIterator", "__enter__")(itself)
MODELS.method("ScandirIterator", "__exit__", "close")(nothing)


@MODELS.method("DirEntry", "is_file", "is_dir")
def _kind_of_entry(interpreter: Interpreter, call: Call) -> Value:
    path, name = state_of(call.receiver, "path"), call.name.replace("_", "")
    return _exists(interpreter, Call(f"os.path.{name}", (path,), {}, call.place))


@MODELS.function("os.path.getsize", "os.path.getmtime", "os.path.getctime")
def _measured(interpreter: Interpreter, call: Call) -> Value:
    """Return a number; raise where the file is not there."""
    path = call.given(0, "filename")
    file_of(interpreter, path)
    return arrays.number("int64" if call.name.endswith("size") else "float64", *call.args)


@MODELS.function("os.path.relpath")
def _relative(_: Interpreter, call: Call) -> Value:
    """Return a path as seen from another, where both or neither begin at the root."""
    path, start = call.given(0, "path"), call.given(1, "start")
    text = text_of(path)
    origin = "." if start is None or start.data is None else text_of(start)
    if not text or not origin:
        if text == "":
            raise Raised("value", "no path specified", *call.args)
        return call.unknown()
    both = [posixpath.normpath(text), posixpath.normpath(origin)]
    if both[0].startswith("/") != both[1].startswith("/") or any(p.startswith("..") for p in both):
        return call.unknown()
    if not both[0].startswith("/"):
        both = [posixpath.join("/", part) for part in both]
    return Value(posixpath.relpath(*both), merged(*call.args))


@MODELS.function("os.path.commonprefix", "os.path.commonpath")
def _common(interpreter: Interpreter, call: Call) -> Value:
    items = listed(interpreter, call.given(0, "m", "list", "paths"))
    texts = None if items is None else [text_of(item) for item in items]
    if items is None or texts is None or None in texts:
        return call.unknown()
    function = getattr(posixpath, call.name.rpartition(".")[2])
    try:
        return Value(function(texts), merged(*call.args, *items[:24]))
    except ValueError as error:
        raise Raised("value", str(error), *call.args) from None


_MAGIC = re.compile(r"[*?\[]")


def note_partly(interpreter: Interpreter, start: int) -> None:
    """Take note that more files may be where those are that were written since a loop began."""
    for name in interpreter.disk.paths[start:]:
        interpreter.disk.partly.add("." if name == "*" else posixpath.dirname(name) or ".")


def made_below(interpreter: Interpreter, folder: str) -> dict[str, Origins] | None:
    """Return the paths below a folder that the run and the commands before it made.

    Each is relative to the folder, with what made it; None where there may be others.
    """
    wanted = posixpath.normpath(folder)
    found: dict[str, Origins] = {}
    for run in _with_earlier(interpreter):
        if "*" in written_files(run) or "." in run.disk.partly:
            return None
        for name, origins in run.disk.made_by.items():
            if wanted == "." or name.startswith(f"{wanted}/"):
                found.setdefault(name if wanted == "." else name[len(wanted) + 1 :], origins)
    return found


def _made_names(interpreter: Interpreter, folder: str, pattern: str | None) -> list[Value]:
    """Return what was made in a folder that the workspace has nothing of; none if not all known."""
    made = made_below(interpreter, folder) if interpreter.GUESSES else None
    if not made:
        return []
    partly = {name for run in _with_earlier(interpreter) for name in run.disk.partly}
    base = posixpath.normpath(folder)
    around = {base, *map(str, PurePosixPath(base).parents)} - {"."}
    depth = 1 if pattern is None else len(pattern.split("/"))
    is_deep = pattern is not None and "**" in pattern
    for name in partly:
        inner = posixpath.relpath(name, base) if name.startswith(f"{base}/") else None
        if name in around or (inner is not None and (is_deep or inner.count("/") + 2 <= depth)):
            return []
    names: dict[str, Origins] = {}
    for rest, origins in made.items():
        parts = PurePosixPath(rest).parts
        for end in range(1, len(parts) + 1):
            head = "/".join(parts[:end])
            names[head] = origins if end == len(parts) else names.get(head, origins)
    wanted = ("*",) if pattern is None else tuple(part for part in pattern.split("/") if part)
    fitting = [name for name in names if fits_pattern(tuple(name.split("/")), wanted)]
    return [Value(name, names[name]) for name in sorted(fitting)]


def _matching(interpreter: Interpreter, folder: str, pattern: str | None) -> list[str]:
    below = [rest for _, rest in _below(interpreter, folder)]
    if pattern is None:
        names = {rest.partition("/")[0] for rest in below}
        for name in _meant(interpreter, folder) if names else ():
            if name != ".":
                names.update(map(posixpath.basename, interpreter.workspace.folders_in(name)))
        return sorted(names)
    names = set(below)
    names.update(str(p) for rest in below for p in PurePosixPath(rest).parents if str(p) != ".")
    wanted = tuple(part for part in pattern.split("/") if part)
    return sorted(name for name in names if fits_pattern(tuple(name.split("/")), wanted))


def fits_pattern(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether the parts of a path fit those of a pattern; only ``**`` goes over slashes."""
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return any(fits_pattern(parts[i:], wanted[1:]) for i in range(len(parts)))
    return (
        bool(parts)
        and fnmatch.fnmatchcase(parts[0], wanted[0])
        and fits_pattern(parts[1:], wanted[1:])
    )


_OS_PATH: dict[str, Callable[..., object]] = {
    "join": posixpath.join,
    "basename": posixpath.basename,
    "dirname": posixpath.dirname,
    "split": posixpath.split,
    "splitext": posixpath.splitext,
    "normpath": posixpath.normpath,
    "isabs": posixpath.isabs,
    "abspath": posixpath.normpath,
    "realpath": posixpath.normpath,
    "expanduser": str,
    "expandvars": str,
    "normcase": str,
    "splitroot": posixpath.splitroot if hasattr(posixpath, "splitroot") else str,
    "splitdrive": posixpath.splitdrive,
}


@MODELS.function(*(f"os.path.{name}" for name in _OS_PATH), "os.fspath")
def _os_path(_: Interpreter, call: Call) -> Value:
    texts = [text_of(arg) for arg in call.args]
    if None in texts or not texts:
        if any(arg.data is None for arg in call.args):
            message = "expected str, bytes or os.PathLike object, not NoneType"
            raise Raised("type", message, *(arg for arg in call.args if arg.data is None))
        return call.unknown()
    if call.name.endswith("expandvars") and "$" in str(texts[0]):
        return call.unknown()
    function = _OS_PATH.get(call.name.rpartition(".")[2], str)
    return with_origins(function(*texts), merged(*call.args))
