"""Record what the expressions of this folder come to in the real libraries.

Run with an interpreter that has the libraries (``fixtures/requirements.txt``):
``python tests/interpretation/results/record.py numpy [EXPRESSION ...]``. The expressions that are
given are added; all are evaluated anew, each after the program's head.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
MOST_ITEMS = 20
MOST_TEXT = 400


def outlined(value: object, depth: int = 0) -> list[object]:
    """Return the outline of a value: plain ones whole, arrays by dtype and shape."""
    kind, module = type(value).__name__, type(value).__module__.partition(".")[0]
    if depth > 3:
        return ["deep"]
    if isinstance(value, float) and module == "builtins" and not math.isfinite(value):
        return ["plain", str(value)]
    if value is None or (isinstance(value, bool | int | float | str) and module == "builtins"):
        return ["plain", value]
    if module == "pandas" and kind == "DataFrame":
        return ["table", [str(name) for name in value.columns], len(value)]
    if module == "pandas" and (kind == "Series" or kind.endswith("Index")):
        return ["array", str(value.dtype), [len(value)]]
    if isinstance(value, set | frozenset):
        return ["set", sorted(map(str, value))]
    if isinstance(value, dict):
        items = list(value.items())[:MOST_ITEMS]
        return ["dict", {str(key): outlined(item, depth + 1) for key, item in items}]
    if isinstance(value, list | tuple) or kind == "TensorShape":
        return ["seq", [outlined(item, depth + 1) for item in list(value)[:MOST_ITEMS]]]
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        dtype = getattr(value.dtype, "name", None) or str(value.dtype).replace("torch.", "")
        try:
            return ["array", dtype, [None if n is None else int(n) for n in value.shape]]
        except (ValueError, TypeError):
            return ["array", dtype, None]
    return ["object", kind]


def recorded(head: str, expression: str) -> list[object]:
    """Return the outline of an expression, or the class of what it raises.

    After ``!`` it is a statement that sets ``result``.
    """
    names: dict[str, object] = {}
    statement = expression[1:] if expression.startswith("!") else f"result = {expression}"
    silent = io.StringIO()
    try:
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            exec(compile(f"{head}\n{statement}", expression, "exec"), names)
    except Exception as error:
        return ["raises", type(error).__name__]
    return outlined(names.get("result"))


def main() -> None:
    """Evaluate the expressions of one file anew, with those that are added."""
    warnings.simplefilter("ignore")
    path = HERE / f"{sys.argv[1]}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    head = "\n".join(data["head"])
    results = {one: recorded(head, one) for one in [*data["results"], *sys.argv[2:]]}
    kept = {one: r for one, r in results.items() if len(json.dumps(r)) <= MOST_TEXT}
    lines = ",\n".join(f"    {json.dumps(one)}: {json.dumps(r)}" for one, r in kept.items())
    start = json.dumps(data["head"], indent=2).replace("\n", "\n  ")
    text = f'{{\n  "head": {start},\n  "results": {{\n{lines}\n  }}\n}}\n'
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
