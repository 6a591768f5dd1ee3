from torch import nn


def mlp(n_in, hidden=(64, 32), p=0.3):
    mods = []
    for h in hidden:
        mods += [nn.Linear(n_in, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Dropout(p)]
        n_in = h
    mods.append(nn.Linear(n_in, 1))
    return nn.Sequential(*mods)
