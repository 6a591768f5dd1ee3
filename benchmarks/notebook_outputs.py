"""Compare what the interpreter knows of published notebooks with the outputs that they show.

    python benchmarks/notebook_outputs.py FOLDER ... [--most N] [--steps N] [--detail OUT.json]

Each FOLDER is a checkout with notebooks. Those whose execution counts rise from the first cell to
the last are followed in this order. The last expression of a cell is compared with the result that
the notebook shows, and what a ``print`` gets with what it wrote, where each line of the output
belongs to one ``print``. Nothing is executed, and the data need not be there: what depends on them
is not known. The verdicts are those of `followed_values.py`. Outputs of earlier cells are used as
they are for a failure (`notebook_runs.py`), those of the same cell are not.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from clean_programs import parse_folders
from followed_values import Following, Real, key_of, shown, verdict

from dl_bug_lsp.interpretation import notebook_runs
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Environment,
    Library,
    Method,
    Table,
    Value,
)
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.notebooks import Cell

VERDICTS = ("right", "partly", "wrong", "unknown", "missed")
_NAN = re.compile(r"\b(?:nan|inf)\b")
_TENSORFLOW = re.compile(r"<tf\.(?:Tensor|Variable)[^>]*?shape=(\([\d, ]*\)),? dtype=(\w+)")
_ARRAY = re.compile(
    r"(tensor|array|Array|DeviceArray|Parameter containing:\s*tensor)\((.*)\)\s*\Z", re.S
)
_DTYPE = re.compile(r"dtype=(?:torch\.|np\.|numpy\.|jnp\.)?['\"]?<?([a-zA-Z]\w*)")
_TABLE = re.compile(r"\[(\d+) rows x (\d+) columns\]\s*\Z")


@dataclass
class Compared:
    """The verdicts of one notebook; of the wrong and unknown values the places and both texts."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, int, str, str]] = field(default_factory=list)
    unknown: list[tuple[str, int, str, str]] = field(default_factory=list)


class Comparing(Following):
    """An interpreter that compares a shown value at once: after its cell, the output tells it."""

    def __init__(self, workspace: Workspace, notebook: str, reals: Mapping[str, Real], steps: int):
        """Prepare to follow a notebook; ``reals`` are the shown values by `key_of`."""
        super().__init__(workspace, notebook, [], steps=steps)
        self.reals = reals
        self.found: dict[str, tuple[str, str]] = {}

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to; the first time, compare it with what was shown."""
        result = super().value(node, env)
        key = key_of(env.file, node)
        if key in self.reals and key not in self.found:
            value = self.values_of[key]
            self.found[key] = (verdict_of(value, self.reals[key]), shown(value))
        return result


def real_of(text: str) -> Real | None:
    """Return a shown value in the form of `record_values.py`, None where it does not tell."""
    text = text.strip()
    if tensor := _TENSORFLOW.match(text):
        return {"kind": "array", "shape": list(ast.literal_eval(tensor[1])), "dtype": tensor[2]}
    if table := _TABLE.search(text):
        return {"kind": "rows", "rows": int(table[1]), "width": int(table[2])}
    if match := _ARRAY.match(text):
        return _array(match[2])
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        return _literal(ast.literal_eval(notebook_runs.as_plain(text)))
    return None


def _literal(value: object) -> Real | None:
    if value is None or type(value) in (bool, int, float, str):
        written = repr(value)[:200] if isinstance(value, (str, float)) else value
        return {"kind": "plain", "type": type(value).__name__, "value": written}
    if isinstance(value, (list, tuple, set, dict)):
        items = [_literal(one) for one in value] if isinstance(value, (list, tuple)) else None
        return {"kind": type(value).__name__, "length": len(value), "items": items}
    return None


def _array(inside: str) -> Real | None:
    """Return the shape and, where it is shown, the dtype of a printed array."""
    if "..." in inside:
        return None
    dtype = _DTYPE.search(inside)
    body = inside[: inside.rfind("]") + 1] or inside.partition(",")[0]
    numbers = _NAN.sub("0", re.sub(r"(?<=\d)\.(?=[\s,\]])", ".0", body)).replace("True", "1")
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        rows = ast.literal_eval(numbers.replace("False", "0") or "None")
        shape: list[int] = []
        while isinstance(rows, list):
            shape.append(len(rows))
            rows = rows[0] if rows else None
        return {"kind": "array", "shape": shape, "dtype": dtype[1] if dtype else ""}
    return None


def runs_in_order(cells: tuple[Cell, ...]) -> bool:
    """Return whether the counts of a notebook rise from its first cell to its last."""
    counts = [cell.execution_count for cell in cells if cell.execution_count is not None]
    return len(counts) > 1 and all(a < b for a, b in pairwise(counts))


def shown_in(cell: Cell, statements: list[ast.stmt]) -> Iterator[tuple[ast.expr, str]]:
    """Yield the expressions of a cell of which its outputs show the value, with the text."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.Expr) and cell.result:
        yield last.value, cell.result
    yield from notebook_runs.printed_by(cell, statements)


def compare(workspace: Workspace, notebook: str, steps: int) -> Compared | None:
    """Follow a notebook and compare it with its outputs; None where these tell nothing."""
    cells, tree = workspace.cells(notebook), workspace.tree(notebook)
    if tree is None or not runs_in_order(cells):
        return None
    owners = notebook_runs.statements_of(cells, tree.body)
    shows = [
        (node, real)
        for cell in cells
        for node, text in shown_in(cell, owners[cell.number])
        if (real := real_of(text)) is not None
    ]
    if not shows:
        return None
    run = Comparing(workspace, notebook, {key_of(notebook, n): r for n, r in shows}, steps)
    run.run()
    result = Compared()
    for node, real in shows:
        key = key_of(notebook, node)
        # What a model refuses is not known.
        missing = ("unknown", "") if key in run.values_of else ("missed", "")
        kind, ours = run.found.get(key, missing)
        result.counts[kind] += 1
        entry = (notebook, node.lineno, f"{ast.unparse(node)[:80]} = {ours}", str(real)[:120])
        if kind == "wrong":
            result.wrong.append(entry)
        elif kind == "unknown":
            gap = run.gaps.get(key, "")
            result.unknown.append((*entry[:2], f"{entry[2]} [{gap}]", entry[3]))
    return result


def verdict_of(value: Value, real: Real) -> str:
    """Return how a followed value compares with a shown one, item by item in a tuple."""
    data, items = value.data, real.get("items")
    if isinstance(data, (Method, Library)):
        return "unknown"  # An attribute of which there is no model, such as a version.
    if real["kind"] == "tuple" and isinstance(data, tuple) and items and len(items) == len(data):
        pairs = [(part, item) for part, item in zip(data, items, strict=True) if item is not None]
        kinds = [verdict_of(part, item) for part, item in pairs]
        return next((kind for kind in ("wrong", "unknown", "partly") if kind in kinds), "right")
    if isinstance(data, Table):
        if real["kind"] != "rows":
            return "partly"
        rows = data.rows.data
        if rows not in (real["rows"], UNKNOWN) or len(data.columns) != real["width"]:
            return "wrong"
        return "partly" if rows is UNKNOWN else "right"
    if real["kind"] == "list" and isinstance(data, Array):
        # A printed array has the form of a list, where it has one number.
        return "partly" if data.sizes is None or len(data.sizes) else "wrong"
    return verdict(value, real)


def main() -> None:
    """Compare the notebooks of all folders and print the counts."""
    options = parse_folders(__doc__, "notebooks", "wrong and unknown values")
    total: Counter[str] = Counter()
    notebooks = wrong_notebooks = 0
    details: dict[str, object] = {}
    for folder in options.folders:
        workspace = Workspace(folder, cache=False)
        names = [f for f in workspace.python_files() if f.endswith(".ipynb")][: options.most]
        for name in names:
            compared = compare(workspace, name, options.steps)
            if compared is None:
                continue
            notebooks += 1
            wrong_notebooks += bool(compared.wrong)
            total.update(compared.counts)
            details[f"{folder.name}/{name}"] = {
                "counts": compared.counts,
                "wrong": compared.wrong,
                "unknown": compared.unknown,
            }
    count = max(total.total(), 1)
    shares = ", ".join(f"{kind} {total[kind]} ({total[kind] / count:.3f})" for kind in VERDICTS)
    print(f"{notebooks} notebooks, {wrong_notebooks} with a wrong value; {count} values: {shares}")
    if options.detail is not None:
        options.detail.write_text(json.dumps(details, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
