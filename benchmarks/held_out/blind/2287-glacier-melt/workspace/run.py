import argparse
import logging
import warnings

import lightning as L

from melt_data import MeltData
from melt_model import MeltConv, MeltLSTM

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

MODELS = {"lstm": MeltLSTM, "conv": MeltConv}

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("model", choices=MODELS)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--history", type=int, default=30)
    a = p.parse_args()

    L.seed_everything(3, verbose=False)
    model = MODELS[a.model](lr=a.lr)
    print(f"{a.model}: {sum(q.numel() for q in model.parameters())} parameters")
    trainer = L.Trainer(
        max_epochs=a.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, MeltData(history=a.history))
    for k, v in trainer.callback_metrics.items():
        print(f"{k:12s} {v.item():.4f}")
