# metric: Accuracy on test: ([\d.]+) higher
import numpy as np
from keras.layers import Activation, Dense, Input
from keras.models import Sequential
from keras.optimizers import Adam
from keras.utils import set_random_seed, to_categorical
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

set_random_seed(7)
iris = datasets.load_iris()
features = StandardScaler().fit_transform(iris.data)
labels = to_categorical(iris.target)
X_train, X_test, Y_train, Y_test = train_test_split(features, labels, test_size=0.3, random_state=7)

net = Sequential()
net.add(Input(shape=(4,)))
net.add(Dense(16))
net.add(Activation("relu"))
net.add(Dense(16))
net.add(Activation("relu"))
net.add(Dense(3))
net.add(Activation("softmax"))
adam = Adam(learning_rate=0.01)
net.compile(loss="categorical_crossentropy", optimizer=adam, metrics=["accuracy"])
net.fit(X_train, Y_train, batch_size=8, epochs=20, shuffle=True, verbose=2)
score = net.evaluate(X_test, Y_test, verbose=0)
print(f"Accuracy on test: {score[1]:.4f}")
