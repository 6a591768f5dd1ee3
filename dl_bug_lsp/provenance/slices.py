"""Backward slices: the steps that a value went through, nearest first (Weiser, ICSE 1981)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import DECIDING, Class, Function, Library, Module, StepKind
from dl_bug_lsp.provenance.properties import ANY, Property, decides, property_of_input

MAX_STEPS = 400
MAX_DEPTH = 26
MAX_VISITS = 2
"""How often one written expression may come back in other contexts."""

# What a step away costs: handing on is cheap, turning aside (an index, a callback) is dear.
COSTS = {
    "definition": 0.3,
    "attribute": 0.3,
    "return": 0.4,
    "item": 0.4,
    "part": 0.7,
    "receiver": 0.9,
    "base": 1.2,
    "index": 1.5,
    "callee": 0.8,
    "callback": 1.0,
    "configured": 1.2,
    "setting": 0.8,
    "changed": 0.5,
    "decorator": 0.9,
    "declared": 1.5,
    "condition": 2.4,
    "refused": 0.4,
    "stored": 0.8,
}
ARGUMENT_COST = 0.8
TESTED = {"definition", "attribute", "return", "changed", "callback"}
"""Roles of statements that may run or not: what is tested before decides about the value."""
MAX_TESTS = 4
"""Tests around one statement, the innermost ones."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a slice.

    ``distance`` grows with every step away from where the slice starts; ``roles`` is the way there;
    ``before`` the step that it came from (None at the start); ``condition`` whether it is on the
    way to what an ``if`` or a loop tests, which decides only whether a value is made; ``asked`` the
    property that the slice follows here.
    """

    node: Node
    distance: float
    roles: tuple[str, ...]
    before: Step | None
    condition: bool = False
    asked: Property = ANY

    @property
    def decides(self) -> bool:
        """Whether the step makes the value, or what is asked of it, rather than hands it on."""
        if self.asked is not ANY and not decides(self.node, self.asked):
            return False
        return self.node.kind in DECIDING or (
            self.node.kind is StepKind.CALL and not self._hands_on()
        )

    def _hands_on(self) -> bool:
        return any(role == "return" for role, _ in self.node.inputs)

    def way(self) -> list[Step]:
        """Return the steps from the start of the slice to this one."""
        steps: list[Step] = []
        step: Step | None = self
        while step is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


def backward_slice(
    starts: list[Node],
    limit: int = MAX_STEPS,
    conditions: bool = False,
    asked: Property = ANY,
) -> list[Step]:
    """Return the steps that the start nodes' values went through, by growing distance.

    With ``conditions``, also what is tested around and before the statements on the way. With
    ``asked``, only what that property of the values depends on.
    """
    order = 0
    queue: list[tuple[float, int, Step]] = []
    for start in starts:
        heapq.heappush(queue, (0.0, order, Step(start, 0.0, (), None, False, asked)))
        order += 1
    seen: dict[int, Property] = {}
    visits: dict[int, int] = {}
    steps: list[Step] = []
    while queue and len(steps) < limit:
        distance, _, step = heapq.heappop(queue)
        known = seen.get(id(step.node))
        if known is not None and not step.asked & ~known:
            continue
        again = known is not None
        seen[id(step.node)] = step.asked if known is None else step.asked | known
        written = id(step.node.expr)
        if step.node.work is None and not again:
            visits[written] = visits.get(written, 0) + 1
            if visits[written] > MAX_VISITS:
                continue
        if not names_library(step.node):
            steps.append(step)
        if len(step.roles) >= MAX_DEPTH:
            continue
        edges = list(step.node.inputs)
        edges.extend(_refused(step) if step.before is None else ())
        if conditions and (step.before is None or step.roles[-1] in TESTED):
            edges.extend(_tests(step))
        for role, child in edges:
            needed = ANY
            if asked is not ANY:
                needed = property_of_input(step.node, role, child, step.asked)
                if step.before is None and role != "index":
                    # What fails here complains of what it is given.
                    needed |= asked
            if needed & ~seen.get(id(child), needed & ~needed):
                cost = COSTS.get(role, ARGUMENT_COST)
                tested = step.condition or role == "condition"
                entry = Step(child, distance + cost, (*step.roles, role), step, tested, needed)
                heapq.heappush(queue, (distance + cost, order, entry))
                order += 1
    if queue and starts and len(steps) >= limit:
        starts[0].engine.queries.limits.add("steps")
    return steps


def _tests(step: Step) -> list[tuple[str, Node]]:
    """Return what is tested around and before the statement of a step."""
    node = step.node
    if node.entry is not None:
        return []
    tests = node.context.scope.tests_at(node.line)[-MAX_TESTS:]
    return [("condition", node.engine.node(test, node.context)) for test in reversed(tests)]


def _refused(step: Step) -> list[tuple[str, Node]]:
    """Return the test that leads to a ``raise`` where the slice starts: what was refused."""
    scope = step.node.context.scope
    tests = scope.tests_at(step.node.line)[-1:]
    if scope.statement_start(step.node.line) not in scope.raises:
        return []
    return [("refused", step.node.engine.node(test, step.node.context)) for test in tests]


def names_library(node: Node) -> bool:
    """Whether a node only names a library's module, class or function."""
    if node.kind not in (StepKind.NAME, StepKind.ATTRIBUTE):
        return False
    values = node.values
    return bool(values) and all(isinstance(v, (Library, Function, Class, Module)) for v in values)
