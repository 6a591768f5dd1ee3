TARGET = "lapsed"
ID = "policy_id"
NUMERIC = ["age", "premium", "tenure_months", "n_claims"]
CATEGORICAL = ["channel", "product", "province", "vehicle_make"]
