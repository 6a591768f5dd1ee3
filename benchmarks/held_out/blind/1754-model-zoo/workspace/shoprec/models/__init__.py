MODEL_ZOO = {}


def register(name):
    def wrap(cls):
        MODEL_ZOO[name] = cls
        return cls
    return wrap


from shoprec.models import gru4rec  # noqa: E402,F401
