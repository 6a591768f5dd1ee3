CATEGORICAL = ["region", "vehicle"]
NUMERIC = ["age", "km_per_year"]
TARGET = "amount_high"
ID = "claim_id"
