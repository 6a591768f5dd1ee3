import torch
import yaml

from net import make

config = yaml.safe_load(open("train.yaml"))
model = make(config["width"], config["depth"])
torch.save(model.state_dict(), "model.pt")
