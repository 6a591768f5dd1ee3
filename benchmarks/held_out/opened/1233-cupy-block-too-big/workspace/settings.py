from dataclasses import dataclass

TILE = 64
RADIUS = 3


@dataclass(frozen=True)
class FilterParams:
    sigma_space: float = 2.0
    sigma_range: float = 0.25
    passes: int = 2
