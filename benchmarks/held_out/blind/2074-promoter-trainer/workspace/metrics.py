import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    pred = np.argmax(logits, axis=-1)
    return {
        "balanced_acc": balanced_accuracy_score(labels, pred),
        "f1": f1_score(labels, pred, zero_division=0),
    }
