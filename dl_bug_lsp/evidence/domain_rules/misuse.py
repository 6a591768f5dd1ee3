"""Rules for misused framework APIs: calls and definitions that break what the framework assumes.

`RULES` holds the rules that need only words of the message and a call. The other functions look
further: at what functions return, at arguments that the message advises or asks for, at the state
that JAX's loops carry, and at the order of calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.in_place import find_in_place, find_settings
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    defaults_of,
    keyword,
    names_in,
    near_files,
    near_scopes,
    own_nodes,
    source,
    statements,
)
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.provenance.nodes import (
    Function,
    Instance,
    Items,
    Library,
    LibraryObject,
    Node,
    StepKind,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.provenance.stack import Site

Rule = Callable[[Case], Iterator[Clue]]
BREAKS_GRAPH = {"detach", "item", "numpy", "argmax", "tolist", "no_grad", "inference_mode", "eval"}


def find_misuse(case: Case) -> Iterator[Clue]:
    """Run the rules whose words stand in the message."""
    for words, rule in RULES:
        if any(word in case.message for word in words):
            yield from rule(case)


def find_intervals(case: Case) -> Iterator[Clue]:
    """Yield the interval of a schedule that asks for a validation's metric at each training step.

    Lightning updates a schedule with ``interval: "step"`` after each training step, when no metric
    of a validation has been logged (Lightning, "Optimization": `lr_scheduler_config`).
    """
    if "conditioned on metric" not in case.message or "val" not in case.message:
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for table in ast.walk(tree) if tree is not None else ():
            if not isinstance(table, ast.Dict):
                continue
            for key, value in zip(table.keys, table.values, strict=True):
                named = isinstance(key, ast.Constant) and key.value == "interval"
                if named and isinstance(value, ast.Constant) and value.value == "step":
                    why = (
                        "the schedule is updated after each step; the metric comes with validation"
                    )
                    yield Clue("rules.strong", file, value.lineno, 1.0, why)


OF_RETURN = re.compile(
    r"\b(?P<name>[A-Za-z_]\w{2,60})\b[`'\"()\[\]]{0,4} "
    r"(?:must|should|has to|needs to|is expected to|can only|did not|didn't|does not|returned)\b"
    r"(?: return| an? | None)"
)
"""How a framework says that a function which the user wrote returns what it must not."""
MOST_RETURNS = 6


def find_returns(case: Case) -> Iterator[Clue]:
    """Yield what a function of the workspace returns of whose return value the message complains.

    A call of another function of the workspace in a ``return`` is followed to what that returns.
    """
    match = OF_RETURN.search(case.message)
    # What ``__len__`` and its like return is computed: the value is wrong, not the function.
    if match is None or match["name"].startswith("__"):
        return
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if scope.name.rpartition(".")[2] != match["name"] or scope.is_class:
                continue
            context = case.engine.open_context(scope)
            for expr in scope.returns[:MOST_RETURNS]:
                returned = case.engine.node(expr, context)
                inner = [node for role, node in returned.inputs if role == "return"]
                for node in (returned, *inner):
                    if node.line > 0:
                        why = f"`{match['name']}` returns `{node.text}`"
                        yield Clue("rules.strong", node.file, node.line, 1.0, why)


ADVISED_ARGUMENT = re.compile(
    r"\b(?:pass|passing|set|setting|use|using|specify|specifying|try|add|with|provide|providing)\b"
    r"[^\n=.]{0,60}?[`'\"(]?\b(?P<name>[a-z_]\w{2,40})\s?=\s?(?P<value>\w[\w.]*|['\"][\w-]+['\"])",
    re.IGNORECASE,
)
"""How a library's message names the argument that would make the call right."""
STATED = re.compile(r"(?i)with\s+\w+\s?=")
"""How a message begins that says with which arguments a call was made."""
WISHED = re.compile(r"[`'\")]{0,2} (?:in ?case|if) you (?:want|need|would|wish)\b")
"""How a message goes on that names an argument for another wish than that the call be right."""
MISADVISED = {
    *("retain_graph", "create_graph", "weights_only", "allow_pickle", "force"),
    *("allow_unused", "find_unused_parameters"),
}
"""Arguments that messages name and that mostly hide what is wrong."""


def find_advised_arguments(case: Case) -> Iterator[Clue]:
    """Yield the failing call where it lacks an argument that the library's message tells to pass.

    A sentence that begins with a condition ("if you want …") is no such advice.
    """
    site = case.sites[-1] if case.sites else None
    if site is None or site.statement is None:
        return
    failing = [node.expr for node in site.nodes if isinstance(node.expr, ast.Call)]
    for match in ADVISED_ARGUMENT.finditer(case.message):
        name = match["name"]
        before = case.message[: match.start()].rpartition(".")[2].rstrip()
        if (not before or before.endswith("(")) and STATED.match(match[0]):
            continue
        if WISHED.match(case.message, match.end()):
            continue
        if (
            name in MISADVISED
            or name.isupper()
            or re.search(r"\bif you (?:want|need|would|wish)\b", before)
        ):
            continue
        for call in failing or calls_in(site.statement):
            own = case.engine.program.scope_at(site.place.file, call.lineno)
            is_ours = own is not None and called_name(call) in own.functions
            if keyword(call, name) is None and not is_ours and not _is_of_exception(call):
                named = f"{name}={match['value']}"
                why = f"`{source(call)}` does not pass `{named}`, which the message names"
                yield Clue("rules.advised_argument", site.place.file, call.lineno, 1.0, why)
                break


ARGUMENT_NAME = r"(?:[`'\"]([a-z]\w{1,40})[`'\"]|\b([a-z]\w{0,40}_\w{1,40}))"
"""A parameter in a sentence: in quotes, or with an underscore."""
GIVEN = r"(?:specified|provided|given|passed|set|defined|supplied)\b"
ARGUMENT_WORD = r"(?: (?:parameter|argument|keyword|option)\b)"
REQUIRED_ARGUMENT = re.compile(
    "|".join(
        (
            rf"\brequires? (?:that )?(?:the |an? )?{ARGUMENT_NAME}"
            rf"(?:{ARGUMENT_WORD}| to be | be ){{1,2}}",
            rf"{ARGUMENT_NAME}{ARGUMENT_WORD}? (?:(?:must|should) be (?:explicitly )?{GIVEN}"
            rf"|(?:has|have|needs) to be {GIVEN}|(?:is|are) required\b"
            r"|(?:cannot|must not) be None)",
            r"\b(?:must|should|have to|need to|please) (?:explicitly )?"
            r"(?:specify|provide|pass|set|define|supply) "
            r"(?:(?:either|exactly one of|at least one of|one of|an?|the|value for) ){0,3}"
            rf"{ARGUMENT_NAME}",
            rf"^{ARGUMENT_NAME} must be (?:in|one of) ",
            r"\bchoose another ([a-z]\w{1,40}) setting",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
"""How a library's message names an argument that the call must be given, without its value."""
OF_ESTIMATORS = (
    "fit",
    "fit_transform",
    "fit_predict",
    "transform",
    "predict",
    "score",
    "partial_fit",
)
"""Methods of objects whose parameters their constructors take."""
OF_TRAININGS = ("train", "evaluate", "test", "validate", "main", "run", "fit_generator", "launch")
"""Functions and methods that call much code of others: what that lacks is none of theirs."""
OF_SPREAD = 0.6
"""What a call counts whose arguments a table holds, beside the table."""


def find_required_arguments(case: Case) -> Iterator[Clue]:
    """Yield the failing call of a library where it lacks an argument that the message asks for.

    Of an estimator that is the call that made it. A call that gives ``**settings`` gets its
    arguments from there.
    """
    site = case.sites[-1] if case.sites else None
    match = REQUIRED_ARGUMENT.search(case.message)
    if site is None or site.statement is None or match is None or not case.library_frames:
        return
    clause = case.message[match.start() :].partition(". ")[0]
    names = {name for name in match.groups() if name} | set(ALTERNATIVE.findall(clause))
    name = next(name for name in match.groups() if name)
    if name in MISADVISED:
        return
    for node in site.nodes:
        call = node.expr
        if not isinstance(call, ast.Call) or _is_of_exception(call) or _is_ours(case, site, call):
            continue
        if called_name(call) in OF_TRAININGS or names & _words_given(call):
            continue
        makers = [made for _, _, made in case.makers if isinstance(made.expr, ast.Call)]
        if called_name(call) in OF_ESTIMATORS:
            for made in makers[:1]:
                if isinstance(made.expr, ast.Call) and not names & _words_given(made.expr):
                    yield from _missing_argument(case, made, made.expr, name)
        else:
            yield from _missing_argument(case, node, call, name)
        return


SINCE_VERSION = re.compile(
    r"\b(?:as of|since|starting (?:from|with|in)|beginning with) (?P<version>"
    r"(?:(?:the )?(?:version|release) )?(?:[A-Za-z][\w-]* )?(?:version )?v?\d+\.\d+[\w.]*)",
    re.IGNORECASE,
)
"""How a library's message names the version that changed what is called."""


def find_changed_calls(case: Case) -> Iterator[Clue]:
    """Yield the failing call of a library of which the message says since when it is another."""
    site = case.sites[-1] if case.sites else None
    match = SINCE_VERSION.search(case.message)
    if site is None or match is None or not case.library_frames:
        return
    if case.class_name not in ("TypeError", "ValueError"):
        return
    for node in site.nodes:
        call = node.expr
        if not isinstance(call, ast.Call) or _is_of_exception(call) or _is_ours(case, site, call):
            continue
        if called_name(call) not in OF_TRAININGS:
            version = match["version"].rstrip(".")
            why = f"this call is refused for what, by the message, holds since {version}"
            yield Clue("rules.advised_argument", site.place.file, call.lineno, 1.0, why)
        return


ALTERNATIVE = re.compile(
    r"(?:\bor\b|\band\b|\bof\b|,) ['`\"]?([a-z]\w*_\w+|(?<=['`\"])[a-z]\w*(?=['`\"]))"
)
"""Other arguments that a message names beside the first: one of them may be enough."""


def _is_ours(case: Case, site: Site, call: ast.Call) -> bool:
    own = case.engine.program.scope_at(site.place.file, call.lineno)
    return own is not None and called_name(call) in own.functions


def _words_given(call: ast.Call) -> set[str]:
    """Return the names of the keywords of a call, and those of what stands at positions."""
    given = {word.arg for word in call.keywords if word.arg is not None}
    return given | {str(getattr(v, "attr", getattr(v, "id", ""))) for v in call.args}


def _missing_argument(case: Case, node: Node, call: ast.Call, name: str) -> Iterator[Clue]:
    """Yield a call that lacks an argument, and the table that it gets its arguments from."""
    spread = [word.value for word in call.keywords if word.arg is None]
    score = OF_SPREAD if spread else 1.0
    why = f"`{source(call)}` does not give `{name}`, which the message asks for"
    edit = _with_argument(case, node.file, call, name) if not spread else None
    yield Clue("rules.advised_argument", node.file, call.lineno, score, why, edit)
    tables = [case.engine.node(value, node.context) for value in spread]
    for step in backward_slice(tables, MOST_SPREAD) if tables else ():
        is_table = step.node.kind is StepKind.CONFIG or isinstance(step.node.expr, ast.Dict)
        if is_table and step.node.line > 0:
            why = f"`{source(call)}` gets its arguments from here, and `{name}` is none of them"
            yield Clue("rules.advised_argument", step.node.file, step.node.line, 1.0, why)
            return


MOST_SPREAD = 20


def _with_argument(case: Case, file: str, call: ast.Call, name: str) -> Suggestion | None:
    """Return the edit that adds an argument of which the message tells the value."""
    value = re.search(rf"\b{re.escape(name)}\s?=\s?(True|False|\d+|'\w+'|\"\w+\")", case.message)
    lines = case.workspace.lines(file)
    if value is None or not file.endswith(".py") or call.end_lineno != call.lineno:
        return None
    text = lines[call.lineno - 1] if call.lineno <= len(lines) else ""
    old = text[call.col_offset : call.end_col_offset]
    if not text.isascii() or not old.endswith(")"):
        return None
    comma = ", " if call.args or call.keywords else ""
    return Suggestion(file, call.lineno, old, f"{old[:-1]}{comma}{name}={value[1]})")


def _is_of_exception(call: ast.Call) -> bool:
    return called_name(call).endswith(("Error", "Exception", "Warning"))


def _not_picklable(case: Case) -> Iterator[Clue]:
    for scope in near_scopes(case):
        for name, inner in scope.functions.items():
            if scope.is_class or scope.is_module:
                continue
            if name.startswith("<lambda>"):
                why = "a lambda cannot be pickled for another process"
                yield Clue("rules.strong", scope.file, inner.line, 1.0, why)
            else:
                why = f"`{name}` is defined inside a function and cannot be pickled"
                yield Clue("rules.medium", scope.file, inner.line, 1.0, why)
        for call in scope.calls:
            for name in ("num_workers", "multiprocessing_context", "start_method"):
                value = keyword(call, name)
                if value is not None:
                    why = f"`{name}` makes processes that need everything pickled"
                    yield Clue("rules.weak", scope.file, value.lineno, 1.0, why)
            if called_name(call) == "set_start_method":
                why = "spawned processes need everything pickled"
                yield Clue("rules.weak", scope.file, call.lineno, 1.0, why)


def _second_backward(case: Case) -> Iterator[Clue]:
    carried = list(_kept_in_attributes(case))
    calls: list[tuple[Scope, ast.Call, bool]] = []
    for scope in near_scopes(case):
        for loop in (s for s in statements(scope.node) if isinstance(s, (ast.For, ast.While))):
            own = [c for c in calls_in(loop) if called_name(c) == "backward"]
            calls.extend((scope, call, len(own) > 1) for call in own)
            if own:
                carried.extend(_carried_over(scope, loop))
    yield from carried
    known = bool(carried) or follow(case).raised is not None
    for scope, call, again in calls:
        # Where it is known what is walked twice, the call is only where that shows.
        kind = "rules.weak" if known else "rules.strong" if again else "rules.medium"
        why = f"`{source(call)}` goes through a graph that may be freed already"
        yield Clue(kind, scope.file, call.lineno, 1.0, why)


def _kept_in_attributes(case: Case) -> Iterator[Clue]:
    """Find attributes that take themselves over into the next step without being detached."""
    for module in case.engine.program.all_modules():
        if not any(name in (case.workspace.text(module.file) or "") for name in ("torch", "nn.")):
            # Numbers of Python carry no graph.
            continue
        for scope in module.walk():
            for name, assignments in scope.attributes.items() if scope.is_class else ():
                for method, binding in assignments:
                    value = binding.value
                    again = binding.mutates or any(
                        isinstance(n, ast.Attribute) and n.attr == name for n in ast.walk(value)
                    )
                    detached = any(w in source(value) for w in ("detach", "item(", "float("))
                    # A counter (`self.time += 1`) holds a number of Python.
                    grows = again and not detached and not _counts(value)
                    if grows and binding.key is None and not method.name.endswith("__init__"):
                        why = f"`self.{name}` may carry the graph over to the next step"
                        yield Clue("rules.strong", method.file, binding.line, 1.0, why)


def _counts(value: ast.expr) -> bool:
    """Whether a value is a number of Python, or a name that such a number is added to."""
    if isinstance(value, ast.BinOp):
        return isinstance(value.right, ast.Constant) and isinstance(value.op, ast.Add | ast.Sub)
    return isinstance(value, ast.Constant)


def _carried_over(scope: Scope, loop: ast.For | ast.While) -> Iterator[Clue]:
    """Find variables that a loop's round takes from the round before without detaching them."""
    start, end = loop.lineno, loop.end_lineno or loop.lineno
    for name, bindings in sorted(scope.bindings.items()):
        inside = [b for b in bindings if start < b.line <= end]
        outside = [b for b in bindings if b.line < start]
        if not inside or not outside:
            continue
        used = [
            n
            for n in ast.walk(loop)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        ]
        if _is_bound_first(loop, min(b.line for b in inside), [n.lineno for n in used]):
            continue
        for binding in inside:
            text = source(binding.value)
            detached = any(word in text for word in ("detach", "item(", ".data"))
            if used and not detached and not _counts(binding.value):
                why = f"`{name}` may carry the graph over from the round before"
                yield Clue("rules.strong", scope.file, binding.line, 1.0, why)


def _is_bound_first(loop: ast.For | ast.While, bound: int, used: list[int]) -> bool:
    """Whether a round of a loop binds a name in any case before it reads it."""
    if any(line <= bound for line in used):
        return False
    around = (
        (inner.lineno, inner.end_lineno or inner.lineno)
        for inner in ast.walk(loop)
        if isinstance(inner, (ast.If, ast.For, ast.While, ast.Try)) and inner is not loop
    )
    blocks = [(first, last) for first, last in around if first <= bound <= last]
    return all(first <= line <= last for first, last in blocks for line in used)


STILL_IN_GRAPH = ("leaf Variable", "deepcopy protocol")
"""Words of messages about tensors that do require gradients: what they refuse cut nothing."""


def _graph_broken(case: Case) -> Iterator[Clue]:
    is_refused = "call numpy()" in case.message
    if any(words in case.message for words in STILL_IN_GRAPH):
        return
    # What is differentiated by a tensor needs no graph behind it, only to be asked for gradients.
    kind = "rules.weak" if "differentiated Tensors" in case.message else "rules.strong"
    for step in case.raise_slice:
        expr = step.node.expr
        if step.node.entry is not None or not isinstance(expr, ast.Call):
            continue
        name = called_name(expr)
        if is_refused and (name != "numpy" or step.before is not None):
            continue
        if name in BREAKS_GRAPH or (name == "tensor" and expr.args):
            near = 1 / (1 + step.distance / 6)
            why = f"`{step.node.text}` cuts the gradient's way back"
            if is_refused:
                why = f"`{step.node.text}` is asked of a tensor that still belongs to a graph"
            yield Clue(kind, step.node.file, step.node.line, near, why)
    for scope in near_scopes(case):
        for text in scope.decorators():
            if "no_grad" in text or "inference_mode" in text:
                why = f"`@{text}` turns gradients off here"
                yield Clue("rules.strong", scope.file, scope.line - 1, 1.0, why)
        for statement in statements(scope.node):
            if (
                isinstance(statement, ast.With)
                and "no_grad" in source(statement.items[0].context_expr)
                and _is_on_way(case, scope.file, statement)
            ):
                why = "gradients are off in this block"
                yield Clue("rules.strong", scope.file, statement.lineno, 1.0, why)
            if isinstance(statement, ast.Assign) and "requires_grad" in source(
                statement.targets[0]
            ):
                why = f"`{source(statement)}` decides about gradients"
                yield Clue("rules.strong", scope.file, statement.lineno, 1.0, why)


def _is_on_way(case: Case, file: str, block: ast.stmt) -> bool:
    """Whether a block holds a frame of the failure, or a line that its values came through."""
    lines = range(block.lineno, (block.end_lineno or block.lineno) + 1)
    places = [(place.file, place.line) for place in case.places]
    places.extend((step.node.file, step.node.line) for step in case.stack_steps)
    return any(of == file and line in lines for of, line in places)


def _plain_list_of_modules(case: Case) -> Iterator[Clue]:
    for module in case.engine.program.all_modules():
        for scope in module.walk():
            if not scope.is_class:
                continue
            for bindings in scope.attributes.values():
                for method, binding in bindings:
                    value = binding.value
                    if isinstance(value, ast.Name) and _holds_modules(case, method, value):
                        why = "modules in a plain list are not registered"
                        yield Clue("rules.strong", method.file, binding.line, 1.0, why)
                    if isinstance(value, (ast.List, ast.ListComp, ast.Dict, ast.DictComp)) and (
                        any(called_name(c)[:1].isupper() for c in calls_in(value))
                    ):
                        why = "modules in a plain list or dict are not registered"
                        yield Clue("rules.strong", method.file, binding.line, 1.0, why)
                    elif isinstance(value, (ast.List, ast.Dict)) and not binding.mutates:
                        why = "a plain list or dict does not register modules"
                        yield Clue("rules.weak", method.file, binding.line, 1.0, why)


def _holds_modules(case: Case, method: Scope, value: ast.expr) -> bool:
    """Whether a name stands for a list with modules of a framework in it."""
    node = case.engine.node(value, case.engine.open_context(method))
    return any(
        isinstance(made, Instance)
        or (isinstance(made, LibraryObject) and made.name.startswith(("torch.nn", "keras")))
        for items in node.values
        if isinstance(items, Items)
        for item in items.items
        for made in item.values
    )


MOST_STEPS_OF_LOSS, MOST_STEPS_OF_MODEL = 60, 12
NO_DERIVATIVE = frozenset(
    {"argmax", "argmin", "round", "rint", "floor", "ceil", "sign", "equal", "not_equal", "greater",
     "less", "greater_equal", "less_equal", "stop_gradient", "numpy", "argsort", "tolist",
     "py_function", "numpy_function"}
)  # fmt: skip
"""What gives TensorFlow no gradient: steps, comparisons and what leaves its graph."""


def _without_derivative(case: Case) -> Iterator[Clue]:
    """Find operations on the way to a loss through which no gradient comes."""
    starts = [
        case.engine.node(call.args[0], case.engine.open_context(scope))
        for scope in near_scopes(case)
        for call in calls_in(scope.node)
        if called_name(call) == "gradient" and call.args
    ]
    for step in backward_slice(starts, MOST_STEPS_OF_LOSS) if starts else ():
        expr = step.node.expr
        if "index" in step.roles or not isinstance(expr, ast.Call) or step.node.line <= 0:
            continue
        # Labels have no gradient, and need none.
        if called_name(expr) in NO_DERIVATIVE and _is_of_model(step.node):
            why = f"no gradient comes through `{step.node.text}`"
            yield Clue("rules.strong", step.node.file, step.node.line, 1.0, why)


def _is_of_model(node: Node) -> bool:
    """Whether a value comes out of a model or of variables that are trained."""
    trained = ("keras", "tensorflow.keras", "tensorflow.Variable")
    return any(
        isinstance(value, Instance)
        or (isinstance(value, LibraryObject) and value.name.startswith(trained))
        for step in backward_slice([node], MOST_STEPS_OF_MODEL)
        for value in step.node.values
    )


def _not_scalar(case: Case) -> Iterator[Clue]:
    """Find what a function returns of which JAX takes the gradient, and that is no number."""
    for site in case.sites[-1:]:
        for call in (c for node in site.nodes for c in calls_in(node.expr)):
            if called_name(call) not in ("grad", "value_and_grad") or not call.args:
                continue
            function = case.engine.node(call.args[0], site.context)
            for value in function.values:
                if isinstance(value, Function):
                    for expr in value.scope.returns[:MOST_RETURNS]:
                        why = f"`{source(expr)}` is no single number, as a gradient needs it"
                        kind = "rules.medium" if isinstance(expr, ast.Tuple) else "rules.strong"
                        yield Clue(kind, value.scope.file, expr.lineno, 1.0, why)


UNFITTED = re.compile(r"This (?P<name>\w+) instance is not fitted yet")


def _fits_another(case: Case) -> Iterator[Clue]:
    """Find where an object is fitted that nothing keeps, while another of its class is used."""
    match = UNFITTED.search(case.message)
    for file in case.code_files if match is not None else ():
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            for call in scope.calls:
                func = call.func
                fits = isinstance(func, ast.Attribute) and func.attr in ("fit", "fit_transform")
                made = func.value if isinstance(func, ast.Attribute) and fits else None
                if isinstance(made, ast.Call) and match and called_name(made) == match["name"]:
                    why = f"`{source(call)}` fits an object that nothing keeps"
                    yield Clue("rules.strong", file, call.lineno, 1.0, why)


KERAS_OPTIMIZERS = re.compile(r"\.optimizers\.(?:legacy\.)?[A-Z]\w+$")


def _bound_to_another(case: Case) -> Iterator[Clue]:
    """Find an optimizer of Keras that is used for other variables than the first ones.

    It is built for the variables of its first step (Keras, ``Optimizer.build``): each model, and
    each set of layers that is trained, needs one of its own.
    """
    found: dict[tuple[str, int], Node] = {}
    for step in case.stack_steps:
        node = step.node
        if node.kind is StepKind.CALL and isinstance(node.expr, ast.Call):
            callees = case.engine.node(node.expr.func, node.context).values
            if any(isinstance(v, Library) and KERAS_OPTIMIZERS.search(v.name) for v in callees):
                found[node.file, node.line] = node
    for (file, line), node in found.items():
        why = f"the optimizer that `{node.text}` makes belongs to the variables of its first step"
        yield Clue("rules.strong", file, line, 1.0 / len(found) ** 0.5, why)


def _outside_tape(case: Case) -> Iterator[Clue]:
    """Find what is computed after the block of a tape, which records no gradients of it."""
    for scope in near_scopes(case):
        tapes = list(_tapes(scope))
        own_names = {name for _, names in tapes for name in names}
        taken = [c.lineno for c in calls_in(scope.node) if called_name(c) == "gradient"]
        for tape, _ in tapes:
            for statement in statements(scope.node):
                if taken and statement.lineno >= min(taken):
                    continue
                if isinstance(statement, ast.Assign) and statement.lineno > (tape.end_lineno or 0):
                    calls = any(True for _ in calls_in(statement.value))
                    if calls and not own_names & {n.id for n in names_in(statement.value)}:
                        why = f"`{source(statement)}` runs outside the tape"
                        yield Clue("rules.strong", scope.file, statement.lineno, 1.0, why)
            inside = any(True for part in tape.body for _ in names_in(part))
            why = "only what runs in this block has gradients"
            yield Clue("rules.medium", scope.file, tape.lineno, 1.0 if inside else 0.8, why)


def _tapes(scope: Scope) -> Iterator[tuple[ast.With, set[str]]]:
    """Yield the blocks in which a tape of TensorFlow records, and the names of their tapes."""
    for block in statements(scope.node):
        items = block.items if isinstance(block, ast.With) else []
        tapes = [item for item in items if "GradientTape" in source(item.context_expr)]
        if isinstance(block, ast.With) and tapes:
            targets = [item.optional_vars for item in tapes if item.optional_vars is not None]
            yield block, {name.id for target in targets for name in names_in(target)}


RULES: tuple[tuple[tuple[str, ...], Rule], ...] = (
    (("pickle", "Can't get local object"), _not_picklable),
    (("a second time", "graph have already been freed"), _second_backward),
    (("inplace operation", "in-place operation", "in-place"), find_in_place),
    (("modified by an inplace operation",), find_settings),
    (("does not require grad", "does not have a grad_fn", "requires grad"), _graph_broken),
    (("empty parameter list",), _plain_list_of_modules),
    (("No gradients provided", "Gradients do not exist"), _outside_tape),
    (("No gradients provided", "Gradients do not exist"), _without_derivative),
    (("Gradient only defined for scalar-output functions",), _not_scalar),
    (("instance is not fitted yet",), _fits_another),
    (("originally built with", "optimizer cannot recognize variable"), _bound_to_another),
)


STARTS = {"scan": 1, "while_loop": 2, "fori_loop": 3}
"""Which argument of each loop is the state that it begins with."""
STATE_KEYWORDS = ("init", "init_val")
MOST_STEPS_OF_STATE = 12


def find_carries(case: Case) -> Iterator[Clue]:
    """Yield what makes the state that a loop begins with: the body's result must be of its type."""
    if "carry" not in case.message:
        return
    for top in case.sites[-1].nodes if case.sites else ():
        for call in calls_in(top.expr):
            index = STARTS.get(called_name(call))
            if index is None:
                continue
            named = [k for k in (keyword(call, name) for name in STATE_KEYWORDS) if k is not None]
            start = [*call.args[index : index + 1], *named]
            yield from _makers([top.engine.node(e, top.context) for e in start], call)


def _makers(start: list[Node], call: ast.Call) -> Iterator[Clue]:
    makers = [
        s for s in backward_slice(start, MOST_STEPS_OF_STATE) if s.decides and s.node.line > 0
    ]
    for order, step in enumerate(makers):
        why = f"`{step.node.text}` makes the state that `{called_name(call)}` begins with"
        yield Clue("rules.medium", step.node.file, step.node.line, 1 / (1 + order), why)


NOT_YET = re.compile(
    r"not (?:been |yet )?(?:yet )?(?:initiali[sz]ed|fitted|built|compiled|prepared|called)"
    r"|before (?:calling|using|it can|this)|must (?:first )?be (?:called|built|fitted)"
    r"|(?:call|run|use) [`'\"]?[\w.]+[`'\"]?(?:\(\))? first|make sure to call",
    re.IGNORECASE,
)
"""How a library says that something should have been called before."""


def find_late_calls(case: Case) -> Iterator[Clue]:
    """Yield calls that come before the call which the message says should have been made first."""
    if not NOT_YET.search(case.message):
        return
    message_words = set(re.findall(r"[A-Za-z_]\w{2,}", case.message))
    for site in case.sites:
        place, scope = site.place, site.context.scope
        for call in (n for n in own_nodes(scope.node) if isinstance(n, ast.Call)):
            if called_name(call) in message_words and call.lineno > place.line:
                name = called_name(call)
                why = (
                    f"runs before `{name}`, which the message asks for: line {call.lineno} calls it"
                )
                yield Clue("rules.strong", place.file, place.line, 1.0, why)
                why = f"`{name}`, which the message asks for, is called after line {place.line}"
                yield Clue("rules.strong", place.file, call.lineno, 0.8, why)
                break


OF_STATE = (
    *("framework_api_misuse", "tensor_mismatch", "gpu_out_of_memory", "cpu_out_of_memory"),
    *("illegal_index", "loss_nan", "process_killed", "division_by_zero"),
)
"""Categories of failures to which what a former call left behind may lead."""
OF_OTHERS = 0.4
"""What a shared default counts for failures of other categories."""
CHANGES = frozenset(
    ("append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "appendleft")
)


def find_shared_defaults(case: Case) -> Iterator[Clue]:
    """Yield lists and tables that stand as defaults of parameters and are changed.

    A default is made once, when the function is defined, and shared by all calls (Python reference,
    "Function definitions").
    """
    share = 1.0 if case.category.id in OF_STATE else OF_OTHERS
    for file in near_files(case):
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            node = scope.node
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            containers = {n: d for n, d in defaults_of(node).items() if _is_container(d)}
            for name, default in containers.items():
                changed = name if _is_changed(node, name) else _kept_and_changed(scope, name)
                if changed is None or not _is_left_out(case, scope, name):
                    continue
                why = (
                    f"`{source(default)}` is one {_noun(default)} for all calls that leave out "
                    f"`{name}`, and `{changed}` is changed: what one call puts in is there for the "
                    "next"
                )
                yield Clue("rules.strong", file, default.lineno, share, why)


def find_shared_items(case: Case) -> Iterator[Clue]:
    """Yield lists and tables that several objects or items share, and that are changed.

    What stands in a class's body belongs to the class (Python tutorial, "Class and Instance
    Variables"); ``[x] * n`` and ``dict.fromkeys(keys, x)`` hold one ``x`` several times.
    """
    share = 1.0 if case.category.id in OF_STATE else OF_OTHERS
    for file in near_files(case):
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            yield from (_shared_by_objects if scope.is_class else _shared_by_items)(scope, share)


def _shared_by_objects(cls: Scope, share: float) -> Iterator[Clue]:
    for statement in getattr(cls.node, "body", []):
        if not isinstance(statement, ast.Assign) or not _is_empty(statement.value):
            continue
        for name in (t.id for t in statement.targets if isinstance(t, ast.Name)):
            own, methods = f"self.{name}", [m.node for m in cls.functions.values()]
            if _is_assigned(methods, own) or not any(_is_changed(m, own) for m in methods):
                continue
            why = (
                f"`{name}` is one {_noun(statement.value)} of the class for all its objects, and "
                f"`{own}` is changed"
            )
            yield Clue("rules.strong", cls.file, statement.lineno, share, why)


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return called_name(value) in ("list", "dict", "set") and not value.args
    return source(value) in ("[]", "{}")


def _is_assigned(nodes: Sequence[ast.AST], text: str) -> bool:
    """Whether an attribute gets a value of its own in one of the methods."""
    parts = (part for node in nodes for part in ast.walk(node))
    assigned = (p for p in parts if isinstance(p, (ast.Assign, ast.AnnAssign)))
    targets = (
        t for p in assigned for t in (p.targets if isinstance(p, ast.Assign) else [p.target])
    )
    return any(source(target) == text for target in targets)


def _shared_by_items(scope: Scope, share: float) -> Iterator[Clue]:
    for statement in own_nodes(scope.node):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        shared = _repeated(statement.value)
        name = source(statement.targets[0])
        if shared is None or not _is_item_changed(scope.node, name):
            continue
        why = (
            f"all items of `{name}` are one {_noun(shared)}, `{source(shared)}`: a change of one "
            "of them is one of all"
        )
        yield Clue("rules.strong", scope.file, statement.lineno, share, why)


def _repeated(value: ast.expr) -> ast.expr | None:
    """Return the list or table that an expression holds several times."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        for side in (value.left, value.right):
            if isinstance(side, ast.List) and len(side.elts) == 1:
                item = side.elts[0]
                is_inner = isinstance(item, ast.BinOp) and isinstance(item.left, ast.List)
                return item if is_inner or isinstance(item, (ast.List, ast.Dict)) else None
    if isinstance(value, ast.Call) and source(value.func) == "dict.fromkeys" and value.args[1:]:
        return value.args[1] if isinstance(value.args[1], (ast.List, ast.Dict)) else None
    return None


def _is_item_changed(node: ast.AST, name: str) -> bool:
    """Whether an item of a container is changed: ``rows[i][j] = 1``, ``rows[i].append(1)``."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            owner = part.func.value
            is_item = isinstance(owner, ast.Subscript) and source(owner.value) == name
            if part.func.attr in CHANGES and is_item:
                return True
        elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            inner = part.value
            if isinstance(inner, ast.Subscript) and source(inner.value) == name:
                return True
    return False


def _is_container(value: ast.expr) -> bool:
    is_call = isinstance(value, ast.Call) and called_name(value) in ("list", "dict", "set")
    return is_call or isinstance(value, (ast.List, ast.Dict, ast.Set))


def _noun(default: ast.expr) -> str:
    is_table = isinstance(default, ast.Dict) or source(default).startswith("dict(")
    return "dictionary" if is_table else "list" if isinstance(default, ast.List) else "object"


def _is_changed(node: ast.AST, text: str) -> bool:
    """Whether a function changes what an expression stands for, without giving it another value."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in CHANGES and source(part.func.value) == text:
                return True
        elif isinstance(part, (ast.Assign, ast.AugAssign)):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            for target in targets:
                if isinstance(target, ast.Subscript) and source(target.value) == text:
                    return True
                if isinstance(part, ast.AugAssign) and source(target) == text:
                    return True
    return False


def _kept_and_changed(scope: Scope, name: str) -> str | None:
    """Return the attribute that keeps a parameter as it is and that another method changes."""
    owner = scope.owner
    for part in own_nodes(scope.node) if owner is not None else ():
        if isinstance(part, ast.Assign) and source(part.value) == name:
            for target in part.targets:
                kept = source(target)
                is_own = isinstance(target, ast.Attribute) and kept.startswith("self.")
                if is_own and owner is not None:
                    methods = owner.functions.values()
                    if any(_is_changed(method.node, kept) for method in methods):
                        return kept
    return None


def _is_left_out(case: Case, scope: Scope, name: str) -> bool:
    """Whether a call of a function, or of its class, leaves an argument out."""
    called = scope.name.rpartition(".")[2]
    if called == "__init__" and scope.owner is not None:
        called = scope.owner.name.rpartition(".")[2]
    names = [p.arg for p in scope.parameters()]
    at = names.index(name) - (names[:1] == ["self"]) if name in names else len(names)
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for call in calls_in(tree) if tree is not None else ():
            if called_name(call) != called or any(isinstance(a, ast.Starred) for a in call.args):
                continue
            is_given = len(call.args) > at or any(k.arg in (name, None) for k in call.keywords)
            if not is_given:
                return True
    return False
