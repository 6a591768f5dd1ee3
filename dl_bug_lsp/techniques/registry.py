"""The published techniques by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dl_bug_lsp.techniques.amalgam import AMALGAM
from dl_bug_lsp.techniques.bjxnet import bjxnet
from dl_bug_lsp.techniques.blia import BLIA
from dl_bug_lsp.techniques.bluir import BLUIR
from dl_bug_lsp.techniques.brtracer import BRTRACER
from dl_bug_lsp.techniques.buglocator import BUGLOCATOR
from dl_bug_lsp.techniques.composition import Composition
from dl_bug_lsp.techniques.dnnloc import ALL, dnnloc
from dl_bug_lsp.techniques.names import NAMES

_FIXED = {one.name: one for one in (BUGLOCATOR, BLUIR, BRTRACER, AMALGAM, BLIA)}


def technique(name: str, left_out: str = ALL) -> Composition:
    """Return a technique; DNNLOC's network never saw the project ``left_out``.

    bjXnet's networks that left a project out are too large to ship: see `bjxnet.bjxnet`. Raises
    KeyError for a name that is not in `names.NAMES`.
    """
    if name == "bjxnet":
        return bjxnet()
    return dnnloc(left_out) if name == "dnnloc" else _FIXED[name]


TECHNIQUES: dict[str, Callable[..., Composition]] = {
    name: partial(technique, name) for name in NAMES
}
"""What makes each technique; all take ``left_out``."""
