import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.metrics import f1_score, roc_auc_score
from keras import Sequential, Input, utils
from keras.layers import Dense, Dropout
from keras.callbacks import EarlyStopping

utils.set_random_seed(9)

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=9)
sc = StandardScaler().fit(X_train)
X_train, X_test = sc.transform(X_train), sc.transform(X_test)
Y_train = utils.to_categorical(y_train, 3)


def make_net():
    net = Sequential([
        Input((X_train.shape[1],)),
        Dense(24, activation="relu"),
        Dropout(0.2),
        Dense(3, activation="softmax"),
    ])
    net.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    return net


# baseline
svc = SVC(probability=False).fit(X_train, y_train)
print("SVC  f1: %.3f" % f1_score(y_test, svc.predict(X_test), average="macro"))

# cross validation of the net
accs = []
for fold, (tr, va) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X_train, y_train)):
    net = make_net()
    net.fit(X_train[tr], Y_train[tr], epochs=6, batch_size=16, verbose=0)
    acc = net.evaluate(X_train[va], Y_train[va], verbose=0)[1]
    accs.append(acc)
    print("fold", fold, "acc %.3f" % acc)
print("mean acc %.3f" % np.mean(accs))

# final net
model = make_net()
es = EarlyStopping(monitor="loss", patience=3)
model.fit(X_train, Y_train, epochs=10, batch_size=16, verbose=0, callbacks=[es])
proba = model.predict(X_test, verbose=0)
print("net  auc: %.3f" % roc_auc_score(y_test, proba / proba.sum(1, keepdims=True), multi_class="ovr"))
print("net  f1: %.3f" % f1_score(y_test, model.predict(X_test, verbose=0), average="macro"))
