"""What libraries call things: members of common classes, parameters of common calls."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

from dl_bug_lsp.evidence.nearness import parts_of

BUILTIN_CLASSES: dict[str, type] = {
    one.__name__: one for one in (list, dict, str, tuple, set, int, float, bytes)
}


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str]]:
    file = "library_names.json"
    text = resources.files("dl_bug_lsp.evidence.repairs").joinpath(file).read_text("utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


@lru_cache(maxsize=64)
def members(cls: str) -> frozenset[str]:
    """Return the public attributes of a common class by its short name; empty where unknown."""
    if cls in BUILTIN_CLASSES:
        return frozenset(n for n in dir(BUILTIN_CLASSES[cls]) if not n.startswith("_"))
    short = "Tensor" if cls == "Parameter" else cls
    return frozenset(_tables()["members"].get(short, "").split())


@lru_cache(maxsize=256)
def owners(attribute: str) -> frozenset[str]:
    """Return the common classes that have an attribute."""
    known = (*BUILTIN_CLASSES, *_tables()["members"])
    return frozenset(cls for cls in known if attribute in members(cls))


@lru_cache(maxsize=1)
def _by_short_name() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for dotted in _tables()["parameters"]:
        found.setdefault(dotted.rpartition(".")[2], []).append(dotted)
    return found


def parameters(dotted: str) -> tuple[str, ...]:
    """Return the parameters of a library's call in order; empty where unknown.

    ``dotted`` is the name as imports resolve it (``torch.nn.modules.linear.Linear`` is found by its
    first and last part).
    """
    table = _tables()["parameters"]
    if dotted in table:
        return tuple(table[dotted].split())
    top, _, _ = dotted.partition(".")
    for known in _by_short_name().get(dotted.rpartition(".")[2], ()):
        if known.partition(".")[0] == top or (top == "tensorflow" and known.startswith("keras")):
            return tuple(table[known].split())
    return ()


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return the parts of the names that libraries use: what a rightly spelt part may be."""
    texts = (*_tables()["members"].values(), *_tables()["parameters"].values())
    return frozenset(p for text in texts for p in parts_of(text.replace(" ", "_")) if len(p) > 1)
