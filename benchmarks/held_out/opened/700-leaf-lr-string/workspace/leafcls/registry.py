"""A tiny name -> class registry."""


class Registry(dict):
    def register(self, name):
        def deco(obj):
            self[name] = obj
            return obj
        return deco

    def build(self, name, **kwargs):
        return self[name](**kwargs)


MODELS = Registry()
OPTIMIZERS = Registry()
