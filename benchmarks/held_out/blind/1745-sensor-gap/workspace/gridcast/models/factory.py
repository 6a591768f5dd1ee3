from gridcast.models.gru import GRUForecaster
from gridcast.models.tcn import TCN

_MODELS = {"tcn": TCN, "gru": GRUForecaster}


def create_model(name, n_features, horizon, **kwargs):
    try:
        cls = _MODELS[name]
    except KeyError:
        raise ValueError(f"model '{name}' is not one of {', '.join(_MODELS)}") from None
    return cls(n_features, horizon, **kwargs)
