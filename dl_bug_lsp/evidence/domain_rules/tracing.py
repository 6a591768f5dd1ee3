"""Rules for functions that are traced: `jax.jit`, `tf.function`, `torch.compile`.

A tracer runs a function once, with placeholders for its arrays. Python's own control flow, NumPy
and sizes need the numbers themselves. What is wrong depends on where the placeholder comes from: an
option or a size that the caller writes as a plain Python value should not have been traced, which
the decorator decides; a number that is computed from arrays must stay in the graph.

Sources: JAX's error reference ("TracerBoolConversionError", "ConcretizationTypeError"),
TensorFlow's guide to `tf.function`, PyTorch's list of graph breaks.

Modules of Flax fail deep inside, where they read or write a variable. What is wrong is mostly the
call of ``apply`` around it: a collection is missing, handed over without its name, or may not
change. Sources: Flax Linen's guides "Batch normalization" and "RNG guide", and ``flax.errors``.

After a call with ``donate_argnums`` the array that was passed is deleted; every other name of the
same array is deleted with it (JAX, "Buffer donation"). ``jnp.asarray`` and identity functions give
the same array back, ``jnp.array`` and ``jnp.copy`` a copy.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, source
from dl_bug_lsp.messages.extract import TRACING_STARTED
from dl_bug_lsp.provenance.nodes import Const, Mapping, Node
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.stack import Site

TRACERS = ("jit", "pmap", "vmap", "function", "compile", "script", "grad", "checkpoint", "remat")
TRACED = ("racer", "traced", "symbolic", "Symbolic", "tf.function", "FuncGraph", "jit", "static")
CONCRETE = re.compile(
    r"boolean conversion of traced|called on traced|concrete value|boolean indices must be concrete"
    r"|[Aa]bstract tracer value encountered|used as an index|\.item\(\) called"
    r"|(?:[Uu]sing a|[Ii]terating over a)(?: symbolic)? `?tf\.Tensor|[Dd]ata-dependent"
    r"|Dynamic (?:control flow|slicing)|non-concrete"
)
"""How tracers say that Python needs a number that is not there yet."""
DEPENDS = re.compile(
    r"depends on the values? of the arguments? (?P<names>\w+(?:(?:, and |, | and )\w+)*)"
)
PLAIN = frozenset({"bool", "int", "str"})


def find_traced(case: Case) -> Iterator[Clue]:
    """Yield what made a function traced, and the statement that needs what is not traced."""
    words = f"{case.class_name} {case.message}"
    if not any(word in words for word in TRACED) and not CONCRETE.search(words):
        return
    wants_number = CONCRETE.search(words) is not None
    plain = wants_number and _is_plain(case)
    for inner, site in enumerate(reversed(case.sites)):
        for decorator in getattr(site.context.scope.node, "decorator_list", []):
            text = ast.unparse(decorator)
            if any(name in text for name in TRACERS):
                why = f"`@{text[:60]}` traces this function instead of running it"
                kind = "rules.strong" if plain else "rules.tracing"
                score = 1 / (1 + inner / 2)
                yield Clue(kind, site.place.file, decorator.lineno, score, why)
    if wants_number and not plain and case.sites:
        place = case.sites[-1].place
        why = "Python needs a value here, and a traced array has none yet"
        yield Clue("rules.strong", place.file, place.line, 1.0, why)


def _is_plain(case: Case) -> bool:
    """Whether the number that is missing is an argument that the caller writes plainly."""
    named = DEPENDS.search(case.message)
    names = re.split(r", and |, | and ", named["names"]) if named is not None else []
    begun = TRACING_STARTED.search(case.message)
    if len(names) != 1 or begun is None:
        return False
    return any(
        _is_plain_parameter(case, site, names[0])
        for site in case.sites
        if getattr(site.context.scope.node, "name", "") == begun["name"]
    )


def _is_plain_parameter(case: Case, site: Site, name: str) -> bool:
    scope = site.context.scope
    parameter = next((p for p in scope.parameters() if p.arg == name), None)
    if parameter is None:
        return False
    if parameter.annotation is not None:
        return ast.unparse(parameter.annotation) in PLAIN
    given = (site.context.bindings or {}).get(name)
    values = given.values if given is not None else ()
    if not values:
        default = scope.default_of(name)
        node = case.engine.node(default, site.context) if default is not None else None
        values = node.values if node is not None else ()
    return any(isinstance(v, Const) and isinstance(v.value, (bool, int, str)) for v in values)


# ---------------------------------------------------------------------- Flax and donated arrays
IMMUTABLE = re.compile(r"because collection [\"'](?P<collection>\w+)[\"'] is immutable")
EMPTY = re.compile(
    r"from collection [\"'](?P<collection>\w+)[\"'] in .{0,200}but the collection is empty"
    r"|No [\"'](?P<named>\w+)[\"'] variable .{0,200}in scope"
)
APPLIES = re.compile(r"(?:^|_)apply(?:_fn)?$|^init(?:_with_output)?$")


def find_variables(case: Case) -> Iterator[Clue]:
    """Yield the call of ``apply`` that lacks what the message says to be missing."""
    immutable, empty = IMMUTABLE.search(case.message), EMPTY.search(case.message)
    if immutable is None and empty is None:
        return
    found = _applied(case)
    if found is None:
        return
    site, call = found
    line = call.lineno
    if immutable is not None:
        name = immutable["collection"]
        if keyword(call, "mutable") is None:
            why = f"`{source(call)}` does not say `mutable=['{name}']`"
            yield Clue("rules.strong", site.place.file, line, 1.0, why)
    if empty is None:
        return
    name = empty["collection"] or empty["named"]
    first = case.engine.node(call.args[0], site.context) if call.args else None
    keys = _keys(first) if first is not None else set()
    if first is not None and (not keys or name not in keys):
        shown = f"has no `{name}`" if keys else f"is no table with a `{name}` in it"
        why = f"`{first.text}`, which is handed to `{called_name(call)}`, {shown}"
        yield Clue("rules.strong", site.place.file, line, 1.0, why)
        yield from _taken_out(first)


def _applied(case: Case) -> tuple[Site, ast.Call] | None:
    """Return the innermost call of ``apply`` on the stack."""
    for site in reversed(case.sites):
        for node in site.nodes:
            for call in calls_in(node.expr):
                if APPLIES.search(called_name(call)):
                    return site, call
    return None


def _keys(node: Node) -> set[str]:
    """Return the keys that a table is written with."""
    keys: set[str] = set()
    for value in node.values:
        for key, _ in value.pairs if isinstance(value, Mapping) else ():
            constant = key.constant if key is not None else None
            if constant is not None and isinstance(constant.value, str):
                keys.add(constant.value)
    return keys


def _taken_out(first: Node) -> Iterator[Clue]:
    """Yield where one collection is taken out of all variables that `init` gives."""
    for _, made in (edge for edge in first.inputs if edge[0] == "definition"):
        expr = made.expr
        is_part = isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant)
        if is_part and made.line > 0:
            why = f"`{made.text}` keeps one collection of the variables"
            yield Clue("rules.medium", made.file, made.line, 1.0, why)


DELETED = re.compile(r"(?i)array has been deleted|deleted or donated|donated")
SAME = re.compile(
    r"\basarray\(|tree(?:_util)?\.?_?(?:map|map_)\((?:\w+\.)*(?:asarray|lambda (\w+): \1\b,)"
    r"|\bcopy\.copy\(|^dict\(|\.unfreeze\(|tree_(?:un)?flatten\(|\.replace\("
)
"""Calls whose result shares the memory of what they are given."""


def find_donations(case: Case) -> Iterator[Clue]:
    """Yield other names of an array that is given away, and calls after which it is still read."""
    if not DELETED.search(case.message):
        return
    donating = _donating(case)
    for site in reversed(case.sites):
        scope = site.context.scope
        for statement in ast.walk(scope.node):
            if not isinstance(statement, (ast.Assign, ast.Expr)):
                continue
            call = statement.value
            if not isinstance(call, ast.Call) or called_name(call) not in donating:
                continue
            targets = {
                n.id
                for t in (statement.targets if isinstance(statement, ast.Assign) else ())
                for n in ast.walk(t)
                if isinstance(n, ast.Name)
            }
            for name in [a.id for a in call.args if isinstance(a, ast.Name)]:
                if name in targets:
                    yield from _aliases(case, scope, name)


def _donating(case: Case) -> set[str]:
    """Return names of functions that are given memory, and of what functions make them."""
    names: set[str] = set()
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if any("donate" in text for text in scope.decorators()):
                names.add(scope.name.rpartition(".")[2])
                if scope.parent is not None and not scope.parent.is_module:
                    names.add(scope.parent.name.rpartition(".")[2])
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            value = node.value if isinstance(node, ast.Assign) else None
            if not isinstance(node, ast.Assign) or not isinstance(value, ast.Call):
                continue
            if "donate" in ast.unparse(value) or called_name(value) in names:
                names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _aliases(case: Case, scope: Scope, name: str) -> Iterator[Clue]:
    """Find what gives the same array another name."""
    for other, bindings in sorted(scope.bindings.items()):
        for binding in bindings:
            value = binding.value
            if other == name:
                continue
            if isinstance(value, ast.Name) and value.id == name:
                why = f"`{other}` is the same array as `{name}`, whose memory is given away"
                yield Clue("rules.strong", scope.file, binding.line, 1.0, why)
            elif isinstance(value, ast.Call) and any(
                isinstance(a, ast.Name) and a.id == name for a in value.args
            ):
                if SAME.search(ast.unparse(value)):
                    why = f"`{source(value)}` makes no copy of `{name}`, whose memory is given away"
                    yield Clue("rules.strong", scope.file, binding.line, 1.0, why)
                yield from _returned(case, scope, value, name)


def _returned(case: Case, scope: Scope, call: ast.Call, name: str) -> Iterator[Clue]:
    """Find what a function of the workspace returns of an array without copying it."""
    called = called_name(call)
    for file in case.code_files:
        module = case.engine.program.module(file)
        for inner in module.walk() if module is not None else ():
            if inner.name.rpartition(".")[2] != called or inner.is_class or inner is scope:
                continue
            taken = {p.arg for p in inner.parameters()}
            for returned in inner.returns:
                same = isinstance(returned, ast.Name) and returned.id in taken
                if same or SAME.search(ast.unparse(returned)):
                    shown = source(returned)
                    why = f"`{shown}` makes no copy of `{name}`, whose memory is given away"
                    yield Clue("rules.strong", inner.file, returned.lineno, 1.0, why)
