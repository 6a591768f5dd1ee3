import sys
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from omegaconf import OmegaConf
from sklearn.metrics import roc_auc_score

from pump_data import PumpData
from pump_model import PumpAutoencoder

warnings.filterwarnings("ignore", ".*does not have many workers.*")


def main():
    cfg = OmegaConf.merge(OmegaConf.load("conf/pump.yaml"), OmegaConf.from_dotlist(sys.argv[1:]))
    L.seed_everything(cfg.seed)
    data = PumpData(cfg.data, cfg.seed)
    model = PumpAutoencoder(cfg.data.n_mels * cfg.data.frames, list(cfg.model.widths), cfg.model.lr,
                            OmegaConf.to_container(cfg.model.plateau))
    keep = ModelCheckpoint("ckpt", filename="pump-{epoch}", monitor="val/mse", save_top_k=1)
    trainer = L.Trainer(**cfg.trainer, callbacks=[keep])
    trainer.fit(model, data)

    best = PumpAutoencoder.load_from_checkpoint(keep.best_model_path)
    best.eval()
    with torch.no_grad():
        scores = [best.score(x).quantile(0.95).item() for x, _ in data.test_clips]
    auc = roc_auc_score([bad for _, bad in data.test_clips], scores)
    print(f"best {keep.best_model_path.split('/')[-1]}  clip AUC {auc:.3f}")


if __name__ == "__main__":
    main()
