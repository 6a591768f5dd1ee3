"""ml_collections configuration, as in the flax examples."""
import ml_collections


def get_config():
    config = ml_collections.ConfigDict()
    config.seed = 0
    config.image_size = 12
    config.num_classes = 3
    config.features = (8, 16)
    config.hidden = 32
    config.batch_size = 16
    config.num_epochs = 4
    config.base_lr = 5e-3
    config.warmup_steps = 4
    return config
