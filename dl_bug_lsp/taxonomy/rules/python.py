"""Rules for what any Python program can raise."""

from __future__ import annotations

import re

from dl_bug_lsp.taxonomy.categories import removed_keywords
from dl_bug_lsp.taxonomy.classification_context import (
    FRAMEWORKS,
    ClassificationContext,
    Condition,
    Rule,
    find_phrase,
    library_of,
    rule,
)
from dl_bug_lsp.tracebacks.dialects import dialect_named

MISUSE, SHAPE, TYPE = "framework_api_misuse", "tensor_mismatch", "type_mismatch"
INDEX, ARGUMENT, KEY = "illegal_index", "illegal_argument", "key_not_found"
NULL, ATTRIBUTE, SYNTAX = "null_reference", "attribute_not_found", "syntax_error"
NAME, TODO, ZERO = "undefined_variable", "not_implemented", "division_by_zero"

_OF_SHAPES = re.compile(r"\.(?:shape|size|ndim|dim|numel|rank)\b|\bshape\(|\bndims?\b|\.get_shape")
_NAN = re.compile(
    r"(?<![a-z])(?:nan|inf|infinity|infinite|non-?finite|not finite|diverged)(?![a-z])"
)
_METRIC = re.compile(
    r"loss|grad|logit|cost|objective|perplexity|nll|elbo|weights?\b|param|diverg|output"
)
_ARGUMENT_LIST = re.compile(
    r"\((?!nonetype)[^()]{1,400},[^()]{0,400}\)|!nonetype!|expected one of:.*"
)
"""Types of a call's arguments, of which some may well be None; the first one is the input."""
_TEST_FILE = re.compile(
    r"(?:^|[/\\])(?:test_[^/\\]*|[^/\\]*_test)\.py$|[/\\]tests?[/\\][^/\\]*\.py$"
)
_KEY_ALONE = re.compile(r"'[\w./-]{1,80}'")
"""What a program prints of a KeyError without its class: the key, and nothing else."""
_CHECKS_NAN = re.compile(r"isnan|isfinite|isinf|nan\b", re.IGNORECASE)
_CHECKS_PATH = re.compile(r"\.exists\(|isfile\(|isdir\(|is_file\(|is_dir\(|path\.exists")
_CHECKS_NONE = re.compile(r"is not None|!= None")
_CHECKS_TYPE = re.compile(r"isinstance\(|\.dtype\b|\btype\(|issubclass\(|is_floating_point")
_CHECKS_DEVICE = re.compile(r"cuda\.is_available|list_physical_devices|device_count\(")
_CHECKS_INDEX = re.compile(
    r"(?:min|max)\(\)?.{0,30}(?:<|>)|(?:<|>).{0,40}(?:num_classes|n_classes|vocab)"
)
_CALLEE = re.compile(r"(?<![\w.<>])([\w.<>]+)\(\) (?:got|takes|missing)")
_PLAIN_OPERATION = (
    "not supported between instances",
    "unsupported operand",
    "must be real number, not",
    "cannot be interpreted as an integer",
    "can only concatenate",
    "can't multiply sequence",
    "must be str, not",
    "must be string, not",
    "expected str",
    "an integer is required",
    "bad operand type",
    "is not json serializable",
)
_SHAPE_WORD = re.compile(
    r"\b(?:torch\.size|shapes?|rank|ndim|dims?|dimensions?|dimensional|channels?|[1-5]-?d|width|height|"
    r"seq_?len|sequence length|batch sizes?|feature sizes?|in_features|numel|elements)\b"
)
_DTYPE_WORD = re.compile(
    r"\b(?:dtypes?|data types?|float16|float32|float64|int32|int64|uint8|bfloat16)\b"
)
_TYPE_WORD = re.compile(
    r"\b(?:d?types?|objects?|instances?|callable|subscriptable|iterable|hashable|scalar|numeric"
    r"|convert\w*|cast|operands?|integers?|strings?|sequence|numbers?|arrays?|tensors?|tuples?|lists?"
    r"|dict\w*|str|int|float\w*|bool\w*|bytes|none\w*|must be|should be|expect\w*|supported)\b"
)
_COMPARES = re.compile(
    r"\bgot\b|\breceived\b|\bfound\b|\bmismatch|\bmatch|\bincompatible\b|\bdiffer|!=|\bexpect|"
    r"\bmust be\b|\bmust have\b|\bshould be\b|\bshould have\b|\bhas\b(?! no\b)|\bbut\b|\bagainst\b"
    r"|\bvs\b"
)
NEAR = 60
"""Characters within which what is compared stands beside the word that compares."""
_VALUE_WORD = re.compile(
    r"\bargument|\bvalues?\b|\bmust be\b|\bone of\b|\binvalid\b|\bshould be\b|\breceived\b|"
    r"\bunsupported\b|\bunknown\b|\bchoose\b|\ballowed\b|\bsupported\b|\bpositive\b|\bbetween\b|"
    r"\brange\b|\bgreater\b|\bless than\b|\bdivisible\b|\bat least\b|\bnot a valid\b|\bgot\b"
)
_CHECKS_ACCURACY = re.compile(r"assert [^\n]{0,60}(?:acc|accuracy|f1|auc|auroc|iou)\b[^\n]{0,40}>")
_CHECKS_LOSS = re.compile(r"assert [^\n]{0,60}loss[^\n]{0,40}<")
_DUNDER_GET = "__getattr__"
_KEYWORD = re.compile(r"unexpected keyword argument '(\w+)'")


def _complains_of_none(context: ClassificationContext) -> bool:
    """Say whether None is what is wrong, not one of the arguments that a message lists."""
    return "none" in _ARGUMENT_LIST.sub(" ", context.text)


def _in_test(context: ClassificationContext) -> bool:
    """Say whether a test's own assertion failed: it tells that a result is wrong, not why."""
    if dialect_named(context.failure.dialect).is_of_test:
        return True
    return bool(context.frames) and bool(_TEST_FILE.search(context.frames[-1].file))


def _unpacks_shape(context: ClassificationContext) -> bool:
    return bool(_OF_SHAPES.search(context.user_source)) or bool(_OF_SHAPES.search(context.source))


def _compares(word: re.Pattern[str]) -> Condition:
    """Return a condition: the message sets one such word's value against another."""

    def condition(context: ClassificationContext) -> bool:
        compared = [match.span() for match in _COMPARES.finditer(context.text)]
        return any(
            start - NEAR <= match.end() and match.start() <= end + NEAR
            for match in word.finditer(context.text)
            for start, end in compared
        )

    return condition


def _speaks_of_types(context: ClassificationContext) -> bool:
    """Say whether a type, a conversion or what was expected is named."""
    return bool(_TYPE_WORD.search(context.text))


def _speaks_of_nan(context: ClassificationContext) -> bool:
    """Say whether the words couple NaN or infinity with a metric, whoever raised them."""
    words = f"{context.class_name.lower()} {context.text}"
    about = f"{words} {context.source.lower()}"
    return bool(_NAN.search(words)) and bool(_METRIC.search(about))


def _in_trainer(context: ClassificationContext) -> bool:
    """Say whether a framework met an object of the user's that breaks its contract."""
    return context.in_framework


_PASSING_ON = frozenset(("_call_impl", "_wrapped_call_impl", "__call__", "wrapper", None))
"""Functions that hand a caller's arguments on: without frames above, who calls is not known."""


def _names_removed_keyword(context: ClassificationContext) -> bool:
    """Say whether a library is known to have removed the keyword that its function refuses."""
    shown = (context.cause.type, *(f"{f.file} {f.source or ''}" for f in context.frames))
    about = f"{context.text} {' '.join(shown).lower()}"
    return any(
        any(find_phrase(context.text, phrase) for phrase in row.when)
        and (not row.only or any(word in about for word in row.only))
        for row in removed_keywords()
    )


def _framework_calls_hook(context: ClassificationContext) -> bool:
    """Say whether the framework called a function that the user's line does not name."""
    callee = _CALLEE.search(context.message)
    if not context.in_framework or callee is None:
        return False
    if all(frame.own_name in _PASSING_ON for frame in context.frames):
        return False
    keyword = _KEYWORD.search(context.message)
    if keyword is not None and re.search(rf"\b{keyword[1]} ?=(?!=)", context.user_source):
        return False  # The program's own call gives it, and the framework only hands it on.
    parts = callee.group(1).replace("<locals>", "").split(".")
    name = (
        parts[-2] if parts[-1] in ("__init__", "__new__", "__call__") and parts[1:] else parts[-1]
    )
    return name not in context.user_source


def _attribute_read_by_framework(context: ClassificationContext) -> bool:
    """Look through ``__getattr__`` of modules and configs: who read the attribute is above it.

    Where a library reads it from an object of another one, their versions differ: nothing of the
    program breaks a contract. A module of PyTorch may be the program's own.
    """
    frames = list(context.frames)
    owner: str | None = None
    while frames and frames[-1].own_name in (_DUNDER_GET, "__getattribute__"):
        owner = library_of(frames.pop().file)
    reader = library_of(frames[-1].file) if frames else None
    return reader in FRAMEWORKS and owner in (None, reader, "torch", "python")


_MODULE_LACKS = re.compile(r"module '(\w+)[\w.]*' has no attribute")


def _lacks_part_of_itself(context: ClassificationContext) -> bool:
    """Say whether a library, while it is imported, asks its own module for what that lacks."""
    lacks = _MODULE_LACKS.search(context.message)
    if lacks is None or not context.frames:
        return False
    frame = context.frames[-1]
    return frame.own_name == "<module>" and library_of(frame.file) == lacks[1]


RULES_FIRST: tuple[Rule, ...] = (
    rule(
        "python.syntax",
        SYNTAX,
        types="SyntaxError IndentationError TabError IncompleteInputError",
        unless=("not a png file", "broken png", "not a tiff file", "utf-8"),
    ),
    rule(
        "python.source_encoding",
        "unexpected_encoding",
        "utf-8",
        "unknown encoding",
        types="SyntaxError",
    ),
    rule(
        "python.pickle",
        MISUSE,
        "can't pickle",
        "cannot pickle",
        "can't get local object",
        "can't get attribute '…' on <module",
        "could not pickle the task",
        "it's not the same object as",
        "attribute lookup…failed",
        "pickling…failed",
        "not picklable",
        "unpicklable",
        "could not serialize the function",
        "could not serialize the argument",
        "maybe you meant to pickle",
        "inspect_serializability",
        "bootstrapping phase",
        types="AttributeError TypeError PicklingError RuntimeError ValueError",
    ),
    rule("python.pickle_class", MISUSE, types="PicklingError"),
    rule("python.unpickled_attribute", ATTRIBUTE, "can't get attribute", types="AttributeError"),
    rule(
        "python.nan",
        "loss_nan",
        types="RuntimeError ValueError AssertionError FloatingPointError "
        "Exception ArithmeticError NaNError NanError NaNLossError NanLossError NonFiniteLossError "
        "DivergenceError TrainingDiverged DivergedError NonFiniteError InvalidLossError SystemExit "
        "OverflowError TrialPruned TrainingError LossError",
        when=_speaks_of_nan,
        unless=(
            "input contains",
            "input x contains",
            "convert float nan",
            "index",
            "csv",
            "not implemented",
            "autodetected range",
            "range parameter must be finite",
            "check_nan=",
        ),
        confidence=0.85,
    ),
    rule(
        "python.assert_nan",
        "loss_nan",
        types="AssertionError",
        confidence=0.8,
        when=lambda s: bool(_CHECKS_NAN.search(s.source)),
    ),
    rule(
        "python.null",
        NULL,
        "nonetype",
        "'none' has no",
        unless=("unexpected keyword", "no default __reduce__"),
        when=_complains_of_none,
    ),
)
"""Looked at before the frameworks' tables."""

RULES: tuple[Rule, ...] = (
    rule("python.zero", ZERO, types="ZeroDivisionError"),
    rule(
        "python.zero_words",
        ZERO,
        "division by zero",
        "floating point exception",
        "sigfpe",
        "divide by zero",
        "modulo by zero",
        "float division",
    ),
    rule(
        "python.key_words",
        KEY,
        when=lambda s: s.is_message and _KEY_ALONE.fullmatch(s.message.strip()) is not None,
        confidence=0.75,
    ),
    rule("python.unbound_inside", ARGUMENT, types="UnboundLocalError", when=_in_trainer),
    rule("python.name", NAME, types="NameError UnboundLocalError"),
    # The kernels of JavaScript; Python's own class of this name tells of weak references.
    rule("javascript.name", NAME, "is not defined", types="ReferenceError"),
    rule(
        "rpy2.conversion_object",
        TYPE,
        "conversion…not defined for objects of type",
        types="NotImplementedError",
        confidence=0.85,
    ),
    rule(
        "rpy2.conversion_context",
        MISUSE,
        "conversion rules for…appear to be missing",
        types="NotImplementedError",
        confidence=0.85,
    ),
    rule("python.not_implemented", TODO, types="NotImplementedError", confidence=0.85),
    rule(
        "python.not_implemented_words",
        TODO,
        "not yet implemented",
        "not implemented",
        "unsupported onnx op",
        "unsupported_node: ",
        "found unsupported datatype",
        "no importer registered for op",
        "unsupported operator",
        "unsupported ops",
        "exporting the operator…not supported",
        types="RuntimeError ValueError Exception program log c++ tensorrt",
        confidence=0.6,
    ),
    rule(
        "python.removed_keyword",
        "version_conflict",
        "got an unexpected keyword argument",
        types="TypeError",
        when=_names_removed_keyword,
        confidence=0.85,
    ),
    rule(
        "python.framework_hook",
        MISUSE,
        "got an unexpected keyword argument",
        "positional argument",
        "required keyword-only argument",
        types="TypeError",
        when=_framework_calls_hook,
        confidence=0.65,
    ),
    rule(
        "python.call_arguments",
        ARGUMENT,
        "positional argument",
        "required keyword-only argument",
        "takes no arguments",
        "got multiple values for",
        "unexpected keyword",
        "takes no keyword arguments",
        "takes at most",
        "takes exactly",
        "takes from",
        "expected at most",
        "expected at least",
        "missing…required",
        "not enough arguments",
        "got some positional-only arguments",
        "invalid keyword argument",
        "too many arguments",
        types="TypeError",
        confidence=0.85,
    ),
    rule(
        "python.part_of_itself",
        "version_conflict",
        "has no attribute",
        types="AttributeError",
        when=_lacks_part_of_itself,
        unless=("partially initialized",),
        confidence=0.7,
    ),
    rule(
        "python.attribute_in_framework",
        MISUSE,
        "has no attribute",
        types="AttributeError",
        when=_attribute_read_by_framework,
        unless=("module '", "namespace"),
        confidence=0.6,
    ),
    rule("python.attribute", ATTRIBUTE, types="AttributeError", confidence=0.9),
    rule(
        "python.damaged_file",
        "corrupt_data",
        "wrong b-tree signature",
        "bad object header version",
        "bad symbol table node signature",
        "bad heap free list",
        "incorrect metadata checksum",
        types="KeyError",
        confidence=0.6,
    ),
    rule("python.key", KEY, types="KeyError", confidence=0.9),
    rule("python.overflow", ARGUMENT, types="OverflowError", confidence=0.5),
    rule(
        "python.unpack_shape",
        SHAPE,
        "values to unpack",
        types="ValueError",
        when=_unpacks_shape,
        confidence=0.75,
    ),
    rule("python.unpack", ARGUMENT, "values to unpack", types="ValueError", confidence=0.55),
    rule(
        "python.tuple_shape_index",
        SHAPE,
        "tuple index out of range",
        "list index out of range",
        types="IndexError",
        when=_unpacks_shape,
        confidence=0.55,
    ),
    rule(
        "python.recursion_getattr",
        ATTRIBUTE,
        types="RecursionError",
        confidence=0.5,
        when=lambda s: any(f.own_name == _DUNDER_GET for f in s.frames),
    ),
    rule("python.index", INDEX, types="IndexError BoundsError", confidence=0.9),
    rule(
        "python.type_in_framework",
        MISUSE,
        types="TypeError",
        when=_in_trainer,
        unless=_PLAIN_OPERATION,
        confidence=0.6,
    ),
    rule("python.type", TYPE, types="TypeError", when=_speaks_of_types, confidence=0.85),
    rule("python.type_unsaid", TYPE, types="TypeError", confidence=0.5),
    rule(
        "python.assert_accuracy",
        "accuracy_at_chance",
        types="AssertionError",
        when=lambda s: bool(_CHECKS_ACCURACY.search(s.source)),
        confidence=0.4,
    ),
    rule(
        "python.assert_loss",
        "loss_stagnation",
        types="AssertionError",
        when=lambda s: bool(_CHECKS_LOSS.search(s.source)),
        confidence=0.4,
    ),
    rule(
        "python.assert_shape",
        SHAPE,
        types="AssertionError",
        when=lambda s: not s.in_framework and bool(_OF_SHAPES.search(s.source)),
        confidence=0.75,
    ),
    rule(
        "python.assert_device",
        "device_unavailable",
        types="AssertionError",
        confidence=0.75,
        when=lambda s: bool(_CHECKS_DEVICE.search(s.source)),
    ),
    rule(
        "python.assert_path",
        "path_not_found",
        types="AssertionError",
        confidence=0.8,
        when=lambda s: bool(_CHECKS_PATH.search(s.source)),
    ),
    rule(
        "python.assert_none",
        NULL,
        types="AssertionError",
        confidence=0.7,
        when=lambda s: not s.in_framework and bool(_CHECKS_NONE.search(s.source)),
    ),
    rule(
        "python.assert_type",
        TYPE,
        types="AssertionError",
        confidence=0.7,
        when=lambda s: not s.in_framework and bool(_CHECKS_TYPE.search(s.source)),
    ),
    rule(
        "python.assert_index",
        INDEX,
        types="AssertionError",
        confidence=0.6,
        when=lambda s: not s.in_framework and bool(_CHECKS_INDEX.search(s.source)),
    ),
    rule(
        "python.not_in_list",
        ARGUMENT,
        "not in list",
        "not in tuple",
        types="ValueError",
        confidence=0.7,
    ),
    rule("python.stop_iteration", INDEX, types="StopIteration", confidence=0.4),
)
"""Looked at after all others: the exception's class and Python's own wordings decide."""

_NEVER_HOLDS = re.compile(r"assert\s*\(?\s*(?:False|0|None|not True)\s*\)?\s*(?:,.*)?(?:#.*)?")


def _stops_on_purpose(context: ClassificationContext) -> bool:
    """Say whether a line of the program fails whatever it meets, and says nothing of why."""
    return (
        not context.libraries
        and not context.message.strip()
        and _NEVER_HOLDS.fullmatch(context.source.strip()) is not None
    )


_ELSEWHERE = (
    "read the traceback above",
    "see the traceback above",
    "see traceback above",
    "see the above traceback",
    "returned non-zero exit status",
)

RULES_WITHOUT_CATEGORY: tuple[Rule, ...] = (
    rule("python.recursion", "unclassified", types="RecursionError", confidence=0.0),
    rule(
        "python.recursion_words",
        "unclassified",
        "maximum recursion depth exceeded",
        types="RuntimeError",
        confidence=0.0,
    ),
    rule(
        "program.deliberate",
        "unclassified",
        types="AssertionError",
        when=_stops_on_purpose,
        confidence=0.0,
    ),
    rule(
        "program.cancelled",
        "unclassified",
        types="CancelledError FutureCancelledError TaskCancelledError",
        confidence=0.0,
    ),
    rule(
        "program.elsewhere",
        "unclassified",
        *_ELSEWHERE,
        when=lambda s: not s.is_message,
        confidence=0.0,
    ),
)
"""What is well known and belongs to no category; asked before words alone decide."""

_VALUES_DIFFER = ("not close", "not equal to tolerance", "not almost equal", "items are not equal")

RULES_WORDS: tuple[Rule, ...] = (
    rule(
        "words.class",
        TYPE,
        "must be a string",
        "must be a list",
        "must be a tuple",
        "must be a dict",
        "must be an int",
        "must be a callable",
        "should be a string",
        "should be a list",
        "should be a dict",
        "should be a tuple",
        types="AssertionError TypeError",
        unless=("list of length", "tuple of length", "json", "yaml"),
        confidence=0.6,
    ),
    rule(
        "words.shape",
        SHAPE,
        types="ValueError RuntimeError AssertionError TypeError InvalidArgumentError Exception",
        unless=_VALUES_DIFFER,
        when=_compares(_SHAPE_WORD),
        confidence=0.65,
    ),
    rule(
        "words.dtype",
        TYPE,
        types="ValueError RuntimeError AssertionError TypeError InvalidArgumentError Exception",
        when=_compares(_DTYPE_WORD),
        confidence=0.6,
    ),
)
"""Looked at before the text classifier: words of any library or program that compare tensors."""

RULES_CLASS: tuple[Rule, ...] = (
    rule(
        "framework.value",
        ARGUMENT,
        types="ValueError AssertionError",
        when=lambda s: s.in_framework and bool(_VALUE_WORD.search(s.text)),
        confidence=0.55,
    ),
    rule(
        "framework.raised",
        MISUSE,
        types="AssertionError RuntimeError ValueError UsageError Exception",
        # Without its message an exception of these classes may be anything.
        when=lambda s: s.in_framework and (bool(s.message.strip()) or "Assert" in s.class_name),
        confidence=0.5,
    ),
    rule(
        "python.assert",
        ARGUMENT,
        types="AssertionError",
        when=lambda s: not _in_test(s),
        confidence=0.45,
    ),
    rule(
        "python.value",
        ARGUMENT,
        types="ValueError",
        when=lambda s: bool(s.message.strip()),
        confidence=0.5,
    ),
)
"""Looked at when the text classifier knows nothing better."""
