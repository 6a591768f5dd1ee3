"""Rules for packages that exist twice: a class of one is no class of the other.

`lightning` and `pytorch_lightning` hold the same classes, each its own; an object of one is refused
by the other, with a message that names a class which the object seems to have. Sources: Lightning's
"2.0 migration guide", Keras' "Getting started" (Keras 2 as `tf_keras`), Gymnasium's "Migration
guide", Pydantic's "Migration guide" (`pydantic.v1`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files

TWINS: tuple[tuple[str, ...], ...] = (
    ("lightning", "pytorch_lightning"),
    ("lightning_fabric", "lightning.fabric"),
    ("keras", "tf_keras"),
    ("keras", "tensorflow.python.keras"),
    ("tensorflow.keras", "tf_keras"),
    ("tensorflow.keras", "tensorflow.python.keras"),
    ("gym", "gymnasium"),
    ("torch.utils.tensorboard", "tensorboardX"),
    ("pydantic", "pydantic.v1"),
)
"""Packages whose classes have the same names and are not the same."""
REFUSES = re.compile(
    r"must be (?:an?|of)\b|instances? of|is not an? |[Ee]xpected .{0,80}\b(?:instance|type|class)\b"
    r"|subclass|should be an?\b|inherit|not of type|is of type"
)
"""How a library says that an object has not the class that it wants."""


def find_twins(case: Case) -> Iterator[Clue]:
    """Yield imports of a package beside its twin, where an object is refused for its class."""
    if not REFUSES.search(case.message):
        return
    imports = _imports(case)
    raising = {part for f in case.failure.frames for part in _library(f.file)}
    for twins in TWINS:
        uses = {twin: [i for i in imports if _is_of(i[2], twin, twins)] for twin in twins}
        if not all(uses.values()):
            continue
        refused = [twin for twin in twins if twin.partition(".")[0] not in raising] or list(twins)
        if len(refused) == len(twins):
            refused = sorted(twins, key=lambda twin: (len(uses[twin]), twin))[:1]
        for twin in refused:
            other = next(t for t in twins if t != twin)
            for file, line, name in uses[twin]:
                why = f"`{name}` comes from `{twin}`, while `{other}` is used beside it"
                yield Clue("rules.strong", file, line, 1.0 / len(uses[twin]) ** 0.5, why)


def _is_of(module: str, twin: str, twins: tuple[str, ...]) -> bool:
    """Whether a module lies in a package, and not in a twin that lies in that."""
    deeper = [t for t in twins if t != twin and t.startswith(f"{twin}.")]
    inside = module == twin or module.startswith(f"{twin}.")
    return inside and not any(module == t or module.startswith(f"{t}.") for t in deeper)


def _imports(case: Case) -> list[tuple[str, int, str]]:
    """Return (file, line, module) of what the program's files import."""
    found: list[tuple[str, int, str]] = []
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Import):
                found.extend((file, node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                modules = names & {twin for twins in TWINS for twin in twins} or {node.module}
                found.extend((file, node.lineno, module) for module in sorted(modules))
    return found


def _library(path: str) -> list[str]:
    """Return the package that a frame of a library lies in."""
    parts = re.split(r"[/\\]+", path)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return parts[parts.index(folder) + 1 :][:1]
    return []
