"""Train an estimator on hourly series and score its forecasts: forecast.py energy/forecast.yaml"""
import sys

import numpy as np
import pandas as pd
import yaml
from gluonts.dataset.pandas import PandasDataset
from gluonts.dataset.split import split
from gluonts.evaluation import Evaluator
from gluonts.torch.distributions import NormalOutput, StudentTOutput
from gluonts.torch.model.deepar import DeepAREstimator
from gluonts.torch.model.simple_feedforward import SimpleFeedForwardEstimator
from series import make_frame

DISTRIBUTIONS = {"normal": NormalOutput, "student_t": StudentTOutput}


def build(options, freq, prediction_length):
    options = dict(options)
    kind = options.pop("kind")
    trainer = dict(
        options.pop("trainer"), accelerator="cpu", enable_progress_bar=False, logger=False,
        enable_checkpointing=True,
    )
    options["distr_output"] = DISTRIBUTIONS[options.pop("distribution")]()
    options.update(prediction_length=prediction_length, trainer_kwargs=trainer)
    if kind == "deepar":
        return DeepAREstimator(freq=freq, num_feat_dynamic_real=1, **options)
    return SimpleFeedForwardEstimator(**options)


def main():
    with open(sys.argv[1]) as file:
        config = yaml.safe_load(file)
    frame = make_frame(**config["data"])
    dataset = PandasDataset.from_long_dataframe(
        frame, target="load", item_id="house", timestamp="time", freq=config["freq"],
        feat_dynamic_real=["temperature"],
    )
    length = config["prediction_length"]
    training, template = split(dataset, offset=-length)
    estimator = build(config["model"], config["freq"], length)
    predictor = estimator.train(list(training))
    pairs = template.generate_instances(prediction_length=length, windows=1)
    forecasts = list(predictor.predict(pairs.input, num_samples=20))
    truth = [
        pd.Series(
            np.concatenate([before["target"], after["target"]]),
            index=pd.period_range(before["start"], periods=len(before["target"]) + length, freq=config["freq"]),
        )
        for before, after in pairs
    ]
    metrics, _ = Evaluator(quantiles=[0.1, 0.5, 0.9], num_workers=None)(truth, forecasts)
    print({name: round(float(metrics[name]), 4) for name in ("MASE", "sMAPE", "mean_wQuantileLoss")})
    print(f"weighted loss {metrics['mean_wQuantileLoss']:.4f}")


if __name__ == "__main__":
    main()
