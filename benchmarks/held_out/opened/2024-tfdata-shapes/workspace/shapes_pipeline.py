import os
import pathlib
import tempfile

import numpy as np
import tensorflow as tf
from PIL import Image, ImageDraw

AUTOTUNE = tf.data.AUTOTUNE
IMG_SIZE = 32
BATCH = 16

# ---------------------------------------------------------------
# dummy data with the same folder layout as mine:
#   root/circle/0001.png, root/square/0001.png, ...
# ---------------------------------------------------------------
root = pathlib.Path(tempfile.mkdtemp()) / "shapes"
rng = np.random.default_rng(7)
for cls in ("circle", "line", "square"):
    (root / cls).mkdir(parents=True)
    for i in range(40):
        im = Image.new("RGB", (48, 48), "black")
        d = ImageDraw.Draw(im)
        x, y = rng.integers(2, 20, size=2).tolist()
        color = tuple(rng.integers(120, 255, size=3).tolist())
        if cls == "circle":
            d.ellipse([x, y, x + 22, y + 22], fill=color)
        elif cls == "square":
            d.rectangle([x, y, x + 22, y + 22], fill=color)
        else:
            d.line([x, y, x + 22, y + 22], fill=color, width=3)
        im.save(root / cls / f"{i:04d}.png")

class_names = np.array(sorted(p.name for p in root.iterdir() if p.is_dir()))
print("classes:", class_names)


def get_label(file_path):
    parts = file_path.numpy().decode().split(os.path.sep)
    one_hot = parts[-2] == class_names
    return tf.argmax(one_hot)


def decode_img(img):
    img = tf.io.decode_png(img, channels=3)
    img = tf.image.resize(img, [IMG_SIZE, IMG_SIZE])
    return img / 255.0


def process_path(file_path):
    label = get_label(file_path)
    img = decode_img(tf.io.read_file(file_path))
    return img, label


def configure(ds, training=False):
    if training:
        ds = ds.shuffle(100)
    return ds.batch(BATCH).prefetch(AUTOTUNE)


list_ds = tf.data.Dataset.list_files(str(root / "*/*.png"), shuffle=True, seed=1)
n = list_ds.cardinality().numpy()
list_ds = list_ds.shuffle(n, seed=1, reshuffle_each_iteration=False)
val_size = int(n * 0.2)

train_ds = list_ds.skip(val_size).map(process_path, num_parallel_calls=AUTOTUNE)
val_ds = list_ds.take(val_size).map(process_path, num_parallel_calls=AUTOTUNE)
train_ds = configure(train_ds, training=True)
val_ds = configure(val_ds)

for images, labels in train_ds.take(1):
    print("batch:", images.shape, labels.numpy()[:8])

model = tf.keras.Sequential([
    tf.keras.layers.Input((IMG_SIZE, IMG_SIZE, 3)),
    tf.keras.layers.Conv2D(8, 3, activation="relu"),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Conv2D(16, 3, activation="relu"),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dense(len(class_names)),
])
model.compile(
    optimizer="adam",
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(train_ds, validation_data=val_ds, epochs=6, verbose=2)
