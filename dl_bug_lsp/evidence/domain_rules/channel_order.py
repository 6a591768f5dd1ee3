"""The order of channels in the shape that a Keras network is told its images have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files, source
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import called_name

MOST_FILES = 30
CHANNELS = (1, 3, 4)
"""Channels of grey, coloured and transparent images."""
STATING = {"Input", "InputLayer", "Conv2D", "SeparableConv2D", "DepthwiseConv2D", "MaxPooling2D"}
OF_SHAPES = ("shape", "input_shape", "batch_shape", "batch_input_shape")
CHANNELS_FIRST = re.compile(r"channels_first|image_data_format|set_image_dim_ordering")
FEW_STEPS = 4
"""Names that a shape is handed through."""


def find_channel_order(case: Case) -> Iterator[Clue]:
    """Yield shapes that are written with the channels first where nothing asks for that.

    Keras takes images with the channels last (``data_format`` of `Conv2D`, "channels_last" by
    default).
    """
    if case.category.id not in ("tensor_mismatch", "illegal_argument"):
        return
    files = near_files(case)[:MOST_FILES]
    if any(CHANNELS_FIRST.search(case.workspace.text(file) or "") for file in files):
        return
    for file in files:
        tree = case.workspace.tree(file)
        if tree is None or "keras" not in (case.workspace.text(file) or ""):
            continue
        maps = any(called_name(call) == "Conv2D" for call in calls_in(tree))
        for call in calls_in(tree) if maps else ():
            yield from _stated(case, file, call)


def _stated(case: Case, file: str, call: ast.Call) -> Iterator[Clue]:
    if called_name(call) not in STATING:
        return
    told = next((k for name in OF_SHAPES if (k := keyword(call, name)) is not None), None)
    if told is None and called_name(call) == "Input" and call.args:
        told = call.args[0]
    scope = case.engine.program.scope_at(file, call.lineno)
    if told is None or scope is None:
        return
    node = _written(case.engine.node(told, case.engine.open_context(scope)))
    expr = node.expr
    if not isinstance(expr, (ast.Tuple, ast.List)) or node.line <= 0:
        return
    sizes = [_whole(node, part) for part in expr.elts][-3:]
    known = [size for size in sizes if size is not None]
    if len(sizes) != 3 or len(known) != 3:
        return
    if known[0] in CHANNELS and min(known[1:]) > max(CHANNELS) and known[1] == known[2]:
        last = f"({known[1]}, {known[2]}, {known[0]})"
        why = f"`{source(expr)}` has the channels first; Keras takes them last by default: {last}"
        yield Clue("rules.strong", node.file, node.line, 1.0, why)


def _written(node: Node) -> Node:
    """Return where a shape is written, following the names that hand it on."""
    for _ in range(FEW_STEPS):
        made = [one for role, one in node.inputs if role == "definition"]
        if isinstance(node.expr, (ast.Tuple, ast.List)) or len(made) != 1:
            break
        node = made[0]
    return node


def _whole(node: Node, part: ast.expr) -> int | None:
    values = {c.value for c in node.engine.node(part, node.context).constants}
    found = next(iter(values)) if len(values) == 1 else None
    return found if type(found) is int else None
