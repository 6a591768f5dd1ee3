import json
import sys

import joblib
import pandas as pd

from features import add_columns


def main(source):
    with open("settings.json") as f:
        s = json.load(f)
    model = joblib.load(s["model_file"])
    customers = add_columns(pd.read_csv(source))
    customers["p_churn"] = model.predict_proba(customers.drop(columns="customer_id"))[:, 1]
    risky = customers.sort_values("p_churn", ascending=False).head(s["call_list"])
    print(risky[["customer_id", "plan", "tenure_months", "p_churn"]].to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1])
