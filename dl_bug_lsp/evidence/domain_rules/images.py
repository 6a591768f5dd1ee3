"""Rules for images: those that no transform makes a tensor, and the order of their channels."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files, source
from dl_bug_lsp.provenance.nodes import Node, StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step

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


LABEL_PICTURES = re.compile(r"(?i)mask|label|seg(?!ment_len)|annot|target|ground_?truth|\bgt\b")
RESIZING = {"interpolate", "resize", "Resize", "zoom", "rotate", "affine", "warpAffine", "upsample"}
SMOOTH = re.compile(
    r"(?i)bilinear|bicubic|trilinear|lanczos|inter_(?:linear|cubic|area)|antialias=True"
)
NEAREST = re.compile(r"(?i)nearest|order=0")
OF_LABELS = re.compile(r"(?i)target|label|class|index|bincount|one_hot|out of (?:bounds|range)")


def find_interpolated_labels(case: Case) -> Iterator[Clue]:
    """Yield where a picture of labels is resized by mixing neighbours, which makes other labels.

    (torchvision, "Transforming and augmenting images": masks take the nearest neighbour.)
    """
    if case.category.id != "illegal_index" and not OF_LABELS.search(case.message):
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for function in ast.walk(tree) if tree is not None else ():
            if not isinstance(function, ast.FunctionDef):
                continue
            holders = {
                target.id
                for node in ast.walk(function)
                if isinstance(node, ast.Assign) and LABEL_PICTURES.search(source(node.value))
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for call in calls_in(function):
                words = source(call)
                if called_name(call) not in RESIZING or not SMOOTH.search(words):
                    continue
                given = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
                if call.args and (given & holders or LABEL_PICTURES.search(source(call.args[0]))):
                    why = "labels are resized here by mixing neighbours, which makes other labels"
                    yield Clue("rules.strong", file, call.lineno, 1.0, why)


CLASS_BEYOND = re.compile(
    r"Class values must be (?:smaller than num_classes|non-negative)|Target -?\d+ is out of bounds"
    r"|t >= 0 && t < n_classes|cur_target >= 0 && cur_target < n_classes"
    r"|valid range \[0, \d+\)|is out of bounds for (?:dimension|axis) \d+ with size"
)
"""How losses and lookups say that the number of a class is beyond the greatest."""
READING = frozenset(
    ("imread", "read_image", "decode_image", "decode_png", "load_img", "decode_file", "imdecode")
)
CONVERTING = frozenset(
    (
        *("array", "asarray", "ascontiguousarray", "from_numpy", "tensor", "as_tensor", "long"),
        *("int", "astype", "to", "squeeze", "unsqueeze", "contiguous", "copy", "clone", "view"),
        *("type", "LongTensor", "convert", "flip", "fliplr", "flipud", "crop", "PILToTensor"),
        *("pil_to_tensor", "reshape", "flatten", "permute", "transpose", "cuda", "cpu", "stack"),
        *("cast", "convert_to_tensor", "resize"),
    )
)
"""Calls that leave the values of pixels as they are."""
KEPT_AS_IT_IS = ("definition", "return", "item", "attribute", "stored", "base", "part")
TO_WHOLE = frozenset(("long", "int", "LongTensor", "tensor", "as_tensor", "cast", "astype", "to"))


def find_pixels_as_classes(case: Case) -> Iterator[Clue]:
    """Yield where the values of a picture become numbers of classes as they are.

    Masks often mark a class by a shade, as 0 and 255, and not by its number.
    """
    if not CLASS_BEYOND.search(case.message):
        return
    seen: set[tuple[str, int]] = set()
    for step in case.stack_steps:
        if step.node.entry is not None or not _reads_picture(step.node.expr):
            continue
        made = _unmapped(step)
        place = (made.file, made.line) if made is not None else None
        if made is None or place is None or place in seen or made.line <= 0:
            continue
        seen.add(place)
        why = f"`{made.text}` takes the values of a picture's pixels for numbers of classes"
        yield Clue("rules.strong", *place, 1.0 / len(seen) ** 0.5, why)


def _reads_picture(expr: ast.AST) -> bool:
    if not isinstance(expr, ast.Call):
        return False
    name = called_name(expr)
    return name in READING or (name == "open" and source(expr.func).endswith("Image.open"))


def _unmapped(step: Step) -> Node | None:
    """Return what makes whole numbers of pixels; None where something else is done with them."""
    converted: Node | None = None
    for link in step.way():
        before = link.before
        if before is None or not link.roles:
            continue
        expr = before.node.expr
        role = link.roles[-1]
        if before.before is None:
            # Where the numbers are used, they are an index or what a loss is given.
            if role != "index" and not role.startswith("argument"):
                return None
            continue
        if isinstance(expr, ast.Call) and role not in KEPT_AS_IT_IS:
            if called_name(expr) not in CONVERTING:
                return None
            if called_name(expr) in TO_WHOLE and converted is None:
                converted = before.node
        elif role not in KEPT_AS_IT_IS or before.node.kind is StepKind.ARITHMETIC:
            return None
    return converted or step.node
