"""Says which failure ended a deep-learning job and which lines most likely hold the cause."""

__version__ = "0.1.0"
