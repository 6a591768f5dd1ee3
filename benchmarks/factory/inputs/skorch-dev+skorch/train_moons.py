"""Classify two half moons with a network that behaves like a scikit-learn estimator."""
import argparse

import numpy as np
import torch
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler


class Classifier(nn.Module):
    def __init__(self, num_units=16, nonlin=nn.ReLU(), dropout=0.1):
        super().__init__()
        self.dense0 = nn.Linear(2, num_units)
        self.nonlin = nonlin
        self.dropout = nn.Dropout(dropout)
        self.dense1 = nn.Linear(num_units, num_units)
        self.output = nn.Linear(num_units, 2)

    def forward(self, X):
        X = self.nonlin(self.dense0(X))
        X = self.dropout(X)
        X = self.nonlin(self.dense1(X))
        return self.output(X)


def build_net(args):
    return NeuralNetClassifier(
        Classifier,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        max_epochs=args.epochs,
        lr=args.lr,
        batch_size=32,
        iterator_train__shuffle=True,
        callbacks=[
            ('accuracy', EpochScoring('accuracy', lower_is_better=False, name='valid_accuracy')),
            ('schedule', LRScheduler(policy='StepLR', step_size=5, gamma=0.5)),
            ('stop', EarlyStopping(patience=5)),
        ],
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=8)
    parser.add_argument('--lr', type=float, default=0.02)
    parser.add_argument('--search', action='store_true')
    args = parser.parse_args()

    torch.manual_seed(0)
    X, y = make_moons(300, noise=0.2, random_state=0)
    X, y = X.astype(np.float32), y.astype(np.int64)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    pipe = make_pipeline(StandardScaler(), build_net(args))
    if args.search:
        params = {
            'neuralnetclassifier__module__num_units': [8, 16],
            'neuralnetclassifier__lr': [0.01, 0.05],
        }
        pipe.set_params(neuralnetclassifier__verbose=0)
        search = GridSearchCV(pipe, params, cv=2, scoring='accuracy', refit=True)
        search.fit(X_train, y_train)
        print('best parameters', search.best_params_)
        pipe = search.best_estimator_
    else:
        pipe.fit(X_train, y_train)
    print('test accuracy: %.4f' % pipe.score(X_test, y_test))


if __name__ == '__main__':
    main()
