from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="metric")
def _nearest(vectors, sq_norms, queries, metric):
    dots = queries @ vectors.T
    if metric == "l2":
        dist = sq_norms[None, :] - 2.0 * dots
    else:
        dist = -dots
    best = jnp.argmin(dist, axis=1)
    return best, jnp.take_along_axis(dist, best[:, None], axis=1)[:, 0]


@dataclass
class FlatIndex:
    vectors: jax.Array
    metric: str = "l2"

    def __post_init__(self):
        self.sq_norms = jnp.sum(self.vectors**2, axis=1)

    def search(self, queries, chunk):
        ids, dists = [], []
        for start in range(0, len(queries), chunk):
            q = queries[start : start + chunk]
            i, d = _nearest(self.vectors, self.sq_norms, q, self.metric)
            if self.metric == "l2":
                d = d + jnp.sum(q**2, axis=1)
            ids.append(i)
            dists.append(d)
        return jnp.concatenate(ids), jnp.concatenate(dists)
