from torch import nn


def build_mlp(n_inputs, n_classes, cfg):
    layers, width = [], n_inputs
    for size in cfg.hidden:
        layers += [nn.Linear(width, size), nn.ReLU(), nn.Dropout(cfg.dropout)]
        width = size
    layers.append(nn.Linear(width, n_classes))
    return nn.Sequential(*layers)


def count_parameters(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
