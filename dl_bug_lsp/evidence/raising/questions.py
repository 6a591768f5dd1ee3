"""Which questions a message raises of every statement of a workspace."""

from __future__ import annotations

from collections.abc import Callable

from dl_bug_lsp.evidence.raising import expressions, named
from dl_bug_lsp.evidence.raising.operations import Asked, Matcher, callees, operation, worded

_MATCHERS: dict[str, Callable[[Asked], Matcher]] = {
    "attribute": named.attribute,
    "attribute_type": named.attribute,
    "attribute_module": named.attribute,
    "attribute_super": named.attribute,
    "key": named.key,
    "environment_key": named.key,
    "omegaconf_key": named.attribute,
    "name": named.name,
    "unbound": named.name,
    "unbound_free": named.name,
    "call_keyword": named.call,
    "call_missing": named.call,
    "call_count": named.call,
    "call_twice": named.call,
    "abstract": named.call,
    "unpack_many": expressions.unpacked,
    "unpack_few": expressions.unpacked,
    "unpack_type": expressions.unpacked,
    "operands": expressions.operator,
    "operand": expressions.operator,
    "comparison": expressions.operator,
    "concatenate": expressions.joined,
    "zero_division": expressions.division,
    "index": expressions.subscript,
    "index_type": expressions.subscript,
    "index_range": expressions.subscript,
    "too_many_indices": expressions.subscript,
    "callable": expressions.called_value,
    "subscript": expressions.subscripted,
    "subscript_assign": expressions.subscripted,
    "iterable": expressions.iterated,
    "file": named.path,
    "device_build": expressions.cuda,
    "broadcast": expressions.elementwise,
    "broadcasting": expressions.elementwise,
    "module_init": expressions.bare_super,
    "axis_range": expressions.axis,
    "import_module": named.imported,
    "import_name": named.imported,
    "import_circular": named.imported,
}


def matchers(asked: Asked) -> list[Matcher]:
    """Return the questions that a message raises."""
    family = (asked.facts.family or "").partition(".")[2]
    found: list[Matcher] = []
    make = _MATCHERS.get(family)
    if make is not None:
        found.append(make(asked))
    wanted = callees(asked)
    if wanted:
        found.append(operation(asked, wanted))
    return found or [worded(asked)]
