import json
import os


class Env:
    """settings/<name>.json, single values overridden by REC_<KEY> variables."""

    def __init__(self, name):
        with open(os.path.join("settings", name + ".json")) as f:
            self.values = json.load(f)
        for key, value in self.values.items():
            env = os.environ.get("REC_" + key.upper())
            if env is not None:
                self.values[key] = type(value)(env)

    def __getattr__(self, key):
        try:
            return self.__dict__["values"][key]
        except KeyError:
            raise AttributeError(f"no setting '{key}'")
