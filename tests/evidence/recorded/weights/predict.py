import torch
import yaml

from net import make

config = yaml.safe_load(open("predict.yaml"))
model = make(config["width"], config["depth"])
model.load_state_dict(torch.load(config["weights"]))
print(model(torch.zeros(1, 8)))
