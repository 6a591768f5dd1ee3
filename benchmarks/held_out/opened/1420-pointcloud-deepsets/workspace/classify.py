import click
import jax
import numpy as np
import optax
from flax.serialization import to_bytes

from pointcloud import DeepSets, SHAPES, evaluate, fit, sample_batch


def endless(seed, batch):
    rng = np.random.default_rng(seed)
    while True:
        yield sample_batch(rng, batch)


@click.command()
@click.option("--steps", default=240)
@click.option("--batch", default=32)
@click.option("--peak-lr", default=3e-3)
@click.option("--out", default="deepsets.msgpack")
def main(steps, batch, peak_lr, out):
    model = DeepSets(n_classes=len(SHAPES))
    key = jax.random.PRNGKey(0)
    x0, _ = sample_batch(np.random.default_rng(0), 2)
    params = model.init(key, x0, train=False)["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, peak_lr, steps // 10, steps)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=1e-4))
    x_val, y_val = sample_batch(np.random.default_rng(999), 256)

    def report(step, params, stats):
        if step % 40 == 0:
            acc = evaluate(model, params, x_val, y_val)
            click.echo(f"step {step:4d} loss {stats['loss']:.4f} train acc {stats['acc']:.2f} "
                       f"|g| {stats['grad_norm']:.3f} val acc {acc:.3f}")

    params = fit(model, tx, params, endless(1, batch), steps, key, hooks=[report])
    with open(out, "wb") as fh:
        fh.write(to_bytes(params))
    click.echo(f"wrote {out}")


if __name__ == "__main__":
    main()
