# ====================================================
# Loan default - NN with entity embeddings, 3 folds
# ====================================================
import argparse
import gc
import os
import random
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")


# ====================================================
# CFG
# ====================================================
class CFG:
    debug = False
    input_dir = "input"
    output_dir = "output"
    seed = 42
    n_fold = 3
    trn_fold = [0, 1, 2]
    epochs = 5
    batch_size = 32
    max_lr = 1e-2
    weight_decay = 1e-5
    dropout = 0.1
    hidden = 64
    target_col = "default"
    cat_cols = ["emp_length", "home", "state", "purpose", "term"]
    num_cols = ["income", "amount", "fico", "dti", "ratio", "age_days"]


# ====================================================
# Utils
# ====================================================
@contextmanager
def timer(name):
    t0 = time.time()
    print(f"[{name}] start")
    yield
    print(f"[{name}] done in {time.time() - t0:.1f} s")


def seed_torch(seed=42):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


# ====================================================
# Data
# ====================================================
def load_data():
    train = pd.read_csv(os.path.join(CFG.input_dir, "train.csv"), parse_dates=["opened"])
    test = pd.read_csv(os.path.join(CFG.input_dir, "test.csv"), parse_dates=["opened"])
    if CFG.debug:
        train = train.sample(n=200, random_state=CFG.seed).reset_index(drop=True)
    return train, test


def preprocess(train, test):
    n_train = len(train)
    df = pd.concat([train, test], ignore_index=True)

    df["ratio"] = df["amount"] / df["income"]
    df["age_days"] = (df["opened"].max() - df["opened"]).dt.days
    for c in ["income", "amount"]:
        df[c] = np.log1p(df[c])
    for c in CFG.num_cols:
        df[c] = df[c].fillna(df[c].median())
        df[c] = (df[c] - df[c].mean()) / df[c].std()

    cat_dims = []
    for c in CFG.cat_cols:
        df[c] = df[c].astype(str).fillna("nan")
        codes, uniques = pd.factorize(df[c])
        df[c] = codes
        cat_dims.append(len(uniques))

    train, test = df.iloc[:n_train].copy(), df.iloc[n_train:].copy()
    test = test.drop(columns=CFG.target_col).reset_index(drop=True)
    return train, test, cat_dims


def get_folds(train):
    skf = StratifiedKFold(n_splits=CFG.n_fold, shuffle=True, random_state=CFG.seed)
    train["fold"] = -1
    for fold, (_, val_idx) in enumerate(skf.split(train, train[CFG.target_col])):
        train.loc[val_idx, "fold"] = fold
    return train


class LoanDataset(Dataset):
    def __init__(self, df, with_target=True):
        self.cats = df[CFG.cat_cols].to_numpy(dtype=np.int64)
        self.nums = df[CFG.num_cols].to_numpy(dtype=np.float32)
        self.target = df[CFG.target_col].to_numpy(dtype=np.float32) if with_target else None

    def __len__(self):
        return len(self.cats)

    def __getitem__(self, idx):
        if self.target is None:
            return self.cats[idx], self.nums[idx]
        return self.cats[idx], self.nums[idx], self.target[idx]


# ====================================================
# Model
# ====================================================
class LoanModel(nn.Module):
    def __init__(self, cat_dims, n_num):
        super().__init__()
        emb_dims = [(d, min(8, (d + 1) // 2)) for d in cat_dims]
        self.embeddings = nn.ModuleList([nn.Embedding(d, e) for d, e in emb_dims])
        n_emb = sum(e for _, e in emb_dims)
        self.emb_drop = nn.Dropout(CFG.dropout)
        self.bn = nn.BatchNorm1d(n_num)
        self.mlp = nn.Sequential(
            nn.Linear(n_emb + n_num, CFG.hidden),
            nn.BatchNorm1d(CFG.hidden),
            nn.ReLU(),
            nn.Dropout(CFG.dropout),
            nn.Linear(CFG.hidden, CFG.hidden // 2),
            nn.ReLU(),
            nn.Linear(CFG.hidden // 2, 1),
        )

    def forward(self, cats, nums):
        emb = [layer(cats[:, i]) for i, layer in enumerate(self.embeddings)]
        x = torch.cat([self.emb_drop(torch.cat(emb, dim=1)), self.bn(nums)], dim=1)
        return self.mlp(x).view(-1)


# ====================================================
# Loops
# ====================================================
def train_fn(loader, model, criterion, optimizer, scheduler):
    model.train()
    losses = AverageMeter()
    for cats, nums, target in loader:
        pred = model(cats, nums)
        loss = criterion(pred, target)
        losses.update(loss.item(), len(target))
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    return losses.avg


@torch.no_grad()
def valid_fn(loader, model, criterion):
    model.eval()
    losses, preds = AverageMeter(), []
    for cats, nums, target in loader:
        pred = model(cats, nums)
        losses.update(criterion(pred, target).item(), len(target))
        preds.append(pred.sigmoid().numpy())
    return losses.avg, np.concatenate(preds)


@torch.no_grad()
def inference_fn(loader, model):
    model.eval()
    preds = []
    for cats, nums in loader:
        preds.append(model(cats, nums).sigmoid().numpy())
    return np.concatenate(preds)


def train_loop(folds, fold, cat_dims):
    trn_df = folds[folds["fold"] != fold].reset_index(drop=True)
    val_df = folds[folds["fold"] == fold].reset_index(drop=True)
    trn_loader = DataLoader(LoanDataset(trn_df), batch_size=CFG.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(LoanDataset(val_df), batch_size=CFG.batch_size * 2)

    model = LoanModel(cat_dims, len(CFG.num_cols))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=CFG.weight_decay)
    scheduler = OneCycleLR(optimizer, max_lr=CFG.max_lr, epochs=CFG.epochs, steps_per_epoch=len(trn_loader))
    criterion = nn.BCEWithLogitsLoss()

    best_score, best_preds = 0.0, None
    for epoch in range(CFG.epochs):
        trn_loss = train_fn(trn_loader, model, criterion, optimizer, scheduler)
        scheduler.step()
        val_loss, preds = valid_fn(val_loader, model, criterion)
        score = roc_auc_score(val_df[CFG.target_col], preds)
        print(f"fold {fold} epoch {epoch + 1} train {trn_loss:.4f} valid {val_loss:.4f} auc {score:.4f}")
        if score > best_score:
            best_score, best_preds = score, preds
            torch.save(model.state_dict(), os.path.join(CFG.output_dir, f"fold{fold}_best.pth"))
    val_df["pred"] = best_preds
    gc.collect()
    return val_df[["loan_id", CFG.target_col, "pred"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_args()
    CFG.debug = args.debug
    if CFG.debug:
        CFG.epochs = 2
    os.makedirs(CFG.output_dir, exist_ok=True)
    seed_torch(CFG.seed)

    with timer("preprocess"):
        train, test = load_data()
        train, test, cat_dims = preprocess(train, test)
        train = get_folds(train)
        print("cat dims", dict(zip(CFG.cat_cols, cat_dims)))

    with timer("train"):
        oof = pd.concat([train_loop(train, fold, cat_dims) for fold in CFG.trn_fold])
        print(f"CV auc {roc_auc_score(oof[CFG.target_col], oof['pred']):.4f}")
        oof.to_csv(os.path.join(CFG.output_dir, "oof.csv"), index=False)

    with timer("inference"):
        loader = DataLoader(LoanDataset(test, with_target=False), batch_size=CFG.batch_size * 2)
        preds = []
        for fold in CFG.trn_fold:
            model = LoanModel(cat_dims, len(CFG.num_cols))
            model.load_state_dict(torch.load(os.path.join(CFG.output_dir, f"fold{fold}_best.pth")))
            preds.append(inference_fn(loader, model))
        sub = pd.DataFrame({"loan_id": test["loan_id"], CFG.target_col: np.mean(preds, axis=0)})
        sub.to_csv(os.path.join(CFG.output_dir, "submission.csv"), index=False)
        print(sub.describe().loc[["mean", "min", "max"], CFG.target_col].round(4).to_dict())


if __name__ == "__main__":
    main()
