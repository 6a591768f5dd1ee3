from .config import MetricConfig
