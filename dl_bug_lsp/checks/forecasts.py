"""Checks by following a run forwards: sizes, types, keys, indices, names that do not fit.

Each run is followed from its first line by `interpretation.forecast`, with the words of its command
and the files of the workspace, and without being executed. A failure that it comes to is written
down as the traceback that it would leave, and located as after a real one: the finding stands at
the line that most likely holds the cause.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from types import NoneType

from dl_bug_lsp.checks.deleted_names import reads_of_deleted
from dl_bug_lsp.checks.entries import Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.checks.sources import CONFIGS, catches_names
from dl_bug_lsp.evidence.data.written_settings import is_moved
from dl_bug_lsp.evidence.interpreted_values import IN_DATA, IS_SIDE, MADE
from dl_bug_lsp.evidence.numbers import OF_NUMBERS, OF_SIZES
from dl_bug_lsp.fixes.fix_context import distance
from dl_bug_lsp.interpretation.forecast import Forecast, Prediction
from dl_bug_lsp.interpretation.libraries.python.files import written_files
from dl_bug_lsp.interpretation.model_helpers import text_of
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport, Options, Suspect
from dl_bug_lsp.workspace import Workspace

FOLLOWED = "The run is followed without being executed. "
SIZES = Check(
    "sizes",
    "tensor_mismatch",
    Certainty.SURE,
    "Arrays, layers or settings have sizes that do not fit one another.",
    f"{FOLLOWED}Sizes are those that settings, data files and layers give; where a size is not "
    "known, nothing is reported. The finding stands where the size is most likely wrong.",
    "nn.Linear(784, 128), nn.Linear(100, 10)",
)
TYPES = Check(
    "value-type",
    "type_mismatch",
    Certainty.LIKELY,
    "A value is of a type, or an array of a dtype, that does not fit its use.",
    f"{FOLLOWED}Values whose type is not known are left out.",
    "loss = F.cross_entropy(logits, labels.float())   # class indices are whole numbers",
)
INDEX = Check(
    "index-range",
    "illegal_index",
    Certainty.SURE,
    "An index, a label or a token is out of range.",
    f"{FOLLOWED}Labels and tokens are bounded by the data files and by the code that makes them.",
    "nn.Embedding(100, 16)(tokens)     # tokens go up to 102",
)
KEY = Check(
    "key-error",
    "key_not_found",
    Certainty.SURE,
    "A dictionary, a table or the settings do not have a key that is read.",
    f"{FOLLOWED}All keys of the dictionary have to be known.",
    'batch["lengths"]       # the collate function returns "length"',
)
ATTRIBUTE = Check(
    "attribute-error",
    "attribute_not_found",
    Certainty.LIKELY,
    "An attribute is read that an object of the program's own classes does not have.",
    f"{FOLLOWED}Classes with __getattr__, setattr or a base class of a library are left out.",
    "self.hiden             # set as self.hidden",
)
NONE = Check(
    "none-value",
    "null_reference",
    Certainty.SURE,
    "A value that is None is called, indexed, iterated, or asked for an attribute.",
    f"{FOLLOWED}It is known to be None: a default, a setting, a function without return.",
    "def build(): model = Net()      # nothing is returned",
)
CALL = Check(
    "own-call",
    "illegal_argument",
    Certainty.LIKELY,
    "A function of the program is called with arguments that it does not take, or not unpacked "
    "as it returns.",
    f"{FOLLOWED}Functions are those of the workspace, through methods and constructors.",
    "make_loader(data, batch=32)       # its parameter is batch_size",
)
FILE = Check(
    "missing-file",
    "path_not_found",
    Certainty.SURE,
    "The program opens a file that is not there.",
    f"{FOLLOWED}Relative paths of files that the run has not written itself. A finding is sure "
    "where the folder holds a file of nearly that name, and only worth a look where nothing is "
    "there or another program of the workspace makes the file.",
    'open("data/labels.tsv")    # data/label.tsv',
)
NAME = Check(
    "unbound-name",
    "undefined_variable",
    Certainty.LIKELY,
    "A name is read before anything is bound to it.",
    f"{FOLLOWED}Names that only some branches bind are left out. A read after del in the same "
    "block is found in every file of the program.",
    "del model; model.eval()",
)
VALUE = Check(
    "bad-value",
    "illegal_argument",
    Certainty.SURE,
    "A value is not accepted where it is used, such as a divisor of 0 or a text that is not a "
    "number.",
    f"{FOLLOWED}Also data files that cannot be read as the program reads them.",
    "steps = len(data) // batch_size   # 0, and the loss is divided by it",
)
OWN = Check(
    "own-error",
    "illegal_argument",
    Certainty.LIKELY,
    "An assert, or a raise of the program itself, ends the run.",
    f"{FOLLOWED}The condition is known to hold, and nothing catches the exception.",
    "assert n_embd % n_head == 0       # 20 and 3",
)
ENCODING = Check(
    "text-encoding",
    "unexpected_encoding",
    Certainty.SURE,
    "A text file has bytes that are invalid in the encoding used to read it.",
    f"{FOLLOWED}Files that open and pandas.read_csv read, with the encoding that is given, else as "
    "UTF-8. errors= and encoding_errors= are left out.",
    'open("names.txt")      # the file is Latin-1',
)
CHECKS = (ENCODING, SIZES, TYPES, INDEX, KEY, ATTRIBUTE, NONE, CALL, FILE, NAME, VALUE, OWN)
BY_KIND = {
    "size": SIZES, "type": TYPES, "index": INDEX, "key": KEY, "attribute": ATTRIBUTE, "none": NONE,
    "arguments": CALL, "file": FILE, "name": NAME, "value": VALUE, "raised": OWN,
    "accessor": TYPES,
}  # fmt: skip
CLASSES = {
    "size": "RuntimeError", "type": "TypeError", "index": "IndexError", "key": "KeyError",
    "attribute": "AttributeError", "arguments": "TypeError", "file": "FileNotFoundError",
    "name": "NameError", "value": "ValueError", "accessor": "AttributeError",
}  # fmt: skip
MOST_RUNS = 6
MOST_STEPS = 150_000
"""Steps for all runs together."""
STEPS = 60_000
MOST_TEXT = 160
MOST_SURE_FILES, MOST_LIKELY_FILES = 4, 25
"""Files of a program up to which a failure that is followed is sure, and up to which it is likely.

The larger a program is, the more it does in ways that are not followed.
"""
FAILS = {
    Certainty.SURE: "will fail",
    Certainty.LIKELY: "probably fails",
    Certainty.LOOK: "may fail",
}
PARSING = ("parse_args", "parse_known_args", "parse_args_into_dataclasses")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield the failure that each run comes to, and names that are read after they are deleted."""
    yield from _deleted(program)
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for entry in program.entries:
        key = (entry.script, tuple(word.text for word in entry.words))
        if key in seen or len(seen) >= MOST_RUNS:
            continue
        seen.add(key)
        prediction, forecast = forecast_of(program, entry)
        yield from _encodings(program, forecast)
        if prediction is not None:
            yield from _finding(program, entry, prediction)
        yield from program.missing[entry]


def _deleted(program: CheckedProgram) -> Iterator[Finding]:
    for file in program.files:
        tree = program.workspace.tree(file)
        if tree is None or "del " not in (program.workspace.text(file) or ""):
            continue
        for name, deleted, line in reads_of_deleted(tree):
            if not catches_names(tree, line):
                message = f"'{name}' is read here, and line {deleted} has deleted it."
                yield finding(NAME, file, line, message)


def forecast_of(program: CheckedProgram, entry: Entry) -> tuple[Prediction | None, Forecast]:
    """Return the failure that a run comes to, and what was seen on the way; followed once."""
    known = program.forecasts.get(entry)
    if known is None:
        left = MOST_STEPS - sum(f.steps - f.left for _, f in program.forecasts.values())
        # A launch script runs its programs one after the other.
        before = [
            name
            for other, (_, done) in program.forecasts.items()
            if other.file == entry.file
            for name in written_files(done)
        ]
        run = _Run(program, entry)
        steps = max(min(STEPS, left), 0)
        # Nobody said with which words a program is run that was merely found.
        is_found = entry.file == entry.script and not entry.line
        words = None if is_found else _words(entry)
        forecast = Forecast(program.workspace, entry.script, words, steps, passes=run.passes)
        written_files(forecast).update(before)
        known = program.forecasts[entry] = (forecast.predict(), forecast)
        program.missing[entry] = run.missing
    return known


def _words(entry: Entry) -> list[Value]:
    """Return the words of a command line; what the shell would put in is not known."""
    words = []
    for word in entry.words:
        at = frozenset({(entry.file, word.line)}) if entry.file and word.line else frozenset()
        words.append(Value(UNKNOWN if "$" in word.text else word.text, at))
    return words


class _Run:
    """What is known of one run beside its program: files that others make."""

    def __init__(self, program: CheckedProgram, entry: Entry) -> None:
        self.program = program
        self.entry = entry
        self.missing: list[Finding] = []

    def passes(self, raised: Raised) -> bool:
        """Whether a failure is not to be counted; what is only worth a look is kept."""
        if raised.what == "file":
            return self._is_made(raised)
        origins = {file for side in raised.sides for file, _ in side.origins}
        if any(file.endswith(CONFIGS) and self._is_broken(file) for file in origins):
            # The check of syntax says this at the line of the file.
            return True
        source = ""
        if raised.place is not None:
            source = self.program.workspace.source_line(*raised.place)
        if raised.what == "arguments" and any(word in source for word in PARSING):
            # The checks of options say this with the place in the command.
            return True
        return (
            raised.what == "type"
            and raised.message == "object is not callable"
            and any(isinstance(side.data, Array) for side in raised.sides)
        )

    def _is_broken(self, file: str) -> bool:
        return self.program.workspace.elements(file).problem is not None

    def _is_made(self, raised: Raised) -> bool:
        """Whether a missing file may be made by another program, or fetched by hand."""
        path = _path(raised)
        near = _near_file(self.program.workspace, path)
        if near is not None and not self._is_named_elsewhere(path):
            return False
        if raised.place is not None:
            message = f"There is no file '{path[:120]}' now."
            reason = (
                "Nothing in its folder is called nearly so: it has to be made or fetched first."
            )
            self.missing.append(
                finding(FILE, *raised.place, message, reason, certainty=Certainty.LOOK)
            )
        return True

    def _is_named_elsewhere(self, path: str) -> bool:
        """Whether a script of a shell, or another program, names the file too."""
        name = posixpath.basename(path)
        workspace = self.program.workspace
        reached = set(self.program.reached(self.entry.script))
        others = [f for f in workspace.python_files() if f not in reached][:200]
        return any(
            name in (workspace.text(file) or "") for file in (*self.program.launchers, *others)
        )


def _path(raised: Raised) -> str:
    return (text_of(raised.sides[0]) if raised.sides else None) or ""


def _encodings(program: CheckedProgram, forecast: Forecast) -> Iterator[Finding]:
    """Yield text files that cannot be decoded as they are read."""
    workspace = program.workspace
    for name, args, keywords, place in forecast.read:
        mode = keywords.get("mode", args[1] if len(args) > 1 and "open" in name else Value("r"))
        if not isinstance(mode.data, str) or any(letter in mode.data for letter in "bwax+"):
            continue
        if "errors" in keywords or "encoding_errors" in keywords or not args or len(args) > 3:
            continue
        encoding_value = keywords.get("encoding", Value(None))
        path = text_of(args[0])
        file = workspace.file_named(path) if path else None
        if file is None or not isinstance(encoding_value.data, (str, NoneType)):
            continue
        encoding = (encoding_value.data or "utf-8").lower().replace("_", "-")
        text = workspace.text(file)
        if text is None:
            continue
        problem, line = None, 1
        if encoding in ("utf-8", "utf8"):
            elements = workspace.elements(file)
            problem, line = elements.problem, elements.problem_line or 1
            problem = problem if problem and problem.startswith("not valid") else None
        elif encoding in ("ascii", "us-ascii") and not text.isascii():
            line = next(n for n, row in enumerate(workspace.lines(file), 1) if not row.isascii())
            problem = "not valid ascii"
        if problem is not None:
            reason = f"{file}, line {line}: {problem}."
            message = f"'{file}' cannot be read as {encoding}."
            yield finding(ENCODING, *place, message, reason)


_DIGITS = re.compile(r"\d+")


def _near_file(workspace: Workspace, path: str) -> str | None:
    """Return the file beside a missing one that has nearly its name."""
    folder, name = posixpath.split(posixpath.normpath(path))
    stem = posixpath.splitext(name)[0]
    beside = [f for f in workspace.files() if posixpath.dirname(f).endswith(folder)]
    # Data that no reader knows are not listed, and often numbered: they have to be more alike.
    unlisted = workspace.folder_files(folder or ".")
    names = {posixpath.basename(f): f for f in (*unlisted, *beside)}
    listed = set(beside)
    near = [
        f
        for n, f in names.items()
        if n.casefold() == name.casefold()
        or (f in listed and distance(n, name, 2) <= 2)
        or (distance(n, name, 1) <= 1 and _DIGITS.findall(n) == _DIGITS.findall(name))
        or (stem and posixpath.splitext(n)[0] == stem)
    ]
    near.sort(key=lambda f: (posixpath.basename(f).casefold() != name.casefold(), f))
    return near[0] if near else None


MOST_OTHERS = 2
"""Further places that a finding names."""


def _goes_into(suspect: Suspect) -> bool:
    """Whether what does not fit is made of what stands at a place; a file's name is no such one."""
    followed = (e.why for e in suspect.evidence if e.kind == "interpretation")
    sizes = (e.why for e in suspect.evidence if e.kind == "facts")
    return any(why.startswith((MADE, IN_DATA, IS_SIDE)) for why in followed) or any(
        OF_NUMBERS in why or OF_SIZES in why for why in sizes
    )


def _finding(program: CheckedProgram, entry: Entry, prediction: Prediction) -> Iterator[Finding]:
    raised = prediction.raised
    check = BY_KIND.get(raised.what)
    if check is None or not prediction.stack:
        return
    workspace = program.workspace
    located = _located(workspace, prediction, entry)
    raise_site = prediction.stack[-1]
    file, line = raise_site
    evidence = [f"The command is: {entry.shown[:MOST_TEXT]}"]
    if entry.script.endswith(".ipynb"):
        evidence = [f"The cells of {entry.script} are followed in the order of the file."]
    reached = set(program.reached(entry.script))
    suspects = [
        suspect
        for suspect in (located.suspects if located is not None else ())
        if suspect.file in reached
        or not suspect.file.endswith(".py")
        or any(is_moved(evidence.why) for evidence in suspect.evidence)
    ]
    if suspects:
        suspect = suspects[0]
        file, line = suspect.file, suspect.line
        # What the stack says is said of a failure that has not happened.
        reasons = [e.why for e in suspect.evidence if not e.kind.startswith("stack")]
        evidence += reasons[:2]
        others = [f"{s.file}:{s.line}" for s in suspects[1:] if _goes_into(s)]
        if others:
            named = others[:MOST_OTHERS]
            verb = "contribute" if len(named) > 1 else "contributes"
            evidence.append(f"{' and '.join(named)} also {verb} to it.")
    way = " > ".join(f"{name}:{number}" for name, number in prediction.stack[-4:])
    evidence.append(f"Call path: {way}.")
    near = ""
    if raised.what == "file" and raised.sides:
        other = _near_file(workspace, _path(raised))
        near = f" There is '{other}'." if other else ""
    where = f"{raise_site[0]}, line {raise_site[1]}"
    category = located.category.id if located is not None else check.category
    is_sure = prediction.certain and check.certainty is Certainty.SURE
    level = Certainty.SURE if is_sure else Certainty.LIKELY
    if len(reached) > MOST_LIKELY_FILES:
        level = Certainty.LOOK
    elif len(reached) > MOST_SURE_FILES:
        level = Certainty.LIKELY if is_sure else Certainty.LOOK
    if entry.script.endswith(".ipynb") and entry.file == entry.script:
        # Nobody named this notebook: its cells may be run in another order, or one of them only.
        level = Certainty.LOOK
    missing = _missing_argument(raised, workspace.source_line(*raise_site))
    message = f"The run {FAILS[level]} in {where}: {missing or _said(raised)}.{near}"
    yield finding(check, file, line, message, *evidence, certainty=level, category=category)


def _located(workspace: Workspace, prediction: Prediction, entry: Entry) -> FailureReport | None:
    """Return the report that `localize` gives of the traceback that the command would leave."""
    command = f"$ {entry.shown}\n" if entry.is_typed else ""
    report = localize(
        command + _traceback(workspace, prediction), workspace, Options(is_predicted=True)
    )
    return next((failure for failure in report.failures if failure.primary), None)


def _traceback(workspace: Workspace, prediction: Prediction) -> str:
    """Return a failure as CPython prints it, outermost frame first."""
    lines = ["Traceback (most recent call last):"]
    for file, line in prediction.stack:
        lines.append(f'  File "{file}", line {line}, in {_function(workspace, file, line)}')
        lines.append(f"    {workspace.source_line(file, line).strip()}")
    return "\n".join([*lines, _last_line(prediction.raised), ""])


def _function(workspace: Workspace, file: str, line: int) -> str:
    tree = workspace.tree(file)
    around = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body[0].lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else "<module>"


def _last_line(raised: Raised) -> str:
    if raised.what == "raised":
        return raised.message
    name = CLASSES.get(raised.what, "RuntimeError")
    if raised.what == "none":
        name = "AttributeError" if "has no attribute" in raised.message else "TypeError"
    if raised.what == "file":
        return f"{name}: [Errno 2] {raised.message}"
    if raised.what == "value" and raised.message.endswith("division by zero"):
        name = "ZeroDivisionError"
    numbers = [side.data for side in raised.sides if isinstance(side.data, int)]
    if raised.what == "size" and len(numbers) == 2 == len(raised.sides):
        return (
            f"{name}: {raised.message}: The size of tensor a ({numbers[0]}) must match the size of "
            f"tensor b ({numbers[1]})"
        )
    return f"{name}: {raised.message}"


_ARGUMENT = re.compile(r"\bargv\[(\d{1,3})\]")


def _missing_argument(raised: Raised, source: str) -> str:
    """Return what says that the command gives too few arguments, empty where it is not that."""
    read = {int(number) for number in _ARGUMENT.findall(source)}
    index = raised.sides[0].data if raised.what == "index" and raised.sides else None
    if index not in read:
        return ""
    return f"the command gives no argument {index}, which `argv[{index}]` reads"


def _said(raised: Raised) -> str:
    """Return what goes wrong, with the values that do not fit."""
    text = " ".join(raised.message.split())[:MOST_TEXT].rstrip(".")
    if raised.what == "key":
        text = f"there is no key {text}"
    shown = [part for part in (_shown(side) for side in raised.sides[:2]) if part]
    if raised.what == "size" and len(shown) == 2:
        text = f"{text} ({shown[0]} and {shown[1]})"
    return text


def _shown(value: Value) -> str:
    data = value.data
    if isinstance(data, Array) and data.sizes is not None:
        return data.sizes_text
    return repr(data) if isinstance(data, (int, float)) else ""
