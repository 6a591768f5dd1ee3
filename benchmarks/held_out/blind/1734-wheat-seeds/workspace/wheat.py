import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import Dense, Dropout

dataset = pd.read_csv("seeds.csv")
X = dataset.iloc[:, 0:5].values
y = dataset.iloc[:, 5].values - 1
print(X.shape, y.shape)

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
sc = StandardScaler()
X_train = sc.fit_transform(X_train)
X_test = sc.transform(X_test)

keras.utils.set_random_seed(0)
model = Sequential()
model.add(Dense(16, input_dim=5, activation="relu"))
model.add(Dropout(0.1))
model.add(Dense(12, activation="relu"))
model.add(Dense(3, activation="softmax"))
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.summary()

model.fit(X_train, y_train, batch_size=8, epochs=10, validation_data=(X_test, y_test), verbose=2)
loss, acc = model.evaluate(X_test, y_test, verbose=0)
print("Test accuracy:", acc)
