import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist


def partial_pooling(region, age, answers=None, *, regions, scale=1.0):
    """Yes answers by region, whose rates vary around a common one."""
    mu = numpyro.sample("mu", dist.Normal(0.0, scale))
    sigma = numpyro.sample("sigma", dist.HalfNormal(scale))
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    with numpyro.plate("regions", regions):
        offset = numpyro.sample("offset", dist.Normal(0.0, 1.0))
    logits = mu + sigma * offset[region] + slope * age
    numpyro.deterministic("rate", jnp.exp(logits).mean())
    with numpyro.plate("people", region.shape[0]):
        numpyro.sample("answers", dist.Bernoulli(logits=logits), obs=answers)
