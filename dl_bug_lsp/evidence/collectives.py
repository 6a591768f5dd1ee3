"""Which calls need all ranks, which functions make such calls, and what differs between ranks.

That a branch which only some ranks take decides whether a collective is called is the criterion
of PARCOACH (Saillard, Carribault and Barthou, IJHPCA 2014) for MPI; here it is asked of Python, and
the stacks of the ranks say which of such branches counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Class, Function, StepKind
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.slices import COSTS, Step, backward_slice

COLLECTIVES = frozenset((
    "all_reduce", "allreduce", "all_gather", "allgather", "all_gather_object", "gather",
    "all_gather_into_tensor", "gather_object", "broadcast", "broadcast_object_list", "reduce",
    "scatter", "scatter_object_list", "reduce_scatter", "reduce_scatter_tensor", "all_to_all",
    "all_to_all_single", "barrier", "monitored_barrier", "new_group", "new_subgroups", "send",
    "recv", "isend", "irecv", "batch_isend_irecv", "send_object_list", "recv_object_list",
    "init_process_group", "destroy_process_group", "wait_for_everyone", "gather_for_metrics",
    "sync_global_devices", "process_allgather", "broadcast_one_to_all", "assert_equal",
    "allreduce_", "broadcast_", "broadcast_parameters", "broadcast_optimizer_state", "alltoall",
    "psum", "pmean", "full_state_dict", "init_device_mesh",
))  # fmt: skip
"""Calls that several ranks have to make together (PyTorch, JAX, Horovod, mpi4py, Accelerate)."""
POINT_TO_POINT = frozenset(("send", "recv", "isend", "irecv", "batch_isend_irecv"))
"""Operations of two ranks, who play different parts by design."""
_WRAPPED = re.compile(
    r"\bDistributedDataParallel\b|\bDDP\(|\bFullyShardedDataParallel\b|\bFSDP\(|\bfully_shard\("
    r"|\baccelerator\.prepare\(|\bDistributedOptimizer\("
)
_AMBIGUOUS = frozenset(("gather", "scatter", "reduce", "send", "recv", "broadcast", "barrier"))
"""Names that other things have as well: a tensor's ``gather``, a socket's ``send``."""
_OBJECTS = re.compile(
    r"(?:^|\.)(?:dist|distributed|comm|communicator|hvd|xm|c10d|group|pg|mpi|fabric"
    r"|accelerator|world|strategy|multihost_utils|lax|funcol)$",
    re.IGNORECASE,
)
_RANK_NAME = re.compile(
    r"^(?:(?:global|local|world|node|my|dp|tp|pp|ddp|data_parallel|process|proc|worker|host)_?)?"
    r"rank$|^(?:get|is)_.*rank.*$|^rank_?(?:id|idx|index)?$|^process_(?:index|id)$|^proc_id$"
    r"|^is_(?:main|master|primary|chief|root|rank_?(?:0|zero)|first|leader)"
    r"(?:_process|_rank|_node)?$"
    r"|^is_(?:local|global|world)_(?:main_process|zero|process_zero)$|^main_process(?:_first)?$"
    r"|^(?:on|only)_(?:main|rank_zero).*$|^(?:rank_zero|master|main)_only$",
)
_RANK_KEY = re.compile(
    r"^(?:RANK|LOCAL_RANK|NODE_RANK|GLOBAL_RANK|SLURM_PROCID|SLURM_LOCALID|"
    r"OMPI_COMM_WORLD_(?:LOCAL_)?RANK|PMI_RANK|PMIX_RANK|HOROVOD_RANK)$"
)
_LOCAL_CALL = re.compile(
    r"^(?:item|isnan|isfinite|isinf|any_nan|exists|is_file|is_dir|isfile|isdir|listdir|glob|iglob"
    r"|random|rand|randn|randint|choice|shuffle|uniform|sample|randperm|getpid|gethostname|time"
    r"|monotonic|perf_counter|process_time|now|is_alive|empty|qsize|poll|getmtime|stat|input"
    r"|memory_allocated|mem_get_info|cpu_percent|virtual_memory)$"
)
_LOCAL_NAME = re.compile(
    r"(?:^|_)(?:loss|losses|metric|metrics|score|accuracy|acc|auc|f1|val|grad_norm|batch|sample"
    r"|samples|elapsed|patience|bad|best|files|loader|dataloader|data)(?:_|$)",
    re.IGNORECASE,
)
PASSING = (StepKind.NAME, StepKind.ATTRIBUTE, StepKind.LITERAL)
MOST_STEPS = 160


@dataclass(frozen=True, slots=True)
class Dependence:
    """How a value may differ between ranks.

    ``strength`` is between 0 and 1; ``source`` the expression that differs (``dist.get_rank()``);
    ``entry`` the node that makes the value depend on it; ``by_rank`` says that it is the rank
    itself and not local data, a clock or a draw; ``steps`` counts the steps to it.
    ``named`` is the one rank that a comparison on the way names (``rank == 0``).
    """

    strength: float
    source: str
    entry: Node
    by_rank: bool
    steps: int
    named: int | None = None


def dependence(node: Node, names: frozenset[str] = frozenset()) -> Dependence | None:
    """Return the nearest thing by which a value differs between ranks, None where nothing does.

    ``names`` are names that stand for the rank in this program (`rank_names`).
    """
    best: Dependence | None = None
    for step in backward_slice([node], MOST_STEPS, conditions=True):
        for difference in _differing(step, names):
            if best is None or difference.strength > best.strength:
                best = difference
    return best


def _differing(step: Step, names: frozenset[str]) -> Iterator[Dependence]:
    expr = step.node.expr
    by_rank = is_rank(expr, names) or (
        isinstance(expr, ast.Call) and any(_holds_rank(value, names) for value in expr.args)
    )
    sure = 1.0 if by_rank else _local(expr)
    if sure:
        entry = _entry(step, names)
        decides = 1.0 if entry.decides or entry.roles[-1:] == ("condition",) else 0.85
        distance_factor = 1.0 + (0.05 if by_rank else 0.08) * step.distance
        node = inside_of(entry.node, names) or entry.node
        named = next(
            (n for s in step.way() if (n := named_rank(s.node.expr, names)) is not None), None
        )
        yield Dependence(
            sure * decides / distance_factor, _text(expr), node, by_rank, len(step.roles), named
        )
    if step.before is None or step.node.entry is not None:
        return
    context = step.node.context
    for test in context.scope.tests_at(step.node.line)[-2:]:
        if _holds_rank(test, names):
            node = step.node.engine.node(test, context)
            strength = 1.0 / (1.0 + 0.05 * (step.distance + COSTS["condition"]))
            named = named_rank(test, names)
            yield Dependence(strength, _text(test), node, True, len(step.roles) + 1, named)


def rank_names(scopes: Iterable[Scope]) -> frozenset[str]:
    """Return the names that a program gives its rank: what it hands to calls that take one.

    These are ``init_process_group(rank=…)``, the third argument of ``jax.distributed.initialize``,
    and the first parameter of what ``torch.multiprocessing.spawn`` is given.
    """
    names: set[str] = set()
    for scope in scopes:
        for call in scope.calls:
            given: list[ast.expr] = []
            name, text = last_name(call.func), _text(call.func)
            if name in ("init_process_group", "initialize", "init_rpc"):
                wanted = ("rank", "process_id")
                given = [k.value for k in call.keywords if k.arg in wanted]
                given += call.args[2:3] if "jax" in text else []
            elif name in ("spawn", "start_processes") and call.args:
                target = last_name(call.args[0])
                for taken in (s.functions[target] for s in scopes if target in s.functions):
                    names.update(parameter.arg for parameter in taken.parameters()[:1])
            names.update(value.id for value in given if isinstance(value, ast.Name))
    return frozenset(names)


def is_rank(expr: ast.AST, names: frozenset[str] = frozenset()) -> bool:
    """Say whether an expression is the number of the rank, or asks for it."""
    if isinstance(expr, ast.Call):
        name = last_name(expr.func)
        if name in ("getenv", "get") and expr.args:
            return _is_key(expr.args[0])
        return bool(name and (_RANK_NAME.match(name) or name == "Get_rank"))
    if isinstance(expr, ast.Subscript):
        return _is_key(expr.slice)
    if isinstance(expr, (ast.Name, ast.Attribute)):
        name = last_name(expr)
        return bool(name and (_RANK_NAME.match(name) or name in names))
    return False


def named_rank(expr: ast.expr, names: frozenset[str]) -> int | None:
    """Return the rank with which an expression compares (`rank == 0`), if it does."""
    for part in ast.walk(expr):
        if isinstance(part, ast.Compare) and is_rank(part.left, names):
            other = part.comparators[0]
            text = str(other.value) if isinstance(other, ast.Constant) else ""
            equal = isinstance(part.ops[0], (ast.Eq, ast.NotEq))
            if equal and text.isascii() and text.isdigit() and len(text) < 6:
                return int(text)
    return None


def _is_key(expr: ast.expr) -> bool:
    return (
        isinstance(expr, ast.Constant)
        and isinstance(expr.value, str)
        and bool(_RANK_KEY.match(expr.value))
    )


def _local(expr: ast.AST) -> float:
    """Return how surely a value is one rank's own: 0 where nothing says so."""
    if isinstance(expr, ast.Call):
        name = last_name(expr.func) or ""
        return 0.75 if _LOCAL_CALL.match(name) else 0.0
    if isinstance(expr, (ast.Name, ast.Attribute)):
        name = last_name(expr) or ""
        return 0.45 if _LOCAL_NAME.search(name) else 0.0
    return 0.0


def _entry(step: Step, names: frozenset[str]) -> Step:
    """Return the step on the way that first makes something of the source, or tests it."""
    way = step.way()
    for before in reversed(way):
        node = before.node
        if before.roles[-1:] == ("condition",):
            return before
        if is_rank(node.expr, names) or node.kind in PASSING:
            continue
        return before
    return step


def inside_of(node: Node, names: frozenset[str]) -> Node | None:
    """Return what a function or class of the program makes of the rank that it is given.

    That is the first slice, computation or comparison with the parameter, or with the attribute in
    which a constructor keeps it. None where the node is no such call.
    """
    for call in ast.walk(node.expr):
        if isinstance(call, ast.Call) and (use := _inside_of(node, call, names)) is not None:
            return node.engine.node(use[1], node.engine.open_context(use[0]))
    return None


def _inside_of(node: Node, call: ast.Call, names: frozenset[str]) -> tuple[Scope, ast.expr] | None:
    for value in node.engine.node(call.func, node.context).values:
        if not isinstance(value, (Function, Class)):
            continue
        scope = value.scope
        taken = scope.functions.get("__init__") if scope.is_class else scope
        if taken is None:
            continue
        for name in _given(call, taken, scope.is_class or taken.owner is not None, names):
            use = _first_use(taken, name)
            if use is None and scope.is_class:
                use = _kept_use(scope, taken, name)
            if use is not None:
                return use
    return None


def _given(call: ast.Call, scope: Scope, bound: bool, ranks: frozenset[str]) -> list[str]:
    """Return the parameters that are given the rank."""
    names = [parameter.arg for parameter in scope.parameters()]
    names = names[1:] if bound and names[:1] in (["self"], ["cls"]) else names
    given = [
        name for name, value in zip(names, call.args, strict=False) if _holds_rank(value, ranks)
    ]
    return given + [k.arg for k in call.keywords if k.arg and _holds_rank(k.value, ranks)]


def _holds_rank(expr: ast.expr, names: frozenset[str]) -> bool:
    return any(is_rank(part, names) for part in ast.walk(expr))


def _first_use(scope: Scope, name: str, attribute: bool = False) -> tuple[Scope, ast.expr] | None:
    """Return the first expression of a scope that computes with a name (or ``self.name``)."""
    uses: list[ast.expr] = []
    for part in ast.walk(scope.node):
        if isinstance(part, ast.Subscript):
            computes = isinstance(part.slice, (ast.Slice, ast.BinOp, ast.Name, ast.Attribute))
        else:
            computes = isinstance(part, (ast.BinOp, ast.Compare))
        if isinstance(part, ast.expr) and computes:
            for inner in ast.walk(part):
                wanted = ast.Attribute if attribute else ast.Name
                if isinstance(inner, wanted) and last_name(inner) == name:
                    uses.append(part)
                    break
    first = min(uses, key=lambda part: (part.lineno, part.col_offset), default=None)
    return (scope, first) if first is not None else None


def _kept_use(cls: Scope, made: Scope, name: str) -> tuple[Scope, ast.expr] | None:
    """Return the first use of the attribute in which a constructor keeps a parameter."""
    for part in ast.walk(made.node):
        if isinstance(part, ast.Assign) and last_name(part.value) == name:
            for target in part.targets:
                if isinstance(target, ast.Attribute):
                    for method in cls.functions.values():
                        if (use := _first_use(method, target.attr, attribute=True)) is not None:
                            return use
    return None


def last_name(func: ast.AST) -> str | None:
    """Return the last part of a dotted name."""
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else None


def _text(expr: ast.AST) -> str:
    try:
        return ast.unparse(expr)[:80]
    except Exception:
        return ""


class Collectives:
    """The calls of a program that need all ranks, also by way of its functions (by names)."""

    def __init__(self, engine: Engine, files: tuple[str, ...]) -> None:
        self.engine = engine
        self.scopes = [
            scope
            for file in files
            if (module := engine.program.module(file)) is not None
            for scope in module.walk()
        ]
        texts = (engine.workspace.text(file) or "" for file in files)
        self.is_wrapped = any(_WRAPPED.search(text) for text in texts)
        """Whether a wrapper of the model reduces gradients in ``backward``."""
        self.makers = self._makers()
        self.ranks = rank_names(self.scopes)
        """Names that stand for the rank here, beside the usual ones."""

    def _makers(self) -> frozenset[str]:
        """Return the names of the functions that call a collective, themselves or below."""
        bodies = [
            (scope.name, [last_name(call.func) for call in scope.calls], scope)
            for scope in self.scopes
            if not scope.is_module and not scope.is_class
        ]
        makers = {
            name for name, _, scope in bodies if any(self.is_collective(c) for c in scope.calls)
        }
        grown = True
        while grown:
            grown = False
            for name, called, _ in bodies:
                if name not in makers and any(c in makers for c in called if c):
                    makers.add(name)
                    grown = True
        return frozenset(makers - {"__init__", "main", "__call__", "get", "update", "items"})

    def is_collective(self, call: ast.Call) -> bool:
        """Say whether a call is one that all ranks have to make."""
        name = last_name(call.func)
        if name is None:
            return False
        if name in COLLECTIVES:
            if name in _AMBIGUOUS and isinstance(call.func, ast.Attribute):
                return bool(_OBJECTS.search(_text(call.func.value)))
            return True
        return self.is_wrapped and name == "backward"

    def makes(self, body: list[ast.stmt]) -> bool:
        """Say whether statements call a collective, in functions of the program too."""
        return any(self.needs_all(call) for call in calls_in(body))

    def needs_all(self, call: ast.Call) -> bool:
        """Say whether a call is a collective, or calls one below."""
        if self.is_collective(call):
            return True
        if isinstance(call.func, (ast.Call, ast.Subscript)):
            # What is looked up by a name may be any of the program's functions.
            return bool(self.makers)
        name = last_name(call.func)
        return name is not None and name in self.makers


def calls_in(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """Yield the calls of statements, without those of functions that they define."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def leaves(body: list[ast.stmt]) -> bool:
    """Say whether statements end the function, the loop or its turn early."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Call) and last_name(node.func) in (
            "exit",
            "_exit",
            "quit",
            "abort",
        ):
            return True
        waiting.extend(ast.iter_child_nodes(node))
    return False


def controls(scope: Scope) -> Iterator[ast.stmt]:
    """Yield the statements of a scope that decide what runs: if, loops, try, match."""
    waiting: list[ast.AST] = list(getattr(scope.node, "body", ()))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)):
            yield node
        waiting.extend(
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)
        )
