"""Models of Python's functions that read a value from a text.

Sources: the Python 3.13 library reference, "Built-in Functions" (``eval``) and
"ast — Abstract syntax trees" (``ast.literal_eval``). Nothing is run: only literals are read.
"""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.operators import MAX_TEXT, value_of
from dl_bug_lsp.interpretation.values import Raised, Value

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@MODELS.function("ast.literal_eval")
def _literal_eval(_: Interpreter, call: Call) -> Value:
    """Return the literal that a text is; raise where it is none."""
    given = call.given(0, "node_or_string")
    if given is None or not isinstance(given.data, str) or len(given.data) > MAX_TEXT:
        return call.unknown()
    try:
        return _read(given, given.data)
    except (RecursionError, MemoryError):
        return call.unknown()
    except (SyntaxError, ValueError, TypeError) as error:
        raise Raised("value", f"malformed node or string: {error}"[:200], given) from None


@MODELS.function("builtins.eval")
def _eval(_: Interpreter, call: Call) -> Value:
    """Return the literal that a text is; any other expression is not known."""
    given = call.given(0, "source")
    if given is None or not isinstance(given.data, str) or len(given.data) > MAX_TEXT:
        return call.unknown()
    try:
        return _read(given, given.data)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return call.unknown()


def _read(given: Value, text: str) -> Value:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return value_of(ast.literal_eval(text.strip(" \t")), given.origins)
