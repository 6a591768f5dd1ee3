import logging
import os
import warnings

import lightning as L

from composer import Composer
from tunes import TuneData
from vocab import BOS, EOS

logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
warnings.filterwarnings("ignore", message=".*does not have many workers.*")

EPOCHS = int(os.environ.get("EPOCHS", 10))
BATCH = int(os.environ.get("BATCH", 16))
HIDDEN = int(os.environ.get("HIDDEN", 64))

L.seed_everything(21)
data = TuneData("tunes.json", BATCH)
model = Composer(data.vocab.size, data.vocab.pad_id, hidden=HIDDEN)
trainer = L.Trainer(
    max_epochs=EPOCHS,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    num_sanity_val_steps=0,
    log_every_n_steps=1,
)
trainer.fit(model, data)

model.eval()
ids = data.vocab.index
print(data.vocab.decode(model.compose(ids[BOS], ids[EOS])))
