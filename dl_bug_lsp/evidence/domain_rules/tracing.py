"""Rules for functions that are traced: `jax.jit`, `tf.function`, `torch.compile`.

A tracer runs a function once, with placeholders for its arrays. Python's own control flow, NumPy
and sizes need the numbers themselves. What is wrong depends on where the placeholder comes from: an
option or a size that the caller writes as a plain Python value should not have been traced, which
the decorator decides; a number that is computed from arrays must stay in the graph.

Sources: JAX's error reference ("TracerBoolConversionError", "ConcretizationTypeError"),
TensorFlow's guide to `tf.function`, PyTorch's list of graph breaks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.messages.extract import TRACING_STARTED
from dl_bug_lsp.provenance.nodes import Const
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
        why = "Python needs a number here, and a traced value has none yet"
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
