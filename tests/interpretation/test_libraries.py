"""The models of libraries register the same, in whichever order their modules are imported."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import dl_bug_lsp.interpretation

PACKAGE = Path(dl_bug_lsp.interpretation.__file__).parent
ROOM_NAME = "dl_bug_lsp.interpretation"
RECORD = """
import json, sys
from collections import defaultdict
from dl_bug_lsp.interpretation import libraries
from dl_bug_lsp.interpretation.models import MODELS

registering = defaultdict(list)

class Recorded(dict):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def note(self, key):
        frame = sys._getframe(2)
        while frame.f_code.co_name != "<module>":
            frame = frame.f_back
        registering[f"{self.table} {key}"].append(frame.f_globals["__name__"])

    def __setitem__(self, key, model):
        self.note(key)
        super().__setitem__(key, model)

    def setdefault(self, key, model):
        self.note(key)
        return super().setdefault(key, model)

for table in ("functions", "objects", "methods", "attributes", "subscripts"):
    setattr(MODELS, table, Recorded(table))
libraries.load()
print(json.dumps({"registering": registering, "loaded": sorted(sys.modules)}))
"""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join((ROOM_NAME, *parts)).removesuffix(".__init__")


MODULES = {name_of(path): path for path in PACKAGE.rglob("*.py")}


@cache
def imported_by(module: str) -> frozenset[str]:
    """Return the modules of the package that a module imports while it loads, also indirectly."""
    direct: set[str] = set()
    for node in ast.parse(MODULES[module].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            direct.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            direct.update((node.module, *(f"{node.module}.{a.name}" for a in node.names)))
    direct &= MODULES.keys()
    return frozenset(direct.union(*(imported_by(name) for name in direct)))


def test_a_module_that_replaces_a_model_imports_the_module_that_registered_it() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", RECORD], capture_output=True, text=True, check=True
    ).stdout
    seen = json.loads(printed)
    assert len(seen["registering"]) > 10_000
    wrong = {
        (earlier, later, name)
        for name, modules in seen["registering"].items()
        for earlier, later in pairwise(modules)
        if earlier != later and earlier not in imported_by(later)
    }
    assert sorted(wrong) == []
    assert MODULES.keys() - {*seen["loaded"]} <= {
        name for name in MODULES if not name.startswith(f"{ROOM_NAME}.libraries.")
    }
