"""Results that are taken in another order than they are given.

A function returns several values, and the names that take them say that two of them stand in each
other's place: `y, x = load()` of a function that returns `x, y`, `grads, loss` of JAX's
`value_and_grad`, models and loaders that `Accelerator.prepare` gives back in the order of its
arguments.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes, own_nodes, source
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.repairs.arguments import fits, name_of
from dl_bug_lsp.evidence.word_index import parts_of
from dl_bug_lsp.provenance.nodes import Library, LibraryObject, Node
from dl_bug_lsp.provenance.scopes import called_name

MOST_CROSSED = 1.19
"""From here on two names fit each other's results too well to stand where they do."""
MOST_TAKEN = 12
AS_GIVEN = frozenset({"prepare", "broadcast_arrays", "broadcast_tensors", "optimize", "initialize"})
"""Functions of libraries that return their arguments in the order in which they got them."""
OF_PARSERS = frozenset(
    {"parse_args_into_dataclasses", "parse_yaml_file", "parse_json_file", "parse_dict"}
)
"""Methods that give an object of each class of the parser, in their order (transformers)."""
RESULTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^jax\.value_and_grad$", ("loss|value|cost|energy|objective", "grad")),
    (r"^optax\..*\.update$", ("update", "state")),
    (r"train_test_split$", ("^x|feat|input", "^x|feat|input", "^y|lab|targ", "^y|lab|targ")),
    (r"^torch(?:\.Tensor)?\.(?:topk|sort|kthvalue|mode)$",
     ("val|score|prob|sorted", "ind|idx|arg")),
    (r"^(?:tensorflow|tf)\.(?:math|nn)\.top_k$", ("val|score|prob", "ind|idx|arg")),
    (r"\.nn\.moments$", ("mean|mu", "var")),
    (r"^torch\.(?:var|std)_mean$", ("var|std", "mean|mu")),
    (r"MultiheadAttention$", ("out|attended|^x$|^h$", "weight|^w$|map|score")),
    (r"^torch\.nn\.(?:LSTM|GRU|RNN)$", ("out|seq", "hidden|state|^h$|^hn$|^h_n$")),
    (r"linalg\.eigh?$", ("val|^w$|lambda", "vec|^v$")),
    (r"linalg\.qr$", ("^q$", "^r$")),
    (r"^numpy\.histogram$", ("hist|count|freq", "edge|bin")),
    (r"^(?:torchaudio|librosa|soundfile)\.(?:load|read)$",
     ("wav|audio|signal|sound|^y$|samples|data", r"^sr$|rate|^fs$|freq")),
    (r"wavfile\.read$", (r"^sr$|rate|^fs$|freq", "wav|audio|signal|sound|^y$|samples|data")),
    (r"^gym(?:nasium)?\..*\.reset$", ("obs|state|^s$", "info")),
    (r"^sklearn\.datasets\.make_", ("^x|data|feat|points", "^y|lab|targ")),
    (r"^cv2\.threshold$", ("ret|thr|^t$|^_$", "img|image|mask|binary|dst")),
    (r"^os\.walk$", ("root|path|dirpath", "dir", "file")),
)  # fmt: skip
"""Functions of libraries with what goes by which name in their results."""


Place: TypeAlias = tuple[str, int]
Named: TypeAlias = tuple[int, str]
"""The number of a result, and its name."""
Given: TypeAlias = tuple[Place, list[str]]
Located: TypeAlias = tuple[str, ast.FunctionDef]
NOWHERE: Place = ("", 0)
ENOUGH_TAKERS, OF_TAKERS = 2, 0.6
"""Statements that agree against a function, and what each of them counts then."""


def find(case: Case) -> Iterator[Clue]:
    """Yield statements that take the results of a call in another order than it gives them.

    Where several statements take them in the same other order, it is the function that gives them
    in a wrong one.
    """
    yield from _items_of_data_sets(case)
    takers: dict[tuple[Place, Named, Named], list[Clue]] = {}
    takings: dict[Place, set[Place]] = {}
    partly: dict[tuple[Place, int, int], set[Place]] = {}
    unfinished = {(place.file, place.line) for place in case.places[:-1]}
    on_way = {(step.node.file, step.node.line) for step in case.stack_steps}
    for scope in near_scopes(case):
        # The top of a notebook is all of its cells: most have nothing to do with the failure.
        is_loose = scope.is_module and scope.file.endswith(".ipynb")
        nodes = list(own_nodes(scope.node))
        calls = _named_results(nodes)
        for node in nodes:
            taken = _taken(node, calls)
            if taken is None:
                continue
            target, call = taken
            if is_loose and (scope.file, target.lineno) not in on_way:
                continue
            if (scope.file, target.lineno) in unfinished:
                # The call had not given anything yet.
                continue
            names = [name_of(item) for item in target.elts]
            made = case.engine.node(call, case.engine.open_context(scope))
            given = list(_given(call, made, _callees(case, scope.file, call)))
            for place, results in given:
                if len(results) == len(names):
                    taking = (scope.file, target.lineno)
                    takings.setdefault(place, set()).add(taking)
                    for i, j in _half_exchanged(names, results):
                        partly.setdefault((place, i, j), set()).add(taking)
            crossed = _crossed(names, given, call, made)
            if crossed is not None:
                place, a, b, is_moved = crossed
                clue = _clue(scope.file, target, a, b, call, is_moved)
                takers.setdefault((place, a, b), []).append(clue)
    for (place, a, b), clues in takers.items():
        agreeing = {(clue.file, clue.line) for clue in clues}
        agreeing |= partly.get((place, a[0], b[0]), set())
        if place != NOWHERE and len(agreeing) >= ENOUGH_TAKERS and agreeing >= takings[place]:
            why = (
                f"`{a[1]}` comes before `{b[1]}` here, and {len(agreeing)} statements take these "
                "results the other way round"
            )
            yield Clue("repair.swapped", *place, 1.0, why)
            clues = [replace(clue, score=OF_TAKERS, suggestion=None) for clue in clues]
        yield from clues


def _items_of_data_sets(case: Case) -> Iterator[Clue]:
    """Yield the items of data sets that loops over a loader take in another order.

    Loaders hand the parts of an item on in the order in which ``__getitem__`` returns them.
    """
    returned = list(_returned_items(case))
    for scope in near_scopes(case) if returned else ():
        for node in own_nodes(scope.node):
            if not isinstance(node, (ast.For, ast.AsyncFor)):
                continue
            names = _taken_in_turn(node.target)
            for file, expr in returned:
                given = [_name_of_result(item) for item in expr.elts]
                pair = _exchanged(names, given) if len(given) == len(names) else None
                if pair is None:
                    continue
                i, j = pair
                why = (
                    f"`{given[i]}` comes before `{given[j]}` in this item, and the loop in line "
                    f"{node.lineno} of {scope.file.rpartition('/')[2]} takes them for "
                    f"`{names[i]}` and `{names[j]}`"
                )
                yield Clue("repair.swapped", file, expr.lineno, 1.0, why)


def _returned_items(case: Case) -> Iterator[tuple[str, ast.Tuple]]:
    """Yield the tuples that the run's data sets, and functions that collate, return."""
    collating = {
        name_of(keyword.value)
        for file in case.code_files
        for call in ast.walk(case.workspace.tree(file) or ast.Module([], []))
        for keyword in (call.keywords if isinstance(call, ast.Call) else ())
        if keyword.arg == "collate_fn"
    }
    for file, function in _functions_at(case, follow(case).entered if case.places else ()):
        is_item = function.name == "__getitem__" or function.name in collating
        for part in own_nodes(function) if is_item else ():
            if isinstance(part, ast.Return) and isinstance(part.value, ast.Tuple):
                yield file, part.value


def _functions_at(
    case: Case, starts: Iterable[tuple[str, int]]
) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions that begin at places, each with its file, which is read once."""
    lines: dict[str, set[int]] = {}
    for file, line in sorted(starts):
        lines.setdefault(file, set()).add(line)
    for file, begins in lines.items():
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.lineno in begins:
                yield file, node


def _taken_in_turn(target: ast.expr) -> list[str]:
    """Return the names that a loop over a loader takes, without the number of ``enumerate``."""
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[-1] if isinstance(target.elts[-1], ast.Tuple) else target
    names = [name_of(item) for item in target.elts] if isinstance(target, ast.Tuple) else []
    return names if len(names) <= MOST_TAKEN else []


def _named_results(nodes: Iterable[ast.AST]) -> dict[str, ast.Call]:
    """Return the calls whose result gets a name that nothing else in a function has."""
    names = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored = Counter(names)
    return {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.targets[0], ast.Name)
        and stored[node.targets[0].id] == 1
    }


def _taken(node: ast.AST, calls: Mapping[str, ast.Call]) -> tuple[ast.Tuple, ast.Call] | None:
    """Return what takes a call's results, at once or by the name that they got, and the call."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value = node.targets[0], node.value
    if isinstance(value, ast.Name):
        value = calls.get(value.id, value)
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Call):
        return None
    starred = any(isinstance(item, ast.Starred) for item in target.elts)
    return None if starred or not 2 <= len(target.elts) <= MOST_TAKEN else (target, value)


def _callees(case: Case, file: str, call: ast.Call) -> Iterator[Located]:
    """Yield the functions that the followed run called in the line of a call, with their files."""
    starts = follow(case).callees.get((file, call.lineno), ()) if case.places else ()
    return _functions_at(case, starts)


def _crossed(
    names: Sequence[str], given: Iterable[Given], call: ast.Call, made: Node
) -> tuple[Place, Named, Named, bool] | None:
    """Return two places of a result, each with its own name, whose takers are exchanged.

    Before them stands where they are returned, `NOWHERE` for results of a library; behind them
    whether a third taker stands elsewhere, too.
    """
    for place, results in given:
        if len(results) == len(names):
            found = _exchanged(names, results)
            if found is not None:
                i, j = found
                is_moved = any(
                    max(_fit(name, results[i]), _fit(name, results[j])) > _fit(name, results[k])
                    for k, name in enumerate(names)
                    if k not in found
                )
                return place, (i, results[i]), (j, results[j]), is_moved
    for expected in _expected(call, made):
        if len(expected) == len(names):
            found = _mistaken(names, expected)
            if found is not None:
                i, j = found
                return NOWHERE, (i, names[j]), (j, names[i]), False
    return None


def _given(call: ast.Call, made: Node, callees: Iterator[Located]) -> Iterator[Given]:
    """Yield where and under which names a function of the program, or a call as it is, gives them.

    For those of a library the place is `NOWHERE`.
    """
    returned = [
        ((step.file, step.expr.lineno), step.expr)
        for role, step in made.inputs
        if role == "return" and isinstance(step.expr, ast.Tuple)
    ]
    for file, function in callees if not returned else ():
        nodes = [n for n in own_nodes(function) if isinstance(n, ast.Return)]
        tuples = [node.value for node in nodes if isinstance(node.value, ast.Tuple)]
        returned.extend(((file, expr.lineno), expr) for expr in tuples)
    for place, expr in returned:
        yield place, [_name_of_result(item) for item in expr.elts]
    if called_name(call) in AS_GIVEN and _library_names(call, made):
        yield NOWHERE, [name_of(item) for item in call.args]
    if called_name(call) in OF_PARSERS:
        for role, receiver in made.inputs:
            for value in receiver.values if role in ("receiver", "callee") else ():
                if isinstance(value, LibraryObject) and value.name.endswith("HfArgumentParser"):
                    yield from ((NOWHERE, names) for names in _classes_of(value))


JOINING = frozenset(
    {"stack", "cat", "concat", "concatenate", "tensor", "as_tensor", "array", "asarray"}
    | {"LongTensor", "FloatTensor", "pad_sequence", "from_numpy"}
)
"""Functions whose result is what they are given, in another form."""


def _classes_of(parser: LibraryObject) -> Iterator[list[str]]:
    """Yield the names of the classes of which a parser of Hugging Face makes one object each."""
    node = parser.call.expr
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if isinstance(given, (ast.Tuple, ast.List)):
        yield [name_of(item) for item in given.elts]


def _name_of_result(expr: ast.expr) -> str:
    """Return what a returned value goes by: its name, or that of the method that made it."""
    name = name_of(expr)
    if isinstance(expr, ast.Call) and called_name(expr) in JOINING and expr.args:
        return name_of(expr.args[0]) or name
    if name or not isinstance(expr, ast.Call) or not isinstance(expr.func, ast.Attribute):
        return name
    return expr.func.attr


SHORTENED = 0.7
"""How well a name fits another one that it shortens (``res_out``, ``residual``)."""
LEAST_LETTERS = 3
LONG, OF_EQUAL = 5, 0.2
"""Letters from which on a name stands for one thing, and what it adds where it is the same."""


def _fit(taker: str, given: str) -> float:
    """Return how much the name of what takes a result says that it is meant for it, 0 to 1."""
    pairs = [(a, b) for a in parts_of(taker.lower()) for b in parts_of(given.lower())]
    pairs = [(a, b) for a, b in pairs if a != b and min(len(a), len(b)) >= LEAST_LETTERS]
    shortened = any(a.startswith(b) or b.startswith(a) for a, b in pairs)
    return max(fits(taker, given), SHORTENED if shortened else 0.0)


def _exchanged(names: Sequence[str], given: Sequence[str]) -> tuple[int, int] | None:
    """Return the two places whose names fit each other's results and not their own."""
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            crossed = _fit(names[i], given[j]) + _fit(names[j], given[i])
            if any(
                a == b and len(a) >= LONG for a, b in ((names[i], given[j]), (names[j], given[i]))
            ):
                crossed += OF_EQUAL
            straight = _fit(names[i], given[i]) + _fit(names[j], given[j])
            if crossed - straight >= MOST_CROSSED:
                return i, j
    # Three and more that are moved round fit nowhere by pairs.
    if sorted(names) == sorted(given) and all(names) and list(names) != list(given):
        i = next(k for k, name in enumerate(names) if name != given[k])
        return i, list(given).index(names[i])
    return None


def _half_exchanged(names: Sequence[str], given: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield two places of which one is left out, and the other's name fits its result alone."""
    for k, name in enumerate(names):
        for m, left_out in enumerate(names):
            more = _fit(name, given[m]) - _fit(name, given[k])
            if left_out == "_" != name and more >= MOST_CROSSED / 2:
                yield min(k, m), max(k, m)


def _library_names(call: ast.Call, made: Node) -> set[str]:
    callee = made.engine.node(call.func, made.context)
    return {v.name for v in callee.values if isinstance(v, (Library, LibraryObject))}


def _expected(call: ast.Call, made: Node) -> Iterator[Sequence[str]]:
    for name in sorted(_library_names(call, made)):
        for pattern, results in RESULTS:
            if re.search(pattern, name):
                yield results


def _mistaken(names: Sequence[str], expected: Sequence[str]) -> tuple[int, int] | None:
    """Return two places that are taken by names which belong to each other's results."""
    plain = [name.lower().strip("_") for name in names]
    for i in range(len(plain)):
        for j in range(i + 1, len(plain)):
            own = [re.search(expected[k], plain[k]) for k in (i, j)]
            other = [re.search(expected[j], plain[i]), re.search(expected[i], plain[j])]
            if all(other) and not any(own):
                return i, j
    return None


def _clue(file: str, target: ast.Tuple, a: Named, b: Named, call: ast.Call, is_moved: bool) -> Clue:
    (i, first), (j, second) = a, b
    names = [ast.unparse(item) for item in target.elts]
    if is_moved or (second == names[i] and first in names and first != names[j]):
        # Three and more names are moved round.
        why = (
            f"`{names[i]}` takes what `{source(call)}` gives for `{first}`: its results stand in "
            "another order than these names"
        )
        return Clue("repair.swapped", file, target.lineno, 1.0, why)
    why = (
        f"`{names[i]}` and `{names[j]}` take the results of `{source(call)}` the other way round: "
        f"`{first}` comes before `{second}`"
    )
    turned = list(names)
    turned[i], turned[j] = turned[j], turned[i]
    edit = Suggestion(file, target.lineno, ", ".join(names), ", ".join(turned))
    return Clue("repair.swapped", file, target.lineno, 1.0, why, edit)
