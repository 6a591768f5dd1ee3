import sys
import time

import jax
import jax.numpy as jnp
import yaml

from index import FlatIndex


def make_database(key, size, dim, clusters):
    k1, k2, k3 = jax.random.split(key, 3)
    centers = jax.random.normal(k1, (clusters, dim)) * 2
    assign = jax.random.randint(k2, (size,), 0, clusters)
    return centers[assign] + jax.random.normal(k3, (size, dim))


def main(path):
    with open(path) as fh:
        cfg = yaml.safe_load(fh)
    print("devices:", jax.devices())
    kd, kq, kn = jax.random.split(jax.random.key(cfg["seed"]), 3)
    db = make_database(kd, **cfg["database"])
    q = cfg["queries"]
    target = jax.random.randint(kq, (q["num"],), 0, len(db))
    queries = db[target] + q["noise"] * jax.random.normal(kn, (q["num"], db.shape[1]))
    index = FlatIndex(db)
    start = time.time()
    ids, dist = index.search(queries, q["chunk"])
    ids.block_until_ready()
    recall = jnp.mean(ids == target)
    print(f"{len(ids)} queries in {time.time() - start:.2f}s recall@1 {recall:.4f} mean dist {dist.mean():.4f}")


if __name__ == "__main__":
    main(sys.argv[1])
