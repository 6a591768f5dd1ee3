"""Write `dl_bug_lsp/evidence/repairs/library_names.json` from the installed frameworks.

    python benchmarks/library_names.py > dl_bug_lsp/evidence/repairs/library_names.json

``members`` are the public attributes of common classes, ``parameters`` those of common calls in
order, without ``self``; both as words with spaces between. A framework that is not installed is
left out.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys

CLASSES = {
    "Tensor": "torch.Tensor",
    "Module": "torch.nn.Module",
    "Optimizer": "torch.optim.Optimizer",
    "DataLoader": "torch.utils.data.DataLoader",
    "ndarray": "numpy.ndarray",
    "DataFrame": "pandas.DataFrame",
    "Series": "pandas.Series",
    "EagerTensor": "tensorflow.Tensor",
    "Model": "keras.Model",
    "Layer": "keras.Layer",
    "LightningModule": "lightning.pytorch.LightningModule",
    "Trainer": "lightning.pytorch.Trainer",
}
MODULES = (
    "torch.nn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.nn.functional",
    "torch.utils.data",
    "keras.layers",
    "keras.optimizers",
    "keras.losses",
    "keras.callbacks",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.linear_model",
    "sklearn.preprocessing",
    "optax",
    "flax.linen",
)


def _object(dotted: str) -> object:
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _parameters(called: object) -> list[str] | None:
    target = called.__init__ if inspect.isclass(called) else called  # type: ignore[misc]
    try:
        found = inspect.signature(target)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    names = [p.name for p in found.parameters.values() if p.kind not in kinds]
    return [n for n in names if n not in ("self", "cls") and not n.startswith("_")]


def main() -> None:
    """Print the table."""
    members: dict[str, str] = {}
    for name, dotted in CLASSES.items():
        try:
            found = dir(_object(dotted))
        except (ImportError, AttributeError):
            continue
        members[name] = " ".join(sorted(n for n in found if not n.startswith("_")))
    parameters: dict[str, str] = {}
    for module in MODULES:
        try:
            names = vars(importlib.import_module(module))
        except ImportError:
            continue
        for name, called in sorted(names.items()):
            if name.startswith("_") or not callable(called):
                continue
            listed = _parameters(called)
            if listed:
                parameters[f"{module}.{name}"] = " ".join(listed)
    json.dump({"members": members, "parameters": parameters}, sys.stdout, indent=0)
    print()


if __name__ == "__main__":
    main()
