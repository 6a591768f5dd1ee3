"""A condition is the other way round."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, short, source, whole
from factory.operators._studies import BUGLAB, ISLAM_2019, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each condition of ``if``, ``while`` and ``x if y else z`` negated."""
    for node in target.nodes(cst.If, cst.IfExp, cst.While):
        test = node.test
        text = source(target, test)
        if "__name__" in text or is_text(target, node) or text in {"True", "TYPE_CHECKING"}:
            continue
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            new = target.text[slice(*whole(target, test.expression))]
            edit = target.replace(test, new)
        elif isinstance(test, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
            start = whole(target, test)[0]
            new = f"not {text}"
            edit = target.replace(test, new)
        elif isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
            operator = test.comparisons[0].operator
            other = NEGATED.get(type(operator))
            if other is None:
                continue
            start, end = target.span(operator)
            old = target.text[start:end]
            edit = Edit(target.path, start, end, old.replace(old.strip(), other))
            new = f"{text}, negated"
        else:
            continue
        yield Mutation((edit,), f"the condition {short(text)} became {short(new)}")


NEGATED: dict[type[cst.CSTNode], str] = {
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.Is: "is not",
    cst.IsNot: "is",
    cst.In: "not in",
    cst.NotIn: "in",
    cst.LessThan: ">=",
    cst.GreaterThan: "<=",
    cst.LessThanEqual: ">",
    cst.GreaterThanEqual: "<",
}


OPERATOR = Operator(
    id="condition_negated",
    title="a condition the other way",
    source=(
        f"{SWE_SMITH}: conditional inverted; {BUGLAB}: wrong comparison; {ISLAM_2019}: logic bug"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
