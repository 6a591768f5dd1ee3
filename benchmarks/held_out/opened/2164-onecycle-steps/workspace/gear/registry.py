"""Name -> class tables, filled by decorators at import time."""


class Registry:
    def __init__(self, kind):
        self.kind = kind
        self._table = {}

    def register(self, name):
        def wrap(cls):
            if name in self._table:
                raise ValueError(f"{self.kind} '{name}' registered twice")
            self._table[name] = cls
            return cls

        return wrap

    def build(self, name, **kwargs):
        try:
            cls = self._table[name]
        except KeyError:
            raise KeyError(f"unknown {self.kind} '{name}', have {sorted(self._table)}") from None
        return cls(**kwargs)


MODELS = Registry("model")
HOOKS = Registry("hook")
