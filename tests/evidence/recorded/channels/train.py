import torch
import yaml
from torch import nn

with open("config.yaml") as stream:
    config = yaml.safe_load(stream)
head = nn.Linear(config["channels"], config["classes"])
signals = torch.randn(config["batch"], 9)
print(head(signals).shape)
