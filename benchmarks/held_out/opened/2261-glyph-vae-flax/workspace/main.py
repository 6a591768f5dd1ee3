import jax
import numpy as np

from vae.config import Config
from vae.glyphs import batches, make_glyphs
from vae.models import VAE
from vae.training import create_state, train_step


def main(cfg=Config()):
    data = make_glyphs(cfg.n_images, cfg.image_size, cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    key = jax.random.PRNGKey(cfg.seed)
    key, init_key = jax.random.split(key)
    state = create_state(cfg, init_key)
    n_params = sum(p.size for p in jax.tree.leaves(state.params))
    print(f"{len(data)} glyphs, {n_params} parameters")

    for epoch in range(cfg.epochs):
        losses = []
        for x in batches(data, cfg.batch_size, rng):
            key, step_key = jax.random.split(key)
            state, loss = train_step(state, x, step_key, cfg.beta)
            losses.append(float(loss))
        print(f"epoch {epoch}: loss {np.mean(losses):.2f}")

    z = jax.random.normal(key, (4, cfg.latents))
    model = VAE(cfg.hidden, cfg.latents, cfg.image_size**2)
    images = model.apply({"params": state.params}, z, method=VAE.generate)
    print("samples", images.shape, "mean ink", float(images.mean().round(3)))


if __name__ == "__main__":
    main()
