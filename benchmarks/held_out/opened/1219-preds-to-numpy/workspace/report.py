import numpy as np


def coverage_report(y_true, preds, quantiles):
    y = np.asarray(y_true)
    p = np.asarray(preds)
    rows = []
    for k, q in enumerate(quantiles):
        below = float((y <= p[:, k]).mean())
        diff = y - p[:, k]
        loss = float(np.maximum(q * diff, (q - 1) * diff).mean())
        rows.append((q, below, loss))
    width = float((p[:, -1] - p[:, 0]).mean())
    return rows, width


def print_report(rows, width):
    print("quantile  coverage  pinball")
    for q, c, l in rows:
        print(f"{q:8.2f}  {c:8.3f}  {l:7.4f}")
    print(f"mean interval width {width:.3f}")
