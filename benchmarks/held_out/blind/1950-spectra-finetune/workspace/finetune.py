import argparse
import json

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

import checkpoint
from data_io import batches, load_spectra
from spectra_model import MoistureModel


def make_optimizer(params, cfg):
    labels = {name: "encoder" if name == "encoder" else "head" for name in params}
    return optax.multi_transform(
        {"encoder": optax.adam(cfg["encoder_lr"]), "head": optax.adam(cfg["head_lr"])}, labels
    )


@jax.jit
def train_step(state, x, y):
    def loss_fn(params):
        pred = state.apply_fn({"params": params}, x)
        return jnp.mean(optax.huber_loss(pred, y))

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def predict(state, x):
    return state.apply_fn({"params": state.params}, x)


def create_state(cfg, n_channels):
    model = MoistureModel(cfg["encoder"]["width"], cfg["encoder"]["depth"], cfg["head_hidden"])
    params = model.init(jax.random.key(cfg["seed"]), jnp.zeros((1, n_channels)))["params"]
    if cfg.get("pretrained"):
        params = checkpoint.load_encoder(params, cfg["pretrained"])
        print("encoder weights from", cfg["pretrained"])
    return TrainState.create(apply_fn=model.apply, params=params, tx=make_optimizer(params, cfg))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    ap.add_argument("--out", default="out/moisture.msgpack")
    args = ap.parse_args()
    with open(args.config) as fh:
        cfg = json.load(fh)

    (xt, yt), (xv, yv), sd = load_spectra(cfg["data"])
    print(f"{len(xt)} train / {len(xv)} valid spectra, {xt.shape[1]} channels")
    state = create_state(cfg, xt.shape[1])
    rng = np.random.default_rng(cfg["seed"])
    for epoch in range(cfg["epochs"]):
        losses = []
        for xb, yb in batches(xt, yt, cfg["batch_size"], rng):
            state, loss = train_step(state, xb, yb)
            losses.append(float(loss))
        rmse = sd * float(jnp.sqrt(jnp.mean((predict(state, xv) - yv) ** 2)))
        if epoch % 3 == 0 or epoch == cfg["epochs"] - 1:
            print(f"epoch {epoch:3d}  huber {np.mean(losses):.4f}  valid RMSE {rmse:.3f} % moisture")
    checkpoint.save(state.params, args.out)


if __name__ == "__main__":
    main()
