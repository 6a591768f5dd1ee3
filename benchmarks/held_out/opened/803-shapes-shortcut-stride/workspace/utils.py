import random
import numpy as np
import torch
import yaml


def load_config(path):
    with open(path) as f:
        return yaml.safe_load(f)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class AverageMeter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, v, n=1):
        self.sum += v * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)


def build_optimizer(cfg, params):
    o = cfg["optim"]
    if o["name"] == "sgd":
        opt = torch.optim.SGD(params, lr=o["lr"], momentum=o["momentum"],
                              weight_decay=o["weight_decay"])
    elif o["name"] == "adam":
        opt = torch.optim.Adam(params, lr=o["lr"], weight_decay=o["weight_decay"])
    else:
        raise ValueError(f"optimizer {o['name']} not supported")
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=o["milestones"], gamma=0.1)
    return opt, sched
