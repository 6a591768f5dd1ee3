import tensorflow as tf


def make_step(model, optimizer):
    @tf.function
    def step(batch):
        errors = model.errors(batch)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(errors)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    return step


def train(model, windows, hp):
    ds = tf.data.Dataset.from_tensor_slices(windows).shuffle(500, seed=0).repeat().batch(hp["batch"])
    step = make_step(model, tf.keras.optimizers.Adam(hp["lr"]))
    for i, batch in enumerate(ds.take(hp["steps"]), 1):
        loss = step(batch)
        if i % 20 == 0:
            print(f"step {i} loss {loss.numpy():.5f}")
