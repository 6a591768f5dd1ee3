from pathlib import Path

import flax.serialization as fser


def load_encoder(params, path):
    """Replace the freshly initialised encoder by the pretrained one."""
    blob = Path(path).read_bytes()
    restored = fser.msgpack_restore(blob)
    missing = set(params["encoder"]) - set(restored)
    if missing:
        raise KeyError(f"{path} has no {sorted(missing)}")
    new = dict(params)
    new["encoder"] = {k: restored[k] for k in params["encoder"]}
    return new


def save(params, path):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fser.to_bytes(params))
