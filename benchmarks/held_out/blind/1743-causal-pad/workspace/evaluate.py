import sys

import torch

from gridcast.data.datamodule import LoadDataModule
from gridcast.engine.module import ForecastModule
from gridcast.utils.conf import read_conf


def main(experiment):
    conf = read_conf(experiment)
    dm = LoadDataModule(**conf.data)
    dm.setup()
    module = ForecastModule.load_from_checkpoint(f"checkpoints/{experiment}/best.ckpt", weights_only=False)
    module.eval()
    preds, truth = [], []
    with torch.no_grad():
        for past, future in dm.val_dataloader():
            preds.append(module(past))
            truth.append(future)
    preds = dm.to_megawatts(torch.cat(preds).numpy())
    truth = dm.to_megawatts(torch.cat(truth).numpy())
    per_hour = abs(preds - truth).mean(axis=0)
    for h in range(conf.data.horizon):
        print(f"t+{h + 1:02d}h  MAE {per_hour[h]:8.2f} MW")
    print(f"MAPE {100 * (abs(preds - truth) / truth).mean():.2f}%")


if __name__ == "__main__":
    main(sys.argv[1])
