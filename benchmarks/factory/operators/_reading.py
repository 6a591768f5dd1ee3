"""Reading Python files for operators: names, values, and what is around a place."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

import libcst as cst

from factory.values import Target


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_Choice = TypeVar("_Choice")


MESSAGE_CALLS = words_of(
    """
    print info debug warning warn error critical exception log set_description set_postfix
    set_postfix_str add_argument_group format echo title xlabel ylabel legend savefig figure
    subplots getLogger basicConfig set_verbosity filterwarnings simplefilter
    """
)
"""Calls whose arguments are read by people, or draw: a change of them is no fault of the run."""


HARMLESS = words_of(
    """
    seed random_state num_workers verbose log_every log_interval log_every_n_steps print_every
    indent help description desc random_seed rng_seed logging_steps save_steps prefetch_factor
    pin_memory leave name title version font_size fontsize figsize dpi
    """
)
"""Names of settings whose value changes no result."""


SIMPLE = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.Integer,
    cst.Float,
    cst.SimpleString,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.DictComp,
    cst.SetComp,
)


def choose(target: Target, node: cst.CSTNode, options: Sequence[_Choice]) -> _Choice:
    """Return one of the options: always the same one at the same place of the same file."""
    place = f"{target.path}:{target.span(node)[0]}".encode("utf-8", "replace")
    return options[zlib.crc32(place) % len(options)]


def dotted(node: cst.CSTNode | None) -> str:
    """Return ``a.b.c`` for names and attributes of names, and "" for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])


def last_name(node: cst.CSTNode | None) -> str:
    """Return the last name of a callee or a name: ``c`` for ``a.b.c`` and ``f(x).c``."""
    if isinstance(node, cst.Call):
        node = node.func
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def source(target: Target, node: cst.CSTNode) -> str:
    """Return the text of a node without its own parentheses."""
    start, end = target.span(node)
    return target.text[start:end]


def whole(target: Target, node: cst.CSTNode) -> tuple[int, int]:
    """Return the offsets of an expression with the parentheses around it."""
    start, end = target.span(node)
    left: Sequence[cst.CSTNode] = getattr(node, "lpar", ())
    right: Sequence[cst.CSTNode] = getattr(node, "rpar", ())
    if left:
        start = target.span(left[0])[0]
    if right:
        end = target.span(right[-1])[1]
    return start, end


def short(text: str) -> str:
    """Return a text on one line, cut where it is long, for notes."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def ancestors(target: Target, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the parent of a node, its parent, and so on."""
    parents = target.parents
    while (parent := parents.get(node)) is not None:
        yield parent
        node = parent


def function_of(target: Target, node: cst.CSTNode) -> cst.FunctionDef | None:
    """Return the innermost function around a node."""
    for parent in ancestors(target, node):
        if isinstance(parent, cst.FunctionDef):
            return parent
    return None


def class_of(target: Target, node: cst.CSTNode) -> cst.ClassDef | None:
    """Return the innermost class around a node."""
    for parent in ancestors(target, node):
        if isinstance(parent, cst.ClassDef):
            return parent
    return None


def is_text(target: Target, node: cst.CSTNode) -> bool:
    """Tell whether a node stands where only people read it: messages, annotations, decorators."""
    child = node
    for parent in ancestors(target, node):
        if isinstance(parent, cst.Raise | cst.Annotation | cst.FormattedString | cst.Decorator):
            return True
        if isinstance(parent, cst.Assert) and parent.msg is child:
            return True
        if isinstance(parent, cst.Call) and last_name(parent) in MESSAGE_CALLS:
            return True
        if isinstance(parent, cst.Call) and "seed" in last_name(parent).lower():
            return True
        if isinstance(parent, cst.Arg) and parent.keyword and parent.keyword.value in HARMLESS:
            return True
        if isinstance(parent, cst.Assign | cst.AnnAssign) and assigned_name(parent) in HARMLESS:
            return True
        if isinstance(parent, cst.If) and "__name__" in source(target, parent.test)[:80]:
            return child is parent.test
        if isinstance(parent, cst.BaseCompoundStatement):
            # The tests of conditions and loops are code, and what is around them is no message.
            return False
        child = parent
    return False


def assigned_name(node: cst.CSTNode) -> str:
    """Return the last name of the only target of an assignment, or ""."""
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        return last_name(node.targets[0].target)
    return last_name(node.target) if isinstance(node, cst.AnnAssign | cst.AugAssign) else ""


def value_name(target: Target, node: cst.CSTNode) -> str:
    """Return what an expression is called: its keyword, parameter, or the name it is assigned to.

    "" where it has no name.
    """
    parent = target.parents.get(node)
    if isinstance(parent, cst.Arg):
        return parent.keyword.value if parent.keyword else ""
    if isinstance(parent, cst.Param) and parent.default is node:
        return parent.name.value
    if isinstance(parent, cst.Assign | cst.AnnAssign) and parent.value is node:
        return assigned_name(parent)
    if isinstance(parent, cst.DictElement) and parent.value is node:
        return text_of(parent.key) or ""
    return ""


def named_values(target: Target) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the values that have a name: of keywords, parameters, assignments and dictionaries.

    An option of a command line counts as the name of its default.
    """
    for node in target.nodes(cst.Arg, cst.Param, cst.Assign, cst.AnnAssign, cst.DictElement):
        value = getattr(node, "default" if isinstance(node, cst.Param) else "value", None)
        if not isinstance(value, cst.BaseExpression):
            continue
        name = value_name(target, value)
        if name == "default" and isinstance(node, cst.Arg):
            name = option_name(target.parents.get(node)) or name
        if name:
            yield name, value


def option_name(call: cst.CSTNode | None) -> str:
    """Return the attribute of an argparse or click option: ``hidden_dim`` for ``--hidden-dim``."""
    if not isinstance(call, cst.Call) or last_name(call) not in {"add_argument", "option"}:
        return ""
    for argument in call.args:
        text = text_of(argument.value)
        if argument.keyword is None and text and text.startswith("--"):
            return text[2:].replace("-", "_")
    return ""


def text_of(node: cst.CSTNode | None) -> str | None:
    """Return the value of a plain string; None for anything else."""
    if not isinstance(node, cst.SimpleString) or "b" in node.prefix:
        return None
    value = node.raw_value
    return value if "\\" not in value else None


def requoted(node: cst.SimpleString, value: str) -> str:
    """Return a string of the same quotes with another value."""
    return f"{node.prefix}{node.quote}{value}{node.quote}"


def integer(node: cst.CSTNode | None) -> int | None:
    """Return the value of a whole number, also with a sign; None for anything else."""
    sign = 1
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        sign, node = -1, node.expression
    if not isinstance(node, cst.Integer) or len(node.value) > 18:
        return None
    return sign * int(node.value.replace("_", ""), 0)


def number(node: cst.CSTNode | None) -> float | None:
    """Return the value of a number without a sign; None for anything else."""
    if isinstance(node, cst.Float):
        return float(node.value.replace("_", ""))
    return integer(node) if isinstance(node, cst.Integer) else None


def calls(target: Target, names: Collection[str] = ()) -> Iterator[cst.Call]:
    """Yield calls whose callee's last name is among the names, or every call."""
    for node in target.nodes(cst.Call):
        if not names or last_name(node) in names:
            yield node


def keyword(call: cst.Call, *names: str) -> int | None:
    """Return the position of the first argument with one of these keywords."""
    for index, argument in enumerate(call.args):
        if argument.keyword is not None and argument.keyword.value in names:
            return index
    return None


def positional(call: cst.Call) -> list[int]:
    """Return the positions of the plain arguments before any star."""
    found = []
    for index, argument in enumerate(call.args):
        if argument.star:
            break
        if argument.keyword is None:
            found.append(index)
    return found


def is_load(target: Target, name: cst.Name) -> bool:
    """Tell whether a name is read here, not bound, and is no attribute or keyword."""
    parent = target.parents.get(name)
    if isinstance(parent, cst.Attribute):
        return parent.value is name
    if isinstance(parent, cst.Arg):
        return parent.value is name
    if isinstance(parent, cst.Param):
        return parent.default is name
    binding = (cst.FunctionDef, cst.ClassDef, cst.AsName, cst.ImportAlias, cst.NameItem, cst.Del)
    if isinstance(parent, (*binding, cst.ImportFrom, cst.Annotation)):
        return False
    child: cst.CSTNode = name
    for above in ancestors(target, name):
        if isinstance(above, cst.AssignTarget):
            return False
        if isinstance(above, cst.AugAssign | cst.AnnAssign | cst.For | cst.CompFor | cst.NamedExpr):
            return above.target is not child
        if not isinstance(above, cst.Element | cst.StarredElement | cst.Tuple | cst.List):
            return True
        child = above
    return True


def misspelt(name: str) -> str:
    """Return a name with a likely slip: the other number, a letter left out, two exchanged.

    Which slip it is depends on the name alone. A name of up to three letters is doubled at its end.
    """
    if len(name) < 4:
        return f"{name}{name[-1:]}"
    head, mark, tail = name.rpartition("_")
    if len(tail) < 3:
        return f"{head}{tail}" if head.strip("_") and not tail.isdigit() else f"{name}s"
    way = zlib.crc32(name.encode("utf-8", "replace")) % 4
    middle = len(tail) // 2
    if way == 0 and tail[middle - 1] != tail[middle] and tail.isalpha():
        return (
            f"{head}{mark}{tail[: middle - 1]}{tail[middle]}{tail[middle - 1]}{tail[middle + 1 :]}"
        )
    if way == 1 and tail.isalpha() and len(tail) > 4:
        return f"{head}{mark}{tail[:middle]}{tail[middle + 1 :]}"
    if way == 2 and head.strip("_"):
        return f"{head}{tail}"
    return name[:-1] if name.endswith("s") else f"{name}s"


def list_values(node: cst.CSTNode | None) -> list[cst.BaseExpression]:
    """Return the elements of a list or tuple that is written out; none for anything else."""
    if isinstance(node, cst.Tuple | cst.List):
        return [element.value for element in node.elements]
    return []


def words(name: str) -> list[str]:
    """Return the words of a name in small letters: ``input``, ``ids`` for ``inputIds``."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)
    return [part.lower() for part in parts]


def parameters(function: cst.FunctionDef) -> Sequence[cst.Param]:
    """Return the plain parameters of a function, in order."""
    return [*function.params.posonly_params, *function.params.params]


_Found = TypeVar("_Found", bound=cst.CSTNode)


def nodes_in(target: Target, around: cst.CSTNode, kind: type[_Found]) -> Iterator[_Found]:
    """Yield the nodes of a class inside of another node, in the order of the text."""
    start, end = target.span(around)
    nodes = target.of_class(kind)
    first = bisect_left(nodes, start, key=lambda node: target.span(node)[0])
    for node in nodes[first:]:
        place = target.span(node)
        if place[0] > end:
            return
        if place[1] <= end:
            yield node


def names_of(target: Target, function: cst.FunctionDef) -> Iterator[cst.Name]:
    """Yield the names in the body of a function, without those of functions inside of it."""
    for name in nodes_in(target, function.body, cst.Name):
        if function_of(target, name) is function:
            yield name


def is_super_init(target: Target, node: cst.CSTNode) -> bool:
    """Tell whether a small statement initializes a base class."""
    if not isinstance(node, cst.Expr) or not isinstance(node.value, cst.Call):
        return False
    text = source(target, node)
    return last_name(node.value) == "__init__" and (
        text.startswith("super(") or re.match(r"[\w.]+\.__init__\(\s*self\b", text) is not None
    )


def bound_names(target: Target, node: cst.CSTNode) -> set[str]:
    """Return the names and attributes that an assignment sets, dotted."""
    if isinstance(node, cst.Assign):
        targets = [item.target for item in node.targets]
    elif isinstance(node, cst.AugAssign | cst.AnnAssign):
        targets = [node.target]
    else:
        return set()
    parts = [part for one in targets for part in (list_values(one) or [one])]
    return {dotted(part) for part in parts} - {""}


def used_words(text: str) -> set[str]:
    """Return the dotted names in a text, each with all of its beginnings."""
    found: set[str] = set()
    for name in re.findall(r"[A-Za-z_][\w.]*", text):
        parts = name.split(".")[:6]
        found.update(".".join(parts[: index + 1]) for index in range(len(parts)))
    return found


def first_word(text: str) -> str:
    """Return the first name of a text."""
    match = re.match(r"\w+", text)
    return match.group() if match else ""


def has_jump(line: cst.CSTNode) -> bool:
    """Tell whether a statement leaves its block by force."""
    jumps = (cst.Return, cst.Break, cst.Continue, cst.Raise)
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], jumps)


def other_path(path: str, way: int) -> str:
    """Return a path that people take for this one.

    ``way`` 0 leaves the first folder out, 1 misspells the last name, 2 takes another suffix.
    """
    head, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    if way == 0 and slash and head not in {"", "."}:
        return path.lstrip("./~").partition("/")[2] or name
    if way == 2 and dot and suffix in OTHER_SUFFIXES:
        return f"{head}{slash}{stem}.{OTHER_SUFFIXES[suffix]}"
    return f"{head}{slash}{misspelt(stem)}.{suffix}" if dot and stem else f"{head}{slash}{name}s"


OTHER_SUFFIXES = {
    "yaml": "yml",
    "yml": "yaml",
    "json": "jsonl",
    "jsonl": "json",
    "pt": "pth",
    "pth": "pt",
    "csv": "txt",
    "tsv": "csv",
    "npy": "npz",
    "npz": "npy",
    "jpg": "jpeg",
    "png": "jpg",
    "pkl": "pickle",
}


def bound_from(target: Target, name: cst.Name) -> int:
    """Return the offset from which on a name that is bound here may be read."""
    for parent in ancestors(target, name):
        if isinstance(parent, cst.Assign | cst.AnnAssign | cst.AugAssign):
            return target.span(parent)[1]
        if isinstance(parent, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            break
    return target.span(name)[1]
