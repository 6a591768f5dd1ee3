"""Rules for kernels: those written in Triton, CuPy, Numba or CUDA, and assertions of CUDA's own.

The limits of a launch are those of all devices: 1,024 threads a block, 65,535 blocks along the
second and third axis of a grid (CUDA C++ Programming Guide, "Compute Capabilities").

Kernels run asynchronously, so that a later call raises (PyTorch, "CUDA semantics"). The log has the
assertion itself, which tells whether a loss got a label, or a lookup an index, that is no row.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import index_of
from dl_bug_lsp.evidence.domain_rules.devices import closure
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_scopes, source
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.provenance.nodes import LibraryObject, Node, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Property, Step, backward_slice

LAUNCH = re.compile(
    r"(?i)CUDA_ERROR_INVALID_VALUE|cudaErrorInvalidValue|invalid configuration argument"
    r"|INVALID_CONFIGURATION|too many resources requested|LAUNCH_OUT_OF_RESOURCES|invalid argument"
)
SHARED = re.compile(
    r"(?i)out of resource: shared memory, Required: (?P<required>\d+)|too much shared data"
    r"|shared memory.{0,40}exceed"
)
COMPILED = re.compile(r"\bat (?P<line>\d+):(?P<column>\d+):\s*\n(?:@.*\n)*\s*def (?P<name>\w+)\(")
"""How Triton says where in a kernel its compiler stopped: lines count from ``def``."""
POINTER = re.compile(r"Pointer argument \(at (?P<index>\d+)\) cannot be accessed from Triton")
AS_CONSTANT = re.compile(r"must be (?:of type )?(?:a )?`?(?:tl\.)?constexpr")
MOST_THREADS = 1024
MOST_BLOCKS = 65_535
TILES = re.compile(r"(?i)^(?:BLOCK|TILE|BM|BN|BK|B_)\w*$|^num_stages$|^stages$")
"""Names of tile sizes of Triton kernels, and of how many tiles are loaded ahead."""
WIDTHS = (1, 2, 4)
"""Bytes of an element of a tile."""
MOST_STEPS = 12


def find_kernels(case: Case) -> Iterator[Clue]:
    """Yield what makes a kernel's source, its launch or its memory impossible."""
    message = case.message
    yield from _compiled(case)
    pointer = POINTER.search(message)
    if pointer is not None:
        yield from _pointer(case, int(pointer["index"]))
    if LAUNCH.search(message):
        yield from _launches(case)
    shared = SHARED.search(message)
    if shared is not None:
        yield from _tiles(case, int(shared["required"] or 0))
        yield from _shared_arrays(case)


# --- Triton's compiler ----------------------------------------------------------------------------


def _compiled(case: Case) -> Iterator[Clue]:
    """Find the line of a kernel that Triton's compiler names, and the parameters that it uses."""
    match = COMPILED.search(case.message)
    if match is None:
        return
    wants_constant = AS_CONSTANT.search(case.message) is not None
    for scope in _functions(case, match["name"]):
        node = scope.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        line = node.lineno + int(match["line"]) - 1
        if line > (node.end_lineno or line):
            continue
        why = "Triton's compiler stopped at this line of the kernel"
        read = _read_at(node, line, int(match["column"]))
        kind = "rules.medium" if wants_constant else "place.named"
        yield Clue(kind, scope.file, line, 1.0, why)
        if wants_constant:
            yield from _not_constant(scope, read)
        if "power of 2" in case.message:
            yield from _given(case, scope, read)


def _functions(case: Case, name: str) -> Iterator[Scope]:
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.name.rpartition(".")[2] == name and not scope.is_class:
                yield scope


def _not_constant(scope: Scope, read: set[str]) -> Iterator[Clue]:
    """Find the parameters that a line reads and that are no constants of the compiler."""
    for parameter in scope.parameters():
        annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
        if parameter.arg in read and "constexpr" not in annotation:
            why = f"`{parameter.arg}` is no `tl.constexpr`, and the compiler needs its value"
            yield Clue("rules.strong", scope.file, parameter.lineno, 1.0, why)
            yield Clue("missing.option", scope.file, parameter.lineno, 1.0, why)


def _read_at(node: ast.FunctionDef | ast.AsyncFunctionDef, line: int, column: int) -> set[str]:
    """Return the names in the call at a place, of the whole statement where none begins there."""
    parts: list[ast.AST] = [
        call
        for call in calls_in(node)
        if call.lineno == line and call.col_offset == column + node.col_offset
    ]
    if not parts:
        parts = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and n.lineno == line]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def _given(case: Case, kernel: Scope, names: set[str]) -> Iterator[Clue]:
    """Find the numbers that launches give for a kernel's parameters and that are no power of 2."""
    for site in reversed(case.sites):
        for call in (c for n in site.nodes for c in calls_in(n.expr)):
            func = call.func
            if not isinstance(func, ast.Subscript):
                continue
            if source(func.value).rpartition(".")[2] != kernel.name.rpartition(".")[2]:
                continue
            for given in call.keywords:
                if given.arg not in names:
                    continue
                node = case.engine.node(given.value, site.context)
                yield from _uneven(node, given.arg or "")


POWERS = re.compile(r"power_of_(?:2|two)|1 << |2 \*\* |bit_length|log2")
"""How a program writes that it makes a power of 2."""


def _uneven(node: Node, name: str) -> Iterator[Clue]:
    """Find the number, or else the computation, that gives a parameter no power of 2."""
    why = f"goes into `{name}` of the kernel, whose value must be a power of 2"
    steps = backward_slice([node], MOST_STEPS, asked=Property.VALUE)
    found = False
    for step in steps:
        number = _number(step.node)
        if step.decides and step.node.line > 0 and number and number & (number - 1):
            found = True
            yield Clue("rules.strong", step.node.file, step.node.line, 1.0, f"{number} {why}")
    made = [step.node for step in steps if isinstance(step.node.expr, (ast.BinOp, ast.Call))]
    if not found and made and made[0].line > 0 and not POWERS.search(made[0].text):
        found = True
        text = f"`{made[0].text}` {why}"
        yield Clue("rules.strong", made[0].file, made[0].line, 1.0, text)
    kind = "rules.weak" if found else "rules.medium"
    yield Clue(kind, node.file, node.line, 1.0, why)


def _pointer(case: Case, index: int) -> Iterator[Clue]:
    """Find what made the argument of a launch that lies on the CPU."""
    for top in case.sites[-1].nodes if case.sites else ():
        for call in calls_in(top.expr):
            if not isinstance(call.func, ast.Subscript) or index >= len(call.args):
                continue
            node = top.engine.node(call.args[index], top.context)
            for step in backward_slice([node], MOST_STEPS, asked=Property.DEVICE):
                made = step.node
                if made.entry is None and made.line > 0 and isinstance(made.expr, ast.Call):
                    why = f"`{made.text}` is argument {index} of the kernel, which lies on the CPU"
                    score = 1 / (1 + step.distance / 6)
                    yield Clue("rules.strong", made.file, made.line, score, why)


# --- launches -------------------------------------------------------------------------------------


def _launches(case: Case) -> Iterator[Clue]:
    """Find launches with more threads a block, or more blocks, than there may be."""
    for top in case.sites[-1].nodes if case.sites else ():
        for call in calls_in(top.expr):
            grid, block = _shape_of(call)
            for expr, limit, what in ((block, MOST_THREADS, "threads"), (grid, 0, "blocks")):
                if expr is not None:
                    node = top.engine.node(expr, top.context)
                    yield from _too_many(node, limit, what)


def _shape_of(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """Return what a launch gives as its grid and block: Numba's, CuPy's and PyCUDA's forms."""
    func = call.func
    if isinstance(func, ast.Subscript) and isinstance(func.slice, ast.Tuple):
        parts = func.slice.elts
        return (parts[0], parts[1]) if len(parts) > 1 else (None, None)
    given = {k.arg: k.value for k in call.keywords}
    if "block" in given:
        return given.get("grid"), given["block"]
    if len(call.args) >= 3 and isinstance(call.args[2], (ast.Tuple, ast.List)):
        return call.args[0], call.args[1]
    return None, None


def _too_many(node: Node, limit: int, what: str) -> Iterator[Clue]:
    parts = _axes(node)
    sizes = [_number(part) for part in parts]
    known = [size for size in sizes if size is not None]
    if limit and math.prod(known) > limit:
        shown = " × ".join(str(size) for size in known)
        total = f"{shown} = {math.prod(known)}" if len(known) > 1 else shown
        why = f"a block of {total} {what}, and a launch may have at most {limit}"
        guilty = parts
    elif not limit and any(size is not None and size > MOST_BLOCKS for size in sizes[1:]):
        why = f"more than {MOST_BLOCKS} {what} along the second or third axis of the grid"
        guilty = parts[1:]
    else:
        return
    yield Clue("rules.medium", node.file, node.line, 0.6, why)
    for step in backward_slice(guilty, MOST_STEPS, asked=Property.VALUE):
        if step.decides and step.node.line > 0 and _number(step.node) is not None:
            yield Clue("rules.strong", step.node.file, step.node.line, 1.0, why)


def _axes(node: Node) -> list[Node]:
    """Return the sizes along the axes of a grid or block."""
    if isinstance(node.expr, (ast.Tuple, ast.List)):
        return [node.engine.node(e, node.context) for e in node.expr.elts]
    for role, made in node.inputs:
        if role == "definition" and isinstance(made.expr, (ast.Tuple, ast.List)):
            return _axes(made)
    return [node]


def _number(node: Node) -> int | None:
    values = {c.value for c in node.constants if isinstance(c.value, int)}
    return values.pop() if len(values) == 1 else None


# --- shared memory --------------------------------------------------------------------------------


def _tiles(case: Case, required: int) -> Iterator[Clue]:
    """Find the groups of tile sizes, most of all the one that needs what the message says."""
    groups: list[tuple[str, int, dict[str, int]]] = []
    of_parent: dict[tuple[str, tuple[object, ...]], dict[str, tuple[int, int]]] = {}
    for entry in case.config_entries:
        if TILES.match(entry.key.replace("-", "_")) and isinstance(entry.value, int):
            key = (entry.file, tuple(entry.path[:-1]))
            of_parent.setdefault(key, {})[entry.key] = (entry.value, entry.line)
    for (file, _), entries in of_parent.items():
        by_name = {name: value for name, (value, _) in entries.items()}
        groups.extend((file, line, by_name) for line in {line for _, line in entries.values()})
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            if isinstance(node, (ast.Call, ast.Dict)):
                sizes = _sizes_in(node)
                if len(sizes) > 1:
                    groups.append((file, node.lineno, sizes))
    largest = max((_bytes(sizes) for _, _, sizes in groups), default=0)
    for file, line, sizes in groups:
        shown = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        if required and _needs(sizes, required):
            why = f"tiles with {shown} need the {required} bytes that the message names"
            yield Clue("rules.strong", file, line, 1.0, why)
        elif _bytes(sizes) == largest:
            why = f"tiles with {shown} are the largest that are written here"
            yield Clue("rules.medium", file, line, 1.0, why)


def _sizes_in(node: ast.Call | ast.Dict) -> dict[str, int]:
    """Return the tile sizes that a call's keywords, or a dict, write down."""
    pairs: list[tuple[str | None, ast.expr]] = []
    if isinstance(node, ast.Call):
        pairs = [(k.arg, k.value) for k in node.keywords]
        for arg in node.args:
            if isinstance(arg, ast.Dict):
                pairs.extend(_pairs(arg))
    else:
        pairs = _pairs(node)
    return {
        name: value.value
        for name, value in pairs
        if name is not None
        and TILES.match(name)
        and isinstance(value, ast.Constant)
        and isinstance(value.value, int)
    }


def _pairs(node: ast.Dict) -> list[tuple[str | None, ast.expr]]:
    return [
        (str(key.value) if isinstance(key, ast.Constant) else None, value)
        for key, value in zip(node.keys, node.values, strict=True)
    ]


def _bytes(sizes: Mapping[str, int]) -> int:
    return math.prod(value for value in sizes.values() if value > 0)


def _needs(sizes: Mapping[str, int], required: int) -> bool:
    """Whether the tiles of a matrix product, one of each operand for a stage, take so many bytes.

    A pipeline of ``num_stages`` holds as many tiles, or one fewer where the last is in registers.
    """
    blocks = [value for name, value in sizes.items() if "stages" not in name.lower()]
    stages = next((v for name, v in sizes.items() if "stages" in name.lower()), 1)
    for at, inner in enumerate(blocks):
        outer = [*blocks[:at], *blocks[at + 1 :]] or [inner]
        for count in (stages, stages - 1):
            for width in WIDTHS:
                for m in outer:
                    for n in outer:
                        if count > 0 and count * width * inner * (m + n) == required:
                            return True
    return False


def _shared_arrays(case: Case) -> Iterator[Clue]:
    """Find the arrays in shared memory and what sizes them."""
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                if called_name(call) != "array" or ".shared." not in f".{source(call.func)}":
                    continue
                why = f"`{source(call)}` takes shared memory, of which a block has little"
                yield Clue("rules.medium", file, call.lineno, 1.0, why)
                start = [case.engine.node(call, case.engine.open_context(scope))]
                for step in backward_slice(start, MOST_STEPS, asked=Property.VALUE):
                    if step.decides and step.node.line > 0 and _number(step.node) is not None:
                        size_words = f"`{step.node.text}` sizes `{source(call)}` in shared memory"
                        yield Clue("rules.strong", step.node.file, step.node.line, 1.0, size_words)


# ---------------------------------------------------------------------- assertions
ASSERTED = re.compile(
    r"Assertion `(?P<what>[^\n]{1,200})' failed|Assertion `(?P<other>[^`\n]+)` failed"
)
TRIGGERED = re.compile(r"device-side assert|cudaErrorAssert|CUBLAS_STATUS_NOT_INITIALIZED")
OF_LABELS = re.compile(r"n_classes|cur_target|nll_loss|ClassNLL|\bt >= 0")
OF_INDICES = re.compile(
    r"srcIndex|index_?[sS]elect|ind_dim_size|out of bounds|idx_dim|index_size|\bindex\b"
)
OF_PROBABILITIES = re.compile(r"input_val >= |target_val >= zero|>= zero && ")
ROWS = re.compile(
    r"(?i)^(?:num_?embeddings|vocab_?size|n_?vocab|vocab|max_?(?:len|length|seq_?len|positions?|position_embeddings)|(?:num|n)_(?:users|items|tokens|entities|types|nodes|words|buckets|codes)|block_?size|codebook_?size|type_vocab_size)$"
)
"""Settings that say how many rows a table has."""
LOSSES = ("cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss")
LOSS_NAME = re.compile(
    r"(?i)^(?:self\.)?\w*(?:criterion|loss_?fn|loss_?func\w*|ce_?loss|nll\w*|objective)$"
)
TARGETS = ("target", "targets", "labels", "y")
MAKES_LABEL = re.compile(
    r"(?i)label|class|categor|activit|species|target|\bint\(|astype|\.long\(|torch\.tensor"
)
MOST_SLICE_STEPS = 60
NEAR = 6.0
"""At this distance a step counts half of one beside the loss or lookup."""


def find_asserts(case: Case) -> Iterator[Clue]:
    """Yield what makes labels, and what makes and bounds indices, that a kernel refused."""
    if not (TRIGGERED.search(case.message) or ASSERTED.search(case.message)):
        return
    assertion = _assertion(case)
    labels, indices = OF_LABELS.search(assertion), OF_INDICES.search(assertion)
    if OF_PROBABILITIES.search(assertion):
        yield from _probabilities(case)
        return
    # Where the followed run has the index itself, what may bound indices is not asked.
    is_seen = bool(index_of(case))
    if labels or not assertion:
        kind = "rules.strong" if labels and not is_seen else "rules.medium"
        yield from _labels(case, kind)
        yield from _counts(case, CLASSES, "the labels that the loss takes", kind)
        yield from _label_maps(case, kind)
    if (indices and not labels) or not assertion:
        kind = "rules.strong" if indices and not is_seen else "rules.medium"
        yield from _lookups(case, kind)
        yield from _counts(case, ROWS, "the indices that a table takes", kind)


def _assertion(case: Case) -> str:
    """Return the first line of the log with an assertion of a kernel, empty without one."""
    return next((x.text for x in case.log.lines if ASSERTED.search(x.text)), "")


# --- labels ---------------------------------------------------------------------------------------


def _labels(case: Case, kind: str) -> Iterator[Clue]:
    """Find what makes the labels that a loss is given."""
    seen: set[tuple[str, int]] = set()
    for target in _targets(case):
        for step in backward_slice([target], MOST_SLICE_STEPS, asked=Property.VALUE):
            node = step.node
            place = (node.file, node.line)
            if node.line <= 0 or place in seen or not _makes_label(step):
                continue
            seen.add(place)
            score = 1 / (1 + step.distance / NEAR)
            is_told = "is" if kind == "rules.strong" else "may be"
            why = f"`{node.text}` goes into the labels of the loss, of which one {is_told} no class"
            yield Clue(kind, node.file, node.line, score, why)


def _makes_label(step: Step) -> bool:
    node = step.node
    if not step.decides or node.kind in (StepKind.TEXT, StepKind.CONFIG):
        return False
    if node.kind is StepKind.ARITHMETIC:
        return True
    return node.kind is StepKind.CALL and MAKES_LABEL.search(node.text) is not None


def _targets(case: Case) -> Iterator[Node]:
    """Yield the labels that the losses near the failure are given."""
    for scope in near_scopes(case):
        context = next(
            (s.context for s in reversed(case.sites) if s.context.scope is scope), None
        ) or case.engine.open_context(scope)
        for call in scope.calls:
            callee = case.engine.node(call.func, context)
            is_loss = called_name(call) in LOSSES or any(
                isinstance(v, LibraryObject) and v.name.endswith(LOSSES) for v in callee.values
            )
            if not is_loss and not LOSS_NAME.match(source(call.func)):
                continue
            given = [keyword(call, name) for name in TARGETS]
            wanted = next((g for g in given if g is not None), None)
            if wanted is None and len(call.args) > 1:
                wanted = call.args[1]
            if wanted is not None:
                yield case.engine.node(wanted, context)


CLASSES = re.compile(
    r"(?i)^(?:num_?|n_?)?(?:class(?:es)?|labels|categories|out_?features|outputs|targets)$"
)
FEWEST_LABELS = 3
CLASSES_SHARE = 0.8
"""A number of classes is wrong less often than the labels."""


def _counts(case: Case, names: re.Pattern[str], what: str, kind: str) -> Iterator[Clue]:
    """Find the settings that bound labels or indices."""
    for entry in case.config_entries:
        if (
            names.search(entry.key.replace("-", "_"))
            and isinstance(entry.value, int)
            and entry.value > 1
        ):
            why = f"`{entry.key}: {entry.text}` may bound {what}"
            yield Clue(kind, entry.file, entry.line, CLASSES_SHARE, why)


LABEL_MAPS = re.compile(r"(?i)label|class|categor|name2?id|2id|mapping|species|\bids?\b")


def _label_maps(case: Case, kind: str) -> Iterator[Clue]:
    """Find tables of labels whose numbers do not run from 0 to one below their count."""
    groups: dict[tuple[str, tuple[object, ...]], list[tuple[int, int, str]]] = {}
    for entry in case.config_entries:
        above = ".".join(str(part) for part in entry.path[:-1]) or entry.file
        value = entry.value
        if isinstance(value, int) and not isinstance(value, bool) and LABEL_MAPS.search(above):
            key = (entry.file, tuple(entry.path[:-1]))
            groups.setdefault(key, []).append((value, entry.line, entry.key))
    for (file, _), entries in groups.items():
        numbers = {value for value, _, _ in entries}
        if len(entries) < FEWEST_LABELS or len(numbers) < len(entries):
            continue
        for value, line, name in entries:
            if value < 0 or value >= len(entries):
                why = f"`{name}` is {value}, and {len(entries)} labels end at {len(entries) - 1}"
                yield Clue(kind, file, line, 1.0, why)


# --- lookups --------------------------------------------------------------------------------------


def _lookups(case: Case, kind: str) -> Iterator[Clue]:
    """Find the tables near the failure, and what shifts the indices that they are given."""
    for scope in near_scopes(case):
        owner = scope.owner
        for call in scope.calls if owner is not None else ():
            func = call.func
            if not isinstance(func, ast.Attribute) or not call.args or owner is None:
                continue
            for method, binding in owner.attributes.get(func.attr, ()):
                made = binding.value
                if not isinstance(made, ast.Call) or called_name(made) != "Embedding":
                    continue
                rows = keyword(made, "num_embeddings") or (made.args[0] if made.args else None)
                index = case.engine.node(call.args[0], case.engine.open_context(scope))
                shifts = list(_shifts(index))
                if rows is not None and shifts and not _adds(rows, method, binding.line):
                    shift = shifts[0].node
                    why = (
                        f"the table has `{source(rows)}` rows, and its indices go through "
                        f"`{shift.text}`, which adds to them"
                    )
                    yield Clue(kind, method.file, binding.line, 1.0, why)
                    for step in shifts:
                        sum_words = (
                            f"`{step.node.text}` adds to the indices of `{source(call.func)}`"
                        )
                        yield Clue("rules.medium", step.node.file, step.node.line, 1.0, sum_words)
                elif rows is not None:
                    why = f"indices of `{source(call.func)}` must be below `{source(rows)}`"
                    yield Clue("rules.weak", method.file, binding.line, 1.0, why)


def _probabilities(case: Case) -> Iterator[Clue]:
    """Find losses of probabilities: a model that ends in scores gives numbers beyond 0 and 1."""
    kind = "rules.strong" if follow(case).raised is None else "rules.medium"
    for scope in dict.fromkeys([*near_scopes(case), *_modules_of(case)]):
        for call in scope.calls:
            if called_name(call) in ("BCELoss", "binary_cross_entropy"):
                why = f"`{source(call)}` takes probabilities, and scores lie beyond 0 and 1"
                yield Clue(kind, scope.file, call.lineno, 1.0, why)


def _modules_of(case: Case) -> Iterator[Scope]:
    for file in case.code_files:
        module = case.engine.program.module(file)
        yield from module.walk() if module is not None else ()


def _shifts(index: Node) -> Iterator[Step]:
    """Yield the sums with a name or positive number on the way of an index."""
    for step in backward_slice([index], MOST_SLICE_STEPS, asked=Property.VALUE):
        expr = step.node.expr
        if step.node.entry is not None or not isinstance(expr, ast.BinOp) or step.node.line <= 0:
            continue
        right = expr.right
        added = isinstance(right, (ast.Name, ast.Attribute)) or (
            isinstance(right, ast.Constant) and isinstance(right.value, int) and right.value > 0
        )
        if isinstance(expr.op, ast.Add) and added:
            yield step


def _adds(rows: ast.expr, scope: Scope, line: int) -> bool:
    """Whether a table's number of rows has something added to it."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for part in closure(rows, scope, line)
        for node in ast.walk(part)
    )
