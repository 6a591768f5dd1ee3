import json

from tokenizers import ByteLevelBPETokenizer
from transformers import PreTrainedTokenizerFast


def train_tokenizer(config_path):
    with open(config_path) as fh:
        cfg = json.load(fh)
    bpe = ByteLevelBPETokenizer(add_prefix_space=False)
    bpe.train(
        [cfg["corpus"]],
        vocab_size=cfg["vocab_size"],
        min_frequency=cfg["min_frequency"],
        special_tokens=cfg["special_tokens"],
        show_progress=False,
    )
    eos, pad = cfg["special_tokens"]
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, bos_token=eos, eos_token=eos, pad_token=pad, model_max_length=64
    )
