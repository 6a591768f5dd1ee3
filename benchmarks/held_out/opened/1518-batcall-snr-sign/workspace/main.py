import random
import sys
import warnings

import lightning as L
import yaml
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from batid import CallEmbedder, CallModule

warnings.filterwarnings("ignore", ".*does not have many workers.*")


def main(path):
    cfg = yaml.safe_load(open(path))
    L.seed_everything(5)
    random.seed(5)
    data = CallModule(cfg)
    model = CallEmbedder(cfg["net"], cfg["optim"])
    stop = EarlyStopping(**cfg["early_stopping"])
    keep = ModelCheckpoint("out", monitor=stop.monitor, mode=stop.mode, filename="best")
    trainer = L.Trainer(
        accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
        callbacks=[stop, keep], **cfg["trainer"],
    )
    trainer.fit(model, datamodule=data)
    print(f"best recall@1 {keep.best_model_score:.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
