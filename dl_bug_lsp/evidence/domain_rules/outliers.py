"""Outliers: things that a program treats in two ways, values unlike the others of their kind.

What all other places do is what was meant.

Where the program evaluates what it has trained, the model fits the training data. What their
preparation does under a flag and that of other data does not (a crop, a scaling, an encoding) is
then the nearest difference.

The default of an option is what its author ran the program with. A value of other magnitude that a
command gives a rate, a scale or a bound is the first thing to look at where a training diverges.

An option that another command of the same script gets with a value, and that the failing command
leaves at its default, was forgotten there. Two names that one place unpacks as height and width and
another place as width and height are exchanged in one of them.

A number of epochs where steps are wanted, hours where rows are: names say what is counted. Where a
value is handed on as it is, and the two names count in different units, a conversion may be
missing.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.batches import adds_axis
from dl_bug_lsp.evidence.domain_rules.syntax import (
    calls_in,
    keyword,
    near_files,
    near_scopes,
    own_nodes,
    source,
)
from dl_bug_lsp.evidence.followed_run import earlier_runs, follow, how_known
from dl_bug_lsp.evidence.interpreted_values import origins_of, places_of
from dl_bug_lsp.evidence.value_flow import BYSTANDERS, INDIFFERENT
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.messages.facts import Role
from dl_bug_lsp.provenance.launches import Launch, commands_before, name_of
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS
from dl_bug_lsp.workspace.contents import ConfigEntry

MOST_FILES = 30
UNPACKED = re.compile(r"(?:too many|not enough) values to unpack \(expected (?P<wanted>\d+)")
ENOUGH_LOOPS = 2
"""Loops that agree on what an item is."""
Assigned = tuple[int, ast.expr]


def find_outliers(case: Case) -> Iterator[Clue]:
    """Yield the places that differ from those that do the same thing."""
    if case.category.id in ("tensor_mismatch", "illegal_argument"):
        yield from _not_batched(case)
    match = UNPACKED.search(case.message)
    if match is not None:
        yield from _items(case, int(match["wanted"]))
    yield from _keywords(case)


TELLING = re.compile(
    r"ignore|pad(?:ding)?_|mask_zero|dtype|device|batch_first|num_classes|n_classes|^classes$|seed"
    r"|random_state|shuffle|drop_last|collate|average|task|encoding|truncation|from_logits|reduction"
)
"""Keywords of which one call in a group hardly does without the others' value."""
AGREEING = 2
"""Calls that give a keyword the same value."""
MOST_LEFT_OUT = 1
WIDE = frozenset(("Data", "Auto", "Base", "Model", "Custom"))
"""First words that classes of quite different kinds have."""


def _keywords(case: Case) -> Iterator[Clue]:
    """Find the call that leaves out a keyword which the calls of its kind beside it all give.

    Calls are of one kind where their classes begin or end with the same word
    (``MulticlassAccuracy`` and ``MulticlassJaccardIndex``), in one function.
    """
    seen: set[int] = set()
    for scope in near_scopes(case):
        calls = [c for c in scope.calls if id(c) not in seen]
        seen.update(map(id, calls))
        groups: dict[tuple[str, str], list[ast.Call]] = {}
        for call in calls:
            parts = CAMEL.findall(called_name(call) or "")
            if len(parts) > 1:
                if parts[0] not in WIDE:
                    groups.setdefault(("first", parts[0]), []).append(call)
                groups.setdefault(("last", parts[-1]), []).append(call)
        reported: set[tuple[int, str]] = set()
        for group in groups.values():
            for call, name, other in _left_out(group):
                if (call.lineno, name) not in reported:
                    reported.add((call.lineno, name))
                    why = (
                        f"`{source(call.func)}` does not get `{name}`, which "
                        f"`{source(other.func)}` in line {other.lineno} gets"
                    )
                    yield Clue("rules.left_out_keyword", scope.file, call.lineno, 1.0, why)


def _left_out(group: list[ast.Call]) -> Iterator[tuple[ast.Call, str, ast.Call]]:
    """Yield calls without a keyword that all others of their group give alike."""
    values: dict[str, list[tuple[ast.Call, str]]] = {}
    for call in group:
        for word in call.keywords:
            if word.arg is not None and TELLING.search(word.arg):
                values.setdefault(word.arg, []).append((call, source(word.value)))
    for name, given in values.items():
        without = [
            c
            for c in group
            if all(k.arg not in (name, None) for k in c.keywords)
            and all(c is not g for g, _ in given)
        ]
        alike = len({value for _, value in given}) == 1
        if alike and len(given) >= AGREEING and 0 < len(without) <= MOST_LEFT_OUT:
            yield without[0], name, given[0][0]


CAMEL = re.compile(r"[A-Z][a-z0-9]+|[A-Z]+(?![a-z])")


def _not_batched(case: Case) -> Iterator[Clue]:
    """Find a value that gets its batch axis where it is made anew, and not where it is made first.

    ``state = env.reset()`` before a loop in which ``state = np.reshape(state, (1, n))``.
    """
    if not _lacks_axis(case):
        return
    for place in case.places:
        scope = case.engine.program.scope_at(place.file, place.line)
        for name in sorted(_arguments_at(scope, place.line)) if scope is not None else ():
            assert scope is not None
            made = _assigned(scope, name)
            batched = [line for line, value in made if _is_batched(scope, value)]
            plain = [(line, value) for line, value in made if line not in batched]
            if not batched or not plain:
                continue
            for line, value in plain:
                why = (
                    f"`{name}` is `{source(value)}` here, without the axis of the batch that it "
                    f"gets where it is made in line {batched[0]}"
                )
                yield Clue("rules.strong", place.file, line, 1.0, why)


def _lacks_axis(case: Case) -> bool:
    """Whether the message says that a shape has one axis less than is wanted."""
    ranks = {
        role: {
            len(fact.value)
            for fact in case.facts.of(FactKind.SHAPE, role)
            if isinstance(fact.value, tuple)
        }
        for role in (Role.EXPECTED, Role.ACTUAL)
    }
    wanted, given = ranks[Role.EXPECTED], ranks[Role.ACTUAL]
    return any(a + 1 == b for a in given for b in wanted)


def _arguments_at(scope: Scope, line: int) -> set[str]:
    """Return the names that the calls of a line are given."""
    found: set[str] = set()
    for node in own_nodes(scope.node):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
            given = [*node.args, *(k.value for k in node.keywords)]
            found.update(part.id for part in given if isinstance(part, ast.Name))
    return found


def _assigned(scope: Scope, name: str) -> list[Assigned]:
    """Return the lines of a scope that make a name alone or in a tuple, with what it is made of."""
    found: list[Assigned] = []
    for node in own_nodes(scope.node):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            if any(isinstance(part, ast.Name) and part.id == name for part in parts):
                found.append((node.lineno, node.value))
    return sorted(found, key=lambda made: made[0])


def _is_batched(scope: Scope, value: ast.expr) -> bool:
    """Whether a value gets an axis where it is made, or a line above where it has its name."""
    if adds_axis(value):
        return True
    if not isinstance(value, ast.Name):
        return False
    return any(adds_axis(made) for _, made in _assigned(scope, value.id))


def _items(case: Case, wanted: int) -> Iterator[Clue]:
    """Find the items of a data set that have another number of parts than all loops take.

    Where two or more loops of the program take ``wanted`` parts and none takes as many as
    ``__getitem__`` returns, the loops agree on what an item is.
    """
    site = case.sites[-1] if case.sites else None
    if site is None or not isinstance(site.statement, (ast.For, ast.AsyncFor)):
        return
    taken: dict[int, int] = {}
    returns: list[tuple[str, ast.Return, int]] = []
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, (ast.For, ast.AsyncFor)):
                count = _parts_taken(node)
                taken[count] = taken.get(count, 0) + 1
            elif isinstance(node, ast.FunctionDef) and node.name == "__getitem__":
                returns.extend(_returned(file, node))
    odd = [one for one in returns if one[2] != wanted]
    if len(odd) != len(returns) or taken.get(wanted, 0) < ENOUGH_LOOPS:
        return
    for file, returned, count in odd:
        if not taken.get(count):
            why = (
                f"an item has {count} parts here, and {taken[wanted]} loops of the program "
                f"take {wanted}"
            )
            yield Clue("rules.strong", file, returned.lineno, 1.0 / len(odd) ** 0.5, why)


def _parts_taken(loop: ast.For | ast.AsyncFor) -> int:
    """Return how many names a loop takes of an item, 1 where it takes it whole.

    Of ``enumerate`` and ``tqdm(enumerate(…))`` the item is the second part.
    """
    target = loop.target
    counted = "enumerate(" in ast.unparse(loop.iter)
    if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 1


def _returned(file: str, function: ast.FunctionDef) -> Iterator[tuple[str, ast.Return, int]]:
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            yield file, node, len(node.value.elts)


# ---------------------------------------------------------------------- training and evaluation
FLAG = re.compile(r"(?i)\b(?:is_?)?(?:train(?:ing)?|augment\w*)\b|['\"]train\w*['\"]")
PREPARES = re.compile(
    r"(?i)crop|resiz|pad|trunc|trim|cut|normali|standardi|scale|rescale|encode|tokeni|totensor"
    r"|to_tensor|grayscale|convert|cast|float|flatten|reshape|transpose|permute|window|one_?hot|clip"
)
EVALUATES = re.compile(
    r"(?i)\b\w*(?:val(?:id\w*)?|eval\w*|test\w*|predict\w*|infer\w*|score)_?\w*\b"
)
CATEGORIES = {"tensor_mismatch", "illegal_argument", "type_mismatch", "illegal_index"}
MOST_TRAINING_FILES = 40


def find_train_only(case: Case) -> Iterator[Clue]:
    """Yield the conditions under which only training data are prepared as the model expects."""
    if case.category.id not in CATEGORIES or not _evaluates(case):
        return
    found: dict[tuple[str, int], str] = {}
    switched_off = follow(case).switched_off
    for file in near_files(case)[:MOST_TRAINING_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.If) or not FLAG.search(source(node.test)):
                continue
            if isinstance(node.test, ast.UnaryOp):
                continue
            names = {called_name(call) or "" for part in node.body for call in calls_in(part)}
            done = {name for name in names if PREPARES.search(name)}
            otherwise = {called_name(c) or "" for s in node.orelse for c in calls_in(s)}
            missing = sorted(n for n in done if not _has_like(n, otherwise))
            if not missing:
                continue
            if (file, node.lineno) in switched_off:
                continue  # A setting switches it off for all data.
            why = f"`{missing[0]}` is done under `{source(node.test)}` alone"
            line = next(
                (c.lineno for s in node.body for c in calls_in(s) if called_name(c) == missing[0]),
                node.lineno,
            )
            found.update({(file, node.lineno): why, (file, line): why})
    for (file, line), why in found.items():
        yield Clue("rules.train_only", file, line, (2 / max(len(found), 2)) ** 0.5, why)


RESIZES = re.compile(r"(?i)crop|resiz|pad|trunc|trim|rescale|window|clip|collat|flatten|reshape")


def find_switched_off(case: Case) -> Iterator[Clue]:
    """Yield the settings that switch off a step which gives data one size, where sizes differ."""
    if case.category.id != "tensor_mismatch" or not case.places:
        return
    outcome = follow(case)
    if outcome.raised is not None and outcome.raised.weight >= 1.0:
        return  # It is known which sizes differ, and what made them.
    evaluates = _evaluates(case)
    found: dict[tuple[str, int], str] = {}
    for (file, line), settings in outcome.switched_off.items():
        tree = case.workspace.tree(file)
        branches = [n for n in ast.walk(tree) if isinstance(n, ast.If)] if tree is not None else []
        branch = next((n for n in branches if n.lineno == line), None)
        around = (
            source(n.test)
            for n in branches
            if n.body[0].lineno <= line <= (n.body[-1].end_lineno or 0)
        )
        if branch is None or (evaluates and any(FLAG.search(test) for test in around)):
            continue
        names = [called_name(call) or "" for part in branch.body for call in calls_in(part)]
        step = next((name for name in names if RESIZES.search(name)), None)
        for place in settings if step is not None else ():
            found[place] = f"for this setting `{step}` at line {line} of {file} was left out"
    for (file, line), why in sorted(found.items()):
        yield Clue(
            "rules.train_only", file, line, 1 / len(found) ** 0.5, f"{why} {how_known(case)}"
        )


def _evaluates(case: Case) -> bool:
    """Say whether the stack went through the evaluation of what was trained before."""
    names = [frame.function or "" for frame, place in case.located if place is not None]
    sources = [frame.source or "" for frame, place in case.located if place is not None]
    return any(EVALUATES.search(text) for text in (*names, *sources))


def _has_like(name: str, others: set[str]) -> bool:
    """Whether one of the other calls does the same kind of thing (a crop for a crop)."""
    match = PREPARES.search(name)
    word = match[0].lower() if match else name.lower()
    return any(word in other.lower() for other in others)


# ---------------------------------------------------------------------- settings
NOT_FINITE = re.compile(
    r"(?i)\b(?:nans?|inf|infinity|non-?finite|not finite|overflow\w*|diverg\w+)\b"
)
DIVERGED = {"loss_nan", "loss_divergence"}
OPTIONS = {"add_argument", "option", "DEFINE_float", "Option"}
COUNTS = re.compile(
    r"(?i)epoch|step|iter|batch|worker|seed|size|num|count|^n_|_n$|port|dim|layer|width|hidden|depth"
    r"|channel|head|length|every|interval|freq|patience|rank|gpu|device|class|vocab|max_len|warmup"
)
"""Options whose magnitude follows what a run is for."""
LEAST = 1.5
"""Orders of magnitude from which a value is far from its default."""
MOST = 2.0
"""Orders of magnitude from which it counts wholly."""
MOST_SETTING_FILES = 20
MOST_COMMANDS = 6


def find_far_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings of a command that are far from the defaults of their options."""
    if not NOT_FINITE.search(case.message) and case.category.id not in DIVERGED:
        return
    found: dict[tuple[str, int], tuple[float, str]] = {}
    for launch in _commands(case):
        defaults = _defaults(case, launch.script)
        for word in launch.words:
            name = _option(word)
            default, value = defaults.get(name), _number(word.value)
            if default is None or value is None or COUNTS.search(name) or not word.line:
                continue
            far = _orders(value, default)
            if far >= LEAST:
                why = f"`{name}` is {word.text} here and {default:g} by default"
                found[word.file, word.line] = (min(far / MOST, 1.0), why)
    for (file, line), (score, why) in found.items():
        yield Clue("rules.strong", file, line, score / math.sqrt(len(found)), why)


def _commands(case: Case) -> list[Launch]:
    """Return the failing command and those before it in its file."""
    launches = [launch for launch in case.engine.run.launches if launch.file]
    if len(launches) != 1:
        return launches[:1]
    return [*commands_before(case.workspace, launches[0]), *launches][-MOST_COMMANDS:]


def _defaults(case: Case, script: str) -> dict[str, float]:
    """Return the numbers that options have by default, by the names of the options."""
    found: dict[str, float] = {}
    for file in dict.fromkeys([script, *near_files(case)[:MOST_SETTING_FILES]]):
        tree = case.workspace.tree(file)
        for _, flag, held in _options(tree) if tree is not None else ():
            default = _number(held)
            if default is not None:
                found.setdefault(_as_parsed(flag), default)
    return found


def _options(tree: ast.AST) -> Iterator[tuple[int, str, object]]:
    """Yield the options with a default: line, flag as written, default; once for each flag."""
    for call in calls_in(tree):
        held = keyword(call, "default") if called_name(call) in OPTIONS else None
        if not isinstance(held, ast.Constant) or held.value is None:
            continue
        for flag in call.args:
            if isinstance(flag, ast.Constant):
                yield call.lineno, str(flag.value), held.value


def _as_parsed(flag: str) -> str:
    """Return the name of an option as the parsed arguments have it."""
    return flag.lstrip("-").replace("-", "_")


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _orders(value: float, default: float) -> float:
    """Return by how many orders of magnitude two numbers differ; 0 where one of them is 0."""
    if not value or not default or not math.isfinite(value) or not math.isfinite(default):
        return 0.0
    return abs(math.log10(abs(value / default)))


OWN_OPTIONS = re.compile(r"(?i)path|dir|file|out|save|log|name|config|data|root|mode|verbose|seed")
"""Options that differ from command to command: names of files, and seeds of random numbers."""
OF_WRITER = 0.5
"""What the value counts that the command had which wrote what another one misses."""
OF_OTHER_NAME = 0.6
"""What an option counts of which only a part of the name is that of the other command's option."""


def find_options_not_given(case: Case) -> Iterator[Clue]:
    """Yield the options at their default that another command of the same file gets a value for.

    Where the default is known to be in one of two values that do not fit, the command brought it in
    that leaves the option out.
    """
    for left_out in _left_at_default(case):
        launch, name, default = left_out.launch, left_out.name, left_out.default
        place, score = left_out.place, left_out.score
        other = f"line {left_out.given} gives `{left_out.option}` to another command"
        stands = f"`{name}` stays {default}: {launch.file}:{launch.line} does not give it"
        yield Clue("rules.option_not_given", *place, score, f"{stands}, while {other}")
        leaves = f"this command leaves `{name}` at its default, {default}"
        command = launch.file, launch.line
        yield Clue("rules.option_not_given", *command, score, f"{leaves}, while {other}")
        if left_out.does_not_fit:
            why = f"{leaves}, which goes into the value that fails {how_known(case)}"
            yield Clue("interpretation.origin", *command, score, why)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An option that the failing command leaves at its default and another one gets a value for.

    ``place`` has the default, ``given`` is the line of the value; ``does_not_fit`` tells that the
    default went into one of two values that do not fit, and not into the other one.
    """

    launch: Launch
    name: str
    option: str
    default: str
    place: tuple[str, int]
    given: int
    score: float
    does_not_fit: bool


_LEFT_OUT: WeakKeyDictionary[Case, tuple[LeftOut, ...]] = WeakKeyDictionary()
OF_DEFAULTS = ("interpretation.", "repair.followed", "numbers.", "slice.", "rules.option_not_given")
OF_DEFAULT = 0.4
"""What these count on a default that does not fit where the command is to give another value."""


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less on a default that a command should not have left in force."""
    if not clue.kind.startswith(OF_DEFAULTS):
        return 1.0
    place = (clue.file, clue.line)
    is_left = any(left.does_not_fit and left.place == place for left in _left_at_default(case))
    return OF_DEFAULT if is_left else 1.0


def _left_at_default(case: Case) -> tuple[LeftOut, ...]:
    if case not in _LEFT_OUT:
        _LEFT_OUT[case] = tuple(_options_left_out(case))
    return _LEFT_OUT[case]


def _options_left_out(case: Case) -> Iterator[LeftOut]:
    commands = _commands(case)
    launch = commands[-1] if commands else None
    if launch is None:
        return
    given = {_option(word) for word in launch.words}
    defaults = {n: d for n, d in _declared(case, launch.script).items() if n not in given}
    unlike = _of_one_side(case) if len(commands) > 1 and defaults else frozenset()
    seen: set[str] = set()
    for word in (word for command in commands[:-1] for word in command.words):
        option = _option(word)
        name = option if option in defaults else _ending_in(option, defaults)
        if not option or name is None or name in seen:
            continue
        file, line, default = defaults[name]
        if default == word.text:
            continue
        # Another config file says all else differently, too.
        are_configs = all(str(v).endswith(CONFIG_EXTENSIONS) for v in (default, word.text))
        if OWN_OPTIONS.search(name) and not are_configs:
            continue
        # How many samples come at once is no part of a model's state.
        of_state = "state_dict" in case.message and "batch" in name
        if of_state or (case.category.id in INDIFFERENT and name in BYSTANDERS):
            continue
        seen.add(name)
        score = 1.0 if name == option else OF_OTHER_NAME
        # An option of another name may mean another thing.
        is_odd = (file, line) in unlike and name == option
        yield LeftOut(launch, name, option, default, (file, line), word.line, score, is_odd)


def _of_one_side(case: Case) -> frozenset[Origin]:
    """Return what made one of two values that do not fit and not the other one, as followed."""
    raised = follow(case).raised if case.places else None
    if raised is None or raised.weight < 1.0 or raised.what not in ("size", "index"):
        return frozenset()
    made = [places_of(origins_of(side), of_types=False) for side in raised.sides[:2]]
    return frozenset(made[0] ^ made[1]) if len(made) == 2 and all(made) else frozenset()


def find_files_of_another_value(case: Case) -> Iterator[Clue]:
    """Yield the options with which an earlier command wrote what is missing under another name.

    The missing path has the failing command's value of an option as a part; with the earlier one's
    in its place it is a file that that command wrote.
    """
    commands = _commands(case) if case.category.id == "path_not_found" else []
    if len(commands) < 2:
        return
    launch = commands[-1]
    own = _values_of(case, launch)
    paths = [str(fact.value).replace("\\", "/") for fact in case.facts.of(FactKind.PATH)]
    for command in commands[:-1]:
        others = _values_of(case, command)
        for name, (theirs, other_place) in others.items():
            mine, place = own.get(name, (theirs, other_place))
            part = re.compile(rf"(?<![A-Za-z0-9.]){re.escape(mine)}(?![A-Za-z0-9]|\.\d)")
            for path in paths if mine != theirs else ():
                moved = part.sub(theirs.replace("\\", r"\\"), path)
                if moved == path or command.script not in earlier_runs(case).writers(moved):
                    continue
                wrote = f"the command of line {command.line}, which wrote `{moved}`"
                why = (
                    f"`{name}` is {mine} for this command, which looks for `{path}`, and {theirs} "
                    f"for {wrote} {how_known(case)}"
                )
                given = {_option(word) for word in launch.words}
                here = place if name in given else (launch.file, launch.line)
                yield Clue("rules.strong", *here, 1.0, why)
                yield Clue("rules.option_not_given", *other_place, OF_WRITER, why)


def _values_of(case: Case, launch: Launch) -> dict[str, tuple[str, tuple[str, int]]]:
    """Return what a command's options are, given or by default: as text, with its place."""
    declared = _declared(case, launch.script)
    values = {name: (default, (file, line)) for name, (file, line, default) in declared.items()}
    given = ((_option(word), word) for word in launch.words)
    return values | {name: (w.text, (w.file, w.line)) for name, w in given if name and w.line}


def _option(word: ConfigEntry) -> str:
    """Return the name of an option as the parsed arguments have it, empty for bare words."""
    return _as_parsed(name_of(word))


def _ending_in(option: str, names: Iterable[str]) -> str | None:
    """Return the only longer name that ends in an option's, as ``image_size`` in ``size``."""
    found = [name for name in names if option and name.endswith(f"_{option}")]
    return found[0] if len(found) == 1 else None


def _declared(case: Case, script: str) -> dict[str, tuple[str, int, str]]:
    """Return the options of a script with a default: file, line and the default as a text."""
    found: dict[str, tuple[str, int, str]] = {}
    tree = case.workspace.tree(script)
    for line, flag, default in _options(tree) if tree is not None else ():
        if flag.startswith("--"):
            found.setdefault(_as_parsed(flag), (script, line, str(default)))
    return found


# ---------------------------------------------------------------------- orders
AXES = {
    **dict.fromkeys(("h", "height", "rows", "ny"), "height"),
    **dict.fromkeys(("w", "width", "cols", "columns", "nx"), "width"),
    **dict.fromkeys(("mean", "mu", "means"), "mean"),
    **dict.fromkeys(("std", "sd", "sigma", "stds"), "std"),
    **dict.fromkeys(("lo", "low", "min", "lower", "vmin"), "low"),
    **dict.fromkeys(("hi", "high", "max", "upper", "vmax"), "high"),
    **dict.fromkeys(("lat", "latitude"), "latitude"),
    **dict.fromkeys(("lon", "lng", "longitude"), "longitude"),
}
"""What names mean of which two are often unpacked together."""


def find_other_order(case: Case) -> Iterator[Clue]:
    """Yield where one thing is unpacked in another order of the same names than elsewhere.

    Of a value two names are compared by what they mean, of a call's results all names as they are.
    """
    orders: dict[tuple[str, frozenset[str]], dict[tuple[str, ...], list[tuple[str, int]]]] = {}
    trees = {file: case.workspace.tree(file) for file in near_files(case)[:MOST_FILES]}
    nodes = [(file, n) for file, tree in trees.items() if tree is not None for n in ast.walk(tree)]
    own = {node.name for _, node in nodes if isinstance(node, ast.FunctionDef)}
    for file, node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            held, names = _unpacked(node.targets[0], node.value, own)
            if held and "" not in names and len(set(names)) == len(names) > 1:
                places = orders.setdefault((held, frozenset(names)), {})
                places.setdefault(names, []).append((file, node.lineno))
    for (held, _), places in orders.items():
        if len(places) != 2:
            continue
        counts = {names: len(at) for names, at in places.items()}
        for names, at in places.items():
            other = next(o for o in places if o != names)
            if counts[names] > counts[other]:
                continue
            file, line = places[other][0]
            moved = [k for k, name in enumerate(names) if name != other[k]]
            here, there = (_listed([order[k] for k in moved]) for order in (names, other))
            why = f"`{held}` is unpacked as {here} here, and as {there} in {file}:{line}"
            yield from (Clue("rules.other_order", *place, 1.0, why) for place in at)


def _unpacked(
    target: ast.Tuple, value: ast.expr, own: Collection[str]
) -> tuple[str, tuple[str, ...]]:
    """Return what is unpacked and the names that take its parts.

    It is empty where it has no name, and for calls other than of functions of the program: the
    results of others change their order with the arguments, as those of a call that takes the same
    names do.
    """
    names = tuple(map(_last_name, target.elts))
    if isinstance(value, ast.Call):
        given = {_last_name(item) for item in value.args}
        is_own = called_name(value) in own and not given & set(names)
        return (f"{called_name(value)}()" if is_own else ""), names
    names = tuple(map(_meaning, target.elts))
    return (_last_name(value) if len(names) == 2 else ""), names


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _meaning(target: ast.expr) -> str:
    """Return what a name stands for, by its last part; empty where it is not known."""
    name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
    parts = parts_of(name)
    return AXES.get(parts[-1], "") if parts else ""


# ---------------------------------------------------------------------- units
UNITS: tuple[frozenset[str], ...] = (
    frozenset(("step", "steps", "iters", "iterations", "updates")),
    frozenset(("epoch", "epochs")),
    frozenset(("hour", "hours")),
    frozenset(("minute", "minutes")),
    frozenset(("second", "seconds", "secs")),
    frozenset(("ms", "millis", "milliseconds")),
    frozenset(("day", "days")),
    frozenset(("frames",)),
    frozenset(("samples",)),
    frozenset(("batches",)),
    frozenset(("tokens",)),
    frozenset(("words",)),
    frozenset(("chars", "characters")),
    frozenset(("percent", "pct")),
    frozenset(("hz",)),
    frozenset(("khz",)),
    frozenset(("px", "pixels")),
    frozenset(("patches",)),
    frozenset(("mb",)),
    frozenset(("gb",)),
)
RATES = frozenset(("per", "every", "of", "in", "to", "at", "by"))
"""Words of names that count one unit by another."""


OF_NO_NUMBER = frozenset(
    ("path_not_found", "library_not_found", "attribute_not_found", "undefined_variable")
)
"""Categories of failures that no number leads to."""


def find_units(case: Case) -> Iterator[Clue]:
    """Yield where a value of one unit is handed on to a name of another one."""
    if case.category.id in OF_NO_NUMBER:
        return
    on_path = {(step.node.file, step.node.line) for step in case.stack_steps}
    seen: set[tuple[str, int]] = set()
    for scope in near_scopes(case):
        for node in ast.walk(scope.node):
            for target, value in _handed_on(node):
                wanted, given = unit_of(target), unit_of(_last_name(value))
                place = (scope.file, value.lineno)
                if wanted is None or given is None or wanted == given or place in seen:
                    continue
                seen.add(place)
                score = 1.0 if place in on_path else 0.4
                why = (
                    f"`{target}` gets `{source(value)}` as it is: the two names count in"
                    " different units"
                )
                yield Clue("rules.unit", *place, score, why)


def unit_of(name: str) -> int | None:
    """Return the number of the unit that a name counts in, None where it has none or several."""
    parts = parts_of(name)
    if RATES & set(parts):
        return None
    found = [i for i, words in enumerate(UNITS) if words & set(parts)]
    return found[0] if len(found) == 1 else None


def _handed_on(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with the values that they get unchanged: assignments and keywords."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        name = getattr(target, "attr", None) or getattr(target, "id", None)
        if isinstance(name, str):
            yield name, node.value
    elif isinstance(node, ast.Call):
        yield from ((word.arg, word.value) for word in node.keywords if word.arg is not None)


def _last_name(value: ast.expr) -> str:
    """Return the name under which a value is read, empty where it is computed."""
    if isinstance(value, ast.Name):
        return value.id
    if isinstance(value, ast.Attribute):
        return value.attr
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return str(value.slice.value)
    return ""
