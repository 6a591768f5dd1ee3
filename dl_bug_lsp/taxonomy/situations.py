"""What message and stack show of a failure beside words: rows of advice ask for it by a phrase.

`common_errors.toml` and `categories.toml` name these phrases in ``when`` and ``unless``.
"""

from __future__ import annotations

import re
from math import prod

from dl_bug_lsp.tracebacks.failures import Failure, Frame
from dl_bug_lsp.tracebacks.traceback_lines import is_library_path

RELATIVE_PATH = "a relative path"
"""A path that does not begin at a root is missing (and is no program that is started)."""
BARE_WORD = "a bare word"
"""The missing path could as well be the name of a variable."""
FROM_NOTEBOOK = "from a notebook"
"""A frame of the stack is a notebook's cell."""
OWN_FILE = "in a file that a notebook calls"
"""A notebook's cell led into a file of the program, where the failure arose."""
CALLED_ALONE = "called by its name alone"
"""What got too many arguments is called as a function, not on an object."""
TYPED = "typed at a prompt"
"""The line converts what `input` returns."""
DATE = "a date or time"
"""The text that is no number is a date or a time."""
ROWS_HOLD = "the rows hold the rest"
"""The inner size of a product is a multiple of the one that came, and the rows hold the factor."""
FLAT = "two of one axis"
"""Both shapes that do not fit have one axis."""
MULTIPLE = "a whole multiple"
"""One length, or number of elements, is a whole multiple of the other."""
WITHIN_LIBRARY = "of the same library"
"""A module of a library lacks a name that a file of the same library asks it for."""
FITTED = "a name that fitting sets"
"""The missing attribute ends in an underscore, as those of fitted estimators do."""
SEMICOLONS = "semicolons in brackets"
"""The line that does not parse divides the rows of a list by semicolons."""
REMOVING = "asked to remove"
"""The line calls `remove`."""
NEXT = "asked for the next"
"""The line calls `next`."""
NESTED_CONCAT = "while outputs are collected"
"""The Trainer of transformers was joining the outputs of an evaluation."""
METRIC = "in a metric of scikit-learn"
OWN_WINDOW = "a window of tkinter"
"""The program itself opens a window of tkinter (matplotlib does not)."""
RAISED = "raised by the program itself"
ASSERTED = "an assertion"
ALWAYS_FALSE = "an assertion of false"
OF_SHELL = "a command of the shell"
OF_CELL = "raised in a cell of a notebook"
"""The innermost frame is a notebook's cell, in whatever order the cells ran."""
OF_LIBRARY, OF_PROGRAM = "in the code of a library", "in the code of the program"
"""The innermost frame lies in a library, or in the program itself."""
PART_OF_PACKAGE = "a part of a package"
"""A module is missing from a package: those that hold it were found."""
HIDES_LIBRARY = "a file hides a library"
"""A file of the stack imports a library whose name it has itself."""
OF_FOLDER = "the folder of the file that imports it"
"""A module is missing that has the name of a folder above the importing file."""
WITHOUT_MESSAGE = "without a message"
"""Of the exception nothing but the class is known."""
UNLIKE_CHANNELS = "in channels alone"
"""Two pictures of one size do not fit: one has other channels than the other."""
WITHOUT_ELEMENTS = "one without elements"
"""One of several shapes has a size of 0."""
WITHOUT_LAYERS = "without the axis of the layers"
"""The state of a recurrent layer fits but for its first axis, which it lacks."""
BLANK_IN_NAME = "a blank behind a dotted name"
"""A word follows a dotted name in the line that fails, as in `df.total price`."""

_PATH = re.compile(
    r"no such file or directory: b?'([^']+)'|\bfile b?'?([^\s'<>]+)'? does not exist"
)
_FROM_ROOT = re.compile(r"[/\\~<]|[a-z]:|\w+://")
_NAME = re.compile(r"[a-z_]\w*")
_TAKES = re.compile(r"(?<![\w.>])(\w+)\(\) takes 0 positional")
_INPUT = re.compile(r"(?<![\w.])(?:raw_)?input\(")
_DATE = re.compile(
    r"could not convert string to float: \W{0,3}"
    r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2})\b"
)
_PRODUCT = re.compile(r"(\d+) ?x ?(\d+)\]?,? (?:and|m2: \[) ?(\d+) ?x ?\d+")
_INTO = re.compile(r"from shape \((\d+),?\) into shape \((\d+),?\)")
_LACKS = re.compile(
    r"module '(\w+)[\w.]*' has no attribute|cannot import name '?\w+'? from '(\w+)[.']"
)
_FLAT = re.compile(r"shapes \(\d+,\) \(\d+,\)")
_FITTED = re.compile(r"has no attribute '(?!_)\w*[a-z0-9]_'")
_SEMICOLONS = re.compile(r"\[[^\]'\"#]*[\w.]\s*;")
_SHELL = re.compile(
    r"(?:pip3?|conda|git|wget|curl|kill|taskkill|cd|ls|mkdir|rm|cp|mv|cat|apt(?:-get)?|sudo|python3?"
    r"|jupyter|unzip|tar|chmod|export|source|docker|npm|brew|streamlit|nvidia-smi)\s+[-\w./~$\"']"
    r"(?!\s*[=(])"
)
_FALSE = re.compile(r"assert\s*\(?\s*(?:False|0)\s*\)?\s*(?:,|#|$)")
_TWO_PICTURES = re.compile(
    r"\[([1-4]), (\d+, \d+)\] at entry \d+ and \[(?!\1,)[1-4], \2\]"
    r"|\[(\d+, \d+), ([1-4])\] at entry \d+ and \[\3, (?!\4\])[1-4]\]"
)
_WITH_EMPTY = re.compile(r"\[(?:\d+, )*0(?:, \d+)*\] at entry")
_STATE = re.compile(r"expected hidden\[0\] size \(\d+, (\d+, \d+)\), got [\[(]\1[\])]")
_VIEW = re.compile(r"shape '\[(\d+(?:, \d+)*)\]' is invalid for input of size (\d+)")
_NAME_AND_WORD = re.compile(
    r"(?<![\w.])[A-Za-z_]\w*\.[A-Za-z_]\w* "
    r"(?!(?:and|as|else|for|from|if|import|in|is|not|or)\b)[A-Za-z_]"
)
_COMMAND = re.compile(r"\s*(?:[%!]|(?:python|pip|conda|git|bash|sh|sudo|cd|wget|curl)\w* )")
_TEXTS = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_DOTTED_MODULE = re.compile(r"no module named '?\w+\.\w")
_WHOLE_MODULE = re.compile(r"no module named '?(\w+)'?(?![\w.])")
_IMPORTED = re.compile(r"\s*(?:from|import) (\w+)")


def situations(failure: Failure, text: str) -> list[str]:
    """Return the phrases of what applies; ``text`` is the message in lower case."""
    of_stack = [*_of_text(text), *_of_stack(failure.frames, text)] if failure.frames else []
    return [*_of_failure(failure, text), *of_stack]


def _of_text(text: str) -> list[str]:
    shown = []
    if _DATE.search(text):
        shown.append(DATE)
    if _FITTED.search(text):
        shown.append(FITTED)
    if _FLAT.search(text):
        shown.append(FLAT)
    product = _PRODUCT.search(text)
    if product and _holds_the_rest(*map(int, product.groups())):
        shown.append(ROWS_HOLD)
    into = _INTO.search(text)
    if into and 1 < int(into[2]) < int(into[1]) and int(into[1]) % int(into[2]) == 0:
        shown.append(MULTIPLE)
    return shown


def _holds_the_rest(rows: int, came: int, wanted: int) -> bool:
    return 0 < came < wanted and wanted % came == 0 and rows % (wanted // came) == 0


def _of_stack(frames: tuple[Frame, ...], text: str) -> list[str]:
    innermost, files = frames[-1], [frame.file.replace("\\", "/").lower() for frame in frames]
    shown = [*_of_path(frames, text), *_of_line(innermost, text)]
    if any(is_cell(frame.file) for frame in frames):
        shown.append(FROM_NOTEBOOK)
        if _is_own_file(innermost):
            shown.append(OWN_FILE)
    lacks = _LACKS.search(text)
    if lacks and _asks_itself(innermost, lacks[1] or lacks[2]):
        shown.append(WITHIN_LIBRARY)
    if any(frame.own_name == "nested_concat" for frame in frames):
        shown.append(NESTED_CONCAT)
    if any("sklearn/metrics/" in file for file in files):
        shown.append(METRIC)
    has_window = any(file.endswith(("tkinter/__init__.py", "tkinter.py")) for file in files)
    if has_window and not any("matplotlib" in file for file in files):
        shown.append(OWN_WINDOW)
    return shown


def _of_path(frames: tuple[Frame, ...], text: str) -> list[str]:
    missing = _PATH.search(text)
    starts_program = any(frame.file.endswith("subprocess.py") for frame in frames)
    path = (missing[1] or missing[2]) if missing and not starts_program else ""
    if not path or _FROM_ROOT.match(path):
        return []
    return [RELATIVE_PATH, BARE_WORD] if _NAME.fullmatch(path) else [RELATIVE_PATH]


def _of_line(frame: Frame, text: str) -> list[str]:
    """Return what the innermost line shows."""
    source, shown = (frame.source or "").strip(), []
    takes = _TAKES.search(text)
    if takes and re.search(rf"(?<![\w.]){takes[1]}\s*\(", source, re.IGNORECASE):
        shown.append(CALLED_ALONE)
    calls = ((_INPUT, TYPED), (r"\.remove\(", REMOVING), (r"(?<![\w.])next\(", NEXT))
    shown += [phrase for pattern, phrase in calls if re.search(pattern, source)]
    if _SEMICOLONS.search(source):
        shown.append(SEMICOLONS)
    if source.startswith("raise ") and not _is_of_library(frame):
        shown.append(RAISED)
    if _SHELL.match(source):
        shown.append(OF_SHELL)
    if _FALSE.match(source):
        shown.append(ALWAYS_FALSE)
    elif re.match(r"assert\b", source):
        shown.append(ASSERTED)
    return shown


def _asks_itself(frame: Frame, package: str) -> bool:
    """Tell whether a frame is a library's own that was not asked from outside (`__getattr__`)."""
    file = frame.file.replace("\\", "/").lower()
    return (
        _is_of_library(frame)
        and re.search(rf"(?:-packages|\blib(?:64)?|/python[\d.]*)/{package}/", file) is not None
        and frame.own_name != "__getattr__"
        and not (frame.source or "").startswith("raise ")
    )


def _is_own_file(frame: Frame) -> bool:
    return not (frame.file.startswith("<") or is_cell(frame.file) or _is_of_library(frame))


def _is_of_library(frame: Frame) -> bool:
    return is_library_path(frame.file)


_CELL = re.compile(r"\bIn ?\[ ?\d+ ?\]|ipython-input-|ipykernel_\d|\.ipynb\b|vscode-notebook-cell:")


def is_cell(file: str) -> bool:
    """Tell whether a frame's printed file is a notebook's cell."""
    return _CELL.search(file) is not None


def _of_failure(failure: Failure, text: str) -> list[str]:
    """Return what message and innermost frame show, also of a failure without a stack."""
    cause = failure.cause
    last = failure.frames[-1] if failure.frames else None
    innermost = last.file if last is not None else "<"
    source = (last.source or "") if last is not None else ""
    is_known_file = not innermost.startswith("<") or innermost.startswith("<ipython-input")
    in_library = is_library_path(innermost)
    unquoted = "" if _COMMAND.match(source) else _TEXTS.sub("0", source)
    shown = {
        WITHOUT_MESSAGE: cause is not None and not cause.message.strip(),
        OF_LIBRARY: is_known_file and in_library,
        OF_PROGRAM: is_known_file and not in_library,
        OF_CELL: is_cell(innermost),
        UNLIKE_CHANNELS: _TWO_PICTURES.search(text),
        WITHOUT_ELEMENTS: _WITH_EMPTY.search(text),
        WITHOUT_LAYERS: _STATE.search(text),
        MULTIPLE: _is_whole_multiple(text),
        BLANK_IN_NAME: _NAME_AND_WORD.search(unquoted),
        PART_OF_PACKAGE: _DOTTED_MODULE.search(text),
        OF_FOLDER: _is_of_folder(failure, text),
        HIDES_LIBRARY: any(_hides(frame) for frame in failure.frames),
    }
    return [phrase for phrase, is_shown in shown.items() if is_shown]


def _is_whole_multiple(text: str) -> bool:
    """Say whether a tensor has several times the elements that the sizes of a view name."""
    found = _VIEW.search(text)
    if found is None:
        return False
    named = prod(map(int, found[1].split(", ")))
    return named > 0 and int(found[2]) > named and int(found[2]) % named == 0


def _is_of_folder(failure: Failure, text: str) -> bool:
    """Say whether the module that is missing has the name of a folder of the importing file."""
    missing = _WHOLE_MODULE.search(text)
    file = failure.frames[-1].file.replace("\\", "/") if failure.frames else ""
    folders = file.lower().split("/")[:-1]
    return missing is not None and missing[1] in folders and not is_library_path(file)


def _hides(frame: Frame) -> bool:
    """Say whether a file of the program imports a package that has its own name."""
    imported = _IMPORTED.match(frame.source or "")
    name = frame.file.replace("\\", "/").rpartition("/")[2]
    own = imported is not None and name == f"{imported[1]}.py"
    return own and not is_library_path(frame.file)
