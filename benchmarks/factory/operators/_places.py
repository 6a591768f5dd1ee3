"""Places of Python files that several operators change: axes, whole numbers, layers, keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import libcst as cst

from factory.operators._edits import drop_item, drop_statement, instead
from factory.operators._reading import (
    ancestors,
    assigned_name,
    calls,
    choose,
    dotted,
    integer,
    is_text,
    keyword,
    last_name,
    positional,
    short,
    source,
    text_of,
    words_of,
)
from factory.values import Mutation, Target

COUNT_NAMES = words_of(
    """
    num_classes n_classes nb_classes n_class num_class classes_num num_labels n_labels nclass
    nclasses vocab_size num_embeddings n_vocab input_dim num_tokens ntokens n_tokens  n_actions
    num_actions action_dim max_features num_words vocabulary_size
    """
)
"""Names of the number of classes, labels or tokens."""

AXIS_NAMES = ("dim", "axis", "dims", "axes", "start_dim", "keepdim_axis")

_AXIS_FIRST = words_of(
    """
    sum mean max min argmax argmin softmax log_softmax cumsum cumprod prod std var norm
    unsqueeze squeeze size any all chunk median logsumexp unbind amax amin sort Softmax
    LogSoftmax flatten glu expand_dims
    """
)
_AXIS_SECOND = words_of(
    """
    cat stack concat concatenate split chunk gather index_select expand_dims softmax log_softmax
    sum mean argmax argmin max min take squeeze unsqueeze flatten topk cumsum
    """
)
_TENSOR_MODULES = words_of(
    """
    torch np numpy tf jnp F ops nn jax.nn tf.nn tf.math torch.nn.functional keras.ops K
    """
)


def axis_arguments(target: Target) -> Iterator[tuple[cst.Call, int]]:
    """Yield the calls that get an axis, and the place of it among the arguments."""
    for call in target.nodes(cst.Call):
        if is_text(target, call):
            continue
        named = keyword(call, *AXIS_NAMES)
        if named is not None:
            yield call, named
            continue
        places = positional(call)
        owner = dotted(call.func.value) if isinstance(call.func, cst.Attribute) else ""
        function = owner in _TENSOR_MODULES or not isinstance(call.func, cst.Attribute)
        place = 0 if not function or last_name(call)[:1].isupper() else 1
        names = _AXIS_SECOND if place else _AXIS_FIRST
        if isinstance(call.func, cst.Name) and place == 1:
            continue
        if last_name(call) in names and len(places) > place:
            value = integer(call.args[places[place]].value)
            if value is not None and abs(value) < 5:
                yield call, places[place]


_INTEGER_PARTS = (cst.BinaryOperation, cst.UnaryOperation, cst.Element, cst.Tuple, cst.List)


def _integer_place(target: Target, node: cst.CSTNode) -> str:
    for parent in ancestors(target, node):
        if isinstance(parent, _INTEGER_PARTS):
            continue
        if isinstance(parent, cst.Arg):
            name = parent.keyword.value if parent.keyword else ""
            call = target.parents.get(parent)
            if name in AXIS_NAMES or name.lower() in COUNT_NAMES or not isinstance(call, cst.Call):
                return ""
            return "constructor" if last_name(call)[:1].isupper() else "call"
        if isinstance(parent, cst.Assign | cst.AnnAssign | cst.Param | cst.DictElement):
            return "" if _value_of(parent).lower() in COUNT_NAMES else "assigned"
        return ""
    return ""


def _value_of(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Param):
        return node.name.value
    if isinstance(node, cst.DictElement):
        return text_of(node.key) or ""
    return assigned_name(node)


def other_integers(target: Target, place: str) -> Iterator[Mutation]:
    """Yield whole numbers of at least 2 in one kind of place as other ones.

    ``place`` is ``call``, ``constructor`` (a callee with a capital) or ``assigned`` (to a name, a
    parameter or a key).
    """
    axes = {call.args[index].value for call, index in axis_arguments(target)}
    for node in target.nodes(cst.Integer):
        value = integer(node)
        if value is None or value < 2 or node in axes or is_text(target, node):
            continue
        if _integer_place(target, node) != place:
            continue
        new = other_integer(target, node, value)
        yield Mutation((target.replace(node, str(new)),), f"{value} became {new}")


def dropped_layers(target: Target, names: Collection[str]) -> Iterator[Mutation]:
    """Yield models without a layer of these classes.

    Looked for in lists, in arguments of a sequence, and in calls of ``add`` and ``append``; a layer
    that is called at once (``Dense(3)(x)``) leaves what it is applied to.
    """
    for call in calls(target, names):
        text = short(source(target, call))
        parent = target.parents.get(call)
        above = target.parents.get(parent) if parent else None
        edit = None
        if isinstance(parent, cst.Element) and isinstance(above, cst.List | cst.Tuple):
            if len(above.elements) > 1:
                edit = drop_item(target, above.elements, above.elements.index(parent))
        elif isinstance(parent, cst.Arg) and isinstance(above, cst.Call):
            if last_name(above) in {"add", "append"}:
                line = target.parents.get(target.parents.get(above, above))
                if isinstance(line, cst.SimpleStatementLine):
                    edit = drop_statement(target, line)
            elif last_name(above) in {"Sequential", "Compose"} and len(above.args) > 1:
                edit = drop_item(target, above.args, above.args.index(parent))
        elif isinstance(parent, cst.Call) and parent.func is call and len(parent.args) == 1:
            edit = instead(target, parent, parent.args[0].value)
        if edit is not None:
            yield Mutation((edit,), f"the layer {text} is gone")


COMMUTATIVE = words_of(
    """
    max min zip print isinstance add maximum minimum gcd allclose
    """
)
"""Callees whose arguments may stand in another order, or where one sees the exchange at once."""


def string_keys(target: Target) -> Iterator[tuple[cst.SimpleString, str]]:
    """Yield the strings that are keys: in subscripts, dictionaries, and ``get`` and ``pop``."""
    for node in target.nodes(cst.SimpleString):
        parent = target.parents.get(node)
        key = text_of(node)
        if not key or not re.fullmatch(r"[\w.\-/]{2,60}", key):
            continue
        if (
            isinstance(parent, cst.Index)
            or (isinstance(parent, cst.DictElement) and parent.key is node)
            or (
                isinstance(parent, cst.Arg)
                and isinstance(call := target.parents.get(parent), cst.Call)
                and last_name(call) in {"get", "pop", "setdefault", "getattr"}
            )
        ):
            yield node, key


def other_integer(target: Target, node: cst.CSTNode, value: int) -> int:
    """Return a number that people take for this one: one beside it, the half, the double."""
    if value < 4:
        return choose(target, node, [value + 1, value + 1, max(value - 1, 1)])
    if value & (value - 1) == 0:
        return choose(target, node, [value * 2, value // 2, value + 1])
    return choose(target, node, [value + 1, value - 1, value * 2, value // 2])
