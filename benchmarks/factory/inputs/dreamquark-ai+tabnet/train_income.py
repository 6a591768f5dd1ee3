"""Predict the income class of people from a small table."""
import argparse

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import LabelEncoder

from pytorch_tabnet.tab_model import TabNetClassifier

CATEGORICAL = ['work', 'education']
NUMERIC = ['age', 'hours', 'gain']
TARGET = 'income'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--data', default='data/people.csv')
    parser.add_argument('--epochs', type=int, default=8)
    parser.add_argument('--n-d', type=int, default=8)
    args = parser.parse_args()

    table = pd.read_csv(args.data)
    dims = {}
    for column in CATEGORICAL:
        encoder = LabelEncoder()
        table[column] = encoder.fit_transform(table[column].fillna('unknown'))
        dims[column] = len(encoder.classes_)
    features = CATEGORICAL + NUMERIC
    cat_idxs = [i for i, f in enumerate(features) if f in CATEGORICAL]
    cat_dims = [dims[f] for f in features if f in CATEGORICAL]
    rng = np.random.default_rng(0)
    part = rng.choice(['train', 'valid', 'test'], p=[0.7, 0.15, 0.15], size=len(table))
    X = {p: table.loc[part == p, features].values for p in ('train', 'valid', 'test')}
    y = {p: table.loc[part == p, TARGET].values for p in ('train', 'valid', 'test')}

    model = TabNetClassifier(
        n_d=args.n_d,
        n_a=args.n_d,
        n_steps=3,
        cat_idxs=cat_idxs,
        cat_dims=cat_dims,
        cat_emb_dim=2,
        optimizer_fn=torch.optim.Adam,
        optimizer_params=dict(lr=2e-2),
        scheduler_fn=torch.optim.lr_scheduler.StepLR,
        scheduler_params={'step_size': 10, 'gamma': 0.9},
        mask_type='entmax',
        device_name='cpu',
    )
    model.fit(
        X_train=X['train'],
        y_train=y['train'],
        eval_set=[(X['train'], y['train']), (X['valid'], y['valid'])],
        eval_name=['train', 'valid'],
        eval_metric=['auc'],
        max_epochs=args.epochs,
        patience=5,
        batch_size=64,
        virtual_batch_size=32,
        num_workers=0,
        drop_last=True,
    )
    scores = model.predict_proba(X['test'])[:, 1]
    print(f"test AUC: {roc_auc_score(y['test'], scores):.4f}")


if __name__ == '__main__':
    main()
