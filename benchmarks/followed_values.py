"""Compare what the interpreter knows of programs with what they really compute.

    python benchmarks/followed_values.py --python PYTHON FOLDER ... [--totals] [--detail OUT.json]
                                         [--failing N]

A FOLDER holds cases with a ``workspace`` and a command (``truth.json`` or ``command.txt``) that
starts a Python script. PYTHON runs each in a copy with its expressions noted (`record_values.py`;
kept for the next time), and `Interpreter` follows it without its log. Of each expression that ran,
the first value that was followed is compared with the first ones that were real:

right     plain values, shapes and lengths agree
partly    the same, as far as they are known: a dimension or the dtype is not
wrong     something disagrees; values that are drawn by chance mostly do
missed    the run came to it, the interpreter did not
unknown   nothing is known of the value

A *gap* is an unknown value of which all parts are known: something that the models lack.
``--detail`` writes the gaps and the places of the rest. Folders that are only counted get
``--totals``.

With ``--failing N`` each program is followed as a failing run is: N times, each towards the line of
another function of which the recording has the stack, and the expressions of that line are
compared. A line is *reached* where the run came to it with no frame entered from outside.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from record_values import STACKS

from dl_bug_lsp.interpretation.calls import kind_of
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.opaque_packages import without_opaque
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Environment,
    Instance,
    Library,
    LibraryObject,
    Origin,
    Raised,
    Table,
    Value,
    rest_of,
)
from dl_bug_lsp.workspace import Workspace

RECORDER = Path(__file__).with_name("record_values.py")
RECORDINGS = Path(tempfile.gettempdir()) / "dl-bug-lsp-recorded-stacks"
SECONDS = 120
BEST_FIRST = ("right", "partly", "wrong", "missed", "unknown")
CONTAINERS = ("list", "dict", "set", "tuple")
Real = dict[str, Any]
"""What `record_values.py` writes of one value."""


@dataclass(frozen=True)
class Outline:
    """A container as it was when its expression was followed: later it may hold more."""

    kind: str
    length: int | None


class Following(Interpreter):
    """An interpreter that keeps what expressions came to first, and what it has no model for."""

    GUESSES = False

    def __init__(
        self,
        workspace: Workspace,
        script: str,
        words: Sequence[str],
        stack: Sequence[Origin] = (),
        **options: Any,
    ) -> None:
        """Prepare to follow ``script`` with the words of its command line, towards a stack."""
        frames = without_opaque(tuple(stack)) if stack else ()
        target = frames[-1] if frames else ("", 0)
        arguments = [Value(word) for word in words]
        super().__init__(workspace, script, target, arguments, frames=frames, **options)
        self.values_of: dict[str, Value] = {}
        self.gaps: dict[str, str] = {}
        self.refusals: dict[str, str] = {}

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to, and keep it."""
        key = key_of(env.file, node)
        try:
            result = super().value(node, env)
        except Raised as raised:
            if key not in self.values_of:
                self.values_of[key] = Value(UNKNOWN)
                if raised.place is None:
                    self.refusals[key] = f"{raised.what}: {raised.message}"
            raise
        if key not in self.values_of:
            data = result.data
            if isinstance(data, Table):
                kept = Value(Table(dict(data.columns), data.rows))
            elif isinstance(data, (list, dict, set)):
                kept = Value(_outline(data))
            else:
                kept = result
            self.values_of[key] = kept
            if data is UNKNOWN and (gap := self._gap(node, env)):
                self.gaps[key] = gap
        return result

    def truth(self, node: ast.expr, env: Environment) -> bool | None:
        """Return whether a condition holds, and keep that."""
        holds = super().truth(node, env)
        known = Value(UNKNOWN if holds is None else holds)
        self.values_of.setdefault(key_of(env.file, node), known)
        return holds

    def _gap(self, node: ast.expr, env: Environment) -> str:
        """Return what has no model where all parts of an unknown expression are known."""
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        if isinstance(node, ast.Call):
            parts += [keyword.value for keyword in node.keywords]
        values = [
            self.values_of.get(key_of(env.file, part))
            for part in parts
            if not isinstance(part, ast.Starred)
        ]
        kinds = [self._kind(value) for value in values if value is not None and value.known]
        if len(kinds) != len(values) or isinstance(node, ast.Name):
            return ""
        if isinstance(node, ast.Call):
            return f"call {kinds[0]}({', '.join(kinds[1:])})"
        if isinstance(node, ast.Attribute):
            return f"attribute {kinds[0]}.{node.attr}"
        return f"{type(node).__name__} {' '.join(kinds)}"

    def _kind(self, value: Value) -> str:
        data = value.data
        if isinstance(data, (Library, LibraryObject)):
            return data.name
        if isinstance(data, Instance):
            bases = ",".join(self.library_bases(data.cls))
            return f"object of a subclass of {bases}" if bases else "object of the program"
        if isinstance(data, Array):
            return f"{data.library} array" + ("" if data.shape is not None else " of unknown shape")
        receiver, name = getattr(data, "receiver", None), getattr(data, "name", "")
        if isinstance(receiver, Value) and name:
            return f"{self._kind(receiver)}.{name}"
        return data.kind if isinstance(data, Outline) else kind_of(value)


class Towards(Following):
    """An interpreter that may guess what leads to its line, as for a failure."""

    GUESSES = True


@dataclass
class Comparison:
    """What was followed of one program: counts, and by ``file:line:column:line:column`` the rest.

    ``wrong`` holds the followed and the real value. ``lines`` counts the lines that a run was
    followed to, ``reached`` and ``right_lines`` those of them that it came to by itself and of
    which everything is known.
    """

    case: str
    counts: Counter[str] = field(default_factory=Counter)
    gaps: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lines: int = 0
    reached: int = 0
    right_lines: int = 0
    steps: int = 0

    @property
    def known(self) -> float:
        """The share of expressions whose value is right, as far as it is known."""
        return (self.counts["right"] + self.counts["partly"]) / max(self.counts.total(), 1)


def compare(case: Path, python: str, failing: int = 0) -> Comparison | None:
    """Return how a program was followed, None where its command starts no Python script.

    With ``failing`` that many runs towards a line each, else one of the whole program.
    """
    words = _words(case)
    recorded = _recorded(case, words, python) if words else {}
    if not words or not recorded:
        return None
    values = {key: found for key, found in recorded.items() if key != STACKS}
    workspace = Workspace(case / "workspace", cache=False)
    comparison = Comparison(str(case))
    if not failing:
        following = Following(workspace, words[0], words[1:])
        following.run()
        _compare_values(comparison, following, values)
        return comparison
    for stack in _spread(recorded[STACKS], failing):
        towards = Towards(workspace, words[0], words[1:], stack)
        outcome = towards.run()
        file, line = stack[-1]
        of_line = {k: v for k, v in values.items() if k.startswith(f"{file}:{line}:")}
        before = Counter(comparison.counts)
        _compare_values(comparison, towards, of_line)
        comparison.lines += 1
        comparison.reached += towards.reach.alone
        comparison.right_lines += not sum(
            comparison.counts[kind] - before[kind] for kind in ("wrong", "missed", "unknown")
        )
        comparison.steps += outcome.steps
    return comparison


def _spread(stacks: Sequence[Any], most: int) -> list[tuple[Origin, ...]]:
    """Return up to ``most`` stacks with a call in them, evenly over the order of the run."""
    deep = [tuple((file, line) for file, line in stack) for stack in stacks if len(stack) > 1]
    count = min(most, len(deep))
    return [deep[(2 * number + 1) * len(deep) // (2 * count)] for number in range(count)]


def _compare_values(
    comparison: Comparison, following: Following, recorded: dict[str, list[Real]]
) -> None:
    for key, real_values in recorded.items():
        value = following.values_of.get(key)
        if value is None:
            comparison.counts["missed"] += 1
            comparison.missed.append(key)
            continue
        best = min((verdict(value, real) for real in real_values), key=BEST_FIRST.index)
        comparison.counts[best] += 1
        if best == "wrong":
            comparison.wrong.append((key, shown(value), str(real_values[0])[:160]))
        elif best == "unknown":
            comparison.unknown.append(key)
    comparison.gaps |= {k: v for k, v in following.gaps.items() if k in recorded}
    comparison.refusals |= {k: v for k, v in following.refusals.items() if k in recorded}


def key_of(file: str, node: ast.expr) -> str:
    """Return the key of an expression in what was recorded."""
    return f"{file}:{node.lineno}:{node.col_offset}:{node.end_lineno}:{node.end_col_offset}"


def _outline(data: list[Value] | dict[Any, Value] | set[Any]) -> Outline:
    kind = next(one.__name__ for one in (list, dict, set) if isinstance(data, one))
    return Outline(kind, len(data) if rest_of(data) is None else None)


def verdict(value: Value, real: Real) -> str:
    """Return how a followed value compares with a real one."""
    data, kind = value.data, real["kind"]
    if data is UNKNOWN:
        return "unknown"
    if isinstance(data, Array):
        return _array_verdict(data, real)
    if data is None or isinstance(data, (bool, int, float, str)):
        return _plain_verdict(data, real)
    if isinstance(data, (Outline, tuple)):
        length = data.length if isinstance(data, Outline) else len(data)
        if length is None:
            return "partly" if kind in CONTAINERS or kind == "object" else "wrong"
        if kind in CONTAINERS:
            return "right" if real["length"] == length else "wrong"
        return "wrong" if kind != "object" else "partly"
    if isinstance(data, Table):
        if kind != "table" or [str(name) for name in data.columns] != real["columns"]:
            return "wrong" if kind != "object" else "partly"
        rows = data.rows.data
        return "right" if rows == real["rows"] else "partly" if rows is UNKNOWN else "wrong"
    return "right" if kind not in ("array", "table", "plain") else "wrong"


def _array_verdict(data: Array, real: Real) -> str:
    if real["kind"] == "plain":
        return "right" if data.shape == () else "partly" if data.shape is None else "wrong"
    if real["kind"] != "array":
        return "partly" if real["kind"] == "object" else "wrong"
    dtype = str(real["dtype"]).removeprefix("<dtype: '").removesuffix("'>").rpartition(".")[2]
    number = dtype.startswith(("int", "float", "bool", "bfloat", "uint", "complex"))
    if number and data.dtype not in (None, "object") and dtype != data.dtype:
        return "wrong"
    if data.sizes is None:
        return "partly"
    pairs = list(zip(data.sizes, real["shape"], strict=False))
    if len(data.sizes) != len(real["shape"]) or any(None not in p and p[0] != p[1] for p in pairs):
        return "wrong"
    return "right" if None not in data.sizes and data.dtype is not None else "partly"


def _plain_verdict(data: float | str | None, real: Real) -> str:
    if real["kind"] != "plain":
        return "partly" if real["kind"] == "object" or real.get("shape") == [] else "wrong"
    if isinstance(data, float) and real["type"] == "float":
        number = float(real["value"])
        close = abs(data - number) <= 1e-6 * max(abs(data), abs(number))
        return "right" if data == number or close or math.isnan(data) else "wrong"
    followed = repr(data)[:200] if isinstance(data, (str, float)) else data
    return "right" if followed == real["value"] else "wrong"


def shown(value: Value) -> str:
    """Return a short text of a followed value."""
    data = value.data
    if isinstance(data, Array):
        return f"array {data.sizes} {data.dtype} {data.library}"
    if isinstance(data, (Library, LibraryObject)):
        return data.name
    plain = data is None or isinstance(data, (bool, int, float, str, Outline))
    return repr(data)[:100] if plain else kind_of(value)


def _words(case: Path) -> list[str]:
    """Return a case's command after ``python``, empty where it starts no script."""
    text = ""
    if (case / "command.txt").is_file():
        text = (case / "command.txt").read_text()
    elif (case / "truth.json").is_file():
        text = json.loads((case / "truth.json").read_text()).get("command") or ""
    words: list[str] = []
    with suppress(ValueError):
        words = shlex.split(text.partition("2>&1")[0].partition("|")[0])
    while words and "=" in words[0]:
        words = words[1:]
    if not words or not Path(words[0]).name.startswith("python"):
        return []
    words = [word for word in words[1:] if word != "-u"]
    return words if words and words[0].endswith(".py") else []


def _recorded(case: Path, words: Sequence[str], python: str) -> dict[str, list[Any]]:
    """Run a case in a copy of its workspace, once; return what its expressions came to."""
    out = RECORDINGS / (str(case.resolve()).replace("/", "+") + ".json")
    if not out.is_file():
        RECORDINGS.mkdir(exist_ok=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        if (case / "pythonpath.txt").is_file():
            environment["PYTHONPATH"] = (case / "pythonpath.txt").read_text().strip()
        with tempfile.TemporaryDirectory() as folder, suppress(subprocess.TimeoutExpired):
            root = Path(folder, "workspace")
            shutil.copytree(case / "workspace", root)
            command = [python, str(RECORDER), str(out), str(root), *words]
            subprocess.run(
                command,
                cwd=root,
                env=environment,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        if not out.is_file():
            out.write_text("{}")
    recorded: dict[str, list[Any]] = json.loads(out.read_text())
    return recorded


def _cases(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        for case in sorted(folder.iterdir()):
            if (case / "workspace").is_dir():
                yield case


def main() -> int:
    """Compare the programs of the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", required=True, help="an interpreter that has the frameworks")
    parser.add_argument("--only", default="", help="a part of the names of cases")
    parser.add_argument("--totals", action="store_true", help="print no case")
    parser.add_argument("--detail", type=Path)
    parser.add_argument("--failing", type=int, default=0, help="lines of each program to follow to")
    options = parser.parse_args()
    python = str(Path.cwd() / options.python)
    comparisons: list[Comparison] = []
    for case in _cases(options.folders):
        comparison = compare(case, python, options.failing) if options.only in case.name else None
        if comparison is None or not comparison.counts:
            continue
        comparisons.append(comparison)
        counts = comparison.counts
        if not options.totals:
            shares = " ".join(f"{kind} {counts[kind] / counts.total():.2f}" for kind in BEST_FIRST)
            lines = f", {comparison.right_lines} of {comparison.lines} lines" * bool(
                options.failing
            )
            print(f"{case.name:40} {shares} of {counts.total()}{lines}", flush=True)
    totals = sum((comparison.counts for comparison in comparisons), Counter[str]())
    if not totals:
        print("no program ran", file=sys.stderr)
        return 1
    print(f"{len(comparisons)} programs, {totals.total()} expressions")
    print(" ".join(f"{kind} {totals[kind] / totals.total():.3f}" for kind in BEST_FIRST))
    if options.failing:
        lines = sum(comparison.lines for comparison in comparisons)
        reached = sum(comparison.reached for comparison in comparisons)
        right = sum(comparison.right_lines for comparison in comparisons)
        print(f"{lines} lines: reached {reached / lines:.3f}, all known {right / lines:.3f}")
    shares_known = [comparison.known for comparison in comparisons]
    mean, median = statistics.mean(shares_known), statistics.median(shares_known)
    print(f"right or partly, of each program: mean {mean:.3f}, median {median:.3f}")
    if options.detail:
        options.detail.write_text(json.dumps([vars(one) for one in comparisons]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
