import numpy as np


class TagScorer:
    def __init__(self, labels):
        self.labels = labels

    def __call__(self, pred):
        guess = pred.predictions.argmax(-1)
        keep = pred.label_ids != -100
        gold, guess = pred.label_ids[keep], guess[keep]
        out = {"accuracy": float((gold == guess).mean())}
        outside = self.labels.index("O")
        tp = np.sum((gold == guess) & (gold != outside))
        out["precision"] = float(tp / max(1, np.sum(guess != outside)))
        out["recall"] = float(tp / max(1, np.sum(gold != outside)))
        return out
