"""Rules for settings: objects that they choose, calls that do not hand them on, texts for lists.

- ``if cfg["kind"] == "uniform": return Uniform()`` and ``KINDS[cfg["kind"]]()`` make what the
  setting names. The setting does not go into the object, so that no slice of its value leads there.
- A model that takes one size from its settings and leaves another part at the default of its
  constructor works for as long as both are the same.
- A loop over a text gives its letters, where one over a list gives its items.
- YAML reads some plain words and digits as something else than the text that stands there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, defaults_of, source
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.evidence.interpreted_values import origins_of, places_of
from dl_bug_lsp.interpretation.values import Origin, Raised
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.workspace.contents import ConfigEntry

OF_KINDS = frozenset(("type_mismatch", "attribute_not_found", "framework_api_misuse"))
"""Categories of failures that an object of another class has."""
MOST_STEPS = 60
OF_TEST = 12
"""Steps of the slice of what is compared."""


def find_choosing_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings that chose an object which the failing expression refuses for its kind."""
    if not _is_about_kinds(case):
        return
    seen: set[tuple[str, int]] = set()
    for step in case.raise_slice[:MOST_STEPS]:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, ast.Call) or node.line <= 0:
            continue
        for entry in _choosing(case, node):
            if (entry.file, entry.line) in seen or entry.file.endswith(".py"):
                continue
            seen.add((entry.file, entry.line))
            why = (
                f"`{entry.key}: {entry.text}` chooses `{source(node.expr)}` in {node.file}:"
                f"{node.line}, which goes into what fails"
            )
            yield Clue("config.handed_on", entry.file, entry.line, _closeness(step), why)


def _closeness(step: Step) -> float:
    return 1.0 / (1.0 + step.distance / 8.0)


def _is_about_kinds(case: Case) -> bool:
    """Whether an object's class is what fails, as far as the message or the statement tells."""
    statement = case.sites[-1].statement if case.sites else None
    if isinstance(statement, ast.Assert):
        return any(called_name(call) == "isinstance" for call in calls_in(statement.test))
    return case.category.id in OF_KINDS and statement is not None


def _choosing(case: Case, node: Node) -> Iterator[ConfigEntry]:
    """Yield the settings with which the tests around a call were true, or by which it is called."""
    scope = node.context.scope
    assert isinstance(node.expr, ast.Call)
    if isinstance(node.expr.func, ast.Subscript):
        yield from _settings_in(node, node.expr.func.slice, None)
    if scope.is_module or scope.is_class:
        return
    for part in ast.walk(scope.node):
        if isinstance(part, ast.If) and _holds_in(part.body, node.line):
            for test in ast.walk(part.test):
                if isinstance(test, ast.Compare) and len(test.ops) == 1:
                    yield from _of_comparison(node, test)


def _holds_in(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _of_comparison(node: Node, test: ast.Compare) -> Iterator[ConfigEntry]:
    """Yield the setting that a comparison finds equal to a constant."""
    if not isinstance(test.ops[0], (ast.Eq, ast.In, ast.Is)):
        return
    sides = test.left, test.comparators[0]
    for own, other in (sides, sides[::-1]):
        held: set[object] = {
            part.value for part in ast.walk(other) if isinstance(part, ast.Constant)
        }
        yield from _settings_in(node, own, held)


def _settings_in(node: Node, expr: ast.expr, held: set[object] | None) -> Iterator[ConfigEntry]:
    """Yield the settings that an expression stands for, with one of the values held."""
    inner = node.engine.node(expr, node.context)
    for step in backward_slice([inner], OF_TEST):
        entry = step.node.entry
        if step.node.kind is not StepKind.CONFIG or entry is None or entry.length is not None:
            continue
        if held is None or entry.value in held:
            yield entry


SHORTEST_NAME = 4
"""Characters of a name from which on it means the same as a part of a longer one."""
OF_SETTING = 0.5
"""What the setting counts that a call should have handed on: it is meant as it is."""
_FOUND: WeakKeyDictionary[Case, list[tuple[Clue, Origin]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Unset:
    """A parameter whose default went into one side of the failure: its name and value.

    ``function`` is the place of its function, ``owner`` what calls write of it.
    """

    name: str
    value: int
    function: Origin
    owner: str


def find_unset_parameters(case: Case) -> Iterator[Clue]:
    """Yield the calls that leave a parameter unset of whose name there is a setting.

    The default went into one side of the reproduced failure, and the setting into the other.
    """
    for clue, _ in _found(case):
        yield clue


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less on a setting that a call should have handed on."""
    if clue.file.endswith(".py") or not case.places:
        return 1.0
    return OF_SETTING if any((clue.file, clue.line) == at for _, at in _found(case)) else 1.0


def _found(case: Case) -> list[tuple[Clue, Origin]]:
    if case not in _FOUND:
        _FOUND[case] = list(_find(case))
    return _FOUND[case]


def _find(case: Case) -> Iterator[tuple[Clue, Origin]]:
    """Yield the calls, each with the place of the setting."""
    outcome = follow(case) if case.places else None
    raised = outcome.raised if outcome is not None else None
    if outcome is None or raised is None or raised.weight < 1.0 or len(raised.sides) != 2:
        return
    for at in (0, 1):
        for unset in _unset(case, raised, at):
            setting = _setting(case, raised, 1 - at, unset)
            if setting is None:
                continue
            file, line, text = setting
            for place, callees in outcome.callees.items():
                if unset.function not in callees:
                    continue
                call = _call_without(case, place, unset)
                if call is not None:
                    why = (
                        f"`{source(call)}` leaves `{unset.name}` at its default, {unset.value}, "
                        f"while `{text}` stands in {file}:{line} {how_known(case)}"
                    )
                    yield Clue("rules.strong", *place, 1.0, why), (file, line)


def _origins(raised: Raised, at: int) -> set[Origin]:
    return places_of(origins_of(raised.sides[at]), of_types=True)


def _unset(case: Case, raised: Raised, at: int) -> Iterator[Unset]:
    """Yield the parameters whose default is the value of one side."""
    value = raised.sides[at].data
    origins = _origins(raised, at)
    for file in sorted({file for file, _ in origins if file.endswith(".py")}):
        tree = case.workspace.tree(file)
        for owner, function in _functions(tree) if tree is not None else ():
            for name, default in defaults_of(function).items():
                number = default.value if isinstance(default, ast.Constant) else None
                if type(number) is int and number == value and (file, default.lineno) in origins:
                    yield Unset(name, number, (file, function.lineno), owner)


def _functions(tree: ast.AST) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions with the name that calls of them have: of a constructor the class's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                    yield node.name, part


def _setting(case: Case, raised: Raised, at: int, unset: Unset) -> tuple[str, int, str] | None:
    """Return the place and text of the setting of the parameter's name that made a side."""
    value = raised.sides[at].data
    if value == unset.value:
        return None
    for file, line in sorted(_origins(raised, at)):
        for entry in () if file.endswith(".py") else case.workspace.config_entries(file):
            if entry.line == line and entry.value == value and _are_alike(entry.key, unset.name):
                return file, line, f"{entry.key}: {entry.text}"
    return None


def _are_alike(key: str, name: str) -> bool:
    """Whether a setting and a parameter have one name, or one ends in the other's."""
    names = sorted((text.lower().replace("-", "_").lstrip("_") for text in (key, name)), key=len)
    short, long = names
    return short == long or (len(short) >= SHORTEST_NAME and long.endswith(f"_{short}"))


def _call_without(case: Case, place: Origin, unset: Unset) -> ast.Call | None:
    """Return the call at a line that certainly does not give the parameter, None without one."""
    file, line = place
    tree = case.workspace.tree(file)
    for call in calls_in(tree) if tree is not None else ():
        if call.lineno != line or called_name(call) != unset.owner:
            continue
        spreads = any(isinstance(argument, ast.Starred) for argument in call.args)
        names = {keyword.arg for keyword in call.keywords}
        given = len(call.args) > _position(case, unset)
        if not spreads and not given and not names & {None, unset.name}:
            return call
    return None


def _position(case: Case, unset: Unset) -> int:
    """Return the 0-based position at which calls give the parameter."""
    tree = case.workspace.tree(unset.function[0])
    for owner, function in _functions(tree) if tree is not None else ():
        if function.lineno == unset.function[1]:
            names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
            own = names.index(unset.name) if unset.name in names else len(names) + 1
            return own - (names[:1] in (["self"], ["cls"]) and owner != "")
    return 0


def find_single_items(case: Case) -> Iterator[Clue]:
    """Yield the settings that are a text whose first letter is the key that is missing.

    The failing expression uses what was made of the setting.
    """
    keys = {str(fact.value) for fact in case.facts.of(FactKind.KEY)}
    letters = {key for key in keys if len(key) == 1 and key.isalpha()}
    if not letters or not case.places:
        return
    outcome = follow(case)
    raised = outcome.raised
    values = (*outcome.operands, *(raised.sides if raised is not None else ()))
    origins = {origin for value in values for origin in value.origins}
    for file, line in sorted(places_of(origins, of_types=True)):
        if file.endswith(".py"):
            continue
        for entry in case.workspace.config_entries(file):
            text = entry.value
            if entry.line == line and isinstance(text, str) and text[:1] in letters and text[1:]:
                why = (
                    f"`{entry.key}` is the text `{text}`, which begins with the missing key "
                    f"`{text[0]}`: a loop over a text gives its letters, one over a list its items"
                )
                yield Clue("rules.strong", file, line, 1.0, why)


TRUTH_WORDS = {
    **dict.fromkeys(("yes", "on"), True),
    **dict.fromkeys(("no", "off"), False),
}
"""Words beside ``true`` and ``false`` that YAML 1.1 reads as truth values (yaml.org/type/bool)."""
CLOCK = re.compile(r"\d+(?::[0-5]?\d)+")
OCTAL = re.compile(r"0[0-7]+")
OF_YAML = (".yaml", ".yml")
MOST_SETTINGS = 400
"""Settings of a file that are looked at."""


def find_resolved_scalars(case: Case) -> Iterator[Clue]:
    """Yield settings that YAML reads as another value than the text, which the message has.

    Source: YAML 1.1, "Language-Independent Types", which PyYAML implements.
    """
    cause = case.failure.cause
    message = case.message if cause is not None else ""
    if not message or not case.places:
        return
    for file in case.config_files:
        entries = case.workspace.config_entries(file) if file.endswith(OF_YAML) else ()
        for entry in entries[:MOST_SETTINGS]:
            line = case.workspace.source_line(entry.file, entry.line)
            why = _resolved_key(entry, line, message) or _resolved_value(entry, message)
            if why:
                yield Clue("rules.strong", entry.file, entry.line, 1.0, why)


def _resolved_key(entry: ConfigEntry, line: str, message: str) -> str:
    key = str(entry.path[-1]) if entry.path else ""
    read = TRUTH_WORDS.get(key.lower())
    if read is None or re.search(rf"(?<![\w'\"]){re.escape(key)}\s*:", line) is None:
        return ""
    if not _stands_in(message, repr(read)) and f"'{key}'" not in message:
        return ""
    return f"YAML reads the plain key `{key}` as {read}; in quotes it is the text"


def _resolved_value(entry: ConfigEntry, message: str) -> str:
    text, value = entry.text, entry.value
    changed = (
        (isinstance(value, bool) and TRUTH_WORDS.get(text.lower()) is value)
        or (type(value) is int and bool(CLOCK.fullmatch(text)))
        or (type(value) is int and bool(OCTAL.fullmatch(text)) and int(text) != value)
    )
    if not changed or not _stands_in(message, repr(value)):
        return ""
    return f"YAML reads the plain `{text}` as {value}; in quotes it is the text"


def _stands_in(message: str, shown: str) -> bool:
    """Whether a value stands in a message as a word of its own."""
    return re.search(rf"(?<![A-Za-z0-9.]){re.escape(shown)}(?![A-Za-z0-9])", message) is not None
