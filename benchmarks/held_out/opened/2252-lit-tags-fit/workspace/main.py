import sys

import lightning as L
import yaml
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from datamodule import TagData
from module import Tagger


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    L.seed_everything(cfg["data"]["seed"])
    data = TagData(**cfg["data"])
    model = Tagger(cfg["data"]["dim"], cfg["data"]["tags"], **cfg["model"])
    checkpoint = ModelCheckpoint(**cfg["checkpoint"])
    trainer = L.Trainer(
        **cfg["trainer"],
        logger=False,
        callbacks=[checkpoint, EarlyStopping(**cfg["early_stopping"])],
    )
    trainer.fit(model, data)
    print(f"best {checkpoint.monitor} {checkpoint.best_model_score:.3f}: {checkpoint.best_model_path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
