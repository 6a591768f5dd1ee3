import time

from meter import Meter


def main():
    config = {"window": 4, "steps": 8}
    meter = Meter(config["window"])
    for step in range(config["steps"]):
        meter.update(step * 0.5)
        time.sleep(0.03)
    print("mean", meter.show())


if __name__ == "__main__":
    main()
