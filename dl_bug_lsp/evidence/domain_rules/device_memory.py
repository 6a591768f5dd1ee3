"""Rules for memory of a GPU that does not suffice.

Where steps had passed before, something holds on to the tensors of earlier ones. Where the first
step failed, a step is too large, most often by its batch (PyTorch, "Frequently Asked Questions").
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.devices import HOST, closure
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, source
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.interpretation.values import Array, Origin, Value
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.properties import Property
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.provenance.stack import Site

MEMORY = re.compile(
    r"(?i)out of memory|OutOfMemory|RESOURCE_EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY"
    r"|cudaErrorMemoryAllocation"
)
PASSED = re.compile(
    r"(?i)\b(?:step|iter\w*|epoch|batch|it|round|update|chunk)\b\W{0,3}0*[1-9]\d*|\d+it/s|\b\d+%\|"
)
"""How a log shows that steps ended before."""
KEEPERS = {"append", "extend", "insert", "add", "appendleft", "push", "put"}
USUAL: tuple[tuple[re.Pattern[str], float, float], ...] = (
    (re.compile(r"(?i)batch_?size|^bs$|^batch$|_bs$|per_device\w*batch"), 64, 1.0),
    (
        re.compile(
            r"(?i)(?:seq|sequence|context|block|max|prompt|source|target|text|audio|clip)_?"
            r"(?:len|length|size|tokens|frames)$|^(?:n_ctx|num_frames|frames)$"
        ),
        512,
        0.9,
    ),
    (
        re.compile(
            r"(?i)(?:image|img|crop|input|patch|tile|train|render)_?"
            r"(?:size|res\w*|height|width)$|^(?:resolution|img_?sz|size|height|width)$"
        ),
        256,
        0.9,
    ),
    (
        re.compile(
            r"(?i)chunk|rays|samples|points|particles|num_?envs|beams|candidates|negatives"
            r"|num_?return|population|grid|bins|voxel"
        ),
        1024,
        0.8,
    ),
    (
        re.compile(r"(?i)hidden|dim\b|_dim$|width|channels|d_model|ff|embed|layers|depth|vocab"),
        1024,
        0.6,
    ),
)
"""Settings by which memory grows: their names, a usual value, how often they are to blame."""
MOST_STEPS = 80
FLOATS = re.compile(r"(?i)ratio|fraction|keep|percent|share|subsample|rate")
"""Names of settings that say how much of something is kept."""
LARGEST_FRACTION = 1.0


def find_memory(case: Case) -> Iterator[Clue]:
    """Yield what keeps memory from step to step, and what makes a step large."""
    if case.category.id != "gpu_out_of_memory" and not MEMORY.search(case.message):
        return
    yield from _limits(case)
    kept = list(_kept(case))
    yield from kept
    yield from _settings(case, bool(kept))
    yield from _dimensions(case)
    yield from _switches(case)


LIMITS = re.compile(
    r"XLA_PYTHON_CLIENT_MEM_FRACTION\W{1,4}0?\.\d+|set_per_process_memory_fraction\("
    r"|PYTORCH_CUDA_ALLOC_CONF.*max_split_size_mb|gpu_memory_utilization\W{1,3}0?\.\d+"
    r"|per_process_gpu_memory_fraction|set_memory_growth\(|max_memory\b.*\d"
)
"""What gives a process a part of the device's memory."""
LIMITED = (".sh", ".bash", ".env", ".slurm", ".sbatch", ".py", ".yaml", ".yml", ".toml", ".json",
           "Dockerfile", "Makefile")  # fmt: skip
MOST_FILES = 200


def _limits(case: Case) -> Iterator[Clue]:
    """Find the lines that give the process a part of the device's memory alone."""
    files = [f for f in case.workspace.files() if f.endswith(LIMITED)]
    for file in files[:MOST_FILES]:
        for number, line in enumerate(case.workspace.lines(file), 1):
            if LIMITS.search(line) and not line.lstrip().startswith("#"):
                why = "limits how much of the device's memory this process may take"
                yield Clue("rules.strong", file, number, 0.9, why)


# --- what is kept ---------------------------------------------------------------------------------


def _kept(case: Case) -> Iterator[Clue]:
    """Find what loops around the failing call keep of the device's tensors."""
    passed = any(PASSED.search(line.text) for line in case.log.lines)
    for site in reversed(case.sites):
        scope = site.context.scope
        for loop in ast.walk(scope.node):
            around = isinstance(loop, (ast.For, ast.AsyncFor, ast.While)) and (
                loop.lineno <= site.place.line <= (loop.end_lineno or loop.lineno)
            )
            for part in ast.walk(loop) if around else ():
                for expr, how in _stores(part):
                    if _is_of_device(expr, scope, site):
                        line = getattr(part, "lineno", 0)
                        why = f"`{source(part)}` {how} of every round, a tensor on its device"
                        kind = "rules.strong" if passed else "rules.medium"
                        yield Clue(kind, scope.file, line, 1.0, why)
                        yield from _how_much(case, site, expr)


def _stores(part: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a statement puts into something that outlives a round."""
    if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
        call = part.value
        if isinstance(call.func, ast.Attribute) and call.func.attr in KEEPERS and call.args:
            yield call.args[-1], "keeps a value"
    elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript):
        if not isinstance(part.targets[0].slice, (ast.Slice, ast.Tuple)):
            yield part.value, "keeps a value"
    elif isinstance(part, ast.Assign) and isinstance(part.targets[0], (ast.Name, ast.Attribute)):
        name = source(part.targets[0])
        for call in calls_in(part.value):
            joins = called_name(call) in ("cat", "concat", "concatenate", "vstack", "hstack")
            if joins and any(source(n) == name for n in ast.walk(call)):
                yield part.value, "makes longer what it keeps"


def _is_of_device(expr: ast.expr, scope: Scope, site: Site) -> bool:
    """Whether a value comes from the failing call, or from what is moved, and stays there."""
    if isinstance(expr, (ast.Constant, ast.JoinedStr, ast.Tuple, ast.Dict)):
        return False
    if HOST.search(source(expr)):
        return False
    end = site.place.line + (1 << 20)
    parts = closure(expr, scope, end)
    own = [part for part in parts if not HOST.search(source(part))]
    first, last = site.place.line, site.place.line
    if site.statement is not None:
        first, last = site.statement.lineno, site.statement.end_lineno or site.statement.lineno
        if hasattr(site.statement, "body"):
            last = first
    return len(own) == len(parts) and any(
        first <= getattr(part, "lineno", 0) <= last
        or re.search(r"\.cuda\(|\.to\(|\bdevice=", source(part)) is not None
        for part in own
    )


def _how_much(case: Case, site: Site, expr: ast.expr) -> Iterator[Clue]:
    """Find the settings that decide how much of it is kept."""
    node = case.engine.node(expr, site.context)
    seen: set[tuple[str, int]] = set()
    for step in backward_slice([node], MOST_STEPS, asked=Property.SIZE | Property.VALUE):
        made = step.node
        if made.entry is None or (made.file, made.line) in seen:
            continue
        seen.add((made.file, made.line))
        whole = FLOATS.search(made.entry.key) is not None and _value(made) is not None
        all_kept = whole and float(_value(made) or 0) >= LARGEST_FRACTION
        if all_kept:
            why = f"`{made.entry.key}: {made.entry.text}` leaves nothing out of what is kept"
            yield Clue("rules.strong", made.file, made.line, 1.0, why)
        else:
            why = f"`{made.entry.key}: {made.entry.text}` goes into how much is kept"
            score = 1 / (1 + step.distance / 4)
            yield Clue("rules.medium", made.file, made.line, score, why)


def _value(node: Node) -> float | None:
    value = node.entry.value if node.entry is not None else None
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(str(value)) if plain else None


SAVES = re.compile(
    r"(?i)checkpointing|offload|use_?amp|mixed_?precision|\bamp\b|\bfp16|\bbf16|flash|xformers|no_?grad"
    r"|low_?(?:cpu|mem)|empty_?cache|detach|memory_?efficient|to_?cpu|on_?cpu|inference_?mode"
)
TAKES = re.compile(
    r"(?i)retain_?graph|keep_?graph|create_?graph|cache|on_?gpu|on_?device|preload|store|keep_?all"
    r"|output_?(?:attentions|hidden)|return_?(?:attentions|hidden|all)|in_?memory|full_?(?:batch|attn)"
)
"""Names of settings that save memory where they are on, and of those that take it."""


def _switches(case: Case) -> Iterator[Clue]:
    """Find settings that turn off what saves memory, or on what takes it."""
    for entry in case.config_entries:
        if not isinstance(entry.value, bool):
            continue
        if SAVES.search(entry.key) and entry.value is False:
            why = f"`{entry.key}: {entry.text}` may leave out what saves memory"
        elif TAKES.search(entry.key) and entry.value is True:
            why = f"`{entry.key}: {entry.text}` may keep more in memory"
        else:
            continue
        yield Clue("rules.strong", entry.file, entry.line, 0.8, why)


# --- how large a step is --------------------------------------------------------------------------


def _settings(case: Case, is_kept: bool) -> Iterator[Clue]:
    """Find the settings that make a step large, the further beyond the usual the more."""
    on_way = {(s.node.file, s.node.line) for s in case.raise_slice}
    for steps in case.outer_slices:
        on_way.update((s.node.file, s.node.line) for s in steps)
    files = set(case.engine.run.files)
    for file, line, name, value in _written(case):
        rated = _rated(name, value)
        if rated is None:
            continue
        score, beyond = rated
        if (file, line) not in on_way:
            score *= 0.7
        if files and not file.endswith(".py") and file not in files:
            score *= 0.3
        kind = "rules.strong" if beyond and not is_kept else "rules.medium"
        is_large = " is large, and" if beyond else ":"
        why = f"`{name}` = {value:g}{is_large} the memory of a step may grow with it"
        yield Clue(kind, file, line, min(score, 1.0), why)


def _rated(name: str, value: float) -> tuple[float, bool] | None:
    """Return how much a setting may be to blame, and whether it is beyond the usual."""
    for pattern, usual, share in USUAL:
        if pattern.search(name):
            if value < usual / 4:
                return None
            beyond = math.log2(value / usual)
            return share * min(max(0.35 + 0.15 * beyond, 0.2), 1.0), beyond >= 2
    return None


def _written(case: Case) -> Iterator[tuple[str, int, str, float]]:
    """Yield the numbers with names that a program's settings and code write down."""
    for entry in case.config_entries:
        if _is_number(entry.value):
            name = entry.key.replace("-", "_")
            yield entry.file, entry.line, name, float(str(entry.value))
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            yield from ((file, line, name, value) for line, name, value in _named(node))


def _named(node: ast.AST) -> Iterator[tuple[int, str, float]]:
    if isinstance(node, ast.Call):
        flags = [a.value for a in node.args if isinstance(a, ast.Constant)]
        flag = next((f for f in flags if isinstance(f, str) and f.startswith("-")), None)
        default = keyword(node, "default")
        if called_name(node) == "add_argument" and flag and default is not None:
            value = _literal(default)
            if value is not None:
                yield node.lineno, flag.lstrip("-").replace("-", "_"), value
        for given in node.keywords:
            value = _literal(given.value)
            if given.arg is not None and value is not None and given.arg != "default":
                yield given.value.lineno, given.arg, value
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for name, given_value in zip(names, values, strict=False):
            value = _literal(given_value)
            if value is not None and isinstance(name, (ast.Name, ast.Attribute)):
                yield node.lineno, source(name).rpartition(".")[2], value
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        given_args = [*node.args.posonlyargs, *node.args.args]
        pairs = list(zip(reversed(given_args), reversed(node.args.defaults), strict=False))
        for arg, fallback in pairs:
            value = _literal(fallback)
            if value is not None:
                yield fallback.lineno, arg.arg, value


def _literal(expr: ast.expr) -> float | None:
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Mult, ast.Pow, ast.LShift)):
        left, right = _literal(expr.left), _literal(expr.right)
        if left is None or right is None or abs(right) > 1e6:
            return None
        if isinstance(expr.op, ast.Mult):
            return left * right
        if right > 40:
            return None
        return float(left**right) if isinstance(expr.op, ast.Pow) else left * 2**right
    value = expr.value if isinstance(expr, ast.Constant) else None
    return float(value) if isinstance(value, (int, float)) and _is_number(value) else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _dimensions(case: Case) -> Iterator[Clue]:
    """Find the lines that made the largest dimensions of the failing expression's operands."""
    largest: Array | None = None
    for value in follow(case).operands:
        data = value.data
        known = isinstance(data, Array) and data.sizes is not None and None not in data.sizes
        if isinstance(data, Array) and known:
            largest = max(filter(None, (largest, data)), key=_elements)
    if largest is None or largest.shape is None:
        return
    total = math.log2(max(_elements(largest), 2))
    found: dict[Origin, float] = {}
    for dim in largest.shape:
        size = dim.data
        if isinstance(size, int) and size > 1:
            for origin in _written_at(case, dim):
                found[origin] = found.get(origin, 0.0) + math.log2(size) / total
    shown = " × ".join(str(n) for n in largest.sizes or ())
    for (file, line), share in sorted(found.items()):
        why = f"goes into the size of an operand here, {shown} (worked out from the code)"
        yield Clue("rules.medium", file, line, min(share, 1.0), why)


def _written_at(case: Case, dim: Value) -> Iterator[Origin]:
    """Yield the origins of a dimension at which a number is written."""
    written = re.compile(rf"(?<![\w.]){dim.data}(?![\w.])")
    for file, line in sorted(dim.origins):
        is_setting = file and not file.endswith((".py", ".ipynb"))
        if is_setting or (file and written.search(case.workspace.source_line(file, line))):
            yield file, line


def _elements(array: Array) -> int:
    return math.prod(n for n in array.sizes or () if n is not None)
