"""Train from a bundle-style configuration: python spleen2d/train.py spleen2d/config.json --epochs 3"""
import argparse

import torch
from monai.bundle import ConfigParser
from monai.data import decollate_batch
from monai.inferers import SlidingWindowInferer
from monai.metrics import DiceMetric
from monai.transforms import AsDiscrete, Compose, EnsureChannelFirstd, ScaleIntensityd
from slices import make_slices


def evaluate(network, cases, roi_size):
    inferer = SlidingWindowInferer(roi_size=roi_size, sw_batch_size=4, overlap=0.25)
    prepare = Compose(
        [
            EnsureChannelFirstd(keys=["image", "label"], channel_dim="no_channel"),
            ScaleIntensityd(keys="image"),
        ]
    )
    to_prediction = AsDiscrete(argmax=True, to_onehot=2)
    to_label = AsDiscrete(to_onehot=2)
    metric = DiceMetric(include_background=False, reduction="mean")
    network.eval()
    with torch.no_grad():
        for case in cases:
            item = prepare(case)
            logits = inferer(item["image"].unsqueeze(0), network)
            predictions = [to_prediction(p) for p in decollate_batch(logits)]
            metric(y_pred=predictions, y=[to_label(item["label"])])
    return metric.aggregate().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args()
    config = ConfigParser()
    config.read_config(args.config)
    if args.epochs is not None:
        config["epochs"] = args.epochs

    network = config.get_parsed_content("network")
    loader = config.get_parsed_content("loader")
    loss_function = config.get_parsed_content("loss")
    optimizer = config.get_parsed_content("optimizer")
    test_cases = make_slices(6, size=32, seed=1)
    for epoch in range(config.get_parsed_content("epochs")):
        network.train()
        total = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = loss_function(network(batch["image"]), batch["label"])
            loss.backward()
            optimizer.step()
            total += loss.item()
        dice = evaluate(network, test_cases, config.get_parsed_content("image_size"))
        print(f"epoch {epoch}: loss {total / len(loader):.4f} dice {dice:.4f}")


if __name__ == "__main__":
    main()
