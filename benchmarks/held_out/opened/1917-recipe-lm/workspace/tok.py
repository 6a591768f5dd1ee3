from tokenizers import Tokenizer, models, pre_tokenizers, decoders, trainers
from transformers import PreTrainedTokenizerFast

CONTROL = ["<title>", "<steps>", "<end>"]


def train_bpe(path, vocab_size):
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train([path], trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["<unk>", "<pad>"],
                                        show_progress=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="<pad>")
    fast.add_special_tokens({"additional_special_tokens": CONTROL})
    return fast
