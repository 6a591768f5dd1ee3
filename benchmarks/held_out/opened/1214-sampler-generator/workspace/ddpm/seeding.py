import os
import random

import numpy as np
import torch


def seed_everything(seed):
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_generator(seed, device):
    """A private stream, so that sampling does not disturb the training stream."""
    gen = torch.Generator()
    gen.manual_seed(seed)
    return gen
