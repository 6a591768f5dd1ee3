"""Environment variables that a program does not have though a script sets them.

A shell hands only exported variables to the programs that it starts (POSIX, "Shell Command
Language", 2.12 and ``export``); make does so with ``export`` alone (GNU make, "Communicating
Variables to a Sub-make"); an ``ARG`` of a Dockerfile is gone in a container (Docker, "Dockerfile
reference").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.scopes import called_name

CATEGORIES = {"key_not_found", "null_reference", "type_mismatch", "illegal_argument"}
SHELLS = (".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".job", ".ksh")
EXPORTS_ALL = re.compile(r"^\s*set\s+-(?:\w*a\w*|o\s+allexport)", re.MULTILINE)
STARTS = re.compile(r"\bpython[\d.]*\b|\btorchrun\b|\baccelerate\b|\bdeepspeed\b|\bsrun\b|\.py\b")
"""What in a line of a script starts a program."""
NOTHING_HANDED = re.compile(r"--export[= ]NONE\b|\benv\s+-i\b")


def find_variables(case: Case) -> Iterator[Clue]:
    """Yield the lines that set a variable which the program does not get."""
    if case.category.id not in CATEGORIES:
        return
    names = sorted(_names(case))
    if not names:
        return
    for file in case.workspace.files()[:MOST_WALKED]:
        base = file.rpartition("/")[2]
        is_shell = file.endswith(SHELLS)
        if not (is_shell or base.startswith(("Makefile", "makefile", "Dockerfile"))):
            continue
        lines = case.workspace.lines(file)
        text = "\n".join(lines)
        for name in names:
            if is_shell:
                yield from _in_shell(file, lines, text, name)
            elif base.startswith("Dockerfile"):
                yield from _in_dockerfile(file, lines, text, name)
            else:
                yield from _in_makefile(file, lines, text, name)


MOST_WALKED = 4_000


def _names(case: Case) -> set[str]:
    """Return the variables that the failing line, or what goes into it, reads."""
    found: set[str] = set()
    exprs = [start.expr for start in case.starts]
    exprs += [s.node.expr for s in case.raise_slice if isinstance(s.node.expr, ast.expr)]
    for expr in exprs:
        for node in ast.walk(expr):
            key: ast.expr | None = None
            if isinstance(node, ast.Subscript) and _is_environment(node.value):
                key = node.slice
            elif isinstance(node, ast.Call) and node.args and _is_reading(node):
                key = node.args[0]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.add(key.value)
    return {name for name in found if re.fullmatch(r"\w+", name)}


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def _is_reading(call: ast.Call) -> bool:
    if called_name(call) == "getenv":
        return True
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr == "get" and _is_environment(func.value)


def _in_shell(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    """Find an assignment that is not exported, or that comes after the program was started."""
    exported = re.search(rf"^\s*(?:export|declare\s+-x|typeset\s+-x)\b[^\n]*\b{name}\b", text, re.M)
    if EXPORTS_ALL.search(text):
        return
    started = [number for number, line in enumerate(lines, 1) if _starts(line)]
    for number, line in enumerate(lines, 1):
        if exported is None and _sets(line, name):
            why = f"`{name}` is set here and not exported: programs that are started do not have it"
            yield Clue("rules.strong", file, number, 1.0, why)
        elif exported is not None and number == text[: exported.end()].count("\n") + 1:
            if started and number > started[-1]:
                why = f"`{name}` is exported after the program was started in line {started[-1]}"
                yield Clue("rules.strong", file, number, 1.0, why)
        elif exported is not None and NOTHING_HANDED.search(line):
            why = f"what is started with this does not get the variables of the script, as `{name}`"
            yield Clue("rules.strong", file, number, 1.0, why)


def _starts(line: str) -> bool:
    return not line.lstrip().startswith("#") and STARTS.search(line) is not None


def _sets(line: str, name: str) -> bool:
    """Whether a line only sets a variable: before a command it would be handed to that."""
    match = re.match(rf"^\s*(?:readonly\s+|local\s+|declare\s+)?{name}=(?P<rest>.*)$", line)
    if match is None:
        return False
    rest = re.sub(r"\"[^\"]*\"|'[^']*'|\$\([^)]*\)|\$\{[^}]*\}", "x", match["rest"])
    words = rest.split(";")[0].split("&&")[0].split("#")[0].split()
    return len(words) <= 1 or all("=" in word for word in words[1:])


def _in_makefile(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    if re.search(rf"^\s*export(?:\s*$|\b[^\n]*\b{name}\b)", text, re.M):
        return
    why = f"`{name}` is a variable of make alone: without `export` no program has it"
    yield from _at_lines(file, lines, rf"{name}\s*[:?+]?=", why)


def _in_dockerfile(file: str, lines: tuple[str, ...], text: str, name: str) -> Iterator[Clue]:
    if re.search(rf"^\s*ENV\b[^\n]*\b{name}\b", text, re.M):
        return
    why = f"`{name}` is there while the image is built; a container has what `ENV` sets"
    yield from _at_lines(file, lines, rf"\s*ARG\s+{name}\b", why)


def _at_lines(file: str, lines: tuple[str, ...], pattern: str, why: str) -> Iterator[Clue]:
    """Yield a clue for each line that begins with a pattern."""
    for number, line in enumerate(lines, 1):
        if re.match(pattern, line):
            yield Clue("rules.strong", file, number, 1.0, why)
