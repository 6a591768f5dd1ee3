import argparse

import yaml

from texcls.core.runner import Runner

parser = argparse.ArgumentParser()
parser.add_argument("experiment")
parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="override top-level numbers")
args = parser.parse_args()

with open(args.experiment) as fh:
    cfg = yaml.safe_load(fh)
for item in args.set:
    key, value = item.split("=", 1)
    if key not in cfg:
        parser.error(f"no setting {key!r}")
    cfg[key] = yaml.safe_load(value)

Runner(cfg).run()
