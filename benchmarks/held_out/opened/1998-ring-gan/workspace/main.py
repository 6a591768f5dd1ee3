import sys

import torch
import yaml

from ringgan import GanTrainer


def main(argv):
    path = argv[1] if len(argv) > 1 else "ringgan.yaml"
    with open(path) as f:
        cfg = yaml.safe_load(f)
    torch.manual_seed(cfg["seed"])
    print(f"experiment {cfg['experiment']}: {cfg['target']['modes']} modes, "
          f"{cfg['training']['steps']} steps")
    trainer = GanTrainer(cfg)
    trainer.train()
    quality, modes = trainer.evaluate(4000)
    print(f"final: {quality:.3f} of samples on a mode, {modes} modes covered")


if __name__ == "__main__":
    main(sys.argv)
