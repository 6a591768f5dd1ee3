from .pairs import load_glyphs, pair_dataset
from .encoder import build_encoder, pair_distance
from .losses import contrastive_loss, pair_accuracy
