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
from dl_bug_lsp.provenance.nodes import CALL_METHODS
from dl_bug_lsp.provenance.scopes import END, Scope, called_name
from dl_bug_lsp.provenance.slices import Property, backward_slice
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
LEAST_COUNT, LARGE_BITS = 256, 18.0
"""From here on counts of any name matter that size the failing expression; the bits of large ones.

They never count in full: most say how much data there is, which need not be on the device at once.
"""
ASKED_FOR = re.compile(
    r"Tried to allocate (?P<asked>[\d.]+) (?P<unit>[KMGT]iB)"
    r".{0,60}?capacity of (?P<all>[\d.]+) GiB",
    re.DOTALL,
)
GIB = {"KiB": 2.0**-20, "MiB": 2.0**-10, "GiB": 1.0, "TiB": 2.0**10}
SMALL_PART = 0.05
"""A part of the device's memory that no single step fills it with, where nothing is kept of it."""
FLOATS = re.compile(r"(?i)ratio|fraction|keep|percent|share|subsample|rate")
"""Names of settings that say how much of something is kept."""
LARGEST_FRACTION = 1.0


def find_memory(case: Case) -> Iterator[Clue]:
    """Yield what keeps memory from step to step, and what makes a step large."""
    if case.category.id != "gpu_out_of_memory" and not MEMORY.search(case.message):
        return
    yield from _limits(case)
    grows = _grows(case)
    kind = "rules.strong" if grows else "rules.medium"
    kept = [*_kept(case, kind), *_kept_by_objects(case, kind)]
    yield from kept
    yield from _recorded(case)
    yield from _settings(case, bool(kept))
    if not (kept and grows):
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


def _grows(case: Case) -> bool:
    """Whether memory was taken step by step, and not by one.

    Steps are shown to have passed; or gradients are off, where activations are freed at once, and
    what was asked for last is a small part of the memory.
    """
    if any(PASSED.search(line.text) for line in case.log.lines):
        return True
    requested = ASKED_FOR.search(case.message)
    part = (
        float(requested["asked"]) * GIB[requested["unit"]] / float(requested["all"])
        if requested
        else 1.0
    )
    texts = [source_of(case, site.context.scope) for site in case.sites]
    return part < SMALL_PART and any(NO_GRADIENTS.search(text) for text in texts)


def _kept(case: Case, kind: str) -> Iterator[Clue]:
    """Find what loops around the failing call keep of the device's tensors."""
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
                        yield Clue(kind, scope.file, line, 1.0, why)
                        yield from _how_much(case, site, expr)


def _kept_by_objects(case: Case, kind: str) -> Iterator[Clue]:
    """Find what methods on the stack, or called in its loops, put into their objects."""
    for scope in _called_in_loops(case):
        if scope.name.rpartition(".")[2] == "__init__":
            continue
        for part in ast.walk(scope.node):
            for expr, how in _stores(part):
                text = source(part)
                # What is stored under a key may replace what stood there.
                grows = text.startswith("self.") and "]" not in text.partition("=")[0]
                grows = grows and not isinstance(expr, (ast.Constant, ast.Dict))
                closed = closure(expr, scope, getattr(part, "lineno", 0))
                if grows and not any(HOST.search(source(closed_expr)) for closed_expr in closed):
                    why = f"`{text}` {how} of every call, a tensor on its device"
                    yield Clue(kind, scope.file, getattr(part, "lineno", 0), 0.9, why)


def _called_in_loops(case: Case) -> list[Scope]:
    """Return the methods on the stack and those that loops around its lines call by name."""
    methods = [site.context.scope for site in case.sites if site.context.scope.owner is not None]
    names: set[str] = set()
    for site in case.sites:
        for loop in ast.walk(site.context.scope.node):
            if isinstance(loop, (ast.For, ast.While)) and (
                loop.lineno <= site.place.line <= (loop.end_lineno or loop.lineno)
            ):
                names.update(called_name(call) for call in calls_in(loop))
    for file in case.code_files:
        module = case.engine.program.module(file)
        methods.extend(
            scope
            for scope in (module.walk() if module is not None else ())
            if scope.owner is not None and scope.name.rpartition(".")[2] in names
        )
    return list(dict.fromkeys(methods))


NO_GRADIENTS = re.compile(r"no_grad|inference_mode|set_grad_enabled|requires_grad_?\(?=?\s?False")
EVALUATES = re.compile(
    r"(?i)^_?(?:eval|valid|test|predict|infer|extract|generate|score|rollout|benchmark|calibrat"
    r"|compute_(?:features|embeddings|metrics|accuracy))"
)


def _recorded(case: Case) -> Iterator[Clue]:
    """Find functions that only evaluate a model, and record gradients while they do."""
    functions = [s for s in case.sites if not s.context.scope.is_module]
    texts = [source_of(case, site.context.scope) for site in functions]
    files = {site.context.scope.file for site in case.sites}
    turned_off = any("set_grad_enabled(False)" in (case.workspace.text(f) or "") for f in files)
    if turned_off or any(NO_GRADIENTS.search(text) for text in texts):
        return
    if any(".backward(" in text for text in texts):
        return
    for site, text in zip(functions, texts, strict=True):
        scope = site.context.scope
        name = scope.name.rpartition(".")[2]
        is_step = name.lower().startswith("train") or name in CALL_METHODS
        if is_step or not (EVALUATES.search(name) or ".eval()" in text):
            continue
        why = f"`{name}` runs the model and turns gradients off nowhere"
        yield Clue("rules.strong", scope.file, scope.line, 0.8, why)


def source_of(case: Case, scope: Scope) -> str:
    """Return the lines of a function with its decorators."""
    node = scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return ""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return "\n".join(case.workspace.lines(scope.file)[first - 1 : node.end_lineno])


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
    parts = closure(expr, scope, END)
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
    """Find the settings that decide how much of it is kept: those that its making names."""
    scope = site.context.scope
    parts = closure(expr, scope, END, brackets=True)
    named = {
        node.attr if isinstance(node, ast.Attribute) else str(getattr(node, "value", ""))
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, (ast.Attribute, ast.Constant))
    }
    for entry in case.config_entries:
        if entry.key not in named or not _is_number(entry.value):
            continue
        if FLOATS.search(entry.key) and float(str(entry.value)) >= LARGEST_FRACTION:
            why = f"`{entry.key}: {entry.text}` leaves nothing out of what is kept"
            yield Clue("rules.strong", entry.file, entry.line, 1.0, why)
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)
        else:
            why = f"`{entry.key}: {entry.text}` goes into how much is kept"
            yield Clue("rules.medium", entry.file, entry.line, 0.8, why)


# --- how large a step is --------------------------------------------------------------------------


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
    sized = {
        (s.node.file, s.node.line)
        for s in backward_slice(case.starts, MOST_STEPS, asked=Property.SIZE)
    }
    files = set(case.engine.run.files)
    for file, line, name, value in _written(case):
        rated = _rated(name, value)
        if rated is None and (file, line) in sized and value >= LEAST_COUNT:
            rated = min(math.log2(value) / LARGE_BITS, 1.0), False
        if rated is None:
            continue
        score, beyond = rated
        if (file, line) not in sized:
            score *= 0.85 if (file, line) in on_way else 0.7
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
    nearness: dict[Origin, float] = {}
    for dim in largest.shape:
        size = dim.data
        if isinstance(size, int) and size > 1:
            for origin in _written_at(case, dim):
                nearness[origin] = nearness.get(origin, 0.0) + math.log2(size) / total
    shown = " × ".join(str(n) for n in largest.sizes or ())
    for (file, line), share in sorted(nearness.items()):
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
