"""Where the failing values come from: the steps of the backward slices from the raising frames.

Not every step hands a value on. A step behind a callback runs only if a library calls it, an index
chooses what is taken, a test decides only whether something is done. Each of these is said as what
it is; "goes into" is said only where the value itself arrives.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import TypeGuard
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import refused_lines
from dl_bug_lsp.interpretation.statements import leaves
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.nodes import Node, StepKind
from dl_bug_lsp.provenance.scopes import Synthetic, called_name
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.tracebacks import FailureKind

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
VERB, MAY = "goes into", "may have a part in"
LOOSE = frozenset(("item", "changed", "base", "index"))
"""Steps through which one of many values arrives, or what only chooses among them."""
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
            if len(name) >= MOST_SHOWN and isinstance(expr.func, ast.Call):
                inner = _outline(expr.func)
                return f"{inner}(…)" if inner else ""
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
    if step.node.kind is StepKind.LITERAL and _is_path(expr):
        return f"this file name (`{expr.value!s}`), or what is read from it,"
    keyword = role.removeprefix("argument ")
    if keyword != role and keyword.isidentifier() and step.node.kind is StepKind.LITERAL:
        return f"this argument (`{keyword}={shown(step.node)}`)"
    if isinstance(expr, ast.Compare):
        return f"this test (`{shown(step.node)}`)"
    return f"{KINDS.get(step.node.kind, 'this')} (`{shown(step.node)}`)"


_PATH = re.compile(r"[\w./~-]+\.(?:csv|tsv|jsonl?|parquet|npz?|pt|pth|pkl|txt|h5|xlsx?)")


def _is_path(expr: ast.expr | None) -> TypeGuard[ast.Constant]:
    """Whether an expression names a file of data: its content goes on, not its name."""
    if not isinstance(expr, ast.Constant) or not isinstance(expr.value, str):
        return False
    return _PATH.fullmatch(expr.value) is not None


def relation(step: Step) -> str:
    """Return what a step has to do with where its slice begins, as the end of a sentence."""
    way = step.way()
    if len(way) == 2 and way[1].roles == ("refused",):
        return "is tested before the `raise`"
    end = _end(way)
    for say in (_option, _callback, _stored, _called, _aside):
        words = say(way, end)
        if words:
            return words
    return f"{MAY if _is_loose(way) else VERB} {end}"


def _is_loose(way: list[Step]) -> bool:
    """Whether a value need not arrive: a container holds others, or a library made another one."""
    for before, step in pairwise(way):
        role = _role(step)
        if role in LOOSE and step.node.entry is None:
            return True
        if role.startswith("argument") and before is not way[0]:
            return True
    return False


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
    if not at:
        return ""
    reads = way[at - 1].node
    place = f" ({reads.file}:{reads.line})" if reads.line > 0 else ""
    return f"{VERB} a file, which `{shown(reads)}`{place} seems to read"


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
    if made:
        return f"is called in {call}"
    verb = MAY if _is_loose(way[at:]) else VERB
    return f"{verb} {_callee(expr)}, called in {call}"


def _callee(expr: ast.expr | None) -> str:
    """Return the name by which a call calls its object, else what it is to the call."""
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name | ast.Attribute):
        name = ast.unparse(expr.func)
        if len(name) <= MOST_SHOWN:
            return f"`{name}`"
    return "an object"


ASIDE = {
    "decorator": "decorates a function on the way to",
    "declared": "declares another option of the program than the one that goes into",
    "configured": "may configure what goes into",
    "index": "is an index, or goes into one, on the way to",
    "condition": "belongs to a condition or a loop on the way to",
}


def _aside(way: list[Step], end: str) -> str:
    roles = {_role(step) for step in way[1:]}
    words_of_role = next((words for role, words in ASIDE.items() if role in roles), "")
    if not words_of_role and _is_passed_default(way[-1]):
        words_of_role = "is a default on the way to"
    if not words_of_role and _is_key(way[-1]):
        words_of_role = "is a key of a dictionary on the way to"
    if not words_of_role and way[-1].node.entry is not None and _role(way[1]) == "base":
        words_of_role = "belongs to the same settings as what goes into"
    return f"{words_of_role} {end}" if words_of_role else ""


def _is_passed_default(step: Step) -> bool:
    """Whether a step is a None of which a member is taken: another value arrives there."""
    expr = step.node.expr if step.node.entry is None else None
    is_none = isinstance(expr, ast.Constant) and expr.value is None
    return is_none and "receiver" in step.roles and _role(step) == "definition"


def _is_key(step: Step) -> bool:
    """Whether a step is written as a key of a dictionary: what is looked up is the value."""
    table = step.before.node if step.before is not None else None
    if table is None or table.entry is not None or step.node.entry is not None:
        return False
    return isinstance(table.expr, ast.Dict) and step.node.expr in table.expr.keys


def stands_in(text: str, whole: str) -> bool:
    """Say whether an expression is written in another one, as a whole word."""
    return re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", whole) is not None


DECAY = 4.0
"""Distance at which a step counts a factor e less; an argument handed on costs 0.8."""
OUTER_DISTANCE = 2.0

RAISES = "is the expression that failed"
STANDS = "stands at the line that failed"
LED = "is the call that led to the failure"
MAY_RAISE = "may be the expression that failed"
TRAINS = "is a part of the training, where the search begins"
"""What is said of the expression that a slice begins with."""


def find(case: Case) -> Iterator[Clue]:
    """Yield every step of the slices, scored by its distance from the raising expression."""
    followed = {id(step.node): step.decides for step in case.property_slice}
    refused = refused_lines(case)
    begin = RAISES if len(case.starts) == 1 else STANDS
    if case.failure.kind is FailureKind.SILENT:
        begin = TRAINS
    elif case.supposed:
        begin = MAY_RAISE
    for step in case.raise_slice:
        if not _arrives(step, refused):
            continue
        yield from _clues(step, 0.0, "", begin, _share(step, followed))
        if case.category.id in INDIFFERENT and step.node.line > 0 and _bystander(step):
            why = f"`{step.node.text}` is handed over but hardly matters here"
            yield Clue("slice.bystander", step.node.file, step.node.line, 1.0, why)
    # Many messages are about an argument whose name they do not say.
    arguments = [str(fact.value) for fact in case.facts.of(FactKind.ARGUMENT)]
    is_named = any(stands_in(name, case.message) for name in arguments)
    verb = "names" if is_named else "is about"
    for step in case.focus_slice:
        if step.decides and step.node.line > 0:
            score = math.exp(-step.distance / DECAY)
            why = f"{_why(step, 'decides')}, the argument that the message {verb}"
            if step.before is None:
                why = f"`{shown(step.node)}` is given as the argument that the message {verb}"
            yield Clue("focus.decides", step.node.file, step.node.line, score, why)
    for depth, steps in enumerate(case.outer_slices, 1):
        for step in steps:
            if _arrives(step, refused):
                yield from _clues(step, OUTER_DISTANCE * depth, "outer_", LED)


def _arrives(step: Step, refused: Collection[Origin]) -> bool:
    """Whether a value may arrive: nothing on its way is refused, or turns a None back."""
    way = step.way()
    if refused and any((link.node.file, link.node.line) in refused for link in way[1:]):
        return False
    expr = step.node.expr if step.node.entry is None else None
    if not isinstance(expr, ast.Constant) or expr.value is not None:
        return True
    return not any(_turns_none_back(link.node) for link in way[:-1])


def _turns_none_back(node: Node) -> bool:
    """Whether a name or attribute is read only where it was asked not to be None."""
    if node.entry is not None or not isinstance(node.expr, ast.Name | ast.Attribute):
        return False
    text = ast.unparse(node.expr)
    inner: ast.AST | None = node.context.scope.node
    while inner is not None:
        around, inner = inner, None
        for name, block in ast.iter_fields(around):
            if not isinstance(block, list) or not block or not isinstance(block[0], ast.stmt):
                continue
            for statement in block:
                if statement.lineno > node.line:
                    break
                if node.line <= (statement.end_lineno or 0):
                    inner = statement
                    if isinstance(around, ast.If) and _asks(around.test, text, name == "body"):
                        return True
                elif _guards(statement, text):
                    return True
    return False


def _guards(statement: ast.stmt, text: str) -> bool:
    """Whether a statement lets nothing pass where a name is None, or gives it another value."""
    if isinstance(statement, ast.Assert):
        return _asks(statement.test, text, wanted=True)
    if not isinstance(statement, ast.If) or not _asks(statement.test, text, wanted=False):
        return False
    targets = [
        target
        for inner in statement.body
        if isinstance(inner, ast.Assign) and not _is_none(inner.value)
        for target in inner.targets
    ]
    return leaves(statement.body) or any(ast.unparse(target) == text for target in targets)


def _asks(test: ast.expr, text: str, wanted: bool) -> bool:
    """Whether a name is no None where a test is true (``wanted``), or where it is false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks(test.operand, text, not wanted)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if wanted else ast.Or):
        return any(_asks(part, text, wanted) for part in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_none(test.comparators[0]):
        kinds = (ast.IsNot, ast.NotEq) if wanted else (ast.Is, ast.Eq)
        return isinstance(test.ops[0], kinds) and ast.unparse(test.left) == text
    return wanted and ast.unparse(test) == text


def _is_none(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


BYSTANDERS = {
    "seed",
    "random_state",
    "epochs",
    "max_epochs",
    "num_train_epochs",
    "n_epochs",
    "steps",
    "max_steps",
    "lr",
    "learning_rate",
    "weight_decay",
    "momentum",
    "betas",
    "warmup_steps",
    "verbose",
    "callbacks",
    "patience",
    "log_every",
    "log_every_n_steps",
    "logging_steps",
    "eval_every",
    "save_every",
    "output_dir",
    "out_dir",
    "run_name",
    "project",
    "save_strategy",
    "report_to",
    "disable_tqdm",
    "enable_progress_bar",
    "num_workers",
    "dropout",
    "shuffle",
    "validation_split",
    "validation_freq",
    "initial_epoch",
    "monitor",
    "min_delta",
    "restore_best_weights",
    "pin_memory",
    "persistent_workers",
    "prefetch_factor",
    "gradient_clip_val",
    "log_dir",
}
"""Settings that are on the way of nearly every value and decide about no shape, index or key."""
INDIFFERENT = {
    "tensor_mismatch",
    "illegal_index",
    "type_mismatch",
    "null_reference",
    "key_not_found",
    "attribute_not_found",
}


def _bystander(step: Step) -> bool:
    """Whether a step is only the value of a setting that decides about the run as a whole."""
    if step.node.entry is not None:
        return step.node.entry.key in BYSTANDERS
    last = step.roles[-1] if step.roles else ""
    return step.decides and last.removeprefix("argument ") in BYSTANDERS


OF_LOADERS = frozenset(
    ("batch_size", "num_workers", "workers", "shuffle", "drop_last", "pin_memory")
)
"""Arguments of loaders that change no sample."""
OF_FLOW = ("slice.", "outer_slice.", "config.setting", "config.outer_setting", "config.handed_on",
           "interpretation.", "numbers.")  # fmt: skip
"""Kinds of clues that say no more than that a value arrives, or is a number."""
_LOADING: WeakKeyDictionary[Case, frozenset[tuple[str, int]]] = WeakKeyDictionary()


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: 0 where a value only says how a loader takes samples together.

    Such a value made no sample, and so neither its size nor an index that is in it.
    """
    if not clue.kind.startswith(OF_FLOW) or not _is_about_samples(case):
        return 1.0
    if case not in _LOADING:
        _LOADING[case] = frozenset(_places_of_loading(case))
    return 0.0 if (clue.file, clue.line) in _LOADING[case] else 1.0


def _is_about_samples(case: Case) -> bool:
    """Whether a failure is about what is in samples: their unequal sizes, or an index in one.

    An index that is refused with the size of an axis may be one into the batch.
    """
    if case.category.id == "illegal_index":
        # A loader without a next batch has an error of this category, too.
        return case.class_name != "StopIteration" and not case.facts.of(FactKind.BOUND)
    frames = case.failure.frames
    return case.category.id == "tensor_mismatch" and any(
        "collate" in f"{frame.function} {frame.file}" for frame in frames
    )


def _places_of_loading(case: Case) -> Iterator[tuple[str, int]]:
    """Yield the places from which values only go into arguments of a loader."""
    others: set[tuple[str, int]] = set()
    found: dict[tuple[str, int], None] = {}
    for step in (*case.raise_slice, *(step for steps in case.outer_slices for step in steps)):
        place = (step.node.file, step.node.line)
        if any(_configures_loader(link) for link in step.way()):
            found[place] = None
        elif step.node.kind is StepKind.LITERAL or step.node.entry is not None:
            others.add(place)
    yield from (place for place in found if place not in others)


def _configures_loader(link: Step) -> bool:
    """Whether a step is an argument of a loader, or of a dictionary of such arguments."""
    if link.before is None or not link.roles or link.before.node.entry is not None:
        return False
    expr = link.before.node.expr
    name = called_name(expr) if isinstance(expr, ast.Call) else None
    is_loader = name == "dict" or (name is not None and "loader" in name.lower())
    return is_loader and link.roles[-1].removeprefix("argument ") in OF_LOADERS


OTHER_PROPERTY = 0.3
"""What a step counts that decides other properties of the value than the one that is wrong."""


def _share(step: Step, followed: dict[int, bool]) -> float:
    """Return what a step counts, by whether it makes the property that the message is about."""
    decides = followed.get(id(step.node))
    if decides is None or (step.decides and not decides):
        return OTHER_PROPERTY
    return 1.0


def _clues(
    step: Step, offset: float, prefix: str, begin: str = RAISES, share: float = 1.0
) -> Iterator[Clue]:
    node = step.node
    if node.line <= 0:
        return
    score = share * math.exp(-(step.distance + offset) / DECAY)
    if not step.decides:
        why = _why(step, "passes", begin)
        yield Clue(f"{prefix}slice.passes", node.file, node.line, score, why)
        return
    why = _why(step, "decides", begin)
    yield Clue(f"{prefix}slice.decides", node.file, node.line, score, why)
    if not prefix:
        yield Clue(f"slice.{node.kind.value}", node.file, node.line, score, why)
        side = next((role for role in step.roles if role != "definition"), "")
        if side in {"callee", "receiver"}:
            yield Clue("slice.callee_side", node.file, node.line, score, why)
        elif side.startswith("argument"):
            yield Clue("slice.argument_side", node.file, node.line, score, why)


def _why(step: Step, verb: str, begin: str = RAISES) -> str:
    text = shown(step.node)
    first = step.way()[0].node
    if step.before is None:
        return f"`{text}` {begin}"
    if verb == "passes":
        is_same_line = (first.file, first.line) == (step.node.file, step.node.line)
        if is_same_line and stands_in(step.node.text, first.text):
            return f"`{text}` stands in `{shown(first)}`"
        words = relation(step)
        handed = words.startswith(f"{VERB} `")
        return f"`{text}` hands the value on to `{shown(first)}`" if handed else f"`{text}` {words}"
    if isinstance(step.node.expr, ast.Call) and called_name(step.node.expr) == "add_argument":
        return f"the option that `{text}` adds {relation(step)}"
    return f"{what(step)} {relation(step)}"
