import tensorflow as tf

layers = tf.keras.layers


def build_classifier(n_classes, n_samples, learning_rate):
    model = tf.keras.Sequential([
        tf.keras.Input((n_samples, 1)),
        layers.Conv1D(16, 5, padding="same", activation="relu"),
        layers.MaxPooling1D(2),
        layers.Conv1D(32, 3, padding="same", activation="relu"),
        layers.GlobalAveragePooling1D(),
        layers.Dense(32, activation="relu"),
        layers.Dense(n_classes),
    ])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model
