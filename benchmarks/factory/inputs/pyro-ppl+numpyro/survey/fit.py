"""Fit the survey model with NUTS or SVI: python survey/fit.py --config survey/fit.yaml"""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import pandas as pd
import yaml
from model import partial_pooling
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.optim import ClippedAdam


def load(path):
    frame = pd.read_csv(path)
    names = sorted(frame["region"].unique())
    region = frame["region"].map({name: i for i, name in enumerate(names)}).to_numpy()
    age = ((frame["age"] - frame["age"].mean()) / frame["age"].std()).to_numpy()
    return {"region": jnp.array(region), "age": jnp.array(age)}, frame["answer"].to_numpy(), len(names)


def run_nuts(model, data, answers, options, key):
    kernel = NUTS(model, target_accept_prob=options["target_accept"])
    mcmc = MCMC(
        kernel, num_warmup=options["warmup"], num_samples=options["samples"],
        num_chains=options["chains"], chain_method="vectorized", progress_bar=False,
    )
    mcmc.run(key, **data, answers=answers)
    mcmc.print_summary(exclude_deterministic=False)
    return mcmc.get_samples()


def run_svi(model, data, answers, options, key):
    guide = AutoNormal(model)
    svi = SVI(model, guide, ClippedAdam(options["lr"], clip_norm=10.0), Trace_ELBO())
    result = svi.run(key, options["steps"], **data, answers=answers, progress_bar=False)
    print(f"loss {float(result.losses[-10:].mean()):.3f}")
    return guide.sample_posterior(key, result.params, sample_shape=(200,))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="survey/fit.yaml")
    parser.add_argument("--method", choices=["nuts", "svi"], default="nuts")
    args = parser.parse_args()
    with open(args.config) as file:
        config = yaml.safe_load(file)
    numpyro.set_platform("cpu")
    data, answers, regions = load(config["data"])

    def model(region, age, answers=None):
        return partial_pooling(region, age, answers, regions=regions, scale=config["prior_scale"])

    fit_key, check_key = jax.random.split(jax.random.PRNGKey(config["seed"]))
    run = {"nuts": run_nuts, "svi": run_svi}[args.method]
    samples = run(model, data, jnp.array(answers), config[args.method], fit_key)
    drawn = Predictive(model, posterior_samples=samples)(check_key, **data)["answers"]
    error = np.abs(np.asarray(drawn).mean() - answers.mean())
    print(f"slope {float(samples['slope'].mean()):.3f}, error of the mean answer {error:.4f}")


if __name__ == "__main__":
    main()
