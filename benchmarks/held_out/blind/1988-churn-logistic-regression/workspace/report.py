import pandas as pd
from sklearn.metrics import accuracy_score, roc_auc_score


def summarise(y_true, y_pred, y_score):
    return {
        "accuracy": round(accuracy_score(y_true, y_pred), 3),
        "roc_auc": round(roc_auc_score(y_true, y_score), 3),
        "churn_rate": round(float(y_true.mean()), 3),
    }


def top_weights(model, columns, k=5):
    weights = pd.Series(model[-1].coef_[0], index=columns)
    return weights.reindex(weights.abs().sort_values(ascending=False).index).head(k)
