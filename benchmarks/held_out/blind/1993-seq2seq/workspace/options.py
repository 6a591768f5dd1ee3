import argparse


def base_parser(description):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--data-dir", default="data")
    p.add_argument("--src", default="en")
    p.add_argument("--tgt", default="de")
    p.add_argument("--min-freq", type=int, default=2, help="rarer words become <unk>")
    p.add_argument("--emb", type=int, default=24)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--ckpt", default="model.pt")
    return p
