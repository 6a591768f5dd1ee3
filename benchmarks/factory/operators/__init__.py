"""The operators, one module each; `all_operators` finds them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from factory.values import Operator


@lru_cache(maxsize=1)
def all_operators() -> tuple[Operator, ...]:
    """Return every module's ``OPERATOR``, by id."""
    found = [
        importlib.import_module(f"{__name__}.{info.name}").OPERATOR
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    ]
    return tuple(sorted(found, key=lambda operator: operator.id))
