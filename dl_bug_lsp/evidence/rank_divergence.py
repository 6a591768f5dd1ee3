"""Where the ranks of a job parted: the condition, loop or value that differs between them.

The stacks say between which lines the ranks stand; the code between them says what decides. A
point counts by three things: how well it separates the places where the ranks stand, whether what
it tests differs between ranks (a slice leads to the rank, or to a rank's own data, clock or draw),
and whether a collective hangs on it (`collectives.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dl_bug_lsp.divergence.reader import DIALECT, words_of
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.collectives import (
    POINT_TO_POINT,
    Collectives,
    Dependence,
    controls,
    dependence,
    is_rank,
    last_name,
    leaves,
)
from dl_bug_lsp.provenance.scopes import Scope
from dl_bug_lsp.provenance.stack import statement_at
from dl_bug_lsp.report import RanksParted, RanksTogether
from dl_bug_lsp.tracebacks.failures import Activity, Divergence, RankState
from dl_bug_lsp.workspace.contents import Place

MOST_POINTS = 60
FAR = 0.82
"""What a point keeps for each function between it and the one in which the ranks parted."""
Position = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RankGroup:
    """One group of ranks: the places of its frames in the workspace, outermost first."""

    ranks: tuple[int, ...]
    state: RankState
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A line at which ranks may have parted.

    ``node`` is the statement that decides there, ``function`` what holds it, ``named`` the rank
    with which it compares.
    """

    file: str
    line: int
    score: float
    why: str
    node: ast.AST | None = None
    named: int | None = None
    function: ast.AST | None = None


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines at which the ranks of a job may have parted."""
    for point in points_of(case):
        yield Clue("ranks.parted", point.file, point.line, min(1.0, point.score), point.why)


def is_shown(case: Case) -> bool:
    """Say whether the text shows that ranks have parted, and not only that one waited in vain."""
    divergence = case.failure.divergence
    is_divergence = case.failure.dialect == DIALECT or (
        divergence is not None and divergence.differs
    )
    return divergence is not None and bool(is_divergence)


def points_of(case: Case) -> list[Point]:
    """Return the points, the best first; none for a failure of one process."""
    divergence = case.failure.divergence
    if divergence is None:
        return []
    return _Search(case, divergence).points()


class _Search:
    def __init__(self, case: Case, divergence: Divergence) -> None:
        self.case = case
        self.engine = case.engine
        self.divergence = divergence
        self.stands = stands_of(case, divergence)
        self.collectives = Collectives(case.engine, case.code_files)
        self.scores: dict[int, tuple[float, Scope, ast.AST]] = {}
        self.known: dict[int, Dependence | None] = {}

    def points(self) -> list[Point]:
        points: list[Point] = []
        self._along_stacks()
        self._anywhere()
        ranked = sorted(
            self.scores.values(), key=lambda item: (-item[0], getattr(item[2], "lineno", 0))
        )
        for weight, scope, node in ranked[:MOST_POINTS]:
            points.extend(self._judged(weight, scope, node))
        points.extend(self._stuck())
        points.extend(self._turns())
        points.extend(self._late())
        points.extend(self._arguments())
        best: dict[Position, Point] = {}
        for point in points:
            known = best.get((point.file, point.line))
            if known is None or point.score > known.score:
                best[point.file, point.line] = point
        return sorted(best.values(), key=lambda p: (-p.score, p.file, p.line))

    def _weigh(self, node: ast.AST, scope: Scope, weight: float) -> None:
        known = self.scores.get(id(node))
        if known is None or weight > known[0]:
            self.scores[id(node)] = (weight, scope, node)

    def _along_stacks(self) -> None:
        """Weigh what decides in the functions on the stacks of the ranks."""
        groups = self.stands
        level = parting_level([stand.places for stand in groups])
        for stand in groups:
            for depth, place in enumerate(stand.places):
                scope = self.engine.program.scope_at(place.file, place.line)
                if scope is None:
                    continue
                near = FAR ** abs(depth - level)
                lines = [
                    other.places[depth].line
                    for other in groups
                    if len(other.places) > depth
                    and other.places[depth].file == place.file
                    and self.engine.program.scope_at(place.file, other.places[depth].line) is scope
                ]
                for node in controls(scope):
                    self._weigh(
                        node, scope, near * self._separates(node, scope, lines, depth == level)
                    )
                for decorator in getattr(scope.node, "decorator_list", ()):
                    self._weigh(decorator, scope.parent or scope, 0.9 * near)

    def _separates(self, node: ast.stmt, scope: Scope, lines: list[int], parts: bool) -> float:
        """Return how well a statement explains that ranks of one function stand on these lines."""
        branches = [_branch(node, line) for line in lines]
        inside = [branch is not None for branch in branches]
        if isinstance(node, ast.Try):
            cleans_up = {branch for branch in branches if branch in ("finalbody", "handlers")}
            if cleans_up and len(set(branches)) > 1:
                # One rank has met an exception here, the others have not.
                return 1.3
            return 0.8 if any(inside) else 0.4
        decides = _decides(self.collectives, node)
        if parts and len(lines) > 1 and len(set(branches)) > 1:
            return 0.4 if self._in_pairs() else 1.0
        if any(inside):
            return 0.85 if decides else 0.6
        if not decides:
            return 0.25
        if parts and _leaves_parting_loop(node, scope, lines):
            return 0.95
        before = any(node.lineno <= line for line in lines)
        return 0.75 if before else 0.6

    def _anywhere(self) -> None:
        """Weigh conditions on which collectives hang in the rest of the program."""
        for scope in self.collectives.scopes:
            trains = (
                self._trains_alone()
                and scope.owner is not None
                and "forward" in (scope.owner.functions)
            )
            for node in controls(scope):
                if trains and isinstance(node, ast.If):
                    self._weigh(node, scope, 0.9)
                elif id(node) not in self.scores and (
                    _decides(self.collectives, node) or self.divergence.differs == "parameters"
                ):
                    self._weigh(node, scope, 0.5)

    def _trains_alone(self) -> bool:
        """Say whether the ranks only differ in which parameters get a gradient."""
        waits = {stand.state.operation for stand in self.stands}
        together = len({stand.places for stand in self.stands}) == 1
        model = {"backward", "DistributedDataParallel"}
        return self.divergence.differs == "gradients" or (together and waits <= model)

    def _judged(self, weight: float, scope: Scope, node: ast.AST) -> Iterator[Point]:
        if isinstance(node, ast.Try):
            yield from self._handlers(weight, scope, node)
            return
        tested = node.test if isinstance(node, (ast.If, ast.While)) else None
        if isinstance(node, (ast.For, ast.AsyncFor)):
            tested = node.iter
        elif isinstance(node, ast.Match):
            tested = node.subject
        elif isinstance(node, ast.expr):
            tested = node
        if tested is None:
            return
        depends = self._dependence(tested, scope)
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.expr):
            if is_rank(node.func if isinstance(node, ast.Call) else node):
                yield Point(scope.file, line, weight, "only some ranks run this function", node)
            return
        if depends is None:
            if isinstance(node, ast.If) and self._trains_alone() and _is_given(tested, scope):
                why = "which parameters get a gradient depends on what this model is given"
                yield Point(scope.file, line, 0.6 * weight, why, node)
            why = "this decides what runs; whether ranks differ in it is not known"
            yield Point(scope.file, line, 0.12 * weight, why, node)
            return
        score = weight * depends.strength
        loops = isinstance(node, (ast.For, ast.AsyncFor))
        if loops and self._trains_alone():
            # They are in the same turn, and each has data of its own by design.
            score *= 0.5
        if loops and _unordered(tested) and self.divergence.differs in ("operation", "shape"):
            # The collectives are the same ones, in another order.
            score = min(1.0, 1.25 * score)
        why = _why(depends, loops)
        entry = depends.entry
        moved = (entry.context.scope.file, entry.line) != (scope.file, line) and entry.line > 0
        if loops and moved and not _unordered(tested):
            yield Point(scope.file, line, 0.75 * score, why, node)
            text = f"this makes what the loop in line {line} runs over depend on `{depends.source}`"
            yield Point(
                entry.context.scope.file, entry.line, 0.95 * score, text, None, depends.named
            )
            return
        yield Point(scope.file, line, score, why, node, depends.named, scope.node)
        if moved:
            share = 0.95 if isinstance(node, ast.While) or depends.steps > 4 else 0.5
            text = f"this makes the condition in line {line} depend on `{depends.source}`"
            yield Point(entry.context.scope.file, entry.line, share * score, text, None)

    def _handlers(self, weight: float, scope: Scope, node: ast.Try) -> Iterator[Point]:
        """Yield handlers that go on after an exception which only one rank may have met."""
        if not self.collectives.makes(node.body):
            return
        for handler in node.handlers:
            if not any(isinstance(part, ast.Raise) for part in ast.walk(handler)):
                why = "a rank that meets an exception here goes on without the collective above"
                yield Point(scope.file, handler.lineno, 0.95 * weight, why, node)
        if node.finalbody and self.collectives.makes(node.finalbody):
            first = node.finalbody[0]
            why = "a rank that meets an exception above waits here, and the exception is not seen"
            yield Point(scope.file, first.lineno, 0.7 * weight, why, node)

    def _dependence(self, expr: ast.expr, scope: Scope) -> Dependence | None:
        if id(expr) not in self.known:
            node = self.engine.node(expr, self.engine.open_context(scope))
            self.known[id(expr)] = dependence(node, self.collectives.ranks)
        return self.known[id(expr)]

    def _stuck(self) -> Iterator[Point]:
        """Yield where a rank stands that does not wait for the others."""
        for stand in self.stands:
            if stand.state.doing is not Activity.RUNS:
                continue
            stacks = [stand.places, *self._others(stand.state)]
            for number, places in enumerate(stacks):
                if not places:
                    continue
                place = places[-1]
                scope = self.engine.program.scope_at(place.file, place.line)
                score = 0.75 if number == 0 else 0.85
                statement = statement_at(self.engine, place.file, place.line)
                if scope is not None and statement is not None and _polls(statement):
                    for node in controls(scope):
                        if isinstance(node, ast.While) and _branch(node, place.line) is not None:
                            why = "this loop does not end on the rank that is elsewhere"
                            yield Point(place.file, node.lineno, score + 0.1, why, node)
                yield Point(place.file, place.line, score, "here stands the rank that is elsewhere")

    def _in_pairs(self) -> bool:
        """Say whether a rank waits to send or to receive."""
        return any(stand.state.operation in POINT_TO_POINT for stand in self.stands)

    def _turns(self) -> Iterator[Point]:
        """Yield the loops that say how often a rank sends or receives."""
        for stand in self.stands:
            if stand.state.operation not in POINT_TO_POINT or not stand.places:
                continue
            place = stand.places[-1]
            scope = self.engine.program.scope_at(place.file, place.line)
            for node in controls(scope) if scope is not None else ():
                is_loop = isinstance(node, (ast.For, ast.AsyncFor, ast.While))
                if is_loop and _branch(node, place.line) is not None:
                    why = f"this loop says how often {stand.state.operation} is called"
                    yield Point(place.file, node.lineno, 0.75, why, node)

    def _late(self) -> Iterator[Point]:
        """Yield what gives one rank more to do before the line at which the others wait for it."""
        seen = {state.rank for state in self.divergence.states}
        if not self.divergence.apart or seen & set(self.divergence.apart) or len(self.stands) != 1:
            return
        for place in reversed(self.stands[0].places):
            scope = self.engine.program.scope_at(place.file, place.line)
            for statement in getattr(scope.node, "body", ()) if scope is not None else ():
                if scope is None or statement.lineno >= place.line:
                    break
                for expr in _amounts(statement):
                    depends = self._dependence(expr, scope)
                    if depends is None or not depends.by_rank:
                        continue
                    entry, score = depends.entry, 0.6 * depends.strength
                    text = f"how much is done here depends on the rank (`{depends.source}`)"
                    yield Point(scope.file, statement.lineno, 0.8 * score, text)
                    text = f"this makes what line {statement.lineno} does depend on the rank"
                    yield Point(entry.context.scope.file, entry.line, score, text)

    def _others(self, state: RankState) -> list[tuple[Place, ...]]:
        workspace = self.case.workspace
        stacks = []
        for frames in state.others:
            places = (workspace.locate(f.file, f.line, f.function, f.source) for f in frames)
            stacks.append(tuple(place for place in places if place is not None))
        return stacks

    def _arguments(self) -> Iterator[Point]:
        """Yield what makes the arguments differ where all ranks wait in one call."""
        level = parting_level([stand.places for stand in self.stands])
        for stand in self.stands:
            if stand.state.doing is not Activity.WAITS or not stand.places:
                continue
            place = stand.places[-1]
            together = len(self.stands) == 1 or level >= len(stand.places)
            differs = self.divergence.differs in ("shape", "dtype", "parameters", "operation")
            scope = self.engine.program.scope_at(place.file, place.line)
            statement = statement_at(self.engine, place.file, place.line)
            if scope is None or statement is None:
                continue
            if together and len(self.divergence.states) == self.divergence.size > 1:
                score = 0.6 if self._in_pairs() else 0.25
                yield Point(place.file, place.line, score, "here all ranks wait for one another")
            else:
                yield Point(place.file, place.line, 0.15, "here ranks wait for the others")
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call)):
                if call.lineno > place.line or not isinstance(statement, (ast.Expr, ast.Assign)):
                    continue
                for value in _arguments_of(call, differs):
                    depends = self._dependence(value, scope)
                    if depends is None or last_name(call.func) is None:
                        continue
                    weight = (0.95 if differs else 0.5) if together else 0.2
                    weight *= 0.5 if self._trains_alone() and not differs else 1.0
                    weight *= 1.0 if depends.by_rank else 0.6
                    entry = depends.entry
                    text = f"this makes `{_short(value)}` in line {place.line} depend on"
                    yield Point(
                        entry.context.scope.file, entry.line, weight * depends.strength,
                        f"{text} `{depends.source}`", None, depends.named,
                    )  # fmt: skip


def stands_of(case: Case, divergence: Divergence) -> list[RankGroup]:
    """Return the groups of ranks with their places in the workspace."""
    workspace = case.workspace
    together: dict[tuple[Activity, tuple[Position, ...]], list[RankState]] = {}
    located: dict[int, tuple[Place, ...]] = {}
    for state in divergence.states:
        places = (
            workspace.locate(f.file, f.line, f.function, f.source) for f in state.frames if f.line
        )
        located[state.rank] = tuple(place for place in places if place is not None)
        key = (state.doing, tuple((place.file, place.line) for place in located[state.rank]))
        together.setdefault(key, []).append(state)
    return [
        RankGroup(tuple(s.rank for s in states), states[0], located[states[0].rank])
        for states in together.values()
    ]


def parting_level(stacks: list[tuple[Place, ...]]) -> int:
    """Return the depth of the frames at which stacks that began alike stand on other lines.

    Where one says nothing it is the last depth of the others.
    """
    known = [stack for stack in stacks if stack]
    if len(known) < 2:
        return max((len(stack) - 1 for stack in known), default=0)
    depth = 0
    while all(len(stack) > depth for stack in known):
        lines = {(stack[depth].file, stack[depth].line) for stack in known}
        if len(lines) > 1:
            files = {stack[depth].file for stack in known}
            return depth if len(files) == 1 else max(0, depth - 1)
        depth += 1
    return max(0, depth - 1)


def _is_past(point: Point, stand: RankGroup) -> bool:
    """Say whether ranks stand behind a test, in its function, at which the others turned back."""
    node, function = point.node, point.function
    last = getattr(node, "end_lineno", 0) or 0
    end = getattr(function, "end_lineno", 0) or 0
    return any(p.file == point.file and last < p.line <= end for p in stand.places)


def _leaves_parting_loop(node: ast.stmt, scope: Scope, lines: list[int]) -> bool:
    """Say whether a statement leaves a loop in which some ranks are and others not."""
    if not leaves([node]):
        return False
    return any(
        isinstance(loop, (ast.For, ast.AsyncFor, ast.While))
        and _branch(loop, node.lineno) == "body"
        and len({_branch(loop, line) for line in lines}) > 1
        for loop in controls(scope)
    )


def _branch(node: ast.stmt, line: int) -> str | None:
    """Return which part of a compound statement holds a line, None where none does."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, name, None)
        if block and block[0].lineno <= line <= (block[-1].end_lineno or 0):
            return name
    return None


def _decides(collectives: Collectives, node: ast.stmt) -> bool:
    """Say whether a collective hangs on a statement: it is in one branch, or code leaves there."""
    if isinstance(node, ast.Try):
        return collectives.makes(node.body)
    body, other = list(getattr(node, "body", ())), list(getattr(node, "orelse", ()))
    if isinstance(node, ast.Match):
        body = [part for case in node.cases for part in case.body]
    return collectives.makes(body) or collectives.makes(other) or leaves(body) or leaves(other)


def _is_given(test: ast.expr, scope: Scope) -> bool:
    """Say whether a test asks for a parameter of its function, ``self`` apart."""
    names = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    return any(parameter.arg in names - {"self"} for parameter in scope.parameters())


def _polls(statement: ast.stmt) -> bool:
    """Say whether a statement only lets time pass, so that its loop is what does not end."""
    names = {last_name(part.func) for part in ast.walk(statement) if isinstance(part, ast.Call)}
    return bool(names & {"sleep", "poll", "exists", "is_file", "is_alive"}) or isinstance(
        statement, (ast.While, ast.Pass)
    )


def _arguments_of(call: ast.Call, differs: bool) -> list[ast.expr]:
    """Return the arguments that may keep a collective from fitting those of other ranks.

    What a tensor holds differs by design; it matters where its shape or dtype is said to differ.
    """
    if differs:
        return [*call.args, *(keyword.value for keyword in call.keywords)]
    named = ("group", "src", "dst", "tag", "op", "root", "root_rank", "process_set", "axis_name")
    return [keyword.value for keyword in call.keywords if keyword.arg in named] + call.args[1:]


def _amounts(statement: ast.stmt) -> list[ast.expr]:
    """Return what says how much a statement does: what loops and comprehensions run over."""
    amounts: list[ast.expr] = []
    for part in ast.walk(statement):
        if isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            amounts.append(part.iter)
        elif isinstance(part, ast.Call) and any(is_rank(value) for value in part.args):
            amounts.append(part)
    return amounts


def _unordered(expr: ast.expr) -> bool:
    """Say whether the order of what a loop runs over came about while it was filled."""
    name = last_name(expr.func) if isinstance(expr, ast.Call) else None
    return name in ("items", "keys", "values", "set") or isinstance(expr, ast.Set)


def _why(depends: Dependence, loops: bool) -> str:
    subject = "how often this loop runs" if loops else "this condition"
    if depends.by_rank:
        return f"{subject} depends on the rank (`{depends.source}`)"
    return f"{subject} depends on what each rank has for itself (`{depends.source}`)"


def _short(expr: ast.expr) -> str:
    return ast.unparse(expr)[:60]


def ranks_parted(case: Case) -> RanksParted | None:
    """Return where the ranks stood for the report; None where none have parted.

    Where the text does not say which of two groups is elsewhere, the best point does: the one that
    is inside of its branch, or behind its loop.
    """
    divergence = case.failure.divergence
    if divergence is None:
        return None
    apart, certain = divergence.apart, divergence.is_certain
    stands = stands_of(case, divergence)
    all_wait = not apart and len(divergence.states) == divergence.size > 1
    if not certain or all_wait:
        points = points_of(case)
        apart = (
            _inside(points, stands, divergence.size) or _named_ranks(points, divergence) or apart
        )
        certain = certain and not apart
    groups = tuple(
        RanksTogether(
            stand.ranks,
            stand.state.doing.value,
            stand.state.operation,
            stand.places[-1].file if stand.places else None,
            stand.places[-1].line if stand.places else None,
        )
        for stand in stands
    )
    return RanksParted(
        divergence.size, apart, certain, groups, words_of(replace(divergence, apart=apart))
    )


def _named_ranks(points: list[Point], divergence: Divergence) -> tuple[int, ...]:
    """Return the rank that the first point's condition names (`rank == 0`), if it does."""
    named = points[0].named if points else None
    return (named,) if named is not None and named < divergence.size else ()


def _inside(points: list[Point], stands: list[RankGroup], size: int) -> tuple[int, ...] | None:
    """Return the ranks that the first point which separates the groups sets apart.

    Ranks whose place is not known stand outside of a branch in which others are seen.
    """
    for point in points[:3]:
        if not isinstance(point.node, ast.stmt) or isinstance(point.node, ast.Try):
            continue
        branches: dict[int, str | None] = {}
        for number, stand in enumerate(stands):
            lines = [place.line for place in stand.places if place.file == point.file]
            held = [b for b in (_branch(point.node, line) for line in lines) if b is not None]
            branches[number] = held[-1] if held else None
        is_loop = isinstance(point.node, (ast.For, ast.AsyncFor, ast.While))
        inside = [n for n, branch in branches.items() if branch == "body"]
        turns_back = isinstance(point.node, ast.If) and leaves(point.node.body) and not inside
        if turns_back:
            inside = [n for n, stand in enumerate(stands) if _is_past(point, stand)]
        if is_loop and not any(s.state.operation in POINT_TO_POINT for s in stands):
            chosen = [number for number in branches if number not in inside]
        else:
            chosen = inside
        ranks = tuple(sorted(rank for n in chosen for rank in stands[n].ranks))
        if turns_back and len(ranks) * 2 > size:
            ranks = tuple(rank for rank in range(size) if rank not in ranks)
        if 0 < len(ranks) < (sum(len(s.ranks) for s in stands) if is_loop else size):
            return ranks
    return None
