"""Rules for optimizers that hold other parameters than those trained, or none that can move."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.hyperparameters import OPTIMIZERS
from dl_bug_lsp.evidence.training_rules.program import Training, clue, names_in, text
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.provenance.nodes import Function, Library
from dl_bug_lsp.provenance.scopes import Binding, Scope, called_name, dotted_name

HANDED_ON = frozenset(
    {
        "to", "cuda", "cpu", "DataParallel", "DistributedDataParallel", "DDP", "FSDP", "compile",
        "prepare", "half", "float", "train", "eval", "wrap", "initialize", "convert_sync_batchnorm",
        "FullyShardedDataParallel", "double", "bfloat16", "apply", "script", "requires_grad_",
    }
)  # fmt: skip
MAKERS = ("build", "make", "create", "from_pretrained", "get_", "load")
AVERAGED = re.compile(
    r"ema|average|avg|teacher|target|shadow|best|frozen|reference|ref_|initial|old"
)


def find(training: Training) -> Iterator[Clue]:
    """Yield where the model and what the optimizer holds part ways."""
    for scope in training.functions:
        yield from _replaced(training, scope)
        yield from _copied(training, scope)
        yield from _held_of_other(training, scope)
        yield from _held_of_average(scope)
        yield from _made_in_loop(training, scope)
    yield from _frozen(training)
    yield from _maximised(training)
    yield from _crossed(training)


def find_unregistered(training: Training) -> Iterator[Clue]:
    """Yield the lists and dicts of layers that a module does not register.

    Checks before a run find them by the check of their own (``checks/model_code.py``).
    """
    for scope in training.functions:
        yield from _not_registered(training, scope)


def _optimizer_bindings(scope: Scope) -> Iterator[tuple[str, Binding, ast.Call]]:
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            value = binding.value
            if (
                isinstance(value, ast.Call)
                and called_name(value) in OPTIMIZERS
                and not binding.mutates
            ):
                yield name, binding, value


def _model_names(call: ast.Call) -> set[str]:
    """Return the (dotted) names whose ``parameters()`` an optimizer is given."""
    names: set[str] = set()
    for inner in (n for n in ast.walk(call) if isinstance(n, ast.Call)):
        gives = called_name(inner) in ("parameters", "named_parameters", "trainable_parameters")
        name = dotted_name(inner.func.value) if isinstance(inner.func, ast.Attribute) else None
        if gives and name is not None:
            names.add(name)
    return names


def _replaced(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find a model, or one of its layers, made anew after the optimizer took its parameters."""
    for binding, call in _makings(scope):
        for model in sorted(_model_names(call) or _handed_models(call)):
            yield from _replaced_by_method(training, scope, model, binding)
            for where, known_as, line in _later(training, scope, model, binding.line):
                for name, later in _made_anew(where, known_as, line):
                    if name == model and _rebuilt_both(scope, later.line, model):
                        continue
                    why = f"`{name}` is replaced after the optimizer took its parameters"
                    yield clue("strong", where.file, later.line, why)
                    why = f"{text(call)} holds parameters that are replaced later"
                    yield clue("medium", scope.file, binding.line, why)


def _makings(scope: Scope) -> Iterator[tuple[Binding, ast.Call]]:
    """Yield what makes an optimizer, also by a function of the program that is called so."""
    yield from ((binding, call) for _, binding, call in _optimizer_bindings(scope))
    for bindings in scope.bindings.values():
        for binding in bindings:
            value = binding.value
            if isinstance(value, ast.Call) and MAKING.search(called_name(value)):
                yield binding, value


MAKING = re.compile(r"(?:^|_)(?:make|build|get|create|init|configure|setup)_?\w*optim")
"""Names of functions that make an optimizer of a model."""


def _handed_models(call: ast.Call) -> set[str]:
    """Return the (dotted) names of models that a call is given."""
    names = {dotted_name(given) for given in call.args} - {None}
    return {name for name in names if name is not None and _is_model(name)}


def _replaced_by_method(
    training: Training, scope: Scope, model: str, made: Binding
) -> Iterator[Clue]:
    """Find a call of the model's own method that makes a layer anew after the optimizer."""
    for call in scope.calls:
        function = call.func
        if not isinstance(function, ast.Attribute) or call.lineno <= made.line:
            continue
        methods = training.methods.get(function.attr, [])
        if dotted_name(function.value) != model or len(methods) != 1:
            continue
        for name, _ in list(_made_anew(methods[0], "self", 0))[:1]:
            if not _rebuilt_both(scope, call.lineno, model):
                own = f"`{model}{name.removeprefix('self')}`"
                why = f"{own} is replaced in {text(call)} after the optimizer took its parameters"
                yield clue("strong", scope.file, call.lineno, why)
                why = f"the optimizer that is made here holds parameters of {own} before line"
                yield clue("strong", scope.file, made.line, f"{why} {call.lineno} replaces it")


def _later(
    training: Training, scope: Scope, model: str, line: int
) -> Iterator[tuple[Scope, str, int]]:
    """Yield what runs after a line: the rest of its scope, and the functions called there.

    Each with the name that the model has in it, and the line after which it counts.
    """
    yield scope, model, line
    for call in scope.calls:
        if call.lineno <= line:
            continue
        function = call.func
        if isinstance(function, ast.Attribute) and dotted_name(function.value) == "self":
            method = scope.owner.functions.get(function.attr) if scope.owner is not None else None
            if method is not None and method is not scope and model.startswith("self."):
                yield method, model, 0
            continue
        if not any(dotted_name(given) == model for given in call.args):
            continue
        context = training.engine.open_context(scope)
        for value in training.engine.node(function, context).values:
            if isinstance(value, Function):
                names = [p.arg for p in value.scope.parameters()]
                for given, name in zip(call.args, names, strict=False):
                    if dotted_name(given) == model:
                        yield value.scope, name, 0


def _made_anew(scope: Scope, model: str, line: int) -> Iterator[tuple[str, Binding]]:
    """Yield the bindings after a line that make a model, or one of its layers, anew."""
    for name, bindings in sorted(scope.bindings.items()):
        if name == model or name.startswith(model + "."):
            for later in bindings:
                if later.line > line and not later.mutates and _makes_new(later.value):
                    yield name, later


def _makes_new(expr: ast.expr) -> bool:
    while (
        isinstance(expr, ast.Call)
        and called_name(expr) in ("to", "cuda", "double", "half")
        and isinstance(expr.func, ast.Attribute)
    ):
        expr = expr.func.value
    if not isinstance(expr, ast.Call):
        return False
    name = called_name(expr)
    return name not in HANDED_ON and (
        name[:1].isupper() or name in ("deepcopy", "copy", "clone") or name.startswith(MAKERS)
    )  # fmt: skip


def _rebuilt_both(scope: Scope, line: int, model: str) -> bool:
    return any(b.line > line and model in _model_names(c) for _, b, c in _optimizer_bindings(scope))


def _copied(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find a copy that is trained while the optimizer was built for the original."""
    given = {p.arg for p in scope.parameters()}
    optimizer = [n for n in sorted(given) if "optim" in n.lower() or n in ("opt",)]
    for name, bindings in sorted(scope.bindings.items()):
        short = name.rpartition(".")[2]
        for binding in bindings:
            value = binding.value
            copied = isinstance(value, ast.Call) and called_name(value) in ("deepcopy", "clone")
            if copied and not AVERAGED.search(short.lower()) and _is_model(short):
                level = "strong" if optimizer else "medium"
                why = f"`{name}` is a copy; the optimizer holds the original's parameters"
                yield clue(level, scope.file, binding.line, why)
            elif optimizer and _freezes(value) and names_in(value) & given:
                why = f"{text(value)} freezes what the optimizer was built for"
                yield clue("strong", scope.file, binding.line, why)
    if optimizer and any(c.func for c in scope.calls if called_name(c) == "deepcopy"):
        for caller, call in training.engine.program.callers(_callable_name(scope)):
            for word in (*call.args, *(k.value for k in call.keywords)):
                if isinstance(word, ast.Name) and "optim" in word.id:
                    for binding in caller.bindings.get(word.id, [])[:1]:
                        why = "the optimizer is bound to the object that is copied later"
                        yield clue("medium", caller.file, binding.line, why)


COPIES = frozenset(("deepcopy", "clone", "clone_model"))
"""Calls that give an object with parameters of its own."""
NO_PART = frozenset(
    {
        *("parameters", "named_parameters", "trainable_parameters", "state_dict", "train", "eval"),
        *("load_state_dict", "to", "cuda", "cpu", "zero_grad", "requires_grad_", "children"),
        *("print", "len", "summary", "deepcopy", "copy", "clone", "save"),
    }
)
"""Methods and functions of a model, or of which it is an argument, in which it gives no loss."""


def _held_of_other(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find an optimizer of a model that gives no loss, while a copy of it does."""
    for name, binding, call in _optimizer_bindings(scope):
        loops = training.loops(scope, call)
        last = loops[0].end_lineno if loops else None
        later = [
            other
            for other in scope.calls
            if other.lineno > binding.line and (last is None or other.lineno <= last)
        ]
        for held in sorted(_model_names(call)):
            if any(_has_part(other, held) for other in later):
                continue
            trained = _trained_copy(scope, held, name, binding.line, later)
            if trained is not None:
                why = f"the optimizer holds the parameters of `{held}`, which gives no loss here"
                yield clue("strong", scope.file, call.lineno, f"{why}: `{trained}` does")
                for made in scope.bindings.get(trained, [])[:1]:
                    why = f"`{trained}` has parameters of its own; the optimizer holds those of"
                    yield clue("medium", scope.file, made.line, f"{why} `{held}`")


OF_AVERAGES = frozenset(("ema", "avg", "average", "averaged", "averager", "swa", "shadow"))
"""Words of names of models that hold averages of another one's weights."""


def _held_of_average(scope: Scope) -> Iterator[Clue]:
    """Find an optimizer of nothing but averages of weights, which are computed and not trained."""
    for binding, call in _makings(scope):
        held = sorted(_model_names(call) or _handed_models(call))
        if held and all(OF_AVERAGES & set(parts_of(name)) for name in held):
            why = f"the optimizer holds the parameters of `{held[0]}`, which are averages of others"
            yield clue("strong", scope.file, binding.line, why)


def _has_part(call: ast.Call, model: str) -> bool:
    """Whether a call runs a model, or hands it to something that may do so."""
    function = dotted_name(call.func) or ""
    if function == model:
        return True
    if function.startswith(f"{model}.") and function.rpartition(".")[2] not in NO_PART:
        return True
    given = [*call.args, *(word.value for word in call.keywords)]
    names = {dotted_name(value) for value in given}
    parts = {dotted_name(v) for g in given if isinstance(g, (ast.List, ast.Tuple)) for v in g.elts}
    return model in names | parts and called_name(call) not in NO_PART


def _trained_copy(
    scope: Scope, held: str, optimizer: str, line: int, later: list[ast.Call]
) -> str | None:
    """Return the model that is trained after a line: made of another one, or one made of it."""
    originals = {_copied_from(binding.value) for binding in scope.bindings.get(held, ())}
    names = {*scope.bindings, *(name for name in originals if name is not None)} - {held}
    for name in sorted(names):
        if AVERAGED.search(name.rpartition(".")[2].lower()):
            continue
        made = [b for b in scope.bindings.get(name, ()) if b.line <= line and not b.mutates]
        if name not in originals and all(_copied_from(b.value) != held for b in made):
            continue
        for call in later:
            words = [dotted_name(v) for v in (*call.args, *(w.value for w in call.keywords))]
            if dotted_name(call.func) == name or (name in words and optimizer in words):
                return name
    return None


def _copied_from(expr: ast.expr) -> str | None:
    """Return the name of the model of which an expression makes a copy with its own parameters."""
    while (
        isinstance(expr, ast.Call)
        and called_name(expr) in HANDED_ON
        and isinstance(expr.func, ast.Attribute)
    ):
        expr = expr.func.value
    if not isinstance(expr, ast.Call) or called_name(expr) not in COPIES:
        return None
    source = expr.args[0] if expr.args else getattr(expr.func, "value", None)
    return dotted_name(source) if source is not None else None


def _callable_name(scope: Scope) -> str:
    if scope.owner is not None and scope.name.endswith("__init__"):
        return scope.owner.name.rpartition(".")[2]
    return scope.name.rpartition(".")[2]


def _is_model(name: str) -> bool:
    return (
        re.search(r"model|net|policy|encoder|decoder|student|module|critic|actor", name) is not None
    )


def _freezes(expr: ast.expr) -> bool:
    return (
        isinstance(expr, ast.Call)
        and called_name(expr) == "requires_grad_"
        and "copy" not in ast.unparse(expr.func)
        and bool(expr.args)
        and isinstance(expr.args[0], ast.Constant)
        and expr.args[0].value is False
    )


WEIGHTLESS = re.compile(
    r"(?:ReLU|ELU|GELU|SiLU|Tanh|Sigmoid|Softmax|Softplus|Dropout|Flatten|Identity|Pool|Upsample|Loss)"
    r"(?:\d?[dD])?$"
)
"""Classes of layers without parameters."""
REGISTERS = ("ModuleList", "ModuleDict", "Sequential", "add_module", "register_module", "extend")


def _not_registered(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find layers in a plain list or dict of a module, which ``parameters()`` does not give.

    Sources: PyTorch's documentation of ``nn.ModuleList`` and ``nn.ModuleDict``.
    """
    bases = [ast.unparse(base) for base in getattr(scope.owner and scope.owner.node, "bases", ())]
    if "torch" not in training.imported or not any(b.endswith("Module") for b in bases):
        return
    for name, bindings in sorted(scope.bindings.items()):
        if not name.startswith("self."):
            continue
        layers = [
            call
            for binding in bindings
            for part in _elements(binding.value)
            if isinstance(call := part, ast.Call) and _is_layer(training, scope, call)
        ]
        appended = [
            part
            for call in scope.calls
            if dotted_name(call.func) == f"{name}.append" and call.args
            for part in call.args
            if isinstance(part, ast.Call) and _is_layer(training, scope, part)
        ]
        is_list = any(isinstance(b.value, ast.List) and not b.value.elts for b in bindings)
        if is_list:
            layers.extend(appended)
        if layers and not _is_registered(training, name):
            why = f"layers in the plain list or dict `{name}` are not among the model's parameters"
            line = bindings[0].line
            yield clue("strong", scope.file, line, f"{why}: no optimizer gets them")


def _elements(expr: ast.expr) -> list[ast.expr]:
    """Return what a list, a dict or a comprehension is made of."""
    if isinstance(expr, (ast.List, ast.Tuple)):
        return expr.elts
    if isinstance(expr, ast.Dict):
        return expr.values
    if isinstance(expr, ast.ListComp):
        return [expr.elt]
    return [expr.value] if isinstance(expr, ast.DictComp) else []


def _is_layer(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether a call makes a module of PyTorch with parameters."""
    if not called_name(call)[:1].isupper() or WEIGHTLESS.search(called_name(call)):
        return False
    node = training.engine.node(call.func, training.engine.open_context(scope))
    return any(
        isinstance(value, Library) and value.name.startswith("torch.nn.") for value in node.values
    )


def _is_registered(training: Training, attribute: str) -> bool:
    """Whether what an attribute holds is given to a container, or to an optimizer."""
    plain = attribute.removeprefix("self.")
    for _, call in training.named(*REGISTERS, *sorted(OPTIMIZERS)):
        if plain in names_in(call):
            return True
    return False


def _made_in_loop(training: Training, scope: Scope) -> Iterator[Clue]:
    """Find what is made anew every round: an optimizer forgets its moments, a model all."""
    for name, binding, call in _optimizer_bindings(scope):
        loops = training.loops(scope, call)
        if loops and isinstance(loops[0], ast.For):
            header = ast.unparse(loops[0].target) + ast.unparse(loops[0].iter)
            # A new model needs a new optimizer.
            made = {b.line for held in _model_names(call) for b in scope.bindings.get(held, ())}
            is_of_round = any(loops[0].lineno < line <= call.lineno for line in made)
            if not is_of_round and re.search(r"epoch|batch|loader|step", header):
                why = f"`{name}` is made anew in every round and forgets its state"
                # What Adam forgets once an epoch it soon has again.
                of_epochs = "epoch" in header and any(
                    isinstance(inner, ast.For) for part in loops[0].body for inner in ast.walk(part)
                )
                level = "medium" if of_epochs else "strong"
                yield clue(level, scope.file, binding.line, why)
    for call in scope.calls:
        if called_name(call) in ("load_state_dict", "set_weights") and training.loops(scope, call):
            loop = training.loops(scope, call)[0]
            header = ast.unparse(loop.iter) if isinstance(loop, ast.For) else ""
            base = ast.unparse(call.func)
            if re.search(r"epoch|batch|loader|step", header) and not re.search(
                r"target|ema|teacher|shadow|best|optim|sched|old", base + ast.unparse(call)
            ):
                why = f"{text(call)} puts the weights back in every round"
                yield clue("medium", scope.file, call.lineno, why)


def _frozen(training: Training) -> Iterator[Clue]:
    thawed = any(
        isinstance(b.value, ast.Constant) and b.value.value is True
        for s in training.scopes
        for n, bs in s.bindings.items()
        if n.endswith((".requires_grad", ".trainable"))
        for b in bs
    )
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            if not name.endswith((".requires_grad", ".trainable")):
                continue
            for binding in bindings:
                if isinstance(binding.value, ast.Constant) and binding.value.value is False:
                    yield from _frozen_at(scope, name, binding, thawed)
        for call in scope.calls:
            if _freezes(call) and not AVERAGED.search(ast.unparse(call).lower()):
                whole = isinstance(call.func, ast.Attribute) and _is_whole(
                    ast.unparse(call.func.value)
                )
                why = f"{text(call)} takes parameters out of training"
                yield clue("strong" if whole else "medium", scope.file, call.lineno, why, 0.9)


def _is_whole(name: str) -> bool:
    """Whether a name speaks of the whole model rather than of a part of it."""
    return re.fullmatch(r"(?:self\.)?(?:model|net|network|student|policy)", name) is not None


def _frozen_at(scope: Scope, name: str, binding: Binding, thawed: bool) -> Iterator[Clue]:
    base = name.rpartition(".")[0]
    source = " ".join(ast.unparse(b.value) for b in scope.bindings.get(base, []) if _plain(b.value))
    words = f"{base} {source}".lower()
    if AVERAGED.search(words) or re.search(r"backbone|base|feature|bert|embed|discrim|stem", words):
        yield clue("weak", scope.file, binding.line, f"`{name}` takes parameters out of training")
        return
    level = "medium" if thawed else "strong"
    # A new head on a frozen body is trained by itself.
    if any(
        "." in other and b.line > binding.line and _makes_new(b.value)
        for other, bs in scope.bindings.items()
        for b in bs
    ):
        level = "weak"
    yield clue(level, scope.file, binding.line, f"`{name}` takes parameters out of training", 0.9)


def _plain(expr: ast.expr) -> bool:
    inner = getattr(expr, "value", None)
    return isinstance(expr, (ast.Call, ast.Name, ast.Attribute)) or isinstance(inner, ast.expr)


def _maximised(training: Training) -> Iterator[Clue]:
    for scope, call in training.named(*sorted(OPTIMIZERS)):
        flag = keyword(call, "maximize")
        if isinstance(flag, ast.Constant) and flag.value is True:
            yield clue("strong", scope.file, flag.lineno, "the optimizer makes the loss larger")
        for inner in (n for n in ast.walk(call) if isinstance(n, ast.UnaryOp)):
            if isinstance(inner.op, ast.Not) and "requires_grad" in ast.dump(inner):
                why = "only the frozen parameters are handed to the optimizer"
                yield clue("strong", scope.file, inner.lineno, why)


def _crossed(training: Training) -> Iterator[Clue]:
    """``optimizer_d`` over the generator's parameters, and the other way round."""
    sides = (
        re.compile(r"(?:^|_)(?:d|disc|discriminator|critic)(?:_|$)"),
        re.compile(r"(?:^|_)(?:g|gen|generator|actor)(?:_|$)"),
    )
    for scope in training.functions:
        for name, binding, call in _optimizer_bindings(scope):
            short = name.rpartition(".")[2].lower()
            models = " ".join(m.rpartition(".")[2].lower() for m in sorted(_model_names(call)))
            for own, other in (sides, sides[::-1]):
                if own.search(short) and other.search(models) and not own.search(models):
                    why = f"`{name}` holds the parameters of the other network"
                    yield clue("strong", scope.file, binding.line, why)
