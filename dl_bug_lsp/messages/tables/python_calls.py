"""The language's own messages: calls, operators, types."""

# ruff: noqa: E501 - a message stands in one piece, so that a search finds it

from __future__ import annotations

from dl_bug_lsp.messages.families import Family as Row

# fmt: off
FAMILIES: tuple[Row, ...] = (
    # calls
    Row("call_keyword", "{O:function}() got an unexpected keyword argument '{A:argument}'"),
    Row("call_keyword", "'{A:argument}' is an invalid keyword argument for {O:function}()"),
    Row("call_keyword", "{O:function}() got some positional-only arguments passed as keyword arguments: '{A:argument*}'"),
    Row("call_keyword", "got an unexpected keyword argument '{A:argument}'"),
    Row("call_missing", "{O:function}() missing {X:count} required {positional|keyword-only} argument{s|}: {E:argument*}"),
    Row("call_missing", "{O:function}() missing required argument '{E:argument}' (pos {X:index})"),
    Row("call_count", "{O:function}() takes {from |at most |at least |exactly |}{E:count} {? to {E:count} ?}{? positional ?}argument{s|} {but|(} {A:count} {? positional argument{s|} (and {...}) ?}{were|was|given}"),
    Row("call_count", "{O:function}() takes from {E:count} to {E:count} positional arguments but {A:count} {were|was} given"),
    Row("call_count", "{O:function}() takes {E:count} positional argument{s|} but {A:count}{? {...} ?} {were|was} given"),
    Row("call_count", "{O:function}() takes exactly {E:literal} argument{s|} ({A:count} given)"),
    Row("call_count", "{O:function}() takes {at most|at least} {E:count} {? positional ?}argument{s|} ({A:count} given)"),
    Row("call_count", "{O:function}() takes no {? keyword ?}arguments{? ({A:count} given) ?}"),
    Row("call_count", "{O:function} expected {at least |at most |}{E:count} argument{s|}, got {A:count}"),
    Row("call_twice", "{O:function}() got multiple values for {keyword |}argument '{A:argument}'"),
    Row("call_star", "{O:function}() argument after {*|**} must be {E:requirement}, not {A:class}"),
    Row("call_star", "keywords must be strings"),
    Row("abstract", "Can't instantiate abstract class {O:class} {with|without an implementation for} abstract method{s|} {E:function*}"),
    Row("default_order", "non-default argument '{A:argument}' follows default argument{? '{X:argument}' ?}"),
    Row("default_mutable", "mutable default {A:class} for field {O:attribute} is not allowed"),
    # operators
    Row("operands", "unsupported operand type(s) for {O:operation}: '{A:class}' and '{E:class}'"),
    Row("operand", "bad operand type for {O:operation}: '{A:class}'"),
    Row("operand", "bad operand type for unary {O:operation}: '{A:class}'"),
    Row("comparison", "'{O:operation}' not supported between instances of '{A:class}' and '{E:class}'"),
    Row("concatenate", "can only concatenate {E:class} (not '{A:class}') to {E:class}"),
    Row("concatenate", "can't concat {A:class} to {E:class}"),
    Row("multiply_sequence", "can't multiply sequence by non-int of type '{A:class}'"),
    Row("subscript", "'{A:class}' object is not subscriptable"),
    Row("subscript_assign", "'{A:class}' object does{n't| not} support item {assignment|deletion}"),
    Row("callable", "'{A:class}' object is not callable"),
    Row("iterable", "'{A:class}' object is not {iterable|an iterator|reversible|a mapping}"),
    Row("iterable", "argument of type '{A:class}' is not {iterable|a container or iterable}"),
    Row("length", "object of type '{A:class}' has no len()"),
    Row("hashable", "unhashable type: '{A:class}'"),
    Row("hashable", "cannot use '{A:class}' as a {dict key|set element} (unhashable type: {...})"),
    Row("integer", "'{A:class}' object cannot be interpreted as an integer", also="E:class=int"),
    Row("context", "'{A:class}' object does not support the {? asynchronous ?}context manager protocol"),
    Row("await", "object {A:class} can't be used in 'await' expression"),
    # arguments of built-in functions
    Row("argument_type", "{O:function}() argument must be {E:class*}, not '{A:class}'"),
    Row("argument_type", "{O:function}() argument must be {E:class*}, not {A:class}"),
    Row("argument_type", "{O:function}() argument {X:index} must be {E:requirement}, not {A:class}"),
    Row("argument_type", "{O:function} arg {X:index} must be {E:requirement}"),
    Row("path_type", "expected {E:class*} object, not {A:class}"),
    Row("path_type", "stat: path should be {E:class*}, not {A:class}"),
    Row("buffer_type", "a bytes-like object is required, not '{A:class}'", also="E:class=bytes"),
    Row("element_type", "sequence item {A:index}: expected {E:class} instance, {A:class} found"),
    Row("element_type", "expected {E:class} instance, {A:class} found"),
    Row("element_type", "{E:class} expected, not {A:class}"),
    Row("element_type", "must be {E:requirement}, not {A:class}"),
    Row("raise_type", "exceptions must derive from BaseException"),
    Row("base_class", "metaclass conflict"),
    Row("base_class", "{O:class}() takes at most {E:count} argument{s|} ({A:count} given)"),
    Row("rounding", "type {A:class} doesn't define {E:function} method"),
    Row("element_type", "expected {E:class*}, got '{A:class}'"),
    Row("attribute_name", "attribute name must be string, not '{A:class}'"),
    Row("object_init", "object.__init__() takes exactly one argument"),
    Row("dataclass_instance", "{O:function}() should be called on dataclass instances"),
)
