"""Paths and constants."""
TRAIN_CSV = "data/train.csv"
VALID_CSV = "data/valid.csv"
LABELS_TXT = "data/labels.txt"

N_SAMPLES = 24          # accelerometer samples per segment (2.4 s at 10 Hz)
META_COLUMNS = 3        # segment_id, subject, activity
BATCH_SIZE = 32
SHUFFLE_BUFFER = 512
EPOCHS = 6
LEARNING_RATE = 4e-3
JITTER = 0.05
