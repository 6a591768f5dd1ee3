from dataclasses import dataclass


@dataclass(frozen=True)
class MetricConfig:
    # data
    identities: int = 24
    images_per_identity: int = 14
    train_identities: int = 16
    feature_dim: int = 40
    nuisance: float = 1.2
    # sampler: P identities x K images
    p: int = 8
    k: int = 4
    # model
    hidden: int = 64
    embedding: int = 16
    # objective
    margin: float = 0.3
    # optimisation
    lr: float = 2e-3
    iterations: int = 200
    report: int = 40
    seed: int = 8
