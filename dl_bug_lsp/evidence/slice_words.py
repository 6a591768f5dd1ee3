"""What a step of a backward slice has to do with the expression that the slice begins with.

Not every step hands a value on. A step behind a callback runs only if a library calls it, an index
chooses what is taken, a test decides only whether something is done. Each of these is said as what
it is; "goes into" is said only where the value itself arrives.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from dl_bug_lsp.provenance.nodes import Node, StepKind
from dl_bug_lsp.provenance.scopes import Synthetic, called_name
from dl_bug_lsp.provenance.slices import Step

KINDS = {
    StepKind.LITERAL: "this constant",
    StepKind.CONFIG: "this setting",
    StepKind.ARITHMETIC: "this computation",
    StepKind.CONTAINER: "what is put together here",
    StepKind.CALL: "what this call returns",
    StepKind.SLICING: "this slice",
    StepKind.CHOICE: "this choice",
    StepKind.TEXT: "this text",
}
MOST_SHOWN = 60
GIVEN_BY_PARSER = ("argument default", "argument const")
"""Arguments of ``add_argument`` that become the option's value."""
VERB = "goes into"
CALLS_NO_FORWARD = frozenset(("train", "eval", "to", "cuda", "parameters", "zero_grad"))
"""Methods of models that do not run the model."""


def shown(node: Node) -> str:
    """Return an expression in at most about 60 characters, with its brackets closed."""
    if node.entry is not None or len(node.text) <= MOST_SHOWN:
        return node.text
    expr = node.expr.value if isinstance(node.expr, Synthetic) else node.expr
    return _outline(expr) or node.text


def _outline(expr: ast.expr) -> str:
    """Return the outermost form of a long expression: a call without its arguments."""
    try:
        if isinstance(expr, ast.Call):
            name = ast.unparse(expr.func)
            return f"{name}(…)" if len(name) < MOST_SHOWN else f"….{called_name(expr)}(…)"
        if isinstance(expr, ast.Subscript):
            name = ast.unparse(expr.value)
            return f"{name}[…]" if len(name) < MOST_SHOWN else ""
    except (ValueError, AttributeError, RecursionError):
        return ""
    brackets = {ast.Dict: "{…}", ast.List: "[…]", ast.Tuple: "(…)", ast.Set: "{…}"}
    return brackets.get(type(expr), "")


def what(step: Step) -> str:
    """Return a step's expression with what it is: ``this constant (`8`)``."""
    role = step.roles[-1] if step.roles else ""
    expr = step.node.expr if step.node.entry is None else None
    if isinstance(expr, ast.Tuple) and any(isinstance(part, ast.Slice) for part in expr.elts):
        return "what stands in the brackets here"
    if isinstance(expr, ast.Tuple) and shown(step.node) == "(…)":
        return "the tuple that is made here"
    if "configured" in step.roles and isinstance(expr, ast.Call):
        return f"this call (`{shown(step.node)}`)"
    keyword = role.removeprefix("argument ")
    if keyword != role and keyword.isidentifier() and step.node.kind is StepKind.LITERAL:
        return f"this argument (`{keyword}={shown(step.node)}`)"
    return f"{KINDS.get(step.node.kind, 'this')} (`{shown(step.node)}`)"


def relation(step: Step) -> str:
    """Return what a step has to do with where its slice begins, as the end of a sentence."""
    way = step.way()
    end = _end(way)
    for say in (_option, _callback, _stored, _called, _aside):
        words = say(way, end)
        if words:
            return words
    return f"{VERB} {end}"


def _end(way: list[Step]) -> str:
    """Return the expression that the slice begins with, as far as a sentence needs it."""
    start = way[0].node
    if len(way) > 1 and way[1].roles == ("refused",):
        return f"`{shown(way[1].node)}`, which is tested before the `raise`"
    if len(way) > 1 and raises(start) and way[1].roles[0].startswith("argument"):
        return f"the message of `{shown(start)}`"
    return f"`{shown(start)}`"


def raises(node: Node) -> bool:
    """Say whether an expression is what a ``raise`` statement raises."""
    if node.entry is not None or not isinstance(node.expr, ast.Call):
        return False
    scope = node.context.scope
    return scope.statement_start(node.line) in scope.raises


def _last(way: list[Step], wanted: Callable[[Step], bool]) -> int:
    """Return where the last such step of a way stands, 0 where there is none."""
    return max((at for at, step in enumerate(way) if at and wanted(step)), default=0)


def _role(step: Step) -> str:
    return step.roles[-1]


def _option(way: list[Step], end: str) -> str:
    """Return what is said of the parts of a call that declares an option."""
    at = _last(way, lambda step: _adds_option(step.node))
    if not at or at == len(way) - 1:
        return ""
    role = _role(way[at + 1])
    if role == "receiver":
        return f"makes the parser of an option that {VERB} {end}"
    return "" if role in GIVEN_BY_PARSER else f"belongs to an option that {VERB} {end}"


def _adds_option(node: Node) -> bool:
    expr = node.expr
    return node.entry is None and isinstance(expr, ast.Call) and called_name(expr) == "add_argument"


def _callback(way: list[Step], end: str) -> str:
    at = _last(way, lambda step: _role(step) == "callback")
    if not at:
        return ""
    scope = way[at].node.context.scope
    name = f"`{scope.name}`"
    verb = f"is returned by {name}" if at == len(way) - 1 else f"{VERB} what {name} returns"
    start = way[at - 1].node
    if scope.owner is None:
        return f"{verb}, a function given to `{shown(start)}`"
    expr = start.expr if start.entry is None else None
    if isinstance(expr, ast.Call) and called_name(expr) in CALLS_NO_FORWARD:
        return f"{verb}, a method of the object of `{shown(start)}`"
    return f"{verb}, a method that is called through `{shown(start)}`"


def _stored(way: list[Step], end: str) -> str:
    at = _last(way, lambda step: _role(step) == "stored")
    return f"{VERB} a file that `{shown(way[at - 1].node)}` may read" if at else ""


def _called(way: list[Step], end: str) -> str:
    at = _last(way, lambda step: _role(step) == "callee")
    if not at:
        return ""
    start = way[at - 1].node
    call = f"`{shown(start)}`"
    expr = start.expr if start.entry is None else None
    if isinstance(expr, ast.Call) and called_name(expr) in CALLS_NO_FORWARD:
        return f"{VERB} the object of {call}"
    made = all(_role(step) in {"definition", "attribute", "return"} for step in way[at + 1 :])
    return f"is called in {call}" if made else f"{VERB} what {call} calls"


ASIDE = {
    "decorator": "decorates a function on the way to",
    "declared": "declares another option than",
    "configured": "configures what goes into",
    "index": "is an index, or goes into one, on the way to",
    "condition": "belongs to a condition on the way to",
}


def _aside(way: list[Step], end: str) -> str:
    roles = {_role(step) for step in way[1:]}
    words_of_role = next((words for role, words in ASIDE.items() if role in roles), "")
    if not words_of_role and way[-1].node.entry is not None and _role(way[1]) == "base":
        words_of_role = "stands in the same settings as what is read by"
    return f"{words_of_role} {end}" if words_of_role else ""


def stands_in(text: str, whole: str) -> bool:
    """Say whether an expression is written in another one, as a whole word."""
    return re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", whole) is not None
