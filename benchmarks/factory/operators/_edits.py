"""Edits of Python files: arguments, statements and calls that are dropped, moved, replaced."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import libcst as cst

from factory.operators._reading import (
    SIMPLE,
    dotted,
    is_text,
    last_name,
    short,
    source,
    whole,
)
from factory.values import Edit, Mutation, Target


def drop_item(target: Target, items: Sequence[cst.CSTNode], index: int) -> Edit:
    """Return the edit that takes one of several arguments, elements or parameters away."""
    start, end = item_span(target, items[index])
    if index + 1 < len(items):
        end = item_span(target, items[index + 1])[0]
    elif index > 0:
        start = item_span(target, items[index - 1])[1]
    else:
        comma = getattr(items[index], "comma", None)
        if isinstance(comma, cst.Comma):
            end = target.span(comma)[1]
    return Edit(target.path, start, end, "")


def item_span(target: Target, item: cst.CSTNode) -> tuple[int, int]:
    """Return the offsets of an argument, element or parameter, without the comma behind it."""
    start, end = target.span(item)
    for part in ("value", "key", "annotation", "default"):
        child = getattr(item, part, None)
        if isinstance(child, cst.Annotation):
            child = child.annotation
        if isinstance(child, cst.CSTNode):
            first, last = whole(target, child)
            start, end = min(start, first), max(end, last)
    return start, end


def swap(target: Target, first: cst.CSTNode, second: cst.CSTNode) -> tuple[Edit, Edit]:
    """Return the edits that put two expressions in each other's place."""
    one, two = whole(target, first), whole(target, second)
    return (
        Edit(target.path, *one, target.text[slice(*two)]),
        Edit(target.path, *two, target.text[slice(*one)]),
    )


def line_span(target: Target, node: cst.CSTNode) -> tuple[int, int]:
    """Return the offsets of the whole lines of a statement, with its line break."""
    start, end = target.span(node)
    start = target.text.rfind("\n", 0, start) + 1
    end = target.text.find("\n", max(end, start))
    return start, end + 1 if end >= 0 else len(target.text)


def indentation(target: Target, node: cst.CSTNode) -> str:
    """Return the white space before a statement on its line."""
    start = target.span(node)[0]
    return target.text[target.text.rfind("\n", 0, start) + 1 : start]


def statements(target: Target) -> Iterator[tuple[cst.SimpleStatementLine, cst.CSTNode]]:
    """Yield statements that have their lines for themselves, as line and small statement."""
    for line in target.nodes(cst.SimpleStatementLine):
        if len(line.body) == 1 and not indentation(target, line).strip():
            yield line, line.body[0]


def siblings(target: Target, line: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Return the statements of the block that a statement is in."""
    parent = target.parents.get(line)
    if isinstance(parent, cst.IndentedBlock | cst.Module):
        return parent.body
    return ()


def drop_statement(target: Target, line: cst.CSTNode) -> Edit:
    """Return the edit that deletes a statement and its lines; of a lonely one ``pass`` is left."""
    lonely = all(
        other is line
        or (isinstance(other, cst.SimpleStatementLine) and is_docstring(other.body[0]))
        for other in siblings(target, line)
    )
    if lonely and not isinstance(target.parents.get(line), cst.Module):
        return target.replace(line, "pass")
    return Edit(target.path, *line_span(target, line), "")


def insert_after(target: Target, line: cst.CSTNode, code: str) -> Edit:
    """Return the edit that adds a statement after another one, as deep as that."""
    end = line_span(target, line)[1]
    lead = "" if target.text[end - 1 : end] == "\n" else "\n"
    return Edit(target.path, end, end, f"{lead}{indentation(target, line)}{code}\n")


def move_after(target: Target, line: cst.CSTNode, after: cst.CSTNode) -> tuple[Edit, ...]:
    """Return the edits that move a statement behind a later one of its block."""
    start, end = line_span(target, line)
    at = line_span(target, after)[1]
    if target.text[at - 1 : at] != "\n" or target.text[end - 1 : end] != "\n":
        return ()
    return (
        Edit(target.path, start, end, ""),
        Edit(target.path, at, at, target.text[start:end]),
    )


def unwrap(target: Target, block: cst.CSTNode) -> tuple[Edit, ...]:
    """Return the edits that delete a compound statement's head and keep its body, less deep.

    Nothing where the body stands on the head's line, is deeper by tabs, or holds long strings.
    """
    body = getattr(block, "body", None)
    if not isinstance(body, cst.IndentedBlock) or not body.body:
        return ()
    outer = indentation(target, block)
    inner = indentation(target, body.body[0])
    if outer.strip() or not inner.startswith(outer) or inner == outer or inner.strip():
        return ()
    depth = len(inner) - len(outer)
    head = target.text.rfind("\n", 0, target.span(block)[0]) + 1
    first = target.text.rfind("\n", 0, target.span(body.body[0])[0]) + 1
    last = line_span(target, body.body[-1])[1]
    if '"""' in target.text[first:last] or "'''" in target.text[first:last]:
        return ()
    edits = [Edit(target.path, head, first, "")]
    at = first
    for line in target.text[first:last].splitlines(keepends=True):
        if line.startswith(inner):
            edits.append(Edit(target.path, at + len(outer), at + len(outer) + depth, ""))
        elif line.strip():
            return ()
        at += len(line)
    return tuple(edits)


def instead(target: Target, call: cst.BaseExpression, inner: cst.BaseExpression) -> Edit | None:
    """Return the edit that leaves of a call only what it is applied to.

    ``x = x.view(-1)`` loses the whole statement, as a person would leave it out. None where
    nothing would be left of a statement.
    """
    parent = target.parents.get(call)
    kept = target.text[slice(*whole(target, inner))]
    if isinstance(parent, cst.Expr):
        return None
    if isinstance(parent, cst.Assign) and len(parent.targets) == 1:
        line = target.parents.get(parent)
        same = source(target, parent.targets[0].target) == kept
        if same and isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            return drop_statement(target, line)
    alone = isinstance(parent, cst.Arg | cst.Assign | cst.Return | cst.Index)
    if not isinstance(inner, SIMPLE) and not kept.startswith("(") and (not alone or "\n" in kept):
        kept = f"({kept})"
    start, end = target.span(call)
    inside = target.span(inner)[0]
    if inside >= start and whole(target, inner)[0] == start:
        # A method: what follows the receiver goes.
        return Edit(target.path, whole(target, inner)[1], end, "")
    return Edit(target.path, start, end, kept)


def dropped_calls(
    target: Target,
    methods: Collection[str],
    functions: Collection[str] = (),
    accept: re.Pattern[str] | None = None,
) -> Iterator[Mutation]:
    """Yield the calls of these methods and functions as what they are applied to.

    ``functions`` are dotted names such as ``torch.flatten``, taken with their first argument.
    ``accept`` is searched for in the text of the arguments of methods.
    """
    modules = {name.split(".", 1)[0] for name in functions} | {"F", "nn", "np", "torch", "tf"}
    for call in target.nodes(cst.Call):
        if is_text(target, call):
            continue
        edit = None
        name = dotted(call.func)
        if name in functions:
            if call.args and call.args[0].keyword is None and not call.args[0].star:
                edit = instead(target, call, call.args[0].value)
        elif isinstance(call.func, cst.Attribute) and call.func.attr.value in methods:
            if dotted(call.func.value) in modules or dotted(call.func.value) == "self":
                continue
            given = " ".join(source(target, argument) for argument in call.args)
            if accept is None or accept.search(given):
                edit = instead(target, call, call.func.value)
        if edit is not None:
            yield Mutation((edit,), f"{short(source(target, call))} lost {last_name(call)}")


def replaced_names(target: Target, table: dict[str, str]) -> Iterator[Mutation]:
    """Yield each dotted name of the table, as a callee or a value, as the name it is mapped to.

    Keys with a dot are matched whole; others as the last name of an attribute.
    """
    for node in target.nodes(cst.Attribute):
        parent = target.parents.get(node)
        if isinstance(parent, cst.Attribute) or is_text(target, node):
            continue
        name = dotted(node)
        if name in table:
            yield Mutation((target.replace(node, table[name]),), f"{name} became {table[name]}")
        elif node.attr.value in table:
            new = table[node.attr.value]
            yield Mutation((target.replace(node.attr, new),), f"{node.attr.value} became {new}")


def whole_edit(target: Target, node: cst.BaseExpression, code: str) -> Edit:
    """Return the edit that replaces an expression with the parentheses around it."""
    return Edit(target.path, *whole(target, node), code)


def is_docstring(node: cst.CSTNode) -> bool:
    """Tell whether a small statement is only a string or ``...``."""
    texts = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString, cst.Ellipsis)
    return isinstance(node, cst.Expr) and isinstance(node.value, texts)


def redented(target: Target, node: cst.CSTNode, old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits that give a statement's lines another depth; none where that is unsafe."""
    start, end = line_span(target, node)
    if old == new or old.strip() or new.strip() or '"""' in target.text[start:end]:
        return ()
    if not (old.startswith(new) or new.startswith(old)) or "'''" in target.text[start:end]:
        return ()
    edits = []
    at = start
    for line in target.text[start:end].splitlines(keepends=True):
        if line.strip() and line.startswith(old):
            if len(new) < len(old):
                edits.append(Edit(target.path, at + len(new), at + len(old), ""))
            else:
                edits.append(Edit(target.path, at + len(old), at + len(old), new[len(old) :]))
        at += len(line)
    return tuple(edits)


def neighbours(target: Target) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Yield each statement with the one behind it in the same block."""
    for block in target.nodes(cst.IndentedBlock, cst.Module):
        for first, second in pairwise(getattr(block, "body", ())):
            if not indentation(target, second).strip() and not indentation(target, first).strip():
                yield first, second


def deleted_calls(target: Target, names: Collection[str]) -> Iterator[Mutation]:
    """Yield the statements that are only a call of one of these names as deleted."""
    for line, node in statements(target):
        if isinstance(node, cst.Expr) and last_name(node.value) in names:
            if not isinstance(node.value, cst.Call):
                continue
            note = f"{short(source(target, node))} is gone"
            yield Mutation((drop_statement(target, line),), note)
