import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np

import settings as S
from net import make_net
from windows import get_windows


def main():
    keras.utils.set_random_seed(5)
    x, y, mu, sd = get_windows()
    n_val = int(len(x) * S.VAL_PART)
    x_tr, y_tr, x_va, y_va = x[:-n_val], y[:-n_val], x[-n_val:], y[-n_val:]
    print("train", len(x_tr), "val", len(x_va))

    # last value repeated
    naive = np.abs(x_va[:, -1:, 0] - y_va).mean() * sd
    print(f"naive MAE {naive:.1f} bikes")

    net = make_net()
    net.summary(line_length=78)
    net.fit(x_tr, y_tr, validation_data=(x_va, y_va), epochs=S.EPOCHS, batch_size=S.BATCH,
            verbose=2)

    pred = net.predict(x_va, verbose=0)
    err = np.abs(pred - y_va).mean(axis=0) * sd
    for h, e in enumerate(err, 1):
        print(f"  +{h}h  MAE {e:.1f}")
    print(f"mean {err.mean():.1f} (naive {naive:.1f})")


if __name__ == "__main__":
    main()
