"""Run the pipeline that a JSON file describes: python kg/run_experiment.py kg/experiment.json"""
import json
import sys

from pykeen.pipeline import pipeline

with open(sys.argv[1]) as file:
    config = json.load(file)

result = pipeline(**config["pipeline"], use_tqdm=False, random_seed=11)
print("losses", [round(loss, 4) for loss in result.losses])
for name in ("hits@1", "hits@10"):
    print(name, round(result.get_metric(name), 4))
print(f"mean reciprocal rank {result.get_metric('mrr'):.4f}")
