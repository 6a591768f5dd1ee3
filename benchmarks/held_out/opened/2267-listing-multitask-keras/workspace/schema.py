"""Column groups of the listings table and the heads of the model."""

NUMERIC = ["rooms", "area", "floor", "year"]
TEXT_TOKENS = 10
VOCAB = 60
DISTRICTS = 6

HEADS = {
    "price": {"units": 1, "activation": None, "loss": "mse", "weight": 1.0},
    "days_online": {"units": 1, "activation": "softplus", "loss": "mae", "weight": 0.5},
    "quality": {"units": 3, "activation": "softmax", "loss": "categorical_crossentropy", "weight": 1.0},
}
