class Registry(dict):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def register(self, cls):
        self[cls.__name__] = cls
        return cls

    def build(self, spec, **extra):
        spec = dict(spec)
        name = spec.pop("type")
        if name not in self:
            raise KeyError(f"{name} is not a registered {self.kind} (known: {', '.join(sorted(self)) or 'none'})")
        return self[name](**spec, **extra)


MODELS = Registry("model")
