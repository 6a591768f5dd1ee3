"""Classify new particles with the trained net: python predict.py [csv]"""
import json
import sys

import pandas as pd
import torch

from model import PlanktonNet


def load_model(settings):
    ckpt = torch.load(settings["checkpoint"])
    net = PlanktonNet(len(ckpt["features"]), len(ckpt["classes"]), settings["hidden"])
    net.load_state_dict(ckpt["model"])
    net.eval()
    return net, ckpt["features"], ckpt["classes"]


def predict(net, table, features, classes):
    x = torch.tensor(table[features].to_numpy("float32"))
    with torch.no_grad():
        prob = net(x).softmax(1)
    top = prob.max(1)
    return pd.DataFrame(
        {
            "particle": table["particle"],
            "taxon": [classes[i] for i in top.indices],
            "confidence": top.values.numpy().round(3),
        }
    )


if __name__ == "__main__":
    settings = json.load(open("settings.json"))
    csv = sys.argv[1] if len(sys.argv) > 1 else settings["new_csv"]
    net, features, classes = load_model(settings)
    result = predict(net, pd.read_csv(csv), features, classes)
    print(result.head(8).to_string(index=False))
    print(result["taxon"].value_counts())
