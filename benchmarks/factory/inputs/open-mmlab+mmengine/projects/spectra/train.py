"""Train a spectra model: python projects/spectra/train.py CONFIG [--cfg-options ...]"""
import argparse

import spectra  # noqa: F401  (registers the classes)
from mmengine.config import Config, DictAction
from mmengine.runner import Runner


def parse_args():
    parser = argparse.ArgumentParser(description='Train a spectra model')
    parser.add_argument('config')
    parser.add_argument('--work-dir')
    parser.add_argument('--cfg-options', nargs='+', action=DictAction)
    return parser.parse_args()


def main():
    args = parse_args()
    cfg = Config.fromfile(args.config)
    if args.cfg_options is not None:
        cfg.merge_from_dict(args.cfg_options)
    if args.work_dir is not None:
        cfg.work_dir = args.work_dir
    runner = Runner.from_cfg(cfg)
    runner.train()
    mae = runner.val_evaluator.metrics[0]
    print(f'best {runner.message_hub.get_scalar("val/spectra/mae").current():.4f}'
          f' ({type(mae).__name__})')


if __name__ == '__main__':
    main()
