class Registry:
    """Name -> class table with a decorator, e.g. ``@MODELS.register("mlp")``."""

    def __init__(self, kind):
        self.kind = kind
        self._table = {}

    def register(self, name):
        def wrap(obj):
            if name in self._table:
                raise ValueError(f"{self.kind} '{name}' registered twice")
            self._table[name] = obj
            return obj

        return wrap

    def names(self):
        return sorted(self._table)

    def build(self, cfg):
        kwargs = dict(cfg)
        name = kwargs.pop("type")
        if name not in self._table:
            raise KeyError(f"unknown {self.kind} '{name}', available: {', '.join(self.names())}")
        return self._table[name](**kwargs)


MODELS = Registry("model")
TRANSFORMS = Registry("transform")
