import logging
import sys
import warnings

import lightning as L
import pandas as pd
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

from config import Experiment
from coxnet import CoxNet

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)


class Report(Callback):
    def on_validation_end(self, trainer, module):
        if not trainer.sanity_checking:
            m = trainer.callback_metrics
            print(f"epoch {trainer.current_epoch}: val loss {m['val_loss']:.4f}, c-index {m['val_cindex']:.3f}")


def tensors(frame, exp, mean, std):
    x = (frame[exp.covariates] - mean) / std
    return TensorDataset(
        torch.tensor(x.to_numpy(), dtype=torch.float32),
        torch.tensor(frame["months"].to_numpy(), dtype=torch.float32),
        torch.tensor(frame["died"].to_numpy(), dtype=torch.float32),
    )


def main():
    exp = Experiment.read(sys.argv[1])
    L.seed_everything(exp.seed, verbose=False)
    frame = pd.read_csv(exp.csv).sample(frac=1.0, random_state=exp.seed)
    cut = int(0.75 * len(frame))
    train, valid = frame.iloc[:cut], frame.iloc[cut:]
    mean, std = train[exp.covariates].mean(), train[exp.covariates].std()
    model = CoxNet(len(exp.covariates), exp)
    keep = ModelCheckpoint(dirpath="checkpoints", monitor="val_cindex", mode="max", save_top_k=1)
    trainer = L.Trainer(
        max_epochs=exp.max_epochs, accelerator="cpu", devices=1, logger=False,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[keep, Report()],
    )
    trainer.fit(
        model,
        DataLoader(tensors(train, exp, mean, std), exp.batch_size, shuffle=True),
        DataLoader(tensors(valid, exp, mean, std), exp.batch_size),
    )
    print(f"best c-index {keep.best_model_score:.3f}")


if __name__ == "__main__":
    main()
