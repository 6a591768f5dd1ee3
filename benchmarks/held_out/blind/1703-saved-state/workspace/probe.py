import argparse

import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from contrast import Encoder, TwoViews

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--encoder", required=True)
parser.add_argument("--channels", type=int, default=6)
args = parser.parse_args()

ckpt = torch.load(args.encoder)
encoder = Encoder(args.channels, ckpt["width"])
encoder.load_state_dict(ckpt["state"])
encoder.eval()


@torch.no_grad()
def embed(subjects):
    ds = TwoViews(args.data, subjects=subjects)
    return encoder(ds.signals).numpy(), ds.activity.numpy()


x_train, y_train = embed([0, 1, 2, 3])
x_test, y_test = embed([4, 5])
clf = LogisticRegression(max_iter=500).fit(x_train, y_train)
print(f"linear probe balanced accuracy: {balanced_accuracy_score(y_test, clf.predict(x_test)):.3f}")
