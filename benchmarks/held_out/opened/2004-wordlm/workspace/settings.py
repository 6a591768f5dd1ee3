"""Everything that can be tuned. Imported by the other modules."""

TEXT_DIR = "text"
MIN_COUNT = 1

BATCH_SIZE = 20
EVAL_BATCH_SIZE = 8
BPTT = 12

EMBED_DIM = 32
HIDDEN_DIM = 64
NUM_LAYERS = 2
DROPOUT = 0.2
TIE_WEIGHTS = False

EPOCHS = 6
LEARNING_RATE = 5e-3
CLIP = 0.5
LOG_INTERVAL = 4
SEED = 1111
