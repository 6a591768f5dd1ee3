# metric: acc: ([\d.]+) higher
import keras
from keras.layers import Dense, Dropout, Input
from keras.models import Model
from keras.optimizers import SGD
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

keras.utils.set_random_seed(4)
data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, stratify=data.target, random_state=4
)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.transform(X_test)

inputs = Input(shape=(30,))
x = Dense(24, activation="relu")(inputs)
x = Dropout(0.2)(x)
x = Dense(12, activation="relu")(x)
outputs = Dense(1, activation="sigmoid")(x)
model = Model(inputs, outputs)
model.compile(loss="binary_crossentropy", optimizer=SGD(learning_rate=0.05, momentum=0.9), metrics=["accuracy"])
model.fit(X_train, y_train, batch_size=16, epochs=12, validation_data=(X_test, y_test), verbose=2)
print("acc: %.4f" % model.evaluate(X_test, y_test, verbose=0)[1])
