"""Data that cannot be learnt from: wrong ranges, wrong axes, samples that are all the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.domain_rules.training_nodes import OPERATIONS
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, text
from dl_bug_lsp.provenance.scopes import Scope

IMAGES = ("imread", "decode_image", "decode_png", "decode_jpeg", "image_dataset_from_directory",
          "load_img", "read_image", "imdecode")  # fmt: skip
TO_UNIT = ("ToTensor", "to_tensor", "img_to_float", "convert_image_dtype", "ToDtype", "Rescaling",
           "img_as_float", "preprocess_input", "per_image_standardization", "Normalization",
           "AutoImageProcessor", "from_pretrained")  # fmt: skip

HARMS = re.compile(r"noise|jitter|mask_?(?:prob|ratio)|erase|corrupt|flip_?label")


def find(training: Training) -> Iterator[Clue]:
    """Yield what makes inputs or targets useless."""
    yield from _ranges(training)
    yield from _standardised(training)
    yield from _augmentation(training)


def _divides_by_255(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and isinstance(node.right, ast.Constant)
        and node.right.value in (255, 255.0, 256.0, 127.5)
    )


def _ranges(training: Training) -> Iterator[Clue]:
    divided: list[tuple[Scope, ast.AST]] = []
    for module in training.modules:
        operations = training.nodes(module, OPERATIONS)
        divided.extend((module, n) for n in operations if _divides_by_255(n))
    rescaled = [
        (s, c)
        for s, c in training.named("Rescaling")
        if "255" in ast.unparse(c) or "127" in ast.unparse(c)
    ]
    unit = any(name in training.by_name for name in TO_UNIT)
    if not divided and not unit and not _writes_255(training):
        for scope, call in training.named(*IMAGES):
            why = f"{text(call)} gives 0 to 255, and nothing scales it"
            yield clue("medium", scope.file, call.lineno, why)
        for scope, call in training.named("load_data"):
            if re.search(r"mnist|cifar", ast.unparse(call.func)):
                why = f"{text(call)} gives 0 to 255, and nothing scales it"
                yield clue("medium", scope.file, call.lineno, why)
    own = {s.name for s in training.scopes if s.is_class}
    once = ("ToTensor" in training.by_name and "ToTensor" not in own) or bool(rescaled)
    places = [(s, n, getattr(n, "lineno", 0)) for s, n in divided]
    if once and divided:
        for scope, node, line in places:
            yield clue(
                "medium", scope.file, line, f"{text(node)} scales what is scaled elsewhere, too"
            )
        for scope, call in (*training.named("ToTensor"), *rescaled):
            why = f"{text(call)} scales what is divided by 255 elsewhere, too"
            yield clue("medium", scope.file, call.lineno, why, 0.8)
    elif len({(s.file, line) for s, _, line in places}) > 1:
        for scope, node, line in places:
            yield clue("weak", scope.file, line, f"{text(node)} may be applied twice")
    for scope, call in training.named("Normalize"):
        mean = argument(call, 0, "mean")
        if mean is not None and any(
            isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) and n.value > 2
            for n in ast.walk(mean)
        ) and "max_pixel_value" not in ast.unparse(call):  # fmt: skip
            yield clue("medium", scope.file, mean.lineno, "means of 0 to 255 for inputs of 0 to 1")


def _writes_255(training: Training) -> bool:
    written = (
        n.value
        for m in training.modules
        if re.search("255|0xff", training.case.workspace.text(m.file) or "", re.IGNORECASE)
        for n in ast.walk(m.node)
        if isinstance(n, ast.Constant)
    )
    return any(type(value) in (int, float) and value == 255 for value in written)


def _standardised(training: Training) -> Iterator[Clue]:
    """Means over the wrong axis, statistics applied to values they were not made of."""
    for scope, call in training.named("mean", "std", "min", "max"):
        axis = keyword(call, "axis") or keyword(call, "dim")
        if not (isinstance(axis, ast.Constant) and axis.value in (1, -1)):
            continue
        statement = training.statement(scope, call)
        words = ast.unparse(statement) if statement is not None else ""
        fits = re.search(
            r"standard|normal|scale|prepare|preprocess|feature|fit", scope.name.lower()
        )
        features = re.search(r"\bx\b|feat|frame|\bdf\b|data|train", words)
        if fits and features and re.search(r"mean|std|/", words) and "keepdim" not in words:
            why = f"{text(call)} is a row's statistic, not a feature's"
            yield clue("medium", scope.file, call.lineno, why)


def _augmentation(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("RandomResizedCrop"):
        scale = keyword(call, "scale")
        tops = (
            [n.value for n in ast.walk(scale) if isinstance(n, ast.Constant)]
            if scale is not None
            else []
        )
        numbers = [v for v in tops if isinstance(v, (int, float))]
        if scale is not None and numbers and max(numbers) <= 0.3:
            why = "the crops are too small to show what the label says"
            yield clue("strong", scope.file, scale.lineno, why)
    for scope, call in training.named("RandomErasing", "Cutout", "CoarseDropout"):
        share = keyword(call, "scale") or keyword(call, "p")
        for n in ast.walk(share) if share is not None else ():
            if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.value >= 0.7:
                yield clue("medium", scope.file, n.lineno, "most of the picture is erased")
    for scope, call in training.named("GaussianNoise"):
        width = argument(call, 0, "stddev", "std")
        for origin in training.origins(scope, width) if width is not None else ():
            if origin.value >= 1:
                yield clue(
                    "strong", origin.file, origin.line, "the noise is as strong as the signal"
                )
    for key, value, entry in training.numbered_entries:
        if value >= 0.9 and HARMS.search(key):
            why = f"`{key}` of {value:g} leaves little of the data"
            yield clue("medium", entry.file, entry.line, why)
