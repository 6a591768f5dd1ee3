from dataclasses import dataclass


@dataclass
class GPTConfig:
    vocab_size: int = 0
    block_size: int = 32
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 48
    dropout: float = 0.0


@dataclass
class TrainConfig:
    corpus: str = "data/recipes.txt"
    batch_size: int = 24
    max_iters: int = 300
    eval_interval: int = 100
    eval_batches: int = 8
    lr: float = 3e-3
    sample_tokens: int = 120
    prompt: str = "stir the "
    seed: int = 1337
