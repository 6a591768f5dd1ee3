"""Rules for the variables of Flax modules: what ``apply`` is given, and what may change.

A module fails deep inside, where it reads or writes a variable. What is wrong is mostly the call of
``apply`` around it: a collection is missing, handed over without its name, or may not change.

Sources: Flax Linen's guides "Batch normalization" and "RNG guide", and ``flax.errors``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, source
from dl_bug_lsp.provenance.nodes import Mapping, Node
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.stack import Site

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
