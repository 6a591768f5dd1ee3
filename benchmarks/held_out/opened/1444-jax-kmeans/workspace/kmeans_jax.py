import argparse
import jax
import jax.numpy as jnp
from jax import random, jit, vmap


def make_blobs(key, n_per, centers):
    keys = random.split(key, len(centers))
    pts = [c + 0.4 * random.normal(k, (n_per, 2)) for c, k in zip(centers, keys)]
    return jnp.concatenate(pts)


@jit
def assign(points, centroids):
    d = vmap(lambda p: jnp.sum((centroids - p) ** 2, axis=1))(points)
    return jnp.argmin(d, axis=1), jnp.min(d, axis=1).mean()


def init_centroids(key, points, k):
    """k-means++ like: start from one random point, take far points next"""
    first = random.randint(key, (), 0, len(points))
    chosen = [points[first]]
    for _ in range(1, k):
        d = jnp.min(jnp.stack([jnp.sum((points - c) ** 2, axis=1) for c in chosen]), axis=0)
        chosen.append(points[jnp.argmax(d)])
    return jnp.stack(chosen)


def update_centroids(points, labels, centroids):
    for k in range(centroids.shape[0]):
        mask = labels == k
        if mask.sum() > 0:
            centroids[k] = points[mask].mean(axis=0)
    return centroids


def kmeans(points, k, key, max_iter=20, tol=1e-4):
    centroids = init_centroids(key, points, k)
    prev = jnp.inf
    for i in range(max_iter):
        labels, inertia = assign(points, centroids)
        print(f"iter {i:2d} inertia {inertia:.4f}")
        if prev - inertia < tol:
            break
        prev = inertia
        centroids = update_centroids(points, labels, centroids)
    return centroids, labels


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--k", type=int, default=3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    key = random.PRNGKey(args.seed)
    k1, k2 = random.split(key)
    pts = make_blobs(k1, 60, jnp.array([[0.0, 0.0], [3.0, 1.0], [-1.0, 3.5]]))
    pts = (pts - pts.mean(0)) / pts.std(0)
    centroids, labels = kmeans(pts, args.k, k2)
    print(centroids)
    print("cluster sizes", jnp.bincount(labels, length=args.k))


if __name__ == "__main__":
    main()
