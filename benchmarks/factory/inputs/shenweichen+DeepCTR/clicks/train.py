"""Predict clicks: python clicks/train.py DeepFM clicks/clicks.csv"""
import sys

import pandas as pd
from deepctr import models
from deepctr.feature_column import DenseFeat, SparseFeat, VarLenSparseFeat, get_feature_names
from features import DENSE, SPARSE, encode
from sklearn.metrics import log_loss, roc_auc_score

EMBEDDING = 4
HISTORY_LENGTH = 4
KINDS = {
    "DeepFM": dict(dnn_hidden_units=(16, 8), l2_reg_embedding=1e-5),
    "DCN": dict(cross_num=2, dnn_hidden_units=(16,)),
    "AutoInt": dict(att_layer_num=1, att_head_num=2, dnn_hidden_units=(16,)),
}


def main(kind, path):
    frame = pd.read_csv(path)
    values, sizes = encode(frame, HISTORY_LENGTH)
    columns = [SparseFeat(name, vocabulary_size=sizes[name], embedding_dim=EMBEDDING) for name in SPARSE]
    columns += [DenseFeat(name, 1) for name in DENSE]
    columns += [
        VarLenSparseFeat(
            SparseFeat("history", vocabulary_size=sizes["history"], embedding_dim=EMBEDDING),
            maxlen=HISTORY_LENGTH,
            combiner="mean",
        )
    ]
    names = get_feature_names(columns)
    inputs = {name: values[name] for name in names}
    cut = int(0.8 * len(frame))
    train = {name: v[:cut] for name, v in inputs.items()}
    test = {name: v[cut:] for name, v in inputs.items()}
    labels = frame[["click"]].to_numpy().astype("float32")

    model = getattr(models, kind)(columns, columns, task="binary", **KINDS[kind])
    model.compile("adam", "binary_crossentropy", metrics=["binary_crossentropy"])
    model.fit(train, labels[:cut], batch_size=32, epochs=3, validation_split=0.2, verbose=2)
    predicted = model.predict(test, batch_size=64, verbose=0)
    print(f"auc {roc_auc_score(labels[cut:, 0], predicted):.4f}")
    print(f"log loss {log_loss(labels[cut:, 0], predicted.astype('float64').ravel()):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
