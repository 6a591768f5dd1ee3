import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from sklearn.preprocessing import MinMaxScaler
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense, Dropout, Input

tf.keras.utils.set_random_seed(1)

# random walk: open, high, low, close
rng = np.random.RandomState(8)
close = 100 + np.cumsum(rng.randn(700))
open_ = close + rng.randn(700) * 0.3
high = np.maximum(open_, close) + rng.rand(700)
low = np.minimum(open_, close) - rng.rand(700)
prices = np.stack([open_, high, low, close], axis=1)

training_set = prices[:600]
test_set = prices[600:]

sc = MinMaxScaler(feature_range=(0, 1))
training_scaled = sc.fit_transform(training_set)

window = 20
X_train = []
y_train = []
for i in range(window, len(training_scaled)):
    X_train.append(training_scaled[i - window:i])
    y_train.append(training_scaled[i, 3])
X_train, y_train = np.array(X_train), np.array(y_train)
print(X_train.shape, y_train.shape)

regressor = Sequential()
regressor.add(Input(shape=(window, 4)))
regressor.add(LSTM(units=20, return_sequences=True))
regressor.add(Dropout(0.1))
regressor.add(LSTM(units=20))
regressor.add(Dropout(0.1))
regressor.add(Dense(units=1))
regressor.compile(optimizer="adam", loss="mean_squared_error")
regressor.fit(X_train, y_train, epochs=3, batch_size=32, verbose=2)

# predict
inputs = np.concatenate([training_set[-window:], test_set])
inputs = sc.transform(inputs)
X_test = []
for i in range(window, len(inputs)):
    X_test.append(inputs[i - window:i])
X_test = np.array(X_test)
pred = regressor.predict(X_test, verbose=0)
pred = sc.inverse_transform(pred)

rmse = np.sqrt(np.mean((pred[:, 3] - test_set[:, 3]) ** 2))
print("RMSE close price:", rmse)
for real, p in list(zip(test_set[:, 3], pred[:, 3]))[:5]:
    print("%.2f  predicted %.2f" % (real, p))
