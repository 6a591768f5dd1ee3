"""Rules for pictures: transforms of which some make tensors and others forget to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.scopes import called_name

UNCONVERTED = re.compile(
    r"'(?:\w*Image\w*)' object has no attribute '"
    r"(?:ndim|shape|dtype|dim|unsqueeze|permute|view|reshape|float|to|cuda|numpy|flatten|mean)'"
    r"|found <class 'PIL\.|(?:[Gg]ot|given|type:?) (?:<class ')?PIL\.|Tensor Image\. Got"
    r"|[Tt]ensor as element \d+ in argument 0, but got \w*Image"
    r"|PIL\.\w+\.\w*Image\w*'?>? is not|not a torch image"
)
"""How frameworks say that they got a picture of Pillow where they want a tensor."""
TO_TENSOR = {
    *("ToTensor", "PILToTensor", "ToImage", "ToTensorV2", "pil_to_tensor", "to_tensor"),
    *("ToDtype", "ToNumpy", "ToArray", "ImageToTensor", "ConvertImageDtype"),
}
CHAINS = {"Compose", "Sequential"}
MOST_FILES = 30


def find_unconverted(case: Case) -> Iterator[Clue]:
    """Yield chains of transforms that make no tensor, where chains beside them make one."""
    if not UNCONVERTED.search(case.message):
        return
    lacking: list[tuple[str, ast.Call]] = []
    converting: list[tuple[str, ast.Call]] = []
    for file in case.code_files[:MOST_FILES]:
        tree = case.workspace.tree(file)
        if tree is None or "ToTensor" not in (case.workspace.text(file) or ""):
            continue
        named = _named(tree)
        for chain in _outermost(tree):
            (converting if _converts(chain, named) else lacking).append((file, chain))
    files = {file for file, _ in converting}
    found = [(file, chain) for file, chain in lacking if file in files]
    for file, chain in found:
        why = f"`{called_name(chain)}` makes no tensor of the picture, as the others beside it do"
        score = 1.0 / len(found) ** 0.5
        yield Clue("rules.strong", file, chain.lineno, score, why)


def _named(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """Return what is assigned to each plain name of a file."""
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    named.setdefault(target.id, []).append(node.value)
    return named


def _outermost(tree: ast.Module) -> list[ast.Call]:
    """Return the chains of transforms that are no part of another one, by name neither."""
    chains = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called_name(node) in CHAINS and node.args
    ]
    inner: set[ast.AST] = set()
    used: set[str] = set()
    for chain in chains:
        for node in ast.walk(chain.args[0]):
            inner.add(node)
            if isinstance(node, ast.Name):
                used.add(node.id)
    parts = {value for name, values in _named(tree).items() if name in used for value in values}
    return [chain for chain in chains if chain not in inner and chain not in parts]


def _converts(node: ast.AST, named: dict[str, list[ast.expr]], depth: int = 4) -> bool:
    """Whether a tensor is made somewhere in an expression, or in what its names stand for."""
    for part in ast.walk(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            name = part.id if isinstance(part, ast.Name) else part.attr
            if name in TO_TENSOR:
                return True
            if depth and isinstance(part, ast.Name):
                held = named.get(name, ())
                if any(_converts(v, named, depth - 1) for v in held if v is not node):
                    return True
    return False
