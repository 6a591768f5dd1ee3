"""Train the activity classifier, report leave-one-subject-out accuracy and save the pipeline."""
import click
import joblib
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import classification_report
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from har_lib.io import build_table


@click.command()
@click.option("--manifest", default="manifest.json", show_default=True)
@click.option("--window", default=40, show_default=True, help="samples a window")
@click.option("--fs", default=20.0, show_default=True)
@click.option("--spectral/--no-spectral", default=True)
@click.option("--trees", default=30)
@click.option("--out", default="har_model.joblib")
def main(manifest, window, fs, spectral, trees, out):
    X, y, groups = build_table(manifest, window, fs, spectral)
    click.echo(f"{X.shape[0]} windows, {X.shape[1]} features, {len(set(groups))} subjects")
    pipe = make_pipeline(StandardScaler(), RandomForestClassifier(trees, random_state=0, min_samples_leaf=2))
    pred = cross_val_predict(pipe, X, y, groups=groups, cv=LeaveOneGroupOut())
    click.echo(classification_report(y, pred, digits=3, zero_division=0))
    pipe.fit(X, y)
    joblib.dump({"pipeline": pipe, "window": window, "fs": fs, "spectral": spectral}, out)
    click.echo(f"saved {out}")


if __name__ == "__main__":
    main()
