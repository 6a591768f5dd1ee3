from dataclasses import dataclass


@dataclass
class Options:
    train_file: str = "corpus/train.conll"
    dev_file: str = "corpus/dev.conll"
    min_freq: int = 12
    word_dim: int = 40
    char_dim: int = 16
    char_filters: int = 24
    hidden: int = 48
    batch_size: int = 16
    epochs: int = 4
    lr: float = 5e-3
    pad_label: int = -100
    seed: int = 17
