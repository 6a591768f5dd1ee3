import torch


def padding_mask(lengths, width, device):
    return torch.arange(width, device=device)[None, :] >= lengths.to(device)[:, None]


def causal_mask(width, device):
    return torch.triu(torch.ones(width, width, dtype=torch.bool), diagonal=1)
