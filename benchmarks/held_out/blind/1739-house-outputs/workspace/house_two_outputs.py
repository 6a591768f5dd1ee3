import numpy as np
import tensorflow as tf
from tensorflow import keras

np.random.seed(12)
keras.utils.set_random_seed(12)

n = 1000
size = np.random.uniform(30, 200, n)
rooms = np.clip((size / 30 + np.random.randn(n)).round(), 1, None)
age = np.random.uniform(0, 80, n)
district = np.random.randint(0, 6, n)
price = size * (3 + 0.5 * district) - age + np.random.randn(n) * 10
sold_fast = (price / size < 4.2).astype("float32")

num = np.stack([size / 200, rooms / 8, age / 80], axis=1).astype("float32")
price = (price / price.max()).astype("float32")

num_input = keras.Input(shape=(3,), name="num")
dist_input = keras.Input(shape=(1,), name="district")
emb = keras.layers.Embedding(6, 3)(dist_input)
emb = keras.layers.Flatten()(emb)
x = keras.layers.concatenate([num_input, emb])
x = keras.layers.Dense(32, activation="relu")(x)
x = keras.layers.Dense(16, activation="relu")(x)
price_out = keras.layers.Dense(1, name="price")(x)
fast_out = keras.layers.Dense(1, activation="sigmoid", name="fast")(x)

model = keras.Model(inputs=[num_input, dist_input], outputs=[price_out, fast_out])
model.compile(
    optimizer="adam",
    loss={"price": "mse", "sold_fast": "binary_crossentropy"},
    loss_weights={"price": 10.0, "sold_fast": 1.0},
    metrics={"price": ["mae"], "sold_fast": ["accuracy"]},
)

model.fit(
    {"num": num, "district": district.reshape(-1, 1)},
    {"price": price, "sold_fast": sold_fast},
    epochs=5,
    batch_size=32,
    validation_split=0.2,
    verbose=2,
)

p, f = model.predict({"num": num[:4], "district": district[:4].reshape(-1, 1)}, verbose=0)
for i in range(4):
    print("price %.3f (true %.3f)  sold fast %.2f (true %d)" % (p[i, 0], price[i], f[i, 0], sold_fast[i]))
