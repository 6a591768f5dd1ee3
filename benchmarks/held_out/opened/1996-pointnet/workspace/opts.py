import argparse


def get_opts(argv=None):
    ap = argparse.ArgumentParser(description="PointNet on parametric solids",
                                 formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    ap.add_argument("--points", type=int, default=128, help="points per cloud")
    ap.add_argument("--train-clouds", type=int, default=240)
    ap.add_argument("--test-clouds", type=int, default=80)
    ap.add_argument("--jitter", type=float, default=0.02)
    ap.add_argument("--mlp", nargs="+", default=[32, 64, 128], help="per-point layer widths")
    ap.add_argument("--fc", nargs="*", type=int, default=[64], help="classifier layer widths")
    ap.add_argument("--no-tnet", action="store_true", help="skip the input transform")
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--reg", type=float, default=1e-3, help="orthogonality penalty of the transform")
    ap.add_argument("--seed", type=int, default=0)
    return ap.parse_args(argv)
