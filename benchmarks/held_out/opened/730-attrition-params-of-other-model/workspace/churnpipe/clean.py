import pandas as pd

from .common import ensure_parent, load_params, parser


def clean(df, params):
    rules = params["clean"]
    df = df.rename(columns=str.strip)
    if rules["drop_missing"]:
        df = df.dropna()
    df = df[df["salary"] <= rules["max_salary"]]
    return df.drop_duplicates(subset=params["id_column"])


def main():
    p = parser(description="clean raw rows")
    p.add_argument("--raw", required=True)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    params = load_params(a.config)
    raw = pd.read_csv(a.raw)
    out = clean(raw, params)
    ensure_parent(a.out)
    out.to_csv(a.out, index=False)
    print(f"clean: {len(raw)} -> {len(out)} rows")


if __name__ == "__main__":
    main()
