"""The published techniques by name."""

from __future__ import annotations

from dl_bug_lsp.techniques.bjxnet import bjxnet
from dl_bug_lsp.techniques.dnnloc import ALL, dnnloc
from dl_bug_lsp.techniques.information_retrieval import AMALGAM, BLIA, BLUIR, BRTRACER, BUGLOCATOR
from dl_bug_lsp.techniques.scores import Composition

_FIXED = {
    composition.name: composition for composition in (BUGLOCATOR, BLUIR, BRTRACER, AMALGAM, BLIA)
}


def technique(name: str, left_out: str = ALL) -> Composition:
    """Return a technique; DNNLOC's network never saw the project ``left_out``.

    bjXnet's networks that left a project out are too large to ship: see `bjxnet.bjxnet`. Raises
    KeyError for a name that is not in `NAMES`.
    """
    if name == "bjxnet":
        return bjxnet()
    return dnnloc(left_out) if name == "dnnloc" else _FIXED[name]
