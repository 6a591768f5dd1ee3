import json

DEFAULTS = {
    "axes": 6,
    "window": 100,
    "hidden": 32,
    "layers": 1,
    "proj": 16,
    "lr": 1e-3,
    "batch_size": 32,
    "epochs": 3,
}
MODEL_KEYS = ("axes", "hidden", "layers", "proj")


def from_args(pairs):
    """['hidden=48', 'lr=0.01'] -> {'hidden': 48, 'lr': 0.01}"""
    out = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in DEFAULTS:
            raise SystemExit(f"unknown option {key!r}")
        out[key] = json.loads(value)
    return out


def resolve(overrides, checkpoint=None):
    """Options for a run. A checkpoint brings the options it was trained with."""
    opts = {}
    if checkpoint is not None:
        opts.update(checkpoint["options"])
    opts.update(DEFAULTS)
    opts.update(overrides)
    return opts
