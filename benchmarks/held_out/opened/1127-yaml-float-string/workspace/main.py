import sys

import jax
import jax.numpy as jnp
import numpy as np
import yaml
from loguru import logger

from ens import fit, net, table


def calibration(z, levels=(0.5, 0.8, 0.95)):
    from scipy.stats import norm
    return {p: float(np.mean(np.abs(z) < norm.ppf(0.5 + p / 2))) for p in levels}


def main(config="conf/concrete.yaml", seed="0"):
    cfg = yaml.safe_load(open(config))
    train, test, scale_y = table.load(cfg, int(seed))
    logger.info("{} train / {} test rows, inputs {}", len(train), len(test), cfg["inputs"])

    params, losses = fit.fit_ensemble(jax.random.key(int(seed)), train, cfg)
    first, last = losses[:, :20].mean(1), losses[:, -20:].mean(1)
    for i, (a, b) in enumerate(zip(first, last)):
        logger.info("member {}: nll {:.3f} -> {:.3f}", i, float(a), float(b))

    mu, sigma = jax.vmap(net.apply, in_axes=(0, None))(params, jnp.asarray(test.x))
    mean, std = net.mixture(mu, sigma)
    err = np.asarray(mean - test.y)
    rmse = float(np.sqrt(np.mean(err**2)) * scale_y.scale)
    single = float(np.sqrt(np.mean((np.asarray(mu[0]) - test.y) ** 2)) * scale_y.scale)
    logger.success("test rmse {:.2f} MPa (member 0 alone {:.2f})", rmse, single)
    logger.info("coverage {}", {k: round(v, 2) for k, v in calibration(err / np.asarray(std)).items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
