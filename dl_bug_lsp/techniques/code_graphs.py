"""Code property graphs of the functions of a file: syntax, control flow and data flow in one graph.

Yamaguchi, Golde, Arp, Rieck: "Modeling and discovering vulnerabilities with code property graphs",
IEEE S&P 2014. Here the nodes are statements and not expressions: a tenth of the nodes, so that all
functions of a repository can be gone through for one report. Syntax edges lead from a compound
statement to those in it, control edges to the statements that may come next, data edges from where
a variable (or attribute of ``self``) is set to where that value may be read.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dl_bug_lsp.retrieval import Ints, numbers_of_terms, terms_of_word, words_of
from dl_bug_lsp.workspace import Workspace

KINDS = (
    "head", "definition", "assign", "augment", "call", "text", "return", "yield", "raise", "assert",
    "if", "loop", "try", "except", "finally", "with", "case", "import", "jump", "other",
)  # fmt: skip
"""What a statement is; the head of a function or class stands for its parameters or bases."""
EDGES = ("syntax", "control", "data")
MOST_NODES = 300
"""Of a function; statements after these are left out, as are those nested deeper than `DEEPEST`."""
DEEPEST = 40
_MOST_NAMES = 60
_MOST_FOLLOWED = 400
"""Names of a statement, and names of a function whose values are followed."""
_LONGEST_LINE = 400
_KIND = {name: number for number, name in enumerate(KINDS)}
_SYNTAX, _CONTROL, _DATA = range(3)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_OWN_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_KIND_OF: dict[type[ast.AST], str] = {
    ast.Assign: "assign", ast.AnnAssign: "assign", ast.AugAssign: "augment",
    ast.Return: "return", ast.Raise: "raise", ast.Assert: "assert", ast.If: "if",
    ast.For: "loop", ast.AsyncFor: "loop", ast.While: "loop", ast.Try: "try",
    ast.ExceptHandler: "except", ast.With: "with", ast.AsyncWith: "with", ast.Match: "case",
    ast.match_case: "case", ast.Import: "import", ast.ImportFrom: "import",
    ast.FunctionDef: "definition", ast.AsyncFunctionDef: "definition",
    ast.ClassDef: "definition", ast.Break: "jump", ast.Continue: "jump",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GraphBlock:
    """A function, a class without its methods, or a module's own statements (an empty name)."""

    name: str
    line: int
    end_line: int
    is_class: bool


@dataclass(frozen=True, slots=True)
class CodeGraphs:
    """The graphs of one file's blocks, side by side in the same arrays.

    ``block``, ``kind`` and ``line`` (1-based) have a number for each node, in the blocks' order;
    ``edges`` has rows (index into `EDGES`, from, to); ``term_node`` and ``terms`` name the distinct
    terms of each node. The head of a block is its first node.
    """

    blocks: tuple[GraphBlock, ...]
    block: Ints
    kind: Ints
    line: Ints
    edges: Ints
    term_node: Ints
    terms: Ints


def code_graphs(workspace: Workspace, file: str) -> CodeGraphs:
    """Return the graphs of a file, remembered by its content; none where it does not parse."""

    def make() -> CodeGraphs:
        tree = workspace.tree(file)
        cells = workspace.cells(file)
        text = (
            "\n".join(line for cell in cells for line in cell.lines)
            if cells
            else workspace.text(file) or ""
        )
        return graphs_of(tree, text) if isinstance(tree, ast.Module) else graphs_of(None, "")

    return workspace.derived("techniques.code_graphs", file, make)


def graphs_of(tree: ast.Module | None, text: str) -> CodeGraphs:
    """Make the graphs of a tree; ``text`` is what it was parsed from."""
    lines = text.split("\n")
    blocks: list[GraphBlock] = []
    drawn: list[_Graph] = []
    for name, node in _blocks_of(tree) if tree is not None else ():
        graph = _Graph()
        graph.draw(node)
        first = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None) or max(1, len(lines))
        blocks.append(GraphBlock(name, first, end, isinstance(node, ast.ClassDef)))
        drawn.append(graph)
    starts = np.cumsum([0] + [len(graph.kinds) for graph in drawn])
    nodes: list[int] = []
    terms: list[int] = []
    for start, texts in zip(starts.tolist(), _texts(drawn, lines), strict=False):
        for place, words in enumerate(texts):
            distinct = dict.fromkeys(t for w in words[:_MOST_NAMES] for t in terms_of_word(w))
            nodes += [start + place] * len(distinct)
            terms += numbers_of_terms(distinct)
    edges = [
        (kind, start + source, start + target)
        for start, graph in zip(starts.tolist(), drawn, strict=False)
        for kind, source, target in graph.edges
    ]
    return CodeGraphs(
        tuple(blocks),
        np.repeat(np.arange(len(drawn), dtype=np.int64), [len(g.kinds) for g in drawn]),
        np.array([kind for graph in drawn for kind in graph.kinds], dtype=np.int64),
        np.array([line for graph in drawn for line in graph.lines], dtype=np.int64),
        np.array(edges, dtype=np.int64).reshape(-1, 3),
        np.array(nodes, dtype=np.int64),
        np.array(terms, dtype=np.int64),
    )


def _blocks_of(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the module, classes and functions with their dotted names, outer ones first."""
    waiting: deque[tuple[str, ast.AST]] = deque([("", tree)])
    while waiting:
        name, node = waiting.popleft()
        yield name, node
        below: deque[ast.AST] = deque(ast.iter_child_nodes(node))
        while below:
            child = below.popleft()
            if isinstance(child, _DEFINITIONS):
                waiting.append((f"{name}.{child.name}" if name else child.name, child))
            elif isinstance(child, _OWN_BLOCKS):
                below.extend(ast.iter_child_nodes(child))


def _texts(drawn: Sequence[_Graph], lines: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield the words of each node, block by block: those of its lines up to the next node's.

    Comments between two statements thus belong to the one before.
    """
    owner: dict[int, tuple[int, int]] = {}
    for block, graph in enumerate(drawn):
        for node, line in enumerate(graph.lines):
            if graph.kinds[node] != _KIND["definition"]:
                # The first statement of a line has its words, the head before its body.
                owner.setdefault(line, (block, node))
    words: list[list[list[str]]] = [[[] for _ in graph.kinds] for graph in drawn]
    here: tuple[int, int] | None = (0, 0) if drawn else None
    for number, text in enumerate(lines, 1):
        here = owner.get(number, here)
        if here is not None:
            words[here[0]][here[1]] += words_of(text[:_LONGEST_LINE])
    for graph, own in zip(drawn, words, strict=True):
        for node, name in graph.named.items():
            own[node].append(name)
    yield from words


@dataclass
class _Loop:
    head: int
    leaves: list[int] = field(default_factory=list)


class _Graph:
    """The graph of one block, drawn statement by statement."""

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.lines: list[int] = []
        self.edges: list[tuple[int, int, int]] = []
        self.named: dict[int, str] = {}
        self._sets: list[list[str]] = []
        self._reads: list[list[str]] = []
        self._before: list[list[int]] = []
        self._loops: list[_Loop] = []

    def draw(self, block: ast.AST) -> None:
        """Draw a module, class or function."""
        head = self._node("head", block, None, [])
        if isinstance(block, _FUNCTIONS):
            a = block.args
            every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
            self._sets[head] = [argument.arg for argument in every][:_MOST_NAMES]
        self._body(getattr(block, "body", []), head, [head], 0)
        self._data_flow()

    def _node(self, kind: str, node: ast.AST, parent: int | None, before: Sequence[int]) -> int:
        index = len(self.kinds)
        self.kinds.append(_KIND[kind])
        marks = getattr(node, "decorator_list", None) or [node]
        self.lines.append(min(getattr(mark, "lineno", 1) for mark in marks))
        self._before.append(list(dict.fromkeys(before)))
        self._sets.append([])
        self._reads.append([])
        if parent is not None:
            self.edges.append((_SYNTAX, parent, index))
        self.edges += [(_CONTROL, source, index) for source in self._before[index]]
        return index

    def _body(
        self, statements: Sequence[ast.stmt], parent: int, before: list[int], depth: int
    ) -> list[int]:
        """Draw statements one after the other; return those after which control goes on."""
        for statement in statements:
            if len(self.kinds) >= MOST_NODES or depth > DEEPEST:
                break
            before = self._statement(statement, parent, before, depth)
        return before

    def _statement(
        self, statement: ast.stmt, parent: int, before: list[int], depth: int
    ) -> list[int]:
        node = self._node(_kind_of(statement), statement, parent, before)
        self._sets[node], self._reads[node] = _names(statement)
        below = depth + 1
        if isinstance(statement, _DEFINITIONS):
            self.named[node] = statement.name
            self._sets[node], self._reads[node] = [statement.name], []
        elif isinstance(statement, ast.If):
            then = self._body(statement.body, node, [node], below)
            return then + self._body(statement.orelse, node, [node], below)
        elif isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            loop = _Loop(node)
            self._loops.append(loop)
            for last in dict.fromkeys(self._body(statement.body, node, [node], below)):
                self._back(last, node)
            self._loops.pop()
            return self._body(statement.orelse, node, [node], below) + loop.leaves
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._body(statement.body, node, [node], below)
        elif isinstance(statement, ast.Match):
            ends = [node]
            for case in statement.cases:
                case_node = self._node("case", case.pattern, node, [node])
                ends += self._body(case.body, case_node, [case_node], below)
            return ends
        elif _kind_of(statement) == "try":
            return self._try(statement, node, below)
        elif isinstance(statement, (ast.Return, ast.Raise)):
            return []
        elif isinstance(statement, (ast.Break, ast.Continue)) and self._loops:
            if isinstance(statement, ast.Break):
                self._loops[-1].leaves.append(node)
            else:
                self._back(node, self._loops[-1].head)
            return []
        return [node]

    def _try(self, statement: ast.stmt, node: int, depth: int) -> list[int]:
        """Draw a try; each handler may follow on any statement of the body."""
        first = len(self.kinds)
        after = self._body(getattr(statement, "body", []), node, [node], depth)
        inside = [node, *range(first, len(self.kinds))]
        ends = self._body(getattr(statement, "orelse", []), node, after, depth)
        for handler in getattr(statement, "handlers", []):
            handler_node = self._node("except", handler, node, inside)
            self._sets[handler_node], self._reads[handler_node] = _names(handler)
            ends = ends + self._body(handler.body, handler_node, [handler_node], depth)
        final = getattr(statement, "finalbody", [])
        return self._body(final, node, ends or inside, depth) if final else ends

    def _back(self, source: int, target: int) -> None:
        self.edges.append((_CONTROL, source, target))
        self._before[target].append(source)

    def _data_flow(self) -> None:
        """Add edges from settings of names to the reads that they reach (reaching definitions)."""
        count = len(self.kinds)
        read = dict.fromkeys(name for names in self._reads for name in names)
        followed = set(list(read)[:_MOST_FOLLOWED])
        sets = [[name for name in names if name in followed] for names in self._sets]
        after: list[dict[str, frozenset[int]]] = [{} for _ in range(count)]
        coming: list[dict[str, frozenset[int]]] = [{} for _ in range(count)]
        nexts: list[list[int]] = [[] for _ in range(count)]
        for node, sources in enumerate(self._before):
            for source in sources:
                nexts[source].append(node)
        waiting = deque(range(count))
        queued = [True] * count
        visits = 0
        while waiting and visits < 20 * count:
            visits += 1
            node = waiting.popleft()
            queued[node] = False
            coming[node] = _merged([after[source] for source in self._before[node]])
            left = coming[node]
            if sets[node]:
                left = {**left, **dict.fromkeys(sets[node], frozenset((node,)))}
            if left != after[node]:
                after[node] = left
                for other in nexts[node]:
                    if not queued[other]:
                        queued[other] = True
                        waiting.append(other)
        for node, names in enumerate(self._reads):
            setters = {s for name in names for s in coming[node].get(name, ()) if s != node}
            self.edges += [(_DATA, setter, node) for setter in sorted(setters)]


def _merged(parts: Sequence[dict[str, frozenset[int]]]) -> dict[str, frozenset[int]]:
    if not parts:
        return {}
    merged = parts[0]
    for part in parts[1:]:
        if part != merged:
            merged = dict(merged)
            for name, nodes in part.items():
                merged[name] = merged.get(name, frozenset()) | nodes
    return merged


def _kind_of(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr):
        value = statement.value
        if isinstance(value, ast.Constant):
            return "text"
        return "yield" if isinstance(value, (ast.Yield, ast.YieldFrom)) else "call"
    if type(statement).__name__ == "TryStar":
        return "try"
    return _KIND_OF.get(type(statement), "other")


def _names(statement: ast.AST) -> tuple[list[str], list[str]]:
    """Return the names that a statement itself sets and reads, not those of statements in it.

    An attribute of ``self`` is a name of its own; of ``a.b = c`` and ``a[b] = c`` the owner is set
    and read.
    """
    sets: dict[str, None] = {}
    reads: dict[str, None] = {}
    waiting = deque([statement])
    while waiting and len(sets) + len(reads) < _MOST_NAMES:
        node = waiting.popleft()
        if isinstance(node, ast.Name):
            (reads if isinstance(node.ctx, ast.Load) else sets)[node.id] = None
        elif isinstance(node, ast.Attribute) and _is_self(node.value):
            (reads if isinstance(node.ctx, ast.Load) else sets)[f"self.{node.attr}"] = None
            continue
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            owner = _owner(node)
            if owner is not None:
                sets[owner] = reads[owner] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            sets[node.name] = None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                sets[alias.asname or alias.name.partition(".")[0]] = None
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            reads[node.target.id] = None
        waiting.extend(c for c in ast.iter_child_nodes(node) if not isinstance(c, _OWN_BLOCKS))
    return list(sets), list(reads)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def _owner(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute) and _is_self(node.value):
            return f"self.{node.attr}"
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
