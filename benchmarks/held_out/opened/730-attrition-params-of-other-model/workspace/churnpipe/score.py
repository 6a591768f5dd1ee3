import joblib
import pandas as pd

from .common import load_params, parser


def main():
    p = parser(description="score new people")
    p.add_argument("--data", required=True)
    p.add_argument("--model", required=True)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    params = load_params(a.config)
    df = pd.read_csv(a.data)
    pipe = joblib.load(a.model)
    proba = pipe.predict_proba(df[params["numeric"] + params["categorical"]])
    df["risk"] = proba[:, 1]
    df[[params["id_column"], "risk"]].to_csv(a.out, index=False)
    print("highest risk:", df.sort_values("risk").iloc[-1][params["id_column"]])


if __name__ == "__main__":
    main()
