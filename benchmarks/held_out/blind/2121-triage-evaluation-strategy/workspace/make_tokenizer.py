"""Train a small WordPiece vocabulary on the triage notes and store it in Hugging Face format."""
import sys

import pandas as pd
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def build(texts, vocab_size=300):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=SPECIAL, show_progress=False))
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(t, tok.token_to_id(t)) for t in ("[CLS]", "[SEP]")],
    )
    return tok


if __name__ == "__main__":
    out = sys.argv[1]
    notes = pd.read_csv("notes.csv")["note"].tolist()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=build(notes),
        model_max_length=48,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    fast.save_pretrained(out)
    print(f"{len(fast)} tokens -> {out}")
