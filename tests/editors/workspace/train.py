import json
import time
from pathlib import Path

from meter import Meter


def main():
    config = json.loads(Path("config.json").read_text())
    meter = Meter(config["window"])
    for step in range(config["steps"]):
        meter.update(step * 0.5)
        time.sleep(0.03)
    print("mean", meter.show())


if __name__ == "__main__":
    main()
