import ml_collections


def get_config():
    config = ml_collections.ConfigDict()
    config.seed = 0
    config.batch_size = 64
    config.num_epochs = 3
    config.learning_rate = 3e-3
    config.warmup_steps = 10

    config.model = ml_collections.ConfigDict()
    config.model.latents = 8
    config.model.hidden = 64
    config.model.image_dim = 28 * 28
    return config
