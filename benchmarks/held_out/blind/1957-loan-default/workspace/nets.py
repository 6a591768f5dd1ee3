from torch import nn


def mlp(n_in, widths, dropout):
    layers = []
    for w in widths:
        layers += [nn.Linear(n_in, w), nn.ReLU(), nn.Dropout(dropout)]
        n_in = w
    layers.append(nn.Linear(n_in, 1))
    return nn.Sequential(*layers)
