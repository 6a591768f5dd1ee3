import argparse


def get_options(argv=None):
    p = argparse.ArgumentParser("waveform GAN")
    p.add_argument("--length", type=int, default=64)
    p.add_argument("--z-dim", type=int, default=16)
    p.add_argument("--ngf", type=int, default=16)
    p.add_argument("--ndf", type=int, default=16)
    p.add_argument("--n-critic", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--iterations", type=int, default=60)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args(argv)
