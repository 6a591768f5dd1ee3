"""One pass over a module's tree: what is around each node, and each function's nodes by kind."""

from __future__ import annotations

import ast

BRANCHES = (ast.If,)
SIGNS = (ast.UnaryOp, ast.Assign)
FOR_LOOPS = (ast.For,)
SUBSCRIPTS = (ast.Subscript,)
OPERATIONS = (ast.BinOp,)
SLICES = (ast.Slice,)
LAMBDAS = (ast.Lambda,)
Group = tuple[type[ast.AST], ...]
GROUPS: tuple[Group, ...] = (BRANCHES, SIGNS, FOR_LOOPS, SUBSCRIPTS, OPERATIONS, SLICES, LAMBDAS)
"""The kinds of nodes that rules look for in every function of a program."""

_GROUP_OF = {kind: group for group in GROUPS for kind in group}
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LEAVES = frozenset((ast.Load, ast.Store, ast.Del, *ast.operator.__subclasses__()))


class ModuleNodes:
    """The nodes of one module; lists are in the order of `ast.walk`.

    A breadth-first walk of a part meets its nodes in the order in which that of the whole does, so
    one walk of the module serves all functions in it.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.parents: dict[int, ast.AST] = {}
        self._groups: dict[int, dict[Group, list[ast.AST]]] = {}
        parents, leaves = self.parents, _LEAVES
        pending: list[tuple[ast.AST, tuple[int, ...]]] = [(tree, ())]
        for node, chain in pending:
            if isinstance(node, _SCOPES):
                chain = (*chain, id(node))
            group = _GROUP_OF.get(node.__class__)
            if group is not None:
                for scope in chain:
                    self._groups.setdefault(scope, {}).setdefault(group, []).append(node)
            for child in ast.iter_child_nodes(node):
                if child.__class__ not in leaves:
                    parents[id(child)] = node
                    pending.append((child, chain))

    def of(self, scope: ast.AST, group: Group) -> list[ast.AST]:
        """Return the nodes of a group inside a function, class or module, itself included."""
        return self._groups.get(id(scope), {}).get(group, [])
