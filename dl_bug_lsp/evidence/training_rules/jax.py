"""Rules for JAX, Flax and Optax: dropped updates, state not carried on, keys used twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import (
    LAMBDAS,
    Training,
    argument,
    clue,
    names_in,
    text,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name

PURE = frozenset({"apply_updates", "apply_gradients", "replace", "incremental_update", "tree_map"})
SAMPLERS = frozenset(
    {
        "normal", "uniform", "bernoulli", "randint", "permutation", "categorical", "choice",
        "truncated_normal", "gumbel", "exponential", "shuffle", "dropout", "rademacher", "laplace",
    }
)  # fmt: skip
RELATIVE_SCALERS = frozenset(
    {"scale_by_adam", "scale_by_rms", "scale_by_belief", "scale_by_lion", "trace", "scale_by_yogi"}
)


def find(training: Training) -> Iterator[Clue]:
    """Yield what pure functions make easy to forget."""
    if not {"jax", "optax", "flax", "equinox", "haiku"} & training.imported:
        return
    for scope in training.functions:
        yield from _dropped(training, scope)
        yield from _stale(scope)
        yield from _keys(training, scope)
        yield from _initialised_again(training, scope)
    yield from _signs(training)
    yield from _gradient_of(training)


def _dropped(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find a pure function's result that nobody takes."""
    for call in scope.calls:
        name = called_name(call)
        if name not in PURE and name != "update":
            continue
        base = ast.unparse(call.func).lower()
        stateful = name == "update" and re.search(r"\b(?:tx|opt|optim|optimizer)\b", base)
        # An nnx.Optimizer and metrics change in place.
        in_place = "nnx" in " ".join(m for m, _ in _imports(scope)) and name == "update"
        if name not in PURE and not (stateful and not in_place):
            continue
        statement = training.statement(scope, call)
        if isinstance(statement, ast.Expr) and statement.value is call:
            keras = name == "apply_gradients" and "zip" in ast.unparse(call)
            if not keras and not (name == "replace" and "str" in base):
                why = f"{text(call)} gives a new value that nobody takes"
                yield clue("strong", scope.file, call.lineno, why)
        elif isinstance(statement, ast.Assign):
            yield from _unused(scope, statement, call)


def _imports(scope: Scope) -> list[tuple[str, str | None]]:
    imports: list[tuple[str, str | None]] = []
    at: Scope | None = scope
    while at is not None:
        imports.extend((f"{m}.{n}", n) for m, n in at.imports.values())
        at = at.parent
    return imports


def _unused(scope: Scope, statement: ast.Assign, call: ast.Call) -> Iterator[Clue]:
    """Results that are bound to a name which is never read."""
    read = {
        n.id
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    for target in statement.targets:
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for part in parts:
            if isinstance(part, ast.Name) and part.id not in read and not scope.is_module:
                why = f"`{part.id}`, which {text(call)} gives, is never used"
                level = "strong" if called_name(call) in PURE or len(parts) > 1 else "medium"
                yield clue(level, scope.file, statement.lineno, why)


def _stale(scope: Scope) -> Iterator[Clue]:
    """Find a step that returns the state it was given, not the one it made."""
    given = {p.arg for p in scope.parameters()}
    made = {
        n
        for n, bindings in scope.bindings.items()
        for b in bindings
        if isinstance(b.value, (ast.Call, ast.Subscript)) and "." not in n
        and any(w in ast.unparse(b.value) for w in ("apply_gradients", "apply_updates", ".update("))
    }  # fmt: skip
    if not made or isinstance(scope.node, ast.Lambda):
        return
    for returned in scope.returns:
        parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
        for part in parts:
            if not isinstance(part, ast.Name) or part.id not in given:
                continue
            newer = sorted(m for m in made if m != part.id and part.id in m)
            if newer and part.id not in made and part.id not in scope.bindings:
                why = f"`{part.id}` is returned as it came, `{newer[0]}` is forgotten"
                yield clue("strong", scope.file, part.lineno, why)


def _keys(training: Training, scope: Scope) -> Iterator[Clue]:
    for call in scope.calls:
        name = called_name(call)
        makes = name == "PRNGKey" or (name == "key" and "random" in ast.unparse(call.func))
        fixed = bool(call.args) and isinstance(call.args[0], ast.Constant)
        if makes and fixed and training.loops(scope, call):
            why = f"{text(call)} gives the same numbers in every round"
            yield clue("strong", scope.file, call.lineno, why)
    used: dict[str, list[ast.Call]] = {}
    for call in scope.calls:
        key = call.args[0] if call.args and called_name(call) in SAMPLERS else None
        if isinstance(key, ast.Name) and re.search(r"key|rng", key.id):
            used.setdefault(key.id, []).append(call)
    for name, calls in sorted(used.items()):
        for call in calls:
            loops = training.loops(scope, call)
            bound = [b.line for b in scope.bindings.get(name, [])]
            inside = loops and any(
                getattr(loops[0], "lineno", 0) <= at <= (getattr(loops[0], "end_lineno", 0) or 0)
                for at in bound
            )
            if loops and not inside and (bound or name in {p.arg for p in scope.parameters()}):
                why = f"`{name}` is not split in the loop, so every round draws the same"
                yield clue("strong", scope.file, call.lineno, why)
        if len(calls) > 1 and not scope.bindings.get(name, [])[1:]:
            for call in calls[1:]:
                yield clue("weak", scope.file, call.lineno, f"`{name}` is used once more")


def _initialised_again(training: Training, scope: Scope) -> Iterator[Clue]:
    for call in scope.calls:
        if called_name(call) != "init" or not isinstance(call.func, ast.Attribute):
            continue
        base = ast.unparse(call.func.value).lower()
        loops = training.loops(scope, call)
        header = ast.unparse(loops[0].iter) if loops and isinstance(loops[0], ast.For) else ""
        optimizer = re.search(r"\b(?:tx|opt|optim|optimizer)\b", base) is not None
        short = scope.name.rpartition(".")[2]
        in_step = optimizer and re.search(r"step|update", short) and "init" not in short
        if in_step or (loops and re.search(r"epoch|step|batch|loader|range", header)):
            why = f"{text(call)} starts from scratch in every round"
            yield clue("strong" if optimizer else "medium", scope.file, call.lineno, why)


def _signs(training: Training) -> Iterator[Clue]:
    chained = {n for n in ("scale_by_learning_rate", "scale_by_schedule") if n in training.by_name}
    for scope, call in training.named("scale"):
        if "optax" not in ast.unparse(call.func) and "optax" not in " ".join(
            m for m, n in _imports(scope) if n == "scale"
        ):
            continue
        for origin in training.origins(scope, call.args[0]) if call.args else ():
            if origin.value > 0 and not chained and origin.value < 1:
                why = "a positive scale moves the weights up the gradient"
                yield clue("strong", scope.file, call.lineno, why)
        size = call.args[0] if call.args else None
        named = isinstance(size, (ast.Name, ast.Attribute, ast.Subscript))
        if size is not None and named and not chained and not training.numbers(scope, size):
            yield clue("medium", scope.file, call.lineno, "the scale has no minus")
    for scope, call in training.named(*sorted(RELATIVE_SCALERS)):
        statement = training.statement(scope, call)
        words = ast.unparse(statement) if statement is not None else ""
        if not re.search(r"learning_rate|scale\(|scale_by_schedule|lr", words):
            why = f"{text(call)} is never scaled by a (negative) learning rate"
            yield clue("medium", scope.file, call.lineno, why)
    for scope in training.functions:
        for node in training.nodes(scope, LAMBDAS):
            if isinstance(node, ast.Lambda) and isinstance(node.body, ast.BinOp):
                parameters = [a.arg for a in node.args.args]
                used = names_in(node.body)
                rate = re.search(
                    r"\b(?:lr|learning_rate|step_size|alpha|eta)\b", ast.unparse(node.body)
                )
                both = len(parameters) == 2 and set(parameters) <= used and rate
                if both and isinstance(node.body.op, ast.Add) and parameters[1][:1] == "g":
                    why = f"{text(node.body)} moves the weights up the gradient"
                    yield clue("strong", scope.file, node.lineno, why)


def _gradient_of(training: Training) -> Iterator[Clue]:
    """Gradients with respect to another argument than the parameters."""
    for scope, call in training.named("grad", "value_and_grad"):
        argnums = keyword(call, "argnums") or argument(call, 1, "argnums")
        function = call.args[0] if call.args else None
        if argnums is None or not isinstance(function, ast.Name):
            continue
        numbers = training.numbers(scope, argnums)
        for target in training.functions:
            if target.name.rpartition(".")[2] != function.id or not numbers:
                continue
            names = [p.arg for p in target.parameters()]
            at = int(numbers[0])
            wanted = [i for i, n in enumerate(names) if re.search(r"param|weight|model|theta", n)]
            if wanted and at not in wanted and at < len(names):
                why = f"gradients are taken for `{names[at]}`, not for `{names[wanted[0]]}`"
                yield clue("strong", scope.file, argnums.lineno, why)
