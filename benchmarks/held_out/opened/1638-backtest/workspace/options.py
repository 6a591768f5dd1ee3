import argparse


def parse(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--history", type=int, default=36)
    p.add_argument("--horizon", type=int, default=6)
    p.add_argument("--rank", type=int, default=12)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--out", default="demand.keras")
    return p.parse_args()
