"""Record what IPython prints of failing cells: `python record_notebooks.py OUT.json`.

Runs `CELLS` in a real kernel of the environment's IPython and adds the tracebacks, without colours,
to OUT.json under IPython's version. Needs ipykernel, nbclient and numpy. The test beside this file
reads what was recorded.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

DEFINITIONS = """import numpy as np
def inner(x):
    y = x + 1

    return np.ones((2, 3)) @ y

class Net:
    def __init__(self):
        self.k = 1
    def forward(self, x):
        z = inner(x)
        return z
    __call__ = forward

def deco(f):
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper

@deco
def decorated(x):
    return inner(x)

def gen(n):
    for k in range(n):
        yield inner(np.ones(k + 5))

class Shown:
    def _repr_html_(self):
        return inner(np.ones(6))
"""
OWN = -1
"""The failing cell itself, where its frames are listed."""
CELLS: list[tuple[str, list[tuple[int, int]]]] = [
    (DEFINITIONS, []),
    (
        "for i in range(3):\n    a = i\n    net = Net(); net(np.ones((4,)))",
        [(OWN, 3), (0, 11), (0, 5)],
    ),
    ("net = Net()\n\nnet(np.ones((4, 5)))\nb = 3", [(OWN, 3), (0, 11), (0, 5)]),
    ("%%time\nx = 1\ninner(np.ones(5))", [(OWN, 3), (0, 5)]),
    ("v = [inner(np.ones(k)) for k in range(5, 6)]", [(OWN, 1), (OWN, 1), (0, 5)]),
    ("f = lambda q: inner(q)\nlist(map(f, [np.ones(9)]))", [(OWN, 2), (OWN, 1), (0, 5)]),
    ("first = 1\nfor out in gen(3):\n    print(out)", [(OWN, 2), (0, 26), (0, 5)]),
    ("first = 2\nnet(\n    np.ones(\n        (4, 5)\n    ),\n)", [(OWN, 2), (0, 11), (0, 5)]),
    ("def broken(:\n    pass", [(OWN, 1)]),
    ("x = 1\ny = undefined_thing + x", [(OWN, 2)]),
    ("d = {'a': 1}\n\nprint(d['b'])", [(OWN, 3)]),
    ("%%capture\nx = 1\ninner(np.ones(8))", [(OWN, 3), (0, 5)]),
    ("x = 1\n%time inner(np.ones(8))", [(OWN, 2), (0, 5)]),
    ("!true\nx = 3\ninner(np.ones(8))", [(OWN, 3), (0, 5)]),
    ("decorated(np.ones(11))", [(OWN, 1), (0, 17), (0, 22), (0, 5)]),
    ("x = 5\nraise ValueError('''first line\n\n  second: line\nthird''')", [(OWN, 2)]),
    ("x = 4\nassert x == 5, 'not five'", [(OWN, 2)]),
    ("Shown()", [(0, 30), (0, 5)]),
    ("if True:\n    x = 4\n    if x:\n        inner(np.ones(12))", [(OWN, 4), (0, 5)]),
    ("async def job():\n    return inner(np.ones(13))\nawait job()", [(OWN, 3), (OWN, 2), (0, 5)]),
    ("exec('q = 1\\ninner(np.ones(14))')", [(OWN, 1), (0, 5)]),
    ("try:\n    {}['k']\nexcept KeyError:\n    inner(np.ones(16))", [(OWN, 4), (0, 5)]),
    ("int('abc')", [(OWN, 1)]),
    ("x = np.zeros(3)\nx[7]", [(OWN, 2)]),
    ("%%time\ny = = 2", [(OWN, 2)]),
    ("%%timeit -n 1 -r 1\n\nx = 7\nif x:\ny = 2", [(OWN, 5)]),
    ("%%prun -q\nx = 8\ny = = 3", [(OWN, 3)]),
    ("%%capture\nx = 9\ny = = 4", [(OWN, 3)]),
    ("x = 10\n%time y = = 5", [(OWN, 2)]),
]
"""Cells, and the frames of the notebook that each shows: number of the cell and line, from 1."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def main() -> None:
    """Run the cells and add what was printed of them."""
    import IPython
    import nbformat
    from nbclient import NotebookClient

    out = Path(sys.argv[1])
    recorded = json.loads(out.read_text("utf-8")) if out.exists() else {}
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source, _ in CELLS]
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, allow_errors=True, resources=resources).execute()
    logs = []
    for cell in notebook.cells:
        errors = [o for o in cell.outputs if o.output_type == "error"]
        text = _COLOUR.sub("", "\n".join(errors[0].traceback)) if errors else ""
        logs.append(re.sub(r"/\S*?/(?=(?:site|dist)-packages/)", "/opt/python/lib/", text))
    recorded[IPython.__version__] = logs
    out.write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
