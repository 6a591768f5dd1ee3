import argparse

import torch
from sklearn.metrics import classification_report

from mfcc import matrix
from net import FamilyNet
from notes import FAMILIES, corpus


def main():
    p = argparse.ArgumentParser()
    p.add_argument("checkpoint")
    p.add_argument("--snr", type=float, default=10.0)
    p.add_argument("--n", type=int, default=120)
    args = p.parse_args()

    ckpt = torch.load(args.checkpoint, map_location="cpu")
    hp = ckpt["hparams"]
    waves, y = corpus(args.n, seed=4321, snr_db=args.snr)
    x = torch.from_numpy(matrix(waves, hp["n_coef"]))

    net = FamilyNet(x.shape[1], hp["hidden"], len(FAMILIES))
    net.load_state_dict(ckpt["state"])
    net.eval()
    with torch.no_grad():
        pred = net(x).argmax(1).numpy()
    print(f"checkpoint of epoch {ckpt['epoch']}, val f1 {ckpt['f1']:.3f}; noise at {args.snr} dB SNR")
    print(classification_report(y, pred, target_names=FAMILIES, zero_division=0))


if __name__ == "__main__":
    main()
