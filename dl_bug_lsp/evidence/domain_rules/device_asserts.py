"""Rules for assertions of CUDA kernels: labels, ids and positions out of range.

Kernels run asynchronously, so that a later call raises (PyTorch, "CUDA semantics"). The log has the
assertion itself, which tells whether a loss got a label, or a lookup an index, that is no row.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data_files import index_of
from dl_bug_lsp.evidence.domain_rules.devices import closure
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, near_scopes, source
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.provenance.nodes import LibraryObject, Node, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Property, Step, backward_slice

ASSERTED = re.compile(
    r"Assertion `(?P<what>[^\n]{1,200})' failed|Assertion `(?P<other>[^`\n]+)` failed"
)
TRIGGERED = re.compile(r"device-side assert|cudaErrorAssert|CUBLAS_STATUS_NOT_INITIALIZED")
OF_LABELS = re.compile(r"n_classes|cur_target|nll_loss|ClassNLL|\bt >= 0")
OF_INDICES = re.compile(
    r"srcIndex|index_?[sS]elect|ind_dim_size|out of bounds|idx_dim|index_size|\bindex\b"
)
OF_PROBABILITIES = re.compile(r"input_val >= |target_val >= zero|>= zero && ")
ROWS = re.compile(
    r"(?i)^(?:num_?embeddings|vocab_?size|n_?vocab|vocab|max_?(?:len|length|seq_?len|positions?|position_embeddings)|(?:num|n)_(?:users|items|tokens|entities|types|nodes|words|buckets|codes)|block_?size|codebook_?size|type_vocab_size)$"
)
"""Settings that say how many rows a table has."""
LOSSES = ("cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss")
LOSS_NAME = re.compile(
    r"(?i)^(?:self\.)?\w*(?:criterion|loss_?fn|loss_?func\w*|ce_?loss|nll\w*|objective)$"
)
TARGETS = ("target", "targets", "labels", "y")
MAKES_LABEL = re.compile(
    r"(?i)label|class|categor|activit|species|target|\bint\(|astype|\.long\(|torch\.tensor"
)
MOST_STEPS = 60
NEAR = 6.0
"""At this distance a step counts half of one beside the loss or lookup."""


def find_asserts(case: Case) -> Iterator[Clue]:
    """Yield what makes labels, and what makes and bounds indices, that a kernel refused."""
    if not (TRIGGERED.search(case.message) or ASSERTED.search(case.message)):
        return
    assertion = _assertion(case)
    labels, indices = OF_LABELS.search(assertion), OF_INDICES.search(assertion)
    if OF_PROBABILITIES.search(assertion):
        yield from _probabilities(case)
        return
    # Where the followed run has the index itself, what may bound indices is not asked.
    is_seen = bool(index_of(case))
    if labels or not assertion:
        kind = "rules.strong" if labels and not is_seen else "rules.medium"
        yield from _labels(case, kind)
        yield from _counts(case, CLASSES, "the labels that the loss takes", kind)
        yield from _label_maps(case, kind)
    if (indices and not labels) or not assertion:
        kind = "rules.strong" if indices and not is_seen else "rules.medium"
        yield from _lookups(case, kind)
        yield from _counts(case, ROWS, "the indices that a table takes", kind)


def _assertion(case: Case) -> str:
    """Return the first line of the log with an assertion of a kernel, empty without one."""
    return next((x.text for x in case.log.lines if ASSERTED.search(x.text)), "")


# --- labels ---------------------------------------------------------------------------------------


def _labels(case: Case, kind: str) -> Iterator[Clue]:
    """Find what makes the labels that a loss is given."""
    seen: set[tuple[str, int]] = set()
    for target in _targets(case):
        for step in backward_slice([target], MOST_STEPS, asked=Property.VALUE):
            node = step.node
            place = (node.file, node.line)
            if node.line <= 0 or place in seen or not _makes_label(step):
                continue
            seen.add(place)
            score = 1 / (1 + step.distance / NEAR)
            is_told = "is" if kind == "rules.strong" else "may be"
            why = f"`{node.text}` goes into the labels of the loss, of which one {is_told} no class"
            yield Clue(kind, node.file, node.line, score, why)


def _makes_label(step: Step) -> bool:
    node = step.node
    if not step.decides or node.kind in (StepKind.TEXT, StepKind.CONFIG):
        return False
    if node.kind is StepKind.ARITHMETIC:
        return True
    return node.kind is StepKind.CALL and MAKES_LABEL.search(node.text) is not None


def _targets(case: Case) -> Iterator[Node]:
    """Yield the labels that the losses near the failure are given."""
    for scope in near_scopes(case):
        context = next(
            (s.context for s in reversed(case.sites) if s.context.scope is scope), None
        ) or case.engine.open_context(scope)
        for call in scope.calls:
            callee = case.engine.node(call.func, context)
            is_loss = called_name(call) in LOSSES or any(
                isinstance(v, LibraryObject) and v.name.endswith(LOSSES) for v in callee.values
            )
            if not is_loss and not LOSS_NAME.match(source(call.func)):
                continue
            given = [keyword(call, name) for name in TARGETS]
            wanted = next((g for g in given if g is not None), None)
            if wanted is None and len(call.args) > 1:
                wanted = call.args[1]
            if wanted is not None:
                yield case.engine.node(wanted, context)


CLASSES = re.compile(
    r"(?i)^(?:num_?|n_?)?(?:class(?:es)?|labels|categories|out_?features|outputs|targets)$"
)
FEWEST_LABELS = 3
CLASSES_SHARE = 0.8
"""A number of classes is wrong less often than the labels."""


def _counts(case: Case, names: re.Pattern[str], what: str, kind: str) -> Iterator[Clue]:
    """Find the settings that bound labels or indices."""
    for entry in case.config_entries:
        if (
            names.search(entry.key.replace("-", "_"))
            and isinstance(entry.value, int)
            and entry.value > 1
        ):
            why = f"`{entry.key}: {entry.text}` may bound {what}"
            yield Clue(kind, entry.file, entry.line, CLASSES_SHARE, why)


LABEL_MAPS = re.compile(r"(?i)label|class|categor|name2?id|2id|mapping|species|\bids?\b")


def _label_maps(case: Case, kind: str) -> Iterator[Clue]:
    """Find tables of labels whose numbers do not run from 0 to one below their count."""
    groups: dict[tuple[str, tuple[object, ...]], list[tuple[int, int, str]]] = {}
    for entry in case.config_entries:
        above = ".".join(str(part) for part in entry.path[:-1]) or entry.file
        value = entry.value
        if isinstance(value, int) and not isinstance(value, bool) and LABEL_MAPS.search(above):
            key = (entry.file, tuple(entry.path[:-1]))
            groups.setdefault(key, []).append((value, entry.line, entry.key))
    for (file, _), entries in groups.items():
        numbers = {value for value, _, _ in entries}
        if len(entries) < FEWEST_LABELS or len(numbers) < len(entries):
            continue
        for value, line, name in entries:
            if value < 0 or value >= len(entries):
                why = f"`{name}` is {value}, and {len(entries)} labels end at {len(entries) - 1}"
                yield Clue(kind, file, line, 1.0, why)


# --- lookups --------------------------------------------------------------------------------------


def _lookups(case: Case, kind: str) -> Iterator[Clue]:
    """Find the tables near the failure, and what shifts the indices that they are given."""
    for scope in near_scopes(case):
        owner = scope.owner
        for call in scope.calls if owner is not None else ():
            func = call.func
            if not isinstance(func, ast.Attribute) or not call.args or owner is None:
                continue
            for method, binding in owner.attributes.get(func.attr, ()):
                made = binding.value
                if not isinstance(made, ast.Call) or called_name(made) != "Embedding":
                    continue
                rows = keyword(made, "num_embeddings") or (made.args[0] if made.args else None)
                index = case.engine.node(call.args[0], case.engine.open_context(scope))
                shifts = list(_shifts(index))
                if rows is not None and shifts and not _adds(rows, method, binding.line):
                    shift = shifts[0].node
                    why = (
                        f"the table has `{source(rows)}` rows, and its indices go through "
                        f"`{shift.text}`, which adds to them"
                    )
                    yield Clue(kind, method.file, binding.line, 1.0, why)
                    for step in shifts:
                        sum_words = (
                            f"`{step.node.text}` adds to the indices of `{source(call.func)}`"
                        )
                        yield Clue("rules.medium", step.node.file, step.node.line, 1.0, sum_words)
                elif rows is not None:
                    why = f"indices of `{source(call.func)}` must be below `{source(rows)}`"
                    yield Clue("rules.weak", method.file, binding.line, 1.0, why)


def _probabilities(case: Case) -> Iterator[Clue]:
    """Find losses of probabilities: a model that ends in scores gives numbers beyond 0 and 1."""
    kind = "rules.strong" if follow(case).raised is None else "rules.medium"
    for scope in dict.fromkeys([*near_scopes(case), *_modules_of(case)]):
        for call in scope.calls:
            if called_name(call) in ("BCELoss", "binary_cross_entropy"):
                why = f"`{source(call)}` takes probabilities, and scores lie beyond 0 and 1"
                yield Clue(kind, scope.file, call.lineno, 1.0, why)


def _modules_of(case: Case) -> Iterator[Scope]:
    for file in case.code_files:
        module = case.engine.program.module(file)
        yield from module.walk() if module is not None else ()


def _shifts(index: Node) -> Iterator[Step]:
    """Yield the sums with a name or positive number on the way of an index."""
    for step in backward_slice([index], MOST_STEPS, asked=Property.VALUE):
        expr = step.node.expr
        if step.node.entry is not None or not isinstance(expr, ast.BinOp) or step.node.line <= 0:
            continue
        right = expr.right
        added = isinstance(right, (ast.Name, ast.Attribute)) or (
            isinstance(right, ast.Constant) and isinstance(right.value, int) and right.value > 0
        )
        if isinstance(expr.op, ast.Add) and added:
            yield step


def _adds(rows: ast.expr, scope: Scope, line: int) -> bool:
    """Whether a table's number of rows has something added to it."""
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for part in closure(rows, scope, line)
        for node in ast.walk(part)
    )
