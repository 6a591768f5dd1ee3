"""All settings of the machine-failure model live here."""

# data
CSV_PATH = "data/pumps.csv"
LABEL = "failed_within_7d"
NUMERIC = ["vibration_rms", "bearing_temp", "flow", "pressure", "hours_since_service"]
CATEGORICAL = ["site", "pump_type"]
VAL_FRACTION = 0.25
SEED = 42

# network
HIDDEN_UNITS = [32, 16]
HIDDEN_ACTIVATION = "relu"
OUTPUT_UNITS = 1
OUTPUT_ACTIVATION = "softmax"
DROPOUT = 0.1

# training
LOSS = "binary_crossentropy"
LEARNING_RATE = 0.003
BATCH_SIZE = 64
EPOCHS = 10
