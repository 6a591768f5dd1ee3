"""The statements of the workspace that can have raised a message without a traceback.

Each statement is taken for the raise site in turn. The other sources of evidence run on that
assumption, and their clues are weighted by how likely the statement is. ``raise`` and ``assert``
of the workspace are compared with the words of the message; for messages of libraries,
`operations` says which expressions can raise them.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue, Source
from dl_bug_lsp.evidence.raising import expressions, operations
from dl_bug_lsp.evidence.raising.operations import Matcher, MessageQuery, callees, operation, worded
from dl_bug_lsp.evidence.raising.scan import Enclosing, FileNodes, file_nodes, last_name
from dl_bug_lsp.messages import FactKind, MessageFacts, readable
from dl_bug_lsp.tracebacks import Cause, FailureKind, Frame
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import Place

OF_STACKS = "stack_trace."
RAISE_SITE = "stack_trace.raise_site"


def is_alone(case: Case) -> bool:
    """Whether an exception's message stands without a frame that the program could go by."""
    cause = case.failure.cause
    kinds = (FailureKind.EXCEPTION, FailureKind.MESSAGE)
    if cause is None or case.failure.kind not in kinds or case.spectrum is not None:
        return False
    return not case.failure.frames and not case.places and cause.class_name[:1].isupper()


def find(case: Case, sources: Sequence[Source]) -> Iterator[Clue]:
    """Yield what the sources say of each statement that can have raised the message."""
    cause = case.failure.cause
    assert cause is not None
    # The sources say much of it again for each statement: only the strongest is kept.
    strongest: dict[tuple[str, str, int], Clue] = {}
    for supposed in assumed_raise_sites(case.workspace, cause, case.facts):
        yield Clue(RAISE_SITE, supposed.file, supposed.line, supposed.weight, supposed.why)
        kind = "raising.certain" if supposed.weight >= CERTAIN else "raising.possible"
        yield Clue(kind, supposed.file, supposed.line, supposed.weight, supposed.why)
        case_there = _taken_for_raise_site(case, supposed)
        for source in sources:
            for clue in source(case_there):
                key = clue.kind, clue.file, clue.line
                score = clue.score * supposed.weight
                is_of_stack = clue.kind.startswith(OF_STACKS)
                if not is_of_stack and (key not in strongest or score > strongest[key].score):
                    strongest[key] = replace(clue, score=score)
    yield from strongest.values()


CERTAIN = 0.5


def _taken_for_raise_site(case: Case, supposed: AssumedRaiseSite) -> Case:
    frame = Frame(supposed.file, supposed.line, supposed.function, expression=supposed.expression)
    place = Place(supposed.file, supposed.line, supposed.line, supposed.function)
    located = ((frame, place),)
    supposed_case = Case(case.failure, case.facts, case.category, located, case.workspace, case.log)
    supposed_case.engine = case.engine
    supposed_case.supposed = True
    case.engine.program.stay_near([supposed.file])
    return supposed_case


MOST_FILES = 400
MOST_PLACES = 8
LEAST = 0.05
ASIDE = 0.4
"""What a place in tests, examples or documentation counts beside one in the program."""
FOREIGN = 0.1
FRAMEWORKS = {
    "torch": {"torch", "torchvision", "pytorch_lightning", "lightning"},
    "tensorflow": {"tensorflow", "keras", "tf_keras"},
    "keras": {"tensorflow", "keras", "tf_keras"},
    "jax": {"jax", "flax", "optax", "haiku", "equinox"},
}
_ASIDE = re.compile(r"(?:^|/)(?:tests?|examples?|docs?|benchmarks?|scripts_old|third_party)/|test_")


@dataclass(frozen=True, slots=True)
class AssumedRaiseSite:
    """A statement that can have raised a message: ``weight`` (0 to 1) says how surely."""

    file: str
    line: int
    function: str | None
    expression: str | None
    weight: float
    why: str


def assumed_raise_sites(
    workspace: Workspace, cause: Cause, facts: MessageFacts
) -> tuple[AssumedRaiseSite, ...]:
    """Return the likeliest statements that can have raised a message, the likeliest first.

    Where many are alike, each counts less.
    """
    files = _files(workspace, facts)
    read = [file_nodes(workspace, file) for file in files]
    made: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for nodes in read:
        for name, makers in nodes.made.items():
            made.setdefault(name, set()).update(makers)
        bases.update(nodes.classes)
    parameters = {name: p for nodes in read for name, p in nodes.parameters.items()}
    message = readable(cause.message)
    asked = MessageQuery(facts, cause.class_name, message, made, bases, parameters)
    other = _other_framework(facts)
    questions = matchers(asked)
    sites: dict[tuple[str, int], AssumedRaiseSite] = {}
    for nodes in read:
        checkpoint()
        aside = ASIDE if _ASIDE.search(nodes.file) else 1.0
        if other and nodes.imports & other[1] and not nodes.imports & other[0]:
            aside *= FOREIGN
        for node, within in nodes.nodes:
            answers = list(of_statement(node, within, cause.class_name, message))
            for question in questions:
                answers.extend(question(node, within, nodes))
            for weight, why in answers:
                place = _supposed(node, within, weight * aside, why)
                before = sites.get((place.file, place.line))
                if before is None or place.weight > before.weight:
                    sites[place.file, place.line] = place
    return _likeliest(sites.values())


def _other_framework(facts: MessageFacts) -> tuple[set[str], set[str]] | None:
    """Return the modules of the framework that speaks, and those of all others."""
    name = (facts.family or "").partition(".")[0]
    if name not in FRAMEWORKS:
        return None
    others = set().union(*(m for n, m in FRAMEWORKS.items() if not m & FRAMEWORKS[name]))
    return FRAMEWORKS[name], others


def _likeliest(sites: Iterable[AssumedRaiseSite]) -> tuple[AssumedRaiseSite, ...]:
    places = list(sites)
    if any(place.weight >= EXACT for place in places):
        places = [place for place in places if place.weight >= EXACT / 2]
    alike = Counter(round(place.weight, 2) for place in places)
    ordered = sorted(places, key=lambda p: (-p.weight, p.file, p.line))
    likeliest: list[AssumedRaiseSite] = []
    for place in ordered:
        weight = place.weight / (1 + math.log(alike[round(place.weight, 2)]))
        if weight >= LEAST and len(likeliest) < MOST_PLACES:
            likeliest.append(replace(place, weight=weight))
    return tuple(likeliest)


def _supposed(node: ast.AST, within: Enclosing, weight: float, why: str) -> AssumedRaiseSite:
    line = getattr(node, "lineno", 1)
    expression = None
    if isinstance(node, ast.expr):
        try:
            expression = ast.unparse(node)
        except (ValueError, RecursionError):
            expression = None
        line = node.lineno
        if isinstance(node, ast.Attribute):
            line = node.end_lineno or line
    return AssumedRaiseSite(within.file, line, within.function or None, expression, weight, why)


def _files(workspace: Workspace, facts: MessageFacts) -> list[str]:
    """Return the Python files to look through, those with the message's names first."""
    files = list(workspace.python_files())
    if len(files) <= MOST_FILES:
        return files
    kinds = (FactKind.ATTRIBUTE, FactKind.KEY, FactKind.NAME, FactKind.ARGUMENT, FactKind.FUNCTION)
    words = {str(fact.value).rpartition(".")[2] for fact in facts.facts if fact.kind in kinds} - {
        ""
    }
    holding = [f for f in files if any(word in (workspace.text(f) or "") for word in words)]
    return list(dict.fromkeys([*holding, *files]))[:MOST_FILES]


__all__ = ["AssumedRaiseSite", "FileNodes", "assumed_raise_sites"]


_MATCHERS: dict[str, Callable[[MessageQuery], Matcher]] = {
    "attribute": operations.attribute,
    "attribute_type": operations.attribute,
    "attribute_module": operations.attribute,
    "attribute_super": operations.attribute,
    "key": operations.key,
    "environment_key": operations.key,
    "omegaconf_key": operations.attribute,
    "name": operations.name,
    "unbound": operations.name,
    "unbound_free": operations.name,
    "call_keyword": operations.call,
    "call_missing": operations.call,
    "call_count": operations.call,
    "call_twice": operations.call,
    "abstract": operations.call,
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
    "file": operations.path,
    "device_build": expressions.cuda,
    "broadcast": expressions.elementwise,
    "broadcasting": expressions.elementwise,
    "module_init": expressions.bare_super,
    "axis_range": expressions.axis,
    "import_module": operations.imported,
    "import_name": operations.imported,
    "import_circular": operations.imported,
}


def matchers(asked: MessageQuery) -> list[Matcher]:
    """Return the questions that a message raises."""
    family = (asked.facts.family or "").partition(".")[2]
    matchers: list[Matcher] = []
    make = _MATCHERS.get(family)
    if make is not None:
        matchers.append(make(asked))
    wanted = callees(asked)
    if wanted:
        matchers.append(operation(asked, wanted))
    return matchers or [worded(asked)]


MIN_LETTERS = 4
MIN_WORDS = 3
EXACT, OTHER_CALL, CLASS_ALONE, ANY_ASSERT = 1.0, 0.7, 0.35, 0.3
ENDS = {"exit", "error", "fail", "abort", "fatal", "critical", "exception"}
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[sdifgeExXr]")
_BRACES = re.compile(r"\{[^{}]*\}")


def of_statement(
    node: ast.AST, within: Enclosing, type_: str, message: str
) -> Iterator[tuple[float, str]]:
    """Yield how surely a statement raised a message, and why, where it can have."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        name = last_name(node.exc)
        if isinstance(node.exc, ast.Call):
            texts = [*node.exc.args, *(k.value for k in node.exc.keywords)]
            if texts and any(_says(text, message) for text in texts):
                if name == type_ or not name.endswith(("Error", "Exception")):
                    yield EXACT, "this statement raises a message of these words"
            elif name == type_ and not any(_is_text(text) for text in texts):
                yield CLASS_ALONE, f"this statement raises `{type_}`"
        elif name == type_ and not message:
            yield CLASS_ALONE, f"this statement raises `{type_}`"
    elif isinstance(node, ast.Assert) and type_ == "AssertionError":
        if node.msg is not None and _says(node.msg, message):
            yield EXACT, "this assertion fails with a message of these words"
        elif node.msg is None and not message:
            yield ANY_ASSERT, "this assertion has no message of its own"
        elif node.msg is not None and not _is_text(node.msg) and _values(node.msg, message):
            yield OTHER_CALL, "this assertion prints such values"
    elif isinstance(node, ast.Call) and _is_end(last_name(node.func)):
        is_written = any(_says(text, message) for text in node.args)
        if is_written:
            yield OTHER_CALL, "this call is given a message of these words"


def _is_end(name: str) -> bool:
    low = name.lower().lstrip("_")
    return low in ENDS or low.startswith(("raise", "fail", "check", "require", "ensure", "die"))


def _is_text(expr: ast.expr) -> bool:
    return bool(text_templates(expr))


def _values(expr: ast.expr, message: str) -> bool:
    """Say whether a tuple of values as an assertion's message can print this one."""
    return isinstance(expr, ast.Tuple) and message.startswith("(")


def _says(expr: ast.expr, message: str) -> bool:
    """Say whether a text with gaps is the message, by fixed words in it."""
    text = " ".join(message[:2000].split())
    for parts in text_templates(expr):
        fixed = [" ".join(part.split()) for part in parts if part is not None]
        if sum(c.isalpha() for part in fixed for c in part) < MIN_LETTERS:
            continue
        if _in_order(text, fixed, parts[0] is None, parts[-1] is None):
            return True
        # A literal alone may stand within a longer text that the class adds words to.
        if len(parts) == 1 and len(fixed[0].split()) >= MIN_WORDS and fixed[0] in text:
            return True
    return False


def _in_order(text: str, fixed: list[str], open_start: bool, open_end: bool) -> bool:
    """Say whether the fixed parts stand in a text one after the other, with gaps between them."""
    at = 0
    for index, part in enumerate(part for part in fixed if part):
        start = text.find(part, at)
        if start < 0 or (index == 0 and not open_start and start):
            return False
        at = start + len(part)
    return open_end or text.endswith(fixed[-1])


def text_templates(expr: ast.expr) -> list[tuple[str | None, ...]]:
    """Return a text's fixed parts with None for each gap; one for each branch of a choice."""
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return [(expr.value,)]
    if isinstance(expr, ast.JoinedStr):
        return [tuple(str(p.value) if isinstance(p, ast.Constant) else None for p in expr.values)]
    if isinstance(expr, ast.IfExp):
        return [*text_templates(expr.body), *text_templates(expr.orelse)]
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mod):
        return [_split(parts, _PERCENT) for parts in text_templates(expr.left)]
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add):
        left, right = text_templates(expr.left), text_templates(expr.right)
        if left or right:
            return [(*a, *b) for a in left or [(None,)] for b in right or [(None,)]][:4]
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        if expr.func.attr == "format":
            return [_split(parts, _BRACES) for parts in text_templates(expr.func.value)]
        if expr.func.attr in {"strip", "dedent", "lower", "join"}:
            return text_templates(expr.func.value)
    return []


def _split(parts: tuple[str | None, ...], gaps: re.Pattern[str]) -> tuple[str | None, ...]:
    pieces: list[str | None] = []
    for part in parts:
        for index, text in enumerate(gaps.split(part) if part is not None else (None,)):
            if index or text is None:
                pieces.append(None)
            if text:
                pieces.append(text)
    return tuple(pieces)
