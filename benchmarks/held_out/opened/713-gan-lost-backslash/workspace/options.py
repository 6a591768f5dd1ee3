import argparse


def get_options():
    p = argparse.ArgumentParser("2-D ring GAN")
    p.add_argument("--z_dim", type=int, default=8)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--n_modes", type=int, default=8)
    p.add_argument("--batch_size", type=int, default=64)
    p.add_argument("--iters", type=int, default=150)
    p.add_argument("--lr_g", type=float, default=1e-3)
    p.add_argument("--lr_d", type=float, default=1e-3)
    p.add_argument("--betas", type=float, nargs=2, default=(0.5, 0.999))
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()
