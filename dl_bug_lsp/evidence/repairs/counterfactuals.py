"""Blame by repair: the failing run followed again with one small edit at a time.

Where following the program reproduces the failure, edits of what the run came to are tried. An edit
after which the failing line is passed, and nothing new fails before or after it, may be the repair.
"""

from __future__ import annotations

import ast
import heapq
import json
import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib import resources
from weakref import WeakKeyDictionary

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.data.data_files import index_of, numbers_of
from dl_bug_lsp.evidence.followed_run import (
    CODE,
    earlier_runs,
    follow,
    hidden_cells_of,
    how_known,
    interpreter_options,
    recorded_names,
    settings_of,
)
from dl_bug_lsp.evidence.interpreted_values import IS_FAILING, MAY_DEPEND, UNNAMED_CHANGE, places_of
from dl_bug_lsp.evidence.repairs.edits import PRIORS, Edit, Editor, Recorder
from dl_bug_lsp.evidence.repairs.spelling import similarity
from dl_bug_lsp.evidence.repairs.text_edits import TextEdit, choices, options, text_edits
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.earlier_runs import EarlierRun
from dl_bug_lsp.interpretation.interpreter import Outcome, own_end
from dl_bug_lsp.interpretation.libraries.torch.serialization import of_stored_file
from dl_bug_lsp.interpretation.operators import PLAIN
from dl_bug_lsp.interpretation.run_state import MAX_STEPS
from dl_bug_lsp.interpretation.statements import leaves
from dl_bug_lsp.interpretation.values import Array, Environment, Origin, Raised, Value
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.stack import unparsed
from dl_bug_lsp.provenance.written_files import original_of
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.workspace import EditedWorkspace

MOST_EDITS = 100
MOST_WITH_EARLIER = 15
"""Edits of files that commands before the failing one are made of or read."""
MOST_OF_BRIEF, FEW_STEPS = 300, 30_000
"""The number of edits of a run that is followed so briefly that they take few steps in all."""
MOST_STEPS = 150_000
LONGEST = 25_000
"""Steps of a run up to which it is followed again."""
BRIEF = (2_000, 4_000, 8_000)
"""Steps by which long loops are cut in runs that are followed again, where the same values fail."""
SPARE = 3_000
"""Steps that a run which is followed again may take in addition: rounds are left out without."""
MOST_TEXT = 60
MOST_OUTLINED = 8
"""Items of a container by which it is compared."""
CONFIRMED = 0.3
"""What an edit of a number counts that fitted others before the failure."""
CUTS_MORE = 0.3
"""What an edit counts that keeps more gradients from flowing than another that passes, too."""
OF_HIDING = 0.3
"""What an edit counts that keeps a graph, or loads the names of a state that fit alone. It mostly
hides what is wrong: a weight that an optimizer has changed since is refused, or the graph grows
(PyTorch, "Autograd mechanics"), and weights stay as they were made."""
OF_NUMBERS = {
    *("literal", "literal.near", "literal.factor", "setting", "setting.near", "setting.factor"),
    "setting.other",
}
OF_CODE = frozenset(kind for kind in PRIORS if not kind.startswith(("data", "setting")))
"""Edits of code, not of config and data files."""
UNTRIED = {"name", "file"}
"""Failures whose line says what is missing."""
IN_PART = {"key", "value"}
"""Failures of what was looked up in a table that may have been made of a part of the data."""
CONVERTING = {
    *("wrap.dtype", "dtype", "wrap.number", "setting.type", "setting.list", "wrap.text"),
    *("wrap.array", "wrap.tensor", "wrap.codes", "wrap.copy", "wrap.dates"),
    *("keyword.dates", "literal.type"),
}
SHAPING = {
    *("wrap.crop", "wrap.reshape_like", "wrap.pooled", "layer.added"),
    *("layer.first", "layer.last"),
    *("wrap.transpose", "wrap.reshape", "wrap.squeeze", "axis", "axis.added", "offset"),
    *("offset.added", "factor.added", "literal", "literal.near", "literal.factor"),
    *("setting.near", "setting.factor", "slice", "shape", "item.removed", "setting.item"),
    "wrap.padded",
}
ADDING = {"wrap.unsqueeze", "wrap.axes", "unwrap"}
CUTTING = {"wrap.detach"}
DROPPING = {"index.added", "index.removed", "wrap.squeeze", "unwrap"}
OF_AXES, MEANT_AXES = 30.0, 0.5
"""How much sooner edits are tried that the failure asks for, and what one of them that changes the
number of axes counts at least where it passes."""
OPTIONS = {
    "string.option": "string.option",
    "boolean": "boolean.option",
    "setting.boolean": "setting.choice",
}
"""Edits of what a branch was chosen by, and the kinds that they then are of."""
OF_BRANCHES = {"string.option", "boolean.option", "setting.choice"}
"""Edits that lead into other branches."""
MOST_GOVERNED = 60
"""Places whose branches are looked at."""
MOST_MAKERS = 2
"""Of the objects whose methods failed, those whose making may be changed."""
TAKING_AWAY = {"argument.removed", "keyword.removed"}
"""Edits that are no suggestions: what passes without an argument mostly needs another one."""
OF_TAKING_AWAY = 0.4
"""What one of them counts that passes."""
OTHER_NAME = ("name.needed", "attribute.needed")
"""Edits that put one name for another where the message has the numbers of both."""
OF_MIXED_UP = 0.9
"""What one of them counts that passes, where both names are those of one quantity."""
NOT_MIXED_UP = 0.3
"""What the definitions of such names count: both are meant, and one is used for the other."""
NAMED_RATE = 0.4
"""The share of lines with the cause from which on an edit of a kind is named in a report."""
QUOTES = "'\""
ALIKE = 0.6
"""From here on one key may be another one that is misspelt."""
UNNAMED = {"slice", *OF_BRANCHES}
"""Edits after which a program mostly runs on with other data or in another branch than is meant."""
LOSING = {"wrap.reduced", "wrap.decided", "wrap.list", "index.added", "star", "operand", "name"}
"""Edits that pass as a part or a sum of the data fits: no change like them is meant."""
TEXT = -1
"""The tier of an edit of a config or data file."""


class Effect(Enum):
    """What an edit does to the followed run."""

    PASSES = "the failing line is passed and nothing new fails"
    NONE = "the same values fail"
    OTHER = "other values fail"
    ELSEWHERE = "something else fails"
    UNCLEAR = "less is known of the run"


RATE_OF_PRIOR, SHARE_OF_PRIOR = 0.02, 0.5
"""The rates of a kind that was not learned yet, for a prior of 1."""
UNSEEN = 0.5
"""How a group of places counts of which no recorded failure had an edit."""
FURTHER = {Effect.NONE: 0.5, Effect.ELSEWHERE: 0.8, Effect.PASSES: 0.8}
"""How much less likely further edits of a line are tried after one with an effect. Set on the
recorded failures that `benchmarks/train_repairs.py` reads."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit that may be tried.

    ``tier`` is 0 where its statement is on the stack or made a side of the failure, 1 and 2 in the
    slices of the failing line and of its callers, 3 elsewhere, and `TEXT` outside of code; ``made``
    tells whether the line is an origin of a side, ``on_stack`` whether it is a place of the stack.
    """

    edit: Edit | TextEdit
    tier: int
    made: bool
    on_stack: bool

    @property
    def group(self) -> str:
        """The key of the group of places that it belongs to."""
        return _group(self.tier, self.made, self.on_stack)


@dataclass(frozen=True, slots=True)
class Batch:
    """The edits of one statement, or those outside of code, which are made once they may be next.

    ``groups`` are the groups of places that they may belong to, None of those outside of code.
    """

    edits: Iterator[Candidate]
    groups: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """An edit that was tried, and its effect.

    ``visits`` counts what the backward passes of the run went through, where that was followed.
    ``accepted`` tells of an edit that passes whether all that it reaches is known to take it.
    """

    candidate: Candidate
    effect: Effect
    visits: int = 0
    accepted: bool = False

    @property
    def edit(self) -> Edit | TextEdit:
        """The edit."""
        return self.candidate.edit

    @property
    def passes(self) -> bool:
        """Whether the failure does not show after the edit."""
        return self.effect is Effect.PASSES


@cache
def _rates() -> dict[str, dict[str, float]]:
    """Return what `benchmarks/train_repairs.py` has learned from recorded failures.

    ``kinds``: the share of repairs among the tried edits of a kind; ``groups``: that of a group of
    places against all; ``passing``: the share of lines with the cause among the lines at which an
    edit of a kind passes.
    """
    text = resources.files("dl_bug_lsp.evidence.repairs").joinpath("rates.json").read_text("utf-8")
    tables: dict[str, dict[str, float]] = json.loads(text)
    return tables


def promise(candidate: Candidate) -> float:
    """Return how likely an edit is the repair, before it is tried."""
    return _rate_of_kind(candidate.edit.kind) * _rate_of_group(candidate.group)


def _rate_of_kind(kind: str) -> float:
    return _rates()["kinds"].get(kind, RATE_OF_PRIOR * PRIORS[kind])


def _rate_of_group(group: str) -> float:
    return _rates()["groups"].get(group, UNSEEN)


def _group(tier: int, made: bool, on_stack: bool) -> str:
    return f"{tier}{' made' * made}{' stack' * on_stack}"


class Search:
    """The edits of a failing run and the runs with one of them."""

    def __init__(self, case: Case) -> None:
        """Follow the run once more; without ``batches`` where the failure does not show."""
        self.case = case
        self.batches: list[Batch] = []
        self.steps = 0
        self.visits = 0
        self.accepted = False
        self.outcome = follow(case)
        raised = self.outcome.raised
        self._meant = _meant(raised)
        # What the message alone shows no edit can show to be gone.
        if raised is None or raised.weight < 1.0 or raised.what in UNTRIED:
            return
        again = _again(case, self.outcome)
        if again is None:
            # The failure shows only with what the message says, or after very many steps.
            return
        self._before, self.outcome, self._budget = again
        _add_earlier(case, self._before, raised)
        if self._before.gradients is not None and not self._before.gradients.wants_gradients:
            # Where a graph is gone, or holds too much, nearly all repairs cut it somewhere.
            self._meant |= CUTTING
        numbers, available = _numbers(case), sorted(raised.available)
        in_part = raised.what in IN_PART
        trees = [case.workspace.tree(f) for f in dict.fromkeys(p.file for p in case.places)]
        choices_of_code = options(tree for tree in trees if tree is not None)
        self._editor = Editor(
            self._before,
            numbers,
            available,
            _shapes(raised),
            in_part=in_part,
            options=choices_of_code,
        )
        self._bound = _bound(case, raised)
        self._stack = {(place.file, place.line) for place in case.places}
        self._sides = _outline(raised)
        self.batches = list(_batches(case, self._before, raised, self._editor))

    def likelihood(self, candidate: Candidate) -> float:
        """Return how soon an edit is tried: its promise, and whether the failure asks for it."""
        return promise(candidate) * self._fitness(candidate.edit.kind)

    def bounds(self) -> list[float]:
        """Return for each batch what none of its edits is likelier than."""
        of_kinds = max(_rate_of_kind(kind) * self._fitness(kind) for kind in OF_CODE)
        return [
            math.inf if batch.groups is None else of_kinds * max(map(_rate_of_group, batch.groups))
            for batch in self.batches
        ]

    def _fitness(self, kind: str) -> float:
        return OF_AXES if kind in self._meant else 1.0

    def applies(self, edit: Edit | TextEdit) -> bool:
        """Say whether an edit is one of a file: what ``exec`` runs stands in none."""
        if isinstance(edit, TextEdit):
            return True
        parents = self._editor.parents(edit.file)
        return parents is not None and parents.holds(edit.old)

    def effect(self, edit: Edit | TextEdit) -> Effect:
        """Return what an edit does to the run."""
        most = self.outcome.steps * 3 // 2 + SPARE
        workspace = _edited(self.case, self._editor, edit)
        again = _interpreter(self.case, workspace, most, edit, self._budget)
        again.share_syntax(self._before)
        again.fitting = self.outcome.elsewhere
        again.comparisons.bound = self._bound
        # A check of the program is passed where its condition is known to hold.
        again.passing = not self._before.reach.forced
        result = again.run()
        self.steps += result.steps
        self.visits = 0 if again.gradients is None else again.gradients.visits
        self.accepted = False
        if _passes(self._before, self.outcome, edit, again, result):
            self.accepted = _is_accepted(self._before, edit, again, self._stack)
            return Effect.PASSES
        if result.raised is not None:
            same = _outline(result.raised) == self._sides
            return Effect.NONE if same else Effect.OTHER
        if result.elsewhere - self.outcome.elsewhere or not result.reached:
            return Effect.ELSEWHERE
        return Effect.UNCLEAR


def _meant(raised: Raised | None) -> set[str]:
    """Return the kinds of edits that a failure asks for: those that add or drop axes."""
    axes = raised.axes if raised is not None else 0
    return set(ADDING if axes > 0 else DROPPING if axes < 0 else ())


def _outline(raised: Raised) -> list[str]:
    """Return the sides of a failure in a form that can be compared."""
    return [_outlined(side) for side in raised.sides]


def _outlined(value: Value, depth: int = 2) -> str:
    """Return what a value is, without what lies deep in it: objects hold one another."""
    data = value.data
    if isinstance(data, Array):
        sizes = None if data.shape is None else [repr(dim.data) for dim in data.shape]
        return f"{data.library} {data.dtype} {data.device} {sizes} {data.lowest} {data.highest}"
    if isinstance(data, (list, tuple, dict)):
        items = list(data.values() if isinstance(data, dict) else data)[:MOST_OUTLINED]
        inside = [_outlined(item, depth - 1) for item in items] if depth else []
        return f"{type(data).__name__} {len(data)} {inside}"
    if isinstance(data, PLAIN):
        return repr(data)
    name = getattr(data, "name", "") or getattr(getattr(data, "cls", None), "name", "")
    return f"{type(data).__name__} {name}"


def in_order(search: Search, further: Mapping[Origin, float]) -> Iterator[Candidate]:
    """Yield the edits of a search, likeliest first; a batch is made when one of its may be next.

    ``further`` is how much less likely the edits of a line have become, 1 for those that it lacks;
    it may change between two edits. Of equally likely edits that of the earlier batch comes first.
    """
    bounds = search.bounds()
    later = deque(sorted(range(len(bounds)), key=lambda number: -bounds[number]))
    made: list[tuple[float, tuple[int, int], float, Candidate]] = []
    while later or made:
        while later and (not made or -made[0][0] <= bounds[later[0]]):
            number = later.popleft()
            for nth, candidate in enumerate(search.batches[number].edits):
                if not search.applies(candidate.edit):
                    continue
                likely = search.likelihood(candidate)
                heapq.heappush(made, (-likely, (number, nth), likely, candidate))
        if not made:
            return
        waiting, order, likely, candidate = heapq.heappop(made)
        now = -likely * further.get((candidate.edit.file, candidate.edit.line), 1.0)
        if now <= waiting:
            yield candidate
        else:
            heapq.heappush(made, (now, order, likely, candidate))


_TRIED: WeakKeyDictionary[Case, list[Tried]] = WeakKeyDictionary()


def tried_edits(case: Case) -> list[Tried]:
    """Return the edits that were tried on the followed run, in the order of trying.

    The most promising are tried first; a line of which an edit changed nothing waits.
    """
    if case not in _TRIED:
        _TRIED[case] = _try(case)
    return _TRIED[case]


def _try(case: Case) -> list[Tried]:
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return []
    search = Search(case)
    further: defaultdict[Origin, float] = defaultdict(lambda: 1.0)
    found: list[Tried] = []
    again, shared = 0, earlier_runs(case).files
    for candidate in in_order(search, further):
        checkpoint()
        place = (candidate.edit.file, candidate.edit.line)
        if candidate.edit.file in shared:
            # The commands before the failing one are followed with the edit, too.
            again += 1
            if again > MOST_WITH_EARLIER:
                continue
        effect = search.effect(candidate.edit)
        further[place] *= FURTHER.get(effect, 1.0)
        found.append(Tried(candidate, effect, search.visits, search.accepted))
        most = MOST_OF_BRIEF if search.steps < FEW_STEPS else MOST_EDITS
        if len(found) >= most or search.steps >= MOST_STEPS:
            break
    return found


def _edited(case: Case, editor: Editor, edit: Edit | TextEdit) -> Workspace:
    if isinstance(edit, TextEdit):
        return EditedWorkspace(case.workspace, edit.file, text=edit.text)
    parents = editor.parents(edit.file)
    assert parents is not None
    tree = parents.replaced(edit.old, edit.new)
    imported = editor.imports.get(edit.new) if edit.new is not None else None
    if imported is not None:
        tree = ast.Module([imported, *tree.body], tree.type_ignores)
    return EditedWorkspace(case.workspace, edit.file, tree=tree)


def _batches(case: Case, recorder: Recorder, raised: Raised, editor: Editor) -> Iterator[Batch]:
    """Yield the edits that may be tried: those of config and data files, then those of code."""
    origins = sorted(places_of(_origins(raised), of_types=_is_of_types(case, raised)))
    # What an object was made with decides what its methods take.
    made = {*origins, *raised.makers[:MOST_MAKERS]}
    stack = {(place.file, place.line) for place in case.places}
    # A call that ran before and fails now was to free the graph: what reaches back is the cause.
    failing = (case.places[-1].file, case.places[-1].line)
    left_out = SHAPING if _is_of_types(case, raised) else CONVERTING
    if raised.what != "size":
        left_out = {*left_out, "wrap.padded"}
    _, settings = settings_of(case)
    original = original_of(case.workspace, settings) if settings else None
    settings = original.file if original is not None else settings
    files = [settings] if settings else list(case.config_files)[:3]
    chooses = _deciding(case, recorder, made)

    def candidate(edit: Edit | TextEdit, tier: int) -> Candidate:
        place = (edit.file, edit.line)
        option = OPTIONS.get(edit.kind)
        if option is not None and place in chooses:
            return Candidate(replace(edit, kind=option), 0, made=True, on_stack=False)
        return Candidate(edit, tier, place in made, place in stack)

    def of_files() -> Iterator[Candidate]:
        chosen = {**editor.options, **choices(case.workspace, case.code_files)} if files else {}
        for change in text_edits(case.workspace, origins, files, editor.sought.numbers, chosen):
            if change.kind not in left_out:
                yield candidate(change, TEXT)

    def of_statement(tier: int, statement: ast.stmt, env: Environment) -> Iterator[Candidate]:
        for edit in editor.edits(statement, env):
            again = (edit.file, edit.line) == failing and _hides(edit)
            if edit.kind not in left_out and not again:
                yield candidate(edit, tier)

    yield Batch(of_files())
    for tier, statement, env in _statements(case, recorder, made):
        lines = _lines_of(statement, env)
        may_be_made, may_be_on_stack = {False, bool(lines & made)}, {False, bool(lines & stack)}
        groups = {_group(tier, m, s) for m in may_be_made for s in may_be_on_stack}
        if lines & chooses:
            groups.add(_group(0, made=True, on_stack=False))
        yield Batch(of_statement(tier, statement, env), frozenset(groups))


def _hides(edit: Edit | TextEdit) -> bool:
    """Whether an edit keeps the graph of a backward pass, or loads a state that does not fit."""
    hiding = ("retain_graph=True", "strict=False")
    return edit.kind == "keyword.added" and any(word in _text(edit.new) for word in hiding)


def _deciding(case: Case, recorder: Recorder, made: Collection[Origin]) -> set[Origin]:
    """Return what made the texts and truth values by which the program chose its branches.

    Those are the branches in which the stack stands and in which the values that fail were made
    (control dependence: Ferrante, Ottenstein and Warren, TOPLAS 9(3), 1987). Another option would
    have led elsewhere.
    """
    found: set[Origin] = set()
    places = dict.fromkeys([*((p.file, p.line) for p in case.places), *sorted(made)])
    for file, line in list(places)[:MOST_GOVERNED]:
        tree = case.workspace.tree(file) if file.endswith(CODE) else None
        for test in governing_tests(tree, line) if tree is not None else ():
            for part in ast.walk(test):
                value = recorder.values.get(part) if isinstance(part, ast.expr) else None
                if value is not None and isinstance(value.data, (str, bool)):
                    found |= value.origins
    return found


def governing_tests(tree: ast.AST, line: int) -> Iterator[ast.expr]:
    """Yield the conditions that decide whether a line is come to, in the innermost function.

    Those are the tests of the branches around it, and of branches before it that leave its block.
    """
    inner: ast.AST | None = tree
    tests: list[ast.expr] = []
    while inner is not None:
        around, inner = inner, None
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
            tests.clear()
        elif isinstance(around, ast.If):
            tests.append(around.test)
        for _, block in ast.iter_fields(around):
            if not isinstance(block, list) or not block or not isinstance(block[0], ast.stmt):
                continue
            for statement in block:
                if statement.lineno > line:
                    break
                if line <= (statement.end_lineno or 0):
                    inner = statement
                elif isinstance(statement, ast.If) and (
                    leaves(statement.body) or leaves(statement.orelse)
                ):
                    tests.append(statement.test)
    yield from tests


def _is_of_types(case: Case, raised: Raised) -> bool:
    """Whether a failure is about types or dtypes, not about sizes or what is there."""
    if raised.what == "size":  # JAX writes the dtypes of arrays beside their shapes.
        return False
    return raised.what in ("type", "accessor") or bool(case.facts.of(FactKind.DTYPE))


def _numbers(case: Case) -> list[int]:
    """Return the numbers of the message, an index as the number of items that has room for it."""
    index = {f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)}
    return sorted({n + 1 if n in index else n for n in numbers_of(case)} | index_of(case))


def _shapes(raised: Raised) -> list[tuple[int, ...]]:
    """Return the shapes of the arrays among the sides of a failure that are known wholly."""
    found: list[tuple[int, ...]] = []
    for side in raised.sides:
        sizes = side.data.sizes if isinstance(side.data, Array) else None
        if sizes is not None and None not in sizes:
            found.append(tuple(size for size in sizes if size is not None))
    return found


def _bound(case: Case, raised: Raised) -> int | None:
    """Return the number of items that an index which is not known was beyond."""
    index = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    limits = [side.data for side in raised.sides if type(side.data) is int]
    return max([*index, *limits[-1:]], default=None) if raised.what == "index" else None


def _origins(raised: Raised) -> set[Origin]:
    """Return what made the sides of a failure."""
    found: set[Origin] = set()
    for side in raised.sides:
        found |= side.origins
        if isinstance(side.data, Array):
            for dim in side.data.shape or ():
                found |= dim.origins
    return found


def _again(case: Case, outcome: Outcome) -> tuple[Recorder, Outcome, int] | None:
    """Return the run followed once more, as briefly as the same values fail, and its budget.

    Fewer rounds of long loops leave steps for more edits. None where the failure does not show.
    """
    sides = _outline(outcome.raised) if outcome.raised is not None else []
    most = outcome.steps + SPARE
    for budget in (steps for steps in BRIEF if steps < outcome.steps):
        run = _interpreter(case, case.workspace, most, budget=budget)
        result = run.run()
        raised = result.raised
        if raised is None or raised.weight < 1.0 or _outline(raised) != sides:
            continue
        if 2 * result.steps < outcome.steps and 5 * result.steps < 4 * budget:
            return run, result, budget
    run = _interpreter(case, case.workspace, most)
    if outcome.steps > LONGEST or run.run().raised is None:
        return None
    return run, outcome, MAX_STEPS


class _RecordedEarlierRun(EarlierRun, Recorder):
    """Follows a command before the failing one and keeps what it came to."""


def _add_earlier(case: Case, recorder: Recorder, raised: Raised) -> None:
    """Add the statements of earlier commands that made what fails to those of the failing run.

    What a preparing script writes wrongly fails where it is read.
    """
    made = places_of(_origins(raised), of_types=_is_of_types(case, raised))
    earlier = earlier_runs(case)
    if not any(file in earlier.files and file.endswith(CODE) for file, _ in made):
        return
    for run in earlier.followed_by(_RecordedEarlierRun):
        assert isinstance(run, Recorder)
        for statement, env in run.statements.items():
            if _lines_of(statement, env) & made and statement not in recorder.statements:
                recorder.statements[statement] = env
                parts = (part for part in ast.walk(statement) if isinstance(part, ast.expr))
                found = {part: run.values[part] for part in parts if part in run.values}
                recorder.values.update(found)
                recorder.of_earlier.update(found)


def _interpreter(
    case: Case,
    workspace: Workspace,
    most: int,
    edit: Edit | TextEdit | None = None,
    budget: int = MAX_STEPS,
) -> Recorder:
    words, settings = settings_of(case)
    if words is not None and isinstance(edit, TextEdit):
        words = [_edited_word(word, edit) for word in words]
    recorder = Recorder(
        workspace,
        arguments=words,
        steps=budget,
        most=most,
        settings=settings,
        repeated=bool(hidden_cells_of(case)),
        **interpreter_options(case),
    )
    earlier = earlier_runs(case)
    if isinstance(workspace, EditedWorkspace):
        earlier = earlier.in_workspace(workspace, workspace.edited)
    recorder.earlier = earlier
    recorded = recorded_names(case)
    # Where the record was insisted on, an edit could not show that it changes what fails.
    recorder.recorded = recorded if recorded is not None and not recorded.insists else None
    # What the message says to be missing is not missing after every edit.
    recorder.message = of_stored_file(case.message)
    if recorder.gradients is not None:
        # A tensor that is cut off may be missed elsewhere.
        recorder.gradients.message = ""
    return recorder


def _edited_word(word: Value, edit: TextEdit) -> Value:
    """Return a word of the command line as it is after an edit of the file that it stands in."""
    if (edit.file, edit.line) not in word.origins or not isinstance(word.data, str):
        return word
    head, mark, text = word.data.rpartition("=")
    old, new = edit.old.strip("'\""), edit.new.strip("'\"")
    return Value(f"{head}{mark}{new}", word.origins) if text == old else word


def _statements(
    case: Case, recorder: Recorder, origins: set[Origin]
) -> list[tuple[int, ast.stmt, Environment]]:
    """Return the statements that the run came to, those first that made what failed."""
    frames = {(place.file, place.line) for place in case.places}
    near = {(s.node.file, s.node.line) for s in case.raise_slice}
    far = {(s.node.file, s.node.line) for steps in case.outer_slices for s in steps}

    def rank(item: tuple[int, tuple[ast.stmt, Environment]]) -> tuple[int, int]:
        number, (statement, env) = item
        lines = _lines_of(statement, env)
        tiers = (frames, origins, near, far)
        tier = next((i for i, tier in enumerate(tiers) if lines & tier), 4)
        return max(tier - 1, 0), -number

    ranked = sorted(enumerate(recorder.statements.items()), key=rank)
    return [(rank(item)[0], *item[1]) for item in ranked]


def _lines_of(statement: ast.stmt, env: Environment) -> set[Origin]:
    """Return the lines of a statement without those of its blocks."""
    return {(env.file, line) for line in range(statement.lineno, own_end(statement) + 1)}


def _passes(
    before: Recorder, outcome: Outcome, edit: Edit | TextEdit, again: Recorder, result: Outcome
) -> bool:
    """Whether a run passes the failing line where another did not, and nothing new fails."""
    if result.elsewhere - outcome.elsewhere:
        return False
    if result.raised is not None and not _is_doubtful(before, edit, again, result.raised):
        return False
    if not result.reached or again.reach.guessed_calls > before.reach.guessed_calls:
        return False
    if not before.reach.resumed and not again.reach.alone and edit.kind not in OF_BRANCHES:
        return False
    return _as_known(before, edit, again)


def _is_doubtful(before: Recorder, edit: Edit | TextEdit, again: Recorder, raised: Raised) -> bool:
    """Whether what was raised for sure before an edit shows only by force after it.

    Either its condition is not known any more, or the branch of the stack is not taken.
    """
    if raised.what == "raised" and again.reach.supposed and not before.reach.supposed:
        return True
    return edit.kind in OF_BRANCHES and again.reach.forced > before.reach.forced


def _as_known(before: Recorder, edit: Edit | TextEdit, again: Recorder) -> bool:
    """Whether everything that was known of the run is known still."""
    own: set[ast.AST] = set()
    if isinstance(edit, Edit):
        own = set(ast.walk(edit.old))
        if not isinstance(edit.old, ast.expr) and edit.new is not None:
            # A block with its statements in another order, or one of them changed.
            own -= set(ast.walk(edit.new))
        is_followed = edit.old not in before.of_earlier
        if is_followed and isinstance(edit.old, ast.expr) and isinstance(edit.new, ast.expr):
            old, new = before.values.get(edit.old), again.values.get(edit.new)
            if old is not None and not _is_as_known(new, old):
                return False
    positions: dict[tuple[int, int, type], Value] = {}
    for node, value in again.values.items():
        if node in before.values:
            continue  # Only the edited file has other nodes at the same positions.
        positions[node.lineno, node.col_offset, type(node)] = value
    for node, like in before.values.items():
        place = (node.lineno, node.col_offset, type(node))
        now = again.values.get(node)
        if node in before.of_earlier or (now is None and edit.kind in OF_BRANCHES):
            continue  # Another option leads past what the one before led to.
        if node not in own and not _is_as_known(now or positions.get(place), like):
            return False
    return True


WORKING = (
    *(ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.Attribute),
)
"""Expressions that may refuse what they are given."""


def _is_accepted(
    before: Recorder, edit: Edit | TextEdit, again: Recorder, stack: Set[Origin]
) -> bool:
    """Whether everything that an edit reaches is known to take what it then gets.

    What no model knows says neither that it takes a value nor that it refuses it.
    """
    own = edit.new if isinstance(edit, Edit) and isinstance(edit.new, ast.AST) else None
    made = again.values.get(own) if isinstance(own, ast.expr) else None
    if made is not None and not made.known and isinstance(own, WORKING):
        return False
    old = {(n.lineno, n.col_offset, type(n)): v for n, v in before.values.items()}

    def earlier(node: ast.expr) -> Value | None:
        found = before.values.get(node)
        return found or old.get((node.lineno, node.col_offset, type(node)))

    def is_changed(node: ast.expr) -> bool:
        value = again.values.get(node)
        if value is None:
            return False
        like = earlier(node)
        return node is own or (like is not None and _outlined(value) != _outlined(like))

    for node, value in again.values.items():
        if not value.known and isinstance(node, WORKING) and any(map(is_changed, _operands(node))):
            return False
    for statement, env in again.statements.items():
        for part in ast.walk(statement) if _lines_of(statement, env) & stack else ():
            if isinstance(part, WORKING):
                now = again.values.get(part)
                if now is not None and not now.known and earlier(part) is None:
                    return False
    return True


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression is given, also inside a list of indices or a starred argument."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        if isinstance(child, (ast.keyword, ast.Starred, ast.Slice, ast.Tuple)):
            yield from (part for part in ast.iter_child_nodes(child) if isinstance(part, ast.expr))


def _is_as_known(value: Value | None, like: Value) -> bool:
    """Whether a value is known as well as another."""
    if not like.known:
        return True
    return value is not None and value.known and _open_axes(value) <= _open_axes(like)


def _open_axes(value: Value) -> float:
    """Return how many sizes of an array are not known, infinity where its axes are not."""
    sizes = value.data.sizes if isinstance(value.data, Array) else ()
    return math.inf if sizes is None else sizes.count(None)


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of which a small edit lets the followed run pass the failing line."""
    best: dict[Origin, tuple[float, Edit | TextEdit]] = {}
    sure: dict[Origin, tuple[float, Edit | TextEdit]] = {}
    agreed, meant = follow(case).agreed, _meant(follow(case).raised)
    edits = tried_edits(case)
    cutting = [t for t in edits if t.passes and t.edit.kind == "wrap.detach"]
    most = max((t.visits for t in cutting), default=0)
    is_mixed_up = any(t.passes and _mixes_up(t.edit) for t in edits)
    for tried in edits:
        place = (tried.edit.file, tried.edit.line)
        kind = tried.edit.kind
        likely = _rates()["passing"].get(kind, SHARE_OF_PRIOR * PRIORS[kind])
        if place in agreed and tried.edit.kind in OF_NUMBERS:
            likely *= CONFIRMED
        if kind == "wrap.detach" and tried.visits < most:
            likely *= CUTS_MORE
        elif _hides(tried.edit):
            likely *= OF_HIDING
        if kind in TAKING_AWAY:
            likely *= OF_TAKING_AWAY
        if kind in meant:
            likely = max(likely, MEANT_AXES)
        if is_mixed_up:
            likely = OF_MIXED_UP if _mixes_up(tried.edit) else likely * NOT_MIXED_UP
        if tried.passes and (place not in best or likely > best[place][0]):
            best[place] = (likely, tried.edit)
        if tried.accepted and (place not in sure or likely > sure[place][0]):
            sure[place] = (likely, tried.edit)
    total = sum(likely**2 for likely, _ in best.values())
    for (file, line), (likely, edit) in best.items():
        score = likely**2 / total * math.sqrt(likely)
        _, edit = sure.get((file, line), (likely, edit))
        is_sure = (file, line) in sure
        is_named = is_sure and _may_be_meant(case, edit)
        named = _least_count(case, edit, edits)
        why = f"{_change(named) if is_named else UNNAMED_CHANGE} {how_known(case)}"
        if not is_named and not (is_sure and edit.kind not in LOSING):
            is_failing = any((p.file, p.line) == (file, line) for p in case.places[-1:])
            why = IS_FAILING if is_failing else f"{MAY_DEPEND} {how_known(case)}"
        suggestion = _suggestion(case, named) if is_named else None
        yield Clue("repair.followed", file, line, score, why, suggestion)


def _least_count(case: Case, edit: Edit | TextEdit, edits: Iterable[Tried]) -> Edit | TextEdit:
    """Return the edit that gives room for an index with the least number of items.

    Every greater number passes too. Other edits are returned as they are.
    """
    raised = follow(case).raised
    old, new = _number_in(_text(edit.old)), _number_in(_text(edit.new))
    if raised is None or raised.what != "index" or old is None or new is None or new <= old:
        return edit
    counts = {
        number: t.edit
        for t in edits
        if t.accepted
        and t.edit.kind in OF_NUMBERS
        and (t.edit.file, t.edit.line, _text(t.edit.old)) == (edit.file, edit.line, _text(edit.old))
        and (number := _number_in(_text(t.edit.new))) is not None
        and old < number <= new
    }
    return counts[min(counts)] if counts else edit


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: little on the definitions of two names that are mixed up.

    Where the sides of a failure are two settings of one quantity (``BATCH_SIZE``,
    ``EVAL_BATCH_SIZE``), and the run passes with the other name at one place, both are meant.
    """
    if case not in _MIXED_UP:
        _MIXED_UP[case] = _mixed_up(case)
    return NOT_MIXED_UP if (clue.file, clue.line) in _MIXED_UP[case] else 1.0


_MIXED_UP: WeakKeyDictionary[Case, frozenset[Origin]] = WeakKeyDictionary()


def _mixed_up(case: Case) -> frozenset[Origin]:
    """Return the places that made two sides of which one name stands for the other's somewhere."""
    raised = follow(case).raised if case.places else None
    if raised is None or raised.weight < 1.0 or raised.what not in ("size", "index"):
        return frozenset()
    uses = {(t.edit.file, t.edit.line) for t in tried_edits(case) if t.passes and _mixes_up(t.edit)}
    made = {p for side in raised.sides for p in places_of(side.origins, of_types=False)}
    return frozenset(made - uses) if uses else frozenset()


def _mixes_up(edit: Edit | TextEdit) -> bool:
    """Whether an edit puts one name for another of the same quantity: their last words agree."""
    if edit.kind not in OTHER_NAME:
        return False
    old, new = (_text(part).rpartition(".")[2] for part in (edit.old, edit.new))
    return old != new and parts_of(old)[-1:] == parts_of(new)[-1:]


def _may_be_meant(case: Case, edit: Edit | TextEdit) -> bool:
    """Whether an edit that passes may be what the author would write, so that it is named.

    Many edits only hide what is wrong. A number is named where it is one that does not fit, or lies
    next to one; another number that happens to make the sizes fit is mostly no repair.
    """
    kind = edit.kind
    if kind in UNNAMED or _rates()["passing"].get(kind, SHARE_OF_PRIOR * PRIORS[kind]) < NAMED_RATE:
        return False
    raised = follow(case).raised
    if kind == "string.other" and (raised is None or raised.what != "key"):
        return False
    if kind == "string" and raised is not None and raised.what == "key":
        # Any key that is there passes; one that is written in another way says nothing.
        return similarity(_text(edit.old).strip(QUOTES), _text(edit.new).strip(QUOTES)) >= ALIKE
    numbers = [side.data for side in raised.sides] if raised is not None else []
    if kind == "operator" and raised is not None and raised.what == "type":
        return (
            False  # Another operator may take such operands, and is hardly the one that is meant.
        )
    if kind == "operator" and len(numbers) == 1 and type(numbers[0]) is int and numbers[0] < 0:
        # Any operator that makes the number greater passes.
        return False
    if kind == "unpacking":
        sides = (_text(e).partition(" = ")[0] for e in (edit.old, edit.new))
        old, new = ([p.strip("() ") for p in side.split(",")] for side in sides)
        # A value that is thrown away may be one that is needed; names in another order tell little.
        if "_" in new or sorted(old) == sorted(new):
            return False
    if kind in OF_NUMBERS and not kind.endswith(".near"):
        return _number_in(_text(edit.old)) in _numbers_that_do_not_fit(case)
    if kind in OF_LAYERS and (added := _added_layer(edit)) is not None:
        return max(map(len, added)) <= MOST_TEXT
    return max(len(_text(edit.old)), len(_text(edit.new))) <= MOST_TEXT


def _number_in(text: str) -> int | None:
    digits = text.strip("\"' ")
    return int(digits) if digits.isdigit() else None


def _numbers_that_do_not_fit(case: Case) -> set[int]:
    """Return the numbers of the message and of both sides of the failing check."""
    raised = follow(case).raised
    sides = [side.data for side in raised.sides] if raised is not None else []
    return numbers_of(case) | {number for number in sides if type(number) is int}


def _change(edit: Edit | TextEdit) -> str:
    """Return what was changed, as half a sentence."""
    old, new = _text(edit.old), _text(edit.new)
    if edit.kind == "data.row":
        change = "without this row"
    elif edit.kind == "statement.removed":
        change = "without this statement"
    elif edit.kind == "statement.kept":
        change = f"with `{_text(edit.new)}`"
    elif edit.kind == "statement.order":
        change = "with this statement after the next one"
    elif edit.kind == "statement.dedent":
        change = "with this statement after the block"
    elif edit.kind == "return":
        change = "with this value returned"
    elif edit.kind in OF_LAYERS and (added := _added_layer(edit)) is not None:
        change = f"with `{added[0]}` before `{added[1]}`"
    else:
        change = f"with `{new}` instead of `{old}`"
    return f"{change} the program may get past the failing line"


OF_LAYERS = {"layer.added", "layer.first"}
"""Edits that put a layer before another one of a model of layers in a row."""


def _added_layer(edit: Edit | TextEdit) -> tuple[str, str] | None:
    """Return the layer that an edit adds, and the one that follows it then."""
    old, new = edit.old, edit.new
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return None
    before, after = _items(old), _items(new)
    at = next((at for at, item in enumerate(before) if item is not after[at]), None)
    return (_text(after[at]), _text(before[at])) if at is not None else None


def _items(made: ast.Call) -> list[ast.expr]:
    held = made.args[0] if len(made.args) == 1 else None
    return held.elts if isinstance(held, ast.List) else made.args


def _text(node: ast.AST | str | None) -> str:
    if node is None or isinstance(node, str):
        return node or ""
    return unparsed(node) if isinstance(node, ast.expr) else ast.unparse(node)


def _suggestion(case: Case, edit: Edit | TextEdit) -> Suggestion | None:
    """Return the edit as a change of its line, None where it is none or not written so there."""
    if edit.kind.startswith(("data", "statement", "return")) or edit.kind in TAKING_AWAY:
        return None
    old, new = _text(edit.old), _text(edit.new)
    if edit.kind in OF_LAYERS and (added := _added_layer(edit)) is not None:
        old = f"{added[1].partition('(')[0]}("
        new = f"{added[0]}, {old}"
    if not old or "\n" in new:
        return None
    line = case.workspace.source_line(edit.file, edit.line)
    if line.count(old) != 1:
        old = _as_written(line, edit.old)
    return Suggestion(edit.file, edit.line, old, new) if old and line.count(old) == 1 else None


def _as_written(line: str, node: ast.AST | str | None) -> str:
    """Return the text of an expression in its line, empty where it does not stand there alone."""
    if not isinstance(node, ast.expr) or node.lineno != node.end_lineno:
        return ""
    text = line.encode()[node.col_offset : node.end_col_offset].decode(errors="replace")
    try:
        read = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return text if ast.unparse(read) == _text(node) else ""
