"""Rules for counts: indices out of range, divisions by zero, schedules that are too short."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.collectives import last_name
from dl_bug_lsp.evidence.data.written_data import writers_of
from dl_bug_lsp.evidence.domain_rules.syntax import DRAWN_MEASURES, keyword, near_files
from dl_bug_lsp.evidence.followed_run import CODE, follow, how_known
from dl_bug_lsp.evidence.interpreted_values import places_of
from dl_bug_lsp.evidence.numbers import counts_rounds
from dl_bug_lsp.evidence.repairs.replacements import measured
from dl_bug_lsp.interpretation.values import Element, Value
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.nodes import Node, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.workspace.contents import ConfigEntry

CLASS_ROLES = frozenset(
    {"num_classes", "n_classes", "num_labels", "out_features", "n_out", "num_actions", "n_actions",
     "classes"}
)  # fmt: skip
POSITION_ROLES = frozenset({"max_len", "max_position_embeddings"})
ROW_ROLES = frozenset({"num_embeddings", "vocab_size", "input_dim", "num_users", "num_items"})
WORD_ROLES = frozenset({"num_embeddings", "vocab_size", "num_tokens", "ntoken"})
VOCABULARY = "vocab"
"""What a file of words, one a line, or the setting that names it is called."""
LAST_FRAMES = 8
HANDING_ON = frozenset((StepKind.NAME, StepKind.ATTRIBUTE, StepKind.INDEXING))
MOST_HANDED_ON = 20
"""Names through which a setting comes to where it is used."""
LABEL_LOSSES = ("cross_entropy", "crossentropy", "nll_loss", "label value", "target")
"""What names a loss whose labels are indices of classes."""
COUNTERS = {"__len__", "size", "vocab_size", "num_classes", "n_classes", "num_labels", "num_tokens"}
WRITTEN_OUT = {StepKind.TEXT, StepKind.CONTAINER, StepKind.SLICING, StepKind.CHOICE}
"""Steps that make no number: what a table's size is counted from, not the size."""
DIFFERENT = {"nunique", "unique", "set", "value_counts", "drop_duplicates"}
TABLES = {"Embedding", "EmbeddingBag", "one_hot", "Embed", "CategoryEncoding", "bincount"}


LOOKUPS = {"StringLookup", "IntegerLookup"}
GROWS = {
    *(
        "add",
        "append",
        "extend",
        "update",
        "insert",
        "add_tokens",
        "add_special_tokens",
        "add_token",
    ),
    *("add_word", "add_symbol", "setdefault", "push", "register"),
}
"""Methods that make a table or a vocabulary longer."""


FEWEST_NAMES = 3
"""Names from which on a table of whole numbers may number classes."""


def find_label_maps(case: Case) -> Iterator[Clue]:
    """Yield the name that a table of names numbers beyond their count, where this is the index.

    The numbers of classes run from 0: a table with a gap, or one that begins with 1, has a number
    that no row of scores is there for.
    """
    if case.category.id != "illegal_index":
        return
    indices = {f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)}
    if not indices:
        return
    known = case.connections
    data = [f for f in known.data_files if f.endswith(".json")] if known is not None else []
    for file in dict.fromkeys((*case.engine.configuration.files, *case.config_files, *data)):
        tables: dict[tuple[str | int, ...], list[ConfigEntry]] = {}
        for entry in case.workspace.config_entries(file):
            tables.setdefault(entry.path[:-1], []).append(entry)
        for entries in tables.values():
            numbers = {e.value: e for e in entries if type(e.value) is int and e.key}
            count = len(numbers)
            highest = max(numbers, default=0)
            if count < FEWEST_NAMES or count != len(entries) or highest not in indices:
                continue
            if min(numbers) not in (0, 1) or not count <= highest < 2 * count:
                continue
            entry = numbers[highest]
            why = (
                f"`{entry.key}` has the number {highest}, and the table has {count} names:"
                f" numbers that begin with 0 end with {count - 1}"
            )
            yield Clue("data_files.explains", file, entry.line, 1.0, why)


def find_early_counts(case: Case) -> Iterator[Clue]:
    """Yield where the size of a thing is taken before more is put into it."""
    if case.category.id not in {"illegal_index", "tensor_mismatch", "illegal_argument"}:
        return
    seen: set[tuple[str, int]] = set()
    growing: dict[int, dict[str, list[ast.Call]]] = {}
    for step in case.stack_steps:
        expr, scope = step.node.expr, step.node.context.scope
        if not isinstance(expr, ast.Call) or called_name(expr) != "len" or len(expr.args) != 1:
            continue
        owner = ast.unparse(expr.args[0])
        place = (step.node.file, step.node.line)
        if place in seen or step.node.entry is not None or not re.fullmatch(r"[\w.]+", owner):
            continue
        if id(scope) not in growing:
            growing[id(scope)] = _growing(scope)
        calls = growing[id(scope)].get(owner, [])
        later = [call for call in calls if call.lineno > step.node.line]
        if later and owner != "self":
            seen.add(place)
            grown = min(later, key=lambda call: call.lineno)
            method = ast.unparse(grown.func)
            why = f"`len({owner})` is taken here, before `{method}` in line {grown.lineno}"
            yield Clue("rules.strong", *place, 1.0, why)


def _growing(scope: Scope) -> dict[str, list[ast.Call]]:
    """Return the calls of a scope that make something longer, by what they make longer."""
    calls: dict[str, list[ast.Call]] = {}
    for call in scope.calls:
        if called_name(call) in GROWS and isinstance(call.func, ast.Attribute):
            calls.setdefault(ast.unparse(call.func.value), []).append(call)
    return calls


def find_lookups(case: Case) -> Iterator[Clue]:
    """Yield look-up layers that count from 1, where labels are one too high.

    The first number is for words that the vocabulary does not hold, unless ``num_oov_indices`` is 0
    (Keras, `StringLookup`).
    """
    match = re.search(r"label value of (\d+) .{0,60}\[0, (\d+)\)", case.message)
    if match is None or match[1] != match[2]:
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        for call in ast.walk(tree) if tree is not None else ():
            if not isinstance(call, ast.Call) or called_name(call) not in LOOKUPS:
                continue
            if all(word.arg not in ("num_oov_indices", None) for word in call.keywords):
                why = "the numbers begin at 1 here: 0 is for unknown words (`num_oov_indices=1`)"
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def find_index_ranges(case: Case) -> Iterator[Clue]:
    """Yield shifts by one or two, and what sizes a table or the classes."""
    if case.category.id not in {"illegal_index", "tensor_mismatch", "illegal_argument"}:
        return
    roles = _roles_asked(case)
    layers = _layers_named(case)
    for step in case.property_slice:
        node = step.node
        if node.line <= 0 or (layers and _goes_into_other_layer(step, layers)):
            continue
        if node.entry is None and step.decides:
            yield from _shift(step)
        if case.category.id == "illegal_index":
            yield from _count(step, roles)


OPERATION = re.compile(r"\b(\w+(?:/\w+)+)")
"""The path of an operation of a graph: models, layers, the operation (``model/emb_1/GatherV2``)."""


def _layers_named(case: Case) -> set[str]:
    """Return the names of layers in the program that the path of the failed operation holds.

    Keras adds a number to a name that it uses again.
    """
    parts = {part for path in OPERATION.findall(case.message) for part in path.split("/")}
    parts |= {re.sub(r"_\d+$", "", part) for part in parts}
    return parts & case.words.texts(("string",)) if parts else set()


def _goes_into_other_layer(step: Step, layers: set[str]) -> bool:
    """Whether a step's value goes into a layer that is named, and not as the failed one is."""
    for one in step.way():
        expr = one.node.expr
        name = keyword(expr, "name") if isinstance(expr, ast.Call) else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return name.value not in layers
    return False


def find_own_offsets(case: Case) -> Iterator[Clue]:
    """Yield offsets of indices that grow by the number of these indices.

    Where parts are joined, indices into them are moved on by the number of the rows before, which
    the indices themselves do not tell: ``ids.append(part + start)``, ``start += len(part)``.
    """
    if case.category.id != "illegal_index":
        return
    files = {place.file for place in case.places} | follow(case).modules
    for file in sorted(files):
        tree = case.workspace.tree(file) if file.endswith(".py") else None
        for loop in ast.walk(tree) if tree is not None else ():
            if isinstance(loop, (ast.For, ast.While)):
                for grown in _grown_by_own_count(loop):
                    why = f"the offset of `{grown[1]}` grows by the number of its own indices"
                    yield Clue("rules.strong", file, grown[0], 1.0, why)


def _grown_by_own_count(loop: ast.For | ast.While) -> Iterator[tuple[int, str]]:
    """Yield the lines at which a counter grows by the size of what it is added to, and that."""
    nodes = list(ast.walk(loop))
    added = {
        (ast.unparse(one), other.id)
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for one, other in ((node.left, node.right), (node.right, node.left))
        if isinstance(other, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            counted = measured(node.value)
            target = node.target
            if counted is not None and isinstance(target, ast.Name):
                words = ast.unparse(counted)
                if (words, target.id) in added:
                    yield node.lineno, words


OF_JAX = re.compile(r"^\s*(?:import|from)\s+(?:jax|flax)\b", re.MULTILINE)


def find_counts_from_one(case: Case) -> Iterator[Clue]:
    """Yield ``len`` of a table whose numbers begin at 1, as what is indexed by them: one too few.

    ``{word: i for i, word in enumerate(words, start=1)}`` leaves 0 for padding or unknown words.
    """
    # Beyond the end of a table JAX gives NaN (JAX, "Sharp Bits": out-of-bounds indexing).
    is_filled = case.category.id == "loss_nan" and any(
        OF_JAX.search(case.workspace.text(file) or "") for file in near_files(case)
    )
    if case.category.id != "illegal_index" and not is_filled:
        return
    for file in near_files(case):
        tree = case.workspace.tree(file)
        begun = dict(_begun_at_one(tree)) if tree is not None else {}
        if not begun or tree is None:
            continue
        enlarged: set[int] = set()
        for node in ast.walk(tree):
            adds = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
            if adds and id(node) not in enlarged:
                enlarged.update(id(part) for part in ast.walk(node))
        for call, table in _lengths(tree):
            if table in begun and id(call) not in enlarged:
                why = f"the numbers of `{table}` begin above 0 (line {begun[table]})"
                why = f"{why}: `{ast.unparse(call)}` leaves no room for the highest"
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


OF_ROWS = 0.5
"""What clues count at the number of rows for indices that are counted from 1."""
OF_READERS = 0.5
"""What the lines count that read such indices where it is known what wrote them."""
OF_MORE_ROWS = 0.25
"""The same of an edit that makes more rows: one of them would never be used."""
MOST_WRITTEN = 200
"""Steps of the slice of what a script writes into a file."""


def find_shifted_indices(case: Case) -> Iterator[Clue]:
    """Yield what made indices that run from 1 to the number of rows, as the followed run has them.

    Counted from 0 they would all have a row.
    """
    shifted = _shifted(case)
    if shifted is None:
        return
    index, rows = shifted
    own = places_of(index.origins, of_types=False) - places_of(rows.origins, of_types=False)
    makers = sorted((file, line) for file, line in own if file.endswith(CODE))
    writers = [
        clue
        for file in sorted({file for file, _ in own if not file.endswith(CODE)})
        for clue in _begun_by_writer(case, file, rows.data)
    ]
    yield from writers
    share = OF_READERS if writers else 1.0
    for file, line in makers:
        why = (
            f"the indices that this line makes run from 1 to {rows.data}, those of {rows.data} "
            f"rows from 0 to {index.data - 1 if isinstance(index.data, int) else '?'} "
            f"{how_known(case)}"
        )
        yield Clue("rules.strong", file, line, share / len(makers) ** 0.5, why)


def _begun_by_writer(case: Case, file: str, count: object) -> Iterator[Clue]:
    """Yield the tables of a data file's writers whose numbers begin at 1, as a column's do."""
    table = case.workspace.table(file)
    columns = [
        column.name
        for column in (table.columns if table is not None else ())
        if column.minimum == 1 and column.maximum == count
    ]
    if len(columns) != 1:
        return
    for writing in writers_of(case, file):
        tree = case.workspace.tree(writing.file)
        begun = list(_begun_at_one(tree)) if tree is not None else []
        steps = backward_slice([writing.value], MOST_WRITTEN) if begun else []
        written = {(step.node.file, step.node.line) for step in steps}
        for name, line in begun:
            if (writing.file, line) in written:
                why = f"the numbers of `{name}` begin at 1, and column `{columns[0]}` of {file} has"
                may = "" if writing.sure else " (which this script may write)"
                yield Clue("data_files.explains", writing.file, line, 1.0, f"{why} them{may}")


def _shifted(case: Case) -> tuple[Value, Value] | None:
    """Return an index and a number of rows that fail because the indices are counted from 1."""
    raised = follow(case).raised if case.places else None
    if raised is None or raised.what != "index" or raised.weight < 1.0 or len(raised.sides) != 2:
        return None
    index, rows = raised.sides
    counted = isinstance(index, Element) and index.least == 1 and index.data == rows.data
    return (index, rows) if counted else None


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: less at a number of rows that is right, for indices from 1."""
    if case.category.id != "illegal_index":
        return 1.0
    shifted, place = _shifted(case), (clue.file, clue.line)
    if shifted is None or place not in shifted[1].origins or place in shifted[0].origins:
        return 1.0
    return OF_MORE_ROWS if clue.kind == "repair.followed" else OF_ROWS


def _lengths(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of ``len`` with the name of what is counted.

    In ``for name, table in tables.items()`` that is one of several tables of the name ``tables``.
    """
    owners: dict[int, str] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            headers: list[ast.For | ast.comprehension] = [loop]
        elif isinstance(loop, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            headers = [*loop.generators]
        else:
            continue
        for header in headers:
            method = header.iter.func if isinstance(header.iter, ast.Call) else None
            name = last_name(method.value) if isinstance(method, ast.Attribute) else None
            targets = {n.id for n in ast.walk(header.target) if isinstance(n, ast.Name)}
            if name:
                counts = (node for node in ast.walk(loop) if _counted(node) in targets)
                owners.update(dict.fromkeys(map(id, counts), name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := owners.get(id(node)) or _counted(node)):
            yield node, name


def _counted(node: ast.AST) -> str:
    """Return the last name of what ``len`` counts; empty for other nodes."""
    if not isinstance(node, ast.Call) or called_name(node) != "len" or len(node.args) != 1:
        return ""
    return last_name(node.args[0]) or ""


def _begun_at_one(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names of tables of numbers that begin at 1 or above, with their lines."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(value, ast.BinOp) and isinstance(target, ast.Subscript):
            # `table[word] = len(table) + 1`
            name = last_name(target.value)
            if name and isinstance(value.op, ast.Add) and _counted(value.left) == name:
                yield name, node.lineno
        if not isinstance(value, ast.DictComp):
            continue
        loop = value.generators[0]
        call = loop.iter if isinstance(loop.iter, ast.Call) else None
        if call is None or called_name(call) != "enumerate":
            continue
        start = keyword(call, "start") or (call.args[1] if len(call.args) > 1 else None)
        shifted = value.value
        first = start.value if isinstance(start, ast.Constant) else 0
        from_one = isinstance(first, int) and first > 0
        adds = isinstance(shifted, ast.BinOp) and isinstance(shifted.op, ast.Add)
        if from_one or (adds and start is None):
            held = target.value if isinstance(target, ast.Subscript) else target
            if name := last_name(held):
                yield name, node.lineno


def find_short_tables(case: Case) -> Iterator[Clue]:
    """Yield settings that give a lookup table fewer rows than the vocabulary's file has words."""
    if case.category.id != "illegal_index":
        return
    vocabularies: dict[str, int] = {}
    for entry in case.config_entries:
        if not isinstance(entry.value, str) or not entry.value.endswith(".txt"):
            continue
        file = case.workspace.file_named(entry.value)
        if file is not None and VOCABULARY in f"{entry.key} {entry.value}".lower():
            vocabularies[file] = sum(bool(line) for line in case.workspace.lines(file))
    for entry in case.config_entries:
        if entry.key not in WORD_ROLES or type(entry.value) is not int:
            continue
        for file, count in vocabularies.items():
            if entry.value < count:
                why = f"`{entry.key}: {entry.value}` is less than the {count} words of {file}"
                yield Clue("rules.strong", entry.file, entry.line, 1.0, why)


def _roles_asked(case: Case) -> frozenset[str]:
    """Return the names of counts that may be too small, as far as the library's frames tell."""
    last = case.failure.frames[-LAST_FRAMES:]
    inner = [f"{f.function} {f.source or ''}".lower() for f in last if "-packages" in f.file]
    inner.append(case.message.lower())
    if any(loss in words for loss in LABEL_LOSSES for words in inner):
        return CLASS_ROLES
    if any("embedding" in words for words in inner):
        position = any("position" in words for words in inner)
        word = any("word_embed" in words or "embed_tokens" in words for words in inner)
        if position != word:
            return POSITION_ROLES if position else ROW_ROLES
        return ROW_ROLES | POSITION_ROLES
    return CLASS_ROLES | POSITION_ROLES | ROW_ROLES


def _shift(step: Step) -> Iterator[Clue]:
    node = step.node
    if node.kind not in (StepKind.ARITHMETIC, StepKind.SLICING) or counts_rounds(step):
        return
    for part in ast.walk(node.expr):
        if (
            isinstance(part, ast.BinOp)
            and isinstance(part.op, (ast.Add, ast.Sub))
            and isinstance(part.right, ast.Constant)
            and part.right.value in (1, 2, 3)
            and not _is_measured(part)
        ):
            does = "adds" if isinstance(part.op, ast.Add) else "subtracts"
            why = f"`{node.text}` {does} {part.right.value}: an index or a count may be off by it"
            yield Clue("rules.shift", node.file, node.line, 1 / (1 + step.distance / 8), why)
            return


def _is_measured(expr: ast.expr) -> bool:
    """Whether a sum is a random number or one with a fraction, which is no shifted index."""
    return any(
        (isinstance(part, ast.Call) and called_name(part) in DRAWN_MEASURES)
        or (isinstance(part, ast.Constant) and isinstance(part.value, float))
        for part in ast.walk(expr)
    )


SIZE_NAMES = {
    *("argument num_embeddings", "argument input_dim", "argument num_tokens"),
    *("argument depth", "argument num_classes", "argument minlength"),
}
SIZE_PLACES = {"one_hot": "argument 1", "bincount": "argument 2"}
"""Where calls take the number of rows that do not take it first: these take the indices first."""


def _table_sized(step: Step) -> str:
    """Return the call that takes a step's value as the number of its rows, empty for none."""
    for link in step.way():
        before = link.before
        if before is None or before.node.entry is not None or not link.roles:
            continue
        expr = before.node.expr
        name = called_name(expr) if isinstance(expr, ast.Call) else None
        if name in TABLES:
            sizes = {SIZE_PLACES.get(name, "argument 0"), *SIZE_NAMES}
            return name if link.roles[-1] in sizes else ""
    return ""


def _row_words(expr: ast.expr, table: str) -> str:
    """Say what an expression has to do with a table's rows; different values may have gaps."""
    counted = expr
    if isinstance(expr, ast.Call) and called_name(expr) == "len" and expr.args:
        counted = expr.args[0]
    if isinstance(counted, (ast.Set, ast.SetComp)) or (
        isinstance(counted, ast.Call) and called_name(counted) in DIFFERENT
    ):
        return "counts different values, and the highest of them may lie beyond that count"
    if table in SIZE_PLACES:
        return f"goes into the number of values that `{table}` has room for"
    return "goes into the number of rows of the lookup table"


def _count(step: Step, roles: frozenset[str]) -> Iterator[Clue]:
    node = step.node
    table = _table_sized(step) if roles != CLASS_ROLES else ""
    is_table = bool(table)
    why = f"`{node.text}` {_row_words(node.expr, table)}"
    if step.decides and node.kind not in WRITTEN_OUT and is_table:
        scope = node.context.scope
        if node.expr in scope.returns and scope.name.rpartition(".")[2] in COUNTERS:
            returned = f"`{node.text}` is what says how many rows the table needs"
            yield Clue("rules.count_returned", node.file, node.line, 1.0, returned)
        yield Clue("rules.table_size", node.file, node.line, 1 / (1 + step.distance / 8), why)
    last = step.roles[-1] if step.roles else ""
    named = last.removeprefix("argument ") in roles
    if node.entry is not None:
        named = named or node.entry.key in roles
    if named and step.decides:
        if not (step.decides and node.kind not in WRITTEN_OUT and is_table):
            counted = "classes" if roles == CLASS_ROLES else "indices"
            why = f"`{node.text}` may set the number of {counted} that are allowed"
        yield Clue("rules.count", node.file, node.line, 1 / (1 + step.distance / 8), why)


def find_division_by_zero(case: Case) -> Iterator[Clue]:
    """Yield the steps that are zero, round down to it, or throw everything away."""
    if case.category.id != "division_by_zero":
        return
    for step in case.raise_slice:
        node = step.node
        closeness = 1 / (1 + step.distance / 6)
        if node.line <= 0:
            continue
        zero = any(c.value == 0 and not isinstance(c.value, bool) for c in node.constants)
        if zero and step.decides:
            computed = node.kind is StepKind.ARITHMETIC
            equal = _equal_settings(step) if computed else {}
            for place, text in equal.items():
                why = f"`{node.text}` is 0, as both sides are {text}"
                yield Clue("rules.zero_computed", *place, closeness, why)
            kind = "rules.zero_computed" if computed and not equal else "rules.zero"
            why = f"`{node.text}` is 0"
            if node.text == "0":
                why = "this zero goes into the failing division"
            elif node.entry is not None:
                why = f"`{node.text}` goes into the failing division"
            yield Clue(kind, node.file, node.line, closeness, why)
        expr = node.expr
        if node.entry is not None:
            continue
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.FloorDiv):
            if step.before is None or (node.complete and node.constants and not zero):
                continue
            low, high = ast.unparse(expr.left), ast.unparse(expr.right)
            why = f"`{node.text}` is 0 where `{low}` is less than `{high}`"
            yield Clue("rules.medium", node.file, node.line, closeness, why)
        dropped = keyword(expr, "drop_last") if isinstance(expr, ast.Call) else None
        if dropped is None and isinstance(expr, ast.Call):
            dropped = keyword(expr, "drop_remainder")
        if isinstance(dropped, ast.Constant) and dropped.value is True:
            why = "an incomplete batch is thrown away, which may leave nothing"
            yield Clue("rules.strong", node.file, dropped.lineno, 1.0, why)


def _equal_settings(difference: Step) -> dict[tuple[str, int], str]:
    """Return where the two equal sides of a difference are set, with the number that both are.

    Empty where a side is written out in the difference itself, or made by more than setting it.
    """
    expr = difference.node.expr
    if not isinstance(expr, ast.BinOp) or not isinstance(expr.op, ast.Sub):
        return {}
    if isinstance(expr.left, ast.Constant) or isinstance(expr.right, ast.Constant):
        return {}
    settings = [_set_at(node) for _, node in difference.node.inputs]
    numbers = {node.constant.value for node in settings if node is not None and node.constant}
    if len(settings) != 2 or None in settings or len(numbers) != 1:
        return {}
    return {(n.file, n.line): str(n.constant.value) for n in settings if n and n.constant}


def _set_at(node: Node) -> Node | None:
    """Return the setting or constant that a node stands for, None where it is made of more."""
    for _ in range(MOST_HANDED_ON):
        number = node.constant
        if number is None or type(number.value) not in (int, float) or not number.value:
            return None
        if node.entry is not None or isinstance(node.expr, ast.Constant):
            return node if node.line > 0 else None
        if node.kind not in HANDING_ON or len(node.inputs) != 1:
            return None
        node = node.inputs[0][1]
    return None


def find_step_counts(case: Case) -> Iterator[Clue]:
    """Yield quotients that leave out the last batch, where a schedule ends before the training.

    A ``DataLoader`` hands out the batch that is not full unless ``drop_last`` is set (PyTorch,
    `torch.utils.data`), so that an epoch has one step more than the quotient that rounds down.
    """
    if "number of total steps" not in case.message:
        return
    keeps_last = not any(
        isinstance(dropped := keyword(call, "drop_last"), ast.Constant) and dropped.value is True
        for file in {place.file for place in case.places}
        for call in ast.walk(case.workspace.tree(file) or ast.Module([], []))
        if isinstance(call, ast.Call) and called_name(call) == "DataLoader"
    )
    for step in case.raise_slice if keeps_last else ():
        expr = step.node.expr
        inner = expr.args[0] if isinstance(expr, ast.Call) and expr.args else expr
        rounds = isinstance(expr, ast.Call) and called_name(expr) in {"int", "floor"}
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.FloorDiv, ast.Div)):
            rounds = rounds or isinstance(inner.op, ast.FloorDiv)
            counted = any(
                isinstance(n, ast.Call) and called_name(n) == "len" for n in ast.walk(inner.left)
            )
            counted = counted or "batch" in ast.unparse(inner.right).lower()
            counted = counted and not isinstance(inner.right, ast.Constant)
            if rounds and counted and step.node.entry is None and step.node.line > 0:
                why = (
                    f"`{step.node.text}` rounds down, and the last batch, which need not be full, "
                    "is a step as well"
                )
                yield Clue("rules.strong", step.node.file, step.node.line, 1.0, why)
