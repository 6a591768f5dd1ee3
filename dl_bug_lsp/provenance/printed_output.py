"""Which statements of a program print a line, and which script printed a log.

A statement is matched by the literal parts of what it prints. The texts between them are the values
of the expressions that stand there.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from weakref import WeakKeyDictionary

from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.workspace import Workspace

PRINTS = frozenset(
    {
        "print",
        "info",
        "warning",
        "warn",
        "debug",
        "error",
        "write",
        "log",
        "echo",
        "set_description",
    }
)
"""Last names of functions and methods whose arguments are printed as they are."""
BARS = frozenset(("tqdm", "trange", "tqdm_notebook"))
"""Functions that print a bar behind their title."""
END, BAR = r"\s*$", r": +\d{1,3}%\|"
MIN_LETTERS = 3
MOST_TEMPLATES = 200
"""Templates of one file, at most."""
PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sdifgeExXr]")
FIELD = re.compile(r"\{[^{}]{0,40}\}")
"""A place of ``str.format``."""
GAP = r"(.{0,80}?)"


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A call that prints: its literal parts, and the expressions between them.

    ``line`` is 1-based, ``longest`` the longest literal part.
    """

    file: str
    line: int
    literals: tuple[str, ...]
    expressions: tuple[ast.expr, ...]
    pattern: re.Pattern[str]
    longest: str

    def values(self, text: str) -> tuple[str, ...] | None:
        """Return the texts of the expressions in a printed line, None where it is another's."""
        if self.longest not in text:
            return None
        match = self.pattern.search(text)
        if match is None:
            return None
        return tuple(group.strip(" ,:;()[]'\"") or group for group in match.groups())


_TEMPLATES: WeakKeyDictionary[ast.Module, tuple[Template, ...]] = WeakKeyDictionary()


def templates_of(workspace: Workspace, file: str) -> tuple[Template, ...]:
    """Return the templates of a file's printing calls, in the order of `ast.walk`."""
    tree = workspace.tree(file)
    if tree is None:
        return ()
    known = _TEMPLATES.get(tree)
    if known is None:
        known = _TEMPLATES[tree] = tuple(_templates(file, tree))
    return known


def _templates(file: str, tree: ast.Module) -> Iterator[Template]:
    count = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        is_bar = called_name(node) in BARS
        title = next((k.value for k in node.keywords if k.arg == "desc"), None)
        if is_bar and title is not None:
            parts = _parts_of(title)
        elif called_name(node) in PRINTS and node.args:
            parts = _sequence(node)
        else:
            continue
        literals = tuple(p for p in parts if isinstance(p, str) and p.strip())
        if sum(c.isalpha() for text in literals for c in text) < MIN_LETTERS:
            continue
        count += 1
        if count > MOST_TEMPLATES:
            return
        expressions = tuple(p for p in parts if isinstance(p, ast.expr))
        pattern = _pattern(
            tuple(p if isinstance(p, str) else None for p in parts), BAR if is_bar else END
        )
        longest = max(literals, key=len).strip()
        yield Template(file, node.lineno, literals, expressions, pattern, longest)


Part = str | ast.expr


def _sequence(call: ast.Call) -> list[Part]:
    """Return the literal texts and the expressions of a printing call, in printed order."""
    first, *rest = call.args
    is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    if is_text and rest and PERCENT.search(str(getattr(first, "value", ""))):
        return _filled(PERCENT, str(getattr(first, "value", "")), rest)
    parts: list[Part] = []
    for index, argument in enumerate(call.args):
        if index:
            parts.append(" ")
        parts.extend(_parts_of(argument))
    return parts


def _parts_of(expr: ast.expr) -> list[Part]:
    if isinstance(expr, ast.Constant):
        return [str(expr.value)]
    if isinstance(expr, ast.JoinedStr):
        return [
            str(p.value) if isinstance(p, ast.Constant) else getattr(p, "value", p)
            for p in expr.values
        ]
    if (
        isinstance(expr, ast.BinOp)
        and isinstance(expr.op, ast.Mod)
        and isinstance(expr.left, ast.Constant)
        and isinstance(expr.left.value, str)
    ):
        given = expr.right.elts if isinstance(expr.right, ast.Tuple) else [expr.right]
        return _filled(PERCENT, expr.left.value, given)
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add):
        return [*_parts_of(expr.left), *_parts_of(expr.right)]
    function = expr.func if isinstance(expr, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "format":
        text = function.value.value if isinstance(function.value, ast.Constant) else None
        if isinstance(text, str) and isinstance(expr, ast.Call):
            return _filled(FIELD, text, expr.args)
    return [expr]


def _filled(places: re.Pattern[str], text: str, given: list[ast.expr]) -> list[Part]:
    """Return the parts of a text whose places are filled with what is given, in order."""
    nothing = ast.Constant(None)
    parts: list[Part] = []
    for index, part in enumerate(places.split(text)):
        if index:
            parts.append(given[index - 1] if index <= len(given) else nothing)
        parts.append(part)
    return parts


@lru_cache(maxsize=2048)
def _pattern(parts: tuple[str | None, ...], end: str) -> re.Pattern[str]:
    """Return the pattern of a printed line: literal parts, and short gaps between them."""
    text = "".join(
        GAP if part is None else r"\s*".join(map(re.escape, part.split(" "))) for part in parts
    )
    return re.compile(text.rstrip() + end)


# ---------------------------------------------------------------------- whose output a log is
MOST_FILES = 200
"""Python files up to which every script of a workspace is considered; of more, none."""
MOST_SCRIPTS = 30
MOST_LINES = 160
"""Lines of different words that are compared, half of them from the log's beginning."""
LONGEST_LINE = 400
MOST_FIRST = 40
"""Lines of a log's beginning in which the output of scripts that ran before is looked for."""
LEAST_LETTERS = 6
"""Letters that a script which ran before must print of a line as they are."""
LEAST_LINES = 2
"""Lines of different words that a script must print."""
MARGIN = 1.5
"""How many times more lines than another script, where that prints one that the first does not."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_OPTIONS = re.compile(r"\bNamespace\((.{3,4000})\)")
_OPTION = re.compile(r"(\w+)=")
_WARNED = re.compile(r"^(\S+\.py):(\d+): \w*Warning\b")


def script_of_output(workspace: Workspace, log: Iterable[str]) -> str | None:
    """Return the script that printed a log, None where none or several may have done so.

    A script prints what its own statements print and those of the modules that it imports. It must
    print all lines that any other script prints and one more, or many more than the others.
    """
    files = [file for file in workspace.python_files() if file.endswith(".py")]
    if not 1 < len(files) <= MOST_FILES:
        return None
    scripts = [f for f in files if "__main__" in (workspace.text(f) or "")][:MOST_SCRIPTS]
    if not scripts:
        return None
    lines = list(_distinct(log))
    told = {script: _told(workspace, script, lines) for script in scripts}
    first, *others = sorted(scripts, key=lambda s: (-len(told[s]), s))
    if len(told[first]) < LEAST_LINES:
        return None
    for other in others:
        is_more = told[other] < told[first] or len(told[first]) >= MARGIN * len(told[other])
        if told[other] and not is_more:
            return None
    return first


def scripts_before(workspace: Workspace, log: Iterable[str], script: str) -> tuple[str, ...]:
    """Return the scripts that printed lines of a log which the failing script does not print.

    They are in the order of their lines; a line that several of them may have printed is no sign.
    """
    files = [file for file in workspace.python_files() if file.endswith(".py")]
    if not 1 < len(files) <= MOST_FILES:
        return ()
    own = set(_imported(workspace, script))
    others = [f for f in files if f not in own and "print(" in (workspace.text(f) or "")]
    templates = [t for file in own for t in templates_of(workspace, file)]
    found: dict[str, None] = {}
    for line in islice(takewhile(_is_no_traceback, _distinct(log)), MOST_FIRST):
        if any(t.values(line) is not None for t in templates):
            continue
        printing = [
            f for f in others if any(_is_whole(t, line) for t in templates_of(workspace, f))
        ]
        if len(printing) == 1:
            found.setdefault(printing[0])
    return tuple(found)


FILE_NAME = re.compile(r"[\"'/]((?:[\w.-]|\{[^{}\"'/]{1,60}\}){1,80}\.[A-Za-z]\w{1,7})[\"']")
"""The name of a file in a text, perhaps with places that are filled in."""
_PLACE = re.compile(r"\{[^{}]*\}")
_MAGIC = re.compile(r"[*?[]")
MOST_NAMES = 200


def filled_names(text: str) -> list[re.Pattern[str]]:
    """Return patterns of the names of files that a program fills in, as ``f"{split}.csv"``.

    They are those of `fnmatch`, which takes each star's shortest fit alone: linear in time.
    """
    written = (match[1] for match in islice(FILE_NAME.finditer(text), MOST_NAMES))
    parts = (_PLACE.split(name) for name in written if "{" in name)
    return [
        re.compile(fnmatch.translate("*".join(_MAGIC.sub(r"[\g<0>]", piece) for piece in pieces)))
        for pieces in parts
    ]


def _is_no_traceback(line: str) -> bool:
    return not line.startswith("Traceback ")


def _is_whole(template: Template, line: str) -> bool:
    """Whether a template prints a line from its beginning, with letters enough to tell."""
    letters = sum(c.isalpha() for text in template.literals for c in text)
    match = template.pattern.match(line) if letters >= LEAST_LETTERS else None
    return match is not None and template.longest in line


def _distinct(log: Iterable[str]) -> Iterator[str]:
    """Yield the lines of different words, of many those of the beginning and the end."""
    seen: dict[str, str] = {}
    for line in log:
        text = line.strip()[:LONGEST_LINE]
        if text:
            seen.setdefault(_DIGITS.sub("0", text), text)
    lines = list(seen.values())
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]
    yield from lines


def _told(workspace: Workspace, script: str, lines: list[str]) -> frozenset[str]:
    """Return what of a log a script can have written: lines, and names of printed options."""
    used = _imported(workspace, script)
    templates = [template for file in used for template in templates_of(workspace, file)]
    found = {line for line in lines if any(t.values(line) is not None for t in templates)}
    for line in lines:
        warned = _WARNED.match(line)
        place = workspace.locate(warned[1], int(warned[2])) if warned is not None else None
        if place is not None and place.file in used:
            found.add(line)
        options = _OPTIONS.search(line)
        if options is not None:
            declared = set(_declared(workspace.tree(script)))
            found.update(f"--{n}" for n in _OPTION.findall(options[1]) if n in declared)
    return frozenset(found)


def _imported(workspace: Workspace, script: str) -> list[str]:
    """Return a script and the workspace's files that it imports, one by another."""
    found = {script: None}
    waiting = [script]
    while waiting:
        file = waiting.pop()
        for module in workspace.elements(file).imports:
            target = workspace.module_file(module, file)
            if target is not None and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def _declared(tree: ast.Module | None) -> Iterator[str]:
    """Yield the names of the options that a script's parser declares."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and called_name(node) in ("add_argument", "option"):
            for given in node.args:
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value.lstrip("-").replace("-", "_")
