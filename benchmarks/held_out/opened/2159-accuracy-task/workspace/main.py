import sys

import torch
from omegaconf import OmegaConf

from gestures.data import make_loaders
from gestures.learner import Learner
from gestures.model import GestureNet


def main():
    cfg = OmegaConf.merge(OmegaConf.load("conf/default.yaml"), OmegaConf.from_cli(sys.argv[1:]))
    torch.manual_seed(cfg.fit.seed)
    loaders = make_loaders(cfg.data, cfg.fit.batch)
    model = GestureNet(cfg.model.channels, cfg.model.kernel, len(cfg.data.names))
    learner = Learner(model, loaders, cfg.fit, list(cfg.data.names))
    print(f"best validation loss {learner.fit():.4f}")
    learner.confusion()


if __name__ == "__main__":
    main()
