"""Query strategies; each gets the committee and the pool and returns pool positions, best first."""
import numpy as np
from scipy.stats import entropy

REGISTRY = {}


def strategy(fn):
    REGISTRY[fn.__name__] = fn
    return fn


@strategy
def random_pick(committee, pool, rng):
    return rng.permutation(len(pool))


@strategy
def margin(committee, pool, rng):
    p = np.mean([m.predict_proba(pool) for m in committee], axis=0)
    top = np.sort(p, axis=1)
    return np.argsort(top[:, -1] - top[:, -2])


@strategy
def vote_kl(committee, pool, rng):
    each = np.stack([m.predict_proba(pool) for m in committee])
    mean = each.mean(0, keepdims=True)
    kl = entropy(each, np.broadcast_to(mean, each.shape), axis=2).mean(0)
    return np.argsort(-kl)
