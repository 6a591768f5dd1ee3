"""Which of two contradicting dimensions is wrong, and which small edit makes them agree.

The failing operation's check leads both ways: to what decided the size that was given, and the size
that was wanted. Then edits are tried on the whole forward path, one at a time (another number,
another axis, a missing reshape): those after which the check holds and nothing else breaks are
remembered with their places.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes, source
from dl_bug_lsp.evidence.numbers import numbers_of
from dl_bug_lsp.evidence.repairs.repair_context import body_of, way_to
from dl_bug_lsp.evidence.shapes import edits
from dl_bug_lsp.evidence.shapes.edits import DATA, Edit, edits_of
from dl_bug_lsp.evidence.shapes.interpreter import RESHAPES, Shapes
from dl_bug_lsp.evidence.shapes.layers import BATCH_NORMS, CONVOLUTIONS, RECURRENT, TRANSPOSED
from dl_bug_lsp.evidence.shapes.values import Check, Dim, Tensor
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import LibraryObject
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import backward_slice

CATEGORIES = {"tensor_mismatch", "illegal_argument", "illegal_index", "framework_api_misuse"}
SIZED = {"Linear", "Dense", "LayerNorm", "Embedding", "MultiheadAttention", "GroupNorm",
         *CONVOLUTIONS, *TRANSPOSED, *BATCH_NORMS, *RECURRENT}  # fmt: skip
MAKER_STEPS = 40
FALL = 0.7
MOST_CHECKS = 2
MOST_EDITS = 160
MOST_RUNS, MOST_WORK = 240, 8_000
"""Trials of one failure, and expressions that they look at, all in all."""
MOST_RESHAPES = 24
MOST_NODES = 700
OUTER = 3
MOST_LEAVES = 1
"""Where more values than these could be wrong, what adds them up may be wrong as well."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what made the two sizes that contradict each other, and the edits that reconcile."""
    if case.category.id not in CATEGORIES or not case.sites:
        return
    trial = Trial(case)
    yield from _solved(case, trial)
    for check, belief in trial.failing[:MOST_CHECKS]:
        yield from _sides(case, trial, check, belief)
    if trial.reproduced:
        yield from _numbers(case, trial)
        yield from _reshapes(case, trial)


class Trial:
    """The forward path as it stands, and as it would be after an edit."""

    def __init__(self, case: Case) -> None:
        self.case = case
        outer = [node for site in case.sites[-1 - OUTER : -1] for node in site.nodes]
        self.roots = [*case.starts, *reversed(outer)]
        self.place = case.places[-1]
        self.left = 1
        self.told = numbers_of(case, Role.ACTUAL) | numbers_of(case, Role.EXPECTED)
        self.given = _given_shapes(case)
        self.solved: list[Edit] = []
        self.base = self.run()
        self.left = MOST_WORK // max(self.base.visited, MOST_WORK // MOST_RUNS)
        self.failing = sorted(self._failing(), key=lambda found: -found[1])
        self.broken = {key_of(c) for c in self.base.checks if violated(c)}
        self.reproduced = {
            key_of(c) for c, _ in self.failing if violated(c) and sizes_of(c) <= self.told
        }

    def run(
        self, edits: dict[int, ast.expr] | None = None, reshaped: tuple[int, str] | None = None
    ) -> Shapes:
        """Interpret the forward path, with some expressions or one result changed."""
        shapes = Shapes(self.case.engine, edits, reshaped, self.given)
        for root in self.roots:
            for expr in _operations(root.expr):
                shapes.of(root.engine.node(expr, root.context))
        return shapes

    def holds(
        self, edits: dict[int, ast.expr] | None = None, reshaped: tuple[int, str] | None = None
    ) -> bool:
        """Whether the failing check holds after an edit, and no other is broken by it.

        False without a look where the trials are used up.
        """
        self.left -= 1
        if self.left < 0:
            return False
        shapes = self.run(edits, reshaped)
        bad = {key_of(c) for c in shapes.checks if violated(c)}
        good = {key_of(c) for c in shapes.checks if c.given.size is not None and not violated(c)}
        return self.reproduced <= good and not bad & self.reproduced and bad <= self.broken

    def _failing(self) -> Iterator[tuple[Check, float]]:
        """Yield the checks at the raise site that the message may speak of, with belief in each."""
        for check in self.base.checks:
            statement = self.case.sites[-1].statement
            first = statement.lineno if statement is not None else self.place.line
            last = (statement.end_lineno if statement is not None else None) or first
            if check.node.file != self.place.file or not first <= check.node.line <= last:
                continue
            given, wanted = check.given.size, check.wanted.size
            if given is not None and given == wanted:
                continue
            known = sizes_of(check)
            if violated(check):
                yield check, 1.0 if known <= self.told else 0.3
            elif known:
                yield check, 0.8 if known <= self.told else 0.1
            else:
                yield check, 0.3


def _operations(expr: ast.expr) -> list[ast.expr]:
    """Return the calls, products and indexings inside an expression, outermost first."""
    kinds = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare)
    found: list[ast.expr] = [n for n in ast.walk(expr) if isinstance(n, kinds)]
    return found[:12]


def key_of(check: Check) -> tuple[int, str, int]:
    """Return what tells one check from the others, also when sizes change."""
    return id(check.node), check.what, check.node.line


def violated(check: Check) -> bool:
    """Whether both sizes are known and differ."""
    given, wanted = check.given.size, check.wanted.size
    return given is not None and wanted is not None and given != wanted


def sizes_of(check: Check) -> set[int]:
    """Return the known sizes of a check."""
    return {s for s in (check.given.size, check.wanted.size) if s is not None}


def _sides(case: Case, trial: Trial, check: Check, belief: float) -> Iterator[Clue]:
    """Yield what made the given size and the wanted one; what little supports is more suspect."""
    support = _support(case, trial)
    data = {
        (step.node.file, step.node.line)
        for step in case.raise_slice
        if isinstance(step.node.expr, ast.Call) and called_name(step.node.expr) in DATA
    }
    given, wanted = check.given, check.wanted
    for_given = support.get(given.size, 0) if given.size is not None else 0
    for_wanted = support.get(wanted.size, 0) if wanted.size is not None else 0
    share = (for_wanted + 1.0) / (for_given + for_wanted + 2.0)
    shown = "a size" if given.size is None else f"the {given.size}"
    asked = "a size" if wanted.size is None else f"the {wanted.size}"
    text = source(check.node.expr)
    for dim, part, kind, word in (
        (given, share, "shapes.given", f"gives {shown} of"),
        (wanted, 1.0 - share, "shapes.wanted", f"says {asked} of"),
    ):
        for node, near in makers(dim):
            why = f"`{node.text}` {word} `{text}` ({check.what})"
            score = min(1.0, 1.4 * belief * part * near)
            if (node.file, node.line) in data:
                # Sizes of made-up inputs and buffers are seldom what is wrong.
                score *= 0.5
            yield Clue(kind, node.file, node.line, score, why)


def _solved(case: Case, trial: Trial) -> Iterator[Clue]:
    """Yield the constants, settings and lists that would make a computed size the wanted one."""
    pairs = [
        (check.given.size, check.wanted.size)
        for check, _ in trial.failing[:MOST_CHECKS]
        if check.given.size is not None and check.wanted.size is not None
    ]
    groups = edits.solutions(case, pairs)
    trial.solved = [_edit(one) for group in groups for one in group if not one.counted]
    held = _held(case) if groups else Counter()
    trial_place = (trial.place.file, trial.place.line)
    for group in groups:
        leaves = {(s.leaf.file, s.leaf.line) for s in group}
        for one in group:
            score = edits.plausibility(one, {n for n in held if n != one.old}, len(group))
            noun = " elements" if one.counted else ""
            why = (
                f"`{one.root.text}` is {one.given} where the message has {one.wanted}: it would "
                f"fit with {one.new}{noun} in place of {one.old} (`{one.leaf.text}`)"
            )
            edit = None
            if not one.counted:
                edit = Suggestion(one.leaf.file, one.leaf.line, str(one.old), str(one.new))
            yield Clue("shapes.solved", one.leaf.file, one.leaf.line, score, why, edit)
        if len(group) > MOST_LEAVES or not group[0].needed:
            continue
        for step in group[0].step.way():
            at = (step.node.file, step.node.line)
            if at not in leaves and at != trial_place and step.node.line > 0:
                why = f"`{step.node.text}` only hands on what is put together of other values"
                yield Clue("shapes.put_together", *at, 1.0, why)


def _edit(one: edits.Solution) -> Edit:
    """Return a solution as an edit that can be tried on the whole forward path."""
    number = ast.copy_location(ast.Constant(value=one.new), one.leaf.expr)
    at = one.leaf
    changes: dict[int, ast.expr] = {id(at.expr): number}
    return Edit("number", at.file, at.line, str(one.old), str(one.new), changes, id(at.expr), 0.9)


def _held(case: Case) -> Counter[int]:
    """Return the numbers that settings and lists near the failure hold."""
    found: Counter[int] = Counter()
    for entry in case.config_entries:
        if type(entry.value) is int:
            found[entry.value] += 1
        if entry.length is not None:
            found[entry.length] += 1
    files = dict.fromkeys(scope.file for scope in near_scopes(case))
    for file in list(files)[:12]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 2:
                found[len(node.elts)] += 1
            elif isinstance(node, ast.Constant) and type(node.value) is int:
                found[node.value] += 1
    return found


def makers(dim: Dim) -> Iterator[tuple[Node, float]]:
    """Yield what decided a dimension: its makers and the constants and settings behind them."""
    seen: set[tuple[str, int]] = set()
    for order, maker in enumerate(dim.makers):
        near = FALL**order
        for step in backward_slice([maker], MAKER_STEPS):
            node = step.node
            if node.line <= 0 or (node.file, node.line) in seen:
                continue
            whole = {c.value for c in node.constants if type(c.value) is int}
            if step.before is None:
                plain = dim.loose or step.decides
                seen.add((node.file, node.line))
                yield node, near * (1.0 if plain else 0.5)
            elif step.decides and not dim.loose and dim.size is not None and dim.size in whole:
                seen.add((node.file, node.line))
                yield node, near * math.exp(-step.distance / 6)


def _support(case: Case, trial: Trial) -> Counter[int]:
    """Return how many arguments of layers, and checks that hold, speak for a size."""
    found: Counter[int] = Counter()
    for check in trial.base.checks:
        if check.given.size is not None and check.given.size == check.wanted.size:
            found[check.given.size] += 1
    seen: set[int] = set()
    for scope in near_scopes(case)[:40]:
        owner = scope.owner
        for call in [c for s in (owner.walk() if owner else [scope]) for c in s.calls][:200]:
            if id(call) in seen or called_name(call) not in SIZED:
                continue
            seen.add(id(call))
            context = case.engine.open_context(scope)
            for argument in call.args[:2]:
                constant = case.engine.node(argument, context).constant
                if constant is not None and type(constant.value) is int:
                    found[constant.value] += 1
    return found


def _numbers(case: Case, trial: Trial) -> Iterator[Clue]:
    """Try other numbers, axes, names, orders and keywords in the place of those on the way."""
    if trial.base.visited > MOST_NODES:
        return
    good: list[tuple[Edit, float]] = []
    tried = 0
    for edit in (*trial.solved, *edits_of(case, trial.told)):
        if tried >= MOST_EDITS:
            break
        if any(edit.of == other.of and edit.kind == other.kind for other, _ in good):
            continue
        tried += 1
        if trial.holds(edit.changes):
            good.append((edit, edit.prior))
    total = sum(prior for _, prior in good)
    for edit, prior in good:
        old, new = edit.old, edit.new
        why = f"with `{new}` in place of `{old}` the sizes of the message would fit"
        told = Suggestion(edit.file, edit.line, old, new)
        score = prior / math.sqrt(max(total, 1.0))
        yield Clue(f"repair.{edit.kind}", edit.file, edit.line, min(score, 1.0), why, told)


def _reshapes(case: Case, trial: Trial) -> Iterator[Clue]:
    """Try a reshape after each operation on the way, as if one were missing there."""
    if trial.base.visited > MOST_NODES:
        return
    good: dict[tuple[str, int], tuple[Node, str, float]] = {}
    tried = 0
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or node.line <= 0 or tried >= MOST_RESHAPES:
            continue
        if not isinstance(trial.base.of(node), Tensor):
            continue
        tried += 1
        for how in RESHAPES:
            if trial.holds(None, (id(node), how)):
                at = (node.file, node.line)
                good.setdefault(at, (node, how, 1 / (1 + step.distance / 4)))
                break
    if good:
        yield from _data(case)
    for (file, line), (node, how, near) in good.items():
        why = f"`{node.text}` would fit after a reshape ({how.rstrip('-012')})"
        edit = Suggestion(file, line, "", how.rstrip("-012"))
        score = near / math.sqrt(len(good))
        yield Clue("missing.reshape", file, line, score, why, edit)
        if (file, line) == (trial.place.file, trial.place.line):
            scope = case.sites[-1].context.scope
            for block, index in way_to(body_of(scope), line)[-1:]:
                if index:
                    before = block[index - 1].lineno
                    yield Clue("missing.reshape", file, before, 0.9 * score, why, edit)


def _given_shapes(case: Case) -> dict[int, tuple[int, ...]]:
    """Return the shape that the message gives for the argument of the failing call."""
    told = [f.value for f in case.facts.of(FactKind.SHAPE, Role.ACTUAL)]
    shapes = [shape for shape in told if isinstance(shape, tuple) and min(shape, default=0) > 0]
    if len(shapes) != 1 or not case.starts:
        return {}
    found: list[ast.expr] = []
    for start in case.starts:
        for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call) and n.args):
            callee = start.engine.node(call.func, start.context)
            if any(isinstance(v, LibraryObject) for v in callee.values):
                found.append(call.args[0])
    return {id(found[0]): shapes[0]} if len(found) == 1 and len(shapes[0]) > 2 else {}


READS = {"from_numpy", "as_tensor", "tensor", "imread", "open", "load", "array", "asarray", "stack"}


def _data(case: Case) -> Iterator[Clue]:
    """Yield where data becomes a tensor, where its axes would be put in order."""
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or node.line <= 0 or not isinstance(node.expr, ast.Call):
            continue
        if called_name(node.expr) in READS and step.distance > 1:
            why = f"`{node.text}` makes the tensor, whose axes do not fit"
            score = 1 / (1 + step.distance / 8)
            yield Clue("missing.reshape", node.file, node.line, score, why)
