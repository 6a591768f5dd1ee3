"""Something is missing: the places where its like stand, and what lacks it.

A name, attribute, key or method that nothing makes has no line of its own. Its place is told by the
order in which code uses it together with others, by parameters that nothing keeps, and by other
code that does have it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.rebound_names import is_bound_in
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, code_lines, near_files, source
from dl_bug_lsp.evidence.repairs import repair_context
from dl_bug_lsp.evidence.repairs.repair_context import (
    FUNCTIONS,
    beside,
    body_of,
    class_named,
    classes_near,
    import_lines,
    library_bases,
    members_of,
    method_names,
    names_read,
    way_to,
)
from dl_bug_lsp.evidence.repairs.spelling import best, slips
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

MODULE_NAMES = {
    "np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "tf": "tensorflow", "nn": "torch.nn",
    "F": "torch.nn.functional", "jnp": "jax.numpy", "sns": "seaborn", "pl": "lightning",
    "tqdm": "tqdm", "Path": "pathlib", "defaultdict": "collections", "partial": "functools",
    "Counter": "collections", "deque": "collections", "dataclass": "dataclasses",
    "DataLoader": "torch.utils.data", "Dataset": "torch.utils.data", "optim": "torch.optim",
    "Variable": "torch.autograd", "Image": "PIL", "deepcopy": "copy", "torch": "torch",
    "jax": "jax", "keras": "keras", "layers": "keras", "optax": "optax", "sklearn": "sklearn",
    "yaml": "yaml", "transforms": "torchvision", "torchvision": "torchvision", "cv2": "cv2",
}  # fmt: skip
STANDARD = {
    "math", "os", "sys", "json", "random", "time", "copy", "re", "glob", "shutil", "pickle",
    "argparse", "logging", "itertools", "functools", "collections", "csv", "io", "datetime",
    "typing", "warnings", "subprocess", "threading", "hashlib", "string", "operator",
}  # fmt: skip
PROTOCOLS = (
    ("has no len()", ("__len__",)),
    ("is not iterable", ("__iter__", "__getitem__")),
    ("is not subscriptable", ("__getitem__",)),
    ("is not callable", ("__call__",)),
    ("context manager protocol", ("__enter__", "__exit__")),
    ("is not an iterator", ("__next__", "__iter__")),
    ("returned non-iterator", ("__next__",)),
)
LIBRARY_MEMBERS = {
    "torch.nn.Module": {
        *("parameters", "named_parameters", "state_dict", "load_state_dict", "train", "eval", "to"),
        *("cuda", "cpu", "zero_grad", "modules", "children", "register_buffer", "apply", "half"),
        *("register_parameter", "named_modules", "named_children", "requires_grad_", "buffers"),
    },
    "keras.Model": {
        *("compile", "fit", "evaluate", "predict", "summary", "save_weights", "load_weights"),
        *("trainable_variables", "trainable_weights", "get_weights", "set_weights", "add_weight"),
    },
    "lightning.LightningModule": {"log", "log_dict", "save_hyperparameters"},
}
"""What classes of frameworks give those that derive from them, by the frameworks' references."""
FORWARD = {"forward", "call"}
OF_EVERY_CLASS = frozenset(dir(object))
NO_BASE = ("is not a Module subclass", "not a subclass", "should be an instance", "is not a Layer",
           "must be an instance of", "should inherit", "must inherit")  # fmt: skip
WORDS = re.compile(r"[A-Za-z_]\w+")
MOST = 8


def find(case: Case) -> Iterator[Clue]:
    """Yield the places where something that the failure misses would stand."""
    for name in sorted({str(f.value) for f in case.facts.of(FactKind.NAME, Role.ACTUAL)}):
        if case.category.id == "undefined_variable" and case.sites:
            yield from _name(case, name)
    for attribute in sorted({str(f.value) for f in case.facts.of(FactKind.ATTRIBUTE, Role.ACTUAL)}):
        yield from _attribute(case, attribute)
        yield from _option(case, attribute)
    yield from _methods(case)
    yield from _key(case)
    yield from _never_filled(case)


def _clue(kind: str, file: str, line: int, score: float, why: str) -> Clue:
    return Clue(kind, file, line, score, why, Suggestion(file, line, "", ""))


def _after(kind: str, file: str, statement: ast.stmt, score: float, why: str) -> Iterator[Clue]:
    """Yield the lines of a statement after which something is missing: its end, its beginning."""
    end = statement.end_lineno or statement.lineno
    yield _clue(kind, file, end, score, why)
    if end != statement.lineno:
        yield _clue(kind, file, statement.lineno, 0.7 * score, why)


# Names


def _name(case: Case, name: str) -> Iterator[Clue]:
    site = case.sites[-1]
    if case.class_name.endswith("UnboundLocalError") and case.library_frames:
        # A name of the library: a loop of it ran over nothing.
        return
    scope = site.context.scope
    while scope.parent is not None and name not in scope.bindings:
        scope = scope.parent
    if name in scope.bindings:
        yield from _not_yet_bound(case, scope, name, site.place.line)
        return
    scope = site.context.scope
    module = scope
    while module.parent is not None:
        module = module.parent
    if is_bound_in(case, module.file, name):
        return  # A cell that did not run, or a definition below, binds it.
    if _is_slip(name, scope, site.place.line):
        # The places of both spellings tell more; that nothing binds this one stays true.
        why = _unbound(name, site.place.line)
        if unread_source(case, scope) is None:
            yield _clue("missing.binding", site.place.file, site.place.line, BESIDE_SLIP, why)
        return
    imported = list(_import(case, module, name))
    for star in module.stars:
        target = case.engine.program.imported(module, star)
        imported.extend(_import(case, target, name) if target is not None else ())
    yield from imported or _unmade(case, scope, name, site.place.line)


def _unbound(name: str, line: int) -> str:
    # A parameter of another function may have the name, so the scope is named.
    return f"nothing gives `{name}` a value in the scope of line {line}"


BESIDE_SLIP = 0.3
"""What it counts at the failing line that nothing binds a name which another one is like."""


def _is_slip(name: str, scope: Scope, line: int) -> bool:
    """Whether a name in scope is nearly the same; of an imported one a letter may differ."""
    imported: set[str] = set()
    at: Scope | None = scope
    while at is not None:
        imported.update(at.imports)
        at = at.parent
    return bool(slips(name, _visible(scope) - _bound_at(scope, line), imported))


def _visible(scope: Scope) -> set[str]:
    found: set[str] = set()
    at: Scope | None = scope
    while at is not None:
        found.update(n for n in at.bindings if "." not in n)
        found.update(p.arg for p in at.parameters())
        found.update(at.functions, at.classes, at.imports)
        at = at.parent
    return found


def _bound_at(scope: Scope, line: int) -> set[str]:
    """Return the names that one line of a scope alone binds: while it runs they have no value."""
    bound = {name: [b.line for b in at] for name, at in scope.bindings.items() if "." not in name}
    return {name for name, lines in bound.items() if set(lines) == {line}}


def _not_yet_bound(case: Case, scope: Scope, name: str, line: int) -> Iterator[Clue]:
    """Find branches that leave a name without a value, and the place before a loop."""
    inner = case.sites[-1].context.scope
    used = line if inner is scope else (1 << 30)
    body = body_of(scope)
    bound = [b.line for b in scope.bindings[name] if not b.mutates]
    for statement in (n for n in ast.walk(scope.node) if isinstance(n, ast.If)):
        last = statement.body[-1].end_lineno or statement.body[-1].lineno
        # Where the name is used below the condition itself, the condition did hold.
        if statement.lineno > used or statement.body[0].lineno <= used <= last:
            continue
        yield from _branches(case, scope, statement, name, bound)
    if inner is not scope:
        return
    way = way_to(body, line)
    if any(b < line for b in bound):
        return
    loops = [
        (block, index)
        for block, index in way
        if isinstance(block[index], (ast.For, ast.While, ast.AsyncFor, ast.With))
    ]
    maker = "anything" if scope.is_module else f"`{scope.name}`"
    why = f"`{name}` is used at line {line} before {maker} gives it a value"
    for depth, (block, index) in enumerate(reversed(loops or way[-1:])):
        near = 0.9 / (1 + depth / 3)
        if loops:
            yield _clue("missing.binding", scope.file, block[index].lineno, near, why)
        else:
            yield _clue("missing.binding", scope.file, block[index].lineno, near, why)
        if index:
            yield from _after("missing.binding", scope.file, block[index - 1], near, why)
    if isinstance(scope.node, FUNCTIONS):
        yield _clue("missing.binding_def", scope.file, scope.line, 1.0, why)


def _branches(
    case: Case, scope: Scope, statement: ast.If, name: str, bound: list[int]
) -> Iterator[Clue]:
    """Yield the branches of an ``if`` that do not bind a name which the others bind."""

    def binds(block: list[ast.stmt]) -> bool:
        first, last = block[0].lineno, block[-1].end_lineno or block[-1].lineno
        return any(first <= line <= last for line in bound)

    if not binds(statement.body):
        if statement.orelse and binds(statement.orelse) and not _leaves(statement.body):
            why = f"`{name}` gets no value under `{source(statement.test)}`, as it does otherwise"
            for inner in statement.body[:MOST]:
                yield _clue("missing.branch", scope.file, inner.lineno, 0.9, why)
        return
    orelse = statement.orelse
    is_chain = len(orelse) == 1 and isinstance(orelse[0], ast.If)
    if orelse and not is_chain and not binds(orelse) and not _leaves(orelse):
        # Where several branches bind it, the one that does not is the odd one.
        score = 1.0 if _in_chain(scope, statement) else 0.4
        why = f"`{name}` gets no value in the `else` of `{source(statement.test)}`"
        for inner in orelse[:MOST]:
            yield _clue("missing.branch", scope.file, inner.lineno, score, why)
    if not orelse:
        why = f"`{name}` gets a value only under `{source(statement.test)}` or before it"
        yield _clue("missing.branch", scope.file, statement.lineno, 0.5, why)
        yield from unmatched(case, scope, statement)


def _in_chain(scope: Scope, statement: ast.If) -> bool:
    """Whether an ``if`` is the ``elif`` of another one."""
    return any(isinstance(n, ast.If) and statement in n.orelse for n in ast.walk(scope.node))


def _leaves(block: list[ast.stmt]) -> bool:
    return isinstance(block[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def unmatched(case: Case, scope: Scope, last: ast.If) -> Iterator[Clue]:
    """Yield where a value comes from that no comparison of a chain of branches knows."""
    test = last.test
    if not isinstance(test, ast.Compare) or len(test.comparators) != 1:
        return
    known: set[str] = set()
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Compare) and ast.dump(node.left) == ast.dump(test.left):
            known.update(
                c.value
                for side in node.comparators
                for c in ast.walk(side)
                if isinstance(c, ast.Constant) and isinstance(c.value, str)
            )
    if not known:
        return
    context = case.context_of(scope)
    start = case.engine.node(test.left, context)
    for step in backward_slice([start], 60):
        constant = step.node.constant
        value = constant.value if constant is not None else None
        if not step.decides or not isinstance(value, str) or value in known or step.node.line <= 0:
            continue
        near = best(value, known)
        why = f"`{value}` is none of the values that `{source(test.left)}` is compared with"
        edit = Suggestion(step.node.file, step.node.line, value, near[0][0]) if near else None
        score = 1.0 if near else 0.6
        yield Clue("repair.choice", step.node.file, step.node.line, score, why, edit)


def _import(case: Case, module: Scope, name: str) -> Iterator[Clue]:
    """Yield the import lines in which, or beside which, the import of a name would stand."""
    for imports, imported in _modules_of_imports(case, module):
        if (line := _defined_in(imported, name)) is not None:
            at = f"{imported.file}:{line}"
            why = f"`{name}` is defined in {at}, from which this line imports other names"
            yield _clue("missing.import_from", module.file, imports.lineno, 1.0, why)
            return
    elsewhere = _imported_elsewhere(case, module, name)
    if name not in MODULE_NAMES and name not in STANDARD and not elsewhere:
        yield from _beside_alike(case, module, name)
        return
    tree = case.workspace.tree(module.file)
    lines = import_lines(tree) if tree is not None else []
    wanted = elsewhere or MODULE_NAMES.get(name, name)
    why = f"`{name}` is used and nothing imports it (`{wanted}`)"
    if unread_source(case, module) is not None:
        why = f"`{name}` is used and no import names it (`{wanted}`)"
    if not lines:
        yield _clue("missing.import", module.file, 1, 1.0, why)
        return

    def order(statement: ast.stmt) -> tuple[bool, bool, str]:
        dotted = (
            statement.names[0].name
            if isinstance(statement, ast.Import)
            else str(getattr(statement, "module", ""))
        )
        # Imports of the own package stand last (PEP 8, "Imports").
        is_own = isinstance(statement, ast.ImportFrom) and statement.level > 0
        return is_own, dotted.partition(".")[0] not in STANDARD, dotted

    target = (False, wanted.partition(".")[0] not in STANDARD, wanted)
    before = [s for s in lines if order(s) <= target]
    after = [s for s in lines if order(s) > target]
    same = [s for s in lines if order(s)[2].partition(".")[0] == wanted.partition(".")[0]]
    for rank, statement in enumerate(dict.fromkeys([*same[:1], *before[-1:], *after[:1], *lines])):
        if rank < MOST:
            yield _clue("missing.import", module.file, statement.lineno, 1 / (1 + rank), why)


def _beside_alike(case: Case, module: Scope, name: str) -> Iterator[Clue]:
    """Yield the line that imports a class of the same first word (``BertTokenizer``)."""
    first = _FIRST_WORD.match(name)
    if first is None:
        return
    tree = case.workspace.tree(module.file)
    for statement in import_lines(tree) if tree is not None else []:
        for alias in statement.names if isinstance(statement, ast.ImportFrom) else ():
            other = _FIRST_WORD.match(alias.name)
            if other is not None and other[0] == first[0] != alias.name:
                why = f"`{name}` is used and no import names it; `{alias.name}` is imported here"
                yield _clue("missing.import_from", module.file, statement.lineno, 1.0, why)
                return


_FIRST_WORD = re.compile(r"[A-Z]+(?:[a-z]\w*?)?(?=[A-Z])")
_GIVES_NAMES = re.compile(
    r"[ \t]*%(?:run|pylab|store|load|macro|recall|rerun)\b|(?:^|[^\w.])exec\("
    r"|[ \t]*%load_ext(?! +(?:autoreload|tensorboard|line_profiler|memory_profiler|watermark)\b)"
    r"|\b(?:globals|locals|vars)\(\)(?:\[|\.(?:update|setdefault)\()"
    r"|(?:^|[^\w.])(?:exec|run)file\("
    r"|get_ipython\(\)\.(?:run_line_)?magic\(['\"](?:run|pylab|load_ext|store|load)\b"
)
_LONGEST_SHOWN = 40


def unread_source(case: Case, scope: Scope) -> str | None:
    """Return what gives a module names that cannot be read there, as it is written; else None.

    A star import of a module that is not in the workspace, a magic or a text that runs elsewhere.
    """
    module = scope
    while module.parent is not None:
        module = module.parent
    for star in module.stars:
        if case.engine.program.imported(module, star) is None:
            return f"from {star} import *"
    for line in code_lines(case, module.file):
        if _GIVES_NAMES.search(line) and not line.lstrip().startswith("#"):
            text = line.strip().replace("`", "'")
            return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return None


def _modules_of_imports(case: Case, module: Scope) -> Iterator[tuple[ast.ImportFrom, Scope]]:
    """Yield the lines ``from … import …`` of a module with the workspace's modules they name."""
    tree = case.workspace.tree(module.file)
    for statement in import_lines(tree) if tree is not None else []:
        if isinstance(statement, ast.ImportFrom):
            dotted = "." * statement.level + (statement.module or "")
            target = case.engine.program.imported(module, dotted)
            if target is not None and target is not module:
                yield statement, target


def _defined_in(module: Scope, name: str) -> int | None:
    """Return the line at which a module's body defines a name, None where it does not."""
    block = module.functions.get(name) or module.classes.get(name)
    if block is not None:
        return block.line
    bound = [b for b in module.bindings.get(name, ()) if not b.mutates]
    return bound[0].line if bound else None


def _imported_elsewhere(case: Case, module: Scope, name: str) -> str:
    for file in case.code_files[:60]:
        other = case.engine.program.module(file)
        if other is not None and other is not module and name in other.imports:
            return other.imports[name][0]
    return ""


def _unmade(case: Case, scope: Scope, name: str, line: int) -> Iterator[Clue]:
    """Yield the statements after which a name that nothing binds would be made."""
    body = body_of(scope)
    way = way_to(body, line)
    if not way:
        return
    why = _unbound(name, line)
    unread = unread_source(case, scope)
    if unread is not None:
        by_name = f"no line before line {line} gives `{name}` a value by its name"
        why = f"{by_name}; what `{unread}` gives is not known"
    block, index = way[-1]
    first_use = _first_use(block[: index + 1], name)
    index = first_use if first_use is not None else index
    made = _made_elsewhere(case, scope, name)
    anchor = _after_inputs(block[:index], made) if made is not None else None
    if anchor is not None:
        text = f"`{name}` is made of `{source(made)}` elsewhere" if made is not None else ""
        yield _clue("missing.binding", scope.file, anchor, 1.0, f"{why}; {text}")
    yield from _by_neighbours(scope, name, why)
    if index:
        yield from _after("missing.binding", scope.file, block[index - 1], 0.8, why)
    yield _clue("missing.binding", scope.file, block[index].lineno, 0.6, why)
    for outer, at in reversed(way[:-1]):
        yield _clue("missing.binding", scope.file, outer[at].lineno, 0.4, why)
        if at:
            yield _clue("missing.binding", scope.file, outer[at - 1].lineno, 0.4, why)
    if isinstance(scope.node, FUNCTIONS):
        yield _clue("missing.binding_def", scope.file, scope.line, 1.0, why)
    module = scope
    while module.parent is not None:
        module = module.parent
    if name.isupper() and module is not scope:
        constants = [s for s in body_of(module) if isinstance(s, ast.Assign)]
        for statement in constants[:MOST]:
            yield _clue("missing.binding", module.file, statement.lineno, 0.7, why)


def _by_neighbours(scope: Scope, name: str, why: str) -> Iterator[Clue]:
    """Yield where the names are bound that code reads right before or after this one."""
    bound = {n: b[0].line for n, b in scope.bindings.items() if "." not in n and not b[0].mutates}
    lines = {n: line for n, line in bound.items() if line in scope.blocks_at}
    for other, distance in beside(names_read(scope.node), name, set(lines))[:4]:
        yield _clue("missing.binding", scope.file, lines[other], 0.8 / distance, why)


def _first_use(block: list[ast.stmt], name: str) -> int | None:
    for index, statement in enumerate(block):
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            return index
    return None


def _made_elsewhere(case: Case, scope: Scope, name: str) -> ast.expr | None:
    """Return what another function of the files near the failure binds the name to."""
    for file in case.code_files[:40]:
        module = case.engine.program.module(file)
        for other in module.walk() if module is not None else ():
            if (
                other is not scope
                and name in other.bindings
                and not other.bindings[name][0].mutates
            ):
                return other.bindings[name][0].value
    return None


def _after_inputs(block: list[ast.stmt], value: ast.expr) -> int | None:
    """Return the line of the last statement that binds something which a value is made of."""
    needed = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    for statement in reversed(block):
        stored = {
            n.id
            for n in ast.walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        if stored & needed:
            return statement.lineno
    return None


# Attributes


def _attribute(case: Case, attribute: str) -> Iterator[Clue]:
    for owner in sorted({str(f.value) for f in case.facts.of(FactKind.CLASS, Role.OWNER)}):
        cls = class_named(case, owner.rpartition(".")[2])
        if cls is None or attribute in ("__getitem__",):
            continue
        members = members_of(case, cls)
        if attribute in members:
            yield from _not_reached(case, cls, attribute)
        elif not best(attribute, members) and not best(attribute, method_names(case, cls)):
            yield from _never_set(case, cls, attribute)


def _initialiser(case: Case, cls: Scope) -> Scope | None:
    for name in ("__init__", "__post_init__", "setup", "build"):
        found = cls.functions.get(name)
        if found is not None:
            return found
    return objects.find_method(case.engine, cls, "__init__")


def _never_set(case: Case, cls: Scope, attribute: str) -> Iterator[Clue]:
    """Yield the lines beside which a constructor would set an attribute."""
    init = _initialiser(case, cls)
    called = any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == attribute
        for function in cls.functions.values()
        for n in ast.walk(function.node)
    ) or any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == attribute
        for start in case.starts
        for n in ast.walk(start.expr)
    )
    elsewhere = bool(case.places) and case.places[-1].file != cls.file
    if called and elsewhere:
        place = case.places[-1]
        why = f"`{cls.name}` has nothing that is called `{attribute}`"
        yield Clue("repair.call", place.file, place.line, 1.0, why)
        yield _clue("missing.attribute_def", cls.file, cls.line, 0.3, why)
        return
    if init is None or init.owner is not cls:
        why = f"`{cls.name}` sets no attribute `{attribute}`"
        yield _clue("missing.attribute_def", cls.file, cls.line, 1.0, why)
        if init is None:
            return
    why = f"`{init.name}` does not set `{attribute}`"
    if _reads_own(cls, attribute):
        why = f"{why}, which `{cls.name}` reads"
    body = body_of(init)
    kept = _kept(body)
    parameters = [p.arg for p in init.parameters()]
    parameter = next((p for p in parameters if p.strip("_") == attribute.strip("_")), None)
    reads = [n for n in ast.walk(init.node) if isinstance(n, ast.Name) and n.id == parameter]
    scores: dict[int, float] = {}

    def rate(line: int, score: float) -> None:
        scores[line] = max(scores.get(line, 0.0), score)

    if parameter is not None:
        kept_at = 1.0 if not reads else 0.9
        by_parameter: dict[str, int] = {}
        for statement in body:
            for n in ast.walk(statement):
                if isinstance(n, ast.Name) and n.id in parameters[1:]:
                    by_parameter.setdefault(n.id, statement.lineno)
        for name, distance in beside(parameters, parameter, set(by_parameter)):
            rate(by_parameter[name], kept_at / distance)
    for method in cls.functions.values():
        order = names_read(method.node)
        if method is init or f"self.{attribute}" not in order:
            continue
        for name, distance in beside(order, f"self.{attribute}", {f"self.{k}" for k in kept})[:4]:
            rate(kept[name.removeprefix("self.")], 0.9 / distance)
    if not scores:
        for statement in body[-2:] + body[:1]:
            rate(statement.lineno, 0.5)
    for line, score in sorted(scores.items()):
        yield _clue("missing.attribute", init.file, line, score, why)
    yield _clue("missing.attribute_def", init.file, init.line, 0.5 if called else 1.0, why)
    if called:
        last = list(cls.functions.values())[-1]
        why = f"`{cls.name}` has no method `{attribute}`"
        yield _clue("missing.attribute_def", cls.file, last.line, 0.4, why)
        yield _clue("missing.attribute_def", cls.file, cls.line, 0.6, why)


def _kept(body: list[ast.stmt]) -> dict[str, int]:
    """Return the attributes of ``self`` that statements set, with their lines."""
    found: dict[str, int] = {}
    for statement in body:
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ):
                found.setdefault(node.attr, node.lineno)
    return found


def _not_reached(case: Case, cls: Scope, attribute: str) -> Iterator[Clue]:
    """Find why an attribute that some method sets was not set: no call of it, no ``super()``."""
    setters: list[tuple[Scope, int]] = []
    for one in objects.lineage(case.engine, cls):
        found = one.attributes.get(attribute, [])
        setters.extend((m, b.line) for m, b in found if not b.mutates and not b.blocks)
    init = cls.functions.get("__init__")
    raising = case.sites[-1].context.scope if case.sites else None
    if init is not None and any(method is raising for method, _ in setters) and raising is not init:
        # The method that sets it reads it first: what it starts with is missing.
        yield from _never_set(case, cls, attribute)
        return
    for method, line in setters[:MOST]:
        short = method.name.rpartition(".")[2]
        if short == "__init__" and method.owner is not cls and init is not None:
            if not any("super" in source(c.func) for c in calls_in(init.node)):
                why = f"`{cls.name}.__init__` does not call the base's, which sets `{attribute}`"
                yield _clue("missing.call", init.file, init.line, 1.0, why)
                for statement in body_of(init)[:1]:
                    yield _clue("missing.call", init.file, statement.lineno, 1.0, why)
        elif short == "__init__" and _after_use(case, method, line):
            why = f"`{attribute}` is set only at line {line}, after it was asked for"
            yield _clue("missing.attribute", method.file, line, 0.9, why)
        elif short != "__init__":
            why = f"only `{method.name}` sets `{attribute}`; perhaps it was not called before"
            yield _clue("missing.call", method.file, line, 0.5, why)
            if init is not None and not any(called_name(c) == short for c in calls_in(init.node)):
                yield _clue("missing.attribute_def", init.file, init.line, 0.6, why)
                for statement in body_of(init)[-1:]:
                    yield _clue("missing.attribute", init.file, statement.lineno, 0.5, why)


def _after_use(case: Case, method: Scope, line: int) -> bool:
    return any(site.context.scope is method and site.place.line < line for site in case.sites)


# Options and keys


def _option(case: Case, name: str) -> Iterator[Clue]:
    """Yield the declarations beside which that of a missing option would stand."""
    owners = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.CLASS, Role.OWNER)}
    if "Namespace" not in owners or repair_context.owners(name):
        return
    for file in near_files(case)[:20]:
        module = case.engine.program.module(file)
        declared: dict[str, int] = {}
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                if called_name(call) == "add_argument":
                    texts = [a.value for a in call.args if isinstance(a, ast.Constant)]
                    for text in texts:
                        if isinstance(text, str):
                            declared[text.lstrip("-").replace("-", "_")] = call.lineno
        if not declared:
            continue
        why = f"no option is declared that gives `{name}`"
        order = [
            attribute
            for at in case.code_files[:20]
            for attribute in _read_attributes(case.workspace.tree(at))
        ]
        near = beside(order, name, set(declared))[:5]
        for other, distance in near or [(other, 2) for other in list(declared)[-1:]]:
            yield _clue("missing.option", file, declared[other], 1.0 / distance, why)


def _read_attributes(tree: ast.Module | None) -> list[str]:
    """Return the attributes that code reads of plain names, in the order of the text."""
    found = [
        (n.lineno, n.col_offset, n.attr)
        for n in (ast.walk(tree) if tree is not None else ())
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    ]
    return [attribute for _, _, attribute in sorted(found)]


def _key(case: Case) -> Iterator[Clue]:
    """Yield the tables that lack a key which others of their kind have, beside its neighbours."""
    if case.category.id != "key_not_found":
        return
    for key in sorted({str(f.value) for f in case.facts.of(FactKind.KEY, Role.ACTUAL)}):
        with_key: list[list[str]] = []
        without: list[tuple[str, dict[str, int]]] = []
        for file in near_files(case)[:20]:
            tree = case.workspace.tree(file)
            for node in ast.walk(tree) if tree is not None else ():
                lines = _plain_keys(node)
                if len(lines) > 1 and key in lines:
                    with_key.append(list(lines))
                elif len(lines) > 1:
                    without.append((file, lines))
        yield from _renamed(case, key, with_key)
        for file, lines in without:
            like = max((len(set(k) & set(lines)) / len(k) for k in with_key), default=0.0)
            if like < 0.5:
                continue
            sibling = max(with_key, key=lambda k: len(set(k) & set(lines)))
            why = f"this table lacks `{key}`, which another one like it has"
            for other, distance in beside(sibling, key, set(lines)):
                yield _clue("missing.key", file, lines[other], like / distance, why)
        yield from _read_together(case, key, without)


def _renamed(case: Case, key: str, tables: list[list[str]]) -> Iterator[Clue]:
    """Yield the one setting of a table that stands where others like it have the missing key."""
    settings: dict[tuple[str, tuple[str | int, ...]], dict[str, int]] = {}
    for entry in case.config_entries:
        if entry.path and isinstance(entry.path[-1], str):
            settings.setdefault((entry.file, entry.path[:-1]), {})[entry.path[-1]] = entry.line
    for (file, _), lines in settings.items():
        for table in tables if key not in lines else ():
            own = lines.keys() - set(table)
            if len(own) == 1 and set(table) - lines.keys() == {key}:
                name = own.pop()
                why = f"`{name}` stands here where another table with these keys has `{key}`"
                yield _clue("missing.key", file, lines[name], 1.0, why)


LEAST_TOGETHER = 2
"""How many keys a table must have of those that are read together with the missing one."""


def _read_together(
    case: Case, key: str, tables: list[tuple[str, dict[str, int]]]
) -> Iterator[Clue]:
    """Yield the tables that have most of the keys which the failing function reads of its table.

    The new option that ``group["warmup"]`` reads is missing where ``group["lr"]`` was filled.
    """
    site = next((site for site in reversed(case.sites) if site.statement is not None), None)
    if site is None:
        return
    read: dict[str, set[str]] = {}
    for node in ast.walk(site.context.scope.node):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            read.setdefault(ast.unparse(node.value), set()).add(str(node.slice.value))
    others = next((keys - {key} for keys in read.values() if key in keys), set[str]())
    fitting = [(len(others & lines.keys()), file, lines) for file, lines in tables]
    most = max((count for count, _, _ in fitting), default=0)
    best = [(file, lines) for count, file, lines in fitting if count == most]
    if most < LEAST_TOGETHER or 2 * most < len(others):
        return
    for file, lines in best:
        why = f"this table has {most} of the keys that are read together with `{key}`, and not it"
        yield _clue("missing.key", file, max(lines.values()), 1.0 / len(best), why)


def _plain_keys(table: ast.AST) -> dict[str, int]:
    """Return the lines of the keys of a display of a dictionary or of a call of ``dict``."""
    if isinstance(table, ast.Call) and called_name(table) == "dict":
        return {k.arg: k.value.lineno for k in table.keywords if k.arg is not None}
    if not isinstance(table, ast.Dict):
        return {}
    return {
        str(k.value): k.lineno
        for k in table.keys
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    }


# Methods


def _not_overridden(case: Case) -> Iterator[Clue]:
    """Find classes that leave a method to the library's base class, which only raises.

    Without the name of the class in the message it is the method in which the library raised.
    """
    frames = case.failure.cause.frames if case.failure.cause is not None else ()
    if case.class_name != "NotImplementedError" or not frames or case.located[-1][1] is not None:
        return
    wanted = STANDS_FOR.get(frames[-1].own_name or "", frames[-1].own_name or "")
    owner = (frames[-1].function or "").rpartition(".")[0]
    parts = set(re.split(r"[\\/]", frames[-1].file))
    for cls in classes_near(case):
        bases = [base for base in library_bases(case, cls) if base.partition(".")[0] in parts]
        if owner:
            bases = [base for base in bases if base.rpartition(".")[2] == owner]
        if not bases or wanted in members_of(case, cls):
            continue
        for name, _ in best(wanted, cls.functions.keys() - OF_EVERY_CLASS):
            method = cls.functions[name]
            why = f"`{cls.name}` has `{name}` and no `{wanted}`, which raised in the library"
            edit = Suggestion(method.file, method.line, name, wanted)
            yield Clue("repair.spelling", method.file, method.line, 1.0, why, edit)


STANDS_FOR = {"_forward_unimplemented": "forward"}
"""Functions that libraries put in the place of a method which is not written."""


def _methods(case: Case) -> Iterator[Clue]:
    """Find classes that lack a method which Python or a framework calls."""
    yield from _not_overridden(case)
    wanted: tuple[str, ...] = next((names for text, names in PROTOCOLS if text in case.message), ())
    if not wanted and case.class_name == "NotImplementedError":
        wanted = tuple(
            str(f.value)
            for kind in (FactKind.FUNCTION, FactKind.NAME, FactKind.ATTRIBUTE)
            for f in case.facts.of(kind)
        ) or ("forward",)
    wanted = wanted or tuple(str(f.value) for f in case.facts.of(FactKind.FUNCTION, Role.EXPECTED))
    wanted = tuple(w for w in wanted if w.isidentifier())
    owners = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.CLASS)}
    if "returned non-iterator" in case.message:
        owners |= {str(f.value) for f in case.facts.of(FactKind.NAME)}
    yield from _without_base(case, owners, wanted)
    if any(text in case.message for text in NO_BASE):
        for word in sorted(set(WORDS.findall(case.message)) | owners):
            cls = class_named(case, word) if word[:1].isupper() else None
            if cls is not None and word != "Module":
                why = f"`{cls.name}` does not derive from the class that is wanted"
                yield _clue("missing.base", cls.file, cls.line, 1.0, why)
    if not wanted:
        return
    for owner in sorted(owners):
        cls = class_named(case, owner)
        if cls is None:
            continue
        members = members_of(case, cls)
        if any(name in members for name in wanted):
            continue
        own = cls.functions.keys() - OF_EVERY_CLASS
        near = [n for name in wanted for n, _ in best(name, own)]
        for name in near:
            method = cls.functions[name]
            why = f"`{cls.name}` has `{name}`, where `{wanted[0]}` is called"
            edit = Suggestion(method.file, method.line, name, wanted[0])
            yield Clue("repair.spelling", method.file, method.line, 1.0, why, edit)
        why = f"`{cls.name}` has no `{wanted[0]}`"
        yield _clue("missing.method", cls.file, cls.line, 0.4 if near else 1.0, why)
        for method in list(cls.functions.values()) if not near else ():
            body = body_of(method)
            last = body[-1].lineno if body else method.line
            yield _clue("missing.method_beside", cls.file, last, 0.6, why)
            yield _clue("missing.method_beside", cls.file, method.line, 0.4, why)


def _reads_own(cls: Scope, attribute: str) -> bool:
    """Whether a class reads an attribute of its own objects."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        for node in ast.walk(cls.node)
    )


def _without_base(case: Case, owners: set[str], wanted: tuple[str, ...]) -> Iterator[Clue]:
    """Find classes that lack what a class of a framework would give them, and derive from none."""
    missing = {str(f.value) for f in case.facts.of(FactKind.ATTRIBUTE, Role.ACTUAL)}
    givers = [name for name, members in LIBRARY_MEMBERS.items() if members & missing]
    for owner in sorted(owners):
        cls = class_named(case, owner)
        if cls is None or library_bases(case, cls):
            continue
        if givers:
            member = min(missing & LIBRARY_MEMBERS[givers[0]])
            why = f"`{cls.name}` does not derive from a class that has `{member}` (`{givers[0]}`)"
            yield _clue("missing.base", cls.file, cls.line, 1.0, why)
        elif "__call__" in wanted and FORWARD & cls.functions.keys():
            why = f"`{cls.name}` does not derive from a class whose objects can be called"
            yield _clue("missing.base", cls.file, cls.line, 1.0, why)


# Lists


EMPTY = (
    "non-empty list", "non-empty TensorList", "empty sequence", "iterable argument is empty",
    "at least one array", "need at least one array", "arrays to concatenate", "Mean of empty",
    "got an empty parameter list", "No objects to concatenate", "division by zero",
    "list index out of range", "pop from empty list",
)  # fmt: skip


def _steps_of_divisors(case: Case) -> list[Step]:
    """Return the slice of what the failing expressions divide by, where they divide by zero."""
    if "division by zero" not in case.message:
        return []
    divisors = [
        case.engine.node(part.right, start.context)
        for start in case.starts
        for part in ast.walk(start.expr)
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Div, ast.FloorDiv, ast.Mod))
    ]
    return backward_slice(divisors) if divisors else []


def _never_filled(case: Case) -> Iterator[Clue]:
    """Find lists that start empty and that nothing fills before they are used."""
    if not any(text in case.message for text in EMPTY):
        return
    for step in _steps_of_divisors(case) or case.raise_slice:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, (ast.List, ast.Dict)):
            continue
        empty = not (node.expr.elts if isinstance(node.expr, ast.List) else node.expr.keys)
        if not empty or node.line <= 0:
            continue
        scope = node.context.scope
        for name, bindings in scope.bindings.items():
            if not any(b.value is node.expr for b in bindings) or any(b.mutates for b in bindings):
                continue
            why = f"`{name}` starts empty and nothing is put into it"
            yield _clue("missing.filling", node.file, node.line, 0.5, why)
            way = way_to(body_of(scope), node.line)
            block, index = way[-1] if way else ([], 0)
            for statement in block[index + 1 :]:
                if isinstance(statement, (ast.For, ast.While, ast.With, ast.AsyncFor)):
                    for inner in _innermost(statement):
                        yield _clue("missing.filling", node.file, inner.lineno, 1.0, why)
                    yield _clue("missing.filling", node.file, statement.lineno, 0.5, why)
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
                    break


def _innermost(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the last statements of the innermost loops of a statement."""
    loops = [n for n in ast.walk(statement) if isinstance(n, (ast.For, ast.While))]
    for loop in loops:
        if not any(isinstance(n, (ast.For, ast.While)) for s in loop.body for n in ast.walk(s)):
            yield loop.body[-1]
