from torch import nn


def build_mlp(cfg, n_in=64, n_out=10):
    layers, width = [], n_in
    for h in cfg.hidden:
        layers += [nn.Linear(width, h), nn.ReLU(), nn.Dropout(cfg.dropout)]
        width = h
    layers.append(nn.Linear(width, n_out))
    return nn.Sequential(*layers)
