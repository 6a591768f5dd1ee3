CSV = "data/listings.csv"
CATEGORICAL = ["district", "heating", "condition"]
NUMERIC = ["area_m2", "rooms", "floor", "year_built"]
TARGET = "rent"
GEO = ["lat", "lon"]
N_ZONES = 8

EMB_DIM = 4
HIDDEN = 48
BATCH = 32
EPOCHS = 15
LR = 0.01
SEED = 13
