"""python -m churn.cli train|score ..."""
import json
from pathlib import Path

import click
import joblib
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split

from .pipeline import churn_model


@click.group()
def cli():
    pass


@cli.command()
@click.argument("table", type=click.Path(exists=True))
@click.option("--columns", default="columns.json", type=click.File())
@click.option("--seed", default=0)
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path))
def train(table, columns, seed, out):
    columns = json.load(columns)
    df = pd.read_csv(table)
    fit_part, test_part = train_test_split(df, test_size=0.25, stratify=df[columns["target"]], random_state=seed)
    model = churn_model(columns, seed).fit(fit_part, fit_part[columns["target"]])
    p = model.predict_proba(test_part)[:, 1]
    y = test_part[columns["target"]]
    click.echo(f"auc {roc_auc_score(y, p):.3f}  ap {average_precision_score(y, p):.3f}  base {y.mean():.3f}")
    joblib.dump({"model": model, "columns": columns}, out)


@cli.command()
@click.argument("bundle", type=click.Path(exists=True))
@click.argument("table", type=click.Path(exists=True))
@click.option("--top", default=10, show_default=True)
@click.option("-o", "--out", required=True, type=click.Path())
def score(bundle, table, top, out):
    bundle = joblib.load(bundle)
    df = pd.read_csv(table)
    df["p_churn"] = bundle["model"].predict_proba(df)[:, 1]
    ranked = df.sort_values("p_churn", ascending=False)[[bundle["columns"]["id"], "p_churn"]]
    ranked.head(top).to_csv(out, index=False)
    click.echo(ranked.head(3).to_string(index=False))
    click.echo(f"top {top} -> {out}")


if __name__ == "__main__":
    cli()
