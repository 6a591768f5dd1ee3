import random

import torch
from torchmetrics.classification import BinaryAUROC, BinaryF1Score

from layers import LeakFinder
from zones import join, read_zones

EPOCHS, BATCH, FOLDS = 15, 6, 4


def run_fold(zones, fold):
    test = zones[fold::FOLDS]
    train = [z for i, z in enumerate(zones) if i % FOLDS != fold]
    model = LeakFinder(zones[0].x.size(1), zones[0].attr.size(1))
    opt = torch.optim.NAdam(model.parameters(), lr=6e-3)
    share = torch.cat([z.leak for z in train]).mean()
    loss_fn = torch.nn.BCEWithLogitsLoss(pos_weight=(1 - share) / share)
    for _ in range(EPOCHS):
        random.shuffle(train)
        for k in range(0, len(train), BATCH):
            batch = join(train[k : k + BATCH])
            loss = loss_fn(model(batch), batch.leak)
            opt.zero_grad()
            loss.backward()
            opt.step()
    auc, f1 = BinaryAUROC(), BinaryF1Score()
    with torch.inference_mode():
        batch = join(test)
        p = model(batch).sigmoid()
        return loss.item(), auc(p, batch.leak.int()).item(), f1(p, batch.leak.int()).item()


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    zones = read_zones("district")
    print(f"{len(zones)} zones, {sum(z.edge.size(1) for z in zones)} pipes")
    scores = []
    for fold in range(FOLDS):
        loss, auc, f1 = run_fold(zones, fold)
        scores.append(auc)
        print(f"fold {fold}: last loss {loss:.4f}  AUROC {auc:.3f}  F1 {f1:.3f}", flush=True)
    print(f"mean AUROC {sum(scores) / FOLDS:.3f}")
