import hydra
import numpy as np
import torch

from waferseg.engine.session import Session
from waferseg.utils.io import save_weights


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    session = Session(cfg)
    miou = session.fit()
    save_weights(session.model, cfg.weights)
    print(f"mIoU {miou:.3f}, weights in {cfg.weights}")


if __name__ == "__main__":
    main()
